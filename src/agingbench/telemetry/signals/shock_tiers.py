"""Damage per lifecycle event in plain units: outcomes, else tokens of a reply, else latency.

Shown beside the damage that is compared with a placebo; nothing is decided by it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.signals.details import Trajectory

AROUND = 3  # sessions before and after an event that are compared
TOKENS = 100.0  # of a reply that count as one unit of damage
MILLISECONDS = 1000.0


class ShockTier(msgspec.Struct, frozen=True):
    """The first tier that the trace carries, and its damage cumulated over the events."""

    tier: str
    trajectory: Trajectory


def shock_tier(
    sessions: Sequence[TraceSession],
    success: Sequence[float | None],
    latency: Sequence[float | None],
    shocks: Sequence[int],
) -> ShockTier | None:
    """Return the damage after each event; None without events or anything to compare."""
    failures: Trajectory = [None if rate is None else 1.0 - rate for rate in success]
    replies: Trajectory = []
    for session in sessions:
        has_replies = session.model_calls > 0 and session.output_tokens > 0
        tokens = session.output_tokens / session.model_calls / TOKENS if has_replies else None
        replies.append(tokens)

    waits: Trajectory = [None if wait is None else wait / MILLISECONDS for wait in latency]
    tiers = {"outcome_rate": failures, "response_tokens": replies, "latency_p50": waits}
    for name, series in tiers.items():
        trajectory = _cumulated(series, shocks)
        if trajectory:
            return ShockTier(name, trajectory)

    return None


def _cumulated(series: Trajectory, shocks: Sequence[int]) -> Trajectory:
    """Return the sum of the steps at the events so far; empty where none can be compared."""
    trajectory: Trajectory = []
    total = 0.0
    compared = 0
    for at in range(len(series)):
        if at in shocks:
            before = _mean(series[max(0, at - AROUND) : at])
            after = _mean(series[at : at + AROUND])
            if before is not None and after is not None:
                total += after - before
                compared += 1

        trajectory.append(round(total, 6) if compared else None)

    return trajectory if compared else []


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
