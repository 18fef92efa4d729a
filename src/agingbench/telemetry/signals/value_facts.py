"""Outdated values found from data: which argument of which tool repeats what results had shown.

Every (tool, key of one or two arguments, value argument) is a candidate. It is accepted where the
values that are used are those that were shown for that very key, and where shown values stay until
they change for good. Choices, flags and values that the agent sets itself fail these tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec
import numpy as np

from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.facts import GivenCall
from agingbench.telemetry.signals.value_shows import (
    Use,
    ValueShows,
    name_shown_under,
    shown_under,
)
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses
from agingbench.telemetry.signals.value_witnesses import (
    Key,
    Shown,
    Witnesses,
    merged,
    told_of,
    when,
)

LEAST_USES = 10  # of a candidate
LEAST_CHANGES = 3  # of shown values, over all keys
WITNESSED = 0.5  # share of the uses whose key had been shown
KNOWN = 0.7  # share of these whose value had been shown for that key
BEYOND_CHANCE = 0.3  # what that share exceeds the one with other keys' values by
PERSISTENT = 0.3  # share of repeated shows, and of uses, with the value shown last
RETURNS = 0.35  # share of changes that go back to an earlier value, at most
OWN_CHANGES = 0.4  # share of changes that a use of the agent came before, at most
MOST_FIELDS = 10  # of a tool, that may be keys
CLEARLY = 0.03  # more uses of the value shown last, that make one key fit better than another
BY_FAR = 0.25
FEW = 0.5
MOSTLY = 0.8
SELDOM = 1 / 3
LEAST_RECENT = 45  # uses of values replaced in their session, that can stand alone
OTHER_KEYS = 12  # that chance is estimated from


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


class Opportunity(msgspec.Struct, frozen=True, gc=False):
    """One use of a value of which several were known by then."""

    use: Use
    current: int
    was_known: bool
    recent: bool  # the value was replaced in the session of the use

    @property
    def stale(self) -> bool:
        """Whether a value is used that another one had replaced."""
        return self.was_known and self.use.value != self.current


def facts_uses(
    trace: TraceSessions, witnesses: Witnesses
) -> tuple[ValueUses, set[tuple[str, str]]]:
    """Return the uses of every accepted candidate, and which (tool, argument) they cover."""
    facts = trace.facts
    accepted = _without_keys(_accepted(witnesses))
    starts = _starts(trace, witnesses.timed)
    rows: list[Opportunity] = []

    for candidate in accepted:
        for use in candidate.uses:
            shown = candidate.shown.get(use.key)
            current = None if shown is None else shown.current(use.time)
            if shown is None or current is None or not shown.has_several(use.time):
                continue

            recent = shown.changed_between(starts[use.session], use.time)
            rows.append(Opportunity(use, current, shown.holds(use.value, use.time), recent))

    rows = _tempting(rows)
    rows.sort(key=lambda row: (row.use.time, row.use.session))
    hits = np.array([float(row.stale) for row in rows])
    stale_rows = [row for row in rows if row.stale][-MOST_EVIDENCE:]
    covered = {(facts.texts[c.tool], facts.texts[c.value]) for c in accepted}
    uses = ValueUses(
        session=np.array([row.use.session for row in rows], dtype=np.intp),
        stale=hits,
        value=hits,
        entities=sum(len(candidate.shown) for candidate in accepted),
        evidence=[(row.use.session, facts.place(row.use.place)) for row in stale_rows],
        given=[(facts.texts[row.use.value], facts.texts[row.current]) for row in stale_rows],
        places=frozenset(facts.place(row.use.place) for row in rows),
    )
    return uses, covered


def _starts(trace: TraceSessions, timed: bool) -> list[float]:
    """Return when each session began, on the clock that uses go by."""
    if not timed:
        return [float(place) for place in range(len(trace.sessions))]
    return [-np.inf if s.start is None else s.start for s in trace.sessions]


def _tempting(rows: list[Opportunity]) -> list[Opportunity]:
    """Return the uses in which an outdated value was to hand.

    Where hardly any value is used that an earlier session had replaced, only those count that were
    replaced in the session itself. This looks at sums over the whole trace, never at their order.
    """
    recent = [row for row in rows if row.recent]
    older = [row for row in rows if not row.recent]
    if len(recent) < LEAST_RECENT or not older:
        return rows

    rate = sum(row.stale for row in recent) / len(recent)
    older_rate = sum(row.stale for row in older) / len(older)
    return recent if rate > 0 and older_rate <= SELDOM * rate else rows


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
        shows = ValueShows(witnesses)
        for keys, value in _combinations(calls, known):
            candidate = _candidate(witnesses, shows, tool, given_calls, keys, value)
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
    """Return whether a candidate fits clearly better than its rival, or as well and oftener.

    One with far fewer opportunities has to fit better by far.
    """
    more = candidate.opportunities > rival.opportunities
    fewer, many = sorted((candidate.opportunities, rival.opportunities))
    bar = CLEARLY if fewer >= FEW * many else BY_FAR
    gain = candidate.current_share - rival.current_share
    return gain > 0 if abs(gain) >= bar else more


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


class _Given(msgspec.Struct, frozen=True, gc=False):
    """One call, with its arguments by name."""

    time: float
    session: int  # by its place among the sessions
    given: dict[int, int]
    place: int


def _given(witnesses: Witnesses, call: GivenCall) -> _Given:
    time = when(witnesses.timed, witnesses.rank, call)
    return _Given(time, witnesses.rank[call.session], dict(call.pairs), call.place)


def _candidate(
    witnesses: Witnesses,
    shows: ValueShows,
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
    if _is_place(witnesses.facts.texts[value]) and not _mostly_with_digits(witnesses, values):
        return None

    name = name_shown_under(shows, things, uses, values)
    found = {} if name is None else shown_under(shows, name, things, values)
    told = told_of(witnesses, shows.clauses_about, things, values)
    shown = merged(found, told)
    if not shown:
        return None

    candidate = Candidate(tool, keys, value, uses, shown)
    return candidate if _speaks_for(candidate) else None


def _is_place(field: str) -> bool:
    """Return whether a field goes by its place among the words of a command, or in a word."""
    last = field.rpartition(".")[2]
    return last.isdigit() or last in ("first", "last")


def _mostly_with_digits(witnesses: Witnesses, values: set[int]) -> bool:
    """Return whether most values hold a digit: the words of a command are mostly plain words."""
    texts = [witnesses.facts.texts[value] for value in values]
    return sum(any(map(str.isdigit, text)) for text in texts) >= MOSTLY * len(texts)


def _speaks_for(candidate: Candidate) -> bool:
    """Return whether uses, shows and changes look like values that are looked up and used."""
    witnessed = 0
    known = 0
    chance = 0.0
    things = list(candidate.shown)

    for use in candidate.uses:
        shown = candidate.shown.get(use.key)
        current = None if shown is None else shown.current(use.time)
        if shown is None or current is None:
            continue

        witnessed += 1
        known += shown.holds(use.value, use.time)
        if shown.has_several(use.time):
            candidate.opportunities += 1
            candidate.current += use.value == current
        others = [thing for thing in things[: OTHER_KEYS + 1] if thing != use.key][:OTHER_KEYS]
        hits = sum(candidate.shown[o].holds(use.value, use.time) for o in others)
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
        uses_by_value: dict[int, list[float]] = {}
        for use in uses_by_key.get(key, ()):
            uses_by_value.setdefault(use.value, []).append(use.time)
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
            own += _uses_between(uses_by_value.get(value, ()), shown.times[i - 1], shown.times[i])

        # A value that is used as it was last shown has stayed too.
        for use in uses_by_key.get(key, ()):
            current = shown.current(use.time)
            if current is not None:
                repeats += 1
                same += use.value == current

    if changes < LEAST_CHANGES or not repeats:
        return False

    persists = same >= PERSISTENT * repeats
    return persists and returns <= RETURNS * changes and own <= OWN_CHANGES * changes


def _uses_between(times: Sequence[float], start: float, end: float) -> bool:
    return any(start < time < end for time in times)
