"""Mean reward per model, harness and task, over complete and evaluated records only."""

from __future__ import annotations

from collections import Counter

import msgspec

from agingbench.metrics.intervals import mean_over_lives
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query, TrialRow


class RankedGroup(msgspec.Struct, frozen=True):
    """The mean reward of one model with one harness on one task."""

    model: str
    harness: str
    task_id: str
    reward: float
    reward_ci: tuple[float | None, float | None]
    reward_n: int


class Ranking(msgspec.Struct, frozen=True):
    """The groups, best first; how many trials they rest on, and how many were left out and why."""

    ranking: list[RankedGroup]
    used: int
    left_out: dict[str, int]


def rank_trials(ledger: Ledger, query: Query) -> Ranking:
    """Rank the trials that a query finds, with an interval over the trials of each group."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    exclusions: Counter[str] = Counter()
    for row in ledger.list(query):
        reason = _exclusion(row)
        if reason is not None or row.reward is None:
            exclusions[reason or "not evaluated"] += 1
        else:
            key = (row.model, row.harness, row.task_id)
            groups.setdefault(key, []).append(row.reward)

    ranking = []
    for (model, harness, task_id), rewards in groups.items():
        mean = mean_over_lives(rewards, proportion=True)
        assert mean.value is not None, "a group has at least one reward"
        interval = (mean.low, mean.high)
        ranking.append(RankedGroup(model, harness, task_id, mean.value, interval, mean.n))
    ranking.sort(key=lambda group: (-group.reward, group.model, group.harness, group.task_id))

    return Ranking(
        ranking=ranking,
        used=sum(len(rewards) for rewards in groups.values()),
        left_out=dict(sorted(exclusions.items())),
    )


def _exclusion(row: TrialRow) -> str | None:
    """Why a trial is not ranked; None for one that is, reward aside."""
    if row.superseded_by is not None:
        return "superseded by a sealed record"
    if row.completeness != "complete":
        return "partial record"
    return None
