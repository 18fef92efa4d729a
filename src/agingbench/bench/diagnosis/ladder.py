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
from contextlib import closing
from typing import Any

import msgspec

from agingbench.bench.diagnosis.contexts import Store, oracle_context, oracle_retrieval
from agingbench.bench.life.actions import Action, perform
from agingbench.bench.life.control import agent_actions
from agingbench.bench.life.lifecycle import fork_of, memory_of, update_role
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
from agingbench.trials.run_folder import AnswerRow

P1 = "as_lived"
P2 = "oracle_retrieval"
P3 = "oracle_context"
CONDITIONS = {"P1": P1, "P2": P2, "P3": P3}
# Behind a condition, and in a snapshot's name: on the memory as it was before the event.
BEFORE = "_before"
ABSTAINED = "abstained"
MAINTENANCE = "maintenance"

Job = tuple[str, Probe, str | None]  # condition, probe, context
States = Callable[[str], Mapping[str, Any]]  # "3" or "3_before" -> the agent's state
Keep = Callable[[AnswerRow], None]


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What the ladder says of a life: in all, by session, by mechanism and by lifecycle event.

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
    state_of = states if callable(states) else states.__getitem__
    rows = list(done)

    def take(row: AnswerRow) -> None:
        rows.append(row)
        if keep is not None:
            keep(row)

    points = ask_ladder(
        plan,
        agent,
        answers,
        state_of,
        done=rows,
        take=take,
        workers=workers,
        swap=swap,
        actions=agent_actions(events),
    )
    for point in points:
        if progress is not None:
            progress(point)
    return diagnosis_of(plan, answers, rows, end_to_end=agent.owns_workspace)


# -- asking


def wanted_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return (condition, probe) of every row of a complete diagnosis, in the plan's order."""
    keys = []
    for t in range(1, plan.n_sessions + 1):
        conditions = [P2, P3]
        if plan.events_at(t):
            conditions = [P1 + BEFORE, P2 + BEFORE, P3 + BEFORE, P2, P3]
        for condition in conditions:
            keys += [(condition, probe.id) for probe in probes_with_gold(plan, t)]
    return keys


def probes_with_gold(plan: Plan, t: int) -> list[Probe]:
    """Return the probes of a point that ask for something that holds.

    What was taken back has no sentence that a memory should hold, so nothing can be put in front of
    the agent.
    """
    return [probe for probe in plan.probes_at(t) if probe.required]


def in_order(plan: Plan, rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """Return the rows of a diagnosis in the order of the plan; the last of equals counts."""
    by_key = {(row.condition, row.probe): row for row in rows}
    return [by_key[key] for key in wanted_rows(plan) if key in by_key]


def missing_rows(plan: Plan, rows: Iterable[AnswerRow]) -> list[tuple[str, str]]:
    """Return (condition, probe) of every row that a complete diagnosis still lacks."""
    keys = {(row.condition, row.probe) for row in rows}
    return [key for key in wanted_rows(plan) if key not in keys]


def ask_ladder(
    plan: Plan,
    agent: Agent,
    answers: Sequence[AnswerRow],
    states: States,
    done: Sequence[AnswerRow],
    take: Keep,
    workers: int = 1,
    swap: Callable[[str], None] | None = None,
    actions: Mapping[int, Sequence[Action]] | None = None,
) -> Iterator[int]:
    """Ask what is missing, point after point; yield each point when it is complete.

    `actions` is what a controller did to the agent itself, by the point from which it holds.
    """
    answered = {(row.condition, row.probe) for row in done if row.status != "failed"}
    limit = reading_limit(answers)
    store = Store()

    def ask(
        t: int,
        tail: str,
        conditions: Sequence[str],
    ) -> None:
        todo = [
            (condition, probe)
            for condition in conditions
            for probe in probes_with_gold(plan, t)
            if (condition + tail, probe.id) not in answered
        ]
        if todo:
            _load(agent, f"{t}{tail}", states)
            _ask(
                plan,
                agent,
                store,
                todo,
                tail,
                limit,
                take,
                workers,
            )

    for t in range(plan.n_sessions + 1):
        for action in (actions or {}).get(t, ()):
            perform(action, agent)
        if t == 0:
            continue

        events = plan.events_at(t)
        if events:
            ask(t, BEFORE, (P1, P2, P3))
            for event in events:
                update_role(event, agent)
            models = [event.args["model"] for event in events if event.name == MODEL_SWAP]
            _swap_models(models, swap)

        ask(t, "", (P2, P3))
        yield t


def _load(
    agent: Agent,
    name: str,
    states: States,
) -> None:
    state = states(name)
    try:
        agent.load(dict(state))
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"memory/{name}.json: this agent cannot take up the state that it holds ({reason})"
        ) from error


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

    jobs: list[Job] = []
    for condition, probe in todo:
        name = condition + tail
        if condition == P2 and units is None:
            take(_abstention(probe, name, "the memory is one blob"))
        elif condition == P2:
            jobs.append((name, probe, oracle_retrieval(store, plan, probe, limit)))
        elif condition == P3:
            jobs.append((name, probe, oracle_context(plan, probe)))
        elif units is not None:
            # Only where W and R are joint does the change of the store rest on what was read.
            take(_abstention(probe, name, "the memory has units"))
        else:
            jobs.append((name, probe, None))
    ask_all(agent, jobs, take, workers)


