"""What the trials of each night came to: rewards, money, and what was left unfinished."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date

import msgspec
import numpy as np

from agingbench.errors import UnknownName
from agingbench.metrics.intervals import t_quantile
from agingbench.trials.columns import TrialRow
from agingbench.trials.inspect.groups import (
    SystemKey,
    check_pool,
    mean_reward,
    system_key,
    tokens_of,
    total_known,
)
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query

PERIODS = ("day", "week", "month")
FEWEST = 3  # periods that a slope needs to have an interval


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """The trials of one system in one day, week or month; only complete records have a say in the
    reward, `cost_usd` and `tokens` are totals of all of them, null where a part is not known.
    """

    start: str
    trials: int
    unfinished: int
    reward: float | None
    reward_ci: tuple[float | None, float | None]
    reward_n: int
    cost_usd: float | None
    tokens: float | None


class SystemTrend(SystemKey, frozen=True, kw_only=True):
    """One system over time: its periods, and the change of its mean reward per period."""

    periods: list[Period]
    change: float | None
    change_ci: tuple[float | None, float | None]
    change_n: int


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """Every system over time, and what all of them cost in each period."""

    per: str
    systems: list[SystemTrend]
    totals: list[Period]


def trial_trend(
    ledger: Ledger, query: Query, *, per: str = "day", pool: Sequence[str] = ()
) -> Trend:
    """How the systems of the trials that a query finds did over time."""
    check_pool(pool)
    if per not in PERIODS:
        raise UnknownName("period", per, PERIODS)
    rows = [row for row in ledger.list(query) if row.superseded_by is None]
    systems: dict[SystemKey, list[TrialRow]] = {}
    for row in rows:
        systems.setdefault(system_key(row, pool), []).append(row)
    return Trend(
        per=per,
        systems=[_trend(key, own, per) for key, own in systems.items()],
        totals=_periods(rows, per),
    )


def _trend(key: SystemKey, rows: Sequence[TrialRow], per: str) -> SystemTrend:
    periods = _periods(rows, per)
    rewards = {period.start: period.reward for period in periods if period.reward is not None}
    change, interval = _slope(rewards, per)
    return SystemTrend(
        **msgspec.structs.asdict(key),
        periods=periods,
        change=change,
        change_ci=interval,
        change_n=len(rewards),
    )


def _periods(rows: Sequence[TrialRow], per: str) -> list[Period]:
    by_start: dict[str, list[TrialRow]] = {}
    for row in rows:
        by_start.setdefault(_start(row.timestamp, per), []).append(row)
    return [_period(start, by_start[start]) for start in sorted(by_start)]


def _period(start: str, rows: Sequence[TrialRow]) -> Period:
    complete = [row for row in rows if row.completeness == "complete"]
    mean = mean_reward(complete)
    return Period(
        start=start,
        trials=len(rows),
        unfinished=len(rows) - len(complete),
        reward=mean.value,
        reward_ci=(mean.low, mean.high),
        reward_n=mean.n,
        cost_usd=total_known(row.cost_usd for row in rows),
        tokens=total_known(tokens_of(row) for row in rows),
    )


def _start(timestamp: str, per: str) -> str:
    """The first day of the period that a time in UTC falls into."""
    day = date.fromisoformat(timestamp[:10])
    if per == "week":
        day = date.fromordinal(day.toordinal() - day.weekday())
    elif per == "month":
        day = day.replace(day=1)
    return day.isoformat()


def _slope(
    rewards: Mapping[str, float], per: str
) -> tuple[float | None, tuple[float | None, float | None]]:
    """The change per period by least squares, with Student's interval over periods."""
    unknown = (None, None)
    x = np.array([_place(start, per) for start in rewards], dtype=np.float64)
    y = np.array(list(rewards.values()), dtype=np.float64)
    if x.size < 2:
        return None, unknown
    run = x - x.mean()
    spread = float(run @ run)
    slope = float(run @ y) / spread
    if x.size < FEWEST:
        return slope, unknown
    residuals = y - y.mean() - slope * run
    freedom = x.size - 2
    error = math.sqrt(float(residuals @ residuals) / freedom / spread)
    half = t_quantile(freedom) * error
    return slope, (slope - half, slope + half)


def _place(start: str, per: str) -> float:
    day = date.fromisoformat(start)
    if per == "month":
        return day.year * 12 + day.month
    return day.toordinal() / (7 if per == "week" else 1)
