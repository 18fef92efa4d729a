"""The plan of a life: sessions, probes and their gold, fixed by the seed before anything runs."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.pressure import Pressure
from agingbench.errors import InputError, UnknownName
from agingbench.records import Tool
from agingbench.text.values import Value
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import read_json

PLAN_FORMAT = "agingbench-plan/1"

# Every lifecycle event and the arguments it takes; what a memory supports of them is its own word.
LIFECYCLE_EVENTS: dict[str, dict[str, type]] = {
    "flush_history": {},
    "recompact": {},
    "partial_reset": {"ratio": float},
    "reduce_budget": {"words": int, "k": int},
    "prompt_update": {"prompt": str},
    "model_swap": {"model": str},
    "workspace_flush": {},
    "workspace_recompact": {},
    "schema_migration": {},
}


class LifecycleEvent(msgspec.Struct, frozen=True):
    """Something done to the agent's memory at a point, before that point's probes."""

    name: str
    at: int
    args: dict[str, Any] = {}

    def __str__(self) -> str:
        tail = ",".join(f"{k}={v}" for k, v in sorted(self.args.items()))
        return f"{self.name}@{self.at}" + (f":{tail}" if tail else "")


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the agent is asked to do; `expected` is succeed, flag, cite or none.

    `check` holds the tests of code that the reply is to contain, `solution` code that passes them.
    """

    id: str
    domain: str
    text: str
    fact: str
    expected: str
    check: str | None = None
    solution: str | None = None


class Session(msgspec.Struct, frozen=True):
    """What happens in one session: the material the agent reads, then the tasks it does."""

    index: int
    material: str
    tasks: list[Task]

    @property
    def text(self) -> str:
        """Everything the user says in this session, in order."""
        return "\n\n".join([self.material, *(task.text for task in self.tasks)])


class Probe(msgspec.Struct, frozen=True, omit_defaults=True):
    """One held-out question at one point, with the gold that holds then.

    `weight` is how many due facts the probe stands for in its stratum; only headline probes have
    one. `derivation` holds values that may stand in a right answer without being asked for.
    """

    id: str
    t: int
    type: str  # standalone, compare, trend, synthesize, multi_hop, hop, list, account
    mechanism: str
    question: str
    facts: list[str]
    required: list[Value]
    stale: list[Value] = []
    confusable: list[Value] = []
    derivation: list[Value] = []
    stratum: str | None = None
    weight: float | None = None
    lag: int | None = None
    depth: int | None = None
    span: int | None = None
    hop: int | None = None
    parent: str | None = None
    account: str | None = None
    whole: bool = False  # all required values or nothing

    @property
    def cluster(self) -> str:
        """What is resampled as one: the root fact, or the account."""
        return self.account or self.facts[0]


