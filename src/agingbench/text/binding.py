"""Which value an answer gives to which subject: by label, by the subject's words, by order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from agingbench.text.wording import STOPWORDS, fold, sentence_spans, stem, words


class Parts(NamedTuple):
    """What an answer says for each label, and what it says beside."""

    slots: dict[str, str]
    rest: str


_SUBJECT = r"\({label}\) (.+?)(?=; \([A-Z]\)|,? (?:or|and) \([A-Z]\)|[.?]?$)"


@lru_cache(maxsize=4096)
def subjects_in(question: str, labels: tuple[str, ...]) -> dict[str, str]:
    """The phrases that a question puts behind its letters, by letter."""
    subjects = {}
    for label in labels:
        phrase = re.search(_SUBJECT.format(label=re.escape(label)), question)
        if phrase is not None:
            subjects[label] = phrase[1]
    return subjects


# How labels are written: `SURE` is unmistakable, `LOOSE` counts when nothing is labelled so.
_FIRST = (
    r"(?:at\s+first|first|initial(?:ly)?|original(?:ly)?|before|old|previous(?:ly)?|formerly"
    r"|earlier|was|start(?:ed|ing)?|from|then|formerly|at\s+the\s+(?:start|beginning))(?:\s+value)?"
)
_NOW = r"(?:now|current(?:ly)?|latest|today|new|present(?:ly)?|is|after|to|final)(?:\s+value)?"
_SIGN = r"\s*(?:=|:|→|->|=>|\|)\s*"
SURE = {
    "first": rf"(?<!\w)(?<!became\s)(?<!become\s)[\"'(\[]?{_FIRST}[\"')\]]?{_SIGN}",
    "now": rf"(?<!\w)[\"'(\[]?{_NOW}[\"')\]]?{_SIGN}",
}
LOOSE = {
    "first": (
        r"(?<!\w)(?:at\s+first|first|initially|originally|(?:it\s+)?was|used\s+to\s+be|previously"
        r"|formerly|(?:started|began|starting|opened)\s+(?:out\s+)?(?:at|as|with|on|off\s+at)|from"
        r"|before)(?!\w)(?:\s+it\s+was)?\s*"
    ),
    "now": (
        r"(?<!\w)(?:now|currently|today|these\s+days|at\s+present|is\s+now|(?:and\s+)?is|to|at)"
        r"(?!\w)\s*"
    ),
}
_ARROW = re.compile(r"\s*(?:→|->|=>|⟶|➜|➔|⇒)\s*")


def _sure(label: str) -> str:
    if label in SURE:
        return SURE[label]
    either = f"(?:{label}|{label.lower()})"
    aside = r"(?:\s*\([^)\n]*\))?"
    return rf"(?<![\w'’-])[\"'(\[]?{either}[\"')\]]?{aside}{_SIGN}"


def _loose(label: str) -> str:
    if label in LOOSE:
        return LOOSE[label]
    return (
        rf"(?<![\w'’-])(?:(?i:part|item|option)\s+)?(?:\({label}\)|\[{label}\]|{label}[).]"
        rf"|{label}\s+(?:is|was|are)(?!\w)|{label}\s*[–—-]+(?=\s)|{label},)\s*"
    )


def _bare(label: str) -> str:
    if label in LOOSE:
        return r"(?!)"
    return rf"(?<![\w'’-]){label}\s+(?=\S)"


def parts_of(
    text: str,
    labels: Sequence[str],
    subjects: Mapping[str, str],
    choice: bool = False,
    values: Sequence[tuple[int, int]] = (),
) -> Parts:
    """Split an answer into what it says for each label.

    Labels count first, then the words of the subjects, then the mere order of as many parts as
    there are labels: of a plain list, and where labels stand for no subjects, as first and now do,
    of arrows and of running words too. `values` are the spans of the values that the answer may
    give; they show which of two neighbouring subjects a value belongs to.
    """
    for pattern in (_sure, _loose, _bare):
        parts = _by_labels(text, labels, pattern)
        if parts is not None:
            return parts

    if subjects:
        slots, rest = _by_subjects(text, subjects, values)
        if slots:
            return Parts(slots, rest)

    pieces = _pieces(text, len(labels), choice, listed=bool(subjects))
    if pieces is None:
        return Parts({}, text)
    rest = ""
    if len(pieces) > len(labels):
        rest, *pieces = pieces
    return Parts(dict(zip(labels, pieces, strict=True)), rest)


class _Mark(NamedTuple):
    """A label in a text, or a subject's word."""

    start: int
    end: int
    label: str


