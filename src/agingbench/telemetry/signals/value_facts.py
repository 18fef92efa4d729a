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

import numpy as np

from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.facts import Display, FactLog, GivenCall
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses

LEAST_USES = 10  # of a candidate
LEAST_CHANGES = 3  # of shown values, over all keys
WITNESSED = 0.5  # share of the uses whose key had been shown
KNOWN = 0.7  # share of these whose value had been shown for that key
BEYOND_CHANCE = 0.3  # what that share exceeds the one with other keys' values by
PERSISTENT = 0.3  # share of repeated shows that show the same value
RETURNS = 0.35  # share of changes that go back to an earlier value, at most
OWN_CHANGES = 0.4  # share of changes that a use of the agent came before, at most
MOST_FIELDS = 8  # of a tool, that may be keys
OTHER_KEYS = 12  # that chance is estimated from

_WORD = re.compile(r"[\w./:@+-]+")

Key = tuple[int, ...]  # numbers of the values that say which thing is meant


@dataclass
class Shown:
    """What was shown of one thing under one name: times and values, in order."""

    times: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def before(self, time: float) -> list[int]:
        """Return the values shown before a time."""
        return self.values[: bisect_left(self.times, time)]


@dataclass(frozen=True)
class Use:
    """One call that gives a value for a key."""

    time: float
    session: int
    key: Key
    value: int
    place: int


@dataclass(frozen=True)
class ToldTurn:
    """The words of one user turn, as numbers."""

    time: float
    words: frozenset[int]


@dataclass
class Candidate:
    """One (tool, keys, value argument) and the name that its values were shown under."""

    tool: int
    keys: tuple[int, ...]
    value: int
    uses: list[Use]
    shown: dict[Key, Shown]
    opportunities: int = 0


def facts_uses(trace: TraceSessions) -> tuple[ValueUses, set[tuple[str, str]]]:
    """Return the uses of every accepted candidate, and which (tool, argument) they cover."""
    facts = trace.facts
    rank = {session.arrival: i for i, session in enumerate(trace.sessions)}
    timed = not trace.logical
    told_turns = _told_turns(trace, timed) if facts.calls else []
    accepted = _accepted(facts, rank, timed, told_turns)
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


def _accepted(
    facts: FactLog, rank: dict[int, int], timed: bool, told_turns: Sequence[ToldTurn]
) -> list[Candidate]:
    """Return the best accepted candidate of every (tool, value argument)."""
    displays = _by_value(facts, rank)
    calls_by_tool: dict[int, list[GivenCall]] = {}
    for call in facts.calls:
        if call.session in rank:
            calls_by_tool.setdefault(call.tool, []).append(call)

    shown_values = {value for d in facts.displays for _, value in d.pairs}
    for turn in told_turns:
        shown_values |= turn.words

    accepted: list[Candidate] = []
    for tool, calls in calls_by_tool.items():
        if len(calls) < LEAST_USES:
            continue

        best: dict[int, Candidate] = {}
        for keys, value in _combinations(calls, shown_values):
            candidate = _candidate(
                facts, displays, rank, timed, told_turns, tool, calls, keys, value
            )
            if candidate is None:
                continue

            rival = best.get(value)
            if rival is None or candidate.opportunities > rival.opportunities:
                best[value] = candidate

        accepted.extend(best.values())

    return accepted


