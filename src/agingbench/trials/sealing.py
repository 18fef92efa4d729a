"""Sealing: a partial record with the provenance it lacked becomes a new, complete record that names
the old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agingbench.errors import InputError
from agingbench.traces.blobs import digest_of
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.entries import Receipt
from agingbench.trials.evidence import NoEvidence, StoredEvidence, is_safe_name
from agingbench.trials.ledger import Ledger, StoredTrial
from agingbench.trials.record import TrialRecord

SUFFIX = ".sealed"


def seal(
    ledger: Ledger,
    trial_id: str,
    *,
    adapter_revision: str | None = None,
    tool_versions: Mapping[str, str] | None = None,
    inputs: Mapping[str, bytes] | None = None,
    task_file: str | None = None,
) -> tuple[TrialRecord, Receipt]:
    """Write the complete record of a trial; the old one stays as it is. What is still missing is an
    InputError.

    `inputs` are files by name; `task_file` names the one whose hash is the task's revision.
    """
    stored = ledger.get(trial_id)
    if stored.record.completeness == "complete":
        raise InputError(f"trial '{trial_id}' is complete already")
    evidence = {**kept_files(stored), **(inputs or {})}
    record = _completed(
        stored, adapter_revision, dict(tool_versions or {}), dict(inputs or {}), task_file, evidence
    )
    earned, reasons = earned_completeness(record, StoredEvidence.held(evidence))
    if earned != "complete":
        raise InputError(f"trial '{trial_id}' cannot be sealed: {'; '.join(reasons)}")
    return record, ledger.add(record, evidence)


def kept_files(stored: StoredTrial) -> dict[str, bytes]:
    """Everything that the ledger keeps for a trial, by name."""
    files = {}
    for name in stored.entry.blobs():
        try:
            with stored.files.open(name) as stream:
                files[name] = stream.read()
        except NoEvidence as error:
            raise InputError(f"{name}: {error}") from error
    return files


def _completed(
    stored: StoredTrial,
    adapter_revision: str | None,
    tool_versions: dict[str, str],
    inputs: dict[str, bytes],
    task_file: str | None,
    evidence: dict[str, bytes],
) -> TrialRecord:
    plain: dict[str, Any] = stored.record.model_dump()
    plain["trial_id"] = f"{stored.record.trial_id}{SUFFIX}"
    plain["completeness"] = "complete"
    plain["agent"]["adapter_revision"] = adapter_revision or plain["agent"]["adapter_revision"]
    plain["environment"]["tool_versions"] = {
        **(plain["environment"]["tool_versions"] or {}),
        **tool_versions,
    } or None
    named = {file["path"]: file for file in plain["inputs"]["input_files"] or []}
    for name, data in inputs.items():
        named[name] = {"path": name, "hash": digest_of(data), "source": None}
    plain["inputs"]["input_files"] = list(named.values()) or None
    result = dict(plain["outputs"]["agent_result"] or {})
    result["supersedes"] = {"trial_id": stored.record.trial_id, "record_hash": stored.record_hash}
    if task_file is not None:
        if task_file not in evidence:
            raise InputError(f"--task-file {task_file}: give the file as an input too")
        result["task_revision_before_sealing"] = plain["task"]["task_revision"]
        plain["task"]["task_revision"] = digest_of(evidence[task_file])
    plain["outputs"]["agent_result"] = result
    return TrialRecord.model_validate(plain)


def read_inputs(paths: list[Path]) -> dict[str, bytes]:
    """Files to seal with, under their own names."""
    files: dict[str, bytes] = {}
    for path in paths:
        if not is_safe_name(path.name) or path.name in files:
            raise InputError(f"{path}: the name {path.name!r} cannot be used, or is used twice")
        try:
            files[path.name] = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return files
