"""Reads the trace of a trial: the trajectory, else the conversation, and what that source lacks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.records import Event, Problem, ReadLog
from agingbench.traces.decoding.conversation import conversation_events
from agingbench.traces.files import parse_json, read_bytes
from agingbench.traces.reading import all_formats, read_events, sniff, sniff_file
from agingbench.traces.tracefiles import TraceFile
from agingbench.traces.trajectory import Diagnostic, iter_trace_lines
from agingbench.trials.evidence import Evidence, FolderEvidence, NoEvidence
from agingbench.trials.record import TrialRecord, read_trial

TRAJECTORIES = ("trace.jsonl", "trajectory.jsonl")
CONVERSATIONS = ("conversation.jsonl",)
AGENT_RESULTS = ("agent-result.json", "agent_result.json")
AUTO = "auto"
TRAJECTORY = "trajectory"
CONVERSATION = "conversation"
_HEAD_SIZE = 1 << 20


@dataclass
class Transcript:
    """The events of a trial; `source` is trajectory, conversation, a format's name, or none."""

    events: list[Event] = field(default_factory=list)
    source: str = "none"
    file: str | None = None
    reason: str = "there is no trace"
    lacks: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    generation: int | None = None
    agent_result: dict[str, Any] = field(default_factory=dict)
    record: TrialRecord | None = None


@dataclass(frozen=True)
class TraceLine:
    """An entry of a trace as the terminal shows it, with its step as `cut` counts them."""

    text: str
    line: int | None
    step: int | None
    role: str


def read_files(
    files: Evidence, trajectories: Sequence[str], conversations: Sequence[str]
) -> Transcript:
    """Read the first trajectory that holds an event, without one the first conversation."""
    reason = "there is no trajectory"
    # Lines that cannot be read are reported, whichever file is used in the end.
    problems: list[Problem] = []
    for name in dict.fromkeys(trajectories):
        transcript = _trajectory(files, name)
        if transcript is None:
            continue
        problems = [*problems, *transcript.problems]
        transcript.problems = problems
        if transcript.events:
            return transcript
        reason = f"the trajectory {name} holds no event"

    for name in dict.fromkeys(conversations):
        transcript = _conversation(files, name)
        if transcript is not None:
            transcript.reason = reason
            transcript.problems = [*problems, *transcript.problems]
            return transcript

    reason = f"{reason}, and no conversation"
    return Transcript(reason=reason, lacks=["everything"], problems=problems)


def _trajectory(files: Evidence, name: str) -> Transcript | None:
    transcript = Transcript(source=TRAJECTORY, file=name, reason="the trajectory is there")
    headers: list[dict[str, Any]] = []

    def report(diagnostic: Diagnostic) -> None:
        transcript.problems.append(Problem(name, diagnostic.line, diagnostic.reason))

    try:
        with files.open(name) as stream:
            transcript.events = list(iter_trace_lines(stream, name, report, headers.append, name))
    except NoEvidence:
        return None
    transcript.generation = 1 if headers else 2
    transcript.lacks = _lacks(transcript.events)
    return transcript


def _conversation(files: Evidence, name: str) -> Transcript | None:
    log = ReadLog()
    log.file = name
    try:
        with files.open(name) as stream:
            events = list(conversation_events(stream, log))
    except NoEvidence:
        return None
    problems = problems_of(log)
    return Transcript(events, CONVERSATION, name, problems=problems, lacks=_lacks(events))


def problems_of(log: ReadLog) -> list[Problem]:
    """What could not be read, with its place; a last item counts what the log does not hold."""
    problems = list(log.malformed)
    beyond = log.n_malformed - len(problems)
    if beyond:
        problems.append(Problem(log.file, None, f"and {beyond} more that are not listed"))
    return problems


def _lacks(events: Sequence[Event]) -> list[str]:
    """What these events do not record."""
    results = [event for event in events if event.role == "tool_result"]
    lacks = []
    if not results and not any(event.role == "tool_call" for event in events):
        lacks.append("tool calls and results")
    elif all(event.exit_code is None for event in results):
        lacks.append("exit codes")
    if all(event.duration_ms is None for event in events):
        lacks.append("durations")
    if all(event.usage is None for event in events):
        lacks.append("tokens per call")
    if all(event.timestamp is None for event in events):
        lacks.append("times")
    return lacks


