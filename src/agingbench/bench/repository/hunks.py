"""Places at which two states of a file differ, and the state between them that has some of them."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import NamedTuple


class Hunk(NamedTuple):
    """Lines of the file before, from `start` to `end`, and what stands in their place after."""

    start: int
    end: int
    lines: tuple[str, ...]


def hunks_between(before: str, after: str) -> list[Hunk]:
    """Every place at which two texts differ, from the top down."""
    old = before.splitlines(keepends=True)
    new = after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(start, end, tuple(new[new_start:new_end]))
        for tag, start, end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    ]


def with_hunks(before: str, after: str, numbers: Collection[int]) -> str:
    """The text before with some of its hunks; raises ValueError for one that there is not."""
    hunks = hunks_between(before, after)
    missing = [number for number in numbers if not 0 <= number < len(hunks)]
    if missing:
        raise ValueError(f"no hunk {missing[0]}: the files differ in {len(hunks)} places")
    lines = before.splitlines(keepends=True)
    for number in sorted(numbers, reverse=True):
        hunk = hunks[number]
        lines[hunk.start : hunk.end] = hunk.lines
    return "".join(lines)
