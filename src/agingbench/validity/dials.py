"""Dose and response: what one dial does to its own metric and to others, on the embedded reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from agingbench.bench.diagnosis.contexts import Store, oracle_retrieval
from agingbench.bench.life.life import Life
from agingbench.bench.life.lifecycle import fork_of, memory_of
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.classes import DEPENDENCY_TYPES
from agingbench.bench.scoring.score import (
    PROBE_METRICS,
    judged,
    life_figures,
)
from agingbench.bench.scoring.verdicts import judge
from agingbench.cards.validity import DialResponse, DialRow, DialsReport, SpanResponse
from agingbench.interfaces import Agent
from agingbench.metrics.intervals import Estimate, mean_over_lives
from agingbench.trials.run_folder import AnswerRow
from agingbench.validity.workers import run_jobs

MODEL = "extractive"
LONG_SPAN = 4  # sessions between the oldest and the newest source of a dependency probe
# Groups of spans: name, shortest and longest.
SPANS = (
    ("0", 0, 0),
    ("1", 1, 1),
    ("2-3", 2, 3),
    ("4-5", 4, 5),
    ("6-7", 6, 7),
    ("8+", 8, 10**6),
)
# Questions that the embedded reader can answer; it does not go from one sentence to the next, so
# multi-hop is left out.
SPAN_TYPES = ("compare", "synthesize", "trend")
ORACLE = "oracle_retrieval"
COUNTS = ("deepest_chain", "long_span_probes", "interference_probes", "dependency_probes")


@dataclass(frozen=True)
class Sweep:
    """One dial, its settings, the metric that has to respond and the ones that should not.

    `base` sets other dials to a fixed value where medium would leave this dial no room.
    """

    dial: str
    scenario: str
    memory: str
    settings: tuple[float, ...]
    own: str
    expected: str  # falls or rises
    bystanders: tuple[str, ...] = ("compression_recall",)
    base: Mapping[str, float] = field(default_factory=dict)
    oracle: bool = False  # also ask with the right units in context


SWEEPS = (
    Sweep(
        dial="tokens_per_session",
        scenario="s3",
        memory="append_only",
        settings=(500, 1000, 1500, 2000, 3000),
        own="interference_resistance",
        expected="falls",
        base={"n_confusable_pairs": 6},
    ),
    Sweep(
        dial="dependency_density",
        scenario="s6",
        memory="append_only",
        settings=(0.1, 0.3, 0.5, 0.7, 0.9),
        own="long_span_probes",
        expected="rises",
    ),
    Sweep(
        dial="update_rate",
        scenario="s3",
        memory="append_only",
        settings=(0.1, 0.3, 0.5, 0.7, 0.9),
        own="version_accuracy",
        expected="falls",
        base={"max_chain_depth": 6},
    ),
    Sweep(
        dial="max_chain_depth",
        scenario="s3",
        memory="append_only",
        settings=(1, 2, 3, 4, 5, 6),
        own="deepest_chain",
        expected="rises",
        base={"update_rate": 0.8, "dependency_density": 1},
    ),
    Sweep(
        dial="n_confusable_pairs",
        scenario="s3",
        memory="append_only",
        settings=(1, 2, 4, 6, 9, 12),
        own="interference_resistance",
        expected="falls",
        bystanders=("summarization_fidelity", "compression_recall"),
        oracle=True,
        base={"decoys_per_session": 0},  # which compete as look-alikes do
    ),
    Sweep(
        dial="confusable_start_session",
        scenario="s3",
        memory="append_only",
        settings=(1, 3, 5, 7, 9),
        own="interference_probes",
        expected="falls",
    ),
    Sweep(
        dial="warmup_sessions",
        scenario="s3",
        memory="append_only",
        settings=(0, 2, 4, 6, 8),
        own="dependency_probes",
        expected="falls",
    ),
    Sweep(
        dial="forget_rate",
        scenario="s3",
        memory="append_only",
        settings=(0.05, 0.1, 0.2, 0.3, 0.4),
        own="forget_accuracy",
        expected="falls",
    ),
    Sweep(
        dial="decoys_per_session",
        scenario="s3",
        memory="append_only",
        settings=(0, 4, 8, 16, 24),
        own="compression_recall",
        expected="falls",
        bystanders=("summarization_fidelity",),
    ),
)

Figures = dict[str, float | None]
LivesBySetting = Mapping[float, Sequence[Figures]]


def structure(plan: Plan) -> Figures:
    """Return the figures of a plan's structure that dials move and no answer table shows."""
    probes = [probe for probe in plan.probes if probe.t >= 1]
    dependent = [probe for probe in probes if probe.type in DEPENDENCY_TYPES]

    is_chain = PROBE_METRICS["chain_recall"]
    depths = [probe.depth or 0 for probe in probes if is_chain(probe)]

    return {
        "deepest_chain": max(depths, default=0),
        "long_span_probes": sum((probe.span or 0) >= LONG_SPAN for probe in dependent),
        "interference_probes": sum(probe.mechanism == "interference" for probe in probes),
        "dependency_probes": len(dependent),
    }


