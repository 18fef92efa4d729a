"""Planted faults put to the test: does the diagnosis name the stage that is broken, and do its
intervals hold?

`planted.py` says what the faults are and which share of error each plants. The stage is graded at
full strength; a blob has no units that an oracle could retrieve, so write and retrieval faults in
one are graded on W+R. Coverage is how often the 95 % interval of the planted share holds it, over
the strengths below full: at full strength nothing is left to chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from agingbench.bench.diagnosis.ladder import Diagnosis, Recorder, diagnose_life
from agingbench.bench.life.life import load_scenario, plan_for
from agingbench.bench.life.loop import live
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
    recorder = Recorder()
    agent = FaultyAgent(plan, fault)
    live(plan, load_scenario(plan.scenario), agent, recorder)
    return diagnose_life(plan, FaultyAgent(plan, fault), recorder.answers, recorder.states)


def cases_of_seed(scenario: str, sessions: int, seed: int, preset: str = "medium") -> list[Case]:
    """Every fault at every strength in one seed's life of a scenario, and an agent without any."""
    calm = plan_for(scenario, preset, None, sessions, seed)
    shocked = plan_for(
        scenario, preset, None, sessions, seed, [LifecycleEvent(EVENT, (sessions + 1) // 2)]
    )
    return [
        _case(shocked if fault.stage in (STORE, NONE) else calm, fault)
        for fault in [SOUND, *planted_faults()]
    ]


def _case(plan: Plan, fault: Fault) -> dict[str, Any]:
    found = diagnose_fault(plan, fault)
    case = {
        "scenario": plan.scenario,
        "seed": plan.seed,
        "stage": fault.stage,
        "strength": fault.strength,
        "memory": "blob" if fault.blob else "units",
        "lookalikes": fault.lookalikes,
        "expected": fault.expected,
        "named": found.stage or NONE,
    }
    if fault.stage == NONE:
        return case
    planted = planted_share(plan, fault)
    measured = found.events[0].delta if fault.stage == STORE else found.life.steps[fault.share]
    covered = _covers(measured, planted)
    # An event also shows in W, which is what it took from the store; all other shares have nothing
    # planted in them.
    mine = {fault.share, "W", "W+R"} if fault.stage == STORE else {fault.share}
    calm = all(_covers(share, 0.0) for name, share in found.life.steps.items() if name not in mine)
    return {
        **case,
        "of": fault.share,
        "planted": planted,
        "measured": measured.value,
        "covered": covered,
        "bystanders_calm": calm,
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
    """How often the diagnosis names the planted stage, and how often its intervals cover the
    planted share.
    """
    cases: list[Case] = []
    for found in _cases(scenarios, seeds, sessions, workers):
        cases += found
        if progress:
            progress()
    return table(cases)


def _cases(
    scenarios: Sequence[str], seeds: Sequence[int], sessions: int, workers: int
) -> Iterator[list[Case]]:
    jobs = [(scenario, sessions, seed) for seed in seeds for scenario in scenarios]
    if workers <= 1 or len(jobs) == 1:
        yield from (cases_of_seed(*job) for job in jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        futures = [pool.submit(cases_of_seed, *job) for job in jobs]
        try:
            yield from (future.result() for future in futures)
        finally:
            pool.shutdown(cancel_futures=True)


# -- tables


def table(cases: Sequence[Case]) -> dict[str, Any]:
    """The cases in numbers: accuracy and confusion at full strength, coverage below it, and every
    group by itself.
    """
    full = [case for case in cases if case["strength"] in (FULL, 0.0)]
    faulty = [case for case in cases if case["stage"] != NONE]
    partial = [case for case in cases if 0.0 < case["strength"] < FULL]
    accuracy = {
        stage: _share(_right(case) for case in full if case["stage"] == stage) for stage in STAGES
    }
    coverage = _share(case["covered"] for case in partial)
    result: dict[str, Any] = {
        "accuracy_by_stage": {stage: found["share"] for stage, found in accuracy.items()},
        "confusion": {
            planted: dict(
                sorted(Counter(case["named"] for case in full if case["stage"] == planted).items())
            )
            for planted in (*STAGES, NONE)
        },
        "coverage": coverage["share"],
        "n": len(cases),
        "accuracy": accuracy,
        "coverage_interval": coverage,
        "coverage_by_share": _by(partial, ("of",), "covered"),
        "bystanders_calm": _share(case["bystanders_calm"] for case in faulty),
        "false_alarms": _share(case["named"] != NONE for case in full if case["stage"] == NONE),
        "by_scenario": _by(
            [case for case in faulty if case["strength"] == FULL], ("scenario", "stage"), None
        ),
        "by_strength": _by(faulty, ("stage", "strength", "memory", "lookalikes"), None),
    }
    missed = list(_missed(result))
    return {**result, "missed": missed, "ok": not missed}


def _right(case: Case) -> bool:
    return bool(case["named"] == case["expected"])


def _share(hits: Iterable[bool]) -> dict[str, Any]:
    found = list(hits)
    if not found:
        return {"share": None, "ci": None, "n": 0}
    share = sum(found) / len(found)
    return {"share": share, "ci": list(wilson(share, len(found))), "n": len(found)}


def _by(cases: Iterable[Case], keys: tuple[str, ...], hit: str | None) -> list[dict[str, Any]]:
    """Groups of cases: how often they were right (or another field held), and the mean shares where
    they have some.
    """
    groups: dict[tuple[Any, ...], list[Case]] = {}
    for case in cases:
        groups.setdefault(tuple(case[key] for key in keys), []).append(case)
    rows = []
    for group, found in groups.items():
        row = {
            **dict(zip(keys, group, strict=True)),
            **_share(_right(c) if hit is None else c[hit] for c in found),
        }
        planted = [case["planted"] for case in found]
        measured = [case["measured"] for case in found if case["measured"] is not None]
        row["planted"] = sum(planted) / len(planted)
        row["measured"] = sum(measured) / len(measured) if measured else None
        row["coverage"] = _share(case["covered"] for case in found)["share"]
        rows.append(row)
    return rows


def _missed(result: dict[str, Any]) -> Iterator[str]:
    """Every target that the cases miss by more than chance explains, in words."""
    for stage, found in result["accuracy"].items():
        best = found["share"] if found["n"] >= ENOUGH else (found["ci"] or [1.0, 1.0])[1]
        if best < LEAST_ACCURACY:
            yield (
                f"{stage}: named in {found['share']:.3f} of {found['n']} cases, not in"
                f" {LEAST_ACCURACY}"
            )
    coverage, (low, high) = result["coverage_interval"], COVERAGE
    if coverage["n"] and (coverage["ci"][1] < low or coverage["ci"][0] > high):
        yield (
            f"intervals cover the planted share in {coverage['share']:.3f} of {coverage['n']}, not"
            f" in {low} to {high}"
        )
