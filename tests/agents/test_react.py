"""The reference agent: its tool loop, its conversation, its forks, and what its history hands to
the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agingbench.agents.build import build_agent
from agingbench.agents.react import PROBE, ReactAgent
from agingbench.errors import ContextOverflow, InputError, TransportError, UnknownName
from agingbench.interfaces import Agent, Memory, Model
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.no_memory import NoMemory
from agingbench.memory.summarize_store import SummarizeStore
from agingbench.models.extractive import Extractive
from agingbench.models.metered import Metered
from agingbench.models.scripted import Scripted, ScriptedReply
from agingbench.records import Answer, Event, Reply, Tool, ToolCall
from agingbench.registry import conform


def _look(arguments: Mapping[str, Any]) -> str:
    return f"there is a {arguments['what']}"


def _break(arguments: Mapping[str, Any]) -> str:
    raise LookupError("the shelf is empty")


LOOK = Tool("look", "Look at a place.", {"type": "object"}, _look)
BREAK = Tool("break", "Breaks.", {"type": "object"}, _break)


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "") -> Reply:
    return Reply(
        text,
        tuple(ToolCall(f"c{i}", name, arguments) for i, (name, arguments) in enumerate(wanted)),
    )


def acting(
    replies: Sequence[ScriptedReply], tools: Sequence[Tool] = (LOOK, BREAK), **options: Any
) -> tuple[str, list[Event], Scripted]:
    model = Scripted(replies)
    events = list[Event]()
    said = ReactAgent(model, NoMemory(), **options).act("Find the hat.", tools, events.append)
    return said, events, model


# -- the tool loop


def test_tools_are_called_until_a_reply_calls_none() -> None:
    said, events, model = acting(
        [calls(("look", {"what": "hat"}), text="Let me see."), "Here it is."]
    )
    assert said == "Here it is."
    assert [e.role for e in events] == [
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "assistant",
    ]
    called = events[2]
    result = events[3]
    assert (called.tool_name, called.arguments, called.tool_call_id) == (
        "look",
        {"what": "hat"},
        "c0",
    )
    assert (result.stdout, result.exit_code, result.tool_call_id) == ("there is a hat", 0, "c0")
    second = model.calls[1].messages
    assert [m.role for m in second] == ["system", "user", "assistant", "tool"]
    assert (second[3].content, second[3].tool_call_id) == ("there is a hat", "c0")
    assert second[2].tool_calls[0].name == "look"
    assert [tool.name for tool in model.calls[0].tools] == ["look", "break"]


def test_several_calls_of_one_reply_are_all_answered_in_order() -> None:
    _, events, model = acting([calls(("look", {"what": "a"}), ("look", {"what": "b"})), "Done."])
    assert [e.stdout for e in events if e.role == "tool_result"] == ["there is a a", "there is a b"]
    assert [m.tool_call_id for m in model.calls[1].messages if m.role == "tool"] == ["c0", "c1"]


def test_a_tool_that_does_not_exist_is_told_to_the_model() -> None:
    said, events, model = acting([calls(("lok", {})), "Sorry."])
    assert said == "Sorry."
    assert model.calls[1].messages[-1].content == "no tool named lok; there are: look, break"
    assert next(e for e in events if e.role == "tool_result").exit_code == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [(("break", {}), "LookupError: the shelf is empty"), (("look", {}), "KeyError: 'what'")],
)
def test_a_tool_that_raises_is_told_to_the_model(
    call: tuple[str, dict[str, Any]], told: str
) -> None:
    said, events, model = acting([calls(call), "It broke."])
    assert said == "It broke."
    assert model.calls[1].messages[-1].content == told
    result = next(e for e in events if e.role == "tool_result")
    assert (result.stdout, result.exit_code) == (told, 1)


def test_a_loop_that_does_not_end_is_ended() -> None:
    said, events, model = acting([calls(("look", {"what": "hat"}))] * 9, max_turns=3)
    assert said == ""
    assert len(model.calls) == 3
    assert events[-1].metadata == {"unanswered": "tool_loop_exhausted"}


def test_an_overflow_is_no_answer() -> None:
    said, events, _ = acting([ContextOverflow("too long")])
    assert said == ""
    assert events[-1].metadata == {"unanswered": "context_overflow"}


def test_a_refusal_is_marked_in_the_trace() -> None:
    _, events, _ = acting([Reply("I would rather not.", refused=True)])
    assert (events[-1].content, events[-1].metadata) == (
        "I would rather not.",
        {"unanswered": "refusal"},
    )


# -- conversation and history


def test_the_conversation_lasts_a_session() -> None:
    model = Scripted(["First.", "Second.", "Third."])
    agent = ReactAgent(model, NoMemory())
    agent.act("one", (), lambda e: None)
    agent.act("two", (), lambda e: None)
    agent.end_session()
    agent.act("three", (), lambda e: None)
    asked = [[m.content for m in call.messages[1:]] for call in model.calls]
    assert asked == [["one"], ["one", "First.", "two"], ["three"]]


def test_the_memory_is_read_for_the_text_at_hand() -> None:
    memory = AppendOnly(k=1)
    memory.write([Event(step=0, role="user", content="The hat is red.\n\nThe cat is grey.")])
    model = Scripted(["a", "b", "c"])
    agent = ReactAgent(model, memory, "You are Ann.")
    agent.act("About the hat", (), lambda e: None)
    agent.ask("What is the cat?")
    agent.ask("What is the cat?", context="The cat is black.")
    systems = [call.messages[0].content for call in model.calls]
    assert "The hat is red." in systems[0]
    assert "The cat is grey." not in systems[0]
    assert "The cat is grey." in systems[1]
    assert "The cat is black." in systems[2]
    assert "grey" not in systems[2]
    assert all(system.startswith("You are Ann.") for system in systems)
    assert [PROBE in system for system in systems] == [False, True, True]


def test_a_broken_task_leaves_what_the_user_said_and_nothing_else() -> None:
    model = Scripted(
        [
            calls(("look", {"what": "hat"}), text="Half an answer."),
            TransportError("dead"),
            "Fine.",
            "sum",
        ]
    )
    memory = SummarizeStore(model)
    agent = ReactAgent(model, memory)
    events = list[Event]()
    with pytest.raises(TransportError):
        agent.act("Mind the red hat.", [LOOK], events.append)
    agent.act("And now?", [LOOK], events.append)
    agent.end_session()
    assert [m.content for m in model.calls[2].messages[1:]] == ["Mind the red hat.", "And now?"]
    written = model.calls[3].messages[0].content
    assert "Mind the red hat.\n\nAnd now?\n\nAssistant: Fine." in written
    assert "Half an answer." not in written
    assert "Half an answer." in [e.content for e in events]  # the trace keeps what happened


def test_equal_tasks_are_not_mixed_up_when_one_breaks() -> None:
    model = Scripted(["Yes.", TransportError("dead"), "sum"])
    agent = ReactAgent(model, SummarizeStore(model))
    agent.act("Again.", (), lambda e: None)
    with pytest.raises(TransportError):
        agent.act("Again.", (), lambda e: None)
    agent.end_session()
    assert "Again.\n\nAssistant: Yes.\n\nAgain." in model.calls[2].messages[0].content


# -- questions


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Red.", ("Red.", "answered", None)),
        (Reply("No.", refused=True), ("No.", "unanswered", "refusal")),
        (ContextOverflow("long"), ("", "unanswered", "context_overflow")),
        (TransportError("dead"), ("", "failed", "dead")),
    ],
)
def test_what_an_answer_is(reply: ScriptedReply, answer: tuple[str, str, str | None]) -> None:
    said = ReactAgent(Scripted([reply]), NoMemory()).ask("Which hat?", "The hat is red.")
    assert (said.text, said.status, said.reason) == answer
    assert said.context == "The hat is red."


def test_asking_leaves_no_trace_in_the_agent() -> None:
    model = Scripted(["one", "two", "three"])
    agent = ReactAgent(model, AppendOnly())
    agent.act("hello", (), lambda e: None)
    agent.ask("marmalade?")
    agent.act("again", (), lambda e: None)
    agent.end_session()
    assert "marmalade" not in str(agent.dump())
    assert [m.content for m in model.calls[2].messages[1:]] == ["hello", "one", "again"]


# -- forks


def test_a_fork_is_in_no_conversation_and_reaches_nobody() -> None:
    model = Scripted(["a", "b", "c", "d"])
    agent = ReactAgent(model, AppendOnly(), "You are Ann.", max_turns=3)
    agent.act("the hat is red", (), lambda e: None)
    fork = agent.fork()
    fork.act("the cat is grey", (), lambda e: None)
    fork.end_session()
    assert [m.content for m in model.calls[1].messages[1:]] == ["the cat is grey"]
    assert agent.dump()["memory"]["episodes"] == []
    assert fork.dump()["memory"]["episodes"] == ["the cat is grey", "Assistant: b"]
    agent.end_session()
    assert agent.dump()["memory"]["episodes"] == ["the hat is red", "Assistant: a"]
    assert (fork.role, fork.max_turns) == ("You are Ann.", 3)


class Plain:
    """A memory without a copy, whose model has a lock and a name of its own."""

    supports: frozenset[str] = frozenset()

    def __init__(self, model: Model) -> None:
        self.llm = model
        self.notes = {"hats": ["red"]}

    def copyable(self) -> list[str]:
        return self.notes["hats"]

    def read(self, query: str) -> str:
        return " ".join(self.notes["hats"])

    def write(self, events: Sequence[Event]) -> None:
        self.notes["hats"] += [e.content or "" for e in events]

    def units(self) -> None:
        return None

    def dump(self) -> dict[str, Any]:
        return {"hats": list(self.notes["hats"])}

    def load(self, state: dict[str, Any]) -> None:
        self.notes = {"hats": list(state["hats"])}

    def apply(self, event: str, **args: Any) -> None: ...
    def configure(self, **options: Any) -> None: ...


def test_a_memory_without_copy_is_copied_deeply_and_keeps_its_model() -> None:
    meter = Metered(Scripted(["a"]))
    agent = ReactAgent(meter, conform(Plain(meter), Memory, "Plain"))
    fork = agent.fork()
    assert isinstance(fork.memory, Plain)
    assert fork.memory.llm is meter
    fork.act("green", (), lambda e: None)
    fork.end_session()
    assert agent.memory.dump() == {"hats": ["red"]}
    assert fork.memory.dump() == {"hats": ["red", "green", "a"]}


def test_loading_closes_the_conversation() -> None:
    model = Scripted(["a", "b"])
    agent = ReactAgent(model, AppendOnly())
    state = agent.dump()
    agent.act("lost", (), lambda e: None)
    agent.load(state)
    agent.act("kept", (), lambda e: None)
    agent.end_session()
    assert agent.dump()["memory"]["episodes"] == ["kept", "Assistant: b"]


# -- building


def test_building() -> None:
    agent = build_agent("react", Extractive(), NoMemory(), "You are Ann.", max_turns=2)
    assert isinstance(agent, Agent)
    assert isinstance(agent, ReactAgent)
    assert (agent.role, agent.max_turns) == ("You are Ann.", 2)
    with pytest.raises(UnknownName, match="did you mean react"):
        build_agent("raect", Extractive(), NoMemory(), "")
    with pytest.raises(
        UnknownName, match="option of agent react 'max_turn'; did you mean max_turns"
    ):
        build_agent("react", Extractive(), NoMemory(), "", max_turn=2)
    with pytest.raises(
        InputError, match=r"lacks act\(text: str, .*; see agingbench\.interfaces\.Agent"
    ):
        build_agent(f"{__name__}:NoAgent", Extractive(), NoMemory(), "")
    with pytest.raises(InputError, match=r"agent .*: cannot be built"):
        build_agent(f"{__name__}:Unbuildable", Extractive(), NoMemory(), "")


@pytest.mark.parametrize("turns", [0, -1, 1.5, "two", True])
def test_the_number_of_turns_must_be_a_count(turns: Any) -> None:
    with pytest.raises(InputError, match="max_turns"):
        build_agent("react", Extractive(), NoMemory(), "", max_turns=turns)


class NoAgent:
    """Cannot do anything."""


class Unbuildable(ReactAgent):
    """Raises at once."""

    def __init__(self) -> None:
        raise ValueError("cannot be built")


def test_an_answer_knows_what_it_took() -> None:
    answer: Answer = ReactAgent(Scripted(["Red."]), NoMemory()).ask("Which hat?")
    assert answer.usage.calls == 1
    assert answer.usage.output_tokens is not None
