"""Model calls to events: every call repeats the history, so only what is new in it becomes events.

The messages may be in any of the usual dialects: OpenAI chat and responses, Anthropic, Gemini,
LangChain, and the parts of the OpenTelemetry conventions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agingbench.records import Event, Usage
from agingbench.traces.decoding.building import (
    Builder,
    arguments_of,
    call_parts,
    compact,
    first,
    items,
    mapping,
    parsed,
    string,
    text_of,
)
from agingbench.traces.error_kinds import classify_error

_ROLES = {
    "human": "user",
    "input": "user",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "aimessage": "assistant",
    "assistantmessage": "assistant",
    "humanmessage": "user",
    "systemmessage": "system",
    "toolmessage": "tool",
    "developer": "system",
    "function": "tool",
    "tool-result": "tool",
    "environment": "tool",
}
MOST_KEYS = 200_000


class MessagePart(NamedTuple):
    """One part of a message: a text, a tool call or a tool result."""

    kind: str  # system, user, assistant, call, result
    text: str = ""
    name: str | None = None
    arguments: Any = None
    id: str | None = None
    failed: bool = False


def said(message: Any, role: str | None = None) -> list[MessagePart]:
    """The parts of one message."""
    message = parsed(message)
    if isinstance(message, str):
        return [MessagePart(_role(role), message)] if message else []
    if isinstance(message, list):
        return [part for item in message for part in said(item, role)]
    if not isinstance(message, dict):
        return []

    message = _unwrapped(message)
    item = _item(message)
    if item is not None:
        return item

    who = _role(string(first(message, "role", "type")) or role)
    if who == "tool":
        return _tool_message(message)

    parts = _parts(first(message, "content", "parts", "text"), who)
    calls = first(message, "tool_calls", "toolCalls") or mapping(
        message.get("additional_kwargs")
    ).get("tool_calls")
    parts += [call for raw in items(calls) if (call := _call(raw)) is not None]

    if isinstance(message.get("function_call"), dict):
        call = _call(message["function_call"])
        parts += [call] if call is not None else []

    return parts


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """LangChain writes the class path and the fields, others put the message below a key."""
    if isinstance(message.get("kwargs"), dict) and isinstance(message.get("id"), list):
        return {"role": str(message["id"][-1:] and message["id"][-1]).lower(), **message["kwargs"]}
    if isinstance(message.get("message"), dict) and "role" not in message:
        return _unwrapped(message["message"])

    if (
        isinstance(message.get("data"), dict)
        and isinstance(message.get("type"), str)
        and "content" not in message
    ):
        return {"role": message["type"], **message["data"]}

    return message


def _role(name: str | None) -> str:
    role = (name or "user").lower()
    role = _ROLES.get(role, role)
    return role if role in ("system", "user", "assistant", "tool") else "user"


def _item(message: dict[str, Any]) -> list[MessagePart] | None:
    """An item of the OpenAI responses API, which is a message, a call or an output by itself."""
    kind = message.get("type")
    if kind == "function_call" and "name" in message:
        call = _call(message)
        return [call] if call is not None else []

    if kind in ("function_call_output", "custom_tool_call_output"):
        return [
            MessagePart(
                "result",
                text_of(parsed(message.get("output"))),
                None,
                None,
                string(message.get("call_id")),
            )
        ]

    return [] if kind in ("reasoning", "web_search_call") and "role" not in message else None


def _call(raw: Any) -> MessagePart | None:
    call_id, name, arguments = call_parts(raw)
    return (
        MessagePart("call", "", name, arguments_of(arguments), call_id)
        if name is not None
        else None
    )


def _tool_message(message: dict[str, Any]) -> list[MessagePart]:
    content = message.get("content", message.get("parts"))
    blocks = [part for part in _parts(content, "tool") if part.kind in ("call", "result")]
    if blocks:
        return blocks

    name = string(first(message, "name", "tool_name"))
    call_id = string(first(message, "tool_call_id", "toolCallId", "id"))
    if isinstance(content, dict) and (
        "parameters" in mapping(content.get("function")) or "function" in content
    ):
        return []  # a tool's definition, which some exporters put among the messages

    return [
        MessagePart(
            "result", text_of(content), name, None, call_id, message.get("status") == "error"
        )
    ]


def _parts(content: Any, who: str) -> list[MessagePart]:
    content = (
        parsed(content) if isinstance(content, str) and content.startswith('[{"type"') else content
    )
    if content is None or content == "":
        return []
    if not isinstance(content, list):
        return [MessagePart("user" if who == "tool" else who, text_of(content))]

    parts: list[MessagePart] = []
    texts: list[str] = []
    for part in content:
        special = _special(part)
        if special is not None:
            parts += special
        elif (text := text_of(part)) and mapping(part).get("type") not in ("thinking", "reasoning"):
            texts.append(text)

    text = "\n".join(texts)
    return ([MessagePart("user" if who == "tool" else who, text)] if text else []) + parts


def _special(part: Any) -> list[MessagePart] | None:
    """A part that is a tool call or a tool result."""
    if not isinstance(part, dict):
        return None

    kind = part.get("type")
    called = first(part, "functionCall", "function_call")
    answered = first(part, "functionResponse", "function_response")
    if isinstance(called, dict):
        return [call] if (call := _call(called)) is not None else []

    if isinstance(answered, dict):
        text = compact(first(answered, "response", "result", "output") or "")
        return [
            MessagePart(
                "result", text, string(answered.get("name")), None, string(answered.get("id"))
            )
        ]

    if kind in ("tool_use", "tool_call", "tool-call", "toolCall", "server_tool_use") or (
        kind == "function" and "arguments" in mapping(part.get("function"))
    ):
        return [call] if (call := _call(part)) is not None else []

    if kind in ("tool_result", "tool-result", "tool_call_response", "toolResult"):
        text = text_of(first(part, "content", "result", "response", "output"))
        call_id = string(first(part, "tool_use_id", "tool_call_id", "toolCallId", "id"))

        return [
            MessagePart(
                "result",
                text,
                string(first(part, "name", "toolName")),
                None,
                call_id,
                part.get("is_error") is True,
            )
        ]

    return None


class Conversation:
    """One session's model calls and tool runs, told once each."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.told: Counter[int] = Counter()
        self.asked: dict[
            int, list[str | None]
        ] = {}  # ids of calls the model asked for, until their run is met

    def model_call(
        self,
        line: int | None,
        time: float | None,
        inputs: Iterable[MessagePart],
        answered: Iterable[MessagePart],
        call_usage: Usage | None,
        took: float | None = None,
        **fields: Any,
    ) -> Iterator[Event]:
        """New messages of the input, then the reply; its first event carries the usage."""
        counts: Counter[int] = Counter()
        for part in inputs:
            key = self._key(part)
            counts[key] += 1
            if counts[key] > self.told[key]:
                self.told[key] += 1
                yield self._event(line, time, part)

        parts = list(answered)
        end = time + took / 1000.0 if time is not None and took is not None else time
        for part in parts or [MessagePart("assistant")]:
            key = self._key(part)
            counts[key] += 1
            self.told[key] = max(self.told[key], counts[key])
            if part.kind == "call":
                self.asked.setdefault(self._named(part.name, part.arguments), []).append(part.id)

            event = self._event(line, end, part)
            if event.role in ("assistant", "tool_call"):
                event.usage = call_usage
                call_usage = None
                event.duration_ms = took
                took = None
                event.model = self.build.model
                for name, value in fields.items():
                    setattr(event, name, value)
                fields = {}

            yield event

        if len(self.told) > MOST_KEYS:
            self.told.clear()
            self.asked.clear()

    def tool_run(
        self,
        line: int | None,
        time: float | None,
        part: MessagePart,
        result: MessagePart | None,
        took: float | None = None,
    ) -> Iterator[Event]:
        """A tool's own record: the call and its result, unless a model call gave them already."""
        call = self.asked.get(self._named(part.name, part.arguments))
        if call:
            part = part._replace(id=part.id or call[0])
            del call[0]
        elif part.id is None or self._key(part) not in self.told:
            self.told[self._key(part)] += 1
            yield self._event(line, time, part)

        if result is None:
            return

        answer = result._replace(name=result.name or part.name, id=result.id or part.id)
        key = self._key(answer)
        if self.told[key] == 0:
            self.told[key] += 1
            end = time + took / 1000.0 if time is not None and took is not None else time
            event = self._event(line, end, answer)
            if took is not None:
                event.duration_ms = took
            yield event

    def _event(self, line: int | None, time: float | None, part: MessagePart) -> Event:
        build = self.build
        if part.kind == "call":
            return build.call(line, time, part.name, part.arguments, part.id)

        if part.kind == "result":
            kind = classify_error(part.text) if part.failed else None
            return build.result(
                line,
                time,
                part.id,
                part.text,
                tool_name=part.name,
                error_kind=kind,
            )

        role = part.kind if part.kind in ("system", "assistant") else "user"
        return build.event(role, line, time, content=part.text)  # type: ignore[arg-type]

    @staticmethod
    def _key(part: MessagePart) -> int:
        if part.kind == "call" and part.id is not None:
            return hash(("call", part.id))
        if part.kind == "result" and part.id is not None:
            return hash(("result", part.id))
        if part.kind == "call":
            return hash(("call", part.name, compact(part.arguments)))
        return hash((part.kind, part.text))

    @staticmethod
    def _named(name: str | None, arguments: Any) -> int:
        return hash((name, compact(arguments or {})))
