"""Batches of findings: what s1's lives tell and ask, and what the size of a batch does."""

from __future__ import annotations

from collections import Counter

import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.errors import InputError
from tests.bench.scenarios import scenario_checks as checks

SCENARIO = load_scenario("s1")


class TestPlans(checks.ReadingTests):
    """Its plans, held to what every scenario is held to."""

    scenario = "s1"
    version = "2.0.0"


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


def test_papers_on_the_shelf_are_counted() -> None:
    for plan in checks.plans("s1"):
        (shelf,) = plan.graph.accounts
        assert shelf.name == "reading shelf"
        for probe in plan.probes:
            if probe.account == shelf.id:
                assert probe.required[0].text.isdigit()


def test_every_session_carries_tasks() -> None:
    for plan in checks.plans("s1"):
        for session in plan.sessions:
            assert 1 <= len(session.tasks) <= 2
            assert len({task.text for task in session.tasks}) == len(session.tasks)
            assert {task.expected for task in session.tasks} == {"none"}


def test_findings_are_of_many_kinds() -> None:
    notes = [f for plan in checks.plans("s1", 20) for f in plan.graph.facts if f.family == "note"]
    assert {v.value.kind for f in notes for v in f.versions} == {
        "number",
        "percent",
        "version",
        "date",
        "name",
    }
    assert len({f.domain for f in notes}) == 16
    assert {f.phrase.split()[1] for f in notes} >= {
        "median",
        "peak",
        "cache",
        "memory",
        "stable",
        "reference",
    }
