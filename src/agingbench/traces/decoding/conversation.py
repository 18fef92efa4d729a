"""Chat messages as events: tool calls nested, flat or as JSON text, typed blocks, event rows.

Logs in which every model call repeats the history are read by `traces/decoding/model_calls.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from agingbench.records import Event, ReadLog, Role, Source
from agingbench.traces.decoding.building import call_parts

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "model"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool_result"),
}


class MessageReader:
    """Turns messages into events, one after the other; every assistant message begins a step.

    It remembers which call an id or an order belongs to, so that a result carries the name of its
    tool.
    """

    def __init__(self) -> None:
        self.step = 0
        self._names: dict[str, str | None] = {}
        self._waiting: list[tuple[str | None, str | None]] = []

    def events(self, message: dict[str, Any]) -> list[Event]:
        """The events of one message; none when its role is unknown."""
        role = _ROLES.get(str(message.get("role")))
        if role is None:
            return []
        if "event" in message:
            return self._event_row(message, role)

        if role == "tool_result":
            call_id = _text_or_none(message.get("tool_call_id"))
            name = _text_or_none(message.get("name"))
            return [self._result(call_id, message.get("content"), name, message)]

        out: list[Event] = []
        if role == "assistant":
            self.step += 1

        text, blocks = _split_content(message.get("content"))
        tool_blocks = [b for b in blocks if b.get("type") in ("tool_use", "tool_result")]
        thought = message.get("reasoning_content") or message.get("reasoning") or _thinking(blocks)

        if text or role != "assistant" or not (tool_blocks or message.get("tool_calls")):
            if text or not tool_blocks:
                out.append(Event(step=self.step, role=role, content=text or ""))
        elif thought:
            out.append(Event(step=self.step, role="assistant", content=""))

        if thought and out and isinstance(thought, str):
            out[0].metadata = {"reasoning": thought}

        out += [self._call(*call) for call in tool_calls(message.get("tool_calls"))]
        for block in tool_blocks:
            out.append(self._block(block))
        return out

    def _event_row(self, message: dict[str, Any], role: Role) -> list[Event]:
        kind = message.get("event")
        content = _split_content(message.get("content"))[0]
        call_id = _text_or_none(message.get("tool_call_id"))
        name = _text_or_none(message.get("tool_name"))
        if kind == "tool_result" or role == "tool_result":
            return [self._result(call_id, message.get("content"), name, message)]
        if role == "assistant":
            self.step += 1

        out: list[Event] = []
        if content or kind != "tool_call":
            out.append(Event(step=self.step, role=role, content=content or ""))
        if kind == "tool_call":
            out.append(self._call(call_id, name, message.get("arguments")))
        return out

    def _block(self, block: dict[str, Any]) -> Event:
        if block["type"] == "tool_use":
            return self._call(
                _text_or_none(block.get("id")),
                _text_or_none(block.get("name")),
                block.get("input"),
            )

        return self._result(
            _text_or_none(block.get("tool_use_id")),
            block.get("content"),
            None,
            block,
        )

    def _call(self, call_id: str | None, name: str | None, arguments: Any) -> Event:
        if call_id is not None:
            self._names[call_id] = name

        self._waiting.append((call_id, name))
        parsed = parsed_arguments(arguments)
        command = parsed.get("command") if isinstance(parsed, dict) else None

        return Event(
            step=self.step,
            role="tool_call",
            tool_name=name,
            tool_call_id=call_id,
            arguments=parsed,
            command=command if isinstance(command, str) else None,
        )

    def _result(
        self,
        call_id: str | None,
        content: Any,
        name: str | None,
        raw: dict[str, Any],
    ) -> Event:
        text = _split_content(content)[0]
        if call_id in self._names:
            self._waiting = [w for w in self._waiting if w[0] != call_id]
            name = name or self._names[call_id or ""]
        elif self._waiting:
            # A result that names no call answers the oldest one still open.
            call_id, waited = self._waiting.pop(0)
            name = name or waited

        event = Event(
            step=self.step,
            role="tool_result",
            tool_name=name,
            tool_call_id=call_id,
            stdout=text if text else "",
        )
        if raw.get("is_error") is True:
            event.error_kind = "process"
            event.metadata = {"is_error": True}

        return event


def tool_calls(value: Any) -> Iterator[tuple[str | None, str | None, Any]]:
    """(id, name, arguments) of every call, nested under `function` or flat, as JSON text or not."""
    for call in value if isinstance(value, list) else []:
        parsed = _json_or_none(call) if isinstance(call, str) else call
        yield call_parts(parsed) if isinstance(parsed, dict) else (None, None, call)


def parsed_arguments(arguments: Any) -> Any:
    """Arguments as an object, also from JSON text of one; anything else is returned unchanged."""
    if isinstance(arguments, str):
        parsed = _json_or_none(arguments)
        return parsed if isinstance(parsed, dict) else arguments or None

    return arguments


def message_list(value: Any) -> list[dict[str, Any]]:
    """The messages in a prompt or completion; none when it is plain text."""
    if isinstance(value, str):
        value = _json_or_none(value) if value.lstrip()[:2] in ("[{", "[ ") else None
    return [m for m in value if isinstance(m, dict)] if isinstance(value, list) else []


def conversation_events(stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
    """The events of a conversation file, one message per line; every line is counted in the log."""
    reader = MessageReader()
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue

        message = _json_or_none(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
        if not isinstance(message, dict):
            log.bad(number, "not a JSON object")
            continue

        events = reader.events(message)
        if not events:
            log.ignore(f"role {str(message.get('role'))[:40]}")
            continue

        log.used += 1
        for event in events:
            event.source = Source(log.file, number)
            yield event


def _split_content(content: Any) -> tuple[str, list[dict[str, Any]]]:
    """The text of a message's content, and its typed blocks."""
    if content is None:
        return "", []
    if isinstance(content, str):
        return content, []

    if isinstance(content, list):
        blocks = [b for b in content if isinstance(b, dict)]
        texts = []
        for block in content:
            text = block.get("text") if isinstance(block, dict) else block
            if isinstance(text, str):
                texts.append(text)

        return "\n".join(texts), blocks

    return json.dumps(content, ensure_ascii=False), []


def _thinking(blocks: list[dict[str, Any]]) -> str | None:
    texts = []
    for block in blocks:
        if block.get("type") in ("thinking", "reasoning"):
            texts.append(block.get("thinking") or block.get("reasoning"))

    return "\n".join(text for text in texts if isinstance(text, str)) or None


def _json_or_none(text: str | bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
