"""What a trace shows and tells of values, to be looked up by value or word.

Results and users are witnesses: a display shows a value under a name, a clause or sentence of the
user says one. From both follows which value of a thing held since when.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.facts import Display, FactLog, GivenCall, Telling

_WORD = re.compile(r"[\w./:@+#-]+")
_PART = re.compile(r"[^\W_]+")

Key = tuple[int, ...]  # numbers of the values that say which thing is meant


@dataclass
class Shown:
    """What was shown of one thing under one name: times and values, in order.

    All is added before the first question is asked.
    """

    times: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    _first: dict[int, float] | None = None  # value -> when it was first shown
    _second: float = math.inf  # when a second value was first shown

    def add(self, time: float, values: Sequence[int]) -> None:
        """Add values that were shown one after the other at one time."""
        self.times.extend([time] * len(values))
        self.values.extend(values)

    def insert(self, place: int, values: Sequence[int]) -> None:
        """Add values that held until the one at a place did."""
        self.times[place:place] = [self.times[place]] * len(values)
        self.values[place:place] = values

    def current(self, time: float) -> int | None:
        """Return the value shown last before a time; None where there was none."""
        place = bisect_left(self.times, time)
        return self.values[place - 1] if place else None

    def holds(self, value: int, time: float) -> bool:
        """Return whether a value had been shown before a time."""
        first = self._first_times().get(value)
        return first is not None and first < time

    def has_several(self, time: float) -> bool:
        """Return whether different values had been shown before a time."""
        self._first_times()
        return self._second < time

    def changed_between(self, start: float, end: float) -> bool:
        """Return whether different values were shown from one time up to another."""
        part = self.values[bisect_left(self.times, start) : bisect_left(self.times, end)]
        return len(set(part)) > 1

    def _first_times(self) -> dict[int, float]:
        if self._first is None:
            first: dict[int, float] = {}
            for value, time in zip(self.values, self.times, strict=True):
                first.setdefault(value, time)
            self._first = first
            self._second = next(islice(first.values(), 1, None), math.inf)

        return self._first


class Told(msgspec.Struct, frozen=True, gc=False):
    """One clause: the words that may be values, and all that say what it is about."""

    time: float
    words: tuple[int, ...]
    about: frozenset[int]
    order: int
    by_user: bool
    denies: bool
    whole: bool = False  # a sentence of several clauses
    past: tuple[int, ...] = ()  # words that it says hold no more


class Saying(msgspec.Struct, frozen=True, gc=False):
    """Values of one thing that were shown, or that one clause or sentence names."""

    time: float
    order: int
    values: tuple[int, ...]
    by_user: bool = False
    denies: bool = False
    whole: bool = False
    past: tuple[int, ...] = ()


@dataclass(frozen=True)
class Witnesses:
    """What a trace shows and tells, to be looked up by value or word."""

    facts: FactLog
    rank: dict[int, int]  # place of a session by its number of arrival
    timed: bool
    displays: dict[int, list[int]]  # value -> numbers of the displays that hold it
    tellings: list[Told]
    by_word: dict[int, list[int]]  # word of a thing -> numbers of the clauses about it
    saying: dict[int, list[int]]  # value -> numbers of the clauses that say it
    words: dict[Key, frozenset[int] | None] = field(default_factory=dict)  # that name a thing

    def words_of(self, thing: Key) -> frozenset[int] | None:
        """Return the words that name a thing; None where one of them was never told."""
        if thing not in self.words:
            self.words[thing] = _words_of(self.facts, thing, self.by_word)
        return self.words[thing]

    def clauses_about(self, thing: Key) -> list[int]:
        """Return the numbers of the clauses that hold all words of a thing."""
        words = self.words_of(thing)
        if words is None:
            return []

        numbers = [self.by_word.get(word, []) for word in words]
        tellings = self.tellings
        return [number for number in min(numbers, key=len) if words <= tellings[number].about]


def read_witnesses(trace: TraceSessions) -> Witnesses:
    """Return what the whole trace shows and tells."""
    facts = trace.facts
    rank = {session.arrival: i for i, session in enumerate(trace.sessions)}
    timed = not trace.logical
    told = _tellings(facts, rank, timed) if facts.calls else ([], {}, {})
    return Witnesses(facts, rank, timed, _by_value(facts, rank), *told)


def _by_value(facts: FactLog, rank: dict[int, int]) -> dict[int, list[int]]:
    """Return the numbers of the displays that hold each value, in order."""
    index: dict[int, list[int]] = {}
    for number, display in enumerate(facts.displays):
        if display.session not in rank:
            continue
        held = {value for _, value in display.pairs}
        held.update(display.about)
        for value in held:
            index.setdefault(value, []).append(number)

    return index


def when(timed: bool, rank: dict[int, int], row: GivenCall | Display | Telling) -> float:
    """Return when something happened: its time, else its session and its order of arrival."""
    if timed and row.time == row.time:
        return row.time
    return rank[row.session] + row.order * 1e-9


def told_of(
    witnesses: Witnesses,
    clauses_about: Callable[[Key], Sequence[int]],
    things: Sequence[Key],
    values: set[int],
) -> dict[Key, list[Saying]]:
    """Return what clauses and sentences say of the things, with the values that they name."""
    told: dict[Key, list[Saying]] = {}
    saying: set[int] = set()
    for value in values:
        saying.update(witnesses.saying.get(value, ()))
    if not saying:
        return told

    things_of: dict[int, int] = {}  # sentence -> how many things it names
    found: list[tuple[Key, int]] = []
    for thing in things:
        for number in clauses_about(thing):
            if number in saying:
                things_of[number] = things_of.get(number, 0) + 1
                found.append((thing, number))

    for thing, number in found:
        row = witnesses.tellings[number]
        if row.whole and things_of[number] > 1:
            continue

        given = [word for word in row.words if word in values and word not in thing]
        if given:
            one = Saying(
                row.time, row.order, tuple(given), row.by_user, row.denies, row.whole, row.past
            )
            told.setdefault(thing, []).append(one)

    return told


def _words_of(
    facts: FactLog, thing: Key, told: Mapping[int, Sequence[int]] | None = None
) -> frozenset[int] | None:
    """Return the words that name a thing; None where one of them was never told.

    A word such as `orders_api` that nobody says is looked for in its parts.
    """
    numbers: set[int] = set()
    for part in thing:
        words = [word.strip(".,:;!?'\"-/") for word in _WORD.findall(facts.texts[part])]
        for word in words:
            number = facts.known(word)
            if number is None or (told is not None and number not in told):
                parts = [facts.known(letters) for letters in _PART.findall(word)]
                known = [one for one in parts if one is not None]
                if len(known) < 2 or len(known) < len(parts):
                    return None
                numbers.update(known)
            else:
                numbers.add(number)

    return frozenset(numbers) or None


def name_words(facts: FactLog, name: str) -> set[int]:
    """Return the words that say the name of an argument, whole and in parts, that were seen."""
    whole = name.lstrip("-").rpartition(".")[2]
    words = [whole, whole.replace("_", "-"), whole.replace("-", "_"), *_PART.findall(whole)]
    numbers = [facts.known(word) for word in words]
    return {number for number in numbers if number is not None}


def _resolved(shown: Shown | None, sayings: Sequence[Saying]) -> Shown:
    """Return which value held since when, from what was shown and what was said.

    A new value replaces the one before. A clause that names a value to say that it holds no more
    does not bring it back.
    """
    rows = list(sayings)
    if shown is not None:
        for time, value in zip(shown.times, shown.values, strict=True):
            rows.append(Saying(time, 0, (value,)))

    rows.sort(key=lambda row: (row.time, row.order))
    known: set[int] = set()
    result = Shown()
    held_from = 0  # place from which on the last value stands
    for row in rows:
        current = result.values[-1] if result.values else None
        announced = _announced(row, known, current)
        if announced is None:
            continue
        # "5, no longer 3": 3 had held, though nobody said so before.
        before = [value for value in row.values if value in row.past and value not in known]
        if announced == current:
            result.insert(held_from, before)
            held_from += len(before)
        else:
            result.add(row.time, before)
            held_from = len(result.values)
        result.add(row.time, [announced])
        known.update((*before, announced))

    return result


def _announced(row: Saying, known: set[int], current: int | None) -> int | None:
    """Return the value that holds by what was shown or said; None where nothing is said of it."""
    values = row.values
    if not row.by_user:
        return values[0] if len(values) == 1 else None

    holding = [value for value in values if value not in row.past]
    if len(holding) == 1 and len(values) > 1:
        return holding[0]

    fresh = [value for value in values if value not in known]
    if len(fresh) == 1 and (len(values) > 1 or not row.whole):
        return fresh[0]
    if fresh or row.whole or row.denies:
        return None

    if len(values) == 1:
        return values[0]
    return current if current in values else None


def merged(first: dict[Key, Shown], second: dict[Key, list[Saying]]) -> dict[Key, Shown]:
    """Return what both show, in order of time."""
    if not second:
        return first

    merged: dict[Key, Shown] = {}
    for key in dict.fromkeys([*first, *second]):
        one = _resolved(first.get(key), second.get(key, ()))
        if one.values:
            merged[key] = one

    return merged


def _tellings(
    facts: FactLog, rank: dict[int, int], timed: bool
) -> tuple[list[Told], dict[int, list[int]], dict[int, list[int]]]:
    """Return the clauses in order, the numbers of those about each word, and of those saying it.

    Only words of what calls give, and of what their arguments are called, are looked up.
    """
    told: list[Told] = []
    by_word: dict[int, list[int]] = {}
    saying: dict[int, list[int]] = {}
    given = {value for call in facts.calls for _, value in call.pairs}
    names = {name for call in facts.calls for name, _ in call.pairs}
    wanted = given.copy()
    for value in given:
        wanted.update(_words_of(facts, (value,)) or ())
    for name in names:
        wanted.update(name_words(facts, facts.texts[name]))

    last: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    words: tuple[int, ...] = ()
    about: frozenset[int] = frozenset()
    about_wanted: frozenset[int] = frozenset()
    said_wanted: set[int] = set()
    for row in _with_sentences(facts.tellings, rank):
        # To say again what the call itself gave is an echo. The lines of a result are often the
        # same.
        said = (row.words, row.asked)
        if said != last:
            words = tuple([word for word in row.words if word not in row.asked])
            about = frozenset((*row.words, *row.asked))
            about_wanted = about & wanted
            said_wanted = given.intersection(words)
            last = said

        for word in about_wanted:
            by_word.setdefault(word, []).append(len(told))
        for word in said_wanted:
            saying.setdefault(word, []).append(len(told))
        time = when(timed, rank, row)
        whole = row.sentence < 0
        by_user = row.sentence != 0
        told.append(Told(time, words, about, row.order, by_user, row.denies, whole, row.past))

    return told, by_word, saying


def _with_sentences(tellings: Sequence[Telling], rank: dict[int, int]) -> Iterator[Telling]:
    """Yield every clause, and after the last clause of a sentence the sentence itself."""
    clauses: list[Telling] = []
    for row in tellings:
        if row.session not in rank:
            continue
        if clauses and row.sentence != clauses[-1].sentence:
            yield from _sentence(clauses)
            clauses = []
        if row.sentence:
            clauses.append(row)
        yield row

    yield from _sentence(clauses)


def _sentence(clauses: Sequence[Telling]) -> Iterator[Telling]:
    """Yield one telling for all clauses of a sentence; none where there is one clause."""
    if len(clauses) < 2:
        return

    last = clauses[-1]
    words = tuple(dict.fromkeys(word for row in clauses for word in row.words))
    denies = any(row.denies for row in clauses)
    past = tuple(dict.fromkeys(word for row in clauses for word in row.past))
    yield Telling(last.session, last.time, words, (), last.order, -last.sentence, denies, past)
