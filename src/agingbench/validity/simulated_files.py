"""Writes simulated agents as files of foreign formats, to try reading and auditing end to end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agingbench.records import Event, Usage

OUTPUT_TOKENS = 200
CALL_DURATION = 2_000_000_000  # of a span, in nanoseconds

JsonRow = dict[str, Any]  # one record of a foreign format


def write_files(events: Sequence[Event], folder: Path, trace_format: str) -> Path:
    """Write the events as claude_code (a folder with one file per session), generic or otlp.

    Returns the folder, or the one file of the other formats.
    """
    folder.mkdir(parents=True, exist_ok=True)

    if trace_format == "claude_code":
        by_session: dict[str, list[Event]] = {}
        for event in events:
            by_session.setdefault(str(event.session_id), []).append(event)

        for name, session_events in by_session.items():
            _write_lines(folder / f"{name}.jsonl", _claude_code_rows(session_events))

        return folder

    writers = {
        "generic": _generic_rows,
        "otlp": _otlp_rows,
    }
    path = folder / f"{trace_format}.jsonl"
    _write_lines(path, writers[trace_format](events))

    return path


def _write_lines(path: Path, rows: Iterable[JsonRow]) -> None:
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


def _time_text(event: Event) -> str:
    time = datetime.fromtimestamp(float(event.timestamp), UTC)
    text = time.isoformat(timespec="milliseconds")

    return text.replace("+00:00", "Z")


def _results_by_call(events: Iterable[Event]) -> dict[str | None, Event]:
    results = {}
    for event in events:
        if event.role == "tool_result":
            results[event.tool_call_id] = event

    return results


# -- Claude Code


def _claude_code_rows(events: Sequence[Event]) -> Iterable[JsonRow]:
    clients = [event.client for event in events if event.client]
    client = clients[0] if clients else "2.1.0"

    for number, event in enumerate(events):
        name = str(event.session_id)
        client = event.client or client
        base = {
            "uuid": f"{name}-{number}",
            "sessionId": name,
            "timestamp": _time_text(event),
            "version": client,
            "isSidechain": False,
        }

        if event.role == "meta":
            if event.lifecycle == "compaction":
                boundary = {
                    "type": "system",
                    "subtype": "compact_boundary",
                    "compactMetadata": {"trigger": "auto"},
                }
                yield base | boundary

        elif event.role == "user":
            yield base | _user_row(event.content)

        elif event.role == "tool_result":
            yield base | _user_row([_result_block(event)])

        else:
            message = {
                "id": f"msg-{name}-{number}",
                "role": "assistant",
                "model": event.model,
                "content": [_assistant_block(event)],
                "usage": _anthropic_usage(event.usage),
            }
            yield base | {"type": "assistant", "message": message}


def _user_row(content: object) -> JsonRow:
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message}


def _result_block(event: Event) -> JsonRow:
    block: JsonRow = {
        "type": "tool_result",
        "tool_use_id": event.tool_call_id,
        "content": event.stdout,
    }
    if event.error_kind:
        block["is_error"] = True
        block["content"] = "Exit code 1\nfailed"

    return block


def _assistant_block(event: Event) -> JsonRow:
    if event.role != "tool_call":
        return {"type": "text", "text": event.content}

    return {
        "type": "tool_use",
        "id": event.tool_call_id,
        "name": event.tool_name,
        "input": event.arguments,
    }


def _anthropic_usage(usage: Usage | None) -> dict[str, int]:
    usage = usage or Usage()
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "cache_read_input_tokens": usage.cache_read_tokens or 0,
        "cache_creation_input_tokens": usage.cache_write_tokens or 0,
    }


# -- generic and OpenTelemetry


def _context_tokens(usage: Usage | None) -> int:
    if usage is None:
        return 0

    cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    return (usage.input_tokens or 0) + cached


def _generic_rows(events: Sequence[Event]) -> Iterable[JsonRow]:
    results = _results_by_call(events)

    for event in events:
        row: JsonRow = {
            "session_id": event.session_id,
            "timestamp": _time_text(event),
        }

        if event.role == "user":
            yield row | {"role": "user", "content": event.content}

        elif event.role in ("assistant", "tool_call"):
            row["role"] = "assistant"
            row["content"] = event.content or ""
            row["model"] = event.model
            row["input_tokens"] = _context_tokens(event.usage)
            row["output_tokens"] = OUTPUT_TOKENS

            if event.role == "tool_call":
                result = results[event.tool_call_id]
                call = {
                    "id": event.tool_call_id,
                    "name": event.tool_name,
                    "args": event.arguments,
                    "result": result.stdout,
                    "success": result.error_kind is None,
                }
                row["tool_calls"] = [call]

            yield row


def _otlp_rows(events: Sequence[Event]) -> Iterable[JsonRow]:
    spans = []
    results = _results_by_call(events)

    for number, event in enumerate(events):
        start = int(float(event.timestamp) * 1e9)

        if event.role in ("assistant", "tool_call") and event.usage is not None:
            chat = {
                "gen_ai.conversation.id": event.session_id,
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": event.model,
                "gen_ai.usage.input_tokens": _context_tokens(event.usage),
                "gen_ai.usage.output_tokens": OUTPUT_TOKENS,
            }
            spans.append(_span("chat", number, start, chat))

        if event.role == "tool_call":
            result = results[event.tool_call_id]
            tool = {
                "gen_ai.conversation.id": event.session_id,
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": event.tool_name,
                "gen_ai.tool.call.id": event.tool_call_id,
                "gen_ai.tool.call.arguments": json.dumps(event.arguments),
                "gen_ai.tool.call.result": result.stdout,
            }
            if result.error_kind:
                tool["error.type"] = "tool_error"

            # Numbers beyond those of the chat spans, a millisecond later.
            span = _span("execute_tool", number + len(events), start + 1_000_000, tool)
            if result.error_kind:
                span["status"] = {"code": 2}
            spans.append(span)

    scope = {"scope": {}, "spans": spans}
    resource = {"resource": {"attributes": []}, "scopeSpans": [scope]}
    yield {"resourceSpans": [resource]}


def _span(name: str, number: int, start: int, attributes: JsonRow) -> JsonRow:
    pairs = []
    for key, value in attributes.items():
        kind = "intValue" if isinstance(value, int) else "stringValue"
        pairs.append({"key": key, "value": {kind: str(value)}})

    return {
        "traceId": f"{number // 10_000 + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + CALL_DURATION),
        "attributes": pairs,
    }
