"""Consistency: how alike the agent handles a repeated task; it corroborates and never decides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from agingbench.metrics.permutation import Floats, p_value
from agingbench.metrics.spread import jackknife_error, ols_slope
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.details import Trajectory
from agingbench.telemetry.signals.repeats import Likeness, RepeatedTask, jaccard, repeated_tasks

MOST_PAIRS = 5_000
LEAST_PAIRS = 10  # for a test
LARGE_DROP = 0.10  # of likeness
MOST_GROUPS = 40  # of the jackknife
LISTED_CLUSTERS = 50


class ConsistencyCoverage(msgspec.Struct, frozen=True):
    """How much there was to see."""

    verdict: str
    n: int


class Consistency(msgspec.Struct, kw_only=True):
    """The consistency block of the card; field names are its keys, UNSET ones are left out."""

    derived_from: str = "repeated_user_turns"
    encoder: str
    encoder_note: str | None
    n_repeated_tasks_detected: int
    cluster_sizes: list[int]
    behavior_drift_at_repeat: float | None = None
    consistency_drop_trajectory: Trajectory = []
    consistency_drop_verdict: str = "no_signal"
    tool_path_jaccard_drop_mean: float | None = None
    response_cosine_drop_mean: float | None = None
    n_pairs: int
    effect: float | None = None
    effect_ci: list[float] | None = None
    interval: list[float] | None = None
    effect_unit: str = "likeness lost from the shortest lag to the longest"
    p: float | None = None
    n: int
    coverage: ConsistencyCoverage
    behavior_drift_n: int | UnsetType = UNSET
    # by_distance: likeness lost with the distance of repeats; first_to_last: how unlike they are,
    # where all are equally far apart.
    behavior_drift_basis: str | UnsetType = UNSET
    similarity_mean: float | UnsetType = UNSET


class RepeatPair(NamedTuple):
    """Two sessions with the same task, and how alike it was handled; nan where nothing compares."""

    earlier: int
    later: int
    tools: float
    replies: float


def consistency(trace: TraceSessions, null: NullModel) -> Consistency:
    """Return repeated tasks across sessions, and whether their likeness falls with the lag."""
    tasks, likeness, note = repeated_tasks(trace)
    pairs = _pairs(tasks, likeness)
    sizes = sorted((len(task) for task in tasks), reverse=True)

    block = Consistency(
        encoder=likeness.name,
        encoder_note=note,
        n_repeated_tasks_detected=len(tasks),
        cluster_sizes=sizes[:LISTED_CLUSTERS],
        n_pairs=len(pairs),
        n=len(pairs),
        coverage=ConsistencyCoverage(_coverage(tasks), len(tasks)),
    )
    if not pairs:
        return block

    lag = np.array([pair.later - pair.earlier for pair in pairs], dtype=np.float64)
    tools = np.array([pair.tools for pair in pairs], dtype=np.float64)
    replies = np.array([pair.replies for pair in pairs], dtype=np.float64)
    alike = np.nanmean(np.column_stack([tools, replies]), axis=1)

    block.behavior_drift_n = len(pairs)
    block.similarity_mean = round(float(alike.mean()), 6)
    block.consistency_drop_trajectory = _drop_by_session(pairs, alike, null.n_sessions)

    lag_range = float(lag.max() - lag.min())
    if not lag_range:
        # Repeats that are all equally far apart say nothing about what distance does: all that is
        # known is how unlike they are.
        block.behavior_drift_at_repeat = round(float(1.0 - alike.mean()), 6)
        block.behavior_drift_basis = "first_to_last"
        block.tool_path_jaccard_drop_mean = _unlike(tools)
        block.response_cosine_drop_mean = _unlike(replies)
        return block

    drop = -ols_slope(lag, alike) * lag_range
    ends = _interval(pairs, lag, alike, drop)
    block.behavior_drift_at_repeat = round(min(1.0, max(0.0, drop)), 6)
    block.behavior_drift_basis = "by_distance"
    block.effect = round(drop, 6)
    block.effect_ci = ends
    block.interval = ends
    block.tool_path_jaccard_drop_mean = _drop(lag, tools, lag_range)
    block.response_cosine_drop_mean = _drop(lag, replies, lag_range)

    if null.can_be_answered and len(pairs) >= LEAST_PAIRS:
        p = _permutation_p(pairs, alike, null)
        block.p = p
        falling = p <= 0.05 and drop > LARGE_DROP
        block.consistency_drop_verdict = "rising_degradation" if falling else "flat"

    return block


def _pairs(tasks: Sequence[RepeatedTask], likeness: Likeness) -> list[RepeatPair]:
    """Return every pair of sessions of a task that has something to compare, thinned if many."""
    pairs = []
    for task in tasks:
        replies = likeness.replies([turn.reply for _, turn in task])
        for i, j in itertools.combinations(range(len(task)), 2):
            earlier, first = task[i]
            later, second = task[j]

            tools = math.nan
            if first.tools or second.tools:
                tools = jaccard(first.tools, second.tools)

            words = math.nan
            if replies[i] is not None and replies[j] is not None:
                words = float(likeness.near(replies[i], replies[j]))

            if not (math.isnan(tools) and math.isnan(words)):
                pairs.append(RepeatPair(earlier, later, tools, words))

    if len(pairs) > MOST_PAIRS:
        rows = np.linspace(0, len(pairs) - 1, MOST_PAIRS).astype(int)
        pairs = [pairs[row] for row in rows]

    return pairs


def _drop(lag: Floats, alike: Floats, lag_range: float) -> float | None:
    """Return the likeness lost from the shortest lag to the longest; nan values are left out."""
    present = ~np.isnan(alike)
    if present.sum() < 2:
        return None

    slope = ols_slope(lag[present], alike[present])
    return round(-slope * lag_range, 6)


def _interval(
    pairs: Sequence[RepeatPair],
    lag: Floats,
    alike: Floats,
    drop: float,
) -> list[float] | None:
    """Return the 95 % interval by leaving out groups of sessions; None where one lag remains."""
    earlier = np.array([pair.earlier for pair in pairs])
    later = np.array([pair.later for pair in pairs])
    lag_range = float(lag.max() - lag.min())
    sessions = np.unique(np.concatenate([earlier, later]))

    drops = []
    for group in np.array_split(sessions, MOST_GROUPS):
        if not len(group):
            continue

        in_group = np.isin(earlier, group) | np.isin(later, group)
        rest = ~in_group
        if rest.sum() < 2 or np.ptp(lag[rest]) == 0:
            return None

        slope = ols_slope(lag[rest], alike[rest])
        drops.append(-slope * lag_range)

    half = 1.96 * jackknife_error(drops)
    return [round(drop - half, 6), round(drop + half, 6)]


def _drop_by_session(pairs: Sequence[RepeatPair], alike: Floats, n: int) -> Trajectory:
    """Return how unlike repeats were to the earlier ones, over all of them up to each session.

    None before the first repeat.
    """
    losses: dict[int, list[float]] = {}
    for pair, value in zip(pairs, alike.tolist(), strict=True):
        losses.setdefault(pair.later, []).append(1.0 - value)

    trajectory: Trajectory = []
    total = 0.0
    count = 0
    for session in range(n):
        values = losses.get(session, [])
        total += sum(values)
        count += len(values)
        trajectory.append(round(total / count, 6) if count else None)

    return trajectory


def _unlike(alike: Floats) -> float | None:
    """Return the mean unlikeness; None where nothing compares."""
    present = alike[~np.isnan(alike)]
    return round(float(1.0 - present.mean()), 6) if present.size else None


def _permutation_p(pairs: Sequence[RepeatPair], alike: Floats, null: NullModel) -> float:
    """Return the p-value of a falling likeness, by sessions (or whole days) that change places."""
    earlier = np.array([pair.earlier for pair in pairs])
    later = np.array([pair.later for pair in pairs])
    orders = null.orders if null.day_orders is None else null.day_orders

    places = np.argsort(orders, axis=1)  # where each session stands under the ordering
    distance = np.abs(places[:, later] - places[:, earlier])
    lags = distance.astype(np.float64)
    centred = lags - lags.mean(axis=1, keepdims=True)
    power = (centred * centred).sum(axis=1)
    slopes = centred @ alike / np.maximum(power, 1e-9)

    return p_value(-slopes)


def _coverage(tasks: Sequence[RepeatedTask]) -> str:
    """Return how much there was to see, by the number of tasks and how often they were repeated."""
    if not tasks:
        return "no_test_fired"

    large = sum(len(task) >= 3 for task in tasks)
    if not large:
        return "underpowered"
    if large >= 3:
        return "strong"

    return "adequate" if len(tasks) >= 2 else "weak"
