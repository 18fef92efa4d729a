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
        """Return how often each rater gave each label: the margins of the table."""
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
    value = (observed - expected) / (1 - expected)
    return Kappa(value, None, n, table)


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
    """Return the positions where both raters gave a label; ValueError if the lengths differ."""
    if len(a) != len(b):
        raise ValueError(f"pairs need equal lengths, got {len(a)} and {len(b)}")

    places = []
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is not None and y is not None:
            places.append(i)

    return places


def _interval_without_spread(kappa: Kappa, level: float) -> tuple[float, float]:
    """Return Wilson's interval of the agreement, put on the scale of kappa."""
    chance = float(_chance_agreement(kappa))
    value = float(kappa.value or 0)

    agreement_low, agreement_high = wilson(float(kappa.agreement or 0), kappa.n, level)
    low = (agreement_low - chance) / (1 - chance)
    high = (agreement_high - chance) / (1 - chance)

    return max(-1.0, min(low, value)), max(high, value)


def _chance_agreement(kappa: Kappa) -> Fraction:
    """Return how often two raters would agree who gave these labels independently."""
    first, second = kappa.by_rater()

    chance = Fraction(0)
    for label, count in first.items():
        pairs = count * second.get(label, 0)
        chance += Fraction(pairs, kappa.n**2)

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
    group = _numbers(range(n) if clusters is None else [clusters[i] for i in places])

    # Both raters' labels are numbered together, so that equal labels have equal numbers.
    first = [a[i] for i in places]
    second = [b[i] for i in places]
    labels = _numbers(first + second)
    k = int(labels.max()) + 1
    cell = labels[:n] * k + labels[n:]

    # One row per cluster: how many of its pairs fall into each cell of the k × k table.
    tables = np.zeros((int(group.max()) + 1, k * k))
    np.add.at(tables, (group, cell), 1.0)

    draws = cluster_resample(group, np.random.default_rng(seed), n_boot)
    counts = draws @ tables
    shares = counts / counts.sum(axis=1, keepdims=True)
    square = shares.reshape(n_boot, k, k)

    first_margin = square.sum(axis=2)
    second_margin = square.sum(axis=1)
    chance = (first_margin * second_margin).sum(axis=1)
    observed = np.trace(square, axis1=1, axis2=2)

    has_kappa = chance < 1 - 1e-12
    observed = observed[has_kappa]
    chance = chance[has_kappa]
    kappas = (observed - chance) / (1 - chance)

    return np.asarray(kappas, dtype=np.float64)


def _numbers(values: Sequence[Hashable]) -> NDArray[np.intp]:
    """Return equal numbers for equal values, in the order of their first appearance."""
    number: dict[Hashable, int] = {}
    for value in values:
        number.setdefault(value, len(number))

    return np.array([number[value] for value in values], dtype=np.intp)
