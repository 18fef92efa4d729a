"""`agingbench validate faults` for people and for scripts."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.scenarios import offline_scenarios
from agingbench.validity.planted_faults import STAGES
from tests.cli.conftest import Cli, data

SMALL = ("--sessions", "4", "--workers", "1")


def test_for_scripts(cli: Cli) -> None:
    told = cli("validate", "faults", "-s", "s1", "--seeds", "0-1", "--json", *SMALL)
    assert (told.code, told.err) == (0, "")
    found = data(told.out)
    assert {"accuracy_by_stage", "confusion", "coverage", "n"} <= found.keys()
    assert set(found["accuracy_by_stage"]) == set(STAGES)
    assert 0.0 <= found["coverage"] <= 1.0
    assert sum(sum(row.values()) for row in found["confusion"].values()) < found["n"]


def test_for_people(cli: Cli) -> None:
    told = cli(
        "validate", "faults", "-s", "s2", "-s", "s2_lifestyle_assistant", "--seeds", "1", *SMALL
    )
    assert told.code == 0
    assert "Planted faults" in told.out
    assert "every stage is named" in told.out
    assert "retrieval, units, look-alikes" in " ".join(told.out.split())


def test_every_scenario_by_default(cli: Cli) -> None:
    found = data(
        cli("validate", "faults", "--seeds", "1", "--json", "--sessions", "2", "--workers", "1").out
    )
    assert {row["scenario"] for row in found["by_scenario"]} == set(offline_scenarios())


def test_a_diagnosis_that_is_wrong_ends_with_one(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Any) -> str:
        return "store"

    monkeypatch.setattr(Diagnosis, "stage", property(wrong))
    told = cli(
        "validate", "faults", "-s", "s1", "--seeds", "2", "--sessions", "2", "--workers", "1"
    )
    assert told.code == 1
    assert "missed:" in told.out
    assert "write: named in 0.000" in told.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-s", "s22"), "unknown scenario"),
        (("--seeds", "x"), "--seeds x"),
        (("--seeds", "5-3"), "names no seed"),
        (("--sessions", "1"), "--sessions"),
    ],
)
def test_wrong_input(cli: Cli, arguments: tuple[str, ...], complaint: str) -> None:
    told = cli("validate", "faults", *arguments)
    assert (told.code, told.out) == (2, "")
    assert complaint in told.err
