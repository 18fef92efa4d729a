"""Keeps transcripts that clients delete: compressed, each content once, append-only, continued after any stop.

An archive is a folder with a marker, blobs named by the hash of their content, and an index of one line per piece of a
file. A file that grew gets another piece; a file that was rewritten gets another version; nothing is ever changed. The
blobs hold the original bytes and are readable by their owner only; the index holds scrubbed names.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import filelock
import msgspec

from agingbench.errors import InputError, RunConflict, StorageError
from agingbench.traces.files import write_atomic
from agingbench.traces.scrub import scrub
from agingbench.traces.tracefiles import TraceFile, printable

MARKER = "agingbench-archive.json"
INDEX = "index.jsonl"
BLOBS = "blobs"
VERSION = 1
PIECE = 32 << 20


class Piece(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the index: bytes `offset` to `offset + length` of a version of a file."""

    source: str  # hash of the file's place, so that the index tells no names
    file: str
    version: int
    offset: int
    length: int
    blob: str


@dataclass
class Report:
    """What one run of the archive did."""

    files: int = 0
    new: int = 0
    grown: int = 0
    rewritten: int = 0
    unchanged: int = 0
    unreadable: int = 0
    bytes_added: int = 0
    bytes_stored: int = 0


@dataclass
class _Kept:
    """The newest version of a file in the archive."""

    version: int = 0
    pieces: list[Piece] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(piece.length for piece in self.pieces)


def is_archive(path: Path) -> bool:
    """Whether a folder was written by `agingbench archive`."""
    return path.is_dir() and (path / MARKER).is_file()


def keep(files: Iterable[TraceFile], root: Path, to: Path) -> Report:
    """Bring an archive up to date with these files; what it has already stays as it is."""
    _prepare(to)
    lock = filelock.FileLock(to / ".lock")
    try:
        with lock.acquire(timeout=0):
            return _keep(files, root, to)
    except filelock.Timeout as error:
        raise RunConflict(f"{to}: another process is writing this archive") from error
    except OSError as error:
        raise StorageError(f"cannot write {to}: {error.strerror or error}; what was archived is intact") from error


def _prepare(to: Path) -> None:
    if to.exists() and not to.is_dir():
        raise InputError(f"{to} is not a folder")
    if to.is_dir() and any(to.iterdir()) and not is_archive(to):
        raise InputError(f"{to} is not empty and no archive; give a new folder or an archive")
    try:
        (to / BLOBS).mkdir(parents=True, exist_ok=True)
        (to / BLOBS).chmod(0o700)
    except OSError as error:
        raise StorageError(f"cannot write {to}: {error.strerror or error}") from error
    if not is_archive(to):
        marker = {"format": "agingbench-archive", "version": VERSION}
        write_atomic(to / MARKER, msgspec.json.encode(marker) + b"\n")


def _keep(files: Iterable[TraceFile], root: Path, to: Path) -> Report:
    report, known = Report(), _newest(to)
    with _Index(to) as index:
        for file in files:
            report.files += 1
            try:
                _keep_file(file, root, to, known, index, report)
            except FileNotFoundError:  # the client deleted it while we were at work
                report.unreadable += 1
            except PermissionError:
                report.unreadable += 1
    return report


def _keep_file(file: TraceFile, root: Path, to: Path, known: dict[str, _Kept], index: _Index, report: Report) -> None:
    place = os.path.realpath(file.path)
    source = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:24]
    had = known.setdefault(source, _Kept())
    name = _name(file.path, root)
    with io.FileIO(file.path) as stream:
        start, version = had.length, had.version
        if had.pieces and not _same_start(stream, had.pieces):
            start, version = 0, had.version + 1
            had.pieces = []
        added = 0
        stream.seek(start)
        while data := stream.read(PIECE):
            blob = hashlib.sha256(data).hexdigest()
            report.bytes_stored += _store(to, blob, data)
            piece = Piece(source, name, version, start + added, len(data), blob)
            index.append(piece)
            had.pieces.append(piece)
            added += len(data)
    if version != had.version:
        report.rewritten += 1
    elif added == 0:
        report.unchanged += 1
    elif start:
        report.grown += 1
    else:
        report.new += 1
    had.version = version
    report.bytes_added += added


