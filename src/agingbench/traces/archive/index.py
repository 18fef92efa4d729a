"""What an archive looks like on disk: its marker, its blobs, and the index of one line per piece of
a file.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.traces.files import read_json, write_atomic

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
class Kept:
    """The newest version of a file in the archive."""

    version: int = 0
    pieces: list[Piece] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(piece.length for piece in self.pieces)


def is_archive(path: Path) -> bool:
    """Whether a folder was written by `agingbench archive`."""
    return path.is_dir() and (path / MARKER).is_file()


def make_marker(to: Path) -> None:
    """Make a folder an archive, with the salt of its hashes."""
    marker = {"format": "agingbench-archive", "version": VERSION, "salt": secrets.token_hex(16)}
    write_atomic(to / MARKER, msgspec.json.encode(marker) + b"\n", private=True)


def salt_of(to: Path) -> str:
    """The salt of an archive; early ones have none. What a later version wrote is refused."""
    marker = read_json(to / MARKER)
    about = marker if isinstance(marker, dict) else {}
    version = about.get("version")
    salt = about.get("salt")
    if isinstance(version, int) and version > VERSION:
        raise InputError(f"{to}: archive version {version} cannot be read; version read: {VERSION}")
    return salt if isinstance(salt, str) else ""


def blob_path(to: Path, blob: str) -> Path:
    """Where the bytes with this hash are."""
    return to / BLOBS / blob[:2] / f"{blob}.gz"


def pieces_of(to: Path) -> Iterator[Piece]:
    """The lines of the index; a torn one counts for nothing, its blob is stored again when it is
    met again.
    """
    path = to / INDEX
    if not path.exists():
        return
    with path.open("rb") as stream:
        for line in stream:
            try:
                piece = msgspec.json.decode(line, type=Piece)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            a_hash = len(piece.blob) == 64 and all(
                sign in "0123456789abcdef" for sign in piece.blob
            )
            if a_hash and 0 < piece.length <= PIECE:
                yield piece


def newest(to: Path) -> dict[str, Kept]:
    """The newest version of every file, by the hash of its place."""
    found: dict[str, Kept] = {}
    for piece in pieces_of(to):
        kept = found.setdefault(piece.source, Kept())
        if piece.version > kept.version:
            kept.version = piece.version
            kept.pieces = []
        if piece.version == kept.version and piece.offset == kept.length:
            kept.pieces.append(piece)
    return found


class Index:
    """Appends lines to the index; a line that was torn by a crash is closed first."""

    def __init__(self, to: Path) -> None:
        self.path = to / INDEX

    def __enter__(self) -> Index:
        # An index that is a link would lead the lines elsewhere.
        flags = (
            os.O_RDWR
            | os.O_APPEND
            | os.O_CREAT
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_BINARY", 0)
        )
        self.file = os.fdopen(os.open(self.path, flags, 0o600), "r+b", buffering=0)
        self.path.chmod(0o600)
        size = self.file.seek(0, os.SEEK_END)
        if size:
            self.file.seek(size - 1)
            if self.file.read(1) != b"\n":
                self.file.write(b"\n")
        return self

    def append(self, piece: Piece) -> None:
        """Add a line and wait until the disk has it."""
        self.file.write(msgspec.json.encode(piece) + b"\n")
        os.fsync(self.file.fileno())

    def __exit__(self, *error: Any) -> None:
        self.file.close()
