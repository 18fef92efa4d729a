"""The embedded reader: every rule that its file states, on an example; determined, and never at a
loss for words.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.memory.prompts import COMPACTION
from agingbench.models import extractive
from agingbench.models.extractive import DONE, REFUSED, UNKNOWN, Extractive, respond
from agingbench.records import Message
from agingbench.text.forms import form_line

# Pieces that steer the rules, mixed with anything that can stand in a text.
CUES = st.sampled_from(
    [
        "balance of my x account",
        "What is on the list?",
        "Book",
        "Buy",
        ";",
        ":",
        "$",
        "card",
        "over",
        "9" * 400,
        "1e999",
        "-0",
        "12:99",
        "subscription",
        "at most",
        "range",
        "gift",
        "before 25:61",
        "no other",
        "with",
        "ride",
        "never",
        "<text>",
        "</text>",
        "<memory>",
        "</memory>",
        "\x00",
        "\u2028",
        "½",
        "٣",
        "۞",
        "🏁",
        "$1–$2",
        "limit",
        "dining",
        "tell me",
        "account",
        "starts with",
        "at most 0 words",
        "at most 99999999999999999999 words",
        "meet",
    ]
)
ANYTHING = st.lists(CUES | st.text(max_size=12), max_size=14).map(" ".join)


# -- questions


def test_the_sentence_that_shares_most_with_the_question() -> None:
    text = "The fee at the gym is $40. The fee at the pool is $25. The pool opens at 08:00."
    assert respond("What is the fee at the pool?", text) == "The fee at the pool is $25."
    assert respond("At what time does the pool open?", text) == "The pool opens at 08:00."


def test_the_later_of_near_equals() -> None:
    text = "The fee at the pool is $25. The weather was fine. The fee at the pool is $31."
    assert respond("What is the fee at the pool?", text) == "The fee at the pool is $31."


def test_what_fits_too_little_is_not_known() -> None:
    assert respond("What is the fee at the pool?", "The cat sleeps on the mat.") == UNKNOWN
    assert respond("What is the fee at the pool?", "") == UNKNOWN


def test_a_question_with_a_list_is_answered_part_by_part() -> None:
    text = "The fee at the pool is $25. The fee at the gym is $40."
    said = respond("Give the exact values: the fee at the gym; the fee at the pool.", text)
    assert said == "The fee at the gym is $40. The fee at the pool is $25."
    said = respond("Give the exact values: the fee at the gym; the age of Noor.", text)
    assert said == f"The fee at the gym is $40. {UNKNOWN}"


def test_a_list_question_collects_what_fits_and_drops_what_was_taken_off() -> None:
    text = (
        "Put the lamp on the packing list for Oslo. Put the tent on the packing list for Oslo. It"
        " rained. Take the lamp off the packing list for Oslo again."
    )
    assert (
        respond("Which things are on the packing list for Oslo now?", text)
        == "Put the tent on the packing list for Oslo."
    )


def test_a_balance_adds_up_the_signed_amounts_that_name_the_account() -> None:
    question = "What is the balance of my household account now? Give the exact amount."
    moves = (
        "I paid $40 for flowers out of my household account. A refund of $15 came into my household"
        " account."
    )
    opening = "My household account starts out with a balance of $1,000."
    other = "I paid $500 out of my holiday account."
    assert "$975." in respond(question, f"{opening} {other} {moves}")
    # Without an opening balance in sight there is nothing to add to.
    assert respond(question, moves) == UNKNOWN


# -- requests


@pytest.mark.parametrize(
    ("rule", "request_", "said"),
    [
        (
            "I boycott the shop Fernmart and never buy there.",
            "Order a lamp from Fernmart.",
            REFUSED,
        ),
        ("I boycott the shop Fernmart and never buy there.", "Order a lamp from Oakstore.", DONE),
        ("I am severely allergic to walnuts.", "Order me a lunch dish made with walnuts.", REFUSED),
        (
            "My monthly dining budget is exactly $300.",
            "Book the dining club evening for $340.",
            REFUSED,
        ),
        (
            "My monthly dining budget is exactly $300.",
            "Book the dining club evening for $240.",
            DONE,
        ),
        (
            "No meetings before 10:30 on Mondays, please.",
            "Schedule a meeting on Monday at 09:00.",
            REFUSED,
        ),
        (
            "No meetings before 10:30 on Mondays, please.",
            "Schedule a meeting on Monday at 11:00.",
            DONE,
        ),
        (
            "Purchases over $100 go on the card ending 1234.",
            "Buy it for $150 and charge the card ending 9876.",
            REFUSED,
        ),
        (
            "Purchases over $100 go on the card ending 1234.",
            "Buy it for $150 and charge the card ending 1234.",
            DONE,
        ),
        (
            "My price range for gifts to Noor is $20–$40.",
            "Buy a gift for Noor that costs $90.",
            REFUSED,
        ),
        (
            "My price range for gifts to Noor is $20–$40.",
            "Buy a gift for Noor that costs $30.",
            DONE,
        ),
    ],
)
def test_a_request_is_refused_when_a_rule_in_sight_forbids_it(
    rule: str, request_: str, said: str
) -> None:
    assert respond(request_, rule) == said
    assert respond(request_, "") == DONE


def test_a_request_to_tell_is_told() -> None:
    assert (
        respond("Draft the fee at the gym.", "The fee at the gym is $40.")
        == f"The fee at the gym is $40. {DONE}"
    )
    assert respond("Draft the fee at the gym.", "The cat sleeps.") == f"{UNKNOWN} {DONE}"


# -- as a model


def test_it_reads_the_memory_the_conversation_and_the_request() -> None:
    system = Message("system", "You help.\n<memory>\nThe fee at the gym is $40.\n</memory>")
    told = Message("user", "The fee at the pool is $25.")

    def said(*messages: Message) -> str:
        return Extractive().complete(messages).text

    assert (
        said(system, Message("user", "What is the fee at the gym?")) == "The fee at the gym is $40."
    )
    assert (
        said(
            system,
            told,
            Message("assistant", "The fee at the pool is $99."),
            Message("user", "What is the fee at the pool?"),
        )
        == "The fee at the pool is $25."
    )
    assert (
        said(Message("user", "The fee at the spa is $7.\n\nWhat is the fee at the spa?"))
        == "The fee at the spa is $7."
    )


def test_a_reply_says_what_it_took_and_that_it_cost_nothing() -> None:
    usage = Extractive().complete([Message("user", "What is the fee?")]).usage
    assert (usage.calls, usage.cost_usd) == (1, 0.0)
    assert usage.input_tokens
    assert usage.output_tokens


@settings(deadline=None)
@given(ANYTHING, ANYTHING, ANYTHING)
def test_it_has_an_answer_to_anything(memory: str, told: str, ask: str) -> None:
    system = Message("system", f"<memory>\n{memory}\n</memory>")
    messages = [system, Message("user", told), Message("assistant", told), Message("user", ask)]
    reply = Extractive().complete(messages)
    assert reply == Extractive().complete(messages)
    prompt = COMPACTION["careful"].format(words=20, text=f"{memory} {told}")
    assert len(Extractive().complete([Message("user", prompt)]).text.split()) <= 20


@settings(deadline=None)
@given(ANYTHING, ANYTHING)
def test_every_rule_takes_any_text(ask: str, context: str) -> None:
    for question in (
        ask,
        f"What is the balance of my {ask} account?",
        f"Which things are on {ask}?",
        f"Say: {ask}; x",
    ):
        assert extractive.answer(question, context)
    assert extractive.decide(f"Buy {ask}", context)


LIVES = """
import hashlib
from agingbench.bench.life.planning import plan_for
from agingbench.memory.prompts import COMPACTION
from agingbench.models.compaction import condense
from agingbench.models.extractive import answer
said = []
for seed in range(2):
    plan, memory = plan_for("s2", "light", sessions=4, seed=seed), ""
    for session in plan.sessions:
        memory = condense(memory + session.text, COMPACTION["careful"].format(words=300, text=""))
        said += [memory, *(answer(probe.question, memory) for probe in plan.probes_at(session.index + 1))]
