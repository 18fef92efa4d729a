"""Tests the diagnosis on planted faults: does it name the broken stage, and do its intervals hold?

`planted_faults.py` says what the faults are and which share of error each plants. The stage is graded at
full strength; a blob has no units that an oracle could retrieve, so write and retrieval faults in
one are graded on W+R. Coverage is how often the 95 % interval of the planted share holds it, over
the strengths below full: at full strength nothing is left to chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import System
from agingbench.bench.plan.plan import LifecycleEvent, Plan
from agingbench.metrics.intervals import Estimate, wilson
from agingbench.validity.planted_faults import (
    EVENT,
    NONE,
    SOUND,
    STAGES,
    STORE,
    Fault,
    FaultyAgent,
    planted_faults,
    planted_share,
)

LEAST_ACCURACY = 0.95
COVERAGE = (0.90, 0.99)
# cases from which an accuracy counts as it is; with fewer, chance may explain that it is below
ENOUGH = 200
FULL = 1.0
ROUNDING = 1e-9

Case = dict[str, Any]


def diagnose_fault(plan: Plan, fault: Fault) -> Diagnosis:
    """Live a life with a fault and diagnose it."""
    system = System(FaultyAgent(plan, fault), FaultyAgent(plan, fault))
    life = Life(plan, load_scenario(plan.scenario), system)
    life.live()
    life.diagnose()
    return life.diagnosis()


def cases_of_seed(scenario: str, sessions: int, seed: int, preset: str = "medium") -> list[Case]:
    """Return every fault at every strength in one seed's life, and an agent without any."""
    event = LifecycleEvent(EVENT, (sessions + 1) // 2)
    without_event = plan_for(scenario, preset, None, sessions, seed)
    with_event = plan_for(scenario, preset, None, sessions, seed, [event])

    cases = []
    for fault in [SOUND, *planted_faults()]:
        plan = with_event if fault.stage in (STORE, NONE) else without_event
        cases.append(_case(plan, fault))
    return cases


def _case(plan: Plan, fault: Fault) -> Case:
    diagnosis = diagnose_fault(plan, fault)
    case = {
        "scenario": plan.scenario,
        "seed": plan.seed,
        "stage": fault.stage,
        "strength": fault.strength,
        "memory": "blob" if fault.blob else "units",
        "lookalikes": fault.lookalikes,
        "expected": fault.expected,
        "named": diagnosis.stage or NONE,
    }
    if fault.stage == NONE:
        return case

    planted = planted_share(plan, fault)
    # An event also shows in W, which is what it took from the store; all other shares have nothing
    # planted in them.
    affected = {fault.share}
    if fault.stage == STORE:
        measured = diagnosis.events[0].delta
        affected |= {"W", "W+R"}
    else:
        measured = diagnosis.life.steps[fault.share]
    bystanders = [share for name, share in diagnosis.life.steps.items() if name not in affected]
    return {
        **case,
        "of": fault.share,
        "planted": planted,
        "measured": measured.value,
        "covered": _covers(measured, planted),
        "bystanders_calm": all(_covers(share, 0.0) for share in bystanders),
    }


def _covers(estimate: Estimate, planted: float) -> bool:
    if estimate.low is None or estimate.high is None:
        return False
    return estimate.low - ROUNDING <= planted <= estimate.high + ROUNDING


def faults(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    sessions: int,
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Return how often the diagnosis names the planted stage and covers the planted share."""
    cases: list[Case] = []
    for seed_cases in _run_seeds(scenarios, seeds, sessions, workers):
        cases += seed_cases
        if progress:
            progress()
    return table(cases)


def _run_seeds(
    scenarios: Sequence[str], seeds: Sequence[int], sessions: int, workers: int
) -> Iterator[list[Case]]:
    jobs = [(scenario, sessions, seed) for seed in seeds for scenario in scenarios]
    if workers <= 1 or len(jobs) == 1:
        for job in jobs:
            yield cases_of_seed(*job)
        return

    with ProcessPoolExecutor(workers) as pool:
        futures = [pool.submit(cases_of_seed, *job) for job in jobs]
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def table(cases: Sequence[Case]) -> dict[str, Any]:
    """Return accuracy and confusion at full strength, coverage below it, and every group."""
    full = [case for case in cases if case["strength"] in (FULL, 0.0)]
    faulty = [case for case in cases if case["stage"] != NONE]
    partial = [case for case in cases if 0.0 < case["strength"] < FULL]

    accuracy = {}
    confusion = {}
    for stage in (*STAGES, NONE):
        stage_cases = [case for case in full if case["stage"] == stage]
        confusion[stage] = dict(sorted(Counter(case["named"] for case in stage_cases).items()))
        if stage != NONE:
            accuracy[stage] = _share(_is_right(case) for case in stage_cases)

    coverage = _share(case["covered"] for case in partial)
    alarms = [case["named"] != NONE for case in full if case["stage"] == NONE]
    full_faults = [case for case in faulty if case["strength"] == FULL]
    result: dict[str, Any] = {
        "accuracy_by_stage": {stage: figure["share"] for stage, figure in accuracy.items()},
        "confusion": confusion,
        "coverage": coverage["share"],
        "n": len(cases),
        "accuracy": accuracy,
        "coverage_interval": coverage,
        "coverage_by_share": _group(partial, ("of",), "covered"),
        "bystanders_calm": _share(case["bystanders_calm"] for case in faulty),
        "false_alarms": _share(alarms),
        "by_scenario": _group(full_faults, ("scenario", "stage"), None),
        "by_strength": _group(faulty, ("stage", "strength", "memory", "lookalikes"), None),
    }
    missed = list(_missed_targets(result))
    return {**result, "missed": missed, "ok": not missed}


def _is_right(case: Case) -> bool:
    return bool(case["named"] == case["expected"])


def _share(hits: Iterable[bool]) -> dict[str, Any]:
    outcomes = list(hits)
    if not outcomes:
        return {"share": None, "ci": None, "n": 0}
    share = sum(outcomes) / len(outcomes)
    return {"share": share, "ci": list(wilson(share, len(outcomes))), "n": len(outcomes)}


def _group(cases: Iterable[Case], keys: tuple[str, ...], hit: str | None) -> list[dict[str, Any]]:
    """Return per group how often the cases were right, or the field `hit` held, and mean shares."""
    groups: dict[tuple[Any, ...], list[Case]] = {}
    for case in cases:
        key = tuple(case[name] for name in keys)
        groups.setdefault(key, []).append(case)

    rows = []
    for key, members in groups.items():
        row = dict(zip(keys, key, strict=True))
        row |= _share(_is_right(case) if hit is None else case[hit] for case in members)
        planted = [case["planted"] for case in members]
        measured = [case["measured"] for case in members if case["measured"] is not None]
        row["planted"] = sum(planted) / len(planted)
        row["measured"] = sum(measured) / len(measured) if measured else None
        row["coverage"] = _share(case["covered"] for case in members)["share"]
        rows.append(row)
    return rows


def _missed_targets(result: dict[str, Any]) -> Iterator[str]:
    """Yield every target that the cases miss by more than chance explains, in words."""
    for stage, figure in result["accuracy"].items():
        best = figure["share"]
        if figure["n"] < ENOUGH:
            best = figure["ci"][1] if figure["ci"] else 1.0
        if best < LEAST_ACCURACY:
            yield (
                f"{stage}: named in {figure['share']:.3f} of {figure['n']} cases, not in"
                f" {LEAST_ACCURACY}"
            )

    coverage = result["coverage_interval"]
    low, high = COVERAGE
    if coverage["n"] and (coverage["ci"][1] < low or coverage["ci"][0] > high):
        yield (
            f"intervals cover the planted share in {coverage['share']:.3f} of {coverage['n']}, not"
            f" in {low} to {high}"
        )
