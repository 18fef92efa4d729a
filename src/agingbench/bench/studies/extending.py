"""Prolongs a life that has ended, in a folder of its own, without living its beginning again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.places import directory_of, life_name, out_of
from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan, Scenario, make_plan
from agingbench.bench.plan.selection import select_probes
from agingbench.bench.scoring.files import check_answers
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.files import private_folder, write_atomic
from agingbench.trials.declarations import UNDECLARED
from agingbench.trials.run_folder import (
    CONTROLLER_ACTION,
    LIFE_END,
    SIGNALS,
    WRITE,
)


def longer_plan(
    plan: Plan,
    scenario: Scenario,
    sessions: int,
) -> Plan:
    """Make the plan of the same life with more sessions.

    Raises InputError where there are not more sessions, or where the new plan does not begin with
    the old one.
    """
    n = plan.n_sessions
    if sessions <= n:
        raise InputError(
            f"--sessions {sessions}: the life has {n} sessions already; give more to extend it"
        )

    longer = make_plan(
        scenario,
        plan.pressure,
        sessions,
        plan.seed,
        plan.events,
        plan.preset,
    )
    longer = select_probes(longer, plan.asked)
    early_probes = [probe for probe in longer.probes if probe.t <= n]
    same_beginning = (
        longer.scenario_version == plan.scenario_version
        and longer.sessions[:n] == plan.sessions
        and early_probes == plan.probes
        and longer.inspected[: n + 1] == plan.inspected
    )
    if not same_beginning:
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
    *,
    trust: bool = False,
    ledger: str | None = None,
) -> Life:
    """Prolong a life that has ended, in a folder of its own, and return the longer life.

    What was lived and asked is copied, not repeated. The last point had its events and probes but
    no session: those are taken over, and living goes on with its session. Raises InputError where
    the life has not ended or its files are damaged, and UntrustedFile where they name code.
    """
    life = Life.open(path, trust=trust)
    run = life.folder
    if not run.ended():
        raise InputError(f"{path}: this life has not ended; run it to its end before you extend it")
    check_answers(run, life.plan, run.answer_rows())
    run.snapshot(life.plan.n_sessions)  # raises where the copy would begin from a broken memory

    plan = longer_plan(life.plan, life.scenario, sessions)
    target = directory_of(out or out_of(path, life.plan), plan, life.sut)
    if not target.path.exists():
        _copy_beginning(run, life.plan, plan, target.path)
    longer = Life(
        plan,
        life.scenario,
        life.sut,
        target,
        suite=life.suite,
        ledger=ledger,
    )
    longer.live(resources, progress, begun=_last_point(run, life.plan))
    return longer


def _last_point(run: RunDirectory, plan: Plan) -> Transition:
    """The events, answers and memory states of the last transition, without the end of the life."""
    n = plan.n_sessions
    all_events = run.events()
    own_events = all_events[_count_earlier(all_events, n) :]
    events = [event for event in own_events if event.lifecycle != LIFE_END]

    answers = []
    for row in run.answer_rows():
        if row.t == n and row.condition == "as_lived":
            answers.append(row)

    snapshots = {}
    if plan.events_at(n):
        snapshots[f"{n}_before.json"] = run.before(n)
        snapshots[f"{n}.json"] = run.snapshot(n)
    return Transition(n, events, answers, snapshots)


def _count_earlier(events: Sequence[Event], n: int) -> int:
    """How many events were recorded before transition n: those up to the write of session n - 1,
    and what a controller did after it.
    """
    writes = []
    for i, event in enumerate(events):
        if event.lifecycle == WRITE and event.session == n - 1:
            writes.append(i)

    end = max(writes) + 1
    while end < len(events) and events[end].lifecycle in (SIGNALS, CONTROLLER_ACTION):
        end += 1
    return end


def _copy_beginning(
    run: RunDirectory,
    plan: Plan,
    longer: Plan,
    target: Path,
) -> None:
    """Copy everything before the last transition to the folder of the longer life."""
    n = plan.n_sessions
    aside = target.with_name(f".{target.name}.extending")
    shutil.rmtree(aside, ignore_errors=True)
    copy = RunDirectory(aside)
    private_folder(aside)
    private_folder(copy.memory)
    copy.begin(life_name(longer, run.sut().sut_id), UNDECLARED)  # another trial than the first

    events = run.events()
    lines = run.trace.read_bytes().splitlines(keepends=True)
    header = len(lines) - len(events)  # the line that names the format
    lines = lines[: header + _count_earlier(events, n)]
    write_atomic(copy.trace, b"".join(lines))

    answers = run.answers.read_bytes().splitlines(keepends=True)
    earlier_probes = sum(probe.t < n for probe in plan.probes)
    write_atomic(copy.answers, b"".join(answers[:earlier_probes]))

    for file in sorted(run.memory.glob("*.json")):
        if file.stem != f"{n}_before":
            write_atomic(copy.memory / file.name, file.read_bytes())
    before = run.memory / f"{n}_before.json"
    if before.exists():
        write_atomic(copy.memory / f"{n}.json", before.read_bytes())

    write_atomic(copy.sut_file, run.sut_file.read_bytes())
    write_atomic(copy.plan_file, longer.encode())
    if run.suite_file.exists():
        write_atomic(copy.suite_file, run.suite_file.read_bytes())
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.rename(target)
