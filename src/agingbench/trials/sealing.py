"""Seals a partial trial: a new, complete record with the missing provenance names the old one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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
    """Add the complete record of a partial trial; the old record stays as it is.

    `inputs` are files by name; `task_file` names the one whose hash is the task's revision. Raises
    InputError when something is still missing.
    """
    stored = ledger.get(trial_id)
    if stored.record.completeness == "complete":
        raise InputError(f"trial '{trial_id}' is complete already")

    evidence = {**stored_files(stored), **(inputs or {})}
    record = _completed(
        stored, adapter_revision, dict(tool_versions or {}), dict(inputs or {}), task_file, evidence
    )
    earned, reasons = earned_completeness(record, StoredEvidence.in_memory(evidence))
    if earned != "complete":
        raise InputError(f"trial '{trial_id}' cannot be sealed: {'; '.join(reasons)}")
    return record, ledger.add(record, evidence)


def stored_files(stored: StoredTrial) -> dict[str, bytes]:
    """The content of every file that the ledger stores for a trial, by name."""
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
    fields = stored.record.model_dump()
    fields["trial_id"] = f"{stored.record.trial_id}{SUFFIX}"
    fields["completeness"] = "complete"
    fields["agent"]["adapter_revision"] = adapter_revision or fields["agent"]["adapter_revision"]
    versions = {**(fields["environment"]["tool_versions"] or {}), **tool_versions}
    fields["environment"]["tool_versions"] = versions or None

    input_files = {file["path"]: file for file in fields["inputs"]["input_files"] or []}
    for name, data in inputs.items():
        input_files[name] = {"path": name, "hash": digest_of(data), "source": None}
    fields["inputs"]["input_files"] = list(input_files.values()) or None

    result = dict(fields["outputs"]["agent_result"] or {})
    result["supersedes"] = {"trial_id": stored.record.trial_id, "record_hash": stored.record_hash}
    if task_file is not None:
        if task_file not in evidence:
            raise InputError(f"--task-file {task_file}: give the file as an input too")
        result["task_revision_before_sealing"] = fields["task"]["task_revision"]
        fields["task"]["task_revision"] = digest_of(evidence[task_file])
    fields["outputs"]["agent_result"] = result
    return TrialRecord.model_validate(fields)


def read_inputs(paths: list[Path]) -> dict[str, bytes]:
    """Read the files to seal a trial with, under their own names."""
    files: dict[str, bytes] = {}
    for path in paths:
        if not is_safe_name(path.name) or path.name in files:
            raise InputError(f"{path}: the name {path.name!r} cannot be used, or is used twice")
        try:
            files[path.name] = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return files
