"""OpenTelemetry spans as exporters write them: shapes, names of attributes, kinds of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from agingbench.records import ReadLog, Usage
from agingbench.traces.decoding.building import (
    amount,
    count,
    first,
    items,
    mapping,
    parsed,
    string,
    usage,
)
from agingbench.traces.decoding.model_calls import MessagePart, message_parts
from agingbench.traces.decoding.times import seconds
from agingbench.traces.formats.langfuse import observation_usage

SESSION = (
    "gen_ai.conversation.id",
    "session.id",
    "gen_ai.session.id",
    "langfuse.session.id",
    "llm.session.id",
    "conversation.id",
    "thread_id",
    "traceloop.association.properties.session_id",
    "ai.telemetry.metadata.sessionId",
    "claude.code.session_id",
    "claude.cowork.session_id",
    "langsmith.metadata.thread_id",
    "thread.id",
)
MODEL = (
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "llm.response.model_name",
    "llm.request.model_name",
    "llm.response.model",
    "llm.request.model",
    "llm.model",
    "ai.model.id",
    "langfuse.observation.model.name",
)
LIFECYCLE = "agingbench.lifecycle"  # on spans of a life that this package exported
CALLS = "agingbench.calls"  # model calls that such a span sums up
_INPUT = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "llm.input_tokens",
    "ai.usage.inputTokens",
    "codex.turn.token_usage.input_tokens",
)
_OUTPUT = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "llm.output_tokens",
    "ai.usage.outputTokens",
    "codex.turn.token_usage.output_tokens",
)
_CACHED = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.cachedInputTokens",
    "codex.turn.token_usage.cached_input_tokens",
)
_WRITTEN = (
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
)
_COST = ("gen_ai.usage.cost", "llm.usage.cost", "llm.cost.total", "llm.cost")
GIVEN = (
    "gen_ai.input.messages",
    "ai.prompt.messages",
    "gen_ai.prompt",
    "llm.prompts",
    "llm.input_messages",
    "langfuse.observation.input",
    "input.value",
)
ANSWERED = (
    "gen_ai.output.messages",
    "gen_ai.completion",
    "llm.completions",
    "llm.output_messages",
    "ai.response.text",
    "langfuse.observation.output",
    "output.value",
)
_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "tool_call.function.arguments",
    "ai.toolCall.args",
    "gen_ai.memory.query.text",
    "traceloop.entity.input",
    "langfuse.observation.input",
    "input.value",
)
RESULT = (
    "gen_ai.tool.call.result",
    "ai.toolCall.result",
    "gen_ai.memory.records",
    "traceloop.entity.output",
    "langfuse.observation.output",
    "output.value",
)
_KIND = ("openinference.span.kind", "traceloop.span.kind", "langfuse.observation.type")
_MODEL_CALLS = (
    "chat",
    "generate_content",
    "text_completion",
    "completion",
    "llm_call",
    "responses",
    "message",
)
_MEMORY = re.compile(r"(?:search|create|update|upsert|delete)_memory(?:_store)?")
_WHOLE = re.compile(r"[0-9]{1,20}")
_DURATION = re.compile(r"P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?")
_FLAT = re.compile(r"\.?(\d+)\.(.+)")


def spans_in(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every span below a value, with the attributes of its resource in `_resource`."""
    groups = first(value, "resourceSpans", "resource_spans")
    if isinstance(groups, list):
        for group in groups:
            resource = attributes_in(mapping(mapping(group).get("resource")).get("attributes"))
            scopes = first(
                mapping(group),
                "scopeSpans",
                "scope_spans",
                "instrumentationLibrarySpans",
            )
            for scope in items(scopes):
                for span in items(mapping(scope).get("spans")):
                    if isinstance(span, dict):
                        yield {**span, "_resource": resource}
                    else:
                        yield {"_bad": True}
        return

    nested = value.get("spans")
    if isinstance(nested, list):
        for span in nested:
            yield from spans_in(span) if isinstance(span, dict) else [{"_bad": True}]
        return

    yield _with_ids(value)
    waiting = list(reversed(items(value.get("child_spans"))))
    while waiting:  # a stack of our own: nesting in data must not become recursion
        span = waiting.pop()
        if isinstance(span, dict):
            yield _with_ids(span)
            waiting += reversed(items(span.get("child_spans")))
        else:
            yield {"_bad": True}


