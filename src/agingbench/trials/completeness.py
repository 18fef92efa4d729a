"""When a trial is complete: what its files prove, computed again, and every reason why not."""

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
    """What the files of the trial (its folder, or what a ledger keeps) prove, and every reason why
    not `complete`.

    The task's revision counts as recomputed when it is the hash of one of the input files
    (plan.json, episode.json).
    """
    files = FolderEvidence(evidence) if isinstance(evidence, Path) else evidence
    reasons: list[str] = []
    if not (record.agent.adapter_revision or "").strip():
        reasons.append("agent.adapter_revision is missing")
    if not record.environment.tool_versions:
        reasons.append("environment.tool_versions is missing")
    if not record.inputs.input_files:
        reasons.append("inputs.input_files is missing")
    found = []
    for number, file in enumerate(record.inputs.input_files or []):
        reason, digest = _check_input(file, files)
        found.append(digest)
        if reason:
            reasons.append(f"inputs.input_files.{number} ({file.path}): {reason}")
    revision = record.task.task_revision
    if not SHA256.fullmatch(revision):
        reasons.append("task.task_revision is not a SHA-256")
    elif revision not in found:
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
    return (None if digest == file.hash else "its content has another hash"), digest


def _check_outputs(outputs: Outputs, files: Evidence) -> list[str]:
    reasons = []
    for name in ("raw_output_path", "conversation_path", "trajectory_path"):
        given = getattr(outputs, name)
        if given and files.escapes(given):
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
