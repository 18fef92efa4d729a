"""Messages, tools and replies between our records and Inspect's types."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.tool import ToolInfo, ToolParams

from agingbench.errors import BrokenReply, ContextOverflow
from agingbench.models.replies import clean
from agingbench.records import Message, Reply, Tool, ToolCall, Usage


def chat_messages(messages: Sequence[Message]) -> list[ChatMessage]:
    """A conversation in Inspect's types."""
    tool_names = {call.id: call.name for message in messages for call in message.tool_calls}
    return [_chat_message(message, tool_names) for message in messages]


def _chat_message(message: Message, tool_names: dict[str, str]) -> ChatMessage:
    content = clean(message.content)
    if message.role == "system":
        return ChatMessageSystem(content=content)
    if message.role == "user":
        return ChatMessageUser(content=content)
    if message.role == "tool":
        call_id = message.tool_call_id or ""
        return ChatMessageTool(
            content=content,
            tool_call_id=call_id,
            function=tool_names.get(call_id),
        )
    calls = [
        InspectToolCall(id=call.id, function=call.name, arguments=call.arguments)
        for call in message.tool_calls
    ]
    return ChatMessageAssistant(content=content, tool_calls=calls or None)


def tool_infos(tools: Sequence[Tool]) -> list[ToolInfo]:
    """Tools as Inspect offers them to a model; the life runs them itself."""
    return [
        ToolInfo(
            name=tool.name,
            description=tool.description,
            parameters=ToolParams.model_validate(dict(tool.parameters)),
        )
        for tool in tools
    ]


def reply_of(output: ModelOutput, name: str) -> Reply:
    """What a model said, in our words.

    Raises ContextOverflow where the prompt left no room, and BrokenReply where nothing was said.
    """
    if output.empty:
        raise BrokenReply(f"{name} sent a reply that cannot be used: it holds no message")
    message = output.message
    calls = tuple(_tool_call(call) for call in message.tool_calls or ())
    text = message.text
    if output.stop_reason == "model_length" and not calls:
        raise ContextOverflow(f"{name}: the prompt is too long: {text[:200]}")
    return Reply(
        text,
        calls,
        usage_of(output.usage),
        output.model or None,
        refused=output.stop_reason == "content_filter",
    )


def _tool_call(call: InspectToolCall) -> ToolCall:
    arguments = call.arguments
    if call.parse_error is not None:
        arguments = {"_raw": call.parse_error}
    return ToolCall(call.id, call.function, arguments)


def usage_of(usage: ModelUsage | None) -> Usage:
    """The tokens of one call; Inspect leaves cached tokens out of `input_tokens`, we do not."""
    if usage is None:
        return Usage(calls=1)
    read = usage.input_tokens_cache_read
    write = usage.input_tokens_cache_write
    return Usage(
        input_tokens=usage.input_tokens + (read or 0) + (write or 0),
        output_tokens=usage.output_tokens,
        cache_read_tokens=read,
        cache_write_tokens=write,
        cost_usd=usage.total_cost,
        calls=1,
    )
