"""A second reading of compactions inside sessions: what follows them against matched moments."""

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
MOST_ASSIGNMENTS = 10**9
LEAST_PLACEBO = 5  # matched moments from which a spread is known
STREAM = 7
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
    events = [_events(stratum) for stratum in strata]
    n_events = sum(int(real.sum()) for real in events)
    choices = [math.comb(len(real), int(real.sum())) for real in events]
    assignments = min(MOST_ASSIGNMENTS, math.prod(choices)) if strata else 0
    block = MatchedMoments(
        n_events=n_events,
        n_moments=sum(len(stratum) for stratum in strata) - n_events,
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

    effect, error = _mean_excess(events, errors)
    block.error_rate = MatchedEffect(
        effect=round(effect, 6),
        effect_ci=[round(effect - 1.96 * error, 6), round(effect + 1.96 * error, 6)],
        effect_unit="share of failed results, after minus before, beyond matched moments",
        p=p_value(error_scores),
        n=n_events,
    )
    effect, error = _mean_excess(events, effort)
    ends = (effect - 1.96 * error, effect + 1.96 * error)
    block.effort_per_task = MatchedEffect(
        effect=round(math.exp(effect), 6),
        effect_ci=[round(math.exp(end), 6) for end in ends],
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
        for kind, at in timeline.events:
            if kind == KIND and LEAST <= at <= len(timeline.failed) - LEAST:
                band = by_band.setdefault(at.bit_length(), {})
                band.setdefault(place, _moment(timeline, place, at, True))

    strata = []
    for number, compactions in sorted(by_band.items()):
        targets = np.stack([moment.features for moment in compactions.values()])
        placebo = []
        for place, session in enumerate(sessions):
            if place not in compactions:
                moment = _best_match(session.timeline, place, number, targets)
                if moment is not None:
                    placebo.append(moment)

        if placebo:
            strata.append([*compactions.values(), *placebo])

    return strata


def _moment(timeline: ResultTimeline, place: int, at: int, is_event: bool) -> MatchedMoment:
    before = timeline.failed[max(0, at - WINDOW) : at]
    after = timeline.failed[at : at + WINDOW]
    task_end = next((turn for turn in timeline.turns if turn > at), len(timeline.failed))
    return MatchedMoment(
        session=place,
        is_event=is_event,
        errors=sum(after) / len(after) - sum(before) / len(before),
        effort=math.log1p(min(task_end - at, LONGEST_TASK)),
        features=_features(timeline, np.array([at]))[0],
    )


def _features(timeline: ResultTimeline, at: NDArray[np.int64]) -> Floats:
    """Return what moments are matched by, one row each."""
    turns = np.array([0, *timeline.turns])
    task_start = turns[np.searchsorted(turns, at, side="right") - 1]
    loads = np.frombuffer(timeline.loads, dtype=np.intc)[at - 1].astype(np.float64)
    loads = np.maximum(loads, 1.0)

    return np.column_stack([np.log(at), 0.5 * np.log1p(at - task_start), np.log(loads)])


def _best_match(
    timeline: ResultTimeline, place: int, band: int, targets: Floats
) -> MatchedMoment | None:
    """Return the moment of a session most like one of the compactions; none near an own event."""
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
    both_known = (features[:, None, 2] > 0) & (targets[None, :, 2] > 0)
    gaps[:, :, 2] = np.where(both_known, gaps[:, :, 2], 0.0)
    nearest = gaps.sum(axis=2).min(axis=1).argmin()

    return _moment(timeline, place, int(at[nearest]), False)


# ------------------------------------------------------------------------------------------------
# comparison


def _events(stratum: Stratum) -> Bools:
    return np.array([moment.is_event for moment in stratum])


def _permuted_labels(events: Sequence[Bools], null: NullModel) -> list[Bools]:
    """Return per stratum which moments are called events: as observed, then at random."""
    rng = null.rng(STREAM)
    labels = []
    for real in events:
        ranks = rng.random((null.permutations, len(real))).argsort(axis=1).argsort(axis=1)
        labels.append(np.vstack([real, ranks < real.sum()]))

    return labels


def _excess_scores(labels: Sequence[Bools], values: Sequence[Floats]) -> Floats:
    """Return per permutation the sum of the events' values beyond the mean of their stratum."""
    total = np.zeros(1)
    for chosen, stratum in zip(labels, values, strict=True):
        total = total + np.where(chosen, stratum - stratum.mean(), 0.0).sum(axis=1)

    return total


def _mean_excess(events: Sequence[Bools], values: Sequence[Floats]) -> tuple[float, float]:
    """Return the mean excess of events over the placebo of their stratum, and its error."""
    strata = list(zip(events, values, strict=True))
    residuals = [v - np.where(real, v[real].mean(), v[~real].mean()) for real, v in strata]
    df = max(1, sum(len(r) for r in residuals) - 2 * len(residuals))
    spread = sum(float((r * r).sum()) for r in residuals) / df

    total = 0.0
    variance = 0.0
    n_events = 0

    for real, v in strata:
        k = int(real.sum())
        n_placebo = int((~real).sum())
        total += k * float(v[real].mean() - v[~real].mean())
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