def _with_ids(span: dict[str, Any]) -> dict[str, Any]:
    """A span as the SDKs print it one by one, its ids where other exporters have them."""
    context = span.get("context")
    if not isinstance(context, dict) or "span_id" not in context:
        return span

    ids = {
        "trace_id": context.get("trace_id"),
        "span_id": context.get("span_id"),
        "parent_span_id": span.get("parent_id"),
    }
    return {**span, **ids}


def attributes_in(raw: Any) -> dict[str, Any]:
    """Attributes as an object, also where they come as a list of keys and typed values."""
    if isinstance(raw, dict):
        return raw

    attributes = {}
    for pair in items(raw):
        key = mapping(pair).get("key")
        if isinstance(key, str):
            attributes[key] = _value(mapping(pair).get("value"))

    return attributes


def _value(raw: Any, depth: int = 0) -> Any:
    """A typed OTLP value; integers come as strings."""
    if not isinstance(raw, dict) or depth > 20:
        return raw

    for kind, value in raw.items():
        if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
            return value

        if kind == "intValue":
            if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value):
                return int(value)
            return value

        if kind == "arrayValue":
            return [_value(item, depth + 1) for item in items(mapping(value).get("values"))]

        if kind == "kvlistValue":
            pairs = items(mapping(value).get("values"))
            return {
                str(mapping(p).get("key")): _value(mapping(p).get("value"), depth + 1)
                for p in pairs
            }

    return raw


def started(span: dict[str, Any]) -> float | None:
    """The start of a span, to sort spans of one record by."""
    return amount(first(span, "startTimeUnixNano", "start_time_unix_nano"))


def _nanoseconds(span: dict[str, Any]) -> int | None:
    """How long a span took, where both its ends are whole nanoseconds."""
    ends = (
        first(span, "startTimeUnixNano", "start_time_unix_nano"),
        first(span, "endTimeUnixNano", "end_time_unix_nano"),
    )
    start, end = (str(value) for value in ends)
    if not _WHOLE.fullmatch(start) or not _WHOLE.fullmatch(end):
        return None
    return max(0, int(end) - int(start))


