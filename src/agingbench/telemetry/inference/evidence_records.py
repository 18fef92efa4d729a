"""The very records that made a signal fire: their session, file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from agingbench.records import Source
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

KEPT = 8


def record(session: int, source: Source | None) -> dict[str, Any]:
    """Where a record stands, as the card tells it; folders stay private."""
    named = None if source is None else PurePath(source.file.replace("\\", "/")).name
    return {"session": session, "file": named, "line": None if source is None else source.line}


def records_behind(
    trace: TraceSessions, mechanism: Mechanism, signal: Signal
) -> list[dict[str, Any]]:
    """Up to eight records that the signal counts, from the sessions where it stands worst."""
    if mechanism.name == "revision":
        return list(mechanism.details["stale_uses"])
    if mechanism.name == "maintenance":
        return _after_events(trace, mechanism, signal)

    if mechanism.name == "interference":
        moved = [name for name, slope in mechanism.details.get("tools_that_moved", []) if slope > 0]
        return _first(trace, _late(trace, signal), [f"tool:{name}" for name in moved])

    if signal.name == "context_growth":
        steep = [(i, s.steepest[1]) for i, s in _late(trace, signal) if s.steepest is not None]
        return [record(i, source) for i, source in steep[:KEPT]]

    return _first(trace, _late(trace, signal), [signal.name])


def _late(trace: TraceSessions, signal: Signal) -> list[tuple[int, TraceSession]]:
    """The sessions of the last third, the worst first."""
    rows = [(i, v) for i, v in enumerate(signal.trajectory) if v is not None]
    rows = rows[-max(1, len(rows) // 3) :]
    return [
        (i, trace.sessions[i])
        for i, v in sorted(rows, key=lambda row: (-signal.sign * row[1], row[0]))
    ]


def _first(
    trace: TraceSessions, sessions: Iterable[tuple[int, TraceSession]], kinds: Sequence[str]
) -> list[dict[str, Any]]:
    places = trace.evidence_index.places(kinds)
    marked = [
        (i, source)
        for i, s in sessions
        for kind in kinds
        for source in places.get((s.arrival, kind), ())
    ]
    return [record(i, source) for i, source in marked[:KEPT]]


def _after_events(
    trace: TraceSessions, mechanism: Mechanism, signal: Signal
) -> list[dict[str, Any]]:
    """The events themselves, and errors in the sessions after them."""
    kinds = str(signal.extra.get("event_kind", "")).split("+")
    place = {id(s): i for i, s in enumerate(trace.sessions)}
    struck = [s for s in trace.lifecycle if s.kind in kinds and id(s.session) in place]
    events = [
        {**record(place[id(s.session)], s.source), "event": s.kind} for s in struck[: KEPT // 2]
    ]
    reach = int(signal.extra.get("sessions_after_event", 1))
    after = sorted(
        {i for s in struck for i in range(place[id(s.session)], place[id(s.session)] + reach + 1)}
    )
    hurt = [(i, trace.sessions[i]) for i in after if i < len(trace.sessions)]

    return [*events, *_first(trace, hurt, ["error_rate"])][:KEPT]
