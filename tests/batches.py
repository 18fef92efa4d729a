"""Puts hundreds of tiny cases into few tests: handing a test out takes longer than most of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")


def batches(cases: Sequence[Case], size: int = 40) -> list[Sequence[Case]]:
    """The cases in their order, so many at a time."""
    return [cases[start : start + size] for start in range(0, len(cases), size)]
