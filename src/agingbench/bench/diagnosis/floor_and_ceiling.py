"""Floor and ceiling of a life's score: the same questions with nothing and with the whole history
to read.

Both are asked of the life's agent on a bounded sample of its probes, in the slot where the memory's
text stands. The figures are means over the sampled points, each weighted as the headline weights
it. Where the headline is read off the memory's text, an empty text and the whole history are read
in its place, and how the answers did stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from agingbench.bench.diagnosis.contexts import full_history
from agingbench.bench.diagnosis.ladder import Job, ask_all
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.memory_text import MEMORY_METRICS, memory_shares
from agingbench.bench.scoring.score import DEPENDENCY_TYPES
from agingbench.bench.scoring.verdicts import judge
from agingbench.cards.figures import Figure, Section
from agingbench.cards.model import CostAndEfficiency
from agingbench.interfaces import Agent
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.records import Usage
from agingbench.trials.run_folder import AnswerRow

Item = TypeVar("Item")

FLOOR = "no_memory"
CEILING = "full_context"
POINTS = 8  # at most so many points are sampled
PER_POINT = 6  # and so many probes at each
OVERFLOW = "context_overflow"
NOT_ASKED = (
    "not asked: give --bounds or --diagnose, for a model that is not embedded with --calibrate"
)


class Bound(msgspec.Struct, frozen=True):
    """One side: the headline's metric and the recall of the answers under the condition, or why
    there is none.
    """

    headline: Estimate
    recall: Estimate
    reason: str | None


class Bounds(msgspec.Struct, frozen=True):
    """Floor and ceiling of a life, and what asking for them took."""

    floor: Bound
    ceiling: Bound
    usage: Usage


class ProbeSample(msgspec.Struct, frozen=True):
    """How many probes were asked again, and at which points."""

    probes: int
    points: list[int]


class BoundRecall(msgspec.Struct, frozen=True):
    """The recall of the answers under one condition, or why there is none."""

    recall: Figure
    reason: str | None


class BoundsSection(Section, frozen=True, kw_only=True):
    """The card's `calibration`: how the answers did under both conditions, and what asking took."""

    headline: str
    sample: ProbeSample
    no_memory: BoundRecall
    full_context: BoundRecall
    cost: CostAndEfficiency


def not_asked() -> Bound:
    """The bound of a life that was not asked for it."""
    return Bound(MISSING, MISSING, NOT_ASKED)


def sample(plan: Plan) -> list[Probe]:
    """The probes that are asked again: the headline's own, spread evenly over the points and over
    each point.
    """
    by_point: dict[int, list[Probe]] = {}
    dependencies = plan.headline == "dep_recall"
    for probe in plan.probes:
        in_headline = probe.type in DEPENDENCY_TYPES if dependencies else probe.weight is not None
        if probe.t > 0 and in_headline:
            by_point.setdefault(probe.t, []).append(probe)

    probes: list[Probe] = []
    for t in _spread(sorted(by_point), POINTS):
        probes += _spread(by_point[t], PER_POINT)
    return probes


def _spread(items: Sequence[Item], most: int) -> list[Item]:
    # The first and the last always, the others at even steps between them.
    n = len(items)
    if n <= most:
        return list(items)
    return [items[round(i * (n - 1) / (most - 1))] for i in range(most)]


def ask_bounds(
    plan: Plan,
    agent: Agent,
    *,
    done: Sequence[AnswerRow] = (),
    keep: Callable[[AnswerRow], None] | None = None,
    workers: int = 1,
) -> Bounds:
    """Ask what is missing and bound the life. The longest history is asked first; where it does not
    fit, no other is asked.
    """
    rows = [row for row in done if row.status != "failed"]
    have = {(row.condition, row.probe) for row in rows}

    def take(row: AnswerRow) -> None:
        # The histories themselves stand in the plan; they would be kept over and over here.
        rows.append(msgspec.structs.replace(row, context=None))
        if keep is not None:
            keep(rows[-1])

    probes = sample(plan)
    todo: list[Job] = [(FLOOR, p, "") for p in probes if (FLOOR, p.id) not in have]
    ask_all(agent, todo, take, workers)
    todo = [
        (CEILING, p, full_history(plan, p.t))
        for p in reversed(probes)
        if (CEILING, p.id) not in have
    ]
    ask_all(agent, todo[:1], take)
    if not _overflow(rows):
        ask_all(agent, todo[1:], take, workers)
    return bounds_of(plan, rows)


