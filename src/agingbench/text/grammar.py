"""How numbers, units, dates, clock times and versions are written: vocabulary and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agingbench.text.wording import word_set

# "unit: other spellings; ...".
_SPELLINGS = (
    "ns: nanosecond nanoseconds nsec; us: µs μs microsecond microseconds usec; ms: millisecond"
    " milliseconds millis msec msecs; s: sec secs second seconds; min: mins minute minutes; h: hr"
    " hrs hour hours; day: days d; week: weeks wk wks; month: months mo mos; year: years yr yrs;"
    " byte: bytes; bit: bits; kb: kilobyte kilobytes; mb: megabyte megabytes; gb: gigabyte"
    " gigabytes; tb: terabyte terabytes; kib; mib; gib; kbps; mbps; gbps; hz: hertz; khz; mhz; ghz;"
    " rps; qps; tps; fps; rpm; mm: millimeter millimeters millimetre millimetres; cm: centimeter"
    " centimeters centimetre centimetres; m: meter meters metre metres; km: kilometer kilometers"
    " kilometre kilometres kms; mile: miles mi; ft: foot feet; inch: inches; mg: milligram"
    " milligrams; g: gram grams; kg: kilogram kilograms kgs kilo kilos; lb: lbs; pound: pounds; oz:"
    " ounce ounces; liter: liters litre litres; ml: milliliter milliliters millilitre millilitres;"
    " degree: degrees deg °; degree c: celsius; degree f: fahrenheit; watt: watts; kw: kilowatt"
    " kilowatts; kwh; person: people persons; child: children; usd: dollar dollars buck bucks; eur:"
    " euro euros; gbp: sterling; jpy: yen; inr: rupee rupees; cad; aud; chf: franc francs; cent:"
    " cents; percent: pct percents; percentage point; token: tokens tok"
)


def _vocabulary() -> dict[str, str]:
    units: dict[str, str] = {}
    for row in _SPELLINGS.split(";"):
        name, _, spellings = row.partition(":")
        unit = name.strip()
        for word in (unit, *spellings.split()):
            units[word] = unit
    return units


UNITS: Final[dict[str, str]] = _vocabulary()
CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "inr", "cad", "aud", "chf", "cent", "pound"})
SIGNS = {"$": "usd", "us$": "usd", "c$": "cad", "ca$": "cad", "a$": "aud", "au$": "aud"}
SIGNS |= {"€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}
_OVERLAPPING = ({"pound", "lb"}, {"pound", "gbp"}, {"degree", "degree c"}, {"degree", "degree f"})
RATES = {"request": "rps", "req": "rps", "query": "qps", "transaction": "tps", "frame": "fps"}
SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "grand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
# Words that may stand between a number and its unit ("5 business days").
BETWEEN = word_set(
    "more extra additional new active full whole business working calendar consecutive other"
    " total us"
)


def same_unit(one: str, other: str) -> bool:
    """Are the units equal, or can one be meant by the other?"""
    return one == other or {one, other} in _OVERLAPPING


def degrees(word: str) -> str | None:
    """The unit of °C or °F; None for any other word."""
    return f"degree {word[-1]}" if word[0] == "°" and word[-1] in "cf" else None


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {word: number for number, word in enumerate(_SMALL.split())}
_WORD_VALUES |= {word: 20 + 10 * number for number, word in enumerate(_TENS.split())}
_NUMBER_WORDS = [*_WORD_VALUES, "hundred", "thousand", "million", "billion", "dozen"]
NUMBER_WORD = "(?:" + "|".join(_NUMBER_WORDS) + r")(?!\w)"


def spoken(s: str, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Number words as (number, start, stop): "one hundred and five" is one, "seven and eight" are
    two.
    """
    tokens = list(re.finditer(r"[a-z]+", s[start:stop]))
    at = 0
    while at < len(tokens):
        number, n_words = _spoken_one([token[0] for token in tokens[at : at + 24]])
        if n_words:
            last = tokens[at + n_words - 1]
            yield number, start + tokens[at].start(), start + last.end()
        at += max(n_words, 1)


def _spoken_one(words: list[str]) -> tuple[int, int]:
    """The number that these words begin with, and how many of them it takes."""
    total = 0
    part = 0
    last = ""
    below = 10**15
    n_words = 0
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
            part = part + size
            last = "tens" if size >= 20 else "small"
        elif word == "hundred" and last in ("", "article", "small", "tens") and part < 100:
            part = max(part, 1) * 100
            last = "hundred"
        elif word == "dozen" and last in ("", "article", "small"):
            return total + max(part, 1) * 12, at + 1
        elif word in SCALES and last != "scale" and SCALES[word] < below:
            below = SCALES[word]
            total = total + max(part, 1) * below
            part = 0
            last = "scale"
        else:
            break
        n_words = at + 1
    return total + part, n_words


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"(?:(?:,\s{0,2}|\s{1,2}|-)(?P<YEAR>(?:19|20|21)[0-9]{2})(?![\w%]|[.,:/-][0-9]))?"
_AP = r"(?:[ap]\.m\.?|[ap]m)(?!\w)"
_LOOSE_END = r"(?![\w%]|[.,:/][0-9]|-[0-9])"
VERSION_TAIL = r"[-.]?(?:alpha|beta|rc|dev|post|pre)[.-]?[0-9]*|[ab][0-9]+"

