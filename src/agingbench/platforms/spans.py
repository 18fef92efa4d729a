"""A life as spans, by the GenAI conventions of OpenTelemetry: the life, its sessions, and in each
session the model calls, tool runs and changes of the memory.

An item without a folder is its root span alone. Texts are scrubbed. What nobody recorded, such as
the system prompt, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agingbench.platforms.items import ExportItem, Label
from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.times import seconds
from agingbench.traces.formats.otlp.spans import CALLS, LIFECYCLE
from agingbench.traces.scrub.scrubber import scrub, scrub_json
from agingbench.trials.run_folder import LIFE_END, LIFE_START, WRITE, AnswerRow, LifeFiles

OPERATION = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
EVALUATION = "gen_ai.evaluation.result"
SECOND = 1_000_000_000
MILLISECOND = 1_000_000


@dataclass(frozen=True)
class SpanNote:
    """Something that happened at one moment of a span."""

    name: str
    time: int
    attributes: Mapping[str, Label]


@dataclass(frozen=True)
class LifeSpan:
    """One span; times are nanoseconds since the epoch.

    `kind` is life, session, model, tool or memory. `inputs` and `outputs` are messages of a model
    call, or the arguments and the result of a tool.
    """

    kind: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str | None
    start: int
    end: int
    attributes: Mapping[str, Label] = field(default_factory=dict)
    notes: tuple[SpanNote, ...] = ()
    inputs: Any = None
    outputs: Any = None
    usage: Usage | None = None
    failed: bool = False


def life_spans(item: ExportItem) -> list[LifeSpan]:
    """The spans of an item, the root first, each behind its parent."""
    trace_id = _digest(item.key, 32)
    labels = {f"agingbench.{name}": value for name, value in item.labels.items()}
    figures = {f"agingbench.figure.{name}": value for name, value in item.measured.items()}
    root = LifeSpan(
        kind="life",
        name=item.name,
        trace_id=trace_id,
        span_id=_digest(f"{item.key}/root", 16),
        parent_id=None,
        start=int(item.start.timestamp() * SECOND),
        end=int(item.end.timestamp() * SECOND),
        attributes={
            OPERATION: "invoke_workflow",
            "gen_ai.workflow.name": item.scenario,
            **labels,
            **figures,
        },
    )
    if item.files is None:
        return [root]
    inner = list(_Spans(item, item.files, root).all())
    start = min((span.start for span in inner), default=root.start)
    end = max((span.end for span in inner), default=root.end)
    return [replace(root, start=start, end=end), *inner]


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


class _Spans:
    """The spans below the root of one life."""

    def __init__(self, item: ExportItem, files: LifeFiles, root: LifeSpan) -> None:
        self.item = item
        self.root = root
        self.files = files
        self.model = str(item.labels.get("model_id", ""))
        self.provider = str(item.labels.get("model_provider", ""))
        self.answers = _by_point(files.answer_rows() if files.answers.exists() else [])
        self.verdicts = _verdicts(files)
        self.clock = 0
        self.count = 0

    def all(self) -> Iterator[LifeSpan]:
        """Each session with what took place in it, then the questions at the life's end."""
        events = self.files.events() if self.files.trace.exists() else []
        sessions: dict[int, list[Event]] = {}
        for event in events:
            if event.session is not None and event.lifecycle not in (LIFE_START, LIFE_END):
                sessions.setdefault(event.session, []).append(event)
        for t, own_events in sorted(sessions.items()):
            yield from self._session(t, own_events)
        last = max(self.answers, default=-1)
        if last not in sessions and last >= 0:
            yield self._around(last, "final questions", [])

    def _session(self, t: int, events: Sequence[Event]) -> Iterator[LifeSpan]:
        parent = self._id(f"session {t}")
        inner = list(_Talk(self, t, parent).spans(events))
        yield self._around(t, f"session {t}", inner)
        yield from inner

    def _around(self, t: int, name: str, inner: Sequence[LifeSpan]) -> LifeSpan:
        start = min((span.start for span in inner), default=self.clock or self.root.start)
        end = max((span.end for span in inner), default=start)
        return LifeSpan(
            kind="session",
            name=name,
            trace_id=self.root.trace_id,
            span_id=self._id(f"session {t}"),
            parent_id=self.root.span_id,
            start=start,
            end=end,
            attributes={
                OPERATION: "invoke_agent",
                "gen_ai.agent.name": self.item.system,
                CONVERSATION: self.conversation(t),
                "agingbench.session": t,
            },
            notes=tuple(self._note(row, end) for row in self.answers.get(t, ())),
        )

    def _note(self, row: AnswerRow, time: int) -> SpanNote:
        attributes: dict[str, Label] = {
            "gen_ai.evaluation.name": row.probe,
            "gen_ai.evaluation.explanation": scrub(row.text),
        }
        verdict = self.verdicts.get(row.probe)
        if verdict is not None:
            label, value = verdict
            attributes["gen_ai.evaluation.score.label"] = label
            if value is not None:
                attributes["gen_ai.evaluation.score.value"] = value
        return SpanNote(EVALUATION, time, attributes)

    def conversation(self, t: int) -> str:
        """The name of a session that no other life has."""
        return f"{self.item.labels.get('trial_id', self.item.key)}/{t:03d}"

    def _id(self, name: str) -> str:
        return _digest(f"{self.item.key}/{name}", 16)

    def next_id(self) -> str:
        """An id for the next span of this life."""
        self.count += 1
        return self._id(f"span {self.count}")

    def times(self, event: Event) -> tuple[int, int]:
        """When an event began and ended; spans of a life follow each other."""
        moment = seconds(event.timestamp, ReadLog())
        took = round((event.duration_ms or 0.0) * MILLISECOND)
        end = self.clock if moment is None else int(moment * SECOND)
        start = max(self.clock, end - took)
        self.clock = start + took
        return start, self.clock


