"""Permutation tests: random orderings of sessions, p-values over them, and joint scores.

Every array of scores holds one score per ordering. Index 0 is the order as it was observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Orders = NDArray[np.intp]  # one row per ordering, one column per position

NO_SPREAD = 1e-12
STRESS = 1.5  # power of a signal's square in the joint score; 1 would favour several that move
TIE = 1e-9  # relative; sums in another order differ by rounding, and a tie must count as a tie


def orderings(
    n: int,
    count: int,
    rng: np.random.Generator,
    blocks: Sequence[int] | None = None,
    strata: Sequence[int] | None = None,
) -> Orders:
    """Return the identity followed by `count` random orderings of n sessions.

    With `blocks` (one label per session, equal labels adjacent) whole blocks change places. With
    `strata` sessions change places only within their stratum.
    """
    identity = np.arange(n, dtype=np.intp)
    rows = np.tile(identity, (count, 1))

    if blocks is not None:
        labels = np.asarray(blocks)
        groups = [np.flatnonzero(labels == block) for block in dict.fromkeys(blocks)]
        for row in rows if n else ():
            shuffled = rng.permutation(len(groups))
            row[:] = np.concatenate([groups[i] for i in shuffled])
    elif strata is not None:
        labels = np.asarray(strata)
        for stratum in dict.fromkeys(strata):
            places = np.flatnonzero(labels == stratum)
            rows[:, places] = rng.permuted(rows[:, places], axis=1)
    else:
        rows = rng.permuted(rows, axis=1)

    return np.vstack([identity[None, :], rows])


def p_value(scores: Floats) -> float:
    """Return the one-sided p-value: the share of orderings that score at least the observed one.

    The observed order counts as one of the orderings, so p is never 0.
    """
    observed = float(scores[0])
    bar = scores[0] - TIE * max(1.0, abs(observed))
    return float((scores >= bar).sum() / len(scores))


def critical_value(scores: Floats, alpha: float) -> float:
    """Return the score that an ordering must reach to be significant at level alpha."""
    if len(scores) < 2:
        return math.inf
    return float(np.quantile(scores[1:], 1 - alpha))


def standardised(scores: Floats) -> Floats:
    """Return scores minus their mean over the random orderings, in units of their spread there."""
    random_scores = scores[1:]
    spread = float(random_scores.std())
    if spread <= NO_SPREAD:
        return np.zeros_like(scores)

    return np.asarray((scores - random_scores.mean()) / spread)


def toward_bad(scores: Floats) -> Floats:
    """Return scores by their rank as normal scores, with 0 in place of everything on the good side.

    By rank, because a score with a long tail would drown the others. A score beyond all others is
    as far beyond as it was, in units of the spread.
    """
    n = len(scores)
    random_scores = scores[1:]
    spread = float(random_scores.std()) if n > 1 else 0.0
    if spread <= NO_SPREAD:
        return np.zeros_like(scores)

    near = TIE * max(1.0, float(np.abs(scores).max()))
    ordered = np.sort(scores)
    below = np.searchsorted(ordered, scores - near, side="left")
    upto = np.searchsorted(ordered, scores + near, side="right")
    middle = (below + upto - 1) / 2  # of the ranks of all that are as high
    normal = np.interp(middle, np.arange(n), _normal_scores(n))
    beyond = (ordered[-1] - ordered[-2]) / spread
    normal = np.where(scores >= ordered[-1] - near, normal + beyond, normal)

    return np.maximum(normal, 0.0)


@lru_cache(maxsize=64)
def _normal_scores(n: int) -> Floats:
    """Return what n values of a normal distribution are expected to be, in order."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((i + 0.5) / n) for i in range(n)])


def joint_part(score: Floats, share: float) -> Floats:
    """Return what one signal adds to the joint score."""
    squares = share * toward_bad(score) ** 2
    return np.asarray(squares**STRESS)


def joint_score(scores: Sequence[Floats], shares: Sequence[float]) -> Floats:
    """Combine several signals into one score per ordering: the sum of third powers.

    They find one signal that moves alone nearly as well as that signal by itself would, and still
    several that move together, which a maximum would not.
    """
    parts = zip(scores, shares, strict=True)
    return np.asarray(sum(joint_part(score, share) for score, share in parts))
