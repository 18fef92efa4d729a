"""Reads the folder of one life: paths, plan, system, trace, answers and memory.

Everything here is data without an instrument, so that a report can walk through a life. Writing
a life, with its lock and its commits, is `bench.life.folder`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.cards.figures import Section
from agingbench.errors import InputError
from agingbench.records import AgentIdentity, Event, Usage
from agingbench.traces.files import read_bytes, read_json
from agingbench.traces.trajectory import read_trace
from agingbench.trials.declarations import UNDECLARED, Declarations
from agingbench.trials.snapshots import unpack

# What the trace of a life says of itself, as `lifecycle` of its meta events.
LIFE_START = "life_start"
LIFE_END = "life_end"
WRITE = "write"
SIGNALS = "signals"  # what a controller saw after a session
CONTROLLER_ACTION = "control"  # what a controller had done


class SystemRecord(Section, frozen=True, kw_only=True):
    """The system under test as sut.json holds it, with the options of its plug-ins."""

    scenario: str
    sut_id: str
    model: str
    memory: str
    agent: str
    model_options: dict[str, Any]
    memory_options: dict[str, Any]
    agent_options: dict[str, Any]
    controller: str | UnsetType | None = UNSET
    role: str | UnsetType = UNSET  # an instruction behind the role that the scenario gives


class LifeStart(msgspec.Struct, frozen=True, kw_only=True):
    """What the first event of a trace says: versions, machine, memory policy and controller."""

    agingbench_version: str | UnsetType = UNSET
    git_sha: str | UnsetType | None = UNSET
    python: str | UnsetType = UNSET
    compute_environment: str | UnsetType = UNSET
    tool_versions: dict[str, str] | UnsetType = UNSET
    memory_policy_type: str | UnsetType = UNSET
    prompt_hashes: dict[str, str] | UnsetType = UNSET
    memory_versions: dict[str, str] | UnsetType = UNSET  # products that the memory is made of
    monitor: str | UnsetType | None = UNSET  # what the controller is shown
    owns_workspace: bool | UnsetType = UNSET  # the agent keeps its own files
    agent: AgentIdentity | UnsetType = UNSET  # the product that was driven


class AnswerRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer as it was given; scoring decides later what it is worth."""

    t: int
    probe: str
    condition: str
    text: str
    status: str = "answered"
    reason: str | None = None
    context: str | None = None
    usage: Usage = Usage()
    latency_ms: float | None = None
    asked_again: bool = False  # after the life's end, since the first call failed
    turns: int | None = None  # replies of the model, where the agent works with tools
    tool_calls: int | None = None


class Stop(msgspec.Struct, frozen=True):
    """Why a life stopped on its way, and when; it was continued later or not."""

    time: str
    points: int  # how many points were on disk
    reason: str


class LifeIdentity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which trial a life is: an id drawn at its first start, every start, what was declared."""

    trial_id: str
    starts: list[str]
    declares: Declarations = UNDECLARED


class Snapshot(msgspec.Struct, frozen=True):
    """The memory at a point: the agent's state, and the text that memory-text metrics read."""

    t: int
    state: dict[str, Any]
    text: str


class PlannedTask(msgspec.Struct, frozen=True):
    """A task of a session as plan.json holds it."""

    id: str
    domain: str
    text: str
    fact: str
    expected: str


class PlannedSession(msgspec.Struct, frozen=True):
    """A session as plan.json holds it: what the agent reads, then what it is asked to do."""

    index: int
    material: str
    tasks: list[PlannedTask]


class PlannedValue(msgspec.Struct, frozen=True):
    """A value that a right answer states, or that a wrong one may state."""

    text: str
    kind: str = ""


class PlannedProbe(msgspec.Struct, frozen=True):
    """A held-out question as plan.json holds it, with the values that make an answer right."""

    id: str
    t: int
    type: str
    mechanism: str
    question: str
    facts: list[str]
    required: list[PlannedValue]
    stale: list[PlannedValue] = []
    confusable: list[PlannedValue] = []
    account: str | None = None


class PlannedVersion(msgspec.Struct, frozen=True):
    """One version of a fact: when it was told, in which words, and its value."""

    session: int
    value: PlannedValue
    sentence: str = ""
    passage: str = ""  # the words that were told; plans of version 1 have the sentence only

    @property
    def told(self) -> str:
        """The words in which the session tells it."""
        return self.passage or self.sentence


