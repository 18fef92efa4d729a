"""OpenHands through its SDK, in a Python environment of its own.

`python3.12 -m venv DIR && DIR/bin/pip install openhands-sdk openhands-tools` makes one; it is found
as AGINGBENCH_OPENHANDS=DIR, as the option `python`, or as `openhands` in the folder of the agents.
"""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from agingbench.agents.autonomous.agent import AGENTS_FOLDER, AutonomousAgent
from agingbench.agents.autonomous.conversation import Conversation, Launch, Outcome
from agingbench.agents.autonomous.output import (
    joined_text,
    json_lines,
    part,
    tool_events,
    tool_result,
)
from agingbench.agents.autonomous.process import ProcessResult
from agingbench.errors import InputError
from agingbench.interfaces import Memory, Model
from agingbench.records import Event
from agingbench.sandbox.interpreters import first_found

ENVIRONMENT = "AGINGBENCH_OPENHANDS"
DRIVER = Path(__file__).with_name("openhands_driver.py")
RECORD = "record"
PYTHONS = ("3.12", "3.13", "3.14")  # that it runs on, the one it was tested with first
_VERSION_SECONDS = 120
_ASK = (
    "import sys, importlib.metadata as m; assert sys.version_info >= (3, 12);"
    " m.version('openhands-tools'); print(m.version('openhands-sdk')); print(sys.base_prefix)"
)


class OpenHandsAdapter(AutonomousAgent):
    """Drives a conversation of the OpenHands SDK with its terminal and its file editor."""

    product = "openhands"
    program_name = "python"
    pinned = "1.58.0"
    serves = ("openai", "anthropic")
    controls: ClassVar[Mapping[str, str]] = {
        "updates": "a library in an environment of its own",
        "auto_memory": "none: no skills, a record of its own for every block",
        "hooks": "none are given",
        "plug_ins": "none are given; tools are terminal and file_editor",
        "credentials": "an empty home; a key of the environment is not passed on",
        "instructions": "AGENTS.md as the suffix of its system message",
        "tools": "the terminal starts in the workspace; its shell is held by the confinement alone",
    }

    def __init__(
        self,
        model: Model,
        memory: Memory,
        role: str = "You are a helpful assistant.",
        python: str = "",
        version: str = "",
        seconds: float = 300.0,
        max_turns: int = 60,
        confine: str | bool = "auto",
    ) -> None:
        super().__init__(model, memory, role, python, version, seconds, max_turns, confine)

    def find_program(self) -> str:
        """The Python of an environment with OpenHands; raises InputError where there is none."""
        places = [self.program] if self.program else _places()
        for place in places:
            if os.path.isfile(place) and os.access(place, os.X_OK):
                return os.path.abspath(place)
        python = first_found(PYTHONS)
        if python is None:
            raise InputError(
                "agent 'openhands' needs Python 3.12 or newer in an environment of its own, and"
                " this machine has none on its path or with pyenv; install one"
            )
        raise InputError(
            f"agent 'openhands' needs an environment of its own: {python.program} -m venv DIR, then"
            f" DIR/bin/pip install openhands-sdk=={self.pinned} openhands-tools=={self.pinned},"
            f" then set {ENVIRONMENT}=DIR or give --agent-option python=DIR/bin/python"
        )

    def installed_version(self) -> str:
        return _installed(self.find_program())[0]

    def readable(self) -> list[Path]:
        program = Path(self.find_program())
        base = Path(_installed(str(program))[1])
        paths = [program.parent.parent, base, Path(os.path.realpath(base)), DRIVER]
        return [path for path in paths if not path.is_relative_to("/usr")]

    def furnish(self, talk: Conversation) -> None:
        talk.id = str(uuid.uuid4())

    def launch(self, talk: Conversation, prompt: str) -> Launch:
        address = talk.address
        url = f"{address.url}/v1" if address.url else ""
        provider = "openai" if self.hosted is None else self.hosted.label
        words = [self.find_program(), str(DRIVER), str(talk.seen_work)]
        words += [str(talk.seen_home / RECORD), talk.id, f"{provider}/{address.model}", url]
        words += [str(talk.seen_work / self.instruction_file), str(self.max_turns)]
        variables = {
            "LLM_API_KEY": address.key,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
        }
        return Launch(words, variables, prompt)

    def read(self, talk: Conversation, result: ProcessResult) -> Outcome:
        reading = _Reading()
        for line in json_lines(result.stdout):
            reading.take(line)
        problem = result.problem or reading.problem()
        return Outcome(reading.text, reading.events, problem=problem)

    def session_files(self, talk: Conversation) -> Mapping[str, bytes]:
        """The events of the conversation, one file each, as OpenHands wrote them."""
        record = talk.home / RECORD
        files = sorted(record.glob("*/events/event-*.json"))
        return {
            f"openhands/{file.relative_to(record).as_posix()}": file.read_bytes()
            for file in files
            if file.is_file() and not file.is_symlink()
        }


