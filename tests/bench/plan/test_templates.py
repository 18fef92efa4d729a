"""Texts with gaps: alternatives, slots, parts that need a fact, and articles."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.plan.templates import Filling, article_for, fact_count, parse, slots


def filler(rng: Random, kind: str, argument: str) -> str:
    return f"{kind}{rng.randrange(10**6)}{argument}"


def fill(template: str, facts: list[str] | None = None, **words: str) -> str:
    return Filling(Random(1), words, filler, facts).text(template)


def test_words_of_the_caller_fill_slots_and_raise_their_first_letter() -> None:
    assert fill("{Who} met {who}.", who="the clerk") == "The clerk met the clerk."


def test_numbered_slots_are_the_same_throughout_a_text_and_plain_ones_are_drawn_anew() -> None:
    same = fill("{person1} {person1}").split()
    other = fill("{person} {person}").split()
    assert same[0] == same[1]
    assert other[0] != other[1]


def test_alternatives_nest_and_keep_bars_outside_of_them() -> None:
    texts = {
        Filling(Random(seed), {}, filler).text("| a | [[x|y [[1|2]]]] |") for seed in range(40)
    }
    assert texts == {"| a | x |", "| a | y 1 |", "| a | y 2 |"}


def test_a_part_without_a_fact_is_dropped_and_facts_come_in_order() -> None:
    template = "Start.<< {fact}>> Middle.<< And {fact}>>"
    assert fill(template) == "Start. Middle."
    assert fill(template, ["One."]) == "Start. One. Middle."
    assert fill(template, ["One.", "two."]) == "Start. One. Middle. And two."
    assert fact_count(template) == 2


def test_doubled_braces_are_braces() -> None:
    assert fill('{{"a": {who}}}', who="1") == '{"a": 1}'


def test_slots_of_all_alternatives_are_listed() -> None:
    names = [slot.name for slot in slots("{x} [[{y}|<<{fact} {z:2-3}>>]]")]
    assert names == ["x", "y", "fact", "z"]


@pytest.mark.parametrize("template", ["[[a|b", "a]]", "<<a", "a>>"])
def test_marks_that_do_not_match_are_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"closes nothing|is missing"):
        parse(template)


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("easel", "an"),
        ("lantern", "a"),
        ("hour", "an"),
        ("unicorn", "a"),
        ("umbrella", "an"),
        ("one-way ticket", "a"),
        ("11 o'clock call", "an"),
        ("8-bit game", "an"),
        ("honest answer", "an"),
        ("European", "a"),
    ],
)
def test_articles_follow_the_sound(word: str, article: str) -> None:
    assert article_for(word) == article
    assert fill("{a:thing}", thing=word) == f"{article} {word}"
    assert fill("{A:thing}", thing=word) == f"{article.capitalize()} {word}"


@given(st.text(alphabet="ab |[]<>{}.", max_size=40), st.integers(0, 9))
def test_any_text_is_filled_or_refused(template: str, seed: int) -> None:
    try:
        parse(template)
    except ValueError:
        return
    text = Filling(Random(seed), {"a": "1", "b": "2"}, filler).text(template)
    assert "[[" not in text


def test_a_fact_that_nothing_leads_up_to_stands_apart_where_such_facts_are_kept() -> None:
    template = "It rained.<< {fact}>><<\nDecided: {fact}>>"
    apart: list[str] = []
    filling = Filling(Random(1), {}, filler, ["One.", "Two."], apart=apart)
    assert filling.text(template) == "It rained.\nDecided: Two."
    assert apart == ["One."]
