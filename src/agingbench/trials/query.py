"""Which trials to list, as SQL with bound values, and a row of the list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec

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


class TrialRow(msgspec.Struct):
    """A trial as the ledger lists it; None is not recorded, never 0."""

    number: int
    trial_id: str
    experiment_id: str
    dataset_id: str | None
    task_id: str
    task_revision: str
    model: str
    harness: str
    timestamp: str
    status: str | None
    completeness: str
    reward: float | None
    total_seconds: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    record_hash: str
    supersedes: str | None
    superseded_by: str | None = None


# `superseded_by` is looked up apart: few trials have one.
_COLUMNS = ", ".join(f"t.{column}" for column in ("number", *TRIAL_COLUMNS))


@dataclass(frozen=True)
class Query:
    """Filters, order and limit; None filters nothing. `since` is inclusive, `until` exclusive."""

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
        """The filters that ask for an exact value, by column."""
        filters = {
            "trial_id": self.trial_id,
            "experiment_id": self.experiment,
            "model": self.model,
            "harness": self.harness,
            "status": self.status,
            "completeness": self.completeness,
        }
        return {column: value for column, value in filters.items() if value is not None}

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
            parts.append("t.reward IS NOT NULL" if self.evaluated else "t.reward IS NULL")

        condition = " WHERE " + " AND ".join(parts) if parts else ""
        return condition, values

    def sql(self, columns: str = _COLUMNS) -> tuple[str, list[Any]]:
        """The whole query; trials without the sorted value come last, ties in the order added."""
        if self.sort not in SORTS:
            raise UnknownName("sort order", self.sort, SORTS)

        where, values = self.where()
        order = "t.number" if self.sort == "number" else f"t.{self.sort} IS NULL, t.{self.sort}"
        direction = " DESC" if self.descending else ""
        text = f"SELECT {columns} FROM trials t{where} ORDER BY {order}{direction}"  # noqa: S608
        if self.sort != "number":
            text += ", t.number"
        if self.limit is not None:
            text += " LIMIT ?"
            values = [*values, self.limit]
        return text, values


def parse_day(text: str, *, end: bool = False) -> datetime:
    """Read a date or a time, by default in UTC; with `end`, a date means the end of that day."""
    try:
        if len(text) == 10:
            day = date.fromisoformat(text) + timedelta(days=int(end))
            return datetime.combine(day, time(), UTC)
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"'{text}' is not a date such as 2026-03-13 or a time such as 2026-03-13T10:00:00Z"
        ) from error
