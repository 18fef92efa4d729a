"""The Anthropic memory tool `memory_20250818` as a policy: a folder that the agent alone keeps.

The agent `workspace` is offered the tool `memory` with its six commands, in tasks and at held-out
questions. Nothing of the folder is put into its prompt; what it does not view it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agingbench.memory.memory_folder import ROOT, MemoryFolder
from agingbench.memory.policy import RATIO, Policy, n_oldest
from agingbench.memory.prompts import prompt_hash
from agingbench.records import Event, Tool, Unit

TOOL_TYPE = "memory_20250818"
INSTRUCTIONS = f"""\
Your memory is the directory `{ROOT}`, which you keep with the tool `memory`. Nothing else is \
carried over from one conversation to the next.

- View the directory before you do anything else: look for what earlier conversations left there.
- Record there what the user tells you as you go: preferences, facts, amounts, dates, names and \
limits, exactly as they were given.
- Keep it up to date and in order: change or delete what no longer holds.
- This conversation may end at any moment; whatever is not in the directory is lost then."""

_COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")
_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": "string", "enum": list(_COMMANDS)},
        "path": {"type": "string", "description": f"for all but rename, such as {ROOT}/notes.md"},
        "view_range": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "for view: first and last line; -1 is the end",
        },
        "file_text": {"type": "string", "description": "for create"},
        "old_str": {"type": "string", "description": "for str_replace: stands there once"},
        "new_str": {"type": "string", "description": "for str_replace"},
        "insert_line": {
            "type": "integer",
            "description": "for insert: the line behind which the text goes; 0 is the beginning",
        },
        "insert_text": {"type": "string", "description": "for insert"},
        "old_path": {"type": "string", "description": "for rename"},
        "new_path": {"type": "string", "description": "for rename"},
    },
    "required": ["command"],
}


class AnthropicMemory(Policy):
    """The folder `/memories`, which only the agent's tool `memory` reads and writes."""

    supports = frozenset({"flush_history", "partial_reset"})

    def __init__(self) -> None:
        self.folder = MemoryFolder()

    def read(self, query: str) -> str:
        return INSTRUCTIONS

    def write(self, events: Sequence[Event]) -> None:
        """Nothing: what the agent did not save during the session is gone."""

    def units(self) -> list[Unit] | None:
        return [Unit(f"{ROOT}/{place}", text) for place, text in self.folder.files.items()]

    def dump(self) -> dict[str, Any]:
        # The order of the table is the age of the files, and JSON objects do not keep theirs.
        return {
            "order": list(self.folder.files),
            "files": dict(self.folder.files),
            "folders": sorted(self.folder.folders),
        }

    def load(self, state: dict[str, Any]) -> None:
        files = {place: state["files"][place] for place in state["order"]}
        self.folder = MemoryFolder(files, tuple(state["folders"]))

    def copy(self) -> AnthropicMemory:
        twin = AnthropicMemory()
        twin.folder = self.folder.copy()
        return twin

    @property
    def prompt_hashes(self) -> dict[str, str]:  # type: ignore[override]
        return {"instructions": prompt_hash(INSTRUCTIONS)}

    def tools(self) -> list[Tool]:
        """The one tool `memory`."""
        return [
            Tool(
                "memory",
                f"Views and changes the files of your memory directory {ROOT}.",
                _PARAMETERS,
                lambda arguments: self.folder.run(arguments),
                looks_up=_is_view_of_a_file,
            )
        ]

    def flush_history(self) -> None:
        """Every file and folder is lost."""
        self.folder = MemoryFolder()

    def partial_reset(self, ratio: float = RATIO) -> None:
        """The oldest share of the files is lost."""
        places = list(self.folder.files)
        for place in places[: n_oldest(len(places), ratio)]:
            del self.folder.files[place]


def _is_view_of_a_file(arguments: Mapping[str, Any]) -> bool:
    path = str(arguments.get("path", "")).rstrip("/")
    return arguments.get("command") == "view" and path != ROOT
