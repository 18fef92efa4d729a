"""What every scenario's plans must keep to, as checks that a scenario's tests call on lives of
their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Reading
from agingbench.bench.plan.plan import Plan, Probe, Scenario
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.memory_text import memory_shares
from agingbench.bench.scoring.score import LifeRecord
from agingbench.memory.build import build_memory
from agingbench.models.extractive import Extractive
from agingbench.text import matching, wording
from agingbench.text.values import Value
from agingbench.validity.bounds import bounds
from tests.bench.plan.plan_truth import check_probe, check_weights, filler_of, leaks, same

EXACT = ("number", "percent", "date", "clock", "version")
DEPENDENT = ("compare", "trend", "synthesize", "multi_hop")


@lru_cache(maxsize=12)
def plans(scenario: str, sessions: int = 14, tokens: int = 500) -> tuple[Plan, ...]:
    """Two lives under each preset; equal arguments give the same objects, so nothing may change
    them.
    """
    dials = {"tokens_per_session": tokens}
    return tuple(
        plan_for(scenario, preset, dials, sessions, seed) for preset in PRESETS for seed in (0, 77)
    )


class PlanTests:
    """What every scenario is held to; its own tests name it, the version and the hashes of its
    lives.

    """

    scenario: str
    version: str
    beside: tuple[
        str, ...
    ] = ()  # mechanisms that are exercised though the scenario does not claim them

    def test_the_version_is_that_of_the_texts(self) -> None:
        assert plan_for(self.scenario).scenario_version == self.version

    def test_every_fact_is_told_in_a_sentence_of_its_own(self) -> None:
        for plan in plans(self.scenario):
            check_sentences(plan)

    def test_one_question_has_one_answer_and_gives_nothing_away(self) -> None:
        for plan in plans(self.scenario):
            check_questions(plan)
        for seed in range(4):  # linked facts name each other
            dials = {"dependency_density": 1, "tokens_per_session": 500}
            check_questions(plan_for(self.scenario, "heavy", dials, 20, seed))

    def test_gold_is_right_in_time(self) -> None:
        for plan in plans(self.scenario, 20):
            check_gold(plan)

    def test_nothing_but_facts_states_values(self) -> None:
        for plan in plans(self.scenario, 6, 2000):
            check_filler(plan)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_a_life_begins_every_longer_life(self, preset: str) -> None:
        check_prefix(self.scenario, preset, 3)

    def test_every_claimed_mechanism_is_exercised(self) -> None:
        check_enough(self.scenario, (*load_scenario(self.scenario).mechanisms, *self.beside))

    @pytest.mark.slow
    def test_a_thousand_sessions(self) -> None:
        check_long_life(self.scenario)


class ReadingTests(PlanTests):
    """What scenarios that are told and asked, and nothing more, are held to as well."""

    def test_every_dial_is_live(self) -> None:
        check_dials(self.scenario)

    def test_bounds_hold(self) -> None:
        found = bounds([self.scenario], range(1), 6, ["light", "medium", "heavy"])
        assert found.broken == []
        for row in found.rows:
            if (row.agent, row.metric) == ("reader", "recall"):
                assert row.mean > 0.5, "the reader can read"

    @pytest.mark.slow
    @pytest.mark.parametrize("sessions", [3, 10, 30])
    def test_bounds_hold_over_more_lives(self, sessions: int) -> None:
        assert bounds([self.scenario], range(100, 112), sessions, list(PRESETS)).broken == []

    def test_every_account_is_asked_for_from_the_second_point_on(self) -> None:
        for plan in plans(self.scenario):
            for account in plan.graph.accounts:
                points = [probe.t for probe in plan.probes if probe.account == account.id]
                first = max(2, account.session + 1)
                assert points == list(range(first, plan.n_sessions + 1))


def check_sentences(plan: Plan) -> None:
    """Every version and retraction is told in a passage that stands whole, and its plain sentence
    names its subject and no other exact value.
    """
    for fact in plan.graph.facts:
        for version in fact.versions:
            passage = version.passage or version.sentence
            assert passage in plan.sessions[version.session].text, "split up or not told"
            assert Reading(passage).states_fact(fact.subject, version.value), passage
            assert Reading(version.sentence).states_fact(fact.subject, version.value), (
                version.sentence
            )
            for kind in EXACT:
                own = matching.keys(version.value.text, kind) | {matching.key(version.value)}
                assert matching.keys(version.sentence, kind) <= own, version.sentence
        if fact.retraction and fact.retracted_at is not None:
            passage = fact.retraction_passage or fact.retraction
            assert passage in plan.sessions[fact.retracted_at].text


def check_questions(plan: Plan) -> None:
    """One question has one answer, gives no value away, names what it asks for, and no internal id."""
    assert leaks(plan) == []
    assert len(plan.probe_by_id) == len(plan.probes)
    for t in range(plan.n_sessions + 1):
        gold: dict[str, list[Value]] = {}
        for probe in plan.probes_at(t):
            assert gold.setdefault(probe.question, probe.required) == probe.required
    for probe in plan.probes:
        assert not re.search(r"\b[adfgpt]\d+(\.\d+)?\b|[{}]", probe.question, re.IGNORECASE), (
            probe.question
        )
        asked = {wording.stem(w) for w in wording.words(probe.question)}
        for fact in () if probe.type == "multi_hop" else (plan.graph.by_id[i] for i in probe.facts):
            # A question in words of its own names what it asks about, if not each word of it.
            unnamed = [part for part in fact.subject if not _names(asked, part)]
            allowed = 1 if fact.versions[0].passage else 0
            assert len(unnamed) <= min(allowed, len(fact.subject) - 1), (probe.question, unnamed)


def _names(asked: set[str], part: str) -> bool:
    ways = [{wording.stem(w) for w in wording.words(way)} for way in part.split("|")]
    return any(way <= asked for way in ways)


def check_gold(plan: Plan) -> None:
    """Every probe is due and scored against what holds at its point; weights add up to the due
    facts.
    """
    for probe in plan.probes:
        barred = [*probe.stale, *probe.confusable]
        assert probe.required or probe.type == "retracted"
        assert not any(same(v, w) for v in probe.required for w in barred), probe
        if probe.account is not None:
            check_account(plan, probe)
            continue
        facts = [plan.graph.by_id[i] for i in probe.facts]
        check_probe(plan, probe, facts)
    check_weights(plan)


def check_account(plan: Plan, probe: Probe) -> None:
    """An account is asked for its opening balance with all movements told so far."""
    account = plan.graph.account_by_id[probe.account or ""]
    told = [delta.amount for delta in account.deltas if delta.session < probe.t]
    assert probe.required == [account.value(account.opening + sum(told))]
    for delta in account.deltas:
        passage = delta.passage or delta.sentence
        assert passage in plan.sessions[delta.session].text
        assert matching.states(passage, account.value(abs(delta.amount)))


def check_filler(plan: Plan) -> None:
    """What stands between the facts, and every task, states nothing that is asked for."""
    graph = plan.graph
    filler = set(wording.sentences("\n\n".join(filler_of(plan))))
    tasks = {task.text for session in plan.sessions for task in session.tasks}
    assert len(filler) > 20
    rest = "\n".join(sorted(filler | tasks))
    assert [
        v.value.text for f in graph.facts for v in f.versions if matching.states(rest, v.value)
    ] == []


def check_prefix(scenario: str, preset: str, seed: int) -> None:
    """A life is the beginning of every longer one."""
    short, long = (plan_for(scenario, preset, None, n, seed) for n in (10, 16))
    assert long.sessions[:10] == short.sessions
    assert long.inspected[:11] == short.inspected
    assert [p for p in long.probes if p.t <= 10] == short.probes


def check_enough(scenario: str, mechanisms: tuple[str, ...]) -> None:
    """At medium and 10 sessions each claimed mechanism has 10 probes over 5 facts."""
    for seed in range(15):
        plan = plan_for(scenario, "medium", {"tokens_per_session": 500}, 10, seed)
        for mechanism in mechanisms:
            probes = [p for p in plan.probes if p.t >= 1 and p.mechanism == mechanism]
            assert len(probes) >= 10, (seed, mechanism)
            assert len({fact for p in probes for fact in p.facts}) >= 5, (seed, mechanism)


def check_dials(scenario: str) -> None:
    """Every shared dial moves what it is named after."""

    def life(**dials: float) -> Plan:
        return plan_for(scenario, "medium", {"tokens_per_session": 500, **dials}, 40, 0)

    for rate in (0, 0.3, 1):
        notes = [
            f for f in life(update_rate=rate).graph.facts if f.family == "note" and f.born < 34
        ]
        assert sum(len(f.versions) > 1 for f in notes) == pytest.approx(
            rate * len(notes), abs=2 + 0.2 * len(notes) * rate
        )
        plan = life(forget_rate=rate, update_rate=0)
        facts = [f for f in plan.graph.facts if f.family in ("note", "list") and f.born < 34]
        gone = [f for f in facts if f.retracted_at is not None]
        if rate < 1:
            assert len(gone) == pytest.approx(rate * len(facts), abs=3 + 0.2 * len(facts) * rate)
        else:  # every list keeps a member
            kept = {f.group for f in facts if f.retracted_at is None}
            assert kept == {f.group for f in facts if f.group is not None}
    for density in (0, 0.5, 1):
        plan = life(dependency_density=density)
        points = {p.t for p in plan.probes if p.type in DEPENDENT and p.t > 3}
        assert len(points) == pytest.approx(37 * density, abs=2)
    check_structure(life)


def check_structure(life: Callable[..., Plan]) -> None:
    """Pairs, chains and when they begin: as many, as deep and as late as the dials of a life say."""
    for pairs in (0, 3, 24):
        assert life(n_confusable_pairs=pairs).graph.summary()["confusable_pairs"] == pairs
    for depth in range(1, 7):
        plan = life(max_chain_depth=depth, update_rate=0.3, dependency_density=0.7)
        assert max(len(f.versions) for f in plan.graph.facts) == depth
        assert max((len(p.facts) for p in plan.probes if p.type == "multi_hop"), default=1) == depth
    for start in (0, 5, 12):
        assert (
            min(
                f.born
                for f in life(confusable_start_session=start).graph.facts
                if f.family == "pair"
            )
            == start
        )
    assert min(f.born for f in life(warmup_sessions=9).graph.facts if f.family == "link") >= 9


def check_long_life(scenario: str) -> None:
    """At a thousand sessions entities are still distinct, and old truth is still asked for."""
    plan = plan_for(scenario, "medium", {"tokens_per_session": 500}, 1000, 0)
    alone = [f for f in plan.graph.facts if f.group is None]
    assert len({f.question for f in alone}) == len({f.phrase for f in alone}) == len(alone)
    lists = {f.group: f.phrase for f in plan.graph.facts if f.group is not None}
    assert len(set(lists.values())) == len(lists)
    assert any(p.stratum == "lag>10" for p in plan.probes_at(1000))
    born = Counter(f.born for f in plan.graph.facts)
    asked = Counter(p.t for p in plan.probes)
    for counts in (born, asked):
        early, later = (
            sum(counts[t] for t in span) / 100 for span in (range(50, 150), range(900, 1000))
        )
        assert later == pytest.approx(early, rel=0.15)


def lived(scenario: Scenario, plan: Plan, memory: str, **options: int) -> LifeRecord:
    """A life of the embedded reader with a memory policy."""
    model = Extractive()
    keeper = InMemory()
    live_plan(
        plan,
        scenario,
        ReactAgent(model, build_memory(memory, model, **options), scenario.role),
        keeper,
    )
    return LifeRecord(plan, keeper.events, keeper.answers, keeper.texts)


def final_share(life: LifeRecord, metric: str) -> float:
    """A memory-text metric after the last write."""
    hits = memory_shares(life.plan, life.texts)[metric][life.plan.n_sessions]
    return sum(hits) / len(hits)
