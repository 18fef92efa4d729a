"""The sentences of a study: of which condition they speak, and what its figures are of."""

from __future__ import annotations

import json
from typing import Any

from agingbench.report.pages.study import study_page
from tests.places import ROOT
from tests.report.lives import censored, figure, life

LIVES = ROOT / "tests" / "golden" / "lives"


def system(name: str, seed: int, kept: float, scenario: str) -> dict[str, Any]:
    head = figure("time_average", kept, 0.0, 1.0, 5)
    return life(name, seed, head=head) | {"scenario": scenario}


def test_the_answer_names_the_condition_that_it_speaks_of() -> None:
    pair = [system("a", 0, 0.9, "s2_x"), system("b", 0, 0.4, "s2_x")]
    assert study_page(pair, [None, None]).answer.startswith(
        "a kept the most, 90 % of the questions"
    )
    other = system("b", 0, 0.5, "s3_x")
    answer = study_page([*pair, other], [None] * 3).answer
    assert answer.startswith("In s2_x ")
    assert "a kept the most, 90 % of the questions for one fact answered right" in answer


def test_the_lead_of_the_first_system_has_its_interval_and_what_few_pairs_can_show() -> None:
    lives = [system("a", seed, 0.9, "s2_x") for seed in range(3)]
    lives += [system("b", seed, 0.5 + seed / 10, "s2_x") for seed in range(3)]
    [condition] = study_page(lives, [None] * 6).conditions
    assert "a − b over the life, paired by seed: +0.300" in condition.about
    assert "cannot give a p below 0.25" in condition.about


def test_a_study_counts_the_questions_of_every_kind() -> None:
    [card, *_] = sorted((LIVES / "s2").rglob("aging_card.json"))
    document = json.loads(card.read_text())
    answers = json.loads((card.parent / "metrics.json").read_text())["answers"]
    verdicts = [row["verdict"] for row in answers if row["condition"] == "as_lived"]
    right = verdicts.count("correct")
    asked = len(verdicts) - verdicts.count("failed")
    [condition] = study_page([document], [card.parent]).conditions
    assert condition.columns[-1] == "all questions right"
    assert condition.rows[0][-1].text == f"{right} of {asked}"


def test_several_conditions_have_a_first_table_that_leads_to_each() -> None:
    lives = [system("a", seed, 0.9, "s2_x") for seed in range(3)]
    lives += [system("b", seed, 0.4, "s2_x") for seed in range(3)]
    assert study_page(lives, [None] * 6).overview is None
    lives += [system("a", 0, 0.3, "s3_x"), system("b", 0, 0.6, "s3_x")]
    page = study_page(lives, [None] * 8)
    assert page.overview is not None
    links = [row[0].link for row in page.overview.rows]
    assert links == [condition.id for condition in page.conditions]
    assert [row[1].text for row in page.overview.rows] == ["a", "b"]
    assert [row[2].text for row in page.overview.rows] == ["0.90", "0.60"]
    assert page.overview.rows[0][3].text.startswith("over b: +0.500")
    assert ", beyond chance, n = 3 pairs" in page.overview.rows[0][3].text
    assert page.overview.rows[0][4].text == "a, b: 2.8"
    about = page.overview.about
    assert about.startswith("The shortest half-life of all is 2.8 sessions: a in s2_x")
    assert "and 3 more with the same to one decimal. So few pairs cannot give a p below" in about


def test_a_condition_that_lost_no_half_says_so() -> None:
    lives = [censored() | {"scenario": name} for name in ("s2_x", "s3_x")]
    page = study_page(lives, [None, None])
    assert page.overview is not None
    assert page.overview.about == "No system lost half of what it knew under any condition."
    assert page.overview.rows[0][4].text == "none lost half in 4"
    assert page.overview.rows[0][3].text == "–"


def test_endings_that_stand_for_options_are_explained() -> None:
    page = study_page([system("m+a-7e5756", 0, 0.9, "s2_x")], [None])
    assert "options" in page.about
    assert "options" not in study_page([system("m+a", 0, 0.9, "s2_x")], [None]).about
