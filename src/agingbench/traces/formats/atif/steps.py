"""The events of an ATIF document: one step after the other, subagents included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    compact,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.error_kinds import classify_error

# What one harness writes instead of the marker that the format has for it.
_SUMMARISED = "Performed context summarization"


def trajectory_events(
    document: dict[str, Any],
    log: ReadLog,
    line: int | None = None,
) -> Iterator[Event]:
    """The events of a document and of the subagents inside it."""
    agent = mapping(document.get("agent"))
    build = Builder(log, string(document.get("session_id")))
    build.model = string(agent.get("model_name"))
    build.client = (
        " ".join(filter(None, (string(agent.get("name")), string(agent.get("version"))))) or None
    )
    parents: list[tuple[str | None, dict[str, Any]]] = [(None, document)]

    for inner in items(document.get("subagent_trajectories")):
        if isinstance(inner, dict):
            parents.append(
                (string(first(inner, "trajectory_id", "session_id")) or "subagent", inner)
            )

    for thread, trajectory in parents:
        build.thread = thread
        for step in items(trajectory.get("steps")):
            yield from _step(build, line, step)


def _step(build: Builder, line: int | None, step: Any) -> Iterator[Event]:
    log = build.log
    source = step.get("source") if isinstance(step, dict) else None
    if source not in ("system", "user", "agent"):
        log.bad(line, "a step without a known source (system, user, agent)")
        return
    if step.get("is_copied_context") is True:
        log.duplicate += 1
        return

    log.used += 1
    time = build.time(step["timestamp"]) if step.get("timestamp") else None
    text = text_of(step.get("message"))
    extra = mapping(step.get("extra"))

    if source == "agent":
        yield from _agent_step(build, line, time, step, text)
    elif source == "system" and _is_compaction(extra, text):
        yield build.event(
            "meta",
            line,
            time,
            lifecycle="compaction",
            content=text,
        )
        return
    else:
        yield build.event("system" if source == "system" else "user", line, time, content=text)

    yield from _observation(build, line, time, step)


def _is_compaction(extra: dict[str, Any], text: str) -> bool:
    kind = mapping(extra.get("context_management")).get("type")
    return kind == "compaction" or text.startswith(_SUMMARISED)


def _agent_step(
    build: Builder,
    line: int | None,
    time: float | None,
    step: dict[str, Any],
    text: str,
) -> Iterator[Event]:
    thought = string(step.get("reasoning_content"))
    yield build.event(
        "assistant",
        line,
        time,
        content=text,
        usage=_usage(step.get("metrics")),
        model=string(step.get("model_name")) or build.model,
        metadata={"reasoning": thought} if thought else None,
    )
    for call in items(step.get("tool_calls")):
        fields = mapping(call)
        yield build.call(
            line,
            time,
            fields.get("function_name"),
            fields.get("arguments"),
            fields.get("tool_call_id"),
        )


def _usage(metrics: Any) -> Usage | None:
    counts = mapping(metrics)
    return usage(
        counts.get("prompt_tokens"),
        counts.get("completion_tokens"),
        counts.get("cached_tokens"),
        cost=counts.get("cost_usd"),
    )


def _observation(
    build: Builder,
    line: int | None,
    time: float | None,
    step: dict[str, Any],
) -> Iterator[Event]:
    calls = [string(mapping(call).get("tool_call_id")) for call in items(step.get("tool_calls"))]
    for number, result in enumerate(items(mapping(step.get("observation")).get("results"))):
        fields = mapping(result)
        if fields.get("content") is None:
            continue  # a reference to a subagent's own trajectory, not an output

        content = fields["content"]
        text = text_of(content) if isinstance(content, str | list) else compact(content)
        call = fields.get("source_call_id") or (calls[number] if number < len(calls) else None)
        failed = mapping(fields.get("extra")).get("is_error") is True
        yield build.result(
            line,
            time,
            call,
            text,
            error_kind=classify_error(text) if failed else None,
            duration_ms=None,
        )
