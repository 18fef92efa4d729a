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

    def is_followed(self) -> bool:
        """Return whether values change for good, and calls mostly give what was shown last."""
        changes = sum(len(slot.values) - 1 for slot in self.slots)
        n = len(self.uses)
        if n < LEAST_USES or changes < LEAST_CHANGES:
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

    followed = [group for group in groups.values() if group.is_followed()]
    uses = [use for group in followed for use in group.uses]
    uses.sort(key=lambda use: (use.time, use.session))
    n_slots = sum(len(group.slots) for group in followed)
    return _value_uses(log, uses, n_slots)


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

    owner = {}
    for value, several in shown_under.items():
        names = _one_slot(several)
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
