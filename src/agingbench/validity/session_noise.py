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
from agingbench.telemetry.signals.compression import beyond_tool, tool_means
from agingbench.telemetry.signals.interference import tool_shares
from agingbench.telemetry.signals.revision import propagation, self_reversion

Figures = dict[str, float | int | None]


def noise_figures(trace: TraceSessions) -> Figures:
    """Lengths, day effects, spreads between sessions beyond sampling, base rates, compactions; None
    where unseen.
    """
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
    per_session = [{t: (s[0], s[1]) for t, s in one.growth.items()} for one in sessions]
    means = tool_means(per_session)
    n = sum(s[0] for one in sessions for s in one.growth.values())

    if n < 20:
        return {
            "growth_call_sd": None,
            "growth_session_sd": None,
            "growth_day_sd": None,
            "growth_lag1": None,
        }

    squares = sum(
        s[2] - 2 * means[t] * s[1] + s[0] * means[t] ** 2
        for one in sessions
        for t, s in one.growth.items()
    )
    call_sd = math.sqrt(max(squares / n, 0.0))
    values, counts = beyond_tool(per_session)
    rows = [
        (v, c, one)
        for v, c, one in zip(values, counts, sessions, strict=True)
        if v is not None and c >= 3
    ]
    between = sd_beyond_sampling([(v, call_sd**2 / c) for v, c, _ in rows])
    by_day: dict[int, list[float]] = {}

    for v, _, one in rows:
        if one.start is not None:
            by_day.setdefault(int(one.start // DAY), []).append(v)

    return {
        "growth_call_sd": call_sd,
        "growth_session_sd": between,
        "growth_day_sd": day_effect_sd(by_day.values()),
        "growth_lag1": lag_one([v for v, _, _ in rows]),
    }


def _locators(trace: TraceSessions) -> Figures:
    skip = trace.profile.bookkeeping
    pairs = [
        {
            t: (float(n), float(s.locator_hits.get(t, 0)))
            for t, n in s.calls_by_tool.items()
            if t.casefold() not in skip
        }
        for s in trace.sessions
    ]
    values, counts = beyond_tool(pairs)
    hits = sum(h for one in pairs for _, h in one.values())
    total = sum(counts)
    if total < 20:
        return {"locator_share": None, "locator_session_sd": None}

    means = tool_means(pairs)
    noise = sum(n * means[t] * (1 - means[t]) for one in pairs for t, (n, _) in one.items()) / total
    rows = [(v, noise / c) for v, c in zip(values, counts, strict=True) if v is not None and c >= 3]

    return {"locator_share": hits / total, "locator_session_sd": sd_beyond_sampling(rows)}


def _mix(trace: TraceSessions) -> Figures:
    """Concentration of the Dirichlet that sessions' tool mixes look drawn from, by the method of
    moments.
    """
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
    clients = [
        max(s.clients, key=lambda c: (s.clients[c], c)) if s.clients else None for s in sessions
    ]
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
