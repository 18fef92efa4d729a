"""One conversation of a product: its folders, its model, its settings, and what became of the
workspace.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agingbench.agents.autonomous.changes import workspace_diff
from agingbench.agents.autonomous.process import ProcessResult, run_product
from agingbench.agents.autonomous.scratch import Scratch, collect, lay_out
from agingbench.memory.workspace import INSTRUCTION_FILE
from agingbench.models.puppet import Puppet
from agingbench.models.serving.server import LOOPBACK, ServedModel, serving
from agingbench.records import Event, Usage
from agingbench.sandbox.bubble import PORT, Bubble, confined

if TYPE_CHECKING:
    from agingbench.agents.autonomous.agent import AutonomousAgent

STUB_KEY = "stub"
EMBEDDED = "extractive"
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
