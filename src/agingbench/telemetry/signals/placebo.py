"""Compactions inside sessions, read a second way: what follows them against matched moments.

A compaction comes late in a long session, where more goes wrong anyway. So each is compared with
moments of other sessions that are as far into their session and task, with as full a context, and
at which nothing happened: the placebo.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.permutation import Floats, p_value, standardised
from agingbench.metrics.spread import robust_spread
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.timeline import ResultTimeline
from agingbench.telemetry.signals.details import MatchedEffect, MatchedMoments

WINDOW = 15  # results before and after a moment that are compared
LEAST = 5  # of them on either side
LONGEST_TASK = 200  # calls of the rest of a task that count
ENOUGH = 40  # distinct assignments of the moments
MOST_ASSIGNMENTS = 10**9  # beyond this they are not counted exactly
LEAST_PLACEBO = 5  # matched moments from which a spread is known
STREAM = 7  # of random numbers
KIND = "compaction"

Bools = NDArray[np.bool_]
Stratum = list["MatchedMoment"]


@dataclass(frozen=True)
class MatchedMoment:
    """One moment of a session: what came after it, and what it is matched by."""

    session: int
    is_event: bool
    errors: float  # share of failures after minus before
    effort: float  # log of the calls until the task ends
    # Logs of calls into the session, calls into the task, tokens in the context (0 if unknown).
    features: Floats


@dataclass
class MatchedComparison:
    """The block of the card, and per session the damage in deviations of the matched moments."""

    block: MatchedMoments
    damage: dict[int, float] = field(default_factory=dict)


def matched_comparison(sessions: Sequence[TraceSession], null: NullModel) -> MatchedComparison:
    """Compare errors and effort after compactions with like moments of other sessions.

    The test permutes which moments are called events, within strata.
    """
    strata = _strata(sessions)
    events = [np.array([moment.is_event for moment in stratum]) for stratum in strata]

    n_events = 0
    n_moments = 0
    assignments = 1 if strata else 0
    for is_event in events:
        k = int(is_event.sum())
        n_events += k
        n_moments += len(is_event) - k
        assignments *= math.comb(len(is_event), k)

    assignments = min(MOST_ASSIGNMENTS, assignments)
    block = MatchedMoments(
        n_events=n_events,
        n_moments=n_moments,
        n_assignments=assignments,
    )

    if assignments < ENOUGH or not null.n_sessions:
        block.reason = "no compaction inside a session with enough before and after it"
        if n_events:
            block.reason = f"{assignments} distinct assignments; {ENOUGH} are the least"
        return MatchedComparison(block)

    labels = _permuted_labels(events, null)
    errors = [np.array([moment.errors for moment in stratum]) for stratum in strata]
    effort = [np.array([moment.effort for moment in stratum]) for stratum in strata]
    error_scores = _excess_scores(labels, errors)
    effort_scores = _excess_scores(labels, effort)

    effect, standard_error = _mean_excess(events, errors)
    low = effect - 1.96 * standard_error
    high = effect + 1.96 * standard_error
    block.error_rate = MatchedEffect(
        effect=round(effect, 6),
        effect_ci=[round(low, 6), round(high, 6)],
        effect_unit="share of failed results, after minus before, beyond matched moments",
        p=p_value(error_scores),
        n=n_events,
    )

    # Effort is compared in logs, so its effect is reported as a factor.
    effect, standard_error = _mean_excess(events, effort)
    low = effect - 1.96 * standard_error
    high = effect + 1.96 * standard_error
    block.effort_per_task = MatchedEffect(
        effect=round(math.exp(effect), 6),
        effect_ci=[round(math.exp(low), 6), round(math.exp(high), 6)],
        effect_unit="factor of calls until the task ends, over matched moments",
        p=p_value(effort_scores),
        n=n_events,
    )

    both = np.vstack([standardised(error_scores), standardised(effort_scores)])
    block.p = p_value(np.max(both, axis=0))

    return MatchedComparison(block, _damage(strata))


# ------------------------------------------------------------------------------------------------
# moments


def _strata(sessions: Sequence[TraceSession]) -> list[Stratum]:
    """Return strata by the power of two of results into a session.

    Each holds the first compaction of every session there, and the best matched moment of every
    other session.
    """
    by_band: dict[int, dict[int, MatchedMoment]] = {}
    for place, session in enumerate(sessions):
        timeline = session.timeline
        last = len(timeline.failed) - LEAST
        for kind, at in timeline.events:
            if kind == KIND and LEAST <= at <= last:
                band = by_band.setdefault(at.bit_length(), {})
                band.setdefault(place, _moment(timeline, place, at, True))

    strata = []
    for number, compactions in sorted(by_band.items()):
        targets = np.stack([moment.features for moment in compactions.values()])
        placebo = []

        for place, session in enumerate(sessions):
            if place in compactions:
                continue

            moment = _best_match(session.timeline, place, number, targets)
            if moment is not None:
                placebo.append(moment)

        if placebo:
            strata.append([*compactions.values(), *placebo])

    return strata


def _moment(timeline: ResultTimeline, place: int, at: int, is_event: bool) -> MatchedMoment:
    before = timeline.failed[max(0, at - WINDOW) : at]
    after = timeline.failed[at : at + WINDOW]
    rate_before = sum(before) / len(before)
    rate_after = sum(after) / len(after)

    later_turns = [turn for turn in timeline.turns if turn > at]
    task_end = later_turns[0] if later_turns else len(timeline.failed)
    rest_of_task = min(task_end - at, LONGEST_TASK)

    return MatchedMoment(
        session=place,
        is_event=is_event,
        errors=rate_after - rate_before,
        effort=math.log1p(rest_of_task),
        features=_features(timeline, np.array([at]))[0],
    )


def _features(timeline: ResultTimeline, at: NDArray[np.int64]) -> Floats:
    """Return what moments are matched by, one row each."""
    turns = np.array([0, *timeline.turns])
    last_turn = np.searchsorted(turns, at, side="right") - 1
    into_task = at - turns[last_turn]

    all_loads = np.frombuffer(timeline.loads, dtype=np.intc)
    loads = all_loads[at - 1].astype(np.float64)
    loads = np.maximum(loads, 1.0)

    # The place in the task counts half as much as the others.
    return np.column_stack([np.log(at), 0.5 * np.log1p(into_task), np.log(loads)])


def _best_match(
    timeline: ResultTimeline,
    place: int,
    band: int,
    targets: Floats,
) -> MatchedMoment | None:
    """Return the moment of a session most like one of the compactions; none near an own event."""
    # The band holds the places from 2^(band − 1) to 2^band − 1.
    low = max(LEAST, 1 << (band - 1))
    high = min(1 << band, len(timeline.failed) - LEAST + 1)
    at = np.arange(low, high)

    for kind, event in timeline.events:
        if kind == KIND:
            at = at[np.abs(at - event) >= WINDOW]

    if not len(at):
        return None

    features = _features(timeline, at)
    gaps = np.abs(features[:, None, :] - targets[None, :, :])

    # A context of unknown size (0) says nothing about how like two moments are.
    load = 2
    have_load = (features[:, None, load] > 0) & (targets[None, :, load] > 0)
    gaps[:, :, load] = np.where(have_load, gaps[:, :, load], 0.0)

    distance = gaps.sum(axis=2)
    nearest = distance.min(axis=1).argmin()
    return _moment(timeline, place, int(at[nearest]), False)


# ------------------------------------------------------------------------------------------------
# comparison


def _permuted_labels(events: Sequence[Bools], null: NullModel) -> list[Bools]:
    """Return per stratum which moments are called events: as observed, then at random."""
    rng = null.rng(STREAM)
    labels = []
    for is_event in events:
        # Sorting twice gives ranks: the k lowest of each row are k moments at random.
        numbers = rng.random((null.permutations, len(is_event)))
        ranks = numbers.argsort(axis=1).argsort(axis=1)
        at_random = ranks < is_event.sum()
        labels.append(np.vstack([is_event, at_random]))

    return labels


def _excess_scores(labels: Sequence[Bools], values: Sequence[Floats]) -> Floats:
    """Return per permutation the sum of the events' values beyond the mean of their stratum."""
    total = np.zeros(1)
    for is_event, stratum in zip(labels, values, strict=True):
        excess = stratum - stratum.mean()
        of_events = np.where(is_event, excess, 0.0)
        total = total + of_events.sum(axis=1)

    return total


