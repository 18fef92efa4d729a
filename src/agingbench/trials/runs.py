"""Adds the trials of runs to a ledger, also when a life was scored or run again."""

from __future__ import annotations

from pathlib import Path

from agingbench.trials.columns import TrialRow
from agingbench.trials.entries import Blob, Conflict, Receipt
from agingbench.trials.ledger import RECORD_FILE, Ledger, blobs_of, folder_evidence, open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import TrialRecord, read_trial, record_hash

NONE = "none"
PARTIAL_FILE = "partial.json"  # the record of a life that has not ended


def record_file(folder: Path) -> Path:
    """The file with the newest record in a run's folder: that of its end, else the partial one."""
    partial = folder / PARTIAL_FILE
    ended = folder / RECORD_FILE
    return partial if partial.exists() and not ended.exists() else ended


def ledger_place(option: str | None, out: Path) -> str | None:
    """The ledger that `--ledger` means: by default one in the output folder, None for `none`."""
    if option is None:
        return str(out / "ledger.sqlite")
    return None if option == NONE else option


def add_life(place: str | None, folder: Path) -> Receipt | None:
    """Add the newest record of a life, unless there is no ledger."""
    if place is None:
        return None
    with open_ledger(place) as ledger:
        return add_run(ledger, folder)


def add_run(ledger: Ledger, folder: Path) -> Receipt:
    """Add the trial in a run's folder; a life scored or run again gets a second record."""
    record = read_trial(record_file(folder))
    hash = record_hash(record)

    # A study that is started again has all its finished lives here.
    entry = ledger.store.entry("trial", record.trial_id)
    if entry is not None and entry.body_hash == hash:
        return Receipt(entry.number, entry.entry_hash, hash, duplicate=True)

    evidence = folder_evidence(record, folder)
    try:
        return ledger.add(record, evidence)
    except Conflict:
        return ledger.add(_second_record(ledger, record, evidence), evidence)


def _second_record(ledger: Ledger, record: TrialRecord, evidence: dict[str, bytes]) -> TrialRecord:
    """The record under a new id, with a pointer to the older record that it replaces, if any."""
    hash = record_hash(record)
    fields = record.model_dump()
    fields["trial_id"] = f"{record.trial_id}.{hash[:8]}"

    result = dict(fields["outputs"]["agent_result"] or {})
    result["written_as"] = {"trial_id": record.trial_id, "record_hash": hash}
    older = _older_record(ledger, record, blobs_of(evidence), fields["trial_id"])
    if older is not None:
        result["supersedes"] = {"trial_id": older.trial_id, "record_hash": older.record_hash}
    fields["outputs"]["agent_result"] = result
    return TrialRecord.model_validate(fields)


def _older_record(
    ledger: Ledger, record: TrialRecord, blobs: dict[str, Blob], new_id: str
) -> TrialRow | None:
    """The last record of the same life that the new one replaces: one with the same trace, or one
    of the life before it was finished.
    """
    trace = record.outputs.trajectory_path or ""
    revision = record.task.task_revision
    older = None
    for row in ledger.list(Query(id_prefix=record.trial_id)):
        if row.trial_id == new_id:
            break  # the new record is there already; later ones do not count
        is_same_life = row.trial_id == record.trial_id or row.trial_id.startswith(
            f"{record.trial_id}."
        )
        if not is_same_life or trace not in blobs:
            continue
        same_trace = ledger.get(row.trial_id).entry.blobs().get(trace) == blobs[trace]
        was_unfinished = row.completeness == "partial" and row.reward is None
        was_incomplete = was_unfinished and row.task_revision == revision
        if same_trace or was_incomplete:
            older = row
    return older
