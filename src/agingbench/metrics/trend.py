"""Trends and shocks over ordered sessions, tested by permuting the sessions: pure numbers in, pure
numbers out.

A test draws its orderings once (`orderings`) and every statistic is computed for all of them
together, row 0 being the order as it was. Weights travel with their session; time, strata and
events stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import t_quantile

Floats = NDArray[np.float64]
Orders = NDArray[np.intp]

MOST_RHO = 0.75
LAGS = 3
FADING = 0.4  # what the likeness of the next neighbour counts for, against that of the one before
CHUNK = 2_000_000  # cells of one step of work: bounds the memory, changes no result
TINY = 1e-12


class Fit(msgspec.Struct, frozen=True):
    """One effect over all orderings: `effects[0]` and `scores[0]` belong to the order as it was.

    `scores` are effects over their standard errors, widened where neighbouring residuals resemble
    each other.
    """

    effects: Floats
    scores: Floats
    errors: Floats
    rho: float
    n: int
    df: float

    @property
    def se(self) -> float:
        """The standard error in the order as it was."""
        return float(self.errors[0])

    @property
    def effect(self) -> float:
        """The effect in the order as it was."""
        return float(self.effects[0])

    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the effect by Student's t; None where the spread is unknown."""
        if self.df < 1 or not math.isfinite(self.se):
            return None

        half = t_quantile(self.df) * self.se
        return self.effect - half, self.effect + half


def session_times(n: int) -> Floats:
    """Sessions spread evenly over 0..1, so that a slope is the change from the first to the last."""
    return np.linspace(0.0, 1.0, n) if n > 1 else np.zeros(n)


def precision_weights(m: Floats, scale: float = 1.0) -> Floats:
    """m/(m + scale · median m) of the counts of observations; 0 where there is none."""
    counts = np.asarray(m, dtype=np.float64)
    seen = counts[counts > 0]
    if seen.size == 0:
        return np.zeros_like(counts)

    return np.asarray(
        np.where(counts > 0, counts / (counts + scale * np.median(seen)), 0.0), dtype=np.float64
    )


def orderings(
    n: int,
    count: int,
    rng: np.random.Generator,
    blocks: Sequence[int] | None = None,
    strata: Sequence[int] | None = None,
) -> Orders:
    """The identity and `count` random orderings of n sessions.

    With `blocks` (one label per session, equal labels adjacent) whole blocks change places; with
    `strata` sessions change places only within their stratum.
    """
    identity = np.arange(n, dtype=np.intp)
    rows = np.tile(identity, (count, 1))

    if blocks is not None:
        groups = [np.flatnonzero(np.asarray(blocks) == b) for b in dict.fromkeys(blocks)]
        for row in rows if n else ():
            row[:] = np.concatenate([groups[i] for i in rng.permutation(len(groups))])
    elif strata is not None:
        for label in dict.fromkeys(strata):
            places = np.flatnonzero(np.asarray(strata) == label)
            rows[:, places] = rng.permuted(rows[:, places], axis=1)
    else:
        rows = rng.permuted(rows, axis=1)

    return np.vstack([identity[None, :], rows])


