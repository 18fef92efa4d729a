"""Scripts that newer Codex clients write instead of tool calls: `await tools.exec_command({…})`.

A script that calls one tool is read as that call. Whether it prints how its command ended is up to
the agent, so that such outcomes count neither as errors nor as successes.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

SCRIPT = "exec"  # the tool that runs scripts
COMMANDS = frozenset({"exec_command", "write_stdin"})  # tools that end with an exit code
LONGEST = 20_000  # characters of a script that are read
_TOOL = re.compile(r"\btools\.([A-Za-z]\w*)\s*\(")
_STRING = r"(\"(?:[^\"\\]|\\.)*\")"
_COMMAND = re.compile(rf"[\"']?\bcmd[\"']?\s*:\s*{_STRING}", re.DOTALL)
_PATCH = re.compile(r"(\"\*\*\* Begin Patch(?:[^\"\\]|\\.)*\")", re.DOTALL)


def call_in(script: Any) -> tuple[str, Any] | None:
    """The tool that a script calls and what it gives it; None where that is not one call."""
    if not isinstance(script, str):
        return None

    names = _TOOL.findall(script[:LONGEST])
    if len(names) != 1:
        return None

    (name,) = names
    if name == "exec_command":
        command = _literal(_COMMAND, script)
        return None if command is None else (name, {"cmd": command})
    if name == "apply_patch":
        patch = _literal(_PATCH, script)
        return None if patch is None else (name, patch)
    return name, script


def _literal(pattern: re.Pattern[str], script: str) -> str | None:
    found = pattern.search(script[:LONGEST])
    if found is None:
        return None
    try:
        return msgspec.json.decode(found[1], type=str)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
