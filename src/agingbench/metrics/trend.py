"""Trends and effects over ordered sessions, computed for many orderings at once.

A test draws its orderings once (`permutation.orderings`) and computes every statistic for all of
them together; row 0 is the observed order. Weights travel with their session; time, strata and
lifecycle events stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import t_quantile
from agingbench.metrics.permutation import Floats, Orders

MOST_RHO = 0.75
LAGS = 3
FADING = 0.4  # weight of each further lag against the one before it
CHUNK = 2_000_000  # cells of one step of work: bounds the memory, changes no result
TINY = 1e-12
RIDGE = 1e-10  # an ordering that leaves a column without weight has effect 0, not an error
MOST_PAIRED = 400  # points of a Theil-Sen slope; pairs grow with the square
CERTAIN = 1e6  # the score of an effect without any residual


class EffectFit(msgspec.Struct, frozen=True):
    """One effect over all orderings; index 0 is the observed order.

    `scores` are effects over their standard errors, which are widened where neighbouring residuals
    resemble each other.
    """

    effects: Floats
    scores: Floats
    errors: Floats
    rho: float
    n: int
    df: float

    @property
    def se(self) -> float:
        """The standard error in the observed order."""
        return float(self.errors[0])

    @property
    def effect(self) -> float:
        """The effect in the observed order."""
        return float(self.effects[0])

    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the effect by Student's t; None where the spread is unknown."""
        if self.df < 1 or not math.isfinite(self.se):
            return None

        half = t_quantile(self.df) * self.se
        return self.effect - half, self.effect + half


def session_times(n: int) -> Floats:
    """Return n times spread evenly over 0..1, so that a slope is the change from first to last."""
    return np.linspace(0.0, 1.0, n) if n > 1 else np.zeros(n)


def zero_filled(values: Sequence[float | None]) -> Floats:
    """Return the values as an array with 0 for missing ones; their weight has to be 0 as well."""
    return np.array([0.0 if value is None else value for value in values], dtype=np.float64)


def precision_weights(counts: Floats, scale: float = 1.0) -> Floats:
    """Return m/(m + scale · median m) for counts m of observations; 0 where there are none."""
    m = np.asarray(counts, dtype=np.float64)
    positive = m[m > 0]
    if positive.size == 0:
        return np.zeros_like(m)

    weights = m / (m + scale * np.median(positive))
    return np.asarray(np.where(m > 0, weights, 0.0), dtype=np.float64)


def trend_design(n: int, strata: Sequence[int] | None = None) -> Floats:
    """Return the design of a trend: time in column 0, then one level per stratum."""
    labels = [0] * n if strata is None else list(strata)
    levels = []
    for stratum in dict.fromkeys(labels):
        members = [label == stratum for label in labels]
        levels.append(np.array(members, dtype=np.float64))

    return np.column_stack([session_times(n), *levels])


# ------------------------------------------------------------------------------------------------
# regressions


