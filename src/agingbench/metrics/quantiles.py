"""Quantiles of Student's t for figures that are rounded: without scipy, right to ten digits.

To load scipy takes a fifth of the time of a small audit. Cards of the bench hold every digit of
their intervals: these go by `intervals.t_quantile`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

MOST_STEPS = 100  # of Newton's method, which needs about six
SMALL_STEP = 1e-8  # share of a quantile; the step after one so small changes nothing
LARGEST_DF = 1e9  # beyond, Student's t is the normal distribution
MANY = 500.0  # from here on a series is exact to the last digit
MOST_TERMS = 100_000  # of a continued fraction, which needs about √df
SMALL_TERM = 1e-16
TINY = 1e-300  # in place of a zero that would be divided by


@lru_cache(maxsize=4_096)
def quick_t_quantile(df: float, level: float) -> float:
    """Return the two-sided quantile of Student's t; df may be fractional, below 1 counts as 1."""
    df = max(df, 1.0)
    wanted = 0.5 - level / 2
    t = NormalDist().inv_cdf(0.5 + level / 2)
    if df > LARGEST_DF:
        return t

    for _ in range(MOST_STEPS):
        density = _density(t, df)
        tail = _tail(t, df, density)
        # The log of a tail is nearly a straight line.
        step = tail / density * math.log(tail / wanted)
        t += step
        if abs(step) <= SMALL_STEP * abs(t):
            break

    return t


def _density(t: float, df: float) -> float:
    a = df / 2
    if a < MANY:
        scale = math.lgamma(a + 0.5) - math.lgamma(a)
    else:
        # The difference of two large numbers, by its series.
        scale = math.log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3)

    power = (a + 0.5) * math.log1p(t * t / df)
    return math.exp(scale - power) / math.sqrt(df * math.pi)


def _tail(t: float, df: float, density: float) -> float:
    """Return P(T > t) by the incomplete beta function, on the side where it converges fast."""
    a = df / 2
    x = df / (df + t * t)
    if x < (a + 1) / (a + 2.5):
        return t * density * _fraction(a, 0.5, x) / df

    return 0.5 - t * density * _fraction(0.5, a, t * t / (df + t * t))


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    numerator = 1.0
    denominator = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = denominator
    for m in range(1, MOST_TERMS):
        before = value
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1 / _not_zero(1 + term * denominator)
            numerator = _not_zero(1 + term / numerator)
            value *= denominator * numerator
        if abs(value - before) <= SMALL_TERM * abs(value):
            break

    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
