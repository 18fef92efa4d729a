"""`agingbench figure` and `agingbench table` write what was asked for, and say what they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.cli import figure, table
from agingbench.report.paper import selection
from tests.cli.conftest import Cli, data
from tests.report.lives import life


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed in (0, 1):
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / "aging_card.json").write_text(json.dumps(life("a", seed)))
    return tmp_path


def test_a_figure_in_several_files(cli: Cli, folder: Path) -> None:
    files = [folder / "f.svg", folder / "f.pdf"]
    told = cli("figure", folder, "--out", files[0], "--out", files[1])
    assert told.code == 0
    assert "from 2 cards" in told.out
    assert all(file.stat().st_size > 1000 for file in files)
    document = data(cli("figure", folder, "--out", files[0], "--json").out, "figure")
    assert document == {"files": [str(files[0])], "cards": 2}


def test_a_table_on_the_screen_and_in_files(cli: Cli, folder: Path) -> None:
    assert "| whole life |" in cli("table", folder).out
    out = folder / "t.tex"
    assert cli("table", folder, "--out", out).code == 0
    assert "\\toprule" in out.read_text()
    document = data(cli("table", folder, "--rows", "lives", "--json").out, "table")
    assert [row["seed"] for row in document["rows"]] == [0, 1]


def test_errors_say_what_to_do(cli: Cli, folder: Path) -> None:
    told = cli("figure", folder, "--out", "x.jpg")
    assert (told.code, "end the name in .pdf, .svg or .png" in told.err) == (2, True)
    told = cli("table", folder, "--out", "x.doc")
    assert "end the name in .csv, .md or .tex, or give --format" in told.err
    assert "did you mean curves" in cli("figure", folder, "--show", "curve").err
    assert "no aging_card.json here" in cli("table", Path(__file__).parent).err


def test_the_names_in_the_help_are_those_that_exist() -> None:
    assert figure.SHOWN == selection.SHOWN_NAMES
    assert table.ROWS == selection.ROW_NAMES
