"""A memory server of the Model Context Protocol as a policy: the agent works with its tools.

Any server that speaks over its standard input and output and keeps what it knows in files will do;
`@modelcontextprotocol/server-memory`, a knowledge graph, is the default. The files of the server's
folder are the state: a copy of this memory is a new server on a copy of the folder. Copies that are
only read share one server; tools that do not say that they only read get a server of their own.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.memory.mcp_client import McpServer
from agingbench.memory.prompts import prompt_hash
from agingbench.memory.shared_store import Outside
from agingbench.records import Event, Tool, Unit
from agingbench.sandbox.workshop import checked_path

COMMAND = "mcp-server-memory"
GRAPH_FILE = "memory.jsonl"
VARIABLES = {"MEMORY_FILE_PATH": f"{{folder}}/{GRAPH_FILE}"}  # what the default server reads
INSTRUCTIONS = """\
Your memory is kept with tools. Nothing else is carried over from one conversation to the next.

- Look into your memory before you answer a question about earlier conversations.
- Save what the user tells you: preferences, facts, amounts, dates, names and limits, exactly as \
they were given.
- When something changes or is taken back, bring your memory up to date."""


class Mcp(Outside[McpServer]):
    """A memory server over standard input and output (`command`), whose tools the agent gets."""

    supports = frozenset({"flush_history"})

    def __init__(self, command: str = COMMAND) -> None:
        self.command = command
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"command: {error}") from error
        if not self._words:
            raise ValueError("command names no program")
        self._described: list[dict[str, Any]] | None = None
        self._product: dict[str, str] = {}
        super().__init__()

    def twin(self) -> Mcp:
        twin = Mcp(self.command)
        twin._described = self._described
        twin._product = self._product
        return twin

    def empty_state(self) -> dict[str, Any]:
        return {"files": {}}

    def load(self, state: dict[str, Any]) -> None:
        """Hold a state; raises InputError where it is none, before a server sees anything of it."""
        _decoded(state)
        super().load(state)

    def open_store(self, state: dict[str, Any]) -> McpServer:
        return McpServer(self._words, _decoded(state), VARIABLES)

    def state_of(self, store: McpServer) -> dict[str, Any]:
        files = store.files()
        return {"files": {path: base64.b64encode(data).decode() for path, data in files.items()}}

    # -- the memory

    def read(self, query: str) -> str:
        return INSTRUCTIONS

    def write(self, events: Sequence[Event]) -> None:
        """Nothing: what the agent did not save during the session is gone."""

    def units(self) -> list[Unit] | None:
        """The entities of a knowledge graph; of other servers, each file that is text."""
        units = []
        for path, data in _decoded(self.state).items():
            text = data.decode(errors="replace")
            entities = graph_units(text) if path == GRAPH_FILE else None
            if entities is not None:
                units += entities
            elif "\0" not in text and "\ufffd" not in text:
                units.append(Unit(path, text))
        return units

    @property
    def prompt_hashes(self) -> dict[str, str]:  # type: ignore[override]
        return {"instructions": prompt_hash(INSTRUCTIONS)}

    @property
    def versions(self) -> dict[str, str]:  # type: ignore[override]
        self._describe()
        return dict(self._product)

    def tools(self) -> list[Tool]:
        """The server's own tools."""
        return [self._tool(described) for described in self._describe()]

    # -- the tools

    def _describe(self) -> list[dict[str, Any]]:
        """What the server says of its tools; asked once."""
        if self._described is None:
            with self.reading() as server:
                self._described = server.tools()
                name = str(server.about.get("name", "mcp"))
                self._product = {name: str(server.about.get("version", "unknown"))}
        return self._described

    def _tool(self, described: Mapping[str, Any]) -> Tool:
        name = str(described.get("name", ""))
        only_reads = bool((described.get("annotations") or {}).get("readOnlyHint"))
        schema = described.get("inputSchema") or {"type": "object", "properties": {}}
        return Tool(
            name,
            str(described.get("description", "")),
            schema,
            self._runner(name, only_reads),
            looks_up=(lambda _: True) if only_reads else None,
        )

    def _runner(self, name: str, only_reads: bool) -> Callable[[Mapping[str, Any]], str]:
        def run(arguments: Mapping[str, Any]) -> str:
            with self.reading() if only_reads else self.writing() as server:
                return server.call(name, arguments)

        return run


def _decoded(state: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a state, by path; raises InputError where it is no state."""
    try:
        files = msgspec.convert(state["files"], dict[str, str])
        decoded = {path: base64.b64decode(data, validate=True) for path, data in files.items()}
        return {checked_path(path): data for path, data in decoded.items()}
    except (KeyError, ValueError) as error:
        raise InputError(f"memory 'mcp': a state that cannot be read: {error}") from error


def graph_units(text: str) -> list[Unit] | None:
    """The entities of a graph, a JSON object per line; None where a file is no graph."""
    units = []
    for line in text.splitlines():
        try:
            item = json.loads(line)
        except ValueError:
            return None
        if not isinstance(item, dict):
            return None
        if item.get("type") == "entity":
            observations = [str(part) for part in item.get("observations", ())]
            units.append(Unit(str(item.get("name", "")), "\n".join(observations)))
    return units
