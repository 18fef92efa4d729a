"""Reads the numbers, percents, ranges, dates, clock times and versions out of a text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from decimal import Decimal

from agingbench.text.cues import CHANGE_VERB
from agingbench.text.grammar import (
    ATTACHED,
    BETWEEN,
    DECADE,
    MAY_START,
    NEXT_WORD,
    NOT_ONE,
    PER_SECOND,
    PERCENT,
    PERCENT_POINTS,
    RATES,
    READ,
    SCALE_OF_DEGREES,
    SCALES,
    SIGNS,
    UNITS,
    degrees,
    same_unit,
    spoken,
)
from agingbench.text.values import Item, date_item, number_key
from agingbench.text.wording import STOPWORDS, fold, original_end, remembered, singular

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOST_DIGITS = 30


class _Reader:
    """One pass over one text, in its folded form `s`; numbers are kept apart until ranges are
    joined.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.s, self.places = fold(text)
        self.items: list[Item] = []
        self.numbers: list[Item] = []

    def read(self) -> list[Item]:
        """The items, at their places in the folded text."""
        at = 0
        while (place := MAY_START.search(self.s, at)) is not None:
            match = READ.match(self.s, place.start())
            if match is None:
                at = place.end()
                continue
            handler = _HANDLERS.get(match.lastgroup)
            moved = handler(self, match) if handler is not None else None
            at = max(match.end() if moved is None else moved, match.start() + 1)
        return self.items + join_ranges(self.s, self.numbers)

    def _is_capital(self, at: int) -> bool:
        return self.text[at if self.places is None else self.places[at]].isupper()

    def _add(self, item: Item | None) -> None:
        if item is not None:
            self.items.append(item)

    def _iso(self, m: re.Match[str]) -> None:
        self._add(date_item(int(m["im"]), int(m["id"]), int(m["iy"]), m.start(), m.end()))

    def _slash(self, m: re.Match[str]) -> None:
        one = int(m["ua"])
        two = int(m["ub"])
        if one > 12 >= two:
            one, two = two, one
        elif two <= 12 and one != two:
            return  # 3/4/2026 may be read two ways
        self._add(date_item(one, two, int(m["uy"]), m.start(), m.end()))

    def _month_day(self, m: re.Match[str]) -> None:
        if m["mspan"] is None:  # "March 14-16" is a span of days and states neither end
            year = int(m["my"]) if m["my"] else None
            self._add(
                date_item(_MONTHS.index(m["mm"][:3]) + 1, int(m["mday"]), year, m.start(), m.end())
            )

    def _day_month(self, m: re.Match[str]) -> int | None:
        # "all 5 may attend": a lower-case may or march after a bare number is a verb.
        if (
            m["dmon"] in ("may", "march")
            and not m["dof"]
            and not m["dy"]
            and not self._is_capital(m.start("dmon"))
        ):
            return self._number(Decimal(m["dday"]), None, m.start(), m.end("dday"))
        year = int(m["dy"]) if m["dy"] else None
        self._add(
            date_item(_MONTHS.index(m["dmon"][:3]) + 1, int(m["dday"]), year, m.start(), m.end())
        )
        return None

    def _clock(self, m: re.Match[str]) -> None:
        if m["cword"]:
            self._add(
                Item("clock", "12:00" if m["cword"] == "noon" else "00:00", m.start(), m.end())
            )
            return
        hour = int(m["ch"] or m["hh"])
        half = m["cap"] or m["hap"]
        if half and hour <= 12:
            hour = hour % 12 + (12 if half[0] == "p" else 0)
        self._add(Item("clock", f"{hour:02d}:{m['cm'] or '00'}", m.start(), m.end()))

    def _version(self, m: re.Match[str]) -> None:
        self._add(Item("version", m["v1"] or m["v2"] or m["v3"], m.start(), m.end()))

    def _digits(self, m: re.Match[str]) -> int | None:
        digits = m["n"].replace(",", "").replace("\xa0", "")
        if len(digits) > _MOST_DIGITS:
            return None
        start = m.start()
        number = Decimal(digits)
        literal = None
        minus = m["sign"] == "-" or m["inner"] is not None
        if m["neg"]:
            if self.numbers and not self.s[self.numbers[-1].end : start].strip():  # "45 minus 5"
                start = m.end("neg") + 1
            else:
                minus = True
        if minus:
            number = -number
        elif len(digits) > 1 and digits.isdigit() and digits[0] == "0" and not m["cur"]:
            literal = digits  # 0427 is a code as much as a number; it is not 427
        unit = SIGNS.get(m["cur"].strip(), m["cur"].strip()) if m["cur"] else None
        moved = self._number(number, literal, start, m.end(), unit)
        bare = m["n"] == m[0] and "." in digits[1:] and moved == m.end()
        if (
            bare and self.numbers and self.numbers[-1].start == start
        ):  # 2.3 may be a number or a version
            self._add(Item("version", digits, start, m.end()))
        return moved

    def _number(
        self,
        number: Decimal,
        literal: str | None,
        start: int,
        end: int,
        currency: str | None = None,
    ) -> int:
        """Add the number at start:end with whatever belongs to it on the right; the place to read
        on from.
        """
        s = self.s
        unit = currency
        noun = None
        if (attached := ATTACHED.match(s, end)) is not None:
            scale = self._suffix(attached[0], end, currency)
            decade = attached[0] == "s" and DECADE.fullmatch(s, start, end)
            unit = unit or UNITS.get(attached[0]) or degrees(attached[0])
            end = attached.end()
            if (
                decade
                or (scale == 1 and unit is None)
                or s[end : end + 1].isalnum()
                or s[end : end + 1] == "_"
            ):
                return end
            number *= scale
        if (percent := PERCENT.match(s, end)) is not None:
            self.numbers.append(
                Item("percent", number_key(number), start, percent.end(), unit="percent")
            )
            return percent.end()
        if (points := PERCENT_POINTS.match(s, end)) is not None:
            self.numbers.append(
                Item("number", number_key(number), start, points.end(), unit="percentage point")
            )
            return points.end()
        word = NEXT_WORD.match(s, end)
        if word is not None and word[1] in SCALES:
            number = number * SCALES[word[1]]
            literal = None
            end = word.end()
            word = NEXT_WORD.match(s, end)
        elif word is not None and word[1] in ("am", "pm") and "." in s[start:end]:
            return word.end()
        if word is None and s[end : end + 1] == "-" and s[end + 1 : end + 2].isalpha():
            return end + 1  # 4827-A is a code
        if word is not None and word[1] in BETWEEN and unit is None:
            word = NEXT_WORD.match(s, word.end()) or word
        if word is not None:
            unit, noun, end = self._unit_word(word, unit, end)
        self.numbers.append(
            Item("number", literal or number_key(number), start, end, unit=unit, noun=noun)
        )
        return end

    def _unit_word(
        self, word: re.Match[str], unit: str | None, end: int
    ) -> tuple[str | None, str | None, int]:
        named = UNITS.get(word[1]) or degrees(word[1])
        rate = RATES.get(singular(word[1]))
        if (
            rate is not None
            and unit is None
            and (per := PER_SECOND.match(self.s, word.end())) is not None
        ):
            return rate, None, per.end()
        if named == "degree" and (scale := SCALE_OF_DEGREES.match(self.s, word.end())) is not None:
            return f"degree {scale[1]}", None, scale.end()
        if named is not None and unit in (None, named) and word[1] != "d":
            return named, None, word.end()
        return unit, word[1] if unit is None and word[1] not in STOPWORDS else None, end

    def _suffix(self, letters: str, at: int, currency: str | None) -> int:
        if letters == "k":
            return 1000
        if letters == "bn" or (letters == "b" and currency):
            return 10**9
        if letters == "m" and (currency or self._is_capital(at)):
            return 10**6
        return 1

    def _words(self, m: re.Match[str]) -> int:
        end = m.end()
        for number, start, stop in spoken(self.s, m.start(), m.end()):
            if number == 1 and self.s[start:stop] == "one" and self._is_pronoun(start, stop):
                continue
            if stop == m.end():
                end = self._number(Decimal(number), None, start, stop)
            else:
                self.numbers.append(Item("number", str(number), start, stop))
        return end

    def _is_pronoun(self, start: int, stop: int) -> bool:
        if NOT_ONE.search(self.s[max(0, start - 12) : start]):
            return True
        word = NEXT_WORD.match(self.s, stop)
        hyphened = self.s[stop : stop + 1] == "-"
        return word is not None and (word[1] in STOPWORDS or (hyphened and word[1] not in UNITS))


# Month and year without a day (ym, my_only) are read over: they are no numbers, and no dates.
_HANDLERS: dict[str | None, Callable[[_Reader, re.Match[str]], int | None]] = {
    "iso": _Reader._iso,
    "us": _Reader._slash,
    "md": _Reader._month_day,
    "dm": _Reader._day_month,
    "clk": _Reader._clock,
    "ver": _Reader._version,
    "num": _Reader._digits,
    "nw": _Reader._words,
}


def read_text(text: str) -> tuple[Item, ...]:
    """All items of `text`, at their places in it. The uncached form of `items_of`."""
    reader = _Reader(text)
    items = reader.read()
    places = reader.places
    if places is None:
        return tuple(items)
    return tuple(
        i._replace(start=places[i.start], end=original_end(text, places, i.end)) for i in items
    )


items_of = remembered(read_text)


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
