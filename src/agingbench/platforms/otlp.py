"""Spans as OTLP JSON, which every trace viewer reads, and `agingbench audit` too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agingbench import __version__
from agingbench.platforms.items import Label
from agingbench.platforms.spans import LifeSpan, SpanNote

SERVICE = "agingbench"
INTERNAL = 1  # kind of span: no call to another service
CLIENT = 3
OK = 1
ERROR = 2


def trace_document(spans: Sequence[LifeSpan]) -> dict[str, Any]:
    """The spans as one OTLP document."""
    scope = {"name": SERVICE, "version": __version__}
    # No service.version: that is the agent's client, and a life has none.
    resource = {"service.name": SERVICE}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": scope, "spans": [span_document(span) for span in spans]}],
            }
        ]
    }


def span_document(span: LifeSpan) -> dict[str, Any]:
    """One span in OTLP's words."""
    document: dict[str, Any] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": CLIENT if span.kind == "model" else INTERNAL,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
        "status": {"code": ERROR if span.failed else OK},
    }
    if span.parent_id is not None:
        document["parentSpanId"] = span.parent_id
    if span.notes:
        document["events"] = [_event(note) for note in span.notes]
    return document


def _event(note: SpanNote) -> dict[str, Any]:
    return {
        "timeUnixNano": str(note.time),
        "name": note.name,
        "attributes": _attributes(note.attributes),
    }


def _attributes(attributes: Mapping[str, Label]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: Label) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}
