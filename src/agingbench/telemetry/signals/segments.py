"""Segments: sessions cut at lifecycle events, and what lies after an event.

The first requests after an event are a unit of their own, so that short damage is not diluted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.sessions.aggregates import LifecycleRecord, TraceSession, UserTurn

REQUESTS_AFTER = 6  # requests after an event that are a unit of their own
REACH = (1, 2, 3)  # sessions that an event may hurt, its own included
# Sessions with an event, for what follows to be compared: in the session itself, and in those after
# it. After one or two, sessions that happen to be bad would be damage, and neighbours are alike.
LEAST_EVENTS = 3
LEAST_EVENTS_BEFORE = 4
LEAST_AFTER = 2  # units after an event, and as many others
RARE = 0.15  # share of the units after an event below which, and
USUAL = 0.85  # above which nothing can be compared
# The new model's or client's own ways cannot be told from damage unless other events hurt too.
CONFOUNDERS = frozenset({"model_change", "client_change"})
SWAP = "model_change"
OFTEN = 6  # sessions with a swap, from which swaps are tested alone
NEVER = frozenset({"resume"})


@dataclass
class WorkSegment:
    """Some requests of a session in a row, on one side of an event."""

    session: int
    turns: list[tuple[int, UserTurn]] = field(default_factory=list)  # number in the trace, turn
    since: dict[str, int] = field(default_factory=dict)  # kind of event -> requests since it


@dataclass
class Exposure:
    """The units that events of some kinds may have hurt."""

    kind: str
    reach: int  # sessions; 0 for the first requests alone
    after: Floats

    @property
    def share(self) -> float:
        """Share of the units that lie after an event."""
        return float(self.after.mean()) if len(self.after) else 0.0


@dataclass
class Segments:
    """The units of a trace, and where events of which kind came."""

    units: list[WorkSegment]
    events: list[tuple[int, int, str]]  # session, turns of it before the event, kind
    n_sessions: int

    def kinds(self) -> list[str]:
        """Return the kinds of events that are tested together and alone."""
        return sorted({kind for _, _, kind in self.events} - NEVER)

    def exposures(self) -> tuple[list[Exposure], list[str]]:
        """Return what can be compared, and notes on what cannot."""
        kinds = self.kinds()
        without = [kind for kind in kinds if kind not in CONFOUNDERS]
        alone = [[kind] for kind in without]
        # A model that comes and goes is no change of its own ways for good.
        alone += [[kind] for kind in kinds if kind == SWAP and self._times({kind}) >= OFTEN]
        groups = [group for group in (*alone, without, kinds) if group]
        found: list[Exposure] = []
        notes: list[str] = []

        for group in dict.fromkeys(tuple(group) for group in groups):
            name = "+".join(group)
            times = self._times(set(group))
            if times < LEAST_EVENTS:
                notes.append(f"{name} came in {times} sessions, {LEAST_EVENTS} are the least")
                continue

            for reach in (0, *REACH):
                if reach > 1 and times < LEAST_EVENTS_BEFORE:
                    continue

                after = self._after(frozenset(group), reach)
                exposure = Exposure(name, reach, after)
                enough = LEAST_AFTER <= after.sum() <= len(after) - LEAST_AFTER
                if enough and RARE <= exposure.share <= USUAL:
                    found.append(exposure)
                elif reach == 0:
                    notes.append(f"{exposure.share:.0%} of the segments lie after {name}")

        return found, notes

    def _times(self, kinds: set[str]) -> int:
        """Return in how many sessions events of some kinds came."""
        return len({session for session, _, own in self.events if own in kinds})

    def _after(self, kinds: frozenset[str], reach: int) -> Floats:
        """Return 1 for the units after an event of these kinds, 0 for the others."""
        at = [(session, turns) for session, turns, kind in self.events if kind in kinds]
        after = np.zeros(len(self.units))

        for number, unit in enumerate(self.units):
            if reach == 0:
                since = [n for kind, n in unit.since.items() if kind in kinds]
                after[number] = float(bool(since) and min(since) < REQUESTS_AFTER)
                continue

            first = unit.turns[0][0] if unit.turns else 0
            for session, turns in at:
                same = session == unit.session and turns <= first
                later = session < unit.session < session + reach
                if same or later:
                    after[number] = 1.0
                    break

        return after


def cut_into_segments(
    sessions: Sequence[TraceSession], records: Sequence[LifecycleRecord]
) -> Segments:
    """Return the units of all sessions, cut at events and some requests after them."""
    place = {id(session): i for i, session in enumerate(sessions)}
    by_session: dict[int, list[tuple[int, str]]] = {}
    events: list[tuple[int, int, str]] = []

    for record in records:
        at = place.get(id(record.session))
        if at is not None and record.kind not in NEVER:
            by_session.setdefault(at, []).append((record.turns, record.kind))
            events.append((at, record.turns, record.kind))

    units: list[WorkSegment] = []
    for number, session in enumerate(sessions):
        units += _units(number, session, by_session.get(number, []))

    return Segments(units, sorted(events), len(sessions))


def _units(number: int, session: TraceSession, events: list[tuple[int, str]]) -> list[WorkSegment]:
    """Return the units of one session."""
    cuts = {turns for turns, _ in events}
    cuts |= {turns + REQUESTS_AFTER for turns, _ in events}
    units: list[WorkSegment] = []
    current: WorkSegment | None = None

    for place, turn in enumerate(session.turns):
        if current is None or place in cuts:
            since: dict[str, int] = {}
            for turns, kind in events:
                if turns <= place:
                    since[kind] = min(place - turns, since.get(kind, place - turns))
            current = WorkSegment(number, since=since)
            units.append(current)

        current.turns.append((place, turn))

    if not units:
        units.append(WorkSegment(number, since=dict.fromkeys((kind for _, kind in events), 0)))

    return units
