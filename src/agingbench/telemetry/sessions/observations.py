"""What is kept of single records, as flat arrays: values that were shown and used, and where
evidence stands.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from agingbench.records import Source

NO_LINE = -1


class Observations:
    """Values seen in results (shows) and in arguments (uses), in the order of arrival."""

    __slots__ = (
        "attribute",
        "file",
        "files",
        "key",
        "line",
        "session",
        "time",
        "tool",
        "use",
        "value",
    )

    def __init__(self) -> None:
        self.key = array("q")
        self.value = array("q")
        self.use = array("b")
        self.tool = array("i")
        self.attribute = array("i")
        self.session = array("i")
        self.file = array("i")
        self.line = array("q")
        self.time = array("d")
        self.files: dict[str, int] = {}  # the numbers of the files

    def place(self, at: int) -> Source | None:
        """Where an observation was read from."""
        file = next((name for name, number in self.files.items() if number == self.file[at]), None)
        return None if file is None else Source(file, self.line[at] if self.line[at] > 0 else None)

    def __len__(self) -> int:
        return len(self.key)


class EvidenceIndex:
    """Where the first records of each kind stand, per session: evidence, should the signal that
    counts them fire.

    Whoever notes them sees to it that they are few per session and kind; each takes 20 bytes.
    """

    __slots__ = ("_file", "_files", "_kind", "_kinds", "_line", "_session")

    def __init__(self) -> None:
        self._session = array("i")
        self._kind = array("i")
        self._file = array("i")
        self._line = array("q")
        self._kinds: dict[str, int] = {}
        self._files: dict[str, int] = {}

    def note(self, session: int, kind: str, source: Source | None) -> None:
        """Keep where a record of a session, by its number of arrival, stands."""
        if source is None:
            return

        self._session.append(session)
        self._kind.append(self._kinds.setdefault(kind, len(self._kinds)))
        self._file.append(self._files.setdefault(source.file, len(self._files)))
        self._line.append(NO_LINE if source.line is None else source.line)

    def places(self, kinds: Iterable[str]) -> dict[tuple[int, str], list[Source]]:
        """(session, kind) -> its records, in the order of arrival."""
        wanted = {self._kinds[kind]: kind for kind in kinds if kind in self._kinds}
        files = list(self._files)
        found: dict[tuple[int, str], list[Source]] = {}

        for session, kind, file, line in zip(
            self._session, self._kind, self._file, self._line, strict=True
        ):
            if kind in wanted:
                source = Source(files[file], None if line == NO_LINE else line)
                found.setdefault((session, wanted[kind]), []).append(source)

        return found

    def __len__(self) -> int:
        return len(self._session)
