"""Curves of simulated lives with a known truth, to measure how often an interval holds it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.curve import CurveTable
from agingbench.metrics.permutation import Floats

FIRST_FACTS = 12  # told in session 0
FACTS_PER_SESSION = 7


class FlatLife(NamedTuple):
    """A life that answers rightly with the same chance at every point after the first.

    Facts are `persistent` (always right or always wrong) or answered anew each time.
    """

    level: float
    persistent: bool
    sessions: int = 10
    probes: int = 12


def simulate(rng: np.random.Generator, life: FlatLife) -> CurveTable:
    """Return the probes of one life; at point 0 every answer is right."""
    first = np.arange(min(FIRST_FACTS, life.probes))
    n_facts = FIRST_FACTS + FACTS_PER_SESSION * (life.sessions - 1)
    fates = rng.random(n_facts) < life.level

    ts = [np.zeros(first.size, dtype=np.int64)]
    facts: list[NDArray[np.intp]] = [first]
    values: list[Floats] = [np.ones(first.size)]

    for t in range(1, life.sessions + 1):
        told = FIRST_FACTS + FACTS_PER_SESSION * (t - 1)
        asked = rng.choice(told, min(life.probes, told), replace=False)
        answers = fates[asked] if life.persistent else rng.random(asked.size) < life.level
        ts.append(np.full(asked.size, t))
        facts.append(asked)
        values.append(answers.astype(np.float64))

    points = np.concatenate(ts)
    weights = np.ones(points.size)
    return CurveTable.of(points, np.concatenate(values), weights, np.concatenate(facts))


def expected_hazard(life: FlatLife, threshold: float) -> float:
    """Return the chance that a measured point of the life lies below the threshold."""
    from scipy.special import bdtr

    # The most right answers that leave a point below the threshold, rounding aside.
    most = int(np.ceil(threshold * life.probes - 1e-9)) - 1
    return float(bdtr(most, life.probes, life.level))


def expected_half_life(life: FlatLife) -> float:
    """Return where the expected curve, 1 at point 0, comes to one half; inf where it never does."""
    if life.level > 0.5:
        return math.inf
    return 0.5 / (1 - life.level)
