"""Filler names the kinds of things that facts name, and never states a value of a fact."""

from __future__ import annotations

from random import Random

import pytest

from agingbench.bench.plan import pools, project_words
from agingbench.bench.plan.filler import Filler
from agingbench.bench.plan.pools import is_filler
from agingbench.errors import InputError
from agingbench.text.values import Value

KINDS = {
    "money": "number",
    "number": "number",
    "decimal": "number",
    "code": "number",
    "percent": "percent",
    "date": "date",
    "day": "date",
    "clock": "clock",
    "version": "version",
}


@pytest.mark.parametrize("slot", sorted(KINDS))
def test_values_of_filler_are_on_its_side_of_the_split(slot: str) -> None:
    rng = Random(3)
    filler = Filler()
    values = [Value(KINDS[slot], filler(rng, slot, "")) for _ in range(200)]
    assert all(is_filler(value) for value in values)
    assert len(set(values)) > 20


def test_values_of_facts_are_on_the_other_side() -> None:
    rng = Random(3)
    draws = [
        pools.money(rng, 20, 900),
        pools.code(rng, 4),
        pools.percent(rng),
        pools.date(rng),
        pools.clock(rng, 6, 20),
        pools.version(rng),
    ]
    for _ in range(200):
        assert not any(is_filler(value) for value in draws)


def test_bounds_hold() -> None:
    rng = Random(5)
    filler = Filler()
    numbers = [int(filler(rng, "number", "20-40")) for _ in range(100)]
    assert min(numbers) >= 20
    assert max(numbers) <= 40
    assert len(filler(rng, "code", "6")) == 6


def test_a_life_meets_the_same_people_again() -> None:
    rng = Random(5)
    filler = Filler(rng=rng)
    people = [filler(rng, "person", "") for _ in range(100)]
    assert len(set(people)) < 45


def test_names_of_filler_are_no_names_of_facts() -> None:
    fact_names = {
        *pools.FIRST,
        *pools.LAST,
        *project_words.SPEAKER_FIRST,
        *project_words.SPEAKER_LAST,
    }
    fact_names |= {name for pair in pools.NEAR_FIRST for name in pair}
    filler = Filler()
    words = {word for kind in ("first", "last") for word in filler.lists[kind]}
    assert not words & fact_names


def test_a_list_of_the_scenario_comes_first_and_an_unknown_slot_is_named() -> None:
    filler = Filler({"venue": ["the workshop"]})
    assert filler(Random(1), "venue", "") == "the workshop"
    with pytest.raises(InputError, match=r"unknown slot '\{venus\}'"):
        filler(Random(1), "venus", "")