def _abstention(
    probe: Probe,
    condition: str,
    reason: str,
) -> AnswerRow:
    return AnswerRow(
        probe.t,
        probe.id,
        condition,
        "",
        ABSTAINED,
        reason,
    )


def ask_all(
    agent: Agent,
    jobs: Sequence[Job],
    take: Keep,
    workers: int = 1,
) -> None:
    """Ask each job of its own fork of the agent; `take` gets the answers as they come."""
    if workers <= 1 or len(jobs) < 2:
        for job in jobs:
            take(_answer(fork_of(agent), *job))
        return

    pool = ThreadPoolExecutor(min(workers, len(jobs)))
    waiting = {pool.submit(_answer, fork_of(agent), *job) for job in jobs}
    try:
        for future in as_completed(list(waiting)):
            waiting.discard(future)
            take(future.result())
    finally:
        pool.shutdown(cancel_futures=True)
        # Another call broke; what was answered meanwhile is not lost.
        for future in waiting:
            if not future.cancelled() and future.exception() is None:
                take(future.result())


def _answer(fork: Agent, condition: str, probe: Probe, context: str | None) -> AnswerRow:
    start = time.perf_counter()
    with closing(fork):
        answer = fork.ask(probe.prompt, context)
    milliseconds = (time.perf_counter() - start) * 1000
    return AnswerRow(
        probe.t,
        probe.id,
        condition,
        answer.text,
        answer.status,
        answer.reason,
        context,
        answer.usage,
        milliseconds,
    )


def reading_limit(answers: Iterable[AnswerRow]) -> int | None:
    """Return the most tokens that the agent read at a probe as lived; None if that is unknown."""
    sizes = []
    for row in answers:
        if row.condition == P1 and row.context and row.t > 0:
            sizes.append(count_tokens(row.context))
    return max(sizes, default=None)


# -- what it means


class _Ladder:
    """Every probe of a life with what it was worth under each condition."""

    def __init__(self, plan: Plan, rows: Iterable[AnswerRow]) -> None:
        self.plan = plan
        self.probes = [probe for probe in plan.probes if probe.t > 0 and probe.required]
        self.marks: dict[tuple[str, str], float | None] = {}
        self.abstained: set[tuple[str, str]] = set()
        for row in rows:
            key = row.condition, row.probe
            if row.status == ABSTAINED:
                self.abstained.add(key)
                continue
            probe = plan.probe_by_id[row.probe]
            _, self.marks[key] = judge(probe, row, plan.graph)

    def rungs(self, probe: Probe, tail: str = "") -> Rungs:
        one = self.marks.get((P1 + tail, probe.id))
        two = self.marks.get((P2 + tail, probe.id))
        three = self.marks.get((P3 + tail, probe.id))
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
        """Return how the events of a point changed the store (ΔS)."""
        names = [str(event) for event in self.plan.events_at(t)]
        pairs = []
        for probe in probes_with_gold(self.plan, t):
            pairs.append((self.rungs(probe, BEFORE), self.rungs(probe)))
        return store_change(" and ".join(names), t, pairs)

    def excluded(self, condition: str) -> int:
        """Count the probes that failed in a condition or were not asked."""
        count = 0
        for probe in self.probes:
            key = condition, probe.id
            if self.marks.get(key) is None and key not in self.abstained:
                count += 1
        return count


def diagnosis_of(
    plan: Plan,
    answers: Iterable[AnswerRow],
    rows: Iterable[AnswerRow],
    *,
    end_to_end: bool = False,
) -> Diagnosis:
    """Diagnose a life from its answers as lived and the rows of its ladder."""
    ladder_rows = in_order(plan, rows)
    life_rows = [row for row in answers if row.condition == P1 and row.t > 0]
    ladder = _Ladder(plan, [*life_rows, *ladder_rows])

    points: dict[int, list[Rungs]] = {}
    mechanisms: dict[str, list[Rungs]] = {}
    for probe in ladder.probes:
        rungs = ladder.rungs(probe)
        points.setdefault(probe.t, []).append(rungs)
        mechanisms.setdefault(probe.mechanism, []).append(rungs)

    undisturbed = None
    event_points = sorted({event.at for event in plan.events})
    if event_points:
        mechanisms[MAINTENANCE] = _together(points, event_points)
        undisturbed = shares(_together(points, [t for t in points if t < event_points[0]]))

    return Diagnosis(
        life=shares(_together(points, points)),
        sessions={t: shares(group) for t, group in sorted(points.items())},
        mechanisms={name: shares(group) for name, group in sorted(mechanisms.items())},
        events=[ladder.change(t) for t in event_points],
        undisturbed=undisturbed,
        end_to_end=end_to_end,
        excluded={condition: ladder.excluded(condition) for condition in (P1, P2, P3)},
        usage=sum((row.usage for row in ladder_rows), Usage()),
    )


def _together(points: Mapping[int, Sequence[Rungs]], chosen: Iterable[int]) -> list[Rungs]:
    rungs: list[Rungs] = []
    for t in chosen:
        rungs += points.get(t, ())
    return rungs
