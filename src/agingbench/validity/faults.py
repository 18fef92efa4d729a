"""Tests the diagnosis on planted faults: does it name the broken stage, and do its intervals hold?

`planted_faults.py` says what the faults are and which share of error each plants. The stage is
graded at full strength; a blob has no units that an oracle could retrieve, so write and retrieval
faults in one are graded on W+R. Coverage is how often the 95 % interval of the planted share holds
it, over the strengths below full: at full strength nothing is left to chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

import msgspec

from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import System
from agingbench.bench.plan.plan import LifecycleEvent, Plan
from agingbench.cards.validity import FaultGroup, FaultsReport, HitRate
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
from agingbench.validity.workers import run_jobs

LEAST_ACCURACY = 0.95
COVERAGE = (0.90, 0.99)
# cases from which an accuracy counts as it is; with fewer, chance may explain that it is below
ENOUGH = 200
FULL = 1.0
ROUNDING = 1e-9


class FaultCase(msgspec.Struct, frozen=True, kw_only=True):
    """One life with one fault: what was planted, and what the diagnosis said of it.

    The last five fields are those of a planted fault; an agent without any has the defaults.
    """

    scenario: str
    seed: int
    stage: str
    strength: float
    memory: str  # units or blob
    lookalikes: bool
    expected: str
    diagnosed: str
    of: str = ""  # the share of the diagnosis that the fault plants
    planted: float = 0.0
    measured: float | None = None
    covered: bool = False
    bystanders_calm: bool = False

    @property
    def is_right(self) -> bool:
        """Whether the diagnosis named the stage it should."""
        return self.diagnosed == self.expected


def diagnose_fault(plan: Plan, fault: Fault) -> Diagnosis:
    """Live a life with a fault and diagnose it."""
    system = System(FaultyAgent(plan, fault), FaultyAgent(plan, fault))
    life = Life(plan, load_scenario(plan.scenario), system)
    life.live()
    life.diagnose()

    return life.diagnosis()


def cases_of_seed(
    scenario: str,
    sessions: int,
    seed: int,
    preset: str = "medium",
) -> list[FaultCase]:
    """Return every fault at every strength in one seed's life, and an agent without any."""
    event = LifecycleEvent(EVENT, (sessions + 1) // 2)
    without_event = plan_for(scenario, preset, None, sessions, seed)
    with_event = plan_for(scenario, preset, None, sessions, seed, [*without_event.events, event])

    cases = []
    for fault in [SOUND, *planted_faults()]:
        plan = with_event if fault.stage in (STORE, NONE) else without_event
        cases.append(_case(plan, fault))

    return cases


def _case(plan: Plan, fault: Fault) -> FaultCase:
    diagnosis = diagnose_fault(plan, fault)
    case = FaultCase(
        scenario=plan.scenario,
        seed=plan.seed,
        stage=fault.stage,
        strength=fault.strength,
        memory="blob" if fault.blob else "units",
        lookalikes=fault.lookalikes,
        expected=fault.expected,
        diagnosed=diagnosis.stage or NONE,
    )
    if fault.stage == NONE:
        return case

    # An event also shows in W, which is what it took from the store; all other shares have nothing
    # planted in them.
    steps = diagnosis.life.steps
    affected = {fault.share}
    if fault.stage == STORE:
        measured = diagnosis.events[0].delta
        affected |= {"W", "W+R"}
    else:
        measured = steps[fault.share]

    planted = planted_share(plan, fault)
    bystanders = [share for name, share in steps.items() if name not in affected]

    return msgspec.structs.replace(
        case,
        of=fault.share,
        planted=planted,
        measured=measured.value,
        covered=_covers(measured, planted),
        bystanders_calm=all(_covers(share, 0.0) for share in bystanders),
    )


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
) -> FaultsReport:
    """Return how often the diagnosis names the planted stage and covers the planted share."""
    jobs = []
    for seed in seeds:
        for scenario in scenarios:
            jobs.append((scenario, sessions, seed))

    cases: list[FaultCase] = []
    for seed_cases in run_jobs(cases_of_seed, jobs, workers):
        cases += seed_cases
        if progress:
            progress()

    return table(cases)


