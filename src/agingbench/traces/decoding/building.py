"""Helpers for readers of foreign formats: making events, and reading texts, arguments and token
counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from agingbench.records import Event, ReadLog, Role, Source, Usage
from agingbench.traces.decoding.sources import decode
from agingbench.traces.decoding.times import milliseconds, seconds

MOST_TOKENS = 10**12  # of one call: what is more is no count, and must not spoil the sums
MOST = 1e30  # of anything else


class Builder:
    """Makes the events of one file: counts steps, names the session, pairs results with calls."""

    CALLS = 20_000  # calls that wait for a result; orphans beyond that are forgotten

    def __init__(self, log: ReadLog, session: str | None = None) -> None:
        self.log = log
        self.file = log.file
        # A file without a session's name is a session; its folder keeps apart files of one name.
        self.session = session or "/".join(PurePath(log.file).with_suffix("").parts[-2:]) or None
        self.thread: str | None = None
        self.model: str | None = None
        self.client: str | None = None
        self.step = 0
        self.calls: dict[str, tuple[str | None, float | None]] = {}

    def event(
        self,
        role: Role,
        line: int | None,
        time: float | None,
        **fields: Any,
    ) -> Event:
        """One event; session, thread and client come from the builder unless given."""
        self.step += 1
        values = {
            "session_id": self.session,
            "thread": self.thread,
            "client": self.client,
            **fields,
        }

        return Event(
            step=self.step,
            role=role,
            timestamp=time,
            source=Source(self.file, line),
            **values,
        )

    def call(
        self,
        line: int | None,
        time: float | None,
        name: Any,
        arguments: Any,
        id: Any,
        **fields: Any,
    ) -> Event:
        """A tool call; arguments may be JSON in a string."""
        tool = string(name)
        call_id = string(id)
        call_arguments = arguments_of(arguments)

        if call_id is not None:
            if len(self.calls) > self.CALLS:
                self.calls.clear()
            self.calls[call_id] = (tool, time)

        return self.event(
            "tool_call",
            line,
            time,
            **{
                "tool_name": tool,
                "arguments": call_arguments,
                "tool_call_id": call_id,
                "model": self.model,
                **fields,
            },
        )

    def result(
        self,
        line: int | None,
        time: float | None,
        id: Any,
        text: str | None,
        **fields: Any,
    ) -> Event:
        """A tool result, with the name and the duration of the call it answers."""
        call_id = string(id)
        name, start = self.calls.pop(call_id or "", (None, None))
        values: dict[str, Any] = {
            "tool_name": name,
            "stdout": text,
            "tool_call_id": call_id,
            "duration_ms": milliseconds(start, time),
        }

        for field, value in fields.items():
            if value is not None:
                values[field] = value

        return self.event("tool_result", line, time, **values)

    def model_change(self, line: int | None, time: float | None, model: str | None) -> Event | None:
        """Switch to the model of a record; returns an event when it replaces another model."""
        before = self.model
        if model is None or model == before:
            return None

        self.model = model
        if before is None:
            return None

        change = {"from": before, "to": model}
        return self.event(
            "meta",
            line,
            time,
            lifecycle="model_change",
            metadata=change,
        )

    def is_copy(self, *identity: Any) -> bool:
        """Whether a record with this identity was read before; a copy counts as a duplicate."""
        key = hash(identity)
        if key in self.log.record_keys:
            self.log.duplicate += 1
            return True

        self.log.record_keys.add(key)
        return False

    def time(self, value: Any) -> float | None:
        """Seconds UTC; a missing or odd time is flagged."""
        return seconds(value, self.log)


def string(value: Any) -> str | None:
    """A name or an id as text; numbers are converted, anything else gives None."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def first(source: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of these keys that is present and not null."""
    return next((source[name] for name in names if source.get(name) is not None), None)


def parsed(value: Any) -> Any:
    """The value of a string that holds JSON; anything else is returned unchanged."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return decode(value.encode())
        except ValueError:
            return value

    return value


def arguments_of(value: Any) -> Any:
    """The arguments of a call, as an object where they are one, also from JSON in a string."""
    value_or_text = parsed(value)
    if isinstance(value_or_text, str) and value_or_text:
        return {"input": value_or_text}
    return value_or_text or None


def call_parts(raw: Any) -> tuple[str | None, str | None, Any]:
    """(id, name, arguments) of a tool call, nested under `function` or flat."""
    call = mapping(raw)
    inner = call.get("function")
    function = inner if isinstance(inner, dict) and inner else call
    name = string(first(function, "name", "tool", "toolName"))
    if isinstance(inner, str) and inner:
        name = inner
    call_id = string(first(call, "call_id", "id", "tool_call_id", "toolCallId"))

    return call_id, name, first(function, "arguments", "args", "input")


def text_of(content: Any) -> str:
    """The text of a message: a string, or parts of the kinds that OpenAI, Anthropic and Google
    write.

    Parts without text (images, audio) are named in brackets; objects of other shapes stay as JSON.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, (text_of(part) for part in content)))
    if not isinstance(content, dict):
        return str(content)

    for key in ("text", "output_text", "content", "value", "thinking", "refusal"):
        inner = content.get(key)
        if isinstance(inner, str):
            return inner
        if isinstance(inner, dict | list) and key in ("text", "content"):
            return text_of(inner)

    kind = content.get("type")
    return f"[{kind[:40]}]" if isinstance(kind, str) else compact(content)


def compact(value: Any) -> str:
    """A JSON value as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def count(value: Any) -> int | None:
    """A number of tokens; None for anything else, negative or absurdly large numbers included."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        value = int(value)
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None


def amount(value: Any) -> float | None:
    """A sum of money or a duration; None for anything else and for numbers too large to add up."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None

    if isinstance(value, bool) or not isinstance(value, int | float) or not -MOST <= value <= MOST:
        return None
    return float(value)


def usage(
    input: Any,
    output: Any,
    cached: Any = None,
    cache_write: Any = None,
    cost: Any = None,
    *,
    includes_cache: bool = True,
) -> Usage | None:
    """The usage of one call; None when no figure is known.

    Most providers count cached tokens within the input; ours are apart, so that input, cache read
    and cache write add up to the context in every format.
    """
    input_tokens = count(input)
    read = count(cached)
    write = count(cache_write)
    cost_usd = amount(cost)
    apart = (read or 0) + (write or 0)

    if (
        includes_cache and input_tokens is not None and input_tokens >= apart
    ):  # less than its parts: it was counted without them
        input_tokens -= apart

    total = Usage(
        input_tokens,
        count(output),
        read,
        write,
        cost_usd,
        1,
    )
    figures = (total.input_tokens, total.output_tokens, read, write, cost_usd)
    return total if any(part is not None for part in figures) else None
