"""LangSmith runs: uploads ({post, patch}), downloads and lines of runs."""

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

MOST_WAITING = 10_000  # posts whose patch may come later
_RUN_FIELDS = {"run_type", "dotted_order", "session_name", "start_time"}


class Langsmith(BaseFormat):
    """LangSmith runs, as uploaded by the SDK or downloaded from the API."""

    name = "langsmith"
    status = "verified"
    recipe = (
        "client.list_runs(project_name=...) written as JSON lines, or the bulk export turned into"
        " JSON"
    )

    def sniff(self, head: bytes) -> float:
        """By the fields of a run, alone, uploaded or in a list."""
        for value in first_values(head)[:10]:
            value = mapping(value)
            uploads = [*items(value.get("post")), *items(value.get("patch"))]
            if uploads and _RUN_FIELDS & set(mapping(uploads[0])):
                return 1.0

            fields = first(value, "start_time", "inputs", "dotted_order")
            if "run_type" in value and fields is not None:
                return 1.0

            runs = items(value.get("runs"))
            if runs and "run_type" in mapping(runs[0]):
                return 1.0

        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """The events of all runs, in the order in which they started."""
        reading = _LangsmithReader(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no run")
                continue

            if isinstance(value.get("post"), list) or isinstance(value.get("patch"), list):
                runs = reading.joined(line, items(value.get("post")), items(value.get("patch")))
            else:
                runs = value["runs"] if isinstance(value.get("runs"), list) else [value]

            ordered = sorted(map(mapping, runs), key=lambda run: str(run.get("dotted_order") or ""))
            for run in ordered:
                yield from reading.run(line, run)

        for line, run in reading.waiting.values():
            yield from reading.run(line, run)


def _identity(run: dict[str, Any]) -> str:
    # dotted_order ends in the run's own id, and stands in the patches that carry no id.
    return str(run.get("id") or str(run.get("dotted_order"))[-36:])


class _LangsmithReader:
    """Runs of one file, by conversation."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.talks: dict[str, Conversation] = {}
        self.waiting: dict[str, tuple[int | None, dict[str, Any]]] = {}  # posts without an end

    def joined(self, line: int | None, posts: list[Any], patches: list[Any]) -> list[Any]:
        """The runs that an upload ends, each from its post and its patch; the rest wait."""
        runs = {_identity(mapping(run)): dict(mapping(run)) for run in posts}
        for raw in patches:
            patch = mapping(raw)
            identity = _identity(patch)
            if identity in self.waiting:
                _, runs[identity] = self.waiting.pop(identity)

            earlier = runs.setdefault(identity, {})
            if earlier:
                self.log.duplicate += 1
            earlier.update({key: value for key, value in patch.items() if value is not None})

        ended = []
        for identity, run in runs.items():
            if run.get("end_time") or len(self.waiting) >= MOST_WAITING:
                ended.append(run)
            else:
                self.waiting[identity] = (line, run)
        return ended

    def run(self, line: int | None, run: dict[str, Any]) -> Iterator[Event]:
        """The events of one run: a model call or a tool's run."""
        log = self.log
        build = self.build
        kind = str(run.get("run_type") or "")
        identity = string(run.get("id"))

        if not run:
            log.bad(line, "no run")
            return

        if identity is not None and build.is_copy("langsmith", identity):
            return

        if not kind:
            has_model = "ls_model_name" in _metadata(run)
            has_messages = "messages" in mapping(run.get("inputs"))
            kind = "llm" if has_model or has_messages else "chain"

        if kind not in ("llm", "tool", "chat_model"):
            log.ignore(f"run:{kind[:40]}")
            return

        log.used += 1
        talk = self._talk(run)
        start = build.time(run.get("start_time"))
        end = build.time(run["end_time"]) if run.get("end_time") else None
        took = milliseconds(start, end)
        inputs = mapping(parsed(run.get("inputs")))
        outputs = mapping(parsed(run.get("outputs")))

        if kind == "tool":
            name = string(run.get("name")) or "tool"
            error = string(run.get("error"))
            text = error or compact(first(outputs, "output", "result") if outputs else "")
            call = MessagePart("call", "", name, inputs.get("input", inputs))
            result = MessagePart(
                "result",
                text,
                name,
                None,
                None,
                bool(error),
            )
            yield from talk.tool_run(line, start, call, result, took)
            return

        build.model = (
            string(_metadata(run).get("ls_model_name"))
            or string(outputs.get("model"))
            or build.model
        )
        messages = message_parts(_messages(inputs))
        yield from talk.model_call(
            line,
            start,
            messages,
            message_parts(_answers(outputs), "assistant"),
            _usage(run, outputs),
            took,
        )

    def _talk(self, run: dict[str, Any]) -> Conversation:
        about = _metadata(run)
        name = (
            string(first(about, "thread_id", "session_id", "conversation_id"))
            or string(run.get("trace_id"))
            or string(run.get("id"))
            or self.build.file
        )
        self.build.session = name
        self.build.client = string(first(about, "revision_id", "LANGSMITH_LANGGRAPH_API_REVISION"))
        if len(self.talks) > 10_000:
            self.talks.clear()
        return self.talks.setdefault(name, Conversation(self.build))


def _metadata(run: dict[str, Any]) -> dict[str, Any]:
    return mapping(mapping(run.get("extra")).get("metadata")) or mapping(run.get("metadata"))


def _messages(inputs: dict[str, Any]) -> Any:
    messages = first(inputs, "messages", "input", "prompts", "prompt")
    if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], list):
        return messages[0]
    return messages


def _answers(outputs: dict[str, Any]) -> Any:
    if isinstance(outputs.get("choices"), list):
        return [first(mapping(choice), "message", "text") for choice in outputs["choices"]]

    generations: list[Any] = []
    for group in items(outputs.get("generations")):
        generations += group if isinstance(group, list) else [group]
    if generations:
        return [first(mapping(generation), "message", "text") for generation in generations]
    return first(outputs, "output", "messages", "content", "message")


def _usage(run: dict[str, Any], outputs: dict[str, Any]) -> Usage | None:
    llm_output = mapping(outputs.get("llm_output"))
    counts = mapping(first(outputs, "usage_metadata", "usage"))
    counts = counts or mapping(llm_output.get("token_usage"))
    details = mapping(first(counts, "input_token_details", "prompt_tokens_details"))
    input_tokens = first(counts, "input_tokens", "prompt_tokens") or run.get("prompt_tokens")
    output_tokens = first(counts, "output_tokens", "completion_tokens") or run.get(
        "completion_tokens"
    )
    cached = first(details, "cache_read", "cached_tokens")
    cache_write = first(details, "cache_creation")

    return usage(input_tokens, output_tokens, cached, cache_write, amount(first(run, "total_cost")))
