"""What a reading yields: the items of a text and the keys they compare by."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Item(NamedTuple):
    """Something with a value that a text says at start:end; items of one kind compare by `key`."""

    kind: str
    key: str
    start: int
    end: int
    unit: str | None = None
    noun: str | None = None  # the word after a number without a unit of the vocabulary
    in_range: bool = False
    year: int | None = None


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def number_key(number: Decimal) -> str:
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def date_item(month: int, day: int, year: int | None, start: int, end: int) -> Item | None:
    if not 1 <= month <= 12 or day > _LENGTHS[month - 1]:
        return None
    return Item("date", f"{month:02d}-{day:02d}", start, end, year=year)
