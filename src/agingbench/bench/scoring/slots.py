"""What an answer gives for one value that was asked for: the right one, another, several, none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agingbench.bench.plan.facts import FactGraph
from agingbench.text import matching
from agingbench.text.plain import plain_spans
from agingbench.text.refusals import is_unknown, refuses
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, stem, word_set, words

Span = tuple[int, int]


@dataclass(frozen=True)
class SlotGold:
    """The right value of one slot, the values that would be wrong in a telling way, and what may
    stand beside it.
    """

    value: Value
    stale: Sequence[Value]
    confusable: Sequence[Value]
    beside: Sequence[Value]  # what leads to the value
    question: str
    point: int

    def allows(self, value: Value) -> bool:
        """Whether a value may stand in the answer: what leads to it and what the question says."""
        for own in (self.value, *self.beside):
            if own.kind == value.kind and matching.key(own) == matching.key(value):
                return True
        return matching.states(self.question, value)


def slot_verdict(text: str, gold: SlotGold, graph: FactGraph, strict: bool) -> str:
    """The verdict on what was said for one value.

    A strict reading, that of an answer in form, also refuses values of the kind that no fact of the
    life holds.
    """
    right = claim_spans(text, gold.value)
    stale = _carries(text, gold.stale, gold, right)
    confused = _carries(text, gold.confusable, gold, right)
    other = _carries(text, graph.live_values_in(text, gold.value.kind, gold.point), gold, right)
    if right:
        conflict = stale or confused or other or has_alternative(text, right, gold.question)
        if strict:
            conflict = conflict or _has_foreign_item(text, gold, right)
        return "both" if conflict else "correct"

    if stale:
        return "stale"
    if confused:
        return "confused"
    if not other and (is_unknown(text) or refuses(text)):
        return "unanswered"
    return "wrong"


# -- what is claimed

_PAST_TENSE = re.compile(r"\b(?:was|were|had been)\b", re.IGNORECASE)


def claim_spans(text: str, value: Value) -> list[Span]:
    """Where the text claims the value: mere past tense does ("you said it was $309"), while
    "formerly", "no longer" and the like do not.
    """
    spans = matching.find(text, value)
    if not spans:
        return []
    present = _PAST_TENSE.sub(lambda match: "is".ljust(len(match[0])), text)
    return plain_spans(present, spans)


def claims(text: str, value: Value) -> bool:
    """Whether the text claims the value; a set when it claims every member."""
    members = matching.prepare(value).members
    if members:
        return all(claims(text, member) for member in members)
    return bool(claim_spans(text, value))


def _carries(text: str, values: Iterable[Value], gold: SlotGold, right: Sequence[Span]) -> bool:
    for value in values:
        if gold.allows(value):
            continue
        spans = [span for span in matching.find(text, value) if not _overlaps(span, right)]
        if plain_spans(text, spans):
            return True
    return False


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


# -- a second value

_COUNTED = re.compile(
    r"\b(?:session|step|entry|note|message|day|week|month|item|turn|meeting|point|page|line|section"
    r"|round|phase|sprint|block|part|chapter|no|number|since|in|as of)\.?\s*#?$",
    re.IGNORECASE,
)


def _has_foreign_item(text: str, gold: SlotGold, right: Sequence[Span]) -> bool:
    """Does the text state another value of the kind, of the same unit, that nobody asked for?"""
    spans = []
    for item in matching.rivals(text, gold.value):
        start = item[0]
        if _overlaps(item, right) or _COUNTED.search(text[:start]):
            continue
        try:
            allowed = gold.allows(Value(gold.value.kind, text[start : item[1]]))
        except ValueError:  # it only reads as such a value in its place
            allowed = False
        if not allowed:
            spans.append(item)
    return bool(plain_spans(text, sorted(spans)))


_OR = r"(?:or|oder|ou|versus|vs\.?)"
_PERHAPS = r"(?:maybe|perhaps|possibly|alternatively|otherwise|potentially)"
_BEHIND = re.compile(
    rf"^\W{{0,3}}(?:\([^)]*\)\W*)?(?:(?:and|but)\s+)?(?:(?:{_OR})\s+(?:else\s+)?(?:{_PERHAPS}\s+)?"
    rf"|{_PERHAPS}\s+|(?:or\s+)?if\s+not\s+|(?:it\s+)?(?:could|might|may)\s+also\s+be\s+|/\s*)"
    r"(?P<rest>[^.;\n]{1,60})",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    rf"(?P<rest>[^.;\n]{{1,60}}?)(?:(?<!\w){_OR}|,\s*{_PERHAPS}|/)\s*(?:{_PERHAPS}\s+)?"
    r"(?:it\s+is\s+|it's\s+)?(?:the\s+|an?\s+)?\W{0,2}$",
    re.IGNORECASE,
)
_NO_OTHER = word_set(
    "so thereabouts more less later earlier sooner something similar close nearby not equivalent"
    " equivalently approximately roughly about around better exactly precisely just simply if you"
    " prefer written otherwise known rather short say still else i we it they he she value answer"
    " though whatever unknown"
)


def has_alternative(text: str, right: Sequence[Span], question: str) -> bool:
    """Is the right value offered as one of two, as in "either A or B" or "A, maybe B"?"""
    asked = {stem(word) for word in words(question)}
    for start, end in right:
        behind = _BEHIND.match(text[end : end + 120])
        if behind is not None and _names_something(behind["rest"], asked):
            return True
        ahead = _AHEAD.search(text[max(0, start - 120) : start])
        if ahead is not None and _names_something(ahead["rest"], asked):
            return True
    return False


def _names_something(text: str, asked: set[str]) -> bool:
    for word in words(text):
        if word in STOPWORDS or word in _NO_OTHER or stem(word) in asked:
            continue
        return True
    return False
