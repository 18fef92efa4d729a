"""Answers written by hand against the verdict each of them deserves; balances and decisions read
from plain replies.
"""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.balances import said_balance
from agingbench.bench.scoring.verdicts import VERDICTS, judge
from agingbench.text.values import Value
from agingbench.trials.run_folder import AnswerRow


def fact(number: int, phrase: str, *values: tuple[str, str]) -> Fact:
    told = [Version(s, Value(kind, v), f"{phrase} is {v}.") for s, (kind, v) in enumerate(values)]
    return Fact(
        f"f{number}", "note", "note", tuple(phrase.split()), phrase, f"What is {phrase}?", told
    )


GRAPH = FactGraph(
    [
        fact(0, "my dining budget", ("number", "$309"), ("number", "$250")),
        fact(1, "my travel budget", ("number", "$450")),
        fact(2, "my gym fee", ("number", "$72")),
        fact(3, "the shop I boycott", ("name", "Ambermart")),
        fact(4, "my favourite restaurant", ("name", "Villa Luna")),
        fact(5, "Yara's birthday", ("date", "March 14")),
    ],
    [],
)
BUDGET: dict[str, Any] = {
    "question": "What is my dining budget?",
    "required": [Value("number", "$250")],
    "stale": [Value("number", "$309")],
    "confusable": [Value("number", "$450")],
}


def probe(kind: str = "standalone", t: int = 4, **more: Any) -> Probe:
    return Probe("p4.0", t, kind, "revision", facts=["f0"], **{**BUDGET, **more})


def verdict(
    said: str, asked: Probe | None = None, status: str = "answered"
) -> tuple[str, float | None]:
    return judge(asked or probe(), AnswerRow(4, "p4.0", "as_lived", said, status), GRAPH)


FILLER = "and the weather was fine all day long "


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("$250", "correct"),
        ("Your dining budget is $250 a month.", "correct"),
        ("250 dollars", "correct"),
        ("It was $309, now it is $250.", "correct"),
        ("Formerly $309; it is $250.", "correct"),
        ("$250 instead of $309", "correct"),
        ("It changed from $309 to $250.", "correct"),
        ("$250, no longer $309.", "correct"),
        ("$309", "stale"),
        ("Your dining budget is $309.", "stale"),
        ("$450", "confused"),
        ("Your dining budget is $450.", "confused"),
        ("$309 or $450", "stale"),
        ("$309 or $250", "both"),
        ("$250. Your travel budget is $450.", "both"),
        ("My dining budget is $250. My travel budget is $450. My gym fee is $72.", "both"),
        ("$250 (and the gym costs $72)", "both"),
        ("It is now $309, it was $250.", "both"),
        ("$72", "wrong"),
        ("$251", "wrong"),
        ("$2500", "wrong"),
        ("$25", "wrong"),
        ("You never told me about a budget of that kind, I think it may be high.", "wrong"),
        ("", "unanswered"),
        ("I don't know.", "unanswered"),
        ("I'm sorry, I can't help with that.", "unanswered"),
        ("I do not remember your dining budget.", "unanswered"),
    ],
)
def test_verdicts(said: str, expected: str) -> None:
    assert expected in VERDICTS
    found, value = verdict(said)
    assert found == expected
    assert value == (1.0 if expected == "correct" else 0.0)


def test_words_after_the_sixtieth_do_not_count() -> None:
    assert verdict(FILLER * 6 + "$250") == ("correct", 1.0)
    assert len((FILLER * 8).split()) > 60
    assert verdict(FILLER * 8 + "$250")[0] == "wrong"
    assert verdict("$250 " + FILLER * 8 + "$309 $450") == ("correct", 1.0)


def test_a_broken_call_is_no_answer_of_any_worth() -> None:
    assert verdict("$250", status="failed") == ("failed", None)
    assert verdict("$250", status="unanswered") == ("unanswered", 0.0)


def test_another_live_value_counts_only_while_it_holds() -> None:
    # At point 1 the budget is still $309 and $250 is not told yet.
    early = probe(t=1, required=[Value("number", "$309")], stale=[], confusable=[])
    assert verdict("$309", early) == ("correct", 1.0)
    assert verdict("$309 and $450", early) == ("both", 0.0)
    assert verdict("$309, perhaps $250", early) == ("correct", 1.0)


def test_values_of_another_kind_may_stand_beside() -> None:
    assert verdict("$250, since March 14, at Villa Luna") == ("correct", 1.0)


