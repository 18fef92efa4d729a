"""Memory snapshots in small files: what only grew is stored as what it adds to the one before."""

from __future__ import annotations

from typing import Any

MORE = "$more"  # {"$more": tail}: the value of the snapshot before, with this behind it
RAW = "$raw"  # {"$raw": value}: a value that itself has a key "$more"
SHORT = 200  # a text below this length is simply written out


def pack(value: Any, before: Any) -> Any:
    """The value, with every text and list that only grew since `before` reduced to what is new."""
    if isinstance(value, dict):
        if MORE in value:
            return {RAW: value}
        old = before if isinstance(before, dict) else {}
        return {key: pack(part, old.get(key)) for key, part in value.items()}

    grew = False
    if isinstance(value, str) and isinstance(before, str):
        grew = len(before) >= SHORT and value.startswith(before)
    elif isinstance(value, list) and isinstance(before, list):
        grew = bool(before) and value[: len(before)] == before
    return {MORE: value[len(before) :]} if grew else value


def unpack(packed: Any, before: Any) -> Any:
    """The value that was packed against `before`."""
    if not isinstance(packed, dict):
        return packed
    if RAW in packed:
        return packed[RAW]
    if MORE in packed:
        return before + packed[MORE]
    old = before if isinstance(before, dict) else {}
    return {key: unpack(part, old.get(key)) for key, part in packed.items()}
