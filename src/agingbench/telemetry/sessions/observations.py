"""What is kept of single records, as flat arrays: values shown and used, and places of evidence."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from agingbench.records import Source

NO_LINE = -1

Places = NDArray[np.int64]  # by number of arrival


def moved(numbers: array[int], places: Places) -> array[int]:
    """Return the places of sessions that are given by their numbers of arrival."""
    if not numbers:
        return numbers
    found = places[np.frombuffer(numbers, dtype=np.intc)]
    return array("i", found.astype(np.intc).tobytes())


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
        self.key = array("q")  # hash of entity and attribute; 0 without an entity
        self.value = array("q")  # hash of the value
        self.use = array("b")  # 1 for a use, 0 for a show
        self.tool = array("i")
        self.attribute = array("i")
        self.session = array("i")  # by its number of arrival
        self.file = array("i")
        self.line = array("q")
        self.time = array("d")
        self.files: dict[str, int] = {}  # the numbers of the files

    def place(self, at: int) -> Source | None:
        """Return where an observation was read from."""
        number = self.file[at]
        line = self.line[at]
        for file, file_number in self.files.items():
            if file_number == number:
                return Source(file, line if line > 0 else None)

        return None

    def __len__(self) -> int:
        return len(self.key)


LOOK_BACK = 40  # records among which the newest of a kind is looked for


class EvidenceIndex:
    """Where the first records of each kind stand, per session: evidence should a signal fire.

    Callers add only a few per session and kind; each takes 20 bytes.
    """

    __slots__ = ("_file", "_files", "_kind", "_kinds", "_line", "_session")

    def __init__(self) -> None:
        self._session = array("i")
        self._kind = array("i")
        self._file = array("i")
        self._line = array("q")
        self._kinds: dict[str, int] = {}
        self._files: dict[str, int] = {}

    def add(self, session: int, kind: str, source: Source | None) -> None:
        """Note where a record stands; `session` is its session's number of arrival."""
        if source is None:
            return

        kind_number = self._kinds.setdefault(kind, len(self._kinds))
        file_number = self._files.setdefault(source.file, len(self._files))

        self._session.append(session)
        self._kind.append(kind_number)
        self._file.append(file_number)
        self._line.append(NO_LINE if source.line is None else source.line)

    def drop_last(self, session: int, kind: str) -> None:
        """Forget the newest record of a kind, if it is among the last ones of all."""
        wanted = (session, self._kinds.get(kind))
        newest = len(self._session) - 1
        for i in range(newest, max(-1, newest - LOOK_BACK), -1):
            if (self._session[i], self._kind[i]) == wanted:
                for column in (self._session, self._kind, self._file, self._line):
                    del column[i]
                return

    def places(self, kinds: Iterable[str]) -> dict[tuple[int, str], list[Source]]:
        """Return the records of each (session, kind), in the order of arrival."""
        names = {self._kinds[kind]: kind for kind in kinds if kind in self._kinds}
        files = list(self._files)
        rows = zip(self._session, self._kind, self._file, self._line, strict=True)
        places: dict[tuple[int, str], list[Source]] = {}

        for session, kind, file, line in rows:
            if kind in names:
                source = Source(files[file], None if line == NO_LINE else line)
                key = (session, names[kind])
                places.setdefault(key, []).append(source)

        return places

    def move(self, places: Places) -> None:
        """Let every record name the place that its session now has."""
        self._session = moved(self._session, places)

    def __len__(self) -> int:
        return len(self._session)
