"""The tools of an agent that resumes an executable episode, their limit, and what it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agingbench.records import Event, Tool
from agingbench.resumption.episodes.replay import run_shell
from agingbench.sandbox.workshop import CommandResult, Workshop, WorkshopError

_PATH = {"type": "string", "description": "Path inside the workspace."}


class StepLimit(WorkshopError):
    """The agent has taken all the steps that the episode gives it."""


class Workbench:
    """Files and commands of one attempt; every use of a tool is a step and is recorded."""

    def __init__(self, workshop: Workshop, most_steps: int) -> None:
        self.workshop = workshop
        self.most_steps = most_steps
        self.steps = 0
        self.events: list[Event] = []

    @property
    def tools(self) -> list[Tool]:
        """The tools to list, read, write and run."""
        return [
            _tool("list_workspace", "List the files.", {}, lambda _: self.list()),
            _tool("read", "Read a file.", {"path": _PATH}, lambda a: self.read(_text(a, "path"))),
            _tool(
                "write",
                "Write a file, whole.",
                {"path": _PATH, "text": {"type": "string"}},
                lambda a: self.write(_text(a, "path"), _text(a, "text")),
            ),
            _tool(
                "run",
                "Run a shell command in the workspace; python3 is there, a network is not.",
                {"command": {"type": "string"}},
                lambda a: self.run(_text(a, "command")),
            ),
        ]

    def list(self) -> str:
        """Return the paths of all files, one a line."""
        return self._step("list_workspace", {}, lambda: "\n".join(sorted(self.workshop.files)))

    def read(self, path: str) -> str:
        """Return a file."""
        return self._step("read", {"path": path}, lambda: self.workshop.read(path))

    def write(self, path: str, text: str) -> str:
        """Write a file."""

        def write() -> str:
            self.workshop.write(path, text.encode("utf-8", "replace"))
            return f"wrote {path}"

        return self._step("write", {"path": path, "text": text}, write)

    def run(self, command: str) -> str:
        """Run a command and return what it printed and how it ended."""
        return self._step(
            "run", {"command": command}, lambda: result_text(run_shell(self.workshop, command))
        )

    def _step(self, name: str, arguments: dict[str, str], act: Callable[[], str]) -> str:
        if self.steps >= self.most_steps:
            raise StepLimit(
                f"the limit of {self.most_steps} steps is reached; give your final output now"
            )
        self.steps += 1
        self._record(Event(step=0, role="tool_call", tool_name=name, arguments=arguments))
        try:
            text = act()
        except WorkshopError as error:
            outcome = Event(
                step=0, role="tool_result", tool_name=name, stderr=str(error), exit_code=1
            )
            self._record(outcome)
            raise
        self._record(Event(step=0, role="tool_result", tool_name=name, stdout=text))
        return text

    def _record(self, event: Event) -> None:
        event.step = len(self.events)
        self.events.append(event)


def result_text(result: CommandResult) -> str:
    """Return the result of a command as an agent reads it."""
    parts = [result.stdout.rstrip(), result.stderr.rstrip()]
    if result.problem:
        parts.append(f"[{result.problem}]")
    elif result.exit_code:
        parts.append(f"[exit code {result.exit_code}]")
    return "\n".join(part for part in parts if part)


def _tool(
    name: str,
    description: str,
    properties: Mapping[str, Any],
    run: Callable[[Mapping[str, Any]], str],
) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name, description, schema, run)


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise WorkshopError(f"the argument {name!r} must be a text")
    return value
