"""Tests of our trace file: encoding, the writer, and the tolerant reader."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import InputError, StorageError
from agingbench.records import ROLES, Event, Source, Usage
from agingbench.traces.decoding.pairing import pair_calls
from agingbench.traces.trajectory import (
    BadEvent,
    Diagnostic,
    TraceWriter,
    decode_event,
    encode_event,
    iter_trace,
    read_trace,
)
from tests.places import TRIALS

HEADER = b'{"version":1,"format":"aec-bench-trajectory"}\n'
REAL_RUNS = TRIALS

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
json_values = st.recursive(
    st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(text, inner | st.none(), max_size=3)
    ),
    max_leaves=6,
)
counts = st.none() | st.integers(0, 10**9)
usages = st.builds(Usage, input_tokens=counts, output_tokens=counts, calls=st.integers(0, 5))
known_names = [f for f in Event.__struct_fields__ if f != "extra"]
events = st.builds(
    Event,
    step=st.integers(0, 10**6),
    role=st.sampled_from(ROLES),
    content=st.none() | text,
    arguments=st.none() | json_values,
    stdout=st.none() | text,
    exit_code=st.none() | st.integers(-128, 255),
    duration_ms=st.none() | st.floats(0, 1e9),
    metadata=st.none() | st.dictionaries(text, json_values, max_size=3),
    session=counts,
    tool_call_id=st.none() | text,
    usage=st.none() | usages,
    source=st.none() | st.builds(Source, file=text, line=counts),
    extra=st.dictionaries(
        text.filter(lambda k: k not in known_names), st.none() | json_values, max_size=3
    ),
)


def trace(tmp_path: Path, *lines: bytes, header: bytes = HEADER) -> Path:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(header + b"".join(lines))
    return path


def line(content: str, step: int = 0) -> bytes:
    return encode_event(Event(step=step, role="user", content=content)) + b"\n"


def contents(path: Path) -> list[str | None]:
    return [e.content for e in read_trace(path).events]


# ------------------------------------------------------------------------------------------- one
# event, one line


@given(events)
def test_an_event_survives_the_file(event: Event) -> None:
    encoded = encode_event(event)
    assert b"\n" not in encoded
    assert decode_event(json.loads(encoded)) == event


def test_only_what_is_set_is_written() -> None:
    assert encode_event(Event(step=0, role="meta")) == b'{"step":0,"role":"meta"}'


def test_unknown_keys_are_written_back_unchanged() -> None:
    obj = {
        "step": 1,
        "role": "user",
        "extra": {"a": None},
        "seen": None,
        "usage": {"input_tokens": 3, "tier": "x"},
    }
    event = decode_event(obj)
    assert event.usage == Usage(input_tokens=3)
    assert json.loads(encode_event(event)) == obj


def test_an_odd_field_is_kept_but_told() -> None:
    obj = {"step": 1, "role": "tool_result", "exit_code": "0", "stdout": "ok"}
    with pytest.raises(BadEvent, match="exit_code"):
        decode_event(obj)
    odd: list[str] = []
    event = decode_event(obj, odd.append)
    assert (event.exit_code, event.extra, event.stdout) == (None, {"exit_code": "0"}, "ok")
    assert odd[0].startswith("exit_code: Expected `int | null`, got `str`")
    assert json.loads(encode_event(event)) == obj


@pytest.mark.parametrize("step", [None, -1, "1", True, 1.0])
def test_no_event_without_a_step(step: Any) -> None:
    with pytest.raises(BadEvent, match="step is"):
        decode_event({"step": step, "role": "user"}, lambda _: None)


@pytest.mark.parametrize("role", [None, "", "tool", 3, ["user"]])
def test_no_event_without_a_known_role(role: Any) -> None:
    with pytest.raises(BadEvent, match=r"role is .* known roles: system, user"):
        decode_event({"step": 0, "role": role}, lambda _: None)


def test_what_json_cannot_hold_is_mended() -> None:
    event = Event(
        step=0,
        role="tool_result",
        stdout="a\udcffb\ud83d\ude00",
        duration_ms=math.nan,
        extra={"\ud800": []},
    )
    assert json.loads(encode_event(event)) == {
        "step": 0,
        "role": "tool_result",
        "stdout": "a\ufffdb😀",
        "duration_ms": None,
        "\ufffd": [],
    }


# -------------------------------------------------------------------------------------------------------
# writing


def test_a_new_file_begins_with_the_header(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.append(Event(step=0, role="user", content="a\u2028b\u0085c"))
        assert path.read_bytes() == HEADER + line(
            "a\u2028b\u0085c"
        )  # flushed before the file is closed
    reading = read_trace(path, strict=True)
    assert reading.header == {"version": 1, "format": "aec-bench-trajectory"}
    assert [e.content for e in reading.events] == ["a\u2028b\u0085c"]


def test_an_existing_file_is_continued(tmp_path: Path) -> None:
    path = trace(tmp_path, line("one"))
    with TraceWriter(path) as writer:
        writer.append(Event(step=1, role="user", content="two"))
    assert path.read_bytes() == HEADER + line("one") + line("two", step=1)


def test_appending_after_a_tear_costs_only_the_torn_line(tmp_path: Path) -> None:
    whole = HEADER + line("one") + line("two")
    start = len(HEADER + line("one"))
    for cut in range(1, len(whole)):
        path = tmp_path / "trace.jsonl"
        path.write_bytes(whole[:cut])
        with TraceWriter(path) as writer:
            writer.append(Event(step=9, role="user", content="new"))
        kept = ["one"] * (cut >= start - 1) + ["two"] * (cut >= len(whole) - 1)
        assert contents(path) == [*kept, "new"], cut


def test_a_file_of_another_version_is_not_touched(tmp_path: Path) -> None:
    path = trace(tmp_path, header=b'{"version":2,"format":"aec-bench-trajectory"}\n')
    before = path.read_bytes()
    with pytest.raises(InputError, match="version 2 cannot be read; versions read: 1"):
        TraceWriter(path)
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot write .*trace\.jsonl: No such file"):
        TraceWriter(tmp_path / "none" / "trace.jsonl")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_is_a_storage_error() -> None:
    with pytest.raises(StorageError, match="cannot write /dev/full: No space left"):
        TraceWriter("/dev/full")


class Stubborn:
    """A file that takes a few bytes and then refuses once, as a disk that fills up and is cleared."""

    def __init__(self, path: Path) -> None:
        self.real = path.open("ab", buffering=0)
        self.refusals = 1

    def write(self, data: memoryview) -> int:
        if len(data) <= 5 and self.refusals:
            self.refusals -= 1
            raise OSError(28, "No space left on device")
        return self.real.write(data[: max(len(data) - 5, 1)])

    def close(self) -> None:
        self.real.close()


def test_a_write_that_broke_in_the_middle_costs_only_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trace(tmp_path, line("one"))
    with TraceWriter(path) as writer:
        writer.close()
        monkeypatch.setattr(writer._journal, "_file", Stubborn(path))
        with pytest.raises(StorageError, match="No space left"):
            writer.append(Event(step=0, role="user", content="two"))
        writer.append(Event(step=0, role="user", content="three"))
    assert contents(path) == ["one", "three"]


# -------------------------------------------------------------------------------------------------------
# reading


def test_a_cut_anywhere_loses_at_most_one_line(tmp_path: Path) -> None:
    lines = [HEADER, line("one"), line("zwei ü\u2028"), line("three")]
    ends = [sum(map(len, lines[: n + 1])) for n in range(len(lines))]
    whole = b"".join(lines)
    for cut in range(len(whole) + 1):
        path = tmp_path / "trace.jsonl"
        path.write_bytes(whole[:cut])
        reading = read_trace(path)
        # A line is whole when only its newline is missing.
        assert len(reading.events) == sum(cut >= end - 1 for end in ends[1:])
        torn = cut not in (0, *ends) and cut not in [end - 1 for end in ends]
        assert [d.reason.startswith("torn last line, ") for d in reading.diagnostics] == [
            True
        ] * torn


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'{"step": 0, "role": "user"', "not JSON"),
        (b'{"step": 0, "role": "user", "content": "\\ud800"}', "lone surrogate"),
        (b'{"step": 0, "role": "user", "content": "\\ude00"}', "lone surrogate"),
        (b'{"step": 0, "role": "user", "content": "\xff"}', "not UTF-8"),
        (b'{"step": 0, "role": "user", "duration_ms": NaN}', "not JSON"),
        (b'{"step": 0, "role": "user"} {"step": 1, "role": "user"}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1, 2]", "not a JSON object but list"),
        (b"\0\0\0", "not JSON"),
        (b"{}", "step is missing"),
        (b'{"step": 0, "role": "robot"}', "role is 'robot'"),
    ],
)
def test_a_bad_line_costs_itself(tmp_path: Path, bad: bytes, reason: str) -> None:
    path = trace(tmp_path, line("one"), bad + b"\n", line("two"))
    reading = read_trace(path)
    assert [e.content for e in reading.events] == ["one", "two"]
    assert [d.line for d in reading.diagnostics] == [3]
    assert reading.diagnostics[0].reason.startswith(reason)
    with pytest.raises(InputError, match="line 3"):
        read_trace(path, strict=True)


def test_an_odd_field_costs_nothing_but_a_diagnostic(tmp_path: Path) -> None:
    path = trace(tmp_path, b'{"step": 0, "role": "user", "content": 7}\n')
    reading = read_trace(path)
    assert [e.extra for e in reading.events] == [{"content": 7}]
    assert [d.line for d in reading.diagnostics] == [2]
    with pytest.raises(InputError, match="line 2: content: Expected"):
        read_trace(path, strict=True)


def test_bom_crlf_blank_lines_and_surrogate_pairs_are_fine(tmp_path: Path) -> None:
    pair = b'{"step": 0, "role": "user", "content": "\\ud83d\\ude00"}\r\n'
    path = trace(tmp_path, b"\r\n", pair, b"  \n", header=b"\xef\xbb\xbf" + HEADER)
    reading = read_trace(path, strict=True)
    assert reading.header is not None
    assert [e.content for e in reading.events] == ["😀"]


def test_a_header_may_be_missing_or_say_more(tmp_path: Path) -> None:
    assert read_trace(trace(tmp_path, line("one"), header=b""), strict=True).header is None
    stamped = b'{"version":1,"format":"aec-bench-trajectory","timestamp":"2026-03-13T10:00:00Z"}\n'
    assert read_trace(trace(tmp_path, header=stamped), strict=True).header == json.loads(stamped)


@pytest.mark.parametrize("version", [b"2", b'"1"', b"true", b"null"])
@pytest.mark.parametrize("before", [b"", HEADER + line("one")])
def test_another_version_is_an_error_that_says_which_are_read(
    tmp_path: Path, version: bytes, before: bytes
) -> None:
    path = trace(
        tmp_path, b'{"version":%b,"format":"aec-bench-trajectory"}\n' % version, header=before
    )
    with pytest.raises(InputError, match="versions read: 1"):
        read_trace(path)


def test_another_format_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format 'other' cannot be read"):
        read_trace(trace(tmp_path, header=b'{"version":1,"format":"other"}\n'))


def test_events_can_be_located(tmp_path: Path) -> None:
    own = Event(step=0, role="user", source=Source("theirs", 7))
    path = trace(tmp_path, b"bad\n", line("one"), encode_event(own) + b"\n")
    problems: list[Diagnostic] = []
    found = list(iter_trace(path, problems.append, locate=True))
    assert [e.source for e in found] == [Source("trace.jsonl", 3), Source("theirs", 7)]
    assert [p.line for p in problems] == [2]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.jsonl"):
        read_trace(tmp_path / "none.jsonl")


# -----------------------------------------------------------------------------------------------------
# real data


@pytest.fixture(scope="module")
def real_runs() -> list[Path]:
    found = sorted(REAL_RUNS.glob("real_runs/**/trajectory.jsonl"))
    if not found:
        pytest.skip(f"the real trajectories are not at {REAL_RUNS / 'real_runs'}")
    return found


def test_real_trajectories_are_read_strictly_and_written_back(real_runs: list[Path]) -> None:
    total = 0
    for path in real_runs:
        reading = read_trace(path, strict=True)
        originals = [json.loads(raw) for raw in path.read_bytes().split(b"\n") if raw]
        assert reading.header == originals[0]
        assert [json.loads(encode_event(e)) for e in reading.events] == originals[1:]
        total += len(reading.events)
    assert (len(real_runs), total) == (138, 2104)


def test_real_calls_all_find_their_result(real_runs: list[Path]) -> None:
    pairs = 0
    for path in real_runs:
        paired, calls, results = pair_calls(read_trace(path).events)
        assert (calls, results) == ([], [])
        assert all(c.tool_name == r.tool_name and c.step == r.step for c, r in paired)
        pairs += len(paired)
    assert pairs == 601


def test_steps_of_the_agent_are_the_turns_each_completed_run_reports(real_runs: list[Path]) -> None:
    checked = 0
    for path in real_runs:
        told = json.loads((path.parent / "agent-result.json").read_text(encoding="utf-8"))
        # A turn may hold a call and no text, so the calls count as well.
        steps = {e.step for e in read_trace(path).events if e.role in ("assistant", "tool_call")}
        if steps:
            assert len(steps) == told["turns_used"]
            checked += 1
    assert checked == 129


def test_the_published_example_is_read() -> None:
    path = REAL_RUNS / "page_example" / "trajectory_page_example.jsonl"
    if not path.exists():
        pytest.skip(f"the published example is not at {path}")
    events = read_trace(path, strict=True).events
    assert [e.role for e in events] == [
        "system",
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "assistant",
    ]
    assert (events[4].stdout, events[4].duration_ms) == ("V_drop = 5.2V", 142)
