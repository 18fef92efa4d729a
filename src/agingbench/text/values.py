"""The values that a text may state, and the items that a reading of it yields."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

KINDS: Final = frozenset({"number", "percent", "range", "date", "clock", "version", "name", "set"})


class Value(msgspec.Struct, frozen=True):
    """A value as a fact holds it: how to read it (`kind`) and how it is written (`text`)."""

    kind: str
    text: str


class Quantity(msgspec.Struct, frozen=True):
    """A number found in a text; `unit` is the canonical unit if one of the vocabulary stands with
    it.
    """

    value: float
    unit: str | None
    start: int
    end: int
    in_range: bool


def check_kind(kind: str) -> None:
    """Raise ValueError for an unknown kind of value."""
    if kind not in KINDS:
        raise ValueError(f"unknown kind of value '{kind}'; known: {', '.join(sorted(KINDS))}")


class Item(NamedTuple):
    """Something with a value that a text says at start:end; items of one kind compare by `key`."""

    kind: str
    key: str
    start: int
    end: int
    unit: str | None = None
    noun: str | None = None  # the word after a number without a unit of the vocabulary
    in_range: bool = False
    year: int | None = None  # two digits where the text gives only two
    second: bool = False  # another reading of what an earlier item covers


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def number_key(number: Decimal) -> str:
    """The one spelling of a number: no exponent, no zeros at the end, no minus zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def date_item(month: int, day: int, year: int | None, start: int, end: int) -> Item | None:
    """The date at start:end; None when the calendar has no such day."""
    if not 1 <= month <= 12 or day > _LENGTHS[month - 1]:
        return None
    return Item("date", f"{month:02d}-{day:02d}", start, end, year=year)
