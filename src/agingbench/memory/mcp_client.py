"""A server of the Model Context Protocol as a child process: JSON-RPC, one message per line.

The part of the protocol that a memory needs is small (initialize, tools/list, tools/call), so it is
spoken here. The server gets a folder and a home of its own and a bare environment; it is asked to
go by closing its input, and its whole process group is killed when it does not.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from agingbench.errors import BrokenReply, InputError, TransportError
from agingbench.records import ToolRefusal

PROTOCOL = "2025-06-18"
SECONDS = 30.0  # for a reply
GRACE = 2.0  # seconds that a server has to go by itself
MOST_PAGES = 100  # of the list of tools
LARGEST_LINE = 32 << 20
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
_END = object()


class McpServer:
    """A running server, its folder, and the conversation with it."""

    def __init__(
        self, command: Sequence[str], files: Mapping[str, bytes], variables: Mapping[str, str]
    ) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="agingbench-mcp-")
        base = Path(self._scratch.name)
        self.folder = base / "memory"
        home = base / "home"
        for folder in (self.folder, home):
            folder.mkdir()
        for name, data in files.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)

        inherited = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        own = {name: self._filled(value) for name, value in variables.items()}
        self._number = 0
        self._errors = (base / "stderr").open("w+b")
        self._process = self._start(
            [self._filled(word) for word in command], {**inherited, "HOME": str(home), **own}
        )
        self._lines: queue.SimpleQueue[Any] = queue.SimpleQueue()
        assert self._process.stdout is not None
        threading.Thread(
            target=_read_lines, args=(self._process.stdout, self._lines), daemon=True
        ).start()
        try:
            self.about = self._greet()
        except BaseException:
            self.close()
            raise

    def tools(self) -> list[dict[str, Any]]:
        """The tools that the server offers, as it describes them."""
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = self.request("tools/list", {"cursor": cursor} if cursor else {})
            tools += [tool for tool in page.get("tools", ()) if isinstance(tool, dict)]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools
        raise BrokenReply(f"mcp: the list of tools has no end after {MOST_PAGES} pages")

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool gives; ToolRefusal where it says that it failed."""
        result = self.request("tools/call", {"name": name, "arguments": dict(arguments)})
        parts = result.get("content")
        if not isinstance(parts, list):
            raise BrokenReply(f"mcp: the reply of {name} holds no content")
        texts = [
            str(part.get("text", ""))
            for part in parts
            if isinstance(part, dict) and part.get("type") == "text"
        ]
        text = "\n".join(texts)
        if result.get("isError"):
            raise ToolRefusal(text or f"{name} failed")
        return text

    def request(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request; raises TransportError where none comes."""
        self._number += 1
        number = self._number
        # A server that drips notices must not hold the life up: the clock is that of the request.
        end = time.monotonic() + SECONDS
        self._send({"id": number, "method": method, "params": dict(parameters)})
        while True:
            message = self._next(method, end)
            if message.get("id") != number or "method" in message:
                continue  # a notice, or a request of the server's own
            if "error" in message:
                error = message["error"]
                said = error.get("message") if isinstance(error, dict) else error
                raise ToolRefusal(str(said))
            result = message.get("result")
            if not isinstance(result, dict):
                raise BrokenReply(f"mcp: the reply to {method} holds no result")
            return result

    def files(self) -> dict[str, bytes]:
        """Every file of the server's folder, by its path in it."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in paths
            if not path.is_symlink()
        }

    def close(self) -> None:
        """End the server and everything that it started, and delete its folder."""
        process = self._process
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._errors.close()
        self._scratch.cleanup()

    # -- the conversation

    def _filled(self, text: str) -> str:
        return text.replace("{folder}", str(self.folder))

    def _start(self, command: list[str], variables: dict[str, str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 -- the user named this command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self.folder,
                env=variables,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            self._scratch.cleanup()
            raise InputError(
                f"memory 'mcp': cannot start {command[0]!r}: {error.strerror or error}; install it"
                " (npm install -g @modelcontextprotocol/server-memory) or name another server with"
                " --memory-option command='PROGRAM ARGUMENTS'"
            ) from error

    def _greet(self) -> dict[str, Any]:
        """Say hello; returns name and version of the server."""
        client = {"name": "agingbench", "version": "1"}
        wish = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        hello = self.request("initialize", wish)
        self._send({"method": "notifications/initialized"})
        about = hello.get("serverInfo")
        return about if isinstance(about, dict) else {}

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise TransportError(f"mcp: the server is gone{self._last_words()}") from error

    def _next(self, method: str, end: float) -> dict[str, Any]:
        """The next message of the server before `end`; lines that are none are passed over."""
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty as error:
                raise TransportError(
                    f"mcp: no reply to {method} within {SECONDS:.0f} seconds"
                ) from error
            if line is _END:
                raise TransportError(f"mcp: the server is gone{self._last_words()}")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                return message

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1][:300]}" if lines else ""


def _read_lines(pipe: IO[bytes], lines: queue.SimpleQueue[Any]) -> None:
    with suppress(OSError, ValueError):
        while line := pipe.readline(LARGEST_LINE):
            lines.put(line)
    lines.put(_END)
