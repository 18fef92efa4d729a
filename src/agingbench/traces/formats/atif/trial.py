"""The trial in an ATIF document, with the result that Harbor writes into the trial's folder."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from agingbench.records import Event, ReadLog, Usage
from agingbench.traces.blobs import digest_of
from agingbench.traces.decoding.building import amount, count, first, mapping, string
from agingbench.traces.decoding.times import parse_time
from agingbench.traces.files import parse_json, read_bytes
from agingbench.traces.foreign_trial import (
    TRAJECTORY,
    ForeignTrial,
    reward_or_flag,
    slug,
    trace_bytes,
)

RESULT = "result.json"


def trial_in(
    file: Path,
    log: ReadLog,
    read_events: Callable[[IO[bytes]], list[Event]],
) -> ForeignTrial:
    """The trial of a document; raises InputError when it or Harbor's result cannot be read."""
    data = read_bytes(file)
    document = mapping(parse_json(data, str(file)))
    events = read_events(io.BytesIO(data))
    agent = mapping(document.get("agent"))
    session = string(document.get("session_id"))
    result_file = _harbor_result(file)
    harbor = _read_result(result_file) if result_file is not None else {}

    name = slug(harbor.get("trial_name") or session or file.stem, 80)
    trial = ForeignTrial(
        trial_id=f"atif-{name}-{digest_of(data)[:12]}",
        task_id=string(harbor.get("task_name")) or f"atif/{session or file.stem}",
        adapter=string(agent.get("name")) or "atif",
        adapter_revision=string(agent.get("version")),
        model=string(agent.get("model_name")),
        events=events,
        environment="harbor" if harbor else "atif",
        evidence={TRAJECTORY: trace_bytes(events), "atif.json": data},
        configuration=mapping(agent.get("extra")),
        about={
            "source": "atif",
            "schema_version": document.get("schema_version"),
            "session_id": session,
            "final_metrics": mapping(document.get("final_metrics")),
            "copied_steps": log.duplicate,
            "unreadable_steps": log.n_malformed,
        },
    )

    if result_file is not None:
        _add_result(trial, harbor)
        trial.evidence["harbor_result.json"] = read_bytes(result_file)

    return trial


def _harbor_result(file: Path) -> Path | None:
    """Harbor's result file for a trajectory; None outside a trial's folder."""
    for folder in (file.parent, file.parent.parent):
        result_file = folder / RESULT
        if result_file.is_file():
            result = _read_result(result_file)
            if "trial_name" in result or "verifier_result" in result:
                return result_file

    return None


def _read_result(file: Path) -> dict[str, Any]:
    return mapping(parse_json(read_bytes(file), str(file)))


def _add_result(trial: ForeignTrial, result: dict[str, Any]) -> None:
    """Add Harbor's result to a trial: reward, times, failure and usage."""
    verifier = mapping(result.get("verifier_result"))
    rewards = mapping(verifier.get("rewards"))
    reward = amount(verifier["reward"] if "reward" in verifier else rewards.get("reward"))
    trial.reward = reward_or_flag(reward, trial.flags)
    trial.breakdown = rewards or None
    if reward is not None:
        trial.breakdown = {**rewards, "raw_reward": reward}

    start = parse_time(result.get("started_at"), trial.flags)
    end = parse_time(result.get("finished_at"), trial.flags)
    trial.time = start
    if start and end and end >= start:
        trial.seconds = (end - start).total_seconds()

    failure = mapping(result.get("exception_info"))
    if failure:
        trial.status = "failed"
        trial.error = string(first(failure, "exception_message", "exception_type")) or "failed"

    agent = mapping(result.get("agent_result"))
    input_tokens = count(first(agent, "n_input_tokens"))
    if input_tokens is not None:
        trial.usage = Usage(
            input_tokens,
            count(first(agent, "n_output_tokens")),
            count(first(agent, "n_cache_tokens")),
            None,
            amount(agent.get("cost_usd")),
            1,
        )

    names = ("trial_name", "task_name", "task_checksum", "source")
    trial.about["harbor"] = {name: result.get(name) for name in names}
