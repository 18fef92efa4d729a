"""The kind of value that a question asks for, by its words."""

from __future__ import annotations

import pytest

from agingbench.models.expectation import Expectation, could_answer, expectation


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Whom do I ask before touching the parser?", "name"),
        ("At what time does the market open?", "clock"),
        ("Which day is the rent due?", "date"),
        ("Until when can I still merge?", "date"),
        ("What share of the lines is kept?", "percent"),
        ("Which version runs in staging?", "version"),
        ("How many clients can it serve at once?", "number"),
        ("What did the repair cost?", "number"),
    ],
)
def test_the_words_of_a_question_say_the_kind(question: str, kind: str) -> None:
    assert kind in expectation(question).kinds


def test_a_sentence_without_such_a_value_cannot_answer() -> None:
    assert could_answer("It opens at 07:45.", Expectation(("clock",)))
    assert not could_answer("It opens early.", Expectation(("clock",)))
    assert could_answer("It opens early.", Expectation())
    assert expectation("Where is the key?") == Expectation()


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How long does the ferry take?", "It takes 40 minutes.", "It takes 40 kg."),
        ("What latency may a caller expect?", "Replies take 212 ms.", "It has 7 GB of RAM."),
        ("How much memory does it need?", "It has 7 GB of RAM.", "It costs $7."),
        ("What is the fee at the gym?", "They want $40.", "It is 40 metres long."),
        ("How far is the lake?", "It is 3 km away.", "It takes 40 minutes."),
    ],
)
def test_the_words_of_a_question_say_the_units(question: str, right: str, wrong: str) -> None:
    expected = expectation(question)
    assert could_answer(right, expected)
    assert not could_answer(wrong, expected)
    assert could_answer("It is 40.", expected)
