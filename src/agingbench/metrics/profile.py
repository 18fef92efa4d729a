"""The expected curve behind a measured one: a line with what its points deviate beyond chance.

A figure that jumps where a curve crosses a threshold cannot be had by resampling what was measured:
points on the threshold fall to one side in every resample. It can be had by drawing curves that the
life may have expected, and then the points that such a curve would have measured.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import clustered_covariance, sum_by
from agingbench.metrics.permutation import Floats

CROSSINGS = 400  # measured points that are drawn for every point of a life


class CurveCells(NamedTuple):
    """A curve table summed to one cell per (point, root fact, class), ordered by point.

    Cells are what is resampled; `starts` holds the index of each point's first cell.
    """

    ts: NDArray[np.int64]
    point: NDArray[np.intp]
    fact: NDArray[np.intp]
    group: NDArray[np.intp]
    weight: Floats
    score: Floats
    n_facts: int
    starts: NDArray[np.intp]


class LaterCells(NamedTuple):
    """The cells of the points t ≥ 1; `at` numbers these points from 0.

    Every point counts alike in a line, so a cell's `mass` is its share of its own point.
    """

    ts: Floats
    ms: Floats
    at: NDArray[np.intp]
    fact: NDArray[np.intp]
    group: NDArray[np.intp]
    value: Floats
    mass: Floats


def later_cells(cells: CurveCells) -> LaterCells:
    """Return the cells of the points t ≥ 1 with the curve that they make."""
    is_later = cells.ts >= 1
    n = int(is_later.sum())
    if n == 0:
        nothing = np.zeros(0)
        nowhere = np.zeros(0, dtype=np.intp)
        return LaterCells(nothing, nothing, nowhere, nowhere, nowhere, nothing, nothing)

    score = np.add.reduceat(cells.score, cells.starts)
    total = np.add.reduceat(cells.weight, cells.starts)
    curve = np.clip(score / total, 0.0, 1.0)

    later = is_later[cells.point]
    point = cells.point[later]
    weight = cells.weight[later]
    return LaterCells(
        ts=cells.ts[is_later].astype(np.float64),
        ms=curve[is_later],
        at=point - (cells.ts.size - n),
        fact=cells.fact[later],
        group=cells.group[later],
        value=cells.score[later] / weight,
        mass=weight / total[point],
    )


def expected_curves(cells: LaterCells, rng: np.random.Generator, count: int) -> Floats:
    """Draw curves that the life may have expected: draws × points t ≥ 1, in 0..1."""
    n = int(cells.ts.size)
    x = cells.ts - cells.ts.mean()
    spread = float(x @ x) if n > 1 else 1.0
    slope = float(x @ cells.ms) / spread
    line = cells.ms.mean() + slope * x

    # The sample is the root fact: how far whole facts pull height and slope, and how both together.
    shares = np.stack([cells.mass / n, cells.mass * x[cells.at] / spread])
    residual = cells.value - line[cells.at]
    covariance, df = clustered_covariance(cells.fact, shares, residual, cells.mass)
    if n == 1:
        covariance[1:, :] = covariance[:, 1:] = 0.0

    heavy_tail = np.sqrt(rng.chisquare(df, count) / df)
    normal = rng.multivariate_normal(np.zeros(2), covariance, count, method="svd")
    moves = normal / heavy_tail[:, None]

    curves = line + moves[:, :1] + moves[:, 1:] * x
    curves += _deviations(cells, line, rng, count)
    return np.asarray(np.clip(curves, 0.0, 1.0))


def _deviations(
    cells: LaterCells,
    line: Floats,
    rng: np.random.Generator,
    count: int,
) -> Floats:
    """Draw how far the expected points lie off the line: not at all, unless chance is exceeded."""
    n = int(cells.ts.size)
    if n < 4:
        return np.zeros((1, n))

    level = np.clip(line, 0.0, 1.0)
    noise = level * (1 - level) * sum_by(cells.at, cells.mass**2)
    deviation = cells.ms - line
    squares = float(deviation @ deviation) * n / (n - 2)

    # Two standard errors of a sum of squares: what chance alone hardly exceeds.
    by_chance = float(noise.sum()) * (1 + 2 * math.sqrt(2 / (n - 2)))
    if squares <= by_chance:
        return np.zeros((1, n))

    kept = 1 - float(noise.sum()) / squares
    spread = np.sqrt(kept * noise)
    return np.asarray(kept * deviation + spread * rng.standard_normal((count, n)))


def share_below(
    curves: Floats,
    cells: LaterCells,
    tau: float,
    rng: np.random.Generator,
) -> Floats:
    """Return, for each expected curve, the expected share of its measured points below τ.

    A measured point asks as many facts, of the same weights, as the life did there.
    """
    n = int(cells.ts.size)
    total = np.zeros(len(curves))
    for point in range(n):
        mass = cells.mass[cells.at == point]
        needed = np.sort(_needed_levels(mass, tau, rng))
        places = np.searchsorted(needed, curves[:, point], side="left")
        total += 1 - places / CROSSINGS

    return np.asarray(total / n)


def _needed_levels(mass: Floats, tau: float, rng: np.random.Generator) -> Floats:
    """Draw measured points: the level from which on each of them reaches τ.

    A fact is answered rightly at a level above a uniform number of its own, so a point reaches τ
    at the number that brings the mass of the smaller ones to τ.
    """
    if tau <= 0:
        return np.full(CROSSINGS, -1.0)
    if tau > 1:
        return np.full(CROSSINGS, 2.0)

    numbers = rng.random((CROSSINGS, mass.size))
    order = np.argsort(numbers, axis=1)
    reached = np.cumsum(mass[order], axis=1) >= tau * (1 - 1e-9)
    # The masses of a point sum to 1, rounding aside.
    reached[:, -1] = True
    first = np.argmax(reached, axis=1)[:, None]
    place = np.take_along_axis(order, first, axis=1)
    return np.asarray(np.take_along_axis(numbers, place, axis=1)[:, 0])
