"""Runtime control: what a controller sees after each session, what it may do, and how that is done
and recorded.

After every session the controller is shown the signals of all sessions so far and names actions;
they take effect before the next point is asked, as a lifecycle event there would. Actions are
one-shot and persistent: the same action with the same arguments is taken once in a life and holds
from then on. No action is taken before `warmup` sessions have passed; a controller with `warmup` 0
is asked before the first one too.

What a controller saw (`signals`) and what was done (`control`) stand in the trace as meta events of
their session, so a life that was stopped goes on from what is on disk, and an old one can be
audited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import yaml

from agingbench.bench.life.actions import OF_THE_AGENT, Action, perform
from agingbench.bench.life.controllers import ALIAS_ARGS, CONTROLLERS
from agingbench.bench.life.signals import Signals, signals_of, with_post_shock
from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan
from agingbench.errors import AgingBenchError, InputError, RunConflict, UnknownName
from agingbench.interfaces import Agent
from agingbench.records import Event
from agingbench.registry import without_folder
from agingbench.trials.run_folder import CONTROLLER_ACTION, SIGNALS

NONE = "none"  # the arm without a controller: the very life that was not asked for one
SCORED = "scored"
GOLD_FREE = "gold_free"
OTHERWISE = "the controller decides otherwise now than this life's trace says; give another --out"


class Controller(ABC):
    """Chooses actions from the signals of all sessions so far; equal signals give equal actions."""

    monitor: str  # `scored`, or `gold_free`: then no scores are shown
    warmup: int  # sessions before the first action
    may: Sequence[Action]  # every action that it can take, checked before the life

    @abstractmethod
    def decide(self, past: Sequence[Signals]) -> Sequence[Action]:
        """The actions to take now."""


# -- from a name to a controller


def build_controller(spec: str) -> Controller:
    """A controller from `NAME[:key=value,…]` or `module:Class[:key=value,…]`; every name and
    argument is checked.
    """
    name, args = _parse(spec)
    merged = {**ALIAS_ARGS.get(name, {}), **args}
    controller = CONTROLLERS.build(name, Controller, options=merged, spec=spec)
    if controller.monitor not in (SCORED, GOLD_FREE):
        raise InputError(
            f"controller '{spec}': monitor must be {SCORED} or {GOLD_FREE}, not"
            f" {controller.monitor!r}"
        )
    if type(controller.warmup) is not int or controller.warmup < 0:
        raise InputError(
            f"controller '{spec}': warmup must be a number of sessions, not {controller.warmup!r}"
        )
    return controller


def is_code(spec: str) -> bool:
    """Whether a controller is named by where its code lies; raises InputError for no name."""
    return ":" in _parse(spec)[0]


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    head, colon, tail = spec.strip().partition(":")
    known = [*CONTROLLERS.names(), *CONTROLLERS.aliases]
    if head not in known:
        named, _, tail = tail.partition(":")
        if not colon or "=" in named:
            raise UnknownName("controller", head, [NONE, *known])
        head = f"{head}:{named}"
    args: dict[str, Any] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise InputError(f"controller '{spec}': write arguments as key=value, not '{part}'")
        try:
            args[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InputError(f"controller '{spec}': the value of {key} cannot be read") from error
    return head, args


# -- in a life


class Steering:
    """A controller in one life: gathers the signals, asks, and remembers what was done."""

    def __init__(
        self,
        controller: Controller,
        plan: Plan,
        recorded: Callable[[], Iterable[Event]] | None = None,
    ):
        self.controller = controller
        self.plan = plan
        self.recorded = recorded
        self.past: list[Signals] = []
        self.taken: list[Action] = []

    def resume(self, agent: Agent) -> None:
        """Take up what the record says; a controller that would decide otherwise now is refused."""
        events = [
            e
            for e in (self.recorded() if self.recorded else ())
            if e.lifecycle in (SIGNALS, CONTROLLER_ACTION)
        ]
        wanted = [action.mark for action in self.before_the_first()]
        for event in events:
            if event.lifecycle == SIGNALS:
                self.past.append(_recorded(event, _Seen).signals)
                wanted += [action.mark for action in self._asked()]
            else:
                self.taken.append(action_of(event))
                if wanted[:1] != [self.taken[-1].mark]:
                    raise RunConflict(OTHERWISE)
                wanted.pop(0)
        if wanted:
            raise RunConflict(OTHERWISE)
        for action in self.taken:
            if action.name in OF_THE_AGENT:
                perform(action, agent)

    def before_the_first(self) -> list[Action]:
        """What to do before session 0."""
        return self._asked() if self.controller.warmup == 0 else []

    def after(
        self,
        transition: Transition,
        before: str,
        now: str,
        *,
        owns_files: bool = False,
    ) -> tuple[Signals, list[Action]]:
        """The signals of a session and what to do after it; `before` and `now` are the memory's
        texts around it, and `owns_files` says that the memory is the agent's own workspace.
        """
        scored = self.controller.monitor == SCORED
        signals = signals_of(
            self.plan, transition, before, now, scored=scored, owns_files=owns_files
        )
        signals = with_post_shock(self.plan, self.past, signals)
        self.past.append(signals)
        return signals, self._asked()

    def perform(self, action: Action, agent: Agent) -> None:
        """Do it and remember that it was done."""
        perform(action, agent)
        self.taken.append(action)

    def _asked(self) -> list[Action]:
        if len(self.past) and self.past[-1].session < self.controller.warmup:
            return []
        known = {action.mark for action in self.taken}
        new = []
        for action in self._decided():
            if action.mark not in known:
                known.add(action.mark)
                new.append(action)
        return new

    def _decided(self) -> list[Action]:
        try:
            actions = list(self.controller.decide(tuple(self.past)))
        except AgingBenchError:
            raise
        except (
            Exception
        ) as error:  # it may be the user's own: whatever it raises is told, not traced
            raise InputError(
                f"the controller failed with {type(error).__name__}: {error}"
            ) from error
        declared = {action.name for action in self.controller.may}
        for action in actions:
            if not isinstance(action, Action) or action.name not in declared:
                raise InputError(
                    f"the controller named {action!r}, which is no action that its `may` declares"
                )
        return actions


# -- on the card


class _Seen(msgspec.Struct):
    """What a `signals` event holds."""

    signals: Signals


class _Done(msgspec.Struct):
    """What a `control` event holds."""

    action: str
    at: int
    args: dict[str, Any] = {}
    reason: str = ""


R = TypeVar("R")


def _recorded(event: Event, kind: type[R]) -> R:
    try:
        return msgspec.convert(event.metadata, kind)
    except msgspec.ValidationError as error:
        raise InputError(
            f"trace: what session {event.session} says of its control cannot be read: {error}"
        ) from error


def action_of(event: Event) -> Action:
    """The action that a meta event of the trace records."""
    did = _recorded(event, _Done)
    return Action(did.action, did.args, did.reason)


def agent_actions(events: Iterable[Event]) -> dict[int, list[Action]]:
    """What a controller did to the agent itself, which no snapshot holds, by the first point at
    which it holds.
    """
    actions: dict[int, list[Action]] = {}
    for event in events:
        if event.lifecycle == CONTROLLER_ACTION:
            action = action_of(event)
            if action.name in OF_THE_AGENT:
                point = _recorded(event, _Done).at
                actions.setdefault(point, []).append(action)
    return actions


class ControlAction(msgspec.Struct, frozen=True, kw_only=True):
    """What a controller did: it holds at point `t` and from there on."""

    t: int
    session: int | None
    action: str
    args: dict[str, Any]
    reason: str


class ControlSection(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says of its controller: the arm, what it watched and what it did when."""

    arm: str
    monitor: str | None
    actions: list[ControlAction]


def control_section(spec: str, monitor: str | None, events: Iterable[Event]) -> ControlSection:
    """The section of a controller, from the events of the life that it steered."""
    actions = []
    for event in events:
        if event.lifecycle == CONTROLLER_ACTION:
            did = _recorded(event, _Done)
            action = ControlAction(
                t=did.at,
                session=event.session,
                action=did.action,
                args=did.args,
                reason=did.reason,
            )
            actions.append(action)
    return ControlSection(arm=without_folder(spec), monitor=monitor, actions=actions)
