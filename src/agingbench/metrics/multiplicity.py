"""Several tests at once: adjusted p-values after Holm, and after Benjamini and Hochberg."""

from __future__ import annotations

from collections.abc import Mapping


def holm(
    p: Mapping[str, float | None], shares: Mapping[str, float] | None = None
) -> dict[str, float | None]:
    """Adjusted so that, over all tests together, a false alarm has the stated chance; a missing p
    stays missing.

    `shares` divide the level unevenly (1 for a test that is not named there): they must not depend
    on the p-values.
    """
    share = {name: (shares or {}).get(name, 1.0) for name in p}
    known = sorted((value / share[name], name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    left = sum(share[name] for _, name in known)

    for value, name in known:
        highest = max(highest, min(1.0, value * left))
        adjusted[name] = highest
        left -= share[name]

    return adjusted


def benjamini_hochberg(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Adjusted so that of the rows called, the stated share is false on average; a missing p stays
    missing.
    """
    known = sorted(((value, name) for name, value in p.items() if value is not None), reverse=True)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    lowest = 1.0

    for place, (value, name) in enumerate(known):
        lowest = min(lowest, value * len(known) / (len(known) - place))
        adjusted[name] = lowest

    return adjusted
