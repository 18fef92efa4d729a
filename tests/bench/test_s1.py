"""Batches of findings: what s1's lives tell and ask, and what the size of a batch does."""

from __future__ import annotations

from collections import Counter

import pytest

from agingbench.bench.bounds import bounds
from agingbench.bench.plan import Plan
from agingbench.bench.pressure import PRESETS
from agingbench.bench.run import load_scenario, plan_for
from agingbench.errors import InputError
from tests.bench import scenario_checks as checks

# If these change, what lives tell or ask has changed: raise the scenario's version, then put the new hashes here.
GOLDEN_VERSION, GOLDEN = "1.0.0", "ad76db76e654548434a5f5b71d164780aca52059f3c21e800f90385743f6772e"
GOLDEN_MANY = "82dc9f801e8bb13a9f913bef6b318240bf7313db2534ca49298260c92e69b2d1"

SCENARIO = load_scenario("s1")


def plans(sessions: int = 14, tokens: int = 500) -> list[Plan]:
    dials = {"tokens_per_session": tokens}
    return [plan_for(SCENARIO, preset, dials, sessions, seed) for preset in PRESETS for seed in (0, 1, 77)]


def test_golden_hashes() -> None:
    plan = plan_for("s1", "medium", None, 10, 0)
    assert (plan.scenario_version, plan.hash) == (GOLDEN_VERSION, GOLDEN)
    assert checks.hash_of_many("s1") == GOLDEN_MANY


def test_every_fact_is_told_in_a_sentence_of_its_own() -> None:
    for plan in plans():
        checks.check_sentences(plan)


def test_one_question_has_one_answer_and_gives_nothing_away() -> None:
    for plan in plans():
        checks.check_questions(plan)
    for seed in range(10):  # linked facts name each other
        dials = {"dependency_density": 1, "tokens_per_session": 500}
        checks.check_questions(plan_for(SCENARIO, "heavy", dials, 20, seed))


def test_gold_is_right_in_time() -> None:
    for plan in plans(20):
        checks.check_gold(plan)


def test_nothing_but_facts_states_values() -> None:
    for plan in plans(10, 2000):
        checks.check_filler(plan)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_life_begins_every_longer_life(preset: str) -> None:
    checks.check_prefix("s1", preset, 3)


def test_every_claimed_mechanism_is_exercised() -> None:
    checks.check_enough("s1", SCENARIO.mechanisms)


def test_every_dial_is_live() -> None:
    checks.check_dials("s1")


def test_a_thousand_sessions() -> None:
    checks.check_long_life("s1")


def test_bounds_hold() -> None:
    found = bounds(["s1"], range(2), 10, ["light", "medium", "heavy"])
    assert found["broken"] == []
    for row in found["rows"]:
        if (row["agent"], row["metric"]) == ("reader", "recall"):
            assert row["mean"] > 0.5, "the reader can read"


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [3, 10, 30])
def test_bounds_hold_over_more_lives(sessions: int) -> None:
    assert bounds(["s1"], range(100, 112), sessions, list(PRESETS))["broken"] == []


def test_there_is_no_account() -> None:
    for plan in plans(8):
        assert plan.graph.accounts == []
        assert not any(probe.type == "account" for probe in plan.probes)


@pytest.mark.parametrize("sessions", range(1, 9))
def test_short_lives(sessions: int) -> None:
    for size in (2, 20):
        plan = plan_for(SCENARIO, "heavy", {"cohort_size": size}, sessions, 1)
        assert all(plan.probes_at(t) for t in range(sessions + 1))


@pytest.mark.parametrize("size", [2, 5, 20])
def test_cohort_size_is_the_number_of_findings_in_a_batch(size: int) -> None:
    plan = plan_for(SCENARIO, "medium", {"cohort_size": size, "tokens_per_session": 500}, 12, 4)
    assert plan.pressure.as_dials()["cohort_size"] == size
    found = Counter(f.born for f in plan.graph.facts if f.family == "note")
    assert found == dict.fromkeys(range(12), size)


def test_cohort_size_has_a_default_and_a_range() -> None:
    assert plan_for(SCENARIO).hash == plan_for(SCENARIO, dials={"cohort_size": 5}).hash
    assert plan_for(SCENARIO).pressure.as_dials()["cohort_size"] == 5
    for wrong in (1, 21, 2.5):
        with pytest.raises(InputError, match="cohort_size"):
            plan_for(SCENARIO, dials={"cohort_size": wrong})


def test_larger_batches_leave_less_in_memory() -> None:
    for seed in range(2):
        left = []
        for size in (2, 5, 20):
            plan = plan_for(SCENARIO, "medium", {"cohort_size": size}, 8, seed)
            left.append(checks.final_share(checks.lived(SCENARIO, plan, "careful_compress"), "keyword_m"))
        assert left[0] > left[1] > left[2], left


def test_every_session_carries_tasks() -> None:
    for plan in plans():
        for session in plan.sessions:
            assert 1 <= len(session.tasks) <= 2
            assert len({task.text for task in session.tasks}) == len(session.tasks)
            assert {task.expected for task in session.tasks} == {"none"}


def test_findings_are_of_many_kinds() -> None:
    notes = [f for plan in plans(20) for f in plan.graph.facts if f.family == "note"]
    assert {v.value.kind for f in notes for v in f.versions} == {"number", "percent", "version", "date", "name"}
    assert len({f.domain for f in notes}) == 16
    assert {f.phrase.split()[1] for f in notes} >= {"median", "peak", "cache", "memory", "stable", "reference"}
