"""Step or slope: whether a change came at once rather than little by little."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.conditioning import residual_beside
from agingbench.metrics.permutation import Floats, Orders
from agingbench.metrics.trend import session_times
from agingbench.telemetry.inference.evidence import Step
from agingbench.telemetry.inference.null_model import NullModel

# At which a line is rejected for a step. Where the trace records a change, a step is believed
# sooner: in one series, and in several that move, which show it better.
LEVEL = 0.015
LEVEL_OF_ERRORS = 0.02  # where errors or corrections move: a line fits these less well anyway
RECORDED_LEVELS = (0.03, 0.05)
DRAWS = 400
EDGE = 3  # sessions on either side of a step
CLEARLY = 1.0  # log of how much likelier a line has to be than a step
ABOUT = 2.0  # difference of squares over their variance that tells two shapes hardly apart
STREAM = 9  # of random numbers


@dataclass(frozen=True)
class StepSeries:
    """Values per session (sessions × parts), with the weight of each session."""

    values: Floats
    w: Floats


def find_step(
    null: NullModel,
    nuisance: Floats,
    series: Sequence[StepSeries],
    recorded: Collection[int] = (),
    level: float = LEVEL,
) -> Step | None:
    """Return the step that fits clearly better than a line; None where a line does as well.

    Clearly: as good a step is rare where residuals are drawn anew around the line. `recorded` holds
    the first sessions after changes that the trace records.
    """
    places, shapes = _shapes(null.n_sessions)
    if len(places) < 2:
        return None

    gains = _drawn_gains(null, nuisance, series, shapes)
    recorded_level = RECORDED_LEVELS[min(len(series), len(RECORDED_LEVELS)) - 1]
    anywhere = np.ones(len(places), dtype=bool)
    at_change = np.isin(places, list(recorded))
    for where, highest in ((anywhere, level), (at_change, recorded_level)):
        if not where.any():
            continue

        step = _best_step(gains, places, where)
        if step.p_line <= highest:
            return step

    return None


def step_at_change(
    null: NullModel, series: Sequence[StepSeries], recorded: Collection[int]
) -> Step | None:
    """Return the recorded change at which a step fits about as well as a line; else None.

    That is less than `find_step` asks: it is for what nothing is left of beside the change.
    """
    places, shapes = _shapes(null.n_sessions)
    at_change = np.isin(places, list(recorded))
    if len(places) < 2 or not at_change.any():
        return None

    level = np.ones((null.n_sessions, 1))
    gains = _drawn_gains(null, level, series, shapes)
    fits = gains[0, 1:][at_change].max() >= gains[0, 0] - ABOUT
    return _best_step(gains, places, at_change) if fits else None


def _drawn_gains(
    null: NullModel, nuisance: Floats, series: Sequence[StepSeries], shapes: Floats
) -> Floats:
    """Return what each shape explains of all series, observed and drawn anew around the line."""
    sessions = np.arange(null.n_sessions)
    orders = null.rng(STREAM).permuted(np.tile(sessions, (DRAWS, 1)), axis=1)
    orders = np.vstack([sessions, orders])
    gains = np.zeros((len(orders), shapes.shape[1]))
    for one in series:
        gains += _gains(one, nuisance, shapes, orders)

    return gains


def _best_step(gains: Floats, places: NDArray[np.intp], where: NDArray[np.bool_]) -> Step:
    """Return the step at one of the places that explains most, and how rare so much more is."""
    of_steps = gains[:, 1:][:, where]
    advantage = of_steps.max(axis=1) - gains[:, 0]
    p_line = float((advantage >= advantage[0] - 1e-9).mean())
    return Step(int(places[where][int(np.argmax(of_steps[0]))]), p_line)


def _shapes(n: int) -> tuple[NDArray[np.intp], Floats]:
    """Return the places of all steps, and sessions × shapes: a line, then each step."""
    places = np.arange(EDGE, n - EDGE + 1)
    sessions = np.arange(n)
    steps = (sessions[:, None] >= places[None, :]).astype(np.float64)
    return places, np.column_stack([session_times(n), steps])


def _gains(series: StepSeries, nuisance: Floats, shapes: Floats, orders: Orders) -> Floats:
    """Return draws × shapes: what each shape explains, in units of the residual variance.

    Row 0 is what was observed; the others are the fitted line with residuals drawn anew.
    """
    root = np.sqrt(series.w)
    columns = residual_beside(nuisance, shapes, series.w) * root[:, None]
    power = (columns * columns).sum(axis=0)
    usable = power > 1e-9
    columns = np.where(usable, columns / np.sqrt(np.maximum(power, 1e-12)), 0.0)

    values = residual_beside(nuisance, series.values, series.w) * root[:, None]
    line = columns[:, :1]
    fitted = line @ (line.T @ values)
    residual = values - fitted
    df = max(1, int((series.w > 0).sum()) - nuisance.shape[1] - 1)
    variance = (residual * residual).sum(axis=0) / df
    usable_parts = variance > 1e-12
    # Parts of one mix: a part's own noise is known from few sessions.
    variance = (variance + variance.mean()) / 2

    gains = np.zeros((len(orders), shapes.shape[1]))
    for part in np.flatnonzero(usable_parts):
        drawn = fitted[:, part] + residual[:, part][orders]
        drawn[0] = values[:, part]
        projections = drawn @ columns
        gains += projections * projections / variance[part]

    return gains
