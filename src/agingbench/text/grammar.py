"""How numbers, units, dates, clock times and versions are written: vocabulary and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
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


# Units that measure the same thing: how many of the first unit one of them is.
_MEASURES = (
    "ns 1; us 1000; ms 1000000; s 1000000000; min 60000000000; h 3600000000000;"
    " day 86400000000000; week 604800000000000",
    "month 1; year 12",
    "bit 1; byte 8; kb 8000; mb 8000000; gb 8000000000; tb 8000000000000; kib 8192; mib 8388608;"
    " gib 8589934592",
    "kbps 1; mbps 1000; gbps 1000000",
    "hz 1; khz 1000; mhz 1000000; ghz 1000000000",
    "mm 1; cm 10; m 1000; km 1000000",
    "mg 1; g 1000; kg 1000000",
    "ml 1; liter 1000",
    "watt 1; kw 1000",
    "cent 1; usd 100",
)
_BINARY = {"kb": 8 * 1024, "mb": 8 * 1024**2, "gb": 8 * 1024**3, "tb": 8 * 1024**4}


def _measures() -> dict[str, tuple[int, Decimal]]:
    sizes = {}
    for number, row in enumerate(_MEASURES):
        for part in row.split(";"):
            unit, size = part.split()
            sizes[unit] = (number, Decimal(size))
    return sizes


SIZES: Final[dict[str, tuple[int, Decimal]]] = _measures()


def in_other_units(number: Decimal, unit: str | None) -> list[tuple[Decimal, str]]:
    """The same amount in the other units of its measure, where that is exact; sizes of data also
    by powers of 1024.
    """
    if unit not in SIZES:
        return []
    measure, size = SIZES[unit]
    amounts = []
    for other, (other_measure, other_size) in SIZES.items():
        if other_measure != measure or other == unit:
            continue
        amount = number * size / other_size
        if amount * other_size == number * size:
            amounts.append((amount, other))
        if unit in _BINARY and other in _BINARY:
            amount = number * _BINARY[unit] / _BINARY[other]
            if amount * _BINARY[other] == number * _BINARY[unit]:
                amounts.append((amount, other))
    return amounts


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


# Month words by their number, in English (abbreviated too), German, French and Spanish.
_MONTH_WORDS = (
    "jan january januar janvier enero; feb february februar fevrier febrero; mar march marz mars"
    " marzo; apr april avril abril; may mai mayo; jun june juni juin junio; jul july juli juillet"
    " julio; aug august aout agosto; sep sept september septembre septiembre; oct october oktober"
    " octobre octubre; nov november novembre noviembre; dec december dezember decembre diciembre"
)
MONTHS: Final[dict[str, int]] = {
    word: number
    for number, row in enumerate(_MONTH_WORDS.split(";"), start=1)
    for word in row.split()
}
_ENGLISH_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
DAY_WORDS: Final[dict[str, int]] = {
    word: number for number, word in enumerate(_ORDINALS.split(), start=1)
}
for _tens, _name in ((20, "twenty"), (30, "thirty")):
    for _word, _number in list(DAY_WORDS.items())[:9]:
        DAY_WORDS[f"{_name}-{_word}"] = _tens + _number
DAY_WORDS["thirtieth"] = 30
_DAY_WORD = "(?:" + "|".join(sorted(DAY_WORDS, key=len, reverse=True)) + ")"
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = (
    r"(?:(?:,\s{0,2}|\s(?:del?|in)\s|\s{1,2}|-)"
    r"(?P<YEAR>(?:19|20|21)[0-9]{2})(?![\w%]|[.,:/-][0-9]))?"
)
_AP = r"(?:[ap]\.m\.?|[ap]m)(?!\w)"
_PART = r"\s?(?:in\sthe\s(?:early\s|late\s)?(?:morning|afternoon|evening)|at\snight)"
_HOURS = "one two three four five six seven eight nine ten eleven twelve"
HOUR_WORDS: Final[dict[str, int]] = {
    word: number for number, word in enumerate(_HOURS.split(), start=1)
}
_HOUR_WORD = "(?:" + "|".join(HOUR_WORDS) + ")"
_HOUR = rf"(?:{_HOUR_WORD}|1[0-2]|0?[1-9])"
_MINUTE_WORD = (
    r"(?:(?:oh|o)[ -](?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
    r"|(?:twenty|thirty|forty|fifty)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_MINUTES = r"(?:one|two|three|four|five|six|seven|eight|nine|" + _MINUTE_WORD + r"|[1-5]?[0-9])"
_LOOSE_END = r"(?![\w%]|[.,:/][0-9]|-[0-9])"
VERSION_TAIL = r"[-.]?(?:alpha|beta|rc|dev|post|pre)[.-]?[0-9]*|[ab][0-9]+"

# Groups are never possessive here: Python before 3.11.5 mismatches those. What follows them refuses
# shorter matches.
READ = re.compile(
    rf"""
  (?P<iso>(?<![\w-])(?P<iy>[0-9]{{4}})(?P<isep>[-/])(?P<im>0?[1-9]|1[0-2])(?P=isep)(?P<id>{_DAY})
     (?=t[0-9]|(?![\w/-]|\.[0-9])))
| (?P<us>(?<![\w/.$€£-])(?P<ua>[0-9]{{1,2}})(?P<usep>[/.-])(?P<ub>[0-9]{{1,2}})(?P=usep)
     (?P<uy>(?:1[89]|2[01])[0-9]{{2}}|(?<=/)[0-9]{{2}})(?![\w/-]|\.[0-9]))
