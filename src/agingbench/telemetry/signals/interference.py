"""Interference: the drift of the tool mix, with goal anchor, early baseline and lineage shown
beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from agingbench.metrics.mix import MixFit, fit_mix, visible_variation
from agingbench.metrics.permutation import Floats, Orders, critical_value
from agingbench.metrics.spread import jackknife_error
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.inference.null_model import NullModel, PermutationTest
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

RARE = 0.05  # of all calls: tools below are pooled
MOST_PARTS = 12
LEAST_CALLS = 40
BASELINE = 3  # sessions
SMOOTHING = 0.5
_WORD = re.compile(r"\w{2,}")


def interference(trace: TraceSessions, null: NullModel, alpha: float, by_day: bool) -> Mechanism:
    """The slopes of all tool shares together; `by_day` says that whole days have to be exchanged as
    well.
    """
    shares, counts, names = tool_shares(trace)
    signal = Signal(
        "tool_mix_drift",
        "total variation first to last session, beyond chance",
        True,
        kl_from_baseline(shares, counts),
        counts,
        minimum=0.05,
        moderate=0.20,
        ceiling=None,
        floor=None,
    )
    mechanism = Mechanism(
        "interference", "tool_mix_drift", [signal], None, _beside(trace, signal.trajectory)
    )

    if (
        null.n_sessions < 4
        or shares.shape[1] < 2
        or sum(counts) < LEAST_CALLS
        or sum(c > 0 for c in counts) < 4
    ):
        return mechanism

    m = np.array(counts, dtype=np.float64)
    fit = fit_mix(shares, m, null.orders)
    days = None if null.day_orders is None else fit_mix(shares, m, null.day_orders)
    signal.test = mechanism.test = PermutationTest(
        fit.scores, None if days is None else days.scores
    )
    signal.effect = fit.excess
    spread = _jackknife(shares, m)
    signal.interval = (
        (fit.excess - 1.96 * spread, fit.excess + 1.96 * spread) if math.isfinite(spread) else None
    )
    moved = sorted(
        zip(names, fit.slopes[0].tolist(), strict=True), key=lambda x: (-abs(x[1]), x[0])
    )[:5]
    mechanism.details["tools_that_moved"] = [[name, round(slope, 4)] for name, slope in moved]

    if null.may_fire:
        exchanges = [fit] if days is None or not by_day else [fit, days]
        found_at = [visible_variation(f, critical_value(f.scores, alpha)) for f in exchanges]
        known = [v for v in found_at if v is not None]
        signal.visible = max(signal.minimum, max(known)) if len(known) == len(found_at) else None

    return mechanism


def tool_shares(trace: TraceSessions) -> tuple[Floats, list[int], list[str]]:
    """Sessions × tools, the calls per session, and the names; bookkeeping left out, rare tools in
    one part.
    """
    skip = trace.profile.bookkeeping
    total: dict[str, int] = {}

    for session in trace.sessions:
        for tool, n in session.calls_by_tool.items():
            if tool.casefold() not in skip:
                total[tool] = total.get(tool, 0) + n

    calls = sum(total.values())
    usual = sorted(
        (t for t, n in total.items() if n >= RARE * calls), key=lambda t: (-total[t], t)
    )[: MOST_PARTS - 1]
    place = {tool: i for i, tool in enumerate(usual)}
    names = [*usual, "other tools"]
    table = np.zeros((len(trace.sessions), len(names)))

    for row, session in enumerate(trace.sessions):
        for tool, n in session.calls_by_tool.items():
            if tool in total:
                table[row, place.get(tool, len(usual))] += n

    kept = table.sum(axis=0) > 0
    table = table[:, kept]
    names = [name for name, k in zip(names, kept, strict=True) if k]
    counts = table.sum(axis=1)

    return table / np.maximum(counts, 1.0)[:, None], [int(c) for c in counts], names


def _jackknife(shares: Floats, m: Floats) -> float:
    """Standard error of the total variation, leaving out sessions (in up to 40 groups)."""
    rows = np.flatnonzero(m > 0)
    groups = np.array_split(rows, min(len(rows), 40))
    identity = np.arange(len(m), dtype=np.intp)[None, :]
    values = []

    for group in groups:
        kept = m.copy()
        kept[group] = 0.0
        values.append(float(fit_mix(shares, kept, identity).variation[0]))

    return jackknife_error(values) if len(values) > 2 else math.inf


def within_strata(trace: TraceSessions, strata: Sequence[int] | None, orders: Orders) -> MixFit:
    """The same fit under other orderings, with one level per stratum, for the gates."""
    shares, counts, _ = tool_shares(trace)
    return fit_mix(shares, np.array(counts, dtype=np.float64), orders, strata)


def kl_from_baseline(shares: Floats, counts: Sequence[int]) -> list[float | None]:
    """Divergence of a session's tools from those of the first three sessions, in nats; no tools, no
    value.
    """
    used = [i for i, c in enumerate(counts) if c]
    if len(used) < BASELINE + 1 or shares.shape[1] < 2:
        return [None] * len(counts)

    weight = np.array(counts, dtype=np.float64)
    early = (shares[used[:BASELINE]] * weight[used[:BASELINE], None]).sum(axis=0)
    baseline = (early + SMOOTHING) / (early + SMOOTHING).sum()
    out: list[float | None] = [None] * len(counts)

    for i in used[BASELINE:]:
        own = shares[i] * weight[i] + SMOOTHING
        own /= own.sum()
        out[i] = round(float((own * np.log(own / baseline)).sum()), 6)

    return out


def _beside(trace: TraceSessions, kl: list[float | None]) -> dict[str, Any]:
    sessions = trace.sessions
    known = [v for v in kl if v is not None]
    anchor = next((_words(s.user_text) for s in sessions if s.user_text.strip()), set())
    drift = [_overlap(anchor, _words(s.agent_text)) for s in sessions]
    lineage = [_lineage(s) for s in sessions]

    return {
        "tool_kl_divergence_trajectory": kl,
        "tool_kl_divergence_mean": round(sum(known) / len(known), 6) if known else None,
        "tool_kl_divergence_n": len(known),
        "goal_anchor_drift_trajectory": drift,
        "goal_anchor_drift_n": sum(v is not None for v in drift),
        "lineage_continuity_trajectory": lineage,
        "lineage_continuity_n": sum(v is not None for v in lineage),
        "lineage_is": "shared: compatible with compression, interference and revision",
    }


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _overlap(a: set[str], b: set[str]) -> float | None:
    return round(len(a & b) / len(a | b), 6) if a and b else None


def _lineage(session: TraceSession) -> float | None:
    if session.lineage_hits is None or not session.distinct_locators:
        return None
    return round(session.lineage_hits / session.distinct_locators, 6)
