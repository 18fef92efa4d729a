"""A longer life: one that has ended goes on in a folder of its own, without doing again what was done."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agingbench.bench.cells import Means, live_cell, score_life
from agingbench.bench.compare import SUITE
from agingbench.bench.folders import recorded
from agingbench.bench.grid import scenario_of
from agingbench.bench.life import AnswerRow
from agingbench.bench.plan import Plan, Scenario, make_plan
from agingbench.bench.run import directory_of
from agingbench.bench.rundir import RunDirectory
from agingbench.errors import InputError
from agingbench.interfaces import Agent, Emit
from agingbench.records import Answer, Tool


class _Recalls:
    """An agent that does not ask again what it was asked at the point where its life goes on."""

    def __init__(self, agent: Agent, rows: Iterable[AnswerRow], questions: Mapping[str, str]) -> None:
        self._agent, self._lock = agent, threading.Lock()
        self._known: dict[str, list[AnswerRow]] = {}
        for row in rows:
            self._known.setdefault(questions[row.probe], []).append(row)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        self._known = {}  # the next session has begun
        return self._agent.act(text, tools, emit)

    def fork(self) -> Any:
        return _Fork(self._known, self._lock, self._agent.fork())


class _Fork:
    """A fork that answers from the record where it can."""

    def __init__(self, known: dict[str, list[AnswerRow]], lock: threading.Lock, agent: Agent) -> None:
        self._known, self._lock, self._agent = known, lock, agent

    def ask(self, question: str, context: str | None = None) -> Answer:
        with self._lock:
            rows = self._known.get(question)
            row = rows.pop(0) if rows else None
        if row is None:
            return self._agent.ask(question, context)
        status: Any = row.status
        return Answer(row.text, status, row.reason, row.context or "", row.usage)


def longer_plan(plan: Plan, scenario: Scenario, sessions: int) -> Plan:
    """The plan of the same life with more sessions; what was lived already must be its beginning."""
    n = plan.n_sessions
    if sessions <= n:
        raise InputError(f"--sessions {sessions}: the life has {n} sessions already; give more to extend it")
    longer = make_plan(scenario, plan.pressure, sessions, plan.seed, plan.events, plan.preset)
    same = (
        longer.scenario_version == plan.scenario_version
        and longer.sessions[:n] == plan.sessions
        and [p for p in longer.probes if p.t <= n] == plan.probes
        and longer.inspected[: n + 1] == plan.inspected
    )
    if not same:
        raise InputError(
            f"a life of {sessions} sessions does not begin like this one of {n} (scenario version "
            f"{plan.scenario_version}, now {scenario.version}); it cannot be extended"
        )
    return longer


def extend(path: Path, sessions: int, out: Path | None, means: Means,
           progress: Callable[[int], None] | None = None) -> tuple[Path, dict[str, Any]]:  # fmt: skip
    """Prolong a life that has ended, in a folder of its own; what was lived and asked is copied, not done again.

    The last point was asked without a session after it: its answers are kept, its session and all that follows are
    lived from the last snapshot. An event at that very point is suffered again, on the snapshot from before it.
    """
    run = RunDirectory(path)
    plan, cell = recorded(run)
    if not run.ended():
        raise InputError(f"{path}: this life has not ended; run it to its end before you extend it")
    longer = longer_plan(plan, scenario_of(cell.scenario), sessions)
    folder = out or path.resolve().parents[3]
    target = directory_of(folder, longer, cell.sut)
    if not target.path.exists():
        _copy_beginning(run, plan, longer, target.path)
    asked = [row for row in run.answer_rows() if row.t == plan.n_sessions]
    questions = {probe.id: probe.question for probe in plan.probes}
    at_seam = not (target.memory / f"{plan.n_sessions + 1}.json").exists()

    def around(agent: Agent) -> Agent:
        seam: Any = _Recalls(agent, asked, questions)
        return seam if at_seam else agent

    cell = replace(cell, sessions=sessions)
    live_cell(cell, folder, means, progress, plan=longer, around=around)
    return target.path, score_life(target.path)


def _copy_beginning(run: RunDirectory, plan: Plan, longer: Plan, target: Path) -> None:
    n = plan.n_sessions
    aside = target.with_name(f".{target.name}.extending")
    shutil.rmtree(aside, ignore_errors=True)
    new = RunDirectory(aside)
    new.memory.mkdir(parents=True)
    lines = run.trace.read_bytes().splitlines(keepends=True)
    wrote = [i for i, line in enumerate(lines) if f'"memory":"memory/{n}.json"'.encode() in line and b'"write"' in line]
    new.trace.write_bytes(b"".join(lines[: wrote[-1] + 1]))
    rows = run.answers.read_bytes().splitlines(keepends=True)
    new.answers.write_bytes(b"".join(rows[: sum(probe.t < n for probe in plan.probes)]))
    for file in sorted(run.memory.glob("*.json")):
        if file.stem != f"{n}_before":
            shutil.copyfile(file, new.memory / file.name)
    before = run.memory / f"{n}_before.json"
    if before.exists():
        shutil.copyfile(before, new.memory / f"{n}.json")
    shutil.copyfile(run.sut_file, new.sut_file)
    new.plan_file.write_bytes(longer.encode())
    if (run.path / SUITE).exists():
        shutil.copyfile(run.path / SUITE, aside / SUITE)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.rename(target)
