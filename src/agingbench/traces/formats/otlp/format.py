"""OpenTelemetry spans: OTLP JSON, flattened spans and JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog
from agingbench.traces.decoding.building import Builder, compact, first, mapping, parsed, string
from agingbench.traces.decoding.model_calls import Conversation, MessagePart, message_parts
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.formats.otlp.spans import (
    ANSWERED,
    GIVEN,
    LIFECYCLE,
    MODEL,
    RESULT,
    SESSION,
    attributes_in,
    failed,
    failure_text,
    is_agent,
    messages_in,
    span_id,
    span_kind,
    span_name,
    span_times,
    spans_in,
    started,
    tool_arguments,
    usage_in,
)


class Otlp(BaseFormat):
    """OTLP JSON, flattened spans or JSON lines with gen_ai, llm or OpenInference attributes."""

    name = "otlp"
    status = "verified"
    recipe = "a collector's file exporter, or any backend's JSON export of spans"

    def sniff(self, head: bytes) -> float:
        """By resource spans, or by ids and attributes of a span."""
        values = [value for value in first_values(head) if isinstance(value, dict)]
        return max((_likeness(value) for value in values[:5]), default=0.0)

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of all spans, in the order in which they started."""
        reading = _OtlpReader(log)
        # Spans that are written one by one come in the order in which they ended: the root, which
        # names the session, is the last.
        start = stream.tell()
        for _, value in records(stream, ReadLog()):
            if isinstance(value, dict):
                reading.parents(list(spans_in(value)))

        stream.seek(start)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no span")
                continue

            spans = sorted(spans_in(value), key=lambda span: started(span) or 0.0)
            if not spans:
                log.ignore("no_spans")

            for span in spans:
                yield from reading.span(line, span)


def _likeness(value: dict[str, Any]) -> float:
    if isinstance(value.get("resourceSpans"), list) or isinstance(
        value.get("resource_spans"), list
    ):
        return 1.0

    spans = value.get("spans")
    if (
        isinstance(spans, list)
        and spans
        and ("trace_id" in value or "span_id" in mapping(spans[0]))
    ):
        return 0.95

    value = next(spans_in(value), value)  # the ids of a span that an SDK printed
    keys = set(value)
    if keys & {"startTimeUnixNano", "start_time_unix_nano"} and keys & {"spanId", "span_id"}:
        return 0.95

    attributes = attributes_in(first(value, "attributes", "span_attributes"))
    recognised = any(
        name.startswith(
            ("gen_ai.", "llm.", "openinference.", "ai.", "codex.turn.", "traceloop.", "langfuse.")
        )
        for name in attributes
    )
    if recognised:
        return 0.9

    spanned = keys & {"spanId", "span_id", "spanName", "span_name"} and keys & {
        "traceId",
        "trace_id",
        "attributes",
    }

    return 0.6 if spanned else 0.0


