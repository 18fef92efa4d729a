"""Words, stems, sentences, first words, and answers that say nothing."""

from __future__ import annotations

import pytest

from agingbench.text import wording
from agingbench.text.refusals import is_blank_or_refusal


def test_normalise_and_words() -> None:
    assert wording.normalise("  “Zoë’s”  CAFÉ –\n x ") == '"zoe\'s" cafe - x'
    line = "Rivera's lease_2024.pdf costs $1,000 at 10:20, 66.3% of twenty-five"
    assert wording.words(line) == [
        "rivera",
        "lease_2024.pdf",
        "costs",
        "1000",
        "at",
        "10:20",
        "66.3",
        "of",
        "twenty",
        "five",
    ]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("budgets", "budget"),
        ("subscriptions", "subscription"),
        ("restaurants", "restaurant"),
        ("batches", "batch"),
        ("queries", "query"),
        ("dining", "dining"),
        ("planned", "plan"),
        ("reported", "report"),
        ("meetings", "meet"),
        ("class", "class"),
        ("bus", "bus"),
        ("used", "used"),
        ("string", "string"),
        ("gas", "gas"),
        ("", ""),
    ],
)
def test_stem(word: str, expected: str) -> None:
    assert wording.stem(word) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("It is $3.50. Ask Dr. Rivera.", ["It is $3.50.", "Ask Dr. Rivera."]),
        ("Use e.g. v2.3.1 now! Why? Ok", ["Use e.g. v2.3.1 now!", "Why?", "Ok"]),
        ("At 10 a.m. sharp. Be there", ["At 10 a.m. sharp.", "Be there"]),
        ("At 10 a.m. We start.", ["At 10 a.m.", "We start."]),
        ("The U.S. team met J. Smith.", ["The U.S. team met J. Smith."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("It is 309. The rest", ["It is 309.", "The rest"]),
        ("He said “Go.” Then left", ["He said “Go.”", "Then left"]),
        ("  \n ", []),
    ],
)
def test_sentences(given_text: str, expected: list[str]) -> None:
    assert wording.sentences(given_text) == expected


def test_first_words_and_tokens() -> None:
    assert wording.first_words("  one  two\nthree ", 2) == "one  two"
    assert wording.first_words(" one two ", 9) == "one two"
    assert wording.first_words("one", 0) == ""
    assert [wording.count_tokens(t) for t in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n",
        "...",
        "I don't know.",
        "I don’t know",
        "I do not have that information.",
        "I don't have any information about your dining budget.",
        "It is not in my memory",
        "not in my memory",
        "No information available.",
        "I'm sorry, I can't help with that",
        "Sorry, but I don't recall.",
        "Unknown",
        "n/a",
        "None",
        "I have no record of that. I'm sorry.",
        "Unfortunately, I am unable to determine that.",
        "There is no information about it in my notes.",
        "**I'm not sure.**",
        "My notes do not mention it.",
        "No relevant information found.",
        "There's nothing in my memory about that.",
        "As an AI, I don't have access to that.",
    ],
)
def test_refusals(reply: str) -> None:
    assert is_blank_or_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "$309",
        "Bella Notte",
        "I don't know, maybe Bella Notte",
        "I don't know for sure but Bella Notte",
        "I don't know. It could be 309.",
        "I'm not sure. Bella Notte.",
        "No, use Bella Notte",
        "Nero is available",
        "Yes",
    ],
)
def test_answers_are_no_refusals(reply: str) -> None:
    assert not is_blank_or_refusal(reply)
