"""The tool with which an agent starts a program that it keeps in its own files.

The program runs in a confinement on a copy of the files, and what it leaves there is taken over. A
product brings a shell of its own and needs none of this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from agingbench.bench.life.lifecycle import memory_of
from agingbench.bench.plan.plan import Plan
from agingbench.interfaces import Agent
from agingbench.memory.workspace import Workspace, WorkspaceError, checked_path
from agingbench.records import Tool
from agingbench.sandbox.confinement import Confinement, available
from agingbench.sandbox.programs import MOST_BYTES, program_confinement
from agingbench.sandbox.workshop import BrokenConfinement, Workshop, WorkshopError

NAME = "run_program"
_DESCRIPTION = (
    "Starts a Python program of the workspace with these words and gives what it prints. What the"
    " program writes into the workspace stays there."
)
_PARAMETERS = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "the program, such as notes.py"},
        "words": {
            "type": "array",
            "items": {"type": "string"},
            "description": "what it is started with, such as list",
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


@contextmanager
def program_tools(plan: Plan, agent: Agent) -> Iterator[list[Tool]]:
    """The tool for one life; none where the plan wants no program or nothing can confine it."""
    memory = memory_of(agent)
    if not plan.checks or agent.owns_loop or not isinstance(memory, Workspace):
        yield []
        return
    is_usable, _ = available()
    if not is_usable:
        yield []
        return
    with ProgramStarter(memory) as starter:
        yield [Tool(NAME, _DESCRIPTION, _PARAMETERS, starter.start)]


class ProgramStarter:
    """Starts programs of a workspace in one confinement, built when the first is started."""

    def __init__(self, memory: Workspace) -> None:
        self.memory = memory
        self._stack = ExitStack()
        self._confined: Confinement | None = None

    def __enter__(self) -> ProgramStarter:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def _end(self) -> None:
        self._stack.close()
        self._confined = None

    def start(self, arguments: Mapping[str, Any]) -> str:
        """What the program printed; raises WorkspaceError where it failed or cannot be started."""
        path = checked_path(arguments.get("path"))
        words = arguments.get("words", [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise WorkspaceError("give the words as a list of texts")
        if path not in self.memory.files:
            raise WorkspaceError(f"no program {path}")
        try:
            workshop = self._workshop()
            result = workshop.run(["python3", path, *words])
        except (WorkshopError, BrokenConfinement) as error:
            self._end()  # the next start has a new confinement
            raise WorkspaceError(str(error)) from error
        self.memory.take_over(workshop.files)

        output = f"{result.stdout}{result.stderr}".strip()
        if result.problem or result.exit_code:
            reason = result.problem or f"exit code {result.exit_code}"
            raise WorkspaceError(f"{reason}\n{output}".strip())
        return output or "(nothing printed)"

    def _workshop(self) -> Workshop:
        """The files as they are now, where commands run."""
        if self._confined is None:
            self._confined = self._stack.enter_context(program_confinement())
        files = self.memory.contents()
        most_files = self.memory.max_files
        return Workshop(self._confined, files, most_bytes=MOST_BYTES, most_files=most_files)
