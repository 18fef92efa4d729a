"""Claude Code transcripts: one message on several lines, copies, subagents, errors by kind,
lifecycle, odd lines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.records import Event, ReadLog
from agingbench.traces.reading import read_events, sniff

T = "2026-01-02T03:04:{:02d}.500Z"


def line(n: int, kind: str = "user", content: Any = "hello", **fields: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    for key in ("id", "model", "usage"):
        if key in fields:
            message[key] = fields.pop(key)
    base = {
        "type": kind,
        "uuid": f"u{n}",
        "sessionId": "s1",
        "timestamp": T.format(n % 60),
        "version": "2.1.0",
    }
    return {**base, "message": message, **fields}


def said(
    n: int, text: str = "ok", tokens: int = 10, mid: str | None = None, **fields: Any
) -> dict[str, Any]:
    given = {"input_tokens": 3, "output_tokens": tokens, "cache_read_input_tokens": 100}
    block = [{"type": "text", "text": text}]
    return line(n, "assistant", block, id=mid or f"m{n}", model="opus", usage=given, **fields)


def call(n: int, tool: str = "Bash", tool_id: str | None = None, **fields: Any) -> dict[str, Any]:
    block = [
        {"type": "tool_use", "id": tool_id or f"t{n}", "name": tool, "input": {"command": "ls"}}
    ]
    return line(n, "assistant", block, id=f"m{n}", model="opus", **fields)


def result(
    n: int, tool_id: str, text: Any = "done", error: bool = False, **fields: Any
) -> dict[str, Any]:
    return line(
        n,
        "user",
        [{"type": "tool_result", "tool_use_id": tool_id, "content": text, "is_error": error}],
        **fields,
    )


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


def read(path: Path) -> tuple[list[Event], ReadLog]:
    log = ReadLog()
    return list(read_events(path, "claude_code", log)), log


def total(log: ReadLog) -> int:
    return log.used + log.duplicate + log.n_malformed + sum(log.ignored.values())


def test_usage_of_a_message_stands_once_with_its_maximum(tmp_path: Path) -> None:
    records = [
        said(1, tokens=1, mid="m"),
        said(2, tokens=1, mid="m"),
        said(3, tokens=250, mid="m"),
        said(4, tokens=7),
    ]
    events, _ = read(write(tmp_path / "a.jsonl", *records))
    naive = sum(r["message"]["usage"]["output_tokens"] for r in records)
    spent = [e.usage for e in events if e.usage]
    assert naive == 259
    assert [u.output_tokens for u in spent] == [250, 7]
    assert events[0].usage is spent[0]
    assert sum(u.calls for u in spent) == 2


def test_lines_of_one_message_may_be_apart(tmp_path: Path) -> None:
    between = [line(n) for n in range(100, 160)]
    events, log = read(
        write(
            tmp_path / "a.jsonl", said(1, tokens=1, mid="m"), *between, said(2, tokens=9, mid="m")
        )
    )
    assert [e.usage.output_tokens for e in events if e.usage] == [9]
    assert log.flags == {}


def test_a_usage_that_comes_after_its_message_has_left_is_not_counted_again(tmp_path: Path) -> None:
    between = [line(n) for n in range(100, 500)]
    rows = [
        said(1, tokens=5, mid="m"),
        *between,
        said(2, tokens=5, mid="m"),
        said(3, tokens=9, mid="m"),
    ]
    events, _ = read(write(tmp_path / "a.jsonl", *rows))
    assert [e.usage.output_tokens for e in events if e.usage] == [5]


def test_a_message_in_two_files_is_counted_once(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", said(1, mid="m"))
    write(tmp_path / "b.jsonl", said(2, mid="m"))
    events, log = read(tmp_path)
    assert sum(1 for e in events if e.usage) == 1
    assert log.flags == {}


def test_a_message_that_is_named_like_a_record_is_another_thing(tmp_path: Path) -> None:
    write(
        tmp_path / "a.jsonl",
        {**said(1, mid="x1"), "uuid": "x1"},
        {**said(2, mid="x3"), "uuid": "x2"},
    )
    write(tmp_path / "b.jsonl", {**said(3, mid="x2"), "uuid": "x3"})
    events, log = read(tmp_path)
    assert [e.usage is not None for e in events] == [True, True, True]
    assert log.duplicate == 0


def test_a_resumed_copy_is_joined_and_its_records_are_duplicates(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", line(1), said(2))
    copied = [{**line(1), "sessionId": "s2"}, {**said(2), "sessionId": "s2"}]
    write(tmp_path / "b.jsonl", *copied, line(3, sessionId="s2", parentUuid="u2"))
    events, log = read(tmp_path)
    assert (log.used, log.duplicate) == (3, 2)
    assert {e.session_id for e in events} == {"s1"}


def test_a_continuation_joins_by_its_parent_and_strangers_do_not(tmp_path: Path) -> None:
    write(
        tmp_path / "a.jsonl",
        line(1),
        line(2, sessionId="s2", parentUuid="u1"),
        line(3, sessionId="s3"),
    )
    events, _ = read(tmp_path)
    assert [e.session_id for e in events] == ["s1", "s1", "s3"]


def test_subagents_belong_to_their_parent(tmp_path: Path) -> None:
    write(tmp_path / "s1.jsonl", line(1), line(2, isSidechain=True))
    write(tmp_path / "s1" / "subagents" / "agent-x.jsonl", line(3, isSidechain=True, agentId="x"))
    nested = {"type": "user", "uuid": "n1", "message": {"role": "user", "content": "go"}}
    data = {"type": "agent_progress", "agentId": "y", "message": nested}
    write(
        tmp_path / "t.jsonl",
        {
            "type": "progress",
            "uuid": "p",
            "sessionId": "s1",
            "timestamp": T.format(9),
            "data": data,
        },
    )
    events, _ = read(tmp_path)
    assert [e.session_id for e in events] == ["s1"] * 4
    assert sorted(e.thread or "" for e in events) == ["", "sidechain", "x", "y"]
    assert all(e.timestamp for e in events)


def test_a_subagent_told_by_file_and_by_progress_is_told_once(tmp_path: Path) -> None:
    nested = {**line(5), "isSidechain": True}
    data = {"type": "agent_progress", "agentId": "y", "message": nested}
    write(tmp_path / "s1.jsonl", {"type": "progress", "uuid": "p", "sessionId": "s1", "data": data})
    write(tmp_path / "z" / "agent-y.jsonl", line(5, isSidechain=True, agentId="y"))
    events, log = read(tmp_path)
    assert len(events) == 1
    assert log.duplicate == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Exit code 1\nmake: *** no rule", "process"),
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
            "rejected",
        ),
        ("This command requires approval", "refused"),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", "refused"),
        ("File has not been read yet. Read it first", "refused"),
        ("Permission to use Bash has been auto-denied in dontAsk mode.", "refused"),
        ("[Request interrupted by user for tool use]", "cancelled"),
        ("Exit code 137\n[Request interrupted by user for tool use]", "cancelled"),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "cancelled"),
        (
            [{"type": "text", "text": "The user doesn't want to take this action right now."}],
            "rejected",
        ),
    ],
)
def test_errors_by_kind(tmp_path: Path, text: Any, kind: str) -> None:
    events, _ = read(write(tmp_path / "a.jsonl", call(1), result(2, "t1", text, error=True)))
    assert events[1].error_kind == kind
    assert events[1].tool_name == "Bash"
    assert events[1].duration_ms == pytest.approx(1000.0)


def test_a_result_without_error_has_no_kind_unless_it_was_interrupted(tmp_path: Path) -> None:
    stopped = result(4, "t3", "partial")
    stopped["toolUseResult"] = {"stdout": "", "interrupted": True}
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join(
            json.dumps(r, separators=(",", ":"))
            for r in (call(1), result(2, "t1"), call(3), stopped)
        )
    )
    events, _ = read(path)
    assert [e.error_kind for e in events if e.role == "tool_result"] == [None, "cancelled"]


def test_compactions_are_boundaries_and_summaries_are_not(tmp_path: Path) -> None:
    boundary = {
        **line(2),
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "auto", "preTokens": 167094},
    }
    boundary.pop("message")
    summary = {"type": "summary", "summary": "what was done", "leafUuid": "u1"}
    path = write(
        tmp_path / "a.jsonl",
        summary,
        line(1),
        boundary,
        line(3, content="so far", isCompactSummary=True),
    )
    events, log = read(path)
    found = [e for e in events if e.lifecycle]
    assert [(e.lifecycle, e.metadata) for e in found] == [
        ("compaction", {"trigger": "auto", "preTokens": 167094})
    ]
    assert log.ignored == {"summary": 1}
    alone, _ = read(write(tmp_path / "b.jsonl", line(8, content="so far", isCompactSummary=True)))
    assert [e.lifecycle for e in alone] == ["compaction", None]


def test_clear_resume_model_and_client(tmp_path: Path) -> None:
    clear = line(
        1, content="<command-name>/clear</command-name>\n<command-message>clear</command-message>"
    )
    path_like = line(2, content="look at src/new/parser.py and /clear the table")
    hook = {"type": "progress", "uuid": "h", "sessionId": "s1", "timestamp": T.format(3)}
    hook["data"] = {"type": "hook_progress", "hookName": "SessionStart:resume"}  # type: ignore[assignment]
    other = said(5, version="2.2.0")
    other["message"]["model"] = "haiku"
    events, _ = read(
        write(tmp_path / "a.jsonl", clear, path_like, hook, {**hook, "uuid": "h2"}, said(4), other)
    )
    assert [e.lifecycle for e in events if e.lifecycle] == [
        "clear",
        "resume",
        "client_change",
        "model_change",
    ]
    assert events[1].role == "user"
    assert events[-1].client == "2.2.0"
    assert next(e.metadata for e in events if e.lifecycle == "model_change") == {
        "from": "opus",
        "to": "haiku",
    }


def test_what_the_client_writes_in_the_users_name_is_no_prompt(tmp_path: Path) -> None:
    texts = [
        "<local-command-stdout>x</local-command-stdout>",
        "[Request interrupted by user]",
        "<bash-input>ls</bash-input>",
    ]
    records = [line(n, content=text) for n, text in enumerate(texts)]
    events, _ = read(
        write(tmp_path / "a.jsonl", *records, line(9, content="a note", isMeta=True), line(10))
    )
    assert [e.role for e in events] == ["meta"] * 4 + ["user"]


def test_odd_lines_cost_themselves_only(tmp_path: Path) -> None:
    two = json.dumps(line(1)) + json.dumps(line(2))
    deep = '{"type":"user","message":' + "[" * 100_000 + "]" * 100_000 + "}"
    long = json.dumps(line(3, content="x" * 10_000_000))
    numbers = {**line(4), "sessionId": 7, "timestamp": 1767323045500, "isSidechain": "no"}
    strange = line(
        5,
        "assistant",
        ["text", {"type": "text", "text": 5}, 9],
        usage={"output_tokens": "many"},
        id=3,
    )
    path = tmp_path / "a.jsonl"
    rows = [
        "// a comment",
        "",
        two,
        deep,
        long,
        json.dumps(numbers),
        json.dumps(strange),
        "3",
        '"x"',
        "[]",
        '{"a":1}',
    ]
    bad = [
        b'{"type":"user","message":{"content":"\xff\xfe"}}',
        b"\x00\x00\x00",
        b'{"type": "user", "uu',
    ]
    path.write_bytes(b"\n".join([row.encode() for row in rows] + bad))
    events, log = read(path)
    assert [e.source.line for e in events if e.source] == [3, 3, 5, 6, 7, 7]
    assert log.ignored == {"comment": 1}
    assert [p.line for p in log.malformed] == [4, 8, 9, 10, 11, 12, 13, 14]
    assert log.malformed[-1].reason.startswith("torn last line")
    assert events[3].session_id == "7"
    assert events[3].timestamp == pytest.approx(1767323045.5)
    assert total(log) == 14


def test_a_line_that_is_too_long_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "agingbench.traces.decoding.sources",
        "agingbench.traces.formats.claude_code.format",
    ):
        monkeypatch.setattr(f"{module}.LONGEST_LINE", 1000)
    path = write(tmp_path / "a.jsonl", line(1), line(2, content="x" * 5000), line(3))
    events, log = read(path)
    assert [e.source.line for e in events if e.source] == [1, 3]
    assert [(p.line, p.reason[:16]) for p in log.malformed] == [(2, "line longer than")]


@pytest.mark.parametrize(
    ("stamp", "time", "flag"),
    [
        ("2026-01-02T03:04:05.500Z", 1767323045.5, None),
        ("2026-01-02T03:04:05Z", 1767323045.0, None),
        ("2026-01-02T04:04:05.500+01:00", 1767323045.5, None),
        ("2026-01-02T03:04:05.500", 1767323045.5, "time_without_zone"),
        ("2026-01-02T03:99:05.500Z", None, "time_unreadable"),
        ("2026-01-02T03:04:xx.500Z", None, "time_unreadable"),
        (None, None, "time_missing"),
        ("54000000-01-02T03:04:05.500Z", None, "time_unreadable"),
        (1.7e24, None, "time_absurd"),
    ],
)
def test_times(tmp_path: Path, stamp: Any, time: float | None, flag: str | None) -> None:
    events, log = read(write(tmp_path / "a.jsonl", line(1), {**line(2), "timestamp": stamp}))
    assert events[1].timestamp == time
    assert log.flags == ({flag: 1} if flag else {})


def test_a_growing_file_and_an_empty_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line(1))
    with path.open("a") as file:
        file.write(json.dumps(line(2))[:40])
    (tmp_path / "b.jsonl").touch()
    events, log = read(path)
    assert len(events) == 1
    assert log.n_malformed == 1
    everything = ReadLog()
    list(read_events(tmp_path, log=everything))
    assert everything.ignored == {"empty_file": 1}


def test_the_web_export_is_one_document(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"loglines": [line(1), call(2), result(3, "t2")]}, indent=2))
    assert sniff(path) == "claude_code"
    events, log = read(path)
    assert [e.role for e in events] == ["user", "tool_call", "tool_result"]
    assert total(log) == 3


def test_a_path_in_a_session_id_stays_a_name(tmp_path: Path) -> None:
    events, _ = read(write(tmp_path / "a.jsonl", line(1, sessionId="../../etc/passwd")))
    assert events[0].session_id == "../../etc/passwd"
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
