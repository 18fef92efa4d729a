"""How much values differ: jackknife errors, spread beyond sampling, autocorrelation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from agingbench.metrics.permutation import Floats

ROBUST = 1.4826  # the standard deviation of a normal in units of its median absolute deviation
FEWEST_VALUES = 4
FEWEST_DAY_PAIRS = 10
FEWEST_FOR_LAG = 8


def jackknife_error(estimates: Sequence[float]) -> float:
    """Return the standard error from estimates that each left out one group of observations."""
    g = len(estimates)
    deviations = np.array(estimates) - np.mean(estimates)
    squares = float((deviations**2).sum())
    return math.sqrt((g - 1) / g * squares)


def robust_spread(values: Floats, centre: float) -> float:
    """Return the standard deviation that the median absolute deviation from `centre` implies."""
    deviations = np.abs(values - centre)
    return ROBUST * float(np.median(deviations))


def ols_slope(x: Floats, y: Floats) -> float:
    """Return the least-squares slope of y on x; 0 where x does not vary."""
    centred = x - x.mean()
    power = float((centred * centred).sum())
    if power <= 0:
        return 0.0

    return float((centred * y).sum()) / power


def mean_or_none(values: Sequence[float]) -> float | None:
    """Return the mean; None without values."""
    return float(np.mean(values)) if len(values) else None


def sd_or_none(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation; None for fewer than two values."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def pooled_share(pairs: Iterable[tuple[int, int]]) -> float | None:
    """Return hits over trials from (hits, trials) of several sessions; None without trials."""
    hits = 0
    trials = 0
    for session_hits, session_trials in pairs:
        hits += session_hits
        trials += session_trials

    return hits / trials if trials else None


def share_sd(pairs: Sequence[tuple[int, int]], least: int = 5) -> float | None:
    """Return the spread of shares beyond binomial sampling, over sessions of `least` trials."""
    share = pooled_share(pairs)
    if share is None:
        return None

    variance = share * (1 - share)
    rows = []
    for hits, n in pairs:
        if n >= least:
            rows.append((hits / n, variance / n))

    return sd_beyond_sampling(rows)


def sd_beyond_sampling(rows: Sequence[tuple[float, float]]) -> float | None:
    """Return the standard deviation of values beyond their own sampling variances.

    Rows are (value, sampling variance); None for fewer than four. This is the square root of
    DerSimonian and Laird's variance between studies, with sessions as the studies.
    """
    if len(rows) < FEWEST_VALUES:
        return None

    values = np.array([value for value, _ in rows])
    weight = np.array([1 / max(variance, 1e-9) for _, variance in rows])
    total = weight.sum()
    mean = float((weight * values).sum() / total)

    # Without any spread of their own, q is len(rows) − 1 on average.
    q = float((weight * (values - mean) ** 2).sum())
    expected = len(rows) - 1
    scale = float(total - (weight**2).sum() / total)
    excess = (q - expected) / scale

    return math.sqrt(max(0.0, excess))


def day_effect_sd(days: Iterable[Sequence[float]]) -> float | None:
    """Return the standard deviation of day means, from products of values of the same day.

    None for fewer than ten pairs. Values of one day share nothing but their day, so their
    covariance is the variance of the day effect.
    """
    everything: list[float] = []
    products: list[float] = []

    for values in days:
        everything.extend(values)
        for first, second in itertools.combinations(values, 2):
            products.append(first * second)

    if len(products) < FEWEST_DAY_PAIRS:
        return None

    covariance = float(np.mean(products)) - float(np.mean(everything)) ** 2
    return math.sqrt(max(0.0, covariance))


def lag_one(values: Sequence[float]) -> float | None:
    """Return the lag-1 autocorrelation around a linear trend; None for fewer than eight values."""
    if len(values) < FEWEST_FOR_LAG:
        return None

    t = np.arange(len(values))
    coefficients = np.polyfit(t, values, 1)
    line = np.polyval(coefficients, t)
    residual = np.asarray(values) - line

    power = float((residual * residual).sum())
    if power <= 0:
        return None

    products = (residual[1:] * residual[:-1]).sum()
    return float(products / power)
