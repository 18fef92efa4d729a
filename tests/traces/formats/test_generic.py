"""The generic format: what anyone can write, and the aliases of what others write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from tests.traces.formats.reader import read, total


def test_one_object_per_message(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"session_id": "s", "role": "user", "content": "hi", "timestamp": 1767323045},
        {
            "session_id": "s",
            "role": "assistant",
            "content": "hello",
            "input_tokens": 5,
            "output_tokens": 2,
            "model": "m",
        },
        {
            "session_id": "s",
            "role": "tool_call",
            "tool_name": "ls",
            "arguments": {"path": "a"},
            "tool_call_id": "1",
        },
        {
            "session_id": "s",
            "role": "tool_result",
            "tool_call_id": "1",
            "stdout": "x",
            "exit_code": 2,
        },
        {"session_id": "s", "event": "compaction", "trigger": "auto"},
    ]
    events, log = read(tmp_path / "a.jsonl", "generic", *rows)
    assert [e.role for e in events] == ["user", "assistant", "tool_call", "tool_result", "meta"]
    assert events[1].usage is not None
    assert (events[1].usage.input_tokens, events[1].model) == (5, "m")
    assert (events[3].tool_name, events[3].error_kind) == ("ls", "process")
    assert (events[4].lifecycle, events[4].metadata) == ("compaction", {"trigger": "auto"})
    assert log.flags == {"time_missing": 4}
    assert total(log) == 5


def test_a_whole_exchange_in_one_record(tmp_path: Path) -> None:
    call = {"name": "get", "args": {"id": 7}, "result": {"price": 3}}
    openai = {"id": "c", "type": "function", "function": {"name": "put", "arguments": '{"id": 8}'}}
    row = {
        "conversationId": "s",
        "prompt": "p",
        "response": "r",
        "toolCalls": [call, openai, {"result": None}],
    }
    events, _ = read(
        tmp_path / "a.jsonl",
        "generic",
        {**row, "usage": {"prompt_tokens": 9, "completion_tokens": 1}},
    )
    assert [e.role for e in events] == [
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "tool_call",
    ]
    assert events[2].arguments == {"id": 7}
    assert events[3].stdout == '{"price":3}'
    assert events[4].arguments == {"id": 8}


def test_chats_as_documents_and_as_lines(tmp_path: Path) -> None:
    chat = {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"text": "yo"}]},
        ]
    }
    events, _ = read(tmp_path / "a.json", "generic", chat, whole=True)
    assert [(e.role, e.content) for e in events] == [("user", "hi"), ("assistant", "yo")]
    many, _ = read(tmp_path / "b.jsonl", "generic", chat, chat)
    assert len({e.session_id for e in many}) == 2
    named, _ = read(tmp_path / "c.jsonl", "generic", {**chat, "id": "x"}, {**chat, "id": "y"})
    assert {e.session_id for e in named} == {"x", "y"}


def test_cached_tokens_are_apart_however_they_are_named(tmp_path: Path) -> None:
    anthropic = {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 100}
    openai = {
        "prompt_tokens": 103,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 100},
    }
    rows = [
        {"session_id": "s", "role": "assistant", "content": "x", "usage": u}
        for u in (anthropic, openai)
    ]
    events, _ = read(tmp_path / "a.jsonl", "generic", *rows)
    assert [(e.usage.input_tokens, e.usage.cache_read_tokens) for e in events if e.usage] == [
        (3, 100),
        (3, 100),
    ]


def test_errors_that_are_said_in_other_ways(tmp_path: Path) -> None:
    base = {"session_id": "s", "role": "tool", "content": "x"}
    ways: list[dict[str, Any]] = [
        {"success": False},
        {"is_error": True},
        {"error": "boom"},
        {"error_kind": "rejected"},
        {"error_kind": "?"},
        {},
    ]
    events, _ = read(tmp_path / "a.jsonl", "generic", *[{**base, **way} for way in ways])
    assert [e.error_kind for e in events] == [
        "process",
        "process",
        "process",
        "rejected",
        None,
        None,
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"session_id": "s", "ts": 1, "text": "a list of prompts"},
        {"name": "package", "version": "1.0"},
        {"trace_id": "x", "errors": [], "scores": []},
        {"ts": "2026", "event": "process", "pid": 3},
        {"checkpoint_id": "x", "session_id": "s", "strategy": "manual"},
    ],
)
def test_what_is_no_trace(tmp_path: Path, value: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no known trace format"):
        read(tmp_path / "a.json", "generic", value)
