"""Any JSON with sessions, roles, texts, tool calls and token counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    amount,
    compact,
    first,
    items,
    mapping,
    parsed,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.error_kinds import KINDS, classify_error
from agingbench.traces.formats.base import BaseFormat

_TIME = (
    "timestamp",
    "ts",
    "time",
    "startTime",
    "start_time",
    "@timestamp",
    "created_at",
    "createdAt",
)
_SESSION = (
    "session_id",
    "sessionId",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "session",
)
_MODEL = ("model_id", "model", "modelId", "modelName", "model_name")
_ROLE = ("role", "speaker", "actor", "event")
_TEXT = ("content", "text", "message")
_GIVEN = ("prompt", "prompt_preview", "input", "question", "query")
_ANSWERED = ("response", "response_preview", "output", "completion", "answer")
_INPUT = ("input_tokens", "prompt_tokens", "in_tokens", "inputTokens", "promptTokens")
_OUTPUT = ("output_tokens", "completion_tokens", "out_tokens", "outputTokens", "completionTokens")
_CACHED = ("cache_read_tokens", "cache_read_input_tokens", "cached_tokens", "cacheReadTokens")
_WRITTEN = (
    "cache_creation_tokens",
    "cache_creation_input_tokens",
    "cache_write_tokens",
    "cacheCreationTokens",
)
_TOOLS = ("tool_calls", "toolCalls", "tools")
_WINDOW = ("context_window_size", "context_window", "context_size", "n_ctx")
_USER = ("user", "human", "input")
_CALL = ("tool_call", "tool_use", "function_call", "call")
_RESULT = ("tool_result", "tool", "function", "observation", "tool_output")
_LIFECYCLE = {
    "compaction": "compaction",
    "compact": "compaction",
    "compact_boundary": "compaction",
    "summarization": "compaction",
    "recompact": "compaction",
    "clear": "clear",
    "reset": "clear",
    "flush_history": "clear",
    "resume": "resume",
    "model_change": "model_change",
    "model_swap": "model_change",
    "client_change": "client_change",
    "prompt_change": "prompt_change",
    "system_change": "prompt_change",
}
_KNOWN = frozenset(
    {*_TIME, *_SESSION, *_MODEL, *_ROLE, *_TEXT, *_GIVEN, *_ANSWERED, *_TOOLS, "usage", "messages"}
)


class Generic(BaseFormat):
    """Any JSON with session_id, role, content and, where known, tools, tokens, model and time."""

    name = "generic"
    status = "verified"
    recipe = (
        'print one JSON object per message: {"session_id", "role", "content", "timestamp", ...}'
    )

    def sniff(self, head: bytes) -> float:
        """Barely enough, so that every other format that recognises a file is preferred."""
        values = [value for value in first_values(head)[:20] if isinstance(value, dict)]
        return 0.4 if values and any(_is_entry(value) for value in values) else 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The messages of each record; a record with a list of messages is a session of its own."""
        build = Builder(log)
        own = build.session
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, f"not a JSON object but {type(value).__name__}")
                continue

            messages = items(value.get("messages"))
            is_session = bool(messages) and all(isinstance(m, dict) for m in messages)
            session = string(first(value, *_SESSION))
            if session is None and is_session:
                session = string(value.get("id"))
            if session is None:
                later_line = is_session and line is not None and line > 1
                session = f"{own}:{line}" if later_line else own

            build.session = session

            if is_session and first(value, *_GIVEN, *_ANSWERED) is None:
                for message in messages:
                    yield from _entry(build, line, message)
            else:
                yield from _entry(build, line, value)


def _is_entry(value: dict[str, Any]) -> bool:
    if set(value) <= {"session_id", "ts", "text"}:
        return False  # a list of prompts, such as Codex keeps beside its rollouts
    if any("role" in mapping(message) for message in items(value.get("messages"))[:3]):
        return True

    names = (*_TEXT, *_GIVEN, *_ANSWERED, *_TOOLS, "messages", "tool_name", "lifecycle")
    if first(value, *names, *_INPUT, *_OUTPUT) is None:
        return False
    return isinstance(first(value, *_ROLE), str) or first(value, *_SESSION) is not None


