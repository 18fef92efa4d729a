"""Simulated agents written as files of foreign formats, to try reading and auditing end to end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agingbench.records import Event, Usage


def write_files(events: Sequence[Event], folder: Path, trace_format: str) -> Path:
    """Write the events as claude_code (one file per session), generic or otlp; return the path."""
    folder.mkdir(parents=True, exist_ok=True)
    if trace_format == "claude_code":
        by_session: dict[str, list[Event]] = {}
        for event in events:
            by_session.setdefault(str(event.session_id), []).append(event)
        for name, own in by_session.items():
            _lines(folder / f"{name}.jsonl", _claude_code(own))
        return folder

    rows: dict[str, Callable[[Sequence[Event]], Iterable[dict[str, Any]]]] = {
        "generic": _generic,
        "otlp": _otlp,
    }
    path = folder / f"{trace_format}.jsonl"
    _lines(path, rows[trace_format](events))

    return path


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def _time(event: Event) -> str:
    return (
        datetime.fromtimestamp(float(event.timestamp), UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def _claude_code(events: Sequence[Event]) -> Iterable[dict[str, Any]]:
    client = next((e.client for e in events if e.client), "2.1.0")
    for number, event in enumerate(events):
        name = str(event.session_id)
        client = event.client or client
        base = {
            "uuid": f"{name}-{number}",
            "sessionId": name,
            "timestamp": _time(event),
            "version": client,
            "isSidechain": False,
        }

        if event.role == "meta":
            if event.lifecycle == "compaction":
                yield base | {
                    "type": "system",
                    "subtype": "compact_boundary",
                    "compactMetadata": {"trigger": "auto"},
                }
        elif event.role == "user":
            yield base | {"type": "user", "message": {"role": "user", "content": event.content}}
        elif event.role == "tool_result":
            block: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": event.tool_call_id,
                "content": event.stdout,
            }
            if event.error_kind:
                block |= {"is_error": True, "content": "Exit code 1\nfailed"}

            yield base | {"type": "user", "message": {"role": "user", "content": [block]}}
        else:
            message = {
                "id": f"msg-{name}-{number}",
                "role": "assistant",
                "model": event.model,
                "content": [_block(event)],
                "usage": _anthropic(event.usage),
            }
            yield base | {"type": "assistant", "message": message}


def _block(event: Event) -> dict[str, Any]:
    if event.role == "tool_call":
        return {
            "type": "tool_use",
            "id": event.tool_call_id,
            "name": event.tool_name,
            "input": event.arguments,
        }

    return {"type": "text", "text": event.content}


def _anthropic(usage: Usage | None) -> dict[str, int]:
    return {
        "input_tokens": (usage.input_tokens or 0) if usage else 0,
        "output_tokens": (usage.output_tokens or 0) if usage else 0,
        "cache_read_input_tokens": (usage.cache_read_tokens or 0) if usage else 0,
        "cache_creation_input_tokens": (usage.cache_write_tokens or 0) if usage else 0,
    }


def _load(usage: Usage | None) -> int:
    if usage is None:
        return 0
    return (
        (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    )


def _generic(events: Sequence[Event]) -> Iterable[dict[str, Any]]:
    results = {e.tool_call_id: e for e in events if e.role == "tool_result"}
    for event in events:
        row: dict[str, Any] = {"session_id": event.session_id, "timestamp": _time(event)}
        if event.role == "user":
            yield row | {"role": "user", "content": event.content}
        elif event.role in ("assistant", "tool_call"):
            row |= {"role": "assistant", "content": event.content or "", "model": event.model}
            row |= {"input_tokens": _load(event.usage), "output_tokens": 200}
            if event.role == "tool_call":
                result = results[event.tool_call_id]
                row["tool_calls"] = [
                    {
                        "id": event.tool_call_id,
                        "name": event.tool_name,
                        "args": event.arguments,
                        "result": result.stdout,
                        "success": result.error_kind is None,
                    }
                ]

            yield row


def _otlp(events: Sequence[Event]) -> Iterable[dict[str, Any]]:
    spans = []
    results = {e.tool_call_id: e for e in events if e.role == "tool_result"}
    for number, event in enumerate(events):
        start = int(float(event.timestamp) * 1e9)
        common: dict[str, Any] = {"gen_ai.conversation.id": event.session_id}
        if event.role in ("assistant", "tool_call") and event.usage is not None:
            about = common | {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": event.model,
                "gen_ai.usage.input_tokens": _load(event.usage),
                "gen_ai.usage.output_tokens": 200,
            }
            spans.append(_span("chat", number, start, about))

        if event.role == "tool_call":
            result = results[event.tool_call_id]
            about = common | {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": event.tool_name,
                "gen_ai.tool.call.id": event.tool_call_id,
                "gen_ai.tool.call.arguments": json.dumps(event.arguments),
                "gen_ai.tool.call.result": result.stdout,
            }
            if result.error_kind:
                about["error.type"] = "tool_error"

            status = {"status": {"code": 2}} if result.error_kind else {}
            spans.append(
                _span("execute_tool", number + len(events), start + 1_000_000, about) | status
            )

    yield {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": spans}]}
        ]
    }


def _span(name: str, number: int, start: int, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "traceId": f"{number // 10_000 + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 2_000_000_000),
        "attributes": [{"key": k, "value": _value(v)} for k, v in about.items()],
    }


def _value(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}
