"""What is checked of the Ray engine, in a process of its own: `python -m tests.engines.ray_checks DIR`.

Ray leaves sockets and processes to the end of the interpreter, which our tests count as leaks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import agingbench as ab
from agingbench.bench.life.budget import Budget
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.studies.runner import run_study
from agingbench.cli.main import run
from agingbench.engines.base import Job, WorkerLost
from agingbench.engines.on_ray import RayEngine
from agingbench.errors import InputError
from agingbench.telemetry.audit import audit_path
from tests.bench.studies.studies import Counting, hashes, study
from tests.bench.studies.test_elsewhere import PRICE, priced
from tests.engines.fleets import write_fleet
from tests.engines.jobs import (
    Counter,
    die_always,
    die_once,
    kill_a_worker,
    note_lost,
    refuse,
    square,
)
from tests.models.stub_server import StubServer

STUDY = """
scenarios: [s2]
sessions: 3
memories: [careful_compress, lossy_compress]
pressures: [light]
events: [none, [flush_history@2]]
seeds: 2
"""
DOORS = STUDY.replace("sessions: 3", "sessions: 2").replace("seeds: 2", "seeds: 1")
CALLS = 40  # that the cap allows
AT_ONCE = 3


def check_jobs(engine: RayEngine, folder: Path) -> dict[str, Any]:
    """Jobs, errors, a service that jobs call, and workers that die."""
    call = engine.share(partial(Counter, 3), note_lost)
    told = {
        "squares": [engine.submit(Job(square, (n,))).result() for n in range(3)],
        "error": _error(Job(refuse, ("bread",)), engine),
        "added": [call("add", 4), engine.submit(Job(call, ("add", 1))).result()],
        "died_once": engine.submit(Job(die_once, (folder / "died",))).result(),
        "lost_once": len(call("lost_tries")),
        "died_always": _error(Job(die_always), engine),
        "lost": len(call("lost_tries")),
    }
    try:
        call("refuse", waits=True)
    except InputError as error:
        told["refused"] = str(error)
    return told


def _error(job: Job[Any], engine: RayEngine) -> str:
    try:
        engine.submit(job).result()
    except (InputError, WorkerLost) as error:
        return f"{type(error).__name__}: {error}"
    return "none"


def check_study(engine: RayEngine, folder: Path) -> dict[str, Any]:
    """The same study on both engines, one worker killed in the middle."""
    cells = study(folder, STUDY)
    here = hashes(run_study(cells, folder / "here", Resources(), workers=2))
    with kill_a_worker() as killed:
        results = run_study(cells, folder / "there", Resources(), engine=engine)
    return {
        "here": here,
        "there": hashes(results),
        "workers": sorted(killed.processes),
        "killed": killed.pid,
    }


def check_cap(engine: RayEngine, folder: Path) -> dict[str, Any]:
    """Two starts with a hosted model under one cap."""
    counting = Counting(wait=0.01)
    served = []
    with StubServer(counting) as server:
        cells = priced(server, seeds=3, sessions=1)
        for _ in range(2):
            resources = Resources(Endpoints(AT_ONCE), Budget(CALLS * PRICE, folder / "capped"))
            results = run_study(cells, folder / "capped", resources, workers=3, engine=engine)
            served.append(counting.served)
    statuses = [result.status for result in results]
    return {"served": served, "most_at_once": counting.most, "statuses": statuses}


def check_fleet(engine: RayEngine, folder: Path) -> dict[str, Any]:
    """Forty projects with outcomes."""
    outcomes = write_fleet(folder / "projects", projects=40)
    here = audit_path(folder / "projects", outcomes_jsonl=outcomes)
    there = audit_path(folder / "projects", outcomes_jsonl=outcomes, engine=engine)
    return {
        "here": [[one.own_name, one.card["content_hash"]] for one in here],
        "there": [[one.own_name, one.card["content_hash"]] for one in there],
    }


def check_doors(engine: RayEngine, folder: Path) -> dict[str, Any]:
    """The same study by the command and from Python, on the cluster that is there."""
    file = folder / "doors.yaml"
    file.write_text(DOORS)
    words = ["study", str(file), "--ledger", "none", "--engine"]
    codes = []
    for name in ("local", "ray"):
        with redirect_stdout(StringIO()):
            codes.append(run([*words, name, "--out", str(folder / name)]))
    python = ab.study(file, out=folder / "python", ledger="none", engine="ray")
    command = [ab.load(folder / name) for name in ("local", "ray")]
    return {
        "codes": codes,
        "hashes": [_hashes(lives.documents) for lives in (*command, python)],
    }


def _hashes(documents: Sequence[dict[str, Any]]) -> list[str]:
    return sorted(str(document["content_hash"]) for document in documents)


CHECKS = (check_jobs, check_study, check_cap, check_fleet, check_doors)


def main() -> None:
    """Run all checks on one cluster of two cores."""
    folder = Path(sys.argv[1])
    told: dict[str, Any] = {}
    with RayEngine(workers=2) as engine:
        for check in CHECKS:
            told[check.__name__] = check(engine, folder)
    (folder / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main()
