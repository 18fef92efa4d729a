"""Maintenance: errors, effort and failed tasks in the sessions after a lifecycle event.

Sessions are permuted; the events stay where they are.
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
PLACEBOS = 199
PLACEBO_STREAM = 6
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
        """The number of the session that an event belongs to."""
        return self.place[id(record.session)]

    def of_kinds(self, kinds: set[str]) -> _Events:
        """The events of some kinds."""
        return _Events([r for r in self.records if r.kind in kinds], self.place)

    def sessions(self) -> list[int]:
        """The sessions with an event, in order."""
        return sorted({self.at(record) for record in self.records})

    def inside(self) -> set[int]:
        """The sessions with an event that happened after they had begun."""
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
    mechanism = Mechanism(
        "maintenance",
        "errors_and_effort_after_events" + ("+outcomes" if any(outcomes) else ""),
        [one.signal for one in series],
        None,
        details,
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

    return {kind for kind, hit in sessions.items() if len(hit) <= ROUTINE * n}


def _exposures(events: _Events, n: int) -> list[Exposure]:
    """Return the exposures per kind of event that came often enough; pooled where none did."""
    by_kind: dict[str, list[LifecycleRecord]] = {}
    for record in events.records:
        by_kind.setdefault(record.kind, []).append(record)

    groups = {kind: _Events(records, events.place) for kind, records in by_kind.items()}
    frequent = {k: own for k, own in groups.items() if len(own.sessions()) >= LEAST_EVENTS}
    if not frequent and len(events.sessions()) >= LEAST_EVENTS:
        frequent = {"+".join(sorted(by_kind)): events}

    exposures = []
    for kind, own in sorted(frequent.items()):
        inside = own.inside()
        for reach in REACH:
            post = post_sessions(own.sessions(), inside, n, reach)
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
    sessions: Sequence[TraceSession], success: Sequence[float | None], outcomes: Sequence[int]
) -> list[DamageSeries]:
    """Return error rate, effort per task and, where outcomes are known, the failure rate."""
    results = [s.results for s in sessions]
    effort: Trajectory = []

    for s in sessions:
        effort.append(math.log((s.tool_calls + 1) / s.n_turns) if s.n_turns else None)

    signals = [
        Signal(
            "error_rate",
            "share of failed results, after events minus before",
            True,
            rates([s.process_errors for s in sessions], results),
            results,
            minimum=0.05,
            moderate=0.10,
        ),
        Signal(
            "effort_per_task",
            "factor of tool calls per task, after events over before",
            True,
            effort,
            [s.n_turns for s in sessions],
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
                "failure_rate",
                "share of failed tasks, after events minus before",
                True,
                [None if rate is None else 1.0 - rate for rate in success],
                list(outcomes),
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

    angle = np.arcsin(np.sqrt((y * counts + 0.375) / (counts + 0.75)))
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

        fits = [(exposure, _fit(one, exposure, null.orders)) for exposure in exposures]
        usable = [(exposure, fit) for exposure, fit in fits if fit.df >= 2]
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
    scores = np.vstack([standardised(fit.scores) for fit in fits])
    return np.asarray(np.max(scores, axis=0))


def _fit(series: DamageSeries, exposure: Exposure, orders: Orders, raw: bool = False) -> EffectFit:
    """Fit the step after events beside a linear trend; `raw` values are not stabilised."""
    w = precision_weights(series.counts, series.scale)
    # What led to a compaction is not its damage: the session it happened in says nothing.
    w[exposure.excluded] = 0.0
    n = len(w)
    design = np.column_stack([exposure.post, np.ones(n), session_times(n)])

    return fit_effect(design, 0, series.y if raw else series.stable, w, orders)


def _placebo_p(
    mechanism: Mechanism, series: Sequence[DamageSeries], events: _Events, null: NullModel
) -> float | None:
    """Return how often as many events at random sessions hurt the leading series as much."""
    tested = [one for one in series if one.signal.test is not None]
    if mechanism.test is None or not tested:
        return None

    leading = min(tested, key=lambda one: 1.0 if one.signal.p is None else one.signal.p)
    kind = leading.signal.event_kind
    own = events.of_kinds(set(kind.split("+")) if isinstance(kind, str) else set())
    at = own.sessions()
    inside = sum(record.within for record in own.records) * 2 > len(own.records)

    rng = null.rng(PLACEBO_STREAM)
    n = null.n_sessions
    placements = [at]

    for _ in range(PLACEBOS):
        placements.append(sorted(rng.choice(n, len(at), replace=False).tolist()))

    w = precision_weights(leading.counts, leading.scale)
    if inside:
        w[at] = 0.0

    times = np.tile(session_times(n), (len(placements), 1))
    scores = []
    for reach in REACH:
        posts = np.stack(
            [post_sessions(p, set(p) if inside else set(), n, reach) for p in placements]
        )
        designs = np.stack([posts, np.ones_like(posts), times], axis=2)
        scores.append(fit_designs(designs, 0, leading.stable, w))

    return p_value(np.max(np.vstack(scores), axis=0))


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
        if not any(abs(at - session) < 3 for session in sessions):
            step = _step(errors, at, at)
            if step is not None:
                placebo.append(step)

    centre, spread = _centre_and_spread(placebo)

    trajectory: Trajectory = []
    total = 0.0
    measured = 0
    matched = 0

    for at in range(n):
        if at in sessions and at in inside and at in by_moments:
            total += by_moments[at]
            measured += 1
            matched += 1
        elif at in sessions and spread > 1e-9:
            step = _step(errors, at, at + 1 if at in inside else at)
            if step is not None:
                total += (step - centre) / spread
                measured += 1

        trajectory.append(round(total, 6) if measured else None)

    details.shock_damage_trajectory = trajectory if measured else []
    details.shock_damage_n = measured
    details.shock_damage_n_by_moments = matched
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
    earlier = _weighted_mean(series, range(max(0, before - 3), before))
    later = _weighted_mean(series, range(first, min(len(series.y), first + 3)))
    return None if earlier is None or later is None else later - earlier


def _weighted_mean(series: DamageSeries, sessions: range) -> float | None:
    rows = list(sessions)
    if not rows:
        return None

    n = float(series.counts[rows].sum())
    return float((series.y[rows] * series.counts[rows]).sum()) / n if n else None


def _details(
    sessions: Sequence[TraceSession], events: _Events, tested: _Events, kinds: set[str]
) -> MaintenanceDetails:
    by_kind: dict[str, int] = {}
    for record in events.records:
        by_kind[record.kind] = by_kind.get(record.kind, 0) + 1

    latency: Trajectory = []
    interventions: list[int] = []
    for s in sessions:
        latency.append(round(float(np.median(s.durations)), 3) if s.durations else None)
        interventions.append(s.errors.get("rejected", 0) + s.errors.get("cancelled", 0))

    listed = tested.records[:LISTED_EVENTS]
    return MaintenanceDetails(
        n_shocks=len(tested.records),
        n_events=len(events.records),
        events_by_kind=dict(sorted(by_kind.items())),
        tested_kinds=sorted(kinds),
        shock_sessions=tested.sessions(),
        shocks=[EventPlace(tested.at(r), r.kind, r.confidence) for r in listed],
        latency_p50_trajectory=latency,
        intervention_rate_trajectory=rates(interventions, [s.tool_calls for s in sessions]),
    )
