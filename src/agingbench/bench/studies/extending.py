"""A life that has ended goes on in a folder of its own; what was lived is not lived again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.places import directory_of, out_of
from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan, Scenario, make_plan
from agingbench.bench.scoring.files import check_answers
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.trials.run_folder import CONTROLLER_ACTION, LIFE_END, SIGNALS, WRITE


def longer_plan(plan: Plan, scenario: Scenario, sessions: int) -> Plan:
    """The plan of the same life with more sessions; what was lived already must be its beginning."""
    n = plan.n_sessions
    if sessions <= n:
        raise InputError(
            f"--sessions {sessions}: the life has {n} sessions already; give more to extend it"
        )
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


def extend(
    path: Path,
    sessions: int,
    out: Path | None,
    resources: Resources,
    progress: Callable[[int], None] | None = None,
) -> Life:
    """Prolong a life that has ended, in a folder of its own, and return the longer life.

    What was lived and asked is copied, not repeated. The last point had its events and probes but no
    session: those are taken over, and living goes on with its session.
    """
    life = Life.open(path)
    run = life.folder
    if not run.ended():
        raise InputError(f"{path}: this life has not ended; run it to its end before you extend it")
    check_answers(run, life.plan, run.answer_rows())
    run.snapshot(life.plan.n_sessions)  # raises where the copy would begin from a broken memory

    plan = longer_plan(life.plan, life.scenario, sessions)
    target = directory_of(out or out_of(path, life.plan), plan, life.sut)
    if not target.path.exists():
        _copy_beginning(run, life.plan, plan, target.path)
    longer = Life(plan, life.scenario, life.sut, target, suite=life.suite)
    longer.live(resources, progress, begun=_last_point(run, life.plan))
    return longer


def _last_point(run: RunDirectory, plan: Plan) -> Transition:
    """What the last unit left behind but for the end of the life."""
    n = plan.n_sessions
    events = run.events()
    events = [event for event in events[_committed(events, n) :] if event.lifecycle != LIFE_END]
    rows = [row for row in run.answer_rows() if row.t == n and row.condition == "as_lived"]
    snapshots = {}
    if plan.events_at(n):
        snapshots = {f"{n}_before.json": run.before(n), f"{n}.json": run.snapshot(n)}
    return Transition(n, events, rows, snapshots)


def _committed(events: Sequence[Event], n: int) -> int:
    """How many events the units before the last wrote: up to the last write and what a controller
    did behind it.
    """
    end = (
        max(
            i
            for i, event in enumerate(events)
            if event.lifecycle == WRITE and event.session == n - 1
        )
        + 1
    )
    while end < len(events) and events[end].lifecycle in (SIGNALS, CONTROLLER_ACTION):
        end += 1
    return end


def _copy_beginning(run: RunDirectory, plan: Plan, longer: Plan, target: Path) -> None:
    n = plan.n_sessions
    aside = target.with_name(f".{target.name}.extending")
    shutil.rmtree(aside, ignore_errors=True)
    new = RunDirectory(aside)
    new.memory.mkdir(parents=True)
    lines = run.trace.read_bytes().splitlines(keepends=True)
    head = len(lines) - len(run.events())  # the line that names the format
    new.trace.write_bytes(b"".join(lines[: head + _committed(run.events(), n)]))
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
    if run.suite_file.exists():
        shutil.copyfile(run.suite_file, new.suite_file)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.rename(target)
