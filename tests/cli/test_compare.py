"""`agingbench compare`: two systems by seed, tables of cells, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import run_study
from tests.cli.conftest import Cli, data


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    grid = [
        Cell("s2", Sut(memory=memory), 3, preset, seed=seed)
        for memory in ("careful_compress", "lossy_compress")
        for preset in ("light", "none")
        for seed in range(2)
    ]
    run_study(grid, folder, Resources(), workers=1)
    return folder / "s2_lifestyle_assistant"


def test_two_systems(cli: Cli, out: Path) -> None:
    a = out / "extractive+careful_compress"
    b = out / "extractive+lossy_compress"
    told = cli("compare", a, b)
    assert (told.code, told.err) == (0, "")
    assert "2 paired" in told.out
    assert "censored" in told.out
    found = data(cli("compare", a, b, "--json").out)
    assert len(found["cells"]) == 2
    assert {cell["figures"][0]["n"] for cell in found["cells"]} == {2}
    back = data(cli("compare", b, a, "--json").out)
    assert back["cells"][0]["figures"][0]["effect"] == -found["cells"][0]["figures"][0]["effect"]


def test_many_systems_by_name(cli: Cli, out: Path, tmp_path: Path) -> None:
    result = data(cli("compare", out, "--json").out, "compare.systems")
    assert result["systems"] == ["extractive+careful_compress", "extractive+lossy_compress"]
    (comparison,) = result["comparisons"]
    rows = [row for cell in comparison["cells"] for row in cell["figures"]]
    assert comparison["tests"] == len(rows)
    assert all(row["p_holm"] >= row["p_value"] for row in rows)
    assert {cell["smallest_p"] for cell in comparison["cells"]} == {0.5}

    grid = [Cell("s2", Sut(memory="append_only"), 3, "light", seed=seed) for seed in range(2)]
    run_study(grid, tmp_path, Resources(), workers=1)
    told = cli(
        "compare",
        f"careful={out / 'extractive+careful_compress'}",
        f"lossy={out / 'extractive+lossy_compress'}",
        f"log={tmp_path}",
        "--json",
    )
    named = data(told.out, "compare.systems")
    assert named["systems"] == ["careful", "lossy", "log"]
    sides = [(pair["a"], pair["b"]) for pair in named["comparisons"]]
    assert sides == [("careful", "lossy"), ("careful", "log"), ("lossy", "log")]
    text = cli("compare", out, tmp_path).out
    assert "so no p can be below 0.5" in text
    assert "Holm" in text
    twice = cli("compare", out, f"extractive+lossy_compress={tmp_path}")
    assert twice.code == 2
    assert "two systems are called" in twice.err


def test_cells_that_differ_in_a_dial_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    grid = [
        Cell("s2", Sut(memory=memory), 3, "light", (("update_rate", rate),))
        for memory in ("careful_compress", "lossy_compress")
        for rate in (0.1, 0.4)
    ]
    run_study(grid, tmp_path, Resources(), workers=1)
    conditions = {
        row["condition"]
        for row in data(cli("compare", tmp_path, "--table", "--json").out, "compare.table")
    }
    assert len(conditions) == 2
    for rate in ("0.1", "0.4"):
        assert any(text.endswith(f"update_rate {rate}") for text in conditions)
    (comparison,) = data(cli("compare", tmp_path, "--json").out, "compare.systems")["comparisons"]
    assert {cell["condition"] for cell in comparison["cells"]} == conditions


def test_tables(cli: Cli, out: Path) -> None:
    rows = data(cli("compare", out, "--table", "--json").out, "compare.table")
    assert len(rows) == 4
    told = cli(
        "compare", out / "extractive+careful_compress", out / "extractive+lossy_compress", "--table"
    )
    assert told.code == 0
    assert told.out.count(" ± ") >= 12
    assert "censored" in told.out


def test_cards_and_run_folders(cli: Cli, out: Path) -> None:
    a = next((out / "extractive+careful_compress").rglob("seed_0"))
    b = out / "extractive+lossy_compress" / a.parent.name / "seed_0" / "aging_card.json"
    found = data(cli("compare", a, b, "--json").out)
    assert found["cells"][0]["seeds"] == [0]


def test_refusals(cli: Cli, out: Path, tmp_path: Path) -> None:
    a = out / "extractive+careful_compress"
    light, none = (
        next(folder for folder in a.iterdir() if folder.name.startswith(name))
        for name in ("light", "none")
    )
    for arguments, told in [
        ((light, none), "pressure: "),
        ((a,), "takes two"),
        ((a, tmp_path / "nowhere"), "no such file or folder"),
        ((a, tmp_path), "no card here"),
        ((out, a), "two systems are called"),
    ]:
        found = cli("compare", *arguments)
        assert (found.code, found.out) == (2, "")
        assert told in found.err
