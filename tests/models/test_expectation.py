"""The kind of value that a question asks for, by its words."""

from __future__ import annotations

import pytest

from agingbench.models.expectation import could_answer, expected_kinds


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
    assert kind in expected_kinds(question)


def test_a_sentence_without_such_a_value_cannot_answer() -> None:
    assert could_answer("It opens at 07:45.", ("clock",))
    assert not could_answer("It opens early.", ("clock",))
    assert could_answer("It opens early.", ())
    assert expected_kinds("Where is the key?") == ()
