"""What a block changed in a workspace, as a patch that people can read."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping

LONGEST_FILE = 200_000  # bytes of a file that is compared line by line


def workspace_diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """The unified difference of two states; files that are no text, or long, by their hash."""
    parts = []
    for path in sorted({*before, *after}):
        old = before.get(path)
        new = after.get(path)
        if old == new:
            continue
        parts.append(_file_diff(path, old, new))
    return "".join(parts)


def _file_diff(path: str, old: bytes | None, new: bytes | None) -> str:
    old_lines = _lines(old)
    new_lines = _lines(new)
    source = "/dev/null" if old is None else f"a/{path}"
    target = "/dev/null" if new is None else f"b/{path}"
    if old_lines is None or new_lines is None:
        return f"--- {source}\n+++ {target}\n{_hash(old)} -> {_hash(new)}\n"
    diff = difflib.unified_diff(old_lines, new_lines, source, target)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in diff)


def _lines(data: bytes | None) -> list[str] | None:
    if data is None:
        return []
    if len(data) > LONGEST_FILE or b"\0" in data:
        return None
    try:
        return data.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return None


def _hash(data: bytes | None) -> str:
    if data is None:
        return "absent"
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
