"""Items for LangSmith: spans as runs, and figures as feedback on the root run."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from agingbench.platforms.items import ExportItem
from agingbench.platforms.spans import CONVERSATION, MILLISECOND, SECOND, LifeSpan, life_spans
from agingbench.records import Usage

RUN_TYPES = {"model": "llm", "tool": "tool"}  # everything else is a chain


def langsmith_document(items: Sequence[ExportItem]) -> dict[str, Any]:
    """`runs` for `client.create_run`, `feedback` for `client.create_feedback`."""
    runs: list[dict[str, Any]] = []
    feedback: list[dict[str, Any]] = []
    for item in items:
        spans = life_spans(item)
        own = _runs(spans)
        runs += own
        feedback += [_feedback(item, own[0], name, item.measured[name]) for name in item.measured]
    return {"runs": runs, "feedback": feedback}


def _runs(spans: Sequence[LifeSpan]) -> list[dict[str, Any]]:
    runs: dict[str, dict[str, Any]] = {}
    root = run_id(spans[0])
    for span in spans:
        parent = runs.get(span.parent_id or "")
        runs[span.span_id] = _run(span, root, parent)
    return list(runs.values())


def _run(span: LifeSpan, root: str, parent: Mapping[str, Any] | None) -> dict[str, Any]:
    own_id = run_id(span)
    place = f"{_moment(span.start):%Y%m%dT%H%M%S%fZ}{own_id}"
    metadata = {name: value for name, value in span.attributes.items() if "messages" not in name}
    if CONVERSATION in span.attributes:
        metadata["session_id"] = span.attributes[CONVERSATION]  # their name of a thread
    outputs = {} if span.outputs is None else {"output": span.outputs}
    if span.usage is not None:
        outputs |= _usage(span.usage)
    return {
        "id": own_id,
        "trace_id": root,
        "parent_run_id": None if parent is None else parent["id"],
        "dotted_order": place if parent is None else f"{parent['dotted_order']}.{place}",
        "name": span.name,
        "run_type": RUN_TYPES.get(span.kind, "chain"),
        "start_time": _moment(span.start).isoformat(),
        "end_time": _moment(span.end).isoformat(),
        "inputs": {} if span.inputs is None else {"input": span.inputs},
        "outputs": outputs,
        "error": "the tool failed" if span.failed else None,
        "extra": {"metadata": metadata},
    }


def _usage(usage: Usage) -> dict[str, Any]:
    """What a call took, where both counts are known."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return {}
    total = usage.input_tokens + usage.output_tokens
    counts = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": total,
    }
    return {"usage_metadata": counts}


def _feedback(item: ExportItem, root: Mapping[str, Any], name: str, value: float) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid5(uuid.UUID(root["id"]), name)),
        "run_id": root["id"],
        "trace_id": root["trace_id"],
        "key": name,
        "score": value,
        "comment": item.comment or None,
        "feedback_source": {"type": "api", "metadata": dict(item.labels)},
        # Otherwise a score makes LangSmith keep the trace longer, at a higher price.
        "extend_trace_retention": False,
    }


def run_id(span: LifeSpan) -> str:
    """The id of a span's run: a UUID of version 7, as LangSmith orders runs by their ids."""
    digest = hashlib.sha256(f"{span.trace_id}{span.span_id}".encode()).digest()
    random = int.from_bytes(digest[:10], "big") & ((1 << 74) - 1)
    number = (span.start // MILLISECOND) << 80
    number |= 0x7 << 76
    number |= (random >> 62) << 64
    number |= 0b10 << 62
    number |= random & ((1 << 62) - 1)
    return str(uuid.UUID(int=number))


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / SECOND, UTC)
