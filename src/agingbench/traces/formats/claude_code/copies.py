"""Claude Code records that were read before, in any file, and sessions that are one."""

from __future__ import annotations

from agingbench.records import ReadLog

KEY = (
    (1 << 60) - 1
)  # bits kept of a hash: a number of 60 takes a third less memory than one of 64; none is met twice


class Shared:
    """What the files of one reading share: who first gave a record, whose usage was counted, which
    sessions join.
    """

    def __init__(self) -> None:
        self.given: dict[int, str] = {}  # key of a record's uuid: the session that gave it first
        self.counted: set[int] = set()  # keys of the messages whose usage was counted
        self.joined: dict[str, str] = {}  # session: the session it continues or was copied from

    @staticmethod
    def of(log: ReadLog) -> Shared:
        """The one of this reading."""
        shared = log.kept.setdefault("claude_code", Shared())
        assert isinstance(shared, Shared)
        return shared

    def session(self, name: str) -> str:
        """The session that a name stands for."""
        while name in self.joined:
            name = self.joined[name]
        return name

    def join(self, name: str, origin: str) -> str:
        """Make two sessions one."""
        name = self.session(name)
        origin = self.session(origin)
        if name != origin:
            self.joined[name] = origin
        return origin
