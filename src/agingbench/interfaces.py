"""The Protocols of AgingBench on one screen: implement one of these and the rest of the system
takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, Protocol, runtime_checkable

from agingbench.records import Answer, Event, Message, ReadLog, Reply, Tool, Unit

Emit = Callable[[Event], None]


@runtime_checkable
class Model(Protocol):
    """How a language model is called. A reply without a tool call is the final answer."""

    name: str

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply: ...


@runtime_checkable
class Memory(Protocol):
    """How history is kept. `units()` is None for one blob, [] when nothing is kept."""

    supports: frozenset[str]

    def read(self, query: str) -> str: ...
    def write(self, events: Sequence[Event]) -> None: ...
    def units(self) -> list[Unit] | None: ...
    def dump(self) -> dict[str, Any]: ...
    def load(self, state: dict[str, Any]) -> None: ...
    def apply(self, event: str, **args: Any) -> None: ...
    def configure(self, **options: Any) -> None: ...


@runtime_checkable
class Agent(Protocol):
    """Who does the tasks and answers the probes. `ask` with a context reads that instead of its
    memory.
    """

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str: ...
    def ask(self, question: str, context: str | None = None) -> Answer: ...
    def end_session(self) -> None: ...
    def fork(self) -> Agent: ...
    def dump(self) -> dict[str, Any]: ...
    def load(self, state: dict[str, Any]) -> None: ...


class TraceFormat(Protocol):
    """A foreign trace format: how sure are we (0 to 1) that this is it, and the events in it.

    `events` counts every record of the source in the log, as used, ignored, duplicate or malformed.
    """

    name: str
    status: str  # verified: run against the real source; reference: written from its documentation
    recipe: str  # how to export such traces

    def sniff(self, head: bytes) -> float: ...
    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]: ...


class Consolidator(Protocol):
    """Turns a trajectory into a resumption context of at most `budget` tokens; one that does not
    fit is refused.
    """

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str: ...


class Claim(Protocol):
    """What a judge is asked: one question about one fact or check, and the values that state it."""

    @property
    def component(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def text(self) -> str: ...


class Ruling(Protocol):
    """What a judge decided (yes, no or failed), with the words of the context that it rests on."""

    @property
    def label(self) -> str: ...
    @property
    def quote(self) -> str: ...


class Judge(Protocol):
    """Rules on one claim against one context."""

    def rule(self, claim: Any, context: str) -> Ruling: ...
