"""The aging curve of one life: slope, half-life, hazard, averages, and whether it ages.

Within a life the sample is the root fact with all its probes; resampling single probes would take
one fact asked ten times for ten observations. Coverage of the nominal 95 % intervals over simulated
lives (10 or 30 sessions, 10 probes a point; facts lost at the first write with probability .05 to
.7 and then held, or lost at 2 to 15 % a session):

    figure         method                                                    by facts    by probes
    m0, m_final    Wilson on the effective number of facts                   92–99 %
    decay_slope    variance over facts around the line, Student's t          94–100 %    85–96 %
    time_average   the same                                                  91–98 %     72–88 %
    half_life      percentiles over resampled and over expected curves       93–100 %
    hazard_proxy   percentiles over expected curves                          94–99 %

For half-life and hazard these are lives of a constant level of .4 to .8 around the threshold .5
(`validity.simulated_curves`), with facts that are always right or always wrong and with facts that
are answered anew each time. The slope is taken within classes of facts (`line`).

Flat lossy lives are called aging in 0 to 3 % of cases. An agent that loses 8 % of its facts a
session, with 12 probes a point, is found in 52 % of lives of 10 sessions, 78 % of 15, 92 % of 20
(79, 96 and 100 % if the first write is spared).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from agingbench.metrics.halflife import (
    TINY,
    crossing,
    expected_half_lives,
    fit_half_life,
    half_life_interval,
    hazard,
    resampled_half_lives,
)
from agingbench.metrics.intervals import (
    MISSING,
    SEED,
    Estimate,
    clustered_mean,
    newcombe,
    sum_by,
)
from agingbench.metrics.line import slope_within_classes, time_average
from agingbench.metrics.permutation import Floats
from agingbench.metrics.profile import (
    CurveCells,
    LaterCells,
    expected_curves,
    later_cells,
    share_below,
)

MIN_POINTS = 4
MIN_DROP = 0.10  # of the height at which the fitted line starts
MAX_SLOPE = -0.01  # per session
N_BOOT = 1000
# Due facts per sampled probe; far beyond any life, and near enough to 1 that no sum overflows.
LIGHTEST = 1e-9


class CurveRow(NamedTuple):
    """One probe result: point, value (None where the call failed), weight, root fact, class."""

    t: int
    value: float | None
    weight: float
    cluster: str
    group: str = ""


PlainRow = tuple[int, float | None, float, str]


@dataclass(frozen=True)
class CurveTable:
    """Probe results of one life in canonical order: point, value in 0..1, weight, root fact, class.

    The class (`group`) is what a fact is at that point, such as plain or revised.
    """

    t: NDArray[np.int64]
    value: Floats
    weight: Floats
    cluster: NDArray[np.str_]
    group: NDArray[np.str_]

    @classmethod
    def of(
        cls,
        t: ArrayLike,
        value: ArrayLike,
        weight: ArrayLike,
        cluster: ArrayLike,
        group: ArrayLike | None = None,
    ) -> CurveTable:
        """Build a table from columns, sorted so that the order of the rows changes no figure.

        Without groups all rows are of one class. Raises ValueError where columns differ in length
        or hold impossible values.
        """
        points = np.asarray(t, dtype=np.int64).ravel()
        values = np.asarray(value, dtype=np.float64).ravel()
        weights = np.asarray(weight, dtype=np.float64).ravel()
        clusters = np.asarray(cluster, dtype=np.str_).ravel()
        groups = np.zeros(points.size, dtype=np.str_)
        if group is not None:
            groups = np.asarray(group, dtype=np.str_).ravel()

        sizes = {column.size for column in (points, values, weights, clusters, groups)}
        if len(sizes) > 1:
            raise ValueError("the columns of a curve table differ in length")

        in_range = (values >= 0) & (values <= 1)
        if not in_range.all() or (points < 0).any():
            raise ValueError("a curve table holds values in 0..1 at points t >= 0")

        in_bounds = (weights >= LIGHTEST) & (weights <= 1 / LIGHTEST)
        if not in_bounds.all():
            raise ValueError(
                f"the weights of a curve table lie between {LIGHTEST} and {1 / LIGHTEST}"
            )

        order = np.lexsort((weights, values, groups, clusters, points))
        table = cls(points, values, weights, clusters, groups)
        return table.where(order)

    @classmethod
    def from_rows(cls, rows: Iterable[CurveRow | PlainRow]) -> CurveTable:
        """Build a table from rows (t, value, weight, cluster) with or without a class.

        Failed probes are left out.
        """
        answered = [row for row in rows if row[1] is not None]
        if not answered:
            return cls.of((), (), (), ())

        columns: Sequence[Sequence[Any]] = list(zip(*answered, strict=True))
        return cls.of(*columns)

    def at(self, t: int) -> CurveTable:
        """Return the rows of one point."""
        return self.where(self.t == t)

    def where(self, wanted: NDArray[np.bool_] | NDArray[np.intp]) -> CurveTable:
        """Return some of the rows: those marked, or those numbered in their order."""
        return CurveTable(
            self.t[wanted],
            self.value[wanted],
            self.weight[wanted],
            self.cluster[wanted],
            self.group[wanted],
        )


class CurvePoint(msgspec.Struct, frozen=True):
    """One point of the curve with its interval and the number of probes it rests on."""

    t: int
    m: float
    n: int
    low: float
    high: float


class CurveStats(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one life's curve says.

    n of an Estimate counts probes for m0 and m_final, points t ≥ 1 for decay_slope, hazard_proxy
    and time_average, root facts at t = 0 or 1 for first_write_loss.
    """

    m0: Estimate
    m_final: Estimate
    decay_slope: Estimate
    hazard_proxy: Estimate
    time_average: Estimate
    first_write_loss: Estimate
    half_life: float | None
    half_life_ci: tuple[float, float | None] | None
    half_life_censored: bool | None
    half_life_reason: str | None
    half_life_first_crossing: float | None
    aging_detected: bool | None
    aging_reason: str
    n_points: int
    n_probes: int
    n_clusters: int


