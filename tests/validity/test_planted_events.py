"""Harm planted into sessions: it grows, stands where its labels say, and leaves the original."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.records import Event
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.validity.planted_events import KINDS, PlantedTrace, Session, plant

SESSIONS = 30
REQUESTS = 12
READS = 4


def _session(number: int) -> Session:
    """Requests that read files one by one; every second one changes the last."""
    events: Session = []
    time = 1_700_000_000.0 + 86_400 * number

    def add(role: str, **fields: object) -> None:
        nonlocal time
        time += 10.0
        event = Event(step=len(events), role=role, timestamp=time, session_id=f"s{number}")  # type: ignore[arg-type]
        for name, value in fields.items():
            setattr(event, name, value)
        events.append(event)

    for request in range(REQUESTS):
        add("user", content=f"look at part {request}")
        for read in range(READS):
            path = {"file_path": f"/work/part_{request}_{read}.py"}
            name = f"{number}-{request}-{read}"
            add("tool_call", tool_name="Read", arguments=path, tool_call_id=name)
            add("tool_result", tool_name="Read", stdout="text", tool_call_id=name)
        add("assistant", content="Looked at it.")

    return events


def _planted(kind: str, strength: float = 1.0) -> tuple[list[Session], PlantedTrace]:
    sessions = [_session(number) for number in range(SESSIONS)]
    return sessions, plant(kind, sessions, np.random.default_rng(3), strength)


@pytest.mark.parametrize("kind", KINDS)
def test_harm_grows_from_the_first_session_to_the_last(kind: str) -> None:
    sessions, trace = _planted(kind, 2.0)
    third = SESSIONS // 3
    assert trace.hits[0] == 0
    assert sum(trace.hits[:third]) * 2 < sum(trace.hits[-third:])
    assert all(hits <= chances for hits, chances in zip(trace.hits, trace.chances, strict=True))
    assert all(event.error_kind is None for session in sessions for event in session)


def test_nothing_is_planted_where_nothing_is_asked_for() -> None:
    sessions, trace = _planted("nothing")
    assert trace.events == [event for session in sessions for event in session]


@pytest.mark.parametrize("kind", ["rereads_tool", "rereads_shell"])
def test_a_planted_read_is_counted_as_one_again(kind: str) -> None:
    sessions, trace = _planted(kind, 2.0)
    profile = load_profile("code_assistant")
    before = collect([event for session in sessions for event in session], profile)
    after = collect(trace.events, profile)
    n_before = sum(session.behaviour.rereads for session in before.sessions)
    n_after = sum(session.behaviour.rereads for session in after.sessions)
    assert n_before == 0
    assert 0 < n_after <= sum(trace.hits)


def test_a_compaction_stands_before_what_it_hurts() -> None:
    _, trace = _planted("after_compaction")
    compacted = {event.session_id for event in trace.events if event.lifecycle == "compaction"}
    failed = {event.session_id for event in trace.events if event.error_kind}
    assert 0 < len(compacted) < SESSIONS / 2
    assert failed <= compacted
    begun: set[str | None] = set()
    for event in trace.events:
        if event.lifecycle == "compaction":
            begun.add(event.session_id)
        assert event.error_kind is None or event.session_id in begun


@pytest.mark.parametrize("kind", ["corrections", "corrections_german"])
def test_a_complaint_is_a_turn_of_its_own(kind: str) -> None:
    _, trace = _planted(kind, 2.0)
    turns = sum(event.role == "user" for event in trace.events)
    assert turns == SESSIONS * REQUESTS + sum(trace.hits)
