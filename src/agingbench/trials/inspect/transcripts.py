"""Where a trial's trace is read from: the trajectory, else the conversation, and what that source
cannot tell.
"""

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
_LOOKED_AT = 1 << 20


@dataclass
class Transcript:
    """The events of a trial and where they come from. `source` is trajectory, conversation, a
    format's name or none.
    """

    events: list[Event] = field(default_factory=list)
    source: str = "none"
    file: str | None = None
    reason: str = "there is no trace"
    lacks: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    generation: int | None = None
    agent_result: dict[str, Any] = field(default_factory=dict)
    record: TrialRecord | None = None


def read_files(
    files: Evidence, trajectories: Sequence[str], conversations: Sequence[str]
) -> Transcript:
    """The first trajectory that holds an event; without one the conversation."""
    why = "there is no trajectory"
    lost = list[Problem]()
    for name in dict.fromkeys(trajectories):
        found = _trajectory(files, name)
        if (
            found is not None
        ):  # that lines could not be read is told, whatever is read in their place
            found.problems = lost = [*lost, *found.problems]
            if found.events:
                return found
            why = f"the trajectory {name} holds no event"
    for name in dict.fromkeys(conversations):
        found = _conversation(files, name)
        if found is not None:
            found.reason = why
            found.problems = [*lost, *found.problems]
            return found
    return Transcript(reason=f"{why}, and no conversation", lacks=["everything"], problems=lost)


def _trajectory(files: Evidence, name: str) -> Transcript | None:
    reading = Transcript(
        source=TRAJECTORY, file=name, reason="the trajectory is there", generation=2
    )
    headers: list[dict[str, Any]] = []

    def bad(found: Diagnostic) -> None:
        reading.problems.append(Problem(name, found.line, found.reason))

    try:
        with files.open(name) as stream:
            reading.events = list(iter_trace_lines(stream, name, bad, headers.append, name))
    except NoEvidence:
        return None
    reading.generation = 1 if headers else 2
    reading.lacks = _lacks(reading.events)
    return reading


def _conversation(files: Evidence, name: str) -> Transcript | None:
    log = ReadLog()
    log.file = name
    try:
        with files.open(name) as stream:
            events = list(conversation_events(stream, log))
    except NoEvidence:
        return None
    return Transcript(events, CONVERSATION, name, problems=listed(log), lacks=_lacks(events))


def listed(log: ReadLog) -> list[Problem]:
    """What could not be read, with its place; beyond what a log keeps, how many more there are."""
    beyond = log.n_malformed - len(log.malformed)
    more = [Problem(log.file, None, f"and {beyond} more that are not listed")] if beyond else []
    return [*log.malformed, *more]


def _lacks(events: Sequence[Event]) -> list[str]:
    """What nobody can read from this source."""
    results = [e for e in events if e.role == "tool_result"]
    lacks = []
    if not results and not any(e.role == "tool_call" for e in events):
        lacks.append("tool calls and results")
    elif not any(e.exit_code is not None for e in results):
        lacks.append("exit codes")
    if not any(e.duration_ms is not None for e in events):
        lacks.append("durations")
    if not any(e.usage is not None for e in events):
        lacks.append("tokens per call")
    if not any(e.timestamp is not None for e in events):
        lacks.append("times")
    return lacks


def read_path(path: Path, format: str = AUTO) -> Transcript:
    """A run folder or a trace file that need not be in any ledger; a format that is named is not
    looked for.
    """
    if format not in (AUTO, TRAJECTORY, CONVERSATION):
        return _foreign(path, format)
    return _folder(path) if path.is_dir() else _file(path, format)


def is_trace(path: Path) -> bool:
    """Whether a file is a trajectory, a conversation or a trace of a known format."""
    with path.open("rb") as stream:
        head = stream.read(_LOOKED_AT)
    if _looks_like_entries(head) or _looks_like_messages(head):
        return True
    return sniff_file(TraceFile(path), all_formats(None)).format is not None


def _folder(folder: Path) -> Transcript:
    files = FolderEvidence(folder)
    record = read_trial(folder / "trial.json") if (folder / "trial.json").is_file() else None
    named = [record.outputs.trajectory_path] if record and record.outputs.trajectory_path else []
    spoken = (
        [record.outputs.conversation_path] if record and record.outputs.conversation_path else []
    )
    reading = read_files(files, [*named, *TRAJECTORIES], [*spoken, *CONVERSATIONS])
    if reading.source == "none" and not any(
        (folder / n).is_file() for n in (*TRAJECTORIES, *CONVERSATIONS)
    ):
        raise InputError(
            f"{folder}: no {', '.join((*TRAJECTORIES, *CONVERSATIONS))} in this folder"
        )
    reading.record = record
    reading.agent_result = _agent_result(folder)
    return reading


def _agent_result(folder: Path) -> dict[str, Any]:
    for name in AGENT_RESULTS:
        if (folder / name).is_file():
            told = parse_json(read_bytes(folder / name), str(folder / name))
            return told if isinstance(told, dict) else {}
    return {}


def _file(path: Path, format: str) -> Transcript:
    data = read_bytes(path)
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    one = _SingleFile(path.name, data)
    if format == TRAJECTORY or (format == AUTO and _looks_like_entries(data)):
        found = _trajectory(one, path.name) or Transcript()
        found.reason = (
            "the file is a trajectory" if found.events else "the trajectory holds no event"
        )
        return found
    if format == CONVERSATION or _looks_like_messages(data):
        found = _conversation(one, path.name) or Transcript()
        found.reason = "the file is a conversation"
        return found
    try:
        return _foreign(path, sniff(path))
    except InputError as error:
        raise InputError(f"{error}: --format NAME") from error


def _foreign(path: Path, format: str) -> Transcript:
    log = ReadLog()
    events = list(read_events(path, format, log))
    return Transcript(
        events, format, path.name, f"read in the format {format}", _lacks(events), listed(log)
    )


def _looks_like_messages(data: bytes) -> bool:
    return any(
        "role" in o and "step" not in o and ("content" in o or "event" in o) for o in _openers(data)
    )


def _looks_like_entries(data: bytes) -> bool:
    return any(
        {"step", "role"} <= o.keys() or {"version", "format"} <= o.keys() for o in _openers(data)
    )


def _openers(data: bytes) -> list[dict[str, Any]]:
    """The first object that can be read among the first lines: one bad line does not hide what a
    file is.
    """
    for line in data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf").split(b"\n")[:5]:
        try:
            found = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            return [found]
    return []


class _SingleFile:
    """A single file as evidence."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    def escapes(self, name: str) -> bool:
        return name != self.name

    def open(self, name: str) -> io.BytesIO:
        return io.BytesIO(self.data)