def _name(path: Path, root: Path) -> str:
    try:
        relative = path.relative_to(root)
    except ValueError:
        relative = Path(path.name)
    # A name is part of the index, so it is scrubbed; nothing that climbs out of the archive survives.
    parts = [part for part in relative.parts if part not in ("..", "/", "\\")]
    return scrub(printable("/".join(parts)))


def _same_start(stream: IO[bytes], pieces: list[Piece]) -> bool:
    stream.seek(0)
    return all(hashlib.sha256(stream.read(piece.length)).hexdigest() == piece.blob for piece in pieces)


def _store(to: Path, blob: str, data: bytes) -> int:
    """Write a blob that is not there yet; the bytes it takes."""
    path = _blob_path(to, blob)
    if path.exists():
        return 0
    path.parent.mkdir(mode=0o700, exist_ok=True)
    packed = gzip.compress(data, compresslevel=6, mtime=0)
    write_atomic(path, packed, private=True)
    return len(packed)


def _blob_path(to: Path, blob: str) -> Path:
    return to / BLOBS / blob[:2] / f"{blob}.gz"


class _Index:
    """Appends lines to the index; a line that was torn by a crash is closed first."""

    def __init__(self, to: Path) -> None:
        self.path = to / INDEX

    def __enter__(self) -> _Index:
        self.file = self.path.open("ab")
        if self.file.tell():
            with self.path.open("rb") as existing:
                existing.seek(-1, os.SEEK_END)
                if existing.read(1) != b"\n":
                    self.file.write(b"\n")
        return self

    def append(self, piece: Piece) -> None:
        self.file.write(msgspec.json.encode(piece) + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def __exit__(self, *error: Any) -> None:
        self.file.close()


def _pieces(to: Path) -> Iterator[Piece]:
    """The lines of the index; a torn one counts for nothing, its blob is stored again when it is met again."""
    path = to / INDEX
    if not path.exists():
        return
    with path.open("rb") as stream:
        for line in stream:
            try:
                piece = msgspec.json.decode(line, type=Piece)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            if len(piece.blob) == 64 and all(sign in "0123456789abcdef" for sign in piece.blob):
                yield piece


def _newest(to: Path) -> dict[str, _Kept]:
    found: dict[str, _Kept] = {}
    for piece in _pieces(to):
        kept = found.setdefault(piece.source, _Kept())
        if piece.version > kept.version:
            kept.version, kept.pieces = piece.version, []
        if piece.version == kept.version and piece.offset == kept.length:
            kept.pieces.append(piece)
    return found


# ------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True)
class ArchivedFile(TraceFile):
    """One version of a file as the archive keeps it."""

    archive: Path
    pieces: tuple[Piece, ...]

    def open(self) -> AbstractContextManager[IO[bytes]]:
        return _joined(self)


@contextmanager
def _joined(file: ArchivedFile) -> Iterator[IO[bytes]]:
    raw = _Pieces(file)
    with io.BufferedReader(raw, 1 << 20) as stream:
        if stream.peek(2)[:2] == b"\x1f\x8b":  # the file was itself compressed
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield stream


class _Pieces(io.RawIOBase):
    """The blobs of a file, one after the other, unpacked as they are read."""

    def __init__(self, file: ArchivedFile) -> None:
        self.waiting = [_blob_path(file.archive, piece.blob) for piece in file.pieces]
        self.waiting.reverse()
        self.current: gzip.GzipFile | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self.current is None:
                if not self.waiting:
                    return 0
                self.current = gzip.GzipFile(self.waiting.pop(), "rb")
            n = self.current.readinto(buffer)
            if n:
                return n
            self.current.close()
            self.current = None


def archived_files(path: Path) -> list[TraceFile]:
    """The files an archive keeps, in the order of their names.

    Of a file that was rewritten, lines are read from every version, because their records know each other; documents
    only from the newest.
    """
    versions: dict[tuple[str, int], list[Piece]] = {}
    for piece in _pieces(path):
        pieces = versions.setdefault((piece.source, piece.version), [])
        if piece.offset == sum(known.length for known in pieces):
            pieces.append(piece)
    newest = dict(sorted(versions))
    found: list[TraceFile] = []
    for (source, version), pieces in versions.items():
        if version == newest[source] or pieces[0].file.endswith(".jsonl"):
            found.append(ArchivedFile(_inside(path, pieces[0].file), path, tuple(pieces)))
    return sorted(found, key=lambda file: str(file.path))


def _inside(path: Path, name: str) -> Path:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return path.joinpath(*parts) if parts else path / "file"