def regressions(
    design: Floats, y: Floats, w: Floats, orders: Orders
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Weighted least squares of y (sessions × parts) on a design, ordering by ordering, in steps of
    bounded memory.

    Yields which orderings, the coefficients (ordering × column × part), the inverse of the normal
    matrix (ordering × column × column), and the residuals times the roots of the weights (ordering
    × session × part).
    """
    n, k = design.shape
    y = np.where((w > 0)[:, None], y, 0.0)
    outer = (design[:, :, None] * design[:, None, :]).reshape(n, k * k)
    ridge = np.eye(k) * (
        1e-10 * n
    )  # an ordering that leaves a column without weight has effect 0, not an error
    step = max(1, CHUNK // max(1, y.size))

    for start in range(0, len(orders), step):
        part = orders[start : start + step]
        wp = w[part]
        yp = y[part]
        inverse = np.linalg.inv((wp @ outer).reshape(-1, k, k) + ridge)
        beta = inverse @ (design.T @ (wp[:, :, None] * yp))
        yield (
            slice(start, start + len(part)),
            beta,
            inverse,
            np.sqrt(wp)[:, :, None] * (yp - design @ beta),
        )


def fit_effect(
    design: Floats, column: int, y: Floats, w: Floats, orders: Orders, *, rho: Floats | None = None
) -> Fit:
    """The coefficient of one column of a weighted linear model, for every ordering of (y, w)
    against the design.

    `rho` is the likeness of neighbours per ordering where it is known better than from this series
    alone.
    """
    n_seen = int((w > 0).sum())
    k = design.shape[1]
    df = n_seen - k
    rows = len(orders)
    effects = np.zeros(rows)
    scores = np.zeros(rows)
    errors = np.full(rows, math.inf)
    rho0 = 0.0
    if df < 1:
        return Fit(effects, scores, errors, rho0, n_seen, df)

    scale = float(np.abs(y[w > 0]).max()) + TINY
    for rows_of, beta, inverse, residual in regressions(design, y[:, None], w, orders):
        alike = _lag_one(residual[:, :, 0], n_seen) if rho is None else rho[rows_of]
        variance = (residual * residual).sum(axis=(1, 2)) / df
        se = np.sqrt(np.maximum(variance * inverse[:, column, column], 0.0) * widening(alike))
        effect = beta[:, column, 0]
        flat = se < 1e-9 * scale
        score = np.where(
            flat, np.where(np.abs(effect) < 1e-6 * scale, 0.0, np.sign(effect) * 1e6), 0.0
        )
        effects[rows_of], errors[rows_of] = effect, se
        scores[rows_of] = np.where(flat, score, effect / np.where(flat, 1.0, se))
        if rows_of.start == 0:
            rho0 = float(alike[0])

    return Fit(effects, scores, errors, rho0, n_seen, df)


def fit_designs(designs: Floats, column: int, y: Floats, w: Floats) -> Floats:
    """Studentised effects of one column for many designs (designs × sessions × columns) on the same
    values.
    """
    y = np.where(w > 0, y, 0.0)
    n_seen = int((w > 0).sum())
    k = designs.shape[2]
    if n_seen - k < 1:
        return np.zeros(len(designs))

    weighted = designs * w[None, :, None]
    inverse = np.linalg.inv(
        np.einsum("dni,dnj->dij", weighted, designs, optimize=True) + np.eye(k) * (1e-10 * len(w))
    )
    beta = np.einsum("dij,dj->di", inverse, np.einsum("dni,n->di", weighted, y, optimize=True))
    residual = y - np.einsum("dni,di->dn", designs, beta, optimize=True)
    variance = (w * residual * residual).sum(axis=1) / (n_seen - k)
    rho = _lag_one(np.sqrt(w) * residual, n_seen)
    se = np.sqrt(np.maximum(variance * inverse[:, column, column], 0.0) * widening(rho))

    return np.asarray(
        np.where(se > TINY, beta[:, column] / np.maximum(se, TINY), 0.0), dtype=np.float64
    )


def _lag_one(residual: Floats, n: int) -> Floats:
    power = (residual * residual).sum(axis=-1)
    return corrected_rho(
        (residual[..., 1:] * residual[..., :-1]).sum(axis=-1) / np.where(power > 0, power, 1.0), n
    )


def corrected_rho(rho: Floats, n: int) -> Floats:
    """Lag-1 autocorrelation of detrended residuals, corrected for its bias in short series, in
    0..0.75.

    A mean that is taken out costs (1 + 4ρ)/n, a trend one n-th more.
    """
    return np.asarray(np.clip(rho + (2 + 4 * rho) / n, 0.0, MOST_RHO), dtype=np.float64)


def widening(rho: Floats) -> Floats:
    """By how much the variance of a slope grows where neighbours resemble each other so much."""
    return np.asarray((1 + rho) / (1 - rho), dtype=np.float64)


def trend_design(n: int, strata: Sequence[int] | None = None) -> Floats:
    """Columns: time, then one per stratum (one for all without strata). The trend is column 0."""
    labels = [0] * n if strata is None else list(strata)
    dummies = [
        np.array([x == label for x in labels], dtype=np.float64) for label in dict.fromkeys(labels)
    ]
    return np.column_stack([session_times(n), *dummies])


def p_value(scores: Floats) -> float:
    """One-sided: how often an ordering scores at least what the order as it was scores, itself
    counted.
    """
    bar = scores[0] - 1e-9 * max(1.0, abs(float(scores[0])))
    return float((scores >= bar).sum() / len(scores))


def visible_slope(fit: Fit, needed: float | Floats, power: float = 0.8) -> float | None:
    """The smallest slope that would reach the score `needed` (one for all orderings, or one each)
    with this power.

    A slope added to an ordering moves its score by slope/error and leaves the error alone, so every
    ordering says which slope it would have needed.
    """
    if np.isposinf(needed).any() or len(fit.scores) < 2 or fit.df < 1:
        return None

    wanted = (needed - fit.scores[1:]) * fit.errors[1:]
    return max(0.0, float(np.quantile(wanted, power)))


def serial_correlations(
    values: Floats, w: Floats, orders: Orders, strata: Sequence[int] | None = None
) -> Floats:
    """Orderings × lags: how neighbours resemble each other beyond a linear trend, all columns taken
    together.
    """
    if values.shape[1] > len(
        w
    ):  # only inner products of sessions count: fewer columns have the same ones
        values = np.asarray(np.linalg.qr(values.T, mode="r")).T

    out = np.zeros((len(orders), LAGS))
    for rows_of, _, _, residual in regressions(trend_design(len(w), strata), values, w, orders):
        power = np.maximum((residual * residual).sum(axis=(1, 2)), TINY)
        for lag in range(1, min(LAGS, len(w) - 1) + 1):
            out[rows_of, lag - 1] = (residual[:, lag:] * residual[:, :-lag]).sum(
                axis=(1, 2)
            ) / power

    return out


def serial_likeness(correlations: Floats) -> Floats:
    """One figure per ordering: the nearest neighbour counts fully, the next ones less."""
    return np.asarray(correlations @ (FADING ** np.arange(LAGS)), dtype=np.float64)


def theil_sen(values: Sequence[float | None]) -> float | None:
    """The median slope over all pairs of points, as change from first to last; shown, never tested
    with.
    """
    points = [(i, v) for i, v in enumerate(values) if v is not None]
    if len(points) < 3:
        return None
    if len(points) > 400:  # pairs grow with the square; every k-th point tells the same slope
        points = points[:: math.ceil(len(points) / 400)]

    x = np.array([p[0] for p in points], dtype=np.float64)
    v = np.array([p[1] for p in points], dtype=np.float64)
    i, j = np.triu_indices(len(points), 1)

    return float(np.median((v[j] - v[i]) / (x[j] - x[i]))) * (len(values) - 1)


def binomial_tail(k: float, n: float, p: float) -> float:
    """P(X ≥ k) for a binomial; k and n may be fractional, as after division by a design effect."""
    from scipy.special import betainc

    if k <= 0:
        return 1.0

    return float(betainc(k, n - k + 1, p))


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of a proportion."""
    from scipy.special import betaincinv

    if not 0 <= k <= n or n < 1:
        raise ValueError(f"a count of 0..n with n ≥ 1 is needed, got {k} of {n}")

    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))

    return low, high


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Area under the ROC curve: the chance that a positive outscores a negative, ties counted half."""
    if not len(positive) or not len(negative):
        return None

    a = np.sort(np.asarray(positive, dtype=np.float64))
    b = np.sort(np.asarray(negative, dtype=np.float64))
    below = np.searchsorted(b, a, side="left").sum()
    ties = (np.searchsorted(b, a, side="right") - np.searchsorted(b, a, side="left")).sum()

    return float((below + 0.5 * ties) / (len(a) * len(b)))
