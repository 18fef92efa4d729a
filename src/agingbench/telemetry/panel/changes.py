"""Change points: steps in the panel's figures at recorded changes, and the slow drift that remains.

A step has to be larger than chance gives anywhere among the recorded changes and all figures, fit
better than a straight line, and be larger there than at places where nothing was recorded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from agingbench.metrics.multiplicity import two_stage_benjamini_hochberg
from agingbench.metrics.permutation import TIE, Floats, Orders
from agingbench.metrics.trend import precision_weights
from agingbench.telemetry.inference.null_model import LEAST_DAYS, NullModel
from agingbench.telemetry.panel.panel import Panel, PanelFigure
from agingbench.telemetry.panel.recorded import LEAST_SIDE, RecordedChange
from agingbench.telemetry.panel.steps import (
    corrected_p_values,
    effects,
    line_column,
    misfits,
    step_columns,
    widened,
)

LEVEL = 0.02  # sessions that resemble their neighbours make small p-values too frequent
DAY_LEVEL = 0.05  # of a step when whole days change places
LEVEL_HERE = 0.05  # of further figures at an established change
NEAR = 2  # sessions around a change that are no placebo for it
CLEAR = 0.01  # own p from which a figure helps to tell where a change was
NOTHING = 1e-12  # a misfit too small for a logarithm
PLACEBO = 0.05  # share of other places at which a step may fit clearly better
LINE_ESTABLISHED = 1.5  # misfit of a step over that of a line, at an established change
PLACEBO_ESTABLISHED = 0.25  # the same, for further figures at an established change
LEAST_VALUES = 8  # sessions with a value below which a figure is not tested
LEAST_DISTINCT = 4  # of these values
TOLERANCE = 3.84  # chi-square, one degree: places that fit so much worse are as good as the best
MOST_PLACES = 60  # recorded changes that are tested; beyond that the newest

# A figure that is part of another one, or the same in another unit, moves with it.
_PARTS_OF = {
    "read_errors": "tool_errors",
    "change_errors": "tool_errors",
    "shell_errors": "tool_errors",
    "other_errors": "tool_errors",
}


class MovedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that moved: its value before and after, and how sure that is."""

    figure: str
    before: float | None
    after: float | None
    worse: bool
    p_adjusted: float
    placebo_share: float | None = None  # of other places, with as large a step


class ChangePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A session from which figures are different, and what was recorded there."""

    session: int
    time: float | None
    sessions_before: int
    sessions_after: int
    recorded: list[RecordedChange]
    moved: list[MovedFigure]


class TraceChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The card's `trace_audit.changes`."""

    tested: bool
    reason: str | None  # why nothing was tested
    recorded: list[RecordedChange]
    points: list[ChangePoint]
    drifts: list[MovedFigure]  # first to last session, without a step


@dataclass(frozen=True)
class _Series:
    """One figure as it is tested: transformed values and the weight of each session."""

    name: str
    figure: PanelFigure
    y: Floats
    w: Floats


def find_changes(panel: Panel, recorded: list[RecordedChange], null: NullModel) -> TraceChanges:
    """Return the change points of a panel, and the figures that drift."""
    reason = _untestable(null)
    series = [] if reason else _tested_series(panel)
    if reason is None and not series:
        reason = "no figure has values in enough sessions"
    if reason is not None:
        return TraceChanges(tested=False, reason=reason, recorded=recorded, points=[], drifts=[])

    places = sorted({change.session for change in recorded})[-MOST_PLACES:]
    steps: dict[str, tuple[int, MovedFigure]] = {}
    if places:
        steps = _steps(series, places, null)

    rest = [one for one in series if one.name not in steps]
    drifts = _drifts(rest, null) if rest else []
    return TraceChanges(
        tested=True,
        reason=None,
        recorded=recorded,
        points=_points(steps, recorded, null.n_sessions),
        drifts=drifts,
    )


def _untestable(null: NullModel) -> str | None:
    if null.n_sessions < max(LEAST_VALUES, 2 * LEAST_SIDE):
        return f"{null.n_sessions} sessions; {LEAST_VALUES} are the least"
    if not null.can_be_answered:
        return f"needs sessions on at least {LEAST_DAYS} different days"
    return None


