"""Agreement between two raters: Cohen's kappa as an exact fraction, and its bootstrap interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.bootstrap import cluster_resample
from agingbench.metrics.intervals import LEVEL, MISSING, SEED, Estimate, wilson

RESAMPLES = 4000
_FEWEST_DEFINED = 0.5  # share of resamples that must have a kappa before their spread says anything


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa as an exact fraction; where it is None, `reason` says why.

    Being exact, `value >= Fraction(3, 5)` does not depend on rounding. `table` counts the pairs
    (label of a, label of b); pairs with a missing label are not in `n`.
    """

    value: Fraction | None
    reason: str | None
    n: int
    table: dict[tuple[Hashable, Hashable], int]

    @property
    def agreement(self) -> Fraction | None:
        """The share of pairs with equal labels, not corrected for chance."""
        if not self.n:
            return None

        equal = sum(count for (x, y), count in self.table.items() if x == y)
        return Fraction(equal, self.n)

    def by_rater(self) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
        """How often each rater gave each label: the margins of the table."""
        first: Counter[Hashable] = Counter()
        second: Counter[Hashable] = Counter()

        for (x, y), count in self.table.items():
            first[x] += count
            second[y] += count

        return dict(first), dict(second)


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> Kappa:
    """Return kappa of two raters' labels by position; a pair with None on either side is left out.

    Undefined, never 0 or 1, without any pair and where both raters gave one and the same label
    throughout: chance alone would have agreed fully.
    """
    places = _complete_pairs(a, b)
    table = dict(Counter((a[i], b[i]) for i in places))
    n = len(places)
    if n == 0:
        return Kappa(None, "no pair has both labels", 0, table)

    counts = Kappa(None, None, n, table)
    expected = _chance_agreement(counts)
    if expected == 1:
        return Kappa(None, "both raters gave one and the same label throughout", n, table)

    observed = counts.agreement or Fraction(0)
    return Kappa((observed - expected) / (1 - expected), None, n, table)


def kappa_interval(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
    n_boot: int = RESAMPLES,
    seed: int = SEED,
) -> Estimate:
    """Return kappa with its percentile bootstrap interval over pairs, or over `clusters` of pairs.

    Resamples without a kappa are left out; if these are half or more there is no interval. A sample
    whose pairs all agree (or all differ), or with a rater who gave one label only, has no spread to
    resample, so its interval is that of the agreement (Wilson) at the same chance agreement: five
    agreeing pairs do not prove kappa 1.
    """
    kappa = cohen_kappa(a, b)
    if kappa.value is None:
        return MISSING if kappa.n == 0 else Estimate(None, None, None, kappa.n)

    value = float(kappa.value)
    if kappa.agreement in (0, 1):
        low, high = _interval_without_spread(kappa, level)
        return Estimate(value, low, high, kappa.n)

    resampled = _resampled_kappas(a, b, clusters, n_boot, seed)
    if resampled.size < _FEWEST_DEFINED * n_boot:
        return Estimate(value, None, None, kappa.n)

    if np.ptp(resampled) < 1e-12:
        # A rater who gave one label throughout: every resample has the same kappa.
        low, high = _interval_without_spread(kappa, level)
        return Estimate(value, low, high, kappa.n)

    ends = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    low = float(ends[0])
    high = float(ends[1])

    return Estimate(value, min(low, value), max(high, value), kappa.n)


def _complete_pairs(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[int]:
    """Return the positions where both raters gave a label."""
    if len(a) != len(b):
        raise ValueError(f"pairs need equal lengths, got {len(a)} and {len(b)}")

    pairs = enumerate(zip(a, b, strict=True))
    return [i for i, (x, y) in pairs if x is not None and y is not None]


def _interval_without_spread(kappa: Kappa, level: float) -> tuple[float, float]:
    chance = float(_chance_agreement(kappa))
    value = float(kappa.value or 0)
    ends = wilson(float(kappa.agreement or 0), kappa.n, level)
    low, high = ((end - chance) / (1 - chance) for end in ends)
    return max(-1.0, min(low, value)), max(high, value)


def _chance_agreement(kappa: Kappa) -> Fraction:
    first, second = kappa.by_rater()
    chance = Fraction(0)
    for label, count in first.items():
        chance += Fraction(count * second.get(label, 0), kappa.n**2)

    return chance


def _resampled_kappas(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
    n_boot: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return the kappas of the resamples that have one."""
    if clusters is not None and len(clusters) != len(a):
        raise ValueError(f"one cluster per pair is needed, got {len(clusters)} for {len(a)}")

    places = _complete_pairs(a, b)
    n = len(places)
    group = _numbered([clusters[i] for i in places] if clusters is not None else range(n))
    labels = _numbered([a[i] for i in places] + [b[i] for i in places])
    k = int(labels.max()) + 1
    cell = labels[:n] * k + labels[n:]

    # One row per cluster: how many of its pairs fall into each cell of the k × k table.
    tables = np.zeros((int(group.max()) + 1, k * k))
    np.add.at(tables, (group, cell), 1.0)

    counts = cluster_resample(group, np.random.default_rng(seed), n_boot) @ tables
    shares = (counts / counts.sum(axis=1, keepdims=True)).reshape(n_boot, k, k)
    chance = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    observed = np.trace(shares, axis1=1, axis2=2)
    defined = chance < 1 - 1e-12
    kappas = (observed[defined] - chance[defined]) / (1 - chance[defined])

    return np.asarray(kappas, dtype=np.float64)


def _numbered(values: Sequence[Hashable]) -> NDArray[np.intp]:
    """Return equal numbers for equal values, in the order of their first appearance."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(v, len(number)) for v in values], dtype=np.intp)
