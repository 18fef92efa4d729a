"""Any program that reads a prompt on standard input, works in its folder and prints its reply.

It finds its instructions in AGENTS.md, its model under OPENAI_BASE_URL or ANTHROPIC_BASE_URL with
the key and name beside it, and the name of the conversation in AGINGBENCH_CONVERSATION: calls of
one block have the same one and the same home. It may write what it did to the file that
AGINGBENCH_EVENTS names, one JSON object a line: {"tool", "arguments", "result", "exit_code"}, or
{"reply"} for a reply of its model. Without that file its trace holds prompts and replies alone.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from agingbench.agents.autonomous.agent import AutonomousAgent, install_root
from agingbench.agents.autonomous.conversation import Conversation, Launch, Outcome
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.errors import InputError
from agingbench.interfaces import Memory, Model
from agingbench.records import Event

EVENTS_FILE = "events.jsonl"


class ToldEvent(msgspec.Struct):
    """One line of what a program says that it did."""

    tool: str = ""
    arguments: dict[str, Any] = {}
    result: str = ""
    exit_code: int | None = None
    reply: str | None = None


class CommandAgent(AutonomousAgent):
    """Drives the program of `command`, a line that is split into words and given to no shell."""

    product = "command"
    program_name = "command"
    serves = ("openai", "anthropic")
    controls: ClassVar[Mapping[str, str]] = {
        "version": "SHA-256 of the program's file, or as given",
        "home": "new for every block and probe",
        "environment": "starts empty",
        "instructions": "AGENTS.md, written before every call",
    }

    def __init__(
        self,
        model: Model,
        memory: Memory,
        command: str,
        role: str = "You are a helpful assistant.",
        version: str = "",
        seconds: float = 300.0,
        max_turns: int = 60,
        confine: str | bool = "auto",
    ) -> None:
        super().__init__(model, memory, role, "", version, seconds, max_turns, confine)
        self.words = shlex.split(command)
        if not self.words:
            raise ValueError("needs a command, such as command='python3 agent.py'")

    def find_program(self) -> str:
        # Version managers put scripts in front of it that do not run inside a confinement.
        if self.words[0] in ("python", "python3"):
            return sys.executable
        path = shutil.which(os.path.expanduser(self.words[0]))
        if path is None:
            raise InputError(f"agent 'command': no program {self.words[0]}")
        return os.path.abspath(path)

    def _files(self) -> list[Path]:
        """The files among the words: the program and what it is given to run."""
        named = [Path(os.path.abspath(word)) for word in self.words[1:] if os.path.isfile(word)]
        return [Path(self.find_program()), *named]

    def readable(self) -> list[Path]:
        paths = [file.parent for file in self._files()[1:]]
        program = Path(self.find_program())
        if program.parent.name == "bin":
            paths.append(program.parent.parent)  # a virtual environment begins there
        if os.path.realpath(program) == os.path.realpath(sys.executable):
            paths.append(Path(sys.base_prefix))
        paths.append(install_root(str(program)))
        return [path for path in paths if not path.is_relative_to("/usr")]

    def installed_version(self) -> str:
        """The version that was given, or a hash of the last file that the command names."""
        if self.version:
            return self.version
        data = self._files()[-1].read_bytes()
        return f"sha256:{hashlib.sha256(data).hexdigest()[:16]}"

    def furnish(self, talk: Conversation) -> None:
        talk.id = str(uuid.uuid4())

    def launch(self, talk: Conversation, prompt: str) -> Launch:
        address = talk.address
        files = {str(file) for file in self._files()}
        words = [os.path.abspath(w) if os.path.abspath(w) in files else w for w in self.words[1:]]
        (talk.home / EVENTS_FILE).unlink(missing_ok=True)
        variables = {
            "ANTHROPIC_BASE_URL": address.url,
            "ANTHROPIC_API_KEY": address.key,
            "OPENAI_BASE_URL": f"{address.url}/v1",
            "OPENAI_API_KEY": address.key,
            "AGINGBENCH_MODEL": address.model,
            "AGINGBENCH_CONVERSATION": talk.id,
            "AGINGBENCH_EVENTS": str(talk.seen_home / EVENTS_FILE),
        }
        return Launch([self.find_program(), *words], variables, prompt)

    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        text = result.stdout.strip()
        file = talk.home / EVENTS_FILE
        if not file.is_file() or file.is_symlink():
            reply = Event(step=0, role="assistant", content=text)
            return Outcome(text, [reply], problem=result.problem)
        lines = file.read_bytes().splitlines()
        try:
            told = [msgspec.json.decode(line, type=ToldEvent) for line in lines]
        except msgspec.DecodeError as error:
            return Outcome(text, problem=result.problem or f"its events cannot be read: {error}")
        events = [event for number, item in enumerate(told) for event in _events(item, number)]
        return Outcome(text, events, problem=result.problem)

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        """Files that the program left in its home as `session*`."""
        files = {}
        for file in sorted(talk.home.glob("session*")):
            if file.is_file() and not file.is_symlink():
                files[file.name] = file.read_bytes()
        return files


def _events(told: ToldEvent, number: int) -> Iterator[Event]:
    if told.reply is not None:
        yield Event(step=0, role="assistant", content=told.reply)
        return
    call_id = f"call-{number}"
    yield Event(
        step=0,
        role="tool_call",
        tool_name=told.tool,
        arguments=told.arguments,
        tool_call_id=call_id,
    )
    yield Event(
        step=0,
        role="tool_result",
        tool_name=told.tool,
        stdout=told.result,
        exit_code=told.exit_code,
        tool_call_id=call_id,
    )
