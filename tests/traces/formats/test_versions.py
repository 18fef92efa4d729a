"""Files of a version that nobody here can read are refused, never read as something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.traces.formats.pi import Pi
from agingbench.trials.inspect.transcripts import read_path

HEADER = {"type": "session", "id": "s", "timestamp": "2026-08-07T01:02:03Z", "cwd": "/w"}
REPLY = {
    "role": "assistant",
    "content": [{"type": "text", "text": "Done."}],
    "usage": {"input": 12, "output": 3},
    "timestamp": 1786064524000,
}


def session(path: Path, version: object, *records: dict[str, object]) -> Path:
    lines = [{**HEADER, "version": version}, *records]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def tool(number: int, error: bool = False) -> dict[str, object]:
    return {
        "type": "tool_execution_end",
        "toolCallId": f"t{number}",
        "toolName": "bash",
        "args": {"command": "ls"},
        "result": {"content": f"file {number}"},
        "isError": error,
    }


@pytest.mark.parametrize("version", [4, 0, 3.5])
def test_a_session_of_another_version_is_refused(tmp_path: Path, version: object) -> None:
    file = session(tmp_path / "x.jsonl", version, {"type": "message", "message": REPLY})
    with pytest.raises(InputError, match=r"x\.jsonl:1: version .* versions read: 1, 2, 3"):
        read_path(file)
    log = ReadLog()
    log.file = "x.jsonl"
    with file.open("rb") as stream:
        assert list(Pi().events(stream, log)) == []
    assert log.n_malformed == 1


@pytest.mark.parametrize("version", [1, 3, "0.73.1", None])
def test_known_versions_and_names_of_programs_are_read(tmp_path: Path, version: object) -> None:
    file = session(tmp_path / "x.jsonl", version, {"type": "message", "message": REPLY})
    assert [event.content for event in read_path(file).events] == ["Done."]


def test_a_log_of_events_is_read_once(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"type": "message_start", "message": {**REPLY, "content": []}},
        tool(1),
        tool(2, error=True),
        {"type": "compaction_end", "result": {"summary": "what was kept"}},
        {"type": "message_end", "message": REPLY},
        {"type": "turn_end", "message": REPLY},
        {"type": "agent_end", "messages": [REPLY]},
    ]
    events = read_path(session(tmp_path / "x.jsonl", 3, *records)).events
    roles = [event.role for event in events]
    assert roles == ["tool_call", "tool_result", "tool_call", "tool_result", "meta", "assistant"]
    assert [event.stdout for event in events if event.stdout] == ["file 1", "file 2"]
    assert events[4].content == "what was kept"
