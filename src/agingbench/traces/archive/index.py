"""The files of an archive on disk: its marker, its blobs, and an index with one line per piece of a
file.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.traces.blobs import SHA256, BlobFolder
from agingbench.traces.files import read_json, write_atomic
from agingbench.traces.journal import Journal

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
    parts: str = (
        ""  # hashes of the parts of its place, where scrubbing may have made two names alike
    )


@dataclass
class StoredVersion:
    """The newest version of a file in the archive."""

    version: int = 0
    pieces: list[Piece] = field(default_factory=list)

    @property
    def length(self) -> int:
        """Bytes that are stored of this version."""
        return sum(piece.length for piece in self.pieces)


def is_archive(path: Path) -> bool:
    """Whether a folder was written by `agingbench archive`."""
    return path.is_dir() and (path / MARKER).is_file()


def make_marker(to: Path) -> None:
    """Make a folder an archive, with the salt of its hashes."""
    marker = {
        "format": "agingbench-archive",
        "version": VERSION,
        "salt": secrets.token_hex(16),
    }
    write_atomic(to / MARKER, msgspec.json.encode(marker) + b"\n", private=True)


def salt_of(to: Path) -> str:
    """The salt of an archive's hashes, empty in early ones; raises InputError if it is too new."""
    marker = read_json(to / MARKER)
    about = marker if isinstance(marker, dict) else {}
    version = about.get("version")
    salt = about.get("salt")
    if isinstance(version, int) and version > VERSION:
        raise InputError(f"{to}: archive version {version} cannot be read; version read: {VERSION}")
    return salt if isinstance(salt, str) else ""


def source_of(salt: str, place: str) -> str:
    """The hash that a file's place goes by in the index."""
    data = f"{salt}{place}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:24]


def pieces_of(to: Path) -> Iterator[Piece]:
    """The lines of the index; torn or damaged lines are skipped."""
    path = to / INDEX
    if not path.exists():
        return

    with path.open("rb") as stream:
        for line in stream:
            try:
                piece = msgspec.json.decode(line, type=Piece)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue

            if SHA256.fullmatch(piece.blob) and 0 < piece.length <= PIECE:
                yield piece


def newest(to: Path) -> dict[str, StoredVersion]:
    """The newest version of every file, by the hash of its place."""
    versions: dict[str, StoredVersion] = {}
    for piece in pieces_of(to):
        newest_version = versions.setdefault(piece.source, StoredVersion())
        if piece.version > newest_version.version:
            newest_version.version = piece.version
            newest_version.pieces = []
        if piece.version == newest_version.version and piece.offset == newest_version.length:
            newest_version.pieces.append(piece)

    return versions


def open_index(to: Path) -> Journal:
    """The index, open for appending; raises StorageError when it cannot be written."""
    return Journal(to / INDEX, private=True, advice="what was archived is intact")


def blobs_of(to: Path) -> BlobFolder:
    """The folder of an archive's blobs."""
    return BlobFolder(to / BLOBS, packed=True)
