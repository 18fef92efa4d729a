"""The values that a text may state, and the numbers found in one."""

from __future__ import annotations

from typing import Final

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
    if kind not in KINDS:
        raise ValueError(f"unknown kind of value '{kind}'; known: {', '.join(sorted(KINDS))}")
