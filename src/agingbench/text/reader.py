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
    """Reads one text once, in its folded form `s`; numbers stay apart until ranges are joined."""

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
            end = None if handler is None else handler(self, match)
            if end is None:
                end = match.end()
            at = max(end, match.start() + 1)
        return self.items + join_ranges(self.s, self.numbers)

    def _is_capital(self, at: int) -> bool:
        place = at if self.places is None else self.places[at]
        return self.text[place].isupper()

    def _add(self, item: Item | None) -> None:
        if item is not None:
            self.items.append(item)

    def _iso(self, m: re.Match[str]) -> None:
        month = int(m["im"])
        day = int(m["id"])
        year = int(m["iy"])
        self._add(date_item(month, day, year, m.start(), m.end()))

    def _slash(self, m: re.Match[str]) -> None:
        month = int(m["ua"])
        day = int(m["ub"])
        if month > 12 >= day:
            month, day = day, month
        elif day <= 12 and month != day:
            return  # 3/4/2026 may be read two ways
        self._add(date_item(month, day, int(m["uy"]), m.start(), m.end()))

    def _month_day(self, m: re.Match[str]) -> None:
        if m["mspan"] is not None:
            return  # "March 14-16" is a span of days and states neither end
        month = _MONTHS.index(m["mm"][:3]) + 1
        year = int(m["my"]) if m["my"] else None
        self._add(date_item(month, int(m["mday"]), year, m.start(), m.end()))

    def _day_month(self, m: re.Match[str]) -> int | None:
        # "all 5 may attend": a lower-case may or march after a bare number is a verb.
        bare = not m["dof"] and not m["dy"]
        if bare and m["dmon"] in ("may", "march") and not self._is_capital(m.start("dmon")):
            return self._number(Decimal(m["dday"]), None, m.start(), m.end("dday"))

        month = _MONTHS.index(m["dmon"][:3]) + 1
        year = int(m["dy"]) if m["dy"] else None
        self._add(date_item(month, int(m["dday"]), year, m.start(), m.end()))
        return None

    def _clock(self, m: re.Match[str]) -> None:
        if m["cword"]:
            time = "12:00" if m["cword"] == "noon" else "00:00"
        else:
            hour = int(m["ch"] or m["hh"])
            half = m["cap"] or m["hap"]
            if half and hour <= 12:
                hour = hour % 12 + (12 if half[0] == "p" else 0)
            minute = m["cm"] or "00"
            time = f"{hour:02d}:{minute}"
        self._add(Item("clock", time, m.start(), m.end()))

    def _version(self, m: re.Match[str]) -> None:
        version = m["v1"] or m["v2"] or m["v3"]
        self._add(Item("version", version, m.start(), m.end()))

    def _digits(self, m: re.Match[str]) -> int | None:
        digits = m["n"].replace(",", "").replace("\xa0", "")
        if len(digits) > _MOST_DIGITS:
            return None

        start = m.start()
        minus = m["sign"] == "-" or m["inner"] is not None
        if m["neg"]:
            if self.numbers and not self.s[self.numbers[-1].end : start].strip():  # "45 minus 5"
                start = m.end("neg") + 1
            else:
                minus = True

        number = Decimal(digits)
        literal = None
        padded = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        if minus:
            number = -number
        elif padded and not m["cur"]:
            literal = digits  # 0427 is a code as much as a number; it is not 427

        unit = None
        if m["cur"]:
            sign = m["cur"].strip()
            unit = SIGNS.get(sign, sign)
        end = self._number(number, literal, start, m.end(), unit)

        # 2.3 may be a number or a version.
        bare = m["n"] == m[0] and "." in digits[1:] and end == m.end()
        if bare and self.numbers and self.numbers[-1].start == start:
            self._add(Item("version", digits, start, m.end()))
        return end

    def _number(
        self,
        number: Decimal,
        literal: str | None,
        start: int,
        end: int,
        currency: str | None = None,
    ) -> int:
        """Add the number at start:end with what belongs to it on its right; return where to read
        on.
        """
        s = self.s
        unit = currency

        # What is written without a space: 5k, 20ms, 4th.
        suffix = ATTACHED.match(s, end)
        if suffix is not None:
            letters = suffix[0]
            scale = self._suffix(letters, end, currency)
            is_decade = letters == "s" and DECADE.fullmatch(s, start, end) is not None
            unit = unit or UNITS.get(letters) or degrees(letters)
            end = suffix.end()
            follower = s[end : end + 1]
            is_code = (scale == 1 and unit is None) or follower.isalnum() or follower == "_"
            if is_decade or is_code:
                return end
            number *= scale

        percent = PERCENT.match(s, end)
        if percent is not None:
            item = Item("percent", number_key(number), start, percent.end(), unit="percent")
            self.numbers.append(item)
            return percent.end()
        points = PERCENT_POINTS.match(s, end)
        if points is not None:
            item = Item("number", number_key(number), start, points.end(), unit="percentage point")
            self.numbers.append(item)
            return points.end()

        # A word behind it: five thousand, 5.30 pm.
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

        noun = None
        if word is not None and word[1] in BETWEEN and unit is None:
            word = NEXT_WORD.match(s, word.end()) or word
        if word is not None:
            unit, noun, end = self._unit_word(word, unit, end)

        key = literal or number_key(number)
        self.numbers.append(Item("number", key, start, end, unit=unit, noun=noun))
        return end

    def _unit_word(
        self, word: re.Match[str], unit: str | None, end: int
    ) -> tuple[str | None, str | None, int]:
        """The unit and the noun that the word behind a number gives it, and where the number
        ends.
        """
        rate = RATES.get(singular(word[1]))
        if rate is not None and unit is None:
            per_second = PER_SECOND.match(self.s, word.end())
            if per_second is not None:
                return rate, None, per_second.end()

        word_unit = UNITS.get(word[1]) or degrees(word[1])
        if word_unit == "degree":
            scale = SCALE_OF_DEGREES.match(self.s, word.end())
            if scale is not None:
                return f"degree {scale[1]}", None, scale.end()
        if word_unit is not None and unit in (None, word_unit) and word[1] != "d":
            return word_unit, None, word.end()

        is_noun = unit is None and word[1] not in STOPWORDS
        return unit, word[1] if is_noun else None, end

    def _suffix(self, letters: str, at: int, currency: str | None) -> int:
        """The factor that letters right behind a number stand for; 1 when for none."""
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
        """Is the "one" at start:stop no number, as in "that one" or "one of them"?"""
        if NOT_ONE.search(self.s[max(0, start - 12) : start]):
            return True
        word = NEXT_WORD.match(self.s, stop)
        if word is None:
            return False
        hyphened = self.s[stop : stop + 1] == "-"
        return word[1] in STOPWORDS or (hyphened and word[1] not in UNITS)


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

    originals = []
    for item in items:
        start = places[item.start]
        end = original_end(text, places, item.end)
        originals.append(item._replace(start=start, end=end))
    return tuple(originals)


