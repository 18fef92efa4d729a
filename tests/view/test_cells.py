"""The cells of a study in the viewer: lives that differ in their seeds belong together."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from agingbench.view.cell_table import CellsPage
from agingbench.view.cells import cell_of, lives_of, study_cells
from agingbench.view.places import ViewedFolder
from agingbench.view.runs import RunIndex, RunRow
from tests.view.serving import copy_lives, served


def row(name: str, kind: str = "life", **changed: object) -> RunRow:
    fields = {"system": "m+a", "about": "s2", "made": ""} | changed
    return RunRow(name=name, kind=kind, **fields)  # type: ignore[arg-type]


def test_only_lives_in_folders_of_seeds_are_of_a_cell() -> None:
    assert cell_of(row("s2/m+a/medium/seed_3")) == "s2/m+a/medium"
    assert cell_of(row("s2/m+a/medium/seed_3", "unfinished")) == "s2/m+a/medium"
    assert cell_of(row("seed_3")) == ""
    assert cell_of(row("s2/other")) == ""
    assert cell_of(row("projects/seed_1", "audit")) == ""


def test_a_cell_has_the_means_of_its_finished_lives() -> None:
    rows = [
        row("c/seed_0", seed=0, start=1.0, end=0.5, aging=True, tokens=5, points=[1.0, 0.5]),
        row("c/seed_1", seed=1, start=0.5, end=None, aging=False, tokens=6, points=[0.5, None]),
        row("c/seed_4", "unfinished", reason="running at 2 of 6"),
        row("c/seed_5", "unfinished", reason="stopped at 2 of 6"),
    ]
    [cell] = study_cells(rows)
    assert (cell.finished, cell.running, cell.stopped, cell.seeds) == (2, 1, 1, [0, 1])
    assert (cell.start, cell.end, cell.whole, cell.cost) == (0.75, 0.5, None, None)
    assert (cell.aging, cell.tokens, cell.points) == (1, 11, [0.75, 0.5])
    page = CellsPage.of([cell])
    assert page.answer == "1 cell, 2 finished lives, 2 unfinished"
    assert page.rows[0].lives == "2 finished, 1 running, 1 stopped, seeds 0–1"
    assert page.rows[0].aging == "1 of 2"


def test_a_cell_without_a_finished_life_has_no_figures() -> None:
    [cell] = study_cells([row("c/seed_0", "unfinished", reason="stopped at 0 of 6")])
    assert (cell.end, cell.tokens, cell.points) == (None, None, [])
    assert CellsPage.of([cell]).rows[0].aging == "–"


def test_seeds_that_follow_each_other_are_joined() -> None:
    rows = [row(f"c/seed_{seed}", seed=seed) for seed in (0, 1, 2, 7)]
    [cell] = study_cells(rows)
    assert CellsPage.of([cell]).rows[0].lives == "4 finished, seeds 0–2, 7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cells")
    copy_lives(place, "s2", "s2_careful", "s6_stopped")
    return place


def test_pages_of_cells_hold_their_lives_and_no_others(folder: Path) -> None:
    rows = RunIndex(ViewedFolder(folder)).rows()
    cells = study_cells(rows)
    seeds = {cell.name.split("/")[0]: cell.seeds for cell in cells}
    assert seeds == {"s2": [0, 1, 2], "s2_careful": [0, 1, 2], "s6_stopped": []}
    first = next(cell.name for cell in cells if cell.name.startswith("s2/"))
    assert {one.name.split("/")[0] for one in lives_of(rows, [first])} == {"s2"}
    with served(folder) as viewer:
        assert "3 cells, 6 finished lives, 1 unfinished" in viewer.ask("/cells").text
        listed = viewer.ask(f"/?cell={quote(first)}").text
        assert listed.count('name="run"') == 3
        assert 'value="s2_careful' not in listed
        names = "&".join(f"cell={quote(cell.name)}" for cell in cells)
        report = viewer.ask(f"/report?{names}").text
        assert "careful_compress" in report
        assert "kept the most" in report
        assert viewer.ask("/report?cell=../..").status == 400
        assert viewer.ask("/?cell=%3Cscript%3E").text.count("<script>") == 0


def test_a_card_of_a_cell_that_cannot_be_read_counts_as_stopped(tmp_path: Path) -> None:
    place = tmp_path / "c" / "seed_0"
    place.mkdir(parents=True)
    (place / "aging_card.json").write_text(json.dumps([]))
    [cell] = study_cells(RunIndex(ViewedFolder(tmp_path)).rows())
    assert (cell.finished, cell.stopped) == (0, 1)
