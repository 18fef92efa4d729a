"""Langfuse exports: traces with observations, or lists and lines of observations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.decoding.building import (
    Builder,
    amount,
    compact,
    first,
    items,
    mapping,
    parsed,
    string,
    usage,
)
from agingbench.traces.decoding.model_calls import Conversation, MessagePart, message_parts
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.decoding.times import milliseconds
from agingbench.traces.formats.base import BaseFormat

_KINDS = (
    "GENERATION",
    "SPAN",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
)


class Langfuse(BaseFormat):
    """Langfuse SDK exports and REST downloads of traces and observations."""

    name = "langfuse"
    status = "verified"
    recipe = "GET /api/public/observations and /traces, or the export button; JSON or JSON lines"

    def sniff(self, head: bytes) -> float:
        """By a trace with observations, or by the fields of an observation."""
        best = 0.0
        for value in first_values(head)[:10]:
            value = mapping(value)
            if isinstance(value.get("trace"), dict) and "observations" in value:
                return 1.0

            # A head that was cut off inside the trace, which stands first.
            if set(value) == {"trace"} and "projectId" in mapping(value["trace"]):
                return 0.9

            has_owner = "sessionId" in value or "projectId" in value
            if isinstance(value.get("observations"), list) and has_owner:
                best = max(best, 0.9)

            is_kind = str(value.get("type")).upper() in _KINDS
            trace_id = first(value, "traceId", "trace_id")
            if is_kind and trace_id is not None and first(value, "startTime", "start_time"):
                best = max(best, 0.95)

            if isinstance(value.get("data"), list) and value["data"]:
                best = max(best, self.sniff(compact(value["data"][:2]).encode()) * 0.95)

        return best

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of all observations, trace by trace."""
        reading = _LangfuseReader(log)
        loose: list[tuple[int | None, dict[str, Any]]] = []
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no trace or observation")
                continue

            observations = items(value["data"]) if isinstance(value.get("data"), list) else [value]
            for item in observations:
                item = mapping(item)
                if isinstance(item.get("observations"), list):
                    trace = mapping(item.get("trace")) or item
                    inner = [(line, mapping(o)) for o in item["observations"]]
                    yield from reading.observations(trace, inner)
                else:
                    loose.append((line, item))

            if len(loose) >= 1000:
                yield from reading.observations({}, loose)
                loose = []

        yield from reading.observations({}, loose)


class _LangfuseReader:
    """Reads observations; a generation around others only repeats their tokens."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.talks: dict[str, Conversation] = {}

    def observations(
        self,
        trace: dict[str, Any],
        observations: list[tuple[int | None, dict[str, Any]]],
    ) -> Iterator[Event]:
        """The events of some observations of one trace, in the order in which they started."""
        if trace:
            self.log.ignore("trace")

        outer = _outer([o for _, o in observations])
        for line, value in sorted(observations, key=_start_text):
            identity = string(value.get("id"))
            if identity is None:
                self.log.bad(line, "no observation")
            elif not self.build.is_copy("langfuse", identity):
                yield from self._observation(line, trace, value, identity in outer)

    def _observation(
        self,
        line: int | None,
        trace: dict[str, Any],
        value: dict[str, Any],
        outer: bool,
    ) -> Iterator[Event]:
        kind = str(value.get("type") or "").upper()
        build = self.build
        call_usage = observation_usage(value)
        model = string(first(value, "model", "model_id", "providedModelName"))
        has_usage = call_usage is not None and kind not in ("AGENT", "CHAIN", "TOOL")
        is_generation = kind == "GENERATION" or has_usage

        if outer:
            self.log.ignore("observation:wrapper")
            return
        if not is_generation and not _is_tool(kind, value):
            self.log.ignore(f"observation:{(kind or 'none').lower()[:40]}")
            return

        self.log.used += 1
        talk = self._talk(trace, value)
        raw_start = first(value, "startTime", "start_time")
        raw_end = first(value, "endTime", "end_time")
        start = build.time(raw_start)
        end = build.time(raw_end) if raw_end else None
        took = milliseconds(start, end)

        if is_generation:
            build.model = model or build.model
            inputs = message_parts(_unpacked(value.get("input")))
            reply = message_parts(_reply(value.get("output")), "assistant")
            yield from talk.model_call(
                line,
                start,
                inputs,
                reply,
                call_usage,
                took,
            )
            return

        name = _name(value, kind).removeprefix("execute_tool ").removeprefix("tool.")
        failed = value.get("level") == "ERROR"
        output = value.get("output")
        text = compact(output) if output is not None else string(value.get("statusMessage")) or ""
        call = MessagePart("call", "", name, parsed(value.get("input")))
        result = MessagePart(
            "result",
            text,
            name,
            None,
            None,
            failed,
        )
        yield from talk.tool_run(line, start, call, result, took)

    def _talk(self, trace: dict[str, Any], value: dict[str, Any]) -> Conversation:
        about = mapping(parsed(value.get("metadata")))
        name = (
            string(first(trace, "sessionId", "session_id"))
            or string(first(value, "sessionId", "session_id"))
            or string(first(about, "thread_id", "session_id", "conversation_id"))
            or string(first(value, "traceId", "trace_id"))
            or string(trace.get("id"))
            or self.build.file
        )
        self.build.session = name
        self.build.client = string(first(trace, "release", "version"))
        if len(self.talks) > 10_000:
            self.talks.clear()
        return self.talks.setdefault(name, Conversation(self.build))


def _outer(observations: list[dict[str, Any]]) -> set[str]:
    """Ids of generations around another generation, whose tokens they repeat."""
    above: dict[str, str] = {}
    generations: set[str] = set()
    for observation in observations:
        identity = str(observation.get("id"))
        parent = first(observation, "parentObservationId", "parent_observation_id")
        above[identity] = str(parent or "")
        if str(observation.get("type")).upper() == "GENERATION":
            generations.add(identity)

    outer: set[str] = set()

    for one in generations:
        at = above.get(one, "")
        for _ in range(64):
            if not at:
                break
            if at in generations:
                outer.add(at)
            at = above.get(at, "")

    return outer


def _start_text(numbered: tuple[int | None, dict[str, Any]]) -> str:
    """When an observation started, as text to sort by."""
    _, observation = numbered
    return str(first(observation, "startTime", "start_time") or "")


def _name(value: dict[str, Any], kind: str) -> str:
    return string(value.get("name")) or kind.lower()


def _is_tool(kind: str, value: dict[str, Any]) -> bool:
    """Whether an observation is a tool's run, by its kind, its name or its metadata."""
    name = _name(value, kind)
    if kind == "TOOL":
        return True
    if name.startswith(("tool.", "execute_tool ")) and not name.endswith(("-start", ".start")):
        return True
    return kind == "SPAN" and _is_tool_span(value)