def read_path(path: Path, format: str = AUTO) -> Transcript:
    """Read a run folder or a trace file; with `auto` the format is found by content."""
    if format not in (AUTO, TRAJECTORY, CONVERSATION):
        return _foreign(path, format)
    return _folder(path) if path.is_dir() else _file(path, format)


def is_trace(path: Path) -> bool:
    """Whether a file is a trajectory, a conversation or a trace of a known format."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD_SIZE)
    if _looks_like_entries(head) or _looks_like_messages(head):
        return True
    return sniff_file(TraceFile(path), all_formats(None)).format is not None


def _folder(folder: Path) -> Transcript:
    trajectories = list(TRAJECTORIES)
    conversations = list(CONVERSATIONS)
    record = None
    if (folder / "trial.json").is_file():
        record = read_trial(folder / "trial.json")
        if record.outputs.trajectory_path:
            trajectories.insert(0, record.outputs.trajectory_path)
        if record.outputs.conversation_path:
            conversations.insert(0, record.outputs.conversation_path)

    transcript = read_files(FolderEvidence(folder), trajectories, conversations)
    names = (*TRAJECTORIES, *CONVERSATIONS)
    if transcript.source == "none" and not any((folder / name).is_file() for name in names):
        raise InputError(f"{folder}: no {', '.join(names)} in this folder")

    transcript.record = record
    transcript.agent_result = _agent_result(folder)
    return transcript


def _agent_result(folder: Path) -> dict[str, Any]:
    for name in AGENT_RESULTS:
        if (folder / name).is_file():
            result = parse_json(read_bytes(folder / name), str(folder / name))
            return result if isinstance(result, dict) else {}
    return {}


def _file(path: Path, format: str) -> Transcript:
    data = read_bytes(path)
    if not data.strip():
        raise InputError(f"{path}: the file is empty")

    file = _SingleFile(path.name, data)
    if format == TRAJECTORY or (format == AUTO and _looks_like_entries(data)):
        transcript = _trajectory(file, path.name) or Transcript()
        transcript.reason = "the trajectory holds no event"
        if transcript.events:
            transcript.reason = "the file is a trajectory"
        return transcript
    if format == CONVERSATION or _looks_like_messages(data):
        transcript = _conversation(file, path.name) or Transcript()
        transcript.reason = "the file is a conversation"
        return transcript
    try:
        name = sniff(path)
    except InputError as error:
        raise InputError(f"{error}: --format NAME") from error
    return _foreign(path, name)


def _foreign(path: Path, format: str) -> Transcript:
    log = ReadLog()
    events = list(read_events(path, format, log))
    is_nothing_left = not events and log.n_malformed > 0
    if is_nothing_left or log.UNKNOWN_VERSION in log.flags:
        first = log.malformed[0]
        raise InputError(f"{path}:{first.line or 1}: {first.reason}")
    return Transcript(
        events=events,
        source=format,
        file=path.name,
        reason=f"read in the format {format}",
        lacks=_lacks(events),
        problems=problems_of(log),
    )


def _looks_like_messages(data: bytes) -> bool:
    keys = _first_object(data).keys()
    return "role" in keys and "step" not in keys and ("content" in keys or "event" in keys)


def _looks_like_entries(data: bytes) -> bool:
    keys = _first_object(data).keys()
    return {"step", "role"} <= keys or {"version", "format"} <= keys


def _first_object(data: bytes) -> dict[str, Any]:
    """The first JSON object among the first five lines; bad lines before it do not matter."""
    for line in data[:_HEAD_SIZE].removeprefix(b"\xef\xbb\xbf").split(b"\n")[:5]:
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


class _SingleFile:
    """A single file as evidence."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    def escapes(self, name: str) -> bool:
        return name != self.name

    def open(self, name: str) -> io.BytesIO:
        return io.BytesIO(self.data)
