"""Under which name displays show the values that calls use, looked up once for many candidates."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.telemetry.sessions.facts import RESULT, Pairs
from agingbench.telemetry.signals.value_witnesses import Key, Shown, Witnesses, when


class Use(msgspec.Struct, frozen=True, gc=False):
    """One call that gives a value for a key."""

    time: float
    session: int
    key: Key
    value: int
    place: int


class ShownRow(msgspec.Struct, frozen=True, gc=False):
    """What one display shows of a thing."""

    time: float
    pairs: Pairs
    asked: tuple[int, ...]


class ValueShows:
    """What displays show of things, looked up once for all candidates of a tool."""

    def __init__(self, witnesses: Witnesses) -> None:
        self.witnesses = witnesses
        self.lone = witnesses.facts.known(RESULT)
        self._rows: dict[Key, list[ShownRow]] = {}
        self._values: dict[Key, frozenset[int]] = {}
        self._clauses: dict[Key, list[int]] = {}

    def clauses_about(self, thing: Key) -> list[int]:
        """Return the numbers of the clauses that are about a thing."""
        clauses = self._clauses.get(thing)
        if clauses is None:
            clauses = self._clauses[thing] = self.witnesses.clauses_about(thing)
        return clauses

    def values_of(self, thing: Key) -> frozenset[int]:
        """Return all values that displays show of a thing, under whatever name."""
        values = self._values.get(thing)
        if values is None:
            rows = self.of(thing)
            values = frozenset([value for row in rows for _, value in row.pairs])
            self._values[thing] = values
        return values

    def of(self, thing: Key) -> list[ShownRow]:
        """Return what displays about a thing show of it, in order of time."""
        rows = self._rows.get(thing)
        if rows is None:
            rows = self._rows[thing] = self._find(thing)
        return rows

    def _find(self, thing: Key) -> list[ShownRow]:
        witnesses = self.witnesses
        displays = witnesses.displays
        numbers = set(displays.get(thing[0], ()))
        for part in thing[1:]:
            numbers &= set(displays.get(part, ()))

        found = []
        for number in numbers:
            display = witnesses.facts.displays[number]
            time = when(witnesses.timed, witnesses.rank, display)
            found.append((time, number, display))
        found.sort(key=lambda row: row[:2])

        rows = []
        for time, _, display in found:
            pairs = []
            for name, value in display.pairs:
                # The key itself, or an echo of what was asked, shows nothing.
                if value not in thing and value not in display.asked:
                    pairs.append((name, value))
            if pairs:
                rows.append(ShownRow(time, tuple(pairs), display.asked))

        return rows

    def pairs(self, row: ShownRow, used: set[int]) -> Pairs:
        """Return names and values of a row, without the "ok" of a call that gave a used value."""
        answers_use = not used.isdisjoint(row.asked)
        if not answers_use:
            return row.pairs
        return tuple([pair for pair in row.pairs if pair[0] != self.lone])


def name_shown_under(
    shows: ValueShows, things: Sequence[Key], uses: Sequence[Use], values: set[int]
) -> int | None:
    """Return the name under which most of the used values had been shown for their key."""
    used_of: dict[Key, set[int]] = {}
    for use in uses:
        used_of.setdefault(use.key, set()).add(use.value)

    # Most candidates end here: nothing that is used was ever shown.
    if all(used.isdisjoint(shows.values_of(thing)) for thing, used in used_of.items()):
        return None

    hits: dict[int, int] = {}  # by name, in the order in which names come up
    first: dict[tuple[Key, int], dict[int, float]] = {}  # thing and value -> name -> first time
    for thing in things:
        wanted = used_of[thing]
        for row in shows.of(thing):
            for name, value in shows.pairs(row, values):
                hits.setdefault(name, 0)
                if value in wanted:
                    first.setdefault((thing, value), {}).setdefault(name, row.time)

    for use in uses:
        for name, time in first.get((use.key, use.value), {}).items():
            hits[name] += time < use.time

    best = max(hits, key=lambda name: hits[name], default=None)
    return best if best is not None and hits[best] else None


def shown_under(
    shows: ValueShows, wanted: int, things: Sequence[Key], values: set[int]
) -> dict[Key, Shown]:
    """Return what was shown of each thing under one name."""
    found: dict[Key, Shown] = {}
    for thing in things:
        for row in shows.of(thing):
            for name, value in shows.pairs(row, values):
                if name == wanted:
                    shown = found.setdefault(thing, Shown())
                    shown.times.append(row.time)
                    shown.values.append(value)

    return found