# Groups are never possessive here: Python before 3.11.5 mismatches those. What follows them refuses
# shorter matches.
READ = re.compile(
    rf"""
  (?P<iso>(?<![\w-])(?P<iy>[0-9]{{4}})(?P<isep>[-/])(?P<im>0?[1-9]|1[0-2])(?P=isep)(?P<id>{_DAY})
     (?=t[0-9]|(?![\w/-]|\.[0-9])))
| (?P<us>(?<![\w/.-])(?P<ua>[0-9]{{1,2}})/(?P<ub>[0-9]{{1,2}})/(?P<uy>[0-9]{{4}})(?![\w/-]))
| (?P<ym>(?<![\w/.$-])(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])(?![\w-]))
| (?P<md>(?<!\w)(?P<mm>{_MONTH})(?!\w)\.?(?:\s{{1,2}}|-)(?:the\s)?(?P<mday>{_DAY})(?:st|nd|rd|th)?
     (?P<mspan>\s?-\s?{_DAY}(?:st|nd|rd|th)?(?![0-9:]))?{_LOOSE_END}{_YEAR.replace("YEAR", "my")})
| (?P<dm>(?<![\w$€£/:.,-])(?P<dday>{_DAY})(?P<dof>(?:st|nd|rd|th)(?:\s(?:day\s)?of)?|\sof)?
     (?:\s{{1,2}}|-)
     (?P<dmon>{_MONTH})(?!\w)\.?{_YEAR.replace("YEAR", "dy")})
| (?P<my_only>(?<!\w){_MONTH}(?!\w)\.?,?\s{{1,2}}(?:19|20)[0-9]{{2}}(?![\w%]|[.,:/-][0-9]))
| (?P<clk>(?:(?<![\w:.,$/])|(?<=[0-9]t))
     (?:(?P<ch>[01]?[0-9]|2[0-3]):(?P<cm>[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]+)?)?z?
         (?:\s?(?P<cap>{_AP}))?
       |(?P<hh>1[0-2]|0?[1-9])\s?(?:(?P<hap>{_AP})|o'clock)
       |(?P<cword>noon|midnight))(?![\w:]|[.,/][0-9]))
| (?P<ver>(?<![\w.$€£-])
     (?:(?:v\.?|(?:ver|versions?|release)(?!\w)[.:]?\s?v?)
         (?P<v1>[0-9]++(?:\.[0-9]++)*(?:{VERSION_TAIL})?)
       |(?P<v2>[0-9]++(?:\.[0-9]++){{2,}}(?:{VERSION_TAIL})?)
       |(?P<v3>[0-9]++(?:\.[0-9]++)+(?:{VERSION_TAIL})))(?![\w%]|\.\w|[,:/][0-9]|-[0-9]))
| (?P<num>(?:(?<!\w)(?P<neg>minus|negative)\s)?(?P<sign>(?<![\w)\]-])[-+])?
     (?P<cur>(?:(?<!\w)(?:us|ca?|au?))?\$\s?|[€£¥₹]\s?
       |(?<!\w)(?:usd|eur|gbp|jpy|inr|cad|aud|chf)\s?)?
     (?P<inner>(?<=[$€£¥₹])-)?
     (?P<n>(?(cur)|(?<![\w/\\@])(?<![0-9][.,:])(?<!\w\.))
       (?:[0-9]{{1,3}}(?:[,\xa0][0-9]{{3}})+(?![0-9]|\xa0[0-9]{{4}})(?:\.[0-9]++)?
         |[0-9]++(?:\.[0-9]++)?|(?<![\w.])\.[0-9]++))
     (?![0-9]|[.,:/][0-9]|\.[a-z_]))
| (?P<nw>(?<![\w-])(?:an?\s(?=hundred|thousand|million|billion|dozen))?{NUMBER_WORD}
     (?:(?:\s{{1,2}}|-)(?:and\s)?{NUMBER_WORD})*
     (?!-(?:first|second|thirds?|half|halves|\w{{2,8}}ths?)(?!\w)))
""",
    re.VERBOSE,
)
# Every place where READ can match; trying its long alternation only there makes reading several
# times faster.
MAY_START = re.compile(
    r"[0-9]+|[$€£¥₹]|[-+](?=[0-9$€£¥₹.]|us|eur|gbp|jpy|inr|cad|aud|chf)|\.(?=[0-9])"
    r"|\b(?:an?\s(?=[htmbd])|(?:us|ca?|au?)\$|usd|eur|gbp|jpy|inr|cad|aud|chf"
    r"|v(?=[0-9.e])|release|noon|midnight"
    rf"|minus\s|negative\s|{_MONTH}|{NUMBER_WORD})"
)
ATTACHED = re.compile(r"[^\W\d_]+|°\s?[cf](?!\w)|°")
NEXT_WORD = re.compile(
    r"(?:[ \t\xa0]{1,2}|\n|-(?=[^\W\d_]{2}))([^\W\d_]+|°\s?[cf](?!\w)|°)(?![\w@]|[.'][\w])"
)
PERCENT = re.compile(r"\s?%|[ \t\xa0-]{1,2}(?:percent(?!age)\w?|per\s?cent|pct)(?!\w)")
PERCENT_POINTS = re.compile(r"[ \t\xa0-]percentage[ -]points?(?!\w)")
PER_SECOND = re.compile(r"\s?/\s?s(?:ec(?:ond)?)?(?!\w)|\sper\s(?:second|sec)(?!\w)")
SCALE_OF_DEGREES = re.compile(r"\s([cf])(?:elsius|ahrenheit)?(?!\w)")
DECADE = re.compile(r"(?:1[89]|20)[0-9]0")
NOT_ONE = re.compile(r"(?:^|\W)(?:no|this|that|which|each|every|any|another|the|some)\s{1,2}$")
