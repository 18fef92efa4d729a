"""Trends and effects over ordered sessions, computed for many orderings at once.

A test draws its orderings once (`permutation.orderings`) and computes every statistic for all of
them together; row 0 is the observed order. An ordering moves the values of sessions together with
their weights; time, strata and lifecycle events keep their positions.

Words used here: a *design* is the matrix of a linear model, one row per session and one column per
regressor; a *stratum* is a group of sessions with a level of its own; *rho* is a lag-1
autocorrelation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import LEVEL
from agingbench.metrics.permutation import Floats, Orders
from agingbench.metrics.quantiles import quick_t_quantile

MOST_RHO = 0.75  # a bound: the variance of a slope is widened by 7 at most
LAGS = 3  # neighbours at a distance of up to three sessions
FADING = 0.4  # weight of each further lag against the one before it
# Cells of one step of work: a few arrays of them fit the cache that a core has to itself. Larger
# ones take up to twice as long. The size changes no result.
CHUNK = 40_000
ROWS = 8  # a step has a multiple of so many orderings, as matrix products are laid out
FEWEST_ROWS = 4  # of a step, unless one ordering is very long
VERY_LONG = 100_000  # cells
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

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the interval of the effect by Student's t; None where the spread is unknown."""
        if self.df < 1 or not math.isfinite(self.se):
            return None

        half = quick_t_quantile(self.df, level) * self.se
        return self.effect - half, self.effect + half


def session_times(n: int) -> Floats:
    """Return n times spread evenly over 0..1, so that a slope is the change from first to last."""
    if n > 1:
        return np.linspace(0.0, 1.0, n)
    return np.zeros(n)


def zero_filled(values: Sequence[float | None]) -> Floats:
    """Return the values as an array with 0 for missing ones; their weight has to be 0 as well."""
    filled = [0.0 if value is None else value for value in values]
    return np.array(filled, dtype=np.float64)


def precision_weights(counts: Floats, scale: float = 1.0) -> Floats:
    """Return m/(m + scale · median m) for counts m of observations; 0 where there are none.

    The weight rises with the count and levels off: sessions differ among themselves too, so a
    session of a thousand observations says little more than one of a hundred.
    """
    m = np.asarray(counts, dtype=np.float64)
    has_any = m > 0
    positive = m[has_any]
    if positive.size == 0:
        return np.zeros_like(m)

    typical = np.median(positive)
    weights = m / (m + scale * typical)

    return np.asarray(np.where(has_any, weights, 0.0), dtype=np.float64)


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


def rows_at_once(cells: int) -> int:
    """Return how many orderings of so many cells each make one step of work."""
    rows = CHUNK // max(1, cells)
    if rows >= ROWS:
        return rows // ROWS * ROWS
    return FEWEST_ROWS if cells <= VERY_LONG else 1