def table(cases: Sequence[FaultCase]) -> FaultsReport:
    """Return accuracy and confusion at full strength, coverage below it, and every group."""
    full = [case for case in cases if case.strength in (FULL, 0.0)]
    faulty = [case for case in cases if case.stage != NONE]
    partial = [case for case in cases if 0.0 < case.strength < FULL]

    accuracy = {}
    confusion = {}
    for stage in (*STAGES, NONE):
        stage_cases = [case for case in full if case.stage == stage]
        counts = Counter(case.diagnosed for case in stage_cases)
        confusion[stage] = dict(sorted(counts.items()))
        if stage != NONE:
            accuracy[stage] = _hit_rate(case.is_right for case in stage_cases)

    coverage = _hit_rate(case.covered for case in partial)
    alarms = [case.diagnosed != NONE for case in full if case.stage == NONE]
    full_faults = [case for case in faulty if case.strength == FULL]

    report = FaultsReport(
        accuracy_by_stage={stage: rate.share for stage, rate in accuracy.items()},
        confusion=confusion,
        coverage=coverage.share,
        n=len(cases),
        accuracy=accuracy,
        coverage_interval=coverage,
        coverage_by_share=_group(partial, ("of",), "covered"),
        bystanders_calm=_hit_rate(case.bystanders_calm for case in faulty),
        false_alarms=_hit_rate(alarms),
        by_scenario=_group(full_faults, ("scenario", "stage"), "is_right"),
        by_strength=_group(faulty, ("stage", "strength", "memory", "lookalikes"), "is_right"),
    )
    report.missed = list(_missed_targets(report))
    report.ok = not report.missed

    return report


def _hit_rate(hits: Iterable[bool]) -> HitRate:
    outcomes = list(hits)
    n = len(outcomes)
    if n == 0:
        return HitRate(None, None, 0)

    share = sum(outcomes) / n
    return HitRate(share, list(wilson(share, n)), n)


def _group(cases: Iterable[FaultCase], fields: tuple[str, ...], hit: str) -> list[FaultGroup]:
    """Return per group of equal `fields` how often the field `hit` held, and mean shares."""
    hit_of = attrgetter(hit)
    groups: dict[tuple[object, ...], list[FaultCase]] = {}
    for case in cases:
        values = msgspec.structs.asdict(case)
        key = tuple(values[field] for field in fields)
        groups.setdefault(key, []).append(case)

    rows = []
    for key, members in groups.items():
        rate = _hit_rate(hit_of(case) for case in members)
        planted = [case.planted for case in members]
        measured = [case.measured for case in members if case.measured is not None]

        row = FaultGroup(
            share=rate.share,
            ci=rate.ci,
            n=rate.n,
            planted=sum(planted) / len(planted),
            measured=sum(measured) / len(measured) if measured else None,
            coverage=_hit_rate(case.covered for case in members).share,
        )
        rows.append(msgspec.structs.replace(row, **dict(zip(fields, key, strict=True))))

    return rows


def _missed_targets(report: FaultsReport) -> Iterator[str]:
    """Yield every target that the cases miss by more than chance explains, in words."""
    for stage, rate in report.accuracy.items():
        if rate.share is None or rate.ci is None:
            continue

        best = rate.share if rate.n >= ENOUGH else rate.ci[1]
        if best < LEAST_ACCURACY:
            yield f"{stage}: named in {rate.share:.3f} of {rate.n} cases, not in {LEAST_ACCURACY}"

    coverage = report.coverage_interval
    if coverage.share is None or coverage.ci is None:
        return

    least, most = COVERAGE
    low, high = coverage.ci
    if high < least or low > most:
        yield (
            f"intervals cover the planted share in {coverage.share:.3f} of {coverage.n}, not"
            f" in {least} to {most}"
        )
