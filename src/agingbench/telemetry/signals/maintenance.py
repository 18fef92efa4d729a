"""Maintenance: errors and effort after lifecycle events, by segments of sessions.

A lifecycle event is something that is done to the agent: a compaction, a cleared history, another
prompt. Sessions are cut at events, and what lies after one is compared with the rest, beside time
and work; residuals are permuted (Freedman and Lane).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.conditioning import independent, residual_beside
from agingbench.metrics.permutation import Floats, Orders, orderings, standardised
from agingbench.metrics.trend import EffectFit, fit_effect, precision_weights, session_times
from agingbench.telemetry.inference.evidence import (
    ALPHA,
    CI_LEVEL,
    Mechanism,
    Signal,
    joint_test,
    rates,
)
from agingbench.telemetry.inference.null_model import LEAST_SESSIONS, NullModel, PermutationTest
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import (
    Counts,
    TraceSession,
    TraceSessions,
    add_counts,
)
from agingbench.telemetry.signals.damage import add_damage, damage_series
from agingbench.telemetry.signals.details import EventPlace, MaintenanceDetails, Trajectory
from agingbench.telemetry.signals.exposures import LifecycleEvents, tested_kinds
from agingbench.telemetry.signals.placebo import matched_comparison
from agingbench.telemetry.signals.reliability import (
    RARE_SCALE,
    counted_errors,
    outcome_means,
    turn_errors,
)
from agingbench.telemetry.signals.segments import Exposure, Segments, cut_into_segments
from agingbench.telemetry.signals.shock_tiers import shock_tier

LEAST_RESULTS = 40
FEWEST_PERMUTATIONS = 199
MOST_CELLS = 400_000  # permutations times units
STREAM = 6  # of random numbers
LISTED_EVENTS = 50


def maintenance(
    trace: TraceSessions,
    null: NullModel,
    success: Sequence[float | None],
    outcomes: Sequence[int],
    work: Work,
    step: int | None = None,
) -> Mechanism:
    """Return the mechanism: the largest damage over several reaches, over all series.

    `step` is a session from which on everything is worse: then damage is what comes on top.
    """
    sessions = trace.sessions
    place = {id(session): i for i, session in enumerate(sessions)}
    events = LifecycleEvents(trace.lifecycle, place)
    kinds = tested_kinds(events.records)
    tested = events.of_kinds(kinds)

    series = damage_series(sessions, success, outcomes)
    details = _details(sessions, events, tested, kinds)
    derived_from = "errors_and_effort_after_events"
    if any(outcomes):
        derived_from += "+outcomes"

    signals = [one.signal for one in series]
    mechanism = Mechanism("maintenance", derived_from, signals, None, details)
    segments = cut_into_segments(sessions, trace.lifecycle)
    exposures, details.not_compared = segments.exposures()
    details.n_segments = len(segments.units)

    if exposures and null.n_sessions >= LEAST_SESSIONS:
        values = [
            _error_values(trace, segments, work),
            _effort_values(trace, segments, work),
            _outcome_values(segments, success, outcomes),
        ]
        of_unit = np.array([unit.session for unit in segments.units], dtype=np.intp)
        columns = [work.nuisance[of_unit], session_times(null.n_sessions)[of_unit]]
        if step is not None:
            columns.append((of_unit >= step).astype(np.float64))
        nuisance = independent(np.column_stack(columns))
        _test(mechanism, values, exposures, null, nuisance)

    matched = matched_comparison(sessions, null)
    details.placebo_moments = matched.block
    total = add_damage(details, series[0], tested, len(sessions), matched.damage)

    latency = details.latency_p50_trajectory
    plain = shock_tier(sessions, success, latency, details.shock_sessions)
    if plain is not None:
        details.shock_damage_tier = plain.tier
        details.shock_damage_tier_trajectory = plain.trajectory

    if details.shock_damage_n and mechanism.test is not None:
        harmful = total > 0 and mechanism.test.p <= ALPHA
        details.shock_damage_verdict = "rising_degradation" if harmful else "flat"

    return mechanism


@dataclass(frozen=True)
class UnitValues:
    """One value per unit, the observations behind it, and how long these add to its weight."""

    values: Floats
    counts: Floats
    scale: float = 1.0
    tested: Floats | None = None  # the values on another scale, on which they are tested

    def weights(self) -> Floats:
        """Return the weight of every unit."""
        return precision_weights(self.counts, self.scale)


def _groups(segments: Segments, work: Work) -> NDArray[np.intp]:
    """Return the unit of every request of the trace."""
    requests = work.requests
    first: dict[int, int] = {}
    for number, session in enumerate(requests.session.tolist()):
        first.setdefault(session, number)

    group = np.full(len(requests.turns), -1, dtype=np.intp)
    for number, unit in enumerate(segments.units):
        for place, _ in unit.turns:
            group[first[unit.session] + place] = number

    return group


def _unit_values(turns: TurnValues, segments: Segments, work: Work) -> UnitValues:
    """Return the values of requests summed up by unit, without what the requests explain."""
    n = len(segments.units)
    group = _groups(segments, work)
    inside = group >= 0
    counts = np.zeros(n)
    np.add.at(counts, group[inside], turns.counts[inside])
    sums = np.bincount(
        group[inside], weights=(turns.counts * turns.values[:, 0])[inside], minlength=n
    )
    values = sums / np.maximum(counts, 1e-9)
    explained = work.requests.explained_in(turns, group, n)[:, 0]
    return UnitValues(np.where(counts > 0, values - explained, 0.0), counts)


def _error_values(trace: TraceSessions, segments: Segments, work: Work) -> UnitValues:
    sessions = trace.sessions
    means = outcome_means(sessions)
    turns = turn_errors(sessions, means)
    explained = work.requests.explained_in(turns, _groups(segments, work), len(segments.units))

    outcomes = []
    for unit in segments.units:
        own = [turn.outcomes for _, turn in unit.turns]
        # A session without any request counts as a whole.
        outcomes.append(_added_up(own) if own else sessions[unit.session].outcomes)

    counted = counted_errors(outcomes, means)
    values = np.where(counted.trials > 0, counted.excess() - explained[:, 0], 0.0)
    return UnitValues(values, counted.trials, RARE_SCALE, counted.beyond(explained[:, 0]))


def _added_up(outcomes: Sequence[Counts]) -> Counts:
    """Return the results and failures of several requests by label."""
    total: Counts = {}
    for labels in outcomes:
        add_counts(total, labels)

    return total


def _effort_values(trace: TraceSessions, segments: Segments, work: Work) -> UnitValues:
    calls = [float(turn.calls) for turn in work.requests.turns]
    logs = np.log1p(np.array(calls)) if calls else np.zeros(0)
    turns = TurnValues(logs[:, None], np.ones(len(calls)))
    return _unit_values(turns, segments, work)


def _outcome_values(
    segments: Segments, success: Sequence[float | None], outcomes: Sequence[int]
) -> UnitValues:
    """Return the share of failures; a session's outcomes belong to its last unit."""
    values = np.zeros(len(segments.units))
    counts = np.zeros(len(segments.units))
    last = {unit.session: number for number, unit in enumerate(segments.units)}

    for session, number in last.items():
        rate = success[session]
        if rate is not None:
            values[number] = 1.0 - rate
            counts[number] = outcomes[session]

    return UnitValues(values, counts)


