"""The page of a leaderboard in real Chromium: opens from a file, shows ranks, runs nobody's text."""

from __future__ import annotations

from pathlib import Path

from agingbench.cards.leaderboard import (
    BoardDispute,
    BoardEntry,
    BoardRank,
    BoardTable,
    Leaderboard,
    RetractedEntry,
    Retraction,
    ScenarioBoard,
)
from agingbench.report.pages.leaderboard import write_board_page
from tests.report.pages.browser import OpenPage, running_browser

HOSTILE = '</script><img src=x onerror="window.pwned=1">'
SCENARIO = "s2_lifestyle_assistant"


def rank(key: str, value: float, best: int, worst: int, *tied: str) -> BoardRank:
    return BoardRank(
        key=key,
        sut_id=key,
        value=value,
        value_ci=(value - 0.1, value + 0.1),
        value_n=3,
        best=best,
        worst=worst,
        tied=list(tied),
    )


def board() -> Leaderboard:
    ranks = [rank("one", 0.7, 1, 2, "two"), rank("two", 0.68, 1, 2, "one"), rank("last", 0.1, 3, 3)]
    entry = BoardEntry(
        key="one",
        sut_id="one",
        submitter=HOSTILE,
        conflict=HOSTILE,
        fork=None,
        warnings=[],
        disputes=[1],
    )
    figure = "headline.time_average"
    table = BoardTable(name="overall", figure=figure, ranks=ranks, missing=[], pairs=3)
    scenario = ScenarioBoard(
        track="model", scenario=SCENARIO, version="2.0.0", entries=[entry], tables=[table]
    )
    dispute = BoardDispute(
        number=1,
        track="model",
        scenario=SCENARIO,
        key="one",
        opened_by="eve",
        claim=HOSTILE,
        date="2026-01-01",
    )
    retraction = Retraction(dispute=2, reason=HOSTILE, operators=["ann", "bob"], date="2026-01-02")
    gone = RetractedEntry(
        track="model", scenario=SCENARIO, key="gone", submitter="ada", retraction=retraction
    )
    return Leaderboard(scenarios=[scenario], disputes=[dispute], retracted=[gone])


def test_the_page_opens_from_a_file_and_runs_nobodys_text(tmp_path: Path) -> None:
    out = tmp_path / "board.html"
    write_board_page(board(), out)
    with running_browser() as browser:
        opened = OpenPage(browser, out, ready="main")
        rows = opened.page.locator("#scenario-0 table").first.locator("tbody tr")
        cells = [row.locator("th, td").all_inner_texts()[:2] for row in rows.all()]
        assert cells == [["one", "1–2"], ["two", "1–2"], ["last", "3"]]
        assert HOSTILE in opened.page.locator("#retracted").inner_text()
        assert opened.page.evaluate("window.pwned") is None
        assert opened.complaints == []
        assert opened.requests == []
        assert opened.serious() == []
