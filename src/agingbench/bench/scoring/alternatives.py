"""Does an answer offer the right value as one of several ("either A or B", "A, maybe B")?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agingbench.text.grammar import NUMBER_WORD
from agingbench.text.plain import plain_spans
from agingbench.text.values import Value
from agingbench.text.wording import SAME_LENGTH, STOPWORDS, stem, word_set, words

Span = tuple[int, int]


def overlaps(span: Span, others: Sequence[Span]) -> bool:
    """Does a span overlap any of the others?"""
    return any(span[0] < end and start < span[1] for start, end in others)


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
    r"|if you mean|according to (?:one|another)|backup|plan b|entweder|soit"
    r"|depends|depending|unless|or rather|several of|any of|respectively|resp"
    r"|(?:one|other|another) possibility|possibilities|possible (?:answers|values)"
    r"|(?:in|per|by) another"
    r"|(?:one|another|a different) (?:session|entry|message|account|place|source)"
    r"|also (?:have|recorded|appears?|rings|says?|said|noted|seen|found|see)|rings a bell"
    r"|(?:there's|there is|see) also"
    r"|in my notes too|comes up as well|would fit|if (?:that|it|this) (?:fails|doesn't|is off)"
    r"|if (?:that's|it's|this is|that is) (?:not|off|wrong)|your pick|down to two"
    r"|as plausible|as good a guess"
    r"|other (?:candidate|option|guess|choice)|runner-up|alt|back and forth|with probability"
    r"|(?:some|a) chance|some memory of|half[- ]remember"
    r"|(?:may|might) have (?:said|meant|been|told)"
    r"|on (?:the )?one hand|at times|disagree|inconsistent|surprise[ds]?|fallback"
    r"|in reserve|not far behind"
    r"|mixed up|xor|conceivably|at a pinch|worst case|or (?:neither|something|somebody|someone)"
    r"|another \w+ (?:gives|says|has|shows|lists|reads|claims)|trust (?:neither|both)|neither more"
    r"|option (?:[12]|[ab](?= ?:))|answer [12]|which of them|if (?:we|you) go by"
    r"|on paper|in practice)\b",
    re.IGNORECASE,
)
_OR = r"(?:(?:and/)?or|oder|ou|o|eller|oppure|soit|versus|vs\.?|bzw\.|resp\.|respectively)"
_PERHAPS = (
    r"(?:maybe|perhaps|possibly|alternatively|otherwise|potentially|vielleicht|peut-[eê]tre"
    r"|quiz[aá]s|tal\s+vez|forse|conceivably)"
)
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
_OR_SOME_OTHER = re.compile(
    rf"^\W{{1,3}}{_OR}\s+(?:{_PERHAPS}\s+)?(?P<rest>(?:the|her|his|its|their|another|some|an?|next|who\w*"
    r"|one)\s[^.,;:()\n]{1,40})",
    re.IGNORECASE,
)
_ANYTHING = re.compile(r"\w")
_AHEAD = re.compile(
    rf"(?P<rest>(?:[^.;\n]|\.(?=\w)){{1,60}}?)(?:(?<!\w){_OR}|,\s*{_PERHAPS}|/)\s*(?:{_PERHAPS}\s+)?"
    r"(?:it\s+is\s+|it's\s+)?(?:the\s+|an?\s+)?\W{0,2}$",
    re.IGNORECASE,
)
# "if it is not B, it is A", "A, but B can't be excluded": what is said of B leaves A open.
_STAYS_OPEN = (
    r"\s(?:(?:can't|cannot|can\s+not|couldn't)\s+be\s+(?:excluded|ruled\s+out|dismissed)"
    r"|(?:is|also|is\s+also)\s+(?:possible|conceivable|plausible|an\s+option|just\s+as\s+likely)"
    r"|(?:wouldn't|would\s+not)\s+surprise)"
)
_OPEN_BEHIND = re.compile(_STAYS_OPEN, re.IGNORECASE)
_OPEN_BEFORE = (
    r"(?<!\w)(?:if|assuming|provided|supposing|as\s+long\s+as)\s+(?:that\s+)?"
    r"(?:(?:it|this|that)(?:'s|\s+is|\s+was)?\s*)?(?:n't|not)\s+(?P<unless>(?:[^.,;\n]|[.,](?=\w)){1,60})"
    r"|(?<!\w)unless\s+(?:it|this|that)(?:'s|\s+is|\s+was)\s+(?P<then>(?:[^.,;\n]|[.,](?=\w)){1,60})"
    r"|(?:(?:wouldn't|would\s+not|don't|can't)\s+bet\s+against|not\s+(?:exclude|rule\s+out)"
    r"|not\s+be\s+surprised\s+(?:by|at|if\s+it\s+(?:is|was|were)))\s+(?P<against>(?:[^.,;\n]|[.,](?=\w)){1,60})"
    r"|(?<!\w)(?:subject\s+to|assuming|provided)\s+(?:it|that|this)(?:'s)?\s+not\s+being\s+"
    r"(?P<being>(?:[^.,;\n]|[.,](?=\w)){1,60})"
)
_LEFT_OPEN = re.compile(
    rf"{_OPEN_BEFORE}|(?P<open>(?:[^.,;\n]|[.,](?=\w)){{1,60}}?){_STAYS_OPEN}", re.IGNORECASE
)
# The same for a text in which nothing stays open behind its name: that part takes long to search.
_LEFT_OPEN_BEFORE = re.compile(_OPEN_BEFORE, re.IGNORECASE)
# "A, wait, or was that B", "A. If not, B": what a later "or" or "if not" names.
_LATER_OR = re.compile(
    rf"(?<!\w)(?:{_OR}|if\s+(?:not|(?:that|it|this)(?:'s|\s+is)\s+(?:not(?:\s+\w+)?|wrong|off))),?\s+"
    r"(?:(?:was|is|did|could|might|may|it|it's|that|this|you|say|said|mean|be|been|have|am|i|thinking|of|the"
    rf"|an?|even|just|as|likely|equally|{_PERHAPS})\s+){{0,6}}(?P<rest>[^\s,;()\0]+(?:\s[A-Z0-9][^\s,;()\0]*)*)",
    re.IGNORECASE,
)
# What hands over to a second value: "others say B", "failing that B", "it may be B".
_SECOND = re.compile(
    r"(?<!\w)(?:others?\s+says?|some\s+say|one\s[^.\n]{1,80}?another(?:\s+\w+\s+says?)?"
    r"|another\s+\w+\s+says|second(?:\s+guess|\s+choice)?"
    r"(?:\s+is|\s+would\s+be|:)?|[,;]\s*(?:and\s+)?(?:sometimes|maybe|perhaps)|less\s+likely"
    r"|failing\s+that|alternative(?:ly)?|(?:it|that)\s+(?:may|might|could)\s+(?:also\s+)?be"
    r"|elsewhere)[,:]?\s(?:the\s|an?\s)?(?P<rest>\w(?:[^.,;()\n\0]|[.,](?=\w)){0,40})"
    r"|(?:\band\b|,)\s+(?P<then>\w[^.,;()\n\0]{0,40}?)\s(?:less\s+likely|on\s+others|a\s+close\s+second"
    r"|as\s+(?:my|a)\s+second|if\s+you\s+mean|according\s+to\s+another)",
    re.IGNORECASE,
)
_NO_OTHER = word_set(
    "so thereabouts more less later earlier sooner something similar close nearby not equivalent"
    " equivalently approximately roughly about around better exactly precisely just simply if you"
    " prefer written otherwise known rather short say still else i we it they he she value answer"
    " though whatever unknown something anything changed change happened moved mistaken wrong words"
    " same put differently again like i'm i'll i've i'd sure certain think believe guess remember"
    " misremember recall notes memory note record told said mentioned wrote heard"
)


_TURNED = (
    r"(?:other\s+way\s+(?:a?round|about)|vice\s+versa|swapped|reversed?|exchanged|switched|interchanged"
    r"|opposite|inverse)"
)
_AS_WELL = (
    r"(?:or|may|maybe|perhaps|possibly|might|could|unless|if\s+not|just\s+as|equally|also"
    r"|(?:as\s+)?(?:plausible|possible|likely))"
)
_MAY_BE_TURNED = re.compile(
    rf"(?<!\w){_AS_WELL}(?!\w)(?:(?!(?<!\w)not(?!\w))[^.;]){{0,60}}?(?<!\w){_TURNED}(?!\w)"
    rf"|(?<!not\sthe\s)(?<!not\s)(?<!\w){_TURNED}(?!\w)[^.;]{{0,30}}?(?<!\w){_AS_WELL}(?!\w)",
    re.IGNORECASE,
)


def may_be_turned(text: str) -> bool:
    """Does the text say that its values may as well go the other way round?"""
    return _MAY_BE_TURNED.search(text) is not None


def wavers(text: str) -> bool:
    """Does the text say that it cannot decide between values?"""
    return _WAVERS.search(text) is not None


def has_alternative(text: str, right: Sequence[Span], question: str) -> bool:
    """Is the right value offered as one of two, as in "either A or B" or "A, maybe B"?"""
    asked = {stem(word) for word in words(question)}
    masked = _masked(text, right)
    for span in right:
        look = _look(text[slice(*span)])
        if any(_names_something(part, asked, look) for part in _beside(masked, span)):
            return True
        if any(_names_something(part, asked, _ANYTHING) for part in _behind_or(masked, span)):
            return True
        if any(_names_something(part, asked, look) for part in _elsewhere(masked)):
            return True
        # Any word could be a second value in small letters, so this rule is not for those.
        if look != _ANYTHING:
            later = [match["rest"] for match in _LATER_OR.finditer(masked, span[1])]
            if any(_names_something(part, asked, look) for part in later):
                return True
    return False


def _masked(text: str, right: Sequence[Span]) -> str:
    """The text with marks in place of the right values."""
    letters = list(text.translate(SAME_LENGTH))
    for first, last in right:
        letters[first:last] = "\0" * (last - first)
    return "".join(letters)


def _beside(masked: str, span: Span) -> Iterator[str]:
    """What a word of doubt joins to the value, behind it or before it."""
    start, end = span
    behind = _BEHIND.match(masked[end : end + 120])
    if behind is not None:
        yield behind["rest"]
    ahead = _AHEAD.search(masked[max(0, start - 120) : start])
    if ahead is not None:
        yield ahead["rest"]


def _behind_or(masked: str, span: Span) -> Iterator[str]:
    """What stands right behind "or": any words there are another value, also "her deputy"."""
    for pattern in (_OR_BEHIND, _OR_SOME_OTHER):
        either = pattern.match(masked[span[1] : span[1] + 60])
        if either is not None:
            yield either["rest"]


def _elsewhere(masked: str) -> Iterator[str]:
    """What the text hands over to, or leaves open, in another place."""
    left_open = _LEFT_OPEN if _OPEN_BEHIND.search(masked) else _LEFT_OPEN_BEFORE
    for pattern in (_SECOND, left_open):
        for match in pattern.finditer(masked):
            yield match[match.lastgroup or 0]


def _look(value: str) -> re.Pattern[str]:
    """A pattern of words that look like the value: digits, codes, capitals, or any word."""
    if re.search(r"[0-9]", value):
        return re.compile(rf"[0-9]|(?i:(?<!\w){NUMBER_WORD})")
    if re.search(r"\w[_/.]\w", value):
        return re.compile(r"\w[_/.]\w")
    return re.compile(r"(?<!\w)[A-Z]" if value[:1].isupper() else r"\w")


def _names_something(text: str, asked: set[str], look: re.Pattern[str]) -> bool:
    for token in re.finditer(r"[^\s,\0]+", text):
        if look.search(token[0]) is None:
            continue
        for word in words(token[0]):
            if word not in STOPWORDS and word not in _NO_OTHER and stem(word) not in asked:
                return True
    return False


_CODE_SHAPE = r"\w+(?:[_/.]\w+)+"
_NAME_SHAPE = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*"


def has_second_name(
    text: str,
    value: Value,
    question: str,
    right: Sequence[Span],
    strict: bool,
    beside: Sequence[Value] = (),
) -> bool:
    """Does the text give a second name of the same shape, besides those that lead to the right one?

    In an answer in form it counts anywhere, else where it is joined to the right one or in doubt.
    """
    if value.kind != "name":
        return False
    shape = _NAME_SHAPE
    if re.search(r"\w[_/.]\w", value.text):
        shape = _CODE_SHAPE
    elif not re.fullmatch(_NAME_SHAPE, value.text):
        return _has_second_phrase(text, value, question, right, strict)

    in_doubt = wavers(text)
    size = len(value.text.split())
    asked = {stem(word) for word in words(question)}
    for value_beside in beside:
        asked |= {stem(word) for word in words(value_beside.text)}
    spans = []
    for match in re.finditer(shape, text):
        span = match.span()
        if overlaps(span, right) or _is_no_name(match[0], asked):
            continue
        # A name of another length may be any word with a capital: it must not open a sentence.
        if len(match[0].split()) == size:
            counts = strict or in_doubt or is_joined(text, span, right, strict)
        else:
            opens = _OPENS.search(text[: span[0]]) is not None
            counts = not opens and (in_doubt or is_joined(text, span, right, False))
        if counts:
            spans.append(span)
    return bool(plain_spans(text, spans))


_OPENS = re.compile(r"(?:^|[.!?:*]\s*|\n\W*)[\"'“(]?$")
_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december session answer"
)


def _is_no_name(name: str, asked: set[str]) -> bool:
    for word in words(name):
        if stem(word) in asked or word in STOPWORDS or word in _NO_OTHER or word in _CALENDAR:
            return True
    return False


_JOINS = r"(?:and|&|plus|as\s+well\s+as|and\s+also|also|to|o|resp\.?|respectively|[/|]{1,2})"
_AND = rf"\s*,?\s*{_JOINS}\s*|\s*\n\s*-\s+"
# A phrase in small letters behind a bracket is more often a remark than a second value.
_JOINED_PHRASE = re.compile(rf"(?:{_AND})", re.IGNORECASE)
_JOINED = re.compile(
    rf"(?:{_AND}|\??\s*[(\[]\s*\??\s*|,\s*(?:hmm+|uh|er)[,.…]*\s+"
    r"|[,;.]?\s*(?:but|yet)\s+(?:also\s+)?|[,;.]\s+(?:it's|it\s+is)\s+)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"\s*(?:\(\d+\s?%\)\s*)?(?:(?:[,;?+~∨⁄\\—–-]|…|\.\.\.)?\s*(?:{_JOINS}|\(?\w[.)])?)\s*",
    re.IGNORECASE,
)


def is_joined(text: str, span: Span, right: Sequence[Span], strict: bool) -> bool:
    """Does only a joining word stand between two values; in a strict reading, or a mark?"""
    join = _LISTED if strict else _JOINED
    for start, end in right:
        between = text[end : span[0]] if span[0] >= end else text[span[1] : start]
        if join.fullmatch(between):
            return True
    return False


def _has_second_phrase(
    text: str, value: Value, question: str, right: Sequence[Span], strict: bool
) -> bool:
    """Does a phrase of as many words stand beside a right one in small letters, joined to it?"""
    join = (_LISTED if strict or wavers(text) else _JOINED_PHRASE).pattern
    size = len(value.text.split())
    phrase = rf"(?:the\s|an?\s)?(?P<rest>[a-z][\w'-]*(?:\s[a-z][\w'-]*){{{size - 1}}})(?!\w)"
    behind = re.compile(rf"{join}{phrase}(?=\s*(?:$|[.,;:?!()|/]|and\s|as\s|is\s|on\s|in\s|if\s))")
    ahead = re.compile(
        rf"(?:^|[.,;:?!(]\s*|(?:and|between|of|both|is|are)\s)(?<!\w){phrase}{join}$"
    )
    asked = {stem(word) for word in words(question)}
    for start, end in right:
        for found in (behind.match(text, end), ahead.search(text[:start])):
            if found is None or not re.search(r"\S", found[0].replace(found["rest"], "")):
                continue
            names = words(found["rest"])
            small = [n for n in names if n in STOPWORDS or n in _NO_OTHER or n.endswith("ly")]
            if small or any(stem(name) in asked for name in names):
                continue
            if plain_spans(text, [found.span("rest")]):
                return True
    return False