def _overflow(rows: Iterable[AnswerRow]) -> list[int]:
    return sorted(row.t for row in rows if row.condition == CEILING and row.reason == OVERFLOW)


def bounds_complete(plan: Plan, rows: Iterable[AnswerRow]) -> bool:
    """Whether nothing is left to ask; where a history did not fit, the ceiling is not asked any
    further.
    """
    answers = list(rows)
    have = {(row.condition, row.probe) for row in answers}
    needed = {(FLOOR, probe.id) for probe in sample(plan)}
    if not _overflow(answers):
        needed |= {(CEILING, probe.id) for probe in sample(plan)}
    return needed <= have


def bounds_of(plan: Plan, rows: Iterable[AnswerRow]) -> Bounds:
    """The bounds that the answers make; a pure function of them."""
    names = {probe.id for probe in sample(plan)}
    latest = {(row.condition, row.probe): row for row in rows if row.probe in names}
    floor = [row for row in latest.values() if row.condition == FLOOR]
    ceiling = [row for row in latest.values() if row.condition == CEILING]
    usage = sum((row.usage for row in latest.values()), Usage())
    return Bounds(_bound(plan, FLOOR, floor), _bound(plan, CEILING, ceiling), usage)


def _bound(plan: Plan, condition: str, rows: Sequence[AnswerRow]) -> Bound:
    over = _overflow(rows)
    if condition == CEILING and over:
        return Bound(
            MISSING, MISSING, f"the history of {over[0]} sessions does not fit the model's context"
        )
    marks = []
    for row in rows:
        probe = plan.probe_by_id[row.probe]
        value = judge(probe, row, plan.graph)[1]
        if value is not None:
            marks.append((probe, value))
    if not marks:
        why = NOT_ASKED if sample(plan) else "the plan holds no probe to ask"
        return Bound(MISSING, MISSING, "every call failed in transport" if rows else why)
    recall = _mean([(p.t, value, p.weight or 1.0, p.cluster) for p, value in marks])
    if plan.headline not in MEMORY_METRICS:
        return Bound(recall, recall, None)
    points = sorted({p.t for p, _ in marks})
    texts = [(t, "" if condition == FLOOR else full_history(plan, t)) for t in points]
    shares = memory_shares(plan, texts)[plan.headline]
    hits = [
        (t, float(hit), 1.0, fact)
        for t, found in shares.items()
        for fact, hit in zip(plan.inspected[t], found, strict=True)
    ]
    return Bound(_mean(hits), recall, None)


def _mean(rows: Sequence[tuple[int, float, float, str]]) -> Estimate:
    # Every point counts alike, as in the headline's time average.
    total: dict[int, float] = {}
    for t, _, weight, _ in rows:
        total[t] = total.get(t, 0.0) + weight
    return clustered_mean(
        [r[1] for r in rows], [r[2] / total[r[0]] for r in rows], [r[3] for r in rows]
    )


def bounds_section(bounds: Bounds, plan: Plan) -> BoundsSection:
    """The card's `calibration` section."""
    probes = sample(plan)
    return BoundsSection(
        headline=plan.headline,
        sample=ProbeSample(probes=len(probes), points=sorted({probe.t for probe in probes})),
        no_memory=BoundRecall(Figure.of(bounds.floor.recall), bounds.floor.reason),
        full_context=BoundRecall(Figure.of(bounds.ceiling.recall), bounds.ceiling.reason),
        cost=CostAndEfficiency.of(bounds.usage),
    )
