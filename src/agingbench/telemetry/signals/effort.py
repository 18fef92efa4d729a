"""Effort: calls per request. It names no mechanism and never fires, but stands against a "no"."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agingbench.telemetry.inference.evidence import Signal
from agingbench.telemetry.inference.requests import TurnValues
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.signals.details import Trajectory


def effort_signal(sessions: Sequence[TraceSession]) -> Signal:
    """Return calls per request on a logarithmic scale, before any test."""
    trajectory: Trajectory = []
    counts = []
    logs = []
    for session in sessions:
        own = [math.log1p(turn.calls) for turn in session.turns]
        trajectory.append(sum(own) / len(own) if own else None)
        counts.append(len(own))
        logs += own

    return Signal(
        name="calls_per_request",
        unit="factor of calls per request, first to last session",
        rising_is_bad=True,
        trajectory=trajectory,
        counts=counts,
        minimum=math.log(1.2),
        moderate=math.log(1.5),
        unit_of=math.exp,
        ceiling=None,
        floor=None,
        turns=TurnValues(np.array(logs)[:, None], np.ones(len(logs))),
    )