def span_times(span: dict[str, Any], log: ReadLog) -> tuple[float | None, float | None]:
    """When a span began, and how many milliseconds it took."""
    start = seconds(
        first(
            span,
            "startTimeUnixNano",
            "start_time_unix_nano",
            "startTime",
            "start_time",
            "timestamp",
        ),
        log,
    )
    raw_end = first(span, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")
    end = seconds(raw_end, log) if raw_end is not None else None
    if start is not None and end is not None and end >= start:
        # As floats since the epoch, nanoseconds would be lost.
        exact = _nanoseconds(span)
        return start, (end - start) * 1000.0 if exact is None else exact / 1e6

    duration = first(span, "durationMs", "duration_ms", "latency_ms")
    if duration is not None:
        return start, amount(duration)

    match = _DURATION.fullmatch(str(span.get("duration") or ""))
    if match is None:
        return start, None

    days, hours, minutes, rest = (float(part or 0) for part in match.groups())
    return start, (((days * 24 + hours) * 60 + minutes) * 60 + rest) * 1000.0


def span_id(span: dict[str, Any], *names: str) -> str:
    """The id under one of these names; empty when there is none."""
    value = first(span, *names)
    if not isinstance(value, str):
        return ""
    digits = value.removeprefix("0x")
    return digits if digits.strip("0") else ""  # an id of zeros is no id


def span_name(span: dict[str, Any]) -> str:
    """The name of a span."""
    return string(first(span, "name", "spanName", "span_name")) or "span"


def span_kind(span: dict[str, Any], attributes: dict[str, Any]) -> str:
    """The kind of a span: model, tool, agent or other."""
    operation = str(
        attributes.get("gen_ai.operation.name") or attributes.get("llm.request.type") or ""
    ).lower()
    kind = str(first(attributes, *_KIND) or "").upper()
    tool = first(
        attributes,
        "gen_ai.tool.name",
        "tool.name",
        "ai.toolCall.name",
        "tool_call.function.name",
    )
    if kind == "TOOL" or operation == "execute_tool" or _MEMORY.fullmatch(operation):
        return "tool"
    if kind in ("LLM", "GENERATION") or operation in _MODEL_CALLS:
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

    has_input = first(attributes, *_INPUT) is not None
    if "ai.operationId" in attributes:
        return "model" if has_input and ".do" in str(attributes["ai.operationId"]) else "other"
    return "model" if has_input and not kind else "other"


def is_agent(attributes: dict[str, Any]) -> bool:
    """Whether a span is the work of one agent, not a step or chain of it."""
    kind = str(first(attributes, *_KIND) or "").upper()
    return kind == "AGENT" or attributes.get("gen_ai.operation.name") == "invoke_agent"


def failed(span: dict[str, Any]) -> bool:
    """Whether the span says that it failed."""
    status = span.get("status")
    code = first(span, "status_code", "statusCode", "status")
    if isinstance(status, dict):
        code = first(status, "code", "status_code")
    return code == 2 or str(code).upper() in ("ERROR", "STATUS_CODE_ERROR")


def failure_text(span: dict[str, Any]) -> str:
    """What a failed span says about its failure, in its status or in an exception's event."""
    status = mapping(span.get("status"))
    message = first(status, "message", "description") or first(span, "status_message")
    if message:
        return str(message)

    for event in items(span.get("events")):
        attributes = attributes_in(mapping(event).get("attributes"))
        if attributes.get("exception.message"):
            return str(attributes["exception.message"])

    return ""


def tool_arguments(attributes: dict[str, Any]) -> Any:
    """The arguments of a tool's run; those given by name where a function was wrapped."""
    raw = parsed(first(attributes, *_ARGUMENTS))
    if isinstance(raw, dict) and {"args", "kwargs"} <= raw.keys():
        by_name = raw["kwargs"]
        return by_name if isinstance(by_name, dict) and not raw["args"] else raw
    return raw


def usage_in(attributes: dict[str, Any]) -> Usage | None:
    """The tokens and the cost of a model call."""
    details = parsed(attributes.get("langfuse.observation.usage_details"))
    if isinstance(details, dict):
        costs = parsed(attributes.get("langfuse.observation.cost_details"))
        return observation_usage({"usageDetails": details, "costDetails": costs})

    counts = (first(attributes, *names) for names in (_INPUT, _OUTPUT, _CACHED, _WRITTEN, _COST))
    total = usage(*counts)
    calls = count(attributes.get(CALLS))
    if not calls:
        return total
    return msgspec.structs.replace(total or Usage(), calls=calls)


def messages_in(
    attributes: dict[str, Any],
    openinference: str,
    traceloop: str,
    whole: Any,
    role: str,
) -> list[MessagePart]:
    """The messages in some attributes, flattened with numbers or as JSON."""
    for prefix in (openinference, traceloop):
        flat = _unflattened(attributes, prefix)
        if flat:
            return [part for message in flat for part in message_parts(message, role)]

    raw = parsed(first(attributes, *whole))
    if isinstance(raw, dict) and isinstance(raw.get("messages"), list):
        raw = raw["messages"]
    return message_parts(raw, role)


def _unflattened(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    messages: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        match = _FLAT.fullmatch(key[len(prefix) :]) if key.startswith(prefix + ".") else None
        if match is None or len(match[1]) > 6:
            continue

        message = messages.setdefault(int(match[1]), {})
        field = match[2].removeprefix("message.")
        tool_call = re.fullmatch(
            r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(name|arguments|id)", field
        )
        part = re.fullmatch(r"contents\.(\d{1,6})\.message_content\.text", field)

        if tool_call is not None:
            message.setdefault("_calls", {}).setdefault(int(tool_call[1]), {})[tool_call[2]] = value
        elif part is not None:
            message["content"] = "\n".join(filter(None, [message.get("content"), str(value)]))
        elif field in ("role", "content", "tool_call_id", "name"):
            message[field] = value

    for message in messages.values():
        calls = message.pop("_calls", None)
        if calls:
            message["tool_calls"] = [calls[i] for i in sorted(calls)]

    return [messages[i] for i in sorted(messages)]
