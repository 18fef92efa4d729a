"""Whether neighbouring sessions belong together: phases of like tasks, and correlated behaviour.

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
)
from agingbench.telemetry.inference.evidence import Signal
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.inference.serial_correlation import (
    SerialCorrelation,
    Series,
    pool_serial_correlation,
)
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.interference import mix_beyond_work, tool_mix

DIMENSIONS = 64  # of the hashed words, and of the hashed folders
MANY_SESSIONS = 500  # from which fewer dimensions tell topics apart
TURNS_READ = 20  # of each session
CORRELATED_LEVEL = 0.03  # of the test that makes block exchange necessary
PHASE_LEVEL = 0.03  # of the test that makes phases of tasks a confounder
LEAST_SESSIONS = 6
BLOCK = 3  # sessions per block where behaviour is correlated without a change of tasks
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class Phases:
    """The phase of every session (all 0 where tasks do not come in phases), and both tests."""

    p_tasks: float | None
    labels: list[int]
    serial: SerialCorrelation

    @property
    def count(self) -> int:
        """How many phases of like tasks there are."""
        return len(set(self.labels))

    @property
    def p_behaviour(self) -> float | None:
        """How surprising the likeness of neighbouring sessions is."""
        return self.serial.p

    @property
    def serially_correlated(self) -> bool:
        """Whether neighbouring sessions behave more alike than others."""
        return self.p_behaviour is not None and self.p_behaviour <= CORRELATED_LEVEL


def find_phases(
    trace: TraceSessions, null: NullModel, signals: Sequence[Signal], work: Work
) -> Phases:
    """Test tasks and behaviour for serial correlation; cut the trace where the tasks have it."""
    labels = [0] * null.n_sessions
    if not null.can_be_answered:
        return Phases(None, labels, SerialCorrelation(null.n_sessions))

    topics, weight = _topics(trace.sessions)
    p_tasks = None
    if (weight > 0).sum() >= LEAST_SESSIONS:
        correlations = serial_correlations(topics, weight, null.orders)
        p_tasks = p_value(serial_likeness(correlations))
        if p_tasks <= PHASE_LEVEL:
            labels = segment_labels(topics, weight)

    serial = pool_serial_correlation(null, _behaviour(trace, signals, work))
    return Phases(p_tasks, labels, serial)


def _behaviour(trace: TraceSessions, signals: Sequence[Signal], work: Work) -> list[Series]:
    """Return what sessions do beyond their work: their tools, and the values of the signals."""
    mix = mix_beyond_work(trace, tool_mix(trace), work)
    series: list[Series] = []
    if mix.shares.size:
        w = precision_weights(mix.calls)
        series.append((work.residual(roots(mix.shares, mix.calls), w), w))

    for signal in signals:
        w = signal.weights()
        series.append((work.residual(signal.values()[:, None], w), w))

    return series


def _topics(sessions: Sequence[TraceSession]) -> tuple[Floats, Floats]:
    """Return what sessions are about, as hashed words and folders, and the weight of each session.

    A session that names nothing has weight 0.
    """
    size = DIMENSIONS if len(sessions) <= MANY_SESSIONS else DIMENSIONS // 4
    table = np.zeros((len(sessions), 2 * size))

    for row, session in enumerate(sessions):
        words: set[str] = set()
        for turn in session.turns[:TURNS_READ]:
            words.update(_WORD.findall(turn.text.casefold()))

        for word in words:
            column = zlib.crc32(word.encode("utf-8", "replace")) % size
            table[row, column] += 1.0

        for folder, n in session.folders.items():
            table[row, size + folder % size] += math.sqrt(n)

    for half in (slice(0, size), slice(size, None)):
        length = np.sqrt((table[:, half] ** 2).sum(axis=1, keepdims=True))
        table[:, half] /= np.maximum(length, 1e-9)

    weight = (np.abs(table).sum(axis=1) > 0).astype(np.float64)
    return table, weight
