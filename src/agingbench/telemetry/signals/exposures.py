"""Which sessions a lifecycle event may have hurt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats
from agingbench.telemetry.sessions.aggregates import LifecycleRecord

REACH = (1, 2, 3)  # sessions that an event may hurt
ROUTINE = 1 / 4  # of all sessions: what happens more often is how the agent is used, not a shock
LEAST_EVENTS = 2
# The new model's or client's own ways cannot be told from damage: they are confounders, shown and
# not tested.
_CONFOUNDERS = ("model_change", "client_change", "resume")


@dataclass
class Exposure:
    """The sessions that one kind of event may have hurt, and those that say nothing about it."""

    kind: str
    reach: int
    post: Floats
    excluded: list[int]


class LifecycleEvents:
    """The lifecycle events of one trace with the numbers of their sessions."""

    def __init__(self, records: Sequence[LifecycleRecord], place: dict[int, int]) -> None:
        self.records = [record for record in records if id(record.session) in place]
        self.place = place

    def at(self, record: LifecycleRecord) -> int:
        """Return the number of the session that an event belongs to."""
        return self.place[id(record.session)]

    def of_kinds(self, kinds: set[str]) -> LifecycleEvents:
        """Return the events of some kinds."""
        records = [record for record in self.records if record.kind in kinds]
        return LifecycleEvents(records, self.place)

    def sessions(self) -> list[int]:
        """Return the sessions with an event, in order."""
        places = {self.at(record) for record in self.records}
        return sorted(places)

    def inside(self) -> set[int]:
        """Return the sessions with an event that happened after they had begun."""
        return {self.at(record) for record in self.records if record.within}


def tested_kinds(records: Sequence[LifecycleRecord], n: int) -> set[str]:
    """Return the kinds of events that are tested: neither confounders nor routine."""
    sessions: dict[str, set[int]] = {}
    for record in records:
        if record.kind not in _CONFOUNDERS and record.session.id:
            sessions.setdefault(record.kind, set()).add(id(record.session))

    return {kind for kind, of_kind in sessions.items() if len(of_kind) <= ROUTINE * n}


def event_exposures(events: LifecycleEvents, n: int) -> list[Exposure]:
    """Return the exposures per kind of event that came often enough; pooled where none did."""
    by_kind: dict[str, list[LifecycleRecord]] = {}
    for record in events.records:
        by_kind.setdefault(record.kind, []).append(record)

    frequent: dict[str, LifecycleEvents] = {}
    for kind, records in by_kind.items():
        own = LifecycleEvents(records, events.place)
        if len(own.sessions()) >= LEAST_EVENTS:
            frequent[kind] = own

    if not frequent and len(events.sessions()) >= LEAST_EVENTS:
        all_kinds = "+".join(sorted(by_kind))
        frequent = {all_kinds: events}

    exposures = []
    for kind, own in sorted(frequent.items()):
        inside = own.inside()
        for reach in REACH:
            post = post_sessions(own.sessions(), inside, n, reach)

            # With fewer sessions on either side there is nothing to compare.
            if 2 <= post.sum() <= n - 3:
                excluded = [i for i in inside if not post[i]]
                exposures.append(Exposure(kind, reach, post, excluded))

    return exposures


def post_sessions(sessions: Sequence[int], inside: set[int], n: int, reach: int) -> Floats:
    """Return 1 for the sessions that an event may hurt, 0 for the others.

    They begin with the event's own session, or with the next where it happened inside a session.
    """
    post = np.zeros(n)
    for at in sessions:
        first = at + 1 if at in inside else at
        post[first : first + reach] = 1.0

    return post
