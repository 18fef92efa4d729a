"""The files that prove a trial, by name: in its folder or in a ledger; no name leads outside."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Protocol

from agingbench.errors import InputError

LONGEST_NAME = 1024


class NoEvidence(Exception):
    """A file is missing, cannot be read, or its name leads outside; the text says which."""


class Evidence(Protocol):
    """Where a trial's files are read from."""

    def open(self, name: str) -> IO[bytes]:
        """Open a file; raises NoEvidence when that is not possible."""

    def escapes(self, name: str) -> bool:
        """Whether a name leads outside the trial's folder."""


def is_safe_name(name: str) -> bool:
    """Whether a name is a plain relative path that cannot leave its folder."""
    if not name or len(name) > LONGEST_NAME or "\\" in name:
        return False
    if any(ord(c) < 32 or c == "\x7f" for c in name):
        return False

    path = PurePosixPath(name)
    if path.is_absolute() or PureWindowsPath(name).anchor or str(path) != name:
        return False
    return bool(path.parts) and ".." not in path.parts


def checked_name(name: str) -> str:
    """Return the name; raises InputError when it is not safe."""
    if not is_safe_name(name):
        raise InputError(f"evidence name {name[:80]!r} is not a plain relative path")
    return name


class FolderEvidence:
    """The files of a trial's own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path | None:
        """The file of that name, None when the name leads out of the folder."""
        if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor or "\0" in name:
            return None
        path = (self.folder / name).resolve()
        return path if path.is_relative_to(self.folder.resolve()) else None

    def escapes(self, name: str) -> bool:
        return self.path(name) is None

    def open(self, name: str) -> IO[bytes]:
        path = self.path(name)
        if path is None:
            raise NoEvidence("the path leaves the trial's folder")
        try:
            return path.open("rb")
        except OSError as error:
            raise NoEvidence(f"cannot be read ({error.strerror})") from error


class StoredEvidence:
    """Files that a ledger stores for a trial, or that are in memory: a reader function by name."""

    def __init__(self, files: Mapping[str, Callable[[], bytes]]) -> None:
        self.files = files

    @classmethod
    def in_memory(cls, files: Mapping[str, bytes]) -> StoredEvidence:
        """Evidence from the content of files."""
        return cls({name: functools.partial(bytes, data) for name, data in files.items()})

    def escapes(self, name: str) -> bool:
        return not is_safe_name(name)

    def open(self, name: str) -> IO[bytes]:
        if self.escapes(name):
            raise NoEvidence("the path leaves the trial's folder")
        if name not in self.files:
            raise NoEvidence("is not among the trial's evidence")
        try:
            return io.BytesIO(self.files[name]())
        except (OSError, InputError) as error:
            raise NoEvidence(f"cannot be read ({error})") from error
