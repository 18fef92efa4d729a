"""Dose and response: what turning one dial does to its own metric and to the bystanders, on the embedded reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from agingbench.bench.life import InMemory, live
from agingbench.bench.plan import Plan
from agingbench.bench.run import load_scenario, plan_for
from agingbench.bench.score import DEPENDENCY_TYPES, LifeRecord, life_figures
from agingbench.bench.sut import Sut, build

LONG_SPAN = 4  # sessions between the oldest and the newest source of a dependency probe


@dataclass(frozen=True)
class Sweep:
    """One dial, the settings it is turned to, the metric that has to answer and the ones that should not."""

    dial: str
    scenario: str
    memory: str
    settings: tuple[float, ...]
    own: str
    bystanders: tuple[str, ...]


SWEEPS = (
    Sweep("tokens_per_session", "s2", "lossy_compress", (500, 1000, 2000, 4000, 8000), "compression_recall", ("m0",)),
    Sweep("update_rate", "s2", "append_only", (0.05, 0.1, 0.2, 0.4, 0.8), "version_accuracy", ("compression_recall",)),
    Sweep("forget_rate", "s2", "append_only", (0.02, 0.05, 0.1, 0.2, 0.3), "forget_accuracy", ("compression_recall",)),
    Sweep("max_chain_depth", "s2", "append_only", (2, 3, 4, 5, 6), "deepest_chain", ("compression_recall",)),
    Sweep("dependency_density", "s2", "append_only", (0.1, 0.3, 0.5, 0.7, 0.9), "long_span_probes",
          ("compression_recall",)),
    Sweep("n_confusable_pairs", "s3", "append_only", (1, 3, 6, 9, 12), "interference_resistance",
          ("summarization_fidelity",)),
)  # fmt: skip


def structure(plan: Plan) -> dict[str, float]:
    """What of a plan's structure the dials move and no answer table shows."""
    spans = [p for p in plan.probes if p.type in DEPENDENCY_TYPES and (p.span or 0) >= LONG_SPAN]
    return {"deepest_chain": max((p.depth or 0 for p in plan.probes), default=0), "long_span_probes": len(spans)}


def figures_of(sweep: Sweep, setting: float, sessions: int, seed: int) -> dict[str, float | None]:
    """Every figure of one life under one setting."""
    scenario = load_scenario(sweep.scenario)
    plan = plan_for(scenario, "medium", {sweep.dial: setting}, sessions, seed)
    system, keeper = build(Sut(memory=sweep.memory), scenario.role), InMemory()
    live(plan, scenario, system.agent, keeper, meter=system.meter)
    found = life_figures(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
    return {**found, **structure(plan)}


def dials(
    seeds: Sequence[int], sessions: int, workers: int = 1, progress: Callable[[], None] | None = None
) -> dict[str, Any]:
    """Rows of means per dial, setting and metric, and per dial the rank correlation of setting and response."""
    rows: list[dict[str, Any]] = []
    summary = []
    for sweep in SWEEPS:
        means: dict[str, list[float | None]] = {}
        for setting in sweep.settings:
            lives = []
            for figures in _lives(sweep, setting, sessions, seeds, workers):
                lives.append(figures)
                if progress:
                    progress()
            for metric in (sweep.own, *sweep.bystanders):
                values = [v for v in (life.get(metric) for life in lives) if v is not None]
                mean = sum(values) / len(values) if values else None
                means.setdefault(metric, []).append(mean)
                rows.append({"dial": sweep.dial, "scenario": sweep.scenario, "memory": sweep.memory, "setting": setting,
                             "metric": metric, "own": metric == sweep.own, "mean": mean, "n": len(values)})  # fmt: skip
        summary.append(_summary(sweep, means))
    return {"rows": rows, "dials": summary, "sessions": sessions, "seeds": len(seeds), "model": "extractive"}


def _lives(
    sweep: Sweep, setting: float, sessions: int, seeds: Sequence[int], workers: int
) -> Iterator[dict[str, float | None]]:
    if workers <= 1:
        yield from (figures_of(sweep, setting, sessions, seed) for seed in seeds)
        return
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(figures_of, sweep, setting, sessions, seed) for seed in seeds]
        yield from (job.result() for job in jobs)


def _summary(sweep: Sweep, means: dict[str, list[float | None]]) -> dict[str, Any]:
    from scipy.stats import spearmanr

    pairs = [(s, m) for s, m in zip(sweep.settings, means[sweep.own], strict=True) if m is not None]
    moved = len({m for _, m in pairs}) > 1
    rank = float(spearmanr(*zip(*pairs, strict=True)).statistic) if moved and len(pairs) > 2 else None
    drift = {}
    for metric in sweep.bystanders:
        known = [m for m in means[metric] if m is not None]
        drift[metric] = max(known) - min(known) if known else None
    return {"dial": sweep.dial, "scenario": sweep.scenario, "memory": sweep.memory, "metric": sweep.own,
            "spearman": rank, "responses": means[sweep.own], "settings": list(sweep.settings),
            "bystander_range": drift}  # fmt: skip
