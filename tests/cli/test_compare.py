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
        ((out, a), "A holds 2 systems"),
    ]:
        found = cli("compare", *arguments)
        assert (found.code, found.out) == (2, "")
        assert told in found.err
