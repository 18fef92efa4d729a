"""The report of a study in real Chromium: every chart holds the values of the cards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agingbench.report.pages.build import write_report
from agingbench.report.pages.charts import PageChart
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
    pairs = ((0.1, 0.61), (0.2, 0.62), (0.9, 0.3))
    for card, (cvr, kept) in zip(lives, pairs, strict=True):
        card["mechanism_metrics"]["revision"] |= {"cvr": cvr, "cvr_ci": [0.0, 1.0], "cvr_n": 9}
        card["headline"] |= {"time_average": kept}
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
    assert sorted(pairs) == [(0.3, 0.9), (0.61, 0.1), (0.62, 0.2)]


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


def scatter_of(lives: list[dict[str, Any]]) -> PageChart:
    relations = study_page(lives, [None] * len(lives)).relations
    [pairs] = [chart for chart in relations if "cvr" in chart.id]
    return pairs


def test_a_figure_that_is_the_same_in_all_lives_is_a_sentence_and_no_plot() -> None:
    assert scatter_of(cards()).spec
    lives = cards()
    for card in lives:
        card["headline"] |= {"time_average": 0.5}
    pairs = scatter_of(lives)
    assert not pairs.spec
    assert "answered right” is 0.50 in all lives" in pairs.note
    assert "rules broken" not in pairs.note


def test_a_plot_says_how_many_lives_it_has() -> None:
    assert "lives have" not in scatter_of(cards()).note
    assert "3 of 4 lives have both figures." in scatter_of([*cards(), system("keeps", 2)]).note


def test_a_cell_says_how_many_lives_have_its_figure() -> None:
    lives = [system("a", 0), system("a", 1)]
    lives[1]["headline"] |= {"m_final": None}
    [row] = study_page(lives, [None, None]).conditions[0].rows
    assert row[4].text.endswith(" (1 of 2 lives)")
    assert "of" not in row[3].text


def test_a_system_has_one_colour_in_every_plot_of_a_page() -> None:
    lives = [system(name, 0, scenario="s2_x") for name in ("a", "b", "c")]
    lives += [system(name, 0, scenario="s3_x") for name in ("c", "b", "d")]
    page = study_page(lives, [None] * 6)
    used: dict[str, set[str]] = {}
    for condition in page.conditions:
        scale = condition.charts[0].spec["layer"][0]["encoding"]["color"]["scale"]
        for name, colour in zip(scale["domain"], scale["range"], strict=True):
            used.setdefault(name, set()).add(colour)
    assert [len(used[name]) for name in "abcd"] == [1, 1, 1, 1]
    assert len(set.union(*used.values())) == 4


def test_a_study_of_the_built_in_reader_alone_says_that_it_is_no_language_model() -> None:
    warning = "embedded_reader: extractive is a rule-based reader, not a language model"
    lives = [system("a", 0, warnings=[warning]), system("b", 0, warnings=[warning])]
    [note] = study_page(lives, [None, None]).notes
    assert "not from a language model" in note
    assert study_page([lives[0], system("b", 0)], [None, None]).notes == []


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
