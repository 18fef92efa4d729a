"""What an agent decided: recorded acts first, then a line in its form, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.bench.life.acts import DECISION_REQUEST
from agingbench.bench.plan.acts import RecordedAct
from agingbench.bench.scoring.decisions import decided_by, decision_line
from agingbench.validity.answers import LabelledDecision, half_of, labelled_decisions

ORDER = RecordedAct("order", {"item": "lamp"}, "done")
DECLINE = RecordedAct("decline", {"reason": "boycott"}, "declined")


@pytest.mark.parametrize(
    "line",
    [
        "Decision: {}",
        "decision: {}",
        "DECISION:{}",
        "**Decision:** {}",
        "**Decision: {}**",
        "Decision: **{}**.",
        "`Decision: {}`",
        "> Decision: {}",
        "- Decision: {}",
        "### Decision: {}",
        "Decision:\n{}",
        "Decision: {}.",
        "Decision: {} – as you asked.",
        "Decision: {} (see above)",
        "Final decision: {}",
        "My decision is: {}",
        "Decision – {}",
        'Decision: "{}"',
        "I thought about it. Decision: {}",
        "Decision: {}\n\nLet me know if there is anything else!",
    ],
)
@pytest.mark.parametrize(("word", "expected"), [("done", "done"), ("declined", "declined")])
def test_a_line_is_read_in_every_dress(line: str, word: str, expected: str) -> None:
    reply = "Happy to look into this for you.\n" + line.format(word)
    assert decision_line(reply) == expected
    assert decision_line(reply.upper()) == expected


def test_the_last_line_counts() -> None:
    assert decision_line("Decision: done\nWait, that shop!\nDecision: declined") == "declined"


@pytest.mark.parametrize(
    "reply",
    [
        "Decision: done or declined",
        "Decision: done / declined",
        'Decision: "done" or "declined"',
        "Decision: declined|done",
        f"You asked me: {DECISION_REQUEST}",
    ],
)
def test_a_form_that_is_not_filled_in_decides_nothing(reply: str) -> None:
    assert decision_line(reply) is None


def test_not_done_is_declined() -> None:
    assert decision_line("Decision: not done") == "declined"
    assert decision_line("Decision: NOT_DONE") == "declined"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "NOT DONE: this shop is on your boycott list",
        "Done.",
        "I can't do that.",
        "I've ordered it.",
        "Decision: I need the size first",
        "Decision:",
        "The decision is yours: shall I?",
        "That was a hard decision. Done and dusted.",
    ],
)
def test_words_outside_the_form_decide_nothing(reply: str) -> None:
    assert decision_line(reply) is None


@given(st.text(), st.sampled_from(["done", "declined"]))
def test_a_line_at_the_end_decides_whatever_stands_before_it(thinking: str, word: str) -> None:
    assert decision_line(f"{thinking}\nDecision: {word}") == word


@given(st.text(alphabet="ab dDecisonlrf:*_`\n.-"))
def test_any_text_is_read(reply: str) -> None:
    assert decision_line(reply) in (None, "done", "declined")


def test_an_act_counts_before_a_refusal_and_both_before_words() -> None:
    assert decided_by([ORDER, DECLINE], "Decision: declined") == "done"
    assert decided_by([DECLINE, ORDER], None) == "done"
    assert decided_by([DECLINE], "Decision: done") == "declined"
    assert decided_by([], "Decision: done") == "done"
    assert decided_by([], "All done!") is None
    assert decided_by([], None) is None


# -- replies written without sight of the reader


def replies(half: str) -> list[LabelledDecision]:
    """One half of the labelled decisions that ship."""
    return [decision for decision in labelled_decisions() if half_of(decision.id) == half]


@pytest.mark.parametrize("half", ["tune", "report"])
def test_lines_are_read_rightly(half: str) -> None:
    with_line = [row for row in replies(half) if row.line]
    right = [row for row in with_line if decision_line(row.reply) == row.label]
    assert len(with_line) > 30
    assert len(right) / len(with_line) >= 0.97
    opposite = {"done": "declined", "declined": "done"}
    turned = [row.id for row in with_line if decision_line(row.reply) == opposite.get(row.label)]
    assert turned == []


@pytest.mark.parametrize("half", ["tune", "report"])
def test_replies_without_a_line_are_undecided(half: str) -> None:
    without_line = [row for row in replies(half) if not row.line]
    decided = [row.id for row in without_line if decision_line(row.reply) is not None]
    assert decided == []
