"""The head of a ledger in a file outside its database: without it nobody sees that a tail was cut."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import read_json, write_atomic

try:  # writers queue here and wake at once, where a database alone would have them poll
    import fcntl
except ImportError:  # no such lock on this system
    fcntl = None  # type: ignore[assignment]

# one short line in one sector: it is replaced in place by a single write, whole or not at all
_WIDTH = 128
_READS = 3


class WriterQueue:
    """Where processes of one machine wait for each other; does nothing where the system has no such
    lock.
    """

    def __init__(self, path: Path) -> None:
        self._handle: int | None = None
        if fcntl is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise StorageError(f"cannot write {path}: {error.strerror or error}") from error

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, and hold it."""
        if self._handle is None:
            yield
            return
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Leave; closing twice is fine."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def write_head(path: Path, count: int, head: str) -> None:
    """Remember count and head; only ever called once the entries themselves are safe on the disk."""
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
    """Count and head as remembered; None when there is no such file."""
    for left in reversed(range(_READS)):
        if not path.exists():
            return None
        if not path.is_file():
            break
        try:
            told = read_json(path)
        except InputError:  # perhaps caught in the middle of being replaced
            if not left:
                raise
            time.sleep(0.01)
            continue
        if (
            isinstance(told, dict)
            and type(told.get("count")) is int
            and isinstance(told.get("head"), str)
        ):
            return told["count"], told["head"]
        break
    raise InputError(f"{path}: not the head of a ledger")
