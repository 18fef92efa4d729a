"""A trace of another harness as a partial trial: what is known of it, and the record made of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agingbench.records import Event, Usage
from agingbench.traces.trajectory import encode_event, header_line
from agingbench.trials.entries import NO_DURATION
from agingbench.trials.importers.door import NO_TIME, UNKNOWN_TIME, ImportReport, admit
from agingbench.trials.importers.sample_fields import parse_time
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import (
    AgentOutput,
    AgentUsed,
    Cost,
    Environment,
    Evaluation,
    Inputs,
    Outputs,
    Task,
    Timing,
    TrialRecord,
    Validity,
)

TRAJECTORY = "trajectory.jsonl"


@dataclass
class Found:
    """What is known of a foreign trial; None is not told by its source."""

    trial_id: str
    task_id: str
    adapter: str
    model: str | None
    events: list[Event]
    evidence: dict[str, bytes]
    environment: str
    about: dict[str, Any]
    adapter_revision: str | None = None
    status: str | None = None
    error: str | None = None
    reward: float | None = None
    breakdown: dict[str, Any] | None = None
    seconds: float | None = None
    agent_seconds: float | None = None
    time: datetime | None = None
    usage: Usage | None = None
    configuration: dict[str, Any] = field(default_factory=dict)
    conversation: str | None = None
    trajectory: str | None = TRAJECTORY
    flags: list[str] = field(default_factory=list)


def trace_bytes(events: Sequence[Event]) -> bytes:
    """Events as a trace file of ours."""
    return b"".join(line + b"\n" for line in (header_line(), *(encode_event(e) for e in events)))


def to_record(found: Found, experiment: str) -> TrialRecord:
    """The partial record of what was found."""
    flags = list(found.flags)
    said = next(
        (e.content for e in found.events if e.role == "user" and (e.content or "").strip()), None
    )
    stamps = [e.timestamp for e in found.events if isinstance(e.timestamp, float)]
    time = found.time or (parse_time(stamps[0], flags) if stamps else None)
    seconds = (
        found.seconds
        if found.seconds is not None
        else max(stamps) - min(stamps)
        if len(stamps) > 1
        else None
    )
    flags += [NO_TIME] * (time is None) + [NO_DURATION] * (seconds is None)
    flags += ["instruction_not_recorded"] * (said is None) + ["not_evaluated"] * (
        found.reward is None
    )
    total = found.usage or sum((e.usage for e in found.events if e.usage), Usage())
    spent = (total.input_tokens, total.output_tokens, total.cost_usd)
    answered = any(e.role == "assistant" for e in found.events)
    errors = [found.error] if found.error else []
    return TrialRecord(
        trial_id=found.trial_id,
        experiment_id=experiment,
        timestamp=time or UNKNOWN_TIME,
        task=Task(task_id=found.task_id, task_revision="unresolved"),
        agent=AgentUsed(
            adapter=found.adapter,
            model=found.model or "unknown",
            adapter_revision=found.adapter_revision,
            configuration=found.configuration,
        ),
        environment=Environment(runtime_image=found.environment, compute_backend=found.environment),
        inputs=Inputs(
            instruction=said or "(not recorded)",
            system_prompt=next(
                (e.content for e in found.events if e.role == "system" and e.content), None
            ),
        ),
        outputs=Outputs(
            agent_output=AgentOutput.model_validate(
                {
                    "status": found.status or ("completed" if answered else "empty"),
                    "error_message": found.error,
                    "output_path": found.trajectory or found.conversation or TRAJECTORY,
                    "output_format": "jsonl",
                }
            ),
            trajectory_path=found.trajectory,
            conversation_path=found.conversation,
            agent_result={**found.about, "flags": sorted(set(flags))},
        ),
        evaluation=Evaluation(
            reward=found.reward,
            breakdown=found.breakdown,
            validity=Validity(
                output_parseable=True,
                schema_valid=True,
                verifier_completed=found.reward is not None,
                errors=errors,
            ),
        ),
        timing=Timing(total_seconds=seconds or 0.0, agent_seconds=found.agent_seconds),
        cost=(
            Cost(
                tokens_in=spent[0],
                tokens_out=spent[1],
                cache_read_tokens=total.cache_read_tokens,
                cache_write_tokens=total.cache_write_tokens,
                estimated_cost_usd=spent[2],
            )
            if any(part is not None for part in spent)
            else None
        ),
        completeness="partial",
    )


def import_found(ledger: Ledger, found: Found, report: ImportReport) -> None:
    """Add what was found; a record that cannot be made of it is reported."""
    try:
        record = to_record(found, report.experiment)
    except ValueError as error:
        report.bad(found.trial_id, " ".join(str(error).split())[:500])
        return
    admit(ledger, record, found.evidence, report)


def in_range(reward: float | None, flags: list[str]) -> float | None:
    """A reward that a record can hold; another one is flagged."""
    if reward is None or 0 <= reward <= 1:
        return reward
    flags.append("reward_out_of_range")
    return None