def figures_of(sweep: Sweep, setting: float, sessions: int, seed: int) -> Figures:
    """Return every figure of one life under one setting."""
    scenario = load_scenario(sweep.scenario)
    pressure = {**sweep.base, sweep.dial: setting}
    plan = plan_for(scenario, "medium", pressure, sessions, seed)

    record = InMemory()
    life = Life(plan, scenario, Sut(memory=sweep.memory), record)
    life.live()

    figures = life_figures(life.evidence())
    figures |= structure(plan)
    figures |= _figures_by_span(plan, record.answers)
    if sweep.oracle:
        figures[ORACLE] = _with_oracle_retrieval(plan, life.system.agent, record.states)

    return figures


def _figures_by_span(plan: Plan, answers: Sequence[AnswerRow]) -> Figures:
    rows = []
    for probe, _, outcome in judged(plan, answers):
        if probe.type in SPAN_TYPES and probe.t >= 1 and outcome.value is not None:
            rows.append((probe.span or 0, outcome.value))

    figures: Figures = {}
    for name, low, high in SPANS:
        values = [value for span, value in rows if low <= span <= high]
        figures[_span_metric(name)] = _average(values)

    return figures


def _average(values: Sequence[float]) -> float | None:
    if not values:
        return None

    return sum(values) / len(values)


def _span_metric(name: str) -> str:
    return f"chain_recall, span {name}"


def _with_oracle_retrieval(
    plan: Plan,
    agent: Agent,
    states: Mapping[str, Mapping[str, Any]],
) -> float | None:
    """Return interference resistance with the right units of the agent's own store in context."""
    values = []
    store = Store()

    for point in range(1, plan.n_sessions + 1):
        probes = [p for p in plan.probes_at(point) if p.mechanism == "interference"]
        if not probes:
            continue

        agent.load(dict(states[str(point)]))
        store.hold(memory_of(agent).units() or ())

        for probe in probes:
            context = oracle_retrieval(store, plan, probe)
            with closing(fork_of(agent)) as fork:
                answer = fork.ask(probe.prompt, context)
            row = AnswerRow(
                point,
                probe.id,
                ORACLE,
                answer.text,
                answer.status,
                answer.reason,
            )
            _, value = judge(probe, row, plan.graph)
            if value is not None:
                values.append(value)

    return _average(values)


