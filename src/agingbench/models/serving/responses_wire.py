"""The OpenAI Responses API: items of input and output, tool calls and their outputs among them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from agingbench.models.serving.wire import (
    Json,
    WireError,
    WireRequest,
    arguments_of,
    count_of,
    drawn_id,
    event_stream,
    items_of,
    pieces,
    text_of,
    tokens,
    tool_of,
    word_of,
)
from agingbench.records import Message, Reply, ToolCall

_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_TEXTS = ("input_text", "output_text", "text")


class ResponsesWire:
    """POST /v1/responses."""

    @staticmethod
    def read(body: Json) -> WireRequest:
        """The request in a body; raises WireError where it is not one."""
        if body.get("previous_response_id"):
            raise WireError("nothing is stored here; send the whole conversation as 'input'")
        messages = [Message("system", text_of(body.get("instructions"), *_TEXTS))]
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        for item in items_of(items, "input"):
            messages += _messages(item)
        tools = [
            tool_of(word_of(tool, "name"), tool.get("description"), tool.get("parameters"))
            for tool in items_of(body.get("tools") or [], "tools")
            if tool.get("type") == "function"
        ]
        most = count_of(body, "max_output_tokens")
        return WireRequest(word_of(body, "model"), messages, tools, most, bool(body.get("stream")))

    @staticmethod
    def reply(request: WireRequest, reply: Reply) -> Json:
        return _response(request, reply, "completed", _items(reply))

    @staticmethod
    def stream(request: WireRequest, reply: Reply) -> bytes:
        events = enumerate(_events(request, reply))
        numbered = ((data["type"], {**data, "sequence_number": n}) for n, data in events)
        return event_stream(numbered)

    @staticmethod
    def error(status: int, message: str) -> Json:
        return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def _messages(item: Json) -> list[Message]:
    kind = item.get("type", "message")
    if kind in _CALLS:
        arguments = arguments_of(item.get("arguments", item.get("input")))
        call = ToolCall(word_of(item, "call_id"), word_of(item, "name"), arguments)
        return [Message("assistant", "", (call,))]
    if kind in _OUTPUTS:
        text = text_of(item.get("output"), *_TEXTS)
        return [Message("tool", text, (), word_of(item, "call_id"))]
    if kind != "message":
        return []  # reasoning and the like say nothing to this model
    role = item.get("role")
    text = text_of(item.get("content"), *_TEXTS)
    if role in ("system", "developer"):
        return [Message("system", text)]
    if role == "user":
        return [Message("user", text)]
    if role == "assistant":
        return [Message("assistant", text)]
    raise WireError(f"no message can have the role {role!r}")


def _items(reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.text or not reply.tool_calls:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        items.append(
            {
                "type": "message",
                "id": drawn_id("msg"),
                "status": "completed",
                "role": "assistant",
                "content": [part],
            }
        )
    for call in reply.tool_calls:
        items.append(
            {
                "type": "function_call",
                "id": drawn_id("fc"),
                "call_id": call.id,
                "name": call.name,
                "arguments": json.dumps(call.arguments),
                "status": "completed",
            }
        )
    return items


def _response(
    request: WireRequest, reply: Reply, status: str, items: list[dict[str, Any]]
) -> dict[str, Any]:
    tokens_in, tokens_out = tokens(reply.usage)
    return {
        "id": drawn_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": request.model,
        "output": items,
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": {
            "input_tokens": tokens_in,
            "input_tokens_details": {"cached_tokens": reply.usage.cache_read_tokens or 0},
            "output_tokens": tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": tokens_in + tokens_out,
        },
    }


def _events(request: WireRequest, reply: Reply) -> Iterator[dict[str, Any]]:
    items = _items(reply)
    whole = _response(request, reply, "completed", items)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(items):
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            opening = {**item, "status": "in_progress", "content": []}
            yield {"type": "response.output_item.added", "output_index": index, "item": opening}
            yield from _text_events(item, place)
        else:
            opening = {**item, "status": "in_progress", "arguments": ""}
            yield {"type": "response.output_item.added", "output_index": index, "item": opening}
            for part in pieces(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **place, "delta": part}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": "response.function_call_arguments.done", **place, **done}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


def _text_events(item: Json, place: Json) -> Iterator[dict[str, Any]]:
    (part,) = item["content"]
    place = {**place, "content_index": 0}
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for text in pieces(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
