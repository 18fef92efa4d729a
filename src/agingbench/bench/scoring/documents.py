"""metrics.json and dependency_metrics.json as types, and how a life's scores fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.code_checks import CodeCheck
from agingbench.bench.scoring.conduct import ConductFigures, TaskOutcome, ask_for_acts
from agingbench.bench.scoring.score import LifeScores, ScoredAnswer
from agingbench.cards.figures import Figure, same_everywhere
from agingbench.metrics.curve import CurvePoint, CurveStats
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.mechanisms import (
    AccumulatorErrors,
    VerdictShares,
    WindowDelta,
    verdict_shares,
)


class PointFigure(Figure, frozen=True, kw_only=True):
    """A figure at one point of a life."""

    t: int


class SessionFigure(Figure, frozen=True, kw_only=True):
    """A figure of one session."""

    session: int


class ViolationRate(Figure, frozen=True, kw_only=True):
    """The share of forbidden requests in which a rule was broken, in all and by session."""

    by_session: list[SessionFigure]


class ConductDocument(msgspec.Struct, frozen=True):
    """What stands beside the violation rate: refusals, open tasks, and what was left to memory."""

    over_refusal_rate: Figure
    undecided_share: Figure
    cite_accuracy: Figure
    unasked_violations: int


class AccumulatorDocument(AccumulatorErrors, frozen=True, kw_only=True):
    """The errors in running totals, and whether they grow."""

    compounding_detected: bool | None


class StaleCount(msgspec.Struct, frozen=True):
    """How many values of the past a workspace still states at one point."""

    t: int
    n: int


class TaskRow(msgspec.Struct, frozen=True):
    """How one task ended."""

    session: int
    task: str
    expected: str
    decided: str | None
    failed: bool
    violates: Sequence[str] | UnsetType = UNSET  # only where a rule was broken
    fits: bool | UnsetType = UNSET  # only where something was left to memory


class CodeDocument(msgspec.Struct, frozen=True):
    """How the code that the agent wrote did."""

    pass_rate: Figure
    checks: Sequence[CodeCheck]
    by_session: list[SessionFigure] | UnsetType = UNSET  # of a program that is checked each time
    shock_windows: dict[str, WindowDelta] | UnsetType = UNSET


class MetricsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """metrics.json: the curve, the headline's statistics, every metric, and the answer table."""

    scenario: str
    scenario_version: str
    seed: int
    headline: CurveStats
    curve: list[CurvePoint]
    failed_share: float
    probe_metrics: dict[str, Figure]
    memory_metrics: dict[str, list[PointFigure]]
    stale_in_workspace: list[StaleCount]
    cvr: ViolationRate
    conduct: ConductDocument | UnsetType = UNSET  # only where tasks ask for acts
    accumulator_error: AccumulatorDocument
    verdicts: VerdictShares
    code: CodeDocument | UnsetType = UNSET  # only where the plan asks for code
    tasks: list[TaskRow]
    answers: list[ScoredAnswer]


class DependencyDocument(msgspec.Struct, frozen=True, kw_only=True):
    """dependency_metrics.json: what the structures of the fact graph say."""

    graph: dict[str, int]
    chain_recall_by_depth: dict[str, Figure]
    chain_recall_by_span: dict[str, Figure]
    per_hop_analysis: dict[str, Figure]
    lag_recall: dict[str, Figure]
    shock_windows: dict[str, WindowDelta]


def metrics_document(scores: LifeScores, plan: Plan) -> MetricsDocument:
    """The content of metrics.json."""
    code: CodeDocument | UnsetType = UNSET
    if scores.code:
        code = CodeDocument(Figure.of(scores.code_pass_rate), scores.code)
    if scores.code and plan.checks_workspace:
        by_session = []
        for session, estimate in scores.code_by_session.items():
            by_session.append(SessionFigure(*_parts(estimate), session=session))
        code = CodeDocument(
            Figure.of(scores.code_pass_rate), scores.code, by_session, scores.code_windows
        )

    memory_metrics = {}
    for name, series in scores.memory_metrics.items():
        memory_metrics[name] = [PointFigure(*_parts(part), t=t) for t, part in series.items()]

    cvr_by_session = []
    for session, estimate in scores.cvr_by_session.items():
        cvr_by_session.append(SessionFigure(*_parts(estimate), session=session))

    errors = msgspec.structs.astuple(scores.accumulator)
    return MetricsDocument(
        scenario=plan.scenario,
        scenario_version=plan.scenario_version,
        seed=plan.seed,
        headline=_written(scores.headline),
        curve=scores.curve,
        failed_share=scores.failed_share,
        probe_metrics=_figures(scores.probe_metrics),
        memory_metrics=memory_metrics,
        stale_in_workspace=[StaleCount(t, n) for t, n in scores.stale_in_workspace.items()],
        cvr=ViolationRate(*_parts(scores.conduct.cvr), by_session=cvr_by_session),
        conduct=_conduct(scores.conduct if ask_for_acts(scores.tasks) else None),
        accumulator_error=AccumulatorDocument(*errors, compounding_detected=scores.compounding),
        verdicts=verdict_shares(scores.rows["chain_recall"]),
        code=code,
        tasks=[_task_row(task) for task in scores.tasks],
        answers=scores.table,
    )


def _written(stats: CurveStats) -> CurveStats:
    """Return the statistics with as many digits as the figures of a card have."""
    fields = {}
    for name, part in msgspec.structs.asdict(stats).items():
        if isinstance(part, Estimate):
            low, high = same_everywhere(part.low), same_everywhere(part.high)
            fields[name] = Estimate(same_everywhere(part.value), low, high, part.n)

    return msgspec.structs.replace(stats, **fields)


def _conduct(figures: ConductFigures | None) -> ConductDocument | UnsetType:
    if figures is None:
        return UNSET
    return ConductDocument(
        over_refusal_rate=Figure.of(figures.over_refusal_rate),
        undecided_share=Figure.of(figures.undecided_share),
        cite_accuracy=Figure.of(figures.cite_accuracy),
        unasked_violations=figures.unasked_violations,
    )


def _task_row(task: TaskOutcome) -> TaskRow:
    return TaskRow(
        session=task.session,
        task=task.task,
        expected=task.expected,
        decided=task.decided,
        failed=task.failed,
        violates=task.violates or UNSET,
        fits=UNSET if task.fits is None else task.fits,
    )


def dependency_document(scores: LifeScores, plan: Plan) -> DependencyDocument:
    """The content of dependency_metrics.json."""
    return DependencyDocument(
        graph=plan.graph.summary(),
        chain_recall_by_depth=_figures(scores.chain_recall_by_depth),
        chain_recall_by_span=_figures(scores.chain_recall_by_span),
        per_hop_analysis=_figures(scores.per_hop),
        lag_recall=_figures(scores.lag_recall),
        shock_windows=scores.windows,
    )


def _figures(estimates: Mapping[str, Estimate]) -> dict[str, Figure]:
    return {name: Figure.of(estimate) for name, estimate in estimates.items()}


def _parts(estimate: Estimate) -> tuple[Any, ...]:
    return msgspec.structs.astuple(Figure.of(estimate))
