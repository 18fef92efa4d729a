"""Trials looked at: from a ledger by id, or from a run folder or a trace file that is in no ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.scrub.scrubber import scrub_json
from agingbench.trials.inspect.behaviour import (
    RULES,
    against,
    classify_turns,
    describe,
    edit_distance,
    similarity,
    transitions,
)
from agingbench.trials.inspect.reviews import said_about
from agingbench.trials.inspect.summary import summarize
from agingbench.trials.inspect.transcripts import AUTO, Transcript, read_files, read_path
from agingbench.trials.inspect.turns import Turn, assistant_turns
from agingbench.trials.ledger import Ledger, StoredTrial
from agingbench.trials.query import Query

SUCCESS = 1.0


def read_stored(stored: StoredTrial) -> Transcript:
    """The trace of a trial in a ledger."""
    outputs = stored.record.outputs
    trajectories = [outputs.trajectory_path] if outputs.trajectory_path else []
    conversations = [outputs.conversation_path] if outputs.conversation_path else []
    reading = read_files(stored.files, trajectories, conversations)
    reading.record = stored.record
    reading.agent_result = outputs.agent_result or {}
    return reading


def read_target(
    target: str, ledger: Callable[[], Ledger], format: str = AUTO
) -> tuple[Transcript, StoredTrial | None]:
    """What a user means: a path that is there (in a format that may be named), else a trial by the
    start of its id.
    """
    path = Path(target)
    if _is_there(path):
        return read_path(path, format), None
    if "/" in target or path.suffix in (".jsonl", ".json"):
        raise InputError(f"{target}: there is no such file or folder")
    stored = ledger().get(ledger().resolve(target))
    return read_stored(stored), stored


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def summary_of(target: str, ledger: Callable[[], Ledger], format: str = AUTO) -> dict[str, Any]:
    """The scrubbed summary of a trial, a run folder or a trace file."""
    reading, stored = read_target(target, ledger, format)
    record = reading.record
    about = {
        "trial_id": record.trial_id if record else None,
        "record_hash": stored.record_hash if stored else None,
        "reward": record.evaluation.reward if record else None,
        "completeness": record.completeness if record else None,
    }
    return dict(scrub_json({**about, **summarize(reading)}))


def shown(ledger: Ledger, trial_id: str) -> dict[str, Any]:
    """Everything about a trial, scrubbed; the start of its id is enough."""
    trial_id = ledger.resolve(trial_id)
    stored = ledger.get(trial_id)
    entry = stored.entry
    row = next(iter(ledger.list(Query(trial_id=trial_id))), {})
    told = {
        "trial_id": trial_id,
        "record_hash": stored.record_hash,
        "entry": entry.number,
        "entry_hash": entry.entry_hash,
        "added_at": entry.added_at,
        "supersedes": row.get("supersedes"),
        "superseded_by": row.get("superseded_by"),
        "evidence": {name: blob._asdict() for name, blob in entry.blobs().items()},
    }
    free = {
        "record": stored.record.model_dump(mode="json"),
        "summary": summarize(read_stored(stored)),
        "reviews": list(said_about(ledger, "review", trial_id)),
        "classifications": list(said_about(ledger, "classification", trial_id)),
    }
    return {**told, **scrub_json(free)}


@dataclass(frozen=True)
class Labeller:
    """Who labels turns: a name, the hash of its prompt, and the function."""

    name: str
    prompt_hash: str | None
    label: Callable[[Sequence[Turn]], list[str | None]]


BY_RULES = Labeller(RULES, None, lambda turns: list(classify_turns(turns)))


def classified(
    target: str,
    ledger: Callable[[], Ledger],
    labeller: Labeller = BY_RULES,
    success: float = SUCCESS,
    format: str = AUTO,
) -> tuple[dict[str, Any], StoredTrial | None]:
    """The behaviour of a trial, held against the other successful trials of its experiment and
    task.
    """
    reading, stored = read_target(target, ledger, format)
    turns = assistant_turns(reading.events)
    told = {
        "target": stored.record.trial_id if stored else Path(target).name,
        "source": reading.source,
        "classifier": labeller.name,
        "prompt_hash": labeller.prompt_hash,
        **describe(labeller.label(turns), turns),
    }
    others = _successful(ledger(), stored, labeller, success) if stored else []
    return {**told, "reference": against(told["sequence"], others)}, stored


def _successful(
    ledger: Ledger, stored: StoredTrial, labeller: Labeller, success: float
) -> list[str]:
    """The sequences of other successful trials of the task; the trial itself, sealed or not, is
    never among them.

    Labels of different classifiers are not compared: a model's reference is what it recorded of the
    others.
    """
    record = stored.record
    recorded = {
        said["trial_id"]: said["labels"]
        for said in said_about(ledger, "classification")
        if (said["classifier"], said["prompt_hash"]) == (labeller.name, labeller.prompt_hash)
    }
    sequences = []
    for row in ledger.list(Query(experiment=record.experiment_id, min_reward=success)):
        same = record.trial_id in (row["trial_id"], row["supersedes"], row["superseded_by"])
        if row["task_id"] != record.task.task_id or same or row["superseded_by"] is not None:
            continue
        if labeller is BY_RULES:
            reading = read_stored(ledger.get(row["trial_id"]))
            sequences.append("".join(classify_turns(assistant_turns(reading.events))))
        else:
            sequences.append(recorded.get(row["trial_id"], ""))
    return [s for s in sequences if s]


_COMPARED = (
    "assistant_turns",
    "tool_calls",
    "tool_errors_total",
    "unmatched_calls",
    "total_messages",
)


def compared(
    targets: Sequence[str], ledger: Callable[[], Ledger], format: str = AUTO
) -> dict[str, Any]:
    """Trials side by side, and each against the first: what differs, and how alike they behave."""
    rows = []
    sequences = []
    for target in targets:
        summary = summary_of(target, ledger, format)
        sequences.append(summary["behaviour"]["sequence"])
        rows.append(
            {
                "target": summary["trial_id"] or Path(target).name,
                "source": summary["source"],
                "reward": summary["reward"],
                "completeness": summary["completeness"],
                **{key: summary[key] for key in _COMPARED},
                "tool_errors": summary["tool_errors"],
                "tokens": summary["tokens"],
                "sequence": sequences[-1],
            }
        )
    for row, sequence in zip(rows, sequences, strict=True):
        row["edit_distance"] = edit_distance(sequences[0], sequence)
        row["similarity"] = similarity(transitions(sequences[0]), transitions(sequence))
        row["differs"] = _differences(rows[0], row)
    return {"trials": rows}


def _differences(first: dict[str, Any], row: dict[str, Any]) -> dict[str, float | None]:
    found = {}
    for key in ("reward", *_COMPARED):
        a = first[key]
        b = row[key]
        if a != b:
            found[key] = b - a if a is not None and b is not None else None
    return found
