"""A sentence that refers back is read together with what it leans on."""

from __future__ import annotations

from agingbench.bench.plan.facts import Reading
from agingbench.text.linking import linked_sentences
from agingbench.text.values import Value

CODE = Value("number", "4821")
SUBJECT = ("Ana Petrova", "code|keypad")


def states(text: str) -> bool:
    return Reading(text).states_fact(SUBJECT, CODE)


def test_a_pronoun_ties_two_sentences_together() -> None:
    assert states("Ana Petrova has moved. The code there is 4821.")
    assert states("Ana Petrova has moved. She likes it. Its keypad wants 4821.")


def test_without_a_pronoun_or_on_another_line_they_stay_apart() -> None:
    assert not states("Ana Petrova has moved. The code for Ben is 4821.")
    assert not states("Ana Petrova has moved.\nThe code there is 4821.")


def test_the_value_must_stand_in_the_sentence_that_leans() -> None:
    assert not states("The bus took 4821. Ana Petrova lost her code, and that was that.")


def test_every_sentence_comes_once_and_in_order() -> None:
    sentences = linked_sentences("One is here. It is two. Three stands.\nFour.")
    assert [sentence.text for sentence in sentences] == [
        "One is here.",
        "It is two.",
        "Three stands.",
        "Four.",
    ]
    assert sentences[1].whole == "One is here. It is two."
    assert sentences[2].whole == "Three stands."
