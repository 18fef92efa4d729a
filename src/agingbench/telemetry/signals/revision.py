"""Revision: values that were replaced and are used all the same.

1. Propagation: a result or the user showed a new value of something, and a later call still gives
   the old one; found from data, in union with what the names of arguments tell.
2. Told values: what results and users said of a setting by its name, or users of something in
   passing, and what calls and answers give of it; beside the first, and alone where that has
   nothing to show.
3. Corrections: the user says that a value is outdated (weak: by text patterns alone), tested beside
   it, and alone where there are too few uses.
"""

from __future__ import annotations

import numpy as np

from agingbench.metrics.detection import binomial_tail, visible_rate
from agingbench.metrics.intervals import wilson
from agingbench.metrics.permutation import critical_value, p_value
from agingbench.metrics.trend import (
    EffectFit,
    design_effect,
    fit_clustered_slope,
    session_times,
    visible_slope,
)
from agingbench.records import Source
from agingbench.telemetry.inference.evidence import CI_LEVEL, POWER, Mechanism, Signal
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.details import (
    RevisionDetails,
    StaleValue,
    Trajectory,
    record_place,
)
from agingbench.telemetry.signals.named_values import named_uses
from agingbench.telemetry.signals.shown_values import shown_uses
from agingbench.telemetry.signals.told_values import told_uses
from agingbench.telemetry.signals.value_facts import facts_uses
from agingbench.telemetry.signals.value_uses import (
    MOST_EVIDENCE,
    ValueUses,
    corrections,
    propagation,
    self_reversion,
    thinned,
    union,
)
from agingbench.telemetry.signals.value_witnesses import read_witnesses

LEAST_USES = 12
LEAST_REPLACED = 5  # values that the user says hold no more, from which something can be outdated
KEEPS = 0.7  # share of the earlier half that the later half has to keep
LEAST_STALE = 6  # of a trend alone: the order of fewer is told by one or two
LEAST_SESSIONS = 4  # with uses, for a trend alone
LEAST_SPAN = 0.5  # share of the trace between the first and the last of these
TESTABLE_USES = 45  # below, a moderate effect cannot be ruled out
MOST_USES = 20_000  # more are thinned evenly
FEWEST_PERMUTATIONS = 199
MOST_CELLS = 4_000_000  # permutations times uses
STREAM = 5  # of random numbers
# Where the uses come from, best first; the card counts from 1.
PROPAGATION = 0
TOLD = 1
CORRECTIONS = 2
SOURCES = {
    PROPAGATION: "tool_result_update_propagation",
    TOLD: "told_value_propagation",
    CORRECTIONS: "user_correction_text_patterns_fallback",
}
# Smallest and moderate effect: the share in the last third, else the rise from first to last. Of
# what is told in passing half of the uses are found at most, so that less is left of a rise.
EFFECTS = {PROPAGATION: (0.10, 0.25), TOLD: (0.05, 0.12), CORRECTIONS: (0.05, 0.12)}
EXACT_EFFECTS = (0.08, 0.15)
MOSTLY = 0.7  # share of the uses
HIGH = 0.01  # p-value of the base rate from which outdated values are common throughout
LEVEL_POLICY = "a high constant share of stale uses counts, against the documented base rate"


def revision(trace: TraceSessions, null: NullModel, alpha: float) -> Mechanism:
    """Return the mechanism from outdated values that calls give, else from corrections alone."""
    witnesses = read_witnesses(trace)
    from_data, covered = facts_uses(trace, witnesses)
    attributes = frozenset(attribute for _, attribute in covered)
    uses = union(from_data, propagation(trace, attributes))
    tier = PROPAGATION

    by_value = shown_uses(trace, _counted(uses))
    levelled = uses
    if len(by_value) >= LEAST_USES:
        uses = union(uses, by_value) if uses.stale.any() else by_value

    counted = _counted(uses)
    named = named_uses(witnesses, counted)
    told = union(named, told_uses(trace, counted | named.places))
    if len(told) >= LEAST_USES and not uses.stale.any():
        uses = told
        tier = TOLD
    elif len(told) >= LEAST_USES:
        tier = PROPAGATION if len(uses) >= len(told) else TOLD
        uses = union(uses, told)
        levelled = union(levelled, told)
    elif len(uses) < LEAST_USES:
        uses = corrections(trace)
        tier = CORRECTIONS

    is_exact = tier == TOLD and uses.exact >= MOSTLY * len(uses)
    mechanism = _mechanism(trace, null, uses, levelled, tier, alpha, is_exact)
    can_be_outdated = tier != CORRECTIONS and bool(uses.stale.any())
    mechanism.shows_itself = can_be_outdated or trace.told.replaced >= LEAST_REPLACED
    details = mechanism.details
    assert isinstance(details, RevisionDetails)
    details.found_in = sorted(f"{tool}.{attribute}" for tool, attribute in covered)
    given = [*from_data.given, *by_value.given, *told.given]
    details.stale_values = [StaleValue(*pair) for pair in given[-MOST_EVIDENCE:]]

    # An argument that goes back to the value before its last one: shown, and no ground to fire.
    reversions = self_reversion(trace)
    details.n_self_reversion_uses = len(reversions)
    if len(reversions):
        details.self_reversion_rate = round(float(reversions.stale.mean()), 6)

    return mechanism


