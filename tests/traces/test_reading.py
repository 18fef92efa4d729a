"""Finding, sniffing and grouping traces: folders, links, gzip, labels that lie, formats of one's
own.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError, UnknownName
from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.decoding.times import seconds
from agingbench.traces.formats import FORMATS
from agingbench.traces.formats.generic import Generic
from agingbench.traces.reading import (
    all_formats,
    groups,
    read_events,
    read_files,
    sniff,
    trace_files,
)
from agingbench.traces.tracefiles import TraceFile

GENERIC = {"session_id": "g", "role": "user", "content": "hi", "timestamp": 1767323045}
CODEX = {
    "timestamp": "2026-01-02T03:04:05Z",
    "type": "session_meta",
    "payload": {"id": "c", "cwd": "/work/one"},
}
GEMINI = {
    "sessionId": "z",
    "projectHash": "p",
    "messages": [{"id": "1", "type": "user", "content": "hi"}],
}


def claude(n: int, session: str = "s") -> dict[str, Any]:
    message = {"role": "user", "content": "hi"}
    return {"type": "user", "uuid": f"{session}{n}", "sessionId": session, "message": message}


def put(path: Path, *values: Any, indent: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(value, indent=indent) for value in values))
    return path


def test_labels_lie_and_content_decides(tmp_path: Path) -> None:
    assert sniff(put(tmp_path / "gemini.jsonl", GEMINI, indent=2)) == "gemini_cli"
    assert sniff(put(tmp_path / "a.txt", claude(1))) == "claude_code"
    assert sniff(put(tmp_path / "claude.json", CODEX)) == "codex"
    assert sniff(put(tmp_path / "x", GENERIC)) == "generic"


def test_what_is_no_trace_is_told(tmp_path: Path) -> None:
    path = put(tmp_path / "notes.json", {"name": "x", "version": 1})
    with pytest.raises(InputError, match=r"notes\.json: no known trace format .*claude_code"):
        sniff(path)
    with pytest.raises(InputError, match="no known trace format"):
        list(read_events(path))
    with pytest.raises(InputError, match="no such file or folder"):
        read_events(tmp_path / "none")
    with pytest.raises(UnknownName, match="did you mean claude_code"):
        read_events(path, "claude-code")


def test_a_pipe_that_is_named_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for look in (sniff, read_events, groups):
        with pytest.raises(InputError, match="neither a file nor a folder"):
            look(tmp_path / "pipe.jsonl")


def test_folders_are_walked_completely(tmp_path: Path) -> None:
    put(tmp_path / "b" / "2.jsonl", claude(2, "b"))
    put(tmp_path / ".hidden" / "deep" / "1.jsonl", claude(1, "a"))
    put(tmp_path / "readme.md", "words")
    (tmp_path / "LICENSE").write_text("words")
    (tmp_path / "c.jsonl").touch()
    outside = put(tmp_path.parent / f"{tmp_path.name}-outside" / "3.jsonl", claude(3, "x"))
    (tmp_path / "link.jsonl").symlink_to(outside)
    (tmp_path / "linked").symlink_to(outside.parent)
    log = ReadLog()
    events = list(read_events(tmp_path, log=log))
    assert [e.session_id for e in events] == ["a", "b"]
    assert log.ignored == {"not_a_trace:LICENSE": 1, "not_a_trace:.md": 1, "empty_file": 1}
    assert [f.path.name for f in trace_files(tmp_path)] == [
        "LICENSE",
        "c.jsonl",
        "readme.md",
        "1.jsonl",
        "2.jsonl",
    ]


def test_gzip_and_broken_gzip(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(json.dumps(claude(n)) for n in range(5000)).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    assert sum(1 for _ in read_events(tmp_path / "a.jsonl.gz")) == 5000
    half = b"\n".join(
        json.dumps({**claude(n), "pad": str(n * 7919) * 40}).encode() for n in range(5000)
    )
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(half)[:-3000])
    log = ReadLog()
    assert 0 < sum(1 for _ in read_events(tmp_path / "b.jsonl.gz", log=log)) < 5000
    assert log.malformed[-1].reason.startswith("cannot be read on")


def test_a_fleet_has_one_group_per_project(tmp_path: Path) -> None:
    put(tmp_path / "-home-me-one" / "a.jsonl", claude(1, "a"))
    put(tmp_path / "-home-me-one" / "a" / "subagents" / "agent-1.jsonl", claude(2, "a"))
    put(tmp_path / "-home-me-two" / "b.jsonl", claude(1, "b"))
    put(tmp_path / "-home-me-two" / "notes.md", "x")
    found = groups(tmp_path)
    assert [(g.name, len(g.files)) for g in found] == [("-home-me-one", 2), ("-home-me-two", 2)]
    assert {e.session_id for e in read_files(found[1].files)} == {"b"}
    alone = groups(tmp_path / "-home-me-one")
    assert [(g.name, g.path, len(g.files)) for g in alone] == [
        ("-home-me-one", tmp_path / "-home-me-one", 2)
    ]


def test_codex_sessions_are_grouped_by_working_directory(tmp_path: Path) -> None:
    other = {**CODEX, "payload": {"id": "d", "cwd": "/work/two"}}
    put(tmp_path / "2026" / "01" / "a.jsonl", CODEX)
    put(tmp_path / "2026" / "02" / "b.jsonl", other)
    put(tmp_path / "2026" / "03" / "c.jsonl", {**CODEX, "payload": {"id": "e", "cwd": "/work/one"}})
    assert [(g.name, len(g.files)) for g in groups(tmp_path)] == [
        ("/work/one", 2),
        ("/work/two", 1),
    ]


def test_other_formats_are_one_group(tmp_path: Path) -> None:
    put(tmp_path / "x" / "a.jsonl", GENERIC)
    put(tmp_path / "y" / "b.jsonl", GENERIC)
    assert [(g.name, len(g.files)) for g in groups(tmp_path)] == [(tmp_path.name, 2)]
    (tmp_path / "empty").mkdir()
    assert groups(tmp_path / "empty") == []


def test_every_format_says_what_it_is() -> None:
    log = ReadLog()
    formats = all_formats(log)
    assert [f.name for f in formats] == FORMATS.names()
    assert log.flags == {}
    for format in formats:
        assert format.status in ("verified", "reference")
        assert format.recipe
        assert format.sniff(b"") == 0.0
        assert format.sniff(b"\x00\xff" * 50) == 0.0
        assert format.sniff(b"[" * 70_000) == 0.0


def test_no_format_breaks_on_what_is_not_its_own(tmp_path: Path) -> None:
    """Hostile values through every reader: whatever happens is in the log, never an exception."""
    values: list[Any] = [
        1,
        None,
        "x",
        [],
        {},
        [[]],
        {"a": {"b": [1, {"c": None}]}},
        {"messages": [1, {"role": 3}]},
    ]
    values += [
        {"payload": {"type": 3}, "type": "response_item"},
        {"trajectory": [3]},
        {"spans": [3, {"span_id": 3}]},
    ]
    values += [
        {"observations": [{"id": 3, "type": 3}]},
        {"post": [3], "patch": [{"id": []}]},
        {"history": [[], {}]},
    ]
    values += [
        {"kind": "ActionEvent", "action": [], "timestamp": []},
        {"resourceSpans": [{"scopeSpans": [{"spans": [1]}]}]},
    ]
    values += [
        {"sessionID": [], "messageID": {}, "type": "tool"},
        {"object": "thread.run.step", "step_details": 3},
    ]
    values += [
        {"type": "message", "message": {"role": "assistant", "content": 3, "usage": 3}},
        {"role": {}, "content": {}},
    ]
    path = put(tmp_path / "a.jsonl", *values)
    for name in FORMATS.names():
        log = ReadLog()
        events = list(read_events(path, name, log))
        assert all(isinstance(event, Event) for event in events)
        assert log.used + log.duplicate + log.n_malformed + sum(log.ignored.values()) > 0, name


def test_opening_completes_what_was_cut_off() -> None:
    text = json.dumps({"a": 1, "b": [{"c": "x, y] {"}, {"d": "z" * 5000}]}, indent=1).encode()
    assert first_values(text[:60]) == ({"a": 1, "b": [{"c": "x, y] {"}]},)
    assert first_values(b'[{"a": 1},\n {"b": 2},\n {"c"') == ({"a": 1}, {"b": 2})
    assert first_values(b'// x\n{"a": 1}\n{"b"') == ({"a": 1},)
    assert first_values(b"\xef\xbb\xbf" + b'{"a": 1}') == ({"a": 1},)
    assert first_values(b"not json at all") == ()


def test_records_of_lines_and_documents(tmp_path: Path) -> None:
    def read(data: bytes) -> tuple[list[Any], ReadLog]:
        path = tmp_path / "x"
        path.write_bytes(data)
        log = ReadLog()
        with path.open("rb") as stream:
            return list(records(stream, log)), log

    assert read(b"")[0] == []
    assert read(b'\n{"a":1}\n\n{"b":2} {"c":3}\n')[0] == [
        (2, {"a": 1}),
        (4, {"b": 2}),
        (4, {"c": 3}),
    ]
    assert read(b'[1,\n {"a": 2}]')[0] == [(None, 1), (None, {"a": 2})]
    assert read(b'{\n "a": 1\n}\n')[0] == [(None, {"a": 1})]
    found, log = read(b'{"a":1}\n{"b":\n{"c":3}\n')
    assert found == [(1, {"a": 1}), (3, {"c": 3})]
    assert [(p.line, p.reason[:8]) for p in log.malformed] == [(2, "not JSON")]
    assert read(b'{\n "a": 1')[1].n_malformed == 1


@pytest.mark.parametrize(
    ("value", "expected", "flag"),
    [
        (1767323045, 1767323045.0, None),
        (1767323045.25, 1767323045.25, None),
        (1767323045250, 1767323045.25, None),
        (1767323045250000, 1767323045.25, None),
        (1767323045250000000, 1767323045.25, None),
        ("1767323045250000000", 1767323045.25, None),
        ("2026-01-02T03:04:05.250Z", 1767323045.25, None),
        ("2026-01-02T03:04:05.250123456+00:00", 1767323045.250123, None),
        ("2026-01-02 03:04:05", 1767323045.0, "time_without_zone"),
        (None, None, "time_missing"),
        ("", None, "time_missing"),
        ("yesterday", None, "time_unreadable"),
        ([], None, "time_unreadable"),
        (float("nan"), None, "time_unreadable"),
        (float("inf"), None, "time_unreadable"),
        (1.7e27, None, "time_absurd"),
        (-5, None, "time_absurd"),
        ("9" * 400, None, "time_unreadable"),
        (10**400, None, "time_unreadable"),
        (True, None, "time_missing"),
    ],
)
def test_times_in_any_unit(value: Any, expected: float | None, flag: str | None) -> None:
    log = ReadLog()
    found = seconds(value, log)
    assert found == pytest.approx(expected, abs=1e-5) if expected is not None else found is None
    assert log.flags == ({flag: 1} if flag else {})


def test_names_that_are_not_text_and_files_that_are_none(tmp_path: Path) -> None:
    odd = os.fsdecode(b"a\xff\n.jsonl")
    (tmp_path / odd).write_text(json.dumps(claude(1)))
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    log = ReadLog()
    events = list(read_events(tmp_path, log=log))
    assert len(events) == 1
    assert events[0].source is not None
    events[0].source.file.encode()
    assert json.dumps([g.name for g in groups(tmp_path)], ensure_ascii=False).encode()
    assert log.ignored == {}


def test_a_file_that_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a.jsonl", claude(1, "a"))
    put(tmp_path / "b.jsonl", claude(1, "b"))
    whole = TraceFile.open

    def refuse(self: TraceFile) -> Any:
        if self.path.name == "a.jsonl":
            raise PermissionError(13, "Permission denied")
        return whole(self)

    monkeypatch.setattr(TraceFile, "open", refuse)
    log = ReadLog()
    assert [e.session_id for e in read_events(tmp_path, log=log)] == ["b"]
    assert [(p.file, p.reason) for p in log.malformed] == [
        (str(tmp_path / "a.jsonl"), "cannot be read on: Permission denied")
    ]


@pytest.mark.parametrize("name", FORMATS.names())
def test_deep_nesting_costs_its_record(tmp_path: Path, name: str) -> None:
    """Within the limit it is walked, beyond it is malformed; JSON in a string is as hostile as
    JSON.
    """
    shapes = [
        '{"session_id":"s","role":"user","content":@}',
        '{"session_id":"s","role":"agent","tool_calls":[{"name":"x","arguments":@}]}',
        '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":@}}',
        '{"type":"response_item","payload":{"type":"message","role":"user","content":@}}',
        '{"id":"a","traceId":"t","type":"GENERATION","startTime":"x","input":@}',
        '{"id":"b","run_type":"llm","inputs":{"messages":@}}',
        '{"spanId":"c","attributes":{"gen_ai.operation.name":"chat","gen_ai.input.messages":@}}',
        '{"kind":"MessageEvent","source":"agent","llm_message":{"content":@}}',
        '{"type":"message","message":{"role":"user","content":@}}',
        '{"history":[{"role":"user","content":@}]}',
    ]
    rows = []
    for deep in (
        "[" * 280 + "]" * 280,
        '{"content":' * 280 + "1" + "}" * 280,
        "[" * 900 + "]" * 900,
    ):
        for inner in (deep, json.dumps(deep)):
            rows += [shape.replace("@", inner) for shape in shapes]
    path = tmp_path / "a.jsonl"
    log = ReadLog()
    path.write_text("\n".join(rows))
    list(read_events(path, name, log))
    assert log.used + log.duplicate + log.n_malformed + sum(log.ignored.values()) >= len(rows) - 2


def test_every_file_is_sniffed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the groups of a fleet to the events, nobody looks at the head of a file again."""
    put(tmp_path / "one" / "a.jsonl", claude(1, "a"))
    put(tmp_path / "two" / "b.jsonl", claude(1, "b"))
    heads: list[bytes] = []
    whole = Generic.sniff

    def count(self: Generic, head: bytes) -> float:
        heads.append(head)
        return whole(self, head)

    monkeypatch.setattr(Generic, "sniff", count)
    members = groups(tmp_path)
    assert [file.format.name for g in members for file in g.files if file.format] == [
        "claude_code",
        "claude_code",
    ]
    assert sum(1 for member in members for _ in read_files(member.files)) == 2
    assert len(heads) == 2


def test_files_are_read_as_they_were_begun_whatever_they_are_called(tmp_path: Path) -> None:
    times = {"c": "2026-03-01T08:00:00Z", "a": "2026-03-02T08:00:00Z", "b": "2026-03-01T09:00:00Z"}
    for name, time in times.items():
        message = {"role": "user", "content": f"written 2020-01-01T00:00:00Z in {name}"}
        record = {
            "type": "user",
            "message": message,
            "uuid": name,
            "sessionId": name,
            "timestamp": time,
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")

    assert [event.session_id for event in read_events(tmp_path)] == ["c", "b", "a"]
    (group,) = groups(tmp_path)
    assert [event.session_id for event in read_files(group.files)] == ["c", "b", "a"]


def test_files_without_a_time_come_last_by_their_names(tmp_path: Path) -> None:
    for name, time in {"b": None, "a": None, "c": "2026-03-01T08:00:00Z"}.items():
        record = {"type": "user", "message": {"role": "user", "content": "go"}, "sessionId": name}
        if time is not None:
            record["timestamp"] = time
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")

    assert [event.session_id for event in read_events(tmp_path)] == ["c", "a", "b"]
    assert [event.session_id for event in read_events(tmp_path, "claude_code")] == ["c", "a", "b"]
