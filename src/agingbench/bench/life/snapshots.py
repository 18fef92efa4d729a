"""A memory snapshot that grew is kept as what came on top of the one before: a long life stays
small on disk.
"""

from __future__ import annotations

from typing import Any

MORE = "$more"  # {"$more": tail}: the value of the snapshot before, with this behind it
SHORT = 200  # below this length a value is simply written out


def pack(value: Any, before: Any) -> Any:
    """The value, with every text and list that only grew since `before` reduced to what is new."""
    if isinstance(value, dict):
        if MORE in value:
            return {"$raw": value}
        old = before if isinstance(before, dict) else {}
        return {key: pack(part, old.get(key)) for key, part in value.items()}
    if (
        isinstance(value, str)
        and isinstance(before, str)
        and len(before) >= SHORT
        and value.startswith(before)
    ):
        return {MORE: value[len(before) :]}
    if (
        isinstance(value, list)
        and isinstance(before, list)
        and before
        and value[: len(before)] == before
    ):
        return {MORE: value[len(before) :]}
    return value


def unpack(packed: Any, before: Any) -> Any:
    """What was packed against `before`."""
    if not isinstance(packed, dict):
        return packed
    if "$raw" in packed:
        return packed["$raw"]
    if MORE in packed:
        return before + packed[MORE]
    old = before if isinstance(before, dict) else {}
    return {key: unpack(part, old.get(key)) for key, part in packed.items()}
