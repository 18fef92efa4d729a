"""How the embedded model condenses: budgets hold, what must stay comes first, the rest fades."""

from __future__ import annotations

import re
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.facts import Reading, states_fact
from agingbench.memory.prompts import filled
from agingbench.models.compaction import condense
from tests.examples import examples

TEXT = (
    "The lobby was painted in a warm colour. Order a lamp for the hall. The invoice came to $940."
    " The review is on March 14. We met Noor at the station. The server runs version 3. I like my"
    " tea strong."
)


def test_a_compaction_keeps_to_the_budget_that_the_prompt_names() -> None:
    for words in (1, 5, 12, 30, 300):
        short = condense(TEXT, f"Use at most {words} words.")
        assert len(short.split()) <= words
        assert all(sentence.strip() in TEXT for sentence in short.split(". "))
    assert condense(TEXT, "Use at most 300 words.") == TEXT


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("every amount of money", "$940"),
        ("every deadline and date", "March 14"),
        ("every named person", "Noor"),
        ("every version", "version 3"),
    ],
)
def test_what_the_prompt_says_to_keep_comes_first(asked: str, kept: str) -> None:
    short = condense(TEXT, f"At all costs keep {asked}, in at most 6 words.")
    assert kept in short
    assert len(short.split()) <= 6


def test_without_guidance_no_statement_is_better_than_another() -> None:
    statements = [
        "I boycott a shop.",
        "My budget is $40.",
        "Zinc smelters smell bad.",
        "Ana has a cat.",
    ]
    kept = []
    for order in permutations(statements):
        short = condense(" ".join(order), "Give the most important points in at most 8 words.")
        kept.append([place for place, sentence in enumerate(order) if sentence in short])
    assert kept == [kept[0]] * len(kept)


def test_a_text_is_thinned_from_its_beginning_to_its_end() -> None:
    text = " ".join(f"Row {number} says nothing." for number in range(100))
    rows = [int(number) for number in re.findall(r"\d+", condense(text, "at most 80 words"))]
    assert len(rows) == 20
    assert [row // 5 for row in rows] == list(range(20))


def test_what_is_condensed_again_and_again_fades() -> None:
    memory = ""
    shares = []
    for session in range(4):
        text = " ".join(f"The code of door {session}.{door} is {door}." for door in range(100))
        memory = condense(f"{memory} {text}", "Use at most 300 words.")
        shares.append(memory.count("door 0."))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2 * shares[1] > 4 * shares[2]


def test_what_holds_comes_before_what_happened() -> None:
    text = "The fee rose by $4. The fee is $44. We paid $40 late."
    assert condense(text, "Keep every amount in at most 4 words.") == "The fee is $44."


def test_what_names_more_comes_before_what_names_less() -> None:
    text = "A bus is at 14:20. Ana Cruz is the deputy of Ben Holt. My tea is at 7."
    short = condense(text, "Keep every number and named person, in at most 9 words.")
    assert short == "Ana Cruz is the deputy of Ben Holt."


def test_guidance_keeps_a_sentence_with_what_it_refers_back_to() -> None:
    text = "Rain fell. Ana Cruz moved. Her new code is 4821. Hail fell."
    assert "Ana Cruz moved. Her new code is 4821." in condense(
        text, "every number, at most 9 words"
    )


@settings(max_examples=examples(60), deadline=None)
@given(st.text(), st.text(), st.integers(1, 40))
def test_any_text_is_condensed_to_any_budget(text: str, instruction: str, words: int) -> None:
    short = condense(text, f"{instruction} at most {words} words")
    assert len(short.split()) <= max(words, 300 if "at most" in instruction else 0)


def test_statements_come_before_requests() -> None:
    text = "Order a zither, a yurt and a xylophone. The cat sat on the mat. The cat sat on the rug."
    assert "Order" not in condense(text, "at most 12 words")
    assert "zither" in condense(text, "at most 20 words")


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3"])
def test_careful_keeps_more_facts_than_lossy(scenario: str) -> None:
    # Not more values: what is beside the facts has values too.
    plan = plan_for(scenario, sessions=4)
    life = "\n\n".join(session.text for session in plan.sessions)
    n_stated = {}
    for name in ("lossy", "careful"):
        reading = Reading()
        reading.follow(condense(life, filled(name, 300, "")))
        n_stated[name] = sum(states_fact(reading, fact, 4) for fact in plan.graph.facts)
    assert n_stated["careful"] > n_stated["lossy"]
