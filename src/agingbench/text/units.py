"""The vocabulary of units and currencies."""

from __future__ import annotations

from typing import Final

from agingbench.text.english import word_set

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
    rows = [row.partition(":") for row in _SPELLINGS.split(";")]
    return {
        word: unit.strip() for unit, _, others in rows for word in (unit.strip(), *others.split())
    }


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
    return one == other or {one, other} in _OVERLAPPING


def degrees(word: str) -> str | None:
    return f"degree {word[-1]}" if word[0] == "°" and word[-1] in "cf" else None
