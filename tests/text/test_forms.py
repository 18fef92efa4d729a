"""The line that asks for a form, and the line that answers in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.text.forms import (
    FORMS,
    AskedForm,
    asked_form,
    bare_question,
    closing_line,
    form_line,
    in_form,
    readable,
)

UNKNOWN_TOO = '(or "Answer: unknown" if you do not know).'


@pytest.mark.parametrize(
    ("form", "labels", "options", "body"),
    [
        ("value", (), (), "<value>"),
        ("amount", (), (), "<amount>"),
        ("list", (), (), "a; b; c"),
        ("pairs", ("A", "B", "C"), (), "A = <value>; B = <value>; C = <value>"),
        ("choice", ("A", "B"), ("A", "B"), "<A or B>; A = <value>; B = <value>"),
        (
            "choice",
            ("first", "now"),
            ("later", "earlier"),
            "<later or earlier>; first = <value>; now = <value>",
        ),
    ],
)
def test_the_line_that_asks(
    form: str, labels: tuple[str, ...], options: tuple[str, ...], body: str
) -> None:
    assert form in FORMS
    line = form_line(form, labels, options)
    assert line == f'Finish with one line "Answer: {body}" {UNKNOWN_TOO}'
    assert asked_form(f"What is it? {line}") == AskedForm("What is it?", form, labels, options)
    assert bare_question(f"What is it? {line}") == "What is it?"


def test_a_question_without_a_form() -> None:
    assert asked_form("What is it?") == AskedForm("What is it?")


SPELLINGS = [
    "Answer: 906",
    "answer: 906",
    "ANSWER:906",
    "**Answer:** 906",
    "**Answer: 906**",
    "*Answer*: `906`",
    "### Answer: 906",
    "> Answer: 906",
    "- Answer: 906",
    "Answer:\n906",
    "Answer:\n\n906",
    "Answer:\n```\n906\n```",
    "```\nAnswer: 906\n```",
    "Answer is: 906",
    "The final answer is: 906.",
    "My answer: 906!",
    "Answer: 906.\n\nLet me know if you need more.",
    "I looked it up. Answer: 906",
    "Answer: 12\nNo, wait.\nAnswer: 906",
    "<think>Answer: 12</think>\nAnswer: 906",
    '{"answer": "906"}',
    '```json\n{"answer": 906}\n```',
    "<answer>906</answer>",
    'Answer: "906"',
    "Answer: \\boxed{906}",
    f"What is it? {form_line('value')}\nAnswer: 906",
]


@pytest.mark.parametrize("reply", SPELLINGS)
def test_the_last_line_counts_however_it_is_written(reply: str) -> None:
    assert closing_line(reply) == "906"


@pytest.mark.parametrize(
    "reply",
    ["", "It is 906.", "The answer is 906.", "I was thinking that the ans", form_line("value")],
)
def test_a_reply_without_a_line(reply: str) -> None:
    assert closing_line(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: a; b; c",
        "Answer:\n- a\n- b\n- c",
        "Answer:\n1. a\n2. b\n3. c",
        "Answer: a; b\n- c",
        '{"answer": ["a", "b", "c"]}',
    ],
)
def test_a_list_below_the_line(reply: str) -> None:
    assert closing_line(reply) == "a; b; c"


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: A = 1; B = 2",
        "Answer: A = 1\nB = 2",
        "Answer:\nA = 1\nB = 2",
        '{"answer": {"A": 1, "B": "2"}}',
    ],
)
def test_labelled_parts_below_the_line(reply: str) -> None:
    assert closing_line(reply) == "A = 1; B = 2"


def test_lines_of_another_word() -> None:
    assert closing_line("All right.\n**Decision:** declined.", "decision") == "declined"
    assert closing_line("Decision: done", "decision") == "done"
    assert closing_line("Ordered.\nDecision → done", "decision") == "done"
    assert closing_line("Answer: done", "decision") is None


def test_marks_are_no_text() -> None:
    assert readable("1. **one**\n2. `two`") == "- one\n- two"
    assert readable("keep_this and ~~not this~~") == "keep_this and"
    assert readable("snake\\_case") == "snake_case"


WORD = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=12)
BEFORE = st.lists(WORD.filter(lambda word: "answer" not in word.lower()), max_size=12)


@given(BEFORE, WORD)
def test_thinking_before_the_line_does_not_matter(thinking: list[str], value: str) -> None:
    reply = f"{' '.join(thinking)}.\nAnswer: {value}"
    assert closing_line(reply) == value


@given(st.text(max_size=200))
def test_any_reply_can_be_read(reply: str) -> None:
    line = closing_line(reply)
    assert line is None or isinstance(line, str)


@pytest.mark.parametrize("form", ["value", "amount", "list"])
@given(parts=st.lists(WORD, min_size=1, max_size=4))
def test_what_is_written_in_form_is_read_again(form: str, parts: list[str]) -> None:
    assert closing_line(in_form(form, parts)) == "; ".join(parts)
