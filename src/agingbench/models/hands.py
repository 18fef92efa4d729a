"""How notes are kept with the tools of a command-line agent: a shell and, where there are, tools
that read and write files.

The note keeper knows six acts: list, read, append, write, run a command and start a program. Each
is put into one call of the tools on offer. The id of a call names its act, so a conversation that
comes back can be read without remembering anything.
"""

from __future__ import annotations

import json
import re
import secrets
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from agingbench.models.notekeeper import NOTES, files_in
from agingbench.models.program_work import START
from agingbench.records import Message, Tool, ToolCall

RUN = "run_command"
# The note keeper's tools by the word that an id carries.
ACTS = {
    "list": "list_files",
    "read": "read_file",
    "append": "append_file",
    "write": "write_file",
    "run": RUN,
    "start": START,
}
_WORDS = {name: word for word, name in ACTS.items()}
_ID = re.compile(r"_(list|read|append|write|run|start)_[0-9a-f]+$")

# The parameter that holds the command, by the name of a shell tool.
SHELLS = {
    "Bash": "command",  # Claude Code
    "bash": "command",  # OpenCode
    "exec_command": "cmd",  # Codex
    "shell_command": "command",
    "shell": "command",
    "terminal": "command",  # OpenHands
    "execute_bash": "command",
}
# The parameters for path and text; a tool of that name with others is not used.
READERS = {"Read": ("file_path",), "read": ("filePath",)}
WRITERS = {"Write": ("file_path", "content"), "write": ("filePath", "content")}

_COUNTED = re.compile(rf"^\s*(\d+) ({NOTES}\S+\.md)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t|\| ?|: ?)", re.MULTILINE)
_FILE_TAG = re.compile(r"</?(?:file|content|path|type)>(?:[^<\n]*</(?:path|type)>)?\n?")
_END_OF_FILE = re.compile(r"\n?\(End of file[^)]*\)\s*$")
# What Codex prints ahead of a command's output.
_REPORT = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)"
    r"[^\n]*\n)+Output:\n?"
)
# What OpenHands prints behind it.
_FOOTER = re.compile(
    r"(?:\n?\[(?:The command completed|Current working directory|Python interpreter"
    r"|Command finished)[^\]\n]*\])+\s*\Z"
)
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>", re.DOTALL)
_FILL: dict[str, Any] = {"string": "", "boolean": False, "array": [], "object": {}}


class Hands(NamedTuple):
    """The tools on offer that notes are kept with."""

    shell: Tool
    reader: Tool | None
    writer: Tool | None

    def call(self, act: ToolCall, listed: Collection[str]) -> ToolCall:
        """An act of the note keeper as a call of a tool on offer; `listed` are the files there."""
        path = str(act.arguments.get("path", ""))
        text = str(act.arguments.get("text", ""))
        if act.name == "read_file" and self.reader is not None:
            (place,) = READERS[self.reader.name]
            return _call(self.reader, act, {place: path})
        # An agent may only replace a file that it has read, so what is there, or may be, is left to
        # the shell.
        is_new = path.startswith(NOTES) and path not in listed
        if act.name in ("append_file", "write_file") and self.writer is not None and is_new:
            place, content = WRITERS[self.writer.name]
            return _call(self.writer, act, {place: path, content: text})
        return self._run(act, _shell_line(act, path, text))

    def _run(self, act: ToolCall, line: str) -> ToolCall:
        name = SHELLS[self.shell.name]
        properties = self.shell.parameters.get("properties", {})
        takes_words = properties.get(name, {}).get("type") == "array"
        command: str | list[str] = ["bash", "-lc", line] if takes_words else line
        return _call(self.shell, act, {name: command})


def hands_for(tools: Sequence[Tool]) -> Hands | None:
    """The tools that notes can be kept with; None without a shell among them."""
    shell = next((tool for tool in tools if _fits(tool, SHELLS)), None)
    if shell is None:
        return None
    reader = next((tool for tool in tools if _fits(tool, READERS)), None)
    writer = next((tool for tool in tools if _fits(tool, WRITERS)), None)
    return Hands(shell, reader, writer)


