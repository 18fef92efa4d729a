"""How much sessions of one agent differ: one measure for real and simulated agents."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agingbench.metrics.spread import (
    day_effect_sd,
    lag_one,
    mean_or_none,
    pooled_share,
    sd_beyond_sampling,
    sd_or_none,
    share_sd,
)
from agingbench.telemetry.inference.null_model import DAY
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.signals.compression import (
    beyond_tool,
    growth_totals,
    locator_totals,
    tool_means,
)
from agingbench.telemetry.signals.interference import tool_shares
from agingbench.telemetry.signals.value_uses import propagation, self_reversion

LEAST_OBSERVATIONS = 20
LEAST_IN_SESSION = 3

Figures = dict[str, float | int | None]


def noise_figures(trace: TraceSessions) -> Figures:
    """Return lengths, day effects, spreads between sessions and base rates; None where unseen."""
    sessions = [s for s in trace.sessions if s.tool_calls > 0]
    lengths = [math.log(s.tool_calls) for s in sessions]
    days = {int((s.start or 0.0) // DAY) for s in sessions if s.start is not None}
    compacted = sum(1 for shock in trace.lifecycle if shock.kind == "compaction")
    figures: Figures = {
        "sessions": len(sessions),
        "calls_log_mean": mean_or_none(lengths),
        "calls_log_sd": sd_or_none(lengths),
        "turns_mean": mean_or_none([float(s.n_turns) for s in sessions]),
        "sessions_per_day": len(sessions) / len(days) if days and not trace.logical else None,
        "compactions_per_session": compacted / len(sessions) if sessions else None,
        "error_rate": pooled_share([(s.process_errors, s.results) for s in sessions]),
        "error_session_sd": share_sd([(s.process_errors, s.results) for s in sessions]),
        "reread_rate": pooled_share([(s.rereads, s.reads) for s in sessions]),
    }
    figures |= _growth(sessions) | _locators(trace) | _mix(trace)
    uses = propagation(trace)
    returns = self_reversion(trace)
    figures |= {
        "stale_uses": len(uses),
        "stale_rate": float(uses.stale.mean()) if len(uses) else None,
        "reversion_changes": len(returns),
        "reversion_rate": float(returns.stale.mean()) if len(returns) else None,
        "tools_lost_or_gained_at_client_change": _tool_changes(trace.sessions),
    }

    return {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}


def _growth(sessions: Sequence[TraceSession]) -> Figures:
    """Return the spread of context growth between calls, sessions and days."""
    totals = [growth_totals(session) for session in sessions]
    means = tool_means(totals)
    n = 0.0
    squares = 0.0

    for session in sessions:
        for tool, (count, value_sum, square_sum) in session.growth.items():
            mean = means[tool]
            n += count
            squares += square_sum - 2 * mean * value_sum + count * mean**2

    if n < LEAST_OBSERVATIONS:
        return {
            "growth_call_sd": None,
            "growth_session_sd": None,
            "growth_day_sd": None,
            "growth_lag1": None,
        }

    call_sd = math.sqrt(max(squares / n, 0.0))
    values, counts = beyond_tool(totals)
    growth: list[float] = []
    with_variance: list[tuple[float, float]] = []
    by_day: dict[int, list[float]] = {}

    for value, count, session in zip(values, counts, sessions, strict=True):
        if value is None or count < LEAST_IN_SESSION:
            continue
        growth.append(value)
        with_variance.append((value, call_sd**2 / count))
        if session.start is not None:
            by_day.setdefault(int(session.start // DAY), []).append(value)

    return {
        "growth_call_sd": call_sd,
        "growth_session_sd": sd_beyond_sampling(with_variance),
        "growth_day_sd": day_effect_sd(by_day.values()),
        "growth_lag1": lag_one(growth),
    }


def _locators(trace: TraceSessions) -> Figures:
    """Return the share of calls that name a locator, and its spread between sessions."""
    bookkeeping = trace.profile.bookkeeping
    totals = [locator_totals(session, bookkeeping) for session in trace.sessions]
    values, counts = beyond_tool(totals)
    calls = sum(counts)
    if calls < LEAST_OBSERVATIONS:
        return {"locator_share": None, "locator_session_sd": None}

    means = tool_means(totals)
    hits = 0.0
    noise = 0.0

    for session in totals:
        for tool, (n, named) in session.items():
            hits += named
            noise += n * means[tool] * (1 - means[tool])

    noise /= calls

    rows = []
    for value, count in zip(values, counts, strict=True):
        if value is not None and count >= LEAST_IN_SESSION:
            rows.append((value, noise / count))

    return {"locator_share": hits / calls, "locator_session_sd": sd_beyond_sampling(rows)}


def _mix(trace: TraceSessions) -> Figures:
    """Return the concentration of the Dirichlet that tool mixes come from, by moments."""
    shares, counts, _ = tool_shares(trace)
    rows = [i for i, c in enumerate(counts) if c >= 5]
    if len(rows) < 4 or shares.shape[1] < 2:
        return {"mix_concentration": None, "n_tools": shares.shape[1]}

    weight = np.array([counts[i] for i in rows], dtype=np.float64)
    table = shares[rows]
    mean = (table * weight[:, None]).sum(axis=0) / weight.sum()
    spread = float((mean * (1 - mean)).sum())
    # E|share − mean|² = spread · (1/c + (1 − 1/c)/(a + 1)) for c calls and concentration a
    seen = ((table - mean) ** 2).sum(axis=1) / spread
    inverse = float(((seen - 1 / weight) * weight).sum() / ((1 - 1 / weight) * weight).sum())

    return {
        "mix_concentration": 1 / inverse - 1 if inverse > 1e-6 else None,
        "n_tools": int(shares.shape[1]),
    }


def _tool_changes(sessions: Sequence[TraceSession]) -> int | None:
    """Return how many usual tools appear or vanish at changes of the client version."""
    clients = [session.client for session in sessions]
    if not any(clients):
        return None

    changed = 0
    for i in range(1, len(sessions)):
        if clients[i] and clients[i - 1] and clients[i] != clients[i - 1]:
            before = _usual(sessions[:i])
            after = _usual(sessions[i:])
            all_before = _all(sessions[:i])
            all_after = _all(sessions[i:])
            changed += len((before - all_after) | (after - all_before))

    return changed


def _all(sessions: Sequence[TraceSession]) -> set[str]:
    return {tool for s in sessions for tool in s.calls_by_tool}


def _usual(sessions: Sequence[TraceSession]) -> set[str]:
    total: dict[str, int] = {}
    for s in sessions:
        for tool, n in s.calls_by_tool.items():
            total[tool] = total.get(tool, 0) + n

    calls = sum(total.values())
    return {t for t, n in total.items() if calls >= 60 and n > 0.05 * calls}
