"""Change points: cut a series of vectors into stretches whose members are alike."""

from __future__ import annotations

import math

import numpy as np

from agingbench.metrics.permutation import Floats

MOST_SEGMENTS = 10
MOST_POINTS = 150  # a longer series is averaged over runs of rows before it is cut
PENALTY = 1.5  # what a further cut has to save, in units of one point's share of the spread


def segment_labels(vectors: Floats, weight: Floats) -> list[int]:
    """Return the segment number of each row: least squares within segments, penalised cuts.

    Rows of weight 0 hold nothing and do not count in the average of their run.
    """
    n = len(vectors)
    run = math.ceil(n / MOST_POINTS)

    sizes = []
    means = []
    for start in range(0, n, run):
        group = np.arange(start, min(n, start + run))
        total = vectors[group].sum(axis=0)
        sizes.append(len(group))
        means.append(total / max(1.0, weight[group].sum()))

    m = len(means)
    starts = _best_starts(_segment_costs(np.array(means)), m)
    cuts = np.array(starts[1:])
    labels = np.searchsorted(cuts, np.arange(m), side="right")

    return np.repeat(labels, sizes).tolist()


def _best_starts(cost: Floats, m: int) -> list[int]:
    """Return where each segment of m points begins, for the number of segments that pays best.

    The best way to cut the first j points into k segments has a last segment that begins at some
    point a, and cuts the points before a into k − 1 segments in their best way. So `best[j]`, the
    lowest cost of the first j points, is found for k from its values for k − 1.
    """
    best = cost[0].copy()
    starts = [[0]] * (m + 1)
    uncut = float(cost[0, m])
    spread = uncut / max(1, m - 1)

    choice = [0]
    lowest = uncut

    for k in range(2, min(MOST_SEGMENTS, m // 2) + 1):
        total = best[:, None] + cost
        last_start = total.argmin(axis=0)
        best = total.min(axis=0)

        longer = []
        for j in range(m + 1):
            a = int(last_start[j])
            longer.append([*starts[a], a])
        starts = longer

        penalty = PENALTY * spread * (k - 1)
        if best[m] + penalty < lowest:
            choice = starts[m]
            lowest = float(best[m]) + penalty

    return choice


def _segment_costs(points: Floats) -> Floats:
    """Return cost[a, b], the sum of squares of points a to b − 1 around their mean."""
    m = len(points)
    sums = np.vstack([np.zeros(points.shape[1]), np.cumsum(points, axis=0)])
    squares = np.r_[0.0, np.cumsum((points**2).sum(axis=1))]

    # Σ(x − mean)² = Σx² − (Σx)²/n; running totals give both sums of every stretch at once.
    a, b = np.triu_indices(m + 1, 1)
    sum_of_squares = squares[b] - squares[a]
    square_of_sum = ((sums[b] - sums[a]) ** 2).sum(axis=1)

    cost = np.full((m + 1, m + 1), np.inf)
    cost[a, b] = sum_of_squares - square_of_sum / (b - a)

    return cost
