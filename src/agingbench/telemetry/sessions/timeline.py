"""The results of a session in order, for comparing moments inside sessions."""

from __future__ import annotations

from array import array

MOST = 20_000  # results of a session that are kept; five bytes each
UNKNOWN = -1
LARGEST = 2**31 - 1


class ResultTimeline:
    """Which results failed, how full the context was, and where turns and events came."""

    __slots__ = ("events", "failed", "loads", "turns")

    def __init__(self) -> None:
        self.failed = bytearray()
        self.loads = array("i")
        self.turns: list[int] = []
        self.events: list[tuple[str, int]] = []

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
