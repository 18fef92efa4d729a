"""What the three protocols share: a request read from JSON, and what goes back."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from agingbench.records import Message, Reply, Tool, Usage

Json = Mapping[str, Any]


class WireError(Exception):
    """A request that cannot be read; the text says why."""


class WireRequest(NamedTuple):
    """One request for a completion, whatever protocol it came in."""

    model: str
    messages: list[Message]
    tools: list[Tool]
    max_tokens: int
    stream: bool


class Wire(Protocol):
    """One protocol: how a request is read, and how a reply, a stream and an error are written."""

    @staticmethod
    def read(body: Json) -> WireRequest: ...
    @staticmethod
    def reply(request: WireRequest, reply: Reply) -> Json: ...
    @staticmethod
    def stream(request: WireRequest, reply: Reply) -> bytes: ...
    @staticmethod
    def error(status: int, message: str) -> Json: ...


# -- reading


def text_of(value: Any, *kinds: str) -> str:
    """A text, or the parts of these kinds joined; raises WireError for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    texts = []
    for part in items_of(value, "content"):
        if part.get("type") in kinds:
            text = part.get("text")
            if not isinstance(text, str):
                raise WireError("a part of the content has no text")
            texts.append(text)
    return "\n\n".join(texts)


def items_of(value: Any, name: str) -> list[Json]:
    """A list of objects; raises WireError for anything else."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise WireError(f"'{name}' is not a list of objects")
    return value


def word_of(item: Json, name: str) -> str:
    """The text under a name; raises WireError without one."""
    value = item.get(name)
    if not isinstance(value, str) or not value:
        raise WireError(f"'{name}' is missing or no text")
    return value


def arguments_of(value: Any) -> dict[str, Any]:
    """Arguments of a tool call, given as an object or as JSON; what is neither is set aside."""
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError:
            return {"input": value}
    return value if isinstance(value, dict) else {"input": value}


def tool_of(name: str, description: Any, schema: Any) -> Tool:
    """A tool that is called by whoever offers it."""
    parameters = schema if isinstance(schema, dict) else {}
    return Tool(name, str(description or ""), parameters, _not_here)


def _not_here(arguments: Json) -> str:
    raise WireError("tools are run by the agent, not by its model")


def count_of(body: Json, *names: str) -> int:
    """The first whole number above zero under one of the names; 1024 without one."""
    for name in names:
        value = body.get(name)
        if type(value) is int and value > 0:
            return value
    return 1024


# -- writing


def drawn_id(prefix: str) -> str:
    """A new id: sessions are told apart by those of their messages."""
    return f"{prefix}_{secrets.token_hex(12)}"


def tokens(usage: Usage) -> tuple[int, int]:
    """Input and output tokens."""
    return usage.input_tokens or 0, usage.output_tokens or 0


def event_stream(events: Iterable[tuple[str, Any]]) -> bytes:
    """Server-sent events with a name each; an event without one has data alone."""
    lines = []
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        lines.append(f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n")
    return "".join(lines).encode()


def pieces(text: str, size: int = 400) -> Sequence[str]:
    """A text in pieces, as a stream sends it."""
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
