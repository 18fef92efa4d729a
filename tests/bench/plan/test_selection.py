"""Selections of probes: the plan stays, fewer questions are asked, weights keep their strata."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.selection import read_selection, select_probes
from agingbench.errors import InputError, UnknownName
from tests.examples import examples

WORDS = ("standalone", "compare", "multi_hop", "account", "revision", "interference")


@cache
def whole() -> Plan:
    return plan_for("s2", "heavy", sessions=8)


def test_types_and_mechanisms_are_named() -> None:
    plan = select_probes(whole(), "account,interference")
    assert {probe.type for probe in plan.probes} >= {"account"}
    assert all(p.type == "account" or p.mechanism == "interference" for p in plan.probes)
    assert plan.asked == "account,interference"
    assert plan.sessions == whole().sessions
    assert plan.graph == whole().graph
    assert plan.hash != whole().hash


def test_all_probes_are_the_plan_itself() -> None:
    assert select_probes(whole(), "") is whole()
    assert b'"asked"' not in whole().encode()


def test_hops_are_asked_with_their_chain() -> None:
    full = plan_for("s4", "medium")
    chains = [probe.id for probe in full.probes if probe.type == "multi_hop"]
    hops = [probe for probe in full.probes if probe.parent in chains]
    plan = select_probes(full, "multi_hop")
    assert hops
    assert {probe.id for probe in plan.probes} == {*chains, *(hop.id for hop in hops)}


@settings(deadline=None, max_examples=examples(30))
@given(st.sets(st.sampled_from(WORDS)), st.none() | st.integers(1, 20))
def test_a_selection_is_a_part_of_the_plan(words: set[str], cap: int | None) -> None:
    selection = ",".join(["standalone", *words, *([str(cap)] if cap else [])])
    plan = select_probes(whole(), selection)
    all_ids = [probe.id for probe in whole().probes]
    ids = [probe.id for probe in plan.probes]
    assert ids == [name for name in all_ids if name in set(ids)]
    if cap:
        assert max(Counter(probe.t for probe in plan.probes).values(), default=0) <= cap
    for t in range(plan.n_sessions + 1):
        asked = {probe.stratum for probe in plan.probes_at(t) if probe.weight is not None}
        for stratum in asked:
            assert weight(plan, t, stratum) == pytest.approx(weight(whole(), t, stratum))


def weight(plan: Plan, t: int, stratum: str | None) -> float:
    return sum(p.weight or 0.0 for p in plan.probes_at(t) if p.stratum == stratum)


def test_a_cap_takes_every_kind_in_turn() -> None:
    plan = select_probes(whole(), "6")
    kinds = {(probe.type, probe.mechanism) for probe in plan.probes}
    assert {("standalone", "interference"), ("account", "revision")} <= kinds


def test_one_spelling() -> None:
    assert read_selection(" 6 ,standalone, account") == "account,standalone,6"
    assert read_selection("account,standalone,6") == "account,standalone,6"
    for wrong in ("", " , ", "5,6", "0"):
        with pytest.raises(InputError):
            read_selection(wrong)
    with pytest.raises(UnknownName, match="did you mean standalone"):
        select_probes(whole(), "standalon")