def _by_labels(text: str, labels: Sequence[str], pattern: Callable[[str], str]) -> Parts | None:
    """The parts behind each label; None unless every label, or most of them, occur."""
    marks: list[_Mark] = []
    for label in labels:
        flags = re.IGNORECASE if label in LOOSE else 0
        for match in re.finditer(pattern(label), text, flags):
            marks.append(_Mark(match.start(), match.end(), label))
    marks = _without_overlap(marks)
    if not marks:
        return None

    slots: dict[str, str] = {}
    rest = [text[: marks[0].start]]
    for number, mark in enumerate(marks):
        end = marks[number + 1].start if number + 1 < len(marks) else len(text)
        part = text[mark.end : end]
        said, _, beside = part.partition(";")
        if not re.search(r"[\w?$€£]", said):
            said, beside = part, ""
        rest.append(beside)
        said = _tidy(said)
        if not said:
            continue
        known = slots.get(mark.label)
        slots[mark.label] = said if known is None else f"{known}; {said}"

    if pattern is not _sure and len(slots) < len(labels):
        return None
    if pattern is _bare and [mark.label for mark in marks] != list(labels):
        return None
    return Parts(slots, _tidy(" ".join(rest)))


def _without_overlap(marks: list[_Mark]) -> list[_Mark]:
    marks.sort(key=lambda mark: (mark.start, -mark.end))
    out: list[_Mark] = []
    for mark in marks:
        if not out or mark.start >= out[-1].end:
            out.append(mark)
    return out


def _tidy(part: str) -> str:
    return re.sub(r"(?:\s|[,;|/]|(?<!\w)and(?!\w))+$", "", part.strip(" \t\n|,;")).strip()


# -- by the words of the subjects


