"""Which value an answer gives to which subject."""

from __future__ import annotations

import pytest

from agingbench.text.binding import direction_in, letter_in, parts_of, subjects_in

QUESTION = "State each of these: (A) the port of the mail server; (B) the owner of Project Kite."
SUBJECTS = {"A": "the port of the mail server", "B": "the owner of Project Kite"}


def test_the_subjects_of_a_question() -> None:
    assert subjects_in(QUESTION, ("A", "B")) == SUBJECTS
    comparison = "Which is later: (A) the launch of Kite or (B) the launch of Dove?"
    assert subjects_in(comparison, ("A", "B")) == {
        "A": "the launch of Kite",
        "B": "the launch of Dove",
    }


@pytest.mark.parametrize(
    "text",
    [
        "A = 25; B = Ada",
        "A: 25, B: Ada",
        "(A) 25; (B) Ada",
        "(A) = 25\n(B) = Ada",
        "B = Ada; A = 25",
        "| A | 25 |\n| B | Ada |",
        "A 25 / B Ada",
        "25; Ada",
        "25\nAda",
        "25 | Ada",
        "A) 25 B) Ada",
    ],
)
def test_parts_by_label_or_order(text: str) -> None:
    assert parts_of(text, ("A", "B"), SUBJECTS).slots == {"A": "25", "B": "Ada"}


@pytest.mark.parametrize(
    "text",
    [
        "The port of the mail server is 25. The owner of Project Kite is Ada.",
        "The mail server listens on 25, and Kite is owned by Ada.",
        "Project Kite belongs to Ada; the mail server has 25.",
    ],
)
def test_parts_by_the_words_of_the_subjects(text: str) -> None:
    values = [(text.index("25"), text.index("25") + 2), (text.index("Ada"), text.index("Ada") + 3)]
    slots = parts_of(text, ("A", "B"), SUBJECTS, values=values).slots
    assert "25" in slots["A"]
    assert "Ada" not in slots["A"]
    assert "Ada" in slots["B"]
    assert "25" not in slots["B"]


@pytest.mark.parametrize("text", ["25 here, Ada there", "25 and Ada", "25, Ada"])
def test_values_that_are_not_said_whose_they_are_belong_to_nobody(text: str) -> None:
    assert parts_of(text, ("A", "B"), SUBJECTS).slots == {}


@pytest.mark.parametrize("text", ["25", "25; Ada; more", "something else"])
def test_no_order_without_as_many_parts(text: str) -> None:
    assert parts_of(text, ("A", "B"), {}).slots == {}


def test_first_and_now() -> None:
    for text in (
        "first = 5; now = 7",
        "First: 5\nNow: 7",
        "from 5 to 7",
        "5 → 7",
        "then: 5; now: 7",
        "it was 5, now 7",
    ):
        assert parts_of(text, ("first", "now"), {}).slots == {"first": "5", "now": "7"}, text


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("up", "up"),
        ("It rose.", "up"),
        ("It went down", "down"),
        ("not up, down", "down"),
        ("up or down", None),
        ("no idea", None),
    ],
)
def test_directions(text: str, option: str | None) -> None:
    assert direction_in(text, ("up", "down")) == option


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("A", "A"),
        ("(B)", "B"),
        ("Option B", "B"),
        ("A is later than B", "A"),
        ("A comes before B", "B"),
        ("The later one is B, not A", "B"),
        ("A or B", None),
        ("the owner of Project Kite", "B"),
        ("", None),
    ],
)
def test_letters(text: str, option: str | None) -> None:
    assert letter_in(text, ("A", "B"), SUBJECTS) == option
