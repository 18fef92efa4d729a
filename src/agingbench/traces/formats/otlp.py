"""OpenTelemetry spans: OTLP JSON, flattened spans and JSON lines; gen_ai, llm and OpenInference attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.building import Builder, amount, compact, first, items, mapping, parsed, string, usage
from agingbench.traces.conversation import Conversation, Said, said
from agingbench.traces.sources import opening, records

_SESSION = (
    "gen_ai.conversation.id", "session.id", "gen_ai.session.id", "langfuse.session.id", "llm.session.id",
    "conversation.id", "thread_id", "traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId",
    "claude.code.session_id", "claude.cowork.session_id", "langsmith.metadata.thread_id", "thread.id",
)  # fmt: skip
_MODEL = (
    "gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "llm.response.model_name",
    "llm.request.model_name", "llm.response.model", "llm.request.model", "llm.model", "ai.model.id",
)  # fmt: skip
_INPUT = (
    "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "llm.usage.prompt_tokens",
    "llm.input_tokens", "ai.usage.inputTokens", "codex.turn.token_usage.input_tokens",
)  # fmt: skip
_OUTPUT = (
    "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    "llm.usage.completion_tokens", "llm.output_tokens", "ai.usage.outputTokens", "codex.turn.token_usage.output_tokens",
)  # fmt: skip
_CACHED = (
    "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read", "ai.usage.cachedInputTokens",
    "codex.turn.token_usage.cached_input_tokens",
)  # fmt: skip
_WRITTEN = (
    "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
)  # fmt: skip
_COST = ("gen_ai.usage.cost", "llm.usage.cost", "llm.cost.total", "llm.cost")
_GIVEN = (
    "gen_ai.input.messages",
    "ai.prompt.messages",
    "gen_ai.prompt",
    "llm.prompts",
    "llm.input_messages",
    "input.value",
)
_ANSWERED = (
    "gen_ai.output.messages", "gen_ai.completion", "llm.completions", "llm.output_messages", "ai.response.text",
    "output.value",
)  # fmt: skip
_MODEL_CALLS = ("chat", "generate_content", "text_completion", "completion", "llm_call", "responses", "message")
_MEMORY = re.compile(r"(?:search|create|update|upsert|delete)_memory(?:_store)?")
_DURATION = re.compile(r"P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?")
_FLAT = re.compile(r"\.?(\d+)\.(.+)")


class Otlp:
    """OTLP JSON (resourceSpans), flattened spans or JSON lines, with gen_ai.*, llm.* or OpenInference attributes."""

    name = "otlp"
    status = "verified"
    recipe = "a collector's file exporter, or any backend's JSON export of spans"

    def sniff(self, head: bytes) -> float:
        values = [value for value in opening(head) if isinstance(value, dict)]
        return max((_likeness(value) for value in values[:5]), default=0.0)

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        reading = _Reading(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no span")
                continue
            spans = sorted(_spans(value), key=lambda span: _start(span) or 0.0)
            if not spans:
                log.ignore("no_spans")
            reading.parents(spans)
            for span in spans:
                yield from reading.span(line, span)


def _likeness(value: dict[str, Any]) -> float:
    if isinstance(value.get("resourceSpans"), list) or isinstance(value.get("resource_spans"), list):
        return 1.0
    spans = value.get("spans")
    if isinstance(spans, list) and spans and ("trace_id" in value or "span_id" in mapping(spans[0])):
        return 0.95
    keys = set(value)
    if keys & {"startTimeUnixNano", "start_time_unix_nano"} and keys & {"spanId", "span_id"}:
        return 0.95
    attributes = _attributes(first(value, "attributes", "span_attributes"))
    known = any(name.startswith(("gen_ai.", "llm.", "openinference.", "ai.", "codex.turn.")) for name in attributes)
    if known:
        return 0.9
    spanned = keys & {"spanId", "span_id", "spanName", "span_name"} and keys & {"traceId", "trace_id", "attributes"}
    return 0.6 if spanned else 0.0


def _spans(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every span below a value, with the attributes of its resource in `_resource`."""
    groups = first(value, "resourceSpans", "resource_spans")
    if isinstance(groups, list):
        for group in groups:
            resource = _attributes(mapping(mapping(group).get("resource")).get("attributes"))
            for scope in items(first(mapping(group), "scopeSpans", "scope_spans", "instrumentationLibrarySpans")):
                for span in items(mapping(scope).get("spans")):
                    yield {**span, "_resource": resource} if isinstance(span, dict) else {"_bad": True}
        return
    nested = value.get("spans")
    if isinstance(nested, list):
        for span in nested:
            yield from _spans(span) if isinstance(span, dict) else [{"_bad": True}]
        return
    yield value
    waiting = list(reversed(items(value.get("child_spans"))))
    while waiting:  # a stack of our own: nesting in data must not become recursion
        span = waiting.pop()
        if isinstance(span, dict):
            yield span
            waiting += reversed(items(span.get("child_spans")))
        else:
            yield {"_bad": True}


