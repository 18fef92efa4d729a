"""An agent that owns its loop: a product that is given a prompt and works in a folder.

- A block is one conversation. It starts in a home of its own that holds nothing but our settings,
  with the workspace laid out in a folder. Every task of the block is one call of the product in
  that conversation. When the block ends, home and conversation are gone and the workspace stays.
- A probe is asked of a copy: the same workspace in other folders, a new home, a new conversation.
- The workspace is the agent's memory (`memory.workspace`): a table of files that a snapshot holds
  whole, so a life that was stopped goes on with the files of its last whole block.
- The instruction file is ours: it is written before every conversation and is no part of what is
  kept. What a product did to it is evidence.

What it did is read from what the product prints, its own session file is evidence of the block, and
so is the difference that the block made to the workspace.
"""

from __future__ import annotations

import copy
import os
import secrets
import shutil
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from agingbench.agents.autonomous.conversation import EMBEDDED, Conversation, Launch, Outcome
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.agents.autonomous.scratch import Scratch, TooMuch
from agingbench.agents.react import PROBE
from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Agent, Emit, Memory, Model
from agingbench.memory.workspace import Workspace
from agingbench.models.metered import Metered
from agingbench.models.provider import Provider
from agingbench.records import AgentIdentity, Answer, AnswerStatus, Event, Tool
from agingbench.sandbox.bubble import available

AGENTS_FOLDER = "AGINGBENCH_AGENTS"  # a folder that products were installed to with npm
OFF = "off"
CONFINE = ("auto", "require", OFF)


class AutonomousAgent(Agent):
    """Drives a product; subclasses say how it is started and how its output reads."""

    owns_workspace = True
    owns_loop = True
    uses_tools = False
    memory: Workspace
    role: str

    product: ClassVar[str]
    program_name: ClassVar[str]
    pinned: ClassVar[str] = ""  # the version that the adapter was tested with
    instruction_file: ClassVar[str] = "AGENTS.md"
    controls: ClassVar[Mapping[str, str]] = {}
    serves: ClassVar[tuple[str, ...]] = ()  # labels of the hosted models that it can call

    def __init__(
        self,
        model: Model,
        memory: Memory,
        role: str = "You are a helpful assistant.",
        program: str = "",
        version: str = "",
        seconds: float = 300.0,
        max_turns: int = 60,
        confine: str | bool = "auto",
    ) -> None:
        if confine is False:
            confine = OFF  # what YAML makes of the bare word
        if not isinstance(memory, Workspace):
            raise ValueError("works in a folder of its own; give it the memory workspace")
        if not isinstance(confine, str) or confine not in CONFINE:
            raise ValueError(f"confine must be one of {', '.join(CONFINE)}, not {confine!r}")
        if type(max_turns) is not int or max_turns < 1:
            raise ValueError(f"max_turns must be a whole number of at least 1, not {max_turns!r}")
        if not isinstance(seconds, int | float) or not seconds > 0:
            raise ValueError(f"seconds must be a number above 0, not {seconds!r}")
        self.model = model
        self.memory = memory
        self.role = role
        self.program = program
        self.version = version or self.pinned
        self.seconds = float(seconds)
        self.max_turns = max_turns
        self.confine = confine
        self._block: Conversation | None = None
        self._evidence: dict[str, bytes] = {}
        self._scratch_name = secrets.token_hex(6)
        self.hosted = _hosted(model, self)
        self._model_name = model.name

    # -- what a product has to say

    @abstractmethod
    def launch(self, talk: Conversation, prompt: str) -> Launch:
        """How the product is started for a prompt; `talk.id` is set where it continues."""

    @abstractmethod
    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        """What the product's output says."""

    def furnish(self, talk: Conversation) -> None:
        """Put our settings into the product's home."""

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        """The product's own record of a conversation, by stable names."""
        return {}

    @abstractmethod
    def installed_version(self) -> str:
        """The version that the installed product says it has; raises InputError without one."""

    def readable(self) -> list[Path]:
        """What a confined product has to read beside the system: where it is installed."""
        return [install_root(self.find_program())]

    # -- the agent

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Do one task in the conversation of the block; raises TransportError where it failed."""
        emit(Event(step=0, role="user", content=text))
        if self._block is None:
            self._block = self._begin(self.memory.contents(), self.role, self._scratch_name)
        outcome = self._block.call(text)
        for event in _with_usage(outcome):
            emit(event)
        try:
            self.memory.take_over(self._block.workspace())
        except TooMuch as error:
            raise TransportError(f"{self.product}: {error}") from error
        if outcome.problem:
            raise TransportError(f"{self.product}: {outcome.problem}")
        if outcome.exhausted:
            emit(Event(step=0, role="meta", metadata={"unanswered": "tool_loop_exhausted"}))
            return ""
        return outcome.text

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer a held-out question from a copy of the workspace, or from `context` alone."""
        contents = self.memory.contents() if context is None else {}
        prompt = question if context is None else f"{context}\n\n{question}"
        talk = self._begin(contents, f"{self.role}\n\n{PROBE}", secrets.token_hex(6))
        try:
            outcome = talk.call(prompt)
        finally:
            talk.close()

        status: AnswerStatus = "answered"
        reason = None
        if outcome.problem:
            status, reason = "failed", f"{self.product}: {outcome.problem}"
        elif outcome.exhausted:
            status, reason = "unanswered", "tool_loop_exhausted"
        return Answer(
            outcome.text if status == "answered" else "",
            status,
            reason,
            context if context is not None else _results(outcome.events),
            outcome.usage,
            outcome.turns,
            outcome.tool_calls,
        )

    def _begin(self, contents: Mapping[str, bytes], role: str, name: str) -> Conversation:
        return Conversation(self, contents, role, Scratch(name))

    def end_session(self) -> None:
        """End the conversation; the workspace stays."""
        self._evidence = {}
        if self._block is not None:
            self._evidence = self._block.evidence()
            self._block.close()
            self._block = None

    def evidence(self) -> Mapping[str, bytes]:
        return self._evidence

    def fork(self) -> Self:
        """The same agent with a copy of the workspace and no conversation."""
        twin = copy.copy(self)
        twin.memory = self.memory.copy()
        twin._block = None
        twin._evidence = {}
        twin._scratch_name = secrets.token_hex(6)
        return twin

    def close(self) -> None:
        """End the conversation, if one is still open."""
        if self._block is not None:
            self._block.close()
            self._block = None

    def dump(self) -> dict[str, object]:
        return {"memory": self.memory.dump()}

    def load(self, state: dict[str, object]) -> None:
        self.memory.load(state["memory"])  # type: ignore[arg-type]
        if self._block is not None:
            self._block.close()
        self._block = None
        self._evidence = {}

    def identity(self) -> AgentIdentity:
        """Product, version and confinement; raises InputError where the version is not the pinned
        one.
        """
        version = self.installed_version()
        if self.version and version != self.version:
            raise InputError(
                f"agent '{self.product}' is version {version}, not {self.version}; install"
                f" that, or pin the other with --agent-option version={version}"
            )
        reason = self.unconfined()
        return AgentIdentity(
            self.product,
            version,
            f"none: {reason}" if reason else "bubblewrap",
            "open" if reason or self.hosted is not None else "loopback",
            dict(self.controls),
        )

    # -- how it is run

    def check_model(self) -> None:
        """Raise InputError where another model was put in the place of the first one."""
        if self.model.name != self._model_name:
            raise InputError(
                f"agent '{self.product}' calls its model by itself; it cannot be swapped for"
                f" {self.model.name}"
            )

    def unconfined(self) -> str:
        """Why the product runs without confinement; empty where it is confined.

        Raises InputError where confinement is required and not to be had.
        """
        reason = "switched off" if self.confine == OFF else available()
        if reason and self.confine == "require":
            raise InputError(f"agent '{self.product}' cannot be confined: {reason}")
        return reason

    def find_program(self) -> str:
        """The path of the product; raises InputError where it is not installed."""
        if self.program:
            path = shutil.which(os.path.expanduser(self.program))
            if path is None:
                raise InputError(f"agent '{self.product}': no program at {self.program}")
            return os.path.abspath(path)
        folder = os.environ.get(AGENTS_FOLDER)
        path = None
        if folder:
            path = shutil.which(os.path.join(folder, "node_modules", ".bin", self.program_name))
        path = path or shutil.which(self.program_name)
        if path is None:
            raise InputError(
                f"agent '{self.product}' needs the program {self.program_name}; install it and set"
                f" {AGENTS_FOLDER} to the folder of its node_modules, or give --agent-option"
                " program=PATH"
            )
        return os.path.abspath(path)