class _OtlpReader:
    """Reads the spans of one file, by session; spans around a model call are left out."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.talks: dict[str, Conversation] = {}
        self.parent: dict[str, str] = {}
        self.wrapping: set[str] = set()
        self.agents: set[str] = set()  # spans of agents, which may contain each other
        self.session_of: dict[str, str] = {}

    def parents(self, spans: list[dict[str, Any]]) -> None:
        """Note which model calls contain others, whose tokens they repeat."""
        for span in spans:
            mine = span_id(span, "spanId", "span_id")
            above = span_id(span, "parentSpanId", "parent_span_id")
            if mine and above:
                self.parent[mine] = above

            attributes = attributes_in(first(span, "attributes", "span_attributes"))
            if mine and is_agent(attributes):
                self.agents.add(mine)

            name = string(first(attributes, *SESSION))
            trace = span_id(span, "traceId", "trace_id")
            if name and trace:
                self.session_of.setdefault(trace, name)

        for span in spans:
            if (
                span_kind(span, attributes_in(first(span, "attributes", "span_attributes")))
                == "model"
            ):
                above = span_id(span, "parentSpanId", "parent_span_id")
                for _ in range(64):
                    if not above or above in self.wrapping:
                        break

                    self.wrapping.add(above)
                    above = self.parent.get(above, "")

        if len(self.parent) > 200_000:
            self.parent.clear()
            self.wrapping.clear()
            self.agents.clear()

    def span(self, line: int | None, span: dict[str, Any]) -> Iterator[Event]:
        """The events of one span: a model call or a tool's run."""
        attributes = attributes_in(first(span, "attributes", "span_attributes"))
        mine = span_id(span, "spanId", "span_id")
        log = self.log

        if "_bad" in span:
            log.bad(line, "no span")
            return

        key = hash(("otlp", span_id(span, "traceId", "trace_id"), mine))
        if mine and key in log.record_keys:
            log.duplicate += 1
            return

        log.record_keys.add(key)
        if LIFECYCLE in attributes:
            yield self._lifecycle(line, span, attributes)
            return

        kind = span_kind(span, attributes)
        if (kind == "model" and mine in self.wrapping) or kind in ("agent", "other"):
            log.ignore("span:wrapper" if kind == "model" else f"span:{kind}")
            return

        log.used += 1
        talk = self._talk(span, attributes)
        talk.agent = self._agent(mine)
        start, took = span_times(span, self.log)
        self.build.model = string(first(attributes, *MODEL)) or self.build.model

        if kind == "model":
            yield from self._model_call(line, start, took, attributes, talk)
        else:
            yield from self._tool(
                line,
                start,
                took,
                span,
                attributes,
                talk,
            )

    def _agent(self, span: str) -> str:
        """The span of the agent that a span belongs to; empty where none is around it."""
        for _ in range(64):
            if not span or span in self.agents:
                return span
            span = self.parent.get(span, "")

        return ""

    def _lifecycle(
        self, line: int | None, span: dict[str, Any], attributes: dict[str, Any]
    ) -> Event:
        """What happened to the memory of a life that `agingbench export` wrote."""
        self.log.used += 1
        self._talk(span, attributes)
        start, took = span_times(span, self.log)
        end = start + took / 1000.0 if start is not None and took is not None else start
        return self.build.event(
            "meta",
            line,
            end,
            lifecycle=string(attributes[LIFECYCLE]),
            usage=usage_in(attributes),
            duration_ms=took,
        )

    def _talk(self, span: dict[str, Any], attributes: dict[str, Any]) -> Conversation:
        trace = span_id(span, "traceId", "trace_id")
        name = (
            string(first(attributes, *SESSION))
            or self.session_of.get(trace)
            or trace
            or self.build.file
        )
        self.build.session = name
        resource = mapping(first(span, "_resource", "resource_attributes", "resourceAttributes"))
        self.build.client = string(resource.get("service.version"))
        if len(self.talks) > 10_000:
            self.talks.clear()
        return self.talks.setdefault(name, Conversation(self.build))

    def _model_call(
        self,
        line: int | None,
        start: float | None,
        took: float | None,
        attributes: dict[str, Any],
        talk: Conversation,
    ) -> Iterator[Event]:
        if attributes.get("gen_ai.conversation.compacted") in (True, "true"):
            yield self.build.event(
                "meta",
                line,
                start,
                lifecycle="compaction",
                metadata={},
            )

        system = attributes.get("gen_ai.system_instructions")
        inputs = []
        if system:
            for part in message_parts(parsed(system), "system"):
                inputs.append(MessagePart("system", part.text))
        inputs += messages_in(attributes, "llm.input_messages", "gen_ai.prompt", GIVEN, "user")
        answers = messages_in(
            attributes,
            "llm.output_messages",
            "gen_ai.completion",
            ANSWERED,
            "assistant",
        )
        calls = parsed(attributes.get("ai.response.toolCalls"))
        if isinstance(calls, list):
            answers += message_parts({"role": "assistant", "tool_calls": calls})

        yield from talk.model_call(
            line,
            start,
            inputs,
            answers,
            usage_in(attributes),
            took,
        )

    def _tool(
        self,
        line: int | None,
        start: float | None,
        took: float | None,
        span: dict[str, Any],
        attributes: dict[str, Any],
        talk: Conversation,
    ) -> Iterator[Event]:
        tool = first(
            attributes,
            "gen_ai.tool.name",
            "tool.name",
            "ai.toolCall.name",
            "tool_call.function.name",
        )
        name = string(tool) or string(attributes.get("gen_ai.operation.name")) or span_name(span)
        call_id = string(first(attributes, "gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"))
        output = first(attributes, *RESULT)
        has_failed = failed(span)
        text = None if output is None else compact(output)
        if text is None and has_failed:
            text = failure_text(span)

        call = MessagePart("call", "", name, tool_arguments(attributes), call_id)
        result = None
        if text is not None:
            result = MessagePart("result", text, name, None, call_id, has_failed)
        yield from talk.tool_run(line, start, call, result, took)
