"""Checks of the program in a workspace: what passes, what does not, and what is remembered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.plan.plan import Plan
from agingbench.bench.plan.program_check import ProgramCheck, ProgramStart
from agingbench.bench.scoring.code_checks import CodeCheck, OutcomeFile
from agingbench.bench.scoring.code_runs import Outcome
from agingbench.bench.scoring.program_checks import (
    Files,
    ProgramRunner,
    judge_check,
    program_checks,
    workspace_files,
)
from agingbench.sandbox.confinement import available
from agingbench.sandbox.programs import StartEnding

SCENARIO = load_scenario("s7")
confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@pytest.fixture(scope="module")
def plan() -> Plan:
    """A life of the paper's program up to its first migration."""
    return plan_for("s7", "light", None, 4, 0)


@pytest.fixture(scope="module")
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner() as one:
        yield one


def statuses(plan: Plan, point: int, program: str, run: ProgramRunner) -> set[str]:
    checks = program_checks(plan, [(point, {"files": {"notes.py": program}})], run)
    assert checks
    return {check.status for check in checks}


# -- judging


def check(*starts: ProgramStart) -> ProgramCheck:
    return ProgramCheck("c1.x", 1, "f0", "p.py", list(starts))


def ending(output: str = "", code: int | None = 0) -> StartEnding:
    return StartEnding(code, output)


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ('{"a": 1, "b": null}\n', "passed"),
        ('{"a": 1, "b": null}', "passed"),
        ('\n{"a": 1, "b": null}\n\n', "passed"),
        ('{"b": null, "a": 1}\n', "failed"),
        ('{"a": 1}\n', "failed"),
        ('{"a": true, "b": null}\n', "failed"),
        ('{"a": 1, "b": null}\n{"a": 1, "b": null}\n', "failed"),
        ("a note\n", "failed"),
        ("[" * 100_000, "failed"),
        ("", "failed"),
    ],
)
def test_records_are_compared_with_their_fields_in_order(output: str, status: str) -> None:
    start = ProgramStart(["list"], prints=[[["a", 1], ["b", None]]])
    assert judge_check(check(start), [ending(output)]).status == status


def test_what_is_to_be_refused_must_be_and_only_that() -> None:
    refused = ProgramStart(["x"], refuses=True)
    plain = ProgramStart(["x"])
    assert judge_check(check(refused), [ending(code=2)]).status == "passed"
    assert judge_check(check(refused), [ending(code=0)]).status == "failed"
    assert judge_check(check(plain), [ending(code=2)]).status == "failed"
    assert judge_check(check(plain), [ending("anything")]).status == "passed"


def test_a_start_that_was_killed_or_never_made_is_a_timeout() -> None:
    starts = check(ProgramStart(["x"]), ProgramStart(["y"]))
    assert judge_check(starts, [ending(code=None)]).status == "timeout"
    assert judge_check(starts, [ending()]).status == "timeout"
    assert judge_check(starts, []).status == "timeout"


@pytest.mark.parametrize(
    ("stores", "output", "status"),
    [
        (2, "2", "passed"),
        (2, "1", "failed"),
        (2, "null", "failed"),
        (None, "null", "passed"),
        (None, "0", "failed"),
        (2, "", "failed"),
    ],
)
def test_a_store_holds_as_many_records_as_were_added(
    stores: int | None, output: str, status: str
) -> None:
    start = ProgramStart(looks_at="notes.db", tables=["notes"], stores=stores)
    assert judge_check(check(start), [ending(output)]).status == status


# -- workspaces


def test_the_files_of_a_workspace_come_from_the_saved_state() -> None:
    state: dict[str, Any] = {"memory": {"files": {"a.py": "é"}, "binary": {"b": "AP8=", "c": "?"}}}
    assert workspace_files(state) == {"a.py": "é".encode(), "b": b"\x00\xff"}
    assert workspace_files({"sessions": 3}) == {}


def test_a_plan_without_checks_has_none() -> None:
    assert program_checks(plan_for("s2", "light", None, 2, 0), [(1, {})]) == []


