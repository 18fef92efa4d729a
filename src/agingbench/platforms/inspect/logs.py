"""Items as Inspect logs, for its viewer, its data frames and `inspect score`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage
from inspect_ai.scorer import Score
from inspect_ai.util import registry_info

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.system import slug
from agingbench.platforms.figures import AT_LEAST
from agingbench.platforms.inspect.conversion import chat_messages
from agingbench.platforms.inspect.life_files import KEY, pack_life
from agingbench.platforms.inspect.scores import (
    MEANS,
    SCORER,
    half_lives_metric,
    score_of,
    with_nan,
)
from agingbench.platforms.items import LIFE, ExportItem
from agingbench.platforms.spans import SECOND, LifeSpan, life_spans
from agingbench.records import Message, ToolCall, Usage

MEAN = ("inspect_ai/mean", "inspect_ai/stderr")


def write_inspect_logs(items: Sequence[ExportItem], folder: Path) -> list[Path]:
    """Write one log for each arm of a scenario; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for log in inspect_logs(items):
        name = f"{slug(log.eval.task)}_{slug(str(log.eval.metadata['system']))}"
        file = folder / f"{name[:120]}_{log.eval.eval_id[:8]}.eval"
        write_eval_log(log, str(file))
        files.append(file)
    return files


def inspect_logs(items: Sequence[ExportItem]) -> list[EvalLog]:
    """One log for each arm of a scenario, with a sample for each item."""
    groups: dict[tuple[object, ...], list[ExportItem]] = {}
    for item in items:
        # A log has one table of scores, so its samples must have the same figures.
        group = (item.kind, item.scenario, item.arm, tuple(item.figures))
        groups.setdefault(group, []).append(item)
    return [_log(group) for group in groups.values()]


def _log(items: Sequence[ExportItem]) -> EvalLog:
    first = items[0]
    identity = hashlib.sha256("\n".join(item.key for item in items).encode()).hexdigest()[:22]
    start = min(item.start for item in items)
    end = max(item.end for item in items)
    spec = EvalSpec(
        eval_id=identity,
        run_id=identity,
        task_id=identity,
        created=start.isoformat(),
        task=f"agingbench/{first.scenario}",
        task_version=str(first.labels.get("scenario_version", "0")),
        dataset=EvalDataset(name=first.scenario, samples=len(items)),
        model=_model(first),
        config=EvalConfig(),
        scorers=[_scorer(first)],
        metadata={"system": first.system, "arm": first.arm, "kind": first.kind},
    )
    log = EvalLog(
        status="success",
        eval=spec,
        stats=EvalStats(started_at=start.isoformat(), completed_at=end.isoformat()),
        samples=[_sample(item) for item in items],
    )
    recompute_metrics(log)
    return log


def _model(item: ExportItem) -> str:
    """The model by a name that Inspect can split into provider and model."""
    provider = item.labels.get("model_provider", "none")
    return f"{provider}/{item.labels.get('model_id', 'none')}"


def _scorer(item: ExportItem) -> dict[str, Any]:
    """Which means the log has, so that Inspect computes them itself."""
    means = [{"name": name, "options": {}} for name in MEAN]
    metrics = {"*": means}
    if item.kind == LIFE:
        own = {"name": registry_info(half_lives_metric()).name, "options": {}}
        metrics = {**dict.fromkeys(MEANS, means), AT_LEAST: [own]}
    return {"name": SCORER, "options": {}, "metrics": metrics, "metadata": {}}


def _sample(item: ExportItem) -> EvalSample:
    card = item.card
    comment = item.comment or None
    score = (
        score_of(card, comment)
        if card is not None and item.kind == LIFE
        else Score(value=with_nan(item.figures), explanation=comment)
    )
    spans = life_spans(item)
    store: dict[str, Any] = {}
    if item.files is not None and item.files.ended():
        store[KEY] = pack_life(RunDirectory(item.files.path))
    return EvalSample(
        id=item.key,
        epoch=1,
        input=item.name,
        target="",
        scores={SCORER: score},
        metadata=dict(item.labels),
        store=store,
        events=list(_events(spans)),
        started_at=_time(spans[0].start).isoformat(),
        completed_at=_time(spans[0].end).isoformat(),
    )


# -- the transcript


def _events(spans: Sequence[LifeSpan]) -> Iterator[Any]:
    """Sessions as spans of the transcript, with their model calls inside."""
    origin = spans[0].start
    inner: dict[str | None, list[LifeSpan]] = {}
    for span in spans:
        inner.setdefault(span.parent_id, []).append(span)
    for session in inner.get(spans[0].span_id, ()):
        yield SpanBeginEvent(
            id=session.span_id,
            name=session.name,
            type="session",
            span_id=session.span_id,
            timestamp=_time(session.start),
            working_start=(session.start - origin) / SECOND,
        )
        for span in inner.get(session.span_id, ()):
            if span.kind == "model":
                yield _model_event(span, session.span_id, origin)
        yield SpanEndEvent(
            id=session.span_id,
            span_id=session.span_id,
            timestamp=_time(session.end),
            working_start=(session.end - origin) / SECOND,
        )


def _model_event(span: LifeSpan, session: str, origin: int) -> ModelEvent:
    model = str(span.attributes["gen_ai.response.model"])
    (reply,) = chat_messages(_messages(span.outputs))
    output = ModelOutput.from_message(reply)
    output.model = model
    output.usage = _usage(span.usage)
    return ModelEvent(
        model=model,
        input=chat_messages(_messages(span.inputs)),
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=output,
        span_id=session,
        timestamp=_time(span.start),
        working_start=(span.start - origin) / SECOND,
        completed=_time(span.end),
        working_time=(span.end - span.start) / SECOND,
    )


def _usage(usage: Usage | None) -> ModelUsage | None:
    """What a call took; Inspect cannot say that a count is unknown, so both must be known."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    return ModelUsage(
        input_tokens=max(0, usage.input_tokens - cached),
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        input_tokens_cache_read=usage.cache_read_tokens,
        input_tokens_cache_write=usage.cache_write_tokens,
        total_cost=usage.cost_usd,
    )


def _messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Messages of a span in our own words."""
    return [_message(message["role"], message["parts"]) for message in messages]


def _message(role: Any, parts: Sequence[Mapping[str, Any]]) -> Message:
    if role == "tool":
        return Message("tool", str(parts[0]["response"]), tool_call_id=parts[0]["id"])
    texts = [part["content"] for part in parts if part["type"] == "text"]
    calls = [
        ToolCall(part["id"], part["name"], _arguments(part["arguments"]))
        for part in parts
        if part["type"] == "tool_call"
    ]
    return Message(role, "\n".join(texts), tuple(calls))


def _arguments(arguments: Any) -> dict[str, Any]:
    return arguments if isinstance(arguments, dict) else {"_raw": arguments}


def _time(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / SECOND, UTC)
