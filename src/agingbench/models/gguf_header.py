"""Reads the chat template out of a GGUF file, without loading the model."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

TEMPLATE_KEY = "tokenizer.chat_template"
LONGEST_TEXT = 1 << 24
MOST_ENTRIES = 1 << 16
# The format's numbers for types, and the bytes that a value of each takes.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT = 8
_ARRAY = 9


class _BrokenHeader(Exception):
    """The file is not laid out as the format says."""


def chat_template(path: Path) -> str | None:
    """The chat template that the file carries; None when it has none or cannot be read."""
    try:
        with path.open("rb") as file:
            return _template(file)
    except (OSError, ValueError, _BrokenHeader):  # a length beyond any file is a ValueError
        return None


def _template(file: BinaryIO) -> str | None:
    _bytes(file, 8)  # magic and version
    _whole(file, 8)  # number of tensors
    n_entries = _whole(file, 8)
    if n_entries > MOST_ENTRIES:
        raise _BrokenHeader
    for _ in range(n_entries):
        key = _text(file)
        kind = _whole(file, 4)
        if key == TEMPLATE_KEY and kind == _TEXT:
            return _text(file)
        _skip(file, kind)
    return None


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == _TEXT:
        file.seek(_whole(file, 8), 1)
    elif kind == _ARRAY:
        inner = _whole(file, 4)
        count = _whole(file, 8)
        if inner in _SIZES:
            file.seek(count * _SIZES[inner], 1)
            return
        if inner != _TEXT:
            raise _BrokenHeader
        for _ in range(count):
            _skip(file, inner)
    elif kind in _SIZES:
        file.seek(_SIZES[kind], 1)
    else:
        raise _BrokenHeader


def _text(file: BinaryIO) -> str:
    length = _whole(file, 8)
    if length > LONGEST_TEXT:
        raise _BrokenHeader
    return _bytes(file, length).decode("utf-8", "replace")


def _whole(file: BinaryIO, size: int) -> int:
    number: int = struct.unpack("<I" if size == 4 else "<Q", _bytes(file, size))[0]
    return number


def _bytes(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise _BrokenHeader
    return data
