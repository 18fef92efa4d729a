"""Lines that are committed one by one: when `append` returns, a kill no longer costs the line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import msgspec

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import read_bytes, write_atomic

T = TypeVar("T")


def append(path: Path, record: object) -> None:
    """Write one record down as a line of JSON."""
    try:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(record) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def records(path: Path, kind: type[T], what: str) -> list[T]:
    """The records of a file, oldest first; none without the file. A last line that a kill tore is
    left out.
    """
    lines = read_bytes(path).split(b"\n") if path.is_file() else []
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(msgspec.json.decode(line, type=kind))
        except msgspec.MsgspecError as error:
            if number < len(lines):
                raise InputError(f"{path}: line {number}: not {what} ({error})") from error
    return found


def mend(path: Path) -> None:
    """Drop a torn last line, so that what is appended starts on a line of its own."""
    data = read_bytes(path) if path.is_file() else b""
    if data and not data.endswith(b"\n"):
        write_atomic(path, data[: data.rfind(b"\n") + 1])
