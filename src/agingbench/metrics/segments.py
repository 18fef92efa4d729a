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
    groups = [np.arange(start, min(n, start + run)) for start in range(0, n, run)]
    means = [vectors[g].sum(axis=0) / max(1.0, weight[g].sum()) for g in groups]
    points = np.array(means)
    m = len(groups)

    cost = _segment_costs(points)
    best = cost[0].copy()
    cuts = [[0]] * (m + 1)
    whole = float(cost[0, m])
    spread = whole / max(1, m - 1)
    chosen = [0]
    lowest = whole

    for k in range(2, min(MOST_SEGMENTS, m // 2) + 1):
        through = best[:, None] + cost
        at = through.argmin(axis=0)
        best = through.min(axis=0)
        cuts = [[*cuts[at[j]], int(at[j])] for j in range(m + 1)]

        penalty = PENALTY * spread * (k - 1)
        if best[m] + penalty < lowest:
            chosen = cuts[m]
            lowest = float(best[m]) + penalty

    labels = np.searchsorted(np.array(chosen[1:]), np.arange(m), side="right")
    sizes = [len(g) for g in groups]
    return np.repeat(labels, sizes).tolist()


def _segment_costs(points: Floats) -> Floats:
    """Return cost[a, b], the sum of squares of points a to b − 1 around their mean."""
    m = len(points)
    sums = np.vstack([np.zeros(points.shape[1]), np.cumsum(points, axis=0)])
    squares = np.r_[0.0, np.cumsum((points**2).sum(axis=1))]
    a, b = np.triu_indices(m + 1, 1)

    cost = np.full((m + 1, m + 1), np.inf)
    cost[a, b] = squares[b] - squares[a] - ((sums[b] - sums[a]) ** 2).sum(axis=1) / (b - a)

    return cost