def _places() -> list[str]:
    places = []
    own = os.environ.get(ENVIRONMENT)
    if own:
        places.append(os.path.join(own, "bin", "python"))
    agents = os.environ.get(AGENTS_FOLDER)
    if agents:
        places.append(os.path.join(agents, "openhands", "bin", "python"))
    return places


@cache
def _installed(program: str) -> tuple[str, str]:
    """The version of the SDK behind a Python, and where that Python lies."""
    try:
        done = subprocess.run(  # noqa: S603 -- the environment that the user chose
            [program, "-I", "-c", _ASK],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"agent 'openhands': {program} does not run: {error}") from error
    lines = done.stdout.split("\n")
    if done.returncode or len(lines) < 2:
        raise InputError(
            f"agent 'openhands': {program} is no Python 3.12 or newer with openhands-sdk and"
            " openhands-tools"
        )
    return lines[0], lines[1]


class _Reading:
    """What the lines of one call say so far."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.text = ""
        self._ended = False
        self._error = ""
        self._tools: dict[str, str] = {}

    def take(self, line: dict[str, Any]) -> None:
        kind = line.get("kind")
        call_id = str(line.get("tool_call_id") or "")
        if kind == "MessageEvent" and line.get("source") == "agent":
            self._say(joined_text(part(line, "llm_message", "content")))
        elif kind == "ActionEvent" and line.get("tool_name") == "finish":
            self._say(str(part(line, "action", "message") or ""))
        elif kind == "ActionEvent":
            name = str(line.get("tool_name"))
            self._tools[call_id] = name
            arguments = _arguments(line)
            self.events += tool_events(call_id, name, arguments, None, None)
        elif kind == "ObservationEvent" and call_id in self._tools:
            self._observe(call_id, line.get("observation"))
        elif kind == "AgentErrorEvent":
            error = str(line.get("error") or "")
            self.events.append(tool_result(call_id, self._tools.get(call_id, ""), error, 1))
        elif kind == "ConversationErrorEvent":
            self._error = str(line.get("detail") or line.get("code") or kind)[:300]

    def _say(self, text: str) -> None:
        self._ended = True
        self.text = text
        self.events.append(Event(step=0, role="assistant", content=text))

    def _observe(self, call_id: str, observation: Any) -> None:
        text = joined_text(part(observation, "content"))
        code = part(observation, "exit_code")
        if type(code) is not int:
            code = int(bool(part(observation, "is_error")))
        self.events.append(tool_result(call_id, self._tools[call_id], text, code))

    def problem(self) -> str:
        """Why the call failed though the program ended well; empty where it did not."""
        if self._error:
            return self._error
        return "" if self._ended else "it ended without a result"


def _arguments(line: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an action, without its kind."""
    action = line.get("action")
    values = action if isinstance(action, dict) else {}
    return {name: value for name, value in values.items() if name != "kind" and value is not None}
