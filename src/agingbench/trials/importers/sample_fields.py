"""The fields of one rollout sample, wherever they stand and in whatever unit."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from agingbench.traces.decoding.building import amount, count, first, mapping, string, text_of
from agingbench.traces.decoding.conversation import tool_calls
from agingbench.traces.decoding.times import is_number, parse_time
from agingbench.trials.columns import NO_DURATION
from agingbench.trials.importers.admission import NO_TIME, UNKNOWN_TIME
from agingbench.trials.record import Cost, Evaluation, Inputs, Timing, TrialTask, Validity

_NOT_METRICS = frozenset(
    "sample_id id example_id rollout_number rollout_id reward score prompt completion answer task"
    " info metrics timing token_usage usage stop_condition is_completed is_truncated error"
    " error_chain long_error_chain created_at timestamp total_time latency_ms generation_ms"
    " scoring_ms total_ms tool_defs oai_tools state nodes trajectory correct".split()
)


@dataclass(frozen=True)
class Origin:
    """What all samples of one import share."""

    adapter: str
    model: str
    experiment: str
    environment: str
    configuration: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    raw_name: str = "sample.json"
    when: datetime | None = None
    task: str = "task"
    salt: bytes = b""  # what makes equal samples of different runs different trials


class Submission(NamedTuple):
    """An output that the agent submitted, and the file suffix for it."""

    path: str | None
    content: str
    suffix: str


class SampleFields:
    """The fields of one sample; `flags` names what was missing or odd."""

    def __init__(self, sample: dict[str, Any]) -> None:
        self.sample = sample
        self.info = mapping(sample.get("info"))
        self.flags: list[str] = []

    def get(self, *names: str) -> Any:
        """A field at the top level, else under `info`."""
        value = first(self.sample, *names)
        return value if value is not None else first(self.info, *names)

    def metrics(self) -> dict[str, Any]:
        """The metrics of the sample: those listed, and numbers at the top level."""
        listed = mapping(self.get("metrics"))
        flat = {k: v for k, v in self.sample.items() if k not in _NOT_METRICS and is_number(v)}

        return {
            k: v
            for k, v in {**flat, **listed}.items()
            if v is None or isinstance(v, bool | str) or is_number(v)
        }

    # -- what it was

    def task(self, origin: Origin) -> TrialTask:
        """The task, named by the sample or numbered by its example."""
        task_id = string(self.info.get("task_id"))
        example = first(self.sample, "example_id", "id")
        revision = string(self.info.get("task_revision")) or "unresolved"
        visibility = self.info.get("visibility")
        within = string(self.sample.get("task")) or origin.task

        return TrialTask(
            task_id=task_id or f"{within}/{'unnumbered' if example is None else example}",
            task_revision=revision,
            visibility=visibility if visibility in ("public", "holdout") else None,
        )

    def dataset(self) -> str | None:
        """Return the dataset's name, as NAME@VERSION where a version is given."""
        entry = self.info.get("dataset")
        if isinstance(entry, dict) and entry.get("name"):
            if entry.get("version"):
                return f"{entry['name']}@{entry['version']}"
            return str(entry["name"])

        return string(entry)

    def time(self, otherwise: datetime | None) -> datetime:
        """The time of the sample; flagged when there is none."""
        time = parse_time(first(self.sample, "created_at", "timestamp"), self.flags) or otherwise
        if time is None:
            self.flags.append(NO_TIME)
        return time or UNKNOWN_TIME

    def inputs(self, messages: list[dict[str, Any]]) -> Inputs:
        """The instruction and the system prompt."""

        def said(role: str) -> str | None:
            texts = (text_of(m.get("content")) for m in messages if m.get("role") == role)
            return next((text for text in texts if text.strip()), None)

        instruction = string(self.info.get("instruction")) or said("user")
        if not instruction or not instruction.strip():
            self.flags.append("instruction_not_recorded")
            instruction = "(not recorded)"

        return Inputs(instruction=instruction, system_prompt=said("system"))

    # -- what came of it

    def error(self) -> str | None:
        """The error that ended the rollout; None without one."""
        error = self.get("error")
        if isinstance(error, dict):
            return (
                string(first(error, "error_chain_str", "message", "error"))
                or json.dumps(error)[:500]
            )

        return error[:2000] if isinstance(error, str) and error.strip() else None

    def status(self, messages: list[dict[str, Any]]) -> Any:
        """How the rollout ended: completed, partial, failed or empty."""
        if self.error() is not None:
            return "failed"
        if self.get("is_truncated") is True:
            return "partial"

        completed = self.get("is_completed")
        if completed is not None:
            return "completed" if completed is True else "partial"
        return "completed" if any(m.get("role") == "assistant" for m in messages) else "empty"

    def evaluation(self) -> Evaluation:
        """The reward and the metrics; a reward outside 0 to 1 is flagged."""
        metrics = self.metrics()
        reward_value = first(self.sample, "reward", "score")
        if reward_value is None:
            reward_value = first({**metrics, **self.sample}, "aec_bench_reward")

        reward = None
        errors = [e for e in (self.error(),) if e]
        if reward_value is None:
            self.flags.append("not_evaluated")
        elif not is_number(reward_value):
            self.flags.append("reward_is_no_number")
        elif 0 <= reward_value <= 1:
            reward = float(reward_value)
        else:
            self.flags.append("reward_out_of_range")
            metrics["raw_reward"] = reward_value
            errors.append(f"reward {reward_value} is outside 0..1; kept as breakdown.raw_reward")

        validity = Validity(
            output_parseable=True,
            schema_valid=True,
            verifier_completed=is_number(reward_value),
            errors=errors,
        )

        return Evaluation(reward=reward, validity=validity, breakdown=metrics or None)

    def timing(self) -> Timing:
        """The durations; flagged when there is none."""
        total, agent, scoring = (
            _seconds(self, name) for name in ("total", "generation", "scoring")
        )
        if total is None and agent is not None:
            total = agent + (scoring or 0.0)
        if total is None:
            self.flags.append(NO_DURATION)
        return Timing(total_seconds=total or 0.0, agent_seconds=agent, verification_seconds=scoring)

    def cost(self) -> Cost | None:
        """The tokens; None when they are not given."""
        usage = mapping(self.get("token_usage", "usage"))
        tokens_in = count(first(usage, "input_tokens", "prompt_tokens"))
        tokens_out = count(first(usage, "output_tokens", "completion_tokens"))
        if tokens_in is None and tokens_out is None:
            return None
        return Cost(tokens_in=tokens_in, tokens_out=tokens_out)

    def result(
        self,
        origin: Origin,
        messages: list[dict[str, Any]],
        submissions: list[Submission],
    ) -> dict[str, Any]:
        """What the record stores beyond its own fields."""
        calls = Counter(
            name or "unnamed" for m in messages for _, name, _ in tool_calls(m.get("tool_calls"))
        )
        names = ("rollout_number", "stop_condition", "is_completed", "is_truncated", "error")
        fields = {name: self.get(name) for name in names}

        return {
            **origin.about,
            "sample_id": first(self.sample, "sample_id", "rollout_id"),
            "example_id": first(self.sample, "example_id", "id"),
            **fields,
            "turns": sum(m.get("role") == "assistant" for m in messages),
            "tool_calls": sum(calls.values()),
            "tool_calls_by_name": dict(sorted(calls.items())),
            "submit_answer_calls": calls["submit_answer"],
            "submissions": [
                {"path": submission.path, "characters": len(submission.content)}
                for submission in submissions
            ],
            "validity_basis": (
                "the source tells a reward or none; it does not tell whether the output could be"
                " parsed"
            ),
            "flags": [],
        }


def _seconds(sample: SampleFields, name: str) -> float | None:
    """A duration in seconds; None when it is missing or negative."""
    timing = mapping(sample.get("timing"))
    value = timing.get(name)
    in_seconds = amount(value.get("duration") if isinstance(value, dict) else value)
    in_ms = amount(first(timing, f"{name}_ms"))
    if in_ms is None:
        in_ms = amount(sample.get(f"{name}_ms"))

    if name == "total":
        if in_seconds is None:
            in_seconds = amount(sample.get("total_time"))
        if in_ms is None and in_seconds is None:
            in_ms = amount(sample.get("latency_ms"))

    duration = in_seconds
    if duration is None and in_ms is not None:
        duration = in_ms / 1000
    return duration if duration is not None and duration >= 0 else None
