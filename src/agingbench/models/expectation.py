"""What kind of value a question asks for, and in which units, by its words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agingbench.text.grammar import CURRENCIES
from agingbench.text.matching import keys
from agingbench.text.reader import items_of
from agingbench.text.values import Item

# From the surest sign on; the first that fits decides.
_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^(?:\w+ )?who(?:m|se)?\b", ("name",)),
    (
        r"\bwhat time\b|\bwhat hour\b|\bo'clock\b|\btime of (?:day|night)\b|\bwhich hour\b",
        ("clock",),
    ),
    (r"\bwhich (?:day|date)\b|\bwhat (?:day|date)\b|\bdate\b|\bcalendar\b", ("date",)),
    (r"\b(?:since|until|by|from|before) when\b|\bwhen\b", ("date", "clock")),
    (r"\bpercent\w*|\bshare\b|\bfraction\b|\bproportion\b|\bper cent\b", ("percent",)),
    (r"\brate\b|\bhow often\b", ("percent", "number")),
    (r"\bversions?\b|\brelease\b|\bbuild\b|\btag\b|\bmigration level\b", ("version",)),
    (
        r"\bhow (?:many|much|large|big|long|far|fast|quickly|heavy|high|soon|expensive)\b",
        ("number", "percent", "range"),
    ),
    (r"\b(?:number|digits|amount|sum|price|cost|fee|budget|figure)\b", ("number", "range")),
)
_PATTERNS = [(re.compile(sign, re.IGNORECASE), kinds) for sign, kinds in _SIGNS]

_TIMES = frozenset("ns us ms s min h day week month year".split())
_LENGTHS = frozenset("mm cm m km mile ft inch".split())
_DATA = frozenset("bit byte kb mb gb tb kib mib gib".split())
_RATES = frozenset("rps qps tps fps rpm kbps mbps gbps".split())
_WEIGHTS = frozenset("mg g kg lb pound oz".split())
# What is measured -> the units that measure it.
_MEASURES: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\bhow (?:quickly|fast|soon)\b|\blatency\b|\bduration\b|\bdelay\b", _TIMES),
    (r"\bhow long\b", _TIMES | _LENGTHS),
    (r"\bmemory\b|\bRAM\b|\bdisk\b|\bdownload\b|\bstorage\b", _DATA),
    (r"\bload\b|\bthroughput\b|\btraffic\b", _RATES),
    (r"\bhow (?:far|tall|deep)\b|\bdistance\b", _LENGTHS),
    (r"\bhow heavy\b|\bweigh", _WEIGHTS),
    (
        r"\b(?:price|cost|fee|budget|salary|rent|money|dollars?|funded|pay|expensive)\b",
        CURRENCIES,
    ),
)
_MEASURE_PATTERNS = [(re.compile(sign, re.IGNORECASE), units) for sign, units in _MEASURES]


class Expectation(NamedTuple):
    """The kinds of value and the units that would answer a question; empty: any."""

    kinds: tuple[str, ...] = ()
    units: frozenset[str] = frozenset()

    def fits(self, item: Item) -> bool:
        """Whether a value of a text is of these kinds and units; a bare number fits any unit."""
        if self.kinds and item.kind not in self.kinds:
            return False
        return not self.units or item.kind != "number" or item.unit in (None, *self.units)


@lru_cache(maxsize=4096)
def expectation(question: str) -> Expectation:
    """What would answer the question, as far as its words say it."""
    kinds: tuple[str, ...] = ()
    for pattern, values in _PATTERNS:
        if pattern.search(question):
            kinds = values
            break
    if kinds and "number" not in kinds:
        return Expectation(kinds)
    for pattern, units in _MEASURE_PATTERNS:
        if pattern.search(question):
            return Expectation(("number", "range"), units)
    return Expectation(kinds)


def could_answer(sentence: str, expected: Expectation) -> bool:
    """Whether a sentence states a value of the kinds and units expected; any may hold a name."""
    if not expected.kinds or "name" in expected.kinds:
        return True
    if expected.units:
        return any(expected.fits(item) for item in items_of(sentence))
    return any(keys(sentence, kind) for kind in expected.kinds)