class PlannedFact(msgspec.Struct, frozen=True):
    """A fact of a life with all its versions."""

    id: str
    phrase: str = ""
    versions: list[PlannedVersion] = []
    retracted_at: int | None = None


class PlannedMovement(msgspec.Struct, frozen=True):
    """A movement of an account: the session that tells it, and by how much the balance changes."""

    session: int
    amount: float


class PlannedAccount(msgspec.Struct, frozen=True):
    """An account whose movements are told session by session."""

    id: str
    name: str = ""
    deltas: list[PlannedMovement] = []


class PlannedGraph(msgspec.Struct, frozen=True):
    """What is true in a life: its facts and its accounts."""

    facts: list[PlannedFact] = []
    accounts: list[PlannedAccount] = []


class AnswerVerdict(msgspec.Struct, frozen=True):
    """The verdict on one answer as metrics.json holds it."""

    probe: str
    t: int
    condition: str
    verdict: str
    value: float | None = None


class TaskVerdict(msgspec.Struct, frozen=True):
    """What was decided on one task and what was expected, as metrics.json holds it."""

    task: str
    session: int
    expected: str
    decided: str | None = None
    failed: bool = False


class PlannedEvent(msgspec.Struct, frozen=True):
    """A lifecycle event as plan.json holds it."""

    name: str
    at: int
    args: dict[str, Any] = {}


class PlanRecord(msgspec.Struct, frozen=True):
    """What a reader needs of plan.json: what was said, what was asked and what was done when."""

    scenario: str
    scenario_version: str
    headline: str
    seed: int
    n_sessions: int
    preset: str
    events: list[PlannedEvent]
    sessions: list[PlannedSession]
    probes: list[PlannedProbe]
    graph: PlannedGraph = PlannedGraph()


class ScoreRecord(msgspec.Struct, frozen=True):
    """What a reader needs of metrics.json: the verdicts on answers and tasks."""

    answers: list[AnswerVerdict] = []
    tasks: list[TaskVerdict] = []