def _combinations(
    calls: Sequence[GivenCall], shown_values: set[int]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (keys, value) of the arguments that are given often enough and vary."""
    values_of: dict[int, list[int]] = {}
    for call in calls:
        for name, value in call.pairs:
            values_of.setdefault(name, []).append(value)

    usual = [name for name, values in values_of.items() if len(values) >= LEAST_USES]
    usual.sort(key=lambda name: -len(values_of[name]))
    usual = usual[:MOST_FIELDS]

    for value in usual:
        given = values_of[value]
        shown = sum(number in shown_values for number in given)
        if len(set(given)) < 2 or shown < WITNESSED * len(given):
            continue

        others = [name for name in usual if name != value]
        for size in (1, 2):
            for keys in combinations(others, size):
                if all(len(set(values_of[key])) >= 2 for key in keys):
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


def _when(timed: bool, rank: dict[int, int], row: GivenCall | Display, order: int) -> float:
    """Return when something happened: its time, else its session and its order of arrival."""
    if timed and row.time == row.time:
        return row.time
    return rank[row.session] + order * 1e-7


def _candidate(
    facts: FactLog,
    displays: dict[int, list[int]],
    rank: dict[int, int],
    timed: bool,
    told_turns: Sequence[ToldTurn],
    tool: int,
    calls: Sequence[GivenCall],
    keys: tuple[int, ...],
    value: int,
) -> Candidate | None:
    """Return the candidate where the data speak for it; else None."""
    uses: list[Use] = []
    for order, call in enumerate(calls):
        given = dict(call.pairs)
        if value in given and all(key in given for key in keys):
            key = tuple(given[name] for name in keys)
            time = _when(timed, rank, call, order)
            uses.append(Use(time, rank[call.session], key, given[value], call.place))

    things = list(dict.fromkeys(use.key for use in uses))
    if len(uses) < LEAST_USES or len(things) < 2:
        return None

    by_name: dict[int, dict[Key, Shown]] = {}
    for thing in things:
        _add_shown(facts, displays, rank, timed, thing, by_name)

    told = _told(told_turns, things, {use.value for use in uses})
    name = _name_shown_under(by_name, uses)
    shown = _merged(by_name.get(name, {}) if name is not None else {}, told)
    if not shown:
        return None

    candidate = Candidate(tool, keys, value, uses, shown)
    return candidate if _speaks_for(candidate) else None


def _told(
    told_turns: Sequence[ToldTurn],
    things: Sequence[Key],
    values: set[int],
) -> dict[Key, Shown]:
    """Return what user turns say of the things: those that name one, and one value for it."""
    told: dict[Key, Shown] = {}
    for turn in told_turns:
        given = [number for number in turn.words if number in values]
        if len(given) != 1:
            continue

        for thing in things:
            if given[0] not in thing and all(part in turn.words for part in thing):
                shown = told.setdefault(thing, Shown())
                shown.times.append(turn.time)
                shown.values.append(given[0])

    return told


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


def _told_turns(trace: TraceSessions, timed: bool) -> list[ToldTurn]:
    """Return the turns of the user as the numbers of their words."""
    facts = trace.facts
    turns = []
    for place, session in enumerate(trace.sessions):
        for order, turn in enumerate(session.turns):
            numbers = set()
            for word in _WORD.findall(turn.text.casefold()):
                number = facts.known(word.rstrip(".,;:!?"))
                if number is not None:
                    numbers.add(number)

            if len(numbers) >= 2:
                time = turn.time if timed and turn.time is not None else place + order * 1e-7
                turns.append(ToldTurn(time, frozenset(numbers)))

    return turns


def _add_shown(
    facts: FactLog,
    displays: dict[int, list[int]],
    rank: dict[int, int],
    timed: bool,
    thing: Key,
    by_name: dict[int, dict[Key, Shown]],
) -> None:
    """Add what the displays about one thing show, under each name."""
    numbers = set(displays.get(thing[0], ()))
    for part in thing[1:]:
        numbers &= set(displays.get(part, ()))

    rows = []
    for number in numbers:
        display = facts.displays[number]
        rows.append((_when(timed, rank, display, number), number, display))
    rows.sort(key=lambda row: row[:2])

    for time, _, display in rows:
        for name, value in display.pairs:
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
        candidate.opportunities += len(set(before)) >= 2
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
    uses_by_key: dict[Key, list[Use]] = {}
    for use in candidate.uses:
        uses_by_key.setdefault(use.key, []).append(use)

    for key, shown in candidate.shown.items():
        seen = set(shown.values[:1])
        for i in range(1, len(shown.values)):
            value = shown.values[i]
            repeats += 1
            if value == shown.values[i - 1]:
                continue

            changes += 1
            returns += value in seen
            seen.add(value)
            own += any(
                use.value == value and shown.times[i - 1] < use.time < shown.times[i]
                for use in uses_by_key.get(key, ())
            )

    if changes < LEAST_CHANGES or repeats == changes == 0:
        return False

    same = 1 - changes / repeats
    return same >= PERSISTENT and returns <= RETURNS * changes and own <= OWN_CHANGES * changes
