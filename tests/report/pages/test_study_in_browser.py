"""The report of a study in real Chromium: every chart holds the values of the cards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agingbench.report.pages.build import write_report
from agingbench.report.pages.sources import find_cards
from agingbench.report.pages.study import study_page
from agingbench.report.series import mean_curve, read_cards
from tests.report.lives import censored, life
from tests.report.pages.browser import OpenPage, running_browser

HOSTILE = '</script><img src=x onerror="window.pwned=1">'


def system(name: str, seed: int, **changed: Any) -> dict[str, Any]:
    sut = {"sut_id": name, "model_id": "m", "memory_policy_type": "summarize_store", "memory": name}
    return life(name, seed, **changed) | {"sut": sut}


def cards() -> list[dict[str, Any]]:
    low: list[float | None] = [0.8, 0.4, 0.2, 0.1, 0.1]
    lives = [system("keeps", 0), system("keeps", 1), system(HOSTILE, 0, ms=low)]
    for card, cvr in zip(lives, (0.1, 0.2, 0.9), strict=True):
        card["mechanism_metrics"]["revision"] |= {"cvr": cvr, "cvr_ci": [0.0, 1.0], "cvr_n": 9}
    return lives


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPage]:
    folder = tmp_path_factory.mktemp("study")
    for place, card in enumerate(cards()):
        (folder / str(place)).mkdir()
        (folder / str(place) / "aging_card.json").write_text(json.dumps(card))
    shares = {"lag_recall": {"1": {"value": 0.5, "n": 4, "ci": None}}}
    (folder / "0" / "dependency_metrics.json").write_text(json.dumps(shares))
    out = folder / "report.html"
    assert write_report(find_cards([folder]), out).kind == "study"
    with running_browser() as browser:
        yield OpenPage(browser, out, viewport={"width": 400, "height": 800})


def test_curves_half_lives_and_pairs_are_those_of_the_cards(opened: OpenPage) -> None:
    documents = cards()
    rows = opened.values("curves-0", "curves_0")
    kept = [(row["t"], row["m"]) for row in rows if row["series"] == "keeps"]
    assert kept == mean_curve(read_cards(documents[:2]))
    heat = {row["memory"]: row["value"] for row in opened.values("half-lives-0", "half_lives_0")}
    assert heat == {"keeps": 2.75, HOSTILE: 2.75}
    pairs = [(row["x"], row["y"]) for row in opened.values("scatter-cvr", "scatter_cvr")]
    assert sorted(pairs) == [(0.61, 0.1), (0.61, 0.2), (0.61, 0.9)]


def test_the_page_is_safe_and_can_be_read_by_everybody(opened: OpenPage) -> None:
    assert opened.complaints == []
    assert opened.requests == []
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("main img").count() == 0
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    assert opened.serious() == []


def test_names_of_rows_stay_in_sight_on_a_small_screen(opened: OpenPage) -> None:
    name = opened.page.locator("#condition-0 > .scroll tbody th").first
    before = name.bounding_box()
    opened.page.evaluate("document.querySelector('#condition-0 > .scroll').scrollLeft = 150")
    after = name.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] == before["x"]
    assert after["width"] >= 100


def test_a_half_life_that_was_not_reached_is_no_number() -> None:
    page = study_page([system("a", 0), censored() | {"sut": system("b", 0)["sut"]}], [None, None])
    words = {row[0].text: row[8].text for row in page.conditions[0].rows}
    assert words["a"] == "2.8"
    assert words["b"].startswith(">")


def test_a_figure_that_is_the_same_in_all_lives_is_said_to_show_nothing() -> None:
    [pairs] = [chart for chart in study_page(cards(), [None] * 3).relations if "cvr" in chart.id]
    assert "is the same in all lives" in pairs.note
    assert "rules broken” is the same" not in pairs.note


def test_lives_of_two_conditions_are_not_pooled(tmp_path: Path) -> None:
    folders = []
    for name in ("calm", "shock"):
        folder = tmp_path / name
        folder.mkdir()
        shares = {"lag_recall": {"1": {"value": 0.5, "n": 4}}}
        (folder / "dependency_metrics.json").write_text(json.dumps(shares))
        folders.append(folder)
    shock = system("a", 0, lifecycle_events=["flush_history@2"])
    [table] = study_page([system("a", 0), shock], folders).tables
    assert [row[2].text for row in table.rows] == ["0.50 (4)", "0.50 (4)"]
    assert "flush_history@2" in table.rows[1][1].text


def test_one_system_is_not_called_the_better() -> None:
    page = study_page([system("a", 0), system("a", 1)], [None, None])
    assert page.answer.startswith("No condition was lived by two systems")


def test_a_dial_that_is_turned_alone_gives_a_dose() -> None:
    lives = []
    for tokens in (500, 2000):
        card = system("a", 0)
        lives.append(card | {"pressure": {"preset": "medium", "tokens_per_session": tokens}})
    [dose] = [chart for chart in study_page(lives, [None, None]).relations if chart.id == "dose"]
    assert [row[1].text for row in dose.rows] == ["500", "2000"]
