"""OpenAI Chat Completions: messages with tool_calls, and their results as messages of a tool."""

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


class ChatWire:
    """POST /v1/chat/completions."""

    @staticmethod
    def read(body: Json) -> WireRequest:
        """The request in a body; raises WireError where it is not one."""
        items = items_of(body.get("messages"), "messages")
        tools = []
        for item in items_of(body.get("tools") or [], "tools"):
            function = item.get("function")
            if item.get("type") != "function" or not isinstance(function, dict):
                continue
            tools.append(
                tool_of(
                    word_of(function, "name"),
                    function.get("description"),
                    function.get("parameters"),
                )
            )
        return WireRequest(
            word_of(body, "model"),
            [_message(item) for item in items],
            tools,
            count_of(body, "max_completion_tokens", "max_tokens"),
            bool(body.get("stream")),
        )

    @staticmethod
    def reply(request: WireRequest, reply: Reply) -> Json:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.tool_calls:
            message["tool_calls"] = [_call(call) for call in reply.tool_calls]
        choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
        return {
            **_envelope(request, "chat.completion"),
            "choices": [choice],
            "usage": _usage(reply),
        }

    @staticmethod
    def stream(request: WireRequest, reply: Reply) -> bytes:
        return event_stream(_chunks(request, reply))

    @staticmethod
    def error(status: int, message: str) -> Json:
        return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def _message(item: Json) -> Message:
    role = item.get("role")
    text = text_of(item.get("content"), "text", "input_text")
    if role in ("system", "developer"):
        return Message("system", text)
    if role == "user":
        return Message("user", text)
    if role == "tool":
        return Message("tool", text, (), word_of(item, "tool_call_id"))
    if role != "assistant":
        raise WireError(f"no message can have the role {role!r}")
    calls = []
    for call in items_of(item.get("tool_calls") or [], "tool_calls"):
        function = call.get("function")
        if not isinstance(function, dict):
            raise WireError("a tool call names no function")
        arguments = arguments_of(function.get("arguments"))
        calls.append(ToolCall(word_of(call, "id"), word_of(function, "name"), arguments))
    return Message("assistant", text, tuple(calls))


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.tool_calls else "stop"


def _usage(reply: Reply) -> dict[str, int]:
    tokens_in, tokens_out = tokens(reply.usage)
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }


def _envelope(request: WireRequest, kind: str) -> dict[str, Any]:
    return {
        "id": drawn_id("chatcmpl"),
        "object": kind,
        "created": int(time.time()),
        "model": request.model,
    }


def _chunks(request: WireRequest, reply: Reply) -> Iterator[tuple[str, Any]]:
    envelope = _envelope(request, "chat.completion.chunk")

    def chunk(delta: Json, finish: str | None = None) -> tuple[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return "", {**envelope, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    if reply.text:
        for text in pieces(reply.text):
            yield chunk({"content": text})
    for index, call in enumerate(reply.tool_calls):
        opening = _call(call)
        opening["function"]["arguments"] = ""
        yield chunk({"tool_calls": [{"index": index, **opening}]})
        for part in pieces(json.dumps(call.arguments)):
            function = {"arguments": part}
            yield chunk({"tool_calls": [{"index": index, "function": function}]})
    yield chunk({}, _finish(reply))
    yield "", {**envelope, "choices": [], "usage": _usage(reply)}
    yield "", "[DONE]"
