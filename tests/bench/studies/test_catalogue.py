"""Suites and shipped studies by name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agingbench.bench.studies import catalogue
from agingbench.bench.studies.catalogue import SUITES, find_study_file, shipped_studies
from agingbench.bench.studies.grid import load_study

ROOT = Path(__file__).parents[3]


def test_the_wheel_holds_the_studies_where_they_are_looked_for() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    module = Path(catalogue.__file__).relative_to(ROOT / "src")
    assert wheel["force-include"]["studies"] == (module.parent / "shipped").as_posix()


def test_an_installed_copy_comes_before_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text("scenarios: [s2]\n")
    monkeypatch.setattr(catalogue, "_IN_WHEEL", tmp_path)
    assert shipped_studies() == {"mine": tmp_path / "mine.yaml"}
    assert find_study_file("mine") == tmp_path / "mine.yaml"


def test_no_shipped_study_hides_behind_a_suite() -> None:
    assert not SUITES.keys() & shipped_studies().keys()


@pytest.mark.parametrize("name", sorted(shipped_studies()))
def test_every_shipped_study_can_be_read(name: str) -> None:
    study = load_study(name)
    assert study.name == name
    assert study.title != name
    assert study.cells
