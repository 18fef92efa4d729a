"""OpenHands: V0 actions and observations, V1 events with a kind, and logs of single model calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import IO, Any

from agingbench.records import Event, ReadLog, Role, Usage
from agingbench.traces.decoding.building import (
    Builder,
    amount,
    count,
    first,
    items,
    mapping,
    string,
    text_of,
    usage,
)
from agingbench.traces.decoding.model_calls import Conversation, message_parts
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.error_kinds import classify_error
from agingbench.traces.formats.base import BaseFormat

_KINDS = (
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "SystemPromptEvent",
    "AgentErrorEvent",
    "Condensation",
    "UserRejectObservation",
    "ConversationStateUpdateEvent",
    "CondensationRequest",
    "PauseEvent",
    "TokenEvent",
    "CondensationSummaryEvent",
    "ConversationErrorEvent",
)
_SOURCES = ("agent", "user", "environment", "hook")


class OpenHands(BaseFormat):
    """OpenHands conversations: event files of V0 and V1, and its logs of model calls."""

    name = "openhands"
    coding = True
    status = "verified"
    recipe = "point at the conversation's folder (events/), or a trajectory saved as JSON"

    def sniff(self, head: bytes) -> float:
        """By the kinds and sources of events."""
        return max((_likeness(mapping(value)) for value in first_values(head)[:20]), default=0.0)

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of a conversation, or of logged model calls."""
        reading = _OpenHandsReader(log)
        for line, value in records(stream, log):
            history = items(mapping(value).get("history")) or [value]
            for item in history:
                if isinstance(item, dict):
                    yield from reading.event(line, item)
                else:
                    log.bad(line, "no event")


def _likeness(value: dict[str, Any]) -> float:
    if value.get("kind") in _KINDS and "source" in value:
        return 1.0
    if value.get("source") in _SOURCES and {"action", "observation", "llm_metrics"} & set(value):
        return 0.95

    is_message = "message" in value and "role" not in value
    if is_message and value.get("source") in (*_SOURCES, "assistant"):
        return 0.7

    return 0.9 if {"messages", "response", "latency_sec", "context_window"} <= set(value) else 0.0


