"""Families of look-alikes: distinct, near to each other, never named by what surrounds them."""

from __future__ import annotations

from collections import Counter

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.lookalikes import MOST_PAIRS, Lookalikes
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.pools import stream
from agingbench.memory.ranking import terms
from agingbench.text import matching, values, wording
from agingbench.text.wording import count_tokens
from tests.bench.plan.plan_truth import filler_of

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6")
AXES = (
    ("Smith", "Smyth"),
    ("east", "west"),
    ("upper", "lower"),
    ("red", "blue", "green", "grey", "pink", "white"),
)


def family(seed: int = 0) -> Lookalikes:
    return Lookalikes(stream("family", seed), AXES)


def apart(one: tuple[str, ...], other: tuple[str, ...]) -> list[int]:
    return [axis for axis in range(4) if one[axis] != other[axis]]


@pytest.mark.parametrize("seed", range(5))
def test_all_members_are_distinct_and_partners_differ_in_one_word(seed: int) -> None:
    some = family(seed)
    pairs = [some.pair(number) for number in range(MOST_PAIRS)]
    assert len({member for pair in pairs for member in pair}) == 2 * MOST_PAIRS
    assert all(len(apart(*pair)) == 1 for pair in pairs)
    turns = [apart(*pair)[0] for pair in pairs]
    assert all(sorted(turns[i : i + 4]) == [0, 1, 2, 3] for i in range(0, MOST_PAIRS, 4))
    assert some.members == [member for pair in pairs for member in pair]


def test_axes_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="three axes of two words"):
        Lookalikes(stream("x"), (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")))


def crowded(scenario: str, pairs: int = 12) -> Plan:
    return plan_for(scenario, "medium", {"n_confusable_pairs": pairs}, 14, 3)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_word_of_a_look_alike_is_common(scenario: str) -> None:
    plan = crowded(scenario)
    alike = [f for f in plan.graph.facts if f.family == "pair"]
    assert len(alike) == 24
    assert len({f.phrase for f in alike}) == len({f.versions[0].value for f in alike}) == 24
    said = Counter(
        term for f in alike for term in set(terms(f.versions[0].sentence.partition(" is ")[0]))
    )
    for fact in alike:
        assert min(said[term] for term in terms(fact.phrase)) >= 3, fact.phrase


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_look_alikes_are_spread_over_sessions(scenario: str) -> None:
    plan = crowded(scenario)
    alike = [f for f in plan.graph.facts if f.family == "pair"]
    assert all(f.born != plan.graph.by_id[f.partner or ""].born for f in alike)
    assert len({f.born for f in alike}) >= 4


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_filler_names_all_words_of_a_member(scenario: str) -> None:
    plan = crowded(scenario)
    alike = [f for f in plan.graph.facts if f.family == "pair"]
    filler = {sentence for text in filler_of(plan) for sentence in wording.sentences(text)}
    axes = [{f.subject[axis] for f in alike} for axis in range(4)]
    assert len(filler) > 100
    for sentence in filler:
        named = [
            any(matching.states(sentence, values.Value("name", word)) for word in axis)
            for axis in axes
        ]
        assert not all(named), sentence
        assert not any(matching.states(sentence, f.versions[0].value) for f in alike)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_tokens_stay_what_they_are(scenario: str) -> None:
    sizes = [
        sum(count_tokens(s.text) for s in crowded(scenario, pairs).sessions) for pairs in (1, 12)
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.02)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_answer_with_the_value_of_any_sibling_is_confused(scenario: str) -> None:
    plan = crowded(scenario)
    alike = [f for f in plan.graph.facts if f.family == "pair"]
    for probe in plan.probes:
        if probe.mechanism == "interference":
            fact = plan.graph.by_id[probe.facts[0]]
            others = [f.versions[0].value for f in alike if f is not fact and f.born < probe.t]
            assert probe.confusable == others
