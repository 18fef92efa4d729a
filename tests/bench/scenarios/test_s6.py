"""s6: what its plans promise, its bounds, and what every lifecycle event leaves of a life."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.react import ReactAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Reading, states_fact
from agingbench.bench.plan.plan import Plan, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.score import PROBE_METRICS, LifeRecord, LifeScores, score
from agingbench.memory.build import build_memory
from agingbench.models.extractive import Extractive
from agingbench.models.metered import Metered
from agingbench.text import matching
from agingbench.text.plain import states_plainly
from agingbench.text.wording import count_tokens, sentences, words
from agingbench.validity.bounds import AGENTS, KNOW_NOTHING, bound_agent, bounds, perfect_memory
from agingbench.validity.texts import texts
from tests.bench.lives import Kept
from tests.bench.plan.plan_truth import (
    TYPES,
    check_probe,
    check_weights,
    filler_of,
    leaks,
    told,
    truth,
)
from tests.examples import examples

PRESET = st.sampled_from(sorted(PRESETS))
SEED = st.integers(0, 10**6)
SESSIONS = st.integers(2, 20)
PLATFORMS = {"shop", "maps", "projects", "hiring", "travel", "lab", "media"}
DEPENDENT = ("compare", "trend", "synthesize", "multi_hop")


@lru_cache(maxsize=64)
def life(seed: int, sessions: int, preset: str = "medium", **dials: Any) -> Plan:
    return plan_for("s6", preset, dials or None, sessions, seed)


def test_it_says_what_it_is() -> None:
    scenario: Any = load_scenario("s6")
    assert (scenario.id, scenario.headline, scenario.track, scenario.tier) == (
        "s6_naturalistic",
        "recall_rate",
        "model",
        1,
    )
    assert scenario.mechanisms == ("compression", "interference", "revision", "maintenance")
    assert scenario.default_sessions == 12
    assert scenario.tools(life(0, 12), 3) == []
    assert scenario.default_events(12) == ["recompact@6"]
    assert [scenario.default_events(n) for n in (1, 2, 3)] == [[], ["recompact@1"], ["recompact@1"]]
    for sessions in (2, 3, 12, 30):
        (event,) = parse_events(scenario.default_events(sessions), sessions)
        assert event.at == sessions // 2


# -- what the agent reads


@settings(max_examples=examples(25), deadline=None)
@given(SEED, PRESET, st.integers(1, 15))
def test_every_passage_behind_the_gold_is_read_by_the_agent(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s6", preset, {"tokens_per_session": 500}, sessions, seed)
    said = [session.material for session in plan.sessions]
    for fact in plan.graph.facts:
        for version in fact.versions:
            assert version.passage in said[version.session]
            assert Reading(version.passage).states_fact(fact.subject, version.value)
            assert states_plainly(version.sentence, version.value)
            assert Reading(version.sentence).states_fact(fact.subject, version.value)
    for account in plan.graph.accounts:
        assert account.passage in said[account.session]
        assert f"${account.opening:,}" in account.sentence
        assert f"${account.opening:,}" in account.passage
        for delta in account.deltas:
            assert delta.passage in said[delta.session]
            assert f"${abs(delta.amount):,}" in delta.sentence
            assert f"${abs(delta.amount):,}" in delta.passage
            assert ("out of" in delta.sentence) == (delta.amount < 0)


def test_a_passage_states_one_value_that_is_asked_for() -> None:
    for seed in range(4):
        plan = life(seed, 12, "heavy", tokens_per_session=500)
        for fact in plan.graph.facts:
            for version in fact.versions:
                found = plan.graph.live_values_in(version.passage, version.value.kind, 12)
                others = [v for v in found if matching.key(v) != matching.key(version.value)]
                assert not [
                    v.text
                    for v in others
                    if matching.states(version.passage, v) and fact.family != "link"
                ]


def test_every_platform_from_day_one_in_prose_and_over_two_sentences() -> None:
    for seed in range(3):
        plan = life(seed, 12)
        opening = {f.domain for f in plan.graph.facts if f.born == 0 and f.family == "note"}
        assert opening == PLATFORMS
        notes = [fact for fact in plan.graph.facts if fact.family == "note"]
        for fact in notes:
            row = fact.versions[0].passage
            if " | " in row:
                lines = plan.sessions[fact.born].material.splitlines()
                above = lines[lines.index(row) - 1]
                assert above.startswith("| ") or above.endswith(":"), "a row without its table"
        first = [fact.versions[0].passage for fact in notes]
        assert any(len(sentences(passage)) == 2 for passage in first)
        assert len({passage[:12] for passage in first}) > len(first) / 2


def test_corrections_and_withdrawals_are_told_in_many_ways() -> None:
    plan = life(1, 30, update_rate=0.5, forget_rate=0.3)
    later = [v for f in plan.graph.facts for v in f.versions[1:]]
    assert len(later) > 30
    assert all(version.sentence.startswith("Update: ") for version in later)
    assert len({version.passage[:10] for version in later}) > 15
    gone = [f.retraction_passage for f in plan.graph.facts if f.retracted_at is not None]
    assert len(gone) > 20
    assert len({retraction[:10] for retraction in gone}) > 8


@pytest.mark.parametrize("preset", PRESETS)
def test_filler_and_tasks_state_nothing_that_is_asked(preset: str) -> None:
    plan = life(2, 10, preset)
    graph = plan.graph
    filler = "\n".join(filler_of(plan))
    assert len(sentences(filler)) > 50
    values = {v.value for f in graph.facts for v in f.versions}
    assert [v.text for v in values if matching.states(filler, v)] == []
    for session in plan.sessions:
        assert 3 <= len(session.tasks) <= 5
        for task in session.tasks:
            assert task.expected == "none"
            assert truth(graph.by_id[task.fact], session.index + 1) is not None
            assert task.domain == graph.by_id[task.fact].domain
            assert [v.text for v in values if matching.states(task.text, v)] == []
    ids = [task.id for session in plan.sessions for task in session.tasks]
    assert len(set(ids)) == len(ids)


def test_the_texts_keep_to_their_bars() -> None:
    assert texts(["s6"], range(3), 10).broken == []


@pytest.mark.parametrize("seed", range(4))
def test_the_first_session_offers_ten_values_of_every_kind(seed: int) -> None:
    first = life(seed, 10).sessions[0].material
    for kind in ("number", "percent", "date", "clock", "version"):
        assert len(matching.keys(first, kind)) >= 10, kind


def test_tasks_mix_their_domains() -> None:
    plan = life(0, 30)
    assert {task.domain for s in plan.sessions for task in s.tasks} == PLATFORMS
    assert sum(len({task.domain for task in s.tasks}) > 1 for s in plan.sessions) > 25


@settings(max_examples=examples(20), deadline=None)
@given(SEED, PRESET)
def test_the_account_adds_up_from_its_passages(seed: int, preset: str) -> None:
    plan = plan_for("s6", preset, {"tokens_per_session": 500}, 15, seed)
    (account,) = plan.graph.accounts
    balance = float(account.opening)
    for t, session in enumerate(plan.sessions):
        moves = [delta for delta in account.deltas if delta.session == t]
        mentions = session.material.count(account.name)
        assert mentions == len(moves) + (t == account.session)
        for delta in moves:
            (amount,) = (q.value for q in matching.numbers(delta.passage))
            assert amount == abs(delta.amount)
            balance += delta.amount
        assert balance > 0
        for probe in plan.probes_at(t + 1):
            if probe.account:
                assert matching.numbers(probe.required[0].text)[0].value == balance


# -- what is asked


@settings(max_examples=examples(30), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_one_question_one_answer_right_in_time_and_told_by_no_question(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s6", preset, None, sessions, seed)
    assert leaks(plan) == []
    check_weights(plan)
    gold: dict[tuple[int, str], Any] = {}
    for probe in plan.probes:
        assert probe.type in TYPES
        assert gold.setdefault((probe.t, probe.question), probe.required) == probe.required
        assert not re.search(r"\b[afgpt]\d+(\.\d+)?\b|[{}]", probe.question)
        if probe.account is None:
            facts = [plan.graph.by_id[i] for i in probe.facts]
            check_probe(plan, probe, facts)


def test_no_question_leaks_in_lives_with_many_links() -> None:
    dials = {"dependency_density": 1, "tokens_per_session": 500}
    assert [
        leak for seed in range(4) for leak in leaks(plan_for("s6", "heavy", dials, 20, seed))
    ] == []


def test_every_mechanism_is_exercised_at_medium() -> None:
    for seed in range(12):
        plan = life(seed, 10, tokens_per_session=500)
        for mechanism in ("compression", "interference", "revision"):
            probes = [p for p in plan.probes if p.t >= 1 and p.mechanism == mechanism]
            assert len(probes) >= 10, (seed, mechanism)
            assert len({fact for p in probes for fact in p.facts}) >= 5, (seed, mechanism)


def test_probes_reach_back_over_every_lag() -> None:
    strata = {p.stratum for p in life(0, 20).probes_at(20) if p.weight is not None}
    assert strata == {
        "lag1",
        "lag2-3",
        "lag4-5",
        "lag6-7",
        "lag8-10",
        "lag>10",
        "revised",
        "paired",
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_a_life_begins_every_longer_life(preset: str) -> None:
    short, long = (life(3, n, preset, tokens_per_session=500) for n in (10, 24))
    assert long.sessions[:10] == short.sessions
    assert long.inspected[:11] == short.inspected
    assert [p for p in long.probes if p.t <= 10] == short.probes


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sessions", [1, 2, 3, 8])
def test_short_lives_work(preset: str, sessions: int) -> None:
    plan = life(5, sessions, preset)
    assert all(plan.probes_at(t) for t in range(sessions + 1))


@pytest.mark.parametrize("sessions", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_entities_stay_distinct_over_many_sessions(sessions: int) -> None:
    plan = plan_for("s6", "medium", {"tokens_per_session": 500}, sessions, 0)
    alone = [f for f in plan.graph.facts if f.group is None]
    assert len({f.phrase for f in alone}) == len(alone)
    assert len({f.question for f in alone}) == len(alone)
    names = [v.value.text for f in plan.graph.facts for v in f.versions if v.value.kind == "name"]
    assert len(set(names)) == len(names)
    assert not [n for n in names if " the " in n], "no pool ran out"
    assert len([f for f in alone if truth(f, sessions) is not None]) > len(alone) / 2


# -- dials


@pytest.mark.parametrize("rate", [0, 0.3, 1])
def test_update_rate(rate: float) -> None:
    facts = [
        f
        for f in life(0, 40, tokens_per_session=500, update_rate=rate).graph.facts
        if f.family == "note" and f.born < 34
    ]
    changed = sum(len(f.versions) > 1 for f in facts)
    assert abs(changed - rate * len(facts)) <= max(2, 0.2 * rate * len(facts))


@pytest.mark.parametrize("rate", [0, 0.1, 0.3])
def test_forget_rate(rate: float) -> None:
    facts = [
        f
        for f in life(1, 40, tokens_per_session=500, forget_rate=rate).graph.facts
        if f.family in ("note", "list") and f.born < 34
    ]
    gone = sum(f.retracted_at is not None for f in facts)
    assert abs(gone - rate * len(facts)) <= max(2, 0.25 * rate * len(facts))


@pytest.mark.parametrize("number", [0, 1, 3, 12, 24])
def test_exactly_so_many_pairs_across_domains(number: int) -> None:
    plan = life(2, 24, n_confusable_pairs=number)
    paired = [f for f in plan.graph.facts if f.partner is not None]
    assert len(paired) == 2 * number
    for fact in paired:
        other = plan.graph.by_id[fact.partner or ""]
        assert other.partner == fact.id
        assert other.versions[0].value != fact.versions[0].value
        assert fact.phrase != other.phrase


@pytest.mark.parametrize("depth", [1, 2, 4, 6])
def test_chain_depth(depth: int) -> None:
    plan = life(
        3, 40, tokens_per_session=500, update_rate=0.3, dependency_density=1, max_chain_depth=depth
    )
    assert max(len(f.versions) for f in plan.graph.facts) == depth
    assert max((len(p.facts) for p in plan.probes if p.type == "multi_hop"), default=1) == depth


@pytest.mark.parametrize("density", [0, 0.5, 1])
def test_dependency_density(density: float) -> None:
    plan = life(4, 40, tokens_per_session=500, dependency_density=density)
    points = range(4, 41)
    asked = sum(any(p.type in DEPENDENT for p in plan.probes_at(t)) for t in points) / len(points)
    assert asked == pytest.approx(density, abs=0.06)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("asked", [500, 2000, 5000])
def test_tokens_per_session(asked: int, preset: str) -> None:
    for session in life(5, 12, preset, tokens_per_session=asked).sessions:
        for said in (session.material, session.text):
            assert 0.8 * asked <= count_tokens(said) <= 1.2 * asked + 300, session.index


def test_no_pressure_at_all() -> None:
    summary = life(6, 12, "none").graph.summary()
    assert {summary[k] for k in ("updates", "retractions", "confusable_pairs", "links")} == {0}
    assert (summary["accounts"], summary["longest_chain"]) == (1, 1)


# -- bounds


@pytest.mark.parametrize(
    ("sessions", "seeds"), [pytest.param(3, 2, marks=pytest.mark.slow), (10, 1)]
)
def test_all_bounds_hold(sessions: int, seeds: int) -> None:
    found = bounds(["s6"], range(seeds), sessions, ("light", "medium", "heavy"))
    assert found.broken == []
    if sessions == 10:
        measured = {(r.pressure, r.agent, r.metric) for r in found.rows}
        assert {
            ("medium", agent, metric)
            for agent in AGENTS
            for metric in ("recall_rate", *PROBE_METRICS)
        } <= measured


@pytest.mark.slow
def test_all_bounds_hold_over_more_lives() -> None:
    for sessions in (2, 12):
        assert bounds(["s6"], range(100, 112), sessions, tuple(PRESETS)).broken == []


@pytest.mark.parametrize("agent", KNOW_NOTHING)
def test_knowing_nothing_is_worth_nothing(agent: str) -> None:
    plan = life(9, 12, "heavy")
    keeper = InMemory()
    live_plan(plan, load_scenario("s6"), bound_agent(agent, plan), keeper)
    assert (
        max(p.m for p in score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts)).curve)
        <= 0.15
    )


def test_perfect_memory_states_all_that_holds_and_nothing_that_held() -> None:
    plan = life(6, 12, "heavy")
    for point in (1, 6, 12):
        kept = Reading("\n".join(perfect_memory(plan, point)))
        for fact in plan.graph.facts:
            assert states_fact(kept, fact, point) == (fact.at(point) is not None)


# -- lives with lifecycle events

AT = 6
EVENTS = {
    "flush_history": f"flush_history@{AT}",
    "recompact": f"recompact@{AT}",
    "partial_reset": f"partial_reset@{AT}",
    "reduce_budget": f"reduce_budget@{AT}:words=30",
    "prompt_update": f"prompt_update@{AT}:prompt=careful",
}


@lru_cache(maxsize=16)
def shocked(events: tuple[str, ...], sessions: int, preset: str) -> Plan:
    """A life with events; memories that are compared live the same one, so nothing may change it."""
    return plan_for("s6", preset, None, sessions, 0, parse_events(events, sessions))


def lived(
    memory: str, *events: str, sessions: int = 8, preset: str = "light"
) -> tuple[LifeScores, Kept, Plan]:
    plan = shocked(events, sessions, preset)
    scenario = load_scenario("s6")
    meter = Metered(Extractive())
    kept = Kept()
    live_plan(
        plan,
        scenario,
        ReactAgent(meter, build_memory(memory, meter), scenario.role),
        kept,
        meter=meter,
    )
    texts = [(s.t, s.text) for name, s in kept.snapshots.items() if "before" not in name]
    return score(LifeRecord(plan, kept.events, kept.answers, texts)), kept, plan


@pytest.mark.parametrize(
    "memory", ["lossy_compress", "careful_compress", "growing_history", "lossy_episodic"]
)
@pytest.mark.parametrize("event", EVENTS)
def test_a_life_with_an_event(memory: str, event: str) -> None:
    scores, kept, plan = lived(memory, EVENTS[event])
    assert {p.t for p in scores.curve} == set(range(plan.n_sessions + 1))
    before = kept.snapshots[f"{AT}_before.json"]
    after = kept.snapshots[f"{AT}.json"]
    old = before.state["memory"]
    new = after.state["memory"]
    assert before.text, "there is something to lose"
    if event == "flush_history":
        assert after.text == ""
        assert next(p.m for p in scores.curve if p.t == AT) == 0.0
        assert kept.snapshots[f"{AT + 1}.json"].text, "life goes on"
    elif event == "partial_reset":
        assert after.text != before.text
        if memory == "growing_history":  # the summary is made again from the newer half
            whole, left = (
                [s for text in state["log"] for s in sentences(text)] for state in (old, new)
            )
            assert left == whole[(len(whole) + 1) // 2 :]
            assert set(words(after.text)) <= set(words("\n".join(left)))
        else:
            assert before.text.endswith(after.text)
            assert after.text
    elif event == "reduce_budget":
        assert (old["words"], new["words"]) == (60 if memory == "lossy_episodic" else 300, 30)
        assert (before.text != after.text) == (memory != "lossy_episodic")
        later = kept.snapshots[f"{AT + 1}.json"].state["memory"]
        assert all(len(t.split()) <= 30 for t in later.get("episodes", [later.get("summary", "")]))
    elif event == "prompt_update":
        assert before.text == after.text
        assert new["prompt"] == kept.snapshots["8.json"].state["memory"]["prompt"] == "careful"
    elif memory == "growing_history":
        assert (len(old["log"]), new["log"]) == (AT, [new["summary"]])
    else:
        assert new.keys() == old.keys()
    assert [e.lifecycle for e in kept.transitions[AT].events][:1] == [event]


@pytest.mark.parametrize(
    "event", [f"flush_history@{AT}", f"partial_reset@{AT}", f"reduce_budget@{AT}:k=1"]
)
def test_a_life_of_append_only_with_an_event(event: str) -> None:
    scores, kept, plan = lived("append_only", event)
    assert len(scores.curve) == plan.n_sessions + 1
    before, after = (
        kept.snapshots[name].state["memory"] for name in (f"{AT}_before.json", f"{AT}.json")
    )
    episodes = before["episodes"]
    if "flush" in event:
        assert after["episodes"] == []
    elif "partial" in event:
        assert after["episodes"] == episodes[(len(episodes) + 1) // 2 :]
    else:
        assert after == {"k": 1, "episodes": episodes}
        for row in (row for row in kept.answers if row.t >= AT):
            assert row.context in ["", *kept.snapshots[f"{row.t}.json"].state["memory"]["episodes"]]


def test_events_in_a_row() -> None:
    events = (
        "prompt_update@2:prompt=careful",
        "reduce_budget@4:words=50",
        "partial_reset@5:ratio=0.3",
        "recompact@6",
        "reduce_budget@7:words=20",
        "flush_history@8",
    )
    for memory in ("lossy_compress", "growing_history", "lossy_episodic"):
        _, kept, _ = lived(memory, *events, sessions=9)
        assert kept.snapshots["8.json"].text == ""
        assert kept.snapshots["9.json"].state["memory"]["words"] == 20
        assert kept.snapshots["9.json"].text


def test_aging_shows_and_a_flush_shows_more() -> None:
    careful, _, _ = lived("careful_compress", sessions=12, preset="medium")
    curve = {p.t: p.m for p in careful.curve}
    assert curve[0] > 0.8
    assert curve[12] < 0.5
    flushed, _, _ = lived("append_only", f"flush_history@{AT}", sessions=12, preset="medium")
    shock = {p.t: p.m for p in flushed.curve}
    assert shock[AT - 1] > 0.6
    assert shock[AT] == 0.0
    assert 0 < shock[12] < shock[AT - 1], "what came after is there, what came before is not"


def test_stale_values_are_what_corrections_leave_behind() -> None:
    scores, _, plan = lived("append_only", sessions=12, preset="heavy")
    verdicts = {row.verdict for row in scores.table if row.mechanism == "revision"}
    assert "correct" in verdicts
    revised = [p for p in plan.probes if p.stratum == "revised"]
    assert revised
    assert all(
        p.stale and told(plan.graph.by_id[p.facts[0]], p.t)[-1] == p.required[0] for p in revised
    )
