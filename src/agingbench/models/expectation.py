"""What kind of value a question asks for, by its words."""

from __future__ import annotations

import re

from agingbench.text.matching import keys

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
    (r"\bversions?\b|\brelease\b|\bmigration level\b", ("version",)),
    (
        r"\bhow (?:many|much|large|big|long|far|fast|quickly|heavy|high|soon|expensive)\b",
        ("number", "percent", "range"),
    ),
    (r"\b(?:number|digits|amount|sum|price|cost|fee|budget|figure)\b", ("number", "range")),
)
_PATTERNS = [(re.compile(sign, re.IGNORECASE), kinds) for sign, kinds in _SIGNS]


def expected_kinds(question: str) -> tuple[str, ...]:
    """Return the kinds of value that would answer the question; none where its words do not say."""
    for pattern, kinds in _PATTERNS:
        if pattern.search(question):
            return kinds
    return ()


def could_answer(sentence: str, kinds: tuple[str, ...]) -> bool:
    """Tell whether a sentence states a value of one of these kinds; any may hold a name."""
    return not kinds or "name" in kinds or any(keys(sentence, kind) for kind in kinds)
