"""Decoys read like facts, are about other subjects, and leave everything real as it is."""

from __future__ import annotations

from random import Random

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.decoys import Decoys
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.pools import PLACE_HEAD, PLACE_TAIL, Space
from agingbench.bench.plan.pressure import pressure
from agingbench.bench.scenarios.s2_lifestyle_assistant.scenario import LifestyleAssistant

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6", "s7")


def life(scenario: str, decoys: int, sessions: int = 4) -> Plan:
    return plan_for(scenario, "medium", {"decoys_per_session": decoys}, sessions, 7)


def requests(plan: Plan) -> list[str]:
    # In s5 the material stands before each request.
    tasks = [task for session in plan.sessions for task in session.tasks]
    return [task.text.rpartition("\n\n")[2] for task in tasks]


def told(plan: Plan) -> list[list[str]]:
    return [[version.sentence for version in fact.versions] for fact in plan.graph.facts]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_real_stays_as_it_is(scenario: str) -> None:
    without, pressed = life(scenario, 0), life(scenario, 8)
    assert told(pressed) == told(without)
    assert pressed.probes == without.probes
    assert requests(pressed) == requests(without)
    assert [s.material for s in pressed.sessions] != [s.material for s in without.sessions]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_more_decoys_leave_the_length_of_sessions(scenario: str) -> None:
    without, pressed = life(scenario, 0), life(scenario, 8)
    for one, other in zip(without.sessions, pressed.sessions, strict=True):
        assert len(other.text) < 1.1 * len(one.text)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_longer_life_begins_like_a_shorter_one(scenario: str) -> None:
    short = plan_for(scenario, "medium", None, 10, 3)
    longer = plan_for(scenario, "medium", None, 12, 3)
    assert longer.sessions[:10] == short.sessions


def test_what_names_no_subject_has_no_decoys() -> None:
    # The rules of s2 speak of "my dining budget": another value of it would be another rule.
    content = LifestyleAssistant().content(pressure("medium"), 7)
    decoys = Decoys(content, update_rate=0.0)
    for draft in content.opening(Random(1)):
        decoys.follow(draft, content.draw(Random(2), draft))
    assert {model.draft.domain for model in decoys.models} == {"gift_range", "birthday"}


def places() -> Space:
    return Space(Random(3), PLACE_HEAD[:6], PLACE_TAIL[:6], ("", " Gym", " Clinic"), glue="")


def test_names_that_are_much_like_others_are_never_taken() -> None:
    space = places()
    rng = Random(5)
    taken = [space.take() for _ in range(20)]
    near = [like for name in taken for _ in range(3) if (like := space.near(rng, name))]
    taken += [space.take() for _ in range(200)]
    assert len(near) > 30
    assert len(set(near)) == len(near)
    assert len(set(taken)) == len(taken)
    assert not set(near) & set(taken)


def test_a_name_that_is_much_like_another_shares_a_part_with_it() -> None:
    space = Space(Random(1), PLACE_HEAD, PLACE_TAIL)
    name = space.take()
    like = space.near(Random(2), name)
    assert like is not None
    assert len(set(like.split()) & set(name.split())) == 1
    assert like not in name
    assert name not in like
