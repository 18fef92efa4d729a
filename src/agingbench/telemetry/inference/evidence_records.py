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


def records_behind(
    trace: TraceSessions,
    mechanism: Mechanism,
    signal: Signal,
) -> list[RecordPlace]:
    """Return up to eight records that the signal counts, from the sessions where it is worst."""
    details = mechanism.details
    if isinstance(details, RevisionDetails):
        return list(details.stale_uses)
    if mechanism.name == "maintenance":
        return _after_events(trace, signal)

    late = _late_sessions(trace, signal)
    if isinstance(details, InterferenceDetails):
        moves = [] if details.tools_that_moved is UNSET else details.tools_that_moved
        kinds = [f"tool:{name}" for name, slope in moves if slope > 0]
        return _indexed_records(trace, late, kinds)

    if signal.name == "context_growth":
        records = []
        for i, session in late:
            if session.steepest_growth is not None:
                _, source = session.steepest_growth
                records.append(record_place(i, source))

        return records[:MOST_RECORDS]

    return _indexed_records(trace, late, [signal.name])


def _late_sessions(trace: TraceSessions, signal: Signal) -> list[tuple[int, TraceSession]]:
    """Return the sessions of the last third, the worst first."""
    rows = [(i, value) for i, value in enumerate(signal.trajectory) if value is not None]
    third = max(1, len(rows) // 3)
    last_third = rows[-third:]
    last_third.sort(key=lambda row: (-signal.sign * row[1], row[0]))
    return [(i, trace.sessions[i]) for i, _ in last_third]


def _indexed_records(
    trace: TraceSessions,
    sessions: Iterable[tuple[int, TraceSession]],
    kinds: Sequence[str],
) -> list[RecordPlace]:
    """Return the first records of these kinds in the given sessions."""
    places = trace.evidence_index.places(kinds)
    records = []

    for i, session in sessions:
        for kind in kinds:
            for source in places.get((session.arrival, kind), ()):
                records.append(record_place(i, source))

    return records[:MOST_RECORDS]


def _after_events(trace: TraceSessions, signal: Signal) -> list[RecordPlace]:
    """Return the lifecycle events themselves, and errors in the sessions after them."""
    kinds = [""] if signal.event_kind is UNSET else signal.event_kind.split("+")
    reach = 1 if signal.sessions_after_event is UNSET else signal.sessions_after_event
    place = {id(session): i for i, session in enumerate(trace.sessions)}

    records: list[RecordPlace] = []
    affected: set[int] = set()

    for event in trace.lifecycle:
        at = place.get(id(event.session))
        if at is None or event.kind not in kinds:
            continue

        affected.update(range(at, at + reach + 1))
        # Half of the places are left for the errors.
        if len(records) < MOST_RECORDS // 2:
            records.append(record_place(at, event.source, event.kind))

    sessions = []
    for i in sorted(affected):
        if i < len(trace.sessions):
            sessions.append((i, trace.sessions[i]))

    errors = _indexed_records(trace, sessions, ["error_rate"])
    return [*records, *errors][:MOST_RECORDS]
