"""Model calls as events: every call repeats the history, so only its new messages become events.

Messages may be in any of the usual dialects: OpenAI chat and responses, Anthropic, Gemini,
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
_CALL_KINDS = ("tool_use", "tool_call", "tool-call", "toolCall", "server_tool_use")
_RESULT_KINDS = ("tool_result", "tool-result", "tool_call_response", "toolResult")


class MessagePart(NamedTuple):
    """One part of a message: a text, a tool call or a tool result."""

    kind: str  # system, user, assistant, call, result
    text: str = ""
    name: str | None = None
    arguments: Any = None
    id: str | None = None
    failed: bool = False


def message_parts(message: Any, role: str | None = None) -> list[MessagePart]:
    """The parts of one message."""
    message = parsed(message)
    if isinstance(message, str):
        return [MessagePart(_role(role), message)] if message else []
    if isinstance(message, list):
        return [part for item in message for part in message_parts(item, role)]
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
    extra = mapping(message.get("additional_kwargs"))
    calls = items(first(message, "tool_calls", "toolCalls") or extra.get("tool_calls"))
    if isinstance(message.get("function_call"), dict):
        calls = [*calls, message["function_call"]]

    for raw in calls:
        parts += _calls(raw)
    return parts


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """A message without the wrapping that LangChain and some exporters put around it."""
    if isinstance(message.get("kwargs"), dict) and isinstance(message.get("id"), list):
        return {"role": str(message["id"][-1:] and message["id"][-1]).lower(), **message["kwargs"]}
    if isinstance(message.get("message"), dict) and "role" not in message:
        return _unwrapped(message["message"])

    has_data = isinstance(message.get("data"), dict) and isinstance(message.get("type"), str)
    if has_data and "content" not in message:
        return {"role": message["type"], **message["data"]}
    return message


def _role(name: str | None) -> str:
    role = (name or "user").lower()
    role = _ROLES.get(role, role)
    return role if role in ("system", "user", "assistant", "tool") else "user"


def _item(message: dict[str, Any]) -> list[MessagePart] | None:
    """The parts of an item of the OpenAI responses API; None for a usual message."""
    kind = message.get("type")
    if kind == "function_call" and "name" in message:
        return _calls(message)

    if kind in ("function_call_output", "custom_tool_call_output"):
        text = text_of(parsed(message.get("output")))
        return [MessagePart("result", text, None, None, string(message.get("call_id")))]

    return [] if kind in ("reasoning", "web_search_call") and "role" not in message else None


def _calls(raw: Any) -> list[MessagePart]:
    """The tool call in a record; none when it has no name."""
    call_id, name, arguments = call_parts(raw)
    if name is None:
        return []
    return [MessagePart("call", "", name, arguments_of(arguments), call_id)]


def _tool_message(message: dict[str, Any]) -> list[MessagePart]:
    content = message.get("content", message.get("parts"))
    blocks = [part for part in _parts(content, "tool") if part.kind in ("call", "result")]
    if blocks:
        return blocks

    name = string(first(message, "name", "tool_name"))
    call_id = string(first(message, "tool_call_id", "toolCallId", "id"))
    # Some exporters put the definitions of the tools among the messages.
    if isinstance(content, dict) and "function" in content:
        return []

    failed = message.get("status") == "error"
    return [
        MessagePart(
            "result",
            text_of(content),
            name,
            None,
            call_id,
            failed,
        )
    ]


def _parts(content: Any, who: str) -> list[MessagePart]:
    if isinstance(content, str) and content.startswith('[{"type"'):
        content = parsed(content)
    if content is None or content == "":
        return []
    if not isinstance(content, list):
        return [MessagePart("user" if who == "tool" else who, text_of(content))]

    parts: list[MessagePart] = []
    texts: list[str] = []
    for part in content:
        tool_parts = _tool_parts(part)
        if tool_parts is not None:
            parts += tool_parts
        elif mapping(part).get("type") not in ("thinking", "reasoning"):
            texts.append(text_of(part))

    text = "\n".join(filter(None, texts))
    if text:
        parts.insert(0, MessagePart("user" if who == "tool" else who, text))
    return parts


def _tool_parts(part: Any) -> list[MessagePart] | None:
    """The tool call or tool result that a part is; None for any other part."""
    if not isinstance(part, dict):
        return None

    kind = part.get("type")
    function_call = first(part, "functionCall", "function_call")
    response = first(part, "functionResponse", "function_response")
    if isinstance(function_call, dict):
        return _calls(function_call)

    if isinstance(response, dict):
        text = compact(first(response, "response", "result", "output") or "")
        name = string(response.get("name"))
        return [MessagePart("result", text, name, None, string(response.get("id")))]

    is_function = kind == "function" and "arguments" in mapping(part.get("function"))
    if kind in _CALL_KINDS or is_function:
        return _calls(part)

    if kind in _RESULT_KINDS:
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


class OpenCall(NamedTuple):
    """A tool call that the model made and whose run was not read yet."""

    id: str | None
    arguments: int  # hash
    agent: str  # that made it


class Conversation:
    """The model calls and tool runs of one session; each message becomes an event once."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.agent = ""  # that acts now, where the source tells several apart
        self.counts: Counter[int] = Counter()
        # The calls that the model made, by tool, until the run of the tool is read.
        self.open_calls: dict[str | None, list[OpenCall]] = {}

    def model_call(
        self,
        line: int | None,
        time: float | None,
        inputs: Iterable[MessagePart],
        response: Iterable[MessagePart],
        call_usage: Usage | None,
        took: float | None = None,
        **fields: Any,
    ) -> Iterator[Event]:
        """New messages of the input, then the reply; its first event carries the usage."""
        counts: Counter[int] = Counter()
        for part in inputs:
            key = self._key(part)
            counts[key] += 1
            if counts[key] > self.counts[key]:
                self.counts[key] += 1
                yield self._event(line, time, part)

        parts = list(response)
        end = time + took / 1000.0 if time is not None and took is not None else time
        for part in parts or [MessagePart("assistant")]:
            key = self._key(part)
            counts[key] += 1
            self.counts[key] = max(self.counts[key], counts[key])

            if part.kind == "call":
                call = OpenCall(part.id, self._arguments_key(part.arguments), self.agent)
                self.open_calls.setdefault(part.name, []).append(call)

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

        if len(self.counts) > MOST_KEYS:
            self.counts.clear()
            self.open_calls.clear()

    def tool_run(
        self,
        line: int | None,
        time: float | None,
        part: MessagePart,
        result: MessagePart | None,
        took: float | None = None,
    ) -> Iterator[Event]:
        """A tool's own record: the call and its result, unless a model call gave them already."""
        call = self._declared(part)
        if call is not None:
            part = part._replace(id=part.id or call.id)
        elif part.id is None or self._key(part) not in self.counts:
            self.counts[self._key(part)] += 1
            yield self._event(line, time, part)

        if result is None:
            return

        answer = result._replace(name=result.name or part.name, id=result.id or part.id)
        # Without an id, equal texts are results of several runs.
        key = self._key(answer)
        if answer.id is None or self.counts[key] == 0:
            self.counts[key] += 1
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

    def _declared(self, run: MessagePart) -> OpenCall | None:
        """Take the model's call that a tool's run belongs to; None when no model call made it.

        By its id, else by its arguments, else the oldest call of the tool by the same agent:
        wrappers around a function change the arguments, and not the order.
        """
        calls = self.open_calls.get(run.name)
        if not calls:
            return None

        key = self._arguments_key(run.arguments)
        same_id = [call for call in calls if run.id is not None and call.id == run.id]
        same_arguments = [call for call in calls if call.arguments == key]
        by_agent = [call for call in calls if call.agent == self.agent]
        call = next(iter(same_id or same_arguments or by_agent), None)
        if call is None:
            return None
        if run.id is not None and call.id is not None and call.id != run.id:
            return None

        calls.remove(call)
        return call

    @staticmethod
    def _arguments_key(arguments: Any) -> int:
        return hash(compact(arguments or {}))