def _is_tool_span(value: dict[str, Any]) -> bool:
    """Whether the metadata of a span, from a framework without a kind for tools, names a tool."""
    about = mapping(parsed(value.get("metadata")))
    attributes = mapping(parsed(about.get("attributes")))
    name = first(attributes, "gen_ai.tool.name", "tool.name", "openinference.span.kind")

    if name not in (None, "LLM", "AGENT", "CHAIN"):
        return True

    in_tools_node = about.get("langgraph_node") == "tools" and value.get("name") != "tools"
    return in_tools_node and "inputs" in about


def _unpacked(raw: Any) -> Any:
    raw = parsed(raw)
    if isinstance(raw, dict):
        inner = first(raw, "messages", "contents", "prompt", "input")
        if inner is not None:
            messages = inner if isinstance(inner, list) else [inner]
            config = mapping(raw.get("config"))
            system = first(config, "system_instruction")
            system = system or first(raw, "system_instruction", "system")
            if isinstance(system, str):
                return [{"role": "system", "content": system}, *messages]
            return messages

    return raw


def _reply(raw: Any) -> Any:
    raw = parsed(raw)
    if isinstance(raw, dict):
        choices = items(raw.get("choices"))
        if choices:
            return [first(mapping(choice), "message", "text") for choice in choices]
        if isinstance(raw.get("output"), list):
            return raw["output"]
        if isinstance(raw.get("content"), dict):
            return raw["content"]
        if isinstance(raw.get("candidates"), list):
            return [mapping(candidate).get("content") for candidate in raw["candidates"]]

    return raw


def observation_usage(value: dict[str, Any]) -> Usage | None:
    """The tokens and the cost of an observation, as the server gives or an SDK sends them."""
    details = mapping(first(value, "usageDetails", "usage_details", "usage", "tokenUsage"))
    input_tokens = first(
        details,
        "input",
        "input_tokens",
        "promptTokens",
        "prompt_tokens",
        "inputTokens",
    )

    output_tokens = first(
        details,
        "output",
        "output_tokens",
        "completionTokens",
        "completion_tokens",
        "outputTokens",
    )

    sent = mapping(first(details, "prompt_tokens_details", "input_tokens_details"))
    cached = sent.get("cached_tokens") if sent else None
    cached = cached or first(
        details,
        "input_cache_read",
        "input_cached_tokens",
        "cache_read_input_tokens",
        "prompt_details.cache_read",
    )

    cache_write = first(
        details,
        "input_cache_creation",
        "cache_creation_input_tokens",
        "prompt_details.cache_write",
    )
    costs = mapping(first(value, "costDetails", "cost_details"))
    cost = first(costs, "total")
    cost = cost or first(value, "calculatedTotalCost", "totalCost", "total_cost", "cost")
    if not any((input_tokens, output_tokens, cached, cache_write)):
        return None
    # Langfuse takes the cached tokens out of `input` where it knows them.
    return usage(
        input_tokens,
        output_tokens,
        cached,
        cache_write,
        amount(cost),
        includes_cache=bool(sent) or "prompt_details.cache_read" in details,
    )
