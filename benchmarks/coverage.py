"""How often the intervals of hazard and half-life hold the truth near the threshold.

python benchmarks/coverage.py [LIVES]
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from agingbench.metrics.curve import CurveStats, curve_stats
from agingbench.validity.simulated_curves import (
    FlatLife,
    expected_half_life,
    expected_hazard,
    simulate,
)

LEVELS = (0.4, 0.5, 0.6, 0.8)
THRESHOLD = 0.5  # half of m(0), which is 1 in these lives
RESAMPLES = 300


class Coverage(NamedTuple):
    """Shares of lives whose interval holds the truth, and the mean width for the hazard."""

    hazard: float
    width: float
    half_life: float


def measure(life: FlatLife, lives: int) -> Coverage:
    """Simulate lives and count."""
    rng = np.random.default_rng(1)
    stats = [curve_stats(simulate(rng, life), n_boot=RESAMPLES) for _ in range(lives)]
    hazard = expected_hazard(life, THRESHOLD)
    half_life = expected_half_life(life)

    return Coverage(
        hazard=float(np.mean([_holds_hazard(part, hazard) for part in stats])),
        width=float(np.mean([_width(part) for part in stats])),
        half_life=float(np.mean([_holds_half_life(part, half_life) for part in stats])),
    )


def _holds_hazard(stats: CurveStats, truth: float) -> bool:
    low = stats.hazard_proxy.low
    high = stats.hazard_proxy.high
    assert low is not None
    assert high is not None
    return low <= truth <= high


def _width(stats: CurveStats) -> float:
    return (stats.hazard_proxy.high or 0.0) - (stats.hazard_proxy.low or 0.0)


def _holds_half_life(stats: CurveStats, truth: float) -> bool:
    assert stats.half_life_ci is not None
    low, high = stats.half_life_ci
    return low <= truth <= (math.inf if high is None else high)


def main(lives: int) -> None:
    """Print a row per level, length and kind of fact."""
    print("level sessions facts        expected  covers  width  half-life covers")
    for sessions in (10, 30):
        for level in LEVELS:
            for persistent in (True, False):
                life = FlatLife(level, persistent, sessions)
                found = measure(life, lives)
                facts = "persistent" if persistent else "independent"
                expected = expected_hazard(life, THRESHOLD)
                print(
                    f"{level:5} {sessions:8} {facts:12} {expected:8.3f} {found.hazard:7.1%}"
                    f" {found.width:6.2f} {found.half_life:17.1%}"
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
