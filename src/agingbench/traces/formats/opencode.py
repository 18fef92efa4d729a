"""OpenCode sessions: the export of a session, or the message and part files of its storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Role, Usage
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


class OpenCode(BaseFormat):
    """OpenCode sessions: `opencode export`, or ~/.local/share/opencode/storage."""

    name = "opencode"
    coding = True
    status = "reference"
    recipe = "opencode export SESSION > session.json, or point at ~/.local/share/opencode/storage"

    def sniff(self, head: bytes) -> float:
        """By the fields of an exported session, or of a message or part in the storage."""
        value = mapping(next(iter(first_values(head)), None))
        info = mapping(value.get("info"))
        has_messages = isinstance(value.get("messages"), list)
        if info and (has_messages or {"directory", "projectID"} & set(info)):
            return 1.0 if string(info.get("id") or "") else 0.0

        is_message = value.get("role") in ("user", "assistant")
        if "sessionID" in value and ("messageID" in value or is_message):
            return 1.0

        return 0.9 if {"projectID", "directory", "time"} <= set(value) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of an export or of one file of the storage."""
        reading = _OpenCodeReader(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no session")
            elif isinstance(value.get("messages"), list):
                reading.session(mapping(value.get("info")))
                for message in value["messages"]:
                    message = mapping(message)
                    yield from reading.message(
                        line,
                        mapping(message.get("info")),
                        items(message.get("parts")),
                    )
            elif "messageID" in value:
                yield from reading.lone_part(line, value)
            elif "role" in value:
                yield from reading.message(line, value, [])
            else:
                reading.session(value)
                log.ignore("session")


class _OpenCodeReader:
    """Reads an export or a file of the storage; knows the author of each message for its parts."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.authors: dict[str, tuple[str, str | None]] = log.format_state.setdefault(
            "opencode", {}
        )

    def session(self, info: dict[str, Any]) -> None:
        """Take over name and client of a session."""
        self.build.session = string(info.get("id")) or self.build.session
        self.build.client = string(info.get("version")) or self.build.client

    def message(self, line: int | None, info: dict[str, Any], parts: list[Any]) -> Iterator[Event]:
        """The events of a message and its parts."""
        log = self.log
        build = self.build
        identity = string(info.get("id"))
        role = string(info.get("role"))

        if not info or role is None:
            log.bad(line, "no message")
            return

        if identity is not None and build.is_copy("opencode", identity):
            return

        log.used += 1
        build.session = string(info.get("sessionID")) or build.session
        model = string(first(info, "modelID")) or string(mapping(info.get("model")).get("modelID"))
        time = build.time(mapping(info.get("time")).get("created"))
        change = build.model_change(line, time, model) if role == "assistant" else None
        if change is not None:
            yield change

        if identity is not None:
            self.authors[identity] = (role, build.model)

        call_usage = _usage(info)
        events: list[Event] = []
        for part in parts:
            events += self._part(line, time, role, mapping(part))
        reply = next((event for event in events if event.role in ("assistant", "tool_call")), None)
        if call_usage is not None and reply is not None:
            reply.usage = call_usage
        elif call_usage is not None or not events:
            kind = "usage" if role == "assistant" else "message"
            note = build.event(
                "meta",
                line,
                time,
                call_type=kind,
                usage=call_usage,
                model=build.model,
            )
            events.insert(0, note)

        yield from events

    def lone_part(self, line: int | None, part: dict[str, Any]) -> Iterator[Event]:
        """The events of a part that is stored in a file of its own."""
        log = self.log
        build = self.build
        if build.is_copy("opencode", string(part.get("id"))):
            return

        build.session = string(part.get("sessionID")) or build.session
        message = string(part.get("messageID")) or ""
        role, build.model = self.authors.get(message, ("assistant", None))
        part_time = mapping(part.get("time"))
        state_time = mapping(mapping(part.get("state")).get("time"))
        start = first(part_time, "start") or first(state_time, "start")
        events = list(self._part(line, build.time(start), role, part))

        if events:
            log.used += 1
            yield from events
        else:
            log.ignore(f"part:{(string(part.get('type')) or 'none')[:40]}")

    def _part(
        self,
        line: int | None,
        time: float | None,
        role: str,
        part: dict[str, Any],
    ) -> Iterator[Event]:
        build = self.build
        kind = part.get("type")
        if kind == "text" and part.get("synthetic") is True:
            yield build.event(
                "meta",
                line,
                time,
                call_type="client_note",
                content=text_of(part),
            )
        elif kind in ("text", "reasoning"):
            who: Role = "user" if role == "user" else "assistant"
            call_type = "thinking" if kind == "reasoning" else None
            model = build.model if who == "assistant" else None
            yield build.event(
                who,
                line,
                time,
                content=text_of(part),
                call_type=call_type,
                model=model,
            )
        elif kind == "tool":
            yield from self._tool(line, time, part)
        elif kind == "compaction":
            about = {"auto": part.get("auto") is True}
            yield build.event(
                "meta",
                line,
                time,
                lifecycle="compaction",
                metadata=about,
            )

    def _tool(self, line: int | None, time: float | None, part: dict[str, Any]) -> Iterator[Event]:
        build = self.build
        state = mapping(part.get("state"))
        times = mapping(state.get("time"))
        start = build.time(times["start"]) if times.get("start") else time
        end = build.time(times["end"]) if times.get("end") else start
        arguments = state.get("input")
        call_id = part.get("callID")
        yield build.call(
            line,
            start,
            part.get("tool"),
            arguments,
            call_id,
            command=string(mapping(arguments).get("command")),
        )
        status = state.get("status")
        if status not in ("completed", "error"):
            return

        text = text_of(first(state, "output", "error"))
        code = count(first(mapping(state.get("metadata")), "exit", "exitCode"))
        kind = None

        if status == "error":
            kind = classify_error(text)
        elif code:
            kind = "process"

        yield build.result(
            line,
            end,
            call_id,
            text,
            exit_code=code,
            error_kind=kind,
        )


def _usage(info: dict[str, Any]) -> Usage | None:
    tokens = mapping(info.get("tokens"))
    cache = mapping(tokens.get("cache"))
    figures = [tokens.get("input"), tokens.get("output"), *cache.values()]
    if not any(map(count, figures)):
        return None

    output = count(tokens.get("output")) or 0
    reasoning = count(tokens.get("reasoning")) or 0

    return usage(
        tokens.get("input"),
        output + reasoning,
        cache.get("read"),
        cache.get("write"),
        info.get("cost"),
        includes_cache=False,
    )
