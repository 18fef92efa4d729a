"""The bootstrap: resampled clusters, means and paired differences with intervals, and power."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from agingbench.metrics.intervals import (
    LEVEL,
    MISSING,
    SEED,
    Estimate,
    normal_quantile,
    pair_differences,
    paired_difference,
    t_quantile,
    wilson,
)
from agingbench.metrics.permutation import Floats

RESAMPLES = 10_000
POWER = 0.8
# The search for the number of episodes: how fast a guess may grow, and by how much it stays short,
# since a guess a little too small never jumps over the answer.
FASTEST_GROWTH = 4.0
CAUTION = 0.98


class Difference(msgspec.Struct, frozen=True):
    """The mean of a − b over shared episodes, its interval and p-value.

    `detectable` is the smallest true difference that this many episodes would have shown.
    """

    effect: Estimate
    p_value: float | None
    sd: float | None
    detectable: float | None


def cluster_resample(
    cluster_ids: ArrayLike,
    rng: np.random.Generator,
    n_boot: int,
) -> NDArray[np.int64]:
    """Return how often each cluster is drawn in each resample: shape (n_boot, clusters).

    Columns follow `numpy.unique(cluster_ids)`, so the order of the rows does not matter, and two
    calls of n_boot = 10 on one generator draw what one call of 20 draws.
    """
    n = np.unique(np.asarray(cluster_ids)).size
    if n == 0:
        return np.zeros((n_boot, 0), dtype=np.int64)

    # Each resample counts in a range of n numbers of its own, so one `bincount` counts them all.
    draws = rng.integers(0, n, size=(n_boot, n))
    offsets = n * np.arange(n_boot)[:, None]
    numbers = (draws + offsets).ravel()
    counts = np.bincount(numbers, minlength=n_boot * n)

    return counts.reshape(n_boot, n)


def mean_of(
    values: Sequence[float | None],
    *,
    level: float = LEVEL,
    seed: int = SEED,
) -> Estimate:
    """Return the mean over episodes with a bootstrap interval within 0..1.

    The percentiles are widened to what Student's t asks for at this n: plain percentiles are too
    narrow below 30. Without any spread the interval is Wilson's.
    """
    sample = np.array([v for v in values if v is not None], dtype=np.float64)
    n = int(sample.size)
    if n == 0:
        return MISSING

    mean = float(sample.mean())
    if sample.min() == sample.max():
        proportion = min(max(mean, 0.0), 1.0)
        low, high = wilson(proportion, n, level)
        return Estimate(mean, low, high, n)

    low, high = _widened_percentiles(sample, level, seed)
    return Estimate(mean, max(0.0, low), min(1.0, high), n)


def difference(
    a: Sequence[float | None],
    b: Sequence[float | None],
    *,
    level: float = LEVEL,
    seed: int = SEED,
) -> Difference:
    """Return the paired difference a − b; a pair with a missing side is left out."""
    paired = paired_difference(a, b, level=level, seed=seed)
    deltas = pair_differences(a, b)
    n = int(deltas.size)

    if n < 2:
        effect = Estimate(paired.effect.value, None, None, n)
        return Difference(effect, paired.p_value, None, None)

    mean = float(deltas.mean())
    sd = float(deltas.std(ddof=1))
    if deltas.min() == deltas.max():
        # No spread in the sample is no proof of none in the population: as wide as one differing
        # episode would make it.
        half = t_quantile(n - 1, level) / n
        effect = Estimate(mean, max(-1.0, mean - half), min(1.0, mean + half), n)
        return Difference(effect, paired.p_value, sd, half)

    low, high = _widened_percentiles(deltas, level, seed)
    effect = Estimate(mean, low, high, n)
    return Difference(effect, paired.p_value, sd, detectable(sd, n, level=level))


def detectable(
    sd: float,
    n: int,
    *,
    level: float = LEVEL,
    power: float = POWER,
) -> float | None:
    """Return the smallest true difference that n pairs of this spread show with the given power.

    None for fewer than two pairs.
    """
    if n < 2:
        return None

    # The normal quantile is two-sided: at 2 · power − 1 it is the one-sided one of `power`.
    quantiles = t_quantile(n - 1, level) + normal_quantile(2 * power - 1)
    return quantiles * sd / math.sqrt(n)


def episodes_needed(
    effect: float,
    sd: float,
    *,
    level: float = LEVEL,
    power: float = POWER,
) -> int:
    """Return how many paired episodes show a true difference of `effect` with the given power."""
    n = 2
    least = detectable(sd, n, level=level, power=power)

    # What can be detected shrinks about as 1/√n: guess by that, then step back to the exact n.
    while least is not None and least > effect:
        growth = min(FASTEST_GROWTH, (least / effect) ** 2 * CAUTION)
        n = max(n + 1, int(n * growth))
        least = detectable(sd, n, level=level, power=power)

    while n > 2 and (detectable(sd, n - 1, level=level, power=power) or effect) <= effect:
        n -= 1

    return n


def _widened_percentiles(values: Floats, level: float, seed: int) -> tuple[float, float]:
    from scipy.special import ndtr

    # Resampled means spread by 1/n where the sample's variance asks for 1/(n − 1), and percentiles
    # use normal quantiles; further out in the tails both are made good.
    n = values.size
    width = math.sqrt(n / (n - 1)) * t_quantile(n - 1, level)
    tail = float(ndtr(-width))

    rng = np.random.default_rng(seed)
    counts = cluster_resample(np.arange(n), rng, RESAMPLES)
    means = counts @ values / n
    low, high = np.quantile(means, [tail, 1 - tail])

    return float(low), float(high)
