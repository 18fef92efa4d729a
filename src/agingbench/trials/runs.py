"""Lives that end in a ledger by themselves: where it is, and what happens when a life was scored or
lived again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.trials.entries import Blob, Conflict, Receipt
from agingbench.trials.ledger import RECORD_FILE, Ledger, folder_evidence, named_blobs, open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import TrialRecord, read_trial, record_hash

NONE = "none"


def ledger_place(given: str | None, out: Path) -> str | None:
    """The ledger that `--ledger` means: one in the output folder unless another is named; None for
    `none`.
    """
    if given is None:
        return str(out / "ledger.sqlite")
    return None if given == NONE else given


def add_life(place: str | None, folder: Path) -> Receipt | None:
    """Add the trial of a finished life, unless there is no ledger."""
    if place is None:
        return None
    with open_ledger(place) as ledger:
        return add_run(ledger, folder)


def add_run(ledger: Ledger, folder: Path) -> Receipt:
    """Add the trial in a run's folder. A life that was scored or lived again gets a second record;
    the first stays.
    """
    record = read_trial(folder / RECORD_FILE)
    there = ledger.store.entry("trial", record.trial_id)
    hashed = record_hash(record)
    if (
        there is not None and there.body_hash == hashed
    ):  # a study that is started again has all its lives here
        return Receipt(there.number, there.entry_hash, hashed, duplicate=True)
    evidence = folder_evidence(record, folder)
    try:
        return ledger.add(record, evidence)
    except Conflict:
        return ledger.add(_again(ledger, record, evidence), evidence)


def _again(ledger: Ledger, record: TrialRecord, evidence: dict[str, bytes]) -> TrialRecord:
    hashed = record_hash(record)
    plain = record.model_dump()
    plain["trial_id"] = f"{record.trial_id}.{hashed[:8]}"
    result = {
        **(plain["outputs"]["agent_result"] or {}),
        "written_as": {"trial_id": record.trial_id, "record_hash": hashed},
    }
    before = _scored_before(ledger, record, named_blobs(evidence), plain["trial_id"])
    if before is not None:
        result["supersedes"] = {
            "trial_id": before["trial_id"],
            "record_hash": before["record_hash"],
        }
    plain["outputs"]["agent_result"] = result
    return TrialRecord.model_validate(plain)


def _scored_before(
    ledger: Ledger, record: TrialRecord, blobs: dict[str, Blob], own: str
) -> dict[str, Any] | None:
    """The last record of the same life, told by its trace, that the new scores stand in for."""
    trace = record.outputs.trajectory_path or ""
    found = None
    for row in ledger.list(Query(id_prefix=record.trial_id)):
        same = row["trial_id"] == record.trial_id or row["trial_id"].startswith(
            f"{record.trial_id}."
        )
        if row["trial_id"] == own:
            break  # it is there already: what it said then is what it says
        if (
            same
            and trace in blobs
            and ledger.get(row["trial_id"]).entry.blobs().get(trace) == blobs[trace]
        ):
            found = row
    return found
