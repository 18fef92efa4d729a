"""Files in an archive, read like the files they were."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, cast

from agingbench.traces.archive.index import Piece, blobs_of, newest, pieces_of, salt_of
from agingbench.traces.tracefiles import TraceFile
from agingbench.traces.unfolding import GZIP, unfolded


@dataclass(frozen=True)
class ArchivedFile(TraceFile):
    """One stored version of a file; of an older version, only the lines that no newer one has."""

    archive: Path
    pieces: tuple[Piece, ...]
    newer: tuple[tuple[Piece, ...], ...] = ()

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked when it is gzip."""
        return _without_newer(self) if self.newer else _joined(self.archive, self.pieces)


@contextmanager
def _joined(archive: Path, pieces: tuple[Piece, ...]) -> Iterator[IO[bytes]]:
    with io.BufferedReader(_Pieces(archive, pieces), 1 << 20) as stream:
        if stream.peek(2)[:2] == GZIP:  # the file was itself compressed
            size = sum(piece.length for piece in pieces)
            with unfolded(stream, size) as unpacked:
                yield unpacked
        else:
            yield stream


class _Pieces(io.RawIOBase):
    """The blobs of a file as one stream, unpacked and checked as they are read."""

    def __init__(self, archive: Path, pieces: tuple[Piece, ...]) -> None:
        self.blobs = blobs_of(archive)
        self.waiting = list(reversed(pieces))
        self.current: IO[bytes] | None = None
        self.left = 0
        self.hash = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self.current is None:
                if not self.waiting:
                    return 0

                self.piece = self.waiting.pop()
                self.current = self.blobs.open(self.piece.blob)
                self.left = self.piece.length
                self.hash = hashlib.sha256()

            data = self.current.read(min(len(buffer), self.left))
            if data:
                self.hash.update(data)
                self.left -= len(data)
                buffer[: len(data)] = data
                return len(data)

            self.current.close()
            self.current = None
            if self.left or self.hash.hexdigest() != self.piece.blob:
                raise OSError(f"a part of the archive is damaged: {self.piece.blob[:12]}")

    def close(self) -> None:
        if self.current is not None:
            self.current.close()
        super().close()


@contextmanager
def _without_newer(file: ArchivedFile) -> Iterator[IO[bytes]]:
    with _joined(file.archive, file.pieces) as stream:
        yield cast("IO[bytes]", io.BufferedReader(_Lines(_own_lines(stream, file)), 1 << 20))


def _own_lines(stream: IO[bytes], file: ArchivedFile) -> Iterator[bytes]:
    newer_lines: set[int] = set()
    for pieces in file.newer:
        with _joined(file.archive, pieces) as other:
            newer_lines.update(hash(line.strip()) for line in other)

    return (line for line in stream if hash(line.strip()) not in newer_lines)


class _Lines(io.RawIOBase):
    """An iterator of lines as a stream."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self.lines = lines
        self.rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.rest:
            self.rest = next(self.lines, b"")

        data = self.rest[: len(buffer)]
        self.rest = self.rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def archived_files(path: Path) -> list[TraceFile]:
    """The files of an archive, in the order in which their folder would be walked.

    Of a file that was rewritten, the lines of every version are read, each once; documents only
    from the newest.
    """
    salt_of(path)  # refuses what another version wrote
    versions: dict[str, dict[int, list[Piece]]] = {}
    for piece in pieces_of(path):
        pieces = versions.setdefault(piece.source, {}).setdefault(piece.version, [])
        if piece.offset == sum(known.length for known in pieces):
            pieces.append(piece)

    files: list[TraceFile] = []
    places = _Places(path)
    for pieces_by_version in versions.values():
        listed = [
            tuple(pieces_of_one)
            for _, pieces_of_one in sorted(pieces_by_version.items())
            if pieces_of_one
        ]
        for n, version in enumerate(listed):
            file = ArchivedFile(places.of(version[0]), path, version, tuple(listed[n + 1 :]))
            if not file.newer or (version[0].file.endswith(".jsonl") and _has_own_lines(file)):
                files.append(file)

    return sorted(files, key=lambda file: walk_order(file.path.relative_to(path)))


def archived_copies(archive: Path, sources: Mapping[Path, str]) -> dict[Path, ArchivedFile]:
    """The newest stored version of each of these files, under the path it came from.

    `sources` are the hashes that their places go by; a file that is not stored is left out.
    """
    versions = newest(archive)
    copies = {}
    for path, source in sources.items():
        version = versions.get(source)
        if version is not None and version.pieces:
            copies[path] = ArchivedFile(path, archive, tuple(version.pieces))
    return copies


def _has_own_lines(file: ArchivedFile) -> bool:
    try:
        with file.open() as stream:
            return bool(stream.read(1))
    except (OSError, EOFError):
        return True  # the reader will say what is wrong with it


def walk_order(path: PurePath) -> list[tuple[bool, str]]:
    """A key that sorts files of a folder before its subfolders, each by name."""
    return [*((True, part) for part in path.parent.parts), (False, path.name)]


class _Places:
    """Gives each stored file a path inside the archive; names that scrubbing made alike get
    numbers.
    """

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self.taken: dict[tuple[str, ...], dict[str, int]] = {}

    def of(self, piece: Piece) -> Path:
        """The path of a file inside the archive."""
        parts = [
            part for part in piece.file.replace("\\", "/").split("/") if part not in ("", ".", "..")
        ] or ["file"]
        hashes = piece.parts.split("/") if piece.parts else []
        hashes = hashes if len(hashes) == len(parts) else [""] * len(parts)
        names: list[str] = []

        for n, (part, mark) in enumerate(zip(parts, hashes, strict=True)):
            numbers = self.taken.setdefault((*names, part), {})
            number = numbers.setdefault(mark, len(numbers) + 1)
            stem, dot, suffix = part.partition(".") if n == len(parts) - 1 else (part, "", "")
            names.append(part if number == 1 else f"{stem}~{number}{dot}{suffix}")

        return self.archive.joinpath(*names)
