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
    DAY_WORDS,
    DECADE,
    HOUR_WORDS,
    MAY_START,
    MONTHS,
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
    SIZES,
    UNITS,
    degrees,
    same_unit,
    spoken,
)
from agingbench.text.values import Item, date_item, number_key
from agingbench.text.wording import STOPWORDS, fold, original_end, remembered, singular

_MOST_DIGITS = 30


_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_DIGIT_WORDS = "zero one two three four five six seven eight nine"
_UNITS_IN_WORDS = {word: number for number, word in enumerate(_DIGIT_WORDS.split())} | {"oh": 0}


def _is_after_noon(half: str, hour: int) -> bool:
    """Does a half of the day (pm, in the evening, at night) put an hour after noon?"""
    half = half.strip()
    if half.startswith("at"):
        return hour % 12 >= 6
    return half[0] == "p" or half.endswith(("afternoon", "evening"))


def _minutes(words: str) -> int:
    """The minutes that "quarter", "half", "22" or "twenty-two" stand for."""
    word = words.removeprefix("a ")
    if word in ("half", "quarter"):
        return 30 if word == "half" else 15
    if word.isdigit():
        return int(word)
    word = re.sub(r"^(?:oh|o)[ -]", "", word)
    return next((number for number, _, _ in spoken(word, 0, len(word))), 0)


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
        numbers = join_ranges(self.s, self.numbers)
        return self.items + numbers + _compounds(self.s, numbers)

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
        one = int(m["ua"])
        other = int(m["ub"])
        year = int(m["uy"])
        # 3/4/2026 may be read two ways: it states both days.
        for month, day in dict.fromkeys([(one, other), (other, one)]):
            self._add(date_item(month, day, year, m.start(), m.end()))

    def _month_day(self, m: re.Match[str]) -> None:
        if m["mspan"] is not None:
            return  # "March 14-16" is a span of days and states neither end
        month = MONTHS[m["mm"]]
        year = int(m["my"]) if m["my"] else None
        day = DAY_WORDS.get(m["mday"]) or int(m["mday"])
        self._add(date_item(month, day, year, m.start(), m.end()))

    def _day_month(self, m: re.Match[str]) -> int | None:
        # "all 5 may attend": a lower-case may or march after a bare number is a verb.
        bare = not m["dof"] and not m["dy"] and not m["dword"]
        if bare and m["dmon"] in ("may", "march") and not self._is_capital(m.start("dmon")):
            return self._number(Decimal(m["dday"]), m.start(), m.end("dday"))

        month = MONTHS[m["dmon"]]
        year = int(m["dy"]) if m["dy"] else None
        day = DAY_WORDS[m["dword"]] if m["dword"] else int(m["dday"])
        self._add(date_item(month, day, year, m.start(), m.end()))
        return None

    def _clock(self, m: re.Match[str]) -> None:
        if m["cword"]:
            time = "00:00" if m["cword"] == "midnight" else "12:00"
            self._add(Item("clock", time, m.start(), m.end()))
            return

        hour = int(m["ch"] or m["dh"] or m["hh"])
        half = m["cap"] or m["dap"] or m["hap"] or m["oap"]
        if half and hour <= 12:
            hour = hour % 12 + (12 if _is_after_noon(half, hour) else 0)
        minute = int(m["cm"] or m["dm2"] or 0)
        self._add(Item("clock", f"{hour:02d}:{minute:02d}", m.start(), m.end()))

    def _clock_words(self, m: re.Match[str]) -> None:
        if m["sh"]:
            hour = HOUR_WORDS[m["sh"]]
            minutes = _minutes(m["sm"])
        else:
            word = m["wh"]
            hours = {"noon": 12, "midday": 12, "midnight": 0, **HOUR_WORDS}
            hour = hours[word] if word in hours else int(word)
            minutes = _minutes(m["wq"])
            if m["wdir"] in ("to", "before", "till"):
                minutes = -minutes

        named = m["wh"] in ("noon", "midday", "midnight")
        starts = [hour] if named else [hour % 12, hour % 12 + 12]
        if m["wap"] and not named:
            starts = [starts[1] if _is_after_noon(m["wap"], hour) else starts[0]]
        # Without a half of the day it may be either.
        for start in starts:
            total = (start * 60 + minutes) % (24 * 60)
            time = f"{total // 60:02d}:{total % 60:02d}"
            self._add(Item("clock", time, m.start(), m.end()))

    def _fraction(self, m: re.Match[str]) -> int | None:
        if m["fn"]:
            share = Decimal(m["fn"]) * 100 / Decimal(m["fd"])
        else:
            share = Decimal(50 if m["fq"] == "half" else 25) * (3 if m["fw"] == "three" else 1)
        if share <= 100 and share == round(share, 3):
            key = number_key(share)
            self._add(Item("percent", key, m.start(), m.end(), unit="percent", second=True))
        return None

    def _version(self, m: re.Match[str]) -> None:
        version = m["v1"] or m["v2"] or m["v3"]
        self._add(Item("version", version, m.start(), m.end()))

    def _digits(self, m: re.Match[str]) -> int | None:
        if m["eu"]:
            digits = m["n"].replace(".", "").replace(",", ".")
        else:
            digits = re.sub(r"[,\xa0' ]", "", m["n"])
        if len(digits) > _MOST_DIGITS:
            return None

        start = m.start()
        minus = m["sign"] == "-" or m["inner"] is not None
        if m["neg"]:
            if self.numbers and not self.s[self.numbers[-1].end : start].strip():  # "45 minus 5"
                start = m.end("neg") + 1
            else:
                minus = True

        number = -Decimal(digits) if minus else Decimal(digits)
        unit = None
        if m["cur"]:
            sign = m["cur"].strip()
            unit = SIGNS.get(sign, sign)
        end = self._number(number, start, m.end(), unit)

        # 9.461 may be read two ways; where a dot parts thousands it is a whole number.
        if _THOUSANDS.fullmatch(m["n"]) and self.numbers and self.numbers[-1].start == start:
            read = self.numbers[-1]
            whole = number_key(Decimal(read.key) * 1000)
            self._add(read._replace(kind=read.kind, key=whole, second=True))

        # 2.3 may be a number or a version.
        bare = m["n"] == m[0] and "." in digits[1:] and end == m.end()
        if bare and self.numbers and self.numbers[-1].start == start:
            self._add(Item("version", digits, start, m.end()))
        return end

    def _number(
        self,
        number: Decimal,
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

        key = number_key(number)
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
        words_end = m.start("tenths") - len(" point") if m["tenths"] else m.end()
        for number, start, stop in spoken(self.s, m.start(), words_end):
            if number == 1 and self.s[start:stop] == "one" and self._is_pronoun(start, stop):
                continue
            if stop == words_end:
                digits = [str(_UNITS_IN_WORDS[word]) for word in (m["tenths"] or "").split()]
                exact = Decimal(f"{number}.{''.join(digits)}") if digits else Decimal(number)
                end = self._number(exact, start, m.end())
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
    "clw": _Reader._clock_words,
    "frac": _Reader._fraction,
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


_JOINT = re.compile(r"\s{0,2}(?:,|and)?\s{0,2}")


def _compounds(s: str, numbers: list[Item]) -> list[Item]:
    """Amounts in two units, each the smaller one of the two: 1 h 30 min, two metres and 5 cm."""
    items = []
    single = [item for item in numbers if item.kind == "number" and not item.in_range]
    for large, small in itertools.pairwise(sorted(single, key=lambda item: item.start)):
        if large.unit not in SIZES or small.unit not in SIZES:
            continue
        measure, size = SIZES[large.unit]
        small_measure, small_size = SIZES[small.unit]
        joined = _JOINT.fullmatch(s[large.end : small.start]) is not None
        if measure != small_measure or size <= small_size or not joined:
            continue
        total = Decimal(large.key) * size / small_size + Decimal(small.key)
        items.append(small._replace(key=number_key(total), start=large.start, second=True))
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
