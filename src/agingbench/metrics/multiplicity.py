"""Several tests at once: p-values adjusted by Holm, and for the share of false alarms."""

from __future__ import annotations

from collections.abc import Mapping


def holm(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return p-values adjusted for the chance of any false alarm; a missing p stays missing."""
    ranking = sorted((value, name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0

    # Adjusted values never fall from one rank to the next: a test cannot pass where a stronger one
    # has failed.
    for place, (value, name) in enumerate(ranking):
        highest = max(highest, min(1.0, value * (len(ranking) - place)))
        adjusted[name] = highest

    return adjusted


def benjamini_hochberg(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return p-values adjusted for the share of false alarms; a missing p stays missing."""
    present = [(value, name) for name, value in p.items() if value is not None]
    from_largest = sorted(present, reverse=True)
    n = len(from_largest)

    adjusted: dict[str, float | None] = dict.fromkeys(p)
    lowest = 1.0

    for place, (value, name) in enumerate(from_largest):
        lowest = min(lowest, value * n / (n - place))
        adjusted[name] = lowest

    return adjusted


def two_stage_benjamini_hochberg(
    p: Mapping[str, float | None], level: float
) -> dict[str, float | None]:
    """Return p-values adjusted for the share of false alarms where some tests are true.

    What passes Benjamini and Hochberg at level/(1 + level) no longer counts among the tests that
    could be false alarms (Benjamini, Krieger and Yekutieli 2006). An adjusted p is to be compared
    with this level and no other, and is never larger than that of one stage.
    """
    adjusted = benjamini_hochberg(p)
    present = [value for value in adjusted.values() if value is not None]
    first = level / (1 + level)
    passed = sum(value <= first for value in present)
    if not passed:
        return adjusted

    left = (len(present) - passed) / len(present)
    factor = left * (1 + level)
    shrunk: dict[str, float | None] = {}
    for name, value in adjusted.items():
        shrunk[name] = None if value is None else min(value, value * factor)
    return shrunk
