"""The gate: exit codes, what it prints, and JUnit that any reader takes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import run_study
from tests.cli.conftest import Cli, data


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("gate")
    grid = [
        Cell("s2", Sut(memory=memory), 4, "light") for memory in ("append_only", "lossy_compress")
    ]
    return {
        outcome.cell.sut.memory: outcome.path
        for outcome in run_study(grid, out, Resources(), workers=1)
    }


def test_a_regression_exits_one(cli: Cli, lives: dict[str, Path], tmp_path: Path) -> None:
    worse = lives["lossy_compress"]
    better = lives["append_only"]
    told = cli(
        "gate",
        worse / "aging_card.json",
        "--baseline",
        better / "aging_card.json",
        "--junit",
        tmp_path / "j.xml",
    )
    assert (told.code, told.err) == (1, "")
    assert "regression: the time average fell by" in told.out
    assert "could not have been told from none" in told.out
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_bytes())
    assert (suite.tag, suite.get("tests")) == ("testsuite", "2")
    assert suite.find("testcase/failure") is not None
    found = data(cli("gate", worse, "--baseline", better, "--json").out)
    assert found["regression"]
    assert found["failures"]


def test_no_regression_exits_zero(cli: Cli, lives: dict[str, Path], tmp_path: Path) -> None:
    better = lives["append_only"]
    told = cli(
        "gate", better, "--baseline", better, "--allow-unseen", "--junit", tmp_path / "j.xml"
    )
    assert told.code == 0
    assert "passed" in told.out
    assert (
        ElementTree.fromstring((tmp_path / "j.xml").read_bytes()).find("testcase/failure") is None
    )


def test_what_could_not_have_been_seen_does_not_pass(
    cli: Cli, lives: dict[str, Path], tmp_path: Path
) -> None:
    better = lives["append_only"]
    same = ("gate", better, "--baseline", better)
    blind = cli(*same, "--max-drop", 0.001, "--junit", tmp_path / "j.xml")
    assert blind.code == 3
    assert "no power: a drop below" in blind.out
    assert "seeds would do, these are 1" in blind.out
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_bytes())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert cli(*same, "--max-drop", 0.001, "--allow-unseen").code == 0
    assert cli(*same, "--max-drop", 1).code == 0


def test_folders_of_lives_are_paired_by_seed(cli: Cli, tmp_path: Path) -> None:
    grid = [
        Cell("s2", Sut(memory=memory), 3, "light", seed=seed)
        for memory in ("careful_compress", "lossy_compress")
        for seed in range(4)
        if (memory, seed) != ("lossy_compress", 3)
    ]
    run_study(grid, tmp_path, Resources(), workers=1)
    (careful,) = tmp_path.rglob("extractive+careful_compress")
    (lossy,) = tmp_path.rglob("extractive+lossy_compress")
    result = data(cli("gate", lossy, "--baseline", careful, "--json").out)
    assert (result["seeds"], result["drop_n"]) == ([0, 1, 2], 3)
    assert result["unpaired"] == {"a": [], "b": [3]}
    assert result["candidate"]["seed"] is None
    better, worse = result["baseline"]["time_average"], result["candidate"]["time_average"]
    assert result["drop"] == pytest.approx(better - worse, abs=0.02)
    assert result["seeds_needed"] > 3
    told = cli("gate", careful, "--baseline", careful, "--max-drop", 0.01)
    assert told.code == 3
    assert "4 paired; about" in told.out
    several = cli("gate", tmp_path, "--baseline", careful)
    assert several.code == 2
    assert "several systems or conditions" in several.err


def test_names_that_xml_cannot_hold_are_escaped(
    cli: Cli, lives: dict[str, Path], tmp_path: Path
) -> None:
    card = json.loads((lives["lossy_compress"] / "aging_card.json").read_bytes())
    card["sut"]["sut_id"] = 'a<b>&"c"\x01\ud7ff]]>'
    (tmp_path / "odd.json").write_text(json.dumps(card))
    told = cli(
        "gate",
        tmp_path / "odd.json",
        "--baseline",
        lives["append_only"],
        "--junit",
        tmp_path / "j.xml",
    )
    assert told.code in (0, 1, 3)
    case = ElementTree.fromstring((tmp_path / "j.xml").read_bytes()).find("testcase")
    assert case is not None
    assert 'a<b>&"c"' in str(case.get("name"))


@pytest.mark.parametrize("change", [{"scenario_version": "9.0.0"}, {"scenario": "other"}])
def test_other_versions_are_refused(
    cli: Cli, lives: dict[str, Path], tmp_path: Path, change: dict[str, str]
) -> None:
    card = json.loads((lives["lossy_compress"] / "aging_card.json").read_bytes())
    (tmp_path / "other.json").write_text(json.dumps({**card, **change}))
    told = cli("gate", tmp_path / "other.json", "--baseline", lives["append_only"])
    assert (told.code, told.out) == (2, "")
    assert "can't be compared" in told.err


def test_what_is_no_card_is_told(cli: Cli, lives: dict[str, Path], tmp_path: Path) -> None:
    told = cli("gate", tmp_path / "nothing.json", "--baseline", lives["append_only"])
    assert (told.code, told.out) == (2, "")
    assert cli("gate", lives["append_only"]).code == 2


def test_a_summary_shows_both_curves_and_nothing_as_markup(
    cli: Cli, lives: dict[str, Path], tmp_path: Path
) -> None:
    worse = tmp_path / "aging_card.json"
    card = json.loads((lives["lossy_compress"] / "aging_card.json").read_bytes())
    card["sut"]["sut_id"] = "<img src=x> | `x`"
    worse.write_text(json.dumps(card))
    summary = tmp_path / "gate.md"
    told = cli("gate", worse, "--baseline", lives["append_only"], "--summary", summary)
    assert told.code == 1
    text = summary.read_text()
    assert text.startswith("### Aging gate: failed\n\nregression: the time average fell by")
    assert "\\<img src=x> \\| \\`x\\`" in text
    assert text.count("  line [") == 2
