"""What a plug-in can be, on one screen: a model, a memory policy, an agent, a trace format, a
consolidator or a judge. (Scenario and Controller are the bench's own and live there.)

Abstract methods and attributes without a value are required; everything else has its default here.
A plug-in may inherit from its class here, or be a plain class with the required members: the
registry checks those and supplies the defaults (see `agingbench.registry.conform`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Protocol, Self, runtime_checkable

from agingbench.errors import InputError, UnknownName
from agingbench.records import AgentIdentity, Answer, Event, Message, ReadLog, Reply, Tool, Unit

Emit = Callable[[Event], None]


class Model(ABC):
    """How a language model is called. A reply without a tool call is the final answer."""

    name: str
    endpoint: str = ""  # address that is called; calls to one address share a limit

    @abstractmethod
    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        """Answer the conversation."""

    def cache_identity(self) -> dict[str, Any]:
        """Everything about this model that can change a reply: part of the cache's key."""
        return {"name": self.name}

    def close(self) -> None:  # noqa: B027 -- nothing to release is the default
        """Release connections; the model can still be called afterwards."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copies of a memory or an agent share its model."""
        return self


class Memory(ABC):
    """How history is kept between sessions."""

    supports: frozenset[str] = frozenset()  # lifecycle events it can undergo
    options: tuple[str, ...] = ()  # attributes that `configure` may change
    prompt_hashes: Mapping[str, str] = {}  # its prompts by name, for the record
    versions: Mapping[str, str] = {}  # products that it is made of, for the record
    # What it spends, for estimates and controllers; None where it has no such thing.
    model: Model | None = None  # condenses what is written
    words: int | None = None  # budget of one summary
    k: int | None = None  # units read per query
    prompt: str | None = None  # name of the compaction prompt
    keeps_log: bool = False  # condenses the log of all sessions at each write

    @abstractmethod
    def read(self, query: str) -> str:
        """The text that the agent gets to see for a query."""

    @abstractmethod
    def write(self, events: Sequence[Event]) -> None:
        """Take in one session."""

    @abstractmethod
    def units(self) -> list[Unit] | None:
        """What can be retrieved one by one; None for one blob, [] when nothing is stored."""

    @abstractmethod
    def dump(self) -> dict[str, Any]:
        """The whole state as JSON."""

    @abstractmethod
    def load(self, state: dict[str, Any]) -> None:
        """Take over a state that `dump` gave."""

    def tools(self) -> list[Tool]:
        """Tools through which an agent works on the memory itself, such as file tools."""
        return []

    def check_out(self, folder: str, files: Mapping[str, str]) -> None:
        """Lay out a repository in a folder of the agent's files, in place of what lay there."""
        raise InputError(
            "this scenario is about a repository in the agent's files; choose the memory workspace"
        )

    def copy(self) -> Memory:
        """An independent memory with the same state and the same model.

        Made for every probe: what takes long should wait until the copy is used.
        """
        return copy.deepcopy(self)

    def close(self) -> None:  # noqa: B027 -- nothing to release is the default
        """Release processes and files; a memory that is used again takes them up again."""

    def check(self, event: str, **args: Any) -> None:
        """Raise InputError if `apply` would refuse this lifecycle event; change nothing."""
        if event not in self.supports:
            raise InputError(
                f"{type(self).__name__} does not support the lifecycle event '{event}'"
            )

    def apply(self, event: str, **args: Any) -> None:
        """Undergo a lifecycle event: the method of that name does it."""
        self.check(event, **args)
        getattr(self, event)(**args)

    def configure(self, **options: Any) -> None:
        """Change options in mid-life."""
        for name, value in options.items():
            if name not in self.options:
                raise UnknownName(f"option of {type(self).__name__}", name, self.options)
            setattr(self, name, value)


class Agent(ABC):
    """Who does the tasks and answers the probes."""

    memory: Memory | None = None  # needed for lifecycle events and memory metrics
    role: str | None = None  # instruction that a controller can add to
    owns_workspace: bool = False  # works on files of its own, which nobody else can read
    owns_loop: bool = False  # a program of its own, which calls its model by itself
    uses_tools: bool = True  # False: tasks ask it to say its decision in a line

    @abstractmethod
    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Do one task, emit what happens, return the final reply."""

    @abstractmethod
    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer a held-out question from memory, or from `context` in its place."""

    @abstractmethod
    def end_session(self) -> None:
        """Write the session to memory."""

    def evidence(self) -> Mapping[str, bytes]:
        """Files about the session that has just ended, by name; kept beside the trace."""
        return {}

    def identity(self) -> AgentIdentity | None:
        """Which product this is, for the record; None for an agent of this package.

        Raises InputError where the product is missing or of another version than it should be.
        """
        return None

    @abstractmethod
    def fork(self) -> Agent:
        """An independent agent in the same state."""

    def close(self) -> None:
        """Release what it holds outside, such as the processes of its memory."""
        if self.memory is not None:
            self.memory.close()

    @abstractmethod
    def dump(self) -> dict[str, Any]:
        """The whole state as JSON."""

    @abstractmethod
    def load(self, state: dict[str, Any]) -> None:
        """Take over a state that `dump` gave."""


class TraceFormat(ABC):
    """A foreign trace format."""

    name: str
    status: str  # verified: run against the real source; reference: written from its documentation
    recipe: str  # how to export such traces

    @abstractmethod
    def sniff(self, head: bytes) -> float:
        """How sure it is (0 to 1) that a file with this beginning is of this format."""

    @abstractmethod
    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of a file; every record is counted in the log."""


class Consolidator(ABC):
    """Turns a trajectory into a context for the agent that resumes it."""

    @abstractmethod
    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        """A context of at most `budget` tokens; a longer one is refused."""


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


@runtime_checkable
class ReasonedRuling(Ruling, Protocol):
    """A ruling that also says why."""

    @property
    def reason(self) -> str: ...


class Judge(ABC):
    """Rules on one claim against one context."""

    identity: str = ""  # what a calibration is bound to; empty: module and class
    tuned_on: int = 0  # reference grades that the judge was tuned with
    model: str | None = None  # the model that it asks; such labels are stored, since they cost
    withdrawn: Mapping[str, str] = {}  # components that it may no longer judge, and why

    @abstractmethod
    def rule(self, claim: Any, context: str) -> Ruling:
        """Decide whether the context states the claim."""

    def again(self, seed: int) -> Judge:
        """The judge to ask the same questions a second time."""
        return self
