"""Checks from its files whether a trial is complete, and names every reason why it is not."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agingbench.errors import InputError
from agingbench.traces.blobs import SHA256
from agingbench.traces.trajectory import iter_trace_lines
from agingbench.trials.evidence import Evidence, FolderEvidence, NoEvidence

if TYPE_CHECKING:
    from agingbench.trials.record import InputFile, Outputs, TrialRecord


def earned_completeness(
    record: TrialRecord, evidence: Path | Evidence
) -> tuple[Literal["partial", "complete"], list[str]]:
    """Whether the files in a trial's folder or ledger prove it complete, and every reason why not.

    The task's revision counts as proven when it is the hash of one of the input files (plan.json,
    episode.json).
    """
    files = FolderEvidence(evidence) if isinstance(evidence, Path) else evidence
    reasons: list[str] = []

    if not (record.agent.adapter_revision or "").strip():
        reasons.append("agent.adapter_revision is missing")
    if not record.environment.tool_versions:
        reasons.append("environment.tool_versions is missing")
    if not record.inputs.input_files:
        reasons.append("inputs.input_files is missing")

    digests = []
    for number, file in enumerate(record.inputs.input_files or []):
        reason, digest = _check_input(file, files)
        digests.append(digest)
        if reason:
            reasons.append(f"inputs.input_files.{number} ({file.path}): {reason}")

    revision = record.task.task_revision
    if not SHA256.fullmatch(revision):
        reasons.append("task.task_revision is not a SHA-256")
    elif revision not in digests:
        reasons.append("task.task_revision is not the hash of any input file")

    reasons += _check_outputs(record.outputs, files)
    return ("partial" if reasons else "complete"), reasons


def _check_input(file: InputFile, files: Evidence) -> tuple[str | None, str | None]:
    if not SHA256.fullmatch(file.hash):
        return "its hash is not a SHA-256", None
    try:
        with files.open(file.path) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
    except NoEvidence as error:
        return str(error), None
    reason = None if digest == file.hash else "its content has another hash"
    return reason, digest


def _check_outputs(outputs: Outputs, files: Evidence) -> list[str]:
    reasons = []
    paths = {
        "raw_output_path": outputs.raw_output_path,
        "conversation_path": outputs.conversation_path,
        "trajectory_path": outputs.trajectory_path,
    }
    for name, path in paths.items():
        if path and files.escapes(path):
            reasons.append(f"outputs.{name} leaves the trial's folder")

    if not outputs.trajectory_path:
        reasons.append("outputs.trajectory_path is missing")
    elif not files.escapes(outputs.trajectory_path):
        try:
            with files.open(outputs.trajectory_path) as stream:
                events = iter_trace_lines(stream, outputs.trajectory_path, lambda _: None)
                if next(events, None) is None:
                    reasons.append("outputs.trajectory_path: the trajectory holds no event")
        except (NoEvidence, InputError) as error:
            reasons.append(f"outputs.trajectory_path: {error}")
    return reasons