def _entry(build: Builder, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
    log = build.log
    events = list(_events(build, line, value))
    if events:
        log.used += 1
        yield from events
    else:
        kind = string(first(value, "type", "event", "role")) or "empty"
        log.ignore(f"record:{kind[:60]}")


def _events(build: Builder, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
    raw = first(value, *_TIME)
    time = build.time(raw)
    build.thread = string(first(value, "thread", "agent_id", "subagent"))
    build.client = string(first(value, "client", "client_version", "version"))
    model = string(first(value, *_MODEL))
    build.model = model or build.model
    role = (string(first(value, *_ROLE)) or "agent").lower()
    lifecycle = _LIFECYCLE.get(string(first(value, "lifecycle", "event", "type")) or role)

    if lifecycle is not None and role not in (*_USER, "assistant", "system"):
        about = {key: inner for key, inner in value.items() if key not in _KNOWN}
        text = string(first(value, *_TEXT))
        yield build.event(
            "meta",
            line,
            time,
            lifecycle=lifecycle,
            content=text,
            metadata=about,
        )
    elif role in _CALL:
        yield _call_event(build, line, time, value)
    elif role in _RESULT:
        yield _result_event(build, line, time, value)
    elif role in ("meta", "outcome"):
        about = {key: inner for key, inner in value.items() if key not in _TIME}
        yield build.event(
            "meta",
            line,
            time,
            call_type=role,
            content=string(first(value, *_TEXT)),
            metadata=about,
        )
    elif role in ("system", "developer"):
        yield build.event("system", line, time, content=text_of(first(value, *_TEXT, *_GIVEN)))
    else:
        yield from _speech_events(build, line, time, value, role in _USER)


def _speech_events(
    build: Builder,
    line: int | None,
    time: float | None,
    value: dict[str, Any],
    user: bool,
) -> Iterator[Event]:
    """A message of one side, or a whole exchange: prompt, reply and the tools in between."""
    text = first(value, *_TEXT)
    prompt = first(value, *_GIVEN)
    answer = first(value, *_ANSWERED)
    call_usage = _usage(value)

    if user:
        content = text_of(text if text is not None else prompt)
        if content or call_usage is not None or value.get("content") == "":
            yield build.event(
                "user",
                line,
                time,
                content=content,
                usage=call_usage,
            )
        return

    if prompt is not None:
        yield build.event("user", line, time, content=text_of(prompt))

    window = first(value, *_WINDOW)
    about = {"context_window": window} if isinstance(window, int) else None
    took = amount(first(value, "duration_ms", "latency_ms", "latencyMs", "elapsed_ms"))
    calls = [mapping(call) for call in items(first(value, *_TOOLS))]
    calls = [call for call in calls if _name(call) is not None]
    reply = text_of(text if text is not None else answer)
    fields: dict[str, Any] = {"usage": call_usage, "metadata": about}

    if reply or (not calls and (call_usage is not None or prompt is not None or took is not None)):
        yield build.event(
            "assistant",
            line,
            time,
            content=reply,
            model=build.model,
            duration_ms=took,
            **fields,
        )
        fields = {}

    for call in calls:
        yield _call_event(build, line, time, call, **fields)
        fields = {}
        if first(call, "result", "output", "result_summary", "error", "success") is not None:
            yield _result_event(build, line, time, call)


def _name(call: dict[str, Any]) -> str | None:
    function = call.get("function")
    inner = mapping(function).get("name") if isinstance(function, dict) else function
    return string(first(call, "tool_name", "name", "tool")) or string(inner)


def _call_event(
    build: Builder,
    line: int | None,
    time: float | None,
    call: dict[str, Any],
    **fields: Any,
) -> Event:
    function = mapping(call.get("function"))
    arguments = first(call, "args", "arguments", "input", "parameters")
    arguments = arguments or first(function, "arguments", "args")
    identity = first(call, "tool_call_id", "id", "call_id")
    command = string(first(call, "command"))
    if arguments is None and command is not None:
        arguments = {"command": command}
    if fields.get("usage") is None:
        fields["usage"] = _usage(call)
    return build.call(
        line,
        time,
        _name(call),
        arguments,
        identity,
        command=command,
        **fields,
    )


def _result_event(
    build: Builder,
    line: int | None,
    time: float | None,
    call: dict[str, Any],
) -> Event:
    output = first(call, "result", "output", "stdout", "result_summary", *_TEXT, "error")
    text = compact(parsed(output)) if isinstance(output, dict | list) else text_of(output)
    code = call.get("exit_code") if isinstance(call.get("exit_code"), int) else None
    failed = (
        call.get("is_error") is True
        or call.get("success") is False
        or bool(call.get("error"))
        or bool(code)
    )

    kind = call.get("error_kind")
    if kind not in KINDS:
        kind = classify_error(text) if failed else None

    identity = first(call, "tool_call_id", "id", "call_id")
    took = amount(first(call, "duration_ms", "latency_ms"))
    name = _name(call)

    return build.result(
        line,
        time,
        identity,
        text,
        tool_name=name,
        exit_code=code,
        error_kind=kind,
        duration_ms=took,
    )


def _usage(value: dict[str, Any]) -> Usage | None:
    inner = mapping(first(value, "usage", "tokenUsage", "token_usage"))
    both = {**inner, **{k: v for k, v in value.items() if not isinstance(v, dict | list)}}
    details = mapping(first(inner, "prompt_tokens_details", "input_tokens_details"))
    input_tokens = first(both, *_INPUT)
    output_tokens = first(both, *_OUTPUT)
    apart = first(both, *_CACHED)  # named apart, as Anthropic does: not a part of the input
    cached = apart if apart is not None else details.get("cached_tokens")
    cache_write = first(both, *_WRITTEN)
    cost = first(both, "cost_usd", "cost", "costUSD")

    return usage(
        input_tokens,
        output_tokens,
        cached,
        cache_write,
        cost,
        includes_cache=apart is None,
    )
