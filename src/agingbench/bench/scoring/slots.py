"""What an answer gives for one value that was asked for: the right one, another, several, none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agingbench.bench.plan.facts import FactGraph
from agingbench.text import matching
from agingbench.text.grammar import NUMBER_WORD
from agingbench.text.plain import plain_spans
from agingbench.text.refusals import is_unknown, refuses
from agingbench.text.values import Value
from agingbench.text.wording import SAME_LENGTH, STOPWORDS, stem, word_set, words

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
        conflict = conflict or _has_foreign_name(text, gold, right, strict)
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
    present = _PAST_TENSE.sub(lambda match: "is".ljust(len(match[0])), text)
    return plain_spans(present, spans)


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


def _has_foreign_item(text: str, gold: SlotGold, right: Sequence[Span], strict: bool) -> bool:
    """Does the text state another value of the kind, of the same unit, that nobody asked for? Out
    of form such a value counts when it is joined to the right one or when the text wavers.
    """
    anywhere = strict or wavers(text)
    spans = []
    for item in matching.rivals(text, gold.value):
        start = item[0]
        if _overlaps(item, right) or _COUNTED.search(text[:start]):
            continue
        try:
            allowed = gold.allows(Value(gold.value.kind, text[start : item[1]]))
        except ValueError:  # it only reads as such a value in its place
            allowed = False
        if not allowed and (anywhere or _is_joined(text, item, right, strict)):
            spans.append(item)
    return bool(plain_spans(text, sorted(spans)))


_WAVERS = re.compile(
    r"\b(?:either|might|could be|may be|maybe|perhaps|possibly|torn|toss-?up|50[/-]50|otherwise"
    r"|or else|candidates|both|not sure which|can't decide|cannot decide|don't know which"
    r"|can't tell which|(?<!the )one of|conflict\w*|contradict\w*|(?:another|one|other) note"
    r"|then again|on second thought|alternatively|hard to say|also possible|failing that|if not"
    r"|equally|as likely|second (?:guess|choice|option)|which of (?:the|these|those|them)"
    r"|two (?:\w+ )?(?:values|entries|options|answers|numbers|dates|names|people|possibilities)"
    r"|there are two|options|waver\w*|between|whichever|pick one|choose one|some(?: \w+)? say"
    r"|others say|sometimes|on some|on others|less likely|just as (?:likely|well)"
    r"|is (?:also )?possible|possible too|alternative|close second|second (?:is|would be)"
    r"|if you mean|according to (?:one|another)|backup|plan b"
    r"|depends|depending|unless|or rather|several of|any of|respectively|resp)\b",
    re.IGNORECASE,
)
_OR = r"(?:(?:and/)?or|oder|ou|o|versus|vs\.?|resp\.|respectively)"
_PERHAPS = r"(?:maybe|perhaps|possibly|alternatively|otherwise|potentially)"
_BEHIND = re.compile(
    rf"^\W{{0,5}}(?:\([^)]*\)\W*)?(?:if\s[^,;.]{{1,24}},\s*)?(?:(?:and|but)\s+)?(?:(?:{_PERHAPS}\W+)?{_OR}\W+(?:else\s+)?"
    rf"(?:{_PERHAPS}\s+)?|{_PERHAPS}\s+|(?:or\s+)?if\s+not\s+|unless\s+(?:it's\s+|it\s+is\s+)?"
    r"|(?:and\s+)?if\s+(?:(?:that|it|this)(?:'s|\s+is)\s+)?wrong\W+|else\s+"
    r"|(?:(?:though|but|and)\s+)?(?:i\s+)?(?:wouldn't|don't|can't|couldn't|would\s+not|do\s+not|cannot)"
    r"\s+(?:rule\s+out|exclude)\s+|(?:i'd|i\s+would|i)\s+also\s+accept\s+"
    r"|[/|]\s*|as\s+well\s+as\s+|(?:and\s+)?(?:it\s+is\s+|it's\s+)?also\s+|plus\s+"
    r"|(?:(?:al)?though\s+|but\s+)?(?:it\s+)?(?:could|might|may)\s+(?:also\s+|(?:just\s+)?as\s+well\s+)?"
    r"(?:be|have\s+been)\s+)(?P<rest>(?:[^.;\n]|\.(?=\w)){1,60})",
    re.IGNORECASE,
)
_OR_BEHIND = re.compile(rf"^\s+{_OR}\s+(?P<rest>[^.,;:()\n]{{1,40}})", re.IGNORECASE)
_ANYTHING = re.compile(r"\w")
_AHEAD = re.compile(
    rf"(?P<rest>(?:[^.;\n]|\.(?=\w)){{1,60}}?)(?:(?<!\w){_OR}|,\s*{_PERHAPS}|/)\s*(?:{_PERHAPS}\s+)?"
    r"(?:it\s+is\s+|it's\s+)?(?:the\s+|an?\s+)?\W{0,2}$",
    re.IGNORECASE,
)
# "if it is not B, it is A", "A, but B can't be excluded": what is said of B leaves A open.
_LEFT_OPEN = re.compile(
    r"(?<!\w)(?:if|assuming|provided|supposing|as\s+long\s+as)\s+(?:that\s+)?"
    r"(?:(?:it|this|that)(?:'s|\s+is|\s+was)?\s*)?(?:n't|not)\s+(?P<unless>(?:[^.,;\n]|[.,](?=\w)){1,60})"
    r"|(?<!\w)unless\s+(?:it|this|that)(?:'s|\s+is|\s+was)\s+(?P<then>(?:[^.,;\n]|[.,](?=\w)){1,60})"
    r"|(?P<open>(?:[^.,;\n]|[.,](?=\w)){1,60}?)\s(?:(?:can't|cannot|can\s+not|couldn't)\s+be\s+"
    r"(?:excluded|ruled\s+out|dismissed)|is\s+(?:also\s+)?(?:possible|conceivable|plausible"
    r"|an\s+option|just\s+as\s+likely))",
    re.IGNORECASE,
)
_NO_OTHER = word_set(
    "so thereabouts more less later earlier sooner something similar close nearby not equivalent"
    " equivalently approximately roughly about around better exactly precisely just simply if you"
    " prefer written otherwise known rather short say still else i we it they he she value answer"
    " though whatever unknown something anything changed change happened moved mistaken wrong words"
    " same put differently again like i'm i'll i've i'd sure certain think believe guess remember"
    " misremember recall notes memory note record"
)


def wavers(text: str) -> bool:
    """Does the text say that it cannot decide between values?"""
    return _WAVERS.search(text) is not None


def has_alternative(text: str, right: Sequence[Span], question: str) -> bool:
    """Is the right value offered as one of two, as in "either A or B" or "A, maybe B"?"""
    asked = {stem(word) for word in words(question)}
    for start, end in right:
        look = _look(text[start:end])
        letters = list(text)
        for first, last in right:
            letters[first:last] = " " * (last - first)
        others = "".join(letters)
        # Whatever stands behind "or" without a comma is another value, also "her deputy".
        either = _OR_BEHIND.match(text[end : end + 60])
        if either is not None:
            at = end + either.start("rest")
            if _names_something(others[at : at + len(either["rest"])], asked, _ANYTHING):
                return True
        behind = _BEHIND.match(text[end : end + 120])
        if behind is not None:
            at = end + behind.start("rest")
            if _names_something(others[at : at + len(behind["rest"])], asked, look):
                return True
        begin = max(0, start - 120)
        ahead = _AHEAD.search(text[begin:start])
        if ahead is not None:
            at = begin + ahead.start("rest")
            if _names_something(others[at : at + len(ahead["rest"])], asked, look):
                return True
        for left in _LEFT_OPEN.finditer(text.translate(SAME_LENGTH)):
            if _names_something(others[slice(*left.span(left.lastgroup or 0))], asked, look):
                return True
    return False


def _look(value: str) -> re.Pattern[str]:
    """A pattern of words that look like the value: digits, codes, capitals, or any word."""
    if re.search(r"[0-9]", value):
        return re.compile(rf"[0-9]|(?i:(?<!\w){NUMBER_WORD})")
    if re.search(r"\w[_/.]\w", value):
        return re.compile(r"\w[_/.]\w")
    return re.compile(r"(?<!\w)[A-Z]" if value[:1].isupper() else r"\w")


def _names_something(text: str, asked: set[str], look: re.Pattern[str]) -> bool:
    for token in re.finditer(r"[^\s,]+", text):
        if look.search(token[0]) is None:
            continue
        for word in words(token[0]):
            if word not in STOPWORDS and word not in _NO_OTHER and stem(word) not in asked:
                return True
    return False


_CODE_SHAPE = r"\w+(?:[_/.]\w+)+"
_NAME_SHAPE = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*"


def _has_foreign_name(text: str, gold: SlotGold, right: Sequence[Span], strict: bool) -> bool:
    """Does the text give a second name of the same shape, joined to the right one or in doubt?"""
    if gold.value.kind != "name":
        return False
    shape = _NAME_SHAPE
    if re.search(r"\w[_/.]\w", gold.value.text):
        shape = _CODE_SHAPE
    elif not re.fullmatch(_NAME_SHAPE, gold.value.text):
        return _has_foreign_phrase(text, gold, right, strict)

    in_doubt = wavers(text)
    size = len(gold.value.text.split())
    asked = {stem(word) for word in words(gold.question)}
    spans = []
    for match in re.finditer(shape, text):
        if _overlaps(match.span(), right) or len(match[0].split()) != size:
            continue
        if any(stem(word) in asked or word in STOPWORDS for word in words(match[0])):
            continue
        if in_doubt or _is_joined(text, match.span(), right, strict):
            spans.append(match.span())
    return bool(plain_spans(text, spans))


_JOINS = r"(?:and|&|plus|as\s+well\s+as|and\s+also|also|to|o|resp\.?|respectively|[/|]{1,2})"
_JOINED = re.compile(rf"\s*,?\s*{_JOINS}\s*", re.IGNORECASE)
_LISTED = re.compile(
    rf"\s*(?:\(\d+\s?%\)\s*)?(?:(?:[,;?—–-]|…|\.\.\.)?\s*(?:{_JOINS}|\(?\w[.)])?)\s*", re.IGNORECASE
)


def _is_joined(text: str, span: Span, right: Sequence[Span], strict: bool) -> bool:
    """Does only a joining word stand between two values; in a strict reading, or a mark?"""
    join = _LISTED if strict else _JOINED
    for start, end in right:
        between = text[end : span[0]] if span[0] >= end else text[span[1] : start]
        if join.fullmatch(between):
            return True
    return False


def _has_foreign_phrase(text: str, gold: SlotGold, right: Sequence[Span], strict: bool) -> bool:
    """Does a phrase of as many words stand beside a right one in small letters, joined to it?"""
    join = (_LISTED if strict or wavers(text) else _JOINED).pattern
    size = len(gold.value.text.split())
    phrase = rf"(?:the\s|an?\s)?(?P<rest>[a-z][\w'-]*(?:\s[a-z][\w'-]*){{{size - 1}}})"
    behind = re.compile(rf"{join}{phrase}(?=\s*(?:$|[.,;:?!()|/]|and\s|as\s|is\s|on\s|in\s|if\s))")
    ahead = re.compile(rf"(?:^|[.,;:?!(]\s*|(?:and|between|of|both|is|are)\s){phrase}{join}$")
    asked = {stem(word) for word in words(gold.question)}
    for start, end in right:
        for found in (behind.match(text, end), ahead.search(text[:start])):
            if found is None or not re.search(r"\S", found[0].replace(found["rest"], "")):
                continue
            names = words(found["rest"])
            small = [n for n in names if n in STOPWORDS or n in _NO_OTHER or n.endswith("ly")]
            if not small and not any(stem(name) in asked for name in names):
                return True
    return False
