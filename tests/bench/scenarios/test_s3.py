"""Meetings and decisions: what s3's lives tell and ask, and how a word budget ages."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.scenarios.s3_knowledge_base.scenario import KnowledgeBase
from agingbench.text import matching
from agingbench.text.wording import count_tokens
from tests.bench.scenarios import scenario_checks as checks

SCENARIO = load_scenario("s3")


class TestPlans(checks.ReadingTests):
    """Its plans, held to what every scenario is held to."""

    scenario = "s3"
    version = "2.0.0"


ID = re.compile(r"\bD\d{2,}\b")


def test_every_decision_has_an_id_that_is_never_asked() -> None:
    for plan in checks.plans("s3"):
        ids: dict[str, str] = {}
        for fact in plan.graph.facts:
            found = {i for v in fact.versions for i in ID.findall(v.sentence)}
            (number,) = found  # a revision names the decision it revises
            assert ids.setdefault(number, fact.id) == fact.id
            if fact.retraction is not None:
                assert ID.findall(fact.retraction) == [number]
        assert not any(ID.search(probe.question) for probe in plan.probes)


def test_speakers_attend_and_are_no_answer() -> None:
    for plan in checks.plans("s3"):
        for session in plan.sessions:
            header = session.material.partition("\n")[0]
            people = header.partition("Attendees: ")[2].rstrip(".").split(", ")
            assert len(people) == 6
            assert not any(
                matching.states(who, v) for p in plan.probes for v in p.required for who in people
            )
            told = [
                v.sentence
                for f in plan.graph.facts
                for v in f.versions
                if v.session == session.index
            ]
            assert all(sum(who in sentence for who in people) == 1 for sentence in told)


def test_every_session_carries_tasks() -> None:
    for plan in checks.plans("s3"):
        for session in plan.sessions:
            assert 3 <= len(session.tasks) <= 5
            assert len({task.text for task in session.tasks}) == len(session.tasks)
            assert {task.expected for task in session.tasks} == {"none"}


def test_look_alikes_differ_in_one_word_of_each_kind_in_turn() -> None:
    plan = plan_for(SCENARIO, "heavy", {"n_confusable_pairs": 24}, 20, 0)
    pairs = [
        (f, plan.graph.by_id[f.partner])
        for f in plan.graph.facts
        if f.family == "pair" and f.partner
    ]
    differing: Counter[int] = Counter()
    for one, other in pairs:
        apart = [axis for axis in range(4) if one.subject[axis] != other.subject[axis]]
        assert len(apart) == 1
        differing[apart[0]] += 1
    assert differing == {
        0: 12,
        1: 12,
        2: 12,
        3: 12,
    }  # project, stage, target against achieved, region


def test_a_small_session_keeps_to_its_size() -> None:
    for seed in range(6):
        plan = plan_for(SCENARIO, "light", {"tokens_per_session": 500}, 16, seed)
        for session in plan.sessions:
            assert 400 <= count_tokens(session.material) <= 675
            assert 400 <= count_tokens(session.text) <= 700


def test_a_small_session_under_heavy_pressure_holds_little_but_its_facts() -> None:
    for seed in range(6):
        plan = plan_for(SCENARIO, "heavy", {"tokens_per_session": 500}, 16, seed)
        for session in plan.sessions:
            assert 400 <= count_tokens(session.material) <= 1050


def test_speakers_have_roles_that_scenes_name() -> None:
    plan = plan_for(SCENARIO, "medium", None, 4, 0)
    header = plan.sessions[0].material.partition("\n")[0]
    people = header.partition("Attendees: ")[2].rstrip(".").split(", ")
    for session in plan.sessions:
        body = session.material.partition("\n")[2]
        assert sum(who in body for who in people) >= 4
        assert "the chair" not in body, "a role stands where its speaker's name should"


def test_the_pool_is_a_count() -> None:
    plan = plan_for(SCENARIO, "medium", None, 10, 0)
    (account,) = plan.graph.accounts
    assert account.unit == ""
    assert len(account.deltas) >= 9
    for probe in plan.probes:
        if probe.type == "account":
            assert probe.required[0].text == f"{account.balance(probe.t):,}"


def test_session_0_offers_ten_values_of_every_kind() -> None:
    for seed in range(5):
        text = plan_for(SCENARIO, "medium", None, 1, seed).sessions[0].material
        for kind in ("number", "percent", "date", "clock", "version"):
            assert len(matching.keys(text, kind)) >= 10, (seed, kind)


def test_the_recommended_budget() -> None:
    assert KnowledgeBase.memory_defaults == {"words": 200}


def test_a_tight_budget_ages_and_a_full_store_does_not() -> None:
    plan = plan_for(SCENARIO, "medium", None, 10, 0)
    tight = checks.lived(SCENARIO, plan, "careful_compress", words=600)
    wide = checks.lived(SCENARIO, plan, "careful_compress", words=2400)
    full = checks.lived(SCENARIO, plan, "append_only")
    shares = [checks.final_share(life, "summarization_fidelity") for life in (tight, wide, full)]
    assert shares[0] < shares[1] < shares[2] == 1.0


@pytest.mark.parametrize("words", [600, pytest.param(2400, marks=pytest.mark.slow)])
def test_what_the_prompt_asks_to_keep_is_kept_more_often(words: int) -> None:
    # Over several lives: at 70 facts a life the two prompts are a few facts apart.
    shares: dict[str, list[float]] = {"lossy_compress": [], "careful_compress": []}
    for seed in range(3):
        plan = plan_for(SCENARIO, "medium", {"tokens_per_session": 2000}, 10, seed)
        for memory, found in shares.items():
            life = checks.lived(SCENARIO, plan, memory, words=words)
            found.append(checks.final_share(life, "summarization_fidelity"))
    assert sum(shares["careful_compress"]) > sum(shares["lossy_compress"])


@pytest.mark.parametrize("sessions", [50, pytest.param(100, marks=pytest.mark.slow)])
def test_many_sessions_can_be_lived(sessions: int) -> None:
    plan = plan_for(SCENARIO, "medium", {"tokens_per_session": 500}, sessions, 0)
    life = checks.lived(SCENARIO, plan, "careful_compress", **KnowledgeBase.memory_defaults)
    assert len(life.answers) == len(plan.probes)
    assert checks.final_share(life, "summarization_fidelity") < 0.1
    kept = [len(said.split()) for t, said in life.texts if t > 0]
    assert len(kept) == sessions
    assert 150 < min(kept) <= max(kept) <= 200
