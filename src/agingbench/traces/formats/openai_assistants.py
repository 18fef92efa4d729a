"""Objects of the OpenAI Assistants API: thread.message, thread.run and thread.run.step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Role, Usage
from agingbench.traces.decoding.building import (
    Builder,
    compact,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.decoding.times import milliseconds
from agingbench.traces.formats.base import BaseFormat

_ERROR_KINDS = {
    "cancelled": "cancelled",
    "failed": "process",
    "expired": "process",
}
_OBJECTS = ("thread.message", "thread.run", "thread.run.step", "thread")


class OpenAiAssistants(BaseFormat):
    """Exports of threads, runs and run steps of the OpenAI Assistants API."""

    name = "openai_assistants"
    status = "reference"
    recipe = (
        "list the messages, runs and run steps of each thread and write the objects as JSON lines"
    )

    def sniff(self, head: bytes) -> float:
        """By the type that every object names."""
        values = [mapping(value) for value in first_values(head)[:20]]
        listed = [mapping(item) for value in values[:5] for item in items(value.get("data"))]
        return 1.0 if any(v.get("object") in _OBJECTS for v in [*values, *listed]) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of messages, runs and run steps."""
        build = Builder(log)
        # The usage of a run is that of its steps together: whichever comes first counts.
        usages: set[str] = set()
        for line, value in records(stream, log):
            listed = mapping(value).get("data")
            for item in listed if isinstance(listed, list) else [value]:
                if isinstance(item, dict):
                    yield from _object(build, line, item, usages)
                else:
                    log.bad(line, "no object")


def _object(
    build: Builder,
    line: int | None,
    value: dict[str, Any],
    usages: set[str],
) -> Iterator[Event]:
    log = build.log
    kind = string(value.get("object")) or "none"
    identity = value.get("id")
    if identity is not None and build.is_copy("openai_assistants", kind, string(identity)):
        return

    build.session = string(value.get("thread_id")) or build.session
    time = build.time(first(value, "created_at", "started_at", "timestamp"))

    if kind == "thread.message":
        log.used += 1
        role: Role = "user" if value.get("role") == "user" else "assistant"
        yield build.event(role, line, time, content=_message_text(value.get("content")))
    elif kind == "thread.run":
        log.used += 1
        change = build.model_change(line, time, string(value.get("model")))
        if change is not None:
            yield change

        call_usage = _usage(value) if f"step:{identity}" not in usages else None
        usages.add(f"run:{identity}")
        start = value.get("started_at")
        end = value.get("completed_at")
        took = None
        if isinstance(start, int) and isinstance(end, int):
            took = milliseconds(start, end)
        yield build.event(
            "meta",
            line,
            time,
            call_type="run",
            usage=call_usage,
            model=build.model,
            duration_ms=took,
        )
    elif kind == "thread.run.step":
        log.used += 1
        run = value.get("run_id")
        call_usage = _usage(value) if f"run:{run}" not in usages else None
        if call_usage is not None:
            usages.add(f"step:{run}")
        yield from _step(build, line, time, value, call_usage)
    else:
        log.ignore(f"object:{kind[:60]}")


def _message_text(content: Any) -> str:
    parts = [mapping(part).get("text", part) for part in items(content)] or [content]
    return "\n".join(text_of(part) for part in parts)


def _usage(value: dict[str, Any]) -> Usage | None:
    tokens = mapping(value.get("usage"))
    cached = mapping(tokens.get("prompt_token_details")).get("cached_tokens")
    if tokens:
        return usage(tokens.get("prompt_tokens"), tokens.get("completion_tokens"), cached)
    return None


def _step(
    build: Builder,
    line: int | None,
    time: float | None,
    value: dict[str, Any],
    call_usage: Usage | None,
) -> Iterator[Event]:
    details = mapping(value.get("step_details"))
    calls = [mapping(call) for call in items(details.get("tool_calls"))]
    if not calls:
        yield build.event(
            "meta",
            line,
            time,
            call_type="run_step",
            usage=call_usage,
            model=build.model,
        )
        return

    kind = _ERROR_KINDS.get(str(value.get("status")))
    end = build.time(value["completed_at"]) if value.get("completed_at") else time

    for call in calls:
        tool = string(call.get("type")) or "tool"
        body = mapping(call.get(tool))
        name = body.get("name") or tool
        arguments = first(body, "arguments", "input")
        yield build.call(
            line,
            time,
            name,
            arguments,
            call.get("id"),
            usage=call_usage,
        )
        call_usage = None
        output = first(body, "output", "outputs", "results")
        if output is not None or kind is not None:
            yield build.result(line, end, call.get("id"), compact(output or ""), error_kind=kind)