def regressions(
    design: Floats, y: Floats, w: Floats, orders: Orders
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Weighted least squares of y (sessions × parts) for every ordering, in bounded memory.

    Yields which orderings, the coefficients (ordering × column × part), the inverse of the normal
    matrix (ordering × column × column), and the residuals times the roots of the weights (ordering
    × session × part).
    """
    n, k = design.shape
    y = np.where((w > 0)[:, None], y, 0.0)
    outer = (design[:, :, None] * design[:, None, :]).reshape(n, k * k)
    ridge = np.eye(k) * (RIDGE * n)
    step = max(1, CHUNK // max(1, y.size))

    for start in range(0, len(orders), step):
        part = orders[start : start + step]
        rows = slice(start, start + len(part))
        wp = w[part]
        yp = y[part]

        inverse = np.linalg.inv((wp @ outer).reshape(-1, k, k) + ridge)
        beta = inverse @ (design.T @ (wp[:, :, None] * yp))
        residual = np.sqrt(wp)[:, :, None] * (yp - design @ beta)
        yield rows, beta, inverse, residual


def fit_effect(
    design: Floats, column: int, y: Floats, w: Floats, orders: Orders, *, rho: Floats | None = None
) -> EffectFit:
    """Fit one column of a weighted linear model for every ordering of (y, w) against the design.

    `rho` gives the autocorrelation per ordering where it is known better than from this series
    alone.
    """
    n_observed = int((w > 0).sum())
    df = n_observed - design.shape[1]
    effects = np.zeros(len(orders))
    scores = np.zeros(len(orders))
    errors = np.full(len(orders), math.inf)
    observed_rho = 0.0
    if df < 1:
        return EffectFit(effects, scores, errors, observed_rho, n_observed, df)

    scale = float(np.abs(y[w > 0]).max()) + TINY
    for rows, beta, inverse, residual in regressions(design, y[:, None], w, orders):
        row_rho = _residual_rho(residual[:, :, 0], n_observed) if rho is None else rho[rows]
        variance = (residual * residual).sum(axis=(1, 2)) / df
        squared_error = np.maximum(variance * inverse[:, column, column], 0.0)
        se = np.sqrt(squared_error * widening(row_rho))
        effect = beta[:, column, 0]

        # Without residuals a ratio says nothing: no effect scores 0, any other is certain.
        exact = se < 1e-9 * scale
        no_effect = np.abs(effect) < 1e-6 * scale
        exact_score = np.where(no_effect, 0.0, np.sign(effect) * CERTAIN)

        effects[rows] = effect
        errors[rows] = se
        scores[rows] = np.where(exact, exact_score, effect / np.where(exact, 1.0, se))
        if rows.start == 0:
            observed_rho = float(row_rho[0])

    return EffectFit(effects, scores, errors, observed_rho, n_observed, df)


def fit_designs(designs: Floats, column: int, y: Floats, w: Floats) -> Floats:
    """Return the studentised effect of one column for many designs on the same values.

    `designs` has the shape designs × sessions × columns.
    """
    y = np.where(w > 0, y, 0.0)
    n_observed = int((w > 0).sum())
    k = designs.shape[2]
    df = n_observed - k
    if df < 1:
        return np.zeros(len(designs))

    weighted = designs * w[None, :, None]
    normal = np.einsum("dni,dnj->dij", weighted, designs, optimize=True)
    inverse = np.linalg.inv(normal + np.eye(k) * (RIDGE * len(w)))
    moments = np.einsum("dni,n->di", weighted, y, optimize=True)
    beta = np.einsum("dij,dj->di", inverse, moments)
    residual = y - np.einsum("dni,di->dn", designs, beta, optimize=True)

    variance = (w * residual * residual).sum(axis=1) / df
    rho = _residual_rho(np.sqrt(w) * residual, n_observed)
    squared_error = np.maximum(variance * inverse[:, column, column], 0.0)
    se = np.sqrt(squared_error * widening(rho))
    scores = np.where(se > TINY, beta[:, column] / np.maximum(se, TINY), 0.0)

    return np.asarray(scores, dtype=np.float64)


def fit_clustered_slope(
    times: Floats, y: Floats, session: NDArray[np.intp], count: int, rng: np.random.Generator
) -> EffectFit:
    """Fit the slope of single observations over time, with sessions as clusters.

    The observations, not the sessions, are permuted `count` times.
    """
    n = len(y)
    x = times - times.mean()
    power = float((x * x).sum())

    if power < TINY:
        nothing = np.zeros(count + 1)
        return EffectFit(nothing, nothing.copy(), np.full(count + 1, np.inf), 0.0, n, 0)

    order = np.argsort(session, kind="stable")
    x = x[order]
    y = y[order]
    session = session[order]
    starts = np.flatnonzero(np.r_[True, session[1:] != session[:-1]])
    clusters = len(starts)

    identity = np.arange(n)
    permutations = rng.permuted(np.tile(identity, (count, 1)), axis=1)
    yp = y[np.vstack([identity, permutations])] - y.mean()
    slopes = yp @ x / power
    pulls = np.add.reduceat((yp - slopes[:, None] * x) * x, starts, axis=1)

    # The cluster error is unsteady where few sessions carry observations; the plain one is its
    # floor.
    robust = np.sqrt((pulls * pulls).sum(axis=1) * clusters / max(1, clusters - 1)) / power
    squares = ((yp - slopes[:, None] * x) ** 2).sum(axis=1)
    plain = np.sqrt(np.maximum(squares, 1e-9) / max(1, n - 2) / power)
    errors = np.maximum(robust, plain)

    return EffectFit(slopes, slopes / errors, errors, 0.0, n, clusters - 2)


def design_effect(hits: Floats, session: NDArray[np.intp]) -> float:
    """Return how much more sessions vary around a straight line than independent 0/1 values would.

    At least 1.
    """
    n = len(hits)
    share = float(hits.mean()) if n else 0.0
    if n < 4 or share in (0.0, 1.0):
        return 1.0

    x = session - session.mean()
    power = float((x * x).sum())
    slope = float((x * hits).sum()) / power if power else 0.0
    line = share + x * slope
    pulls = np.bincount(session, weights=hits - line) ** 2
    clusters = len(np.unique(session))
    line = np.clip(line, 0.01, 0.99)
    expected = float((line * (1 - line)).sum())

    return max(1.0, float(pulls.sum()) * clusters / max(1, clusters - 2) / expected)


def visible_slope(fit: EffectFit, needed: float | Floats, power: float = 0.8) -> float | None:
    """Return the smallest slope that reaches the score `needed` with this power; None if unknown.

    `needed` is one score for all orderings, or one each. A slope added to an ordering moves its
    score by slope/error and leaves the error alone, so every ordering says which slope it would
    have needed.
    """
    if np.isposinf(needed).any() or len(fit.scores) < 2 or fit.df < 1:
        return None

    slopes = (needed - fit.scores[1:]) * fit.errors[1:]
    return max(0.0, float(np.quantile(slopes, power)))


def theil_sen(values: Sequence[float | None]) -> float | None:
    """Return the median slope over all pairs, as change from first to last; never tested with.

    None for fewer than three values.
    """
    points = [(i, value) for i, value in enumerate(values) if value is not None]
    if len(points) < 3:
        return None
    if len(points) > MOST_PAIRED:
        points = points[:: math.ceil(len(points) / MOST_PAIRED)]

    x = np.array([place for place, _ in points], dtype=np.float64)
    y = np.array([value for _, value in points], dtype=np.float64)
    i, j = np.triu_indices(len(points), 1)
    slopes = (y[j] - y[i]) / (x[j] - x[i])

    return float(np.median(slopes)) * (len(values) - 1)


# ------------------------------------------------------------------------------------------------
# serial correlation


def corrected_rho(rho: Floats, n: int) -> Floats:
    """Return lag-1 autocorrelations of detrended residuals, corrected for their bias, in 0..0.75.

    In short series, taking out a mean costs (1 + 4ρ)/n, a trend one n-th more.
    """
    corrected = rho + (2 + 4 * rho) / n
    return np.asarray(np.clip(corrected, 0.0, MOST_RHO), dtype=np.float64)


def widening(rho: Floats) -> Floats:
    """Return the factor by which autocorrelation widens the variance of a slope."""
    return np.asarray((1 + rho) / (1 - rho), dtype=np.float64)


def _residual_rho(residual: Floats, n: int) -> Floats:
    power = (residual * residual).sum(axis=-1)
    products = (residual[..., 1:] * residual[..., :-1]).sum(axis=-1)
    return corrected_rho(products / np.where(power > 0, power, 1.0), n)


def serial_correlations(
    values: Floats, w: Floats, orders: Orders, strata: Sequence[int] | None = None
) -> Floats:
    """Return orderings × lags: the autocorrelation around a linear trend, over all columns."""
    if values.shape[1] > len(w):
        # Only inner products of sessions count, and fewer columns have the same ones.
        values = np.asarray(np.linalg.qr(values.T, mode="r")).T

    correlations = np.zeros((len(orders), LAGS))
    design = trend_design(len(w), strata)
    for rows, _, _, residual in regressions(design, values, w, orders):
        power = np.maximum((residual * residual).sum(axis=(1, 2)), TINY)
        for lag in range(1, min(LAGS, len(w) - 1) + 1):
            products = (residual[:, lag:] * residual[:, :-lag]).sum(axis=(1, 2))
            correlations[rows, lag - 1] = products / power

    return correlations


def serial_likeness(correlations: Floats) -> Floats:
    """Return one figure per ordering: lag 1 counts fully, further lags less."""
    return np.asarray(correlations @ (FADING ** np.arange(LAGS)), dtype=np.float64)
