"""The formats that trials come in: ATIF, Inspect, verifiers and our own trajectory, on real files
and on odd ones.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.conversation import (
    MessageReader,
    conversation_events,
    tool_calls,
)
from agingbench.traces.formats import FORMATS
from tests.places import SHARED_DATA

SHARED = SHARED_DATA
needs_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the public traces under ../shared/data are not here"
)
NAMES = ("atif", "inspect", "verifiers", "trajectory")


def read(name: str, data: bytes, file: str = "x") -> tuple[list[Event], ReadLog]:
    log = ReadLog()
    log.file = file
    return list(FORMATS.load(name)().events(io.BytesIO(data), log)), log


@needs_data
@pytest.mark.parametrize(
    ("name", "pattern", "files", "used"),
    [
        ("atif", "traces/atif/**/*.json", 14, 63),
        ("inspect", "traces/inspect/**/*.eval", 17, 464),
        ("inspect", "traces/inspect/**/*.json", 5, 5),
        ("verifiers", "trials/verifiers_results/**/*.jsonl", 37, 558),
        ("verifiers", "trials/prime/*.json", 3, 7),
        ("trajectory", "trials/real_runs/**/trajectory.jsonl", 138, 2104),
    ],
)
def test_real_files_are_sniffed_and_read_without_loss(
    name: str, pattern: str, files: int, used: int
) -> None:
    format = FORMATS.load(name)()
    total = 0
    taken = 0
    for path in sorted(SHARED.glob(pattern)):
        data = path.read_bytes()
        if format.sniff(data[: 1 << 16]) < 0.5:
            continue
        events, log = read(name, data, path.name)
        assert log.n_malformed == 0, path
        taken = taken + 1
        total = total + log.used
        assert all(e.tool_name for e in events if e.role == "tool_call"), path
        assert all(e.source is not None and e.source.file == path.name for e in events)
    assert (taken, total) == (files, used)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_survived(name: str, data: bytes) -> None:
    assert 0 <= FORMATS.load(name)().sniff(data) <= 1
    read(name, data)


def test_copied_steps_count_once_and_compaction_is_seen() -> None:
    steps: list[Any] = [
        {
            "source": "user",
            "message": [{"type": "text", "text": "Go"}],
            "timestamp": "2026-01-01T00:00:00Z",
        },
        {
            "source": "agent",
            "message": "",
            "reasoning_content": "hm",
            "model_name": "m",
            "metrics": {
                "prompt_tokens": 100,
                "cached_tokens": 40,
                "completion_tokens": 5,
                "cost_usd": 0.1,
            },
            "tool_calls": [
                {"tool_call_id": "c", "function_name": "bash", "arguments": {"command": "ls"}}
            ],
            "observation": {"results": [{"source_call_id": "c", "content": "a.txt"}]},
        },
        {"source": "agent", "message": "again", "is_copied_context": True},
        {
            "source": "system",
            "message": "x",
            "extra": {"context_management": {"type": "compaction"}},
        },
        {"source": "nobody"},
        7,
    ]
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": steps,
    }
    events, log = read("atif", json.dumps(document).encode())
    assert (log.used, log.duplicate, log.n_malformed) == (3, 1, 2)
    assert [e.role for e in events] == ["user", "assistant", "tool_call", "tool_result", "meta"]
    assert events[1].usage is not None
    assert (events[1].usage.input_tokens, events[1].usage.cache_read_tokens) == (60, 40)
    assert events[3].tool_name == "bash"
    assert events[4].lifecycle == "compaction"
    assert {e.session_id for e in events} == {"s"}
    assert events[0].client == "a 1"


def test_subagents_inside_a_document_are_threads() -> None:
    step = {"source": "agent", "message": "hello"}
    inner = {"trajectory_id": "sub", "steps": [step]}
    document = {"schema_version": "ATIF-v1.8", "steps": [step], "subagent_trajectories": [inner, 3]}
    events, _ = read("atif", json.dumps(document).encode())
    assert [e.thread for e in events] == [None, "sub"]


def test_an_inspect_log_brings_tokens_times_errors_and_attachments() -> None:
    sample = {
        "id": 1,
        "epoch": 2,
        "uuid": "u",
        "started_at": "2026-01-01T00:00:00+00:00",
        "messages": [
            {"role": "user", "content": "attachment://k"},
            {
                "role": "assistant",
                "id": "m1",
                "content": "",
                "tool_calls": [{"id": "c", "function": "bash"}],
            },
            {
                "role": "tool",
                "tool_call_id": "c",
                "content": "",
                "error": {"type": "timeout", "message": "late"},
            },
            {
                "role": "tool",
                "function": "web",
                "content": "x",
                "error": {"type": "approval", "message": "no"},
            },
            {"role": "poet"},
            3,
        ],
        "events": [
            {
                "event": "model",
                "timestamp": "2026-01-01T00:00:05+00:00",
                "output": {
                    "time": 2.0,
                    "usage": {"input_tokens": 7, "output_tokens": 2},
                    "choices": [{"message": {"id": "m1"}}],
                },
            },
            {"event": "tool", "id": "c", "completed": "2026-01-01T00:00:09+00:00"},
        ],
        "attachments": {"k": "the long text"},
    }
    log_file = {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [sample, 5]}
    events, log = read("inspect", json.dumps(log_file).encode())
    assert (log.used, log.n_malformed, log.flags["odd_message"]) == (1, 1, 2)
    user, said, called, late, refused = events
    assert user.content == "the long text"
    assert said.usage is not None
    assert (said.usage.input_tokens, said.duration_ms) == (7, 2000.0)
    assert called.tool_name == "bash"
    assert (late.error_kind, late.stdout, late.duration_ms) == ("process", "late", 4000.0)
    assert (refused.error_kind, refused.tool_name) == ("refused", "web")


def test_odd_fields_of_a_trajectory_are_told_and_times_are_seconds() -> None:
    lines = [
        b'{"step": 0, "role": "user", "content": 5, "timestamp": "2026-01-01T00:00:00Z"}',
        b'{"step": 0, "role": "poet"}',
        b"{torn",
    ]
    events, log = read("trajectory", b"\n".join(lines))
    assert (log.used, log.n_malformed, log.flags["odd_field"]) == (1, 2, 1)
    assert events[0].timestamp == 1767225600.0


def test_a_header_of_another_version_ends_the_file() -> None:
    entry = b'{"step": 0, "role": "user"}'
    events, log = read(
        "trajectory",
        b"\n".join([entry, b'{"version": 9, "format": "aec-bench-trajectory"}', entry]),
    )
    assert (len(events), log.n_malformed) == (1, 1)
    assert "versions read: 1" in log.malformed[0].reason


# ------------------------------------------------------------------------------------------------------
# conversations


def test_tool_calls_in_every_shape() -> None:
    nested = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": '{"x": 1}'}}
    flat = {"id": "b", "name": "python", "arguments": {"y": 2}}
    named = {"id": "c", "function": "web", "arguments": "not json"}
    shapes = [nested, json.dumps(nested), flat, json.dumps(flat), named, "junk", 7]
    assert [(i, n) for i, n, _ in tool_calls(shapes)] == [
        ("a", "bash"),
        ("a", "bash"),
        ("b", "python"),
        ("b", "python"),
        ("c", "web"),
        (None, None),
        (None, None),
    ]
    assert list(tool_calls(None)) == []


def test_results_without_an_id_answer_the_oldest_open_call() -> None:
    calls = [
        {"function": {"name": "a", "arguments": "{}"}},
        {"id": "", "function": {"name": "b", "arguments": "{}"}},
    ]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "tool", "content": "3"},
    ]
    reader = MessageReader()
    events = [event for message in messages for event in reader.events(message)]
    results = [event.tool_name for event in events if event.role == "tool_result"]
    assert results == ["a", "b", None]


def test_reasoning_is_kept() -> None:
    (event,) = MessageReader().events(
        {"role": "assistant", "content": "x", "reasoning_content": "because"}
    )
    assert event.metadata == {"reasoning": "because"}
    blocks = [{"type": "thinking", "thinking": "deep"}, {"type": "text", "text": "so"}]
    (event,) = MessageReader().events({"role": "assistant", "content": blocks})
    assert (event.content, event.metadata) == ("so", {"reasoning": "deep"})


def test_every_line_of_a_conversation_is_accounted_for() -> None:
    data = (
        b'{"role": "user", "content": "hi"}\n[1]\n{"role": "poet"}\n\n{torn\n{"role": "assistant",'
        b' "content": [3]}\n'
    )
    log = ReadLog()
    events = list(conversation_events(io.BytesIO(data), log))
    assert (log.used, log.n_malformed, sum(log.ignored.values())) == (2, 2, 1)
    assert Counter(e.role for e in events) == {"user": 1, "assistant": 1}
    assert [e.source.line for e in events if e.source] == [1, 6]
