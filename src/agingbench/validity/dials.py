"""Dose and response: what one dial does to its own metric and to others, on the embedded reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from agingbench.bench.diagnosis.contexts import Store, oracle_retrieval
from agingbench.bench.life.life import Life
from agingbench.bench.life.lifecycle import memory_of
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.score import (
    DEPENDENCY_TYPES,
    PROBE_METRICS,
    judged,
    life_figures,
)
from agingbench.bench.scoring.verdicts import judge
from agingbench.interfaces import Agent
from agingbench.metrics.intervals import Estimate, mean_over_lives
from agingbench.trials.run_folder import AnswerRow

MODEL = "extractive"
LONG_SPAN = 4  # sessions between the oldest and the newest source of a dependency probe
SPANS = (("0", 0, 0), ("1", 1, 1), ("2-3", 2, 3), ("4-5", 4, 5), ("6-7", 6, 7), ("8+", 8, 10**6))
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
    Sweep("tokens_per_session", "s3", "append_only", (500, 1000, 1500, 2000, 3000), "interference_resistance", "falls",
          base={"n_confusable_pairs": 6}),
    Sweep("dependency_density", "s6", "append_only", (0.1, 0.3, 0.5, 0.7, 0.9), "long_span_probes", "rises"),
    Sweep("update_rate", "s3", "append_only", (0.1, 0.3, 0.5, 0.7, 0.9), "version_accuracy", "falls",
          base={"max_chain_depth": 6}),
    Sweep("max_chain_depth", "s3", "append_only", (1, 2, 3, 4, 5, 6), "deepest_chain", "rises",
          base={"update_rate": 0.8, "dependency_density": 1}),
    Sweep("n_confusable_pairs", "s3", "append_only", (1, 2, 4, 6, 9, 12), "interference_resistance", "falls",
          ("summarization_fidelity", "compression_recall"), oracle=True),
    Sweep("confusable_start_session", "s3", "append_only", (1, 3, 5, 7, 9), "interference_probes", "falls"),
    Sweep("warmup_sessions", "s3", "append_only", (0, 2, 4, 6, 8), "dependency_probes", "falls"),
    Sweep("forget_rate", "s3", "append_only", (0.05, 0.1, 0.2, 0.3, 0.4), "forget_accuracy", "falls"),
)  # fmt: skip

Figures = dict[str, float | None]
Job = tuple[Sweep, float, int]  # sweep, setting, seed


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
    return sum(values) / len(values) if values else None


def _span_metric(name: str) -> str:
    return f"chain_recall, span {name}"


def _with_oracle_retrieval(
    plan: Plan, agent: Agent, states: Mapping[str, Mapping[str, Any]]
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
            answer = agent.fork().ask(probe.question, context)
            row = AnswerRow(point, probe.id, ORACLE, answer.text, answer.status, answer.reason)
            value = judge(probe, row, plan.graph)[1]
            if value is not None:
                values.append(value)
    return _average(values)


def dials(
    seeds: Sequence[int],
    sessions: int,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Return the response to every dial, with intervals over lives.

    `dials` holds one entry per dial, `rows` the same as plain rows, and `spans` chain recall by
    session span over the lives of the dependency dial.
    """
    jobs: list[Job] = []
    for sweep in SWEEPS:
        for setting in sweep.settings:
            jobs += [(sweep, setting, seed) for seed in seeds]

    lives: dict[str, dict[float, list[Figures]]] = {}
    for job, figures in zip(jobs, _run_jobs(jobs, sessions, workers), strict=True):
        sweep, setting, _ = job
        by_setting = lives.setdefault(sweep.dial, {})
        by_setting.setdefault(setting, []).append(figures)
        if progress:
            progress()

    rows: list[dict[str, Any]] = []
    for sweep in SWEEPS:
        rows += _rows(sweep, lives[sweep.dial])
    dependency = next(sweep for sweep in SWEEPS if sweep.dial == "dependency_density")
    return {
        "rows": rows,
        "dials": [_response(sweep, lives[sweep.dial]) for sweep in SWEEPS],
        "spans": _spans(dependency, lives[dependency.dial]),
        "sessions": sessions,
        "seeds": len(seeds),
        "model": MODEL,
    }


