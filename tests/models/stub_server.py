"""A server on this machine that speaks enough of the two chat protocols to test through the real
SDKs.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol

Body = dict[str, Any]
Logic = Callable[[str, Body], tuple[int, Body]]

# The SDKs wait half a second and more between tries unless the server asks for less.
SOON = {"retry-after-ms": "1"}


@dataclass(frozen=True)
class Seen:
    """A request as it came in."""

    path: str
    body: Body
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Sent:
    """What goes back over the wire."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0  # seconds between two bytes


class Behaviour(Protocol):
    """What the server does with one request; None hangs up."""

    def answer(self, seen: Seen) -> Sent | None: ...


@dataclass(frozen=True)
class Says:
    """A valid answer with text, tool calls (name, arguments) or both. Arguments given as text are
    sent as they are.
    """

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    input_tokens: int = 10
    output_tokens: int = 5
    cache_read: int | None = None
    cache_write: int | None = None
    model: str | None = None
    stop: str | None = None
    refusal: str | None = None

    def answer(self, seen: Seen) -> Sent:
        body = (
            self.anthropic(seen.body) if seen.path.endswith("/messages") else self.openai(seen.body)
        )
        return Sent(200, json.dumps(body).encode())

    def openai(self, request: Body) -> Body:
        """As a chat completion."""
        calls = [
            {
                "id": f"call_{i}",
                "type": "function",
                "function": {"name": name, "arguments": _written(arguments)},
            }
            for i, (name, arguments) in enumerate(self.calls)
        ]
        message: Body = {"role": "assistant", "content": self.text or None, "refusal": self.refusal}
        if calls:
            message["tool_calls"] = calls
        usage: Body = {
            "prompt_tokens": self.input_tokens,
            "completion_tokens": self.output_tokens,
            "total_tokens": self.input_tokens + self.output_tokens,
        }
        if self.cache_read is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cache_read}
        stop = self.stop or ("tool_calls" if calls else "stop")
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model or request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": stop}],
            "usage": usage,
        }

    def anthropic(self, request: Body) -> Body:
        """As an answer of the Messages API."""
        content: list[Body] = [{"type": "text", "text": self.text}] if self.text else []
        content += [
            {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(self.calls)
        ]
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.model or request["model"],
            "content": content,
            "stop_reason": self.stop or ("tool_use" if self.calls else "end_turn"),
            "usage": {
                "input_tokens": self.input_tokens,
                "output_tokens": self.output_tokens,
                "cache_read_input_tokens": self.cache_read,
                "cache_creation_input_tokens": self.cache_write,
            },
        }


@dataclass(frozen=True)
class Fails:
    """An error status, in the form of the protocol that was spoken."""

    status: int
    message: str = "it did not work"
    code: str | None = None

    def answer(self, seen: Seen) -> Sent:
        error = {"message": self.message, "type": self.code or "stub_error", "code": self.code}
        return Sent(self.status, json.dumps({"type": "error", "error": error}).encode(), SOON)


@dataclass(frozen=True)
class Raw:
    """Any bytes with status 200."""

    content: bytes
    content_type: str = "application/json"

    def answer(self, seen: Seen) -> Sent:
        return Sent(200, self.content, {"content-type": self.content_type})


@dataclass(frozen=True)
class Drips:
    """Sends its bytes one by one, so that no single read takes long."""

    content: bytes
    pause: float = 0.01

    def answer(self, seen: Seen) -> Sent:
        return Sent(200, self.content, {}, self.pause)


@dataclass(frozen=True)
class HangsUp:
    """Closes the connection without a word."""

    def answer(self, seen: Seen) -> None:
        return None


class StubServer:
    """Plays behaviours in order, or answers with a function `(path, body) -> (status, dict)`; keeps
    all requests.
    """

    def __init__(self, script: Iterable[Behaviour] | Logic) -> None:
        self.requests: list[Seen] = []
        self._logic = script if callable(script) else None
        self._behaviours = iter(() if callable(script) else script)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )

    @property
    def url(self) -> str:
        """The address as the anthropic SDK takes it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        """The address as the openai SDK takes it."""
        return f"{self.url}/v1"

    def __enter__(self) -> StubServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()

    def answer(self, seen: Seen) -> Sent | None:
        """What to do with a request; called by the handler."""
        with self._lock:
            self.requests.append(seen)
            behaviour = (
                None
                if self._logic
                else next(self._behaviours, Fails(418, "the stub has no behaviour left"))
            )
        if behaviour is not None:
            return behaviour.answer(seen)
        assert self._logic is not None
        status, body = self._logic(seen.path, seen.body)
        return Sent(status, json.dumps(body).encode(), SOON)


class _Server(ThreadingHTTPServer):
    stub: StubServer
    daemon_threads = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: set[Any] = set()
        self._guard = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._guard:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._guard:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End connections that a client keeps open, so that their threads can be joined."""
        with self._guard:
            for request in self._open:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two packets: the second would wait 40 ms for the client to confirm the first.
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = self.server.stub.answer(Seen(self.path, body, headers))
        if sent is None:
            self.close_connection = True
            with suppress(OSError):  # the client may have been first
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(sent.status)
        for name, value in {"content-type": "application/json", **sent.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(sent.content)))
        self.end_headers()
        try:
            self._send(sent)
        except OSError:  # the client has had enough
            self.close_connection = True

    def _send(self, sent: Sent) -> None:
        if not sent.pause:
            self.wfile.write(sent.content)
            return
        for byte in sent.content:
            self.wfile.write(bytes([byte]))
            time.sleep(sent.pause)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: test output is for tests."""


def _written(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
