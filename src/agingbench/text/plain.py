"""Is a value stated plainly, as holding now, rather than as a thing of the past?"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from agingbench.text.cues import (
    AFTER_THIS,
    AHEAD,
    ARROW,
    BARE_VALUE,
    CHANGED_BEFORE,
    CLAUSE_END,
    CUE_WORDS,
    DENIED_BEHIND,
    ENDS,
    FALSE_THAT,
    FOLLOWED,
    GONE_BEHIND,
    NAME_LOOK,
    NO_NEXT,
    NOT_THIS,
    NOT_THOUGHT,
    NUMBER_GONE_BEHIND,
    NUMBER_LOOK,
    RELATIVE,
    SINCE,
    TO_BEHIND,
    TURN,
    WHOLE_PART,
    WRONG_LATER,
    WRONG_NEXT,
    has_cue,
)
from agingbench.text.matching import find, prepare
from agingbench.text.values import Value
from agingbench.text.wording import SAME_LENGTH, sentence_spans

# A value is stated plainly when one of its occurrences stands in a part of a sentence that no past
# cue governs.
# 1. A sentence falls into clauses at ; , ( ) dashes and "but", "and now", "while", ": now",
#    ": it is ... now" ...
# 2. Inside a clause, turning words open a new part: "instead of", "replaces", "formerly" open a
#    past part; "now", "replaced by" open a present part; after a verb of change, "from" opens a
#    past part and "to" a present one.
# 3. A part with a cue that looks both ways is past as a whole; a cue that looks forward governs
#    what follows it; a cue that ends a thing (cancelled, no longer ...) governs everything before
#    it in the clause as well.
# 4. A clause that is nothing but a cue governs its neighbour: "$309 (old)", "Formerly, $309"; so
#    does "which was ...". A bare value in parentheses belongs to the clause before it:
#    "the old code (12345)".
# 5. "not", "n't" and their like govern the value right after them; "is wrong", "left" and their
#    like govern the value right before them.
# 6. A value that another one of the same look follows ("A, then B", "A → B") is past.


def states_plainly(text: str, value: Value) -> bool:
    """Is `value` stated at least once where no past or replacement cue governs it?

    A set is stated plainly when every member of it is.
    """
    members = prepare(value).members
    if members:
        return all(states_plainly(text, member) for member in members)
    return bool(plain_spans(text, find(text, value)))


def plain_spans(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of the spans, in order, whose value no past or replacement cue governs."""
    plain = []
    at = 0
    places = sentence_spans(text) if spans else ()
    while at < len(spans):
        number = bisect.bisect_right(places, spans[at][0], key=lambda place: place[1])
        start, end = places[number]
        inside = []
        while at < len(spans) and spans[at][0] < end:
            first, last = spans[at]
            inside.append((first - start, min(last, end) - start))
            at += 1
        if not _called_wrong(text[start:end], text[end : end + 60]):
            in_sentence = _plain_in_sentence(text[start:end], tuple(inside))
            plain += [(start + first, start + last) for first, last in in_sentence]
    return plain


