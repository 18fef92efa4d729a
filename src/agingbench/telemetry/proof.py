"""The very records that made a signal fire: their session, file and line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from agingbench.records import Source
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.sessions.collect import Session, Sessions

KEPT = 8


def record(session: int, source: Source | None) -> dict[str, Any]:
    """Where a record stands, as the card tells it; folders stay private."""
    named = None if source is None else PurePath(source.file.replace("\\", "/")).name
    return {"session": session, "file": named, "line": None if source is None else source.line}


def records_behind(found: Sessions, mechanism: Mechanism, signal: Signal) -> list[dict[str, Any]]:
    """Up to eight records that the signal counts, from the sessions where it stands worst."""
    if mechanism.name == "revision":
        return list(mechanism.shown["stale_uses"])
    if mechanism.name == "maintenance":
        return _after_events(found, mechanism, signal)
    if mechanism.name == "interference":
        moved = [name for name, slope in mechanism.shown.get("tools_that_moved", []) if slope > 0]
        return _first(found, _late(found, signal), [f"tool:{name}" for name in moved])
    if signal.name == "context_growth":
        steep = [(i, s.steepest[1]) for i, s in _late(found, signal) if s.steepest is not None]
        return [record(i, source) for i, source in steep[:KEPT]]
    return _first(found, _late(found, signal), [signal.name])


def _late(found: Sessions, signal: Signal) -> list[tuple[int, Session]]:
    """The sessions of the last third, the worst first."""
    rows = [(i, v) for i, v in enumerate(signal.trajectory) if v is not None]
    rows = rows[-max(1, len(rows) // 3) :]
    return [
        (i, found.sessions[i])
        for i, v in sorted(rows, key=lambda row: (-signal.sign * row[1], row[0]))
    ]


def _first(
    found: Sessions, sessions: Iterable[tuple[int, Session]], kinds: Sequence[str]
) -> list[dict[str, Any]]:
    places = found.marks.places(kinds)
    marked = [
        (i, source)
        for i, s in sessions
        for kind in kinds
        for source in places.get((s.first_seen, kind), ())
    ]
    return [record(i, source) for i, source in marked[:KEPT]]


def _after_events(found: Sessions, mechanism: Mechanism, signal: Signal) -> list[dict[str, Any]]:
    """The events themselves, and errors in the sessions after them."""
    kinds = str(signal.extra.get("event_kind", "")).split("+")
    place = {id(s): i for i, s in enumerate(found.sessions)}
    struck = [s for s in found.shocks if s.kind in kinds and id(s.session) in place]
    events = [
        {**record(place[id(s.session)], s.source), "event": s.kind} for s in struck[: KEPT // 2]
    ]
    reach = int(signal.extra.get("sessions_after_event", 1))
    after = sorted(
        {i for s in struck for i in range(place[id(s.session)], place[id(s.session)] + reach + 1)}
    )
    hurt = [(i, found.sessions[i]) for i in after if i < len(found.sessions)]
    return [*events, *_first(found, hurt, ["error_rate"])][:KEPT]