def points(
    t: ArrayLike,
    value: ArrayLike,
    weight: ArrayLike,
    cluster: ArrayLike | None = None,
) -> list[CurvePoint]:
    """Return m(t) = Σwv/Σw at every point that has rows, with Wilson's interval on Kish's n.

    With `cluster`, several probes of one root fact at one point count for as much as their spread
    over facts warrants.
    """
    if cluster is None:
        cluster = np.arange(np.asarray(t).size)

    table = CurveTable.of(t, value, weight, cluster)
    ts = np.unique(table.t).tolist()
    return [_point(table.at(point), point) for point in ts]


def _point(rows: CurveTable, t: int) -> CurvePoint:
    estimate = clustered_mean(rows.value, rows.weight, rows.cluster)
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return CurvePoint(t, estimate.value, estimate.n, estimate.low, estimate.high)


def _cells(table: CurveTable) -> CurveCells:
    ts, point = np.unique(table.t, return_inverse=True)
    facts, fact = np.unique(table.cluster, return_inverse=True)

    groups, group = np.unique(table.group, return_inverse=True)

    # One number per point, fact and class: sorting the numbers sorts by point first.
    n_facts = max(facts.size, 1)
    n_groups = max(groups.size, 1)
    numbers = (point * n_facts + fact) * n_groups + group
    keys, cell = np.unique(numbers, return_inverse=True)
    places, cell_group = np.divmod(keys, n_groups)
    cell_point, cell_fact = np.divmod(places, n_facts)

    return CurveCells(
        ts=ts,
        point=cell_point,
        fact=cell_fact,
        group=cell_group,
        weight=sum_by(cell, table.weight),
        score=sum_by(cell, table.weight * table.value),
        n_facts=int(facts.size),
        starts=np.searchsorted(cell_point, np.arange(ts.size)),
    )


def curve_stats(
    table: CurveTable,
    threshold: float | None = None,
    *,
    final_t: int | None = None,
    n_boot: int = N_BOOT,
    seed: int = SEED,
) -> CurveStats:
    """Return all statistics of one life's curve; `threshold` is the failure threshold τ.

    m(0) sets the half-life threshold (and τ unless given) and nothing else; the rest reads the
    points t ≥ 1. m_final is m(final_t), by default the last point t ≥ 1 that exists.
    """
    cells = _cells(table)
    later = later_cells(cells)
    ts = later.ts
    ms = later.ms
    m0 = _estimate_at(table, 0)
    if final_t is None and ts.size:
        final_t = int(ts[-1])

    tau = threshold
    if tau is None and m0.value is not None:
        tau = 0.5 * m0.value

    slope = slope_within_classes(later)
    n_classes = np.unique(later.group).size
    detected, reason = _aging(ts, ms, slope, n_classes)
    half = fit_half_life(ts, ms, m0.value)
    jumps = _jumping_figures(cells, later, tau, m0.value, n_boot, seed)

    return CurveStats(
        m0=m0,
        m_final=MISSING if final_t is None else _estimate_at(table, final_t),
        decay_slope=slope,
        hazard_proxy=hazard(ms, tau, jumps.hazards),
        time_average=time_average(later),
        first_write_loss=_first_write_loss(table),
        half_life=half.value,
        half_life_ci=half_life_interval(half, jumps.half_lives, ts),
        half_life_censored=half.censored,
        half_life_reason=half.reason,
        half_life_first_crossing=None if m0.value is None else crossing(ts, ms, m0.value),
        aging_detected=detected,
        aging_reason=reason,
        n_points=int(cells.ts.size),
        n_probes=int(table.t.size),
        n_clusters=cells.n_facts,
    )


class JumpingFigures(NamedTuple):
    """Samples of the figures that jump where a curve crosses a threshold."""

    hazards: Floats
    half_lives: list[Floats]