def install_root(program: str) -> Path:
    """The folder that a program needs to read: of npm the one that holds node_modules."""
    real = Path(os.path.realpath(program))
    parts = real.parts
    if "node_modules" in parts:
        return Path(*parts[: parts.index("node_modules")])
    return real.parent.parent if real.parent.name == "bin" else real.parent


def _hosted(model: Model, agent: AutonomousAgent) -> Provider | None:
    """The hosted model behind a meter; raises ValueError for one that the product cannot call."""
    inner = model.model if isinstance(model, Metered) else model
    if inner.name == EMBEDDED:
        return None
    if isinstance(inner, Provider) and inner.label in agent.serves:
        return inner
    known = ", ".join([EMBEDDED, *(f"{label}:MODEL_ID" for label in agent.serves)])
    raise ValueError(f"calls its model by itself; give it one of {known}, not {inner.name}")


def _with_usage(outcome: Outcome) -> list[Event]:
    """The events of a call; what it took stands on the last reply where no event carries it."""
    events = list(outcome.events)
    is_told = any(event.usage is not None for event in events)
    if is_told or not outcome.usage.calls:
        return events
    replies = [event for event in events if event.role == "assistant"]
    if not replies:
        return [*events, Event(step=0, role="meta", usage=outcome.usage)]
    replies[-1].usage = outcome.usage
    return events


def _results(events: Sequence[Event]) -> str:
    """What an answer could rest on: what the tools gave, in that order."""
    texts = [event.stdout for event in events if event.role == "tool_result" and event.stdout]
    return "\n\n".join(texts)
