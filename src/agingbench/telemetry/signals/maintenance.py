"""Maintenance: errors, effort and failed tasks in the sessions after a lifecycle event.

A lifecycle event is something that is done to the agent: a compaction, a cleared history, another
prompt. Sessions are permuted; the events stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats, Orders, p_value, standardised
from agingbench.metrics.spread import robust_spread
from agingbench.metrics.trend import (
    EffectFit,
    fit_designs,
    fit_effect,
    precision_weights,
    session_times,
    zero_filled,
)
from agingbench.telemetry.inference.evidence import ALPHA, Mechanism, Signal, joint_test, rates
from agingbench.telemetry.inference.null_model import LEAST_SESSIONS, NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import LifecycleRecord, TraceSession, TraceSessions
from agingbench.telemetry.signals.details import EventPlace, MaintenanceDetails, Trajectory
from agingbench.telemetry.signals.placebo import matched_comparison

REACH = (1, 2, 3)  # sessions that an event may hurt
ROUTINE = 1 / 4  # of all sessions: what happens more often is how the agent is used, not a shock
LEAST_EVENTS = 2
LEAST_RESULTS = 40
LEAST_OUTCOMES = 10
PLACEBOS = 199  # random placements of the events
PLACEBO_STREAM = 6  # of random numbers
LEAST_PLACEBO = 5  # sessions without an event from which a spread is known
LISTED_EVENTS = 50
# Errors are rare: what sessions differ in is mostly chance, so that long ones should count for
# more.
RARE_SCALE = 4.0
# The new model's or client's own ways cannot be told from damage: they are confounders, shown and
# not tested.
_CONFOUNDERS = ("model_change", "client_change", "resume")


@dataclass
class DamageSeries:
    """One thing that an event may make worse, per session."""

    signal: Signal
    y: Floats
    counts: Floats
    stable: Floats  # `y` with a variance that does not depend on its level: what is tested
    scale: float = 1.0  # how long observations go on adding to the weight of a session


@dataclass
class Exposure:
    """The sessions that one kind of event may have hurt, and those that say nothing about it."""

    kind: str
    reach: int
    post: Floats
    excluded: list[int]


class _Events:
    """The lifecycle events of one trace with the numbers of their sessions."""

    def __init__(self, records: Sequence[LifecycleRecord], place: dict[int, int]) -> None:
        self.records = [record for record in records if id(record.session) in place]
        self.place = place

    def at(self, record: LifecycleRecord) -> int:
        """Return the number of the session that an event belongs to."""
        return self.place[id(record.session)]

    def of_kinds(self, kinds: set[str]) -> _Events:
        """Return the events of some kinds."""
        records = [record for record in self.records if record.kind in kinds]
        return _Events(records, self.place)

    def sessions(self) -> list[int]:
        """Return the sessions with an event, in order."""
        places = {self.at(record) for record in self.records}
        return sorted(places)

    def inside(self) -> set[int]:
        """Return the sessions with an event that happened after they had begun."""
        return {self.at(record) for record in self.records if record.within}


def maintenance(
    trace: TraceSessions,
    null: NullModel,
    success: Sequence[float | None],
    outcomes: Sequence[int],
) -> Mechanism:
    """Return the mechanism: the largest damage over one to three sessions, over all series."""
    sessions = trace.sessions
    place = {id(session): i for i, session in enumerate(sessions)}
    events = _Events(trace.lifecycle, place)
    kinds = _tested_kinds(events.records, len(sessions))
    tested = events.of_kinds(kinds)

    series = _damage_series(sessions, success, outcomes)
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

    exposures = _exposures(tested, len(sessions))
    if exposures and null.n_sessions >= LEAST_SESSIONS:
        _test(mechanism, series, exposures, null)
        details.p_placebo = _placebo_p(mechanism, series, tested, null)

    matched = matched_comparison(sessions, null)
    details.placebo_moments = matched.block
    total = _add_damage(details, series[0], tested, len(sessions), matched.damage)

    if details.shock_damage_n and mechanism.test is not None:
        harmful = total > 0 and mechanism.test.p <= ALPHA
        details.shock_damage_verdict = "rising_degradation" if harmful else "flat"

    return mechanism


# ------------------------------------------------------------------------------------------------
# events


def _tested_kinds(records: Sequence[LifecycleRecord], n: int) -> set[str]:
    """Return the kinds of events that are tested: neither confounders nor routine."""
    sessions: dict[str, set[int]] = {}
    for record in records:
        if record.kind not in _CONFOUNDERS and record.session.id:
            sessions.setdefault(record.kind, set()).add(id(record.session))

    return {kind for kind, of_kind in sessions.items() if len(of_kind) <= ROUTINE * n}


def _exposures(events: _Events, n: int) -> list[Exposure]:
    """Return the exposures per kind of event that came often enough; pooled where none did."""
    by_kind: dict[str, list[LifecycleRecord]] = {}
    for record in events.records:
        by_kind.setdefault(record.kind, []).append(record)

    frequent: dict[str, _Events] = {}
    for kind, records in by_kind.items():
        own = _Events(records, events.place)
        if len(own.sessions()) >= LEAST_EVENTS:
            frequent[kind] = own

    if not frequent and len(events.sessions()) >= LEAST_EVENTS:
        all_kinds = "+".join(sorted(by_kind))
        frequent = {all_kinds: events}

    exposures = []
    for kind, own in sorted(frequent.items()):
        inside = own.inside()
        for reach in REACH:
            post = post_sessions(own.sessions(), inside, n, reach)

            # With fewer sessions on either side there is nothing to compare.
            if 2 <= post.sum() <= n - 3:
                excluded = [i for i in inside if not post[i]]
                exposures.append(Exposure(kind, reach, post, excluded))

    return exposures


def post_sessions(sessions: Sequence[int], inside: set[int], n: int, reach: int) -> Floats:
    """Return 1 for the sessions that an event may hurt, 0 for the others.

    They begin with the event's own session, or with the next where it happened inside a session.
    """
    post = np.zeros(n)
    for at in sessions:
        first = at + 1 if at in inside else at
        post[first : first + reach] = 1.0

    return post


# ------------------------------------------------------------------------------------------------
# series


def _damage_series(
    sessions: Sequence[TraceSession],
    success: Sequence[float | None],
    outcomes: Sequence[int],
) -> list[DamageSeries]:
    """Return error rate, effort per task and, where outcomes are known, the failure rate."""
    results = [session.results for session in sessions]
    errors = [session.process_errors for session in sessions]
    turns = [session.n_turns for session in sessions]

    effort: Trajectory = []
    for session in sessions:
        log_calls = None
        if session.n_turns:
            log_calls = math.log((session.tool_calls + 1) / session.n_turns)
        effort.append(log_calls)

    signals = [
        Signal(
            name="error_rate",
            unit="share of failed results, after events minus before",
            rising_is_bad=True,
            trajectory=rates(errors, results),
            counts=results,
            minimum=0.05,
            moderate=0.10,
        ),
        Signal(
            name="effort_per_task",
            unit="factor of tool calls per task, after events over before",
            rising_is_bad=True,
            trajectory=effort,
            counts=turns,
            minimum=math.log(1.25),
            moderate=math.log(2.0),
            unit_of=math.exp,
            ceiling=None,
            floor=None,
        ),
    ]
    if sum(outcomes) >= LEAST_OUTCOMES:
        signals.append(
            Signal(
                name="failure_rate",
                unit="share of failed tasks, after events minus before",
                rising_is_bad=True,
                trajectory=[None if rate is None else 1.0 - rate for rate in success],
                counts=list(outcomes),
                minimum=0.10,
                moderate=0.20,
            )
        )

    return [_series_of(signal) for signal in signals]


def _series_of(signal: Signal) -> DamageSeries:
    y = zero_filled(signal.trajectory)
    counts = zero_filled([float(count) for count in signal.counts])
    if signal.ceiling is None:
        return DamageSeries(signal, y, counts, y)

    # A share: Anscombe's transform makes its variance independent of its level.
    smoothed = (y * counts + 0.375) / (counts + 0.75)
    angle = np.arcsin(np.sqrt(smoothed))
    return DamageSeries(signal, y, counts, np.asarray(angle), RARE_SCALE)


# ------------------------------------------------------------------------------------------------
# tests


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
        signal.interval = reported.interval()
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
    events: _Events,
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


# ------------------------------------------------------------------------------------------------
# damage per event


def _add_damage(
    details: MaintenanceDetails,
    errors: DamageSeries,
    events: _Events,
    n: int,
    by_moments: dict[int, float],
) -> float:
    """Fill in the signed damage per event in robust deviations of the placebo; return the total.

    For a compaction inside a session the placebo are matched moments where there are enough; else
    it is the same difference between sessions without an event.
    """
    sessions = set(events.sessions())
    inside = events.inside()

    placebo = []
    for at in range(1, n):
        near_event = any(abs(at - session) < 3 for session in sessions)
        step = None if near_event else _step(errors, at, at)
        if step is not None:
            placebo.append(step)

    centre, spread = _centre_and_spread(placebo)

    trajectory: Trajectory = []
    total = 0.0
    n_events = 0
    n_by_moments = 0

    for at in range(n):
        if at in sessions and at in inside and at in by_moments:
            total += by_moments[at]
            n_events += 1
            n_by_moments += 1
        elif at in sessions and spread > 1e-9:
            first_after = at + 1 if at in inside else at
            step = _step(errors, at, first_after)
            if step is not None:
                total += (step - centre) / spread
                n_events += 1

        trajectory.append(round(total, 6) if n_events else None)

    details.shock_damage_trajectory = trajectory if n_events else []
    details.shock_damage_n = n_events
    details.shock_damage_n_by_moments = n_by_moments
    details.n_placebo = len(placebo)

    return total


def _centre_and_spread(placebo: Sequence[float]) -> tuple[float, float]:
    centre = float(np.median(placebo)) if placebo else 0.0
    if len(placebo) < LEAST_PLACEBO:
        return centre, 0.0

    spread = robust_spread(np.array(placebo), centre)
    return centre, spread if spread >= 1e-9 else float(np.std(placebo))


def _step(series: DamageSeries, before: int, first: int) -> float | None:
    """Return the mean of three sessions from `first` minus that of three before `before`."""
    end = min(len(series.y), first + 3)
    earlier = _weighted_mean(series, range(max(0, before - 3), before))
    later = _weighted_mean(series, range(first, end))
    if earlier is None or later is None:
        return None

    return later - earlier


def _weighted_mean(series: DamageSeries, sessions: range) -> float | None:
    rows = list(sessions)
    if not rows:
        return None

    counts = series.counts[rows]
    n = float(counts.sum())
    if not n:
        return None

    return float((series.y[rows] * counts).sum()) / n


def _details(
    sessions: Sequence[TraceSession],
    events: _Events,
    tested: _Events,
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