def dials(
    seeds: Sequence[int],
    sessions: int,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> DialsReport:
    """Return the response to every dial, with intervals over lives.

    Chain recall by session span is measured over the lives of the dependency dial.
    """
    jobs: list[tuple[Sweep, float, int, int]] = []
    for sweep in SWEEPS:
        for setting in sweep.settings:
            for seed in seeds:
                jobs.append((sweep, setting, sessions, seed))

    lives: dict[str, dict[float, list[Figures]]] = {}
    results = run_jobs(figures_of, jobs, workers)

    for (sweep, setting, _, _), figures in zip(jobs, results, strict=True):
        by_setting = lives.setdefault(sweep.dial, {})
        by_setting.setdefault(setting, []).append(figures)
        if progress:
            progress()

    rows: list[DialRow] = []
    for sweep in SWEEPS:
        rows += _rows(sweep, lives[sweep.dial])

    dependency = next(sweep for sweep in SWEEPS if sweep.dial == "dependency_density")

    return DialsReport(
        rows=rows,
        dials=[_response(sweep, lives[sweep.dial]) for sweep in SWEEPS],
        spans=_spans(dependency, lives[dependency.dial]),
        sessions=sessions,
        seeds=len(seeds),
        model=MODEL,
    )


def _mean(lives: Sequence[Figures], metric: str) -> Estimate:
    values = [life.get(metric) for life in lives]
    return mean_over_lives(values, proportion=metric not in COUNTS)


def _rows(sweep: Sweep, lives: LivesBySetting) -> Iterator[DialRow]:
    metrics = [sweep.own, *sweep.bystanders]
    if sweep.oracle:
        metrics.append(ORACLE)

    for setting in sweep.settings:
        for metric in metrics:
            mean = _mean(lives[setting], metric)
            yield DialRow(
                dial=sweep.dial,
                scenario=sweep.scenario,
                memory=sweep.memory,
                setting=setting,
                metric=metric,
                own=metric == sweep.own,
                mean=mean.value,
                low=mean.low,
                high=mean.high,
                n=mean.n,
            )


def _response(sweep: Sweep, lives: LivesBySetting) -> DialResponse:
    def means(metric: str) -> list[Estimate]:
        return [_mean(lives[setting], metric) for setting in sweep.settings]

    def values(metric: str) -> list[float | None]:
        return [mean.value for mean in means(metric)]

    own = means(sweep.own)
    responses = [mean.value for mean in own]
    bystanders = {name: values(name) for name in sweep.bystanders}

    return DialResponse(
        dial=sweep.dial,
        scenario=load_scenario(sweep.scenario).id,
        memory=sweep.memory,
        policy=sweep.memory,
        model=MODEL,
        pressure={"preset": "medium", **sweep.base},
        settings=list(sweep.settings),
        metric=sweep.own,
        expected=sweep.expected,
        responses=responses,
        intervals=[(mean.low, mean.high) for mean in own],
        n=[mean.n for mean in own],
        spearman=_rank(sweep.settings, responses),
        bystanders=bystanders,
        bystander_range={name: _range(means) for name, means in bystanders.items()},
        oracle_retrieval=values(ORACLE) if sweep.oracle else None,
    )


def _spans(sweep: Sweep, lives: LivesBySetting) -> SpanResponse:
    all_lives: list[Figures] = []
    for group in lives.values():
        all_lives += group

    names = [name for name, _, _ in SPANS]
    means = [_mean(all_lives, _span_metric(name)) for name in names]
    responses = [mean.value for mean in means]

    return SpanResponse(
        scenario=load_scenario(sweep.scenario).id,
        memory=sweep.memory,
        policy=sweep.memory,
        model=MODEL,
        metric="chain_recall",
        types=list(SPAN_TYPES),
        spans=names,
        responses=responses,
        intervals=[(mean.low, mean.high) for mean in means],
        n=[mean.n for mean in means],
        spearman=_rank(range(len(SPANS)), responses),
    )


def _rank(settings: Sequence[float], means: Sequence[float | None]) -> float | None:
    """Return Spearman's rank correlation, or None with too few different values."""
    from scipy.stats import spearmanr

    xs = []
    ys = []

    for setting, mean in zip(settings, means, strict=True):
        if mean is not None:
            xs.append(setting)
            ys.append(mean)

    if len(ys) < 3 or len(set(ys)) < 2:
        return None

    return float(spearmanr(xs, ys).statistic)


def _range(means: Sequence[float | None]) -> float | None:
    values = [mean for mean in means if mean is not None]
    if not values:
        return None

    return max(values) - min(values)
