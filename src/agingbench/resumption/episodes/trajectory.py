"""The partial trajectory of an episode: its events, its steps, its cut, and its text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from agingbench.errors import InputError
from agingbench.records import Event, ReadLog
from agingbench.resumption.episodes.episode import Episode, TraceRef
from agingbench.traces.reading import read_events
from agingbench.traces.steps import is_step, main_thread
from agingbench.traces.trajectory import BadEvent, decode_event
from agingbench.trust import Demand, require_trust

# The name of the tokenizer that budgets are counted with (`agingbench.text.wording.count_tokens`);
# it stands in every result and is part of every gate.
TOKENIZER = "chars/4"
SHORT = 50  # the spec's third falsification condition speaks of trajectories under 50 steps


class MissingTrace(InputError):
    """The trace of an episode is not here; the episode is skipped with this as the reason."""


def trajectory_events(episode: Episode, data: Path | None, *, trust: bool = False) -> list[Event]:
    """Return the partial trajectory.

    Raises MissingTrace if its trace is not there, InputError if it has changed, and UntrustedFile
    if its format is code that may not run.
    """
    trajectory = episode.partial_trajectory
    if isinstance(trajectory, TraceRef):
        require_trust(f"episode {episode.id}", format_demands(episode), trust)
        path = trace_file(trajectory, data)
        return cut_at(trace_events(path, trajectory.format), trajectory.at, trajectory.path)

    events = []
    for number, entry in enumerate(trajectory):
        try:
            events.append(decode_event({"step": number, **entry}))
        except BadEvent as error:
            raise InputError(
                f"episode {episode.id}: partial_trajectory[{number}]: {error}"
            ) from error
    return events


def format_demands(episode: Episode) -> list[Demand]:
    """What an episode demands trust for: a trace format that is named by where its code lies."""
    trajectory = episode.partial_trajectory
    if isinstance(trajectory, TraceRef) and ":" in trajectory.format:
        return [Demand("partial_trajectory.format", trajectory.format)]
    return []


def trace_file(ref: TraceRef, data: Path | None) -> Path:
    """Return the file of a reference, checked to lie in the data folder and to have its hash."""
    if data is None:
        raise MissingTrace(f"trace {ref.path} is needed; give its data folder with --data")
    path = _find_below(data, ref.path)
    if not path.is_relative_to(data.resolve()):
        raise InputError(f"trace {ref.path} leads out of the data folder")

    if not path.is_file():
        top = PurePosixPath(ref.path).parts[0]
        either = "" if top == ref.path else f", or {top} itself"
        raise MissingTrace(
            f"trace {ref.path} is not in the data folder; --data takes the folder with {top} in"
            f" it{either}"
        )
    if ref.sha256 is not None:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != ref.sha256:
            raise InputError(
                f"trace {ref.path} is not the file that the episode was cut from (hash differs)"
            )
    return path


def _find_below(data: Path, name: str) -> Path:
    """Return the place of a trace; the data folder may be any folder on the way to it."""
    parts = PurePosixPath(name).parts
    base = data.resolve()
    for depth in range(len(parts)):
        # The data folder's own path may end with the first parts of the name.
        if depth == 0 or base.parts[-depth:] == parts[:depth]:
            path = base.joinpath(*parts[depth:])
            if path.is_file():
                return path.resolve()
    return base.joinpath(*parts).resolve()


def trace_events(path: Path, trace_format: str = "auto") -> list[Event]:
    """Return the events of a trace file in any known format, without those of subagents.

    A file that holds a single subagent and nothing else is that subagent's trace.
    """
    events = main_thread(list(read_events(path, trace_format, ReadLog())))
    if not events:
        raise InputError(f"{path}: no event could be read from it")
    return events


def count_steps(events: Iterable[Event]) -> int:
    """Count messages and tool calls; a result belongs to its call."""
    return sum(is_step(event) for event in events)


def length_stratum(steps: int) -> str:
    """Return "short" for fewer than 50 steps, else "long"."""
    return "short" if steps < SHORT else "long"


def step_starts(events: Sequence[Event]) -> list[int]:
    """Return where each step begins, as positions in `events`."""
    return [place for place, event in enumerate(events) if is_step(event)]


def cut_at(events: Sequence[Event], at: int, name: str) -> list[Event]:
    """Return the first `at` steps with their results; raises InputError beyond the trace."""
    starts = step_starts(events)
    if not 1 <= at <= len(starts):
        raise InputError(f"{name}: has {len(starts)} steps, it cannot be cut at {at}")
    end = starts[at] if at < len(starts) else len(events)
    return list(events[:end])


def step_text(events: Sequence[Event], step: int) -> str:
    """Return the text of one step, results included; steps count from 1."""
    starts = step_starts(events)
    if not 1 <= step <= len(starts):
        return ""
    end = starts[step] if step < len(starts) else len(events)
    return full_text(events[starts[step - 1] : end])


def entry_text(event: Event) -> str:
    """Return one event as text; empty for an event without content."""
    if event.role == "tool_call":
        return f"tool call {event.tool_name or ''}: {call_text(event)}".strip()

    if event.role == "tool_result":
        output = "\n".join(filter(None, (event.stdout, event.stderr, event.content)))
        code = f" (exit {event.exit_code})" if event.exit_code else ""
        return f"tool result{code}: {output}" if output.strip() else ""

    if not event.content or event.role == "meta":
        return ""
    return f"{event.role}: {event.content}"


def call_text(event: Event) -> str:
    """Return what a tool was called with: its command, or its arguments as plain text."""
    if event.command:
        return event.command
    arguments: Any = event.arguments if event.arguments is not None else event.content
    if arguments is None:
        return ""
    if not isinstance(arguments, dict):
        return _plain_text(arguments)
    command = arguments.get("command")
    if isinstance(command, str):
        return command
    return "\n".join(f"{key}: {_plain_text(value)}" for key, value in arguments.items())


def _plain_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def full_text(events: Iterable[Event]) -> str:
    """Return all events as text, one after the other."""
    return "\n".join(filter(None, map(entry_text, events)))
