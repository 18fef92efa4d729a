"""Whole files: the only atomic writer, and JSON reading whose errors name file, line and column."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError

_STRING_OR_CONSTANT = re.compile(r'"(?:\\.|[^"\\])*"|-?Infinity|NaN', re.DOTALL)


def write_atomic(path: Path, data: bytes | Iterator[bytes], *, private: bool = False) -> None:
    """Replace a file as a whole: readers see the old content or the new one, never a part.

    What is too large to be held at once is given piece by piece. An existing file keeps its
    permissions and a symbolic link stays one. `private` makes the file readable by its owner only;
    so does a private folder.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        try:
            _write_synced(temporary, data, _mode(target, private))
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                temporary.unlink()
            raise
    except OSError as error:
        raise StorageError(
            f"cannot write {path}: {error.strerror or error}; nothing was changed"
        ) from error


def _mode(target: Path, private: bool) -> int | None:
    if private:
        return 0o600
    if target.is_file():
        return stat.S_IMODE(target.stat().st_mode)
    return 0o600 if is_private(target.parent) else None


def private_folder(folder: Path) -> None:
    """Make a folder, with those above it, that only its owner can look into.

    One that exists keeps its permissions: its owner may have shared it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)


def is_private(folder: Path) -> bool:
    """Whether only the owner can look into a folder; what is written there is private too."""
    return stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0


def _write_synced(path: Path, data: bytes | Iterator[bytes], mode: int | None) -> None:
    # A new file without a mode of its own gets what the umask leaves of 0666, as any file the user
    # creates.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else 0o600), "wb") as file:
        file.writelines(data if isinstance(data, Iterator) else (data,))
        file.flush()
        os.fsync(file.fileno())

    if mode is not None:
        path.chmod(mode)


def open_regular(path: Path) -> io.FileIO:
    """Open a file for reading; raises OSError for a pipe or a device, which may never end."""
    flags = os.O_RDONLY | vars(os).get("O_NONBLOCK", 0) | vars(os).get("O_CLOEXEC", 0)
    descriptor = os.open(path, flags | vars(os).get("O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            reason = "a pipe or a device, not a file; save its content to a file first"
            raise OSError(errno.EINVAL, reason, str(path))
        return io.FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path) -> bytes:
    """The content of a file; raises InputError when it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.readall()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def read_json(path: Path) -> Any:
    """The JSON value in a file; raises InputError with its place, also for NaN and Infinity."""
    return parse_json(read_bytes(path), str(path))


def parse_json(data: bytes, name: str) -> Any:
    """The JSON value in `data`; raises InputError, which calls the source `name`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{name}: line {line}, column {column}: not UTF-8 ({error.reason})"
        ) from error

    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from error
    except _NotANumber as error:
        at = next(
            m.start() for m in _STRING_OR_CONSTANT.finditer(text) if not m.group().startswith('"')
        )
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        raise InputError(
            f"{name}: line {line}, column {column}: {error} is not a JSON number"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: not readable as JSON ({error})") from error


class _NotANumber(Exception):
    """NaN or an infinity, which Python's reader would accept."""


def _refuse(constant: str) -> Any:
    raise _NotANumber(constant)
