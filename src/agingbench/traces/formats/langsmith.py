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
from agingbench.traces.decoding.model_calls import Conversation, MessagePart, said
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.formats.base import BaseFormat


class Langsmith(BaseFormat):
    """LangSmith runs, as uploaded by the SDK or downloaded from the API."""

    name = "langsmith"
    status = "verified"
    recipe = (
        "client.list_runs(project_name=...) written as JSON lines, or the bulk export turned into"
        " JSON"
    )

    def sniff(self, head: bytes) -> float:
        for value in first_values(head)[:10]:
            value = mapping(value)
            posted = next(
                (mapping(v) for k in ("post", "patch") for v in items(value.get(k))), None
            )
            if posted is not None and {
                "run_type",
                "dotted_order",
                "session_name",
                "start_time",
            } & set(posted):
                return 1.0

            if "run_type" in value and (
                first(value, "start_time", "inputs", "dotted_order") is not None
            ):
                return 1.0

            if isinstance(value.get("runs"), list) and "run_type" in mapping(
                next(iter(value["runs"]), None)
            ):
                return 1.0

        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        reading = _LangsmithReader(log)
        for line, value in records(stream, log):
            if not isinstance(value, dict):
                log.bad(line, "no run")
                continue

            if isinstance(value.get("post"), list) or isinstance(value.get("patch"), list):
                runs = _joined(items(value.get("post")), items(value.get("patch")), log)
            else:
                runs = value["runs"] if isinstance(value.get("runs"), list) else [value]

            for run in sorted(
                (mapping(run) for run in runs), key=lambda run: str(run.get("dotted_order") or "")
            ):
                yield from reading.run(line, run)


def _joined(posts: list[Any], patches: list[Any], log: ReadLog) -> list[Any]:
    """A run is posted when it starts and patched when it ends: one run from both, the patch a part
    of it.
    """
    runs = {_identity(mapping(run)): dict(mapping(run)) for run in posts}
    for patch in patches:
        patch = mapping(patch)
        earlier = runs.setdefault(_identity(patch), {})
        if earlier:
            log.duplicate += 1
        earlier.update({key: value for key, value in patch.items() if value is not None})

    return list(runs.values())


def _identity(run: dict[str, Any]) -> str:
    # dotted_order ends in the run's own id, and stands in the patches that carry no id.
    return str(run.get("id") or str(run.get("dotted_order"))[-36:])


class _LangsmithReader:
    """Runs of one file, by conversation."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.build = Builder(log)
        self.talks: dict[str, Conversation] = {}

    def run(self, line: int | None, run: dict[str, Any]) -> Iterator[Event]:
        log = self.log
        build = self.build
        kind = str(run.get("run_type") or "")
        identity = string(run.get("id"))

        if not run:
            log.bad(line, "no run")
            return

        key = hash(("langsmith", identity))
        if identity is not None and key in log.seen:
            log.duplicate += 1
            return

        log.seen.add(key)
        if not kind:
            kind = (
                "llm"
                if "ls_model_name" in _metadata(run) or "messages" in mapping(run.get("inputs"))
                else "chain"
            )

        if kind not in ("llm", "tool", "chat_model"):
            log.ignore(f"run:{kind[:40]}")
            return

        log.used += 1
        talk = self._talk(run)
        start = build.time(run.get("start_time"))
        end = build.time(run["end_time"]) if run.get("end_time") else None
        took = (
            (end - start) * 1000.0
            if start is not None and end is not None and end >= start
            else None
        )
        inputs = mapping(parsed(run.get("inputs")))
        outputs = mapping(parsed(run.get("outputs")))

        if kind == "tool":
            name = string(run.get("name")) or "tool"
            error = string(run.get("error"))
            text = error or compact(first(outputs, "output", "result") if outputs else "")
            call = MessagePart("call", "", name, inputs.get("input", inputs))
            yield from talk.tool_run(
                line,
                start,
                call,
                MessagePart("result", text, name, None, None, bool(error)),
                took,
            )

            return

        build.model = (
            string(_metadata(run).get("ls_model_name"))
            or string(outputs.get("model"))
            or build.model
        )
        messages = said(_messages(inputs))
        yield from talk.model_call(
            line,
            start,
            messages,
            said(_answers(outputs), "assistant"),
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

    generations = items(outputs.get("generations"))
    flat = [g for group in generations for g in (group if isinstance(group, list) else [group])]
    if flat:
        return [first(mapping(g), "message", "text") for g in flat]
    return first(outputs, "output", "messages", "content", "message")


def _usage(run: dict[str, Any], outputs: dict[str, Any]) -> Usage | None:
    counts = mapping(first(outputs, "usage_metadata", "usage")) or mapping(
        mapping(outputs.get("llm_output")).get("token_usage")
    )
    details = mapping(first(counts, "input_token_details", "prompt_tokens_details"))
    input_tokens = first(counts, "input_tokens", "prompt_tokens") or run.get("prompt_tokens")
    output_tokens = first(counts, "output_tokens", "completion_tokens") or run.get(
        "completion_tokens"
    )
    cached = first(details, "cache_read", "cached_tokens")
    cache_write = first(details, "cache_creation")

    return usage(input_tokens, output_tokens, cached, cache_write, amount(first(run, "total_cost")))
