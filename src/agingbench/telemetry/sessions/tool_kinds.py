"""What a tool call does: read, edit, write a whole file, run a shell command, or something else."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from agingbench.telemetry.sessions.entities import EDIT, READ
from agingbench.telemetry.sessions.shell_reads import shell_command, shell_read

READING = "read"
EDITING = "edit"
WRITING = "write"
SHELL = "shell"
OTHER = "other"

_NAMES = {
    READING: frozenset(
        {
            "read", "grep", "glob", "ls", "notebookread", "read_file", "read_many_files",
            "search_file_content", "list_directory", "list_dir", "grep_search", "grep_files",
            "file_search", "codebase_search", "view", "view_file", "find_by_name", "list",
        }
    ),
    EDITING: frozenset(
        {
            "edit", "multiedit", "notebookedit", "apply_patch", "edit_file", "str_replace",
            "replace", "search_replace", "edit_notebook",
        }
    ),
    WRITING: frozenset({"write", "write_file", "create_file", "write_to_file"}),
    SHELL: frozenset(
        {
            "bash", "shell", "exec_command", "execute_bash", "run_shell_command", "terminal",
            "run_terminal_cmd", "local_shell", "local_shell_call", "container.exec", "cmdrunaction",
        }
    ),
}  # fmt: skip
# Editors of several commands, told apart by the argument `command`.
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})
_EDITOR_COMMANDS = {"view": READING, "create": WRITING, "str_replace": EDITING, "insert": EDITING}
_PATHS = ("file_path", "notebook_path", "path", "absolute_path", "filename", "target_file")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4096)
def kind_of_tool(tool: str) -> str:
    """Return what a tool does by its name; an editor of several commands counts as `edit`."""
    name = tool.casefold()
    if name in _EDITORS:
        return EDITING
    for kind, names in _NAMES.items():
        if name in names:
            return kind

    # A tool of another kind of agent reads when its name says so.
    words = _CAMEL.sub("_", tool).casefold()
    reads = READ.search(words) is not None and EDIT.search(words) is None
    return READING if reads else OTHER


def kind_of_call(tool: str, arguments: Any) -> str:
    """Return what a call does; an editor's own command decides where it has one."""
    kind = kind_of_tool(tool)
    if kind == EDITING and isinstance(arguments, dict) and tool.casefold() in _EDITORS:
        command = arguments.get("command")
        if isinstance(command, str):
            return _EDITOR_COMMANDS.get(command, EDITING)

    return kind


def files_of_call(kind: str, arguments: Any) -> list[str] | None:
    """Return the files that a call names; None for a shell command that is no read."""
    if kind == SHELL:
        command = shell_command(arguments)
        return None if command is None else shell_read(command)
    if isinstance(arguments, str):
        return _PATCHED.findall(arguments)
    if not isinstance(arguments, dict):
        return []

    for name in _PATHS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return [value]

    for name in ("input", "patch"):
        value = arguments.get(name)
        if isinstance(value, str):
            return _PATCHED.findall(value)

    return []
