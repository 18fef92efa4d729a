"""The one session loop: lives a plan with an agent, transition by transition.

Transition t is everything from M_t to M_{t+1}: the lifecycle events at t, the probes at t, session
t and its write. The last transition, N, has no session. A transition is committed whole, so a life
that is stopped continues after the last whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from agingbench.bench.life.acts import recorded_tools, request_text
from agingbench.bench.life.background import Background
from agingbench.bench.life.control import Steering
from agingbench.bench.life.lifecycle import (
    apply_to_memory,
    check_events,
    memory_of,
    memory_text,
    take_up,
    update_role,
)
from agingbench.bench.life.program_tool import program_tools
from agingbench.bench.life.transitions import MODEL_SWAP, Keeper, Transition
from agingbench.bench.plan.plan import LifecycleEvent, Plan, Scenario, Session, Task
from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Agent, Emit
from agingbench.models.metered import Metered
from agingbench.records import Event, Tool, Usage
from agingbench.trials.run_folder import (
    CONTROLLER_ACTION,
    LIFE_END,
    LIFE_START,
    SIGNALS,
    WRITE,
    LifeStart,
    Snapshot,
)


def live_plan(
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
    about: LifeStart | None = None,
    swap: Callable[[str], None] | None = None,
    steering: Steering | None = None,
    begun: Transition | None = None,
) -> None:
    """Live the plan to its end, from wherever the keeper says it stopped.

    `workers` is how many probes are asked at once, `ahead` how many transitions the life may be
    ahead of its record; `enter` is called before every transition and may raise to end the life
    there, `progress` after it was committed. `about` opens the trace of a new life; `swap`
    puts another model into the agent, by name; `steering` steers the life between its sessions.
    `begun` holds the events and answers of a point whose session is still to come: when the life
    goes on at that point, they are taken over and not repeated.
    """
    check_events(plan.events, agent)
    start, state = keeper.resume(plan)
    if state is not None:
        take_up(agent, state)
    if steering is not None and start > 0:
        steering.resume(agent)
    for event in plan.events:
        if event.at >= start:
            continue  # the others took place before the life was stopped
        update_role(event, agent)
        if event.name == MODEL_SWAP and swap is not None:
            swap(event.args["model"])
    with (
        Background(
            keeper, workers=workers, ahead=ahead, meter=meter, progress=progress
        ) as background,
        program_tools(plan, agent) as own_tools,
    ):
        living = _Living(
            plan, scenario, agent, meter, background, about or LifeStart(), swap, steering, begun
        )
        living.own_tools = own_tools
        for t in range(start, plan.n_sessions + 1):
            if enter is not None:
                enter(t)
            background.keep(living.transition(t))


class _Living:
    """The current transition of a life."""

    def __init__(
        self,
        plan: Plan,
        scenario: Scenario,
        agent: Agent,
        meter: Metered | None,
        background: Background,
        about: LifeStart,
        swap: Callable[[str], None] | None,
        steering: Steering | None = None,
        begun: Transition | None = None,
    ) -> None:
        self.plan = plan
        self.scenario = scenario
        self.agent = agent
        self.meter = meter
        self.background = background
        self.about = about
        self.swap = swap
        self.steering = steering
        self.begun = begun
        self.owns_workspace = agent.owns_workspace
        self.own_tools: Sequence[Tool] = ()
        self.done: Transition

    def transition(self, t: int) -> Transition:
        """Transition t, lived; what was asked in it may still be on its way."""
        self.done = Transition(t, [], [], {})
        if t == 0:
            about = self.about
            if self.owns_workspace:
                about = msgspec.structs.replace(about, owns_workspace=True)
            metadata = msgspec.to_builtins(about)
            self._emit(
                Event(
                    step=0, role="meta", lifecycle=LIFE_START, metadata=metadata, timestamp=_now()
                )
            )
            self._snapshot("0", 0)
            if self.steering is not None:
                self._act(0, self.steering.before_the_first())
        elif self.begun is not None and self.begun.t == t:
            self._take_over(self.begun)
        else:
            self._undergo(t)
            self._ask(t)
        if t == self.plan.n_sessions:
            self.background.answered(self.done)
            self._emit(Event(step=0, role="meta", lifecycle=LIFE_END, timestamp=_now()))
            return self.done
        session = self.plan.sessions[t]
        before = memory_text(memory_of(self.agent)) if self.steering is not None else ""
        self._session(session)
        if (
            t == 0 and not self.owns_workspace
        ):  # asked inside session 0, before anything was compacted
            self._ask(0, session.text)
        self._write(t)
        if t == 0 and self.owns_workspace:  # nobody compacts for it: day one is what it saved
            self._ask(0)
        if self.steering is not None:
            self._steer(t, before, self.steering)
        return self.done

    def _take_over(self, begun: Transition) -> None:
        self.done = Transition(
            begun.t, list(begun.events), list(begun.answers), dict(begun.snapshots)
        )
        after = begun.snapshots.get(f"{begun.t}.json")
        if after is not None:
            self.agent.load(after.state)
        for event in self.plan.events_at(begun.t):
            update_role(event, self.agent)
            if event.name == MODEL_SWAP:
                self._apply(event)

    def _steer(self, t: int, before: str, steering: Steering) -> None:
        self.background.answered(self.done)
        signals, actions = steering.after(
            self.done,
            before,
            self.done.snapshots[f"{t + 1}.json"].text,
            owns_files=self.owns_workspace,
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
        if not actions or self.steering is None:
            return
        self.done.snapshots[f"{at}_written.json"] = self.done.snapshots.pop(f"{at}.json")
        for action in actions:
            self._tally()
            self.steering.perform(action, self.agent)
            usage, took = self._tally()
            told = {"action": action.name, "args": action.args, "reason": action.reason, "at": at}
            self._emit(
                Event(
                    step=0,
                    role="meta",
                    lifecycle=CONTROLLER_ACTION,
                    session=max(at - 1, 0),
                    metadata=told,
                    usage=usage,
                    duration_ms=took,
                    timestamp=_now(),
                    memory=f"memory/{at}.json",
                )
            )
        self._snapshot(str(at), at)

    def _undergo(self, t: int) -> None:
        events = self.plan.events_at(t)
        if not events:
            return
        self.background.settle()  # who was asked before the event answers as it was then
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
            apply_to_memory(event, self.agent)
            update_role(event, self.agent)
        elif self.swap is None:
            raise InputError(f"event '{event}': nobody here can build another model")
        else:
            self.swap(event.args["model"])

    def _session(self, session: Session) -> None:
        tools = [*self.scenario.tools(self.plan, session.index), *self.own_tools]
        checkout = self.scenario.checkout(self.plan, session.index)
        if checkout is not None:
            memory_of(self.agent).check_out(checkout.folder, checkout.files)
        for number, task in enumerate(session.tasks):
            request = request_text(task, self.agent.uses_tools)
            text = f"{session.material}\n\n{request}" if number == 0 else request

            def emit(event: Event, task_id: str = task.id) -> None:
                tagged = {**(event.metadata or {}), "task": task_id}
                self._emit(
                    msgspec.structs.replace(
                        event, session=session.index, metadata=tagged, timestamp=_now()
                    )
                )

            try:
                self.agent.act(text, self._recorded(session, task, tools, emit), emit)
            except TransportError as error:
                emit(Event(step=0, role="meta", metadata={"failed": str(error)}))

    def _recorded(
        self, session: Session, task: Task, tools: Sequence[Tool], emit: Emit
    ) -> list[Tool]:
        return recorded_tools(self.scenario, self.plan, session.index, task, tools, emit)

    def _write(self, t: int) -> None:
        self._tally()
        self.agent.end_session()
        usage, took = self._tally()
        for file, data in self.agent.evidence().items():
            self.done.evidence[f"{t:03d}_{file}"] = data
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
        self.background.ask(t, self.plan.probes_at(t), self.agent, context, keep_context)

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
