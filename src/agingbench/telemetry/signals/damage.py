"""What a lifecycle event may make worse: the series per session, and the damage per event."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.metrics.spread import robust_spread
from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Signal, rates
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.outcomes import LEAST_OUTCOMES
from agingbench.telemetry.signals.details import MaintenanceDetails, Trajectory
from agingbench.telemetry.signals.exposures import LifecycleEvents

LEAST_PLACEBO = 5  # sessions without an event from which a spread is known


@dataclass
class DamageSeries:
    """One thing that an event may make worse, per session."""

    signal: Signal
    y: Floats
    counts: Floats


def damage_series(
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
            minimum=0.035,
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
    return DamageSeries(signal, y, counts)


def add_damage(
    details: MaintenanceDetails,
    errors: DamageSeries,
    events: LifecycleEvents,
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
