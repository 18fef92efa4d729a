"""Whether neighbouring sessions belong together: stretches of like tasks, and behaviour that
wanders.

Exchanging sessions is fair only where neighbours are no more alike than others. Where they are,
whole blocks have to change places, and a change of tasks is named as what it is.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.mix import roots
from agingbench.metrics.permutation import Floats, p_value
from agingbench.metrics.segments import segment_labels
from agingbench.metrics.trend import (
    precision_weights,
    serial_correlations,
    serial_likeness,
    zero_filled,
)
from agingbench.telemetry.inference.evidence import Signal
from agingbench.telemetry.inference.neighbours import Neighbours, Series, neighbours
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.interference import tool_shares

DIMENSIONS = 64
WANDERS = 0.03  # level of the test that makes block exchange necessary
PHASED = 0.03  # level of the test that makes stretches of tasks a confounder
MANY = 500  # sessions from which fewer dimensions tell topics apart
BLOCK = 4  # sessions per block where behaviour wanders without a change of tasks
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class Phases:
    """What was found: the p-values, and the phase of every session (all 0 where tasks do not come
    in stretches).
    """

    p_tasks: float | None
    labels: list[int]
    alike: Neighbours

    @property
    def count(self) -> int:
        """How many stretches of like tasks there are."""
        return len(set(self.labels))

    @property
    def p_behaviour(self) -> float | None:
        """How surprising the likeness of neighbours is."""
        return self.alike.p

    @property
    def serially_correlated(self) -> bool:
        """Whether behaviour of neighbours is more alike than that of other sessions."""
        return self.p_behaviour is not None and self.p_behaviour <= WANDERS


def find_phases(trace: TraceSessions, null: NullModel, signals: Sequence[Signal]) -> Phases:
    """Test tasks and behaviour for likeness of neighbours; cut the trace into phases where tasks
    have it.
    """
    if not null.may_fire:
        return Phases(None, [0] * null.n_sessions, Neighbours(null.n_sessions))

    topics, weight = _topics(trace.sessions)
    p_tasks = None
    labels = [0] * null.n_sessions

    if (weight > 0).sum() >= 6:
        p_tasks = p_value(serial_likeness(serial_correlations(topics, weight, null.orders)))
        if p_tasks <= PHASED:
            labels = segment_labels(topics, weight)

    return Phases(p_tasks, labels, neighbours(null, _behaviour(trace, signals)))


def _behaviour(trace: TraceSessions, signals: Sequence[Signal]) -> list[Series]:
    """What sessions do: their tools, and the trajectories of the signals."""
    shares, calls, _ = tool_shares(trace)
    counts = np.array(calls, dtype=np.float64)
    series = [(roots(shares, counts), precision_weights(counts))] if shares.size else []

    for signal in signals:
        w = precision_weights(zero_filled([float(c) for c in signal.counts]))
        series.append((zero_filled(signal.trajectory)[:, None], w))

    return series


def _topics(sessions: Sequence[TraceSession]) -> tuple[Floats, Floats]:
    """What sessions are about: words of the requests and folders named, hashed; weight 0 where
    there is nothing.
    """
    size = DIMENSIONS if len(sessions) <= MANY else DIMENSIONS // 4
    table = np.zeros((len(sessions), 2 * size))

    for row, session in enumerate(sessions):
        words = {w for turn in session.turns[:20] for w in _WORD.findall(turn.text.casefold())}
        for word in words:
            table[row, zlib.crc32(word.encode("utf-8", "replace")) % size] += 1.0
        for place, n in session.places.items():
            table[row, size + place % size] += math.sqrt(n)

    for half in (slice(0, size), slice(size, None)):
        length = np.sqrt((table[:, half] ** 2).sum(axis=1, keepdims=True))
        table[:, half] /= np.maximum(length, 1e-9)

    return table, (np.abs(table).sum(axis=1) > 0).astype(np.float64)
