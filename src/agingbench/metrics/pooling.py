"""A difference over several paired lives, and how many lives it would take to see a given one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agingbench.metrics.intervals import MISSING, Estimate, t_quantile

FEWEST_LIVES = 3  # below, the spread over lives cannot be known
MOST_LIVES = 10_000


def pooled_difference(lives: Sequence[Estimate]) -> Estimate:
    """Return the mean difference over lives, each given with its own 95 % interval.

    Half of the interval is the larger of two: what the lives say by themselves, and from three
    lives on Student's over their spread. The first keeps the interval open where all lives agree,
    the second counts what makes one life differ from the next. Between equal systems it lies
    above 0 in at most 3 % of cases (1 to 20 lives, `benchmarks/gate.py`).
    """
    whole = [life for life in lives if life.value is not None and life.low is not None]
    if not whole:
        return MISSING
    values = [life.value for life in whole if life.value is not None]
    mean = float(np.mean(values))
    half = _half_width(len(whole), _own_half(whole), _spread(values))
    return Estimate(mean, mean - half, mean + half, len(whole))


def lives_needed(lives: Sequence[Estimate], difference: float) -> int | None:
    """Return how many lives like these would see a difference; None beyond 10,000 or without one.

    A difference is seen where half of the interval is not larger.
    """
    whole = [life for life in lives if life.value is not None and life.low is not None]
    if not whole or difference <= 0:
        return None
    own = _own_half(whole)
    spread = _spread([life.value for life in whole if life.value is not None])

    def sees(n: int) -> bool:
        return _half_width(n, own, spread) <= difference

    if not sees(MOST_LIVES):
        return None
    low, high = 1, MOST_LIVES
    while low < high:
        middle = (low + high) // 2
        if sees(middle) and (spread is None or middle >= FEWEST_LIVES):
            high = middle
        else:
            low = middle + 1
    return low


def _half_width(n: int, own: float, spread: float | None) -> float:
    within = own / math.sqrt(n)
    if spread is None or n < FEWEST_LIVES:
        return within
    return max(within, t_quantile(n - 1) * spread / math.sqrt(n))


def _own_half(lives: Sequence[Estimate]) -> float:
    """The root mean square of the lives' own half-widths."""
    halves = [((life.high or 0.0) - (life.low or 0.0)) / 2 for life in lives]
    return math.sqrt(float(np.mean(np.square(halves))))


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) >= FEWEST_LIVES else None
