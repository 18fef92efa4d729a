"""Bootstrap over episodes: a mean with its interval, a paired difference, and what could have been
detected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import (
    LEVEL,
    MISSING,
    SEED,
    Estimate,
    cluster_resample,
    normal_quantile,
    paired_difference,
    t_quantile,
    wilson,
)

RESAMPLES = 10_000
POWER = 0.8


class Difference(msgspec.Struct, frozen=True):
    """The mean of a − b over shared episodes, its interval, p, and the least difference that n
    could have shown.
    """

    effect: Estimate
    p_value: float | None
    sd: float | None
    detectable: float | None


def mean_of(values: Sequence[float | None], *, level: float = LEVEL, seed: int = SEED) -> Estimate:
    """Mean over episodes with a bootstrap interval, kept in 0..1; without any spread the interval
    is Wilson's.

    The percentiles are widened to what Student's t asks for at this n: plain percentiles are too
    narrow below 30.
    """
    kept = np.array([v for v in values if v is not None], dtype=np.float64)
    if kept.size == 0:
        return MISSING

    mean = float(kept.mean())
    if kept.min() == kept.max():
        low, high = wilson(min(max(mean, 0.0), 1.0), kept.size, level)
        return Estimate(mean, low, high, int(kept.size))

    low, high = _percentiles(kept, level, seed)
    return Estimate(mean, max(0.0, low), min(1.0, high), int(kept.size))


def difference(
    a: Sequence[float | None], b: Sequence[float | None], *, level: float = LEVEL, seed: int = SEED
) -> Difference:
    """The paired difference; a pair with a missing side is left out."""
    tested = paired_difference(a, b, level=level, seed=seed)
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    deltas = np.array([x - y for x, y in pairs], dtype=np.float64)
    n = int(deltas.size)
    if n < 2:
        return Difference(Estimate(tested.effect.value, None, None, n), tested.p_value, None, None)

    sd = float(deltas.std(ddof=1))
    if deltas.min() == deltas.max():
        # No spread in the sample is no proof of none in the population: as wide as one differing
        # episode would make it.
        half = t_quantile(n - 1, level) / n
        value = float(deltas.mean())
        return Difference(
            Estimate(value, max(-1.0, value - half), min(1.0, value + half), n),
            tested.p_value,
            sd,
            half,
        )

    low, high = _percentiles(deltas, level, seed)
    return Difference(
        Estimate(float(deltas.mean()), low, high, n),
        tested.p_value,
        sd,
        detectable(sd, n, level=level),
    )


def detectable(sd: float, n: int, *, level: float = LEVEL, power: float = POWER) -> float | None:
    """The least true difference that n pairs with this spread show with the given power."""
    if n < 2:
        return None
    return (t_quantile(n - 1, level) + normal_quantile(2 * power - 1)) * sd / math.sqrt(n)


def episodes_needed(effect: float, sd: float, *, level: float = LEVEL, power: float = POWER) -> int:
    """How many paired episodes show a true difference of `effect` with the given power."""
    n = 2
    while (least := detectable(sd, n, level=level, power=power)) is not None and least > effect:
        n = max(n + 1, int(n * min(4.0, (least / effect) ** 2 * 0.98)))

    while n > 2 and (detectable(sd, n - 1, level=level, power=power) or effect) <= effect:
        n -= 1

    return n


def _percentiles(values: NDArray[np.float64], level: float, seed: int) -> tuple[float, float]:
    from scipy.special import ndtr

    n = values.size
    wide = math.sqrt(n / (n - 1)) * t_quantile(n - 1, level)
    tail = float(ndtr(-wide))
    counts = cluster_resample(np.arange(n), np.random.default_rng(seed), RESAMPLES)
    means = counts @ values / n
    low, high = np.quantile(means, [tail, 1 - tail])

    return float(low), float(high)
