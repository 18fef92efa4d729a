"""Sessions of the pi coding agent: a header line, then messages, changes of model, compactions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.building import (
    Builder,
    count,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.error_kinds import classify_error
from agingbench.traces.formats.base import BaseFormat

READ_VERSIONS = (1, 2, 3)


class Pi(BaseFormat):
    """pi coding-agent sessions (~/.pi/agent/sessions)."""

    name = "pi"
    coding = True
    status = "verified"
    recipe = "point at ~/.pi/agent/sessions; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        """By the header line of a session, or by its messages."""
        values = [value for value in first_values(head) if isinstance(value, dict)]
        if (
            values
            and values[0].get("type") == "session"
            and {"id", "timestamp", "cwd"} <= set(values[0])
        ):
            return 1.0

        if any(v.get("type") == "message" and "role" in mapping(v.get("message")) for v in values):
            return 0.8

        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The messages, model changes and compactions of a session; copied records count once.

        A log of events, as an agent prints them while it works, is read as well. A session of a
        later version is refused as a whole.
        """
        build = Builder(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no record")
                continue

            if value.get("type") == "session" and not _is_readable(value):
                readable = ", ".join(map(str, READ_VERSIONS))
                log.refuse_version(line, value["version"], readable)
                return
            yield from _record(build, line, value)


def _is_readable(header: dict[str, Any]) -> bool:
    # Some write the version of the program here, as text.
    version = header.get("version")
    is_number = isinstance(version, int | float) and not isinstance(version, bool)
    return not is_number or version in READ_VERSIONS


def _record(build: Builder, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
    log = build.log
    kind = string(value.get("type")) or "none"
    message = mapping(value.get("message"))

    if kind == "session":
        build.session = string(value.get("id")) or build.session
        build.model = string(value.get("modelId"))
        version = value.get("version")
        build.client = version or None if isinstance(version, str) else None
        log.ignore("session")
        return

    # A branched session starts with copies of the messages before the branch.
    is_copy = build.is_copy(
        "pi",
        str(value.get("id")),
        str(value.get("timestamp")),
        kind,
        str(message.get("timestamp")),
        str(message.get("toolCallId") or value.get("toolCallId")),
    )
    if is_copy:
        return

    time = build.time(value.get("timestamp") or message.get("timestamp"))
    if kind in ("message", "message_end") and message:
        log.used += 1
        yield from _message(build, line, time, message)
    elif kind == "tool_execution_end":
        log.used += 1
        yield from _execution(build, line, time, value)
    elif kind in ("compaction", "compaction_end"):
        log.used += 1
        about = {"preTokens": count(value.get("tokensBefore"))}
        text = string(value.get("summary")) or string(mapping(value.get("result")).get("summary"))
        yield build.event(
            "meta",
            line,
            time,
            lifecycle="compaction",
            content=text,
            metadata=about,
        )
    elif kind == "model_change":
        before = build.model
        model = string(value.get("modelId"))
        if model is None or model == before:
            log.ignore("model_change")
            return

        log.used += 1
        build.model = model
        yield build.event(
            "meta",
            line,
            time,
            lifecycle="model_change",
            metadata={"from": before, "to": model},
        )
    else:
        log.ignore(kind[:60])


def _execution(
    build: Builder, line: int | None, time: float | None, value: dict[str, Any]
) -> Iterator[Event]:
    """The call and the result of a tool, where no message told of the call."""
    call_id = value.get("toolCallId")
    name = string(value.get("toolName"))
    if string(call_id) not in build.calls:
        yield build.call(line, time, name, value.get("args"), call_id)
    text = text_of(mapping(value.get("result")).get("content"))
    kind = classify_error(text) if value.get("isError") is True else None
    yield build.result(line, time, call_id, text, tool_name=name, error_kind=kind)


def _message(
    build: Builder,
    line: int | None,
    time: float | None,
    message: dict[str, Any],
) -> Iterator[Event]:
    role = message.get("role")
    content = message.get("content")
    if role == "assistant":
        yield from _reply(build, line, time, message)
    elif role == "toolResult":
        text = text_of(content)
        kind = classify_error(text) if message.get("isError") is True else None
        fields = {"tool_name": string(message.get("toolName")), "error_kind": kind}
        yield build.result(line, time, message.get("toolCallId"), text, **fields)
    elif role == "user":
        yield build.event("user", line, time, content=text_of(content))
    else:
        text = text_of(message.get("output") or content)
        yield build.event(
            "meta",
            line,
            time,
            call_type=string(role),
            content=text,
            command=string(message.get("command")),
        )


def _reply(
    build: Builder,
    line: int | None,
    time: float | None,
    message: dict[str, Any],
) -> Iterator[Event]:
    tokens = mapping(message.get("usage"))
    model = string(message.get("model")) or build.model
    cost = mapping(tokens.get("cost")).get("total")
    counts = (
        tokens.get("input"),
        tokens.get("output"),
        tokens.get("cacheRead"),
        tokens.get("cacheWrite"),
    )
    call_usage = usage(*counts, cost, includes_cache=False) if any(counts) else None

    if message.get("stopReason") in ("aborted", "error"):
        content = message.get("content")
        text = text_of(content) if content else string(message.get("errorMessage"))
        yield build.event(
            "meta",
            line,
            time,
            call_type=str(message["stopReason"]),
            content=text,
            usage=call_usage,
        )
        return

    for block in items(message.get("content")) or [{"type": "text", "text": ""}]:
        block = mapping(block)
        if block.get("type") == "toolCall":
            arguments = block.get("arguments")
            yield build.call(
                line,
                time,
                block.get("name"),
                arguments,
                block.get("id"),
                usage=call_usage,
                model=model,
            )
        else:
            call_type = None if block.get("type") == "text" else string(block.get("type"))
            text = text_of(block)
            yield build.event(
                "assistant",
                line,
                time,
                content=text,
                call_type=call_type,
                usage=call_usage,
                model=model,
            )

        call_usage = None
