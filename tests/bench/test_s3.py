"""Meetings and decisions: what s3's lives tell and ask, and how a word budget ages."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from agingbench import text
from agingbench.bench.bounds import bounds
from agingbench.bench.plan import Plan
from agingbench.bench.pressure import PRESETS
from agingbench.bench.run import load_scenario, plan_for
from agingbench.bench.scenarios.s3_knowledge_base import KnowledgeBase
from agingbench.text import count_tokens
from tests.bench import scenario_checks as checks

# If these change, what lives tell or ask has changed: raise the scenario's version, then put the new hashes here.
GOLDEN_VERSION, GOLDEN = "1.0.0", "78f3262e83efc699d2d8c4c1d85f98fffa229caf29195cb96b4b07b8af6bbb91"
GOLDEN_MANY = "b80a78db5180313f02b6f6322661b2237a62285b71ec5f2b19c8fc46f022f5bf"

SCENARIO = load_scenario("s3")


def plans(sessions: int = 14, tokens: int = 500) -> list[Plan]:
    dials = {"tokens_per_session": tokens}
    return [plan_for(SCENARIO, preset, dials, sessions, seed) for preset in PRESETS for seed in (0, 1, 77)]


def test_golden_hashes() -> None:
    plan = plan_for("s3", "medium", None, 10, 0)
    assert (plan.scenario_version, plan.hash) == (GOLDEN_VERSION, GOLDEN)
    assert checks.hash_of_many("s3") == GOLDEN_MANY


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
    checks.check_prefix("s3", preset, 3)


def test_every_claimed_mechanism_is_exercised() -> None:
    checks.check_enough("s3", SCENARIO.mechanisms)


def test_every_dial_is_live() -> None:
    checks.check_dials("s3")


def test_a_thousand_sessions() -> None:
    checks.check_long_life("s3")


def test_bounds_hold() -> None:
    found = bounds(["s3"], range(2), 10, ["light", "medium", "heavy"])
    assert found["broken"] == []
    for row in found["rows"]:
        if (row["agent"], row["metric"]) == ("reader", "recall"):
            assert row["mean"] > 0.5, "the reader can read"


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [3, 10, 30])
def test_bounds_hold_over_more_lives(sessions: int) -> None:
    assert bounds(["s3"], range(100, 112), sessions, list(PRESETS))["broken"] == []


def test_there_is_no_account() -> None:
    for plan in plans(8):
        assert plan.graph.accounts == []
        assert not any(probe.type == "account" for probe in plan.probes)


ID = re.compile(r"\bD\d{2,}\b")


def test_every_decision_has_an_id_that_is_never_asked() -> None:
    for plan in plans():
        ids: dict[str, str] = {}
        for fact in plan.graph.facts:
            found = {i for v in fact.versions for i in ID.findall(v.sentence)}
            (number,) = found  # a revision names the decision it revises
            assert ids.setdefault(number, fact.id) == fact.id
            if fact.retraction is not None:
                assert ID.findall(fact.retraction) == [number]
        assert not any(ID.search(probe.question) for probe in plan.probes)


def test_speakers_attend_and_are_no_answer() -> None:
    for plan in plans():
        for session in plan.sessions:
            header = session.material.partition("\n")[0]
            people = header.partition("Attendees: ")[2].rstrip(".").split(", ")
            assert len(people) == 6
            assert not any(text.states(who, v) for p in plan.probes for v in p.required for who in people)
            told = [v.sentence for f in plan.graph.facts for v in f.versions if v.session == session.index]
            assert all(sum(who in sentence for who in people) == 1 for sentence in told)


def test_every_session_carries_tasks() -> None:
    for plan in plans():
        for session in plan.sessions:
            assert 3 <= len(session.tasks) <= 5
            assert len({task.text for task in session.tasks}) == len(session.tasks)
            assert {task.expected for task in session.tasks} == {"none"}


def test_look_alikes_differ_in_one_word_of_each_kind_in_turn() -> None:
    plan = plan_for(SCENARIO, "heavy", {"n_confusable_pairs": 24}, 20, 0)
    pairs = [(f, plan.graph.by_id[f.partner]) for f in plan.graph.facts if f.family == "pair" and f.partner]
    differing: Counter[int] = Counter()
    for one, other in pairs:
        apart = [axis for axis in range(4) if one.subject[axis] != other.subject[axis]]
        assert len(apart) == 1
        differing[apart[0]] += 1
    assert differing == {0: 12, 1: 12, 2: 12, 3: 12}  # project, stage, target against achieved, region


def test_s3_keeps_to_a_small_budget_under_heavy_pressure() -> None:
    for seed in range(20):
        plan = plan_for(SCENARIO, "heavy", {"tokens_per_session": 500}, 16, seed)
        for session in plan.sessions:
            assert 400 <= count_tokens(session.material) <= 600
            assert 400 <= count_tokens(session.text) <= 600


def test_the_recommended_budget() -> None:
    assert KnowledgeBase.memory_defaults == {"words": 200}


def test_a_tight_budget_ages_and_a_full_store_does_not() -> None:
    plan = plan_for(SCENARIO, "medium", None, 10, 0)
    tight = checks.lived(SCENARIO, plan, "careful_compress", **KnowledgeBase.memory_defaults)
    wide = checks.lived(SCENARIO, plan, "careful_compress", words=600)
    full = checks.lived(SCENARIO, plan, "append_only")
    shares = [checks.final_share(life, "summarization_fidelity") for life in (tight, wide, full)]
    assert shares[0] < shares[1] < shares[2] == 1.0


def test_two_hundred_sessions_can_be_lived() -> None:
    plan = plan_for(SCENARIO, "medium", {"tokens_per_session": 500}, 200, 0)
    life = checks.lived(SCENARIO, plan, "careful_compress", **KnowledgeBase.memory_defaults)
    assert len(life.answers) == len(plan.probes)
    assert checks.final_share(life, "summarization_fidelity") < 0.1
    kept = [len(said.split()) for t, said in life.texts if t > 0]
    assert len(kept) == 200
    assert 150 < min(kept) <= max(kept) <= 200
