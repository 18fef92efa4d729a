"""Real traces as tests: days in random order, so that nothing ages, and planted effects."""

from __future__ import annotations

import copy
import math
from array import array

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.inference.null_model import DAY
from agingbench.telemetry.sessions.aggregates import LifecycleRecord, TraceSession, TraceSessions
from agingbench.telemetry.sessions.observations import Observations
from agingbench.validity.simulated_agents import DRIFT

USES_PER_SESSION = 4
STALE = 0.03


def shuffled(trace: TraceSessions, rng: np.random.Generator) -> TraceSessions:
    """Return the same sessions with whole days in random order on the same calendar."""
    days: dict[int, list[TraceSession]] = {}
    for session in trace.sessions:
        days.setdefault(int((session.start or 0.0) // DAY), []).append(session)

    calendar = sorted(days)
    moved: list[tuple[TraceSession, float]] = []
    for slot, source in zip(calendar, rng.permutation(calendar), strict=True):
        moved += [(session, (slot - int(source)) * DAY) for session in days[int(source)]]

    return _rebuilt(trace, moved)


def _rebuilt(trace: TraceSessions, moved: list[tuple[TraceSession, float]]) -> TraceSessions:
    out = TraceSessions(trace.profile)
    out.attributes = list(trace.attributes)
    out.mode = trace.mode
    out.n_events = trace.n_events
    copies: dict[int, TraceSession] = {}
    shift: dict[int, float] = {}

    for session, by in moved:
        twin = copies[id(session)] = copy.copy(session)
        twin.start = None if session.start is None else session.start + by
        twin.end = None if session.end is None else session.end + by
        twin.growth = {t: list(v) for t, v in session.growth.items()}
        twin.calls_by_tool = dict(session.calls_by_tool)
        twin.locator_hits = dict(session.locator_hits)
        twin.errors = dict(session.errors)
        shift[session.arrival] = by
        out.sessions.append(twin)

    for shock in trace.lifecycle:
        if id(shock.session) in copies:
            out.lifecycle.append(
                LifecycleRecord(
                    copies[id(shock.session)],
                    shock.kind,
                    shock.time,
                    shock.within,
                    shock.confidence,
                )
            )

    out.values = _moved_values(trace.values, shift)
    return out


def _moved_values(values: Observations, shift: dict[int, float]) -> Observations:
    out = Observations()
    for name in Observations.__slots__:
        setattr(out, name, copy.copy(getattr(values, name)))

    by = np.array([shift.get(s, 0.0) for s in values.session])
    out.time = (
        array("d", (np.array(values.time, dtype=np.float64) + by).tolist())
        if len(values)
        else array("d")
    )
    return out


def planted(
    trace: TraceSessions, mechanism: str, rng: np.random.Generator, strength: float = 1.0
) -> TraceSessions:
    """Plant a moderate effect (times strength) of one mechanism, growing from first to last."""
    ages = np.linspace(0.0, 1.0, max(2, len(trace.sessions)))
    plant = {
        "compression": _compress,
        "interference": _interfere,
        "revision": _stale,
        "maintenance": _hurt,
    }[mechanism]
    plant(trace, ages * strength, rng)
    return trace


def _compress(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    for session, age in zip(trace.sessions, ages, strict=False):
        by = math.log(2.0) * float(age)
        for sums in session.growth.values():
            sums[2] += 2 * by * sums[1] + sums[0] * by * by
            sums[1] += by * sums[0]

        calls = sum(session.calls_by_tool.values())
        hits = sum(session.locator_hits.values())
        lose = min(1.0, 0.15 * float(age) * calls / hits) if hits else 0.0
        session.locator_hits = {
            t: n - int(rng.binomial(n, lose)) for t, n in session.locator_hits.items()
        }


def _interfere(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    total: dict[str, int] = {}
    for session in trace.sessions:
        for tool, n in session.calls_by_tool.items():
            total[tool] = total.get(tool, 0) + n

    usual = sorted(total, key=lambda t: (-total[t], t))[:6]
    share = {t: total[t] / max(1, sum(total.values())) for t in usual}
    fading = usual[::2]
    gaining = usual[1::2]
    if not gaining:
        return

    odds = np.array([share[t] for t in gaining]) / sum(share[t] for t in gaining)
    mass = sum(share[t] for t in fading)
    for session, age in zip(trace.sessions, ages, strict=False):
        for tool in fading:
            n = session.calls_by_tool.get(tool, 0)
            gone = int(rng.binomial(n, min(1.0, DRIFT * float(age) / mass))) if n else 0
            if gone:
                session.calls_by_tool[tool] = n - gone
                for other, k in zip(gaining, rng.multinomial(gone, odds), strict=True):
                    session.calls_by_tool[other] = session.calls_by_tool.get(other, 0) + int(k)


def _stale(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    """Add a few orders that are shown and used: real coding traces hardly have such values."""
    values = trace.values
    attribute = len(trace.attributes)
    trace.attributes.append("planted")
    current = dict.fromkeys(range(6), 0)

    for session, age in zip(trace.sessions, ages, strict=False):
        time = session.start if session.start is not None else math.nan
        for step in range(USES_PER_SESSION):
            key = int(rng.integers(len(current)))
            if rng.random() < 0.5 or current[key] < 2:
                current[key] += 1
                _note(values, key, current[key], 0, attribute, session, time + 60 * step)

            wrong = rng.random() < STALE + 0.28 * float(age)
            _note(
                values,
                key,
                current[key] - (1 if wrong and current[key] > 1 else 0),
                1,
                attribute,
                session,
                time + 60 * step + 30,
            )


def _note(
    values: Observations,
    key: int,
    value: int,
    use: int,
    attribute: int,
    session: TraceSession,
    time: float,
) -> None:
    values.key.append(7_000_000_000 + key)
    values.value.append(value)
    values.use.append(use)
    values.tool.append(0)
    values.attribute.append(attribute)
    values.session.append(session.arrival)
    values.time.append(time)
    values.line.append(-1)
    values.file.append(-1)


def _hurt(trace: TraceSessions, ages: Floats, rng: np.random.Generator) -> None:
    n = len(trace.sessions)
    strength = float(ages[-1])
    spots = list(range(3, n - 3, max(5, n // 5)))[:4]

    for at in spots:
        trace.lifecycle.append(
            LifecycleRecord(
                trace.sessions[at], "memory_reset", trace.sessions[at].start, False, 1.0
            )
        )
        for session in trace.sessions[at : at + 3]:
            more = int(rng.binomial(session.results, min(1.0, 0.10 * strength)))
            session.errors["process"] = min(
                session.results, session.errors.get("process", 0) + more
            )
