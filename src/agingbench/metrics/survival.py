"""Half-lives over many lives, with censoring: a censored one is beyond the last point of its life.

The restricted mean survival time (RMST) is the area under Kaplan and Meier's curve up to τ; where
lives are censored at τ only, it is the mean of min(half-life, τ). Its interval is Student's t on
Greenwood's variance, which without earlier censoring is that of a plain mean over lives. The median
comes from the same curve, its interval from the log-log interval of the curve, and is given from
MIN_LIVES lives up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from agingbench.metrics.intervals import MISSING, Estimate, normal_quantile, t_quantile

MIN_LIVES = 10


class SurvivalStep(msgspec.Struct, frozen=True):
    """The share of lives with a half-life beyond t, its 95 % interval, and the lives at risk."""

    t: float
    share: float
    low: float
    high: float
    at_risk: int
    died: int


class HalfLives(msgspec.Struct, frozen=True):
    """The half-lives of a cell.

    `undefined` lives have none: m(0) was 0, or their headline is missing. `median` is None below
    MIN_LIVES lives and where the curve stays above one half. `listed` holds every (half-life,
    False), and (last point, True) for a censored life.
    """

    n: int
    censored: int
    undefined: int
    tau: float | None
    rmst: Estimate
    median: Estimate
    listed: list[tuple[float, bool]]


def kaplan_meier(times: Sequence[float], censored: Sequence[bool]) -> list[SurvivalStep]:
    """Return the steps of the survival curve; a life censored at t was still at risk at t.

    Raises ValueError unless there is one finite time of at least 0 and one flag for each life.
    """
    t = np.asarray(times, dtype=np.float64)
    is_censored = np.asarray(censored, dtype=np.bool_)
    if t.size != is_censored.size or not np.isfinite(t).all() or (t < 0).any():
        raise ValueError("half-lives need one finite time of at least 0 and one flag each")

    deaths = t[~is_censored]
    steps: list[SurvivalStep] = []
    share = 1.0
    variance = 0.0  # Greenwood's sum: the variance of the logarithm of the share

    for at in np.unique(deaths):
        at_risk = int((t >= at).sum())
        died = int((deaths == at).sum())
        survivors = at_risk - died

        share *= 1 - died / at_risk
        variance += died / (at_risk * survivors) if survivors > 0 else math.inf

        low, high = _log_log(share, variance)
        steps.append(SurvivalStep(float(at), share, low, high, at_risk, died))

    return steps


def _log_log(share: float, variance: float) -> tuple[float, float]:
    """Return the interval of a share on the scale of log(−log share), which keeps it in 0..1."""
    if share <= 0:
        return 0.0, 1.0
    if share >= 1:
        return 1.0, 1.0

    half = normal_quantile() * math.sqrt(variance) / abs(math.log(share))
    low = share ** math.exp(half)
    high = share ** math.exp(-half)
    return low, high


def rmst(times: Sequence[float], censored: Sequence[bool], tau: float) -> Estimate:
    """Return the mean time up to τ before the half-life, with its interval within 0..τ.

    There is no interval where no life reached its half-life.
    """
    n = len(times)
    if n == 0:
        return MISSING

    steps = [step for step in kaplan_meier(times, censored) if step.t <= tau]
    heights = [1.0, *(step.share for step in steps)]
    starts = [0.0, *(step.t for step in steps)]
    ends = [*starts[1:], tau]

    areas = []
    for height, start, end in zip(heights, starts, ends, strict=True):
        areas.append(height * (end - start))

    value = min(tau, math.fsum(areas))
    if not steps or n < 2:
        return Estimate(value, None, None, n)

    # Greenwood's variance: an error in one step of the curve moves all the area behind it.
    variance = 0.0
    for i, step in enumerate(steps):
        area_behind = math.fsum(areas[i + 1 :])
        survivors = step.at_risk - step.died
        if survivors > 0:
            variance += area_behind**2 * step.died / (step.at_risk * survivors)

    half = t_quantile(n - 1) * math.sqrt(variance * n / (n - 1))
    return Estimate(value, max(0.0, value - half), min(tau, value + half), n)


def median(times: Sequence[float], censored: Sequence[bool]) -> Estimate:
    """Return where the curve comes to one half; an end is None where its bound never does."""
    steps = kaplan_meier(times, censored)

    def first_at_half(heights: Sequence[float]) -> float | None:
        for step, height in zip(steps, heights, strict=True):
            if height <= 0.5 + 1e-12:
                return step.t

        return None

    value = first_at_half([step.share for step in steps])
    low = first_at_half([step.low for step in steps])
    high = first_at_half([step.high for step in steps])

    return Estimate(value, low, high, len(times))


def half_lives(lives: Sequence[tuple[float | None, bool | None, float]]) -> HalfLives:
    """Summarise (half-life, whether it is censored, last point) of each life.

    τ is the earliest end of a life.
    """
    times: list[float] = []
    censored: list[bool] = []
    ends: list[float] = []

    for half, beyond, last in lives:
        if half is not None or beyond:
            times.append(last if half is None else half)
            censored.append(half is None)
            ends.append(last)

    n = len(times)
    tau = min(ends, default=None)

    middle = Estimate(None, None, None, n)
    if n >= MIN_LIVES:
        middle = median(times, censored)

    return HalfLives(
        n=n,
        censored=sum(censored),
        undefined=len(lives) - n,
        tau=tau,
        rmst=MISSING if tau is None else rmst(times, censored, tau),
        median=middle,
        listed=sorted(zip(times, censored, strict=True)),
    )