print(hashlib.sha256("\\n".join(said).encode()).hexdigest())
"""


def test_it_says_the_same_in_every_process() -> None:
    # Python orders the words of a set differently in each process; no sum and no choice may depend
    # on that.
    said = [
        subprocess.run(
            [sys.executable, "-c", LIVES],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(set(said)) == 1


def test_counts_are_added_up_like_amounts() -> None:
    context = (
        "The tool cupboard starts out with 120 drills. Ana took 21 drills from the tool cupboard."
        " Ben brought 4 drills back to the tool cupboard. There are 9 drills in the van."
    )
    question = "How many drills are in the tool cupboard now?"
    assert respond(question, context) == "103 drills."
    assert "9 drills" in respond("How many drills are in the van now?", context)


def test_a_count_that_nothing_tells_is_not_known() -> None:
    context = "The tool cupboard was 40.5% full in May. Ana took 21 drills from the tool cupboard."
    assert respond("How many drills are in the tool cupboard now?", context) == UNKNOWN


def test_a_question_about_what_another_sentence_names_is_asked_of_that() -> None:
    context = (
        "The owner of the red barn is Ana Cruz. Ana Cruz's deputy is Ben Holt. The desk number of"
        " Ana Cruz is 12. The desk number of Ben Holt is 47. The desk number of Cy Moss is 9."
    )
    assert "12" in respond("What is the desk number of the owner of the red barn?", context)
    ask = "What is the desk number of the deputy of the owner of the red barn?"
    assert "47" in respond(ask, context)
    # Nobody says who owns the blue barn.
    ask = "What is the desk number of the owner of the blue barn?"
    assert "47" not in respond(ask, context)


def test_a_list_is_answered_with_what_is_on_it() -> None:
    context = (
        "Put the blue cup on the packing list for Oslo. Minutes, item 4: the tent is on the packing"
        " list for Oslo. Ida said that Fox & Son is on the packing list for Oslo."
    )
    ask = f"What do I take along to Oslo?\n{form_line('list')}"
    assert respond(ask, context).endswith("Answer: blue cup; tent; Fox & Son")
