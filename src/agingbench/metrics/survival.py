"""Half-lives over many lives: a censored one is known to lie beyond the last point, and is never
averaged away.

Restricted mean survival time: the area under Kaplan and Meier's curve up to τ, the mean of
min(half-life, τ) where lives are censored at τ only. Its interval is Student's t on Greenwood's
variance, which without earlier censoring is that of a plain mean over lives. The median comes from
the same curve, its interval from the log-log interval of the curve, and is given from MIN_LIVES
lives up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from agingbench.metrics.intervals import Estimate, normal_quantile, t_quantile

MIN_LIVES = 10


class Step(msgspec.Struct, frozen=True):
    """The share of lives whose half-life lies beyond t, with its 95 % interval, and how many were
    at risk at t.
    """

    t: float
    share: float
    low: float
    high: float
    at_risk: int
    died: int


class HalfLives(msgspec.Struct, frozen=True):
    """The half-lives of a cell. `undefined` lives have none, since m(0) was 0 or their headline is
    missing.

    `median` is None below MIN_LIVES lives and where the curve stays above one half; `listed` then
    says all there is, a censored life with its last point and True.
    """

    n: int
    censored: int
    undefined: int
    tau: float | None
    rmst: Estimate
    median: Estimate
    listed: list[tuple[float, bool]]


def kaplan_meier(times: Sequence[float], censored: Sequence[bool]) -> list[Step]:
    """The steps of the survival curve; a life that is censored at t was still at risk at t."""
    t, lost = _columns(times, censored)
    steps: list[Step] = []
    share = 1.0
    variance = 0.0

    for at in np.unique(t[~lost]):
        risk = int((t >= at).sum())
        died = int(((t == at) & ~lost).sum())
        share *= 1 - died / risk
        variance += died / (risk * (risk - died)) if risk > died else math.inf
        steps.append(Step(float(at), share, *_log_log(share, variance), risk, died))

    return steps


def _columns(times: Sequence[float], censored: Sequence[bool]) -> tuple[np.ndarray, np.ndarray]:
    t = np.asarray(times, dtype=np.float64)
    lost = np.asarray(censored, dtype=np.bool_)
    if t.size != lost.size or not np.isfinite(t).all() or (t < 0).any():
        raise ValueError("half-lives need one finite time of at least 0 and one flag each")

    return t, lost


def _log_log(share: float, variance: float) -> tuple[float, float]:
    if share <= 0 or share >= 1:
        return (0.0, 1.0) if share <= 0 else (1.0, 1.0)
    half = normal_quantile() * math.sqrt(variance) / abs(math.log(share))
    return share ** math.exp(half), share ** math.exp(-half)


def rmst(times: Sequence[float], censored: Sequence[bool], tau: float) -> Estimate:
    """The mean time up to τ before the half-life, with its interval within 0..τ; no interval where
    nobody fell.
    """
    n = len(times)
    if n == 0:
        return Estimate(None, None, None, 0)

    steps = [step for step in kaplan_meier(times, censored) if step.t <= tau]
    edges = [0.0, *(step.t for step in steps), tau]
    heights = [1.0, *(step.share for step in steps)]
    areas = [h * (b - a) for h, a, b in zip(heights, edges[:-1], edges[1:], strict=True)]
    value = min(tau, math.fsum(areas))
    if not steps or n < 2:
        return Estimate(value, None, None, n)

    variance = 0.0
    for i, step in enumerate(steps):
        rest = math.fsum(areas[i + 1 :])
        if step.at_risk > step.died:
            variance += rest**2 * step.died / (step.at_risk * (step.at_risk - step.died))

    half = t_quantile(n - 1) * math.sqrt(variance * n / (n - 1))
    return Estimate(value, max(0.0, value - half), min(tau, value + half), n)


def median(times: Sequence[float], censored: Sequence[bool]) -> Estimate:
    """Where the curve comes to one half; an end of the interval is None where the curve's bound
    never does.
    """
    steps = kaplan_meier(times, censored)

    def first(values: Sequence[float]) -> float | None:
        return next(
            (step.t for step, value in zip(steps, values, strict=True) if value <= 0.5 + 1e-12),
            None,
        )

    value = first([step.share for step in steps])
    low = first([step.low for step in steps])
    high = first([step.high for step in steps])

    return Estimate(value, low, high, len(times))


def half_lives(lives: Sequence[tuple[float | None, bool | None, float]]) -> HalfLives:
    """From (half-life, whether it is censored, last point) of each life; τ is the earliest end of a
    life.
    """
    known = [
        (last if half is None else half, half is None, last)
        for half, lost, last in lives
        if half is not None or lost
    ]
    times = [time for time, _, _ in known]
    flags = [lost for _, lost, _ in known]
    tau = min((last for _, _, last in known), default=None)
    mean = rmst(times, flags, tau) if tau is not None else Estimate(None, None, None, 0)
    enough = len(known) >= MIN_LIVES
    middle = median(times, flags) if enough else Estimate(None, None, None, len(known))
    listed = sorted(zip(times, flags, strict=True))

    return HalfLives(len(known), sum(flags), len(lives) - len(known), tau, mean, middle, listed)
