"""Which trials to list: filters, order and limit, as SQL with bound values only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.trials.entries import TRIAL_COLUMNS, utc

SORTS = (
    "number",
    "timestamp",
    "trial_id",
    "experiment_id",
    "task_id",
    "model",
    "harness",
    "reward",
    "total_seconds",
)
LISTED = ("number", *TRIAL_COLUMNS, "superseded_by")
# What stands in for a trial is told apart: few trials have such a thing.
_ALL = ", ".join([*(f"t.{column}" for column in LISTED[:-1]), "NULL"])


@dataclass(frozen=True)
class Query:
    """What to look for; None asks nothing. `since` is inclusive, `until` exclusive."""

    trial_id: str | None = None
    id_prefix: str | None = None
    experiment: str | None = None
    task_prefix: str | None = None
    model: str | None = None
    harness: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    status: str | None = None
    completeness: str | None = None
    min_reward: float | None = None
    max_reward: float | None = None
    evaluated: bool | None = None
    sort: str = "number"
    descending: bool = False
    limit: int | None = None

    def equal(self) -> dict[str, str]:
        """What is asked for by its exact value, by column."""
        asked = {
            "trial_id": self.trial_id,
            "experiment_id": self.experiment,
            "model": self.model,
            "harness": self.harness,
            "status": self.status,
            "completeness": self.completeness,
        }
        return {column: value for column, value in asked.items() if value is not None}

    def where(self) -> tuple[str, list[Any]]:
        """The condition and its values; placeholders are question marks."""
        parts = [f"t.{column} = ?" for column in self.equal()]
        values: list[Any] = list(self.equal().values())
        for column, prefix in (("task_id", self.task_prefix), ("trial_id", self.id_prefix)):
            if prefix:
                parts.append(f"substr(t.{column}, 1, ?) = ?")
                values += [len(prefix), prefix]
        bounds = [
            ("timestamp >=", self.since and utc(self.since)),
            ("timestamp <", self.until and utc(self.until)),
            ("reward >=", self.min_reward),
            ("reward <=", self.max_reward),
        ]
        for bound, limit in bounds:
            if limit is not None:
                parts.append(f"t.{bound} ?")
                values.append(limit)
        if self.evaluated is not None:
            parts.append(f"t.reward IS {'NOT ' if self.evaluated else ''}NULL")
        return (" WHERE " + " AND ".join(parts) if parts else ""), values

    def sql(self, columns: str = _ALL) -> tuple[str, list[Any]]:
        """The whole query. Trials without the sorted value come last, equal ones in the order they
        were added.
        """
        if self.sort not in SORTS:
            raise UnknownName("sort order", self.sort, SORTS)
        where, values = self.where()
        by = "t.number" if self.sort == "number" else f"t.{self.sort} IS NULL, t.{self.sort}"
        way = " DESC" if self.descending else ""
        text = f"SELECT {columns} FROM trials t{where} ORDER BY {by}{way}"  # noqa: S608
        if self.sort != "number":
            text += ", t.number"
        if self.limit is not None:
            text += " LIMIT ?"
            values = [*values, self.limit]
        return text, values


def parse_day(text: str, *, end: bool = False) -> datetime:
    """A date or a time as UTC when it names no zone; a date as an `end` means the end of that day."""
    try:
        if len(text) == 10:
            day = date.fromisoformat(text) + timedelta(days=int(end))
            return datetime.combine(day, time(), UTC)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"'{text}' is not a date such as 2026-03-13 or a time such as 2026-03-13T10:00:00Z"
        ) from error
