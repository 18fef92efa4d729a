"""The paper's figures by hand: what they count, and what they are worth to one who knows nothing."""

from __future__ import annotations

import pytest

from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.paper import (
    KeywordWatch,
    PaperSection,
    ProbeReply,
    cites,
    paper_section,
    probe_figures,
    saturating_recall,
)
from agingbench.bench.scoring.score import score
from agingbench.text.values import Value
from tests.bench.scoring.test_score import BUDGET, SHOP, TEXTS, life, plan_by_hand


def section() -> PaperSection:
    return score(life()).paper


def test_the_headline_counts_any_value_anywhere_and_point_0() -> None:
    paper = section()
    assert paper.metric_name == "constraint_precision"
    assert paper.curve == [(0, 1.0, 2), (1, 0.5, 2), (2, pytest.approx(2 / 3), 3)]
    assert paper.m0.value == 1.0
    assert paper.time_average.value == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)
    assert paper.decay_slope.value == pytest.approx((2 / 3 - 1) / 2)
    assert paper.half_life.value == 1.0
    assert paper.hazard_proxy.value == 0.0


def test_recall_by_version_depth_stands_apart_from_hops() -> None:
    paper = section()
    # At t = 2 the budget has two versions and is asked twice; all else has one.
    assert paper.chain_recall_by_version_depth == [(1, 3 / 4, 4), (2, 1 / 2, 2)]
    assert paper.chain_recall_by_hops == []


def test_keywords_of_a_memory_are_all_values_told() -> None:
    watch = KeywordWatch(plan_by_hand())
    assert list(watch.watch(TEXTS)) == TEXTS
    # At t = 2 four values were told: both of the budget, the shop's and the locker's.
    assert watch.keyword_m == [(0, 1.0, 2), (1, 0.5, 2), (2, 0.5, 4)]
    first, *_ = watch.summarization_fidelity
    assert first == (0, 1.0, 2)


def dependency(said: str) -> ProbeReply:
    probe = Probe(
        "p2.9",
        2,
        "synthesize",
        "compression",
        "State my dining budget and my boycotted shop.",
        [BUDGET.id, SHOP.id],
        [Value("number", "$250"), Value("name", "Ambermart")],
    )
    return ProbeReply(probe, said.lower(), 0.0)


def test_three_tenths_of_the_keywords_are_as_good_as_all() -> None:
    plan = plan_by_hand()
    echo = dependency("State my dining budget and my boycotted shop.")
    assert saturating_recall(plan, echo) == 1.0
    assert saturating_recall(plan, dependency("")) == 0.0
    lookup = probe_figures(plan, [echo, dependency("$250, at Ambermart")])["lookup_accuracy"]
    assert (lookup.value, lookup.n) == (0.5, 2)


def listing(plan: Plan, said: str, kind: str = "list") -> float | None:
    probe = Probe(
        "p2.8",
        2,
        kind,
        "revision",
        "What is on my list?",
        [SHOP.id],
        [Value("name", "Ambermart")],
        [Value("name", "Fernstore")],
    )
    return probe_figures(plan, [ProbeReply(probe, said.lower(), 0.0)])["forget_accuracy"].value


@pytest.mark.parametrize("kind", ["list", "retracted"])
def test_forgetting_is_not_citing_and_silence_forgets_best(kind: str) -> None:
    plan = plan_by_hand()
    assert listing(plan, "", kind) == 1.0
    assert listing(plan, "Anything at all", kind) == 1.0
    assert listing(plan, "It was Fernstore once, but no longer.", kind) == 0.0
    assert probe_figures(plan, [])["forget_accuracy"].value is None


def test_citing_is_a_matter_of_letters() -> None:
    assert cites("about $2500", Value("number", "$250"))
    assert not cites("two hundred and fifty dollars", Value("number", "$250"))


def test_a_life_without_answers_has_no_figures_of_the_paper() -> None:
    plan = plan_by_hand()
    paper = paper_section(plan, [], KeywordWatch(plan), None)
    assert paper.curve == []
    assert (paper.m0.value, paper.decay_slope.value, paper.dep_recall.value) == (None, None, None)
    assert "workspace_fidelity" not in paper.document()
