"""Results of earlier audits, so that a project whose files did not change is not read again.

An entry holds what the scrubbed card holds, the names of the files below the audited folder and
the first malformed records, and no text of the traces beyond that. Its name is a digest of
everything that the result depends on: the files by path, size, time, number and their first and
last bytes, the options, and the code. It can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import stat
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from agingbench import __version__
from agingbench.errors import StorageError
from agingbench.records import Problem
from agingbench.telemetry.trace_card import TraceCard
from agingbench.traces.archive.index import Piece, blobs_of
from agingbench.traces.archive.reading import ArchivedFile
from agingbench.traces.files import is_private, open_regular, private_folder, write_atomic
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import SniffedFile
from agingbench.traces.tracefiles import TraceFile

EDGE = 4 << 10  # bytes of the beginning and of the end of a file that identify it
MOST_ENTRIES = 500
SETTLED = 2.0  # seconds after which a file's time tells it from an earlier state
OWN_PACKAGE = "agingbench."


class StoredAudit(msgspec.Struct, frozen=True):
    """What is kept of the audit of one project."""

    trace_card: TraceCard
    name: str
    trace_format: str
    files: list[str]
    problems: list[Problem]
    p: float | None
    n_records: int
    n_sessions: int


class AuditCache:
    """A folder of stored audits that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, key: str) -> StoredAudit | None:
        """Return the audit of a key; None where there is none, or none that can be read."""
        if not self._is_own():
            return None
        try:
            with open_regular(self._file(key)) as file:
                data = file.readall()
            stored = msgspec.msgpack.decode(data, type=StoredAudit)
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return None  # read the traces instead

        with contextlib.suppress(OSError):
            os.utime(self._file(key))  # what is used is the last to be forgotten
        return stored

    def save(self, key: str, audit: StoredAudit) -> None:
        """Keep an audit, unless the folder is not ours alone or cannot be written."""
        data = msgspec.msgpack.encode(audit)
        restored = msgspec.msgpack.decode(data, type=StoredAudit)
        if restored.trace_card.document() != audit.trace_card.document():
            return

        with contextlib.suppress(OSError, StorageError):
            private_folder(self.folder)
            if self._is_own():
                write_atomic(self._file(key), data, private=True)
                self._forget_oldest()

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.msgpack"

    def _is_own(self) -> bool:
        """Return whether the folder is ours, and nobody else can look or write into it."""
        try:
            status = self.folder.lstat()
            is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            return stat.S_ISDIR(status.st_mode) and is_ours and is_private(self.folder)
        except OSError:
            return False

    def _forget_oldest(self) -> None:
        entries = sorted(self.folder.glob("*.msgpack"), key=lambda file: file.stat().st_mtime)
        for file in entries[: max(0, len(entries) - MOST_ENTRIES)]:
            file.unlink()


def default_cache() -> AuditCache:
    """The cache in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return AuditCache(Path(base).expanduser() / "agingbench" / "audits")


def audit_key(files: Sequence[SniffedFile], options: object, reads_all: bool = False) -> str | None:
    """Return the name of what these files and options give; None where it cannot be told.

    A file that is no trace counts by its name alone, unless `reads_all` are read as traces.

    That is so for files that changed just now, and for formats of plug-ins.
    """
    digest = hashlib.sha256()
    digest.update(code_identity())
    digest.update(msgspec.json.encode(options, enc_hook=_plain, order="deterministic"))
    newest = time.time() - SETTLED

    for file in files:
        format = file.format
        if file.error is not None or not (format is None or is_own(format)):
            return None
        is_counted_only = format is None and not reads_all
        content = [file.is_empty] if is_counted_only else _content_mark(file.file, newest)
        if content is None:
            return None

        name = "" if format is None else format.name
        digest.update(repr([str(file.path), file.project, name, content]).encode())

    return digest.hexdigest()


def _content_mark(file: TraceFile, newest: float) -> list[object] | None:
    """Return what tells a file's content from another; None where that is not known.

    An archive names content by its hash; when its file was written says whether one that was
    damaged has been stored again. Any other file goes by its status and its edges.
    """
    try:
        if isinstance(file, ArchivedFile):
            return [_blob_marks(file.archive, pieces) for pieces in (file.pieces, *file.newer)]
        if type(file) is not TraceFile:
            return None
        status, edges = _edges(file.path)
    except OSError:
        return None
    if status.st_mtime > newest:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino, edges]


def _blob_marks(archive: Path, pieces: Sequence[Piece]) -> list[tuple[str, int, int]]:
    blobs = blobs_of(archive)
    marks = []
    for piece in pieces:
        status = blobs.path(piece.blob).stat()
        marks.append((piece.blob, status.st_size, status.st_mtime_ns))
    return marks


def _plain(value: object) -> object:
    """Return what tells one pattern of a profile from another."""
    if isinstance(value, re.Pattern):
        return [value.pattern, value.flags]
    raise TypeError(f"{type(value).__name__} cannot be part of a key")


def is_own(format: BaseFormat) -> bool:
    """Return whether a format is ours: the code of a plug-in may change without our seeing it."""
    return type(format).__module__.startswith(OWN_PACKAGE)


def _edges(path: Path) -> tuple[os.stat_result, bytes]:
    """Return a file's status, and its first and last bytes."""
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        head = file.read(EDGE) or b""
        file.seek(max(0, status.st_size - EDGE))
        tail = file.read(EDGE) or b""
    return status, hashlib.sha256(head + b"\0" + tail).digest()


@cache
def code_identity() -> bytes:
    """Return a digest of the package's files by name, size and time."""
    root = Path(__file__).parents[1]
    versions = f"{__version__} {platform.python_version()} {platform.system()} {np.__version__}"
    digest = hashlib.sha256(versions.encode())
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".yaml", ".json"):
            status = path.stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.digest()