def regressions(
    design: Floats,
    y: Floats,
    w: Floats,
    orders: Orders,
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Fit y (sessions × parts) by weighted least squares for every ordering, in bounded memory.

    Yields which orderings, the coefficients (ordering × column × part), the inverse of the normal
    matrix (ordering × column × column), and the residuals times the roots of the weights (ordering
    × session × part).
    """
    n, k = design.shape
    observed = (w > 0)[:, None]
    y = np.where(observed, y, 0.0)

    # The products of a session's regressors do not depend on the ordering; only their weights do.
    # So the normal matrices of all orderings are one matrix product.
    products = design[:, :, None] * design[:, None, :]
    flat_products = products.reshape(n, k * k)
    ridge = np.eye(k) * (RIDGE * n)
    step = rows_at_once(y.size)
    weighted_y = w[:, None] * y
    root_weights = np.sqrt(w)[:, None]

    for start in range(0, len(orders), step):
        chunk = orders[start : start + step]
        rows = slice(start, start + len(chunk))

        # `take` is several times as fast as an index in brackets.
        normal = (w.take(chunk) @ flat_products).reshape(-1, k, k)
        inverse = np.linalg.inv(normal + ridge)
        moments = design.T @ weighted_y.take(chunk, axis=0)
        beta = inverse @ moments

        # Each step writes over what it no longer needs: these arrays are large.
        residual = design @ beta
        np.subtract(y.take(chunk, axis=0), residual, out=residual)
        residual *= root_weights.take(chunk, axis=0)
        yield rows, beta, inverse, residual


def fit_effect(
    design: Floats,
    column: int,
    y: Floats,
    w: Floats,
    orders: Orders,
    *,
    rho: Floats | None = None,
) -> EffectFit:
    """Fit one column of a weighted linear model for every ordering of (y, w) against the design.

    `rho` gives the autocorrelation per ordering where it is known better than from this series
    alone.
    """
    is_observed = w > 0
    n_observed = int(is_observed.sum())
    df = n_observed - design.shape[1]

    effects = np.zeros(len(orders))
    scores = np.zeros(len(orders))
    errors = np.full(len(orders), math.inf)
    observed_rho = 0.0
    if df < 1:
        return EffectFit(effects, scores, errors, observed_rho, n_observed, df)

    scale = float(np.abs(y[is_observed]).max()) + TINY
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
        ratio = effect / np.where(exact, 1.0, se)

        effects[rows] = effect
        errors[rows] = se
        scores[rows] = np.where(exact, exact_score, ratio)
        if rows.start == 0:
            observed_rho = float(row_rho[0])

    return EffectFit(effects, scores, errors, observed_rho, n_observed, df)


def fit_designs(designs: Floats, column: int, y: Floats, w: Floats) -> Floats:
    """Return the effect of one column over its standard error, for many designs on the same values.

    `designs` has the shape designs × sessions × columns.
    """
    is_observed = w > 0
    y = np.where(is_observed, y, 0.0)
    n_observed = int(is_observed.sum())
    k = designs.shape[2]
    df = n_observed - k
    if df < 1:
        return np.zeros(len(designs))

    # In the sums below d is a design, n a session, i and j are columns.
    weighted = designs * w[None, :, None]
    normal = np.einsum("dni,dnj->dij", weighted, designs, optimize=True)
    ridge = np.eye(k) * (RIDGE * len(w))
    inverse = np.linalg.inv(normal + ridge)

    moments = np.einsum("dni,n->di", weighted, y, optimize=True)
    beta = np.einsum("dij,dj->di", inverse, moments)
    fitted = np.einsum("dni,di->dn", designs, beta, optimize=True)
    residual = y - fitted

    variance = (w * residual * residual).sum(axis=1) / df
    rho = _residual_rho(np.sqrt(w) * residual, n_observed)
    squared_error = np.maximum(variance * inverse[:, column, column], 0.0)
    se = np.sqrt(squared_error * widening(rho))

    ratio = beta[:, column] / np.maximum(se, TINY)
    scores = np.where(se > TINY, ratio, 0.0)
    return np.asarray(scores, dtype=np.float64)


def fit_clustered_slope(
    times: Floats,
    y: Floats,
    session: NDArray[np.intp],
    count: int,
    rng: np.random.Generator,
) -> EffectFit:
    """Fit the slope of single observations over time, with sessions as clusters.

    The observations, not the sessions, are permuted `count` times.
    """
    n = len(y)
    x = times - times.mean()
    power = float((x * x).sum())

    if power < TINY:
        # All observations share one time: there is no slope to see.
        nothing = np.zeros(count + 1)
        unknown = np.full(count + 1, np.inf)
        return EffectFit(nothing, nothing.copy(), unknown, 0.0, n, 0)

    # Sorted by session, a cluster is a run of neighbours that `reduceat` can sum.
    order = np.argsort(session, kind="stable")
    x = x[order]
    y = y[order]
    session = session[order]
    starts_session = np.r_[True, session[1:] != session[:-1]]
    starts = np.flatnonzero(starts_session)
    clusters = len(starts)

    identity = np.arange(n)
    permutations = rng.permuted(np.tile(identity, (count, 1)), axis=1)
    orders = np.vstack([identity, permutations])
    values = y[orders] - y.mean()
    slopes = values @ x / power
    residual = values - slopes[:, None] * x

    # The cluster error is unsteady where few sessions carry observations; the plain one is its
    # floor.
    pulls = np.add.reduceat(residual * x, starts, axis=1)
    between = (pulls * pulls).sum(axis=1)
    robust = np.sqrt(between * clusters / max(1, clusters - 1)) / power

    squares = (residual**2).sum(axis=1)
    plain = np.sqrt(np.maximum(squares, 1e-9) / max(1, n - 2) / power)
    errors = np.maximum(robust, plain)

    return EffectFit(slopes, slopes / errors, errors, 0.0, n, clusters - 2)


def design_effect(hits: Floats, session: NDArray[np.intp]) -> float:
    """Return how much more sessions vary around a straight line than independent 0/1 values would.

    The factor is at least 1.
    """
    n = len(hits)
    share = float(hits.mean()) if n else 0.0
    if n < 4 or share in (0.0, 1.0):
        return 1.0

    x = session - session.mean()
    power = float((x * x).sum())
    slope = float((x * hits).sum()) / power if power else 0.0
    line = share + x * slope

    pulls = np.bincount(session, weights=hits - line)
    between = float((pulls**2).sum())
    clusters = len(np.unique(session))

    # A straight line may leave 0..1, where a 0/1 value has no variance.
    probability = np.clip(line, 0.01, 0.99)
    expected = float((probability * (1 - probability)).sum())

    # Mean and slope are estimated from the same sessions: two degrees of freedom less.
    ratio = between * clusters / max(1, clusters - 2) / expected
    return max(1.0, ratio)


def visible_slope(fit: EffectFit, needed: float | Floats, power: float = 0.8) -> float | None:
    """Return the smallest slope that reaches the score `needed` with this power; None if unknown.

    `needed` is one score for all orderings, or one each.
    """
    if np.isposinf(needed).any() or len(fit.scores) < 2 or fit.df < 1:
        return None

    # A slope added to an ordering moves its score by slope/error and leaves the error alone, so
    # every random ordering says which slope it would have needed.
    missing_scores = needed - fit.scores[1:]
    slopes = missing_scores * fit.errors[1:]

    return max(0.0, float(np.quantile(slopes, power)))


def theil_sen(values: Sequence[float | None]) -> float | None:
    """Return the median slope over all pairs of values, as change from first to last.

    None for fewer than three values. It only describes a series: no p-value rests on it.
    """
    points = [(i, value) for i, value in enumerate(values) if value is not None]
    if len(points) < 3:
        return None
    if len(points) > MOST_PAIRED:
        every = math.ceil(len(points) / MOST_PAIRED)
        points = points[::every]

    x = np.array([place for place, _ in points], dtype=np.float64)
    y = np.array([value for _, value in points], dtype=np.float64)

    earlier, later = np.triu_indices(len(points), 1)
    rise = y[later] - y[earlier]
    run = x[later] - x[earlier]
    slope_per_session = float(np.median(rise / run))

    return slope_per_session * (len(values) - 1)


# ------------------------------------------------------------------------------------------------
# serial correlation


def corrected_rho(rho: Floats, n: int) -> Floats:
    """Return lag-1 autocorrelations of detrended residuals, corrected for their bias, in 0..0.75.

    In short series the estimate is too low: by (1 + 4ρ)/n where a mean was taken out, and by
    another 1/n where a trend was.
    """
    bias = (2 + 4 * rho) / n
    corrected = rho + bias
    return np.asarray(np.clip(corrected, 0.0, MOST_RHO), dtype=np.float64)


def widening(rho: Floats) -> Floats:
    """Return the factor by which autocorrelation widens the variance of a slope."""
    return np.asarray((1 + rho) / (1 - rho), dtype=np.float64)


def _residual_rho(residual: Floats, n: int) -> Floats:
    """Return the corrected lag-1 autocorrelation along the last axis, 0 without any residual."""
    power = (residual * residual).sum(axis=-1)
    divisor = np.where(power > 0, power, 1.0)

    later = residual[..., 1:]
    earlier = residual[..., :-1]
    products = (later * earlier).sum(axis=-1)

    return corrected_rho(products / divisor, n)


def serial_correlations(
    values: Floats,
    w: Floats,
    orders: Orders,
    strata: Sequence[int] | None = None,
) -> Floats:
    """Return orderings × lags: the autocorrelation around a linear trend, over all columns."""
    if values.shape[1] > len(w):
        # Only inner products of sessions count, and fewer columns have the same ones.
        values = np.asarray(np.linalg.qr(values.T, mode="r")).T

    correlations = np.zeros((len(orders), LAGS))
    design = trend_design(len(w), strata)
    longest_lag = min(LAGS, len(w) - 1)

    for rows, _, _, residual in regressions(design, values, w, orders):
        squares = (residual * residual).sum(axis=(1, 2))
        power = np.maximum(squares, TINY)

        for lag in range(1, longest_lag + 1):
            later = residual[:, lag:]
            earlier = residual[:, :-lag]
            products = (later * earlier).sum(axis=(1, 2))
            correlations[rows, lag - 1] = products / power

    return correlations


def serial_likeness(correlations: Floats) -> Floats:
    """Return one figure per ordering: lag 1 counts fully, further lags less."""
    lag_weights = FADING ** np.arange(LAGS)
    return np.asarray(correlations @ lag_weights, dtype=np.float64)