def _jumping_figures(
    cells: CurveCells,
    later: LaterCells,
    tau: float | None,
    m0: float | None,
    n_boot: int,
    seed: int,
) -> JumpingFigures:
    if not later.ts.size:
        return JumpingFigures(np.zeros(0), [])

    rng = np.random.default_rng(seed)
    curves = expected_curves(later, rng, n_boot)
    hazards = np.zeros(0) if tau is None else share_below(curves, later, tau, rng)
    expected = expected_half_lives(later.ts, curves, m0)
    resampled = resampled_half_lives(cells, n_boot, seed)
    return JumpingFigures(hazards, [expected, resampled])


def _estimate_at(table: CurveTable, t: int) -> Estimate:
    rows = table.at(t)
    return clustered_mean(rows.value, rows.weight, rows.cluster)


# ------------------------------------------------------------------------------------------------
# first write


def _first_write_loss(table: CurveTable) -> Estimate:
    """Return m(0) − m(1) with Newcombe's interval, paired over the facts asked at both points.

    Both points are weighted to the same mix of classes, that of the two together; a class that was
    asked at one of them only is left out.
    """
    before, after = _same_mix(table.at(0), table.at(1))
    if not before.t.size or not after.t.size:
        return MISSING

    a = _point(before, 0)
    b = _point(after, 1)
    correlation = _pair_correlation(before, after)
    low, high = newcombe((a.m, a.low, a.high), (b.m, b.low, b.high), correlation)

    facts = np.union1d(before.cluster, after.cluster)
    return Estimate(a.m - b.m, low, high, int(facts.size))


def _same_mix(one: CurveTable, other: CurveTable) -> tuple[CurveTable, CurveTable]:
    """Return two points with their weights scaled to one mix of classes."""
    shared = np.intersect1d(one.group, other.group)
    one = one.where(np.isin(one.group, shared))
    other = other.where(np.isin(other.group, shared))
    if shared.size < 2:
        return one, other

    shares = [_class_shares(point, shared) for point in (one, other)]
    mix = (shares[0] + shares[1]) / 2
    points = []
    for point, share in zip((one, other), shares, strict=True):
        place = np.searchsorted(shared, point.group)
        weight = point.weight * (mix / share)[place]
        points.append(replace(point, weight=weight))
    return points[0], points[1]


def _class_shares(point: CurveTable, groups: NDArray[np.str_]) -> Floats:
    place = np.searchsorted(groups, point.group)
    weight = sum_by(place, point.weight)
    return np.asarray(weight / weight.sum())


def _pair_correlation(before: CurveTable, after: CurveTable) -> float:
    """Return the correlation over facts asked at both points, scaled to their share."""
    first = _fact_means(before)
    second = _fact_means(after)
    shared = sorted(first.keys() & second.keys())
    if len(shared) < 3:
        return 0.0

    a = np.array([first[fact] for fact in shared])
    b = np.array([second[fact] for fact in shared])
    if a.std() < TINY or b.std() < TINY:
        return 0.0

    correlation = float(np.corrcoef(a, b)[0, 1])
    overlap = len(shared) / math.sqrt(len(first) * len(second))
    return correlation * overlap


def _fact_means(rows: CurveTable) -> dict[str, float]:
    facts, index = np.unique(rows.cluster, return_inverse=True)
    score = sum_by(index, rows.weight * rows.value)
    weight = sum_by(index, rows.weight)
    mean = score / weight
    return dict(zip(facts.tolist(), mean.tolist(), strict=True))


# ------------------------------------------------------------------------------------------------
# detection


def _aging(ts: Floats, ms: Floats, slope: Estimate, n_classes: int = 1) -> tuple[bool | None, str]:
    """Return whether the life ages, and the reason: it takes both an effect and evidence.

    Effect: the line drops by 10 % of its start, or .01 a session. Evidence: the slope's interval is
    below 0.

    The drop is read off the line: by chance, 23 to 43 % of flat lossy lives of 10 sessions show one
    there, against 31 to 43 % between the first and the last point. The evidence does the rest.
    """
    if ts.size >= MIN_POINTS and slope.value is None:
        return None, "no class of facts was asked at two points, so there is no slope to see"
    if ts.size < MIN_POINTS or slope.value is None or slope.low is None or slope.high is None:
        reason = (
            f"too few points: {ts.size} with t ≥ 1, at least {MIN_POINTS} are needed to tell"
            " aging from noise"
        )
        return None, reason

    start = float(ms.mean()) + slope.value * float(ts[0] - ts.mean())
    change = slope.value * float(ts[-1] - ts[0]) / start if start > TINY else 0.0
    effect = change <= -MIN_DROP or slope.value < MAX_SLOPE
    evidence = slope.high < 0

    scope = " within kinds of facts" if n_classes > 1 else ""
    figures = (
        f"slope {slope.value:+.3g} per session{scope} (95 % interval {slope.low:+.3g} to"
        f" {slope.high:+.3g}), fitted change {100 * change:+.0f} % from t = {ts[0]:.0f} to"
        f" {ts[-1]:.0f}"
    )
    if effect and evidence:
        return True, f"aging: {figures}"
    if evidence:
        return False, f"falls, but by too little to be called aging: {figures}"
    if effect:
        return False, f"no evidence, the interval of the slope does not lie below 0: {figures}"

    return False, f"neither effect nor evidence: {figures}"