def _tested_series(panel: Panel) -> list[_Series]:
    """Return the figures that vary and have values in enough sessions."""
    series = []
    for name, figure in panel.figures.items():
        known = [value for value in figure.by_session if value is not None]
        if len(known) < LEAST_VALUES or len(set(known)) < LEAST_DISTINCT:
            continue

        counts = np.array(figure.n_by_session, dtype=np.float64)
        y = _transformed(figure, counts)
        series.append(_Series(name, figure, y, precision_weights(counts)))

    return series


def _transformed(figure: PanelFigure, counts: Floats) -> Floats:
    """Return values that are about equally noisy high and low: arcsine roots, or logarithms."""
    values = np.array([0.0 if v is None else v for v in figure.by_session], dtype=np.float64)
    if figure.scale == "share":
        hits = values * counts
        shares = (hits + 0.375) / (counts + 0.75)
        return np.asarray(np.arcsin(np.sqrt(np.clip(shares, 0.0, 1.0))))

    # A tenth of the usual value is added, so that a session of none is not infinitely far away.
    usual = figure.value or 1.0
    return np.asarray(np.log(values + 0.1 * usual))


def _steps(
    series: Sequence[_Series], places: Sequence[int], null: NullModel
) -> dict[str, tuple[int, MovedFigure]]:
    """Return the figures that move at a recorded change, each with its place.

    A change is established by a figure that passes the test over all places and figures together.
    Then the other figures are looked at there, with their own correction.
    """
    n = null.n_sessions
    test = _step_test(series, step_columns(n, places), null)
    shapes = {one.name: _StepShape(one, places, n) for one in series}
    established = [one.name for one, p in zip(series, test.corrected, strict=True) if p <= LEVEL]
    candidates = {name: shapes[name].fitting_places() for name in established}
    movers = []
    for one, own in zip(series, test.own, strict=True):
        if own.min() <= CLEAR:
            movers.append(shapes[one.name])

    moved: dict[str, tuple[int, MovedFigure]] = {}
    while any(candidates.values()):
        place = _best_place(candidates, movers)
        number = places.index(place)
        own_here = {one.name: float(p[number]) for one, p in zip(series, test.own, strict=True)}
        adjusted = two_stage_benjamini_hochberg(own_here, LEVEL_HERE)
        for one, corrected in zip(series, test.corrected, strict=True):
            p_here = adjusted[one.name]
            is_first = place in candidates.get(one.name, ())
            also = p_here is not None and p_here <= LEVEL_HERE and shapes[one.name].may_step(place)
            if one.name not in moved and (is_first or also):
                p = corrected if is_first or p_here is None else p_here
                moved[one.name] = (place, _moved(one, place, p, shapes[one.name].placebo(place)))
                candidates.pop(one.name, None)

    return moved


def _best_place(candidates: dict[str, list[int]], movers: Sequence[_StepShape]) -> int:
    """Return the place at which steps fit best, over all figures that clearly move somewhere."""
    places: set[int] = set()
    for fits in candidates.values():
        places.update(fits)

    return min(places, key=lambda at: (sum(mover.log_misfit(at) for mover in movers), at))


class _StepShape:
    """How well steps at the recorded changes fit one figure, beside other places and a line."""

    def __init__(self, one: _Series, places: Sequence[int], n: int) -> None:
        everywhere = list(range(LEAST_SIDE, n - LEAST_SIDE + 1))
        steps = misfits(step_columns(n, everywhere), one.y, one.w)
        self.places = places
        self.steps = dict(zip(everywhere, steps.tolist(), strict=True))
        self.line = float(misfits(line_column(n), one.y, one.w)[0])
        self.tolerance = 1 + TOLERANCE / max(1, n - 2)

    def log_misfit(self, place: int) -> float:
        """Return the logarithm of what a step at this place leaves over."""
        return math.log(max(self.steps[place], NOTHING))

    def placebo(self, place: int) -> float:
        """Return the share of places further away at which a step fits clearly better."""
        own = self.steps[place]
        others = [fit for other, fit in self.steps.items() if abs(other - place) > NEAR]
        better = sum(fit * self.tolerance < own for fit in others)
        return round(better / len(others), 6) if others else 0.0

    def fitting_places(self) -> list[int]:
        """Return the recorded changes that fit about as well as the best of them, and no worse
        than a line."""
        best = min(self.steps[place] for place in self.places)
        fits = []
        for place in self.places:
            own = self.steps[place]
            if own <= min(best * self.tolerance, self.line) and self.placebo(place) <= PLACEBO:
                fits.append(place)

        return fits

    def may_step(self, place: int) -> bool:
        """Return whether a step at an established change is plausible for this figure."""
        is_line = self.steps[place] > self.line * LINE_ESTABLISHED
        return not is_line and self.placebo(place) <= PLACEBO_ESTABLISHED


