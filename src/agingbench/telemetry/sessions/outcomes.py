"""Outcome events from a file, the trace itself or extractors, joined to sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.telemetry.profile import OUTCOMES, Profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.traces.decoding.sources import line_values, lines
from agingbench.traces.decoding.times import seconds

LEAST_OUTCOMES = 10  # below, no signal rests on them
_SESSION_KEYS = ("session_id", "sessionId", "session", "conversation_id", "thread_id")
_TASK_KEYS = ("task_id", "taskId", "task", "ticket_id", "pr_id")
_TIME_KEYS = ("timestamp", "time", "ts", "created_at")


class OutcomeEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one task ended."""

    session_id: str | None
    outcome: str
    task_id: str | None = None
    timestamp: float | None = None
    source: str = "file"


class OutcomeCurve(msgspec.Struct, frozen=True):
    """The share of successes per session, and how many outcomes it rests on."""

    rates: list[float | None]
    counts: list[int]
    linked: int
    unlinked: int


def read_outcomes(path: Path, profile: Profile, log: ReadLog) -> list[OutcomeEvent]:
    """Return the outcome events of a JSONL file; the profile maps names such as pr_merged."""
    events = []
    log.file = str(path)

    try:
        with path.open("rb") as stream:
            for number, line in enumerate(lines(stream), start=1):
                for value in line_values(line, number, log):
                    event = _event(value, number, profile, log)
                    if event is not None:
                        log.used += 1
                        events.append(event)
    except OSError as error:
        raise InputError(f"cannot read outcomes {path}: {error.strerror or error}") from error

    return events


def _event(value: Any, number: int, profile: Profile, log: ReadLog) -> OutcomeEvent | None:
    if not isinstance(value, dict):
        log.bad(number, "an outcome is a JSON object")
        return None

    name = value.get("outcome") or value.get("event") or value.get("type")
    outcome = name if name in OUTCOMES else profile.native_outcomes.get(str(name))
    if outcome is None:
        log.bad(
            number,
            f"outcome '{str(name)[:60]}' is none of {', '.join(OUTCOMES)} and not mapped by the"
            " profile",
        )
        return None

    time = _first(value, _TIME_KEYS)
    session = _first(value, _SESSION_KEYS)
    task = _first(value, _TASK_KEYS)

    return OutcomeEvent(
        session_id=None if session is None else str(session),
        outcome=outcome,
        task_id=None if task is None else str(task),
        timestamp=None if time is None else seconds(time, log),
    )


def _first(value: dict[str, Any], keys: Sequence[str]) -> Any:
    """Return the first value that one of the keys holds; None where none does."""
    for key in keys:
        if value.get(key) is not None:
            return value[key]

    return None


def native_outcomes(trace: TraceSessions) -> list[OutcomeEvent]:
    """Return the outcomes that the trace itself records, mapped by the profile."""
    rules = trace.profile.native_outcomes
    events = []
    for session in trace.sessions:
        for name, time in session.native_outcomes:
            events.append(OutcomeEvent(session.id, rules[name], None, time, "native"))

    return events


def session_places(trace: TraceSessions) -> dict[str, int]:
    """Return the place of every session by the names that an outcome may give it.

    Numbered sessions go by their number as well.
    """
    place = trace.index()
    for i, session in enumerate(trace.sessions):
        if session.id.startswith("session-"):
            place.setdefault(session.id.removeprefix("session-"), i)

    return place


def link(trace: TraceSessions, events: Iterable[OutcomeEvent]) -> OutcomeCurve:
    """Join outcomes to sessions by id, else by time (the last session that had begun)."""
    place = session_places(trace)
    starts = [(s.start, i) for i, s in enumerate(trace.sessions) if s.start is not None]
    successes = [0] * len(trace.sessions)
    total = [0] * len(trace.sessions)
    unlinked = 0

    for event in events:
        at = None
        if event.session_id is not None:
            name = event.session_id
            at = place[name] if name in place else trace.joined.get(name)
        elif event.timestamp is not None:
            earlier = [i for start, i in starts if start <= event.timestamp]
            at = max(earlier, default=None)

        if at is None:
            unlinked += 1
            continue

        total[at] += 1
        if event.outcome == "success":
            successes[at] += 1

    rates: list[float | None] = []
    for hits, n in zip(successes, total, strict=True):
        rates.append(hits / n if n else None)

    return OutcomeCurve(rates, total, sum(total), unlinked)
