"""The lifecycle events of a trace, with the numbers of their sessions."""

from __future__ import annotations

from collections.abc import Sequence

from agingbench.telemetry.sessions.aggregates import LifecycleRecord

# The new model's or client's own ways cannot be told from damage: they are confounders, shown and
# not tested.
_CONFOUNDERS = ("model_change", "client_change", "resume")


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


def tested_kinds(records: Sequence[LifecycleRecord]) -> set[str]:
    """Return the kinds of events that are tested by themselves: those that are no confounders."""
    return {record.kind for record in records if record.kind not in _CONFOUNDERS}
