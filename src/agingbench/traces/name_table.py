"""Numbers by name in twelve bytes each, for names too many to be kept."""

from __future__ import annotations

from array import array

KEY = (1 << 62) - 1
FREE = 0
NOTHING = -1
SMALLEST = 1 << 10


class NameTable:
    """A table of hashes of names with open addressing; the names themselves are not kept.

    Two of a million names share a hash of 62 bits once in ten million tables.
    """

    def __init__(self) -> None:
        self._keys = array("q", [FREE]) * SMALLEST
        self._numbers = array("i", [NOTHING]) * SMALLEST
        self._used = 0

    def __len__(self) -> int:
        """Names that ever had a number."""
        return self._used

    def get(self, name: str) -> int | None:
        """Return the number of a name; None for one that has none."""
        number = self._numbers[self._slot(_key(name))]
        return None if number == NOTHING else number

    def put(self, name: str, number: int) -> None:
        """Give a name a number, instead of the one that it had."""
        if 3 * (self._used + 1) > 2 * len(self._keys):
            self._grow()
        self._put(_key(name), number)

    def drop(self, name: str) -> None:
        """Let a name have no number."""
        self._numbers[self._slot(_key(name))] = NOTHING

    def _put(self, key: int, number: int) -> None:
        slot = self._slot(key)
        self._used += self._keys[slot] == FREE
        self._keys[slot] = key
        self._numbers[slot] = number

    def _slot(self, key: int) -> int:
        """Return where a key stands, or where it would be put."""
        keys = self._keys
        mask = len(keys) - 1
        slot = key & mask
        while keys[slot] != key and keys[slot] != FREE:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        rows = zip(self._keys, self._numbers, strict=True)
        size = 2 * len(self._keys)
        self._keys = array("q", [FREE]) * size
        self._numbers = array("i", [NOTHING]) * size
        self._used = 0
        for key, number in rows:
            if number != NOTHING:
                self._put(key, number)


def _key(name: str) -> int:
    return (hash(name) & KEY) or 1