@lru_cache(maxsize=16384)
def _plain_in_sentence(
    sentence: str, spans: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Those of the values at `spans` that are stated plainly; cues inside them do not count."""
    letters = []
    for char in sentence.translate(SAME_LENGTH):
        lower = char.lower()
        letters.append(lower if len(lower) == 1 else char)
    for start, end in spans:
        letters[start:end] = "0" * (end - start)
    low = "".join(letters)

    clauses = _clauses(low)
    past_clauses = _governed_by_neighbour(low, clauses)
    successors = _Successors(sentence, low)
    parts: dict[int, list[_Part]] = {}
    plain = []
    for start, stop in spans:
        number = bisect.bisect_right(clauses, start, key=lambda clause: clause[0]) - 1
        begin, end = clauses[number]
        is_name = not re.search(r"(?<!\w)\d", sentence[start:stop])
        gone = GONE_BEHIND if is_name else NUMBER_GONE_BEHIND
        if number in past_clauses or _denied(low, (start, stop), begin, gone):
            continue
        if successors.follow((start, stop)) or AFTER_THIS.match(low, begin, end):
            continue
        if number not in parts:
            parts[number] = _parts(low[begin:end])
        if not _past_at(parts[number], start - begin):
            plain.append((start, stop))
    return tuple(plain)


def _called_wrong(sentence: str, following: str) -> bool:
    """Does the next sentence say that this one is wrong ("906? No.", "906. That is wrong.")?"""
    low = following.translate(SAME_LENGTH).lower()
    if sentence.rstrip().endswith("?") and NO_NEXT.match(low):
        return True
    return WRONG_NEXT.match(low) is not None


def _denied(low: str, span: tuple[int, int], begin: int, gone: re.Pattern[str]) -> bool:
    """Is the value at `span` denied, or said to have left, by the words around it?"""
    start, stop = span
    before = low[max(0, start - 60) : start]
    if NOT_THIS.search(before) or NOT_THOUGHT.search(low[max(begin, start - 240) : start]):
        return True
    if FALSE_THAT.search(low[max(0, start - 200) : start]):
        return True
    behind = low[stop : stop + 100]
    if TO_BEHIND.match(behind) and CHANGED_BEFORE.search(before):
        return True
    return any(pattern.match(behind) for pattern in (DENIED_BEHIND, gone, WRONG_LATER))


class _Successors:
    """Values of one sentence that take the place of others ("A, then B", "A, and B since May")."""

    def __init__(self, sentence: str, low: str) -> None:
        self.sentence = sentence
        self.low = low
        # Searched once per sentence and look: a sentence may hold thousands of values.
        self._last_since: dict[re.Pattern[str], int] = {}

    def follow(self, span: tuple[int, int]) -> bool:
        """Does another value of the same look take the place of the one at `span`?"""
        start, stop = span
        value = self.sentence[start:stop]
        digits = any(char.isdigit() for char in value)
        look = NUMBER_LOOK if digits else NAME_LOOK

        # Any words may follow a value in small letters, but behind an arrow they are its successor.
        if value.islower() and not digits and ARROW.match(self.low, stop):
            return True

        follower = FOLLOWED.match(self.low, stop)
        if follower is not None:
            is_next = not look.search(self.sentence, *follower.span("gap"))
            if is_next and self._is_other(follower.span("rest"), look):
                return True
        return self._since(look) >= stop

    def _since(self, look: re.Pattern[str]) -> int:
        """Where the last "…, and B since …" with a B of this look begins; -1 without one."""
        if look not in self._last_since:
            places = [-1]
            for match in SINCE.finditer(self.low):
                if self._is_other(match.span("rest"), look):
                    places.append(match.start())
            self._last_since[look] = places[-1]
        return self._last_since[look]

    def _is_other(self, place: tuple[int, int], look: re.Pattern[str]) -> bool:
        """Does something of this look stand there that is none of the values asked for?"""
        start, end = place
        is_masked = "00" in self.low[start:end]
        return not is_masked and look.search(self.sentence, start, end) is not None


def _clauses(low: str) -> list[tuple[int, int]]:
    """The clauses of a sentence that are not blank, as spans."""
    clauses = []
    at = 0
    for match in CLAUSE_END.finditer(low):
        if low[at : match.start()].strip():
            clauses.append((at, match.start()))
        at = match.end()
    if low[at:].strip():
        clauses.append((at, len(low)))
    return clauses


def _governed_by_neighbour(low: str, clauses: list[tuple[int, int]]) -> set[int]:
    """The places in `clauses` of those that a cue in a neighbouring clause puts into the past."""
    governed = set()
    for n, (start, end) in enumerate(clauses):
        clause = low[start:end]
        if len(clause) < 60 and not re.search(r"\w", CUE_WORDS.sub("", clause)):
            if has_cue(clause):
                governed.add(n - 1 if n else 1)
        elif n and RELATIVE.match(clause) and has_cue(clause):
            governed.add(n - 1)
        elif n and low[start - 1] == "(" and BARE_VALUE.fullmatch(clause):
            before = low[slice(*clauses[n - 1])]
            if _parts(before)[-1].ahead is not None:
                governed.add(n)
    return governed


class _Part(NamedTuple):
    """A part of a clause that one tense governs."""

    start: int
    past: bool
    ahead: int | None  # behind this place a forward cue governs


def _turns(clause: str) -> list[tuple[int, bool]]:
    """Where the parts of a clause begin, and whether the turning word opened a past one."""
    parts: list[tuple[int, bool]] = [(0, False)]
    changing = False
    swapping = False
    for turn in TURN.finditer(clause):
        kind = turn.lastgroup
        if kind == "verb":
            changing = True
        elif kind == "gone":
            parts[-1] = (parts[-1][0], True)
            parts.append((turn.end(), False))
        elif kind == "past":
            swapping = turn[0].startswith(
                ("replac", "supersed", "swap", "exchang", "trad", "ditch")
            )
            changing = changing or turn[0].endswith("from")
            if not re.search(r"\w", clause[turn.end() : turn.end() + 100]):  # "$309 previously"
                parts[-1] = (parts[-1][0], True)
            parts.append((turn.end(), True))
        elif kind == "now" or (kind == "to" and changing) or (kind == "with" and swapping):
            parts.append((turn.end(), False))
        elif kind == "from" and changing:
            parts.append((turn.end(), True))
    return parts


def _parts(clause: str) -> list[_Part]:
    parts: list[_Part] = []
    ended = False
    stop = len(clause)
    for start, opened in reversed(_turns(clause)):
        # An ending reaches back over present parts ("Netflix is now cancelled"), not out of a past
        # one ("instead of the cancelled Netflix").
        ended = ended or (not opened and ENDS.search(clause, start, stop) is not None)
        past = opened or ended or WHOLE_PART.search(clause, start, stop) is not None
        ahead = AHEAD.search(clause, start, stop)
        parts.append(_Part(start, past, ahead.end() if ahead else None))
        stop = start
    return parts[::-1]


def _past_at(parts: list[_Part], at: int) -> bool:
    """Is the value that begins at `at` governed by a cue of its clause?"""
    number = bisect.bisect_right(parts, at, key=lambda part: part.start) - 1
    part = parts[number]
    return part.past or (part.ahead is not None and part.ahead <= at)