items_of = remembered(read_text)


_RANGE_GAP = re.compile(r"\s{0,2}(?:-|—)\s{0,2}|\s{1,2}(?:to|through|up to)\s{1,2}")
_CHANGED_BEFORE = re.compile(rf"(?<!\w){CHANGE_VERB}(?!\w)[^.;:!?()]{{0,40}}$")


def join_ranges(s: str, nums: list[Item]) -> list[Item]:
    """Pair the ends of ranges; drop digit runs that hyphens tie into a code or a phone number."""
    ties = [
        following.start - number.end == 1 and s[number.end] == "-"
        for number, following in itertools.pairwise(nums)
    ]
    items: list[Item] = []
    at = 0
    while at < len(nums):
        last = at
        while last < len(ties) and ties[last]:
            last += 1
        if last - at >= 2 or _loose_hyphen(s, nums[at], nums[last]):
            at = last + 1
            continue

        low = nums[at]
        high = nums[at + 1] if at + 1 < len(nums) else None
        # The second end must not itself begin a tied run: "5 to 6-7".
        if high is not None and (last > at or at + 1 >= len(ties) or not ties[at + 1]):
            whole = _range(s, low, high)
            if whole is not None:
                items.append(whole)
                items.append(low._replace(in_range=True))
                items.append(high._replace(in_range=True))
                at += 2
                continue
        items.append(low)
        at += 1
    return items


def _loose_hyphen(s: str, first: Item, last: Item) -> bool:
    """A hyphen ties the number to something that is no number: QX-5, 2-4 pm."""
    start = first.start
    if start >= 2 and s[start - 1] == "-" and s[start - 2].isalnum():
        return True
    end = last.end
    return s[end : end + 1] == "-" and s[end + 1 : end + 2].isdigit()


def _range(s: str, low: Item, high: Item) -> Item | None:
    """The range that two neighbouring numbers make, if they make one."""
    start = low.start
    gap = s[low.end : high.start]
    before = s[max(0, low.start - 60) : low.start]
    between = re.search(r"(?<!\w)between\s{1,2}$", before)

    if gap.strip() == "and" and between is not None:
        start -= len(before) - between.start()
    else:
        # "From 5 to 3" and "raised from 3 to 5" tell of a change.
        in_words = gap.strip() not in ("-", "—")
        falls = Decimal(low.key) >= Decimal(high.key)
        is_change = in_words and (falls or _CHANGED_BEFORE.search(before) is not None)
        if is_change or _RANGE_GAP.fullmatch(gap) is None:
            return None

    if low.unit and high.unit and not same_unit(low.unit, high.unit):
        return None
    unit = high.unit or low.unit
    return Item("range", f"{low.key}..{high.key}", start, high.end, unit=unit, noun=high.noun)
