"""Verifiers rollouts: `results.jsonl` of every generation, and Prime's pages of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from agingbench.records import Event, ReadLog, Source
from agingbench.traces.decoding.building import first, mapping, string, usage
from agingbench.traces.decoding.conversation import MessageReader, message_list
from agingbench.traces.decoding.sources import first_values, records
from agingbench.traces.decoding.times import seconds
from agingbench.traces.formats.base import BaseFormat

CONTAINERS = ("samples", "results", "data")


class Verifiers(BaseFormat):
    """One rollout per line (or in a list): prompt, completion and reward."""

    name = "verifiers"
    status = "verified"
    recipe = (
        "vf-eval -s writes outputs/evals/*/results.jsonl; prime eval samples ID --plain -o json"
    )

    def sniff(self, head: bytes) -> float:
        """A rollout has a prompt, a completion and mostly a reward."""
        value = next(iter(first_values(head)), None)
        samples = samples_in(value)
        value = samples[0] if samples else None
        if isinstance(value, dict) and is_sample(value):
            return 0.95 if "reward" in value else 0.6
        return 0.0

    def events(self, stream: IO[bytes], log: ReadLog) -> Iterator[Event]:
        """Every rollout is a session of its own."""
        number = 0
        for line, value in records(stream, log):
            for sample in samples_in(value):
                number += 1
                if not isinstance(sample, dict) or not is_sample(sample):
                    log.bad(line, "no rollout: prompt and completion are missing")
                    continue

                log.used += 1
                yield from _session(sample, log, line, number)


def samples_in(value: Any) -> list[Any]:
    """The rollouts of a page; a value that is no page stands for itself."""
    if isinstance(value, dict) and not is_sample(value):
        for name in CONTAINERS:
            if isinstance(value.get(name), list):
                return list(value[name])
    return [value]


def is_sample(value: dict[str, Any]) -> bool:
    """Whether an object is a rollout."""
    return "completion" in value and "prompt" in value


def sample_messages(sample: dict[str, Any]) -> list[dict[str, Any]]:
    """Prompt and completion as messages; plain strings are texts of the user and the assistant."""
    prompt = sample.get("prompt")
    completion = sample.get("completion")
    prompt_messages = message_list(prompt) or (
        [{"role": "user", "content": prompt}] if isinstance(prompt, str) else []
    )
    completion_messages = message_list(completion)

    return prompt_messages + (
        completion_messages
        or ([{"role": "assistant", "content": completion}] if isinstance(completion, str) else [])
    )


def _session(
    sample: dict[str, Any],
    log: ReadLog,
    line: int | None,
    number: int,
) -> Iterator[Event]:
    name = string(first(sample, "sample_id", "rollout_id"))
    session = name or f"{log.file}#{number}"
    created = first(sample, "created_at", "timestamp")
    time = seconds(created, log) if created is not None else None
    reader = MessageReader()
    call_usage = _usage(sample)

    for event in (e for message in sample_messages(sample) for e in reader.events(message)):
        event.session_id = session
        event.source = Source(log.file, line)
        event.timestamp = time

        if event.role in ("assistant", "tool_call") and call_usage is not None:
            event.usage, call_usage = (
                call_usage,
                None,
            )  # told for the whole rollout, so it stands once

        yield event


def _usage(sample: dict[str, Any]) -> Any:
    counts = mapping(first(sample, "token_usage", "usage")) or mapping(
        mapping(sample.get("info")).get("token_usage")
    )
    return usage(
        first(counts, "input_tokens", "prompt_tokens"),
        first(counts, "output_tokens", "completion_tokens"),
    )
