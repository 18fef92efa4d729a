"""How well a detector detects: exact binomial figures and the area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def binomial_tail(k: float, n: float, p: float) -> float:
    """P(X ≥ k) for a binomial; k and n may be fractional, as after division by a design effect."""
    from scipy.special import betainc

    if k <= 0:
        return 1.0

    return float(betainc(k, n - k + 1, p))


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of the proportion k of n; raises ValueError unless 0 ≤ k ≤ n."""
    from scipy.special import betaincinv

    if not 0 <= k <= n or n < 1:
        raise ValueError(f"a count of 0..n with n ≥ 1 is needed, got {k} of {n}")

    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))

    return low, high


def visible_rate(n: float, base: float, alpha: float, power: float) -> float | None:
    """Return the smallest rate, in steps of 0.05, that n trials tell from `base` with this power.

    None where even a rate of 0.95 would be missed.
    """
    # The fewest hits that are significant against `base`.
    needed = None
    for k in range(1, int(n) + 1):
        if binomial_tail(k, n, base) <= alpha:
            needed = k
            break

    if needed is None:
        return None

    for step in range(1, 20):
        rate = 0.05 * step
        if binomial_tail(needed, n, rate) >= power:
            return rate

    return None


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Return the chance that a positive outscores a negative, ties counted half.

    This is the area under the ROC curve; None where one side is empty.
    """
    if not len(positive) or not len(negative):
        return None

    a = np.sort(np.asarray(positive, dtype=np.float64))
    b = np.sort(np.asarray(negative, dtype=np.float64))

    n_below = np.searchsorted(b, a, side="left")
    n_up_to = np.searchsorted(b, a, side="right")
    wins = n_below.sum()
    ties = (n_up_to - n_below).sum()

    n_pairs = len(a) * len(b)
    return float((wins + 0.5 * ties) / n_pairs)
