"""A model server on the loopback that answers by a script and counts what it gave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "stub-1"
CACHED = 40  # tokens of every prompt that were cached
WRITTEN = 20  # tokens of every reply

# What the agent is told to call, reply by reply; then it answers. `divide` fails: its result is an
# error. The last reply calls two tools at once, one of them for the second time.
SCRIPT: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (("lookup", {"key": "alpha"}),),
    (("divide", {"a": 1, "b": 0}),),
    (("lookup", {"key": "beta"}), ("lookup", {"key": "alpha"})),
)


@dataclass
class Given:
    """What the server gave: the truth that a reader of the traces has to find."""

    model_calls: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    input_tokens: int = 0  # cached ones included
    output_tokens: int = 0
    sessions: int = 0
    uploads: list[tuple[str, bytes]] = field(default_factory=list, repr=False)

    def counts(self) -> dict[str, int]:
        """The figures without what was uploaded."""
        figures = asdict(self)
        del figures["uploads"]
        return figures


@contextmanager
def stub_server() -> Iterator[tuple[str, Given]]:
    """Serve in a thread; gives the server's address and its counts."""
    given = Given()

    class Handler(_Handler):
        truth = given

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", given
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    truth: Given

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the terminal."""

    def do_GET(self) -> None:
        """Answer a client that asks for the server's abilities: no multipart, no compression."""
        limits = {
            "use_multipart_endpoint": False,
            "size_limit": 1000,
            "size_limit_bytes": 20_000_000,
            "scale_up_nthreads_limit": 1,
            "scale_up_qsize_trigger": 1000,
            "scale_down_nempty_trigger": 4,
        }
        self._send({"version": "0.0.1", "batch_ingest_config": limits})

    def do_PATCH(self) -> None:
        """Keep an upload."""
        self.do_POST()

    def do_POST(self) -> None:
        """Answer a model call; keep anything else as an upload."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/chat/completions"):
            self._send(_chat(json.loads(body), self.truth))
        elif self.path.endswith("/responses"):
            self._send(_response(json.loads(body), self.truth))
        else:
            self.truth.uploads.append((self.path, body))
            self._send({})

    def _send(self, answer: dict[str, Any]) -> None:
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _next_calls(replies: int, asked: int) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The calls of the next reply; none where it answers. A second request is answered at once."""
    if asked > 1 or replies >= len(SCRIPT):
        return ()
    return SCRIPT[replies]


def _count(given: Given, size: int, calls: tuple[tuple[str, dict[str, Any]], ...]) -> int:
    tokens = 100 + 10 * size
    given.model_calls += 1
    given.tool_calls += len(calls)
    given.tool_errors += sum(name == "divide" for name, _ in calls)
    given.input_tokens += tokens
    given.output_tokens += WRITTEN
    return tokens


def _chat(request: dict[str, Any], given: Given) -> dict[str, Any]:
    messages = request["messages"]
    replies = sum(message["role"] == "assistant" for message in messages)
    asked = sum(message["role"] == "user" for message in messages)
    calls = _next_calls(replies, asked)
    tokens = _count(given, len(messages), calls)
    number = given.model_calls

    message: dict[str, Any] = {"role": "assistant", "content": None}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{i}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for i, (name, arguments) in enumerate(calls)
        ]
    else:
        message["content"] = f"Alpha is one and beta is two (reply {number})."

    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": MODEL,
        "choices": [choice],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": WRITTEN,
            "total_tokens": tokens + WRITTEN,
            "prompt_tokens_details": {"cached_tokens": CACHED},
        },
    }


def _response(request: dict[str, Any], given: Given) -> dict[str, Any]:
    items = request["input"]
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    results = sum(item.get("type") == "function_call_output" for item in items)
    replies = min(results, 2) if results < 4 else 3
    asked = sum(item.get("role") == "user" for item in items)
    calls = _next_calls(replies, asked)
    tokens = _count(given, len(items), calls)
    number = given.model_calls

    output: list[dict[str, Any]] = []
    for i, (name, arguments) in enumerate(calls):
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{number}_{i}",
                "call_id": f"call_{number}_{i}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
        )
    if not calls:
        text = {"type": "output_text", "text": "Alpha is one, beta is two.", "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        )
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_790_000_000,
        "model": MODEL,
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": tokens,
            "output_tokens": WRITTEN,
            "total_tokens": tokens + WRITTEN,
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
