"""THE answer to "does this text state this value?", and the small text tools that must agree with it.

A text is read once into items (numbers, percents, ranges, dates, clock times, versions); `states`, `find`, `keys` and
`numbers` all look at the same items, so they cannot disagree. Names are whole-word patterns. Nothing here guesses.

Reading rules
- Numbers compare as numbers. A digit run that belongs to a code, path, date, clock, version or fraction is no number.
- A unit counts when it is in `UNITS`, is the value's own noun, or looks like a plural noun right after the number while
  the value has a (non-currency) unit. A bare number fits a value with a unit; another unit does not.
- The ends of a range do not state a plain number. "changed from 250 to 309" is a change, not a range.
- Names: case, diacritics, curly quotes, hyphen or space, a dot after a word and a possessive 's do not matter.
"""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec


def _list(words: str) -> frozenset[str]:
    return frozenset(words.split())


KINDS: Final = frozenset({"number", "percent", "range", "date", "clock", "version", "name", "set"})


class Value(msgspec.Struct, frozen=True):
    """A value as a fact holds it: how to read it (`kind`) and how it is written (`text`)."""

    kind: str
    text: str


class Quantity(msgspec.Struct, frozen=True):
    """A number found in a text; `unit` is the canonical unit if one of the vocabulary stands with it."""

    value: float
    unit: str | None
    start: int
    end: int
    in_range: bool


# ---------------------------------------------------------------- folding

_SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),
        **dict.fromkeys("―⸺", "—"),
        **dict.fromkeys("\u2007\u2009\u202f", "\xa0"),
    }
)
_BEYOND_SIMPLE = re.compile(r"[^\x00-\x7f\xa0—€£¥₹°]")


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    # Superscripts and fractions stay: NFKC would glue "5²" into "52".
    if unicodedata.category(char) == "No":
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    composed = unicodedata.normalize("NFKC", char)
    parts = unicodedata.normalize("NFKD", char)
    if parts and ord(parts[0]) < 0x250:
        composed = "".join(p for p in parts if not "\u0300" <= p <= "\u036f")
    return composed.casefold().translate(_SAME_LENGTH)


def _fold(text: str) -> tuple[str, list[int] | None]:
    """Case and accents folded, and for each folded character its place in `text` (None: the same places)."""
    plain = text.translate(_SAME_LENGTH)
    if _BEYOND_SIMPLE.search(plain) is None:
        return plain.lower(), None
    out: list[str] = []
    places: list[int] = []
    latin = False
    for at, char in enumerate(plain):
        if "\u0300" <= char <= "\u036f" and latin:
            continue
        folded = _fold_char(char)
        latin = bool(folded) and ord(folded[-1]) < 0x250
        out.append(folded)
        places.extend([at] * len(folded))
    places.append(len(text))
    return "".join(out), places


def normalise(text: str) -> str:
    """Unicode, case, accents, quotes, dashes and white space made equal."""
    return " ".join(_fold(text)[0].replace("—", "-").split())


# ---------------------------------------------------------------- units


# The vocabulary of units: "unit: other spellings; ...".
_SPELLINGS = (
    "ns: nanosecond nanoseconds nsec; us: µs μs microsecond microseconds usec; "
    "ms: millisecond milliseconds millis msec msecs; s: sec secs second seconds; min: mins minute minutes; "
    "h: hr hrs hour hours; day: days d; week: weeks wk wks; month: months mo mos; year: years yr yrs; byte: bytes; "
    "bit: bits; kb: kilobyte kilobytes; mb: megabyte megabytes; gb: gigabyte gigabytes; tb: terabyte terabytes; "
    "kib; mib; gib; kbps; mbps; gbps; hz: hertz; khz; mhz; ghz; rps; qps; tps; fps; rpm; "
    "mm: millimeter millimeters millimetre millimetres; cm: centimeter centimeters centimetre centimetres; "
    "m: meter meters metre metres; km: kilometer kilometers kilometre kilometres kms; mile: miles mi; "
    "ft: foot feet; inch: inches; mg: milligram milligrams; g: gram grams; kg: kilogram kilograms kgs kilo kilos; "
    "lb: lbs; pound: pounds; oz: ounce ounces; liter: liters litre litres; "
    "ml: milliliter milliliters millilitre millilitres; degree: degrees deg °; degree c: celsius; "
    "degree f: fahrenheit; watt: watts; kw: kilowatt kilowatts; kwh; person: people persons; child: children; "
    "usd: dollar dollars buck bucks; eur: euro euros; gbp: sterling; jpy: yen; inr: rupee rupees; cad; aud; "
    "chf: franc francs; cent: cents; percent: pct percents; percentage point; token: tokens tok"
)


def _vocabulary() -> dict[str, str]:
    rows = [row.partition(":") for row in _SPELLINGS.split(";")]
    return {word: unit.strip() for unit, _, others in rows for word in (unit.strip(), *others.split())}