class _Talk:
    """The spans of one session; a model call is given everything that was said before it."""

    def __init__(self, life: _Spans, t: int, parent: str) -> None:
        self.life = life
        self.parent = parent
        self.conversation = life.conversation(t)
        self.history: list[dict[str, Any]] = []
        self.calls: dict[str | None, Event] = {}

    def spans(self, events: Sequence[Event]) -> Iterator[LifeSpan]:
        """The spans of the session's events, in their order."""
        for number, event in enumerate(events):
            if event.role == "user":
                self.history.append(_message("user", [_text(event)]))
            elif event.role == "assistant":
                yield self._model_call(event, _calls_after(events, number))
            elif event.role == "tool_call":
                self.calls[event.tool_call_id] = event
            elif event.role == "tool_result":
                yield self._tool_run(event)
            elif event.lifecycle is not None:
                yield self._lifecycle(event)

    def _span(self, kind: str, name: str, event: Event, **fields: Any) -> LifeSpan:
        start, end = self.life.times(event)
        attributes = {CONVERSATION: self.conversation, **fields.pop("attributes")}
        return LifeSpan(
            kind=kind,
            name=name,
            trace_id=self.life.root.trace_id,
            span_id=self.life.next_id(),
            parent_id=self.parent,
            start=start,
            end=end,
            attributes=attributes,
            **fields,
        )

    def _model_call(self, event: Event, calls: Sequence[Event]) -> LifeSpan:
        parts = [_text(event)] if event.content else []
        parts += [_call_part(call) for call in calls]
        reply = _message("assistant", parts)
        given = list(self.history)
        self.history.append(reply)
        model = event.model or self.life.model
        attributes: dict[str, Label] = {
            OPERATION: "chat",
            "gen_ai.provider.name": self.life.provider,
            "gen_ai.request.model": self.life.model,
            "gen_ai.response.model": model,
            "gen_ai.input.messages": _json(given),
            "gen_ai.output.messages": _json([reply]),
            **usage_attributes(event.usage),
        }
        return self._span(
            "model",
            f"chat {model}",
            event,
            attributes=attributes,
            inputs=given,
            outputs=[reply],
            usage=event.usage,
        )

    def _tool_run(self, event: Event) -> LifeSpan:
        call = self.calls.pop(event.tool_call_id, None)
        name = scrub(event.tool_name or "tool")
        arguments = scrub_json(call.arguments) if call is not None else None
        result = scrub("\n".join(filter(None, [event.stdout, event.stderr, event.content])))
        part = {"type": "tool_call_response", "id": event.tool_call_id or "", "response": result}
        self.history.append(_message("tool", [part]))
        attributes: dict[str, Label] = {
            OPERATION: "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": event.tool_call_id or "",
            "gen_ai.tool.call.arguments": _json(arguments),
            "gen_ai.tool.call.result": result,
        }
        return self._span(
            "tool",
            f"execute_tool {name}",
            event,
            attributes=attributes,
            inputs=arguments,
            outputs=result,
            failed=event.exit_code not in (None, 0),
        )

    def _lifecycle(self, event: Event) -> LifeSpan:
        operation = "upsert_memory" if event.lifecycle == WRITE else "update_memory"
        attributes: dict[str, Label] = {
            OPERATION: operation,
            LIFECYCLE: event.lifecycle or "",
            **usage_attributes(event.usage),
        }
        policy = self.life.item.labels.get("memory_policy_type")
        if policy is not None:
            attributes["gen_ai.memory.store.id"] = policy
        name = f"{operation} {event.lifecycle}"
        return self._span("memory", name, event, attributes=attributes, usage=event.usage)


def usage_attributes(usage: Usage | None) -> dict[str, Label]:
    """What a call took, as far as it is known."""
    if usage is None:
        return {}
    counts = {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_write.input_tokens": usage.cache_write_tokens,
        "gen_ai.usage.cost": usage.cost_usd,
        CALLS: usage.calls,
    }
    return {name: value for name, value in counts.items() if value is not None}


def _calls_after(events: Sequence[Event], number: int) -> list[Event]:
    """The tool calls of a reply: those before the next reply or request."""
    calls = []
    for event in events[number + 1 :]:
        if event.role in ("assistant", "user"):
            break
        if event.role == "tool_call":
            calls.append(event)
    return calls


def _message(role: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "parts": parts}


def _text(event: Event) -> dict[str, Any]:
    return {"type": "text", "content": scrub(event.content or "")}


def _call_part(call: Event) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "id": call.tool_call_id or "",
        "name": scrub(call.tool_name or "tool"),
        "arguments": scrub_json(call.arguments),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _by_point(rows: Sequence[AnswerRow]) -> dict[int, list[AnswerRow]]:
    points: dict[int, list[AnswerRow]] = {}
    for row in rows:
        if row.condition == "as_lived":
            points.setdefault(row.t, []).append(row)
    return points


def _verdicts(files: LifeFiles) -> dict[str, tuple[str, float | None]]:
    """The verdict on each answer; none where the life was not scored."""
    if not files.metrics.exists():
        return {}
    return {
        row.probe: (row.verdict, row.value)
        for row in files.scores().answers
        if row.condition == "as_lived"
    }
