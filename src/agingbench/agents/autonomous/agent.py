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
import weakref
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

from agingbench.agents.autonomous.changes import workspace_diff
from agingbench.agents.autonomous.process import ProcessResult, run_product
from agingbench.agents.autonomous.scratch import Scratch, TooMuch, collect, lay_out
from agingbench.agents.react import PROBE
from agingbench.errors import InputError, TransportError
from agingbench.interfaces import Agent, Emit, Memory, Model
from agingbench.memory.workspace import INSTRUCTION_FILE, Workspace
from agingbench.models.metered import Metered
from agingbench.models.provider import Provider
from agingbench.models.puppet import Puppet
from agingbench.models.serving.server import LOOPBACK, ServedModel, serving
from agingbench.records import AgentIdentity, Answer, AnswerStatus, Event, Tool, Usage
from agingbench.sandbox.bubble import PORT, Bubble, available, confined

AGENTS_FOLDER = "AGINGBENCH_AGENTS"  # a folder that products were installed to with npm
STUB_KEY = "stub"
EMBEDDED = "extractive"
CONFINE = ("auto", "require", "off")
# What a confined product sees, the same on every machine and in every block.
SEEN_HOME = Path("/home/agent")
SEEN_WORK = Path("/workspace")
SEEN_TEMPORARY = Path("/tmp")  # noqa: S108 -- of the confinement


class ModelAddress(NamedTuple):
    """Where a product finds its model: an address without a path, a key and a name."""

    url: str
    key: str
    model: str


class Launch(NamedTuple):
    """How a product is started for one prompt."""

    argv: Sequence[str]
    variables: Mapping[str, str]
    stdin: str = ""


class Outcome(NamedTuple):
    """What one call of a product came to; `problem` is why it failed, else empty."""

    text: str
    events: Sequence[Event] = ()
    conversation: str = ""  # by which the product continues it
    usage: Usage = Usage()
    problem: str = ""
    exhausted: bool = False  # its turns were up
    counted: int | None = None  # replies that the model behind it gave, where that is ours

    @property
    def turns(self) -> int:
        """Replies of the model, as far as they are known."""
        if self.counted is not None:
            return self.counted
        return sum(event.role == "assistant" for event in self.events)

    @property
    def tool_calls(self) -> int:
        return sum(event.role == "tool_call" for event in self.events)


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
        confine: str = "auto",
    ) -> None:
        if not isinstance(memory, Workspace):
            raise ValueError("works in a folder of its own; give it the memory workspace")
        if confine not in CONFINE:
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
        reason = "switched off" if self.confine == "off" else available()
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


class Conversation:
    """One conversation of a product: its folders, its model, and what became of the workspace."""

    def __init__(
        self,
        agent: AutonomousAgent,
        contents: Mapping[str, bytes],
        role: str,
        scratch: Scratch,
    ) -> None:
        self.agent = agent
        self.id = ""  # set once the product has told it
        self.usage = Usage()  # of all calls so far
        self.before = dict(contents)
        self._after = dict(contents)
        self._stack = ExitStack()
        # A block that nobody ends, since the life was stopped, leaves nothing behind either.
        self._finalizer = weakref.finalize(self, self._stack.close)
        self.scratch = scratch
        self._stack.callback(self.scratch.close)
        self.confined = not agent.unconfined()
        # Where the product sees its folders; `home` and `work` are where they lie.
        self.seen_home = SEEN_HOME if self.confined else scratch.home
        self.seen_work = SEEN_WORK if self.confined else scratch.work
        self.address = self._model_address()

        lay_out(contents, self.scratch.work)
        self.instructions = self._instructions(role)
        self._restore_instructions()
        agent.furnish(self)

    @property
    def home(self) -> Path:
        return self.scratch.home

    @property
    def work(self) -> Path:
        return self.scratch.work

    def call(self, prompt: str) -> Outcome:
        """Give the product one prompt, within its limits."""
        agent = self.agent
        turns_before = 0
        if self.served is not None:
            turns_before = self.served.turns
            self.served.most_turns = turns_before + agent.max_turns
            self.served.usage = Usage()
        self._restore_instructions()
        launch = agent.launch(self, prompt)
        result = self.run(launch)
        outcome = agent.read(self, result)
        self.id = outcome.conversation or self.id
        if result.problem and not outcome.problem:
            outcome = outcome._replace(problem=result.problem)
        if self.served is not None:
            count = self.served.turns - turns_before
            exhausted = outcome.exhausted or self.served.is_exhausted
            usage = outcome.usage if outcome.usage.calls else self.served.usage
            outcome = outcome._replace(counted=count, exhausted=exhausted, usage=usage)
        self.usage += outcome.usage
        return outcome

    def run(self, launch: Launch, into: Path | None = None) -> ProcessResult:
        """Start the product in its folders, confined where that is possible."""
        variables = {**self._variables(), **launch.variables}
        argv = list(launch.argv)
        if self.confined:
            argv = confined(argv, self._bubble())
        return run_product(argv, variables, self.work, launch.stdin, self.agent.seconds, into)

    def workspace(self) -> dict[str, bytes]:
        """The files of the workspace as they are now, without the instruction file."""
        contents = collect(self.work).contents
        contents.pop(self.agent.instruction_file, None)
        self._after = contents
        return contents

    def evidence(self) -> dict[str, bytes]:
        """The product's session files, and what the block changed."""
        files = dict(self.agent.session_files(self))
        diff = workspace_diff(self.before, self._after)
        if diff:
            files["workspace.diff"] = diff.encode()
        file = self.work / self.agent.instruction_file
        written = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        if written != self.instructions:
            files["instructions_as_left.md"] = written
        key = self.address.key.encode()
        if key in (b"", STUB_KEY.encode()):
            return files
        return {name: data.replace(key, b"<secret>") for name, data in files.items()}

    def close(self) -> None:
        """Remove the folders and stop the model."""
        self._finalizer()

    def _model_address(self) -> ModelAddress:
        agent = self.agent
        agent.check_model()
        self.served: ServedModel | None = None
        if agent.hosted is not None:
            return ModelAddress(*agent.hosted.access())
        self.served = ServedModel(Puppet(agent.model))
        if self.confined:
            self._stack.enter_context(serving(self.served, socket_file=self.scratch.socket_file))
            port = PORT
        else:
            port = self._stack.enter_context(serving(self.served))
        return ModelAddress(f"http://{LOOPBACK}:{port}", STUB_KEY, EMBEDDED)

    def _instructions(self, role: str) -> bytes:
        text = self.agent.memory.files.get(INSTRUCTION_FILE, "")
        own = text.replace(INSTRUCTION_FILE, self.agent.instruction_file)
        return f"{role}\n\n{own}".strip().encode() + b"\n"

    def _restore_instructions(self) -> None:
        file = self.work / self.agent.instruction_file
        if file.is_symlink() or (file.exists() and not file.is_file()):
            shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
        file.write_bytes(self.instructions)

    def _variables(self) -> dict[str, str]:
        """An environment that starts empty: nothing of the user's is passed on."""
        folder = os.path.dirname(self.agent.find_program())
        home = self.seen_home
        temporary = SEEN_TEMPORARY if self.confined else self.scratch.temporary
        return {
            "PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
        }

    def _bubble(self) -> Bubble:
        return Bubble(
            writable={SEEN_HOME: self.home, SEEN_WORK: self.work},
            readable=self.agent.readable(),
            folder=SEEN_WORK,
            socket_file=self.scratch.socket_file if self.served is not None else None,
        )


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
