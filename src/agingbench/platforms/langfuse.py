"""Items for Langfuse: spans for its OpenTelemetry endpoint, and figures as scores of the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.platforms.items import ExportItem
from agingbench.platforms.otlp import trace_document
from agingbench.platforms.spans import life_spans

LONGEST_COMMENT = 500


def langfuse_document(items: Sequence[ExportItem]) -> dict[str, Any]:
    """`resourceSpans` for `api.opentelemetry.export_traces`, `scores` for `api.scores.create`."""
    resource_spans: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    for item in items:
        spans = life_spans(item)
        resource_spans += trace_document(spans)["resourceSpans"]
        trace_id = spans[0].trace_id
        scores += [_score(item, trace_id, name, item.measured[name]) for name in item.measured]
    return {"resourceSpans": resource_spans, "scores": scores}


def _score(item: ExportItem, trace_id: str, name: str, value: float) -> dict[str, Any]:
    return {
        "id": f"{trace_id}-{name}",  # sent again, it takes the place of the one before
        "traceId": trace_id,
        "name": name,
        "value": value,
        "dataType": "NUMERIC",
        "comment": item.comment[:LONGEST_COMMENT] or None,
        "timestamp": item.end.isoformat(),
        "metadata": dict(item.labels),
    }
