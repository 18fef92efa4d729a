"""When too few calls came back: the life stops, and what failed is asked again at the next start.

A transition counts if at least half of its probes were answered and half of its tasks were done.
One that does not is not committed. So a life under an outage stops before it, is `incomplete`, and
continues there. Single probes that failed stay `failed` until the life is started again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import msgspec

from agingbench.bench.life.actions import perform
from agingbench.bench.life.control import agent_actions
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.lifecycle import fork_of, memory_of, take_up, update_role
from agingbench.bench.life.transitions import MODEL_SWAP, Transition
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.errors import Outage
from agingbench.interfaces import Agent
from agingbench.records import Event
from agingbench.traces.files import write_atomic
from agingbench.trials.run_folder import AnswerRow

ENOUGH = 0.5  # of the probes, and of the tasks, of one transition
AS_LIVED = "as_lived"
FAILED = "failed"


def check_answered(transition: Transition) -> None:
    """Raise Outage where more than half of the probes or of the tasks of a transition failed."""
    failures = [row.reason or "" for row in transition.answers if row.status == FAILED]
    _check("probes", transition.t, len(transition.answers), failures)

    n_tasks, failed_tasks = _tasks(transition.events)
    _check("tasks", transition.t, n_tasks, failed_tasks)


def _check(what: str, t: int, total: int, failures: Sequence[str]) -> None:
    if len(failures) > total * (1 - ENOUGH):
        raise Outage(
            f"{len(failures)} of {total} {what} at t = {t} failed, so the life stops before them;"
            f" the first reason: {failures[0]}"
        )


def _tasks(events: Iterable[Event]) -> tuple[int, list[str]]:
    """How many tasks a session had, and why each of those that failed did."""
    tasks = set()
    reasons: dict[str, str] = {}
    for event in events:
        about = event.metadata or {}
        if "task" in about:
            tasks.add(about["task"])
            if FAILED in about:
                reasons[about["task"]] = about[FAILED]
    return len(tasks), list(reasons.values())


# -- asking again


def has_failed_answers(run: RunDirectory) -> bool:
    """Whether a probe of a life is `failed`; quick, since every start of a study wants to know."""
    # Quotes inside an answer's text are escaped, so this is never part of one.
    return run.answers.exists() and b'"status":"failed"' in run.answers.read_bytes()


def ask_failed_again(
    run: RunDirectory,
    plan: Plan,
    agent: Agent,
    *,
    workers: int,
    swap: Callable[[str], None],
) -> int:
    """Ask the failed probes of an ended life again, each from the memory of its point.

    `agent` is as it was before the life; `swap` puts another model into it, by name. Returns how
    many were answered.
    """
    rows = run.answer_rows()
    failed = {row.probe for row in rows if row.status == FAILED and row.condition == AS_LIVED}
    answers: dict[str, AnswerRow] = {}
    for t, probes in _restored_points(run, plan, agent, failed, swap):
        for row in _ask(plan, agent, t, probes, workers):
            if row.status != FAILED:
                answers[row.probe] = row

    if answers:
        merged = [answers.get(row.probe, row) for row in rows]
        write_atomic(run.answers, b"".join(msgspec.json.encode(row) + b"\n" for row in merged))
    return len(answers)


def _restored_points(
    run: RunDirectory,
    plan: Plan,
    agent: Agent,
    failed: set[str],
    swap: Callable[[str], None],
) -> Iterator[tuple[int, list[Probe]]]:
    """Yield each point with its failed probes, with the agent as it was there."""
    actions = agent_actions(run.events())
    for t in range(plan.n_sessions + 1):
        for action in actions.get(t, ()):
            perform(action, agent)
        for event in plan.events_at(t):
            update_role(event, agent)
            if event.name == MODEL_SWAP:
                swap(event.args["model"])

        probes = [probe for probe in plan.probes_at(t) if probe.id in failed]
        if probes:
            # Who owns a workspace was asked for day one after its first write.
            state = max(t, 1) if agent.owns_workspace else t
            take_up(agent, run.snapshot(state).state)
            yield t, probes


def _ask(
    plan: Plan, agent: Agent, t: int, probes: Sequence[Probe], workers: int
) -> Iterator[AnswerRow]:
    on_day_one = t == 0 and not agent.owns_workspace
    context = plan.sessions[0].text if on_day_one else None
    keep_context = context is None and memory_of(agent).units() is not None

    def ask(probe: Probe, fork: Agent) -> AnswerRow:
        begin = time.perf_counter()
        with closing(fork):
            answer = fork.ask(probe.question, context)
        return AnswerRow(
            t,
            probe.id,
            AS_LIVED,
            answer.text,
            answer.status,
            answer.reason,
            answer.context if keep_context else None,
            answer.usage,
            (time.perf_counter() - begin) * 1000,
            asked_again=True,
        )

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(ask, probes, [fork_of(agent) for _ in probes])
