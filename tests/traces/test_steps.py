"""Steps have the same numbers wherever they are shown or named."""

from __future__ import annotations

import json
from pathlib import Path

from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import cut_at, trace_events
from agingbench.traces.steps import step_numbers
from agingbench.trials.inspect.tool_errors import tool_errors
from tests.cli.conftest import Cli, cli

__all__ = ["cli"]

ENTRIES = [
    {"step": 0, "role": "user", "content": "Fix it."},
    {"step": 0, "role": "assistant", "content": "I look."},
    {"step": 0, "role": "tool_call", "tool_name": "bash", "command": "ls", "tool_call_id": "a"},
    {"step": 0, "role": "tool_result", "exit_code": 2, "stderr": "no", "tool_call_id": "a"},
    {"step": 1, "role": "assistant", "content": "The folder is gone."},
]


def test_results_belong_to_their_call_and_subagents_to_no_step() -> None:
    events = [
        Event(step=7, role="meta"),
        Event(step=7, role="user", content="Go."),
        Event(step=7, role="assistant", content=" "),
        Event(step=7, role="tool_call", tool_name="bash", command="ls"),
        Event(step=7, role="tool_call", tool_name="bash", command="ls", thread="sub"),
        Event(step=7, role="tool_result", stdout="a"),
    ]
    assert step_numbers(events) == [None, 1, 1, 2, None, 2]
    assert step_numbers(events[4:5]) == [1]
    assert step_numbers([]) == []


def test_cut_trace_and_errors_agree(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in ENTRIES))
    events = trace_events(path)
    assert cut_at(events, 3, "a")[-1].exit_code == 2
    assert [error.step for error in tool_errors(events)] == [3]

    printed = cli("trials", "trace", str(path)).out
    (line,) = [line for line in printed.splitlines() if "folder is gone" in line]
    assert line.split()[-2:] == ["4", "assistant"]
    assert len(cut_at(events, 4, "a")) == len(events)