@dataclass(frozen=True)
class _StepTest:
    """The p-values of steps, per figure: over all places and figures, and for each place alone."""

    corrected: list[float]
    own: list[Floats]


def _step_test(series: Sequence[_Series], columns: Floats, null: NullModel) -> _StepTest:
    """Test every column for every figure.

    A figure's p is that of its strongest column, corrected over all figures on the same orderings.
    Where several sessions share a day, whole days change places as well. A few days have few
    orders, so that these p-values are not corrected; a column counts only where they are small.
    """
    strengths = _strengths(series, columns, null, null.orders)
    days: list[Floats] = [np.zeros(columns.shape[1]) for _ in series]
    if null.day_orders is not None:
        days = [_own_p(one) for one in _strengths(series, columns, null, null.day_orders)]

    by_day = [np.where(p <= DAY_LEVEL, 1.0, 0.0) for p in days]
    strongest = []
    for strength, allowed in zip(strengths, by_day, strict=True):
        observed = float((strength[0] * allowed).max())
        highest = strength.max(axis=1)
        highest[0] = observed
        strongest.append(highest)

    corrected = corrected_p_values(strongest)
    own = [np.maximum(_own_p(strength), p) for strength, p in zip(strengths, days, strict=True)]
    return _StepTest(corrected, own)


def _strengths(
    series: Sequence[_Series], columns: Floats, null: NullModel, orders: Orders
) -> list[Floats]:
    each = [effects(columns, one.y, one.w, orders) for one in series]
    return [np.abs(scores) for scores in widened(each, null.n_sessions)]


def _own_p(strength: Floats) -> Floats:
    """Return the p-value of each column alone."""
    return np.asarray((strength >= strength[0] - TIE).mean(axis=0), dtype=np.float64)


def _moved(one: _Series, place: int, p: float, share: float | None) -> MovedFigure:
    before = _pooled(one.figure, range(place))
    after = _pooled(one.figure, range(place, len(one.y)))
    return _moved_figure(one, before, after, p, share)


def _moved_figure(
    one: _Series, before: float | None, after: float | None, p: float, share: float | None
) -> MovedFigure:
    rises = before is not None and after is not None and after > before
    return MovedFigure(
        figure=one.name,
        before=before,
        after=after,
        worse=rises == one.figure.rising_is_bad,
        p_adjusted=round(p, 6),
        placebo_share=share,
    )


def _pooled(figure: PanelFigure, places: Sequence[int]) -> float | None:
    per = sum(figure.n_by_session[place] for place in places)
    if not per:
        return None

    counted = sum(
        (figure.by_session[place] or 0.0) * figure.n_by_session[place] for place in places
    )
    return round(counted / per, 6)


def _drifts(series: Sequence[_Series], null: NullModel) -> list[MovedFigure]:
    """Return the figures with a trend over all sessions, those of the first and last third."""
    p_values = _step_test(series, line_column(null.n_sessions), null).corrected
    third = max(LEAST_SIDE, null.n_sessions // 3)
    drifts = []
    for one, p in zip(series, p_values, strict=True):
        if p > LEVEL:
            continue
        before = _pooled(one.figure, range(third))
        after = _pooled(one.figure, range(null.n_sessions - third, null.n_sessions))
        drifts.append(_moved_figure(one, before, after, p, None))

    return drifts


def _points(
    steps: dict[str, tuple[int, MovedFigure]], recorded: Sequence[RecordedChange], n: int
) -> list[ChangePoint]:
    """Return the change points in order; what was recorded in the same session stands together."""
    points = []
    for place in sorted({place for place, _ in steps.values()}):
        here = [change for change in recorded if change.session == place]
        moved = [figure for at, figure in steps.values() if at == place]
        names = {figure.figure for figure in moved}
        moved = [figure for figure in moved if _PARTS_OF.get(figure.figure) not in names]
        moved.sort(key=lambda figure: (not figure.worse, figure.p_adjusted, figure.figure))
        points.append(
            ChangePoint(
                session=place,
                time=here[0].time,
                sessions_before=place,
                sessions_after=n - place,
                recorded=here,
                moved=moved,
            )
        )

    return points
