"""Sessions at rest: the same figures as without rest, in a fraction of the memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.records import Event, Source, Usage
from agingbench.telemetry.inference.fleet import share_outcomes
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions import collect as collecting
from agingbench.telemetry.sessions import membership
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.joining import holds_anything
from agingbench.telemetry.sessions.outcomes import OutcomeEvent, link
from agingbench.telemetry.sessions.resting import RestingSessions
from agingbench.traces import name_table
from agingbench.traces.name_table import NameTable

BYTES_PER_SESSION = 2_100  # with what is kept of requests; as objects each takes 3,900
MOMENT = 1_760_000_000.0
PROFILE = load_profile("code_assistant")


def talk(session: str, at: int, kind: int) -> Iterator[Event]:
    """One exchange of a session: a request, a call, its result, an answer or a compaction."""
    time = MOMENT + 60.0 * at
    source = Source("trace.jsonl", at + 1)
    base: dict[str, Any] = {"step": at, "session_id": session, "timestamp": time, "source": source}
    if kind == 0:
        yield Event(role="user", content=f"fix src/part_{at % 3}.py, no, the other one", **base)
    elif kind == 1:
        given = {"file_path": f"src/part_{at % 4}.py", "limit": 10 * at}
        call: dict[str, Any] = {
            "tool_name": "Read",
            "arguments": given,
            "tool_call_id": f"{session}-{at}",
        }
        yield Event(role="tool_call", usage=Usage(10, 5, 900 * at, 0, None, 1), **call, **base)
    elif kind == 2:
        failed = "process" if at % 2 else None
        call_id = f"{session}-{at - 1}"
        yield Event(
            role="tool_result",
            stdout="status: open",
            tool_call_id=call_id,
            error_kind=failed,
            **base,
        )
    elif kind == 3:
        yield Event(role="assistant", content="Done. Shall I continue?", model="m", **base)
    else:
        yield Event(role="meta", lifecycle="compaction", **base)


def trace_of(steps: list[tuple[int, int]]) -> Iterator[Event]:
    for at, (session, kind) in enumerate(steps):
        yield from talk(f"s{session}", at, kind)


def figures(trace: TraceSessions) -> str:
    """Everything that signals see of a trace, as text."""
    records = []
    for record in trace.lifecycle:
        records.append((record.session.id, record.kind, record.time, record.turns))
    return repr(
        [
            [_finished(session) for session in trace.sessions],
            records,
            trace.facts.texts,
            trace.facts.calls,
            trace.flags,
            [list(trace.values.session), list(trace.values.value)],
        ]
    )


def _finished(session: TraceSession) -> list[object]:
    dropped = {"by_tool", "several_tools", "locators", "reading"}
    names = [field.name for field in msgspec.structs.fields(TraceSession)]
    return [getattr(session, name) for name in names if name not in dropped]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=80))
def test_rest_changes_no_figure(steps: list[tuple[int, int]]) -> None:
    expected = figures(collect(trace_of(steps), PROFILE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(membership, "MOST_AWAKE", 2)
        patch.setattr(membership, "BLOCK", 3)
        assert figures(collect(trace_of(steps), PROFILE)) == expected


def test_a_session_that_cannot_be_packed_stays_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "MOST_AWAKE", 1)
    monkeypatch.setattr(membership, "BLOCK", 1)
    steps = [(session, 0) for session in (0, 1, 2, 0, 1, 2, 0)]
    events = list(trace_of(steps))
    events[1].content = "half a pair: \ud83d"
    trace = collect(events, PROFILE)
    assert [session.n_turns for session in trace.sessions] == [3, 2, 2]


def test_the_sessions_of_a_block_wake_together() -> None:
    resting = RestingSessions()
    sessions = [TraceSession(f"s{i}", i) for i in range(3)]
    assert resting.rest(sessions)
    assert "s1" in resting
    assert [session.id for session in resting.wake("s1")] == ["s0", "s1", "s2"]
    assert "s1" not in resting
    assert resting.wake("s1") == []


def one_record_sessions(n: int) -> Iterator[Event]:
    for i in range(n):
        yield from talk(f"{i:08x}-1111-4222-8333-444455556666", i, 0)


def test_a_session_of_one_record_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1_000
    monkeypatch.setattr(membership, "MOST_AWAKE", 100)
    monkeypatch.setattr(collecting, "MOST_SESSIONS", 100)
    collect(one_record_sessions(300), PROFILE)  # what is made once
    gc.collect()

    tracemalloc.start()
    trace = collect(one_record_sessions(n), PROFILE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(trace) == 100
    assert peak / n < BYTES_PER_SESSION


def test_neighbours_are_joined_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(session, kind) for session in range(40) for kind in (0, 1, 2, 3, 4)]
    alone = collect(trace_of(steps), PROFILE)
    monkeypatch.setattr(collecting, "MOST_SESSIONS", 10)
    monkeypatch.setattr(membership, "MOST_AWAKE", 5)
    joined = collect(trace_of(steps), PROFILE)

    assert len(joined) == 10
    assert joined.flags["neighbouring_sessions_joined"] == 30
    assert all(holds_anything(session) for session in joined.sessions)
    for name in ("n_turns", "tool_calls", "results", "input_tokens", "cache_tokens", "reads"):
        whole = sum(getattr(session, name) for session in alone.sessions)
        assert sum(getattr(session, name) for session in joined.sessions) == whole

    starts = [session.start for session in joined.sessions]
    assert starts == [session.start for session in alone.sessions[::4]]
    assert joined.sessions[0].end == alone.sessions[3].end
    assert len(joined.lifecycle) == len(alone.lifecycle)
    assert {record.session.id for record in joined.lifecycle} <= {s.id for s in joined.sessions}

    outcomes = [OutcomeEvent(f"s{i}", "success") for i in (0, 3, 4, 39, 40)]
    curve = link(joined, outcomes)
    assert (curve.counts, curve.unlinked) == ([2, 1, 0, 0, 0, 0, 0, 0, 0, 1], 1)
    parts, unmatched = share_outcomes([joined], outcomes)
    assert (len(parts[0]), unmatched) == (4, 1)
    assert set(joined.values.session) <= set(range(10))
    assert {call.session for call in joined.facts.calls} <= set(range(10))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(-1, 5))))
def test_a_table_of_names_does_what_a_dict_does(steps: list[tuple[int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name_table, "SMALLEST", 2)
        table = NameTable()
        plain: dict[str, int] = {}
        for place, number in steps:
            name = f"n{place}"
            if number < 0:
                table.drop(name)
                plain.pop(name, None)
            else:
                table.put(name, number)
                plain[name] = number

        names = [f"n{place}" for place in range(42)]
        assert [table.get(name) for name in names] == [plain.get(name) for name in names]
