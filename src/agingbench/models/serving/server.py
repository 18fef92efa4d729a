"""Serves a model on this machine: the Anthropic Messages API, OpenAI's Responses API and Chat
Completions.

It stands on the threads of the standard library's `http.server`: one agent asks a few requests of
some kilobytes at a time, so a framework would be one more thing to install and no quicker. It
listens on loopback or on a socket file, answers only requests that name this machine as their host
and come from no web page, reads no body above its limit, and has no path that leads to a file.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agingbench.errors import AgingBenchError
from agingbench.interfaces import Model
from agingbench.models.serving.anthropic_wire import AnthropicWire
from agingbench.models.serving.chat_wire import ChatWire
from agingbench.models.serving.responses_wire import ResponsesWire
from agingbench.models.serving.wire import Wire, WireError, WireRequest
from agingbench.records import Reply, Usage
from agingbench.text.wording import count_tokens

LOOPBACK = "127.0.0.1"
LARGEST_BODY = 32 << 20
SILENT_SECONDS = 60.0  # after which an idle connection is closed
LIMIT_REACHED = "I have reached the limit of turns for this request."
WIRES: dict[str, type[Wire]] = {
    "/v1/messages": AnthropicWire,
    "/v1/responses": ResponsesWire,
    "/v1/chat/completions": ChatWire,
}
_COUNT = "/v1/messages/count_tokens"
_MODELS = "/v1/models"
_HOSTS = frozenset({LOOPBACK, "localhost"})


@dataclass
class ServedModel:
    """A model, and how often it may be and was asked for a reply."""

    model: Model
    most_turns: int | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_exhausted(self) -> bool:
        """Whether a reply was asked for beyond the limit."""
        return self.most_turns is not None and self.turns > self.most_turns

    def complete(self, request: WireRequest) -> Reply:
        """The model's reply; beyond the limit of turns a plain sentence that calls no tool."""
        with self.lock:
            # Requests without tools are a product's own, such as one for a title.
            self.turns += bool(request.tools)
        if self.is_exhausted:
            return Reply(LIMIT_REACHED)
        reply = self.model.complete(request.messages, request.tools, request.max_tokens)
        with self.lock:
            self.usage += reply.usage
        return reply


class _TcpServer(ThreadingHTTPServer):
    """Listens on a port of loopback."""

    daemon_threads = True
    served: ServedModel


class _SocketServer(_TcpServer):
    """Listens on a socket file, for a client in a network namespace of its own."""

    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        self.socket.bind(self.server_address)
        os.chmod(str(self.server_address), 0o600)
        self.server_name = "localhost"
        self.server_port = 0

    def get_request(self) -> tuple[Any, Any]:
        connection, _ = self.socket.accept()
        return connection, (LOOPBACK, 0)


@contextmanager
def serving(
    served: ServedModel, *, port: int = 0, socket_file: Path | None = None
) -> Iterator[int]:
    """Serve a model until the block ends; gives the port, 0 for a socket file.

    Raises OSError where the port or the file is taken.
    """
    server: _TcpServer
    if socket_file is not None:
        server = _SocketServer(str(socket_file), _Handler)  # type: ignore[arg-type]
    else:
        server = _TcpServer((LOOPBACK, port), _Handler)
    server.served = served
    # A short poll, since every conversation of a life starts and stops a server.
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield 0 if socket_file is not None else server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One connection of an agent."""

    protocol_version = "HTTP/1.1"
    server_version = "agingbench"
    sys_version = ""
    timeout = SILENT_SECONDS
    # Head and body go out together: else the body waits 40 ms for the client to confirm the head.
    wbufsize = -1
    server: _TcpServer

    def do_GET(self) -> None:
        if self._is_allowed(ChatWire) and self._path() == _MODELS:
            name = self.server.served.model.name
            row = {"id": name, "object": "model", "type": "model", "display_name": name}
            self._send_json(200, {"object": "list", "data": [row], "has_more": False})
        else:
            self._refuse(ChatWire, 404, "there is no such path")

    def do_HEAD(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        path = self._path()
        wire = AnthropicWire if path == _COUNT else WIRES.get(path, ChatWire)
        if not self._is_allowed(wire):
            return
        if path != _COUNT and path not in WIRES:
            self._refuse(wire, 404, "there is no such path")
            return
        body = self._body(wire)
        if body is None:
            return
        try:
            request = wire.read(body)
        except (WireError, RecursionError) as error:
            self._refuse(wire, 400, str(error))
            return
        if path == _COUNT:
            texts = [message.content for message in request.messages]
            self._send_json(200, {"input_tokens": sum(map(count_tokens, texts))})
        else:
            self._complete(wire, request)

    def _complete(self, wire: type[Wire], request: WireRequest) -> None:
        try:
            reply = self.server.served.complete(request)
        except AgingBenchError as error:
            self._refuse(wire, 500, str(error))
            return
        if request.stream:
            self._send(200, "text/event-stream", wire.stream(request, reply))
        else:
            self._send_json(200, wire.reply(request, reply))

    # -- what is let in

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _is_allowed(self, wire: type[Wire]) -> bool:
        # A web page can reach loopback too, under a host name of its own; it says where it is from.
        host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
        if host not in _HOSTS or self.headers.get("Origin") is not None:
            self._refuse(wire, 403, "only programs on this machine are answered")
            return False
        return True

    def _body(self, wire: type[Wire]) -> dict[str, Any] | None:
        length = self.headers.get("Content-Length") or ""
        if not (length.isascii() and length.isdigit()):
            self._refuse(wire, 411, "say how long the body is")
            return None
        if int(length) > LARGEST_BODY:
            self._refuse(wire, 413, f"a body has at most {LARGEST_BODY} bytes")
            return None
        if self.headers.get("Content-Encoding", "identity") != "identity":
            self._refuse(wire, 415, "send the body as it is, not compressed")
            return None
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._refuse(wire, 400, "the body is not a JSON object")
            return None
        return body

    # -- what goes out

    def _refuse(self, wire: type[Wire], status: int, message: str) -> None:
        self.close_connection = True  # a body that was not read would be taken for a request
        self._send_json(status, wire.error(status, message))

    def _send_json(self, status: int, body: Any) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        # A stream is sent whole: the model has thought before its first word.
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what was asked stands in the agent's own session."""
