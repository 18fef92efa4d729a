"""Diagnosis: the probes of a life asked again on its snapshots, with oracle retrieval and with the
gold in context.

P1 `as_lived` is what the life answered. P2 `oracle_retrieval` puts the units of the agent's own
store that state what is asked for in the place of what its memory read; P3 `oracle_context` puts
the gold sentences there. Nothing else differs. Point 0 is left out: nothing was written or
retrieved yet, so there is no stage to blame. Where a lifecycle event happened, the conditions are
also asked on a fork of the memory as it was just before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import msgspec

from agingbench.bench.diagnosis.contexts import Store, oracle_context, oracle_retrieval
from agingbench.bench.life.actions import OF_THE_AGENT, Action, perform
from agingbench.bench.life.control import action_of
from agingbench.bench.life.lifecycle import memory_of
from agingbench.bench.life.transitions import MODEL_SWAP
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.bench.scoring.verdicts import judge
from agingbench.errors import InputError
from agingbench.interfaces import Agent
from agingbench.metrics.shares import (
    Rungs,
    StageShares,
    StoreChange,
    named_stage,
    shares,
    store_change,
)
from agingbench.records import Event, Usage
from agingbench.text.wording import count_tokens
from agingbench.trials.run_folder import CONTROLLER_ACTION, AnswerRow

P1 = "as_lived"
P2 = "oracle_retrieval"
P3 = "oracle_context"
CONDITIONS = {"P1": P1, "P2": P2, "P3": P3}
BEFORE = (  # behind a condition, and in a snapshot's name: on the memory as it was before the event
    "_before"
)
ABSTAINED = "abstained"
MAINTENANCE = "maintenance"

Job = tuple[str, Probe, str | None]  # condition, probe, context
States = Callable[[str], Mapping[str, Any]]  # "3" or "3_before" -> the agent's state
Keep = Callable[[AnswerRow], None]


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What the ladder says of a life: in all, by session, by mechanism, and around each lifecycle
    event.

    `mechanisms["maintenance"]` holds the probes asked at the points of events. `end_to_end`: the
    agent owns its loop, so the conditions replace its looking things up as a whole.
    """

    life: StageShares
    sessions: dict[int, StageShares]
    mechanisms: dict[str, StageShares]
    events: list[StoreChange]
    undisturbed: StageShares | None  # before the first event, in a life that has one
    end_to_end: bool
    excluded: dict[str, int]  # condition -> probes that failed in it, or were not asked
    usage: Usage

    @property
    def stage(self) -> str | None:
        """The stage that the evidence supports."""
        return named_stage(self.life, self.events, self.undisturbed)


