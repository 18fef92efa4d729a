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
from agingbench.bench.scoring.classes import DEPENDENCY_TYPES
from agingbench.bench.scoring.memory_text import MEMORY_METRICS, memory_shares
from agingbench.bench.scoring.verdicts import judge
from agingbench.cards.figures import Figure, Section
from agingbench.cards.model import CostAndEfficiency
from agingbench.interfaces import Agent
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.records import Usage
from agingbench.trials.run_folder import AnswerRow

Item = TypeVar("Item")
MarkRow = tuple[int, float, float, str]  # point, value, weight, fact

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
        in_headline = probe.weight is not None
        if dependencies:
            in_headline = probe.type in DEPENDENCY_TYPES
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
    keys = {(row.condition, row.probe) for row in rows}

    def take(row: AnswerRow) -> None:
        # The histories themselves stand in the plan; they would be kept over and over here.
        rows.append(msgspec.structs.replace(row, context=None))
        if keep is not None:
            keep(rows[-1])

    probes = sample(plan)
    floor_jobs: list[Job] = []
    for probe in probes:
        if (FLOOR, probe.id) not in keys:
            floor_jobs.append((FLOOR, probe, ""))
    ask_all(agent, floor_jobs, take, workers)

    ceiling_jobs: list[Job] = []
    for probe in reversed(probes):
        if (CEILING, probe.id) not in keys:
            ceiling_jobs.append((CEILING, probe, full_history(plan, probe.t)))
    ask_all(agent, ceiling_jobs[:1], take)
    if not _overflow(rows):
        ask_all(agent, ceiling_jobs[1:], take, workers)
    return bounds_of(plan, rows)


def _overflow(rows: Iterable[AnswerRow]) -> list[int]:
    points = []
    for row in rows:
        if row.condition == CEILING and row.reason == OVERFLOW:
            points.append(row.t)
    return sorted(points)


def bounds_complete(plan: Plan, rows: Iterable[AnswerRow]) -> bool:
    """Tell whether nothing is left to ask; once a history did not fit, no other one is asked."""
    answers = list(rows)
    probes = sample(plan)
    keys = {(row.condition, row.probe) for row in answers}
    all_keys = {(FLOOR, probe.id) for probe in probes}
    if not _overflow(answers):
        all_keys |= {(CEILING, probe.id) for probe in probes}
    return all_keys <= keys


def bounds_of(plan: Plan, rows: Iterable[AnswerRow]) -> Bounds:
    """Return the bounds that the answers make."""
    names = {probe.id for probe in sample(plan)}
    latest: dict[tuple[str, str], AnswerRow] = {}
    for row in rows:
        if row.probe in names:
            latest[row.condition, row.probe] = row

    usage = Usage()
    for row in latest.values():
        usage += row.usage

    floor_rows = [row for row in latest.values() if row.condition == FLOOR]
    ceiling_rows = [row for row in latest.values() if row.condition == CEILING]
    floor = _bound(plan, FLOOR, floor_rows)
    ceiling = _bound(plan, CEILING, ceiling_rows)
    return Bounds(floor, ceiling, usage)


def _bound(
    plan: Plan,
    condition: str,
    rows: Sequence[AnswerRow],
) -> Bound:
    over = _overflow(rows)
    if condition == CEILING and over:
        reason = f"the history of {over[0]} sessions does not fit the model's context"
        return Bound(MISSING, MISSING, reason)

    marks = []
    for row in rows:
        probe = plan.probe_by_id[row.probe]
        _, value = judge(probe, row, plan.graph)
        if value is not None:
            marks.append((probe, value))

    if not marks:
        reason = NOT_ASKED if sample(plan) else "the plan holds no probe to ask"
        if rows:
            reason = "every call failed in transport"
        return Bound(MISSING, MISSING, reason)

    answer_rows: list[MarkRow] = []
    for probe, value in marks:
        weight = probe.weight or 1.0
        answer_rows.append((probe.t, value, weight, probe.cluster))
    recall = _mean(answer_rows)
    if plan.headline not in MEMORY_METRICS:
        return Bound(recall, recall, None)

    points = sorted({probe.t for probe, _ in marks})
    texts = []
    for t in points:
        text = "" if condition == FLOOR else full_history(plan, t)
        texts.append((t, text))

    shares = memory_shares(plan, texts)[plan.headline]
    share_rows: list[MarkRow] = []
    for t, hits in shares.items():
        for fact, hit in zip(plan.inspected[t], hits, strict=True):
            share_rows.append((t, float(hit), 1.0, fact))
    return Bound(_mean(share_rows), recall, None)


def _mean(rows: Sequence[MarkRow]) -> Estimate:
    # Every point counts alike, as in the headline's time average.
    totals: dict[int, float] = {}
    for t, _, weight, _ in rows:
        totals[t] = totals.get(t, 0.0) + weight

    values = []
    weights = []
    facts = []
    for t, value, weight, fact in rows:
        values.append(value)
        weights.append(weight / totals[t])
        facts.append(fact)
    return clustered_mean(values, weights, facts)


def bounds_section(bounds: Bounds, plan: Plan) -> BoundsSection:
    """The card's `calibration` section."""
    probes = sample(plan)
    points = sorted({probe.t for probe in probes})
    floor = bounds.floor
    ceiling = bounds.ceiling
    return BoundsSection(
        headline=plan.headline,
        sample=ProbeSample(probes=len(probes), points=points),
        no_memory=BoundRecall(Figure.of(floor.recall), floor.reason),
        full_context=BoundRecall(Figure.of(ceiling.recall), ceiling.reason),
        cost=CostAndEfficiency.of(bounds.usage),
    )
