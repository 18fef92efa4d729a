"""Tests of code that an agent writes: calls of one function and the values they are to return."""

from __future__ import annotations

from typing import Any

import msgspec


class CodeCase(msgspec.Struct, frozen=True):
    """One call of the function: its arguments and the value it is to return, as plain JSON."""

    args: list[Any]
    value: Any


class CodeTest(msgspec.Struct, frozen=True):
    """The calls that a function must answer rightly, in the order in which they are made."""

    function: str
    cases: list[CodeCase]


def same_value(one: Any, other: Any) -> bool:
    """Tell whether two plain JSON values are equal; a truth value is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return False
        return all(same_value(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return False
        return all(same_value(value, other[key]) for key, value in one.items())
    return bool(one == other)
