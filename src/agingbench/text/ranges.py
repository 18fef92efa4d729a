"""Ranges of two numbers, and digit runs that hyphens tie into codes."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal

from agingbench.text.english import CHANGE_VERB
from agingbench.text.items import Item
from agingbench.text.units import same_unit

_RANGE_GAP = re.compile(r"\s{0,2}(?:-|—)\s{0,2}|\s{1,2}(?:to|through|up to)\s{1,2}")
_CHANGED_BEFORE = re.compile(rf"(?<!\w){CHANGE_VERB}(?!\w)[^.;:!?()]{{0,40}}$")


def join_ranges(s: str, nums: list[Item]) -> list[Item]:
    """Pair the ends of ranges; drop digit runs that hyphens tie into a code or a phone number."""
    out: list[Item] = []
    ties = [two.start - one.end == 1 and s[one.end] == "-" for one, two in itertools.pairwise(nums)]
    at = 0
    while at < len(nums):
        last = at
        while last < len(ties) and ties[last]:
            last += 1
        if last - at >= 2 or _loose_hyphen(s, nums[at], nums[last]):
            at = last + 1
            continue
        pair = nums[at + 1] if at + 1 < len(nums) else None
        # The second end must not itself begin a tied run: "5 to 6-7".
        if pair is not None and (last > at or at + 1 >= len(ties) or not ties[at + 1]):
            joined = _range(s, nums[at], pair)
            if joined is not None:
                out += [joined, nums[at]._replace(in_range=True), pair._replace(in_range=True)]
                at += 2
                continue
        out.append(nums[at])
        at += 1
    return out


def _loose_hyphen(s: str, first: Item, last: Item) -> bool:
    """A hyphen ties the number to something that is no number: QX-5, 2-4 pm."""
    left = first.start >= 2 and s[first.start - 1] == "-" and s[first.start - 2].isalnum()
    return left or (s[last.end : last.end + 1] == "-" and s[last.end + 1 : last.end + 2].isdigit())


def _range(s: str, low: Item, high: Item) -> Item | None:
    """The range that two neighbouring numbers make, if they make one."""
    start = low.start
    gap = s[low.end : high.start]
    before = s[max(0, low.start - 60) : low.start]
    between = re.search(r"(?<!\w)between\s{1,2}$", before)
    if gap.strip() == "and" and between is not None:
        start -= len(before) - between.start()
    else:
        spoken = gap.strip() not in ("-", "—")
        change = spoken and (
            Decimal(low.key) >= Decimal(high.key) or _CHANGED_BEFORE.search(before) is not None
        )
        if change or _RANGE_GAP.fullmatch(gap) is None:
            return None
    if low.unit and high.unit and not same_unit(low.unit, high.unit):
        return None
    unit = high.unit or low.unit
    return Item("range", f"{low.key}..{high.key}", start, high.end, unit=unit, noun=high.noun)
