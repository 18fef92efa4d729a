"""Compression: context growth per call, calls that name a locator, and repeated reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Mechanism, Signal, joint_test
from agingbench.telemetry.inference.null_model import NullModel, trend_test
from agingbench.telemetry.inference.serial_correlation import SerialCorrelation
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.details import CompressionDetails, Trajectory

LEAST_OBSERVATIONS = 20  # over all sessions, below which a signal is not tested
NEARLY_FULL = 0.85  # of the context window

ToolTotals = Mapping[str, tuple[float, float]]  # tool -> (number of values, their sum)


def compression_signals(trace: TraceSessions) -> list[Signal]:
    """Return the three signals that can fire, before any test."""
    return [
        _context_growth(trace.sessions),
        _argument_specificity(trace),
        _reread_rate(trace.sessions),
    ]


def compression(
    trace: TraceSessions, null: NullModel, signals: list[Signal], serial: SerialCorrelation
) -> Mechanism:
    """Return the mechanism: its signals tested together."""
    for signal in signals:
        add_trend_test(signal, null, serial)

    return Mechanism(
        name="compression",
        derived_from="context_growth+tool_argument_specificity+rereads",
        signals=signals,
        test=joint_test(signals),
        details=_details(trace.sessions),
    )


def add_trend_test(signal: Signal, null: NullModel, serial: SerialCorrelation) -> None:
    """Test the trend of a signal's trajectory where there is enough of it."""
    sessions = sum(count > 0 for count in signal.counts)
    distinct = {value for value in signal.trajectory if value is not None}
    enough = null.n_sessions >= 3 and sessions >= 4 and signal.n >= LEAST_OBSERVATIONS
    if not enough or len(distinct) < 2:
        return

    y = zero_filled(signal.trajectory)
    counts = zero_filled([float(count) for count in signal.counts])
    signal.test = trend_test(null, y, counts, signal.sign, serial.rho, serial.day_rho)
    fit = signal.test.fit
    assert fit is not None
    signal.effect = fit.effect
    signal.interval = fit.interval()


def tool_means(sessions: Sequence[ToolTotals]) -> dict[str, float]:
    """Return the mean value of each tool over the whole trace."""
    totals: dict[str, list[float]] = {}
    for session in sessions:
        for tool, (n, value_sum) in session.items():
            total = totals.setdefault(tool, [0.0, 0.0])
            total[0] += n
            total[1] += value_sum

    return {tool: value_sum / n for tool, (n, value_sum) in totals.items() if n}


def beyond_tool(sessions: Sequence[ToolTotals]) -> tuple[Trajectory, list[int]]:
    """Return per session the mean of (value minus its tool's mean), and the number of values."""
    means = tool_means(sessions)
    values: Trajectory = []
    counts: list[int] = []

    for session in sessions:
        n = sum(k for k, _ in session.values())
        excess = [value_sum - k * means[tool] for tool, (k, value_sum) in session.items()]
        values.append(sum(excess) / n if n else None)
        counts.append(int(n))

    return values, counts


def growth_totals(session: TraceSession) -> dict[str, tuple[float, float]]:
    """Return number and sum of the log increments of the context, by tool."""
    return {tool: (sums[0], sums[1]) for tool, sums in session.growth.items()}


def locator_totals(session: TraceSession, bookkeeping: frozenset[str]) -> ToolTotals:
    """Return calls and calls that name a locator, by tool; bookkeeping tools are left out."""
    totals = {}
    for tool, n in session.calls_by_tool.items():
        if tool.casefold() not in bookkeeping:
            totals[tool] = (float(n), float(session.locator_hits.get(tool, 0)))

    return totals


def _shifted(values: Trajectory, level: float) -> Trajectory:
    return [None if value is None else value + level for value in values]


def _context_growth(sessions: Sequence[TraceSession]) -> Signal:
    values, counts = beyond_tool([growth_totals(session) for session in sessions])
    return Signal(
        "context_growth",
        "factor of tokens per call, first to last session",
        True,
        values,
        counts,
        minimum=math.log(1.25),
        moderate=math.log(2.0),
        unit_of=math.exp,
        ceiling=None,
        floor=None,
    )


def _argument_specificity(trace: TraceSessions) -> Signal:
    bookkeeping = trace.profile.bookkeeping
    totals = [locator_totals(session, bookkeeping) for session in trace.sessions]
    values, counts = beyond_tool(totals)
    hits = sum(named for session in totals for _, named in session.values())
    calls = sum(counts)
    level = hits / calls if calls else 0.0

    return Signal(
        "tool_argument_specificity",
        "share of calls naming a locator, last minus first session",
        False,
        # Around the trace's own share, so that the trajectory reads as a share.
        _shifted(values, level),
        counts,
        minimum=0.05,
        moderate=0.15,
        ceiling=None,
        floor=None,
        share=round(level, 6) if calls else None,
    )


def _reread_rate(sessions: Sequence[TraceSession]) -> Signal:
    # Minus the tool's own share as well: searching more than reading is another mix, not another
    # memory.
    values, counts = beyond_tool([session.reads_by_tool for session in sessions])
    level = sum(session.rereads for session in sessions) / max(1, sum(counts))
    return Signal(
        "reread_rate",
        "share of reads repeated without an edit between, last minus first session",
        True,
        _shifted(values, level),
        counts,
        minimum=0.10,
        moderate=0.30,
        ceiling=None,
        floor=None,
    )


def _details(sessions: Sequence[TraceSession]) -> CompressionDetails:
    saturation: Trajectory = []
    noise: Trajectory = []
    for s in sessions:
        full = round(s.saturation_sum / s.window_n, 6) if s.window_n else None
        saturation.append(full)
        measured = s.load_n and s.distinct_locators
        noise.append(round(s.load_sum / s.distinct_locators, 3) if measured else None)

    known = [value for value in saturation if value is not None]
    rate = sum(value > NEARLY_FULL for value in known) / len(known) if known else None
    return CompressionDetails(
        saturation_trajectory=saturation,
        saturation_rate=rate,
        saturation_n=len(known),
        context_window="known" if known else "unknown",
        context_noise_trajectory=noise,
        context_noise_n=sum(value is not None for value in noise),
    )
