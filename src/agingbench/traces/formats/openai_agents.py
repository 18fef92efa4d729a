"""Traces of the OpenAI Agents SDK: uploads of its exporter, or spans written one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    first,
    items,
    mapping,
    parsed,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.model_calls import Conversation, MessagePart, message_parts
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.decoding.times import milliseconds
from agingbench.traces.formats.base import BaseFormat

_TRACE = "trace"
_SPAN = "trace.span"
MOST_TALKS = 10_000


class OpenAiAgents(BaseFormat):
    """Traces and spans of the OpenAI Agents SDK."""

    name = "openai_agents"
    status = "verified"
    recipe = "a tracing processor that writes `span.export()` as JSON lines, or a copy of uploads"

    def sniff(self, head: bytes) -> float:
        """By the objects that the SDK exports."""
        for value in first_values(head)[:5]:
            for item in _objects(value):
                if item.get("object") == _SPAN and isinstance(item.get("span_data"), dict):
                    return 1.0
                if item.get("object") == _TRACE and "workflow_name" in item:
                    return 1.0

        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of all spans; spans of one trace, or of one group of traces, are a session."""
        reading = _AgentsReader(log)
        start = stream.tell()
        for _, value in records(stream, ReadLog()):
            reading.name_sessions(_objects(value))

        stream.seek(start)
        for line, value in records(stream, log):
            objects = _objects(value)
            if not objects:
                log.bad(line, "no trace or span")

            for item in sorted(objects, key=_started):
                yield from reading.item(line, item)


def _objects(value: Any) -> list[dict[str, Any]]:
    """The traces and spans of a record: an upload holds many, a line of its own one."""
    if not isinstance(value, dict):
        return []
    inner = items(value["data"]) if isinstance(value.get("data"), list) else [value]
    return [item for item in inner if isinstance(item, dict)]


def _started(item: dict[str, Any]) -> str:
    return str(item.get("started_at") or "")


class _AgentsReader:
    """Reads the spans of one file, by session."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.talks: dict[str, Conversation] = {}
        self.session_of: dict[str, str] = {}

    def name_sessions(self, objects: list[dict[str, Any]]) -> None:
        """Note the group that each trace belongs to, which the SDK's users give a conversation."""
        for item in objects:
            trace = string(item.get("id"))
            group = string(item.get("group_id"))
            if item.get("object") == _TRACE and trace and group:
                self.session_of[trace] = group

    def item(self, line: int | None, item: dict[str, Any]) -> Iterator[Event]:
        """The events of one exported object."""
        if item.get("object") == _TRACE:
            self.log.ignore("trace")
            return

        data = item.get("span_data")
        identity = string(item.get("id"))
        if item.get("object") != _SPAN or not isinstance(data, dict) or identity is None:
            self.log.bad(line, "no trace or span")
            return

        if self.build.is_copy("openai_agents", identity):
            return

        kind = str(data.get("type") or "none")
        if kind not in ("generation", "response", "function"):
            self.log.ignore(f"span:{kind[:40]}")
            return

        self.log.used += 1
        talk = self._talk(item)
        start = self.build.time(item.get("started_at"))
        end = self.build.time(item["ended_at"]) if item.get("ended_at") else None
        took = milliseconds(start, end)
        if kind == "function":
            yield from self._function(line, start, took, item, data, talk)
        else:
            yield from self._model_call(line, start, took, data, talk)

    def _talk(self, item: dict[str, Any]) -> Conversation:
        trace = string(item.get("trace_id")) or self.build.file
        name = self.session_of.get(trace, trace)
        self.build.session = name
        if len(self.talks) > MOST_TALKS:
            self.talks.clear()
        return self.talks.setdefault(name, Conversation(self.build))

    def _model_call(
        self,
        line: int | None,
        start: float | None,
        took: float | None,
        data: dict[str, Any],
        talk: Conversation,
    ) -> Iterator[Event]:
        # A span of the responses API holds its messages only where a processor adds them.
        response = mapping(data.get("response"))
        self.build.model = string(first(data, "model") or response.get("model"))
        yield from talk.model_call(
            line,
            start,
            message_parts(data.get("input")),
            message_parts(first(data, "output") or response.get("output"), "assistant"),
            _usage(mapping(first(data, "usage") or response.get("usage"))),
            took,
        )

    def _function(
        self,
        line: int | None,
        start: float | None,
        took: float | None,
        item: dict[str, Any],
        data: dict[str, Any],
        talk: Conversation,
    ) -> Iterator[Event]:
        name = string(data.get("name")) or "function"
        error = mapping(item.get("error"))
        output = data.get("output")
        text = text_of(output) if output is not None else str(error.get("message") or "")
        call = MessagePart("call", "", name, parsed(data.get("input")))
        result = MessagePart("result", text, name, failed=bool(error))
        yield from talk.tool_run(line, start, call, result, took)


def _usage(counts: dict[str, Any]) -> Usage | None:
    details = mapping(first(counts, "input_tokens_details", "prompt_tokens_details"))
    return usage(
        first(counts, "input_tokens", "prompt_tokens"),
        first(counts, "output_tokens", "completion_tokens"),
        details.get("cached_tokens"),
        details.get("cache_write_tokens"),
    )