| (?P<ym>(?<![\w/.$-])(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])(?![\w-]))
| (?P<md>(?<!\w)(?P<mm>{_MONTH})(?!\w)\.?(?:(?!\n\n)\s{{1,2}}|-)(?:the\s)?
     (?P<mday>{_DAY_WORD}|{_DAY})(?:st|nd|rd|th)?
     (?P<mspan>\s?-\s?{_DAY}(?:st|nd|rd|th)?(?![0-9:]))?{_LOOSE_END}{_YEAR.replace("YEAR", "my")})
| (?P<dm>(?<![\w$€£/:.,-])(?:(?P<dday>{_DAY})(?P<dof>(?:st|nd|rd|th|er)(?:\s(?:day\s)?of)?|\sof|\sde
       |\.(?=\s?{_MONTH}\s[12][0-9]{{3}}))?|(?P<dword>{_DAY_WORD})\s(?:day\s)?of)
     (?:\s{{1,2}}|-)
     (?P<dmon>{_MONTH})(?!\w)\.?{_YEAR.replace("YEAR", "dy")})
| (?P<my_only>(?<!\w){_MONTH}(?!\w)\.?,?\s{{1,2}}(?:19|20)[0-9]{{2}}(?![\w%]|[.,:/-][0-9]))
| (?P<clk>(?:(?<![\w:.,$/])|(?<=[0-9]t))
     (?:(?P<ch>[01]?[0-9]|2[0-3]):(?P<cm>[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]+)?)?z?
         (?:\s?(?P<cap>{_AP}|{_PART}))?
       |(?P<dh>[01]?[0-9]|2[0-3])(?:[.:]|h(?=[0-9]))(?P<dm2>[0-5][0-9])
         \s?(?:(?P<dap>{_AP}|{_PART})|uhr|h(?:rs|ours)?(?!\w)|o'clock|(?<=[0-9]h[0-9][0-9]))
       |(?P<hh>1[0-2]|0?[1-9])\s?(?:(?P<hap>{_AP}|{_PART})|o'clock(?:\s(?P<oap>{_PART}))?)
       |(?P<cword>noon|midnight|midday))(?![\w:]|[.,/][0-9]))
| (?P<clw>(?<![\w:.,$/-])
     (?:(?P<wq>(?:a\s)?half|(?:a\s)?quarter|{_MINUTES}(?=\sminutes?\s|\spast\s)
         |{_MINUTES}(?=\s(?:to|before)\s(?:noon|midnight|midday)))
         (?:\sminutes?)?\s(?P<wdir>past|after|to|before|till)\s
         (?P<wh>noon|midnight|midday|{_HOUR}(?![\w:]|\.[0-9]))
       |(?P<sh>{_HOUR_WORD})[ -](?P<sm>{_MINUTE_WORD})(?=\s?(?:{_AP}|{_PART}|o'clock)))
     (?:\so'clock)?(?:\s?(?P<wap>{_AP}|{_PART}))?)
| (?P<frac>(?<![\w/.$€£-])(?:(?P<fn>[1-9])/(?P<fd>[2-9]|10)(?![\w/.]|\s[0-9])
       |(?P<fw>an?|one|three)\s(?P<fq>half|quarters?)(?!\w)(?!\s(?:past|to|after|before|hour))))
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
       (?:(?P<eu>[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+,[0-9]{{1,2}}(?![0-9,.])
           |[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{2,}}(?![0-9.])
           |[0-9]{{1,4}},[0-9]{{1,2}}(?![0-9,]|[.][0-9]))
         |[0-9]{{1,3}}(?:[,\xa0'][0-9]{{3}})+(?![0-9]|\xa0[0-9]{{4}})(?:\.[0-9]++)?
         |[1-9][0-9]{{0,2}}(?:[ ][0-9]{{3}})+(?![0-9]|[ ,.:/-][0-9]|[ ]?[a-z]*[0-9])
         |[0-9]++(?:\.[0-9]++)?|(?<![\w.])\.[0-9]++))
     (?![0-9]|[.,:/][0-9]|\.[a-z_]))
| (?P<nw>(?<![\w-])(?:an?\s(?=hundred|thousand|million|billion|dozen))?{NUMBER_WORD}
     (?:(?:\s{{1,2}}|-)(?:and\s)?{NUMBER_WORD})*
     (?:\spoint(?P<tenths>(?:\s(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)(?!\w))+))?
     (?!-(?:first|second|thirds?|half|halves|\w{{2,8}}ths?)(?!\w)))
""",
    re.VERBOSE,
)
# Every place where READ can match; trying its long alternation only there makes reading several
# times faster.
MAY_START = re.compile(
    r"[0-9]+|[$€£¥₹]|[-+](?=[0-9$€£¥₹.]|us|eur|gbp|jpy|inr|cad|aud|chf)|\.(?=[0-9])"
    r"|\b(?:an?\s(?=[htmbdq])|half\s(?=past)|quarter\s(?=past|to|after|before)|(?:us|ca?|au?)\$|usd|eur|gbp|jpy|inr|cad|aud|chf"
    r"|v(?=[0-9.e])|release|noon|midnight"
    rf"|midday|minus\s|negative\s|{_MONTH}|{_DAY_WORD}(?=\s(?:day\s)?of\s)|{NUMBER_WORD})"
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
NOT_ONE = re.compile(
    r"(?:^|\W)(?:no|this|that|which|each|every|any|another|the|some|later|latest|newer|newest|current"
    r"|last|first|second|other|old|older|new|right|wrong|correct|only|good)\s{1,2}$"
)
