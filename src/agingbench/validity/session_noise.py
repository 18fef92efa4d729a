"""How much sessions of one agent differ: one measure for real and simulated agents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from agingbench.cards.telemetry_validity import Figures
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
from agingbench.telemetry.sessions.tool_mix import tool_shares
from agingbench.telemetry.signals.compression import (
    beyond_tool,
    count_totals,
    growth_totals,
    tool_means,
)
from agingbench.telemetry.signals.value_uses import propagation, self_reversion

LEAST_OBSERVATIONS = 20
LEAST_IN_SESSION = 3
LEAST_IN_MIX = 5  # calls of a session whose tool mix counts
LEAST_MIXES = 4
USUAL_SHARE = 0.05  # of all calls, from which a tool is a usual one
LEAST_CALLS = 60  # from which there are usual tools


def noise_figures(trace: TraceSessions) -> Figures:
    """Return lengths, day effects, spreads between sessions and base rates; None where unseen."""
    sessions = [session for session in trace.sessions if session.tool_calls > 0]
    n = len(sessions)
    lengths = [math.log(session.tool_calls) for session in sessions]
    turns = [float(session.n_turns) for session in sessions]
    errors = [(session.process_errors, session.results) for session in sessions]
    rereads = [(session.rereads, session.reads) for session in sessions]

    starts = [session.start for session in sessions if session.start is not None]
    days = {int(start // DAY) for start in starts}
    has_days = bool(days) and not trace.logical
    compactions = sum(event.kind == "compaction" for event in trace.lifecycle)

    uses = propagation(trace)
    returns = self_reversion(trace)

    figures: Figures = {
        "sessions": n,
        "calls_log_mean": mean_or_none(lengths),
        "calls_log_sd": sd_or_none(lengths),
        "turns_mean": mean_or_none(turns),
        "sessions_per_day": n / len(days) if has_days else None,
        "compactions_per_session": compactions / n if n else None,
        "error_rate": pooled_share(errors),
        "error_session_sd": share_sd(errors),
        "reread_rate": pooled_share(rereads),
    }
    figures |= _growth(sessions)
    figures |= _locators(trace)
    figures |= _mix(trace)
    figures |= {
        "stale_uses": len(uses),
        "stale_rate": float(uses.stale.mean()) if len(uses) else None,
        "reversion_changes": len(returns),
        "reversion_rate": float(returns.stale.mean()) if len(returns) else None,
        "tools_lost_or_gained_at_client_change": _tool_changes(trace.sessions),
    }

    rounded: Figures = {}
    for name, value in figures.items():
        rounded[name] = round(value, 4) if isinstance(value, float) else value

    return rounded


def _growth(sessions: Sequence[TraceSession]) -> Figures:
    """Return the spread of context growth between calls, sessions and days."""
    totals = [growth_totals(session) for session in sessions]
    means = tool_means(totals)

    # The squared distances of all calls from the mean of their tool.
    n = 0.0
    squares = 0.0
    for session in sessions:
        for tool, (count, value_sum, square_sum, *_) in session.growth.items():
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
    totals = [count_totals(session.naming) for session in trace.sessions]
    values, counts = beyond_tool(totals)
    calls = sum(counts)
    if calls < LEAST_OBSERVATIONS:
        return {"locator_share": None, "locator_session_sd": None}

    means = tool_means(totals)
    hits = 0.0
    noise = 0.0

    for session in totals:
        for tool, (n, n_locators) in session.items():
            mean = means[tool]
            hits += n_locators
            noise += n * mean * (1 - mean)

    call_variance = noise / calls

    with_variance = []
    for value, count in zip(values, counts, strict=True):
        if value is not None and count >= LEAST_IN_SESSION:
            with_variance.append((value, call_variance / count))

    return {
        "locator_share": hits / calls,
        "locator_session_sd": sd_beyond_sampling(with_variance),
    }


def _mix(trace: TraceSessions) -> Figures:
    """Return the concentration of the Dirichlet that tool mixes come from, by moments."""
    shares, counts, _ = tool_shares(trace)
    n_tools = int(shares.shape[1])
    rows = [i for i, count in enumerate(counts) if count >= LEAST_IN_MIX]
    if len(rows) < LEAST_MIXES or n_tools < 2:
        return {"mix_concentration": None, "n_tools": n_tools}

    calls = np.array([counts[i] for i in rows], dtype=np.float64)
    table = shares[rows]
    mean = (table * calls[:, None]).sum(axis=0) / calls.sum()
    spread = float((mean * (1 - mean)).sum())

    # E|share − mean|² = spread · (1/c + (1 − 1/c)/(a + 1)) for c calls and concentration a
    distances = ((table - mean) ** 2).sum(axis=1) / spread
    beyond_sampling = ((distances - 1 / calls) * calls).sum()
    most = ((1 - 1 / calls) * calls).sum()
    inverse = float(beyond_sampling / most)

    return {
        "mix_concentration": 1 / inverse - 1 if inverse > 1e-6 else None,
        "n_tools": n_tools,
    }


def _tool_changes(sessions: Sequence[TraceSession]) -> int | None:
    """Return how many usual tools appear or vanish at changes of the client version."""
    clients = [session.client for session in sessions]
    if not any(clients):
        return None

    changes = 0
    for i in range(1, len(sessions)):
        old = clients[i - 1]
        new = clients[i]
        if not old or not new or old == new:
            continue

        before = sessions[:i]
        after = sessions[i:]
        vanished = _usual_tools(before) - _all_tools(after)
        appeared = _usual_tools(after) - _all_tools(before)
        changes += len(vanished | appeared)

    return changes


def _all_tools(sessions: Sequence[TraceSession]) -> set[str]:
    tools: set[str] = set()
    for session in sessions:
        tools |= session.calls_by_tool.keys()

    return tools


def _usual_tools(sessions: Sequence[TraceSession]) -> set[str]:
    calls: Counter[str] = Counter()
    for session in sessions:
        calls.update(session.calls_by_tool)

    total = calls.total()
    if total < LEAST_CALLS:
        return set()

    return {tool for tool, n in calls.items() if n > USUAL_SHARE * total}
