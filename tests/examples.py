"""How many examples a property test draws: all of them in the whole suite, fewer in the quick one."""

from __future__ import annotations

from hypothesis import settings

_IN_THE_WHOLE_SUITE = 100  # what a test without a number of its own draws there


def examples(number: int) -> int:
    """The share of this number that the profile draws of its own; never none."""
    return -(-number * settings().max_examples // _IN_THE_WHOLE_SUITE)
