"""What any agent does, ours or foreign: messages, replies, answers and the one Event of every
trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec

Role = Literal["system", "user", "assistant", "tool_call", "tool_result", "meta"]
ROLES: tuple[str, ...] = ("system", "user", "assistant", "tool_call", "tool_result", "meta")


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one or more model calls took. None means the provider did not say, never zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: float | None = None
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _plus(self.input_tokens, other.input_tokens, self.calls, other.calls),
            _plus(self.output_tokens, other.output_tokens, self.calls, other.calls),
            _plus(self.cache_read_tokens, other.cache_read_tokens, self.calls, other.calls),
            _plus(self.cache_write_tokens, other.cache_write_tokens, self.calls, other.calls),
            _plus(self.cost_usd, other.cost_usd, self.calls, other.calls),
            self.calls + other.calls,
        )


N = TypeVar("N", int, float)


def _plus(a: N | None, b: N | None, calls_a: int, calls_b: int) -> N | None:
    # A sum with an unknown part is unknown; a side that made no call has no part.
    if calls_a == 0:
        return b
    if calls_b == 0:
        return a
    return None if a is None or b is None else a + b


class ToolCall(msgspec.Struct, frozen=True):
    """A tool call the model asked for, natively."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model said. Without a tool call it is the final answer."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    model: str | None = None
    refused: bool = False


AnswerStatus = Literal["answered", "unanswered", "failed"]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An agent's answer to one held-out question, with the context it was given to read."""

    text: str
    status: AnswerStatus = "answered"
    reason: str | None = None
    context: str = ""
    usage: Usage = Usage()
    turns: int | None = None  # replies of the model, where the agent works with tools
    tool_calls: int | None = None


class AgentIdentity(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which product an agent is, in which version, and how it is held."""

    product: str
    version: str
    confinement: str  # bubblewrap, or none and why
    network: str  # loopback or open
    controls: dict[str, str] = {}  # what was switched off or set, by what


class Unit(msgspec.Struct, frozen=True):
    """One thing a memory can retrieve by itself."""

    id: str
    text: str


class ToolRefusal(Exception):
    """What a tool refuses, in its own words: the agent reads them as they are."""


@dataclass(frozen=True)
class Tool:
    """A tool offered to an agent: a JSON Schema for its arguments and the function behind it.

    `decides` is done or declined for a tool whose call decides the task, otherwise empty;
    `looks_up` says of the arguments of a call whether its result is what a memory holds.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]
    decides: Literal["", "done", "declined"] = ""
    looks_up: Callable[[Mapping[str, Any]], bool] | None = None


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a foreign event was read from."""

    file: str
    line: int | None = None


class Event(msgspec.Struct, omit_defaults=True, kw_only=True, gc=False):
    """One entry of a trace. `extra` holds keys we do not know; they are written back unchanged.

    Foreign traces become the same events: `session_id` is the source's own name of the session and
    `thread` that of a subagent within it; `timestamp` is seconds since the epoch, UTC; `usage`
    stands once per message, on its first event; `error_kind` of a tool result is process, rejected,
    refused or cancelled; `client` is the harness's version; `lifecycle` of a meta event is
    compaction, clear, resume, model_change, client_change or prompt_change.
    """

    step: int
    role: Role
    content: str | None = None
    tool_name: str | None = None
    command: str | None = None
    arguments: Any = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    duration_ms: float | None = None
    media: Any = None
    metadata: dict[str, Any] | None = None
    call_type: str | None = None
    output_summary: Any = None
    timestamp: Any = None
    meta_harness: Any = None
    session: int | None = None
    tool_call_id: str | None = None
    memory: str | None = None
    usage: Usage | None = None
    model: str | None = None
    lifecycle: str | None = None
    source: Source | None = None
    session_id: str | None = None
    thread: str | None = None
    error_kind: str | None = None
    client: str | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


class Problem(msgspec.Struct, frozen=True):
    """What was wrong with one record of a source; lines count from 1."""

    file: str
    line: int | None
    reason: str


class ReadLog:
    """What became of every record while traces were read: used, ignored (by kind), duplicate or
    malformed.

    One log serves all files of one reading: `record_keys` lets a format drop records that
    another file already gave.
    """

    UNKNOWN_VERSION = "unknown_version"  # flag: a file of a version that nobody here can read
    MOST_PROBLEMS = 1000  # stored with their place; beyond that they are only counted

    def __init__(self) -> None:
        self.file = ""
        self.used = 0
        self.duplicate = 0
        self.n_malformed = 0
        self.ignored: dict[str, int] = {}
        self.malformed: list[Problem] = []
        self.flags: dict[str, int] = {}
        self.record_keys: set[object] = set()
        self.format_state: dict[str, Any] = {}  # what a format carries from file to file

    def ignore(self, kind: str) -> None:
        """A record that is left out by design."""
        self.ignored[kind] = self.ignored.get(kind, 0) + 1

    def bad(self, line: int | None, reason: str) -> None:
        """A record that could not be read; it costs itself only."""
        self.n_malformed += 1
        if len(self.malformed) < self.MOST_PROBLEMS:
            self.malformed.append(Problem(self.file, line, reason))

    def refuse_version(self, line: int | None, version: object, readable: str) -> None:
        """A file, from this line on, is of a version that cannot be read."""
        self.bad(line, f"version {version!r} cannot be read; versions read: {readable}")
        self.flag(self.UNKNOWN_VERSION)

    def flag(self, name: str) -> None:
        """Something the reader had to assume, such as a time without a zone."""
        self.flags[name] = self.flags.get(name, 0) + 1
