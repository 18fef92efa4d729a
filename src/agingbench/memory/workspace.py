"""The policy that is the agent's own: a folder of files, which only the agent's file tools write.

The folder is held in memory, as a table of paths and texts: a fork is a copy of the table, and
there is no disk, no link and no other folder that a path could lead to. What a path may look like
is checked all the same, so that a workspace can be laid out on a disk, and so that every agent gets
the same answer to the same attempt.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from agingbench.memory.policy import RATIO, Policy, n_oldest, whole
from agingbench.memory.prompts import prompt_hash
from agingbench.records import Event, Tool, Unit

INSTRUCTION_FILE = "AGENT.md"
MERGED_FILE = "notes/merged.md"
INSTRUCTIONS = f"""\
# How to work here

This folder is yours. Nothing else is carried over from one conversation to the next.

- Save what the user tells you in files under `notes/`: preferences, facts, amounts, dates, \
names and limits, exactly as
  they were given.
- Give each topic a file of its own, for example `notes/dining.md` or `notes/contacts.md`.
- When something changes or is taken back, bring its file up to date.
- Look into your notes before you answer a question about earlier conversations.

This text is `{INSTRUCTION_FILE}`. It stands in front of you in every conversation; your notes \
do not."""

LONGEST_PATH = 200
DEEPEST_PATH = 8
_SEGMENT = re.compile(r"\w[\w.\- ]*")


class WorkspaceError(Exception):
    """What a file tool refuses; the agent is told."""


class Workspace(Policy):
    """The agent's files. The prompt gets the instruction file alone; whatever else is to be known
    has to be read.
    """

    supports = frozenset(
        {"flush_history", "partial_reset", "workspace_flush", "workspace_recompact"}
    )

    def __init__(self, max_files: int = 10_000, max_chars: int = 200_000) -> None:
        self.max_files = whole("max_files", max_files)
        self.max_chars = whole("max_chars", max_chars)
        self.files: dict[str, str] = {INSTRUCTION_FILE: INSTRUCTIONS}
        self.binary: dict[str, str] = {}  # what is no text, as base64; programs leave such files
        self.checkout = ""  # a folder that holds a repository and no notes

    # -- the memory

    def read(self, query: str) -> str:
        return self.files.get(INSTRUCTION_FILE, "")

    def write(self, events: Sequence[Event]) -> None:
        """Nothing: what the agent did not save during the session is gone."""

    def units(self) -> list[Unit] | None:
        return [Unit(path, text) for path, text in self.files.items() if self._is_own(path)]

    def _is_own(self, path: str) -> bool:
        return not self.checkout or not path.startswith(f"{self.checkout}/")

    def dump(self) -> dict[str, Any]:
        # The order of the table is the age of the files, and JSON objects do not keep theirs.
        state: dict[str, Any] = {
            "max_files": self.max_files,
            "max_chars": self.max_chars,
            "order": list(self.files),
            "files": dict(self.files),
        }
        if self.binary:
            state["binary"] = dict(self.binary)
        if self.checkout:
            state["checkout"] = self.checkout
        return state

    def load(self, state: dict[str, Any]) -> None:
        self.max_files = state["max_files"]
        self.max_chars = state["max_chars"]
        self.files = {path: state["files"][path] for path in state["order"]}
        self.binary = dict(state.get("binary", {}))
        self.checkout = state.get("checkout", "")

    def copy(self) -> Workspace:
        twin = Workspace(self.max_files, self.max_chars)
        twin.files = dict(self.files)
        twin.binary = dict(self.binary)
        twin.checkout = self.checkout
        return twin

    # -- the whole folder, for an agent that works on a disk

    def contents(self) -> dict[str, bytes]:
        """Every file but the instruction file."""
        contents = {path: base64.b64decode(data) for path, data in self.binary.items()}
        for path, text in self.files.items():
            if path != INSTRUCTION_FILE:
                contents[path] = text.encode()
        return contents

    def take_over(self, contents: Mapping[str, bytes]) -> None:
        """Hold exactly these files beside the instruction file; those that stay keep their age."""
        files: dict[str, str] = {}
        self.binary = {}
        for path, data in sorted(contents.items()):
            text = _decoded(data)
            if text is None:
                self.binary[path] = base64.b64encode(data).decode()
            else:
                files[path] = text
        instructions = self.files.get(INSTRUCTION_FILE)
        if instructions is not None:
            files[INSTRUCTION_FILE] = instructions
        kept = {path: files.pop(path) for path in self.files if path in files}
        self.files = {**kept, **files}

    def check_out(self, folder: str, files: Mapping[str, str]) -> None:
        """Lay out a repository in a folder; what lay there before is gone. It is no part of what
        the memory says, and events that rework notes leave it alone.
        """
        self.checkout = folder
        self.files = {path: text for path, text in self.files.items() if self._is_own(path)}
        self.binary = {path: data for path, data in self.binary.items() if self._is_own(path)}
        self.files |= {f"{folder}/{path}": text for path, text in files.items()}

    @property
    def prompt_hashes(self) -> dict[str, str]:  # type: ignore[override]
        return {"instructions": prompt_hash(INSTRUCTIONS)}

    # -- lifecycle events

    def flush_history(self) -> None:
        """Every file is lost, the instruction file too."""
        self.files = {}
        self.binary = {}

    def workspace_flush(self) -> None:
        """Every file but the instruction file is lost."""
        self.files = {path: text for path, text in self.files.items() if path == INSTRUCTION_FILE}
        self.binary = {}

    def workspace_recompact(self) -> None:
        """Every text but the instruction file becomes a part of one file, under its name, oldest
        first; what is no text is lost.
        """
        parts = [
            f"# {path}\n{text.rstrip()}"
            for path, text in self.files.items()
            if path != INSTRUCTION_FILE and self._is_own(path)
        ]
        repository = {path: text for path, text in self.files.items() if not self._is_own(path)}
        self.workspace_flush()
        self.files |= repository
        if parts:
            self.files[MERGED_FILE] = "\n\n".join(parts) + "\n"

    def partial_reset(self, ratio: float = RATIO) -> None:
        """The oldest share of the files is lost, the instruction file not counted."""
        notes = [path for path in self.files if path != INSTRUCTION_FILE and self._is_own(path)]
        count = n_oldest(len(notes), ratio)
        for path in notes[:count]:
            del self.files[path]

    # -- the file tools

    def tools(self) -> list[Tool]:
        """The tools that work on this folder and on nothing else."""
        path = {
            "path": {
                "type": "string",
                "description": "relative to the workspace, such as notes/dining.md",
            }
        }
        text = {"text": {"type": "string"}}
        tools = [
            _tool(
                "list_files", "Lists the files of the workspace with their sizes.", {}, self._list
            ),
            _tool("read_file", "Gives the text of a file.", path, self._read, looks_up=True),
            _tool(
                "write_file",
                "Writes a file; one that is there is replaced.",
                {**path, **text},
                self._write,
            ),
            _tool(
                "append_file",
                "Adds lines to the end of a file, or begins it.",
                {**path, **text},
                self._append,
            ),
            _tool("delete_file", "Deletes a file.", path, self._delete),
        ]
        if self.checkout:  # nobody writes a long source file anew for the sake of a line
            about = "Replaces a passage of a file, which must stand there exactly once."
            passages = {"old": {"type": "string"}, "new": {"type": "string"}}
            tools.append(_tool("edit_file", about, {**path, **passages}, self._edit))
        return tools

    def _list(self, arguments: Mapping[str, Any]) -> str:
        files = sorted(self.files.items())
        rows = [f"{path} ({len(text)} characters)" for path, text in files]
        return "\n".join(rows) or "no files"

    def _read(self, arguments: Mapping[str, Any]) -> str:
        return self.files[self._existing(arguments)]

    def _write(self, arguments: Mapping[str, Any]) -> str:
        path = checked_path(arguments.get("path"))
        text = _text(arguments)
        self._put(path, text)
        return f"wrote {path} ({len(text)} characters)"

    def _append(self, arguments: Mapping[str, Any]) -> str:
        path = checked_path(arguments.get("path"))
        text = _text(arguments)
        before = self.files.get(path, "")
        between = "\n" if before and not before.endswith("\n") else ""
        self._put(path, before + between + text)
        return f"added to {path} (now {len(self.files[path])} characters)"

    def _edit(self, arguments: Mapping[str, Any]) -> str:
        path = self._existing(arguments)
        old = _text(arguments, "old")
        new = _text(arguments, "new")
        count = self.files[path].count(old) if old else 0
        if count != 1:
            raise WorkspaceError(f"the passage stands {count} times in {path}, not once")
        self._put(path, self.files[path].replace(old, new))
        return f"edited {path}"

    def _delete(self, arguments: Mapping[str, Any]) -> str:
        path = self._existing(arguments)
        del self.files[path]
        return f"deleted {path}"

    def _existing(self, arguments: Mapping[str, Any]) -> str:
        path = checked_path(arguments.get("path"))
        if path not in self.files:
            raise WorkspaceError(f"no file {path}")
        return path

    def _put(self, path: str, text: str) -> None:
        if len(text) > self.max_chars:
            raise WorkspaceError(
                f"{path} would have {len(text)} characters; {self.max_chars} is the most"
            )
        if path not in self.files:
            if len(self.files) >= self.max_files:
                raise WorkspaceError(
                    f"{path} would be one file too many; {self.max_files} is the most"
                )
            self._check_folders(path)
        self.files[path] = text

    def _check_folders(self, path: str) -> None:
        parts = path.split("/")
        for folder in ("/".join(parts[:n]) for n in range(1, len(parts))):
            if folder in self.files:
                raise WorkspaceError(f"{folder} is a file, not a folder")
        if any(other.startswith(f"{path}/") for other in self.files):
            raise WorkspaceError(f"{path} is a folder")


def checked_path(value: Any) -> str:
    """A path inside the workspace in its one form; everything else is refused with a reason."""
    if not isinstance(value, str) or not value.strip():
        raise WorkspaceError("say which file, as path")
    path = unicodedata.normalize("NFC", value.strip().removeprefix("./"))
    if unicodedata.normalize("NFKC", path) != path:
        raise WorkspaceError("a path may hold no characters that stand in for others")
    if path.startswith(("/", "~")) or "\\" in path or ":" in path:
        raise WorkspaceError(
            f"{path!r} is not a path inside the workspace; give it as notes/name.md"
        )
    if len(path) > LONGEST_PATH or path.count("/") >= DEEPEST_PATH:
        raise WorkspaceError(
            f"a path has at most {LONGEST_PATH} characters and {DEEPEST_PATH} parts"
        )
    for part in path.split("/"):
        # No hidden names, no "..", no control characters, and nothing that a disk would drop from
        # the end.
        if not _SEGMENT.fullmatch(part) or part.endswith((".", " ")):
            raise WorkspaceError(
                f"{path!r} is not a path inside the workspace: {part!r} is no name for a file"
            )
    return path


def _decoded(data: bytes) -> str | None:
    """The text of a file; None where it is not one."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _text(arguments: Mapping[str, Any], name: str = "text") -> str:
    text = arguments.get(name)
    if not isinstance(text, str):
        raise WorkspaceError(f"say what to write, as {name}")
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise WorkspaceError("the text holds characters that no text file can hold")
    return text


def _tool(
    name: str, description: str, takes: dict[str, Any], run: Any, *, looks_up: bool = False
) -> Tool:
    schema = {
        "type": "object",
        "properties": takes,
        "required": list(takes),
        "additionalProperties": False,
    }
    return Tool(name, description, schema, run, looks_up=(lambda _: True) if looks_up else None)
