"""Episodes as trials: the episode is the task, the context and the answer are its evidence."""

from __future__ import annotations

import functools
import hashlib
import platform
from collections.abc import Collection, Sequence
from datetime import datetime
from importlib import metadata
from typing import Literal

import msgspec

from agingbench import __version__
from agingbench.records import Event
from agingbench.resumption.episodes.episode import Episode
from agingbench.resumption.judges.verdict import count_failures
from agingbench.resumption.runs.card import SCENARIO
from agingbench.resumption.runs.store import EpisodeRow, RunConfig, RunFolder
from agingbench.traces import journal
from agingbench.traces.canonical import canonical_json
from agingbench.traces.trajectory import encode_event, header_line
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.entries import Conflict
from agingbench.trials.evidence import StoredEvidence
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.record import (
    AgentOutput,
    Cost,
    Environment,
    Evaluation,
    InputFile,
    Inputs,
    Outputs,
    Timing,
    TrialAgent,
    TrialRecord,
    TrialTask,
    Validity,
    record_hash,
)

TOOLS = ("msgspec", "numpy", "pydantic", "pyyaml")


def add_trials(
    place: str,
    run: RunFolder,
    config: RunConfig,
    rows: Sequence[EpisodeRow],
    episodes: Sequence[Episode],
    open_domains: Collection[str],
) -> int:
    """Add one trial per episode that was run and return how many were new.

    A refused or failed episode, and one of a domain that the judge is not calibrated for, is a
    trial without a reward; a skipped one is none.
    """
    by_id = {episode.id: episode for episode in episodes}
    added = 0
    with open_ledger(place) as ledger:
        for row in rows:
            episode = by_id.get(row.episode)
            if row.status == "skipped" or not row.finished_at or episode is None:
                continue
            record, files = build_trial(run, config, row, episode, row.domain in open_domains)
            added += _add(ledger, record, files)
    return added


def _add(ledger: Ledger, record: TrialRecord, files: dict[str, bytes]) -> bool:
    """Add a trial and return whether it was new."""
    try:
        return not ledger.add(record, files).duplicate
    except Conflict:
        # The same run under another gate: both records stay.
        trial_id = f"{record.trial_id}.{record_hash(record)[:8]}"
        renamed = record.model_copy(update={"trial_id": trial_id})
        return not ledger.add(renamed, files).duplicate


def build_trial(
    run: RunFolder, config: RunConfig, row: EpisodeRow, episode: Episode, calibrated: bool
) -> tuple[TrialRecord, dict[str, bytes]]:
    """Return the record of one episode and its files; without a passed gate it has no reward."""
    context_file = run.contexts / f"{row.episode}.txt"
    context = context_file.read_bytes() if context_file.is_file() else b""
    task = canonical_json(episode.model_dump(mode="json"))
    files = {
        "episode.json": task,
        "context.txt": context,
        "answer.txt": row.answer.encode(),
        "trace.jsonl": _trace(episode, context.decode("utf-8", "replace"), row, run),
    }

    scores = row.scores
    breakdown: dict[str, object] = {}
    if calibrated:
        breakdown |= msgspec.to_builtins(scores)
        breakdown["quality"] = scores.quality
    breakdown |= {
        "gate": "passed" if calibrated else "uncalibrated",
        "status": row.status,
        "judge_failures": count_failures(row.verdicts),
        "context_tokens": row.context_tokens,
        "verdicts": [msgspec.to_builtins(verdict) for verdict in row.verdicts],
    }

    versions = {name: metadata.version(name) for name in TOOLS}
    record = TrialRecord(
        trial_id=f"resumption.{run.run_id}.{row.episode}",
        experiment_id=run.run_id,
        timestamp=datetime.fromisoformat(row.finished_at),
        task=TrialTask(
            task_id=f"{SCENARIO}/{row.episode}", task_revision=hashlib.sha256(task).hexdigest()
        ),
        agent=TrialAgent(
            adapter=f"resumption+{config.consolidator}",
            model=row.agent or config.agent,
            adapter_revision=__version__,
            configuration=msgspec.to_builtins(config),
        ),
        environment=Environment(
            runtime_image=f"local:{platform.python_version()}",
            compute_backend="local",
            tool_versions=versions,
        ),
        inputs=Inputs(
            instruction=episode.initial_task,
            input_files=[InputFile(path="episode.json", hash=hashlib.sha256(task).hexdigest())],
        ),
        outputs=Outputs(
            agent_output=AgentOutput(
                status=_status(row),
                output_path="answer.txt",
                output_format="text",
                error_message=row.reason or None,
            ),
            raw_output_path="context.txt",
            trajectory_path="trace.jsonl",
        ),
        evaluation=Evaluation(
            reward=scores.quality if calibrated else None,
            breakdown=breakdown,
            validity=Validity(
                output_parseable=True,
                schema_valid=True,
                verifier_completed=row.status == "scored",
                errors=[row.reason] if row.reason else [],
            ),
        ),
        timing=Timing(total_seconds=row.seconds),
        cost=Cost(
            tokens_in=row.usage.input_tokens,
            tokens_out=row.usage.output_tokens,
            estimated_cost_usd=row.usage.cost_usd,
        ),
        completeness="partial",
    )
    held = StoredEvidence({name: functools.partial(bytes, data) for name, data in files.items()})
    earned, _ = earned_completeness(record, held)
    return record.model_copy(update={"completeness": earned}), files


def _status(row: EpisodeRow) -> Literal["completed", "failed", "empty"]:
    if row.status != "scored":
        return "failed"
    return "completed" if row.answer.strip() else "empty"


def _trace(episode: Episode, context: str, row: EpisodeRow, run: RunFolder) -> bytes:
    events = [Event(step=0, role="user", content=f"{episode.initial_task}\n\n{context}")]
    acts = run.acts / f"{row.episode}.jsonl"
    events += journal.records(acts, Event, "an event")
    events.append(Event(step=0, role="assistant", content=row.answer))
    for step, event in enumerate(events):
        event.step = step
    return b"\n".join([header_line(), *map(encode_event, events)]) + b"\n"
