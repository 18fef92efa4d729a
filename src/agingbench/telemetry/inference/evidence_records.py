"""The records that made a signal fire: their session, file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.details import (
    InterferenceDetails,
    RecordPlace,
    RevisionDetails,
    record_place,
)

MOST_RECORDS = 8


def records_behind(trace: TraceSessions, mechanism: Mechanism, signal: Signal) -> list[RecordPlace]:
    """Return up to eight records that the signal counts, from the sessions where it is worst."""
    details = mechanism.details
    if isinstance(details, RevisionDetails):
        return list(details.stale_uses)
    if mechanism.name == "maintenance":
        return _after_events(trace, signal)

    late = _late_sessions(trace, signal)
    if isinstance(details, InterferenceDetails):
        moves = [] if details.tools_that_moved is UNSET else details.tools_that_moved
        return _indexed_records(trace, late, [f"tool:{name}" for name, slope in moves if slope > 0])

    if signal.name == "context_growth":
        steepest = [(i, s.steepest_growth) for i, s in late if s.steepest_growth is not None]
        return [record_place(i, source) for i, (_, source) in steepest[:MOST_RECORDS]]

    return _indexed_records(trace, late, [signal.name])


def _late_sessions(trace: TraceSessions, signal: Signal) -> list[tuple[int, TraceSession]]:
    """Return the sessions of the last third, the worst first."""
    rows = [(i, value) for i, value in enumerate(signal.trajectory) if value is not None]
    rows = rows[-max(1, len(rows) // 3) :]
    rows.sort(key=lambda row: (-signal.sign * row[1], row[0]))
    return [(i, trace.sessions[i]) for i, _ in rows]


def _indexed_records(
    trace: TraceSessions, sessions: Iterable[tuple[int, TraceSession]], kinds: Sequence[str]
) -> list[RecordPlace]:
    """Return the first records of these kinds in the given sessions."""
    places = trace.evidence_index.places(kinds)
    records = []

    for i, session in sessions:
        for kind in kinds:
            sources = places.get((session.arrival, kind), ())
            records += [record_place(i, source) for source in sources]

    return records[:MOST_RECORDS]


def _after_events(trace: TraceSessions, signal: Signal) -> list[RecordPlace]:
    """Return the lifecycle events themselves, and errors in the sessions after them."""
    kinds = [""] if signal.event_kind is UNSET else signal.event_kind.split("+")
    reach = 1 if signal.sessions_after_event is UNSET else signal.sessions_after_event
    place = {id(session): i for i, session in enumerate(trace.sessions)}
    events = [e for e in trace.lifecycle if e.kind in kinds and id(e.session) in place]

    records = []
    affected: set[int] = set()

    for number, event in enumerate(events):
        at = place[id(event.session)]
        affected.update(range(at, at + reach + 1))
        if number < MOST_RECORDS // 2:
            records.append(record_place(at, event.source, event.kind))

    sessions = [(i, trace.sessions[i]) for i in sorted(affected) if i < len(trace.sessions)]
    errors = _indexed_records(trace, sessions, ["error_rate"])
    return [*records, *errors][:MOST_RECORDS]
