"""Gemini CLI sessions: one JSON document per session, whatever the file is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    count,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.error_kinds import classify_error
from agingbench.traces.formats.base import BaseFormat

_EXIT = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)


class GeminiCli(BaseFormat):
    """Gemini CLI chat files (~/.gemini/tmp/<project>/chats)."""

    name = "gemini_cli"
    coding = True
    status = "verified"
    recipe = "point at ~/.gemini/tmp; nothing has to be exported"

    def sniff(self, head: bytes) -> float:
        """By the session and project that every document names."""
        value = next(iter(first_values(head)), None)
        if not isinstance(value, dict) or not isinstance(value.get("messages", []), list):
            return 0.0
        return 1.0 if {"sessionId", "projectHash"} <= set(value) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The messages of a session, with the usage of each reply."""
        build = Builder(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no session")
                continue
            if "sessionId" in value:
                build.session = string(value["sessionId"]) or build.session

            if isinstance(value.get("messages"), list):
                for message in value["messages"]:
                    yield from _message(build, line, message)
            elif "type" in value:  # newer clients append the messages, one to a line
                yield from _message(build, line, value)
            else:
                log.ignore("header")


def _message(build: Builder, line: int | None, message: Any) -> Iterator[Event]:
    log = build.log
    if not isinstance(message, dict):
        log.bad(line, "no message")
        return

    kind = string(message.get("type"))
    identity = string(message.get("id"))
    if identity is not None and build.is_copy("gemini_cli", build.session, identity):
        return

    if kind not in ("user", "gemini", "info", "warning", "error"):
        log.ignore(f"message:{(kind or 'none')[:60]}")
        return

    log.used += 1
    time = build.time(message.get("timestamp"))
    text = text_of(message.get("content"))

    if kind == "user":
        yield build.event("user", line, time, content=text)
    elif kind == "gemini":
        yield from _reply(build, line, time, message, text)
    else:
        lowered = text.lower()
        compresses_context = "compress" in lowered and "context" in lowered
        is_compaction = compresses_context or "Chat history compressed" in text
        lifecycle = "compaction" if is_compaction else None
        yield build.event(
            "meta",
            line,
            time,
            content=text,
            call_type=kind,
            lifecycle=lifecycle,
        )


def _reply(
    build: Builder,
    line: int | None,
    time: float | None,
    message: dict[str, Any],
    text: str,
) -> Iterator[Event]:
    change = build.model_change(line, time, string(message.get("model")))
    if change is not None:
        yield change

    call_usage = _tokens(mapping(message.get("tokens")))
    calls = [call for call in items(message.get("toolCalls")) if isinstance(call, dict)]
    if text or not calls:
        yield build.event(
            "assistant",
            line,
            time,
            content=text,
            model=build.model,
            usage=call_usage,
        )
        call_usage = None

    for call in calls:
        yield build.call(
            line,
            time,
            call.get("name"),
            call.get("args"),
            call.get("id"),
            usage=call_usage,
        )
        call_usage = None
        yield _result(build, line, call)


def _result(build: Builder, line: int | None, call: dict[str, Any]) -> Event:
    texts = []
    for part in items(call.get("result")):
        response = mapping(mapping(mapping(part).get("functionResponse")).get("response"))
        output = first(response, "output", "error", "content")
        if output is not None:
            texts.append(text_of(output))

    text = "\n".join(texts) or text_of(call.get("resultDisplay"))

    status = call.get("status")
    exit_line = _EXIT.search(text)
    code = int(exit_line[1]) if exit_line else None
    kind = None

    if status in ("error", "failed"):
        kind = classify_error(text)
    elif status in ("cancelled", "canceled"):
        kind = classify_error(text, "cancelled")
    elif code:
        kind = "process"

    time = build.time(call.get("timestamp"))
    return build.result(
        line,
        time,
        call.get("id"),
        text,
        error_kind=kind,
        exit_code=code,
    )


def _tokens(tokens: dict[str, Any]) -> Usage | None:
    if not tokens:
        return None

    output = count(tokens.get("output")) or 0
    thoughts = count(tokens.get("thoughts")) or 0
    return usage(tokens.get("input"), output + thoughts, tokens.get("cached"))