def _mean_excess(events: Sequence[Bools], values: Sequence[Floats]) -> tuple[float, float]:
    """Return the mean excess of events over the placebo of their stratum, and its standard error.

    All strata share one variance; each spends two degrees of freedom, on its two means.
    """
    squares = []
    df = 0
    for is_event, stratum in zip(events, values, strict=True):
        event_mean = stratum[is_event].mean()
        placebo_mean = stratum[~is_event].mean()
        residual = stratum - np.where(is_event, event_mean, placebo_mean)
        squares.append(float((residual * residual).sum()))
        df += len(residual) - 2

    spread = sum(squares) / max(1, df)
    total = 0.0
    variance = 0.0
    n_events = 0

    for is_event, stratum in zip(events, values, strict=True):
        k = int(is_event.sum())
        n_placebo = int((~is_event).sum())
        excess = float(stratum[is_event].mean() - stratum[~is_event].mean())
        total += k * excess
        variance += k * k * spread * (1 / k + 1 / n_placebo)
        n_events += k

    return total / n_events, math.sqrt(variance) / n_events


def _damage(strata: Sequence[Stratum]) -> dict[int, float]:
    """Return per session the errors after its compactions, in robust deviations of the placebo."""
    damage: dict[int, float] = {}
    for stratum in strata:
        placebo = np.array([moment.errors for moment in stratum if not moment.is_event])
        if len(placebo) < LEAST_PLACEBO:
            continue

        centre = float(np.median(placebo))
        spread = robust_spread(placebo, centre) or float(placebo.std())
        if spread <= 1e-9:
            continue

        for moment in stratum:
            if moment.is_event:
                excess = (moment.errors - centre) / spread
                damage[moment.session] = damage.get(moment.session, 0.0) + excess

    return damage
