"""The agent with files of its own: they are offered in tasks and at probes, and asking leaves them
as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agingbench.agents.build import build_agent
from agingbench.agents.react import PROBE
from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.errors import ContextOverflow, InputError, TransportError
from agingbench.interfaces import Agent
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.workspace import INSTRUCTIONS, Workspace
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted, ScriptedReply
from agingbench.records import Event, Reply, Tool, ToolCall, Usage

FILE_TOOLS = ["list_files", "read_file", "write_file", "append_file", "delete_file"]
LOOK = Tool("look", "Look at a place.", {"type": "object"}, lambda arguments: "there is a hat")


def call(name: str, **arguments: Any) -> Reply:
    return Reply("", (ToolCall("c0", name, arguments),))


def agent_of(replies: Sequence[ScriptedReply], **files: str) -> tuple[WorkspaceAgent, Scripted]:
    model = Scripted(replies)
    memory = Workspace()
    memory.files |= {f"notes/{name}.md": text for name, text in files.items()}
    return WorkspaceAgent(model, memory), model


def heard(_: Event) -> None:
    return None


# -- tasks


def test_the_file_tools_are_offered_beside_those_of_the_task() -> None:
    agent, model = agent_of(
        [call("look"), call("write_file", path="notes/hat.md", text="It is there."), "Noted."]
    )
    events: list[Event] = []
    assert agent.act("Find the hat.", [LOOK], events.append) == "Noted."
    assert [tool.name for tool in model.calls[0].tools] == [*FILE_TOOLS, "look"]
    assert [e.stdout for e in events if e.role == "tool_result"] == [
        "there is a hat",
        "wrote notes/hat.md (12 characters)",
    ]
    assert agent.memory.dump()["files"]["notes/hat.md"] == "It is there."


def test_only_the_instructions_stand_in_the_prompt() -> None:
    agent, model = agent_of(["Yes."], cup="The cup is red.")
    agent.act("Hello.", (), heard)
    system = model.calls[0].messages[0].content
    assert INSTRUCTIONS in system
    assert "red" not in system


def test_files_outlive_the_conversation_and_nothing_else_does() -> None:
    agent, model = agent_of(
        [call("append_file", path="notes/a.md", text="Seven."), "Saved.", "Hello again."]
    )
    agent.act("Remember seven, forget eight.", (), heard)
    agent.end_session()
    agent.act("Back again.", (), heard)
    assert [m.content for m in model.calls[2].messages[1:]] == ["Back again."]
    assert agent.memory.dump()["files"]["notes/a.md"] == "Seven."
    assert "eight" not in str(agent.dump())


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "notes/missing.md"])
def test_what_a_tool_refuses_is_told_to_the_agent(path: str) -> None:
    agent, model = agent_of([call("read_file", path=path), "I could not."])
    events: list[Event] = []
    assert agent.act("Read it.", (), events.append) == "I could not."
    (result,) = (e for e in events if e.role == "tool_result")
    assert result.exit_code == 1
    assert result.stdout is not None
    assert result.stdout.startswith("WorkspaceError: ")
    assert model.calls[1].messages[-1].content == result.stdout


# -- held-out questions


def test_a_question_is_answered_through_the_agents_own_loop() -> None:
    agent, model = agent_of(
        [call("list_files"), call("read_file", path="notes/cup.md"), "Red."], cup="The cup is red."
    )
    answer = agent.fork().ask("What colour is the cup?")
    assert (answer.text, answer.status, answer.context) == ("Red.", "answered", "The cup is red.")
    assert [tool.name for tool in model.calls[0].tools] == FILE_TOOLS
    assert PROBE in model.calls[0].messages[0].content
    assert "notes/cup.md" in model.calls[1].messages[-1].content
    assert answer.usage.calls == 3


@pytest.mark.parametrize("forked", [True, False])
def test_what_is_written_at_a_question_is_gone_after_it(forked: bool) -> None:
    wanted: list[ScriptedReply] = [
        call("write_file", path="notes/cup.md", text="Blue."),
        call("delete_file", path="AGENT.md"),
        "Blue.",
    ]
    agent, _ = agent_of(wanted, cup="The cup is red.")
    before = agent.dump()
    assert (agent.fork() if forked else agent).ask("What colour is the cup?").text == "Blue."
    assert agent.dump() == before


def test_a_question_neither_sees_nor_joins_the_conversation() -> None:
    agent, model = agent_of(["Noted.", "I do not know.", "Fine."])
    agent.act("The cup is green.", (), heard)
    agent.ask("What colour is the cup?")
    agent.act("Go on.", (), heard)
    assert [m.content for m in model.calls[1].messages[1:]] == ["What colour is the cup?"]
    assert [m.content for m in model.calls[2].messages[1:]] == [
        "The cup is green.",
        "Noted.",
        "Go on.",
    ]


def test_a_context_stands_in_the_place_of_the_files() -> None:
    agent, model = agent_of(["Green."], cup="The cup is red.")
    answer = agent.ask("What colour is the cup?", "The cup is green.")
    assert (answer.text, answer.context) == ("Green.", "The cup is green.")
    assert model.calls[0].tools == ()
    system = model.calls[0].messages[0].content
    assert "<memory>\nThe cup is green.\n</memory>" in system
    assert INSTRUCTIONS not in system
    assert PROBE in system


@pytest.mark.parametrize(
    ("last", "status", "reason"),
    [
        (ContextOverflow("too long"), "unanswered", "context_overflow"),
        (TransportError("line dead"), "failed", "line dead"),
        (Reply("I would rather not.", refused=True), "unanswered", "refusal"),
    ],
)
def test_what_goes_wrong_at_a_question(last: ScriptedReply, status: str, reason: str) -> None:
    agent, _ = agent_of([call("read_file", path="notes/cup.md"), last], cup="The cup is red.")
    answer = agent.ask("What colour is the cup?")
    assert (answer.status, answer.reason, answer.context) == (status, reason, "The cup is red.")
    assert answer.usage.calls >= 1, "what was spent before is counted"


def test_a_loop_that_does_not_end_is_no_answer() -> None:
    model = Scripted([call("list_files")] * 9)
    answer = WorkspaceAgent(model, Workspace(), max_turns=3).ask("What colour is the cup?")
    assert (answer.status, answer.reason, len(model.calls)) == (
        "unanswered",
        "tool_loop_exhausted",
        3,
    )


# -- forks and building


def test_a_fork_is_of_its_kind_and_on_its_own() -> None:
    agent, _ = agent_of([call("write_file", path="notes/a.md", text="x"), "Done."])
    agent.max_turns = 5
    twin = agent.fork()
    assert isinstance(twin, WorkspaceAgent)
    assert (twin.owns_workspace, twin.max_turns, twin.role) == (True, 5, agent.role)
    before = agent.dump()
    twin.act("Write.", (), heard)
    assert agent.dump() == before != twin.dump()
    other, _ = agent_of([])
    other.load(twin.dump())
    assert other.dump() == twin.dump()


def test_it_is_built_by_name_and_wants_a_memory_with_tools() -> None:
    model = Extractive()
    agent = build_agent("workspace", model, Workspace(), "You help.", max_turns=4)
    assert isinstance(agent, WorkspaceAgent)
    assert isinstance(agent, Agent)
    with pytest.raises(InputError, match="agent 'workspace': keeps its notes with tools"):
        build_agent("workspace", model, AppendOnly(), "You help.")


def test_usage_that_a_provider_does_not_tell_is_unknown() -> None:
    quiet = Reply("", (ToolCall("c0", "list_files", {}),), Usage(calls=1))
    agent, _ = agent_of([quiet, Reply("Red.", usage=Usage(10, 2, calls=1))])
    usage = agent.ask("What colour is the cup?").usage
    assert (usage.calls, usage.input_tokens) == (2, None)
