"""The plan of a life: sessions, probes and their gold, fixed by the seed before anything runs."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from agingbench.bench.plan.acts import Act, ActRuling
from agingbench.bench.plan.code_test import CodeTest
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.program_check import ProgramCheck
from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.errors import InputError, UnknownName
from agingbench.records import Tool
from agingbench.text.forms import form_line
from agingbench.text.values import Value
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import read_json

PLAN_FORMAT = "agingbench-plan/1"
PAIRED = "paired"  # the stratum of look-alikes that were both told
RETRACTED = "retracted"  # the type of probes that ask for what was taken back
MOST_SESSIONS = 10_000

# Every lifecycle event and the arguments it takes; a memory declares which of them it supports.
LIFECYCLE_EVENTS: dict[str, dict[str, type]] = {
    "flush_history": {},
    "recompact": {},
    "partial_reset": {"ratio": float},
    "reduce_budget": {"words": int, "k": int},
    "prompt_update": {"prompt": str, "role": str},
    "model_swap": {"model": str},
    "workspace_flush": {},
    "workspace_recompact": {},
    "schema_migration": {},
    "dependency_bump": {},
    "python_bump": {},
    "branch_switch": {},
}


# Events that are a part of the plan: the scenario tells of them, and no memory undergoes them.
SCHEMA_MIGRATION = "schema_migration"
DEPENDENCY_BUMP = "dependency_bump"
PYTHON_BUMP = "python_bump"
BRANCH_SWITCH = "branch_switch"
TOLD_EVENTS = frozenset({SCHEMA_MIGRATION, DEPENDENCY_BUMP, PYTHON_BUMP, BRANCH_SWITCH})


class LifecycleEvent(msgspec.Struct, frozen=True):
    """Something done to the agent's memory at a point, before that point's probes."""

    name: str
    at: int
    args: dict[str, Any] = {}

    def __str__(self) -> str:
        head = f"{self.name}@{self.at}"
        if not self.args:
            return head
        tail = ",".join(f"{key}={value}" for key, value in sorted(self.args.items()))
        return f"{head}:{tail}"


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the agent is asked to do; `expected` is succeed, flag, cite or none.

    `asks` is the act that the text asks for; `cites` is the argument of it that the user leaves to
    the agent's memory, where it is to name the value of `fact`. `check` tests code that the
    reply is to contain (text in plans of version 1), `solution` is code that passes.
    """

    id: str
    domain: str
    text: str
    fact: str
    expected: str
    check: CodeTest | str | None = None
    solution: str | None = None
    asks: Act | None = None
    cites: str | None = None


class Session(msgspec.Struct, frozen=True):
    """What happens in one session: the material the agent reads, then the tasks it does."""

    index: int
    material: str
    tasks: list[Task]

    @property
    def text(self) -> str:
        """Everything the user says in this session, in order."""
        requests = [task.text for task in self.tasks]
        return "\n\n".join([self.material, *requests])


class Probe(msgspec.Struct, frozen=True, omit_defaults=True):
    """One held-out question at one point, with the gold that holds then.

    `weight` is how many due facts the probe stands for in its stratum; only headline probes have
    one. `derivation` holds values that may stand in a right answer without being asked for. `form`
    says how the answer is to be written; it is empty in plans of version 1, whose answers are free
    text. A form with several values has a label for each required value; a choice also has its
    options and the right one of them. A probe of something that was taken back requires nothing.
    """

    id: str
    t: int
    type: str  # standalone, compare, trend, synthesize, multi_hop, hop, list, account, retracted
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
    form: str = ""  # value, amount, choice, list, pairs
    labels: list[str] = []
    options: list[str] = []
    choice: str = ""

    @property
    def prompt(self) -> str:
        """What the agent is asked: the question and the line that asks for the answer's form."""
        if not self.form:
            return self.question
        return f"{self.question} {form_line(self.form, self.labels, self.options)}"

    @property
    def asks_history(self) -> bool:
        """Whether the answer needs the first value of a fact besides the current one."""
        return self.type == "trend" and bool(self.form)

    @property
    def cluster(self) -> str:
        """What is resampled as one: the root fact, or the account."""
        return self.account or self.facts[0]