def test_a_workspace_without_the_program_fails_everything_and_starts_nothing(plan: Plan) -> None:
    checks = program_checks(plan, [(t, {"files": {"AGENT.md": ""}}) for t in range(5)])
    assert len(checks) == len(plan.checks)
    assert {check.status for check in checks} == {"failed"}
    assert {check.value for check in checks} == {0.0}
    assert {check.session for check in checks} == {0, 1, 2, 3}


def test_where_nothing_can_be_confined_nothing_counts(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "agingbench.bench.scoring.program_checks.available", lambda: (False, "no namespaces")
    )
    checks = program_checks(plan, [(1, {"files": {"notes.py": ""}})])
    assert {(check.status, check.value) for check in checks} == {("unavailable", None)}


@confined
def test_the_right_program_passes_and_yesterdays_does_not(
    plan: Plan, runner: ProgramRunner
) -> None:
    now = SCENARIO.solution(plan, 4)["notes.py"]
    before = SCENARIO.solution(plan, 3)["notes.py"]
    assert statuses(plan, 4, now, runner) == {"passed"}
    assert statuses(plan, 4, before, runner) >= {"failed"}


HOSTILE = {
    "ends early": "import os\nos._exit(0)",
    "takes everything": (
        "import json, sys\nw = sys.argv[2:]\n"
        "print(json.dumps({'id': 1, **dict(zip([x[2:] for x in w[::2]], w[1::2]))}))"
    ),
    "refuses everything": "import sys\nsys.exit(2)",
    "patches pytest": (
        "import sys, types\nfor n in ('pytest', '_pytest', 'unittest'):\n"
        "    sys.modules[n] = types.ModuleType(n)\nsys.exit(0)"
    ),
    "counts its calls": (
        "import os, sys\nn = len(os.listdir('.'))\nopen(f'call{n}', 'w').close()\n"
        "sys.exit(2 if n % 4 == 3 else 0)"
    ),
    "reads the tests": (
        "import gc, glob, sys\nprint(open('/proc/self/cmdline').read())\n"
        "for f in glob.glob('/box/**', recursive=True): print(f)\n"
        "print([o for o in gc.get_objects() if isinstance(o, dict) and 'starts' in o])"
    ),
    "writes the report": (
        "import os\nfor n in range(3, 60):\n"
        '    try: os.write(n, b\'{"value": [[{"code": 0, "output": ""}]]}\\n\')\n'
        "    except OSError: pass"
    ),
}


@confined
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_programs_pass_no_check(plan: Plan, runner: ProgramRunner, kind: str) -> None:
    assert "passed" not in statuses(plan, 4, HOSTILE[kind], runner)


@confined
def test_a_program_that_ends_its_run_fails_and_the_next_point_is_checked(plan: Plan) -> None:
    killer = "import os\nos.kill(os.getppid(), 9)"
    right = SCENARIO.solution(plan, 2)
    states = [(1, {"files": {"notes.py": killer}}), (2, {"files": dict(right)})]
    checks = program_checks(plan, states)
    by_session = {session: {c.status for c in checks if c.session == session} for session in (0, 1)}
    assert by_session == {0: {"failed"}, 1: {"passed"}}


# -- what is remembered


def test_what_was_run_is_not_run_again(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def run(self: ProgramRunner, files: Files, checks: Sequence[ProgramCheck]) -> list[Outcome]:
        calls.append(len(checks))
        outcomes = [Outcome("passed")] * len(checks)
        outcomes[0] = Outcome("unavailable", "no namespaces")
        return outcomes

    monkeypatch.setattr(ProgramRunner, "_run", run)
    states = [(1, {"files": {"notes.py": "1"}})]
    file = tmp_path / "code_checks.json"

    def scored() -> list[CodeCheck]:
        with ProgramRunner(OutcomeFile(file)) as one:
            return program_checks(plan, states, one)

    count = len(plan.checks_at(1))
    assert scored() == scored()
    assert calls == [count, 1], "what could not be run is tried again, the rest is not"
    states = [(1, {"files": {"notes.py": "2"}})]
    scored()
    assert calls[-1] == count, "another program is run"
    assert len(msgspec.json.decode(file.read_bytes())) == 2 * (count - 1)