def diagnose_life(
    plan: Plan,
    agent: Agent,
    answers: Sequence[AnswerRow],
    states: States | Mapping[str, Mapping[str, Any]],
    *,
    events: Iterable[Event] = (),
    done: Sequence[AnswerRow] = (),
    keep: Keep | None = None,
    workers: int = 1,
    swap: Callable[[str], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Diagnosis:
    """Diagnose a life that has ended, wherever it was kept.

    `agent` is built as the life's was when it began; its state is replaced. `states` gives the
    agent's state by the name of its snapshot ("3", "3_before"); `events`, the life's trace, is
    needed where a controller steered it. Rows in `done` are not asked again; `keep` gets each new
    one at once. `swap` puts another model into the agent, by name.
    """
    look = states if callable(states) else states.__getitem__
    asked = list(done)

    def take(row: AnswerRow) -> None:
        asked.append(row)
        if keep is not None:
            keep(row)

    steered: dict[int, list[Action]] = {}
    for at, action in _steering(events):
        steered.setdefault(at, []).append(action)
    for point in ask_ladder(plan, agent, answers, look, asked, take, workers, swap, steered):
        if progress is not None:
            progress(point)
    return diagnosis_of(plan, answers, asked, end_to_end=agent.owns_workspace)


# -- asking


def wanted_rows(plan: Plan) -> list[tuple[str, str]]:
    """(condition, probe) of every row that a whole diagnosis has, in its order; the rows at t of
    the plan's points.
    """
    out = []
    for t in range(1, plan.n_sessions + 1):
        names = [P1 + BEFORE, P2 + BEFORE, P3 + BEFORE] if plan.events_at(t) else []
        out += [(name, probe.id) for name in [*names, P2, P3] for probe in plan.probes_at(t)]
    return out


def in_order(plan: Plan, rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The rows of a diagnosis in the order of the plan; the last of equals counts."""
    found = {(row.condition, row.probe): row for row in rows}
    return [found[key] for key in wanted_rows(plan) if key in found]


def missing_rows(plan: Plan, rows: Iterable[AnswerRow]) -> list[tuple[str, str]]:
    """What is still to be asked."""
    found = {(row.condition, row.probe) for row in rows}
    return [key for key in wanted_rows(plan) if key not in found]


def ask_ladder(
    plan: Plan,
    agent: Agent,
    answers: Sequence[AnswerRow],
    states: States,
    done: Sequence[AnswerRow],
    take: Keep,
    workers: int = 1,
    swap: Callable[[str], None] | None = None,
    steered: Mapping[int, Sequence[Action]] | None = None,
) -> Iterator[int]:
    """Ask what is missing, point after point; yields each point when it is complete.

    `steered` holds what a controller did to the agent itself, by the point from which it holds.
    """
    have = {(row.condition, row.probe) for row in done if row.status != "failed"}
    limit = reading_limit(answers)
    store = Store()
    for t in range(1, plan.n_sessions + 1):
        for action in (steered or {}).get(t, ()):
            perform(action, agent)
        events = plan.events_at(t)
        sides = [(BEFORE, (P1, P2, P3))] if events else []
        for tail, conditions in [*sides, ("", (P2, P3))]:
            todo = [
                (c, p)
                for c in conditions
                for p in plan.probes_at(t)
                if (c + tail, p.id) not in have
            ]
            if todo:
                _load(agent, f"{t}{tail}", states)
                _ask(plan, agent, store, todo, tail, limit, take, workers)
            if tail:
                _swap_models([e.args["model"] for e in events if e.name == MODEL_SWAP], swap)
        yield t


def _load(agent: Agent, name: str, states: States) -> None:
    state = states(name)
    try:
        agent.load(dict(state))
    except (KeyError, TypeError, ValueError) as error:
        told = f"{type(error).__name__}: {error}"
        raise InputError(
            f"memory/{name}.json: this agent cannot take up the state that it holds ({told})"
        ) from error


def _steering(events: Iterable[Event]) -> list[tuple[int, Action]]:
    # What no snapshot holds; what was done before session 0 holds at point 1 too.
    found = [
        (max(1, (e.metadata or {})["at"]), action_of(e))
        for e in events
        if e.lifecycle == CONTROLLER_ACTION
    ]
    return [(at, action) for at, action in found if action.name in OF_THE_AGENT]


def _swap_models(names: Sequence[str], swap: Callable[[str], None] | None) -> None:
    for name in names:
        if swap is None:
            raise InputError(f"{MODEL_SWAP}: nobody here can build the model {name}")
        swap(name)


def _ask(
    plan: Plan,
    agent: Agent,
    store: Store,
    todo: Sequence[tuple[str, Probe]],
    tail: str,
    limit: int | None,
    take: Keep,
    workers: int,
) -> None:
    units = memory_of(agent).units()
    store.hold(units or ())

    def context(condition: str, probe: Probe) -> str | None:
        if condition == P1:
            return None
        return (
            oracle_context(plan, probe)
            if condition == P3
            else oracle_retrieval(store, plan, probe, limit)
        )

    jobs: list[Job] = []
    for condition, probe in todo:
        if condition == P2 and units is None:
            take(
                AnswerRow(
                    probe.t, probe.id, condition + tail, "", ABSTAINED, "the memory is one blob"
                )
            )
        elif condition == P1 and units is not None:
            # Only where W and R are joint does the change of the store rest on what was read.
            take(
                AnswerRow(
                    probe.t, probe.id, condition + tail, "", ABSTAINED, "the memory has units"
                )
            )
        else:
            jobs.append((condition + tail, probe, context(condition, probe)))
    ask_all(agent, jobs, take, workers)


def ask_all(agent: Agent, jobs: Sequence[Job], take: Keep, workers: int = 1) -> None:
    """Ask each of a fork of its own; `take` gets the answers as they come."""
    if workers <= 1 or len(jobs) < 2:
        for job in jobs:
            take(_answer(agent.fork(), *job))
        return
    pool = ThreadPoolExecutor(min(workers, len(jobs)))
    waiting = {pool.submit(_answer, agent.fork(), *job) for job in jobs}
    try:
        for future in as_completed(list(waiting)):
            waiting.discard(future)
            take(future.result())
    finally:
        pool.shutdown(cancel_futures=True)
        for (
            future
        ) in waiting:  # somebody else's call broke; what was answered meanwhile is not lost
            if not future.cancelled() and future.exception() is None:
                take(future.result())


def _answer(fork: Agent, condition: str, probe: Probe, context: str | None) -> AnswerRow:
    begin = time.perf_counter()
    answer = fork.ask(probe.question, context)
    took = (time.perf_counter() - begin) * 1000
    return AnswerRow(
        probe.t,
        probe.id,
        condition,
        answer.text,
        answer.status,
        answer.reason,
        context,
        answer.usage,
        took,
    )


def reading_limit(answers: Iterable[AnswerRow]) -> int | None:
    """The most tokens that the agent had in front of it at a probe as lived; None where that is not
    known.
    """
    read = [
        count_tokens(row.context)
        for row in answers
        if row.condition == P1 and row.context and row.t > 0
    ]
    return max(read, default=None)


# -- what it means


class _Ladder:
    """Every probe of a life with what it was worth under each condition."""

    def __init__(self, plan: Plan, rows: Iterable[AnswerRow]) -> None:
        self.plan = plan
        self.probes = [probe for probe in plan.probes if probe.t > 0]
        self.marks: dict[tuple[str, str], float | None] = {}
        self.abstained: set[tuple[str, str]] = set()
        for row in rows:
            if row.status == ABSTAINED:
                self.abstained.add((row.condition, row.probe))
            else:
                self.marks[row.condition, row.probe] = judge(
                    plan.probe_by_id[row.probe], row, plan.graph
                )[1]

    def rungs(self, probe: Probe, tail: str = "") -> Rungs:
        one, two, three = (
            self.marks.get((condition + tail, probe.id)) for condition in (P1, P2, P3)
        )
        if (P1 + tail, probe.id) in self.abstained:
            one = two  # nothing rests on it where the memory has units
        return Rungs(
            probe.t,
            probe.cluster,
            probe.mechanism,
            one,
            two,
            three,
            (P2 + tail, probe.id) in self.abstained,
        )

    def change(self, t: int) -> StoreChange:
        """ΔS of the events at a point."""
        pairs = [(self.rungs(probe, BEFORE), self.rungs(probe)) for probe in self.plan.probes_at(t)]
        return store_change(" and ".join(str(event) for event in self.plan.events_at(t)), t, pairs)

    def excluded(self, condition: str) -> int:
        keys = ((condition, probe.id) for probe in self.probes)
        return sum(self.marks.get(key) is None and key not in self.abstained for key in keys)


def diagnosis_of(
    plan: Plan,
    answers: Iterable[AnswerRow],
    asked: Iterable[AnswerRow],
    *,
    end_to_end: bool = False,
) -> Diagnosis:
    """Diagnose a life from its answers as lived and those of the ladder."""
    extra = in_order(plan, asked)
    ladder = _Ladder(plan, [*(row for row in answers if row.condition == P1 and row.t > 0), *extra])
    points: dict[int, list[Rungs]] = {}
    mechanisms: dict[str, list[Rungs]] = {}
    for probe in ladder.probes:
        rungs = ladder.rungs(probe)
        points.setdefault(probe.t, []).append(rungs)
        mechanisms.setdefault(probe.mechanism, []).append(rungs)
    shocked = sorted({event.at for event in plan.events})
    if shocked:
        mechanisms[MAINTENANCE] = [rungs for t in shocked for rungs in points.get(t, [])]
    return Diagnosis(
        life=shares(rungs for found in points.values() for rungs in found),
        sessions={t: shares(found) for t, found in sorted(points.items())},
        mechanisms={name: shares(found) for name, found in sorted(mechanisms.items())},
        events=[ladder.change(t) for t in shocked],
        undisturbed=(
            shares(r for t in points if t < shocked[0] for r in points[t]) if shocked else None
        ),
        end_to_end=end_to_end,
        excluded={condition: ladder.excluded(condition) for condition in (P1, P2, P3)},
        usage=sum((row.usage for row in extra), Usage()),
    )
