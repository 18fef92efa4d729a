"""Values and questions of a turn, and the turns that answer a second time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.telemetry.sessions.asked_again import (
    _QUESTION,
    _VALUE,
    ToldValues,
    asks_the_user,
)

# The same, tried from every letter.
VALUE = re.compile(
    r"[\w@#%./:+-]*(?:\d|[a-z][A-Z]|\w[_/@#]\w)[\w@#%./:+-]*|[\"'`][^\"'`\n]{2,40}[\"'`]"
)
QUESTION = re.compile(r"[^.!?？\n]*[?？]")
TEXT = st.text("ab A1_/@#%.:+-'\"`?!？\n.é", max_size=60)


@given(TEXT)
def test_what_is_found_from_first_letters_is_found_from_all(text: str) -> None:
    assert _VALUE.findall(text) == VALUE.findall(text)
    assert _QUESTION.findall(text) == QUESTION.findall(text)


@pytest.mark.parametrize(
    ("answer", "again"),
    [("use port 8123", True), ("use port 9000", False), ("no idea", False)],
)
def test_a_value_that_was_told_before_answers_again(answer: str, again: bool) -> None:
    told = ToldValues()
    assert not told.add_turn("The service listens on port 8123 of host_a", "")
    assert told.add_turn(answer, "I am done. Which port should I use?") is again


@pytest.mark.parametrize(
    ("said", "question", "answer", "again"),
    [
        ("All times are UTC.", "Are these times local or UTC?", "utc", True),
        ("Leave the tests alone for now", "Should I adapt the tests too?", "leave them", True),
        ("Leave the tests alone for now", "Should I adapt the tests?", "leave tests alone", True),
        ("keep messages in English", "Which language should messages have?", "english", True),
        ("the report speaks English", "English or German?", "english", False),
        ("keep messages in English", "Which branch is this for?", "english", False),
        ("Nur die Desk-App, nicht der Kiosk.", "Gilt das auch im Kiosk?", "nur Desk-App", True),
        ("Round half up.", "Shall I go on?", "yes please", False),
        ("Round half up.", "Which file is it?", "like I said, the one of finance", True),
        ("Round half up.", "Which file is it?", "the one of finance", False),
    ],
)
def test_an_answer_in_the_words_of_an_earlier_statement_answers_again(
    said: str, question: str, answer: str, again: bool
) -> None:
    told = ToldValues()
    assert not told.add_turn(said, "")
    assert told.add_turn(answer, f"I looked at it. {question}") is again


def test_what_a_tool_asked_the_user_may_have_been_said_before() -> None:
    told = ToldValues()
    told.add_turn("The output is CSV with semicolons.", "")
    result = 'User has answered your questions: "{}"="{}". You can now continue.'
    assert told.add_put_questions(result.format("Which format has the output?", "CSV"))
    assert not told.add_put_questions(result.format("Which port is free?", "the next one"))
    assert not told.add_put_questions("nothing was answered")


@pytest.mark.parametrize("tool", ["AskUserQuestion", "request_user_input", "mcp__x__ask_user"])
def test_a_tool_that_asks_is_known_by_its_name(tool: str) -> None:
    assert asks_the_user(tool)
    assert not asks_the_user("Task")
