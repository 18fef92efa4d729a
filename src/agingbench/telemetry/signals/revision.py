"""Revision: values that were replaced and are used all the same, from the best of three tiers.

1. Propagation: a result showed a new value of something, and a later call still gives the old one.
2. Self-reversion: a call goes back to the value that it gave before the last one.
3. Corrections: the user says that a value is outdated (weak: by English text patterns alone).

The first tier with enough uses is taken. A *use* is one opportunity to use a stale value.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.detection import binomial_tail, visible_rate
from agingbench.metrics.intervals import wilson
from agingbench.metrics.permutation import Floats, critical_value, p_value
from agingbench.metrics.trend import (
    EffectFit,
    design_effect,
    fit_clustered_slope,
    session_times,
    visible_slope,
)
from agingbench.records import Source
from agingbench.telemetry.inference.evidence import POWER, Mechanism, Signal
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.details import RevisionDetails, Trajectory, record_place
from agingbench.text.cues import CORRECTS

LEAST_USES = 12
TESTABLE_USES = 45  # below, a moderate effect cannot be ruled out
MOST_USES = 20_000  # more are thinned evenly
MOST_EVIDENCE = 8
FEWEST_PERMUTATIONS = 199
MOST_CELLS = 4_000_000  # permutations times uses
STREAM = 5  # of random numbers
# The tiers, best first.
PROPAGATION = 0
SELF_REVERSION = 1
CORRECTIONS = 2
TIERS = (
    "tool_result_update_propagation",
    "tool_argument_self_reversion",
    "user_correction_text_patterns_fallback",
)
LEVEL_POLICY = "a high constant share of stale uses counts, against the documented base rate"


@dataclass
class ValueUses:
    """Every opportunity to use a stale value, in order of time."""

    session: NDArray[np.intp]
    stale: Floats  # 0 or 1
    # What the trend is tested on: `stale`, or `stale` minus the mean of its tool and attribute.
    value: Floats
    entities: int = 0
    # Session and record of the last stale uses.
    evidence: list[tuple[int, Source | None]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.stale)


def revision(trace: TraceSessions, null: NullModel, alpha: float) -> Mechanism:
    """Return the mechanism from the first tier with enough uses, else from text patterns alone."""
    uses = propagation(trace)
    tier = PROPAGATION

    if len(uses) < LEAST_USES:
        uses = self_reversion(trace)
        tier = SELF_REVERSION

    if len(uses) < LEAST_USES:
        uses = corrections(trace)
        tier = CORRECTIONS

    return _mechanism(trace, null, uses, tier, alpha)


# ------------------------------------------------------------------------------------------------
# uses


def propagation(trace: TraceSessions) -> ValueUses:
    """Return the uses of an (entity, attribute) that had two or more known values by then."""
    order, keys = _relevant_observations(trace, with_shows=True)
    observations = trace.values
    rank = _ranks(trace)
    values_by_key: dict[int, set[int]] = {}
    current: dict[int, int] = {}

    sessions: list[int] = []
    stale: list[float] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=MOST_EVIDENCE)

    for i in order:
        key = keys[i]
        value = observations.value[i]
        values = values_by_key.setdefault(key, set())

        if not observations.use[i]:
            values.add(value)
            current[key] = value
            continue

        session = rank[observations.session[i]]
        if len(values) >= 2:
            outdated = value in values and value != current[key]
            sessions.append(session)
            stale.append(float(outdated))
            if outdated:
                evidence.append((session, i))

        if value not in values:  # the agent set it: now it is known
            values.add(value)
            current[key] = value

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=hits,
        entities=len(values_by_key),
        evidence=_sources(trace, evidence),
    )


def self_reversion(trace: TraceSessions) -> ValueUses:
    """Return the changes of an argument; stale ones go back to the value before the last.

    They are compared with what is usual for their tool and attribute.
    """
    order, keys = _relevant_observations(trace, with_shows=False)
    observations = trace.values
    rank = _ranks(trace)
    last: dict[int, int] = {}
    before_last: dict[int, int] = {}

    sessions: list[int] = []
    stale: list[float] = []
    groups: list[tuple[int, int]] = []
    evidence: deque[tuple[int, int]] = deque(maxlen=MOST_EVIDENCE)

    for i in order:
        key = keys[i]
        value = observations.value[i]
        previous = last.get(key)

        if previous is None:
            last[key] = value
            continue

        if value == previous:
            continue

        if key in before_last:
            session = rank[observations.session[i]]
            is_reversion = value == before_last[key]
            sessions.append(session)
            stale.append(float(is_reversion))
            groups.append((observations.tool[i], observations.attribute[i]))
            if is_reversion:
                evidence.append((session, i))

        before_last[key] = previous
        last[key] = value

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=_beyond_group(hits, groups),
        entities=len(last),
        evidence=_sources(trace, evidence),
    )


def corrections(trace: TraceSessions) -> ValueUses:
    """Return user turns; stale ones correct an outdated value, by English text patterns."""
    sessions: list[int] = []
    stale: list[float] = []
    evidence: list[tuple[int, Source | None]] = []

    for place, session in enumerate(trace.sessions):
        for turn in session.turns[1:]:
            is_correction = CORRECTS.search(turn.text) is not None
            sessions.append(place)
            stale.append(float(is_correction))
            if is_correction:
                evidence.append((place, turn.source))

    hits = np.array(stale)
    return ValueUses(
        session=np.array(sessions, dtype=np.intp),
        stale=hits,
        value=hits,
        entities=0,
        evidence=evidence,
    )


def _sources(
    trace: TraceSessions,
    evidence: Iterable[tuple[int, int]],
) -> list[tuple[int, Source | None]]:
    return [(session, trace.values.place(i)) for session, i in evidence]


def _ranks(trace: TraceSessions) -> dict[int, int]:
    """Return the number of each session in time by its number of arrival."""
    return {session.arrival: i for i, session in enumerate(trace.sessions)}


def _relevant_observations(trace: TraceSessions, with_shows: bool) -> tuple[list[int], list[int]]:
    """Return the observations that can matter, in order of time, and the key of every observation.

    Only keys with two or more values matter. With shows, they must be both shown and used.
    """
    observations = trace.values
    use = np.array(observations.use, dtype=bool)
    key = np.array(observations.key, dtype=np.int64)
    value = np.array(observations.value, dtype=np.int64)
    tool = np.array(observations.tool, dtype=np.int64)
    attribute = np.array(observations.attribute, dtype=np.int64)
    rank = _ranks(trace)
    place = np.array([rank.get(s, -1) for s in observations.session], dtype=np.int64)
    has_entity = key != 0

    if with_shows:
        is_used = np.isin(key, key[use & has_entity])
        is_shown = np.isin(key, key[~use])
        relevant = has_entity & is_used & is_shown
    else:
        # A call without an entity is told apart by its tool and attribute alone.
        by_entity = key ^ (tool * 1_000_003)
        by_tool = -(tool * 100_003 + attribute) - 1
        key = np.where(has_entity, by_entity, by_tool)
        relevant = use.copy()

    relevant &= place >= 0

    if relevant.any():
        rows = np.flatnonzero(relevant)
        keys, index = np.unique(key[rows], return_inverse=True)
        distinct = np.unique(np.column_stack([index, value[rows]]), axis=0)
        n_values = np.bincount(distinct[:, 0], minlength=len(keys))
        relevant[rows] = n_values[index] >= 2

    rows = np.flatnonzero(relevant)
    time = _times(trace, rows, place[rows])
    order = rows[np.lexsort((rows, time))]

    return order.tolist(), key.tolist()


def _times(trace: TraceSessions, rows: NDArray[np.intp], place: NDArray[np.int64]) -> Floats:
    """Return the time of each observation, else of its session; session numbers where unknown."""
    starts = [np.nan if s.start is None else s.start for s in trace.sessions]
    session_start = np.array([starts[p] for p in place], dtype=np.float64)
    all_times = np.array(trace.values.time, dtype=np.float64)
    time = all_times[rows]
    time = np.where(np.isnan(time), session_start, time)

    if trace.logical or np.isnan(time).any():
        return place.astype(np.float64)

    return np.asarray(time)


def _beyond_group(hits: Floats, groups: list[tuple[int, int]]) -> Floats:
    """Return each value minus the mean of its group."""
    if not len(hits):
        return hits

    totals: dict[tuple[int, int], list[float]] = {}
    for value, group in zip(hits.tolist(), groups, strict=True):
        total = totals.setdefault(group, [0.0, 0.0])
        total[0] += 1
        total[1] += value

    means = {group: value_sum / n for group, (n, value_sum) in totals.items()}
    expected = np.array([means[group] for group in groups])
    return np.asarray(hits - expected)


# ------------------------------------------------------------------------------------------------
# the tests


def _mechanism(
    trace: TraceSessions,
    null: NullModel,
    uses: ValueUses,
    tier: int,
    alpha: float,
) -> Mechanism:
    """Return the mechanism of one tier, tested where there are enough uses."""
    n = len(trace.sessions)
    counts = np.bincount(uses.session, minlength=n)
    hits = np.bincount(uses.session, weights=uses.stale, minlength=n)

    trajectory: Trajectory = []
    for session_hits, count in zip(hits, counts, strict=True):
        share = round(float(session_hits / count), 6) if count else None
        trajectory.append(share)

    signal = Signal(
        name="value_supersession",
        unit="share of stale uses in the last third",
        rising_is_bad=True,
        trajectory=trajectory,
        counts=[int(count) for count in counts],
        minimum=0.10,
        moderate=0.25,
    )

    details = RevisionDetails(
        tier=tier + 1,
        n_uses=len(uses),
        n_stale_propagations=int(uses.stale.sum()),
        n_entities_tracked=uses.entities,
        stale_uses=[record_place(*place) for place in uses.evidence[-MOST_EVIDENCE:]],
    )
    weak = tier == CORRECTIONS
    mechanism = Mechanism("revision", TIERS[tier], [signal], None, details, weak=weak)

    too_few = len(uses) < LEAST_USES or n < 3
    if too_few or (tier != PROPAGATION and np.ptp(uses.value) < 1e-9):
        return mechanism

    if len(uses) > MOST_USES:
        uses = _thinned(uses)

    fit = _trend(uses, null)
    signal.test = PermutationTest(fit.scores, None, fit)
    mechanism.test = signal.test
    base = trace.profile.base_stale_rate

    if tier == PROPAGATION:
        _test_trend_and_level(mechanism, signal, details, fit, uses, base)
    else:
        _test_trend_alone(mechanism, signal, details, fit, uses)

    if null.may_fire:
        signal.visible = _visible(signal, details, fit, uses, tier, base, alpha)

    return mechanism


def _trend(uses: ValueUses, null: NullModel) -> EffectFit:
    affordable = MOST_CELLS // max(1, len(uses))
    count = max(FEWEST_PERMUTATIONS, min(null.permutations, affordable))
    times = session_times(null.n_sessions)[uses.session]
    return fit_clustered_slope(times, uses.value, uses.session, count, null.rng(STREAM))


def _add_ends(details: RevisionDetails, uses: ValueUses) -> tuple[float, float, int]:
    """Fill in the stale rates of the first and last third; return them with the size of a third."""
    third = max(1, len(uses) // 3)
    early = float(uses.stale[:third].mean())
    late = float(uses.stale[-third:].mean())
    details.early_stale_rate = round(early, 6)
    details.late_stale_rate = round(late, 6)
    details.late_n = third

    return early, late, third


def _test_trend_and_level(
    mechanism: Mechanism,
    signal: Signal,
    details: RevisionDetails,
    fit: EffectFit,
    uses: ValueUses,
    base: float,
) -> None:
    """Test the trend, and the level against the base rate; the smaller p counts, doubled."""
    inflation = design_effect(uses.stale, uses.session)
    _, late, third = _add_ends(details, uses)
    signal.effect = late
    signal.interval = wilson(late, max(1.0, third / inflation))

    p_trend = p_value(fit.scores)
    p_level = None

    # A share that falls is no level that the agent keeps to.
    half = len(uses) // 2
    first_half = uses.stale[:half].mean()
    second_half = uses.stale[half:].mean()
    if second_half >= first_half:
        k = float(uses.stale.sum())
        n = float(len(uses))
        p_level = binomial_tail(k / inflation, n / inflation, base)

    by_level = p_level is not None and p_level < p_trend
    mechanism.p = min(1.0, 2 * min(p_trend, p_level or 1.0))
    details.fired_by = "level" if by_level else "trend"
    details.p_trend = p_trend
    details.p_level = p_level
    details.base_stale_rate = base
    details.level_policy = LEVEL_POLICY
    details.design_effect = round(inflation, 4)


def _test_trend_alone(
    mechanism: Mechanism,
    signal: Signal,
    details: RevisionDetails,
    fit: EffectFit,
    uses: ValueUses,
) -> None:
    """Test the trend: without a base rate, a level says nothing."""
    _add_ends(details, uses)
    signal.effect = fit.effect
    signal.interval = fit.interval()
    signal.unit = "share of stale uses, last minus first session"
    mechanism.p = p_value(fit.scores)
    details.fired_by = "trend"
    details.p_trend = mechanism.p
    details.p_level = None
    details.base_stale_rate = None
    details.level_policy = None
    details.design_effect = round(design_effect(uses.stale, uses.session), 4)


def _visible(
    signal: Signal,
    details: RevisionDetails,
    fit: EffectFit,
    uses: ValueUses,
    tier: int,
    base: float,
    alpha: float,
) -> float | None:
    """Return the smallest effect that would have been seen; None where none would."""
    if tier != PROPAGATION:
        slope = visible_slope(fit, critical_value(fit.scores, alpha), POWER)
        return None if slope is None else max(signal.minimum, slope)

    if len(uses) < TESTABLE_USES:
        return None

    alpha /= 2  # two tests, of trend and level
    third = max(1, len(uses) // 3)
    early = float(uses.stale[:third].mean())

    rates = []
    slope = visible_slope(fit, critical_value(fit.scores, alpha), POWER)
    if slope is not None:
        rates.append(slope + min(base, early))

    inflation = design_effect(uses.stale, uses.session)
    level = visible_rate(len(uses) / inflation, base, alpha, POWER)
    if level is not None:
        rates.append(level)

    return max(signal.minimum, min(rates)) if rates else None


def _thinned(uses: ValueUses) -> ValueUses:
    """Return MOST_USES of the uses, evenly spread."""
    rows = np.linspace(0, len(uses) - 1, MOST_USES).astype(np.intp)
    return ValueUses(
        session=uses.session[rows],
        stale=uses.stale[rows],
        value=uses.value[rows],
        entities=uses.entities,
        evidence=uses.evidence,
    )
