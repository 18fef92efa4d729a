"""Agents with one planted fault lose exactly what was planted, and the diagnosis names where."""

from __future__ import annotations

from functools import cache

import pytest

from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import LifecycleEvent, Plan
from agingbench.bench.scoring.verdicts import judge
from agingbench.metrics.intervals import Estimate
from agingbench.validity import faults as testing
from agingbench.validity.faults import FaultCase, cases_of_seed, diagnose_fault, faults, table
from agingbench.validity.planted_faults import (
    BOTH,
    EVENT,
    NONE,
    RETRIEVAL,
    SOUND,
    STAGES,
    STORE,
    STRENGTHS,
    UTILIZATION,
    WRITE,
    Coins,
    Fault,
    FaultyAgent,
    expected_loss,
    owners,
    planted_faults,
    planted_share,
)
from tests.sampling import one_in

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")


@cache
def shocked(scenario: str = "s2", seed: int = 0, sessions: int = 8) -> Plan:
    """A life with an event; equal arguments give the same object, so nothing may change it."""
    return plan_for(
        scenario, "medium", None, sessions, seed, [LifecycleEvent(EVENT, (sessions + 1) // 2)]
    )


def marks(plan: Plan, fault: Fault) -> dict[str, float | None]:
    """What each answer of a life with this fault is worth."""
    recorder = InMemory()
    live_plan(plan, load_scenario(plan.scenario), FaultyAgent(plan, fault), recorder)
    return {
        row.probe: judge(plan.probe_by_id[row.probe], row, plan.graph)[1]
        for row in recorder.answers
    }


@pytest.mark.parametrize("blob", [False, True])
@pytest.mark.parametrize("scenario", one_in(3, SCENARIOS))
def test_without_a_fault_everything_is_right_and_no_stage_is_named(
    scenario: str, blob: bool
) -> None:
    plan = shocked(scenario, 1)
    sound = Fault(NONE, 0.0, blob)
    assert set(marks(plan, sound).values()) == {1.0}
    found = diagnose_fault(plan, sound)
    assert found.stage is None
    assert {name: share.value for name, share in found.life.steps.items()} == (
        {"U": 0.0, "W+R": 0.0} if blob else {"U": 0.0, "W": 0.0, "R": 0.0}
    )


def test_a_movement_that_was_told_twice_in_the_same_words_counts_twice() -> None:
    small = {"tokens_per_session": 500}
    lives = (plan_for("s2", "medium", small, 24, seed) for seed in range(10))
    plan = next(
        plan
        for plan in lives
        if any(len({d.sentence for d in a.deltas}) < len(a.deltas) for a in plan.graph.accounts)
    )
    for blob in (False, True):
        found = diagnose_fault(plan, Fault(NONE, 0.0, blob))
        assert {step.value for step in found.life.steps.values()} == {0.0}


@pytest.mark.parametrize("fault", planted_faults([1.0]), ids=str)
def test_at_full_strength_the_planted_stage_is_named_and_no_other_has_a_share(fault: Fault) -> None:
    plan = shocked("s6", 2)
    found = diagnose_fault(plan, fault)
    assert found.stage == fault.expected
    assert planted_share(plan, fault) == 1.0
    if fault.stage == STORE:
        assert found.events[0].delta.value == 1.0
        assert found.events[0].before.value == 0.0
    else:
        assert found.life.steps[fault.share].value == 1.0
        assert {s.value for name, s in found.life.steps.items() if name != fault.share} == {0.0}


def test_a_probe_loses_what_its_struck_facts_carry() -> None:
    # The coins are known, so every single answer can be told beforehand.
    plan = shocked("s2", 3)
    fault = Fault(WRITE, 0.5)
    coins = Coins(fault, plan)
    seen = set()
    for probe_id, value in marks(plan, fault).items():
        probe = plan.probe_by_id[probe_id]
        if probe.t == 0:
            assert value == 1.0, "day one is asked before anything was written"
            continue
        if probe.type == "retracted":
            assert value == 1.0, "nothing need be stored to know nothing of it"
            continue
        struck = [coins.strike(owner) for owner in owners(probe)]
        whole = probe.whole or probe.type == "multi_hop"
        share = float(not any(struck)) if whole else 1 - sum(struck) / len(struck)
        assert value == pytest.approx(share), probe
        seen.add((probe.type, any(struck)))
    assert {kind for kind, _ in seen} >= {
        "standalone",
        "list",
        "account",
        "compare",
        "synthesize",
        "multi_hop",
    }
    assert {("standalone", True), ("standalone", False), ("account", False)} <= seen


def test_the_planted_share_is_what_many_lives_lose_on_average() -> None:
    plans = [shocked("s3", seed, 5) for seed in range(12)]
    for stage in STAGES:
        differences = []
        for plan in plans:
            fault = Fault(stage, 0.5)
            points = {e.at for e in plan.events} if stage == STORE else set(range(1, 6))
            found = {p: v for p, v in marks(plan, fault).items() if plan.probe_by_id[p].t in points}
            lost = sum(1 - (v or 0.0) for v in found.values()) / len(found)
            differences.append(lost - planted_share(plan, fault))
        assert abs(sum(differences) / len(differences)) < 0.08, stage


def test_expected_loss_by_kind_of_probe() -> None:
    plan = shocked("s2", 3)
    kinds = {p.type: p for p in plan.probes}
    assert expected_loss(kinds["standalone"], 0.3) == 0.3
    assert expected_loss(kinds["synthesize"], 0.3) == 0.3, "the share of the values that are stated"
    hops = kinds["multi_hop"]
    assert expected_loss(hops, 0.3) == pytest.approx(1 - 0.7 ** len(hops.facts))
    assert expected_loss(kinds["list"], 1.0) == 1.0
    assert expected_loss(kinds["account"], 0.3) == 0.3, "an account is struck as a whole"


def test_a_confused_retrieval_hands_over_the_lookalike_and_it_is_believed() -> None:
    plan = shocked("s2", 0, 10)
    fault = Fault(RETRIEVAL, 1.0, lookalikes=True)
    recorder = InMemory()
    live_plan(plan, load_scenario(plan.scenario), FaultyAgent(plan, fault), recorder)
    verdicts = [
        judge(plan.probe_by_id[row.probe], row, plan.graph)[0]
        for row in recorder.answers
        if row.t and plan.probe_by_id[row.probe].mechanism == "interference"
    ]
    assert verdicts
    assert set(verdicts) == {"confused"}
    contexts = {row.probe: row.context or "" for row in recorder.answers if row.t}
    for probe, context in contexts.items():
        held = [
            plan.graph.by_id[f].at(plan.probe_by_id[probe].t) for f in plan.probe_by_id[probe].facts
        ]
        assert not any(v is not None and v.sentence in context for v in held), (
            "a look-alike is never what was asked"
        )


def test_coins_are_fixed_by_the_seed_and_fall_as_often_as_said() -> None:
    plan = shocked("s2", 0, 3)
    names = [f"f{n}" for n in range(4000)]
    struck = {p: {n for n in names if Coins(Fault(WRITE, p), plan).strike(n)} for p in STRENGTHS}
    assert [len(struck[p]) / 4000 for p in STRENGTHS] == pytest.approx(STRENGTHS, abs=0.03)
    again = Coins(Fault(WRITE, 0.5), shocked("s2", 0, 3))
    assert {n for n in names if again.strike(n)} == struck[0.5]
    other = Coins(Fault(WRITE, 0.5), shocked("s2", 1, 3))
    assert {n for n in names if other.strike(n)} != struck[0.5]


def test_ignoring_shows_in_every_condition() -> None:
    found = diagnose_fault(shocked("s1", 4), Fault(UTILIZATION, 0.5))
    accuracy = {name: estimate.value for name, estimate in found.life.accuracy.items()}
    assert len(set(accuracy.values())) == 1, "the gold in context does not help"
    assert 0.2 < (accuracy["as_lived"] or 0.0) < 0.8


def test_every_fault_is_planted_at_every_strength() -> None:
    every = planted_faults()
    assert len(every) == len(set(every)) == 9 * len(STRENGTHS)
    assert {f.stage for f in every} == set(STAGES)
    assert {f.strength for f in every} == set(STRENGTHS)
    assert {f.expected for f in every if f.blob} == {BOTH, UTILIZATION, STORE}
    assert all(not f.blob for f in every if f.lookalikes)
    assert SOUND not in every


# -- the tables


@pytest.mark.parametrize(
    "scenarios", [("s1", "s2", "s5"), pytest.param(SCENARIOS, marks=pytest.mark.slow)], ids=len
)
def test_scenarios_in_one_table(scenarios: tuple[str, ...]) -> None:
    found = faults(scenarios, [0], 5)
    lives = len(scenarios)
    assert found.n == lives * (1 + 9 * len(STRENGTHS))
    assert found.accuracy_by_stage == dict.fromkeys(STAGES, 1.0)
    assert found.confusion["write"] == {"write": lives, "write+retrieval": lives}
    assert found.confusion["none"] == {"none": lives}
    assert found.coverage_interval.n == lives * 9 * 2
    assert found.false_alarms.share == 0.0
    assert found.bystanders_calm.share == 1.0, "a fault shows in its own share and in no other"
    assert {row.of for row in found.coverage_by_share} == {"W", "R", "U", "W+R", "ΔS"}
    assert {row.scenario for row in found.by_scenario} == {load_scenario(s).id for s in scenarios}
    assert found.ok, found.missed


def test_workers_change_nothing() -> None:
    assert faults(["s1"], [3, 4], 2, workers=2) == faults(["s1"], [3, 4], 2)


def test_progress_is_told_once_for_every_seed_of_a_scenario() -> None:
    told: list[int] = []
    faults(["s1", "s3"], [0, 1], 2, progress=lambda: told.append(1))
    assert len(told) == 4


@pytest.mark.slow
def test_two_hundred_cases_per_stage() -> None:
    found = faults(SCENARIOS, range(34), 8, workers=2)
    assert all((share or 0.0) >= 0.95 for share in found.accuracy_by_stage.values())
    assert all(accuracy.n >= 200 for accuracy in found.accuracy.values())
    assert found.coverage is not None
    assert 0.90 <= found.coverage <= 0.99
    assert found.ok


def case(stage: str, diagnosed: str, strength: float = 1.0, covered: bool = True) -> FaultCase:
    return FaultCase(
        scenario="s",
        seed=0,
        stage=stage,
        strength=strength,
        memory="units",
        lookalikes=False,
        expected=stage,
        diagnosed=diagnosed,
        of="W",
        planted=0.5,
        measured=0.4,
        covered=covered,
        bystanders_calm=True,
    )


def test_a_diagnosis_that_names_the_wrong_stage_is_found_out() -> None:
    cases = [case(WRITE, WRITE) for _ in range(189)] + [case(WRITE, RETRIEVAL) for _ in range(11)]
    found = table(cases)
    assert found.accuracy_by_stage["write"] == 0.945
    assert found.confusion["write"] == {"retrieval": 11, "write": 189}
    assert not found.ok
    assert "write: named in 0.945 of 200 cases" in found.missed[0]
    assert table([*cases[:-1], case(WRITE, WRITE)]).ok, "0.95 is enough"


def test_few_cases_miss_a_target_only_beyond_chance() -> None:
    assert table([case(WRITE, WRITE)] * 9 + [case(WRITE, NONE)]).ok
    assert not table([case(WRITE, WRITE)] * 5 + [case(WRITE, NONE)] * 5).ok
    assert table([case(WRITE, WRITE, 0.5)] * 20).ok, "twenty of twenty is no sign of wide intervals"


@pytest.mark.parametrize(("hits", "ok"), [(1000, False), (940, True), (850, False)])
def test_intervals_that_are_too_wide_or_too_narrow_are_found_out(hits: int, ok: bool) -> None:
    found = table([case(WRITE, WRITE, 0.5, n < hits) for n in range(1000)])
    assert found.coverage == hits / 1000
    assert found.ok is ok


def test_full_strength_does_not_count_for_coverage_nor_weakness_for_accuracy() -> None:
    found = table([case(WRITE, WRITE, 1.0, covered=False), case(WRITE, NONE, 0.25)])
    assert found.coverage == 1.0
    assert found.accuracy_by_stage["write"] == 1.0
    assert found.accuracy_by_stage["store"] is None, "a stage without a case has no accuracy"


def test_a_diagnosis_that_always_blames_the_write_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Diagnosis, "stage", property(lambda self: WRITE))
    found = table(cases_of_seed("s1", 4, 0))
    assert found.accuracy_by_stage["utilization"] == 0.0
    assert found.false_alarms.share == 1.0


def test_an_interval_covers_its_own_ends() -> None:
    covers = testing._covers
    assert covers(Estimate(0.5, 0.4, 0.6, 9), 0.4)
    assert covers(Estimate(0.5, 0.4, 0.6, 9), 0.6)
    assert not covers(Estimate(0.5, 0.4, 0.6, 9), 0.61)
    assert not covers(Estimate(None, None, None, 0), 0.5), "no interval covers nothing"
