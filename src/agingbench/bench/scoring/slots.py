"""What an answer gives for one value that was asked for: the right one, another, several, none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.scoring.alternatives import (
    Span,
    has_alternative,
    has_second_name,
    is_joined,
    overlaps,
    wavers,
)
from agingbench.text import matching
from agingbench.text.plain import plain_spans
from agingbench.text.refusals import is_unknown, refuses
from agingbench.text.values import Value
from agingbench.text.wording import STOPWORDS, remembered, stem, words


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
        conflict = conflict or has_second_name(
            text, gold.value, gold.question, right, strict, gold.beside
        )
        conflict = conflict or _has_foreign_item(text, gold, right, strict)
        return "both" if conflict else "correct"

    if stale or any(claims(text, value) for value in gold.stale if not gold.allows(value)):
        return "stale"
    if confused or any(claims(text, value) for value in gold.confusable if not gold.allows(value)):
        return "confused"
    if other or matching.states(text, gold.value):
        return "wrong"
    says_nothing = is_unknown(text) or refuses(text) or gives_nothing(text, gold)
    return "unanswered" if says_nothing else "wrong"


def gives_nothing(text: str, gold: SlotGold) -> bool:
    """Does a text give nothing that could be a value of the kind, such as a mere echo?"""
    if gold.value.kind != "name":
        return not matching.rivals(text, gold.value)
    if not re.search(r"[A-Z_/0-9]", gold.value.text):
        return False
    asked = {stem(word) for word in words(gold.question)}
    for token in re.finditer(r"[\w'’./-]+", text):
        opens = re.search(r"(?:^|[.!?:]\s*|\n)\W*$", text[: token.start()]) is not None
        name_like = re.search(r"[_/0-9]", token[0]) or (token[0][0].isupper() and not opens)
        parts = words(token[0])
        if name_like and any(stem(p) not in asked and p not in STOPWORDS for p in parts):
            return False
    return True


# -- what is claimed

_PAST_TENSE = re.compile(r"(?<!\()\b(?:was|were|had been)\b", re.IGNORECASE)


def claim_spans(text: str, value: Value) -> list[Span]:
    """Where the text claims the value: mere past tense does ("you said it was $309"), while
    "formerly", "no longer" and the like do not.
    """
    spans = matching.find(text, value)
    if value.kind == "name" and not spans:
        spans = _surname_first(text, value)
    if not spans:
        return []
    return plain_spans(_in_present(text), spans)


@remembered
def _in_present(text: str) -> str:
    return _PAST_TENSE.sub(lambda match: "is".ljust(len(match[0])), text)


_PERSON = re.compile(r"([A-Z][\w'’-]+) ([A-Z][\w'’-]+)")


def _surname_first(text: str, value: Value) -> list[Span]:
    person = _PERSON.fullmatch(value.text)
    if person is None or "," not in text:
        return []
    turned = Value("name", f"{person[2]}, {person[1]}")
    return [span for span in matching.find(text, turned) if "," in text[slice(*span)]]


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
        spans = [span for span in matching.find(text, value) if not overlaps(span, right)]
        if plain_spans(text, spans):
            return True
    return False


# -- a second value

_COUNTED = re.compile(
    r"\b(?:session|step|entry|note|message|day|week|month|item|turn|meeting|point|page|line|section"
    r"|round|phase|sprint|block|part|chapter|no|number|since|in|as of)\.?\s*#?$",
    re.IGNORECASE,
)
_COUNT_WIDTH = 60  # characters before a number in which the word that it counts stands


def _has_foreign_item(text: str, gold: SlotGold, right: Sequence[Span], strict: bool) -> bool:
    """Does the text state another value of the kind, of the same unit, that nobody asked for? Out
    of form such a value counts when it is joined to the right one or when the text wavers.
    """
    anywhere = strict or wavers(text)
    spans = []
    for item in matching.rivals(text, gold.value):
        start = item[0]
        if overlaps(item, right) or _COUNTED.search(text[max(0, start - _COUNT_WIDTH) : start]):
            continue
        try:
            allowed = gold.allows(Value(gold.value.kind, text[start : item[1]]))
        except ValueError:  # it only reads as such a value in its place
            allowed = False
        if not allowed and (anywhere or is_joined(text, item, right, strict)):
            spans.append(item)
    return bool(plain_spans(text, sorted(spans)))