class _OpenHandsReader:
    """Reads the events of one file; running totals of V0 become the usage of each call."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log, _conversation(log.file))
        self.totals: dict[str, tuple[int, ...]] = log.format_state.setdefault("openhands", {})

    def event(self, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
        """The events of one record, whichever version wrote it."""
        build = self.build
        log = self.log
        if {"messages", "response"} <= set(value):
            yield from self._model_call(line, value)
            return

        session = string(first(value, "conversation_id", "session_id", "sessionId", "thread_id"))
        build.session = session or build.session
        identity = value.get("id")
        timestamp = value.get("timestamp")
        key = ("openhands", build.session, str(identity), str(timestamp))
        if identity is not None and build.is_copy(*key):
            return

        time = build.time(timestamp)
        read = self._v1 if "kind" in value else self._v0
        events = list(read(line, time, value))

        if events:
            log.used += 1
            yield from events
        else:
            kind = first(value, "kind", "action", "observation")
            log.ignore(f"event:{(string(kind) or 'none')[:60]}")

    def _v1(self, line: int | None, time: float | None, value: dict[str, Any]) -> Iterator[Event]:
        kind = value["kind"]
        build = self.build
        call_id = value.get("tool_call_id")
        if kind == "MessageEvent":
            message = mapping(value.get("llm_message"))
            role: Role = "assistant" if value.get("source") == "agent" else "user"
            yield build.event(
                role,
                line,
                time,
                content=text_of(message.get("content")),
                model=build.model,
            )
        elif kind == "SystemPromptEvent":
            yield build.event("system", line, time, content=text_of(value.get("system_prompt")))
        elif kind == "ActionEvent":
            thought = text_of(value.get("thought"))
            if thought:
                yield build.event("assistant", line, time, content=thought)

            action = mapping(value.get("action"))
            name = value.get("tool_name") or action.get("kind")
            arguments = {}
            for key, inner in action.items():
                if key != "kind" and inner is not None:
                    arguments[key] = inner
            command = string(arguments.get("command"))
            yield build.call(
                line,
                time,
                name,
                arguments,
                call_id,
                command=command,
            )
        elif kind == "ObservationEvent":
            yield self._v1_result(line, time, value)
        elif kind in ("UserRejectObservation", "AgentErrorEvent"):
            text = text_of(first(value, "rejection_reason", "error"))
            failure = "rejected" if kind == "UserRejectObservation" else "refused"
            name = string(value.get("tool_name"))
            yield build.result(
                line,
                time,
                call_id,
                text,
                tool_name=name,
                error_kind=failure,
            )
        elif kind == "Condensation":
            forgotten = items(value.get("forgotten_event_ids"))
            about = {"forgotten_events": len(forgotten)}
            summary = string(value.get("summary"))
            yield build.event(
                "meta",
                line,
                time,
                lifecycle="compaction",
                content=summary,
                metadata=about,
            )

    def _v1_result(self, line: int | None, time: float | None, value: dict[str, Any]) -> Event:
        observation = mapping(value.get("observation"))
        text = text_of(first(observation, "content", "output", "text"))
        code = observation.get("exit_code")
        if not isinstance(code, int):
            code = None

        failed = observation.get("is_error") is True or bool(code)
        failure = classify_error(text) if failed else None
        if text.startswith("Cannot execute multiple commands"):
            failure = "refused"

        return self.build.result(
            line,
            time,
            value.get("tool_call_id"),
            text,
            tool_name=string(value.get("tool_name")),
            exit_code=code,
            error_kind=failure,
        )

    def _v0(self, line: int | None, time: float | None, value: dict[str, Any]) -> Iterator[Event]:
        build = self.build
        source = value.get("source")
        action = string(value.get("action"))
        observation = string(value.get("observation"))
        arguments = mapping(value.get("args"))
        text = text_of(first(value, "content", "message"))
        call_usage = self._call_usage(value)

        if observation == "condense" or action in ("condensation", "condensation_request"):
            if action != "condensation_request":
                summary = string(arguments.get("summary"))
                yield build.event(
                    "meta",
                    line,
                    time,
                    lifecycle="compaction",
                    content=summary,
                    metadata={},
                )
        elif observation is not None and observation not in ("null", "agent_state_changed"):
            yield self._observation(line, time, value, observation, text)
        elif action == "message" or (action is None and observation is None and text):
            role: Role = "assistant" if source in ("agent", "assistant") else "user"
            content = text_of(arguments.get("content")) or text
            yield build.event(
                role,
                line,
                time,
                content=content,
                usage=call_usage,
                model=build.model if call_usage else None,
            )
        elif action == "system":
            yield build.event(
                "system",
                line,
                time,
                content=text_of(arguments.get("content")) or text,
            )
        elif action not in (None, "null", "change_agent_state", "recall"):
            yield from self._action_events(
                line,
                time,
                value,
                str(action),
                arguments,
                call_usage,
            )
        elif call_usage is not None:
            yield build.event(
                "meta",
                line,
                time,
                call_type="usage",
                usage=call_usage,
            )

    def _action_events(
        self,
        line: int | None,
        time: float | None,
        value: dict[str, Any],
        action: str,
        arguments: dict[str, Any],
        call_usage: Usage | None,
    ) -> Iterator[Event]:
        build = self.build
        about = mapping(value.get("tool_call_metadata"))
        thought = string(arguments.get("thought")) or ""

        if thought or action in ("finish", "think"):
            text = thought or string(arguments.get("final_thought")) or ""
            yield build.event(
                "assistant",
                line,
                time,
                content=text,
                usage=call_usage,
                model=build.model,
            )
            call_usage = None

        if action in ("finish", "think"):
            return

        call_arguments = {
            key: inner
            for key, inner in arguments.items()
            if key not in ("thought", "hidden", "is_input", "blocking")
        }
        name = string(about.get("function_name")) or action
        call_id = string(about.get("tool_call_id")) or string(value.get("id"))
        yield build.call(
            line,
            time,
            name,
            call_arguments,
            call_id,
            usage=call_usage,
            command=string(arguments.get("command")),
        )

    def _observation(
        self,
        line: int | None,
        time: float | None,
        value: dict[str, Any],
        observation: str,
        text: str,
    ) -> Event:
        extras = mapping(value.get("extras"))
        about = mapping(value.get("tool_call_metadata"))
        exit_code = mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        code = exit_code if isinstance(exit_code, int) and exit_code >= 0 else None
        failure = "process" if code else None

        if observation == "error":
            failure = classify_error(text, "refused")
        elif observation == "user_rejected":
            failure = "rejected"

        call_id = string(about.get("tool_call_id")) or string(value.get("cause"))
        return self.build.result(
            line,
            time,
            call_id,
            text,
            exit_code=code,
            error_kind=failure,
            tool_name=string(about.get("function_name")),
        )

    def _call_usage(self, value: dict[str, Any]) -> Usage | None:
        extras = mapping(value.get("extras"))
        metrics = mapping(value.get("llm_metrics")) or mapping(extras.get("llm_metrics"))
        build = self.build
        build.model = string(first(metrics, "model", "model_name")) or build.model
        total = mapping(metrics.get("accumulated_token_usage"))

        if not total:
            flat = mapping(value.get("usage")) or metrics
            input_tokens = first(flat, "prompt_tokens", "input_tokens")
            output_tokens = first(flat, "completion_tokens", "output_tokens")
            cached = first(flat, "cache_read_tokens", "cache_read_input_tokens")
            if input_tokens is None and output_tokens is None and cached is None:
                return None
            return usage(input_tokens, output_tokens, cached, None, amount(first(flat, "cost")))

        names = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
        now = tuple(count(total.get(name)) or 0 for name in names)
        before = self.totals.get(build.session or "", (0, 0, 0, 0))
        self.totals[build.session or ""] = now
        growth = tuple(a - b for a, b in zip(now, before, strict=True))
        if any(part < 0 for part in growth):
            growth = now
        return usage(*growth) if any(growth) else None

    def _model_call(self, line: int | None, value: dict[str, Any]) -> Iterator[Event]:
        """A log of one model call; calls of one folder are one session."""
        build = self.build
        log = self.log
        response = mapping(value.get("response"))
        folder = PurePath(self.build.file).parent.name
        build.session = folder or build.session
        log.used += 1
        build.model = string(response.get("model")) or build.model
        talks: dict[str, Conversation] = log.format_state.setdefault("openhands_calls", {})
        talk = talks.setdefault(build.session or "", Conversation(build))
        talk.build = build
        tokens = mapping(response.get("usage"))
        call_usage = usage(
            tokens.get("prompt_tokens"),
            tokens.get("completion_tokens"),
            tokens.get("cache_read_input_tokens"),
            tokens.get("cache_creation_input_tokens"),
            amount(value.get("cost")),
        )
        answers = [mapping(choice).get("message") for choice in items(response.get("choices"))]
        took = amount(value.get("latency_sec"))
        end = build.time(value.get("timestamp"))
        start = end - took if end is not None and took is not None else end
        window = count(value.get("context_window"))
        about = {"context_window": window} if window else None
        duration = None if took is None else took * 1000.0
        inputs = message_parts(value.get("messages"))
        replies = message_parts(answers, "assistant")
        yield from talk.model_call(
            line,
            start,
            inputs,
            replies,
            call_usage,
            duration,
            metadata=about,
        )


def _conversation(file: str) -> str | None:
    """The conversation that a file belongs to: files of single events lie in its folder."""
    path = PurePath(file)
    if path.parent.name in ("events", "event_cache"):
        return path.parent.parent.name or None
    return None
