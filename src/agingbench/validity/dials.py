"""Dose and response: what turning one dial does to its own metric and to the bystanders, on the
embedded reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from agingbench.bench.diagnosis.contexts import Store, oracle_retrieval
from agingbench.bench.diagnosis.ladder import Recorder
from agingbench.bench.life.life import load_scenario, plan_for
from agingbench.bench.life.lifecycle import memory_of
from agingbench.bench.life.loop import live
from agingbench.bench.life.system import Sut, build
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.score import (
    DEPENDENCY_TYPES,
    PROBE_METRICS,
    LifeRecord,
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
    """One dial, the settings it is turned to, the metric that has to answer and the ones that
    should not.

    `base` holds other dials that stand still at a value of their own, where medium would leave the
    dial no room.
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
    """What of a plan's structure the dials move and no answer table shows."""
    asked = [p for p in plan.probes if p.t >= 1]
    dependent = [p for p in asked if p.type in DEPENDENCY_TYPES]
    return {
        "deepest_chain": max(
            (p.depth or 0 for p in asked if PROBE_METRICS["chain_recall"](p)), default=0
        ),
        "long_span_probes": sum((p.span or 0) >= LONG_SPAN for p in dependent),
        "interference_probes": sum(p.mechanism == "interference" for p in asked),
        "dependency_probes": len(dependent),
    }


def figures_of(sweep: Sweep, setting: float, sessions: int, seed: int) -> Figures:
    """Every figure of one life under one setting."""
    scenario = load_scenario(sweep.scenario)
    plan = plan_for(scenario, "medium", {**sweep.base, sweep.dial: setting}, sessions, seed)
    system = build(Sut(memory=sweep.memory), scenario.role)
    keeper = Recorder()
    live(plan, scenario, system.agent, keeper, meter=system.meter)
    found = life_figures(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
    found |= {**structure(plan), **_by_span(plan, keeper.answers)}
    if sweep.oracle:
        found[ORACLE] = _with_oracle_retrieval(plan, system.agent, keeper.states)
    return found


def _by_span(plan: Plan, answers: Sequence[AnswerRow]) -> Figures:
    rows = [
        (p.span or 0, o.value)
        for p, _, o in judged(plan, answers)
        if p.type in SPAN_TYPES and p.t >= 1
    ]
    out: Figures = {}
    for name, low, high in SPANS:
        values = [value for span, value in rows if low <= span <= high and value is not None]
        out[_span_metric(name)] = sum(values) / len(values) if values else None
    return out


def _span_metric(name: str) -> str:
    return f"chain_recall, span {name}"


def _with_oracle_retrieval(
    plan: Plan, agent: Agent, states: Mapping[str, Mapping[str, Any]]
) -> float | None:
    """Interference resistance when the units of the agent's own store that state the fact are put
    before it.
    """
    values = []
    store = Store()
    for t in range(1, plan.n_sessions + 1):
        probes = [p for p in plan.probes_at(t) if p.mechanism == "interference"]
        if not probes:
            continue
        agent.load(dict(states[str(t)]))
        store.hold(memory_of(agent).units() or ())
        for probe in probes:
            given = agent.fork().ask(probe.question, oracle_retrieval(store, plan, probe))
            row = AnswerRow(t, probe.id, ORACLE, given.text, given.status, given.reason)
            values.append(judge(probe, row, plan.graph)[1])
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None


def dials(
    seeds: Sequence[int],
    sessions: int,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Per dial the response of its metric and of the bystanders with intervals over lives; the same
    as plain rows; and chain recall by session span over the lives of the dependency dial.
    """
    jobs = [
        (sweep, setting, seed) for sweep in SWEEPS for setting in sweep.settings for seed in seeds
    ]
    lives: dict[str, dict[float, list[Figures]]] = {}
    for (sweep, setting, _), figures in zip(jobs, _lived(jobs, sessions, workers), strict=True):
        lives.setdefault(sweep.dial, {}).setdefault(setting, []).append(figures)
        if progress:
            progress()
    answered = [_answered(sweep, lives[sweep.dial]) for sweep in SWEEPS]
    return {
        "rows": [row for sweep in SWEEPS for row in _rows(sweep, lives[sweep.dial])],
        "dials": answered,
        "spans": _spans(
            next(s for s in SWEEPS if s.dial == "dependency_density"), lives["dependency_density"]
        ),
        "sessions": sessions,
        "seeds": len(seeds),
        "model": MODEL,
    }


def _lived(jobs: Sequence[Job], sessions: int, workers: int) -> Iterator[Figures]:
    if workers <= 1:
        yield from (figures_of(sweep, setting, sessions, seed) for sweep, setting, seed in jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        futures = [
            pool.submit(figures_of, sweep, setting, sessions, seed) for sweep, setting, seed in jobs
        ]
        try:
            yield from (future.result() for future in futures)
        finally:
            pool.shutdown(cancel_futures=True)


def _mean(lives: Sequence[Figures], metric: str) -> Estimate:
    return mean_over_lives([life.get(metric) for life in lives], proportion=metric not in COUNTS)


def _rows(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> Iterator[dict[str, Any]]:
    for setting in sweep.settings:
        for metric in (sweep.own, *sweep.bystanders, *([ORACLE] if sweep.oracle else [])):
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


def _answered(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> dict[str, Any]:
    own = [_mean(lives[setting], sweep.own) for setting in sweep.settings]
    beside = {
        name: [_mean(lives[setting], name).value for setting in sweep.settings]
        for name in sweep.bystanders
    }
    oracle = (
        [_mean(lives[setting], ORACLE).value for setting in sweep.settings]
        if sweep.oracle
        else None
    )
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
        "responses": [e.value for e in own],
        "intervals": [[e.low, e.high] for e in own],
        "n": [e.n for e in own],
        "spearman": _rank(sweep.settings, [e.value for e in own]),
        "bystanders": beside,
        "bystander_range": {name: _range(means) for name, means in beside.items()},
        ORACLE: oracle,
    }


def _spans(sweep: Sweep, lives: Mapping[float, Sequence[Figures]]) -> dict[str, Any]:
    every = [life for some in lives.values() for life in some]
    means = [_mean(every, _span_metric(name)) for name, *_ in SPANS]
    return {
        "scenario": load_scenario(sweep.scenario).id,
        "memory": sweep.memory,
        "policy": sweep.memory,
        "model": MODEL,
        "metric": "chain_recall",
        "types": list(SPAN_TYPES),
        "spans": [name for name, *_ in SPANS],
        "responses": [e.value for e in means],
        "intervals": [[e.low, e.high] for e in means],
        "n": [e.n for e in means],
        "spearman": _rank(range(len(SPANS)), [e.value for e in means]),
    }


def _rank(settings: Sequence[float], means: Sequence[float | None]) -> float | None:
    from scipy.stats import spearmanr

    pairs = [
        (setting, mean) for setting, mean in zip(settings, means, strict=True) if mean is not None
    ]
    if len(pairs) < 3 or len({mean for _, mean in pairs}) < 2:
        return None
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)


def _range(means: Sequence[float | None]) -> float | None:
    known = [mean for mean in means if mean is not None]
    return max(known) - min(known) if known else None