def _attributes(raw: Any) -> dict[str, Any]:
    if isinstance(raw, dict):
        return raw
    found = {}
    for pair in items(raw):
        key = mapping(pair).get("key")
        if isinstance(key, str):
            found[key] = _value(mapping(pair).get("value"))
    return found


def _value(raw: Any, depth: int = 0) -> Any:
    """A typed OTLP value; integers come as strings."""
    if not isinstance(raw, dict) or depth > 20:
        return raw
    for kind, value in raw.items():
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return value
        if kind == "intValue":
            return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value) else value
        if kind == "arrayValue":
            return [_value(item, depth + 1) for item in items(mapping(value).get("values"))]
        if kind == "kvlistValue":
            pairs = items(mapping(value).get("values"))
            return {str(mapping(p).get("key")): _value(mapping(p).get("value"), depth + 1) for p in pairs}
    return raw


def _start(span: dict[str, Any]) -> float | None:
    return amount(first(span, "startTimeUnixNano", "start_time_unix_nano"))


class _Reading:
    """The spans of one file: sessions by attribute or trace, wrappers of model calls left out."""

    def __init__(self, log: ReadLog) -> None:
        self.log, self.build = log, Builder(log)
        self.talks: dict[str, Conversation] = {}
        self.parent: dict[str, str] = {}
        self.wrapping: set[str] = set()
        self.session_of: dict[str, str] = {}

    def parents(self, spans: list[dict[str, Any]]) -> None:
        """Note which model calls contain others: the inner one did the work, the outer repeats its tokens."""
        for span in spans:
            mine, above = _id(span, "spanId", "span_id"), _id(span, "parentSpanId", "parent_span_id")
            if mine and above:
                self.parent[mine] = above
            attributes = _attributes(first(span, "attributes", "span_attributes"))
            name = string(first(attributes, *_SESSION))
            trace = _id(span, "traceId", "trace_id")
            if name and trace:
                self.session_of.setdefault(trace, name)
        for span in spans:
            if _kind(span, _attributes(first(span, "attributes", "span_attributes"))) == "model":
                above = _id(span, "parentSpanId", "parent_span_id")
                for _ in range(64):
                    if not above or above in self.wrapping:
                        break
                    self.wrapping.add(above)
                    above = self.parent.get(above, "")
        if len(self.parent) > 200_000:
            self.parent.clear()
            self.wrapping.clear()

    def span(self, line: int | None, span: dict[str, Any]) -> Iterator[Event]:
        attributes = _attributes(first(span, "attributes", "span_attributes"))
        mine, log = _id(span, "spanId", "span_id"), self.log
        if "_bad" in span:
            log.bad(line, "no span")
            return
        key = hash(("otlp", _id(span, "traceId", "trace_id"), mine))
        if mine and key in log.seen:
            log.duplicate += 1
            return
        log.seen.add(key)
        kind = _kind(span, attributes)
        if (kind == "model" and mine in self.wrapping) or kind in ("agent", "other"):
            log.ignore("span:wrapper" if kind == "model" else f"span:{kind}")
            return
        log.used += 1
        talk = self._talk(span, attributes)
        start, took = self._times(span)
        self.build.model = string(first(attributes, *_MODEL)) or self.build.model
        if kind == "model":
            yield from self._model_call(line, start, took, attributes, talk)
        else:
            yield from self._tool(line, start, took, span, attributes, talk)

    def _talk(self, span: dict[str, Any], attributes: dict[str, Any]) -> Conversation:
        trace = _id(span, "traceId", "trace_id")
        name = string(first(attributes, *_SESSION)) or self.session_of.get(trace) or trace or self.build.file
        self.build.session = name
        resource = mapping(first(span, "_resource", "resource_attributes", "resourceAttributes"))
        self.build.client = string(resource.get("service.version"))
        if len(self.talks) > 10_000:
            self.talks.clear()
        return self.talks.setdefault(name, Conversation(self.build))

    def _times(self, span: dict[str, Any]) -> tuple[float | None, float | None]:
        start = self.build.time(
            first(span, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time", "timestamp")
        )
        raw_end = first(span, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")
        end = self.build.time(raw_end) if raw_end is not None else None
        if start is not None and end is not None and end >= start:
            return start, (end - start) * 1000.0
        stated = first(span, "durationMs", "duration_ms", "latency_ms")
        if stated is not None:
            return start, amount(stated)
        found = _DURATION.fullmatch(str(span.get("duration") or ""))
        if found is None:
            return start, None
        days, hours, minutes, rest = (float(part or 0) for part in found.groups())
        return start, (((days * 24 + hours) * 60 + minutes) * 60 + rest) * 1000.0

    def _model_call(
        self, line: int | None, start: float | None, took: float | None, attributes: dict[str, Any], talk: Conversation
    ) -> Iterator[Event]:
        if attributes.get("gen_ai.conversation.compacted") in (True, "true"):
            yield self.build.event("meta", line, start, lifecycle="compaction", metadata={})
        system = attributes.get("gen_ai.system_instructions")
        given = [Said("system", part.text) for part in said(parsed(system), "system")] if system else []
        given += _messages(attributes, "llm.input_messages", "gen_ai.prompt", _GIVEN, "user")
        answered = _messages(attributes, "llm.output_messages", "gen_ai.completion", _ANSWERED, "assistant")
        calls = parsed(attributes.get("ai.response.toolCalls"))
        answered += said({"role": "assistant", "tool_calls": calls}) if isinstance(calls, list) else []
        yield from talk.model_call(line, start, given, answered, _usage(attributes), took)

    def _tool(
        self,
        line: int | None,
        start: float | None,
        took: float | None,
        span: dict[str, Any],
        attributes: dict[str, Any],
        talk: Conversation,
    ) -> Iterator[Event]:
        named = first(attributes, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "tool_call.function.name")
        name = string(named) or string(attributes.get("gen_ai.operation.name")) or _name(span)
        given = first(
            attributes, "gen_ai.tool.call.arguments", "tool_call.function.arguments", "ai.toolCall.args",
            "gen_ai.memory.query.text", "input.value",
        )  # fmt: skip
        call_id = string(first(attributes, "gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"))
        output = first(
            attributes, "gen_ai.tool.call.result", "ai.toolCall.result", "gen_ai.memory.records", "output.value"
        )
        failed = _failed(span)
        text = None if output is None else compact(output)
        if text is None and failed:
            text = str(first(mapping(span.get("status")), "message") or first(span, "status_message") or "")
        result = None if text is None else Said("result", text, name, None, call_id, failed)
        yield from talk.tool_run(line, start, Said("call", "", name, parsed(given), call_id), result, took)


def _id(span: dict[str, Any], *names: str) -> str:
    found = first(span, *names)
    return found if isinstance(found, str) and found.strip("0") else ""  # an id of zeros is no id


def _name(span: dict[str, Any]) -> str:
    return string(first(span, "name", "spanName", "span_name")) or "span"


def _kind(span: dict[str, Any], attributes: dict[str, Any]) -> str:
    """model, tool, agent or other."""
    operation = str(attributes.get("gen_ai.operation.name") or attributes.get("llm.request.type") or "").lower()
    kind = str(attributes.get("openinference.span.kind") or attributes.get("traceloop.span.kind") or "").upper()
    tool = first(attributes, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "tool_call.function.name")
    if kind == "TOOL" or operation == "execute_tool" or _MEMORY.fullmatch(operation):
        return "tool"
    if kind == "LLM" or operation in _MODEL_CALLS:
        wraps = "ai.operationId" in attributes and ".do" not in str(attributes["ai.operationId"])
        return "agent" if wraps else "model"
    if kind in ("AGENT", "CHAIN", "WORKFLOW", "TASK") or operation in (
        "invoke_agent",
        "create_agent",
        "invoke_workflow",
    ):
        return "agent"
    if tool is not None:
        return "tool"
    spent = first(attributes, *_INPUT) is not None
    if "ai.operationId" in attributes:
        return "model" if spent and ".do" in str(attributes["ai.operationId"]) else "other"
    return "model" if spent and not kind else "other"


def _failed(span: dict[str, Any]) -> bool:
    status = span.get("status")
    code = status.get("code") if isinstance(status, dict) else first(span, "status_code", "statusCode", "status")
    return code == 2 or str(code).upper() in ("ERROR", "STATUS_CODE_ERROR")


def _usage(attributes: dict[str, Any]) -> Usage | None:
    counts = (first(attributes, *names) for names in (_INPUT, _OUTPUT, _CACHED, _WRITTEN, _COST))
    return usage(*counts)


def _messages(attributes: dict[str, Any], openinference: str, traceloop: str, whole: Any, role: str) -> list[Said]:
    """Messages in whichever way they were written: flattened with numbers, or whole as JSON."""
    for prefix in (openinference, traceloop):
        flat = _unflattened(attributes, prefix)
        if flat:
            return [part for message in flat for part in said(message, role)]
    raw = parsed(first(attributes, *whole))
    if isinstance(raw, dict) and isinstance(raw.get("messages"), list):
        raw = raw["messages"]
    return said(raw, role)


def _unflattened(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        match = _FLAT.fullmatch(key[len(prefix) :]) if key.startswith(prefix + ".") else None
        if match is None or len(match[1]) > 6:
            continue
        message, field = found.setdefault(int(match[1]), {}), match[2].removeprefix("message.")
        called = re.fullmatch(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(name|arguments|id)", field)
        part = re.fullmatch(r"contents\.(\d{1,6})\.message_content\.text", field)
        if called is not None:
            message.setdefault("_calls", {}).setdefault(int(called[1]), {})[called[2]] = value
        elif part is not None:
            message["content"] = "\n".join(filter(None, [message.get("content"), str(value)]))
        elif field in ("role", "content", "tool_call_id", "name"):
            message[field] = value
    for message in found.values():
        calls = message.pop("_calls", None)
        if calls:
            message["tool_calls"] = [calls[i] for i in sorted(calls)]
    return [found[i] for i in sorted(found)]
