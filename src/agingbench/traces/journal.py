"""Append-only files of lines: when a line has been appended, a kill no longer costs it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TypeVar

import msgspec

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import is_private, read_bytes, write_atomic

T = TypeVar("T")


class Journal:
    """A file of lines, open for appending; its content is never cut off or rewritten.

    A last line that an earlier process left unfinished is closed before the first new one.
    `sync` waits for the disk after each line. `private` makes the file readable by its owner only
    and refuses a link. `advice` ends the message when a write fails.
    """

    def __init__(
        self,
        path: Path,
        *,
        sync: bool = True,
        private: bool = False,
        advice: str = "",
    ) -> None:
        self.path = path
        self._sync = sync
        self._advice = advice

        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | _flag("O_BINARY") | _flag("O_CLOEXEC")
        if private:
            flags |= _flag("O_NOFOLLOW")

        try:
            descriptor = os.open(path, flags, 0o600 if private else 0o666)
            self._file = io.FileIO(descriptor, "r+b")
            self._torn = self._ends_inside_a_line()
            if private:
                path.chmod(0o600)
        except OSError as error:
            raise write_error(path, error, advice) from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_empty(self) -> bool:
        """Whether the file holds no byte."""
        return self._file.seek(0, io.SEEK_END) == 0

    def append(self, line: bytes) -> None:
        """Add a line, given without its newline; raises StorageError when the disk refuses it."""
        rest = memoryview(b"\n" + line + b"\n" if self._torn else line + b"\n")
        # Set until the whole line is written, so that a write that breaks in the middle costs only
        # its own line.
        self._torn = True
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            if self._sync:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise write_error(self.path, error, self._advice) from error

        self._torn = False

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._file.close()

    def _ends_inside_a_line(self) -> bool:
        size = self._file.seek(0, io.SEEK_END)
        if size == 0:
            return False

        self._file.seek(size - 1)
        return self._file.read(1) != b"\n"


def append_bytes(path: Path, data: bytes, *, sync: bool = True, advice: str = "") -> None:
    """Add whole lines to the end of a file; raises StorageError when the disk refuses them."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _flag("O_BINARY") | _flag("O_CLOEXEC")
    try:
        mode = 0o600 if is_private(path.parent) else 0o666
        with os.fdopen(os.open(path, flags, mode), "ab") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
    except OSError as error:
        raise write_error(path, error, advice) from error


def append(path: Path, record: object) -> None:
    """Add one record to the end of a file, as a line of JSON."""
    append_bytes(path, msgspec.json.encode(record) + b"\n")


def records(path: Path, kind: type[T], what: str) -> list[T]:
    """The records of a file, oldest first; none when there is no file.

    A torn last line is left out. Any other line that is not `what` raises InputError.
    """
    lines = read_bytes(path).split(b"\n") if path.is_file() else []
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue

        try:
            rows.append(msgspec.json.decode(line, type=kind))
        except msgspec.MsgspecError as error:
            if number < len(lines):
                raise InputError(f"{path}: line {number}: not {what} ({error})") from error

    return rows


def mend(path: Path) -> None:
    """Drop a torn last line, so that what is appended starts on a line of its own."""
    data = read_bytes(path) if path.is_file() else b""
    if data and not data.endswith(b"\n"):
        write_atomic(path, data[: data.rfind(b"\n") + 1])


def write_error(path: Path, error: OSError, advice: str = "") -> StorageError:
    """The error to raise when a file cannot be written; `advice` follows the reason."""
    reason = f"cannot write {path}: {error.strerror or error}"
    return StorageError(f"{reason}; {advice}" if advice else reason)


def _flag(name: str) -> int:
    """A flag of `os.open`, or 0 on a system that does not have it."""
    return int(vars(os).get(name, 0))
