"""Every dial moves what it is named after by as much as it says, and leaves the others in place."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.pressure import PRESETS
from agingbench.text.wording import count_tokens
from tests.examples import examples
from tests.sampling import one_in

SEED = st.integers(0, 10**6)
DEPENDENT = ("compare", "trend", "synthesize", "multi_hop")
LONG = 60
SETTLED = LONG - 6  # facts born before have had the time for their first change or their end


@lru_cache(maxsize=32)
def life(seed: int, sessions: int, preset: str = "medium", **dials: Any) -> Plan:
    return plan_for("s2", preset, {"tokens_per_session": 500, **dials}, sessions, seed)


def close(found: int, asked: float) -> bool:
    return abs(found - asked) <= max(2, 0.2 * asked)


def settled(plan: Plan, *families: str) -> list[Fact]:
    return [f for f in plan.graph.facts if f.family in families and f.born < SETTLED]


@pytest.mark.parametrize(
    ("rate", "depth"), one_in(3, [(0, 3), (0.1, 2), (0.1, 6), (0.3, 3), (0.6, 2), (0.6, 6), (1, 3)])
)
def test_update_rate(rate: float, depth: int) -> None:
    plan = life(0, LONG, update_rate=rate, max_chain_depth=depth)
    facts = settled(plan, "constraint", "note")
    assert close(sum(len(f.versions) > 1 for f in facts), rate * len(facts))
    if rate in (0, 1):
        assert {len(f.versions) > 1 for f in facts} == {bool(rate)}


def retracted(plan: Plan) -> int:
    return sum(f.retracted_at is not None for f in plan.graph.facts)


def pairs(plan: Plan) -> int:
    return sum(f.partner is not None for f in plan.graph.facts) // 2


@pytest.mark.parametrize("rate", one_in(3, [0, 0.1, 0.6, 1]))
def test_update_rate_leaves_the_others(rate: float) -> None:
    for seed in range(2):
        usual = life(seed, LONG)
        turned = life(seed, LONG, update_rate=rate)
        assert pairs(turned) == pairs(usual) == 3
        assert close(retracted(turned), retracted(usual))
        assert close(len(turned.graph.facts), len(usual.graph.facts))
        assert close(len(chains(turned)), len(chains(usual)))


def chains(plan: Plan) -> set[str]:
    """The holders that some other fact leads to, one per chain."""
    ends = {f.points_to for f in plan.graph.facts if f.points_to is not None}
    return {i for i in ends if plan.graph.by_id[i].points_to is None}


@pytest.mark.parametrize("depth", range(1, 7))
def test_chain_depth_is_the_longest_chain(depth: int) -> None:
    plan = life(depth, 40, update_rate=0.3, dependency_density=0.7, max_chain_depth=depth)
    assert max(len(f.versions) for f in plan.graph.facts) == depth
    hops = [p for p in plan.probes if p.type == "multi_hop"]
    longest = max((len(p.facts) for p in hops), default=1)
    assert longest == depth
    assert max((p.hop or 0 for p in plan.probes), default=0) == (depth if depth > 1 else 0)
    assert all(p.depth == len(p.facts) for p in hops)


@settings(max_examples=examples(12), deadline=None)
@given(SEED, st.integers(0, 24))
def test_exactly_so_many_pairs(seed: int, number: int) -> None:
    plan = life(seed, 30, n_confusable_pairs=number)
    assert pairs(plan) == number
    assert plan.graph.summary()["confusable_pairs"] == number
    for fact in plan.graph.facts:
        if fact.partner is not None:
            other = plan.graph.by_id[fact.partner]
            assert other.partner == fact.id
            assert other.versions[0].value != fact.versions[0].value
            assert fact.versions[0].value.kind == other.versions[0].value.kind
    assert len(plan.graph.accounts) == (2 if number else 1)


@pytest.mark.parametrize("start", [0, 1, 5, 8, 20])
def test_pairs_begin_when_they_are_told_to(start: int) -> None:
    plan = life(3, 30, n_confusable_pairs=8, confusable_start_session=start)
    assert min(f.born for f in plan.graph.facts if f.family == "pair") == start
    assert all(p.t > start for p in plan.probes if p.mechanism == "interference")
    assert plan.graph.accounts[1].session == max(1, start)
    assert [a.partner for a in plan.graph.accounts] == ["a1", "a0"]


@pytest.mark.parametrize(
    ("rate", "updates"),
    one_in(3, [(0, 0.2), (0.05, 0.6), (0.1, 0), (0.2, 0.2), (0.2, 0.6), (0.3, 0)]),
)
def test_forget_rate(rate: float, updates: float) -> None:
    plan = life(1, LONG, forget_rate=rate, update_rate=updates)
    facts = settled(plan, "constraint", "note", "list")
    assert close(sum(f.retracted_at is not None for f in facts), rate * len(facts))
    if rate == 0:
        assert retracted(plan) == 0
    assert all(f.family in ("note", "list") for f in plan.graph.facts if f.retracted_at is not None)


def test_forget_rate_leaves_the_others() -> None:
    usual = life(0, LONG)
    turned = life(0, LONG, forget_rate=0.3)
    assert pairs(turned) == pairs(usual)
    updated = [
        sum(len(f.versions) > 1 for f in settled(p, "constraint", "note")) for p in (turned, usual)
    ]
    assert close(*updated)


def test_every_list_keeps_a_member() -> None:
    plan = life(1, LONG, forget_rate=1, update_rate=0)
    groups = {f.group for f in plan.graph.facts if f.group is not None}
    left = {f.group for f in plan.graph.facts if f.group is not None and f.retracted_at is None}
    assert left == groups


@pytest.mark.parametrize("asked", [500, 2000, 20000])
@pytest.mark.parametrize("preset", one_in(3, PRESETS))
@pytest.mark.parametrize("crowded", [False, True])
def test_tokens_per_session(asked: int, preset: str, crowded: bool) -> None:
    dials: dict[str, Any] = {"tokens_per_session": asked}
    if crowded:
        dials |= {"n_confusable_pairs": 24}
    # The requests of a life are a fourth of so small a session, and scenes cannot be cut.
    longest = (1.3 if asked == 500 else 1.2) * asked
    for seed in range(1 if asked > 2000 else 2):
        plan = plan_for("s2", preset, dials, 3 if asked > 2000 else 6, seed)
        for session in plan.sessions:
            for said in (session.material, session.text):
                assert 0.8 * asked <= count_tokens(said) <= longest, (seed, session.index)


def with_dependency(plan: Plan, warmup: int) -> float:
    points = range(warmup + 1, plan.n_sessions + 1)
    return sum(any(p.type in DEPENDENT for p in plan.probes_at(t)) for t in points) / len(points)


@pytest.mark.parametrize("density", [0, 0.1, 0.3, 0.5, 0.7, 1])
def test_dependency_density(density: float) -> None:
    plan = life(1, LONG, dependency_density=density)
    assert with_dependency(plan, 3) == pytest.approx(density, abs=2 / LONG)
    assert close(len(chains(plan)), density * (LONG - 5))
    kinds = {p.type for p in plan.probes if p.type in DEPENDENT}
    assert kinds == (set(DEPENDENT) if density else set())


@pytest.mark.parametrize("warmup", [0, 1, 3, 10, 25])
def test_warm_up_is_kept(warmup: int) -> None:
    plan = life(2, 30, dependency_density=1, warmup_sessions=warmup)
    early = [p for p in plan.probes if p.t <= warmup and p.type in (*DEPENDENT, "hop")]
    # Point 0 asks what point 1 asks.
    assert {p.t for p in early} <= ({0} if warmup == 0 else set())
    assert any(p.type in DEPENDENT for p in plan.probes_at(warmup + 1))
    assert all(f.born >= warmup for f in plan.graph.facts if f.family == "link")


@settings(max_examples=examples(10), deadline=None)
@given(SEED, st.integers(1, 25))
def test_no_pressure_at_all(seed: int, sessions: int) -> None:
    plan = plan_for("s2", "none", None, sessions, seed)
    summary = plan.graph.summary()
    assert {summary[k] for k in ("updates", "retractions", "confusable_pairs", "links")} == {0}
    assert summary["longest_chain"] == 1
    assert {p.type for p in plan.probes} <= {"standalone", "account"}
    assert len(plan.graph.accounts) == 1
    assert not any(p.confusable for p in plan.probes)


@settings(max_examples=examples(12), deadline=None)
@given(
    SEED,
    st.fixed_dictionaries(
        {
            "tokens_per_session": st.sampled_from([500, 3000]),
            "dependency_density": st.floats(0, 1),
            "update_rate": st.floats(0, 1),
            "max_chain_depth": st.integers(1, 6),
            "n_confusable_pairs": st.integers(0, 24),
            "confusable_start_session": st.integers(0, 30),
            "warmup_sessions": st.integers(0, 30),
            "forget_rate": st.floats(0, 1),
        }
    ),
    st.integers(1, 20),
)
def test_any_dials_give_a_life(seed: int, dials: dict[str, Any], sessions: int) -> None:
    plan = plan_for("s2", "medium", dials, sessions, seed)
    assert max(len(f.versions) for f in plan.graph.facts) <= dials["max_chain_depth"]
    assert pairs(plan) <= dials["n_confusable_pairs"]
    assert all(plan.probes_at(t) for t in range(sessions + 1))
    assert max(len(plan.probes_at(t)) for t in range(sessions + 1)) <= 30
