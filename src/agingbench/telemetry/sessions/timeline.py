"""The course of a session result by result, as far as moments inside sessions have to be compared."""

from __future__ import annotations

from array import array

MOST = 20_000  # results of a session that are kept; five bytes each
UNKNOWN = -1


class ResultTimeline:
    """Which results failed, how full the context was at each, and before which result turns and
    events came.
    """

    __slots__ = ("events", "failed", "loads", "turns")

    def __init__(self) -> None:
        self.failed = bytearray()
        self.loads = array("i")
        self.turns: list[int] = []
        self.events: list[tuple[str, int]] = []

    def result(self, failed: bool, load: int | None) -> None:
        """A tool gave its result, with so many tokens in the context of the call before it."""
        if len(self.failed) < MOST:
            self.failed.append(failed)
            self.loads.append(UNKNOWN if load is None else min(load, 2**31 - 1))

    def turn(self) -> None:
        """The user asked for something."""
        if len(self.turns) < MOST:
            self.turns.append(len(self.failed))

    def event(self, kind: str) -> None:
        """A lifecycle event came."""
        if len(self.events) < MOST:
            self.events.append((kind, len(self.failed)))
