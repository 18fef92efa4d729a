"""Plan, scenario and system are built once per life, whoever drives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life import life, planning
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.planning import load_scenario
from agingbench.bench.life.system import build
from agingbench.bench.plan.plan import make_plan
from agingbench.bench.studies import cells, extending
from agingbench.bench.studies.cells import Stock, check
from agingbench.bench.studies.extending import extend
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.reproducing import reproduce
from agingbench.bench.studies.runner import run_study
from agingbench.cli.main import run as agingbench

SHORT = ("--sessions", "2", "--pressure", "light", "--no-plots", "--json")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many plans, scenarios and systems were built since the test began."""
    counts: Counter[str] = Counter()

    def counted(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **kwargs: Any) -> Any:
            counts[what] += 1
            return function(*args, **kwargs)

        return count

    planning._instance.cache_clear()
    counted_plan = counted("plan", make_plan)
    counted_system = counted("system", build)
    counted_scenario = counted("scenario", load_scenario)
    monkeypatch.setattr(planning, "make_plan", counted_plan)
    monkeypatch.setattr(extending, "make_plan", counted_plan)
    monkeypatch.setattr(planning, "load_scenario", counted_scenario)
    monkeypatch.setattr(life, "build", counted_system)
    monkeypatch.setattr(cells, "build", counted_system)
    return counts


def start_again(built: Counter[str]) -> None:
    """Count from 0, as a process that has just begun."""
    planning._instance.cache_clear()
    built.clear()


def run(*args: str) -> None:
    assert agingbench(["run", *SHORT, *args]) == 0


def test_a_run_builds_each_once(tmp_path: Path, built: Counter[str]) -> None:
    run("--out", str(tmp_path))
    assert built == {"plan": 1, "scenario": 1, "system": 1}


def test_a_diagnosed_run_builds_each_once(tmp_path: Path, built: Counter[str]) -> None:
    run("--out", str(tmp_path), "--diagnose")
    assert built == {"plan": 1, "scenario": 1, "system": 1}


def test_every_seed_and_control_builds_its_own(tmp_path: Path, built: Counter[str]) -> None:
    run("--out", str(tmp_path), "--seeds", "2", "--events", "flush_history@1")
    assert built == {"plan": 4, "scenario": 1, "system": 4}, "two lives and their controls"


def test_events_that_a_scenario_prefers_are_checked_on_the_same_system(
    tmp_path: Path, built: Counter[str]
) -> None:
    run("--out", str(tmp_path), "--scenario", "s6", "--no-control")
    assert built == {"plan": 1, "scenario": 1, "system": 1}


def test_a_life_in_python_builds_each_once(tmp_path: Path, built: Counter[str]) -> None:
    one = Life.new("s2", sessions=2, pressure="light", memory="append_only", out=tmp_path)
    one.live()
    one.diagnose()
    assert one.card().n_sessions == 2
    assert built == {"plan": 1, "scenario": 1, "system": 1}


def test_the_cells_of_a_study_build_each_once(tmp_path: Path, built: Counter[str]) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text("sessions: 2\npressures: [light]\nevents: [[flush_history@1]]\nseeds: 2\n")
    stock = Stock()
    cells = load_study(str(file), stock=stock).cells
    check(cells, stock)
    follow_up = FollowUp(ladder=True, bounds=True)
    results = run_study(
        cells, tmp_path / "out", Resources(), workers=2, follow_up=follow_up, stock=stock
    )
    assert [result.error for result in results] == [None] * 4
    assert built == {"plan": 4, "scenario": 1, "system": 4}


def test_a_life_that_is_reproduced_or_extended_builds_one_system(
    tmp_path: Path, built: Counter[str]
) -> None:
    one = Life.new("s2", sessions=2, pressure="light", out=tmp_path / "first")
    one.live()
    one.diagnose()
    one.score()

    start_again(built)
    assert reproduce(one.folder.path, tmp_path / "again", Resources()).same
    assert built == {"scenario": 1, "system": 1}, "the plan is read from the folder"

    start_again(built)
    longer = extend(one.folder.path, 3, tmp_path / "longer", Resources())
    assert longer.score().n_sessions == 3
    assert built == {"plan": 1, "scenario": 1, "system": 1}
