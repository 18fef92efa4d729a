"""Maintenance: errors, effort and failed tasks in the sessions after a lifecycle event.

A lifecycle event is something that is done to the agent: a compaction, a cleared history, another
prompt. Sessions are permuted; the events stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, p_value, standardised
from agingbench.metrics.trend import (
    EffectFit,
    fit_designs,
    fit_effect,
    precision_weights,
    session_times,
)
from agingbench.telemetry.inference.evidence import ALPHA, CI_LEVEL, Mechanism, joint_test, rates
from agingbench.telemetry.inference.null_model import LEAST_SESSIONS, NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.damage import DamageSeries, add_damage, damage_series
from agingbench.telemetry.signals.details import EventPlace, MaintenanceDetails, Trajectory
from agingbench.telemetry.signals.exposures import (
    REACH,
    Exposure,
    LifecycleEvents,
    event_exposures,
    post_sessions,
    tested_kinds,
)
from agingbench.telemetry.signals.placebo import matched_comparison

LEAST_RESULTS = 40
PLACEBOS = 199  # random placements of the events
PLACEBO_STREAM = 6  # of random numbers
LISTED_EVENTS = 50


def maintenance(
    trace: TraceSessions,
    null: NullModel,
    success: Sequence[float | None],
    outcomes: Sequence[int],
) -> Mechanism:
    """Return the mechanism: the largest damage over one to three sessions, over all series."""
    sessions = trace.sessions
    place = {id(session): i for i, session in enumerate(sessions)}
    events = LifecycleEvents(trace.lifecycle, place)
    kinds = tested_kinds(events.records, len(sessions))
    tested = events.of_kinds(kinds)

    series = damage_series(sessions, success, outcomes)
    details = _details(sessions, events, tested, kinds)
    derived_from = "errors_and_effort_after_events"
    if any(outcomes):
        derived_from += "+outcomes"

    mechanism = Mechanism(
        name="maintenance",
        derived_from=derived_from,
        signals=[one.signal for one in series],
        test=None,
        details=details,
    )

    exposures = event_exposures(tested, len(sessions))
    if exposures and null.n_sessions >= LEAST_SESSIONS:
        _test(mechanism, series, exposures, null)
        details.p_placebo = _placebo_p(mechanism, series, tested, null)

    matched = matched_comparison(sessions, null)
    details.placebo_moments = matched.block
    total = add_damage(details, series[0], tested, len(sessions), matched.damage)

    if details.shock_damage_n and mechanism.test is not None:
        harmful = total > 0 and mechanism.test.p <= ALPHA
        details.shock_damage_verdict = "rising_degradation" if harmful else "flat"

    return mechanism


def _test(
    mechanism: Mechanism,
    series: Sequence[DamageSeries],
    exposures: Sequence[Exposure],
    null: NullModel,
) -> None:
    """Test each series over all exposures together, and report its effect at the largest."""
    for one in series:
        signal = one.signal
        if signal.name == "error_rate" and signal.n < LEAST_RESULTS:
            continue

        usable = []
        for exposure in exposures:
            fit = _fit(one, exposure, null.orders)
            if fit.df >= 2:
                usable.append((exposure, fit))

        if not usable:
            continue

        largest, _ = max(usable, key=lambda pair: float(pair[1].scores[0]))
        scores = _largest_scores([fit for _, fit in usable])

        day_scores = None
        if null.day_orders is not None:
            day_fits = [_fit(one, exposure, null.day_orders) for exposure, _ in usable]
            day_scores = _largest_scores(day_fits)

        reported = _fit(one, largest, null.orders, raw=True)
        signal.test = PermutationTest(scores, day_scores, reported)
        signal.effect = reported.effect
        signal.interval = reported.interval(CI_LEVEL)
        signal.sessions_after_event = largest.reach
        signal.event_kind = largest.kind

    mechanism.test = joint_test(mechanism.signals)


def _largest_scores(fits: Sequence[EffectFit]) -> Floats:
    """Return per ordering the largest score: a test over several exposures at once."""
    scores = np.vstack([standardised(fit.scores) for fit in fits])
    return np.asarray(np.max(scores, axis=0))


def _fit(series: DamageSeries, exposure: Exposure, orders: Orders, raw: bool = False) -> EffectFit:
    """Fit the step after events beside a linear trend; `raw` values are not stabilised."""
    w = precision_weights(series.counts, series.scale)
    # What led to a compaction is not its damage: the session it happened in says nothing.
    w[exposure.excluded] = 0.0

    n = len(w)
    design = np.column_stack([exposure.post, np.ones(n), session_times(n)])
    y = series.y if raw else series.stable
    return fit_effect(design, 0, y, w, orders)


def _placebo_p(
    mechanism: Mechanism,
    series: Sequence[DamageSeries],
    events: LifecycleEvents,
    null: NullModel,
) -> float | None:
    """Return how often as many events at random sessions hurt the leading series as much."""
    tested = [one for one in series if one.signal.test is not None]
    if mechanism.test is None or not tested:
        return None

    leading = min(tested, key=lambda one: 1.0 if one.signal.p is None else one.signal.p)
    kind = leading.signal.event_kind
    kinds = set(kind.split("+")) if isinstance(kind, str) else set()
    own = events.of_kinds(kinds)
    at = own.sessions()

    n_inside = sum(record.within for record in own.records)
    mostly_inside = n_inside * 2 > len(own.records)

    rng = null.rng(PLACEBO_STREAM)
    n = null.n_sessions
    placements = [at]
    for _ in range(PLACEBOS):
        places = rng.choice(n, len(at), replace=False)
        placements.append(sorted(places.tolist()))

    w = precision_weights(leading.counts, leading.scale)
    if mostly_inside:
        w[at] = 0.0

    times = np.tile(session_times(n), (len(placements), 1))
    scores = []
    for reach in REACH:
        posts = []
        for placement in placements:
            inside = set(placement) if mostly_inside else set()
            posts.append(post_sessions(placement, inside, n, reach))

        post = np.stack(posts)
        designs = np.stack([post, np.ones_like(post), times], axis=2)
        scores.append(fit_designs(designs, 0, leading.stable, w))

    largest = np.max(np.vstack(scores), axis=0)
    return p_value(largest)


def _details(
    sessions: Sequence[TraceSession],
    events: LifecycleEvents,
    tested: LifecycleEvents,
    kinds: set[str],
) -> MaintenanceDetails:
    by_kind: dict[str, int] = {}
    for record in events.records:
        by_kind[record.kind] = by_kind.get(record.kind, 0) + 1

    latency: Trajectory = []
    interventions: list[int] = []
    calls: list[int] = []

    for session in sessions:
        middle = None
        if session.durations:
            middle = round(float(np.median(session.durations)), 3)

        latency.append(middle)
        rejections = session.errors.get("rejected", 0)
        cancellations = session.errors.get("cancelled", 0)
        interventions.append(rejections + cancellations)
        calls.append(session.tool_calls)

    shocks = []
    for record in tested.records[:LISTED_EVENTS]:
        shocks.append(EventPlace(tested.at(record), record.kind, record.confidence))

    return MaintenanceDetails(
        n_shocks=len(tested.records),
        n_events=len(events.records),
        events_by_kind=dict(sorted(by_kind.items())),
        tested_kinds=sorted(kinds),
        shock_sessions=tested.sessions(),
        shocks=shocks,
        latency_p50_trajectory=latency,
        intervention_rate_trajectory=rates(interventions, calls),
    )
