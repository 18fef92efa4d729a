"""Outdated values found from data: which argument of which tool repeats what results had shown.

Every (tool, key of one or two arguments, value argument) is a candidate. It is accepted where the
values that are used are those that were shown for that very key, and where shown values stay until
they change for good. Choices, flags and values that the agent sets itself fail these tests.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import msgspec
import numpy as np

from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.facts import RESULT, Display, FactLog, GivenCall, Telling
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses

LEAST_USES = 10  # of a candidate
LEAST_CHANGES = 3  # of shown values, over all keys
WITNESSED = 0.5  # share of the uses whose key had been shown
KNOWN = 0.7  # share of these whose value had been shown for that key
BEYOND_CHANCE = 0.3  # what that share exceeds the one with other keys' values by
PERSISTENT = 0.3  # share of repeated shows, and of uses, with the value shown last
RETURNS = 0.35  # share of changes that go back to an earlier value, at most
OWN_CHANGES = 0.4  # share of changes that a use of the agent came before, at most
MOST_FIELDS = 10  # of a tool, that may be keys
CLEARLY = 0.08  # more uses of the value shown last, that make one key fit better than another
MOSTLY = 0.8
OTHER_KEYS = 12  # that chance is estimated from

_WORD = re.compile(r"[\w./:@+#-]+")

Key = tuple[int, ...]  # numbers of the values that say which thing is meant


@dataclass
class Shown:
    """What was shown of one thing under one name: times and values, in order."""

    times: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def before(self, time: float) -> list[int]:
        """Return the values shown before a time."""
        return self.values[: bisect_left(self.times, time)]


class Use(msgspec.Struct, frozen=True, gc=False):
    """One call that gives a value for a key."""

    time: float
    session: int
    key: Key
    value: int
    place: int


class Told(msgspec.Struct, frozen=True, gc=False):
    """One clause: the words that may be values, and all that say what it is about."""

    time: float
    words: tuple[int, ...]
    about: frozenset[int]


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


@dataclass
class Candidate:
    """One (tool, keys, value argument) and the name that its values were shown under."""

    tool: int
    keys: tuple[int, ...]
    value: int
    uses: list[Use]
    shown: dict[Key, Shown]
    opportunities: int = 0
    current: int = 0  # of these, uses of the value that was shown last

    @property
    def current_share(self) -> float:
        """Share of the opportunities in which the value that was shown last is used."""
        return self.current / max(1, self.opportunities)

    def values(self) -> set[int]:
        """Return the values that are used."""
        return {use.value for use in self.uses}

    def key_values(self) -> set[int]:
        """Return what the things go by."""
        return {part for use in self.uses for part in use.key}


def facts_uses(trace: TraceSessions) -> tuple[ValueUses, set[tuple[str, str]]]:
    """Return the uses of every accepted candidate, and which (tool, argument) they cover."""
    facts = trace.facts
    rank = {session.arrival: i for i, session in enumerate(trace.sessions)}
    timed = not trace.logical
    told = _tellings(facts, rank, timed) if facts.calls else ([], {}, {})
    witnesses = Witnesses(facts, rank, timed, _by_value(facts, rank), *told)
    accepted = _without_keys(_accepted(witnesses))
    rows: list[tuple[float, int, bool, int, int, int]] = []

    for candidate in accepted:
        for use in candidate.uses:
            shown = candidate.shown.get(use.key)
            before = [] if shown is None else shown.before(use.time)
            if len(set(before)) < 2:
                continue

            current = before[-1]
            stale = use.value != current and use.value in before
            rows.append((use.time, use.session, stale, use.place, use.value, current))

    rows.sort(key=lambda row: (row[0], row[1]))
    hits = np.array([float(row[2]) for row in rows])
    stale_rows = [row for row in rows if row[2]][-MOST_EVIDENCE:]
    covered = {(facts.texts[c.tool], facts.texts[c.value]) for c in accepted}
    uses = ValueUses(
        session=np.array([row[1] for row in rows], dtype=np.intp),
        stale=hits,
        value=hits,
        entities=sum(len(candidate.shown) for candidate in accepted),
        evidence=[(row[1], facts.place(row[3])) for row in stale_rows],
        given=[(facts.texts[row[4]], facts.texts[row[5]]) for row in stale_rows],
    )
    return uses, covered


def _accepted(witnesses: Witnesses) -> list[Candidate]:
    """Return the best accepted candidate of every (tool, value argument)."""
    facts = witnesses.facts
    calls_by_tool: dict[int, list[GivenCall]] = {}
    for call in facts.calls:
        if call.session in witnesses.rank:
            calls_by_tool.setdefault(call.tool, []).append(call)

    known = set(witnesses.displays) | set(witnesses.by_word)
    accepted: list[Candidate] = []
    for tool, calls in calls_by_tool.items():
        if len(calls) < LEAST_USES:
            continue

        best: dict[int, Candidate] = {}
        given_calls = [_given(witnesses, call) for call in calls]
        for keys, value in _combinations(calls, known):
            candidate = _candidate(witnesses, tool, given_calls, keys, value)
            if candidate is None:
                continue

            rival = best.get(value)
            if rival is None or _better(candidate, rival):
                best[value] = candidate

        accepted.extend(best.values())

    return accepted


def _without_keys(accepted: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose values are not what another one goes by.

    Of two that go by each other's values the one with more opportunities stays.
    """
    rest = []
    for candidate in accepted:
        rivals = [other for other in accepted if other is not candidate]
        if not any(_is_key_of(candidate, other) for other in rivals):
            rest.append(candidate)

    return rest


