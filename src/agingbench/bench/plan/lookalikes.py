"""Families of look-alikes: entities told apart only by a combination of common words, like rooms.

A rare word would lead any search by words straight to the right place. Here every word of a member
is shared by many of its siblings, so a store that is searched by words brings up the wrong
episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

MOST_PAIRS = 24
# Pairs that fill a cube of four dimensions: (corner, the dimension along which its partner lies).
_MATCHED = ((0, 0), (4, 1), (3, 2), (2, 3), (8, 0), (12, 1), (11, 2), (5, 3))
_SIZES = [2, 2, 2, 6]


class Lookalikes:
    """One family: three axes of two words and one of six; the two of a pair differ on one axis."""

    def __init__(self, rng: Random, axes: Sequence[Sequence[str]]) -> None:
        if [len(axis) for axis in axes] != _SIZES:
            raise ValueError("a family of look-alikes has three axes of two words and one of six")
        self.axes = [rng.sample(axis, len(axis)) for axis in axes]
        # Which dimension of the cube each axis is. A block begins with few corners along the last
        # one, so the axis of six takes another: each of its words then names several members from
        # the start.
        wide = rng.randrange(3)
        narrow = [dimension for dimension in range(4) if dimension != wide]
        self.turns = [*rng.sample(narrow, 3), wide]
        self.members: list[tuple[str, ...]] = []

    def pair(self, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of the number-th pair, one per axis; no member comes twice."""
        block, place = divmod(number % MOST_PAIRS, len(_MATCHED))
        corner, dimension = _MATCHED[place]

        one = self._words(block, corner)
        other = self._words(block, corner | 1 << dimension)
        self.members += [one, other]
        return one, other

    def _words(self, block: int, corner: int) -> tuple[str, ...]:
        *narrow_axes, wide_axis = self.axes
        *narrow_bits, wide_bit = [corner >> turn & 1 for turn in self.turns]

        words = [axis[bit] for axis, bit in zip(narrow_axes, narrow_bits, strict=True)]
        words.append(wide_axis[2 * block + wide_bit])
        return tuple(words)
