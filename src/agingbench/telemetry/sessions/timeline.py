"""The results of a session in order, for comparing moments inside sessions."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import msgspec

MOST = 20_000  # results of a session that are kept; five bytes each
UNKNOWN = -1
LARGEST = 2**31 - 1

if TYPE_CHECKING:
    Integers = array[int]
else:
    Integers = array  # before Python 3.12 its items cannot be named at run time


class ResultTimeline(msgspec.Struct, omit_defaults=True, gc=False, eq=False):
    """Which results failed, how full the context was, and where turns and events came."""

    failed: bytearray = msgspec.field(default_factory=bytearray)
    loads: Integers = msgspec.field(default_factory=lambda: array("i"))
    turns: list[int] = []
    events: list[tuple[str, int]] = []

    def add_result(self, failed: bool, load: int | None) -> None:
        """Note a tool's result, with the tokens in the context of the call before it."""
        if len(self.failed) < MOST:
            self.failed.append(failed)
            self.loads.append(UNKNOWN if load is None else min(load, LARGEST))

    def add_turn(self) -> None:
        """Note a request of the user."""
        if len(self.turns) < MOST:
            self.turns.append(len(self.failed))

    def add_event(self, kind: str) -> None:
        """Note a lifecycle event."""
        if len(self.events) < MOST:
            self.events.append((kind, len(self.failed)))