def _is_key_of(candidate: Candidate, other: Candidate) -> bool:
    """Return whether the values of a candidate are rather keys, those of another one."""
    if not _within(candidate.values(), other.key_values()):
        return False
    if not _within(other.values(), candidate.key_values()):
        return True

    return (candidate.opportunities, candidate.value) < (other.opportunities, other.value)


def _within(values: set[int], keys: set[int]) -> bool:
    """Return whether most values are among the keys."""
    return len(values & keys) >= MOSTLY * len(values)


def _better(candidate: Candidate, rival: Candidate) -> bool:
    """Return whether a candidate fits clearly better than its rival, or as well and oftener."""
    gain = candidate.current_share - rival.current_share
    if abs(gain) >= CLEARLY:
        return gain > 0
    return candidate.opportunities > rival.opportunities


def _combinations(
    calls: Sequence[GivenCall], known: set[int]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (keys, value) of the arguments that are given often enough, vary, and were shown."""
    values_of: dict[int, list[int]] = {}
    for call in calls:
        for name, value in call.pairs:
            values_of.setdefault(name, []).append(value)

    usual = []
    for name, values in values_of.items():
        shown = sum(number in known for number in values)
        varies = len(values) >= LEAST_USES and len(set(values)) >= 2
        if varies and shown >= WITNESSED * len(values):
            usual.append(name)

    usual.sort(key=lambda name: -len(values_of[name]))
    usual = usual[:MOST_FIELDS]
    for value in usual:
        others = [name for name in usual if name != value]
        for size in (1, 2):
            for keys in combinations(others, size):
                yield keys, value


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


def _when(timed: bool, rank: dict[int, int], row: GivenCall | Display | Telling) -> float:
    """Return when something happened: its time, else its session and its order of arrival."""
    if timed and row.time == row.time:
        return row.time
    return rank[row.session] + row.order * 1e-9


class _Given(msgspec.Struct, frozen=True, gc=False):
    """One call, with its arguments by name."""

    time: float
    session: int  # by its place among the sessions
    given: dict[int, int]
    place: int


def _given(witnesses: Witnesses, call: GivenCall) -> _Given:
    time = _when(witnesses.timed, witnesses.rank, call)
    return _Given(time, witnesses.rank[call.session], dict(call.pairs), call.place)


def _candidate(
    witnesses: Witnesses,
    tool: int,
    calls: Sequence[_Given],
    keys: tuple[int, ...],
    value: int,
) -> Candidate | None:
    """Return the candidate where the data speak for it; else None."""
    wanted = {*keys, value}
    uses: list[Use] = []
    for call in calls:
        given = call.given
        if wanted <= given.keys():
            key = tuple([given[name] for name in keys])
            uses.append(Use(call.time, call.session, key, given[value], call.place))

    things = list(dict.fromkeys([use.key for use in uses]))
    if len(uses) < LEAST_USES or len(things) < 2:
        return None

    values = {use.value for use in uses}
    by_name: dict[int, dict[Key, Shown]] = {}
    for thing in things:
        _add_shown(witnesses, thing, values, by_name)

    told = _told(witnesses, things, values)
    name = _name_shown_under(by_name, uses)
    shown = _merged(by_name.get(name, {}) if name is not None else {}, told)
    if not shown:
        return None

    candidate = Candidate(tool, keys, value, uses, shown)
    return candidate if _speaks_for(candidate) else None


def _told(witnesses: Witnesses, things: Sequence[Key], values: set[int]) -> dict[Key, Shown]:
    """Return what clauses say of the things: those that name one, and one value for it."""
    told: dict[Key, Shown] = {}
    by_word = witnesses.by_word
    saying: set[int] = set()
    for value in values:
        saying.update(witnesses.saying.get(value, ()))
    if not saying:
        return told

    for thing in things:
        words = _words_of(witnesses.facts, thing)
        if words is None:
            continue

        rarest = min(words, key=lambda word: len(by_word.get(word, ())))
        for number in by_word.get(rarest, ()):
            if number not in saying:
                continue

            telling = witnesses.tellings[number]
            if not words <= telling.about:
                continue

            given = [word for word in telling.words if word in values and word not in thing]
            if len(given) == 1:
                shown = told.setdefault(thing, Shown())
                shown.times.append(telling.time)
                shown.values.append(given[0])

    return told


def _words_of(facts: FactLog, thing: Key) -> frozenset[int] | None:
    """Return the words that name a thing; None where one of them was never told."""
    numbers: set[int] = set()
    for part in thing:
        words = [word.strip(".,:;!?'\"-/") for word in _WORD.findall(facts.texts[part])]
        for word in words:
            number = facts.known(word)
            if number is None:
                return None
            numbers.add(number)

    return frozenset(numbers) or None


def _merged(first: dict[Key, Shown], second: dict[Key, Shown]) -> dict[Key, Shown]:
    """Return what both show, in order of time."""
    if not second:
        return first

    merged: dict[Key, Shown] = {}
    for key in dict.fromkeys([*first, *second]):
        rows: list[tuple[float, int]] = []
        for shown in (first.get(key), second.get(key)):
            if shown is not None:
                rows += zip(shown.times, shown.values, strict=True)

        rows.sort(key=lambda row: row[0])
        merged[key] = Shown([time for time, _ in rows], [value for _, value in rows])

    return merged


def _tellings(
    facts: FactLog, rank: dict[int, int], timed: bool
) -> tuple[list[Told], dict[int, list[int]], dict[int, list[int]]]:
    """Return the clauses in order, the numbers of those about each word, and of those saying it.

    Only words of what calls give are looked up.
    """
    told: list[Told] = []
    by_word: dict[int, list[int]] = {}
    saying: dict[int, list[int]] = {}
    given = {value for call in facts.calls for _, value in call.pairs}
    wanted = given.copy()
    for value in given:
        wanted.update(_words_of(facts, (value,)) or ())

    last: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    words: tuple[int, ...] = ()
    about: frozenset[int] = frozenset()
    about_wanted: frozenset[int] = frozenset()
    said_wanted: set[int] = set()
    for row in facts.tellings:
        if row.session not in rank:
            continue

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
        told.append(Told(_when(timed, rank, row), words, about))

    return told, by_word, saying


def _add_shown(
    witnesses: Witnesses, thing: Key, used: set[int], by_name: dict[int, dict[Key, Shown]]
) -> None:
    """Add what the displays about one thing show, under each name."""
    lone = witnesses.facts.known(RESULT)
    displays = witnesses.displays
    numbers = set(displays.get(thing[0], ()))
    for part in thing[1:]:
        numbers &= set(displays.get(part, ()))

    rows = []
    for number in numbers:
        display = witnesses.facts.displays[number]
        time = _when(witnesses.timed, witnesses.rank, display)
        rows.append((time, number, display))
    rows.sort(key=lambda row: row[:2])

    for time, _, display in rows:
        answers_use = not used.isdisjoint(display.asked)
        for name, value in display.pairs:
            if name == lone and answers_use:
                continue  # "ok", of a call that gave a value
            if value in thing or value in display.asked:
                continue  # the key itself, or an echo of what was asked

            shown = by_name.setdefault(name, {}).setdefault(thing, Shown())
            shown.times.append(time)
            shown.values.append(value)


def _name_shown_under(by_name: dict[int, dict[Key, Shown]], uses: Sequence[Use]) -> int | None:
    """Return the name under which most of the used values had been shown for their key."""
    best: int | None = None
    most = 0
    for name, shown_by_key in by_name.items():
        hits = 0
        for use in uses:
            shown = shown_by_key.get(use.key)
            hits += shown is not None and use.value in shown.before(use.time)

        if hits > most:
            most = hits
            best = name

    return best


def _speaks_for(candidate: Candidate) -> bool:
    """Return whether uses, shows and changes look like values that are looked up and used."""
    witnessed = 0
    known = 0
    chance = 0.0
    things = list(candidate.shown)

    for use in candidate.uses:
        shown = candidate.shown.get(use.key)
        before = [] if shown is None else shown.before(use.time)
        if not before:
            continue

        witnessed += 1
        known += use.value in before
        if len(set(before)) >= 2:
            candidate.opportunities += 1
            candidate.current += use.value == before[-1]
        others = [thing for thing in things if thing != use.key][:OTHER_KEYS]
        hits = sum(use.value in candidate.shown[o].before(use.time) for o in others)
        chance += hits / len(others) if others else 0.0

    if witnessed < max(LEAST_USES, WITNESSED * len(candidate.uses)):
        return False

    known_share = known / witnessed
    if known_share < KNOWN or known_share - chance / witnessed < BEYOND_CHANCE:
        return False

    return _values_persist(candidate)


def _values_persist(candidate: Candidate) -> bool:
    """Return whether shown values stay, change, seldom return, and are not set by the agent."""
    repeats = 0
    changes = 0
    returns = 0
    own = 0
    same = 0
    uses_by_key: dict[Key, list[Use]] = {}
    for use in candidate.uses:
        uses_by_key.setdefault(use.key, []).append(use)

    for key, shown in candidate.shown.items():
        seen = set(shown.values[:1])
        for i in range(1, len(shown.values)):
            value = shown.values[i]
            repeats += 1
            if value == shown.values[i - 1]:
                same += 1
                continue

            changes += 1
            returns += value in seen
            seen.add(value)
            own += any(
                use.value == value and shown.times[i - 1] < use.time < shown.times[i]
                for use in uses_by_key.get(key, ())
            )

        # A value that is used as it was last shown has stayed too.
        for use in uses_by_key.get(key, ()):
            before = shown.before(use.time)
            if before:
                repeats += 1
                same += use.value == before[-1]

    if changes < LEAST_CHANGES or not repeats:
        return False

    persists = same >= PERSISTENT * repeats
    return persists and returns <= RETURNS * changes and own <= OWN_CHANGES * changes
