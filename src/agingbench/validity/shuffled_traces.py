"""Real traces as tests: days in random order, so that nothing ages, and planted effects."""

from __future__ import annotations

import copy
import math
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.inference.null_model import DAY
from agingbench.telemetry.sessions.aggregates import LifecycleRecord, TraceSession, TraceSessions
from agingbench.telemetry.sessions.observations import Observations
from agingbench.validity.simulated_agents import DRIFT

# Planted values: orders that are shown and used.
PLANTED_KEYS = 6
FIRST_KEY = 7_000_000_000
USES_PER_SESSION = 4
STALE = 0.03

# Tools between which calls are moved.
USUAL_TOOLS = 6


def shuffled(trace: TraceSessions, rng: np.random.Generator) -> TraceSessions:
    """Return the same sessions with whole days in random order on the same calendar."""
    sessions_by_day: dict[int, list[TraceSession]] = {}
    for session in trace.sessions:
        day = int((session.start or 0.0) // DAY)
        sessions_by_day.setdefault(day, []).append(session)

    calendar = sorted(sessions_by_day)
    shifts: list[tuple[TraceSession, float]] = []

    for new_day, old_day in zip(calendar, rng.permutation(calendar), strict=True):
        seconds = (new_day - int(old_day)) * DAY
        for session in sessions_by_day[int(old_day)]:
            shifts.append((session, seconds))

    return _shifted_trace(trace, shifts)


def _shifted_trace(trace: TraceSessions, shifts: list[tuple[TraceSession, float]]) -> TraceSessions:
    """Return a copy of the trace with its sessions in this order, each moved by its seconds."""
    result = TraceSessions(trace.profile)
    result.attributes = list(trace.attributes)
    result.mode = trace.mode
    result.n_events = trace.n_events

    copies: dict[int, TraceSession] = {}
    seconds_by_arrival: dict[int, float] = {}

    for session, seconds in shifts:
        twin = _shifted_session(session, seconds)
        copies[id(session)] = twin
        seconds_by_arrival[session.arrival] = seconds
        result.sessions.append(twin)

    for event in trace.lifecycle:
        event_session = copies.get(id(event.session))
        if event_session is None:
            continue

        moved_event = LifecycleRecord(
            event_session,
            event.kind,
            event.time,
            event.within,
            event.confidence,
            turns=event.turns,
        )
        result.lifecycle.append(moved_event)

    result.values = _shifted_values(trace.values, seconds_by_arrival)
    return result


def _shifted_session(session: TraceSession, seconds: float) -> TraceSession:
    """Return a copy of the session that can be changed without touching the original."""
    twin = copy.copy(session)
    if session.start is not None:
        twin.start = session.start + seconds
    if session.end is not None:
        twin.end = session.end + seconds

    twin.growth = {tool: list(sums) for tool, sums in session.growth.items()}
    twin.calls_by_tool = dict(session.calls_by_tool)
    twin.naming = {deed: list(row) for deed, row in session.naming.items()}
    twin.errors = dict(session.errors)

    return twin


def _shifted_values(values: Observations, seconds_by_arrival: dict[int, float]) -> Observations:
    result = Observations()
    for name in Observations.__slots__:
        setattr(result, name, copy.copy(getattr(values, name)))

    if len(values) == 0:
        result.time = array("d")
        return result

    seconds = [seconds_by_arrival.get(arrival, 0.0) for arrival in values.session]
    times = np.array(values.time, dtype=np.float64) + np.array(seconds)
    result.time = array("d", times.tolist())

    return result


def planted(
    trace: TraceSessions,
    mechanism: str,
    rng: np.random.Generator,
    strength: float = 1.0,
) -> TraceSessions:
    """Plant a moderate effect (times strength) of one mechanism, growing from first to last."""
    plants = {
        "compression": _plant_compression,
        "interference": _plant_interference,
        "revision": _plant_revision,
        "maintenance": _plant_maintenance,
    }
    ages = np.linspace(0.0, 1.0, max(2, len(trace.sessions)))
    plants[mechanism](trace, ages * strength, rng)

    return trace


def _aging_sessions(trace: TraceSessions, ages: Floats) -> Iterator[tuple[TraceSession, float]]:
    # A trace of one session has two ages: the second is left over.
    for session, age in zip(trace.sessions, ages, strict=False):
        yield session, float(age)


def _plant_compression(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    """Make the context grow faster, and calls name fewer locators."""
    for session, age in _aging_sessions(trace, ages):
        # Sums over calls of 1, x and x², where x grows by `shift`.
        shift = math.log(2.0) * age
        for sums in session.growth.values():
            sums[2] += 2 * shift * sums[1] + sums[0] * shift * shift
            sums[1] += shift * sums[0]

        calls = sum(session.calls_by_tool.values())
        hits = sum(row[1] for row in session.naming.values())
        loss = 0.0
        if hits:
            loss = min(1.0, 0.15 * age * calls / hits)

        for row in session.naming.values():
            row[1] -= int(rng.binomial(row[1], loss))


def _plant_interference(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    """Move calls from every second of the usual tools to the others."""
    totals: Counter[str] = Counter()
    for session in trace.sessions:
        totals.update(session.calls_by_tool)

    usual = sorted(totals, key=lambda tool: (-totals[tool], tool))[:USUAL_TOOLS]
    n_calls = max(1, totals.total())
    shares = {tool: totals[tool] / n_calls for tool in usual}
    fading = usual[::2]
    gaining = usual[1::2]
    if not gaining:
        return

    gaining_mass = sum(shares[tool] for tool in gaining)
    fading_mass = sum(shares[tool] for tool in fading)
    odds = np.array([shares[tool] for tool in gaining]) / gaining_mass

    for session, age in _aging_sessions(trace, ages):
        calls = session.calls_by_tool
        for tool in fading:
            n = calls.get(tool, 0)
            if n == 0:
                continue

            n_moved = int(rng.binomial(n, min(1.0, DRIFT * age / fading_mass)))
            if n_moved == 0:
                continue

            calls[tool] = n - n_moved
            parts = rng.multinomial(n_moved, odds)
            for other, part in zip(gaining, parts, strict=True):
                calls[other] = calls.get(other, 0) + int(part)


def _plant_revision(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    """Add a few orders that are shown and used: real coding traces hardly have such values."""
    attribute = len(trace.attributes)
    trace.attributes.append("planted")
    versions = [0] * PLANTED_KEYS

    for session, age in _aging_sessions(trace, ages):
        start = session.start if session.start is not None else math.nan

        for step in range(USES_PER_SESSION):
            time = start + 60 * step
            key = int(rng.integers(PLANTED_KEYS))

            is_updated = rng.random() < 0.5
            if is_updated or versions[key] < 2:
                versions[key] += 1
                _observe(trace, session, key, versions[key], False, attribute, time)

            version = versions[key]
            is_stale = rng.random() < STALE + 0.28 * age
            if is_stale and version > 1:
                version -= 1
            _observe(trace, session, key, version, True, attribute, time + 30)


def _observe(
    trace: TraceSessions,
    session: TraceSession,
    key: int,
    value: int,
    is_use: bool,
    attribute: int,
    time: float,
) -> None:
    """Add one observation of a planted value: that it was shown, or that it was used."""
    values = trace.values
    values.key.append(FIRST_KEY + key)
    values.value.append(value)
    values.use.append(int(is_use))
    values.tool.append(0)
    values.attribute.append(attribute)
    values.session.append(session.arrival)
    values.time.append(time)
    values.line.append(-1)
    values.file.append(-1)


def _plant_maintenance(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    """Add up to four memory resets, and errors in the three sessions from each on."""
    n = len(trace.sessions)
    error_rate = min(1.0, 0.10 * float(ages[-1]))
    spots = list(range(3, n - 3, max(5, n // 5)))[:4]

    for spot in spots:
        first = trace.sessions[spot]
        reset = LifecycleRecord(first, "memory_reset", first.start, False, 1.0)
        trace.lifecycle.append(reset)

        for session in trace.sessions[spot : spot + 3]:
            more = int(rng.binomial(session.results, error_rate))
            errors = session.errors.get("process", 0) + more
            session.errors["process"] = min(session.results, errors)
            _add_failures(session, error_rate, rng)


def _add_failures(session: TraceSession, share: float, rng: np.random.Generator) -> None:
    """Let a share of the results that went well fail, request by request."""
    turns = [copy.copy(turn) for turn in session.turns]
    total: dict[str, list[int]] = {}
    for turn in turns:
        outcomes = {}
        for label, (n, failed) in turn.outcomes.items():
            outcomes[label] = [n, failed + int(rng.binomial(n - failed, share))]
            sums = total.setdefault(label, [0, 0])
            sums[0] += n
            sums[1] += outcomes[label][1]

        turn.outcomes = outcomes

    session.turns = turns
    session.outcomes = {**session.outcomes, **total}
