"""Ranks with intervals: what cannot be told apart is tied; the page shows all of it as text."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from agingbench.bench.leaderboard.places import EntryPlace, read_submission, write_board_file
from agingbench.bench.leaderboard.ranking import build_board, rank_entries
from agingbench.bench.leaderboard.rules import EntryFiles, read_entry
from agingbench.bench.leaderboard.submission import submit
from agingbench.cards.figures import Figure
from agingbench.report.pages.document import render_page
from agingbench.report.pages.leaderboard import leaderboard_page
from tests.bench.leaderboard.conftest import PLACE, SUITE


def entry(model: EntryFiles, key: str, *averages: float, half: float = 0.02) -> EntryFiles:
    cards = {}
    for seed, value in enumerate(averages):
        figure = Figure(value, (max(0.0, value - half), min(1.0, value + half)), 50)
        card = model.cards[seed]
        headline = msgspec.structs.replace(
            card.headline,
            others={
                **card.headline.others,
                "time_average": figure.value,
                "time_average_ci": list(figure.interval or ()),
            },
        )
        cards[seed] = msgspec.structs.replace(card, headline=headline)
    place = EntryPlace("model", PLACE.scenario, key)
    return EntryFiles(place, model.submission, cards)


@pytest.fixture(scope="module")
def model(clean_board: Path) -> EntryFiles:
    found, problems = read_entry(clean_board, PLACE)
    assert found is not None
    assert not problems
    return found


def test_ties_are_ties_and_distance_is_a_rank(model: EntryFiles) -> None:
    entries = [
        entry(model, "worst", 0.10, 0.11, 0.12),
        entry(model, "near", 0.80, 0.82, 0.79),
        entry(model, "best", 0.81, 0.80, 0.82),
    ]
    table = rank_entries("overall", "headline.time_average", entries)
    ranks = {rank.key: (rank.best, rank.worst, rank.tied) for rank in table.ranks}
    assert ranks == {
        "best": (1, 2, ["near"]),
        "near": (1, 2, ["best"]),
        "worst": (3, 3, []),
    }
    assert [rank.key for rank in table.ranks] == ["best", "near", "worst"]
    assert table.pairs == 3


def test_equal_lives_with_wide_intervals_are_tied(model: EntryFiles) -> None:
    entries = [
        entry(model, "a1", 0.6, 0.6, 0.6, half=0.3),
        entry(model, "b1", 0.5, 0.5, 0.5, half=0.3),
    ]
    table = rank_entries("overall", "headline.time_average", entries)
    assert [(rank.best, rank.worst) for rank in table.ranks] == [(1, 2), (1, 2)]


def test_a_missing_figure_is_no_rank(model: EntryFiles) -> None:
    table = rank_entries("maintenance", "maintenance.shock_delta", [model])
    assert table.ranks == []
    assert table.missing == ["keeper"]


def test_the_page_shows_text_as_text(board: Path, loser: list[Path]) -> None:
    submit(board, loser, "loser", "<script>alert(1)</script>", suite=SUITE)
    file = EntryPlace("model", PLACE.scenario, "loser").submission(board)
    write_board_file(file, msgspec.structs.replace(read_submission(file), conflict="<b>paid</b>"))
    built = build_board(board)
    (scenario,) = built.scenarios
    assert {one.name for one in scenario.tables} >= {"overall", "compression"}
    assert scenario.tables[0].ranks[0].key == "keeper"
    html = render_page("leaderboard.html.j2", "board", leaderboard_page(built), [])
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "&lt;b&gt;paid" in html
    assert "http://" not in html.split("<script")[0]


def test_an_empty_board_builds(tmp_path: Path) -> None:
    assert leaderboard_page(build_board(tmp_path)).answer == "No entries yet"
