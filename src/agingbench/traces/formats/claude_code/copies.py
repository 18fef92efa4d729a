"""Claude Code records that were read before, in any file, and sessions that are one."""

from __future__ import annotations

from agingbench.records import ReadLog

# The bits of a hash that are stored: a number of 60 bits takes a third less memory than one of 64.
KEY = (1 << 60) - 1


class CopyIndex:
    """Shared by the files of one reading, so that no record and no usage counts twice."""

    def __init__(self) -> None:
        self.first_session: dict[int, str] = {}  # key of a record's uuid: where it was read first
        self.usages: set[int] = set()  # keys of the messages whose usage was counted
        self.origins: dict[str, str] = {}  # session: the session it continues or was copied from

    @staticmethod
    def of(log: ReadLog) -> CopyIndex:
        """The index of the reading that this log belongs to."""
        index = log.format_state.setdefault("claude_code", CopyIndex())
        assert isinstance(index, CopyIndex)
        return index

    def session(self, name: str) -> str:
        """The session that a name stands for."""
        while name in self.origins:
            name = self.origins[name]
        return name

    def join(self, name: str, origin: str) -> str:
        """Make two sessions one, and return the name that both now have."""
        name = self.session(name)
        origin = self.session(origin)
        if name != origin:
            self.origins[name] = origin
        return origin
