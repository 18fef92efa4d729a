"""How much values differ: jackknife errors, spread beyond sampling, autocorrelation."""

from __future__ import annotations

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
    return math.sqrt((g - 1) / g * float((deviations**2).sum()))


def robust_spread(values: Floats, centre: float) -> float:
    """Return the standard deviation that the median absolute deviation from `centre` implies."""
    return ROBUST * float(np.median(np.abs(values - centre)))


def ols_slope(x: Floats, y: Floats) -> float:
    """Return the least-squares slope of y on x; 0 where x does not vary."""
    centred = x - x.mean()
    power = float((centred * centred).sum())
    return float((centred * y).sum()) / power if power > 0 else 0.0


def mean_or_none(values: Sequence[float]) -> float | None:
    """Return the mean; None without values."""
    return float(np.mean(values)) if len(values) else None


def sd_or_none(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation; None for fewer than two values."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def pooled_share(pairs: Iterable[tuple[int, int]]) -> float | None:
    """Return hits over trials from (hits, trials) of several sessions; None without trials."""
    rows = list(pairs)
    trials = sum(n for _, n in rows)
    return sum(hits for hits, _ in rows) / trials if trials else None


def share_sd(pairs: Sequence[tuple[int, int]], least: int = 5) -> float | None:
    """Return the spread of shares beyond binomial sampling, over sessions of `least` trials."""
    share = pooled_share(pairs)
    if share is None:
        return None

    variance = share * (1 - share)
    return sd_beyond_sampling([(hits / n, variance / n) for hits, n in pairs if n >= least])


def sd_beyond_sampling(rows: Sequence[tuple[float, float]]) -> float | None:
    """Return the standard deviation of values beyond their own sampling variances.

    Rows are (value, sampling variance); None for fewer than four.
    """
    if len(rows) < FEWEST_VALUES:
        return None

    weight = np.array([1 / max(variance, 1e-9) for _, variance in rows])
    values = np.array([value for value, _ in rows])
    mean = float((weight * values).sum() / weight.sum())
    q = float((weight * (values - mean) ** 2).sum())
    scale = float(weight.sum() - (weight**2).sum() / weight.sum())
    excess = (q - (len(rows) - 1)) / scale

    return math.sqrt(max(0.0, excess))


def day_effect_sd(days: Iterable[Sequence[float]]) -> float | None:
    """Return the standard deviation of day means, from products of values of the same day.

    None for fewer than ten pairs.
    """
    groups = list(days)
    products = [
        first * second
        for values in groups
        for i, first in enumerate(values)
        for second in values[i + 1 :]
    ]
    if len(products) < FEWEST_DAY_PAIRS:
        return None

    everything = [value for values in groups for value in values]
    covariance = float(np.mean(products)) - float(np.mean(everything)) ** 2
    return math.sqrt(max(0.0, covariance))


def lag_one(values: Sequence[float]) -> float | None:
    """Return the lag-1 autocorrelation around a linear trend; None for fewer than eight values."""
    if len(values) < FEWEST_FOR_LAG:
        return None

    t = np.arange(len(values))
    line = np.polyval(np.polyfit(t, values, 1), t)
    x = np.asarray(values) - line
    power = float((x * x).sum())

    return float((x[1:] * x[:-1]).sum() / power) if power > 0 else None
