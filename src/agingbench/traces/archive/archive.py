"""Keeps transcripts that clients delete: compressed, each content once, append-only, continued
after any stop.

An archive is a folder with a marker, blobs named by the hash of their content, and an index of one
line per piece of a file. A file that grew gets another piece; a file that was rewritten gets
another version; nothing is ever changed. The blobs hold the original bytes, secrets included:
folder and files are readable by their owner only. The index holds scrubbed names and salted hashes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import filelock
import msgspec

from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.traces.archive.index import (
    BLOBS,
    MARKER,
    PIECE,
    Piece,
    StoredVersion,
    blobs_of,
    is_archive,
    make_marker,
    newest,
    open_index,
    salt_of,
    source_of,
)
from agingbench.traces.blobs import digest_of
from agingbench.traces.journal import Journal
from agingbench.traces.scrub.scrubber import scrub
from agingbench.traces.tracefiles import TraceFile, printable

_LOCK = ".lock"
_UNFINISHED = re.compile(
    r"\.[0-9a-f]{16}\.tmp"
)  # what the atomic writer leaves behind when it is killed
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass
class ArchiveReport:
    """What one run of the archive did."""

    files: int = 0
    new: int = 0
    grown: int = 0
    rewritten: int = 0
    unchanged: int = 0
    unreadable: int = 0
    restored: int = 0  # blobs that were lost and could be stored again
    bytes_added: int = 0
    bytes_stored: int = 0


class _Unreadable(Exception):
    """A source file cannot be read: the client deleted it, or access is denied."""


def add_to_archive(files: Iterable[TraceFile], root: Path, to: Path) -> ArchiveReport:
    """Add what is new in these files to an archive, and return what was added; raises StorageError
    or RunConflict.
    """
    _make_folder(to)
    try:
        with filelock.FileLock(to / _LOCK, mode=0o600).acquire(timeout=0):
            _prepare(to)
            return _ArchiveRun(root, to).over(files)
    except filelock.Timeout as error:
        raise RunConflict(f"{to}: another process is writing this archive") from error
    except OSError as error:
        raise StorageError(
            f"cannot write {to}: {error.strerror or error}; what was archived is intact"
        ) from error


def _make_folder(to: Path) -> None:
    if to.exists() and not to.is_dir():
        raise InputError(f"{to} is not a folder")

    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        # In this order: the marker is written before everything else, perhaps by another process
        # just now.
        foreign = any(not _ours(entry.name) for entry in to.iterdir()) and not is_archive(to)
    except OSError as error:
        raise StorageError(f"cannot write {to}: {error.strerror or error}") from error

    if foreign:
        raise InputError(f"{to} is not empty and no archive; give a new folder or an archive")


def _ours(name: str) -> bool:
    """Whether a file was left by a run that was killed before it wrote the marker."""
    return name == _LOCK or _UNFINISHED.fullmatch(name) is not None


def _prepare(to: Path) -> None:
    """Create the marker and the folders, and delete what killed runs left; needs the lock."""
    if not is_archive(to):
        make_marker(to)

    (to / BLOBS).mkdir(mode=0o700, exist_ok=True)
    for folder in (to, to / BLOBS):
        folder.chmod(0o700)
    (to / MARKER).chmod(0o600)
    for folder in (to, *(to / BLOBS).iterdir()):
        for leftover in folder.glob(".*.tmp"):
            if _UNFINISHED.fullmatch(leftover.name):
                leftover.unlink(missing_ok=True)


class _ArchiveRun:
    """One run over a list of files, with what the archive held at its beginning."""

    def __init__(self, root: Path, to: Path) -> None:
        self.root = root
        self.to = to
        self.blobs = blobs_of(to)
        self.salt = salt_of(to)
        self.known = newest(to)
        self.report = ArchiveReport()

    def over(self, files: Iterable[TraceFile]) -> ArchiveReport:
        """Store every file and return the report."""
        with open_index(self.to) as index:
            for file in files:
                self.report.files += 1
                try:
                    self._keep(file.path, index)
                except _Unreadable:
                    self.report.unreadable += 1

        return self.report

    def _keep(self, path: Path, index: Journal) -> None:
        source = self._hash(os.path.realpath(path))
        had = self.known.setdefault(source, StoredVersion())
        with _from_source():
            stream = path.open("rb")

        with stream:
            size = os.fstat(
                stream.fileno()
            ).st_size  # what is written from now on belongs to the next run
            if had.pieces and size == 0:  # about to be rewritten; there is nothing to keep
                self.report.unchanged += 1
                return

            rewritten = bool(had.pieces) and not self._same_start(stream, had.pieces)
            if rewritten:
                had.version = had.version + 1
                had.pieces = []

            start = had.length
            self._append(
                stream,
                path,
                source,
                had,
                size,
                index,
            )

        added = had.length - start
        if rewritten:
            self.report.rewritten += 1
        elif added == 0:
            self.report.unchanged += 1
        elif start:
            self.report.grown += 1
        else:
            self.report.new += 1

        self.report.bytes_added += added

    def _append(
        self,
        stream: IO[bytes],
        path: Path,
        source: str,
        had: StoredVersion,
        size: int,
        index: Journal,
    ) -> None:
        name, parts = self._names(path)
        at = had.length
        stream.seek(at)

        while data := _read(stream, min(PIECE, size - at)):
            blob = digest_of(data)
            self.report.bytes_stored += self.blobs.put_missing(data)
            piece = Piece(
                source,
                name,
                had.version,
                at,
                len(data),
                blob,
                parts,
            )
            index.append(msgspec.json.encode(piece))
            had.pieces.append(piece)
            at += len(data)

    def _same_start(self, stream: IO[bytes], pieces: list[Piece]) -> bool:
        """Whether a file still begins with what is stored of it; a lost blob is stored again."""
        for piece in pieces:
            data = _read(stream, piece.length)
            if digest_of(data) != piece.blob:
                return False

            stored = self.blobs.put_missing(data)
            if stored:
                self.report.restored += 1
                self.report.bytes_stored += stored

        return True

    def _names(self, path: Path) -> tuple[str, str]:
        """The name for the index, and hashes of those parts that differ from the original."""
        try:
            relative = path.relative_to(self.root)
        except ValueError:
            relative = Path(path.name)

        parts = [part for part in relative.parts if part not in ("..", "/", "\\")]
        # Scrubbed as a whole, because a user's name may need its neighbours to be known as one.
        names = _shown("/".join(parts)).split("/")
        if len(names) != len(parts):
            names = [_shown(part).replace("/", "-") for part in parts]

        marks = [self._hash("/".join(parts[: n + 1]))[:8] for n in range(len(parts))]
        changed = [
            mark if part != old else "" for mark, part, old in zip(marks, names, parts, strict=True)
        ]
        return "/".join(names), "/".join(changed) if any(changed) else ""

    def _hash(self, place: str) -> str:
        return source_of(self.salt, place)


def _shown(name: str) -> str:
    return _CONTROL.sub("?", scrub(printable(name)))


def _read(stream: IO[bytes], n: int) -> bytes:
    with _from_source():
        return stream.read(n) if n > 0 else b""


@contextmanager
def _from_source() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _Unreadable from error
