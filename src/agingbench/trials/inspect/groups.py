"""Which trials belong together: the same system under the same condition, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from agingbench.errors import UnknownName
from agingbench.metrics.intervals import Estimate, mean_over_lives
from agingbench.trials.columns import TrialRow

# A condition has a hash over all of these, so it goes with the first of them that is pooled.
CONDITION = ("task_id", "sessions", "pressure", "events")
POOLABLE = (
    "task_id",
    "model",
    "harness",
    "agent",
    "memory",
    "system_id",
    "sessions",
    "pressure",
    "events",
    "study",
)
POOLED = "any"  # what stands for a column whose values were pooled


class SystemKey(msgspec.Struct, frozen=True, kw_only=True):
    """What trials must share to be averaged; seeds and nights are repetitions of it."""

    task_id: str | None
    model: str | None
    harness: str | None
    agent: str | None
    memory: str | None
    system_id: str | None
    sessions: int | str | None
    pressure: str | None
    events: str | None
    study: str | None
    condition: str | None


def system_key(row: TrialRow, pool: Sequence[str] = ()) -> SystemKey:
    """The group of a trial; columns in `pool` do not tell groups apart."""
    values = {name: POOLED if name in pool else getattr(row, name) for name in POOLABLE}
    condition = POOLED if any(name in pool for name in CONDITION) else row.condition
    return SystemKey(**values, condition=condition)


def check_pool(pool: Iterable[str]) -> None:
    """Raise UnknownName for a column that cannot be pooled."""
    for name in pool:
        if name not in POOLABLE:
            raise UnknownName("column to pool", name, POOLABLE)


def mean_reward(rows: Iterable[TrialRow]) -> Estimate:
    """The mean reward with an interval over seeds; a trial without a seed stands for itself.

    A life lived again is no new sample of lives: its rewards are averaged first.
    """
    units: dict[tuple[object, ...], list[float]] = {}
    for row in rows:
        if row.reward is not None:
            key = (row.number,) if row.seed is None else ("seed", row.seed, row.task_id)
            units.setdefault(key, []).append(row.reward)
    means = [sum(rewards) / len(rewards) for rewards in units.values()]
    return mean_over_lives(means, proportion=True)


def mean_known(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def total_known(values: Iterable[float | None]) -> float | None:
    """The sum of values; None where one is missing or there is none, for a part is no total."""
    every = list(values)
    known = [value for value in every if value is not None]
    return sum(known) if known and len(known) == len(every) else None


def tokens_of(row: TrialRow) -> int | None:
    """Tokens in and out of a trial; None where either is not known."""
    if row.tokens_in is None or row.tokens_out is None:
        return None
    return row.tokens_in + row.tokens_out


def advisor_tokens_of(row: TrialRow) -> int | None:
    """Tokens in and out of a trial's advisor; None where either is not known."""
    if row.advisor_input_tokens is None or row.advisor_output_tokens is None:
        return None
    return row.advisor_input_tokens + row.advisor_output_tokens
