"""Half-life and hazard of an aging curve.

Hazard is the expected share of measured points below τ, at the number of probes the plan asks at
each. Its interval comes from curves that the life may have expected (`profile`), that of a
half-life from these and from curves over resampled root facts, whichever reaches further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from agingbench.metrics.bootstrap import cluster_resample
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.permutation import Floats
from agingbench.metrics.profile import CurveCells

# Weighted means carry rounding; a point exactly on the threshold must not fall to either side of it
# by chance.
TINY = 1e-9
_CHUNK_CELLS = 2_000_000


class HalfLife(NamedTuple):
    """A half-life; `censored` if it lies beyond the curve's end, None if it cannot exist.

    `reason` says why there is no value.
    """

    value: float | None
    censored: bool | None
    reason: str | None


def crossing(ts: Floats, ms: Floats, m0: float) -> float | None:
    """Return where the curve from (0, m0) through (ts, ms) first comes to 0.5·m0; None if never.

    Linear between neighbouring points; if the first point is at or below the bar, between 0 and it.
    """
    bar = 0.5 * m0
    below = np.flatnonzero(ms <= bar * (1 + TINY))
    if m0 <= 0 or not below.size:
        return None

    i = int(below[0])
    start = float(ts[i - 1]) if i else 0.0
    before = float(ms[i - 1]) if i else m0
    end = float(ts[i])
    after = float(ms[i])

    place = start + (end - start) * (before - bar) / (before - after)
    return min(end, place)


def fitted_crossings(ts: Floats, curves: Floats, m0s: Floats) -> Floats:
    """Return where the non-increasing fit of each curve comes to half of its m0, inf where never.

    Curves are rows and may miss points (NaN). The fit itself is not computed: it lies above the
    bar exactly on the prefix whose sum of distances to the bar is largest, and on either side of
    that place it is a mean of the points next to it.
    """
    n_curves, n_points = curves.shape
    has_value = ~np.isnan(curves)
    half = 0.5 * m0s[:, None]
    above = np.where(has_value, curves - half * (1 + TINY), 0.0)
    prefix = np.argmax(_sums(above), axis=1)  # the first of equals: the fit is above the bar here

    sums = _sums(np.where(has_value, curves, 0.0))
    counts = _sums(has_value.astype(np.float64))
    row = np.arange(n_curves)
    sum_here = sums[row, prefix][:, None]
    count_here = counts[row, prefix][:, None]
    n_apart = counts - count_here
    means = np.full_like(sums, np.nan)
    np.divide(sums - sum_here, n_apart, out=means, where=n_apart != 0)

    place = np.arange(n_points + 1)
    is_left = (place < prefix[:, None]) & (n_apart != 0)
    is_right = (place > prefix[:, None]) & (n_apart != 0)
    before = np.where(prefix > 0, np.where(is_left, means, np.inf).min(axis=1), m0s)
    after = np.where(is_right, means, -np.inf).max(axis=1)
    crosses = is_right.any(axis=1) & (m0s > 0)

    is_end = has_value & (place[:-1] >= prefix[:, None])
    end = ts[np.argmax(is_end, axis=1)]
    start = np.where(prefix > 0, ts[np.maximum(prefix - 1, 0)], 0.0)
    bar = half[:, 0]
    share = np.zeros(n_curves)
    np.divide(before - bar, before - after, out=share, where=crosses & (before > after))
    return np.where(crosses, np.minimum(end, start + (end - start) * share), np.inf)


def _sums(values: Floats) -> Floats:
    """Return the sums of each row's first 0, 1, … values."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def fit_half_life(ts: Floats, ms: Floats, m0: float | None) -> HalfLife:
    """Return where the non-increasing fit of the points t ≥ 1 comes to half of m(0)."""
    if m0 is None:
        return HalfLife(None, None, "m(0) was not measured, so there is no half of it")
    if m0 <= 0:
        return HalfLife(None, None, "m(0) is 0, so there is no half of it to fall to")
    if not ts.size:
        return HalfLife(None, None, "the curve has no point after t = 0")

    value = float(fitted_crossings(ts, ms[None, :], np.array([m0]))[0])
    if math.isinf(value):
        reason = f"the curve stays above half of m(0) up to its last point t = {ts[-1]:.0f}"
        return HalfLife(None, True, reason)

    return HalfLife(value, False, None)


