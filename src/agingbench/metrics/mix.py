"""The drift of a mix (shares that sum to one): slopes of all parts, tested together.

A mix is, for example, how the calls of each session divide over the tools. As in `trend`, every
statistic is computed for all orderings of the sessions, and index 0 is the observed order.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import msgspec
import numpy as np

from agingbench.metrics.conditioning import residual_beside, trend_beside
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

    def variation_error(self) -> float:
        """Return the standard error of the total variation.

        Shuffled sessions show how the slopes vary by chance; here they do so around the observed.
        """
        around = self.slopes[0] + self.slopes[1:]
        variation = 0.5 * np.abs(around).sum(axis=1)
        return float(variation.std())

    def interval(self, half_width: float) -> tuple[float, float]:
        """Return the excess with its error on either side, `half_width` standard errors wide.

        The lower end lies above zero wherever chance alone would hardly reach the observed: a total
        variation is never negative, so that around nothing it varies less.
        """
        half = half_width * self.variation_error()
        low = self.excess - half
        if len(self.variation) > 1:
            by_chance = float(np.quantile(self.variation[1:], NormalDist().cdf(half_width)))
            low = max(low, float(self.variation[0]) - by_chance)

        return low, self.excess + half


def roots(shares: Floats, counts: Floats) -> Floats:
    """Return the square roots of the shares, with a quarter of a call added to every part.

    The variance of a share grows with the share; that of its root is about the same for rare and
    usual parts.
    """
    parts = shares.shape[1]
    calls = counts[:, None]
    smoothed = (shares * calls + 0.25) / (calls + 0.25 * parts)
    return np.asarray(np.sqrt(smoothed))


def fit_mix(
    shares: Floats,
    counts: Floats,
    orders: Orders,
    nuisance: Floats | None = None,
) -> MixFit:
    """Fit the slopes of all shares together; tested on roots of shares, reported in shares.

    With `nuisance` columns the slopes are those beside them, and what they leave over is permuted.

    Roots make the noise of rare and usual parts alike; what is left of the difference counts half.
    The choice was made on simulated drifts of moderate size: a score of Σ slope² / mean share saw
    the drift in 65 % of the agents, Σ slope² in 73 %, and Σ slope² of roots in 80 %.
    """
    w = precision_weights(counts)
    design = trend_design(len(w)) if nuisance is None else trend_beside(nuisance)
    n_orders = len(orders)
    parts = shares.shape[1]
    n_observed = int((w > 0).sum())
    df = n_observed - design.shape[1]

    noise = np.zeros((n_orders, parts))
    slopes = np.zeros((n_orders, 2 * parts))  # of the roots, then of the shares

    if df < 1 or parts < 2:
        nothing = np.zeros(n_orders)
        no_slopes = slopes[:, :parts]
        even = np.ones(parts) / parts
        return MixFit(
            scores=nothing,
            variation=nothing,
            slopes=no_slopes,
            noise=noise,
            root_slopes=no_slopes,
            mean=even,
            n=n_observed,
        )

    roots_and_shares = np.concatenate([roots(shares, counts), shares], axis=1)
    if nuisance is not None:
        roots_and_shares = residual_beside(nuisance, roots_and_shares, w)

    for rows, beta, inverse, residual in regressions(design, roots_and_shares, w, orders):
        root_residual = residual[:, :, :parts]
        power = (root_residual * root_residual).sum(axis=1)

        # One autocorrelation for the whole mix: its parts are shares of the same calls.
        later = root_residual[:, 1:]
        earlier = root_residual[:, :-1]
        products = (later * earlier).sum(axis=(1, 2))
        total_power = np.maximum(power.sum(axis=1), TINY)
        rho = corrected_rho(products / total_power, n_observed)

        mean_power = power.mean(axis=1, keepdims=True)
        variance = (OWN * power + (1 - OWN) * mean_power) / df
        slope_factor = inverse[:, 0, 0] * widening(rho)
        noise[rows] = variance * slope_factor[:, None]
        slopes[rows] = beta[:, 0, :]

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
    """Return one score per ordering: the sum over parts of slope² / variance of the slope."""
    ratios = slopes * slopes / np.maximum(noise, TINY)
    return np.asarray(ratios.sum(axis=1))


def visible_variation(fit: MixFit, needed: float, power: float = 0.8) -> float | None:
    """Return the smallest drift that reaches the score `needed` with this power; None if none does.

    The drift is a total variation beyond that of shuffled sessions. It moves mass between two
    halves of the mix, each part in proportion to its share.
    """
    has_noise = bool((fit.noise[1:] > TINY).any())
    if not math.isfinite(needed) or len(fit.scores) < 2 or not has_noise:
        return None

    # Every second part by size grows, so both halves hold usual and rare parts.
    by_size = np.argsort(-fit.mean, kind="stable")
    grows = np.zeros(len(by_size), dtype=bool)
    grows[by_size[::2]] = True
    gains = fit.mean / fit.mean[grows].sum()
    losses = -fit.mean / fit.mean[~grows].sum()
    direction = np.where(grows, gains, losses)

    # A small step d of a share p moves its root by d / (2 √p).
    root_direction = direction / (2 * np.sqrt(fit.mean))
    chance = float(fit.variation[1:].mean())

    for step in range(1, 101):
        size = step / 100
        root_slopes = fit.root_slopes[1:] + size * root_direction
        strength = _strength(root_slopes, fit.noise[1:])

        if float((strength >= needed).mean()) >= power:
            slopes = fit.slopes[1:] + size * direction
            drift = 0.5 * np.abs(slopes).sum(axis=1)
            return max(0.0, float(drift.mean()) - chance)

    return None
