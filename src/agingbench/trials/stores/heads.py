"""The head of a ledger in a file outside its database, and the queue of its writers.

Without the head file nobody could see that the last entries were removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import read_json, write_atomic

try:
    import fcntl
except ImportError:  # a system without such locks: the database alone makes writers wait
    fcntl = None  # type: ignore[assignment]

# One short line in one sector is replaced by a single write, whole or not at all.
_WIDTH = 128
_READS = 3


class WriterQueue:
    """Makes the processes of one machine take turns; does nothing where the system has no locks."""

    def __init__(self, path: Path) -> None:
        self._handle: int | None = None
        self._path = path
        if fcntl is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise StorageError(f"cannot write {path}: {error.strerror or error}") from error

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn, and hold it inside the `with` block."""
        if self._handle is None:
            yield
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageError(
                f"cannot lock {self._path}: {reason}; a ledger needs a disk with file locks"
            ) from error
        try:
            yield
        finally:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock file; closing twice is fine."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def write_head(path: Path, count: int, head: str) -> None:
    """Write count and head; call it only once the entries themselves are safe on disk."""
    line = json.dumps({"count": count, "head": head}).encode().ljust(_WIDTH - 1) + b"\n"
    try:
        handle = os.open(path, os.O_WRONLY)
    except FileNotFoundError:
        write_atomic(path, line, private=True)
        return
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    try:
        os.write(handle, line)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        os.close(handle)


def read_head(path: Path) -> tuple[int, str] | None:
    """Read count and head; None when there is no such file, InputError when it is no head."""
    for attempt in range(1, _READS + 1):
        if not path.exists():
            return None
        if not path.is_file():
            break
        try:
            document = read_json(path)
        except InputError:  # perhaps it is being replaced at this moment
            if attempt == _READS:
                raise
            time.sleep(0.01)
            continue

        if not isinstance(document, dict):
            break
        count = document.get("count")
        head = document.get("head")
        if type(count) is int and isinstance(head, str):
            return count, head
        break
    raise InputError(f"{path}: not the head of a ledger")