@lru_cache(maxsize=4096)
def _own_stems(phrases: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """For each phrase the stems of its words that no other phrase has."""
    stems = []
    for phrase in phrases:
        stems.append(frozenset(stem(word) for word in words(phrase) if word not in STOPWORDS))
    own = []
    for number, these in enumerate(stems):
        others = frozenset().union(*(s for n, s in enumerate(stems) if n != number))
        own.append(these - others)
    return tuple(own)


_TOKEN = re.compile(r"\w+(?:[.'’@&/]\w+)*")


@lru_cache(maxsize=65536)
def _stems(token: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(token))


def mentions(text: str, subjects: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Where a text names the subjects, as (start, end, label): runs of words of one subject."""
    owns = _own_stems(tuple(subjects.values()))
    runs: list[tuple[int, int, str]] = []
    for token in _TOKEN.finditer(text):
        stems = _stems(token[0])
        for label, own in zip(subjects, owns, strict=True):
            if stems & own:
                if runs and runs[-1][2] == label:
                    runs[-1] = (runs[-1][0], token.end(), label)
                else:
                    runs.append((token.start(), token.end(), label))
    return runs


def _by_subjects(
    text: str, subjects: Mapping[str, str], values: Sequence[tuple[int, int]]
) -> Parts:
    """What each sentence says of the subject that it names; several subjects share a sentence."""
    slots: dict[str, list[str]] = {}
    rest = []
    last: str | None = None
    for begin, end in _sentence_pieces(text):
        sentence = text[begin:end]
        runs = mentions(sentence, subjects)
        labels = list(dict.fromkeys(label for _, _, label in runs))
        inside = [(a - begin, b - begin) for a, b in values if begin <= a and b <= end]
        if not labels:
            if last is not None and sentence.strip() and not inside:
                slots[last].append(sentence.strip())
            elif sentence.strip():
                rest.append(sentence.strip())
            continue
        if len(labels) == 1:
            slots.setdefault(labels[0], []).append(sentence.strip())
        else:
            for label, part in _shared(sentence, runs, labels, inside):
                slots.setdefault(label, []).append(part)
        last = labels[-1]
    return Parts({label: ". ".join(parts) for label, parts in slots.items()}, " ".join(rest))


def _sentence_pieces(text: str) -> list[tuple[int, int]]:
    spans = []
    for begin, end in sentence_spans(text):
        at = begin
        for stop in re.finditer(r";", text[begin:end]):
            spans.append((at, begin + stop.end()))
            at = begin + stop.end()
        spans.append((at, end))
    return spans


def _shared(
    sentence: str,
    runs: Sequence[tuple[int, int, str]],
    labels: Sequence[str],
    values: Sequence[tuple[int, int]],
) -> list[tuple[str, str]]:
    """Parts of a sentence with several subjects: what follows each name, or goes before it."""
    firsts: dict[str, int] = {}
    for start, _, label in runs:
        firsts.setdefault(label, start)
    places = sorted(dict.fromkeys(values))
    places = [p for n, p in enumerate(places) if n == 0 or p[0] >= places[n - 1][1]]

    if len(places) == len(labels):  # the names and the values go in the same order
        out = []
        for number, label in enumerate(labels):
            start = places[number - 1][1] if number else 0
            end = places[number + 1][0] if number + 1 < len(places) else len(sentence)
            out.append((label, _tidy(sentence[start:end])))
        return out

    # "X is a and Y is b", or "a for X, b for Y" where a value goes before the first name.
    out = []
    at = 0
    goes_before = bool(places) and places[0][0] < firsts[labels[0]]
    for number, label in enumerate(labels):
        following = firsts[labels[number + 1]] if number + 1 < len(labels) else len(sentence)
        if goes_before:
            end = max(b for _, b, name in runs if name == label)
            out.append((label, _tidy(sentence[at:end])))
            at = end
        else:
            out.append((label, _tidy(sentence[firsts[label] : following])))
    return out


# -- by order


def _pieces(text: str, n: int, choice: bool, listed: bool) -> list[str] | None:
    """The text in exactly `n` parts (with a choice before them in `n + 1`); None otherwise.

    With `listed` only a list has parts: "25 here, Ada there" does not say whose each is.
    """
    counts = (n, n + 1) if choice else (n,)
    splits = [re.split(r"[;\n]", text)]
    if listed:
        splits.append(re.split(r"[;\n|\t]", text))
    else:
        splits.append(_ARROW.split(text) if n == 2 else [])
        splits.append(re.split(r"[;\n|]|,(?=\s)(?!\s*(?:1[89]|2[01])\d\d(?!\d))|\s+and\s+", text))
    for split in splits:
        pieces = [_tidy(piece.strip().removeprefix("- ")) for piece in split]
        pieces = [re.sub(r"^(?:and|then)\s+", "", piece) for piece in pieces if piece]
        if len(pieces) in counts and len(pieces) > 1:
            return pieces
    return None


# -- choices

_MORE = (
    r"(?:later|higher|greater|larger|bigger|better|longer|further|more\s+recent|more|after|exceeds?"
    r"|beats?|tops|above|ahead|latest|highest|greatest|largest|biggest|most|newer|outranks|wins"
    r"|follows|outlasts|longest|newest)"
)
_LESS = (
    r"(?:earlier|lower|smaller|less|fewer|before|below|precedes?|behind|under|sooner|earliest"
    r"|lowest|smallest|least)"
)
_COMPARES = re.compile(rf"(?<!\w)(?:(?P<more>{_MORE})|(?P<less>{_LESS}))(?!\w)", re.IGNORECASE)
_VERDICT_LABEL = (
    rf"(?<!\w)(?:{_MORE}|choice|winner|verdict|result|chosen|decision)(?:\s+(?:one|value|option))?"
    r"\s*[:=|]\s*[(\[\"']?"
)
_NEGATES = re.compile(r"(?:(?<!\w)(?:not|never|neither|nor|no)|n't)\s+(?:\w+\s+){0,2}$")
_DIRECTIONS = {
    "up": (
        r"up(?!\s+(?:to|from)\s+date)|upwards?|increas\w*|rose|risen|ris(?:es|ing)|higher|grew|grow\w*"
        r"|rais\w*|climb\w*|jump\w*|gain\w*|went\s+up|more|bigger|larger|greater|hike\w*|hausse"
    ),
    "down": (
        r"down|downwards?|decreas\w*|fell|fall(?:s|en|ing)?|lower\w*|dropp?\w*|declin\w*|reduc\w*"
        r"|shrank|shrunk|shrink\w*|cut|less|smaller|sank|sunk|slipp\w*|dipp\w*|slid"
    ),
    "later": (
        r"later|push\w*\s+back|postpon\w*|delay\w*|put\s+back|slipp\w*|moved\s+back|deferr\w*"
    ),
    "earlier": r"earlier|sooner|brought\s+forward|moved\s+(?:up|forward)|advanc\w*",
}
_DIRECTION_PATTERNS = {
    option: re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
    for option, pattern in _DIRECTIONS.items()
}


def direction_in(text: str, options: Sequence[str]) -> str | None:
    """Which of two directions a text says; None when it says none or both."""
    low = fold(text)[0]
    said = []
    for option in options:
        for match in _DIRECTION_PATTERNS[option].finditer(low):
            if not _NEGATES.search(low[: match.start()]):
                said.append(option)
                break
    if len(said) > 1:
        bare = re.match(r"\W*(\w+)\s*(?:$|[;,(:—–-])", low)
        exact = [option for option in options if bare is not None and bare[1] == option]
        return exact[0] if exact else None
    return said[0] if said else None


def letter_in(text: str, options: Sequence[str], subjects: Mapping[str, str]) -> str | None:
    """Which of the lettered subjects a text chooses; None when it chooses none or both."""
    letters = "".join(options)
    named = re.findall(rf"{_VERDICT_LABEL}({'|'.join(options)})(?!\w)", text, re.IGNORECASE)
    if len(set(named)) == 1:
        return str(named[0]).upper()
    marks = []
    for match in re.finditer(rf"(?<![\w'’])[(\[\"']?([{letters}])[)\]\"']?(?![\w'’])", text):
        is_article = text[match.start()] == "A" and re.match(r" [a-z]", text[match.end() :])
        if not is_article or re.match(
            r" (?:is|was|comes|has|wins|or|and|then|because|since|with|at|in|by|than|over)\b",
            text[match.end() :],
        ):
            marks.append((match.start(), match.end(), match[1]))
    if not marks:
        marks = mentions(text, subjects)
    marks = [mark for mark in marks if not _NEGATES.search(text[: mark[0]].lower())]

    labels = list(dict.fromkeys(label for _, _, label in marks))
    if len(labels) == 1:
        compares = _COMPARES.search(text[marks[0][1] :])
        if compares is not None and compares["less"] and "than" in text[marks[0][1] :]:
            return next(option for option in options if option != labels[0])
        return labels[0]
    if not labels:
        return None
    chosen = _chosen(text, marks, options)
    if chosen is None:
        # "The first one, it is on 8.6; the other is on 7.2": who is named first is chosen.
        start, end, label = marks[0]
        opens = not re.search(r"\w", re.sub(r"(?i)^\W*the\s", "", text[:start]))
        chosen = label if opens and re.match(r"\s*[,:.—–]", text[end:]) else None
    return chosen


def _chosen(text: str, marks: Sequence[tuple[int, int, str]], options: Sequence[str]) -> str | None:
    """The choice of a text that names both: whose name stands before "is later", and the like."""
    for compares in _COMPARES.finditer(text):
        begin = max(
            (m.end() for m in re.finditer(r"[.;\n]\s", text[: compares.start()])), default=0
        )
        before = [mark for mark in marks if begin <= mark[0] < compares.start()]
        after = [mark for mark in marks if mark[0] >= compares.end()]
        negated = bool(_NEGATES.search(text[: compares.start()].lower()))
        if before:
            label = before[-1][2] if len({m[2] for m in before}) == 1 else before[0][2]
        elif after:
            label = after[0][2]
        else:
            continue
        less = compares["more"] is None
        if less != negated:
            return next(option for option in options if option != label)
        return label
    return None