def _test(
    mechanism: Mechanism,
    values: Sequence[UnitValues],
    exposures: Sequence[Exposure],
    null: NullModel,
    nuisance: Floats,
) -> None:
    """Test each series over all exposures together, and report its effect at the largest."""
    n = len(nuisance)
    affordable = MOST_CELLS // max(1, n)
    count = max(FEWEST_PERMUTATIONS, min(null.permutations, affordable))
    orders = orderings(n, count, null.rng(STREAM))

    for signal, one in zip(mechanism.signals, values, strict=False):
        if signal.name == "error_rate" and one.counts.sum() < LEAST_RESULTS:
            continue

        usable = []
        for exposure in exposures:
            fit = _fit(one, exposure, nuisance, orders)
            if fit.df >= 2 and np.isfinite(fit.se):
                usable.append((exposure, fit))

        if usable:
            _report(signal, usable)

    mechanism.test = joint_test(mechanism.signals)


def _report(signal: Signal, usable: Sequence[tuple[Exposure, EffectFit]]) -> None:
    exposure, fit = max(usable, key=lambda pair: float(pair[1].scores[0]))
    scores = np.vstack([standardised(fit.scores) for _, fit in usable])
    signal.test = PermutationTest(np.asarray(np.max(scores, axis=0)), None, fit)
    signal.effect = fit.effect
    signal.interval = fit.interval(CI_LEVEL)
    signal.sessions_after_event = exposure.reach
    signal.event_kind = exposure.kind


def _fit(one: UnitValues, exposure: Exposure, nuisance: Floats, orders: Orders) -> EffectFit:
    """Fit the step after events beside time and work, permuting what these leave over."""
    w = one.weights()
    design = np.column_stack([exposure.after, nuisance])
    if independent(design[:, ::-1]).shape[1] < design.shape[1]:
        nothing = np.zeros(len(orders))
        return EffectFit(nothing, nothing, np.full(len(orders), math.inf), 0.0, len(w), 0)

    fit = fit_effect(design, 0, residual_beside(nuisance, one.values, w), w, orders)
    if one.tested is None:
        return fit

    tested = fit_effect(design, 0, residual_beside(nuisance, one.tested, w), w, orders)
    return msgspec.structs.replace(fit, scores=tested.scores)


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