def test_what_the_question_says_may_be_repeated() -> None:
    asked = probe(question="With a gym fee of $72, what is my dining budget?")
    assert verdict("Besides the $72 it is $250.", asked) == ("correct", 1.0)


def test_what_leads_to_the_answer_may_be_said() -> None:
    chain = probe(
        "multi_hop",
        required=[Value("number", "$250")],
        stale=[],
        confusable=[],
        derivation=[Value("number", "$72"), Value("name", "Yara Ullman")],
    )
    assert verdict("Yara Ullman pays $72, and her budget is $250.", chain) == ("correct", 1.0)
    assert verdict("Yara Ullman pays $72.", chain) == ("wrong", 0.0)
    assert verdict("Yara Ullman's is $250; $450 is another's.", chain) == ("both", 0.0)


@pytest.mark.parametrize(
    ("said", "expected", "value"),
    [
        ("$250, Ambermart and March 14", "correct", 1.0),
        ("$250 and Ambermart", "wrong", 2 / 3),
        ("Ambermart", "wrong", 1 / 3),
        ("$251", "wrong", 0.0),
        ("$250, Ambermart, March 14 and $309", "both", 0.0),
        ("$250, Ambermart, March 14 and Villa Luna", "both", 0.0),
        ("$309 and July 1", "stale", 0.0),
        ("none of these are known to me, nothing", "wrong", 0.0),
    ],
)
def test_several_values_score_their_share(said: str, expected: str, value: float) -> None:
    required = [Value("number", "$250"), Value("name", "Ambermart"), Value("date", "March 14")]
    found, share = verdict(said, probe("synthesize", required=required))
    assert found == expected
    assert share == pytest.approx(value)


@pytest.mark.parametrize(
    ("said", "expected", "value"),
    [
        ("The oak lantern and the brass compass.", "correct", 1.0),
        ("oak lantern, brass compass, tin whistle", "correct", 1.0),
        ("The oak lantern.", "wrong", 0.0),
        ("The oak lantern, the brass compass and the felt scarf.", "both", 0.0),
        ("The oak lantern and the brass compass; the felt scarf was removed.", "correct", 1.0),
        ("The felt scarf.", "stale", 0.0),
        ("Nothing.", "unanswered", 0.0),
    ],
)
def test_a_list_is_all_or_nothing(said: str, expected: str, value: float) -> None:
    things = [Value("name", "oak lantern"), Value("name", "brass compass")]
    asked = probe(
        "list",
        question="Which things are on the packing list now?",
        required=things,
        stale=[Value("name", "felt scarf")],
        confusable=[],
        whole=True,
    )
    assert verdict(said, asked) == (expected, value)


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("$1,950", 1950),
        ("1950", 1950),
        ("**$1,950.00**", 1950),
        ("one thousand nine hundred fifty dollars", 1950),
        ("The balance is $1,950.", 1950),
        ("It is $1,950 as of session 8.", 1950),
        ("In session 8 the balance is 1950 dollars.", 1950),
        ("The balance was $2,000; it is now $1,950.", 1950),
        ("About $1,950, down from $2,000.", 1950),
        ("$2,000 - $50 = $1,950", 1950),
        ("$2,000 + $30 - $80 → $1,950", 1950),
        ("You started with $2,000 and spent $50, so you have $1,950 left.", 1950),
        ("Opening: $2,000. Payments: $50. Balance: $1,950.", 1950),
        ("Your household account balance is $1,950 (opening $2,000 minus $50).", 1950),
        ("The remaining balance is $1,950 out of the original $2,000.", 1950),
        ("Total spent is $50, so the balance is $1,950.", 1950),
        ("Current balance: $1,950. (Started at $2,000, then $30 came in and $80 went out.)", 1950),
        ("After paying $50 for groceries, $1,950 remains.", 1950),
        ("$186 of $309 is left", 186),
        ("$1,950 left of $2,000", 1950),
        ("$1,950 remains after you paid $50 for groceries.", 1950),
        ("$1,950 is the current balance, after a $50 payment.", 1950),
        ("Starting balance $2,000, minus $50, leaves $1,950.", 1950),
        ("I now see that you paid $50; that leaves $1,950.", 1950),
        ("I don't know.", None),
        ("", None),
        ("It is lower than before.", None),
        ("Between $1,900 and $2,000.", None),
    ],
)
def test_the_balance_that_an_answer_gives(said: str, amount: float | None) -> None:
    assert said_balance(said) == amount