class Plan(msgspec.Struct, dict=True):
    """A whole life before it is lived; its hash is equal on every machine."""

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
    asked: str = ""  # which of the probes are asked (`--probes`); empty: all
    checks: list[ProgramCheck] = []  # of the program in the agent's workspace, point by point
    chain: str = ""  # whose tickets the agent works on
    tickets: list[TicketCheck] = []  # of its work on them, point by point

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical form."""
        return hashlib.sha256(self.encode()).hexdigest()

    def encode(self) -> bytes:
        """Return the canonical JSON of the plan."""
        document = msgspec.to_builtins(self)
        # Plans of version 1 had none of these fields and keep their hashes.
        for account in document["graph"]["accounts"]:
            _drop_defaults(account, passage="", unit="$")
        for fact in document["graph"]["facts"]:
            _drop_defaults(fact, retraction_passage="")
        _drop_defaults(document["pressure"], decoys_per_session=0)
        _drop_defaults(document, asked="")  # a plan of all probes reads as it always did
        if not self.checks:
            del document["checks"]
        if not self.tickets:
            del document["chain"], document["tickets"]
        return canonical_json(document)

    def probes_at(self, point: int) -> list[Probe]:
        """Return the probes of a point, in plan order."""
        return self._by_point.get(point, [])

    @cached_property
    def _by_point(self) -> dict[int, list[Probe]]:
        points: dict[int, list[Probe]] = {}
        for probe in self.probes:
            points.setdefault(probe.t, []).append(probe)
        return points

    def checks_at(self, point: int) -> list[ProgramCheck]:
        """Return the checks of the agent's program at a point, in plan order."""
        return [check for check in self.checks if check.t == point]

    def tickets_at(self, point: int) -> list[TicketCheck]:
        """Return the checks of the agent's work on its ticket at a point, in plan order."""
        return [check for check in self.tickets if check.t == point]

    @property
    def checks_workspace(self) -> bool:
        """Whether what lies in the agent's workspace is executed or read at every point."""
        return bool(self.checks or self.tickets)

    @cached_property
    def probe_by_id(self) -> dict[str, Probe]:
        """Probes by their id."""
        return {probe.id: probe for probe in self.probes}

    def events_at(self, point: int) -> list[LifecycleEvent]:
        """Return the lifecycle events of a point."""
        return [event for event in self.events if event.at == point]

    def summary(self) -> dict[str, int | dict[str, int]]:
        """Count sessions, points, tasks, probes and what the fact graph holds."""
        types = Counter(probe.type for probe in self.probes)
        mechanisms = Counter(probe.mechanism for probe in self.probes)
        return {
            "sessions": self.n_sessions,
            "points": self.n_sessions + 1,
            "tasks": sum(len(session.tasks) for session in self.sessions),
            "probes": len(self.probes),
            "probes_by_type": dict(sorted(types.items())),
            "probes_by_mechanism": dict(sorted(mechanisms.items())),
            **self.graph.summary(),
            "probed_pairs": self._probed_pairs(),
        }

    def _probed_pairs(self) -> int:
        """Count the pairs of which both facts were asked for when both had been told."""
        asked = {probe.facts[0] for probe in self.probes if probe.stratum == PAIRED}
        partners = [self.graph.by_id[name].partner for name in asked]
        return sum(partner in asked for partner in partners) // 2


def _drop_defaults(document: dict[str, Any], **defaults: str | int) -> None:
    for name, default in defaults.items():
        if document[name] == default:
            del document[name]


def load_plan(path: Path) -> Plan:
    """Read a plan from its file; raise InputError if it is not a plan of this version."""
    raw = read_json(path)
    try:
        return msgspec.convert(raw, Plan)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: not a plan of this version: {error}") from error