def resampled_half_lives(cells: CurveCells, n_boot: int, seed: int) -> Floats:
    """Return the half-lives of curves over resampled root facts in rising order, inf where never.

    A resample without one is left out.
    """
    later = cells.ts >= 1
    first = np.flatnonzero(cells.ts == 0)
    if not first.size or not later.any():
        return np.zeros(0)

    ts = cells.ts[later].astype(np.float64)
    halves: list[Floats] = []
    for curves in _resampled_curves(cells, n_boot, seed):
        m0s = curves[:, first[0]]
        has_half = (m0s > 0) & ~np.isnan(curves[:, later]).all(axis=1)
        halves.append(fitted_crossings(ts, curves[has_half][:, later], m0s[has_half]))

    return np.sort(np.concatenate(halves))


def expected_half_lives(ts: Floats, curves: Floats, m0: float | None) -> Floats:
    """Return the half-lives of expected curves in rising order, inf where never."""
    if m0 is None or m0 <= 0 or not ts.size:
        return np.zeros(0)

    return np.sort(fitted_crossings(ts, curves, np.full(len(curves), m0)))


def _resampled_curves(cells: CurveCells, n_boot: int, seed: int) -> Iterator[Floats]:
    """Yield curves over resampled root facts, in chunks of bounded memory.

    A curve is NaN at the points where its resample has no probe.
    """
    if not cells.ts.size:
        return

    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_CELLS // max(cells.n_facts, cells.fact.size))
    facts = np.arange(cells.n_facts)

    for start in range(0, n_boot, step):
        draws = cluster_resample(facts, rng, min(step, n_boot - start))
        counts = draws[:, cells.fact].astype(np.float64)
        total = np.add.reduceat(counts * cells.weight, cells.starts, axis=1)
        score = np.add.reduceat(counts * cells.score, cells.starts, axis=1)

        curves = np.full_like(total, np.nan)
        yield np.divide(score, total, out=curves, where=total > 0)


def _percentiles(ordered: Floats) -> tuple[float, float]:
    """Return the 2.5 and 97.5 % order statistics, not interpolated: a half-life may be infinite."""
    last = ordered.size - 1
    low = ordered[math.floor(0.025 * last)]
    high = ordered[math.ceil(0.975 * last)]
    return float(low), float(high)


def half_life_interval(
    half: HalfLife,
    samples: Sequence[Floats],
    ts: Floats,
) -> tuple[float, float | None] | None:
    """Return the 95 % interval of a half-life, open above (None) where curves never cross.

    It holds the percentiles of every sample.
    """
    samples = [sample for sample in samples if sample.size]
    if half.censored is None or not samples:
        return None

    estimate = math.inf if half.value is None else half.value
    ends = [_percentiles(sample) for sample in samples]
    low = min(estimate, *(low for low, _ in ends))
    high = max(estimate, *(high for _, high in ends))

    # Never crossed means: beyond the last point, and nothing is known of how far.
    low = min(low, float(ts[-1]))
    return low, high if math.isfinite(high) else None


def hazard(ms: Floats, tau: float | None, shares: Floats) -> Estimate:
    """Return the share of the points t ≥ 1 below τ; `shares` are those of expected curves.

    The share that was seen is an unbiased estimate of the one that is expected, and lies in the
    interval.
    """
    n = int(ms.size)
    if n == 0 or tau is None:
        return Estimate(None, None, None, n)

    is_failure = ms < tau * (1 - TINY)
    value = float(is_failure.mean())
    low, high = _percentiles(np.sort(shares)) if shares.size else (value, value)
    return Estimate(value, min(low, value), max(high, value), n)