def _run_jobs(jobs: Sequence[Job], sessions: int, workers: int) -> Iterator[Figures]:
    if workers <= 1:
        for sweep, setting, seed in jobs:
            yield figures_of(sweep, setting, sessions, seed)
        return

    with ProcessPoolExecutor(workers) as pool:
        futures = []
        for sweep, setting, seed in jobs:
            futures.append(pool.submit(figures_of, sweep, setting, sessions, seed))
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _mean(lives: Sequence[Figures], metric: str) -> Estimate:
    return mean_over_lives([life.get(metric) for life in lives], proportion=metric not in COUNTS)


def _rows(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> Iterator[dict[str, Any]]:
    metrics = [sweep.own, *sweep.bystanders]
    if sweep.oracle:
        metrics.append(ORACLE)
    for setting in sweep.settings:
        for metric in metrics:
            mean = _mean(lives[setting], metric)
            yield {
                "dial": sweep.dial,
                "scenario": sweep.scenario,
                "memory": sweep.memory,
                "setting": setting,
                "metric": metric,
                "own": metric == sweep.own,
                "mean": mean.value,
                "low": mean.low,
                "high": mean.high,
                "n": mean.n,
            }


def _response(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> dict[str, Any]:
    def means(metric: str) -> list[Estimate]:
        return [_mean(lives[setting], metric) for setting in sweep.settings]

    own = means(sweep.own)
    bystanders = {}
    for name in sweep.bystanders:
        bystanders[name] = [mean.value for mean in means(name)]
    oracle = None
    if sweep.oracle:
        oracle = [mean.value for mean in means(ORACLE)]

    return {
        "dial": sweep.dial,
        "scenario": load_scenario(sweep.scenario).id,
        "memory": sweep.memory,
        "policy": sweep.memory,
        "model": MODEL,
        "pressure": {"preset": "medium", **sweep.base},
        "settings": list(sweep.settings),
        "metric": sweep.own,
        "expected": sweep.expected,
        "responses": [mean.value for mean in own],
        "intervals": [[mean.low, mean.high] for mean in own],
        "n": [mean.n for mean in own],
        "spearman": _rank(sweep.settings, [mean.value for mean in own]),
        "bystanders": bystanders,
        "bystander_range": {name: _range(values) for name, values in bystanders.items()},
        ORACLE: oracle,
    }


def _spans(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> dict[str, Any]:
    all_lives = [life for group in lives.values() for life in group]
    names = [name for name, _, _ in SPANS]
    means = [_mean(all_lives, _span_metric(name)) for name in names]
    return {
        "scenario": load_scenario(sweep.scenario).id,
        "memory": sweep.memory,
        "policy": sweep.memory,
        "model": MODEL,
        "metric": "chain_recall",
        "types": list(SPAN_TYPES),
        "spans": names,
        "responses": [mean.value for mean in means],
        "intervals": [[mean.low, mean.high] for mean in means],
        "n": [mean.n for mean in means],
        "spearman": _rank(range(len(SPANS)), [mean.value for mean in means]),
    }


def _rank(settings: Sequence[float], means: Sequence[float | None]) -> float | None:
    """Return Spearman's rank correlation, or None with too few different values."""
    from scipy.stats import spearmanr

    pairs = []
    for setting, mean in zip(settings, means, strict=True):
        if mean is not None:
            pairs.append((setting, mean))
    if len(pairs) < 3 or len({mean for _, mean in pairs}) < 2:
        return None
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)


def _range(means: Sequence[float | None]) -> float | None:
    values = [mean for mean in means if mean is not None]
    return max(values) - min(values) if values else None
