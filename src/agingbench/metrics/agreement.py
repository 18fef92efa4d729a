"""Agreement between two raters: Cohen's kappa as an exact fraction, and its bootstrap interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.intervals import LEVEL, MISSING, SEED, Estimate, cluster_resample, wilson

RESAMPLES = 4000
_FEWEST_DEFINED = 0.5  # share of resamples that must have a kappa before their spread says anything


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa. `value` is exact, so `value >= Fraction(3, 5)` is no matter of rounding; None
    comes with a reason.

    `table` counts the pairs (label of a, label of b); pairs with a missing label are not in `n`.
    """

    value: Fraction | None
    reason: str | None
    n: int
    table: dict[tuple[Hashable, Hashable], int]

    @property
    def agreement(self) -> Fraction | None:
        """The share of pairs with equal labels, not corrected for chance."""
        return (
            Fraction(sum(c for (x, y), c in self.table.items() if x == y), self.n)
            if self.n
            else None
        )

    def by_rater(self) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
        """How often each rater gave each label: the margins of the table."""
        first: Counter[Hashable] = Counter()
        second: Counter[Hashable] = Counter()
        for (x, y), count in self.table.items():
            first[x] += count
            second[y] += count

        return dict(first), dict(second)


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> Kappa:
    """Kappa of two raters' labels by position; a pair with None on either side is left out.

    Undefined, never 0 or 1, without any pair and where both raters gave one and the same label
    throughout: chance alone would have agreed fully.
    """
    table = dict(Counter(_pairs(a, b)))
    n = sum(table.values())
    if n == 0:
        return Kappa(None, "no pair has both labels", 0, table)

    blank = Kappa(None, None, n, table)
    expected = _chance(blank)
    if expected == 1:
        return Kappa(None, "both raters gave one and the same label throughout", n, table)

    observed = blank.agreement or Fraction(0)
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
    """Kappa with its percentile bootstrap interval over pairs, or over whole `clusters` (episodes,
    trials) of pairs.

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
        low, high = _without_spread(kappa, level)
        return Estimate(value, low, high, kappa.n)

    drawn = _resampled(a, b, clusters, n_boot, seed)
    if drawn.size < _FEWEST_DEFINED * n_boot:
        return Estimate(value, None, None, kappa.n)

    if (
        np.ptp(drawn) < 1e-12
    ):  # a rater who gave one label throughout: every resample has the same kappa
        low, high = _without_spread(kappa, level)
        return Estimate(value, low, high, kappa.n)

    low, high = (float(q) for q in np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]))
    return Estimate(value, min(low, value), max(high, value), kappa.n)


def _pairs(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    if len(a) != len(b):
        raise ValueError(f"pairs need equal lengths, got {len(a)} and {len(b)}")
    return [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]


def _without_spread(kappa: Kappa, level: float) -> tuple[float, float]:
    chance = float(_chance(kappa))
    value = float(kappa.value or 0)
    low, high = (
        (p - chance) / (1 - chance) for p in wilson(float(kappa.agreement or 0), kappa.n, level)
    )
    return max(-1.0, min(low, value)), max(high, value)


def _chance(kappa: Kappa) -> Fraction:
    first, second = kappa.by_rater()
    return sum(
        (Fraction(first[label] * second.get(label, 0), kappa.n**2) for label in first), Fraction(0)
    )


def _resampled(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
    n_boot: int,
    seed: int,
) -> NDArray[np.float64]:
    """The kappas of the resamples that have one."""
    kept = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x is not None and y is not None]
    if clusters is not None and len(clusters) != len(a):
        raise ValueError(f"one cluster per pair is needed, got {len(clusters)} for {len(a)}")

    group = _numbered(
        [clusters[i] for i in kept] if clusters is not None else list(range(len(kept)))
    )
    labels = _numbered([a[i] for i in kept] + [b[i] for i in kept])
    k = int(labels.max()) + 1
    cell = labels[: len(kept)] * k + labels[len(kept) :]
    # One row per cluster: how many of its pairs fall into each cell of the k × k table.
    tables = np.zeros((int(group.max()) + 1, k * k))
    np.add.at(tables, (group, cell), 1.0)
    drawn = cluster_resample(group, np.random.default_rng(seed), n_boot) @ tables
    drawn = (drawn / drawn.sum(axis=1, keepdims=True)).reshape(n_boot, k, k)
    chance = (drawn.sum(axis=2) * drawn.sum(axis=1)).sum(axis=1)
    defined = chance < 1 - 1e-12
    observed = np.trace(drawn, axis1=1, axis2=2)

    return np.asarray(
        (observed[defined] - chance[defined]) / (1 - chance[defined]), dtype=np.float64
    )


def _numbered(values: Sequence[Hashable]) -> NDArray[np.intp]:
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(v, len(number)) for v in values], dtype=np.intp)