def _fits(tool: Tool, known: Mapping[str, str | tuple[str, ...]]) -> bool:
    names = known.get(tool.name)
    if names is None:
        return False
    wanted = {names} if isinstance(names, str) else set(names)
    return wanted <= set(tool.parameters.get("properties", {}))


def _call(tool: Tool, act: ToolCall, arguments: dict[str, Any]) -> ToolCall:
    """A call with whatever else the tool requires, and an id that names the act."""
    properties = tool.parameters.get("properties", {})
    for name in tool.parameters.get("required", ()):
        schema = properties.get(name, {})
        if name == "description":
            arguments.setdefault(name, f"{_WORDS[act.name]} notes")
        elif "enum" in schema:
            arguments.setdefault(name, schema["enum"][0])
        else:
            arguments.setdefault(name, _FILL.get(schema.get("type", "string"), 0))
    return ToolCall(f"call_{_WORDS[act.name]}_{secrets.token_hex(8)}", tool.name, arguments)


def _shell_line(act: ToolCall, path: str, text: str) -> str:
    if act.name == "list_files":
        return f"wc -m {NOTES}*.md 2>/dev/null | sort -k 2"
    if act.name == "read_file":
        return f"cat {shlex.quote(path)}"
    if act.name == RUN:
        return str(act.arguments["command"])
    if act.name == START:
        return shlex.join(["python3", path, *act.arguments["words"]])
    return save_line(path, text, ">>" if act.name == "append_file" else ">")


def save_line(path: str, text: str, arrow: str = ">") -> str:
    """The command that writes a text to a file, or with `>>` appends it."""
    folder = shlex.quote(path.rpartition("/")[0] or ".")
    end = "END_OF_TEXT"
    while end in text:
        end += "_"
    body = text.removesuffix("\n")
    return f"mkdir -p {folder} && cat {arrow} {shlex.quote(path)} <<'{end}'\n{body}\n{end}"


# -- a conversation that comes back


def as_acts(messages: Sequence[Message]) -> list[Message]:
    """The conversation in the note keeper's own words: its acts, and their plain results."""
    acts: dict[str, str] = {}
    plain = []
    for message in messages:
        calls = []
        for call in message.tool_calls:
            act = _ID.search(call.id)
            name = ACTS[act.group(1)] if act else call.name
            acts[call.id] = name
            calls.append(ToolCall(call.id, name, call.arguments))
        content = message.content
        if message.role == "tool":
            content = plain_result(content, acts.get(message.tool_call_id or "", ""))
        plain.append(Message(message.role, content, tuple(calls), message.tool_call_id))
    return plain


def listed_files(turn: Sequence[Message]) -> list[str]:
    """The note files that a turn has listed."""
    results = [message.content for message in turn if message.role == "tool"]
    return [file.path for result in results for file in files_in(result)]


def plain_result(text: str, act: str) -> str:
    """What a tool gave, without what the product writes around it."""
    text = _REMINDER.sub("", text)
    text = _FOOTER.sub("", _REPORT.sub("", _output_of(text)))
    if act == "list_files":
        rows = _COUNTED.findall(text)
        return "\n".join(f"{path} ({size} characters)" for size, path in rows)
    if act == "read_file":
        bare = _END_OF_FILE.sub("", _FILE_TAG.sub("", text))
        lines = [line for line in bare.splitlines() if line.strip()]
        if lines and all(_NUMBERED.match(line) for line in lines):
            return _NUMBERED.sub("", bare)
    return text


def _output_of(text: str) -> str:
    """The output inside a JSON object that reports on a command, or the text itself."""
    if not text.startswith("{"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    output = value.get("output") if isinstance(value, dict) else None
    return output if isinstance(output, str) else text