UNITS: Final[dict[str, str]] = _vocabulary()
_CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "inr", "cad", "aud", "chf", "cent", "pound"})
_SIGNS = {"$": "usd", "us$": "usd", "c$": "cad", "ca$": "cad", "a$": "aud", "au$": "aud"}
_SIGNS |= {"€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_OVERLAPPING = ({"pound", "lb"}, {"pound", "gbp"}, {"degree", "degree c"}, {"degree", "degree f"})
_RATES = {"request": "rps", "req": "rps", "query": "qps", "transaction": "tps", "frame": "fps"}
_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
# Words that may stand between a number and its unit ("5 business days").
_BETWEEN = _list("more extra additional new active full whole business working calendar consecutive other total us")
# Words that end in s after a number and are no nouns.
_NOT_NOUNS = _list(
    "afterwards allows always appears applies becomes begins besides comes counts covers does ends equals exceeds fits"
    " gets gives goes happens has helps holds includes keeps leaves less lets looks makes matches means needs nowadays"
    " perhaps plus puts refers remains represents requires runs says seems sets sits sometimes sounds stands starts"
    " stays takes thanks this thus towards unless uses was whereas wins works yes"
)

STOPWORDS: Final = _list(
    "a about after again all also am an and any are as at be because been before being but by can could did do does"
    " doing for from had has have having he her here hers him his how i if in into is it its itself just me more most"
    " my no nor not now of off on once only or other our ours out over own per she should so some such than that the"
    " their theirs them then there these they this those through to too under until up very was we were what when where"
    " which while who whom why will with would you your yours"
)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _looks_plural(word: str) -> bool:
    return (
        len(word) >= 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in _NOT_NOUNS
    )


def _same_unit(one: str, other: str) -> bool:
    return one == other or {one, other} in _OVERLAPPING


# ---------------------------------------------------------------- reading a text into items


class _Item(NamedTuple):
    kind: str
    key: str
    start: int
    end: int
    unit: str | None = None
    noun: str | None = None  # the word after a number without a unit of the vocabulary
    in_range: bool = False
    year: int | None = None


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {w: n for n, w in enumerate(_SMALL.split())} | {w: 20 + 10 * n for n, w in enumerate(_TENS.split())}
_NUMBER_WORD = "(?:" + "|".join([*_WORD_VALUES, "hundred", "thousand", "million", "billion", "dozen"]) + r")(?!\w)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"(?:(?:,\s{0,2}|\s{1,2}|-)(?P<YEAR>(?:19|20|21)[0-9]{2})(?![\w%]|[.,:/-][0-9]))?"
_AP = r"(?:[ap]\.m\.?|[ap]m)(?!\w)"
_LOOSE_END = r"(?![\w%]|[.,:/][0-9]|-[0-9])"
_VERSION_TAIL = r"[-.]?(?:alpha|beta|rc|dev|post|pre)[.-]?[0-9]*|[ab][0-9]+"

_READ = re.compile(
    rf"""
  (?P<iso>(?<![\w-])(?P<iy>[0-9]{{4}})(?P<isep>[-/])(?P<im>0?[1-9]|1[0-2])(?P=isep)(?P<id>{_DAY})
     (?=t[0-9]|(?![\w/-]|\.[0-9])))
| (?P<us>(?<![\w/.-])(?P<ua>[0-9]{{1,2}})/(?P<ub>[0-9]{{1,2}})/(?P<uy>[0-9]{{4}})(?![\w/-]))
| (?P<ym>(?<![\w/.$-])(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])(?![\w-]))
| (?P<md>(?<!\w)(?P<mm>{_MONTH})(?!\w)\.?(?:\s{{1,2}}|-)(?:the\s)?(?P<mday>{_DAY})(?:st|nd|rd|th)?
     (?P<mspan>\s?-\s?{_DAY}(?:st|nd|rd|th)?(?![0-9:]))?{_LOOSE_END}{_YEAR.replace("YEAR", "my")})
| (?P<dm>(?<![\w$€£/:.,-])(?P<dday>{_DAY})(?P<dof>(?:st|nd|rd|th)(?:\s(?:day\s)?of)?|\sof)?(?:\s{{1,2}}|-)
     (?P<dmon>{_MONTH})(?!\w)\.?{_YEAR.replace("YEAR", "dy")})
| (?P<my_only>(?<!\w){_MONTH}(?!\w)\.?,?\s{{1,2}}(?:19|20)[0-9]{{2}}(?![\w%]|[.,:/-][0-9]))
| (?P<clk>(?:(?<![\w:.,$/])|(?<=[0-9]t))
     (?:(?P<ch>[01]?[0-9]|2[0-3]):(?P<cm>[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]+)?)?z?(?:\s?(?P<cap>{_AP}))?
       |(?P<hh>1[0-2]|0?[1-9])\s?(?:(?P<hap>{_AP})|o'clock)
       |(?P<cword>noon|midnight))(?![\w:]|[.,/][0-9]))
| (?P<ver>(?<![\w.$€£-])
     (?:(?:v\.?|(?:ver|versions?|release)(?!\w)[.:]?\s?v?)(?P<v1>[0-9]++(?:\.[0-9]++)*+(?:{_VERSION_TAIL})?)
       |(?P<v2>[0-9]++(?:\.[0-9]++){{2,}}+(?:{_VERSION_TAIL})?)
       |(?P<v3>[0-9]++(?:\.[0-9]++)++(?:{_VERSION_TAIL})))(?![\w%]|\.\w|[,:/][0-9]|-[0-9]))
| (?P<num>(?:(?<!\w)(?P<neg>minus|negative)\s)?(?P<sign>(?<![\w)\]-])[-+])?
     (?P<cur>(?:(?<!\w)(?:us|ca?|au?))?\$\s?|[€£¥₹]\s?|(?<!\w)(?:usd|eur|gbp|jpy|inr|cad|aud|chf)\s?)?
     (?P<inner>(?<=[$€£¥₹])-)?
     (?P<n>(?(cur)|(?<![\w/\\@])(?<![0-9][.,:])(?<!\w\.))
       (?:[0-9]{{1,3}}(?:[,\xa0][0-9]{{3}})++(?![0-9])(?:\.[0-9]++)?|[0-9]++(?:\.[0-9]++)?|(?<![\w.])\.[0-9]++))
     (?![0-9]|[.,:/][0-9]|\.[a-z_]))
| (?P<nw>(?<![\w-])(?:an?\s(?=hundred|thousand|million|billion|dozen))?{_NUMBER_WORD}
     (?:(?:\s{{1,2}}|-)(?:and\s)?{_NUMBER_WORD})*(?!-(?:first|second|thirds?|half|halves|\w{{2,8}}ths?)(?!\w)))
""",
    re.VERBOSE,
)
# Every place where _READ can match; trying its long alternation only there makes reading several times faster.
_MAY_START = re.compile(
    r"[0-9]+|[$€£¥₹]|[-+](?=[0-9$€£¥₹.]|us|eur|gbp|jpy|inr|cad|aud|chf)|\.(?=[0-9])"
    r"|\b(?:an?\s(?=[htmbd])|(?:us|ca?|au?)\$|usd|eur|gbp|jpy|inr|cad|aud|chf|v(?=[0-9.e])|release|noon|midnight"
    rf"|minus\s|negative\s|{_MONTH}|{_NUMBER_WORD})"
)
_ATTACHED = re.compile(r"[^\W\d_]+|°\s?[cf](?!\w)|°")
_NEXT_WORD = re.compile(r"(?:[ \t\xa0]{1,2}|\n|-(?=[^\W\d_]{2}))([^\W\d_]+|°\s?[cf](?!\w)|°)(?![\w@]|[.'][\w])")
_PERCENT = re.compile(r"\s?%|[ \t\xa0-]{1,2}(?:percent(?!age)\w?|per\s?cent|pct)(?!\w)")
_PERCENT_POINTS = re.compile(r"[ \t\xa0-]percentage[ -]points?(?!\w)")
_PER_SECOND = re.compile(r"\s?/\s?s(?:ec(?:ond)?)?(?!\w)|\sper\s(?:second|sec)(?!\w)")
_SCALE_OF_DEGREES = re.compile(r"\s([cf])(?:elsius|ahrenheit)?(?!\w)")
_RANGE_GAP = re.compile(r"\s{0,2}(?:-|—)\s{0,2}|\s{1,2}(?:to|through|up to)\s{1,2}")
_CHANGE_VERB = (
    r"(?:chang|mov|rais|lower|increas|decreas|drop|updat|switch|cut|reduc|ris|rose|fell|fall|grew|grow|shift|adjust"
    r"|revis|bump|scal|expand|upgrad|downgrad|migrat|correct|renam|reschedul|went|go|goes|gone|jump|climb|shrank|shrunk"
    r"|set|amend|replac|transition)(?:s|ed|d|es|e|ing|ped|ping|ting|ging|n)?"
)
_CHANGED_BEFORE = re.compile(rf"(?<!\w){_CHANGE_VERB}(?!\w)[^.;:!?()]{{0,40}}$")
_NOT_ONE = re.compile(r"(?:^|\W)(?:no|this|that|which|each|every|any|another|the|some)\s{1,2}$")
_DECADE = re.compile(r"(?:1[89]|20)[0-9]0")
_MOST_DIGITS = 30


def _number_key(number: Decimal) -> str:
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _clean_date(month: int, day: int, year: int | None, start: int, end: int) -> _Item | None:
    if not 1 <= month <= 12 or day > _LENGTHS[month - 1]:
        return None
    return _Item("date", f"{month:02d}-{day:02d}", start, end, year=year)


class _Reader:
    """One pass over one folded text. `upper(i)` says whether the original letter at i is a capital."""

    def __init__(self, folded: str, upper: Callable[[int], bool]) -> None:
        self.s, self.upper = folded, upper
        self.items: list[_Item] = []
        self.numbers: list[_Item] = []

    def read(self) -> list[_Item]:
        handlers: dict[str, Callable[[re.Match[str]], int | None]] = {
            "iso": self._iso,
            "us": self._slash,
            "md": self._month_day,
            "dm": self._day_month,
            "clk": self._clock,
            "ver": self._version,
            "num": self._digits,
            "nw": self._words,
        }
        at = 0
        while (place := _MAY_START.search(self.s, at)) is not None:
            match = _READ.match(self.s, place.start())
            if match is None:
                at = place.end()
                continue
            handler = handlers.get(match.lastgroup or "")
            moved = handler(match) if handler is not None else None
            at = max(match.end() if moved is None else moved, match.start() + 1)
        if self.numbers:
            self._join_ranges()
        return self.items

    def _add(self, item: _Item | None) -> None:
        if item is not None:
            self.items.append(item)

    def _iso(self, m: re.Match[str]) -> None:
        self._add(_clean_date(int(m["im"]), int(m["id"]), int(m["iy"]), m.start(), m.end()))

    def _slash(self, m: re.Match[str]) -> None:
        one, two = int(m["ua"]), int(m["ub"])
        if one > 12 >= two:
            one, two = two, one
        elif two <= 12 and one != two:
            return  # 3/4/2026 may be read two ways
        self._add(_clean_date(one, two, int(m["uy"]), m.start(), m.end()))

    def _month_day(self, m: re.Match[str]) -> None:
        if m["mspan"] is None:  # "March 14-16" is a span of days and states neither end
            year = int(m["my"]) if m["my"] else None
            self._add(_clean_date(_MONTHS.index(m["mm"][:3]) + 1, int(m["mday"]), year, m.start(), m.end()))

    def _day_month(self, m: re.Match[str]) -> int | None:
        # "all 5 may attend": a lower-case may or march after a bare number is a verb.
        if m["dmon"] in ("may", "march") and not m["dof"] and not m["dy"] and not self.upper(m.start("dmon")):
            return self._number(Decimal(m["dday"]), None, m.start(), m.end("dday"))
        year = int(m["dy"]) if m["dy"] else None
        self._add(_clean_date(_MONTHS.index(m["dmon"][:3]) + 1, int(m["dday"]), year, m.start(), m.end()))
        return None

    def _clock(self, m: re.Match[str]) -> None:
        if m["cword"]:
            self._add(_Item("clock", "12:00" if m["cword"] == "noon" else "00:00", m.start(), m.end()))
            return
        hour, half = int(m["ch"] or m["hh"]), m["cap"] or m["hap"]
        if half and hour <= 12:
            hour = hour % 12 + (12 if half[0] == "p" else 0)
        self._add(_Item("clock", f"{hour:02d}:{m['cm'] or '00'}", m.start(), m.end()))

    def _version(self, m: re.Match[str]) -> None:
        self._add(_Item("version", m["v1"] or m["v2"] or m["v3"], m.start(), m.end()))

    def _digits(self, m: re.Match[str]) -> int | None:
        digits = m["n"].replace(",", "").replace("\xa0", "")
        if len(digits) > _MOST_DIGITS:
            return None
        start, number, literal = m.start(), Decimal(digits), None
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
        unit = _SIGNS.get(m["cur"].strip(), m["cur"].strip()) if m["cur"] else None
        moved = self._number(number, literal, start, m.end(), unit)
        bare = m["n"] == m[0] and "." in digits[1:] and moved == m.end()
        if bare and self.numbers and self.numbers[-1].start == start:  # 2.3 may be a number or a version
            self._add(_Item("version", digits, start, m.end()))
        return moved

    def _number(self, number: Decimal, literal: str | None, start: int, end: int, currency: str | None = None) -> int:
        """Add the number at start:end with whatever belongs to it on the right; the place to read on from."""
        s, unit, noun = self.s, currency, None
        if (attached := _ATTACHED.match(s, end)) is not None:
            scale = self._suffix(attached[0], end, currency)
            decade = attached[0] == "s" and _DECADE.fullmatch(s, start, end)
            unit = unit or UNITS.get(attached[0]) or _degrees(attached[0])
            end = attached.end()
            if decade or (scale == 1 and unit is None) or s[end : end + 1].isalnum() or s[end : end + 1] == "_":
                return end
            number *= scale
        if (percent := _PERCENT.match(s, end)) is not None:
            self.numbers.append(_Item("percent", _number_key(number), start, percent.end(), unit="percent"))
            return percent.end()
        if (points := _PERCENT_POINTS.match(s, end)) is not None:
            self.numbers.append(_Item("number", _number_key(number), start, points.end(), unit="percentage point"))
            return points.end()
        word = _NEXT_WORD.match(s, end)
        if word is not None and word[1] in _SCALES:
            number, literal, end = number * _SCALES[word[1]], None, word.end()
            word = _NEXT_WORD.match(s, end)
        elif word is not None and word[1] in ("am", "pm") and "." in s[start:end]:
            return word.end()
        if word is None and s[end : end + 1] == "-" and s[end + 1 : end + 2].isalpha():
            return end + 1  # 4827-A is a code
        if word is not None and word[1] in _BETWEEN and unit is None:
            word = _NEXT_WORD.match(s, word.end()) or word
        if word is not None:
            unit, noun, end = self._unit_word(word, unit, end)
        self.numbers.append(_Item("number", literal or _number_key(number), start, end, unit=unit, noun=noun))
        return end

    def _unit_word(self, word: re.Match[str], unit: str | None, end: int) -> tuple[str | None, str | None, int]:
        named = UNITS.get(word[1]) or _degrees(word[1])
        rate = _RATES.get(_singular(word[1]))
        if rate is not None and unit is None and (per := _PER_SECOND.match(self.s, word.end())) is not None:
            return rate, None, per.end()
        if named == "degree" and (scale := _SCALE_OF_DEGREES.match(self.s, word.end())) is not None:
            return f"degree {scale[1]}", None, scale.end()
        if named is not None and unit in (None, named) and word[1] != "d":
            return named, None, word.end()
        return unit, word[1] if unit is None and word[1] not in STOPWORDS else None, end

    def _suffix(self, letters: str, at: int, currency: str | None) -> int:
        if letters == "k":
            return 1000
        if letters == "bn" or (letters == "b" and currency):
            return 10**9
        if letters == "m" and (currency or self.upper(at)):
            return 10**6
        return 1

    def _words(self, m: re.Match[str]) -> int:
        end = m.end()
        for number, start, stop in _spoken(self.s, m.start(), m.end()):
            if number == 1 and self.s[start:stop] == "one" and self._is_pronoun(start, stop):
                continue
            if stop == m.end():
                end = self._number(Decimal(number), None, start, stop)
            else:
                self.numbers.append(_Item("number", str(number), start, stop))
        return end

    def _is_pronoun(self, start: int, stop: int) -> bool:
        if _NOT_ONE.search(self.s[max(0, start - 12) : start]):
            return True
        word = _NEXT_WORD.match(self.s, stop)
        hyphened = self.s[stop : stop + 1] == "-"
        return word is not None and (word[1] in STOPWORDS or (hyphened and word[1] not in UNITS))

    def _join_ranges(self) -> None:
        """Pair the ends of ranges; drop digit runs that hyphens tie into a code or a phone number."""
        nums = self.numbers
        ties = [two.start - one.end == 1 and self.s[one.end] == "-" for one, two in itertools.pairwise(nums)]
        at = 0
        while at < len(nums):
            last = at
            while last < len(ties) and ties[last]:
                last += 1
            if last - at >= 2 or self._loose_hyphen(nums[at], nums[last]):
                at = last + 1
                continue
            pair = nums[at + 1] if at + 1 < len(nums) else None
            # The second end must not itself begin a tied run: "5 to 6-7".
            if pair is not None and (last > at or at + 1 >= len(ties) or not ties[at + 1]):
                joined = self._range(nums[at], pair)
                if joined is not None:
                    self.items += [joined, nums[at]._replace(in_range=True), pair._replace(in_range=True)]
                    at += 2
                    continue
            self.items.append(nums[at])
            at += 1

    def _loose_hyphen(self, first: _Item, last: _Item) -> bool:
        """A hyphen ties the number to something that is no number: QX-5, 2-4 pm."""
        s = self.s
        left = first.start >= 2 and s[first.start - 1] == "-" and s[first.start - 2].isalnum()
        return left or (s[last.end : last.end + 1] == "-" and s[last.end + 1 : last.end + 2].isdigit())

    def _range(self, low: _Item, high: _Item) -> _Item | None:
        start, gap, before = low.start, self.s[low.end : high.start], self.s[max(0, low.start - 60) : low.start]
        between = re.search(r"(?<!\w)between\s{1,2}$", before)
        if gap.strip() == "and" and between is not None:
            start -= len(before) - between.start()
        else:
            spoken = gap.strip() not in ("-", "—")
            change = spoken and (Decimal(low.key) >= Decimal(high.key) or _CHANGED_BEFORE.search(before) is not None)
            if change or _RANGE_GAP.fullmatch(gap) is None:
                return None
        if low.unit and high.unit and not _same_unit(low.unit, high.unit):
            return None
        unit = high.unit or low.unit
        return _Item("range", f"{low.key}..{high.key}", start, high.end, unit=unit, noun=high.noun)


def _degrees(word: str) -> str | None:
    return f"degree {word[-1]}" if word[0] == "°" and word[-1] in "cf" else None


def _spoken(s: str, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Number words as numbers: "one hundred and five" is one, "seven and eight" are two."""
    tokens = [(m[0], m.start(), m.end()) for m in re.finditer(r"[a-z]+", s[start:stop])]
    at = 0
    while at < len(tokens):
        number, used = _spoken_one([word for word, _, _ in tokens[at : at + 24]])
        if used:
            yield number, start + tokens[at][1], start + tokens[at + used - 1][2]
        at += max(used, 1)


def _spoken_one(words: list[str]) -> tuple[int, int]:
    """The number that these words begin with, and how many of them it takes."""
    total, part, last, below, used = 0, 0, "", 10**15, 0
    for at, word in enumerate(words):
        follows = words[at + 1] if at + 1 < len(words) else ""
        if word in ("a", "an") and not last:
            last = "article"
            continue
        if word == "and" and last in ("hundred", "scale") and follows in _WORD_VALUES:
            continue
        if word in _WORD_VALUES:
            size = _WORD_VALUES[word]
            if last not in ("", "hundred", "scale") and not (last == "tens" and 0 < size < 10):
                break
            part, last = part + size, "tens" if size >= 20 else "small"
        elif word == "hundred" and last in ("", "article", "small", "tens") and part < 100:
            part, last = max(part, 1) * 100, "hundred"
        elif word == "dozen" and last in ("", "article", "small"):
            return total + max(part, 1) * 12, at + 1
        elif word in _SCALES and last != "scale" and _SCALES[word] < below:
            below = _SCALES[word]
            total, part, last = total + max(part, 1) * below, 0, "scale"
        else:
            break
        used = at + 1
    return total + part, used


def _read_text(text: str) -> tuple[_Item, ...]:
    folded, places = _fold(text)
    if places is None:
        return tuple(_Reader(folded, lambda i: text[i].isupper()).read())
    where = places
    items = _Reader(folded, lambda i: text[where[i]].isupper()).read()
    return tuple(i._replace(start=where[i.start], end=_original_end(text, where, i.end)) for i in items)


def _original_end(text: str, places: list[int], end: int) -> int:
    stop = places[end - 1] + 1
    while stop < len(text) and "\u0300" <= text[stop] <= "\u036f":
        stop += 1
    return stop


# Long texts are few and their items many: they get a small memory of their own.
_SHORT = 2000
_read_short = lru_cache(maxsize=4096)(_read_text)
_read_long = lru_cache(maxsize=32)(_read_text)
_fold_short = lru_cache(maxsize=4096)(_fold)
_fold_long = lru_cache(maxsize=32)(_fold)


def _items(text: str) -> tuple[_Item, ...]:
    return _read_short(text) if len(text) <= _SHORT else _read_long(text)


def _folded(text: str) -> tuple[str, list[int] | None]:
    return _fold_short(text) if len(text) <= _SHORT else _fold_long(text)


# ---------------------------------------------------------------- values


class _Wanted(NamedTuple):
    """A value made ready for comparison: an item, or a name pattern, or the members of a set."""

    item: _Item | None = None
    unit: str | None = None
    pattern: re.Pattern[str] | None = None
    members: tuple[Value, ...] = ()


_NAME_TOKEN = re.compile(r"\w+(?:[.'@&]\w+)*|&")
_VERSION_VALUE = re.compile(rf"v?\.?\s?([0-9]+(?:\.[0-9]+)*(?:{_VERSION_TAIL})?)")
_PREPOSITION = re.compile(r"(?<!\w)(?:per|in|of|at|for|on|from|by|with|a|each|every|and|or|to)(?!\w)|[^\w\s'-]")


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise ValueError(f"unknown kind of value '{kind}'; known: {', '.join(sorted(KINDS))}")


@lru_cache(maxsize=65536)
def _wanted(value: Value) -> _Wanted:
    _check_kind(value.kind)
    if value.kind == "set":
        members = tuple(Value("name", part.strip()) for part in value.text.split(";") if part.strip())
        if not members:
            raise ValueError(f"the set '{value.text}' has no members")
        return _Wanted(members=members)
    if value.kind == "name":
        return _Wanted(pattern=_name_pattern(value.text))
    if value.kind == "version":
        version = _VERSION_VALUE.fullmatch(_fold(value.text.strip())[0])
        if version is not None:
            return _Wanted(item=_Item("version", version[1], 0, 0))
    for item in _read_text(value.text):
        if item.kind == value.kind and not item.in_range:
            return _Wanted(item=item, unit=item.unit or _noun_of(value.text, item))
    raise ValueError(f"'{value.text}' cannot be read as a {value.kind}")


def _noun_of(text: str, item: _Item) -> str | None:
    rest = _PREPOSITION.split(_fold(text[item.end :])[0].strip(" -"), maxsplit=1)[0].split()
    return _singular(rest[-1]) if rest and rest[-1] not in STOPWORDS else None


def _no_possessive(token: str) -> str:
    while token.endswith("'s") and len(token) > 2:
        token = token[:-2]
    return token


def _name_tokens(folded: str) -> list[str]:
    return ["and" if t == "&" else _no_possessive(t) for t in _NAME_TOKEN.findall(folded)]


def _name_pattern(text: str) -> re.Pattern[str]:
    folded = _fold(text)[0].strip()
    found = list(_NAME_TOKEN.finditer(folded))
    if not found:
        raise ValueError(f"the name '{text}' has no word in it")
    # Codes and file names are not stated by a longer code: QX-482 is not in QX-482-B.
    coded = any(char.isdigit() for char in folded) or any("." in m[0] for m in found)
    parts = [r"(?<!\w)(?<!\w[.'@&])", r"(?<!\w-)" if coded else ""]
    for at, match in enumerate(found):
        word = _no_possessive(match[0])
        parts.append(r"(?:and|&)" if word in ("and", "&") else re.escape(word))
        if at + 1 < len(found):
            parts.append(r"(?:'s)?" + _gap_pattern(folded[match.end() : found[at + 1].start()]))
    after = folded[found[-1].end() :]
    closing = re.escape(after[: len(after) - len(after.lstrip("+#"))])
    parts += [rf"(?:'s)?{closing}(?!\w|[.'@&]\w|\+\+|\#(?!\w))", r"(?!-\w)" if coded else ""]
    return re.compile("".join(parts))


def _gap_pattern(gap: str) -> str:
    if gap in ("/", "\\", ":", "=", "#"):  # a path is a path
        return re.escape(gap)
    return r"[^\w&]{0,4}[^\w&.'@]" if gap.strip(".- —\t\n\xa0") else r"\.?[\s—-]{1,8}"


def _fits(wanted: _Wanted, item: _Item) -> bool:
    """Does this item of a text state the wanted value?"""
    mine = wanted.item
    if mine is None or item.key != mine.key or item.in_range:
        return False
    if mine.kind == "percent" and item.kind == "number":
        return _unit_fits("percent", item)
    if item.kind != mine.kind:
        return False
    if mine.kind == "date":
        return mine.year is None or item.year is None or mine.year == item.year
    return mine.kind not in ("number", "range") or _unit_fits(wanted.unit, item)


def _unit_fits(unit: str | None, item: _Item) -> bool:
    if unit is None:
        return item.unit != "percent"
    if item.unit is not None:
        return _same_unit(unit, item.unit)
    if item.noun is None or _singular(item.noun) == unit or unit in _CURRENCIES:
        return True
    return not _looks_plural(item.noun)


# ---------------------------------------------------------------- the questions


def states(text: str, value: Value) -> bool:
    """Does `text` state `value`? The one rule of the project; see the reading rules on top."""
    wanted = _wanted(value)
    if wanted.members:
        return all(states(text, member) for member in wanted.members)
    if wanted.pattern is not None:
        return wanted.pattern.search(_folded(text)[0]) is not None
    return any(_fits(wanted, item) for item in _items(text))


def find(text: str, value: Value) -> list[tuple[int, int]]:
    """Where `text` states `value`, as spans of `text`; for a set the spans of all members, [] if one is missing."""
    wanted = _wanted(value)
    if wanted.members:
        spans = [find(text, member) for member in wanted.members]
        return sorted({span for found in spans for span in found}) if all(spans) else []
    if wanted.pattern is None:
        return sorted({(item.start, item.end) for item in _items(text) if _fits(wanted, item)})
    folded, places = _folded(text)
    found = [m.span() for m in wanted.pattern.finditer(folded)]
    if places is None:
        return found
    return [(places[start], _original_end(text, places, end)) for start, end in found]


_MOST_GRAM = 5


def key(value: Value) -> str | None:
    """The key under which `keys` lists this value; None for a set. Names of over five words go by their first five."""
    wanted = _wanted(value)
    if wanted.members:
        return None
    if wanted.item is not None:
        return wanted.item.key
    return " ".join(_name_tokens(_fold(value.text)[0])[:_MOST_GRAM])


def keys(text: str, kind: str) -> set[str]:
    """Keys of all values of `kind` that `text` may state: whatever `states` accepts is among them."""
    _check_kind(kind)
    if kind == "set":
        return set()
    if kind == "name":
        tokens = _name_tokens(_folded(text)[0])
        sizes = range(1, _MOST_GRAM + 1)
        return {" ".join(tokens[at : at + n]) for n in sizes for at in range(len(tokens) - n + 1)}
    # A bare number may stand for a percent, so percents are looked for among the numbers as well.
    kinds = ("percent", "number") if kind == "percent" else (kind,)
    return {item.key for item in _items(text) if item.kind in kinds and not item.in_range}


def numbers(text: str) -> list[Quantity]:
    """All numbers and percents of `text` in order, ends of ranges included and marked."""
    found = sorted((i for i in _items(text) if i.kind in ("number", "percent")), key=lambda i: i.start)
    return [Quantity(float(i.key), i.unit, i.start, i.end, i.in_range) for i in found]


# ---------------------------------------------------------------- plain statements

# A value is stated plainly when one of its occurrences stands in a part of a sentence that no past cue governs.
# 1. A sentence falls into clauses at ; , ( ) dashes and "but", "and now", "while" ...
# 2. Inside a clause, turning words open a new part: "instead of", "replaces", "formerly" open a past part; "now",
#    "replaced by" open a present part; after a verb of change, "from" opens a past part and "to" a present one.
# 3. A part with a cue that looks both ways is past as a whole; a cue that looks forward governs what follows it; a cue
#    that ends a thing (cancelled, no longer ...) governs everything before it in the clause as well.
# 4. A clause that is nothing but a cue governs its neighbour: "$309 (old)", "Formerly, $309"; so does "which was ...".
# 5. "not" and "n't" govern the value right after them.


def _phrases(listed: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in listed.split("|"))


_BOTH_WAYS = _phrases(
    "was | were | had been | used to | earlier | before that | back then | at first | initially | originally"
)
_ENDING = _phrases(
    "no longer | not valid | anymore | any more | cancelled | canceled | cancels | dropped | removed | retracted"
    " | withdrawn | revoked | rescinded | invalid | invalidated | obsolete | outdated | out of date | expired"
    " | discontinued | deprecated | stale | void"
)
_FORWARD = _phrases("old | previous | former | prior")
_OPENING = _phrases(
    "instead of | rather than | in place of | as opposed to | replaces | replacing | replaced | supersedes"
    " | superseding | superseded | formerly | previously | up from | down from | except for | except | changed from"
)
PAST_CUES: Final[tuple[str, ...]] = (*_BOTH_WAYS, *_ENDING, *_FORWARD, *_OPENING, "not", "n't", "replaced by")


def _any_of(phrases: tuple[str, ...]) -> str:
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(p.replace(" ", r"\s+") for p in ordered) + ")"


_CLAUSE_END = re.compile(
    r"[;()\[\]\n]|,(?!\d)|—|--|\s-\s|(?<!\w)(?:but|while|whereas|although|though|however|because|yet|whilst)(?!\w)"
    r"|(?<!\w)and\s+(?=(?:now|currently|is|are|was|were|used|it|it's|no|not|the\s+new|the\s+current|the\s+latest|today"
    r"|add(?:ed)?|kept|keep|set|chose|use|using)(?!\w))"
)
_TURN = re.compile(
    rf"""(?<!\w)(?:
  (?P<gone>(?:(?:been|being|is|are|was|were|got)\s+)(?:replaced|superseded)(?:\s+(?:by|with))?
     |(?:replaced|superseded)\s+(?:by|with))
| (?P<past>{_any_of(_OPENING)})
| (?P<now>now|currently|as\s+of\s+today|today)
| (?P<verb>{_CHANGE_VERB})
| (?P<from>from)
| (?P<to>to)
| (?P<with>with|by)
)(?!\w)""",
    re.VERBOSE,
)
_WHOLE_PART = re.compile(
    rf"(?<!\w)(?:{_any_of(_BOTH_WAYS)}(?!\s+than)"
    r"|(?:is|are|as|be)\s+(?:(?:the|an?|my|your|our|their|its|his|her)\s+)?(?:old|previous|former|prior)(?!\s+enough)"
    r")(?!\w)"
)
_ENDS = re.compile(rf"(?<!\w){_any_of(_ENDING)}(?!\w)")
_AHEAD = re.compile(rf"(?<![\w-])(?<!year\s)(?<!years\s)(?<!months\s){_any_of(_FORWARD)}(?!\w)(?!-\w)")
_NOT_THIS = re.compile(r"(?:(?<!\w)not|n't)\s+(?:(?:the|an?|at|on|in|with|to|by|for)\s+){0,2}$")
_CUE_WORDS = re.compile(
    rf"(?<!\w)(?:{_any_of((*_BOTH_WAYS, *_ENDING, *_FORWARD, *_OPENING))}"
    r"|now|valid|in|use|it|is|has|been|value|the|one|figure|this|that|and|which|currently|since)(?!\w)"
)
_RELATIVE = re.compile(r"\s*(?:which|that|who)\s+(?:was|were|has|have|had|is\s+no|are\s+no|used)(?!\w)")


def states_plainly(text: str, value: Value) -> bool:
    """Is `value` stated at least once where no past or replacement cue governs it? A set: every member of it."""
    wanted = _wanted(value)
    if wanted.members:
        return all(states_plainly(text, member) for member in wanted.members)
    spans = find(text, value)
    if not spans:
        return False
    at = 0
    for start, end in _sentence_spans(text):
        inside = []
        while at < len(spans) and spans[at][0] < end:
            inside.append((spans[at][0] - start, min(spans[at][1], end) - start))
            at += 1
        if inside and _plain_in_sentence(text[start:end], inside):
            return True
    return False


def _plain_in_sentence(sentence: str, spans: list[tuple[int, int]]) -> bool:
    """`spans` are where the sentence states the value; cues inside them are part of the value and do not count."""
    masked = [c.lower() if len(c.lower()) == 1 else c for c in sentence.translate(_SAME_LENGTH)]
    for start, end in spans:
        masked[start:end] = "0" * (end - start)
    low = "".join(masked)
    clauses = _clauses(low)
    whole = _governed_by_neighbour(low, clauses)
    parts: dict[int, list[_Part]] = {}
    for start, _ in spans:
        number = bisect.bisect_right(clauses, start, key=lambda c: c[0]) - 1
        if number in whole or _NOT_THIS.search(low[max(0, start - 40) : start]):
            continue
        if number not in parts:
            parts[number] = _parts(low[clauses[number][0] : clauses[number][1]])
        if not _past_at(parts[number], start - clauses[number][0]):
            return True
    return False


def _clauses(low: str) -> list[tuple[int, int]]:
    out, at = [], 0
    for match in _CLAUSE_END.finditer(low):
        if low[at : match.start()].strip():
            out.append((at, match.start()))
        at = match.end()
    if low[at:].strip():
        out.append((at, len(low)))
    return out


def _governed_by_neighbour(low: str, clauses: list[tuple[int, int]]) -> set[int]:
    governed = set()
    for n, (start, end) in enumerate(clauses):
        clause = low[start:end]
        if len(clause) < 60 and not re.search(r"\w", _CUE_WORDS.sub("", clause)):
            if _has_cue(clause):
                governed.add(n - 1 if n else 1)
        elif n and _RELATIVE.match(clause) and _has_cue(clause):
            governed.add(n - 1)
    return governed


def _has_cue(clause: str) -> bool:
    if _ENDS.search(clause) or _WHOLE_PART.search(clause) or _AHEAD.search(clause):
        return True
    return any(turn.lastgroup in ("past", "gone") for turn in _TURN.finditer(clause))


class _Part(NamedTuple):
    """A part of a clause that one tense governs."""

    start: int
    past: bool
    ahead: int | None  # behind this place a forward cue governs


def _turns(clause: str) -> list[tuple[int, bool]]:
    """Where the parts of a clause begin, and whether the turning word opened a past one."""
    parts: list[tuple[int, bool]] = [(0, False)]
    changing = swapping = False
    for turn in _TURN.finditer(clause):
        kind = turn.lastgroup
        if kind == "verb":
            changing = True
        elif kind == "gone":
            parts[-1] = (parts[-1][0], True)
            parts.append((turn.end(), False))
        elif kind == "past":
            swapping = turn[0].startswith(("replac", "supersed"))
            changing = changing or turn[0].endswith("from")
            if not re.search(r"\w", clause[turn.end() : turn.end() + 100]):  # "$309 previously"
                parts[-1] = (parts[-1][0], True)
            parts.append((turn.end(), True))
        elif kind == "now" or (kind == "to" and changing) or (kind == "with" and swapping):
            parts.append((turn.end(), False))
        elif kind == "from" and changing:
            parts.append((turn.end(), True))
    return parts


def _parts(clause: str) -> list[_Part]:
    out: list[_Part] = []
    ended, stop = False, len(clause)
    for start, opened in reversed(_turns(clause)):
        # An ending reaches back over present parts ("Netflix is now cancelled"), not out of a past one ("instead of
        # the cancelled Netflix").
        ended = ended or (not opened and _ENDS.search(clause, start, stop) is not None)
        past = opened or ended or _WHOLE_PART.search(clause, start, stop) is not None
        ahead = _AHEAD.search(clause, start, stop)
        out.append(_Part(start, past, ahead.end() if ahead else None))
        stop = start
    return out[::-1]


def _past_at(parts: list[_Part], at: int) -> bool:
    """Is the value that begins at `at` governed by a cue of its clause?"""
    part = parts[bisect.bisect_right(parts, at, key=lambda p: p.start) - 1]
    return part.past or (part.ahead is not None and part.ahead <= at)


# ---------------------------------------------------------------- words and sentences

_WORD = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|\w+(?:(?:[.'@&]|(?<=[0-9]):(?=[0-9]))\w+)*")


def words(text: str) -> list[str]:
    """Normalised tokens in order, stop words included; amounts without sign and commas, no possessives."""
    return [_no_possessive(t).replace(",", "") for t in _WORD.findall(_folded(text)[0])]


def stem(word: str) -> str:
    """A small, careful stemmer: plurals, -ing, -ed; at least four letters stay."""
    base = _singular(word) if len(_singular(word)) >= 4 else word
    for suffix in ("ing", "ed"):
        root = base[: -len(suffix)]
        if base.endswith(suffix) and len(root) >= 4 and re.search(r"[aeiouy]", root):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled and len(root) > 4 else root
    return base


_STOP = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|\n")
_NEVER_ENDS = _list(
    "dr mr mrs ms prof st sr jr rev gen col capt lt sgt hon vs e.g i.e cf al approx fig eq sec vol u.s u.k u.n e.u d.c"
    " jan feb mar apr jun jul aug sept sep oct nov dec dept est ver"
)
_ENDS_BEFORE_CAPITAL = _list("a.m p.m etc inc ltd co corp no ph.d")
_LAST_TOKEN = re.compile(r"[\w.]*$")


def _ends_here(text: str, begin: int, match: re.Match[str]) -> bool:
    if match[0][0] != ".":
        return True
    last = (_LAST_TOKEN.search(text[max(begin, match.start() - 16) : match.start()]) or match)[0].casefold()
    following = text[match.end() : match.end() + 3].lstrip()[:1]
    if last in _NEVER_ENDS or (len(last) == 1 and last.isalpha() and last != "i"):
        return False
    if last in _ENDS_BEFORE_CAPITAL:
        return following.isupper() or (not following and last != "no")
    listed = len(last) <= 3 and last.isdigit() and not text[begin : match.start()].strip()[: -len(last)]
    return not listed


def _sentence_spans(text: str) -> list[tuple[int, int]]:
    out, begin = [], 0
    for match in _STOP.finditer(text):
        if match[0] == "\n" or _ends_here(text, begin, match):
            out.append((begin, match.end()))
            begin = match.end()
    out.append((begin, len(text)))
    return out


def sentences(text: str) -> list[str]:
    """The sentences of `text`, stripped; abbreviations, initials, decimals and versions do not end one."""
    return [part for start, end in _sentence_spans(text) if (part := text[start:end].strip())]


def first_words(text: str, n: int) -> str:
    """The first `n` words of `text` with the spacing between them as it was."""
    if n <= 0:
        return ""
    for count, match in enumerate(re.finditer(r"\S+", text), start=1):
        if count == n:
            return text[: match.end()].lstrip()
    return text.strip()


def count_tokens(text: str) -> int:
    """An estimate of model tokens: four characters each, rounded up."""
    return -(-len(text) // 4)


# ---------------------------------------------------------------- refusals

_TAIL = r"(?:(?!(?:but|however|maybe|perhaps|though|probably)(?!\w))[^,;:])*"
_NOTHING = (
    r"(?:relevant |such |specific )?(?:information|records?|mention|data|memory|notes?|details?|answer"
    r"|knowledge|idea|clue)"
)
_ASIDE = r"(?:(?:it|that|this|the answer|(?:the|that|this|such) (?:information|detail|value)|(?:it|that)'s)\s)?"
REFUSALS: Final[tuple[str, ...]] = (
    rf"(?:i )?(?:do not|don't|dont|did not|didn't) (?:know|recall|remember|have|see|find){_TAIL}",
    rf"(?:i(?:'m| am) )?not (?:sure|certain|aware){_TAIL}",
    rf"(?:i have |i've got |i've |there is |there's |there are |there was )?no {_NOTHING}(?!\w){_TAIL}",
    rf"(?:there is|there's|there was|i have|i found) nothing(?!\w){_TAIL}",
    r"(?:i )?(?:can't|cannot|can not|could not|couldn't|won't|was unable to|unable to) (?:help|assist|answer|find"
    rf"|determine|recall|remember|say|tell|provide|access|locate|share|comply)(?!\w){_TAIL}",
    rf"i(?:'m| am) (?:unable|not able) to{_TAIL}",
    r"(?:the|my|our) (?:memory|notes|records|context|history|text) (?:do|does|did)(?: not|n't) (?:contain|mention"
    rf"|include|have|say|specify|state|record|show)(?!\w){_TAIL}",
    rf"{_ASIDE}(?:(?:is|was|are) )?(?:not|isn't|wasn't) (?:in my (?:memory|notes|context)|available|provided|known"
    rf"|specified|mentioned|stated|recorded|found|given)(?!\w){_TAIL}",
    rf"{_ASIDE}(?:(?:is|was|are) )?(?:unknown|unavailable)(?!\w){_TAIL}",
    r"n/?a|none|null|nil|nothing|no|pass|no comment|no response|not applicable|(?:i(?:'m| am) )?(?:so |very )?sorry"
    r"|i apologi[sz]e|unfortunately",
)
_LEAD = (
    r"(?:(?:well|unfortunately|sorry|i apologi[sz]e|i(?:'m| am) (?:so |very )?sorry|i(?:'m| am) afraid|honestly|but|and"
    r"|that|as an ai(?: \w+){0,2}|(?:based on|according to|from) (?:my|the|our) \w+(?: \w+)?)[\s,:.-]+)*"
)
_REFUSES = re.compile(_LEAD + "(?:" + "|".join(REFUSALS) + r")[\s.!]*")
_MOST_REFUSAL_WORDS = 60


def is_blank_or_refusal(text: str) -> bool:
    """Nothing said, or only that the answer is not known (`REFUSALS`, a closed list). Any digit makes it an answer."""
    plain = normalise(text)
    if not re.search(r"\w", plain):
        return True
    if re.search(r"[0-9]", plain) or len(plain.split()) > _MOST_REFUSAL_WORDS:
        return False
    return all(_REFUSES.fullmatch(part.strip("\"'*_ ")) for part in sentences(plain) if re.search(r"\w", part))
