"""A second reading of compactions inside sessions: what follows them, against matched moments of
other sessions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agingbench.metrics.permutation import Floats, p_value, standardised
from agingbench.telemetry.inference.null_model import NullModel
from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.telemetry.sessions.timeline import ResultTimeline

WINDOW = 15  # results before and after a moment that are compared
LEAST = 5  # of them on either side
LONGEST_TASK = 200  # calls of the rest of a task that count
ENOUGH = 40  # distinct assignments of the moments
SPREAD = 5  # placebo moments from which a spread is told
STREAM = 7
KIND = "compaction"
ROBUST = 1.4826


@dataclass(frozen=True)
class MatchedMoment:
    """One moment of a session: what came after it, and what it is matched by."""

    session: int
    is_event: bool
    errors: float  # share of failures after minus before
    effort: float  # log of the calls until the task ends
    # logs of: calls into the session, calls into the task, tokens in the context (0 where unknown)
    about: Floats


@dataclass
class MatchedComparison:
    """What the matched moments say: the block of the card, and per session the damage in placebo
    deviations.
    """

    block: dict[str, Any]
    damage: dict[int, float] = field(default_factory=dict)


def placebo_moments(sessions: Sequence[TraceSession], null: NullModel) -> MatchedComparison:
    """Errors and effort after compactions inside sessions, against like moments of other sessions;
    labels permuted.
    """
    strata = _strata(sessions)
    events = sum(m.is_event for s in strata for m in s)
    moments = sum(len(s) for s in strata) - events
    assignments = (
        min(10**9, math.prod(math.comb(len(s), sum(m.is_event for m in s)) for s in strata))
        if strata
        else 0
    )

    block: dict[str, Any] = {
        "is": "a second reading: shown, never enough to fire by itself",
        "matched_by": (
            "calls into the session (same power of two), then calls into the task and tokens in the"
            " context"
        ),
        "n_events": events,
        "n_moments": moments,
        "n_assignments": assignments,
        "p": None,
        "error_rate": None,
        "effort_per_task": None,
        "reason": None,
    }

    if assignments < ENOUGH or not null.n_sessions:
        block["reason"] = (
            "no compaction inside a session with enough before and after it"
            if not events
            else f"{assignments} distinct assignments; {ENOUGH} are the least"
        )
        return MatchedComparison(block)

    chosen = _chosen(strata, null)
    scores = []
    for name, unit in (
        ("errors", "share of failed results, after minus before, beyond matched moments"),
        ("effort", "factor of calls until the task ends, over matched moments"),
    ):
        values = [np.array([getattr(m, name) for m in s]) for s in strata]
        each = sum(
            (
                np.where(c, v - v.mean(), 0.0).sum(axis=1)
                for c, v in zip(chosen, values, strict=True)
            ),
            np.zeros(1),
        )
        scores.append(standardised(each))
        effect, error = _effect(strata, values)
        told = math.exp if name == "effort" else float
        block["error_rate" if name == "errors" else "effort_per_task"] = {
            "effect": round(told(effect), 6),
            "effect_ci": [
                round(told(effect - 1.96 * error), 6),
                round(told(effect + 1.96 * error), 6),
            ],
            "effect_unit": unit,
            "p": p_value(each),
            "n": events,
        }

    block["p"] = p_value(np.max(np.vstack(scores), axis=0))
    return MatchedComparison(block, _damage(strata))


def _strata(sessions: Sequence[TraceSession]) -> list[list[MatchedMoment]]:
    """Per power of two of calls into a session: the first compaction of each session, and one
    moment of all others.
    """
    by_band: dict[int, dict[int, MatchedMoment]] = {}
    for place, session in enumerate(sessions):
        for kind, at in session.timeline.events:
            if kind == KIND and LEAST <= at <= len(session.timeline.failed) - LEAST:
                band = at.bit_length()
                by_band.setdefault(band, {}).setdefault(
                    place, _moment(session.timeline, place, at, True)
                )

    found = []
    for band, moments in sorted(by_band.items()):
        targets = np.stack([m.about for m in moments.values()])
        rest = [
            _matched(s.timeline, place, band, targets)
            for place, s in enumerate(sessions)
            if place not in moments
        ]
        placebo = [m for m in rest if m is not None]
        if placebo:
            found.append([*moments.values(), *placebo])

    return found


def _moment(course: ResultTimeline, place: int, at: int, struck: bool) -> MatchedMoment:
    before = course.failed[max(0, at - WINDOW) : at]
    after = course.failed[at : at + WINDOW]
    ends = next((t for t in course.turns if t > at), len(course.failed))
    return MatchedMoment(
        place,
        struck,
        sum(after) / len(after) - sum(before) / len(before),
        math.log1p(min(ends - at, LONGEST_TASK)),
        _about(course, np.array([at]))[0],
    )


def _about(course: ResultTimeline, at: Any) -> Floats:
    """What moments are matched by, one row each."""
    turns = np.array([0, *course.turns])
    begun = turns[np.searchsorted(turns, at, side="right") - 1]
    loads = np.maximum(np.frombuffer(course.loads, dtype=np.intc)[at - 1].astype(np.float64), 1.0)
    return np.column_stack([np.log(at), 0.5 * np.log1p(at - begun), np.log(loads)])


def _matched(
    course: ResultTimeline, place: int, band: int, targets: Floats
) -> MatchedMoment | None:
    """The moment of a session that is most like one of the compactions; none near an event of its
    own.
    """
    low = max(LEAST, 1 << (band - 1))
    high = min(1 << band, len(course.failed) - LEAST + 1)
    at = np.arange(low, high)

    for kind, where in course.events:
        if kind == KIND:
            at = at[np.abs(at - where) >= WINDOW]

    if not len(at):
        return None

    about = _about(course, at)
    gaps = np.abs(about[:, None, :] - targets[None, :, :])
    gaps[:, :, 2] = np.where(
        (about[:, None, 2] > 0) & (targets[None, :, 2] > 0), gaps[:, :, 2], 0.0
    )

    return _moment(course, place, int(at[gaps.sum(axis=2).min(axis=1).argmin()]), False)


def _chosen(strata: Sequence[Sequence[MatchedMoment]], null: NullModel) -> list[Any]:
    """Per stratum which moments are called events: as it was, then at random, as many each time."""
    rng = null.rng(STREAM)
    out = []

    for moments in strata:
        real = np.array([m.is_event for m in moments])
        ranks = rng.random((null.count, len(moments))).argsort(axis=1).argsort(axis=1)
        out.append(np.vstack([real, ranks < real.sum()]))

    return out


def _effect(
    strata: Sequence[Sequence[MatchedMoment]], values: Sequence[Floats]
) -> tuple[float, float]:
    """Mean excess of the events over the placebo of their stratum, and its standard error."""
    total = 0.0
    variance = 0.0
    events = 0
    pooled = [
        v - np.where(real, v[real].mean(), v[~real].mean()) for v, real in _sides(strata, values)
    ]
    df = max(1, sum(len(p) for p in pooled) - 2 * len(pooled))
    spread = sum(float((p * p).sum()) for p in pooled) / df

    for v, real in _sides(strata, values):
        k = int(real.sum())
        q = int((~real).sum())
        total += k * float(v[real].mean() - v[~real].mean())
        variance += k * k * spread * (1 / k + 1 / q)
        events += k

    return total / events, math.sqrt(variance) / events


def _sides(
    strata: Sequence[Sequence[MatchedMoment]], values: Sequence[Floats]
) -> list[tuple[Floats, Any]]:
    return [(v, np.array([m.is_event for m in s])) for s, v in zip(strata, values, strict=True)]


def _damage(strata: Sequence[Sequence[MatchedMoment]]) -> dict[int, float]:
    """Per session the errors after its compactions, in robust standard deviations of the placebo."""
    found: dict[int, float] = {}
    for moments in strata:
        placebo = np.array([m.errors for m in moments if not m.is_event])
        if len(placebo) < SPREAD:
            continue

        centre = float(np.median(placebo))
        spread = ROBUST * float(np.median(np.abs(placebo - centre))) or float(placebo.std())
        for moment in moments:
            if moment.is_event and spread > 1e-9:
                found[moment.session] = (
                    found.get(moment.session, 0.0) + (moment.errors - centre) / spread
                )

    return found
