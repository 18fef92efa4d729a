"""Outdated values found from displays: what a named slot showed, and what calls give after it.

A display shows that the port of the service `api` is 30803, later another one shows 24957; a call
that gives 30803 after that, wherever it stands in its arguments, gives an outdated value. Values
are their own proof: one that was shown in one slot alone belongs to it. Slots of the same last name
(the ports of all services) are accepted together, where calls mostly give what was shown last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import msgspec
import numpy as np

from agingbench.records import Source
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.shown_slots import Names
from agingbench.telemetry.sessions.slot_log import SlotLog, SlotShow, SlotUse
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses

LEAST_USES = 8  # of a group of slots
LEAST_CHANGES = 3  # of what it shows
CURRENT = 0.6  # share of the uses that give what was shown last
BEYOND_CHANCE = 0.2  # what that exceeds blind choice among the recent values by
MOST_ALIASES = 6  # names of one slot
MOST_AT_ONCE = 60  # values that one display shows; of a trace without fine times, neighbours
LONG_VALUE = 8  # characters of a value that two slots hardly have in common by chance
RECENT = 4  # last values of a slot that count; an older one is no slip
RETURNS = 0.35  # share of the changes that go back to an earlier value, at most
OWN_CHANGES = 0.4  # share of the changes to a value that the agent gave first, at most


class GivenValue(msgspec.Struct, frozen=True, gc=False):
    """One use of a value of a slot that had shown several."""

    time: float
    session: int
    value: int
    current: int
    source: Source | None

    @property
    def stale(self) -> bool:
        """Whether another value had replaced it."""
        return self.value != self.current


@dataclass
class SlotHistory:
    """What one slot showed since when."""

    times: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    own: int = 0  # changes to a value that the agent had given first
    returns: int = 0  # changes to a value that was shown before the last one

    def add(self, time: float, value: int, is_own: bool) -> None:
        """Add what a display shows, where it is another value than the one before."""
        if self.values and self.values[-1] == value:
            return
        if self.values:
            self.own += is_own
            self.returns += value in self.values
        self.times.append(time)
        self.values.append(value)

    def recent(self, time: float) -> list[int]:
        """Return the last values shown before a time, the one that holds first."""
        before = self.values[: bisect_left(self.times, time)]
        return list(dict.fromkeys(reversed(before)))[:RECENT]


@dataclass
class SlotGroup:
    """The slots of one last name, and the uses of their values."""

    slots: list[SlotHistory] = field(default_factory=list)
    uses: list[GivenValue] = field(default_factory=list)
    chance: float = 0.0

    @property
    def changes(self) -> int:
        """How often the slots showed another value than before."""
        return sum(len(slot.values) - 1 for slot in self.slots)

    def is_large(self) -> bool:
        """Return whether there are uses and changes enough to tell whether it is followed."""
        return len(self.uses) >= LEAST_USES and self.changes >= LEAST_CHANGES

    def is_followed(self) -> bool:
        """Return whether values change for good, and calls mostly give what was shown last."""
        changes = self.changes
        n = len(self.uses)
        if not self.is_large():
            return False
        if sum(slot.returns for slot in self.slots) > RETURNS * changes:
            return False
        if sum(slot.own for slot in self.slots) > OWN_CHANGES * changes:
            return False

        share = sum(not use.stale for use in self.uses) / n
        return share >= max(CURRENT, self.chance / n + BEYOND_CHANCE)


def shown_uses(trace: TraceSessions, without: frozenset[Source | None]) -> ValueUses:
    """Return the uses of values that displays showed, in order of time; records of `without` not.

    Only slots whose values calls mostly follow count.
    """
    log = trace.slots
    rank = {session.arrival: i for i, session in enumerate(trace.sessions)}
    timed = not trace.logical
    slots, owner = _histories(log, rank, timed)
    groups: dict[str, SlotGroup] = {}
    for names, slot in slots.items():
        groups.setdefault(names[-1], SlotGroup()).slots.append(slot)

    for row in log.uses:
        if row.session in rank and row.source not in without:
            _add_uses(row, slots, owner, groups, _when(row, rank, timed), rank[row.session])

    followed = [group for group in _pooled(groups.values()) if group.is_followed()]
    uses = [use for group in followed for use in group.uses]
    uses.sort(key=lambda use: (use.time, use.session))
    n_slots = sum(len(group.slots) for group in followed)
    return _value_uses(log, uses, n_slots)


def _pooled(groups: Iterable[SlotGroup]) -> list[SlotGroup]:
    """Return the groups, those with too few uses or changes of their own as one."""
    found = []
    rest = SlotGroup()
    for group in groups:
        if group.is_large():
            found.append(group)
        else:
            rest.slots += group.slots
            rest.uses += group.uses
            rest.chance += group.chance
    return [*found, rest]


def _value_uses(log: SlotLog, uses: Sequence[GivenValue], slots: int) -> ValueUses:
    hits = np.array([float(use.stale) for use in uses])
    stale = [use for use in uses if use.stale][-MOST_EVIDENCE:]
    return ValueUses(
        session=np.array([use.session for use in uses], dtype=np.intp),
        stale=hits,
        value=hits,
        entities=slots,
        evidence=[(use.session, use.source) for use in stale],
        given=[(log.texts[use.value], log.texts[use.current]) for use in stale],
        places=frozenset([use.source for use in uses]),
    )


def _when(row: SlotShow | SlotUse, rank: dict[int, int], timed: bool) -> float:
    if timed and row.time == row.time:
        return row.time + row.order * 1e-9
    return rank[row.session] + row.order * 1e-9


def _histories(
    log: SlotLog, rank: dict[int, int], timed: bool
) -> tuple[dict[Names, SlotHistory], dict[int, Names]]:
    """Return the history of every slot, and the one slot that each value belongs to."""
    shows = [row for row in log.shows if row.session in rank]
    shows.sort(key=lambda row: _when(row, rank, timed))
    shown_under: dict[int, set[Names]] = {}
    for row in shows:
        shown_under.setdefault(row.value, set()).add(row.names)

    usual = _usual_names(log, shows, shown_under) if timed else {}
    owner = {}
    for value, several in shown_under.items():
        names = _one_slot({usual.get(names, names) for names in several})
        if names is not None:
            owner[value] = names

    wider = _wider_names(owner.values())
    owner = {value: wider.get(names, names) for value, names in owner.items()}
    slots: dict[Names, SlotHistory] = {}
    for row in shows:
        if row.value in owner:
            slot = slots.setdefault(owner[row.value], SlotHistory())
            slot.add(_when(row, rank, timed), row.value, row.is_own)
    return slots, owner


def _usual_names(
    log: SlotLog, shows: Sequence[SlotShow], shown_under: dict[int, set[Names]]
) -> dict[Names, Names]:
    """Return, for names that mean the same as others, the ones that stand for all of them.

    An environment calls `DB_HOST` what a file calls `database.host` and a client `pgHost`. Names
    mean the same that showed two values in common, or a long one and have a word in common; those
    that one display shows side by side do not.
    """
    common: dict[tuple[Names, Names], list[int]] = {}
    for value, several in shown_under.items():
        if 1 < len(several) <= MOST_ALIASES:
            for pair in combinations(sorted(several), 2):
                common.setdefault(pair, []).append(value)

    wanted = {names for pair in common for names in pair}
    apart = _side_by_side([row for row in shows if row.names in wanted])
    chosen: dict[Names, Names] = {}
    members: dict[Names, list[Names]] = {}
    for (first, second), values in sorted(common.items()):
        is_long = any(len(log.texts[value]) >= LONG_VALUE for value in values)
        if len(values) < 2 and not (is_long and set(first) & set(second)):
            continue

        one = chosen.get(first, first)
        other = chosen.get(second, second)
        both = [*members.get(one, [one]), *members.get(other, [other])]
        if one == other or len(both) > MOST_ALIASES:
            continue
        if any(pair in apart for pair in combinations(sorted(both), 2)):
            continue
        members[one] = both
        chosen.update(dict.fromkeys(both, one))

    return chosen


def _side_by_side(shows: Sequence[SlotShow]) -> set[tuple[Names, Names]]:
    """Return the pairs of names that one display shows."""
    pairs: set[tuple[Names, Names]] = set()
    moment: list[SlotShow] = []
    for row in shows:
        if moment and (row.session, row.time) != (moment[0].session, moment[0].time):
            moment = []
        for other in moment[-MOST_AT_ONCE:]:
            pairs.add((min(other.names, row.names), max(other.names, row.names)))
        moment.append(row)
    return pairs


def _one_slot(several: Iterable[Names]) -> Names | None:
    """Return the slot that several names mean; None where they mean several slots.

    Displays differ in what they put around a name: one means the same as a longer one that ends
    with it.
    """
    ranked = sorted(several, key=len)
    longest = ranked[-1]
    if any(longest[-len(shorter) :] != shorter for shorter in ranked):
        return None
    return longest


def _wider_names(names: Iterable[Names]) -> dict[Names, Names]:
    """Return, for names with which one longer one ends, and no other, that longer one."""
    known = set(names)
    endings: dict[Names, set[Names]] = {}
    for longer in known:
        for start in range(1, len(longer)):
            endings.setdefault(longer[start:], set()).add(longer)

    wider = {}
    for ending, several in endings.items():
        longest = _one_slot(several)
        if ending in known and longest is not None:
            wider[ending] = longest
    return wider


def _add_uses(
    row: SlotUse,
    slots: dict[Names, SlotHistory],
    owner: dict[int, Names],
    groups: dict[str, SlotGroup],
    time: float,
    session: int,
) -> None:
    """Add the values that a call gives, one of each slot; what the user asked for is not stale."""
    given: dict[Names, list[int]] = {}
    for value in row.values:
        if value in owner:
            given.setdefault(owner[value], []).append(value)

    for names, values in given.items():
        recent = slots[names].recent(time)
        known = [value for value in values if value in recent]
        if len(recent) < 2 or not known:
            continue

        current = recent[0]
        value = current if current in known else known[0]
        if value != current and value in row.asked:
            continue

        group = groups[names[-1]]
        group.chance += 1 / len(recent)
        group.uses.append(GivenValue(time, session, value, current, row.source))
