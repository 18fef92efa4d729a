"""Slope and time average of an aging curve.

The slope is taken within classes of facts (plain, revised, look-alike and so on, as the table names
them): a life asks for more revised facts the longer it lasts, and an agent that is always bad at
them would seem to age by the mix alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import (
    MISSING,
    Estimate,
    kish,
    linear_half_width,
    sum_by,
    t_quantile,
)
from agingbench.metrics.permutation import Floats
from agingbench.metrics.profile import LaterCells

MOST_LEVERAGE = 0.75  # of one fact; beyond it a residual says nothing
FEWEST_TO_SPARE = 0.5  # of a class of one fact, whose residuals say nothing


def time_average(cells: LaterCells) -> Estimate:
    """Return the mean of m(t) over the points t ≥ 1; n counts points.

    The residuals are taken from a line and not from each m(t): a point that one heavy probe
    dominates has no residual of its own, and 30-session lives would be covered at 90 % only.
    """
    n = int(cells.ts.size)
    if n == 0:
        return MISSING

    x = cells.ts - cells.ts.mean()
    height = float(cells.ms.mean())
    slope = float(x @ cells.ms) / float(x @ x) if n > 1 else 0.0
    line = height + slope * x

    residual = cells.value - line[cells.at]
    half = linear_half_width(cells.fact, cells.mass / n, residual, cells.mass)
    return Estimate(height, max(0.0, height - half), min(1.0, height + half), n)


def slope_within_classes(cells: LaterCells) -> Estimate:
    """Return the change per session within classes; n counts points.

    Least squares with one height per class and one slope for all. Missing where no class was asked
    at two points.
    """
    n = int(cells.ts.size)
    if n < 2:
        return Estimate(None, None, None, n)

    x = cells.ts[cells.at]
    run = x - _class_means(cells, x)
    rise = cells.value - _class_means(cells, cells.value)
    spread = float((cells.mass * run) @ run)
    if spread < 1e-9:
        return Estimate(None, None, None, n)

    slope = float((cells.mass * run) @ rise) / spread
    residual = rise - slope * run

    # The height of a class is fitted to its own facts, which takes one of them from the residuals.
    facts = _facts_by_class(cells)
    to_spare = np.maximum(facts - 1, FEWEST_TO_SPARE)
    if facts.size > 1:
        residual = residual * np.sqrt(facts / to_spare)[cells.group]

    # A fact with much leverage draws the line to itself, and its residuals are the smaller for it.
    leverage = sum_by(cells.fact, cells.mass * run**2 / spread)
    residual = residual / np.sqrt(1 - np.minimum(leverage, MOST_LEVERAGE))[cells.fact]

    half = linear_half_width(cells.fact, cells.mass * run / spread, residual, cells.mass)
    half = max(half, _half_width_of_equal_noise(cells, run / spread, residual))
    return Estimate(slope, slope - half, slope + half, n)


def _half_width_of_equal_noise(cells: LaterCells, leverage: Floats, residual: Floats) -> float:
    """Return half of the interval if all answers of a class are equally uncertain.

    The first points ask few facts, each with much leverage. Where these happen to be all right
    their residuals are small, and the facts' own spread would take luck for precision.
    """
    noise = np.sqrt(_class_means(cells, residual**2))
    share = cells.mass * leverage * noise
    likeness = _likeness_within_facts(cells.fact, residual)

    # The answers of a fact may be as one or each its own; likeness says where between the two.
    apart = sum_by(cells.fact, share**2)
    together = sum_by(cells.fact, share) ** 2
    size = likeness * together + (1 - likeness) * apart
    squares = float((size**2).sum())
    if squares == 0:
        return 0.0

    carriers = float(size.sum() ** 2 / squares)
    return t_quantile(carriers - 1) * float(np.sqrt(size.sum()))


def _likeness_within_facts(fact: NDArray[np.intp], residual: Floats) -> float:
    """Return how alike the residuals of one fact are: 0 as of different facts, 1 always equal."""
    squares = sum_by(fact, residual**2)
    products = sum_by(fact, residual) ** 2 - squares
    counts = np.bincount(fact).astype(np.float64)
    pairs = float((counts * (counts - 1)).sum())
    mean_square = float(squares.sum()) / max(float(counts.sum()), 1.0)
    if pairs == 0 or mean_square == 0:
        return 0.0

    return float(np.clip(products.sum() / pairs / mean_square, 0.0, 1.0))


def _class_means(cells: LaterCells, values: Floats) -> Floats:
    """Return, for each cell, the mean of its class."""
    mass = sum_by(cells.group, cells.mass)
    total = sum_by(cells.group, cells.mass * values)
    mean = total / np.maximum(mass, 1e-300)
    return np.asarray(mean[cells.group])


def _facts_by_class(cells: LaterCells) -> Floats:
    """Return Kish's number of facts in every class."""
    n_groups = int(cells.group.max()) + 1
    numbers = np.ones(n_groups)
    for group in range(n_groups):
        is_member = cells.group == group
        if is_member.any():
            _, fact = np.unique(cells.fact[is_member], return_inverse=True)
            numbers[group] = kish(sum_by(fact, cells.mass[is_member]))

    return numbers
