"""Harm planted into the events of real sessions, more of it from session to session.

What is planted is counted beside it, so that a test of these labels alone can say how much there
was to be found.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from agingbench.records import Event
from agingbench.validity.written_complaints import ENGLISH, GERMAN

ERRORS = 0.12  # more results that fail, at the end of the life
CORRECTIONS = 0.12  # more requests that are followed by a complaint
REREADS = 0.25  # more reads that are followed by one of something read before
AFTER_ERRORS = 0.20  # more results that fail after a compaction
AFTER_REPEATS = 0.5  # calls that are made once more after a compaction
COMPACTED = 0.3  # share of the sessions that are compacted
LONG_AGO = 4  # calls, before a read is forgotten
REACH = 6  # requests that a compaction hurts
READERS = ("Read",)
CHANGERS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
SECOND = 1.0

Session = list[Event]


@dataclass
class PlantedTrace:
    """Sessions with planted harm, and per session how often it was done and could have been."""

    events: list[Event] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)
    chances: list[int] = field(default_factory=list)

    def add(self, session: Session, hits: int, chances: int) -> None:
        """Add one session."""
        self.events += session
        self.hits.append(hits)
        self.chances.append(chances)


def plant(
    kind: str, sessions: Sequence[Session], rng: np.random.Generator, strength: float = 1.0
) -> PlantedTrace:
    """Return copies of the sessions with one kind of harm, moderate at strength 1."""
    trace = PlantedTrace()
    last = max(1, len(sessions) - 1)
    compacted = set(rng.permutation(len(sessions))[: round(COMPACTED * len(sessions))].tolist())
    for number, session in enumerate(sessions):
        own = [copy.copy(event) for event in session]
        age = strength * number / last
        if kind == "nothing":
            trace.add(own, 0, 0)
        elif kind == "after_compaction":
            trace.add(*_after_compaction(own, strength if number in compacted else 0.0, rng))
        else:
            trace.add(*KINDS[kind](own, age, rng))

    return trace


def _errors(session: Session, age: float, rng: np.random.Generator) -> tuple[Session, int, int]:
    """Let results fail that went well."""
    hits = 0
    chances = 0
    for event in session:
        if event.role == "tool_result":
            chances += 1
            hits += _fail(event, ERRORS * age, rng)

    return session, hits, chances


def _fail(event: Event, share: float, rng: np.random.Generator) -> bool:
    if event.error_kind is not None or rng.random() >= share:
        return False

    event.error_kind = "process"
    event.stdout = "Error: the command failed"
    return True


def _english(session: Session, age: float, rng: np.random.Generator) -> tuple[Session, int, int]:
    return _corrections(session, age, rng, ENGLISH)


def _german(session: Session, age: float, rng: np.random.Generator) -> tuple[Session, int, int]:
    return _corrections(session, age, rng, GERMAN)


def _corrections(
    session: Session, age: float, rng: np.random.Generator, words: Sequence[str]
) -> tuple[Session, int, int]:
    """Let the user complain after some requests; the agent answers, and changes nothing."""
    result: Session = []
    hits = 0
    chances = 0
    for request in _requests(session):
        result += request
        if not _is_request(request[0]):
            continue

        chances += 1
        if rng.random() < CORRECTIONS * age:
            hits += 1
            result += _complaint(request[-1], words[int(rng.integers(len(words)))])

    return result, hits, chances


def _complaint(before: Event, text: str) -> Session:
    return [
        _beside(before, role="user", content=text),
        _beside(before, role="assistant", content="Let me look at that part again."),
    ]


def _tool_rereads(
    session: Session, age: float, rng: np.random.Generator
) -> tuple[Session, int, int]:
    return _rereads(session, age, rng, by_shell=False)


def _shell_rereads(
    session: Session, age: float, rng: np.random.Generator
) -> tuple[Session, int, int]:
    return _rereads(session, age, rng, by_shell=True)


def _rereads(
    session: Session, age: float, rng: np.random.Generator, by_shell: bool
) -> tuple[Session, int, int]:
    """Follow some reads by another one of what was read a while ago and not changed since."""
    result: Session = []
    calls: dict[str | None, Event] = {}
    known: dict[str, tuple[int, Event, Event]] = {}  # path -> number of the call, call, result
    hits = 0
    chances = 0
    for event in session:
        result.append(event)
        if event.thread is not None:
            continue

        path = _path(event)
        if event.role == "tool_call":
            calls[event.tool_call_id] = event
            if event.tool_name in CHANGERS and path is not None:
                known.pop(path, None)
        elif event.role == "tool_result" and event.error_kind is None:
            call = calls.get(event.tool_call_id)
            path = None if call is None else _path(call)
            if call is None or path is None or call.tool_name not in READERS:
                continue

            chances += 1
            old = [row for row in known.values() if len(calls) - row[0] >= LONG_AGO]
            known[path] = (len(calls), call, event)
            if old and rng.random() < REREADS * age:
                hits += 1
                _, first_call, first_result = old[int(rng.integers(len(old)))]
                result += _repeat(event, first_call, first_result, len(result), by_shell)

    return result, hits, chances


def _repeat(after: Event, call: Event, shown: Event, number: int, by_shell: bool) -> Session:
    """Return a call once more with its result, right after another event."""
    name = f"planted-{number}"
    tool = call.tool_name
    arguments = call.arguments
    if by_shell:
        tool = "Bash"
        arguments = {"command": f"cat {_path(call)}"}
    fields = {"tool_name": tool, "tool_call_id": name}
    again = _beside(after, role="tool_call", arguments=arguments, model=call.model, **fields)
    result = _beside(after, role="tool_result", stdout=shown.stdout, **fields)
    result.content = shown.content
    return [again, result]


def _after_compaction(
    session: Session, strength: float, rng: np.random.Generator
) -> tuple[Session, int, int]:
    """Compact the context in the middle; what comes after fails and is done again."""
    requests = list(_requests(session))
    starts = [number for number, request in enumerate(requests) if _is_request(request[0])]
    if not strength or len(starts) < 2:
        return session, 0, 0

    place = starts[len(starts) // 2]
    result = [event for request in requests[:place] for event in request]
    result.append(_beside(requests[place][0], role="meta", lifecycle="compaction"))
    calls: dict[str | None, Event] = {}
    hits = 0
    chances = 0
    for number, request in enumerate(requests[place:]):
        for event in request:
            result.append(event)
            if event.role == "tool_call":
                calls[event.tool_call_id] = event
            if number >= REACH or event.role != "tool_result":
                continue

            chances += 1
            hits += _fail(event, AFTER_ERRORS * strength, rng)
            call = calls.get(event.tool_call_id)
            if call is not None and rng.random() < AFTER_REPEATS * strength:
                result += _repeat(event, call, event, len(result), by_shell=False)

    return result, hits, chances


def _requests(session: Session) -> Iterator[Session]:
    """Yield the events up to the first request, then those of each request."""
    current: Session = []
    for event in session:
        if _is_request(event) and current:
            yield current
            current = []
        current.append(event)

    if current:
        yield current


def _is_request(event: Event) -> bool:
    return event.role == "user" and event.thread is None


def _beside(event: Event, **fields: object) -> Event:
    """Return a new event of the same session right after another one."""
    time = event.timestamp
    if isinstance(time, float):
        time += SECOND
    return Event(
        step=event.step,
        timestamp=time,
        session_id=event.session_id,
        client=event.client,
        **fields,  # type: ignore[arg-type]
    )


def _path(event: Event) -> str | None:
    arguments = event.arguments
    path = arguments.get("file_path") if isinstance(arguments, dict) else None
    return path if isinstance(path, str) else None


Plant = Callable[[Session, float, np.random.Generator], tuple[Session, int, int]]
KINDS: dict[str, Plant] = {
    "errors": _errors,
    "corrections": _english,
    "corrections_german": _german,
    "rereads_tool": _tool_rereads,
    "rereads_shell": _shell_rereads,
}
