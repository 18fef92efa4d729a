"""Steps and lines through a figure, for every place and many orderings of sessions at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agingbench.metrics.permutation import TIE, Floats, Orders, toward_bad
from agingbench.metrics.trend import corrected_rho, rows_at_once, session_times, widening

TINY = 1e-12
OWN_SHARE = 0.5


def step_columns(n: int, places: Sequence[int]) -> Floats:
    """Return one column per place: 0 before it, 1 from it on."""
    positions = np.arange(n)[:, None]
    return np.asarray(positions >= np.array(places, dtype=np.intp)[None, :], dtype=np.float64)


def line_column(n: int) -> Floats:
    """Return the column of a straight line over sessions."""
    return session_times(n)[:, None]


def effects(columns: Floats, y: Floats, w: Floats, orders: Orders) -> tuple[Floats, Floats]:
    """Return each column's effect over its standard error, and the likeness of neighbours.

    Both are orderings × columns. The likeness is the lag-1 autocorrelation of what the column
    leaves over. A column that leaves no weight on one side scores 0.
    """
    n_observed = int((w > 0).sum())
    shape = (len(orders), columns.shape[1])
    ratios = np.zeros(shape)
    likeness = np.zeros(shape)
    if n_observed < 4:
        return ratios, likeness

    values = np.where(w > 0, y, 0.0)
    step = rows_at_once(2 * len(w))  # twice as many arrays at once as a regression has
    for start in range(0, len(orders), step):
        rows = slice(start, start + step)
        chunk = orders[rows]
        in_order = (values.take(chunk), w.take(chunk))
        ratios[rows], likeness[rows] = _effects(columns, *in_order, n_observed)

    return ratios, likeness


def _effects(
    columns: Floats, values: Floats, weights: Floats, n_observed: int
) -> tuple[Floats, Floats]:
    """Return ratios and likeness of a few orderings; values and weights are in their order."""
    shape = (len(values), columns.shape[1])
    ratios = np.zeros(shape)
    likeness = np.zeros(shape)
    total = np.maximum(weights.sum(axis=1), TINY)
    mean_y = (weights * values).sum(axis=1) / total
    centred = values - mean_y[:, None]
    roots = np.sqrt(weights)
    for number in range(columns.shape[1]):
        x = columns[:, number]
        mean_x = weights @ x / total
        deviation = x[None, :] - mean_x[:, None]
        power = (weights * deviation**2).sum(axis=1)
        slope = (weights * deviation * centred).sum(axis=1) / np.maximum(power, TINY)

        residual = roots * (centred - slope[:, None] * deviation)
        squares = (residual**2).sum(axis=1)
        products = (residual[:, 1:] * residual[:, :-1]).sum(axis=1)
        variance = squares / (n_observed - 2) / np.maximum(power, TINY)
        usable = (power > 1e-6 * total) & (variance > TINY * np.maximum(slope**2, TINY))
        ratio = slope / np.sqrt(np.where(usable, variance, 1.0))
        ratios[:, number] = np.where(usable, ratio, 0.0)
        likeness[:, number] = products / np.maximum(squares, TINY)

    return ratios, likeness


def widened(
    each: Sequence[tuple[Floats, Floats]], n: int, own_share: float = OWN_SHARE
) -> list[Floats]:
    """Return the scores of several figures, made smaller where neighbouring sessions are alike.

    One figure of few sessions tells its likeness badly: half of it is taken from all figures.
    """
    pooled = np.mean(np.stack([likeness for _, likeness in each]), axis=0)
    scores = []
    for ratios, likeness in each:
        rho = corrected_rho(own_share * likeness + (1 - own_share) * pooled, n)
        scores.append(np.asarray(ratios / np.sqrt(widening(rho))))

    return scores


def misfits(columns: Floats, y: Floats, w: Floats) -> Floats:
    """Return the weighted squared residual of each column, in the observed order."""
    total = float(w.sum())
    values = np.where(w > 0, y, 0.0)
    mean_y = float((w * values).sum()) / max(total, TINY)
    centred = values - mean_y
    deviation = columns - (w @ columns / max(total, TINY))[None, :]
    power = (w[:, None] * deviation**2).sum(axis=0)
    cross = ((w * centred)[:, None] * deviation).sum(axis=0)
    return np.asarray((w * centred**2).sum() - cross**2 / np.maximum(power, TINY))


def corrected_p_values(strongest: Sequence[Floats]) -> list[float]:
    """Return the p-value of each figure's strength, corrected over all figures.

    It is the share of orderings in which any figure is as extreme among its own orderings.
    """
    # A count of stronger orderings would be too coarse: of a thousand orderings, up to 20 are the
    # strongest for one of 20 figures, and no p could be smaller than their share. Normal scores
    # also tell by how much a strength is beyond all others.
    scores = [toward_bad(strength) for strength in strongest]
    highest = np.max(np.stack(scores), axis=0)
    return [float((highest >= score[0] - TIE).mean()) for score in scores]
