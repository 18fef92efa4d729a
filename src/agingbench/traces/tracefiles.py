"""Files that may hold traces: listed without following links, opened unpacked."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agingbench.traces.files import open_regular
from agingbench.traces.unfolding import GZIP, unfolded

MERGED_NAME = (  # what `prepare_trace` makes of the session files below a folder
    "agingbench_trace.jsonl"
)
BUFFER = 1 << 20


@dataclass(frozen=True)
class TraceFile:
    """One file, wherever its bytes are stored; `path` is its name in reports."""

    path: Path

    @property
    def name(self) -> str:
        """The path as text that can be printed, whatever bytes the file system allows."""
        return printable(str(self.path))

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked when it is gzip."""
        return _unpacked(self.path)


@dataclass(frozen=True)
class ShippedFile(TraceFile):
    """A file with its bytes, for a reader that does not see the disk it lies on."""

    data: bytes

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked when it is gzip."""
        return _unpacked_bytes(self.data)


def printable(text: str) -> str:
    """A text without the lone surrogates that stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode()


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    with io.BufferedReader(open_regular(path), BUFFER) as plain:
        if plain.peek(2)[:2] == GZIP:
            size = os.fstat(plain.fileno()).st_size
            with unfolded(plain, size) as unpacked:
                yield unpacked
        else:
            yield plain


@contextmanager
def _unpacked_bytes(data: bytes) -> Iterator[IO[bytes]]:
    with io.BytesIO(data) as plain:
        if data[:2] == GZIP:
            with unfolded(plain, len(data)) as unpacked:
                yield unpacked
        else:
            yield plain


def files_below(path: Path) -> list[TraceFile]:
    """A file, or every regular file below a folder in name order, without following links."""
    if not path.is_dir():
        return [TraceFile(path)]

    trace_files: list[TraceFile] = []

    def refused(error: OSError) -> None:
        # A folder that may not be entered stays in the list: opening it fails, and is told like any
        # unreadable file.
        trace_files.append(TraceFile(Path(error.filename)))

    for root, folders, names in os.walk(path, onerror=refused, followlinks=False):
        folders[:] = sorted(
            name for name in folders if not os.path.islink(os.path.join(root, name))
        )
        files = (Path(root, name) for name in sorted(names))
        trace_files += [
            TraceFile(file) for file in files if not file.is_symlink() and file.is_file()
        ]

    return trace_files


def merged_copies(files: Iterable[TraceFile]) -> set[Path]:
    """Those of the files that `prepare_trace` merged from others: they repeat every record."""
    paths = [file.path for file in files]
    sessions = [path for path in paths if path.suffix == ".jsonl" and path.name != MERGED_NAME]

    return {
        p
        for p in paths
        if p.name == MERGED_NAME and any(s.is_relative_to(p.parent) for s in sessions)
    }