def _counted(uses: ValueUses) -> frozenset[Source | None]:
    """Return the records whose uses need not be looked for again: none where nothing is stale."""
    return uses.places if uses.stale.any() else frozenset()


def _mechanism(
    trace: TraceSessions,
    null: NullModel,
    uses: ValueUses,
    levelled: ValueUses,
    tier: int,
    alpha: float,
    is_exact: bool,
) -> Mechanism:
    """Return the mechanism of one tier, tested where there are enough uses.

    The level of `levelled` is tested as well as the trend of all uses: of what displays show, uses
    of old values are known sooner than those of new ones. `is_exact` says that of what was told
    hardly any use is missed.
    """
    n = len(trace.sessions)
    counts = np.bincount(uses.session, minlength=n)
    hits = np.bincount(uses.session, weights=uses.stale, minlength=n)

    trajectory: Trajectory = []
    for session_hits, count in zip(hits, counts, strict=True):
        share = round(float(session_hits / count), 6) if count else None
        trajectory.append(share)

    minimum, moderate = EXACT_EFFECTS if is_exact else EFFECTS[tier]
    signal = Signal(
        name="value_supersession",
        unit="share of stale uses in the last third",
        rising_is_bad=True,
        trajectory=trajectory,
        counts=[int(count) for count in counts],
        minimum=minimum,
        moderate=moderate,
    )

    details = RevisionDetails(
        tier=tier + 1,
        n_uses=len(uses),
        n_stale_propagations=int(uses.stale.sum()),
        n_entities_tracked=uses.entities,
        stale_uses=[record_place(*place) for place in uses.evidence[-MOST_EVIDENCE:]],
    )
    weak = tier == CORRECTIONS
    mechanism = Mechanism("revision", SOURCES[tier], [signal], None, details, weak=weak)

    has_level = tier == PROPAGATION and len(levelled) >= LEAST_USES
    too_few = len(uses) < LEAST_USES or n < 3
    if too_few or not (has_level or _shows_a_trend(uses, n)):
        return mechanism

    if len(uses) > MOST_USES:
        uses = thinned(uses, MOST_USES)

    fit = _trend(uses, null)
    signal.test = PermutationTest(fit.scores, None, fit)
    mechanism.test = signal.test
    base = trace.profile.base_stale_rate

    if has_level:
        _test_trend_and_level(mechanism, signal, details, fit, uses, levelled, base)
    else:
        _test_trend_alone(mechanism, signal, details, fit, uses)
        mechanism.few_cases = uses.stale.sum() < LEAST_STALE
        mechanism.stands_high = is_exact and _p_level(uses, base) <= HIGH

    if null.can_be_answered:
        signal.visible = _visible(signal, fit, uses, has_level, base, alpha)

    return mechanism


def _shows_a_trend(uses: ValueUses, n_sessions: int) -> bool:
    """Return whether uses differ, and span so much of the trace that a line can speak of it."""
    sessions = np.unique(uses.session)
    spans = np.ptp(sessions) >= LEAST_SPAN * (n_sessions - 1)
    return bool(np.ptp(uses.value) > 1e-9 and len(sessions) >= LEAST_SESSIONS and spans)


def _trend(uses: ValueUses, null: NullModel) -> EffectFit:
    affordable = MOST_CELLS // max(1, len(uses))
    count = max(FEWEST_PERMUTATIONS, min(null.permutations, affordable))
    times = session_times(null.n_sessions)[uses.session]
    return fit_clustered_slope(times, uses.value, uses.session, count, null.rng(STREAM))


def _p_level(uses: ValueUses, base: float) -> float:
    """Return how likely so many stale uses are at the base rate."""
    inflation = design_effect(uses.stale, uses.session)
    return binomial_tail(float(uses.stale.sum()) / inflation, len(uses) / inflation, base)


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
    levelled: ValueUses,
    base: float,
) -> None:
    """Test the trend, and the level against the base rate; the smaller p counts, doubled."""
    inflation = design_effect(uses.stale, uses.session)
    _, late, third = _add_ends(details, uses)
    signal.effect = late
    signal.interval = wilson(late, max(1.0, third / inflation), CI_LEVEL)

    p_trend = p_value(fit.scores)
    p_level = None

    # A share that falls is no level that the agent keeps to.
    half = len(levelled) // 2
    first_half = levelled.stale[:half].mean()
    second_half = levelled.stale[half:].mean()
    if second_half >= KEEPS * first_half:
        p_level = _p_level(levelled, base)

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
    signal.interval = fit.interval(CI_LEVEL)
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
    fit: EffectFit,
    uses: ValueUses,
    has_level: bool,
    base: float,
    alpha: float,
) -> float | None:
    """Return the smallest effect that would have been seen; None where none would."""
    if not has_level:
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
