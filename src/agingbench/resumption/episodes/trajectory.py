"""The partial trajectory of an episode: its events, how steps are counted, where it is cut, how it
reads.
"""

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
from agingbench.traces.trajectory import BadEvent, decode_event

# The name of the tokenizer that budgets are counted with (`agingbench.text.wording.count_tokens`); it stands
# in every result and is part of every gate.
TOKENIZER = "chars/4"
STEP_ROLES = frozenset(
    {"user", "assistant", "tool_call"}
)  # a tool result belongs to the step of its call
SHORT = 50  # the spec's third falsification condition speaks of trajectories under 50 steps


class MissingTrace(InputError):
    """The trace that an episode refers to is not here: the episode is skipped, with this as the
    reason.
    """


def trajectory_events(episode: Episode, data: Path | None) -> list[Event]:
    """The partial trajectory. A trace that is not there raises MissingTrace, one that has changed
    InputError.
    """
    given = episode.partial_trajectory
    if isinstance(given, TraceRef):
        return cut_at(trace_events(trace_file(given, data), given.format), given.at, given.path)
    events = []
    for number, entry in enumerate(given):
        try:
            events.append(decode_event({"step": number, **entry}))
        except BadEvent as error:
            raise InputError(
                f"episode {episode.id}: partial_trajectory[{number}]: {error}"
            ) from error
    return events


def trace_file(ref: TraceRef, data: Path | None) -> Path:
    """The file a reference means, inside the data folder and with the hash it had when the episode
    was written.
    """
    if data is None:
        raise MissingTrace(f"trace {ref.path} is needed; give its data folder with --data")
    path = _below(data, ref.path)
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
            if hashlib.file_digest(stream, "sha256").hexdigest() != ref.sha256:
                raise InputError(
                    f"trace {ref.path} is not the file that the episode was cut from (hash differs)"
                )
    return path


def _below(data: Path, name: str) -> Path:
    """Where a trace is. The data folder may be the one above `name` or any folder on the way to it."""
    parts = PurePosixPath(name).parts
    base = data.resolve()
    for given in range(len(parts)):
        if given == 0 or base.parts[-given:] == parts[:given]:
            place = base.joinpath(*parts[given:])
            if place.is_file():
                return place.resolve()
    return base.joinpath(*parts).resolve()


def trace_events(path: Path, trace_format: str = "auto") -> list[Event]:
    """All events of a trace file in any format that is known; subagents' own threads are left out.

    A file that holds a single subagent and nothing else is that subagent's trace.
    """
    found = list(read_events(path, trace_format, ReadLog()))
    alone = len({e.thread for e in found}) == 1
    events = [e for e in found if alone or e.thread is None]
    if not events:
        raise InputError(f"{path}: no event could be read from it")
    return events


def count_steps(events: Iterable[Event]) -> int:
    """How many steps a trajectory has: messages and tool calls, a result counted with its call."""
    return sum(is_step(event) for event in events)


def length_stratum(steps: int) -> str:
    """Return "short" for fewer than 50 steps, else "long"."""
    return "short" if steps < SHORT else "long"


def is_step(event: Event) -> bool:
    """A message that says something, or a tool call; hidden reasoning that a trace leaves empty is
    none.
    """
    return event.role == "tool_call" or (
        event.role in STEP_ROLES and bool(event.content and event.content.strip())
    )


def step_starts(events: Sequence[Event]) -> list[int]:
    """Where each step begins, as positions in `events`."""
    return [place for place, event in enumerate(events) if is_step(event)]


def cut_at(events: Sequence[Event], at: int, name: str) -> list[Event]:
    """The first `at` steps with all that belongs to them; a cut beyond the trace is an error."""
    starts = step_starts(events)
    if not 1 <= at <= len(starts):
        raise InputError(f"{name}: has {len(starts)} steps, it cannot be cut at {at}")
    return list(events[: starts[at] if at < len(starts) else len(events)])


def step_text(events: Sequence[Event], step: int) -> str:
    """What one step says, results included; steps count from 1."""
    starts = step_starts(events)
    if not 1 <= step <= len(starts):
        return ""
    end = starts[step] if step < len(starts) else len(events)
    return "\n".join(filter(None, map(entry_text, events[starts[step - 1] : end])))


def entry_text(event: Event) -> str:
    """One entry as text; an empty one is nothing."""
    if event.role == "tool_call":
        return f"tool call {event.tool_name or ''}: {call_text(event)}".strip()
    if event.role == "tool_result":
        said = "\n".join(filter(None, (event.stdout, event.stderr, event.content)))
        code = f" (exit {event.exit_code})" if event.exit_code else ""
        return f"tool result{code}: {said}" if said.strip() else ""
    return f"{event.role}: {event.content}" if event.content and event.role != "meta" else ""


def call_text(event: Event) -> str:
    """What a tool was called with: its command, or its arguments as plain text."""
    if event.command:
        return event.command
    given: Any = event.arguments if event.arguments is not None else event.content
    if isinstance(given, str) or given is None:
        return given or ""
    if isinstance(given, dict) and isinstance(given.get("command"), str):
        return str(given["command"])
    if isinstance(given, dict):
        return "\n".join(f"{key}: {_flat(value)}" for key, value in given.items())
    return _flat(given)


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def full_text(events: Iterable[Event]) -> str:
    """The whole trajectory as text, one entry after the other."""
    return "\n".join(filter(None, map(entry_text, events)))
