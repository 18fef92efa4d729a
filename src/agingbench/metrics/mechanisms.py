"""Figures by mechanism: recall by depth, span and lag, accumulator errors, event windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from agingbench.metrics.intervals import Estimate, clustered_mean

FAILED = "failed"
LAG_BUCKETS = ("1", "2-3", "4-5", "6-7", "8-10", ">10")
_LAG_ENDS = (1, 3, 5, 7, 10)


class ProbeOutcome(msgspec.Struct, frozen=True):
    """One scored probe: its point, root fact, verdict, value, and place in the fact graph."""

    t: int
    cluster: str
    verdict: str
    value: float | None
    lag: int | None = None
    depth: int | None = None
    span: int | None = None
    hop: int | None = None


class VerdictShares(msgspec.Struct, frozen=True):
    """Share of each verdict among the probes that did not fail; `failed` ones are counted apart."""

    shares: dict[str, float]
    n: int
    n_failed: int


class AccountReading(msgspec.Struct, frozen=True):
    """What an account held (`gold`) and what the agent said it held; None without a number."""

    t: int
    account: str
    gold: float
    said: float | None


class AccumulatorPoint(msgspec.Struct, frozen=True):
    """Errors of all accounts at one point."""

    t: int
    absolute: float | None
    relative: float | None
    n: int
    n_unanswered: int


class AccumulatorErrors(msgspec.Struct, frozen=True):
    """Mean errors over answered readings, without an interval: one life holds few accounts."""

    absolute: float | None
    relative: float | None
    n: int
    n_unanswered: int
    trajectory: list[AccumulatorPoint]


class WindowDelta(msgspec.Struct, frozen=True):
    """Means of the curve before and after a lifecycle event; None where a side has no point."""

    pre: float | None
    post: float | None
    delta: float | None
    n_pre: int
    n_post: int


def scored(rows: Iterable[ProbeOutcome]) -> list[ProbeOutcome]:
    """Return the rows that carry a value; failed ones are left out, never scored."""
    return [row for row in rows if row.verdict != FAILED and row.value is not None]


def mean_value(rows: Iterable[ProbeOutcome]) -> Estimate:
    """Return the mean value over probes, with root facts, not probes, as the sample."""
    outcomes = scored(rows)
    values = np.array([row.value for row in outcomes], dtype=np.float64)
    weights = np.ones(len(outcomes))
    facts = [row.cluster for row in outcomes]
    return clustered_mean(values, weights, facts)


def mean_by_depth(rows: Iterable[ProbeOutcome]) -> dict[str, Estimate]:
    """Return the mean value per depth in rising order; rows without a depth are left out."""
    return _mean_by_number((row.depth, row) for row in scored(rows))


def mean_by_span(rows: Iterable[ProbeOutcome]) -> dict[str, Estimate]:
    """Return the mean value per span in rising order; rows without a span are left out."""
    return _mean_by_number((row.span, row) for row in scored(rows))


def mean_by_hop(rows: Iterable[ProbeOutcome]) -> dict[str, Estimate]:
    """Return the mean value per hop in rising order; rows without a hop are left out."""
    return _mean_by_number((row.hop, row) for row in scored(rows))


def _mean_by_number(rows: Iterable[tuple[int | None, ProbeOutcome]]) -> dict[str, Estimate]:
    groups: dict[int, list[ProbeOutcome]] = {}
    for number, row in rows:
        if number is not None:
            groups.setdefault(number, []).append(row)

    return {str(number): mean_value(groups[number]) for number in sorted(groups)}


def lag_bucket(lag: int) -> str:
    """Return the bucket of a lag in sessions; raises ValueError for a lag below 1."""
    if lag < 1:
        raise ValueError(f"a lag is at least 1, got {lag}")

    for bucket, end in zip(LAG_BUCKETS, _LAG_ENDS, strict=False):
        if lag <= end:
            return bucket

    return LAG_BUCKETS[-1]


def lag_recall(rows: Iterable[ProbeOutcome]) -> dict[str, Estimate]:
    """Return the mean value per lag bucket; empty ones are missing, lag 0 is left out."""
    groups: dict[str, list[ProbeOutcome]] = {bucket: [] for bucket in LAG_BUCKETS}
    for row in scored(rows):
        if row.lag is not None and row.lag >= 1:
            groups[lag_bucket(row.lag)].append(row)

    return {bucket: mean_value(members) for bucket, members in groups.items()}


def verdict_shares(rows: Iterable[ProbeOutcome]) -> VerdictShares:
    """Return the share of each verdict; shares sum to 1 over what did not fail."""
    counts = Counter(row.verdict for row in rows)
    n_failed = counts.pop(FAILED, 0)
    n = counts.total()

    shares = {verdict: counts[verdict] / n for verdict in sorted(counts)}
    return VerdictShares(shares, n, n_failed)


def accumulator_errors(readings: Iterable[AccountReading]) -> AccumulatorErrors:
    """Return mean absolute and relative errors of answered readings, overall and per point.

    Readings whose gold value is 0 have no relative error.
    """
    rows = list(readings)
    by_point: dict[int, list[AccountReading]] = {}

    for row in rows:
        by_point.setdefault(row.t, []).append(row)

    trajectory = [AccumulatorPoint(t, *_mean_errors(by_point[t])) for t in sorted(by_point)]
    return AccumulatorErrors(*_mean_errors(rows), trajectory)


def _mean_errors(rows: Sequence[AccountReading]) -> tuple[float | None, float | None, int, int]:
    """Return mean absolute and relative error, then the numbers of answered and unanswered rows."""
    absolute = []
    relative = []
    for row in rows:
        if row.said is None:
            continue

        error = abs(row.said - row.gold)
        size = abs(row.gold)
        absolute.append(error)
        if size > 0:
            relative.append(error / size)

    n_unanswered = len(rows) - len(absolute)
    return _mean(absolute), _mean(relative), len(absolute), n_unanswered


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def compounding(errors: Sequence[float | None]) -> bool | None:
    """Return whether the absolute error grows over three or more consecutive answered probes.

    Unanswered probes (None) are stepped over. Fewer than three answered: None.
    """
    answered = [abs(error) for error in errors if error is not None]
    if len(answered) < 3:
        return None

    # A run of errors that never fall starts at `start`; it counts once it has three members and
    # its last is larger than its first.
    start = 0
    for i in range(1, len(answered)):
        if answered[i] < answered[i - 1]:
            start = i
        elif i - start >= 2 and answered[i] > answered[start]:
            return True

    return False


def window_delta(points: Mapping[int, float], k: int, width: int = 2) -> WindowDelta:
    """Return the mean of the curve at k … k+width−1 against k−width … k−1, over points t ≥ 1."""
    pre = [points[t] for t in range(max(1, k - width), k) if t in points]
    post = [points[t] for t in range(max(1, k), k + width) if t in points]
    before = _mean(pre)
    after = _mean(post)
    delta = None if before is None or after is None else after - before

    return WindowDelta(before, after, delta, len(pre), len(post))
