"""Items for Phoenix: spans by OpenInference's names, and figures as annotations of the root."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from agingbench.platforms.items import ExportItem, Label
from agingbench.platforms.spans import CONVERSATION, SECOND, LifeSpan, SpanNote, life_spans

KINDS = {"model": "LLM", "tool": "TOOL", "session": "AGENT"}  # everything else is a chain
COMPUTED = "CODE"


def phoenix_document(items: Sequence[ExportItem]) -> dict[str, Any]:
    """`spans` for `client.spans.log_spans`, `annotations` for `log_span_annotations`."""
    spans: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for item in items:
        own = life_spans(item)
        spans += [_span(span) for span in own]
        root = own[0].span_id
        annotations += [_annotation(item, root, name) for name in item.measured]
    return {"spans": spans, "annotations": annotations}


def _span(span: LifeSpan) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": span.name,
        "context": {"trace_id": span.trace_id, "span_id": span.span_id},
        "span_kind": KINDS.get(span.kind, "CHAIN"),
        "start_time": _time(span.start),
        "end_time": _time(span.end),
        "status_code": "ERROR" if span.failed else "OK",
        "attributes": {**span.attributes, **_openinference(span)},
        "events": [_event(note) for note in span.notes],
    }
    if span.parent_id is not None:
        document["parent_id"] = span.parent_id
    return document


def _openinference(span: LifeSpan) -> dict[str, Label]:
    attributes: dict[str, Label] = {
        "openinference.span.kind": KINDS.get(span.kind, "CHAIN"),
    }
    copies = {
        "session.id": CONVERSATION,
        "llm.model_name": "gen_ai.response.model",
        "llm.provider": "gen_ai.provider.name",
        "llm.token_count.prompt": "gen_ai.usage.input_tokens",
        "llm.token_count.completion": "gen_ai.usage.output_tokens",
        "tool.name": "gen_ai.tool.name",
    }
    if span.kind == "model":
        copies |= {"input.value": "gen_ai.input.messages", "output.value": "gen_ai.output.messages"}
    if span.kind == "tool":
        copies |= {
            "input.value": "gen_ai.tool.call.arguments",
            "output.value": "gen_ai.tool.call.result",
        }
    for name, source in copies.items():
        if source in span.attributes:
            attributes[name] = span.attributes[source]
    return attributes


def _event(note: SpanNote) -> dict[str, Any]:
    return {
        "name": note.name,
        "timestamp": _time(note.time),
        "attributes": dict(note.attributes),
    }


def _annotation(item: ExportItem, root: str, name: str) -> dict[str, Any]:
    result: dict[str, Any] = {"score": item.measured[name]}
    if item.comment:
        result["explanation"] = item.comment
    return {
        "name": name,
        "annotator_kind": COMPUTED,
        "span_id": root,
        "result": result,
        "identifier": item.key,
        "metadata": dict(item.labels),
    }


def _time(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds / SECOND, UTC).isoformat()
