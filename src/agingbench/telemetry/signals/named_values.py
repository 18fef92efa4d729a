"""Outdated values of settings: an argument's own name says what its value is of.

Many values belong to nothing but their name: a port, a branch, a ship date. Results show them under
that name, users say it, and calls give them under it, whatever the tool and however deep. A name is
accepted where calls mostly give what was shown or told last of it, and where that changes for good.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.records import Source
from agingbench.telemetry.sessions.entities import attribute_of
from agingbench.telemetry.sessions.facts import RESULT, Telling
from agingbench.telemetry.signals.value_shows import Use
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses
from agingbench.telemetry.signals.value_witnesses import (
    Key,
    Shown,
    Witnesses,
    merged,
    told_of,
    when,
)

LEAST_USES = 4  # of a name
LEAST_OPPORTUNITIES = 3  # uses of a name of which several values were known
LEAST_CHANGES = 3  # over all names
WITNESSED = 0.5  # share of the uses before which anything was shown or told of the name
KNOWN = 0.7  # share of these whose value had been shown or told
CURRENT = 0.6  # share of the opportunities in which the value of then is given
RETURNS = 0.6  # share of the changes that go back to an earlier value, at most
OWN_CHANGES = 0.4  # share of the changes that a use of the agent came before, at most
MOST_NAMES = 200
_PART = re.compile(r"[^\W\d_]+")


class Requests:
    """The words of every request of a session, to be looked up by time."""

    def __init__(self, witnesses: Witnesses) -> None:
        self._times: dict[int, list[float]] = {}
        self._words: dict[int, list[set[int]]] = {}
        last: Telling | None = None
        for row in witnesses.facts.tellings:
            session = witnesses.rank.get(row.session)
            if not row.sentence or session is None:
                continue
            words = self._words.setdefault(session, [])
            # The clauses of one request are kept one after the other.
            if last is None or last.session != row.session or row.order > last.order + 1:
                time = when(witnesses.timed, witnesses.rank, row)
                self._times.setdefault(session, []).append(time)
                words.append(set())
            words[-1].update(row.words)
            last = row

    def naming(self, use: Use) -> float | None:
        """Return when the request of a call was made; None where it does not name its value."""
        times = self._times.get(use.session, [])
        place = bisect_right(times, use.time)
        if not place or use.value not in self._words[use.session][place - 1]:
            return None
        return times[place - 1]


@dataclass
class NamedValue:
    """One name: the calls that give a value of it, and what held of it since when."""

    uses: list[Use]
    shown: Shown
    requests: Requests

    def opportunities(self) -> list[tuple[Use, int]]:
        """Return the uses of values shown or told, with the one of then, where several were."""
        rows = []
        for use in self.uses:
            current = self.shown.current(use.time)
            known = self.shown.holds(use.value, use.time)
            if current is None or not known or not self.shown.has_several(use.time):
                continue
            if use.value == current or not self._asked_for(use):
                rows.append((use, current))

        return rows

    def _asked_for(self, use: Use) -> bool:
        """Return whether the request that a call follows names its value, and tells no other one.

        To give an older value because the user asks for it is no slip.
        """
        start = self.requests.naming(use)
        if start is None:
            return False
        times = self.shown.times
        return bisect_left(times, start) == bisect_left(times, use.time)

    def changes(self) -> tuple[int, int, int]:
        """Return how often the value changed, went back, and had been given by the agent before."""
        values = self.shown.values
        times = self.shown.times
        used_at: dict[int, list[float]] = {}
        for use in sorted(self.uses, key=lambda one: one.time):
            used_at.setdefault(use.value, []).append(use.time)

        seen = set(values[:1])
        changes = returns = own = 0
        for i in range(1, len(values)):
            if values[i] == values[i - 1]:
                continue
            changes += 1
            returns += values[i] in seen
            seen.add(values[i])
            used = used_at.get(values[i], [])
            own += bisect_right(used, times[i - 1]) < bisect_left(used, times[i])

        return changes, returns, own

    def is_followed(self) -> bool:
        """Return whether calls mostly give what was shown or told last, and that changes."""
        witnessed = [use for use in self.uses if self.shown.current(use.time) is not None]
        if len(witnessed) < max(LEAST_USES, WITNESSED * len(self.uses)):
            return False
        known = sum(self.shown.holds(use.value, use.time) for use in witnessed)
        if known < KNOWN * len(witnessed):
            return False

        rows = self.opportunities()
        current = sum(use.value == held for use, held in rows)
        if len(rows) < LEAST_OPPORTUNITIES or current < CURRENT * len(rows):
            return False

        changes, returns, own = self.changes()
        return changes > 0 and returns <= RETURNS * changes and own <= OWN_CHANGES * changes


def named_uses(witnesses: Witnesses, without: frozenset[Source | None]) -> ValueUses:
    """Return the uses of all accepted names, in order of time; records of `without` not."""
    facts = witnesses.facts
    accepted = [value for value in _named_values(witnesses, without) if value.is_followed()]
    if sum(value.changes()[0] for value in accepted) < LEAST_CHANGES:
        accepted = []

    rows = [row for value in accepted for row in value.opportunities()]
    rows.sort(key=lambda row: (row[0].time, row[0].session))
    stale = [(use, held) for use, held in rows if use.value != held][-MOST_EVIDENCE:]
    hits = np.array([float(use.value != held) for use, held in rows])
    return ValueUses(
        session=np.array([use.session for use, _ in rows], dtype=np.intp),
        stale=hits,
        value=hits,
        entities=len(accepted),
        exact=len(rows),
        evidence=[(use.session, facts.place(use.place)) for use, _ in stale],
        given=[(facts.texts[use.value], facts.texts[held]) for use, held in stale],
        places=frozenset(facts.place(use.place) for use, _ in rows) - {None},
    )


def _named_values(witnesses: Witnesses, without: frozenset[Source | None]) -> Iterator[NamedValue]:
    """Yield the names that calls give different values of and that something is known of."""
    uses = _uses_by_name(witnesses, without)
    requests = Requests(witnesses)
    shown = _shown_by_name(witnesses, set(uses))
    for name in sorted(uses, key=lambda one: (-len(uses[one]), one))[:MOST_NAMES]:
        values = {use.value for use in uses[name]}
        key: Key = (witnesses.facts.number(name),)
        told = told_of(witnesses, {key: _clauses_about(witnesses, name)}.__getitem__, [key], values)
        seen = {key: shown[name]} if name in shown else {}
        held = merged(seen, told).get(key)
        if held is not None:
            yield NamedValue(uses[name], held, requests)


def _uses_by_name(witnesses: Witnesses, without: frozenset[Source | None]) -> dict[str, list[Use]]:
    """Return the calls that give a value, by what the argument is called."""
    facts = witnesses.facts
    names: dict[int, str | None] = {}
    found: dict[str, dict[tuple[Source | int, int], Use]] = {}
    for call in facts.calls:
        session = witnesses.rank.get(call.session)
        source = facts.place(call.place)
        if session is None or source in without:
            continue

        time = when(witnesses.timed, witnesses.rank, call)
        for number, value in call.pairs:
            if number not in names:
                names[number] = _name_of(facts.texts[number])
            name = names[number]
            if name is not None:
                # A call that gives several records says the same of each.
                record = call.order if source is None else source
                use = Use(time, session, (number,), value, call.place)
                found.setdefault(name, {}).setdefault((record, value), use)

    uses = {}
    for name, rows in found.items():
        values = {use.value for use in rows.values()}
        if len(rows) >= LEAST_USES and len(values) > 1:
            uses[name] = list(rows.values())

    return uses


def _name_of(argument: str) -> str | None:
    """Return what an argument or option is called; None for a place or a part of a value."""
    last = argument.lstrip("-").rpartition(".")[2]
    name = attribute_of(last).strip("_")
    return name if len(name) > 1 and _PART.search(name) and name != RESULT else None


def _shown_by_name(witnesses: Witnesses, names: set[str]) -> dict[str, Shown]:
    """Return what displays show under each name; an echo of what was asked shows nothing."""
    facts = witnesses.facts
    rows: dict[str, list[tuple[float, int, int]]] = {}
    for display in facts.displays:
        if display.session not in witnesses.rank:
            continue
        time = when(witnesses.timed, witnesses.rank, display)
        for number, value in display.pairs:
            name = facts.texts[number]
            if name in names and value not in display.asked:
                rows.setdefault(name, []).append((time, display.order, value))

    found = {}
    for name, shown in rows.items():
        shown.sort()
        found[name] = Shown([row[0] for row in shown], [row[2] for row in shown])

    return found


def _clauses_about(witnesses: Witnesses, name: str) -> Sequence[int]:
    """Return the numbers of the clauses that say a name, as one word or as several."""
    facts = witnesses.facts
    found: set[int] = set()
    for words in ([name], [name.replace("_", "-")], _PART.findall(name)):
        numbers = [facts.known(word) for word in words]
        if any(number is None for number in numbers):
            continue
        clauses = [set(witnesses.by_word.get(n, ())) for n in numbers if n is not None]
        found |= set.intersection(*clauses)

    return sorted(found)
