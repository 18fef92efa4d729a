"""The trials in an Inspect log: one per sample and epoch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import amount, first, mapping, string, usage
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.foreign_trial import (
    TRAJECTORY,
    ForeignTrial,
    reward_or_flag,
    slug,
    trace_bytes,
)
from agingbench.traces.formats.inspect.log import read_log
from agingbench.traces.formats.inspect.samples import sample_events

# How Inspect itself turns its letters into numbers.
_GRADES = {
    "C": 1.0,
    "I": 0.0,
    "P": 0.5,
    "N": 0.0,
}
_CONFIGURATION = ("task_args", "solver", "solver_args", "model_args", "config")


def trials_in(file: Path, log: ReadLog) -> Iterator[ForeignTrial]:
    """The trials of a log file; samples that cannot be read are told to `log`."""
    with file.open("rb") as stream:
        header, samples = read_log(stream, log)
        for sample in samples:
            events = list(sample_events(header, sample.content, log))
            yield _trial(header, sample.content, sample.raw, events)


def _trial(
    header: dict[str, Any],
    sample: dict[str, Any],
    raw: bytes | None,
    events: list[Event],
) -> ForeignTrial:
    about = mapping(header.get("eval"))
    task = string(about.get("task")) or "inspect"
    packages = mapping(about.get("packages"))
    error = mapping(sample.get("error"))
    limit = mapping(sample.get("limit"))

    grades: dict[str, Any] = {}
    for name, score in mapping(sample.get("scores")).items():
        grades[name] = mapping(score).get("value")
    if not grades and sample.get("score"):
        grades = {"score": mapping(sample.get("score")).get("value")}

    status = None
    if error:
        status = "failed"
    elif limit:
        status = "partial"

    stored = raw if raw is not None else _compact(sample)
    sample_name = slug(str(sample.get("id")), 30) or "sample"
    flags: list[str] = []

    return ForeignTrial(
        trial_id=f"inspect-{slug(task, 60)}-{sample_name}-{digest_of(stored)[:12]}",
        task_id=f"{task}/{sample.get('id')}",
        adapter="inspect",
        model=string(about.get("model")),
        events=events,
        adapter_revision=string(packages.get("inspect_ai")),
        environment="inspect",
        evidence={TRAJECTORY: trace_bytes(events), "inspect_sample.json": stored},
        configuration={k: about[k] for k in _CONFIGURATION if about.get(k)},
        status=status,
        error=string(error.get("message")),
        usage=_usage(sample, events),
        reward=_grade(grades, flags),
        breakdown=grades or None,
        seconds=amount(sample.get("total_time")),
        agent_seconds=amount(sample.get("working_time")),
        time=parse_time(first(sample, "started_at") or about.get("created"), flags),
        flags=flags,
        about={
            "source": "inspect",
            "eval_id": about.get("eval_id"),
            "run_id": about.get("run_id"),
            "sample_id": sample.get("id"),
            "epoch": sample.get("epoch"),
            "uuid": sample.get("uuid"),
            "target": sample.get("target"),
            "limit": limit or None,
            "status": header.get("status"),
        },
    )


def _usage(sample: dict[str, Any], events: list[Event]) -> Usage | None:
    """The usage of the sample as a whole, when its model calls do not tell theirs."""
    if any(event.usage is not None for event in events):
        return None

    total: Usage | None = None
    for row in mapping(sample.get("model_usage")).values():
        counts = mapping(row)
        model_usage = usage(
            counts.get("input_tokens"),
            counts.get("output_tokens"),
            counts.get("input_tokens_cache_read"),
            counts.get("input_tokens_cache_write"),
            includes_cache=False,
        )
        if model_usage is not None:
            total = (total or Usage()) + model_usage

    return total


def _grade(grades: dict[str, Any], flags: list[str]) -> float | None:
    """The reward, when there is exactly one score and it is a grade or a number."""
    if len(grades) > 1:
        flags.append("several_scores")
    if len(grades) != 1:
        return None

    value = next(iter(grades.values()))
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _GRADES.get(value)
    return reward_or_flag(amount(value), flags)


def _compact(obj: Any) -> bytes:
    return json.dumps(obj, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
