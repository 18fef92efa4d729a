"""Answers in form and out of it, against the verdict that each deserves."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.plan import Probe
from agingbench.bench.scoring.verdicts import balance_given, is_unformatted, judge, right_parts
from agingbench.text.values import Value
from agingbench.trials.run_folder import AnswerRow

OTHER = Fact(
    "f9",
    "note",
    "note",
    ("spare",),
    "the spare size",
    "What is the spare size?",
    [Version(0, Value("number", "777"), "The spare size is 777.")],
)
GRAPH = FactGraph([OTHER])


def probe(form: str, required: list[Value], **more: Any) -> Probe:
    question = more.pop("question", "What is the batch size of x.py?")
    kind = more.pop("type", "standalone")
    return Probe("p", 3, kind, "revision", question, ["f0"], required, form=form, **more)


def row(text: str, status: str = "answered") -> AnswerRow:
    return AnswerRow(3, "p", "as_lived", text, status)


def verdict(asked: Probe, text: str) -> tuple[str, float | None]:
    return judge(asked, row(text), GRAPH)


SIZE = probe(
    "value",
    [Value("number", "906")],
    stale=[Value("number", "333")],
    confusable=[Value("number", "555")],
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: 906", "correct"),
        ("It might be 333 or 555, let me think.\nAnswer: 906", "correct"),
        ("Answer: 906 (formerly 333)", "correct"),
        ("Answer: nine hundred and six", "correct"),
        ("Answer: 333", "stale"),
        ("Answer: 555", "confused"),
        ("Answer: 12", "wrong"),
        ("Answer: 906 or 333", "both"),
        ("Answer: either 906 or 12", "both"),
        ("Answer: 906, maybe 12", "both"),
        ("Answer: 906 and 777", "both"),
        ("Answer: not 906", "wrong"),
        ("Answer: anything but 906", "wrong"),
        ("Answer: unknown", "unanswered"),
        ("It is 906.\nAnswer: n/a", "unanswered"),
        ("Answer: none on record", "unanswered"),
        ("Answer: <value>", "unanswered"),
        ("It is 906.", "correct"),
        ("It is 906 and the spare size is 777.", "both"),
        ("I do not have that.", "unanswered"),
        ("", "unanswered"),
    ],
)
def test_values(text: str, expected: str) -> None:
    assert verdict(SIZE, text) == (expected, 1.0 if expected == "correct" else 0.0)


def test_the_whole_reply_counts_without_a_line() -> None:
    assert verdict(SIZE, "well " * 100 + "it is 906.") == ("correct", 1.0)


NOT_STATED = [
    "It is not {}.",
    "It isn't {}.",
    "{} is wrong.",
    "{}? No.",
    "It can't be {}.",
    "{} is out of the question.",
    "I doubt it's {}.",
    "I don't think it is {}.",
    "I don't believe it's {}.",
    "Anything but {}.",
    "Everything except {}.",
    "Forget {}.",
    "Neither {} nor anything close to it.",
    "Some say {}, but that's wrong.",
    "I can rule {} out.",
    "{} it is not.",
    "It is no longer {}.",
    "Answer: {}? No, that is wrong.",
    "Answer: ~~{}~~",
]
STATED = [
    "I'm not sure, but I believe it is {}.",
    "I don't know why you ask, but it is {}.",
    "It has not changed: {}.",
    "{}, if I'm not mistaken.",
    "It's {}, I don't think it changed.",
    "{} is not a typo.",
    "No problem: {}.",
    "Unless I am mistaken it is {}.",
    "{}, or thereabouts.",
    "Perhaps {}.",
    "Answer: {} (not certain)",
    "I could be wrong, but {}.",
]
# The other value is one that held before.
ONE_OF_TWO = [
    "Either {new} or {old}.",
    "{old} or {new}, I'm not sure.",
    "{new}, maybe {old}.",
    "{new} — or possibly {old}.",
    "I'm torn between {new} and {old}.",
    "Both {new} and {old} are in my notes.",
    "It's {new} unless it is {old}.",
    "Answer: {old}/{new}",
]
SUPERSEDED = [
    "{old} → {new}",
    "First {old}, then {new}.",
    "{new} took over from {old}.",
    "It moved from {oldest} to {old} and then to {new}.",
    "{old} is off the list, {new} is on.",
    "It was {old} until last week; now it's {new}.",
    "Scratch {old}, it's {new}.",
    "Swapped {old} for {new}.",
    "{old} gave way to {new}.",
    "Dropped {old} in favour of {new}.",
    "You corrected {old} to {new}.",
    "It started as {old} and ended up as {new}.",
    "{new} has replaced {old}.",
    "Make that {new} (you first said {old}).",
]
KINDS = [
    ("number", "906", "333", "412"),
    ("percent", "15.4%", "19.8%", "20.1%"),
    ("date", "June 15, 2032", "July 2, 2031", "May 4, 2030"),
    ("name", "Ramona Falkenrath", "Felix Rutherford", "Nadia Alvarado"),
    ("name", "jobs/fresh_contract.py", "jobs/dense_freight.py", "jobs/old_route.py"),
]


def of_kind(kind: str, new: str, *old: str) -> Probe:
    return probe("value", [Value(kind, new)], stale=[Value(kind, value) for value in old])


@pytest.mark.parametrize(("kind", "new", "old", "oldest"), KINDS)
def test_a_value_that_is_denied_is_not_stated(kind: str, new: str, old: str, oldest: str) -> None:
    asked = of_kind(kind, new)
    for text in NOT_STATED:
        assert verdict(asked, text.format(new))[0] != "correct", text
    for text in STATED:
        assert verdict(asked, text.format(new)) == ("correct", 1.0), text


@pytest.mark.parametrize(("kind", "new", "old", "oldest"), KINDS)
def test_one_of_two_is_no_answer(kind: str, new: str, old: str, oldest: str) -> None:
    for text in ONE_OF_TWO:
        said = text.format(new=new, old=old)
        assert verdict(of_kind(kind, new), said)[0] != "correct", said
        assert verdict(of_kind(kind, new, old), said)[0] != "correct", said


@pytest.mark.parametrize(("kind", "new", "old", "oldest"), KINDS)
def test_supersession_in_many_words(kind: str, new: str, old: str, oldest: str) -> None:
    for text in SUPERSEDED:
        said = text.format(new=new, old=old, oldest=oldest)
        assert verdict(of_kind(kind, new, old, oldest), said) == ("correct", 1.0), said
        assert verdict(of_kind(kind, old), said)[0] != "correct", said


PAIRS = probe(
    "pairs",
    [Value("number", "906"), Value("name", "Ada Moss"), Value("number", "12")],
    type="synthesize",
    question=(
        "State each of these: (A) the batch size of x.py; (B) the owner of Project Kite;"
        " (C) the port of the mail server."
    ),
    labels=["A", "B", "C"],
)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Answer: A = 906; B = Ada Moss; C = 12", 1.0),
        ("Answer: B = Ada Moss; C = 12; A = 906", 1.0),
        ("Answer: 906; Ada Moss; 12", 1.0),
        ("Answer: A = 12; B = Ada Moss; C = 906", 1 / 3),
        ("Answer: 12; Ada Moss; 906", 1 / 3),
        ("Answer: A = 906; B = unknown; C = 12", 2 / 3),
        ("Answer: A = 906 or 907; B = Ada Moss; C = 12", 2 / 3),
        ("Answer: A = 906", 1 / 3),
        ("| A | 906 |\n| B | Ada Moss |\n| C | 12 |", 1.0),
        ("The batch size of x.py is 906, Kite is owned by Ada Moss, the port is 12.", 1.0),
        ("The batch size of x.py is 12, Kite is owned by Ada Moss, the port is 906.", 1 / 3),
    ],
)
def test_each_subject_keeps_its_own_value(text: str, share: float) -> None:
    said, value = verdict(PAIRS, text)
    assert value == pytest.approx(share)
    assert (said == "correct") == (share == 1.0)
    assert sum(right_parts(PAIRS, row(text), GRAPH)) == round(share * 3)


COMPARE = probe(
    "choice",
    [Value("number", "906"), Value("number", "12")],
    type="compare",
    question="Which is higher: (A) the batch size of x.py or (B) the port of the mail server?",
    labels=["A", "B"],
    options=["A", "B"],
    choice="A",
    whole=True,
)
TREND = probe(
    "choice",
    [Value("number", "333"), Value("number", "906")],
    type="trend",
    question=(
        "The batch size of x.py has changed since I first mentioned it. Did it go up or down, from"
        " what to what?"
    ),
    labels=["first", "now"],
    options=["up", "down"],
    choice="up",
    whole=True,
)


@pytest.mark.parametrize(
    ("asked", "text", "expected"),
    [
        (COMPARE, "Answer: A; A = 906; B = 12", "correct"),
        (COMPARE, "Answer: A (the batch size); A = 906; B = 12", "correct"),
        (COMPARE, "Answer: B; A = 906; B = 12", "wrong"),
        (COMPARE, "Answer: A", "wrong"),
        (COMPARE, "Answer: A; A = 12; B = 906", "wrong"),
        (COMPARE, "Answer: A or B; A = 906; B = 12", "wrong"),
        (
            COMPARE,
            "The batch size of x.py is higher: 906, the mail server's port is 12.",
            "correct",
        ),
        (TREND, "Answer: up; first = 333; now = 906", "correct"),
        (TREND, "Answer: down; first = 333; now = 906", "wrong"),
        (TREND, "Answer: down; first = 906; now = 333", "wrong"),
        (TREND, "Answer: up; first = 333; now = 333", "stale"),
        (TREND, "It rose from 333 to 906.", "correct"),
        (TREND, "It used to be 333 and went up; it is 906 now.", "correct"),
        (TREND, "Answer: unknown", "unanswered"),
    ],
)
def test_a_choice_counts_only_with_its_values(asked: Probe, text: str, expected: str) -> None:
    assert verdict(asked, text) == (expected, 1.0 if expected == "correct" else 0.0)


LIST = probe(
    "list",
    [Value("name", "fluxkit"), Value("name", "wisp-next")],
    type="list",
    question="Which libraries are on the list now?",
    stale=[Value("name", "oldlib")],
    whole=True,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: fluxkit; wisp-next", "correct"),
        ("Answer: fluxkit and wisp-next", "correct"),
        ("Answer:\n1. wisp-next\n2. fluxkit", "correct"),
        ("Answer: fluxkit; wisp-next (oldlib was removed)", "correct"),
        ("Answer: fluxkit", "wrong"),
        ("Answer: fluxkit; wisp-next; oldlib", "both"),
        ("Answer: fluxkit; wisp-next; newlib", "both"),
        ("Answer: oldlib", "stale"),
        ("Answer: unknown", "unanswered"),
    ],
)
def test_lists(text: str, expected: str) -> None:
    assert verdict(LIST, text) == (expected, 1.0 if expected == "correct" else 0.0)


ACCOUNT = probe(
    "amount",
    [Value("number", "$2,258")],
    type="account",
    question="What is the balance of my holiday account now?",
    stale=[Value("number", "$2,203")],
    confusable=[Value("number", "$999")],
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: $2,258", "correct"),
        ("Answer: 2258 dollars", "correct"),
        ("$2,258: $2,203 plus the $55 refund", "correct"),
        ("$2,203 + $55 = $2,258", "correct"),
        ("Answer: $2,258 ($2,203 plus $55)", "correct"),
        ("Answer: $2,258 or $2,203", "both"),
        ("Answer: $2,203", "stale"),
        ("Answer: $999", "confused"),
        ("Answer: $1", "wrong"),
        ("Answer: unknown", "unanswered"),
    ],
)
def test_amounts(text: str, expected: str) -> None:
    assert verdict(ACCOUNT, text)[0] == expected


def test_the_amount_that_is_given() -> None:
    assert balance_given(ACCOUNT, row("It was $2,203.\nAnswer: $2,258")) == 2258
    assert balance_given(ACCOUNT, row("Answer: unknown")) is None
    assert balance_given(ACCOUNT, row("", "unanswered")) is None


def test_who_ignores_the_form_is_seen() -> None:
    assert is_unformatted(SIZE, row("It is 906.")) is True
    assert is_unformatted(SIZE, row("Answer: 906")) is False
    assert is_unformatted(SIZE, row("", "failed")) is None
    assert is_unformatted(probe("", [Value("number", "906")]), row("It is 906.")) is None


GONE = probe("value", [], type="retracted", stale=[Value("number", "333"), Value("number", "334")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: unknown", "correct"),
        ("Answer: withdrawn", "correct"),
        ("Answer: it no longer applies", "correct"),
        ("It was 334 until you took it back.\nAnswer: none", "correct"),
        ("Answer: cancelled (formerly 334)", "correct"),
        ("I have no record of that.", "correct"),
        ("Answer: 334", "stale"),
        ("Answer: 333", "stale"),
        ("It is 334.", "stale"),
        ("Answer: 777", "wrong"),
        ("Answer: large", "wrong"),
    ],
)
def test_what_was_taken_back_has_no_value(text: str, expected: str) -> None:
    value = 1.0 if expected == "correct" else 0.0
    assert verdict(GONE, text) == (expected, value)
    assert right_parts(GONE, row(text), GRAPH) == []


def test_silence_about_what_was_taken_back_is_no_answer() -> None:
    assert judge(GONE, row("", "unanswered"), GRAPH) == ("unanswered", 0.0)
