"""Which names and values of a life its facts may hold, and which are left to what surrounds them.

Both draw from the same lists and ranges. Each life divides them by a key of its own, so no filler
ever states a value that a fact of its life holds, and no look at other lives tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from random import Random

from agingbench.bench.plan import pools
from agingbench.bench.plan.pools import stream
from agingbench.text.values import Value

SPLIT_KINDS = frozenset({"number", "percent", "range", "date", "clock", "version"})
LEAST_NUMBER = 11  # no fact is a smaller whole number, so that filler may count to ten
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class Split:
    """The division of one life: lists of names, and a side for each value."""

    def __init__(self, seed: int) -> None:
        rng = stream("split", seed)
        self.first, self.filler_first = _halves(rng, pools.FIRST)
        self.last, self.filler_last = _halves(rng, pools.LAST)
        self._key = rng.randbytes(16)
        self._sides: dict[tuple[str, str], bool] = {}

    def is_filler(self, value: Value) -> bool:
        """Tell whether a value is one that only filler may state, never a fact."""
        return value.kind in SPLIT_KINDS and self.is_said_by_filler(value.kind, value.text)

    def is_said_by_filler(self, kind: str, text: str) -> bool:
        """Tell whether filler may say this; `kind` is one of SPLIT_KINDS."""
        side = self._sides.get((kind, text))
        if side is None:
            side = self._side(kind, text)
            self._sides[kind, text] = side
        return side

    def _side(self, kind: str, text: str) -> bool:
        # The unit does not matter: "61.3" may be read as "61.3%". A range goes by its lower end.
        said = text
        if kind == "date":
            said = text.partition(",")[0]
        elif kind in ("number", "percent", "range"):
            digits = _NUMBER.search(text)
            if digits:
                number = float(digits[0].replace(",", ""))
                if number < LEAST_NUMBER and number.is_integer():
                    return True
                said = f"{number:g}"
        return blake2b(said.encode(), key=self._key, digest_size=1).digest()[0] % 2 == 0


def _halves(rng: Random, names: Sequence[str]) -> tuple[list[str], list[str]]:
    order = rng.sample(names, len(names))
    half = len(order) // 2
    return order[:half], order[half:]
