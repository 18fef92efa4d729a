"""The page of every kind of life that was ever written: all scenarios, events, controllers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.diagnosis.autopsy.autopsy import examine
from agingbench.bench.diagnosis.autopsy.stories import CAUSES, STAGES
from agingbench.cards.model import Card
from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.pages import life_titles
from agingbench.report.pages.charts import account_chart
from agingbench.report.pages.life import life_page
from agingbench.report.pages.life_facts import CAUSE_WORDS, STAGE_ORDER, biographies, cause_rows
from agingbench.trials.autopsy import AccountStory, AutopsyDocument
from agingbench.trials.run_folder import PlannedAccount, PlannedMovement
from tests.places import ROOT
from tests.report.lives import life

LIVES = ROOT / "tests" / "golden" / "lives"
CARDS = {card.relative_to(LIVES).parts[0]: card for card in sorted(LIVES.rglob("aging_card.json"))}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_a_life_of_an_older_version_has_its_walk(card: Path) -> None:
    folder = card.parent
    document = json.loads(card.read_text())
    plan = json.loads((folder / "plan.json").read_text())
    page = life_page(document, folder)
    assert [session.t for session in page.walk] == list(range(plan["n_sessions"] + 1))
    for session in page.walk:
        asked = [probe["id"] for probe in plan["probes"] if probe["t"] == session.t]
        assert [question.number for question in session.questions] == asked
    for planned, session in zip(plan["sessions"], page.walk, strict=False):
        assert "".join(piece.text for piece in session.told) == planned["material"]
        assert [task.text for task in session.tasks] == [task["text"] for task in planned["tasks"]]
    marks = [piece for session in page.walk for piece in session.told if piece.mark]
    assert marks


@pytest.mark.parametrize(
    ("intervals", "title"),
    [
        ([[0, 0.8, 1.0, 9], [1, 0.2, 0.5, 9]], "The largest loss, 60"),
        ([[0, 0.5, 1.0, 9], [1, 0.2, 0.6, 9]], "No single session stands out"),
        ([], "No single session stands out"),
    ],
)
def test_the_curve_is_headed_by_a_loss_only_where_intervals_lie_apart(
    intervals: list[list[float]], title: str
) -> None:
    card = CARDS["s1"]
    document = json.loads(card.read_text())
    document["checkpoints"] = [[0, 0.9], [1, 0.3]]
    document["checkpoint_intervals"] = intervals
    chart = life_page(document, card.parent).charts["curve"]
    assert chart.title.startswith(title)


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("s1", "of the facts with their value in the memory"),
        ("s2", "of the questions for one fact answered right"),
        ("s3", "of the facts stated in the memory"),
        ("s4", "of the questions for several facts answered right"),
    ],
)
def test_the_answer_says_what_its_share_is_of(scenario: str, words: str) -> None:
    card = CARDS[scenario]
    document = json.loads(card.read_text())
    document["headline"] |= {"m0": 0.9, "m_final": 0.8, "half_life": None}
    page = life_page(document, card.parent)
    assert words in page.answer
    right = sum(session.right for session in page.walk)
    questions = [question for session in page.walk for question in session.questions]
    asked = sum(question.verdict not in ("broken", "unknown") for question in questions)
    [sentence] = [one for one in page.follow_up if one.startswith("Of all questions")]
    assert f" {right} of {asked} " in sentence


def test_the_curve_and_the_answer_agree_where_half_went_with_the_first_write() -> None:
    document = life(checkpoint_intervals=[])
    document["headline"] |= {"half_life": 0.7, "aging_detected": False}
    card = Card.read(document)
    assert life_titles.answer(card).startswith("Half was lost with the first write")
    assert life_titles.curve_title(card).startswith("Half was lost with the first write")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("-106", "a fitted line that falls to nothing from t = 1 to 6"),
        ("-94", "fitted change -94 % from t = 1 to 6"),
    ],
)
def test_no_line_is_said_to_fall_by_more_than_all(change: str, words: str) -> None:
    document = life()
    reason = f"aging: slope -0.1 per session, fitted change {change} % from t = 1 to 6"
    document["headline"] |= {"aging_reason": reason}
    assert words in life_titles.verdict(Card.read(document))


def test_every_cause_has_its_meaning_and_its_stage_a_place() -> None:
    assert CAUSE_WORDS.keys() == CAUSES.keys()
    assert STAGE_ORDER == STAGES


def test_the_first_figure_that_is_lowest_is_named_with_its_mechanism() -> None:
    card = life()
    card["mechanism_metrics"]["revision"] |= {"forget_accuracy": 0.0, "forget_accuracy_n": 8}
    title = life_titles.mechanism_title(Card.read(card))
    assert title.startswith("Of the first figure of each mechanism, version accuracy (revision)")


@pytest.fixture(scope="module")
def autopsy() -> AutopsyDocument:
    return examine(CARDS["s3"].parent).document()


def test_a_wrong_answer_stands_once_in_a_biography_and_under_its_stage(
    autopsy: AutopsyDocument,
) -> None:
    story = next(story for story in autopsy.probes if story.facts)
    twice = msgspec.structs.replace(story, facts=[*story.facts, *story.facts])
    doubled = msgspec.structs.replace(autopsy, probes=[twice])
    for one in biographies(doubled):
        asked = [step.link for step in one.steps if step.link.startswith("q-")]
        assert (len(asked), one.failures) == (1, 1)

    rows = cause_rows(autopsy)
    assert sum(row.n for row in rows) == autopsy.summary.failed_probes
    for row in rows:
        assert row.stage == CAUSES[row.cause.replace(" ", "_")]


def test_where_nothing_was_lost_no_write_lost_the_most(autopsy: AutopsyDocument) -> None:
    steps = [msgspec.structs.replace(row, not_written=0, lost=0) for row in autopsy.summary.losses]
    summary = msgspec.structs.replace(autopsy.summary, losses=steps)
    title = life_titles.autopsy_title(msgspec.structs.replace(autopsy, summary=summary))
    assert title.startswith("No fact was lost from the memory")


def test_steps_that_lost_equally_much_are_all_named(autopsy: AutopsyDocument) -> None:
    first = autopsy.summary.losses[0]
    steps = [
        msgspec.structs.replace(first, step="write", session=3, not_written=10, lost=1),
        msgspec.structs.replace(first, step="write", session=4, not_written=0, lost=2),
        msgspec.structs.replace(first, step="write", session=5, not_written=11, lost=0),
    ]
    summary = msgspec.structs.replace(autopsy.summary, losses=steps)
    title = life_titles.autopsy_title(msgspec.structs.replace(autopsy, summary=summary))
    assert title == (
        "The most facts were not written or lost at the write of session 3"
        " and the write of session 5: 11 facts each"
    )


def test_an_account_lists_every_part_and_the_sign_of_each_movement() -> None:
    fate: dict[str, Any] = {
        "store": None,
        "first_stated": None,
        "last_stated": None,
        "lost_at": None,
    }
    fate |= {"losses": [], "returns": [], "retrieved": False}
    parts = [
        {"part": "opening", "told_at": 0, "value": "$900", **fate},
        {"part": "movement", "told_at": 1, "value": "$31", **fate},
        {"part": "movement", "told_at": 2, "value": "$1,066", **fate},
    ]
    account = {
        "account": "a0",
        "what": "the balance of the account",
        "kind": "amount",
        "value": "$1,935",
        "introduced": 0,
        "movements": 3,
        "known_balance": None,
        "n_missing": 4,
        "missing": parts,
        "retrieved": False,
        "in_answer": False,
    }
    autopsy = examine(CARDS["s2"].parent).document()
    told = msgspec.convert(account, AccountStory)
    story = msgspec.structs.replace(autopsy.probes[0], facts=[told])
    document = msgspec.structs.replace(autopsy, probes=[story])
    movements = [PlannedMovement(1, -31), PlannedMovement(2, 1066)]
    [biography] = biographies(document, None, [PlannedAccount("a0", "account", movements)])
    words = " / ".join(step.words for step in biography.steps)
    assert "Opening of $900," in words
    assert "Movement of \N{MINUS SIGN}$31," in words
    assert "Movement of +$1,066," in words
    assert "1 more of its parts that were not read" in words


def test_an_account_of_which_nothing_was_said_is_a_sentence_without_a_plot() -> None:
    silent = account_chart(0, "house", [AccountReading(1, "a0", 900.0, None)])
    assert not silent.spec
    assert silent.note.startswith("No answer named an amount")
    assert account_chart(0, "house", [AccountReading(1, "a0", 900.0, 850.0)]).spec


@pytest.mark.parametrize(
    ("value", "bounds", "words"),
    [
        (
            -0.2,
            [-0.3, -0.1],
            "it got 20\N{NO-BREAK SPACE}percentage points less right than the same life",
        ),
        (0.02, [-0.06, 0.1], "2\N{NO-BREAK SPACE}percentage points more right than the same life"),
        (0.0, [-0.1, 0.1], "it got as much right as the same life without that"),
    ],
)
def test_what_an_event_cost_is_told_against_the_same_life_without_it(
    value: float, bounds: list[float], words: str
) -> None:
    card = life(lifecycle_events=["flush_history@2"])
    card["mechanism_metrics"]["maintenance"] |= {
        "shock_delta": value,
        "shock_delta_ci": bounds,
        "shock_delta_n": 60,
    }
    [told] = [one for one in life_page(card, None).follow_up if one.startswith("After")]
    assert words in told
    assert told.startswith("After flush_history@2 ")
    assert ("beyond chance" in told) == (bounds[1] < 0)
    title = life_titles.curve_title(Card.read(card | {"checkpoint_intervals": []}))
    assert ("less right than without that" in title) == (bounds[1] < 0)
    assert not any(one.startswith("After") for one in life_page(life(), None).follow_up)
