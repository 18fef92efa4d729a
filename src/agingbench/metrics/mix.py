"""The drift of a mix (shares that sum to one): slopes of all parts, tested together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from agingbench.metrics.permutation import Floats, Orders
from agingbench.metrics.trend import (
    TINY,
    corrected_rho,
    precision_weights,
    regressions,
    trend_design,
    widening,
)

OWN = 0.5  # how much a part's own noise counts, against the noise of all parts


class MixFit(msgspec.Struct, frozen=True):
    """The drift of a mix over all orderings: an F-like score and the total variation it implies."""

    scores: Floats
    variation: Floats  # half the sum of absolute slopes of the shares
    slopes: Floats  # ordering × part, of the shares
    noise: Floats  # ordering × part, the variance of the slopes of the roots
    root_slopes: Floats  # ordering × part, of the roots of the shares
    mean: Floats  # mean share per part
    n: int

    @property
    def excess(self) -> float:
        """Total variation from first to last session beyond the mean of shuffled sessions."""
        if len(self.variation) < 2:
            return 0.0
        return float(self.variation[0] - self.variation[1:].mean())


def roots(shares: Floats, counts: Floats) -> Floats:
    """Return the roots of the shares, a quarter of a call added to every part.

    The noise of a root is alike for rare and usual parts.
    """
    parts = shares.shape[1]
    calls = counts[:, None]
    return np.asarray(np.sqrt((shares * calls + 0.25) / (calls + 0.25 * parts)))


def fit_mix(
    shares: Floats, counts: Floats, orders: Orders, strata: Sequence[int] | None = None
) -> MixFit:
    """Fit the slopes of all shares together; tested on roots of shares, reported in shares.

    Roots make the noise of rare and usual parts alike; what is left of the difference counts half.
    On simulated drifts of moderate size Σ slope² / mean share was seen in 65 % of the agents, Σ
    slope² in 73 %, of roots in 80 %.
    """
    w = precision_weights(counts)
    design = trend_design(len(w), strata)
    parts = shares.shape[1]
    rows = len(orders)
    n_observed = int((w > 0).sum())
    df = n_observed - design.shape[1]
    noise = np.zeros((rows, parts))
    slopes = np.zeros((rows, 2 * parts))  # of the roots, then of the shares

    if df < 1 or parts < 2:
        nothing = np.zeros(rows)
        still = slopes[:, :parts]
        even = np.ones(parts) / parts
        return MixFit(nothing, nothing, still, noise, still, even, n_observed)

    both = np.concatenate([roots(shares, counts), shares], axis=1)
    for rows_of, beta, inverse, residual in regressions(design, both, w, orders):
        own = residual[:, :, :parts]
        power = (own * own).sum(axis=1)
        total = np.maximum(power.sum(axis=1), TINY)
        products = (own[:, 1:] * own[:, :-1]).sum(axis=(1, 2))
        rho = corrected_rho(products / total, n_observed)

        spread = (OWN * power + (1 - OWN) * power.mean(axis=1, keepdims=True)) / df
        noise[rows_of] = spread * (inverse[:, 0, 0] * widening(rho))[:, None]
        slopes[rows_of] = beta[:, 0, :]

    root_slopes = slopes[:, :parts]
    share_slopes = slopes[:, parts:]
    mean = (w[:, None] * shares).sum(axis=0) / w.sum()

    return MixFit(
        scores=_strength(root_slopes, noise),
        variation=0.5 * np.abs(share_slopes).sum(axis=1),
        slopes=share_slopes,
        noise=noise,
        root_slopes=root_slopes,
        mean=np.maximum(mean, TINY),
        n=n_observed,
    )


def _strength(slopes: Floats, noise: Floats) -> Floats:
    return np.asarray((slopes * slopes / np.maximum(noise, TINY)).sum(axis=1))


def visible_variation(fit: MixFit, needed: float, power: float = 0.8) -> float | None:
    """Return the smallest drift that reaches the score `needed` with this power; None if none does.

    The drift is a total variation beyond that of shuffled sessions. It moves mass between two
    halves of the mix, each part in proportion to its share.
    """
    if not math.isfinite(needed) or len(fit.scores) < 2 or not (fit.noise[1:] > TINY).any():
        return None

    order = np.argsort(-fit.mean, kind="stable")
    up = np.zeros(len(order), dtype=bool)
    up[order[::2]] = True
    gains = fit.mean / fit.mean[up].sum()
    losses = -fit.mean / fit.mean[~up].sum()
    direction = np.where(up, gains, losses)
    root_direction = direction / (2 * np.sqrt(fit.mean))
    chance = float(fit.variation[1:].mean())

    for step in range(1, 101):
        size = step / 100
        strength = _strength(fit.root_slopes[1:] + size * root_direction, fit.noise[1:])
        if float((strength >= needed).mean()) >= power:
            drift = 0.5 * np.abs(fit.slopes[1:] + size * direction).sum(axis=1)
            return max(0.0, float(drift.mean()) - chance)

    return None
