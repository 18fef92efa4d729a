"""Which trials to list, as SQL with bound values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from agingbench.errors import InputError, UnknownName
from agingbench.trials.columns import (
    FACET_COLUMNS,
    NUMBERS,
    TRIAL_COLUMNS,
    TrialColumns,
    utc,
)

SORTS = ("number", *TrialColumns.__struct_fields__)

_OF_THE_LEDGER = [f"t.{column}" for column in TRIAL_COLUMNS]
_FACETS = [f"f.{column}" for column in FACET_COLUMNS]
# As the fields of TrialRow; `superseded_by` is looked up apart: few trials have one.
_COLUMNS = ", ".join([*_OF_THE_LEDGER, *_FACETS, "t.number"])

SEARCHED = ("trial_id", "experiment_id", "task_id", "model", "system_id")
_CONTAINS = "lower({}) LIKE ? ESCAPE '!'"


def _pattern(text: str) -> str:
    """A pattern of LIKE that finds a text anywhere, whatever signs it holds."""
    for sign in ("!", "%", "_"):
        text = text.replace(sign, f"!{sign}")
    return f"%{text.lower()}%"


def _place(column: str) -> str:
    """A column with the table that it stands in."""
    return f"f.{column}" if column in FACET_COLUMNS else f"t.{column}"


@dataclass(frozen=True)
class Query:
    """Filters, order and limit; None filters nothing. `since` is inclusive, `until` exclusive.

    `search` is a part of an id, a task, a model or a system, in any case; `offset` goes with a
    limit.
    `newest` leaves out the records that a later one supersedes; `equals` asks for the value of any
    other column.
    """

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
    newest: bool = False
    equals: tuple[tuple[str, str | int | float], ...] = ()
    search: str | None = None
    sort: str = "number"
    descending: bool = False
    limit: int | None = None
    offset: int = 0

    def equal(self) -> dict[str, str | int | float]:
        """The filters that ask for an exact value, by column."""
        filters: dict[str, str | int | float | None] = {
            "trial_id": self.trial_id,
            "experiment_id": self.experiment,
            "model": self.model,
            "harness": self.harness,
            "status": self.status,
            "completeness": self.completeness,
            **dict(self.equals),
        }
        return {column: value for column, value in filters.items() if value is not None}

    def where(self) -> tuple[str, list[Any]]:
        """The condition and its values; placeholders are question marks."""
        parts = [f"{_place(column)} = ?" for column in self.equal()]
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

        if self.search:
            names = [_place(column) for column in SEARCHED]
            parts.append(f"({' OR '.join(_CONTAINS.format(name) for name in names)})")
            values += [_pattern(self.search)] * len(names)

        if self.evaluated is not None:
            parts.append("t.reward IS NOT NULL" if self.evaluated else "t.reward IS NULL")

        if self.newest:
            parts.append("NOT EXISTS (SELECT 1 FROM trials s WHERE s.supersedes = t.trial_id)")

        condition = " WHERE " + " AND ".join(parts) if parts else ""
        return condition, values

    def sql(self, source: str, columns: str = _COLUMNS) -> tuple[str, list[Any]]:
        """The whole query over `source`, which has `t` and, beside it, `f`.

        Trials without the sorted value come last, ties in the order added.
        """
        if self.sort not in SORTS:
            raise UnknownName("sort order", self.sort, SORTS)

        where, values = self.where()
        column = _place(self.sort)
        order = column if self.sort == "number" else f"{column} IS NULL, {column}"
        direction = " DESC" if self.descending else ""
        text = f"SELECT {columns} FROM {source}{where} ORDER BY {order}{direction}"  # noqa: S608
        if self.sort != "number":
            text += ", t.number"
        if self.limit is not None:
            text += " LIMIT ? OFFSET ?"
            values = [*values, self.limit, self.offset]
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


def read_conditions(pairs: Mapping[str, object]) -> tuple[tuple[str, str | int | float], ...]:
    """Conditions COLUMN=VALUE as a query takes them; raises InputError for an unknown column."""
    columns = TrialColumns.__struct_fields__
    conditions: list[tuple[str, str | int | float]] = []
    for name, value in pairs.items():
        if name not in columns:
            raise UnknownName("column", name, columns)
        is_number = name in NUMBERS
        if is_number and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise InputError(f"the column {name} holds numbers, and '{value}' is none")
        conditions.append((name, value if is_number else str(value)))  # type: ignore[arg-type]
    return tuple(conditions)
