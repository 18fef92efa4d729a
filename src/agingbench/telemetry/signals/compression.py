"""Compression: growth of the context per call, calls that name what they are about, and reads
repeated for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Mechanism, Signal, joint_test
from agingbench.telemetry.inference.neighbours import Neighbours
from agingbench.telemetry.inference.null_model import NullModel, trend_among
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

LEAST = 20  # observations over all sessions below which a signal is not tested


def compression_signals(trace: TraceSessions) -> list[Signal]:
    """The three signals that can fire, before any test."""
    return [_growth(trace.sessions), _specificity(trace), _rereads(trace.sessions)]


def compression(
    trace: TraceSessions, null: NullModel, signals: list[Signal], alike: Neighbours
) -> Mechanism:
    """The signals tested together, saturation and context noise beside them."""
    for signal in signals:
        test(signal, null, alike)

    return Mechanism(
        name="compression",
        derived_from="context_growth+tool_argument_specificity+rereads",
        signals=signals,
        test=joint_test(signals),
        details=_beside(trace.sessions),
    )


def test(signal: Signal, null: NullModel, alike: Neighbours) -> None:
    """Test the trend of a signal's trajectory where there is enough of it."""
    seen = sum(c > 0 for c in signal.counts)
    known = {v for v in signal.trajectory if v is not None}
    if null.n_sessions < 3 or seen < 4 or signal.n < LEAST or len(known) < 2:
        return

    y = zero_filled(signal.trajectory)
    m = zero_filled([float(c) for c in signal.counts])
    signal.test = trend_among(null, y, m, signal.sign, alike.rho, alike.day_rho)
    fit = signal.test.fit
    assert fit is not None
    signal.effect = fit.effect
    signal.interval = fit.interval()


def tool_means(per_session: Sequence[dict[str, tuple[float, float]]]) -> dict[str, float]:
    """The mean of each tool over the whole trace, from (n, sum) per session."""
    total: dict[str, list[float]] = {}
    for sums in per_session:
        for tool, (n, s) in sums.items():
            both = total.setdefault(tool, [0.0, 0.0])
            both[0] += n
            both[1] += s

    return {tool: s / n for tool, (n, s) in total.items() if n}


def beyond_tool(
    per_session: Sequence[dict[str, tuple[float, float]]],
) -> tuple[list[float | None], list[int]]:
    """Per session the mean of (value minus its tool's own mean), and how many values there were."""
    means = tool_means(per_session)
    values: list[float | None] = []
    counts: list[int] = []

    for sums in per_session:
        n = sum(k for k, _ in sums.values())
        values.append(sum(s - k * means[tool] for tool, (k, s) in sums.items()) / n if n else None)
        counts.append(int(n))

    return values, counts


def _growth(sessions: Sequence[TraceSession]) -> Signal:
    values, counts = beyond_tool(
        [{t: (s[0], s[1]) for t, s in one.growth.items()} for one in sessions]
    )
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


def _specificity(trace: TraceSessions) -> Signal:
    skip = trace.profile.bookkeeping
    per_session = [
        {
            tool: (float(n), float(one.locator_hits.get(tool, 0)))
            for tool, n in one.calls_by_tool.items()
            if tool.casefold() not in skip
        }
        for one in trace.sessions
    ]
    values, counts = beyond_tool(per_session)
    hits = sum(h for one in per_session for _, h in one.values())
    total = sum(counts)
    # Around the trace's own share, so that the trajectory reads as a share.
    level = hits / total if total else 0.0
    shown = [None if v is None else v + level for v in values]

    return Signal(
        "tool_argument_specificity",
        "share of calls naming a locator, last minus first session",
        False,
        shown,
        counts,
        minimum=0.05,
        moderate=0.15,
        ceiling=None,
        floor=None,
        extra={"share": round(level, 6) if total else None},
    )


def _rereads(sessions: Sequence[TraceSession]) -> Signal:
    # Minus the tool's own share as well: searching more than reading is another mix, not another
    # memory.
    values, counts = beyond_tool([s.reads_by_tool for s in sessions])
    level = sum(s.rereads for s in sessions) / max(1, sum(counts))
    return Signal(
        "reread_rate",
        "share of reads repeated without an edit between, last minus first session",
        True,
        [None if v is None else v + level for v in values],
        counts,
        minimum=0.10,
        moderate=0.30,
        ceiling=None,
        floor=None,
    )


def _beside(sessions: Sequence[TraceSession]) -> dict[str, Any]:
    saturation = [round(s.saturated / s.window_n, 6) if s.window_n else None for s in sessions]
    known = [s for s in saturation if s is not None]
    noise = [
        round(s.load_sum / s.distinct_locators, 3) if s.load_n and s.distinct_locators else None
        for s in sessions
    ]
    return {
        "saturation_trajectory": saturation,
        "saturation_rate": sum(s > 0.85 for s in known) / len(known) if known else None,
        "saturation_n": len(known),
        "context_window": "known" if known else "unknown",
        "context_noise_trajectory": noise,
        "context_noise_n": sum(v is not None for v in noise),
    }