class Plan(msgspec.Struct, dict=True):
    """A whole life before it is lived. Holds no times; its hash is equal on every machine."""

    scenario: str
    scenario_version: str
    headline: str
    seed: int
    n_sessions: int
    preset: str
    pressure: Pressure
    events: list[LifecycleEvent]
    sessions: list[Session]
    probes: list[Probe]
    inspected: list[list[str]]  # per point, the facts that memory-text metrics look for
    graph: FactGraph
    format: str = PLAN_FORMAT

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical form."""
        return hashlib.sha256(self.encode()).hexdigest()

    def encode(self) -> bytes:
        return canonical_json(msgspec.to_builtins(self))

    def probes_at(self, point: int) -> list[Probe]:
        return self._by_point.get(point, [])

    @cached_property
    def _by_point(self) -> dict[int, list[Probe]]:
        points: dict[int, list[Probe]] = {}
        for probe in self.probes:
            points.setdefault(probe.t, []).append(probe)
        return points

    @cached_property
    def probe_by_id(self) -> dict[str, Probe]:
        return {probe.id: probe for probe in self.probes}

    def events_at(self, point: int) -> list[LifecycleEvent]:
        return [event for event in self.events if event.at == point]

    def summary(self) -> dict[str, Any]:
        """The plan in numbers, for people and scripts."""
        kinds: dict[str, int] = {}
        mechanisms: dict[str, int] = {}
        for probe in self.probes:
            kinds[probe.type] = kinds.get(probe.type, 0) + 1
            mechanisms[probe.mechanism] = mechanisms.get(probe.mechanism, 0) + 1
        return {
            "sessions": self.n_sessions,
            "points": self.n_sessions + 1,
            "tasks": sum(len(s.tasks) for s in self.sessions),
            "probes": len(self.probes),
            "probes_by_type": dict(sorted(kinds.items())),
            "probes_by_mechanism": dict(sorted(mechanisms.items())),
            **self.graph.summary(),
        }


def load_plan(path: Path) -> Plan:
    """A plan from its file."""
    raw = read_json(path)
    try:
        return msgspec.convert(raw, Plan)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not a plan of this version: {error}") from error


class Scenario(ABC):
    """Builds the plans of its lives and names its headline. No scenario has a runner of its own."""

    id: str
    version: str
    title: str
    headline: str
    track: str
    tier: int
    mechanisms: tuple[str, ...]
    default_sessions: int
    role: str  # what the agent is told it is
    own_dials: ClassVar[Mapping[str, tuple[type, float, float]]] = {}  # type, least, most
    own_defaults: ClassVar[Mapping[str, Any]] = {}  # of its own dials
    # What it prefers where the user says nothing.
    default_agent: str | None = None
    default_memory: str | None = None
    memory_defaults: ClassVar[Mapping[str, Any]] = {}  # options by name

    @abstractmethod
    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """The whole life under these dials."""

    @abstractmethod
    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """The tools that the agent is offered in a session."""

    def default_events(self, sessions: int) -> Sequence[str]:
        """The lifecycle events that it prefers, each as `name@point`."""
        return ()


def parse_events(specs: Iterable[str], sessions: int) -> list[LifecycleEvent]:
    """Reads events from `name@k` or `name@k:key=value,…`, where k is a point of the life."""
    events = []
    for spec in specs:
        head, _, tail = spec.strip().partition(":")
        name, at, raw_point = head.partition("@")
        if name not in LIFECYCLE_EVENTS:
            raise UnknownName("lifecycle event", name, LIFECYCLE_EVENTS)
        if not at or not raw_point.isdigit():
            raise InputError(f"event '{spec}': say when, as {name}@4")
        point = int(raw_point)
        if not 1 <= point <= sessions:
            raise InputError(f"event '{spec}': the point must lie between 1 and {sessions}")
        events.append(LifecycleEvent(name, point, _event_args(spec, name, tail)))
    return sorted(events, key=lambda e: (e.at, e.name))


def _event_args(spec: str, name: str, tail: str) -> dict[str, Any]:
    args: dict[str, Any] = {}
    for part in filter(None, tail.split(",")):
        key, _, value = part.partition("=")
        kinds = LIFECYCLE_EVENTS[name]
        if key not in kinds:
            raise (
                UnknownName(f"argument of {name}", key, kinds)
                if kinds
                else InputError(f"event '{spec}': {name} takes no arguments")
            )
        try:
            args[key] = kinds[key](value)
        except ValueError as error:
            raise InputError(f"event '{spec}': {key} must be {kinds[key].__name__}") from error
    return args


def make_plan(
    scenario: Scenario,
    pressure: Pressure,
    sessions: int,
    seed: int,
    events: Sequence[LifecycleEvent] = (),
    preset: str = "medium",
) -> Plan:
    """The plan of a scenario under these dials; `pressure` is made effective for the length here."""
    if not 1 <= sessions <= 10_000:
        raise InputError(f"sessions={sessions}: must lie between 1 and 10000")
    plan = scenario.plan(pressure.effective(sessions), sessions, seed)
    plan.events = list(events)
    plan.preset = preset
    return plan
