"""The memory tool as a policy, driven by the embedded note keeper as by any model."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.life import Life
from agingbench.errors import InputError
from agingbench.interfaces import Memory, Model
from agingbench.memory.anthropic_memory import INSTRUCTIONS, AnthropicMemory
from agingbench.memory.workspace import Workspace
from agingbench.models.extractive import Extractive
from agingbench.models.scripted import Scripted
from agingbench.records import Event, Reply, ToolCall
from tests.memory.systems import (
    QUESTION,
    TOLD,
    check_calls_are_counted,
    check_probes_change_nothing,
    check_round_trip,
    check_served_calls_are_counted,
)


def told_agent(memory: Memory, model: Model | None = None) -> WorkspaceAgent:
    agent = WorkspaceAgent(model or Extractive(), memory)
    agent.act("\n\n".join([*TOLD, "Thank you."]), (), lambda event: None)
    agent.end_session()
    return agent


def test_the_note_keeper_saves_finds_and_adds_to_what_is_there() -> None:
    memory = AnthropicMemory()
    agent = told_agent(memory)
    answer = agent.ask(QUESTION)
    assert "4821" in answer.text
    assert "4821" in answer.context

    agent.act("The code of the blue door is 7777 from now on.\n\nThank you.", (), lambda e: None)
    agent.end_session()
    assert "7777" in agent.ask(QUESTION).text
    texts = [unit.text for unit in memory.units() or ()]
    assert any(text.index("4821") < text.index("7777") for text in texts if "7777" in text)


def test_notes_are_the_same_as_with_plain_file_tools() -> None:
    by_tool = told_agent(AnthropicMemory()).memory
    by_files = told_agent(Workspace()).memory
    assert isinstance(by_tool, AnthropicMemory)
    assert isinstance(by_files, Workspace)
    notes = {path: text for path, text in by_files.files.items() if path != "AGENT.md"}
    assert by_tool.folder.files == notes


def test_dump_load_and_probes() -> None:
    agent = told_agent(AnthropicMemory())
    check_round_trip(agent.memory, AnthropicMemory)
    check_probes_change_nothing(agent)


def test_the_prompt_holds_the_instructions_and_nothing_of_the_notes() -> None:
    memory = told_agent(AnthropicMemory()).memory
    assert memory.read(QUESTION) == INSTRUCTIONS
    assert set(memory.prompt_hashes) == {"instructions"}


def test_a_refusal_reaches_the_agent_in_the_words_of_the_tool() -> None:
    call = ToolCall("a", "memory", {"command": "view", "path": "/etc/passwd"})
    agent = WorkspaceAgent(Scripted([Reply("", (call,)), Reply("Well.")]), AnthropicMemory())
    events: list[Event] = []
    agent.act("Hello.", (), events.append)
    (result,) = [event for event in events if event.role == "tool_result"]
    assert result.stdout == "Path must start with /memories, got: /etc/passwd"
    assert result.exit_code == 1


def test_a_partial_reset_takes_the_oldest_files_and_a_flush_all() -> None:
    memory = told_agent(AnthropicMemory()).memory
    assert isinstance(memory, AnthropicMemory)
    places = list(memory.folder.files)
    memory.apply("partial_reset", ratio=0.5)
    assert list(memory.folder.files) == places[(len(places) + 1) // 2 :]
    memory.apply("flush_history")
    assert memory.units() == []


@pytest.mark.parametrize("fault", ["never_writes", "overwrites", "ignores_updates"])
def test_faults_of_the_note_keeper_show_here_too(fault: str) -> None:
    agent = told_agent(AnthropicMemory(), Extractive(fault))
    agent.act("The code of the blue door is 7777 from now on.\n\nThank you.", (), lambda e: None)
    agent.end_session()
    texts = "".join(unit.text for unit in agent.memory.units() or ())
    assert ("4821" in texts) == (fault == "ignores_updates")
    assert ("7777" in texts) == (fault == "overwrites")


def test_an_agent_without_the_tool_is_refused() -> None:
    with pytest.raises(InputError, match="give it the agent workspace"):
        Life.new("s2", memory="anthropic_memory", sessions=2)


def test_every_call_is_on_the_card(tmp_path: Path) -> None:
    check_calls_are_counted(tmp_path, "anthropic_memory", "workspace")


@pytest.mark.slow
def test_every_call_to_a_server_is_on_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_served_calls_are_counted(tmp_path, "anthropic_memory", monkeypatch, "workspace")
