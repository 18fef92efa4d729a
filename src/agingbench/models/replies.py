"""Reads the parts of a reply that servers and models get wrong: text, tool calls, usage."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from agingbench.errors import BrokenReply
from agingbench.records import Reply, ToolCall, Usage

MOST_TOKENS = 10**9  # a count above this was not counted


def text_of(value: Any) -> str:
    """A text that can be written down; anything but text is none."""
    return clean(value) if isinstance(value, str) else ""


def clean(text: str) -> str:
    """`text` without halves of surrogate pairs, which no file and no request can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def count(value: Any) -> int | None:
    """A token count as a server sent it; anything that cannot be one is missing."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def tool_call(call_id: Any, name: Any, arguments: dict[str, Any], spare_id: str) -> ToolCall:
    """A tool call as a server sent it; raises ValueError where its name is no text.

    A number for an id is written as text, and a missing id becomes `spare_id`: an id only has to
    differ from others.
    """
    if not isinstance(name, str):
        raise ValueError(f"the name of a tool call is {name!r}, not text")
    if isinstance(call_id, int) and not isinstance(call_id, bool):
        call_id = str(call_id)
    usable = text_of(call_id) or spare_id
    return ToolCall(usable, clean(name), arguments)


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a tool call; what is not a JSON object is kept under "_raw"."""
    if not text.strip():
        return {}
    try:
        decoded = msgspec.json.decode(text)
        msgspec.json.encode(decoded)  # numbers of any length are read, but not written
    except (msgspec.DecodeError, UnicodeEncodeError, OverflowError, RecursionError):
        return {"_raw": clean(text)}
    return decoded if isinstance(decoded, dict) else {"_raw": text}


def checked(reply: Reply, name: str) -> Reply:
    """The reply of any model as it can be written down and read again.

    Raises BrokenReply where that cannot be done without changing what was said. Usage that cannot
    be true is missing.
    """
    if not isinstance(reply, Reply) or not isinstance(reply.text, str):
        raise BrokenReply(f"{name} sent a reply that cannot be used: it holds no text")
    try:
        calls = [_checked_call(call, index) for index, call in enumerate(reply.tool_calls)]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BrokenReply(f"{name} sent a reply that cannot be used: {error}") from error
    served_model = reply.model if isinstance(reply.model, str) else None
    return Reply(
        clean(reply.text), tuple(calls), _checked_usage(reply.usage), served_model, reply.refused
    )


def _checked_call(call: ToolCall, index: int) -> ToolCall:
    msgspec.json.encode(call.arguments)
    return tool_call(call.id, call.name, call.arguments, spare_id=f"call_{index}")


def _checked_usage(usage: Usage) -> Usage:
    cost = usage.cost_usd
    is_cost = isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0
    return Usage(
        count(usage.input_tokens),
        count(usage.output_tokens),
        count(usage.cache_read_tokens),
        count(usage.cache_write_tokens),
        cost if is_cost else None,
        count(usage.calls) or 0,
    )
