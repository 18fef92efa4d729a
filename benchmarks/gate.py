"""How often the gate fails equal systems, and how often it sees a drop: simulated pairs of lives.

    python benchmarks/gate.py [REPEATS]

A life has 10 points with 12 probes each over 40 facts. Each system keeps a fact or not, and answers
its probes with some noise. Lives may differ by a shift that hits one system and not the other. A
drop is worse than the limit where it exceeds the limit and its 95 % interval lies above 0.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from agingbench.bench.scoring.paired import Pair, paired_average
from agingbench.metrics.pooling import pooled_difference

POINTS = 10
PROBES = 12
FACTS = 40
LIMIT = 0.05


def life(
    rng: np.random.Generator, mean: float, persistent: float, shift: float
) -> NDArray[np.bool_]:
    """Whether each probe (point, number) is answered; a share of facts is kept or lost for good."""
    level = np.clip(mean + rng.normal(0, shift), 0.0, 1.0)
    facts = rng.random(FACTS) < level
    fixed = rng.random(FACTS) < persistent
    asked = FACTS_ASKED
    fresh = rng.random((POINTS, PROBES)) < level
    return np.asarray(np.where(fixed[asked], facts[asked], fresh), dtype=np.bool_)


FACTS_ASKED = np.random.default_rng(1).integers(0, FACTS, (POINTS, PROBES))


def worse(
    rng: np.random.Generator, seeds: int, drop: float, persistent: float, shift: float
) -> bool:
    """Whether the gate calls the second system worse over so many seeds."""
    estimates = []
    for _ in range(seeds):
        a = life(rng, 0.6, persistent, shift)
        b = life(rng, 0.6 - drop, persistent, shift)
        sample = [
            Pair(t + 1, float(a[t, i]), float(b[t, i]), 1.0, str(FACTS_ASKED[t, i]))
            for t in range(POINTS)
            for i in range(PROBES)
        ]
        estimates.append(paired_average(sample))
    pooled = estimates[0] if seeds == 1 else pooled_difference(estimates)
    return bool(pooled.value and pooled.low and pooled.value > LIMIT and pooled.low > 0)


def main() -> None:
    """Print the share of simulated gates that fail, by seeds, true drop and kind of noise."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"share of gates that fail at --max-drop {LIMIT:g}, {repeats} repeats")
    print(f"{'noise':28} {'seeds':>5} {'equal':>7} {'drop .1':>8} {'drop .2':>8}")
    kinds = {
        "independent probes": (0.0, 0.0),
        "persistent facts": (1.0, 0.0),
        "persistent, lives shift .05": (1.0, 0.05),
    }
    for name, (persistent, shift) in kinds.items():
        for seeds in (1, 3, 5, 10, 20):
            rng = np.random.default_rng([seeds, int(100 * persistent), int(100 * shift)])
            shares = []
            for drop in (0.0, 0.1, 0.2):
                fails = [worse(rng, seeds, drop, persistent, shift) for _ in range(repeats)]
                shares.append(float(np.mean(fails)))
            equal, small, large = shares
            print(f"{name:28} {seeds:>5} {equal:>7.1%} {small:>8.1%} {large:>8.1%}", flush=True)


if __name__ == "__main__":
    main()
