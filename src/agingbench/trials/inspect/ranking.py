"""Ranking: complete, evaluated records only, and how many were left out and why."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agingbench.metrics.intervals import mean_over_lives
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query

BY = ("model", "harness", "task_id")


def ranking(ledger: Ledger, query: Query, by: tuple[str, ...] = BY) -> dict[str, Any]:
    """Mean reward per group, best first, with its interval over trials."""
    groups: dict[tuple[str, ...], list[float]] = {}
    left_out: Counter[str] = Counter()
    for row in ledger.list(query):
        reason = _why_not(row)
        if reason:
            left_out[reason] += 1
        else:
            groups.setdefault(tuple(row[name] for name in by), []).append(row["reward"])
    rows: list[dict[str, Any]] = []
    for key, rewards in groups.items():
        mean = mean_over_lives(rewards, proportion=True)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "reward": mean.value,
                "reward_ci": [mean.low, mean.high],
                "reward_n": mean.n,
            }
        )
    rows.sort(key=lambda r: (-r["reward"], *(r[name] for name in by)))
    return {
        "ranking": rows,
        "used": sum(map(len, groups.values())),
        "left_out": dict(sorted(left_out.items())),
    }


def _why_not(row: dict[str, Any]) -> str | None:
    if row["superseded_by"] is not None:
        return "superseded by a sealed record"
    if row["completeness"] != "complete":
        return "partial record"
    return "not evaluated" if row["reward"] is None else None
