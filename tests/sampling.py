"""Cases of the quick suite where a test has many alike: some of each, and all of them in `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(n: int, cases: Iterable[Any]) -> list[Any]:
    """Leave every n-th case as it is, the first included, and mark the others as slow."""
    marked = []
    for place, case in enumerate(cases):
        if place % n == 0:
            marked.append(case)
        else:
            # A named tuple is one value, not several.
            values = case if type(case) is tuple else (case,)
            marked.append(pytest.param(*values, marks=pytest.mark.slow))
    return marked
