"""s5: blocks told in parts, an agent that has only its files, and what events do to them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.agents.workspace_agent import WorkspaceAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Plan, load_plan, parse_events
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scenarios.s5_self_planning.scenario import BLOCK_LENGTH, SelfPlanning
from agingbench.bench.scoring.card import make_card
from agingbench.bench.scoring.documents import metrics_document
from agingbench.bench.scoring.score import LifeRecord, LifeScores, life_figures, score
from agingbench.errors import InputError
from agingbench.memory.workspace import INSTRUCTION_FILE, Workspace
from agingbench.models.scripted import Scripted
from agingbench.text import matching, wording
from agingbench.text.wording import count_tokens
from agingbench.validity.bounds import bounds, perfect_memory
from tests.bench.lives import Kept, normal_files, run_life
from tests.bench.plan.plan_truth import check_probe, check_weights, leaks, told, truth
from tests.bench.scenarios.scenario_checks import check_sentences
from tests.examples import examples

SCENARIO = load_scenario("s5")
OWN = Sut(memory="workspace", agent="workspace")
PRESET = st.sampled_from(["none", "light", "medium", "heavy"])
SEED = st.integers(0, 10**6)
SESSIONS = st.integers(1, 16)


@cache
def plan_of(
    preset: str = "medium", sessions: int = 10, seed: int = 0, events: tuple[str, ...] = ()
) -> Plan:
    return plan_for("s5", preset, None, sessions, seed, parse_events(events, sessions))


def lived(plan: Plan, sut: Sut = OWN) -> tuple[InMemory, Any]:
    keeper = InMemory()
    built = build(sut, SCENARIO.role)
    live_plan(plan, SCENARIO, built.agent, keeper, meter=built.meter)
    return keeper, built.agent


@cache
def scored(*events: str, seed: int = 0) -> LifeScores:
    plan = plan_of(seed=seed, events=events)
    keeper, _ = lived(plan)
    return score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))


# -- the plan


def test_hash_is_equal_in_another_process() -> None:
    ask = (
        "from agingbench.bench.life.planning import plan_for; print(plan_for('s5', 'heavy', None, 8,"
        " 7).hash)"
    )
    env = {**os.environ, "PYTHONHASHSEED": "42"}
    done = subprocess.run(
        [sys.executable, "-c", ask], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == plan_of("heavy", 8, 7).hash


@pytest.mark.parametrize("dials", [None, {"block_length": 14}])
def test_a_plan_survives_its_file(dials: dict[str, Any] | None, tmp_path: Path) -> None:
    plan = plan_for("s5", "medium", dials, 3, 0)
    path = tmp_path / "plan.json"
    path.write_bytes(plan.encode())
    assert load_plan(path).hash == plan.hash


def test_what_the_scenario_declares() -> None:
    own = SelfPlanning()
    assert (own.id, own.headline, own.track, own.tier) == (
        "s5_self_planning",
        "recall_accuracy",
        "model",
        1,
    )
    assert own.default_sessions == 10
    assert (own.default_agent, own.default_memory) == ("workspace", "workspace")
    assert own.tools(plan_of(), 0) == []
    assert own.default_events(10) == ["workspace_flush@7"]
    for sessions in range(1, 40):
        events = parse_events(own.default_events(sessions), sessions)
        assert len(events) == (1 if sessions >= 8 else 0)
        assert all(2 < event.at < sessions for event in events)


@settings(max_examples=examples(25), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_one_question_one_answer_that_no_question_gives_away(
    seed: int, preset: str, sessions: int
) -> None:
    plan = plan_for("s5", preset, None, sessions, seed)
    assert leaks(plan) == []
    check_weights(plan)
    for t in range(sessions + 1):
        gold: dict[str, Any] = {}
        assert plan.probes_at(t)
        for probe in plan.probes_at(t):
            assert gold.setdefault(probe.question, probe.required) == probe.required
            assert not re.search(r"\b[afgpt]\d+(\.\d+)?\b|[{}]", probe.question)


@pytest.mark.parametrize("preset", PRESETS)
def test_lives_with_many_links_leak_nothing(preset: str) -> None:
    dials = {"dependency_density": 1, "tokens_per_session": 500}
    assert [
        leak for seed in range(4) for leak in leaks(plan_for("s5", preset, dials, 20, seed))
    ] == []


@settings(max_examples=examples(25), deadline=None)
@given(SEED, PRESET, SESSIONS)
def test_gold_is_what_holds_at_the_point(seed: int, preset: str, sessions: int) -> None:
    plan = plan_for("s5", preset, None, sessions, seed)
    for probe in plan.probes:
        facts = [plan.graph.by_id[i] for i in probe.facts]
        current = [truth(fact, probe.t) for fact in facts]
        if probe.type == "retracted":
            assert current == [None]
            check_probe(plan, probe, facts)
            continue
        assert None not in current
        if probe.type == "account":
            account = plan.graph.account_by_id[probe.account or ""]
            seen = [d.amount for d in account.deltas if d.session < probe.t]
            assert probe.required[0].text == f"${account.opening + sum(seen):,}"
        else:
            if probe.type == "trend":
                current.insert(0, facts[0].versions[0].value)
            assert probe.required == (current[:1] if probe.type == "multi_hop" else current)
        keys = {(v.kind, matching.key(v)) for v in probe.required}
        assert not any((v.kind, matching.key(v)) in keys for v in [*probe.stale, *probe.confusable])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_passage_stands_whole_in_one_interaction_of_its_block(preset: str) -> None:
    for seed in range(3):
        plan = plan_of(preset, 10, seed)
        check_sentences(plan)
        parts = [[s.material, *(task.text for task in s.tasks)] for s in plan.sessions]
        for fact in plan.graph.facts:
            for version in fact.versions:
                assert any(version.passage in part for part in parts[version.session])
        for account in plan.graph.accounts:
            assert any(account.passage in part for part in parts[account.session])
            for delta in account.deltas:
                assert any(delta.passage in part for part in parts[delta.session])
                for text in (delta.sentence, delta.passage):
                    (amount,) = (q.value for q in matching.numbers(text))
                    assert abs(delta.amount) == amount
                assert (delta.amount < 0) == ("out of" in delta.sentence)


@pytest.mark.parametrize("preset", PRESETS)
def test_everything_else_states_nothing_that_is_asked(preset: str) -> None:
    plan = plan_of(preset)
    graph = plan.graph
    passages = [v.passage for f in graph.facts for v in f.versions]
    passages += [a.passage for a in graph.accounts]
    passages += [d.passage for a in graph.accounts for d in a.deltas]
    # Retractions name the member that leaves its list.
    values = [v.value for f in graph.facts for v in f.versions if f.retracted_at is None]
    chatter = "\n".join(session.text for session in plan.sessions)
    for passage in passages:
        chatter = chatter.replace(passage, "")
    assert len(wording.sentences(chatter)) > 20
    assert [v.text for v in values if matching.states(chatter, v)] == []


def test_the_first_block_offers_many_values_of_every_kind() -> None:
    for seed in range(5):
        text = plan_of("medium", 3, seed).sessions[0].text
        for kind in ("number", "percent", "date", "clock", "version"):
            assert len(matching.keys(text, kind)) >= 10, (seed, kind)


def test_no_sentence_states_a_value_that_another_fact_is_asked_for() -> None:
    for seed in range(4):
        facts = plan_of("heavy", 10, seed).graph.facts
        linked = {f.points_to for f in facts}
        for fact in facts:
            for version in fact.versions:
                kind = version.value.kind
                held = {*matching.keys(version.value.text, kind), matching.key(version.value)}
                others = {
                    matching.key(v.value) for f in facts for v in f.versions if v.value.kind == kind
                } - held
                stated = set(matching.keys(version.sentence, kind)) - held
                assert fact.id in linked or not stated & others, version.sentence


@pytest.mark.parametrize("preset", PRESETS)
def test_a_life_begins_every_longer_life(preset: str) -> None:
    short = plan_of(preset, 10, 1)
    long = plan_of(preset, 24, 1)
    assert long.sessions[:10] == short.sessions
    assert [p for p in long.probes if p.t <= 10] == short.probes
    assert long.inspected[:11] == short.inspected


def test_every_mechanism_is_exercised_at_medium() -> None:
    for seed in range(12):
        plan = plan_for("s5", "medium", {"tokens_per_session": 500}, 10, seed)
        for mechanism in SelfPlanning.mechanisms:
            probes = [p for p in plan.probes if p.t >= 1 and p.mechanism == mechanism]
            assert len(probes) >= 10, (seed, mechanism)
            assert len({fact for p in probes for fact in p.facts}) >= 5, (seed, mechanism)


@pytest.mark.slow
def test_a_thousand_blocks_stay_distinct() -> None:
    plan = plan_for("s5", "medium", {"tokens_per_session": 500}, 1000, 0)
    alone = [f for f in plan.graph.facts if f.group is None]
    assert len({f.question for f in alone}) == len(alone)
    lists = {f.group: f.phrase for f in plan.graph.facts if f.group is not None}
    assert len(set(lists.values())) == len(lists)
    counts = [len(plan.probes_at(t)) for t in range(1001)]
    assert 8 <= min(counts) <= max(counts) <= 24
    domains = Counter(f.subject[0].split()[0] == "Project" for f in alone)
    assert domains[True] > len(alone) / 6


# -- blocks


@pytest.mark.parametrize("length", [8, 11, 14, 20])
def test_block_length_is_the_number_of_interactions_and_brings_facts_with_it(length: int) -> None:
    plan = plan_for("s5", "medium", {"block_length": length}, 10, 3)
    assert plan.pressure.as_dials()["block_length"] == length
    for session in plan.sessions:
        assert len(session.tasks) == length
        kinds = Counter(task.domain for task in session.tasks)
        assert set(kinds) == {"assistant", "knowledge_base", "coding"}
        assert max(kinds.values()) - min(kinds.values()) <= 1
    notes = Counter(f.born for f in plan.graph.facts if f.family == "note")
    assert [notes[t] for t in range(10)] == [length - 5] * 10


def test_the_dial_is_on_the_plan_and_its_range_is_kept() -> None:
    assert plan_of().pressure.own == {"block_length": BLOCK_LENGTH, "sentinels": 0}
    assert len(plan_of().sessions[0].tasks) == BLOCK_LENGTH
    for wrong in (7, 21, 10.5):
        with pytest.raises(InputError, match="block_length"):
            plan_for("s5", "medium", {"block_length": wrong}, 10, 0)


def test_the_material_comes_in_parts() -> None:
    for session in plan_of().sessions:
        first, *later = session.tasks
        assert "\n\n" not in first.text
        parts = [session.material, *(task.text.rpartition("\n\n")[0] for task in later)]
        sizes = [len(part.split("\n\n")) if part else 0 for part in parts]
        assert sizes[0] >= 1
        assert max(sizes) - min(sizes) <= 1
        assert all(task.expected == "none" for task in session.tasks)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("asked", [2000, 5000])
def test_tokens_per_session(preset: str, asked: int) -> None:
    for seed in range(2):
        for session in plan_for("s5", preset, {"tokens_per_session": asked}, 12, seed).sessions:
            assert 0.8 * asked <= count_tokens(session.text) <= 1.2 * asked


@pytest.mark.parametrize("preset", PRESETS)
def test_a_short_block_is_as_long_as_its_news(preset: str) -> None:
    # Sixteen facts in sentences of their own and eleven requests do not fit into 500 tokens.
    for session in plan_for("s5", preset, {"tokens_per_session": 500}, 12, 0).sessions:
        assert 400 <= count_tokens(session.text) <= 1000


@pytest.mark.parametrize("number", [0, 1, 12, 24])
def test_pairs_are_look_alikes_of_one_kind(number: int) -> None:
    plan = plan_for(
        "s5", "medium", {"n_confusable_pairs": number, "tokens_per_session": 2000}, 20, 2
    )
    assert plan.graph.summary()["confusable_pairs"] == number
    for fact in plan.graph.facts:
        if fact.partner is not None:
            other = plan.graph.by_id[fact.partner]
            assert other.versions[0].value != fact.versions[0].value
            assert other.versions[0].value.kind == fact.versions[0].value.kind
            assert other.question != fact.question


def changed(plan: Plan) -> list[Fact]:
    return [f for f in plan.graph.facts if len(f.versions) > 1]


def test_the_other_dials_are_live() -> None:
    def life(seed: int = 5, **dials: Any) -> Plan:
        return plan_for("s5", "medium", {"tokens_per_session": 500, **dials}, 30, seed)

    updated = [len(changed(life(update_rate=rate))) for rate in (0, 0.2, 0.6)]
    assert updated == sorted(set(updated))
    retractions = [life(forget_rate=rate).graph.summary()["retractions"] for rate in (0, 0.1, 0.3)]
    assert retractions == sorted(set(retractions))
    for depth in (1, 2, 4):
        dials = {"max_chain_depth": depth, "update_rate": 0.4, "dependency_density": 0.8}
        plans = [life(seed, **dials) for seed in (5, 6)]
        assert {plan.graph.summary()["longest_chain"] for plan in plans} == {depth}
        probes = [p for plan in plans for p in plan.probes if p.type == "multi_hop"]
        assert max((len(p.facts) for p in probes), default=1) == depth
    links = [life(dependency_density=density).graph.summary()["links"] for density in (0, 0.5, 1)]
    assert links == sorted(set(links))


# -- bounds


@pytest.mark.parametrize("sessions", [pytest.param(3, marks=pytest.mark.slow), 8])
def test_all_bounds_hold(sessions: int) -> None:
    found = bounds(["s5"], range(1), sessions, ("light", "medium", "heavy"))
    # What a guess earns in a single life says little: `tests/validity/test_guessers.py` takes more.
    assert [line for line in found.broken if "_of_kind" not in line] == []
    row = next(r for r in found.rows if r.agent == "reader" and r.metric == "recall_accuracy")
    assert row.mean > 0.5, "the reader can read"


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [2, 10, 30])
def test_all_bounds_hold_over_more_lives(sessions: int) -> None:
    assert bounds(["s5"], range(200, 204), sessions, tuple(PRESETS)).broken == []


# -- the agent's own files


def test_day_one_is_asked_after_the_session_from_the_files() -> None:
    plan = plan_of("light", 2)
    asked: list[tuple[bool, bool]] = []

    def speak(messages: Any, tools: Any) -> str:
        if messages[-1].content in {p.prompt for p in plan.probes}:
            asked.append((bool(tools), plan.sessions[0].material in messages[0].content))
        return "I do not know."

    kept = Kept()
    live_plan(plan, SCENARIO, WorkspaceAgent(Scripted(speak), Workspace()), kept)
    assert set(asked) == {(True, False)}
    first = kept.transitions[0]
    assert [e.lifecycle for e in first.events if e.lifecycle] == ["life_start", "write"]
    assert first.events[0].metadata == {"owns_workspace": True}
    assert {row.t for row in first.answers} == {0}
    assert len(first.answers) == len(plan.probes_at(0))


def test_an_agent_without_files_is_asked_inside_session_0() -> None:
    plan = plan_of("light", 2)
    keeper, _ = lived(plan, Sut(memory="no_memory"))
    scores = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
    assert scores.curve[0].m > 0.4
    assert [p.m for p in scores.curve[1:]] == [0.0, 0.0]
    assert "workspace_fidelity" not in scores.memory_metrics
    assert scores.stale_in_workspace == {}
    assert metrics_document(scores, plan).stale_in_workspace == []


def test_points_0_and_1_see_the_same_files() -> None:
    scores = scored()
    assert scores.curve[0].m == scores.curve[1].m
    assert scores.headline.first_write_loss.value == 0


def test_the_note_keeper_has_most_of_what_it_was_told_in_its_files() -> None:
    for seed in range(2):
        scores = scored(seed=seed)
        # What stands there in the words of life, the embedded reader finds less often.
        recall = scores.probe_metrics["recall_accuracy"]
        assert recall.value is not None
        assert recall.value > 0.3
        fidelity = scores.memory_metrics["workspace_fidelity"]
        assert list(fidelity) == list(range(1, 11)), (
            "files alone: there are none before the first block"
        )
        shares = [e.value or 0 for e in fidelity.values()]
        assert min(shares) > 0.6
        assert shares[-1] < 1
        assert scores.probe_metrics["recall_accuracy"].n > 100
        assert scores.stale_in_workspace[10] > scores.stale_in_workspace[1] == 0, (
            "it appends and never rewrites"
        )


def test_a_flush_takes_everything_and_new_facts_come_back() -> None:
    flushed = scored("workspace_flush@7")
    control = scored()
    m, usual = ({p.t: p.m for p in s.curve} for s in (flushed, control))
    assert [m[t] for t in range(7)] == [usual[t] for t in range(7)]
    assert m[7] == 0
    assert m[10] > 0
    assert usual[7] > 0.3
    (window,) = flushed.windows.values()
    assert window.delta is not None
    assert window.pre is not None
    assert window.delta < -0.8 * window.pre, "nearly all that was known is gone"
    fidelity = flushed.memory_metrics["workspace_fidelity"]
    assert fidelity[7].value == 0
    assert 0 < (fidelity[10].value or 0) < 0.6
    assert flushed.stale_in_workspace[7] == 0


def test_a_merge_loses_no_fact() -> None:
    merged = scored("workspace_recompact@7")
    control = scored()
    here, there = (s.memory_metrics["workspace_fidelity"] for s in (merged, control))
    assert [e.value for e in here.values()] == [e.value for e in there.values()]


@pytest.mark.slow
def test_a_merge_makes_notes_harder_to_find() -> None:
    # One life differs by a few answers only.
    late = [0.0, 0.0]
    for seed in range(3):
        lives = (scored("workspace_recompact@7", seed=seed), scored(seed=seed))
        for number, scores in enumerate(lives):
            late[number] += sum(point.m for point in scores.curve if point.t >= 8)
    assert late[0] < late[1]


def test_events_that_only_a_workspace_knows_are_refused_elsewhere() -> None:
    plan = plan_of("light", 3, 0, ("workspace_flush@2",))
    with pytest.raises(InputError, match="does not support it"):
        lived(plan, Sut(memory="append_only"))


@pytest.mark.parametrize("preset", ["medium", "heavy"])
def test_perfect_files_score_one_with_nothing_stale_beside_them(preset: str) -> None:
    plan = plan_of(preset, 10, 2)

    class Scribe(WorkspaceAgent):
        """Rewrites its notes after every block to exactly what holds."""

        blocks = 0

        def end_session(self) -> None:
            super().end_session()
            self.blocks += 1
            files = {"notes/all.md": "\n".join(perfect_memory(plan, self.blocks))}
            assert isinstance(self.memory, Workspace)
            self.memory.files = {INSTRUCTION_FILE: "", **files}

    keeper = InMemory()
    live_plan(plan, SCENARIO, Scribe(Scripted(lambda m, t: "I do not know."), Workspace()), keeper)
    life = LifeRecord(plan, keeper.events, keeper.answers, keeper.texts)
    scores = score(life)
    assert {e.value for e in scores.memory_metrics["workspace_fidelity"].values()} == {1.0}
    assert set(scores.stale_in_workspace.values()) == {0}
    figures = life_figures(life)
    assert (figures["workspace_fidelity"], figures["stale_in_workspace"]) == (1.0, 0.0)
    assert changed(plan), "there was something to bring up to date"


def test_stale_values_are_counted_beside_the_current_ones() -> None:
    plan = plan_of("heavy", 10, 2)
    every = "\n".join(session.text for session in plan.sessions)
    keeper, _ = lived(plan)
    scores = score(LifeRecord(plan, keeper.events, keeper.answers, [(0, ""), (10, every)]))
    facts = [plan.graph.by_id[i] for i in plan.inspected[10]]
    assert scores.stale_in_workspace == {10: sum(len(told(f, 10)) - 1 for f in facts)}
    assert scores.memory_metrics["workspace_fidelity"][10].value == 1.0


def test_the_card_says_where_day_one_and_the_files_stand() -> None:
    plan = plan_of()
    for sut, basis in (
        (OWN, "workspace after session 0"),
        (Sut(memory="append_only"), "session 0 in context"),
    ):
        keeper, _ = lived(plan, sut)
        scores = score(LifeRecord(plan, keeper.events, keeper.answers, keeper.texts))
        card = make_card(
            plan, SCENARIO, sut.record(SCENARIO.id), scores, keeper.events, keeper.answers
        )
        assert card.headline.m0_basis == basis
        block = card.mechanism_metrics.compression.document()
        assert ("workspace_fidelity_trajectory" in block) == (sut is OWN)
        if sut is OWN:
            assert [t for t, _ in block["stale_in_workspace"]] == list(range(1, 11))
            assert len(block["workspace_fidelity_trajectory"]) == 10


def test_a_life_with_files_is_lived_saved_and_scored_alike(tmp_path: Path) -> None:
    plan = plan_of("light", 9, 1, ("partial_reset@4:ratio=0.3", "workspace_flush@6"))
    files = []
    for name, workers in (("one", 1), ("two", 4)):
        path, card = run_life(plan, OWN, tmp_path / name, workers=workers)
        assert card["headline"]["m0_basis"] == "workspace after session 0"
        files.append(normal_files(path))
    assert files[0] == files[1]


def test_a_life_that_was_stopped_goes_on_with_its_files(tmp_path: Path) -> None:
    plan = plan_of("light", 6, 2, ("partial_reset@5:ratio=0.5",))
    whole, _ = run_life(plan, OWN, tmp_path / "whole")

    class Stop(Exception):
        pass

    def stop(t: int) -> None:
        if t == 3:
            raise Stop

    with pytest.raises(Stop):
        run_life(plan, OWN, tmp_path / "cut", progress=stop)
    path, _ = run_life(plan, OWN, tmp_path / "cut")
    assert normal_files(path) == normal_files(whole)
