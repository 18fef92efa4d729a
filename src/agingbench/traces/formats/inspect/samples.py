"""The events of one sample of an Inspect log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.building import (
    Builder,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.error_kinds import REFUSED, classify_error

_ATTACHMENT = "attachment://"


def sample_events(header: dict[str, Any], sample: dict[str, Any], log: ReadLog) -> Iterator[Event]:
    """The events of one sample, with the texts of its attachments in their places."""
    about = mapping(header.get("eval"))
    attachments = mapping(sample.get("attachments"))
    place = f"{about.get('task')}/{sample.get('id')}/epoch_{sample.get('epoch')}"
    build = Builder(log, string(sample.get("uuid")) or place)
    build.model = string(about.get("model"))
    model_events = _model_events(sample)
    tool_events = _tool_events(sample)
    start = sample.get("started_at")
    time = build.time(start) if start else None

    for message in items(sample.get("messages")):
        if isinstance(message, dict):
            for event in _message(
                build,
                message,
                attachments,
                model_events,
                tool_events,
                time,
            ):
                time = event.timestamp if event.timestamp is not None else time
                yield event
        else:
            log.flag("odd_message")

    for event in items(sample.get("events")):
        if mapping(event).get("event") == "compaction":
            yield build.event(
                "meta",
                None,
                build.time(event.get("timestamp")),
                lifecycle="compaction",
            )


def _model_events(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The model call behind every assistant message, by the message's id."""
    calls = {}
    for event in items(sample.get("events")):
        fields = mapping(event)
        if fields.get("event") != "model":
            continue

        choices = items(mapping(fields.get("output")).get("choices"))
        message = mapping(mapping(choices[0]).get("message")) if choices else {}
        if isinstance(message.get("id"), str):
            calls[message["id"]] = fields

    return calls


def _tool_events(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The run of every tool call, by the call's id."""
    runs = {}
    for event in items(sample.get("events")):
        fields = mapping(event)
        if fields.get("event") == "tool" and isinstance(fields.get("id"), str):
            runs[fields["id"]] = fields

    return runs


def _message(
    build: Builder,
    message: dict[str, Any],
    attachments: dict[str, Any],
    model_events: dict[str, dict[str, Any]],
    tool_events: dict[str, dict[str, Any]],
    before: float | None,
) -> Iterator[Event]:
    role = message.get("role")
    text = text_of(_with_attachments(message.get("content"), attachments))
    if role == "assistant":
        call = model_events.get(str(message.get("id")), {})
        output = mapping(call.get("output"))
        time = build.time(call["timestamp"]) if call.get("timestamp") else before
        took = output.get("time")
        is_duration = isinstance(took, int | float) and not isinstance(took, bool)
        yield build.event(
            "assistant",
            None,
            time,
            content=text,
            usage=_usage(output.get("usage")),
            model=string(message.get("model")) or string(output.get("model")) or build.model,
            duration_ms=took * 1000.0 if took is not None and is_duration else None,
        )

        for tool_call in items(message.get("tool_calls")):
            fields = mapping(tool_call)
            inner = fields.get("function")
            name = inner.get("name") if isinstance(inner, dict) else inner or fields.get("name")
            yield build.call(
                None,
                time,
                name,
                _with_attachments(fields.get("arguments"), attachments),
                fields.get("id"),
            )
    elif role == "tool":
        yield _result(build, message, text, tool_events, before)
    elif role in ("system", "user"):
        yield build.event("system" if role == "system" else "user", None, before, content=text)
    else:
        build.log.flag("odd_message")


def _result(
    build: Builder,
    message: dict[str, Any],
    text: str,
    tool_events: dict[str, dict[str, Any]],
    before: float | None,
) -> Event:
    call = string(message.get("tool_call_id"))
    end = mapping(tool_events.get(call or "")).get("completed")
    time = build.time(end) if end else before
    error = mapping(message.get("error"))
    kind = None

    if error:
        approval = error.get("type") in ("approval", "permission", "parsing")
        kind = REFUSED if approval else classify_error(str(error.get("message") or text))
        text = text or str(error.get("message"))

    event = build.result(None, time, call, text, error_kind=kind)
    event.tool_name = event.tool_name or string(first(message, "function", "name"))
    return event


def _usage(value: Any) -> Any:
    counts = mapping(value)
    return usage(
        counts.get("input_tokens"),
        counts.get("output_tokens"),
        counts.get("input_tokens_cache_read"),
        counts.get("input_tokens_cache_write"),
        counts.get("total_cost"),
        includes_cache=False,
    )


def _with_attachments(value: Any, attachments: dict[str, Any]) -> Any:
    if isinstance(value, str):
        if value.startswith(_ATTACHMENT):
            return attachments.get(value.removeprefix(_ATTACHMENT), value)
        return value

    if isinstance(value, list):
        return [_with_attachments(part, attachments) for part in value]
    if isinstance(value, dict):
        return {key: _with_attachments(part, attachments) for key, part in value.items()}
    return value