class Checkout(NamedTuple):
    """Files of a repository by path, and the folder of the workspace that they are laid out in."""

    folder: str
    files: Mapping[str, str]


class Scenario(ABC):
    """Base of all scenarios: builds the plans of its lives and names its headline metric."""

    id: str
    version: str
    title: str
    headline: str
    track: str
    tier: int
    mechanisms: tuple[str, ...]
    default_sessions: int
    role: str  # what the agent is told it is
    # Dials that only this scenario has: their type, least and greatest value, and defaults.
    own_dials: ClassVar[Mapping[str, tuple[type, float, float]]] = {}
    own_defaults: ClassVar[Mapping[str, Any]] = {}
    # What a run takes where the user chooses nothing.
    default_agent: str | None = None
    default_memory: str | None = None
    memory_defaults: ClassVar[Mapping[str, Any]] = {}  # options by name
    tells: ClassVar[frozenset[str]] = frozenset()  # lifecycle events that are a part of its plans

    @abstractmethod
    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""

    def plan_with(
        self, pressure: Pressure, sessions: int, seed: int, events: Sequence[LifecycleEvent]
    ) -> Plan:
        """Build the life with these events; only those that it tells of make a difference."""
        return self.plan(pressure, sessions, seed)

    def solution(self, plan: Plan, point: int) -> Mapping[str, str]:
        """Return files that pass every check of the agent's program at a point, by path."""
        return {}

    def checkout(self, plan: Plan, session: int) -> Checkout | None:
        """Return the folder of the agent's workspace that a session begins with, if there is one.

        What lay in that folder before is gone.
        """
        return None

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools that the agent is offered in a session: none, unless it says so."""
        return []

    def rule_on(self, plan: Plan, session: int, task: Task, act: Act) -> ActRuling:
        """Rule on an act of the agent; without rules of its own, a scenario forbids nothing."""
        return ActRuling()

    def default_events(self, sessions: int) -> Sequence[str]:
        """Return the lifecycle events of a run that names none, each as `name@point`."""
        return ()


def parse_events(specs: Iterable[str], sessions: int) -> list[LifecycleEvent]:
    """Read events from `name@k` or `name@k:key=value,…`, where k is a point of the life."""
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

        args = _event_args(spec, name, tail)
        events.append(LifecycleEvent(name, point, args))
    return sorted(events, key=lambda event: (event.at, event.name))


def _event_args(spec: str, name: str, tail: str) -> dict[str, Any]:
    types = LIFECYCLE_EVENTS[name]
    args: dict[str, Any] = {}
    for part in filter(None, tail.split(",")):
        if not types:
            raise InputError(f"event '{spec}': {name} takes no arguments")
        key, _, value = part.partition("=")
        if key not in types:
            raise UnknownName(f"argument of {name}", key, types)

        try:
            args[key] = types[key](value)
        except ValueError as error:
            raise InputError(f"event '{spec}': {key} must be {types[key].__name__}") from error
    return args


def make_plan(
    scenario: Scenario,
    pressure: Pressure,
    sessions: int,
    seed: int,
    events: Sequence[LifecycleEvent] = (),
    preset: str = "medium",
) -> Plan:
    """Build the plan of a scenario, with the pressure made effective for the life's length."""
    if not 1 <= sessions <= MOST_SESSIONS:
        raise InputError(f"sessions={sessions}: must lie between 1 and {MOST_SESSIONS}")
    for event in events:
        if event.name in TOLD_EVENTS - scenario.tells:
            is_migration = event.name == SCHEMA_MIGRATION
            word = "has nothing to migrate" if is_migration else "has no such event"
            raise InputError(f"event '{event}': {scenario.id} {word}")
    plan = scenario.plan_with(pressure.effective(sessions), sessions, seed, events)
    plan.events = list(events)
    plan.preset = preset
    return plan
