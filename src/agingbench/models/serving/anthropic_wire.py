"""The Anthropic Messages API: messages with text, tool_use and tool_result blocks."""

from __future__ import annotations

import json
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

_ERRORS = {400: "invalid_request_error", 403: "permission_error", 404: "not_found_error"}


class AnthropicWire:
    """POST /v1/messages."""

    @staticmethod
    def read(body: Json) -> WireRequest:
        """The request in a body; raises WireError where it is not one."""
        messages = [Message("system", text_of(body.get("system"), "text"))]
        for item in items_of(body.get("messages"), "messages"):
            messages += _messages(item)
        tools = [
            tool_of(word_of(tool, "name"), tool.get("description"), tool.get("input_schema"))
            for tool in items_of(body.get("tools") or [], "tools")
        ]
        most = count_of(body, "max_tokens")
        return WireRequest(word_of(body, "model"), messages, tools, most, bool(body.get("stream")))

    @staticmethod
    def reply(request: WireRequest, reply: Reply) -> Json:
        return _message(request, reply, _blocks(reply))

    @staticmethod
    def stream(request: WireRequest, reply: Reply) -> bytes:
        return event_stream(_events(request, reply))

    @staticmethod
    def error(status: int, message: str) -> Json:
        kind = _ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


def _messages(item: Json) -> list[Message]:
    role = item.get("role")
    content = item.get("content")
    if role == "assistant":
        blocks = [] if isinstance(content, str) else items_of(content, "content")
        calls = [
            ToolCall(word_of(block, "id"), word_of(block, "name"), arguments_of(block.get("input")))
            for block in blocks
            if block.get("type") == "tool_use"
        ]
        return [Message("assistant", text_of(content, "text"), tuple(calls))]
    if role == "system":
        return [Message("system", text_of(content, "text"))]
    if role != "user":
        raise WireError(f"no message can have the role {role!r}")
    blocks = [] if isinstance(content, str) else items_of(content, "content")
    messages = [
        Message("tool", text_of(block.get("content"), "text"), (), word_of(block, "tool_use_id"))
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    text = text_of(content, "text")
    return [*messages, Message("user", text)] if text else messages


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if reply.text or not reply.tool_calls:
        blocks.append({"type": "text", "text": reply.text})
    for call in reply.tool_calls:
        blocks.append(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        )
    return blocks


def _message(request: WireRequest, reply: Reply, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": drawn_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": blocks,
        "stop_reason": _stop(reply),
        "stop_sequence": None,
        "usage": _usage(reply),
    }


def _usage(reply: Reply) -> dict[str, int]:
    tokens_in, tokens_out = tokens(reply.usage)
    cached = reply.usage.cache_read_tokens
    if not cached:
        return {"input_tokens": tokens_in, "output_tokens": tokens_out}
    # Here the cached tokens are left out of `input_tokens`; everywhere else they are in.
    return {
        "input_tokens": tokens_in - cached,
        "cache_read_input_tokens": cached,
        "output_tokens": tokens_out,
    }


def _stop(reply: Reply) -> str:
    return "tool_use" if reply.tool_calls else "end_turn"


def _events(request: WireRequest, reply: Reply) -> Iterator[tuple[str, Any]]:
    message = _message(request, reply, [])
    usage = message["usage"]
    # Whole from the start: some products record the first count they see.
    begun = {**message, "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": begun}
    for index, block in enumerate(_blocks(reply)):
        if block["type"] == "text":
            opening: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": text} for text in pieces(block["text"])]
        else:
            opening = {**block, "input": {}}
            parts = pieces(json.dumps(block["input"]))
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        start = "content_block_start"
        yield start, {"type": start, "index": index, "content_block": opening}
        for delta in deltas:
            name = "content_block_delta"
            yield name, {"type": name, "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": _stop(reply), "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": usage}
    yield "message_stop", {"type": "message_stop"}
