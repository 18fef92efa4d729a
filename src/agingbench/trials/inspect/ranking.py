"""Systems ranked by mean reward or cost, over complete and evaluated records only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from agingbench.errors import UnknownName
from agingbench.metrics.pareto import pareto_front
from agingbench.trials.columns import TrialRow
from agingbench.trials.inspect.groups import (
    SystemKey,
    advisor_tokens_of,
    check_pool,
    mean_known,
    mean_reward,
    system_key,
    tokens_of,
)
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query

# What groups are ranked by, and whether more is better.
RANKS = {
    "reward": True,
    "cost_usd": False,
    "tokens": False,
    "reward_per_usd": True,
    "advisor_calls": False,
    "seconds": False,
}


class RankedGroup(SystemKey, frozen=True, kw_only=True):
    """One system under one condition: its mean reward, and what a trial of it takes.

    `reward_n` counts seeds, or trials where there are none; `trials` all records behind the mean.
    `on_frontier` says whether no system of the list has at least its reward for less money.
    """

    reward: float
    reward_ci: tuple[float | None, float | None]
    reward_n: int
    trials: int
    cost_usd: float | None
    tokens: float | None
    reward_per_usd: float | None
    seconds: float | None
    advisor_calls: float | None
    advisor_tokens: float | None
    on_frontier: bool | None = None


class PartialGroup(SystemKey, frozen=True, kw_only=True):
    """Partial records of one system under one condition: to look at, never to be ranked."""

    trials: int
    evaluated: int
    reward: float | None
    cost_usd: float | None
    tokens: float | None


class Ranking(msgspec.Struct, frozen=True):
    """The groups, best first; how many trials they rest on, and how many were left out and why.

    `diagnostic` holds the partial records where they were asked for.
    """

    ranking: list[RankedGroup]
    used: int
    left_out: dict[str, int]
    diagnostic: list[PartialGroup] | None = None


def rank_trials(
    ledger: Ledger,
    query: Query,
    *,
    by: str = "reward",
    pool: Sequence[str] = (),
    diagnostic: bool = False,
) -> Ranking:
    """Rank the systems of the trials that a query finds; `pool` names columns to average over.

    The order is that of `by`; a group without that figure comes last.
    """
    check_pool(pool)
    if by not in RANKS:
        raise UnknownName("figure to rank by", by, RANKS)

    groups: dict[SystemKey, list[TrialRow]] = {}
    partial: dict[SystemKey, list[TrialRow]] = {}
    exclusions: Counter[str] = Counter()
    for row in ledger.list(query):
        reason = _exclusion(row)
        if reason is None:
            groups.setdefault(system_key(row, pool), []).append(row)
            continue
        exclusions[reason] += 1
        if reason == PARTIAL:
            partial.setdefault(system_key(row, pool), []).append(row)

    ranking = [_ranked(key, rows) for key, rows in groups.items()]
    ranking.sort(key=lambda group: _place(group, by))
    return Ranking(
        ranking=_with_frontier(ranking),
        used=sum(map(len, groups.values())),
        left_out=dict(sorted(exclusions.items())),
        diagnostic=[_partial(*item) for item in partial.items()] if diagnostic else None,
    )


PARTIAL = "partial record"


def _exclusion(row: TrialRow) -> str | None:
    """Why a trial is not ranked; None for one that is."""
    if row.superseded_by is not None:
        return "superseded by a later record"
    if row.completeness != "complete":
        return PARTIAL
    return "not evaluated" if row.reward is None else None


def _ranked(key: SystemKey, rows: Sequence[TrialRow]) -> RankedGroup:
    mean = mean_reward(rows)
    assert mean.value is not None, "a group has at least one reward"
    cost = mean_known(row.cost_usd for row in rows)
    return RankedGroup(
        **msgspec.structs.asdict(key),
        reward=mean.value,
        reward_ci=(mean.low, mean.high),
        reward_n=mean.n,
        trials=len(rows),
        cost_usd=cost,
        tokens=mean_known(tokens_of(row) for row in rows),
        reward_per_usd=mean.value / cost if cost else None,
        seconds=mean_known(row.total_seconds for row in rows),
        advisor_calls=mean_known(row.advisor_calls for row in rows),
        advisor_tokens=mean_known(advisor_tokens_of(row) for row in rows),
    )


def _place(group: RankedGroup, by: str) -> tuple[bool, float, str]:
    value: float | None = getattr(group, by)
    if value is None:
        return True, 0.0, repr(group)
    return False, -value if RANKS[by] else value, repr(group)


def _with_frontier(ranking: Sequence[RankedGroup]) -> list[RankedGroup]:
    """The groups, each with whether it is on the frontier of the groups of its task."""
    marked = []
    for group in ranking:
        rivals = [
            (other.reward, other.cost_usd)
            for other in ranking
            if other.cost_usd is not None and other.task_id == group.task_id
        ]
        on_frontier = None
        if group.cost_usd is not None:
            own = (group.reward, group.cost_usd)
            on_frontier = pareto_front(rivals)[rivals.index(own)]
        marked.append(msgspec.structs.replace(group, on_frontier=on_frontier))
    return marked


def _partial(key: SystemKey, rows: Sequence[TrialRow]) -> PartialGroup:
    mean = mean_reward(rows)
    return PartialGroup(
        **msgspec.structs.asdict(key),
        trials=len(rows),
        evaluated=sum(row.reward is not None for row in rows),
        reward=mean.value,
        cost_usd=mean_known(row.cost_usd for row in rows),
        tokens=mean_known(tokens_of(row) for row in rows),
    )
