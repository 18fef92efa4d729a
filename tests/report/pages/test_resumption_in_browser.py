"""The report of resumption runs in real Chromium: values of the cards, κ, and a closed gate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from agingbench.report.pages.build import write_report
from agingbench.report.pages.resumption import read_run, resumption_page
from agingbench.report.pages.sources import RUN_REPORT, find_cards
from tests.places import ROOT
from tests.report.pages.browser import OpenPage, running_browser

RUNS = ROOT / "tests" / "golden" / "resumption"
HOSTILE = '</script><img src=x onerror="window.pwned=1">'
KAPPA = {
    "n": 54,
    "kappa": "6/11",
    "value": 0.545,
    "low": 0.35,
    "high": 0.74,
    "rarer": 10,
    "rarer_label": "no",
    "failed": 0,
    "passed": False,
    "weak": False,
    "missing": 0,
    "missing_for_bound": None,
    "reasons": [],
}
CLOSED: dict[str, Any] = {
    "run": {
        "run_id": "raw-b500-1",
        "path": ".",
        "consolidator": HOSTILE,
        "budget": 500,
        "agent": "embedded",
        "judge": "deterministic",
        "model": "extractive",
        "tokenizer": "chars/4",
        "gate": "uncalibrated",
        "passed": False,
        "reasons": [f"continuation: {HOSTILE}"],
        "headline": "",
        "graders": {"model: blind-author": 297},
        "figures": {},
        "tokens": {},
        "statuses": {"scored": 3, "skipped": 1},
        "skipped": {"001": HOSTILE},
        "judge_failures": 0,
        "items": 9,
        "notes": [],
        "publishable": False,
    },
    "components": [
        {"component": "continuation", "domain": "late-written", **KAPPA},
        {"component": "forgetting", "domain": "code", **KAPPA, "value": None, "low": None},
    ],
    "episodes_sha256": "0" * 64,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as one:
        yield one


@pytest.fixture(scope="module")
def both(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> OpenPage:
    out = tmp_path_factory.mktemp("runs") / "report.html"
    assert write_report(find_cards([RUNS]), out).kind == "resumption"
    return OpenPage(browser, out)


@pytest.fixture(scope="module")
def closed(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> OpenPage:
    folder = tmp_path_factory.mktemp("closed")
    (folder / RUN_REPORT).write_text(json.dumps(CLOSED))
    out = folder / "report.html"
    assert write_report(find_cards([folder]), out).cards == 1
    return OpenPage(browser, out, viewport={"width": 400, "height": 800})


def cards() -> dict[str, Any]:
    found = {}
    for file in RUNS.glob("*/aging_card.json"):
        card = json.loads(file.read_text())
        found[card["run_id"]] = card["resumption"]
    return found


def test_charts_hold_the_values_of_the_cards(both: OpenPage) -> None:
    sections = cards()
    for row in both.values("components", "components"):
        group = sections[row["series"]]["groups"]["all"]
        name = row["name"].replace(" ", "_")
        assert [row["value"], row["n"]] == [group[name], group[f"{name}_n"]]
        assert [row["low"], row["high"]] == group[f"{name}_ci"]
    points = {row["run"]: row for row in both.values("pareto", "pareto")}
    assert set(points) == set(sections)
    for name, section in sections.items():
        group = section["groups"]["all"]
        assert points[name]["quality"] == group["quality"]
        assert points[name]["tokens"] == group["context_tokens_mean"]
    assert sum(row["front"] for row in points.values()) == 1
    kappas = [row["value"] for row in both.values("kappa", "kappa")]
    assert kappas == [row["value"] for row in next(iter(sections.values()))["kappa"]]


def test_a_closed_gate_shows_no_figure_and_says_why(closed: OpenPage) -> None:
    page = closed.page
    assert (page.locator("h1").text_content() or "").startswith("No number is published")
    assert page.locator("#components").count() == page.locator("#figures").count() == 0
    [row] = closed.values("kappa", "kappa")
    assert (row["value"], row["low"], row["high"]) == (0.545, 0.35, 0.74)
    assert "None of them is a human" in (page.locator("#judge").text_content() or "")
    assert "by hand" not in (page.locator("main").text_content() or "")
    assert "297" in (page.locator("#judge").text_content() or "")


def test_the_pages_are_safe_and_can_be_read_by_everybody(both: OpenPage, closed: OpenPage) -> None:
    for opened in (both, closed):
        assert opened.complaints == []
        assert opened.requests == []
        assert opened.page.evaluate("window.pwned") is None
        assert opened.page.locator("main img").count() == 0
        assert opened.serious() == []
    assert "</script><img" in (closed.page.locator("#judge").text_content() or "")
    assert closed.page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_reason_has_no_fraction_and_a_row_without_grades_is_left_out(tmp_path: Path) -> None:
    report = CLOSED | {
        "run": CLOSED["run"] | {"reasons": ["continuation (x): kappa 0.5455 (6/11) is below 0.6"]},
        "components": [
            {"component": "continuation", "domain": "code", **KAPPA},
            {"component": "forgetting", "domain": "code", **KAPPA, "value": None, "low": None},
            {"component": "forgetting", "domain": "x", **KAPPA, "value": None, "n": 0},
        ],
    }
    (tmp_path / RUN_REPORT).write_text(json.dumps(report))
    page = resumption_page([read_run({}, tmp_path)])
    assert page.reasons == ["continuation (x): κ 0.5455 is below 0.6"]
    rows = [[cell.text for cell in row[:2]] for row in page.charts["kappa"].rows]
    assert rows == [["continuation", "code"], ["forgetting", "code"]]


def test_a_folder_with_a_card_is_one_run(tmp_path: Path) -> None:
    source = next(RUNS.glob("*/aging_card.json"))
    (tmp_path / "aging_card.json").write_bytes(source.read_bytes())
    (tmp_path / RUN_REPORT).write_text(json.dumps(CLOSED))
    [found] = find_cards([tmp_path])
    assert found.kind == "resumption"
