"""Revision: values that a result has replaced and that are used all the same; three tiers, the best
one there is.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.detection import binomial_tail, visible_rate
from agingbench.metrics.intervals import wilson
from agingbench.metrics.permutation import Floats, critical_value, p_value
from agingbench.metrics.trend import (
    design_effect,
    fit_clustered_slope,
    session_times,
    visible_slope,
)
from agingbench.records import Source
from agingbench.telemetry.inference.evidence import POWER, Mechanism, Signal
from agingbench.telemetry.inference.evidence_records import record
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import TraceSessions

LEAST_USES = 12
TESTABLE_USES = 45
MOST_USES = 20_000
KEPT_EVIDENCE = 8
FEWEST_PERMUTATIONS = 199
MOST_CELLS = 4_000_000  # permutations times uses
RNG_STREAM = 5
TIERS = (
    "tool_result_update_propagation",
    "tool_argument_self_reversion",
    "user_correction_text_patterns_fallback",
)
CORRECTION = re.compile(
    r"\b(i (already )?(said|told you|asked)|as i said|that'?s (outdated|old|no longer)|not any"
    r" ?more"
    r"|we changed (that|it)|(it|that) (is|was) (now|changed)|no longer|you'?re using the old|use"
    r" the new"
    r"|should be .{1,40} not )\b",
    re.IGNORECASE,
)


@dataclass
class ValueUses:
    """Every opportunity to be stale, in order of time."""

    session: NDArray[np.intp]
    stale: Floats  # 0 or 1
    # what the trend is tested on: `stale`, or `stale` minus the mean of its tool and attribute
    value: Floats
    entities: int = 0
    evidence: list[tuple[int, Source | None]] = field(
        default_factory=list
    )  # session and record of the last stale uses

    def __len__(self) -> int:
        return len(self.stale)


def revision(trace: TraceSessions, null: NullModel, alpha: float) -> Mechanism:
    """The first tier that has enough opportunities; the last one, marked as weak, where none has."""
    for tier, uses_of in enumerate((propagation, self_reversion)):
        uses = uses_of(trace)
        if len(uses) >= LEAST_USES:
            return _mechanism(trace, null, uses, tier, alpha)

    return _mechanism(trace, null, corrections(trace), 2, alpha)


def propagation(trace: TraceSessions) -> ValueUses:
    """Uses in any tool of a (entity, attribute) of which two or more values were known at that
    moment.
    """
    order, keys = _in_time(trace, with_shows=True)
    values = trace.values
    obs = trace.values
    rank = _ranks(trace)
    known: dict[int, set[int]] = {}
    current: dict[int, int] = {}
    sessions: list[int] = []
    stale: list[float] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=KEPT_EVIDENCE)

    for i in order:
        key = keys[i]
        value = values.value[i]
        have = known.setdefault(key, set())

        if obs.use[i]:
            session = rank[obs.session[i]]
            if len(have) >= 2:
                old = value in have and value != current[key]
                sessions.append(session)
                stale.append(float(old))
                if old:
                    evidence.append((session, i))

            if value not in have:  # the agent set it: now it is known
                have.add(value)
                current[key] = value
        else:
            have.add(value)
            current[key] = value

    y = np.array(stale)
    return ValueUses(np.array(sessions, dtype=np.intp), y, y, len(known), _places(trace, evidence))


def self_reversion(trace: TraceSessions) -> ValueUses:
    """Changes of an argument back to the value before, against what is usual for this tool and
    attribute.
    """
    order, keys = _in_time(trace, with_shows=False)
    obs = trace.values
    rank = _ranks(trace)
    last: dict[int, int] = {}
    before: dict[int, int] = {}
    sessions: list[int] = []
    back: list[float] = []
    group: list[tuple[int, int]] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=KEPT_EVIDENCE)

    for i in order:
        key = keys[i]
        value = obs.value[i]
        previous = last.get(key)

        if previous is None:
            last[key] = value
        elif value != previous:
            if key in before:
                session = rank[obs.session[i]]
                returned = value == before[key]
                sessions.append(session)
                back.append(float(returned))
                group.append((obs.tool[i], obs.attribute[i]))
                if returned:
                    evidence.append((session, i))

            before[key], last[key] = previous, value

    y = np.array(back)
    return ValueUses(
        np.array(sessions, dtype=np.intp),
        y,
        _standardised(y, group),
        len(last),
        _places(trace, evidence),
    )


def corrections(trace: TraceSessions) -> ValueUses:
    """User turns that correct an outdated value, by English text patterns."""
    sessions: list[int] = []
    said: list[float] = []
    evidence: list[tuple[int, Source | None]] = []

    for place, session in enumerate(trace.sessions):
        for turn in session.turns[1:]:
            hit = CORRECTION.search(turn.text) is not None
            sessions.append(place)
            said.append(float(hit))
            if hit:
                evidence.append((place, turn.source))

    y = np.array(said)
    return ValueUses(np.array(sessions, dtype=np.intp), y, y, 0, evidence)


def _places(
    trace: TraceSessions, evidence: Iterable[tuple[int, int]]
) -> list[tuple[int, Source | None]]:
    return [(session, trace.values.place(i)) for session, i in evidence]


def _ranks(trace: TraceSessions) -> dict[int, int]:
    return {s.arrival: i for i, s in enumerate(trace.sessions)}


def _in_time(trace: TraceSessions, with_shows: bool) -> tuple[list[int], list[int]]:
    """The observations that can matter, in order of time, and the key of every observation."""
    obs = trace.values
    use = np.array(obs.use, dtype=bool)
    key = np.array(obs.key, dtype=np.int64)
    value = np.array(obs.value, dtype=np.int64)
    tool = np.array(obs.tool, dtype=np.int64)
    attribute = np.array(obs.attribute, dtype=np.int64)
    rank = _ranks(trace)
    place = np.array([rank.get(s, -1) for s in obs.session], dtype=np.int64)

    if with_shows:
        kept = (key != 0) & np.isin(key, key[use & (key != 0)]) & np.isin(key, key[~use])
    else:
        # A call without an entity is told apart by its tool and attribute alone.
        key = np.where(key != 0, key ^ (tool * 1_000_003), -(tool * 100_003 + attribute) - 1)
        kept = use.copy()

    kept &= place >= 0
    if kept.any():
        rows = np.flatnonzero(kept)
        names, index = np.unique(key[rows], return_inverse=True)
        pairs = np.unique(np.column_stack([index, value[rows]]), axis=0)
        several = np.bincount(pairs[:, 0], minlength=len(names)) >= 2
        kept[rows] = several[index]

    rows = np.flatnonzero(kept)
    starts = [s.start for s in trace.sessions]
    time = np.array(obs.time, dtype=np.float64)[rows]
    own = np.array(
        [starts[p] if starts[p] is not None else np.nan for p in place[rows]], dtype=np.float64
    )
    time = np.where(np.isnan(time), own, time)
    if trace.logical or np.isnan(time).any():
        time = place[rows].astype(np.float64)

    order = rows[np.lexsort((rows, time))]
    return order.tolist(), key.tolist()


def _standardised(y: Floats, group: list[tuple[int, int]]) -> Floats:
    sums: dict[tuple[int, int], list[float]] = {}
    for value, name in zip(y.tolist(), group, strict=True):
        both = sums.setdefault(name, [0.0, 0.0])
        both[0] += 1
        both[1] += value

    return y - np.array([sums[name][1] / sums[name][0] for name in group]) if len(y) else y


# ------------------------------------------------------------------------------------------------------
# the tests


def _mechanism(
    trace: TraceSessions, null: NullModel, uses: ValueUses, tier: int, alpha: float
) -> Mechanism:
    n = len(trace.sessions)
    counts = np.bincount(uses.session, minlength=n) if len(uses) else np.zeros(n, dtype=np.int64)
    hits = np.bincount(uses.session, weights=uses.stale, minlength=n) if len(uses) else np.zeros(n)
    trajectory = [round(float(h / c), 6) if c else None for h, c in zip(hits, counts, strict=True)]
    signal = Signal(
        "value_supersession",
        "share of stale uses in the last third",
        True,
        trajectory,
        [int(c) for c in counts],
        minimum=0.10,
        moderate=0.25,
    )
    mechanism = Mechanism("revision", TIERS[tier], [signal], None, weak=tier == 2)
    mechanism.details = _shown(trace, uses, tier)
    if len(uses) < LEAST_USES or n < 3 or (tier > 0 and np.ptp(uses.value) < 1e-9):
        return mechanism
    if len(uses) > MOST_USES:
        uses = _thinned(uses)

    _test(mechanism, signal, null, uses, tier, trace.profile.base_stale_rate, alpha)
    return mechanism


def _test(
    mechanism: Mechanism,
    signal: Signal,
    null: NullModel,
    uses: ValueUses,
    tier: int,
    base: float,
    alpha: float,
) -> None:
    count = max(FEWEST_PERMUTATIONS, min(null.count, MOST_CELLS // max(1, len(uses))))
    times = session_times(null.n_sessions)[uses.session]
    fit = fit_clustered_slope(times, uses.value, uses.session, count, null.rng(RNG_STREAM))
    signal.test = mechanism.test = PermutationTest(fit.scores, None, fit)
    early, late, n_late = _ends(uses)
    p_trend = p_value(fit.scores)
    p_level = None
    inflation = design_effect(uses.stale, uses.session)

    if tier == 0:
        signal.effect = late
        ends = wilson(late, max(1.0, n_late / inflation))
        signal.interval = ends
        half = len(uses) // 2
        if uses.stale[half:].mean() >= uses.stale[:half].mean():
            k = float(uses.stale.sum())
            n = float(len(uses))
            p_level = binomial_tail(k / inflation, n / inflation, base)
    else:
        signal.effect = fit.effect
        signal.interval = fit.interval()
        signal.unit = "share of stale uses, last minus first session"

    mechanism.p = (
        p_trend if p_level is None and tier > 0 else min(1.0, 2 * min(p_trend, p_level or 1.0))
    )
    by_level = p_level is not None and p_level < p_trend
    mechanism.details |= {
        "fired_by": "level" if by_level else "trend",
        "p_trend": p_trend,
        "p_level": p_level,
        "base_stale_rate": base if tier == 0 else None,
        "level_policy": (
            "a high constant share of stale uses counts, against the documented base rate"
            if tier == 0
            else None
        ),
        "early_stale_rate": round(early, 6),
        "late_stale_rate": round(late, 6),
        "late_n": n_late,
        "design_effect": round(inflation, 4),
    }

    if null.may_fire and (tier > 0 or len(uses) >= TESTABLE_USES):
        alpha /= 2 if tier == 0 else 1
        slope = visible_slope(fit, critical_value(fit.scores, alpha), POWER)
        options = [] if slope is None else [slope + (min(base, early) if tier == 0 else 0.0)]
        if tier == 0:
            level = visible_rate(len(uses) / inflation, base, alpha, POWER)
            options += [] if level is None else [level]
        signal.visible = max(signal.minimum, min(options)) if options else None


def _ends(uses: ValueUses) -> tuple[float, float, int]:
    third = max(1, len(uses) // 3)
    return float(uses.stale[:third].mean()), float(uses.stale[-third:].mean()), third


def _thinned(uses: ValueUses) -> ValueUses:
    rows = np.linspace(0, len(uses) - 1, MOST_USES).astype(np.intp)
    return ValueUses(
        uses.session[rows], uses.stale[rows], uses.value[rows], uses.entities, uses.evidence
    )


def _shown(trace: TraceSessions, uses: ValueUses, tier: int) -> dict[str, object]:
    return {
        "tier": tier + 1,
        "n_uses": len(uses),
        "n_stale_propagations": int(uses.stale.sum()),
        "n_entities_tracked": uses.entities,
        "stale_uses": [
            record(session, source) for session, source in uses.evidence[-KEPT_EVIDENCE:]
        ],
    }
