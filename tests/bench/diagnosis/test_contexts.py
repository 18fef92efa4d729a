"""What the conditions read, against brute force: which units state a fact, what a list brings
along, and the limit.
"""

from __future__ import annotations

import pytest

from agingbench.bench.diagnosis.contexts import (
    Store,
    claims,
    oracle_context,
    oracle_retrieval,
    taken_off,
)
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut, build
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.facts import Reading
from agingbench.bench.plan.plan import Plan
from agingbench.memory.append_only import AppendOnly
from agingbench.records import Unit
from agingbench.text.wording import count_tokens


def stores(plan: Plan, memory: str) -> dict[int, list[Unit]]:
    """The units of a life at every point."""
    scenario = load_scenario(plan.scenario)
    kept = InMemory()
    agent = build(Sut(memory=memory), scenario.role).agent
    live_plan(plan, scenario, agent, kept)
    found = {}
    for t in range(1, plan.n_sessions + 1):
        policy = AppendOnly()
        policy.load({"k": 5, "episodes": kept.states[str(t)]["memory"]["episodes"]})
        found[t] = policy.units() or []
    return found


@pytest.mark.parametrize(
    ("scenario", "memory"),
    [("s1", "append_only"), ("s2", "lossy_episodic"), ("s4", "append_only"), ("s6", "append_only")],
)
def test_the_index_finds_the_units_that_a_search_through_all_of_them_finds(
    scenario: str, memory: str
) -> None:
    plan = plan_for(scenario, sessions=3)
    store = Store()
    for t, units in stores(plan, memory).items():
        store.hold(units)
        for probe in plan.probes_at(t):
            wanted = claims(plan, probe)
            plain = [
                u.text
                for u in units
                if any(Reading(u.text).states_fact(*claim) for claim in wanted)
            ]
            assert store.stating(wanted) == plain
            assert set(oracle_retrieval(store, plan, probe).split("\n\n")) >= set(
                filter(None, plain)
            )


def test_a_store_that_shrank_holds_no_more_than_it_does_now() -> None:
    store = Store()
    one = Unit("0", "The code of the gate is 4711.")
    two = Unit("1", "The code of the shed is 1234.")
    plan = plan_for("s2", "light", sessions=2)
    probe = plan.probes_at(1)[0]
    version = plan.graph.by_id[probe.facts[0]].at(1)
    assert version is not None
    gold = Unit("2", version.sentence)
    store.hold([one, gold, two])
    assert oracle_retrieval(store, plan, probe) == version.sentence
    store.hold([one, two])
    assert oracle_retrieval(store, plan, probe) == ""


def test_a_list_brings_along_the_units_that_take_back_what_its_units_name() -> None:
    plan = plan_for("s2", "heavy", sessions=12)
    checked = 0
    for probe in (p for p in plan.probes if p.type == "list" and p.t > 0):
        facts = [plan.graph.by_id[name] for name in probe.facts]
        gone = [
            f
            for f in plan.graph.facts
            if f.group == facts[0].group and f.at(probe.t) is None and f.born < probe.t
        ]
        assert [claim[0] for claim in taken_off(plan, probe)] == [
            f.subject for f in gone for _ in f.stale_at(probe.t)
        ]
        told = " ".join(f.versions[0].sentence for f in [*facts, *gone])
        back = " ".join(f.retraction or "" for f in gone)
        apart = [Unit(str(n), f.versions[0].sentence) for n, f in enumerate(facts)]
        store = Store()
        store.hold([Unit("a", told), Unit("b", back)])
        assert oracle_retrieval(store, plan, probe) == f"{told}\n\n{back}"
        store.hold([*apart, Unit("b", back)])
        assert back not in oracle_retrieval(store, plan, probe)
        checked += bool(gone)
    assert checked >= 3


def test_what_a_typed_value_is_called_counts_as_the_account() -> None:
    plan = plan_for("s2", sessions=4)
    probe = next(p for p in plan.probes if p.type == "account")
    name = plan.graph.account_by_id[probe.account or ""].name.replace(" ", "_")
    sidecar = Unit(
        "typed_state",
        f'{{"{name}": {probe.required[0].text.strip("$").replace(",", "")}, "sessions_used": 2}}',
    )
    store = Store()
    store.hold([sidecar, Unit("0", "Nothing of note happened.")])
    assert oracle_retrieval(store, plan, probe) == sidecar.text


@pytest.mark.parametrize("limit", [1, 50, 200, 10**6])
def test_beyond_the_limit_only_sentences_are_given_and_never_less_than_the_gold(limit: int) -> None:
    plan = plan_for("s2", sessions=5)
    store = Store()
    for t, units in stores(plan, "append_only").items():
        store.hold(units)
        for probe in plan.probes_at(t):
            whole = oracle_retrieval(store, plan, probe)
            given = oracle_retrieval(store, plan, probe, limit)
            gold = oracle_context(plan, probe)
            fits = count_tokens(whole) <= max(limit, count_tokens(gold))
            assert (given == whole) or not fits
            assert all(line in given for line in gold.split("\n")) == all(
                line in whole for line in gold.split("\n")
            )
