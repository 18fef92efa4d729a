"""Consistency: how alike the agent handles the same task in later sessions; corroborates, never
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agingbench.metrics.permutation import p_value
from agingbench.metrics.spread import jackknife_error, ols_slope
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.repeats import Likeness, Task, jaccard, repeated_tasks

MOST_PAIRS = 5_000


def consistency(trace: TraceSessions, null: NullModel) -> dict[str, Any]:
    """The block of the card: repeated tasks across different sessions, and whether likeness falls
    with their lag.
    """
    tasks, likeness, note = repeated_tasks(trace)
    pairs = _pairs(tasks, likeness)
    block: dict[str, Any] = {
        "derived_from": "repeated_user_turns",
        "encoder": likeness.name,
        "encoder_note": note,
        "n_repeated_tasks_detected": len(tasks),
        "cluster_sizes": sorted((len(t) for t in tasks), reverse=True)[:50],
        "behavior_drift_at_repeat": None,
        "consistency_drop_trajectory": [],
        "consistency_drop_verdict": "no_signal",
        "tool_path_jaccard_drop_mean": None,
        "response_cosine_drop_mean": None,
        "n_pairs": len(pairs),
        "effect": None,
        "effect_ci": None,
        "interval": None,
        "effect_unit": "likeness lost from the shortest lag to the longest",
        "p": None,
        "n": len(pairs),
        "coverage": {"verdict": _coverage(tasks), "n": len(tasks)},
    }
    if not pairs:
        return block

    lag = np.array([b - a for a, b, _, _ in pairs], dtype=np.float64)
    both = np.array([[tool, reply] for _, _, tool, reply in pairs], dtype=np.float64)
    alike = np.nanmean(both, axis=1)
    reach = float(lag.max() - lag.min())
    block |= {
        "behavior_drift_n": len(pairs),
        "similarity_mean": round(float(alike.mean()), 6),
        "consistency_drop_trajectory": _trajectory(pairs, alike, null.n_sessions),
    }
    if not reach:  # repeats that all lie equally far apart say nothing about what distance does
        return block

    drop = -ols_slope(lag, alike) * reach
    ends = _interval(pairs, lag, alike, drop)
    block |= {
        "behavior_drift_at_repeat": round(min(1.0, max(0.0, drop)), 6),
        "effect": round(drop, 6),
        "effect_ci": ends,
        "interval": ends,
        "tool_path_jaccard_drop_mean": _drop(lag, both[:, 0], reach),
        "response_cosine_drop_mean": _drop(lag, both[:, 1], reach),
    }

    if null.may_fire and len(pairs) >= 10:
        block["p"] = p = _test(pairs, alike, null)
        block["consistency_drop_verdict"] = (
            "rising_degradation" if p <= 0.05 and drop > 0.10 else "flat"
        )

    return block


def _pairs(tasks: Sequence[Task], likeness: Likeness) -> list[tuple[int, int, float, float]]:
    """(session, later session, likeness of tools, likeness of replies); nan where there is nothing
    to compare.
    """
    pairs = []
    for task in tasks:
        replies = likeness.replies([t.reply for _, t in task])
        for i in range(len(task)):
            for j in range(i + 1, len(task)):
                a = task[i][1]
                b = task[j][1]
                tools = jaccard(a.tools, b.tools) if a.tools or b.tools else np.nan
                both = replies[i] is not None and replies[j] is not None
                said = likeness.near(replies[i], replies[j]) if both else np.nan
                if not (np.isnan(tools) and np.isnan(said)):
                    pairs.append((task[i][0], task[j][0], float(tools), float(said)))

    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[i] for i in np.linspace(0, len(pairs) - 1, MOST_PAIRS).astype(int)]

    return pairs


def _drop(lag: Any, alike: Any, reach: float) -> float | None:
    known = ~np.isnan(alike)
    return round(-ols_slope(lag[known], alike[known]) * reach, 6) if known.sum() >= 2 else None


def _interval(
    pairs: Sequence[tuple[int, int, float, float]], lag: Any, alike: Any, drop: float
) -> list[float] | None:
    """95 % by leaving out sessions, in up to 40 groups; none where what is left has one lag only."""
    a = np.array([p[0] for p in pairs])
    b = np.array([p[1] for p in pairs])
    reach = float(lag.max() - lag.min())
    values = []
    groups = np.array_split(np.unique(np.concatenate([a, b])), 40)

    for group in (g for g in groups if len(g)):
        kept = ~(np.isin(a, group) | np.isin(b, group))
        if kept.sum() < 2 or np.ptp(lag[kept]) == 0:
            return None
        values.append(-ols_slope(lag[kept], alike[kept]) * reach)

    spread = jackknife_error(values)
    return [round(drop - 1.96 * spread, 6), round(drop + 1.96 * spread, 6)]


def _trajectory(
    pairs: Sequence[tuple[int, int, float, float]], alike: Any, n: int
) -> list[float | None]:
    """Per session how unlike its repeats are to the earlier ones."""
    found: dict[int, list[float]] = {}
    for (_, later, _, _), value in zip(pairs, alike.tolist(), strict=True):
        found.setdefault(later, []).append(1.0 - value)

    return [round(sum(found[i]) / len(found[i]), 6) if i in found else None for i in range(n)]


def _test(pairs: Sequence[tuple[int, int, float, float]], alike: Any, null: NullModel) -> float:
    a = np.array([p[0] for p in pairs])
    b = np.array([p[1] for p in pairs])
    orders = null.orders if null.day_orders is None else null.day_orders
    places = np.argsort(orders, axis=1)  # where each session stands under the ordering
    lags = np.abs(places[:, b] - places[:, a]).astype(np.float64)
    centred = lags - lags.mean(axis=1, keepdims=True)
    slopes = centred @ alike / np.maximum((centred * centred).sum(axis=1), 1e-9)

    return p_value(-slopes)


def _coverage(tasks: Sequence[Sequence[Any]]) -> str:
    if not tasks:
        return "no_test_fired"

    large = sum(len(t) >= 3 for t in tasks)
    return (
        "strong"
        if large >= 3
        else "adequate"
        if len(tasks) >= 2 and large
        else "weak"
        if large
        else "underpowered"
    )