class LifeFiles:
    """The files of one life: their paths, and their content as typed data."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan_file = path / "plan.json"
        self.sut_file = path / "sut.json"
        self.suite_file = path / "suite.json"
        self.identity_file = path / "identity.json"
        self.control_file = path / "control.json"
        self.trace = path / "trace.jsonl"
        self.answers = path / "answers.jsonl"
        self.memory = path / "memory"
        self.sessions = path / "sessions"  # what a product recorded itself: 003_NAME of session 3
        self.metrics = path / "metrics.json"
        self.dependency_metrics = path / "dependency_metrics.json"
        self.code_checks = path / "code_checks.json"
        self.card = path / "aging_card.json"
        self.trial = path / "trial.json"
        self.partial = path / "partial.json"
        self.curve_png = path / "aging_curve.png"
        self.curve_svg = path / "aging_curve.svg"
        self.diagnosis = path / "diagnosis.json"
        self.diagnosis_answers = path / "diagnosis_answers.jsonl"
        self.calibration_answers = path / "calibration_answers.jsonl"
        self.diagnosis_png = path / "diagnosis.png"
        self.diagnosis_svg = path / "diagnosis.svg"
        self.autopsy = path / "autopsy.json"
        self.stops_file = path / "stops.jsonl"
        self.commit_note = path / ".commit.json"
        self._latest: tuple[int, Snapshot] | None = None

    def ended(self) -> bool:
        """Whether the life was lived to its end and all of it is written."""
        if not self.trace.exists() or self.commit_note.exists():
            return False
        with self.trace.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 4096))
            return f'"lifecycle":"{LIFE_END}"'.encode() in file.read()

    def points(self) -> int:
        """How many points of the memory are written without a gap at the end; 0 for a new life."""
        numbers = [int(file.stem) for file in self.memory.glob("*.json") if file.stem.isdigit()]
        return max(numbers, default=-1) + 1

    def require_plan(self) -> Path:
        """The path of plan.json; raises InputError where the folder holds no life."""
        if not self.plan_file.exists():
            raise InputError(f"{self.path}: not a run directory (there is no plan.json)")
        return self.plan_file

    def plan_record(self) -> PlanRecord:
        """The plan as data, without the instrument that made it."""
        file = self.require_plan()
        try:
            return msgspec.convert(read_json(file), PlanRecord)
        except msgspec.ValidationError as error:
            raise InputError(f"{file}: not a plan of this version: {error}") from error

    def sut(self) -> SystemRecord:
        """The record of the system under test; raises InputError where a key is missing."""
        raw = read_json(self.sut_file)
        if not isinstance(raw, dict):
            raise InputError(f"{self.sut_file}: not the record of a system (no JSON object)")
        try:
            return SystemRecord.read(raw)
        except msgspec.ValidationError as error:
            raise InputError(f"{self.sut_file}: not the record of a system ({error})") from error

    def suite(self) -> str | None:
        """The name of the suite that the life belongs to, if any."""
        if not self.suite_file.exists():
            return None
        name: str = read_json(self.suite_file)["suite_id"]
        return name

    def identity(self) -> LifeIdentity | None:
        """Which trial the life is; None for a life of a version that drew no ids."""
        if not self.identity_file.exists():
            return None
        try:
            return msgspec.convert(read_json(self.identity_file), LifeIdentity)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{self.identity_file}: not the identity of a life: {error}"
            ) from error

    def events(self) -> list[Event]:
        """Every event of the trace; a line that is no event raises InputError."""
        reading = read_trace(self.trace)
        if reading.diagnostics:
            first = reading.diagnostics[0]
            raise InputError(f"{self.trace}:{first.line}: not an event: {first.reason}")
        return reading.events

    def answer_rows(self) -> list[AnswerRow]:
        """Every answer that was committed; a line that is no answer raises InputError."""
        return read_answers(self.answers)

    def scores(self) -> ScoreRecord:
        """The verdicts of a life that was scored; raises InputError where they cannot be read."""
        try:
            return msgspec.convert(read_json(self.metrics), ScoreRecord)
        except msgspec.ValidationError as error:
            raise InputError(f"{self.metrics}: not the scores of a life: {error}") from error

    def stops(self) -> list[Stop]:
        """Every time that the life stopped because its model could not be asked."""
        if not self.stops_file.exists():
            return []
        lines = read_bytes(self.stops_file).splitlines()
        try:
            return [msgspec.json.decode(line, type=Stop) for line in lines]
        except msgspec.DecodeError as error:
            raise InputError(f"{self.stops_file}: not the stops of a life: {error}") from error

    def snapshot(self, t: int) -> Snapshot:
        """The memory at a point.

        Each snapshot is stored as what it adds to the one before, so reading goes forward from the
        last one read.
        """
        start, before = -1, None
        if self._latest is not None and self._latest[0] <= t:
            start, before = self._latest
        if start == t and before is not None:
            return before

        for point in range(start + 1, t + 1):
            before = self._read_snapshot(str(point), before)
        assert before is not None
        self._latest = (t, before)
        return before

    def before(self, t: int) -> Snapshot:
        """The memory at a point before the lifecycle events there."""
        return self._read_snapshot(f"{t}_before", self.snapshot(t - 1))

    def texts(self, n_sessions: int) -> Iterator[tuple[int, str]]:
        """Each point with the memory's text there."""
        for t in range(n_sessions + 1):
            yield t, self.snapshot(t).text

    def _read_snapshot(self, name: str, before: Snapshot | None) -> Snapshot:
        file = self.memory / f"{name}.json"
        if not file.exists():
            raise InputError(
                f"{file}: this memory snapshot is missing; copy it back from where the run was"
                " made, or delete the run directory and run it again"
            )
        raw = read_json(file)
        try:
            raw["state"] = unpack(raw["state"], before.state if before is not None else None)
            raw["text"] = unpack(raw["text"], before.text if before is not None else None)
            return msgspec.convert(raw, Snapshot)
        except (msgspec.ValidationError, KeyError, TypeError) as error:
            raise InputError(f"{file}: not a memory snapshot: {error}") from error


def life_start(events: Iterable[Event]) -> LifeStart:
    """What the first event of a life's trace says; raises InputError where it says something else.

    Nothing is known of a trace without such an event.
    """
    start = next((event for event in events if event.lifecycle == LIFE_START), None)
    if start is None or start.metadata is None:
        return LifeStart()
    try:
        return msgspec.convert(start.metadata, LifeStart)
    except msgspec.ValidationError as error:
        raise InputError(f"trace: {LIFE_START} cannot be read: {error}") from error


def read_answers(file: Path) -> list[AnswerRow]:
    """The answers in a file, one a line; a line that is no answer raises InputError."""
    rows = []
    for number, line in enumerate(read_bytes(file).split(b"\n"), 1):
        if not line:
            continue
        try:
            rows.append(msgspec.json.decode(line, type=AnswerRow))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file}:{number}: not an answer: {error}") from error
    return rows
