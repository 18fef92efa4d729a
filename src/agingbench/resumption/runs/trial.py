"""Episodes as trials: the episode is the task, the context and the answer are its evidence."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from importlib import metadata
from typing import Literal

import msgspec

from agingbench import __version__
from agingbench.records import Event
from agingbench.resumption.episodes.episode import Episode
from agingbench.resumption.judges.verdict import count_failures
from agingbench.resumption.runs.card import SCENARIO, ResumptionCard
from agingbench.resumption.runs.store import EpisodeRow, RunConfig, RunFolder
from agingbench.traces import journal
from agingbench.traces.canonical import canonical_json
from agingbench.traces.trajectory import encode_event, header_line
from agingbench.trials.card_trials import card_trial
from agingbench.trials.entries import Conflict
from agingbench.trials.evidence import StoredEvidence
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.parts import as_earned, cost_of, local_environment
from agingbench.trials.record import (
    AgentOutput,
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
            record, files = build_trial(run, config, row, episode, row.gate_domain in open_domains)
            added += _add(ledger, record, files)
    return added


def add_run_trial(place: str, card: ResumptionCard, config: RunConfig) -> bool:
    """Add a whole run with its scrubbed card as evidence; False where equal evidence is there."""
    name = f"resumption.{card.run_id}.{str(card.content_hash)[:8]}"
    with open_ledger(place) as ledger:
        if ledger.store.entry("trial", name) is not None:
            return False
        record, files = card_trial(
            card.document(),
            name,
            experiment=card.run_id,
            harness=f"resumption+{config.consolidator}",
            model=config.agent,
            reward=card.headline.quality.value,
        )
        return not ledger.add(record, files).duplicate


def _add(ledger: Ledger, record: TrialRecord, files: dict[str, bytes]) -> bool:
    """Add a trial and return whether it was new."""
    try:
        return not ledger.add(record, files).duplicate
    except Conflict:
        # The same run under another gate: both records stay.
        trial_id = f"{record.trial_id}.{record_hash(record)[:8]}"
        renamed = record.model_copy(update={"trial_id": trial_id})
        return not ledger.add(renamed, files).duplicate


@cache
def _tool_versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in TOOLS}


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

    # Who says nothing and earns nothing left no output to read; acts may earn without a word.
    reward = scores.quality if calibrated else None
    unreadable = reward == 0 and not row.answer.strip()
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
        environment=local_environment(platform.python_version(), dict(_tool_versions())),
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
            reward=reward,
            breakdown=breakdown,
            validity=Validity(
                output_parseable=not unreadable,
                schema_valid=not unreadable,
                verifier_completed=row.status == "scored",
                errors=[row.reason] if row.reason else [],
            ),
        ),
        timing=Timing(total_seconds=row.seconds),
        cost=cost_of(row.usage),
        completeness="partial",
    )
    return as_earned(record, StoredEvidence.in_memory(files)), files


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
