"""All real traces are read, every record accounted for, and the counts agree with a second, plain
way of counting.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agingbench.records import Event, ReadLog
from agingbench.traces.reading import read_events
from tests.places import TRACES

DATA = TRACES
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="real traces are not beside the repository (shared/data)"
)

# Hand-made files beside the real projects of claude-code-log give one uuid to different records.
CLAUDE = (
    "entireio_cli",
    "iansherr_claude-code-log/test/test_data/real_projects",
    "m-thisness_m-claude",
    "moredip_session-share",
)
SETS = (
    sorted(str(p.relative_to(DATA)) for p in DATA.glob("*/*") if p.is_dir())
    if DATA.is_dir()
    else []
)


@functools.lru_cache(maxsize=8)
def read(folder: Path) -> tuple[list[Event], ReadLog]:
    log = ReadLog()
    return list(read_events(folder, log=log)), log


@pytest.mark.parametrize("name", SETS)
def test_every_set_is_read(name: str) -> None:
    events, log = read(DATA / name)
    accounted = log.used + log.duplicate + log.n_malformed + sum(log.ignored.values())
    assert accounted > 0
    assert bool(events) == bool(log.used)
    for event in events[:2000]:
        assert event.session_id
        assert event.source is not None
        assert event.source.file.startswith(str(DATA))
    for problem in log.malformed:
        assert problem.file.startswith(str(DATA))
        assert problem.reason
        if problem.file.endswith(".jsonl"):
            assert problem.line


# -------------------------------------------------- a second way: everything in memory, plain json,
# sets of ids


@functools.lru_cache(maxsize=8)
def objects(folder: Path) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder()
    found = []
    for file in sorted(folder.rglob("*.jsonl")):
        for line in file.read_text(errors="surrogateescape").split("\n"):
            text = line.strip()
            while text.startswith("{"):
                try:
                    value, end = decoder.raw_decode(text)
                except ValueError:
                    break
                found.append(value)
                text = text[end:].strip()
    return found


def messages(folder: Path) -> Iterator[dict[str, Any]]:
    """User and assistant records, those of subagents inside progress records too."""
    for value in objects(folder):
        inner = value.get("data") if value.get("type") == "progress" else None
        if isinstance(inner, dict) and inner.get("type") == "agent_progress":
            yield {**inner["message"], "sessionId": value["sessionId"], "nested": True}
        elif value.get("type") in ("user", "assistant") and isinstance(value.get("message"), dict):
            yield value


def blocks(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    for record in messages(folder):
        content = record["message"].get("content")
        for block in content if isinstance(content, list) else []:
            if isinstance(block, dict) and block.get("type") == kind:
                yield block


def sessions(folder: Path) -> int:
    """Connected components of session ids that share a record, or where one continues a record of
    the other.
    """
    written = [
        v for v in objects(folder) if v.get("subtype") in ("local_command", "compact_boundary")
    ]
    records = [r for r in [*messages(folder), *written] if r.get("sessionId")]
    owners: dict[str, set[str]] = {}
    for record in records:
        owners.setdefault(record.get("uuid", ""), set()).add(record["sessionId"])
    names = {r["sessionId"] for r in records}
    near: dict[str, set[str]] = {name: {name} for name in names}
    for record in records:
        if record.get("isSidechain") or "nested" in record:
            continue
        linked = owners.get(record.get("parentUuid") or "none", set()) | owners.get(
            record.get("uuid", ""), set()
        )
        for other in linked if record.get("uuid") else ():
            near[record["sessionId"]].add(other)
            near[other].add(record["sessionId"])
    left = set(names)
    found = 0
    while left:
        found += 1
        open_ = [left.pop()]
        while open_:
            new = near[open_.pop()] & left
            left -= new
            open_ += new
    return found


@pytest.mark.parametrize("name", CLAUDE)
def test_claude_code_counts_agree(name: str) -> None:
    folder = DATA / "claude_code" / name
    events, _ = read(folder)
    assert {e.model for e in events if e.model} == {
        r["message"]["model"]
        for r in messages(folder)
        if r["message"].get("model") not in (None, "<synthetic>")
    }
    calls = {b["id"] for kind in ("tool_use", "server_tool_use") for b in blocks(folder, kind)}
    assert {e.tool_call_id for e in events if e.role == "tool_call"} == calls
    boundaries = {v["uuid"] for v in objects(folder) if v.get("subtype") == "compact_boundary"}
    assert sum(e.lifecycle == "compaction" for e in events) == len(boundaries)
    assert len({e.session_id for e in events}) == sessions(folder)


@pytest.mark.parametrize("name", CLAUDE)
def test_tool_errors_by_kind_agree(name: str) -> None:
    folder = DATA / "claude_code" / name
    said: dict[str, str] = {}
    for block in blocks(folder, "tool_result"):
        if block.get("is_error"):
            content = block.get("content")
            text = (
                content
                if isinstance(content, str)
                else " ".join(str(p.get("text")) for p in content or [])
            )
            said.setdefault(block["tool_use_id"], text)
    rejected = {
        i for i, t in said.items() if re.search(r"user doesn't want to|stay in plan mode", t[:200])
    }
    stopped = {
        i
        for i, t in said.items()
        if re.search(r"interrupted by user|[Ss]ibling tool call", t[:200])
    }
    cancelled = stopped - rejected
    gate = (
        r"requires approval|requested permissions|auto-denied|For security,"
        r" Claude|<tool_use_error>|not been read yet"
        r"|matches of the string to replace|exceeds maximum allowed tokens|^Agent type|contains"
        r" multiple operations"
        r"|Permission (?:for|to)|String to replace not found|File does not exist|denied by|modified"
        r" since read"
        r"|No such tool|InputValidationError|Path does not exist"
    )
    refused = {i for i, t in said.items() if re.search(gate, t[:400])} - rejected - cancelled
    events, _ = read(folder)
    errors = {
        e.tool_call_id: e.error_kind for e in events if e.error_kind and e.tool_call_id in said
    }
    found = Counter(errors.values())
    assert found["rejected"] == len(rejected)
    assert found["cancelled"] == len(cancelled)
    assert found["refused"] == len(refused)
    assert found["process"] == len(said) - len(rejected) - len(cancelled) - len(refused)


COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@pytest.mark.parametrize("name", CLAUDE)
def test_tokens_are_counted_once_per_message(name: str) -> None:
    folder = DATA / "claude_code" / name
    most: dict[str, list[int]] = {}
    naive = [0, 0, 0, 0]
    for record in messages(folder):
        message = record["message"]
        given = message.get("usage")
        if record.get("type") == "assistant" and message.get("model") != "<synthetic>" and given:
            counts = [given.get(key) or 0 for key in COUNTS]
            naive = [a + b for a, b in zip(naive, counts, strict=True)]
            known = most.setdefault(message["id"], [0, 0, 0, 0])
            most[message["id"]] = [max(a, b) for a, b in zip(known, counts, strict=True)]
    events, _ = read(folder)
    spent = [e.usage for e in events if e.usage]
    ours = [
        sum(u.input_tokens or 0 for u in spent),
        sum(u.output_tokens or 0 for u in spent),
        sum(u.cache_read_tokens or 0 for u in spent),
        sum(u.cache_write_tokens or 0 for u in spent),
    ]
    print(f"{name}: naive {naive}, ours {ours}, naive over ours {sum(naive) / sum(ours):.2f}")
    assert ours == [sum(column) for column in zip(*most.values(), strict=True)]
    assert len(spent) == len(most)
    assert sum(naive) > 1.2 * sum(ours)


def test_malformed_lines_are_told_with_file_and_line() -> None:
    folder = DATA / "claude_code" / "m-thisness_m-claude"
    expected = set()
    for file in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
            if line.strip():
                try:
                    json.loads(line)
                except ValueError:
                    expected.add((str(file), number))
    _, log = read(folder)
    assert len(expected) == 344
    assert {(p.file, p.line) for p in log.malformed} == expected


def n_records(line: bytes) -> int:
    """Two objects on one line are two records, and a broken line is one."""
    glued = line.decode(errors="replace").replace("}{", "}\n{").split("\n")
    try:
        return len([json.loads(part) for part in glued])
    except ValueError:
        return 1


@pytest.mark.parametrize("name", CLAUDE)
def test_no_record_vanishes(name: str) -> None:
    folder = DATA / "claude_code" / name
    files = [f for f in folder.rglob("*.jsonl") if f.stat().st_size]
    expected = sum(
        n_records(line) for f in files for line in f.read_bytes().split(b"\n") if line.strip()
    )
    _, log = read(folder)
    aside = sum(
        n for kind, n in log.ignored.items() if kind.startswith(("not_a_trace", "empty_file"))
    )
    assert (
        log.used + log.duplicate + log.n_malformed + sum(log.ignored.values()) - aside == expected
    )


# ----------------------------------------------------------------------------------------------------
# Codex


CODEX = ("jdx_communique", "jdx_mise", "monotoba_openprintkit")


@pytest.mark.parametrize("name", CODEX)
def test_codex_counts_agree(name: str) -> None:
    folder = DATA / "codex" / name
    records = [v for v in objects(folder) if "payload" in v]
    events, log = read(folder)
    items = [v["payload"] for v in records if v["type"] == "response_item"]
    calls = ("function_call", "custom_tool_call", "tool_search_call", "web_search_call")
    called = [p for p in items if p["type"] in calls]
    assert sum(e.role == "tool_call" for e in events) == len(called)
    assert sum(e.lifecycle == "compaction" for e in events) == sum(
        v["type"] == "compacted" for v in records
    )
    models = {v["payload"]["model"] for v in records if v["type"] == "turn_context"}
    assert {e.model for e in events if e.model} == models
    firsts = {v["payload"]["id"] for v in records if v["type"] == "session_meta"}
    assert {e.session_id for e in events} == firsts
    assert log.used + log.duplicate + log.n_malformed + sum(
        n for kind, n in log.ignored.items() if not kind.startswith("not_a_trace")
    ) == len(records)


@pytest.mark.parametrize("name", CODEX)
def test_codex_totals_are_the_last_total_of_each_rollout(name: str) -> None:
    """Totals run over a rollout, so that of its last count is the whole; the naive sum is many
    times that.
    """
    folder = DATA / "codex" / name
    expected = 0
    naive = 0
    for file in sorted(folder.rglob("*.jsonl")):
        totals = re.findall(r'"total_token_usage":\{"input_tokens":(\d+)', file.read_text())
        expected += int(totals[-1]) if totals else 0
        naive += sum(map(int, totals))
    events, _ = read(folder)
    spent = [e.usage for e in events if e.usage]
    assert sum((u.input_tokens or 0) + (u.cache_read_tokens or 0) for u in spent) == expected
    assert naive > 5 * expected > 0


@pytest.mark.parametrize("name", CODEX)
def test_codex_texts_are_told_once(name: str) -> None:
    folder = DATA / "codex" / name
    said = [
        v["payload"]
        for v in objects(folder)
        if v.get("type") == "response_item" and v["payload"].get("type") == "message"
    ]
    events, _ = read(folder)
    told = sum(e.role == "assistant" and e.call_type is None for e in events)
    assert told == sum(p["role"] == "assistant" for p in said)


TRAIL = sorted(
    path for path in (DATA / "otlp" / "patronus_trail").glob("*.json") if "annot" not in path.name
)


def _declared_and_run(span: dict[str, Any]) -> Iterator[tuple[bool, str, str]]:
    """The calls that model spans declare and that tool spans ran: which, name, first argument."""
    attributes = span.get("span_attributes") or {}
    for key, value in attributes.items():
        if key.startswith("llm.output_messages") and key.endswith("tool_call.function.name"):
            given = json.loads(attributes[key.removesuffix("name") + "arguments"])
            yield True, value, str(next(iter(given.values())))
    if attributes.get("openinference.span.kind") == "TOOL":
        given = json.loads(attributes["input.value"])
        values = [*given["kwargs"].values(), *given["args"]]
        yield False, attributes["tool.name"], str(values[0])
    for child in span.get("child_spans", []):
        yield from _declared_and_run(child)


@pytest.mark.skipif(not TRAIL, reason="the traces of TRAIL are not in ../shared/data")
@pytest.mark.parametrize("path", TRAIL, ids=lambda path: path.stem[:8])
def test_a_call_that_a_model_and_a_tool_span_tell_is_one_call(path: Path) -> None:
    """What a model declares and a tool span runs is one call; either may stand alone."""
    told = [
        row for span in json.loads(path.read_text())["spans"] for row in _declared_and_run(span)
    ]
    declared = Counter((name, given) for by_model, name, given in told if by_model)
    run = Counter((name, given) for by_model, name, given in told if not by_model)
    expected = (declared | run).total()  # per name and argument the larger of the two

    events, _ = read(path)
    assert sum(event.role == "tool_call" for event in events) == expected > 0
    assert declared.total() + run.total() > expected or not declared
