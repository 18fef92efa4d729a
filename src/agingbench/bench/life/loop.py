"""The one session loop: lives a plan with an agent, unit by unit, into whatever keeps the record.

Unit t is everything from M_t to M_{t+1}: the lifecycle events at t, the probes at t, session t and
its write. The last unit, N, has no session. A unit is handed over whole, so a life that is stopped
continues at the last whole unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from agingbench.bench.life.background import Beside
from agingbench.bench.life.transitions import (
    CONTROL,
    LIFE_END,
    LIFE_START,
    MODEL_SWAP,
    OWNS_WORKSPACE,
    REDUCE_BUDGET,
    SIGNALS,
    WRITE,
    AnswerRow,
    InMemory,
    Keeper,
    Snapshot,
    Unit,
)
from agingbench.bench.plan.plan import LifecycleEvent, Plan, Scenario, Session
from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Agent, Memory
from agingbench.models.metered import Metered
from agingbench.records import Event, Usage

# With what a life is kept and read, which lies in a module of its own.
__all__ = [
    "CONTROL",
    "LIFE_END",
    "LIFE_START",
    "MODEL_SWAP",
    "OWNS_WORKSPACE",
    "REDUCE_BUDGET",
    "SIGNALS",
    "WRITE",
    "AnswerRow",
    "InMemory",
    "Keeper",
    "Snapshot",
    "Unit",
    "check_events",
    "live",
    "memory_of",
    "memory_text",
]


class Controlling(Protocol):
    """What steers a life between its sessions: `bench.controller.Control`, which this loop need not
    know.
    """

    def resume(self, agent: Agent) -> None: ...
    def before_the_first(self) -> Sequence[Any]: ...
    def after(self, unit: Unit, before: str, now: str) -> tuple[Any, Sequence[Any]]: ...
    def perform(self, action: Any, agent: Agent) -> None: ...


def check_events(plan_events: Sequence[LifecycleEvent], agent: Agent) -> None:
    """Refuse events the agent or its memory cannot suffer, before anything runs.

    What a memory supports is its own word; one with a method `check(event, **args)` is asked about
    the arguments too.
    """
    lowest: dict[str, Any] = {}  # what earlier events leave of each budget
    for event in plan_events:
        if event.name == MODEL_SWAP:
            if "model" not in event.args:
                raise InputError(
                    f"event '{event}': say which, as {MODEL_SWAP}@{event.at}:model=NAME"
                )
            continue
        memory = memory_of(agent)
        if event.name not in memory.supports:
            can = ", ".join(sorted(memory.supports)) or "none"
            raise InputError(
                f"event '{event}': this memory policy cannot suffer it; it supports: {can}"
            )
        check = getattr(memory, "check", None)
        if check is not None:
            try:
                check(event.name, **event.args)
            except InputError as error:
                raise InputError(f"event '{event}': {error}") from error
        if event.name == REDUCE_BUDGET:
            for name, value in event.args.items():
                if value >= lowest.get(name, value + 1):
                    raise InputError(f"event '{event}': {name} is down to {lowest[name]} by then")
                lowest[name] = value


def memory_of(agent: Agent) -> Memory:
    """The memory an agent carries, for lifecycle events and snapshots."""
    memory = getattr(agent, "memory", None)
    if not isinstance(memory, Memory):
        raise InputError(
            f"agent {type(agent).__name__} has no `memory` that lifecycle events and metrics can"
            " reach"
        )
    return memory


def memory_text(memory: Memory) -> str:
    """All that a memory holds, as text: its units, or its one blob."""
    units = memory.units()
    return memory.read("") if units is None else "\n\n".join(unit.text for unit in units)


def live(
    plan: Plan,
    scenario: Scenario,
    agent: Agent,
    keeper: Keeper,
    *,
    meter: Metered | None = None,
    workers: int = 1,
    ahead: int = 0,
    enter: Callable[[int], None] | None = None,
    progress: Callable[[int], None] | None = None,
    about: dict[str, Any] | None = None,
    swap: Callable[[str], None] | None = None,
    control: Controlling | None = None,
    begun: Unit | None = None,
) -> None:
    """Live the plan to its end, from wherever the keeper says it stopped.

    `workers` is how many probes are asked at once, `ahead` how many units the life may go on before
    the answers of one are in and it is kept; `enter` is called before every unit and may raise to
    end the life there, `progress` after it was kept. `about` opens the trace of a new life; `swap`
    puts another model into the agent, by name; `control` steers the life between its sessions.
    `begun` is what was suffered and answered at a point before its session came to be lived: when
    the life goes on at that point, this is taken over and not done again.
    """
    check_events(plan.events, agent)
    start, state = keeper.resume(plan)
    if state is not None:
        agent.load(state)
    if control is not None and start > 0:
        control.resume(agent)
    for event in plan.events:
        if event.name == MODEL_SWAP and event.at < start and swap is not None:
            swap(event.args["model"])  # suffered before the life was stopped
    with Beside(keeper, workers=workers, ahead=ahead, meter=meter, progress=progress) as beside:
        living = _Living(plan, scenario, agent, meter, beside, about or {}, swap, control, begun)
        for t in range(start, plan.n_sessions + 1):
            if enter is not None:
                enter(t)
            beside.keep(living.unit(t))


class _Living:
    """One unit while it happens."""

    def __init__(
        self,
        plan: Plan,
        scenario: Scenario,
        agent: Agent,
        meter: Metered | None,
        beside: Beside,
        about: dict[str, Any],
        swap: Callable[[str], None] | None,
        control: Controlling | None = None,
        begun: Unit | None = None,
    ) -> None:
        self.plan = plan
        self.scenario = scenario
        self.agent = agent
        self.meter = meter
        self.beside = beside
        self.about = about
        self.swap = swap
        self.control = control
        self.begun = begun
        self.owns_workspace = bool(getattr(agent, OWNS_WORKSPACE, False))
        self.done: Unit

    def unit(self, t: int) -> Unit:
        """Unit t, lived; what was asked in it may still be on its way."""
        self.done = Unit(t, [], [], {})
        if t == 0:
            owns = {OWNS_WORKSPACE: True} if self.owns_workspace else {}
            about = {**self.about, **owns}
            self._emit(
                Event(step=0, role="meta", lifecycle=LIFE_START, metadata=about, timestamp=_now())
            )
            self._snapshot("0", 0)
            if self.control is not None:
                self._act(0, self.control.before_the_first())
        elif self.begun is not None and self.begun.t == t:
            self._take_over(self.begun)
        else:
            self._suffer(t)
            self._ask(t)
        if t == self.plan.n_sessions:
            self.beside.answered(self.done)
            self._emit(Event(step=0, role="meta", lifecycle=LIFE_END, timestamp=_now()))
            return self.done
        session = self.plan.sessions[t]
        before = memory_text(memory_of(self.agent)) if self.control is not None else ""
        self._session(session)
        if (
            t == 0 and not self.owns_workspace
        ):  # asked inside session 0, before anything was compacted
            self._ask(0, session.text)
        self._write(t)
        if t == 0 and self.owns_workspace:  # nobody compacts for it: day one is what it saved
            self._ask(0)
        if self.control is not None:
            self._steer(t, before, self.control)
        return self.done

    def _take_over(self, begun: Unit) -> None:
        self.done = Unit(begun.t, list(begun.events), list(begun.answers), dict(begun.snapshots))
        after = begun.snapshots.get(f"{begun.t}.json")
        if after is not None:
            self.agent.load(after.state)
        for event in self.plan.events_at(begun.t):
            if event.name == MODEL_SWAP:
                self._apply(event)

    def _steer(self, t: int, before: str, control: Controlling) -> None:
        self.beside.answered(self.done)
        signals, actions = control.after(
            self.done, before, self.done.snapshots[f"{t + 1}.json"].text
        )
        seen = {"signals": msgspec.to_builtins(signals)}
        self._emit(
            Event(
                step=0, role="meta", lifecycle=SIGNALS, session=t, metadata=seen, timestamp=_now()
            )
        )
        self._act(t + 1, actions)

    def _act(self, at: int, actions: Sequence[Any]) -> None:
        """Have a controller's actions done; they hold at point `at` and from there on."""
        if not actions or self.control is None:
            return
        self.done.snapshots[f"{at}_written.json"] = self.done.snapshots.pop(f"{at}.json")
        for action in actions:
            self._tally()
            self.control.perform(action, self.agent)
            usage, took = self._tally()
            told = {"action": action.name, "args": action.args, "reason": action.reason, "at": at}
            self._emit(
                Event(
                    step=0,
                    role="meta",
                    lifecycle=CONTROL,
                    session=max(at - 1, 0),
                    metadata=told,
                    usage=usage,
                    duration_ms=took,
                    timestamp=_now(),
                    memory=f"memory/{at}.json",
                )
            )
        self._snapshot(str(at), at)

    def _suffer(self, t: int) -> None:
        events = self.plan.events_at(t)
        if not events:
            return
        self.beside.settle()  # who was asked before the event answers as it was then
        self._snapshot(f"{t}_before", t)
        for event in events:
            self._tally()
            self._apply(event)
            usage, took = self._tally()
            self._emit(
                Event(
                    step=0,
                    role="meta",
                    lifecycle=event.name,
                    session=t,
                    metadata=dict(event.args) or None,
                    usage=usage,
                    duration_ms=took,
                    timestamp=_now(),
                    memory=f"memory/{t}.json",
                )
            )
        self._snapshot(str(t), t)

    def _apply(self, event: LifecycleEvent) -> None:
        if event.name != MODEL_SWAP:
            memory_of(self.agent).apply(event.name, **event.args)
        elif self.swap is None:
            raise InputError(f"event '{event}': nobody here can build another model")
        else:
            self.swap(event.args["model"])

    def _session(self, session: Session) -> None:
        tools = self.scenario.tools(self.plan, session.index)
        for number, task in enumerate(session.tasks):
            text = f"{session.material}\n\n{task.text}" if number == 0 else task.text

            def emit(event: Event, task_id: str = task.id) -> None:
                tagged = {**(event.metadata or {}), "task": task_id}
                self._emit(
                    msgspec.structs.replace(
                        event, session=session.index, metadata=tagged, timestamp=_now()
                    )
                )

            try:
                self.agent.act(text, tools, emit)
            except TransportError as error:
                emit(Event(step=0, role="meta", metadata={"failed": str(error)}))

    def _write(self, t: int) -> None:
        self._tally()
        self.agent.end_session()
        usage, took = self._tally()
        name = f"memory/{t + 1}.json"
        self._emit(
            Event(
                step=0,
                role="meta",
                lifecycle=WRITE,
                session=t,
                usage=usage,
                duration_ms=took,
                timestamp=_now(),
                memory=name,
            )
        )
        self._snapshot(str(t + 1), t + 1)

    def _ask(self, t: int, context: str | None = None) -> None:
        """Begin to ask the probes of a point: the session may go on beside them."""
        keep_context = context is None and memory_of(self.agent).units() is not None
        self.beside.ask(t, self.plan.probes_at(t), self.agent, context, keep_context)

    def _snapshot(self, name: str, t: int) -> None:
        state = msgspec.to_builtins(
            self.agent.dump()
        )  # a copy: what the memory does next must not reach back
        self.done.snapshots[f"{name}.json"] = Snapshot(t, state, memory_text(memory_of(self.agent)))

    def _emit(self, event: Event) -> None:
        event.step = len(self.done.events)
        self.done.events.append(event)

    def _tally(self) -> tuple[Usage | None, float | None]:
        return self.meter.take() if self.meter else (None, None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
