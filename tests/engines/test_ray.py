"""The engine of a Ray cluster: the same cards as here, one budget, and workers that are killed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.engines.ray_checks import AT_ONCE, CALLS
from tests.places import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None,
        reason="needs the extra ray: pip install 'agingbench[ray]'",
    ),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ray")
    command = [sys.executable, "-m", "tests.engines.ray_checks", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == ""  # it may have to be JSON
    document: dict[str, Any] = json.loads((folder / "told.json").read_bytes())
    return document


def test_jobs_errors_services_and_workers_that_die(told: dict[str, Any]) -> None:
    jobs = told["check_jobs"]
    assert jobs["squares"] == [0, 1, 4]
    assert jobs["error"] == "InputError: no bread here"
    assert jobs["added"] == [7, 8]
    assert jobs["died_once"] == "done"
    assert jobs["lost_once"] == 1
    assert jobs["died_always"].startswith("WorkerLost: a worker died, for the 4. time")
    assert jobs["lost"] == 5
    assert jobs["refused"] == "no more"


def test_a_study_with_a_killed_worker_has_the_cards_of_the_local_engine(
    told: dict[str, Any],
) -> None:
    study = told["check_study"]
    assert len(study["workers"]) >= 2
    assert study["killed"] in study["workers"]
    assert study["there"] == study["here"]


def test_a_cap_and_a_limit_hold_over_all_workers(told: dict[str, Any]) -> None:
    cap = told["check_cap"]
    assert max(cap["served"]) <= CALLS
    assert cap["served"][0] > CALLS / 4
    assert cap["most_at_once"] <= AT_ONCE
    assert "incomplete" in cap["statuses"]


def test_a_fleet_of_forty_projects_has_the_same_cards(told: dict[str, Any]) -> None:
    fleet = told["check_fleet"]
    assert len(fleet["here"]) == 40
    assert fleet["there"] == fleet["here"]


def test_the_command_and_the_call_of_python_take_an_engine(told: dict[str, Any]) -> None:
    doors = told["check_doors"]
    assert doors["codes"] == [0, 0]
    local, ray, python = doors["hashes"]
    assert len(local) == 4
    assert ray == local
    assert python == local
