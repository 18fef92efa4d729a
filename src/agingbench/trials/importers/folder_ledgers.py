"""Imports ledgers that are folders of JSON files, of both generations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from agingbench.errors import InputError
from agingbench.traces.blobs import digest_of
from agingbench.traces.files import parse_json, read_bytes
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.evidence import StoredEvidence, is_safe_name
from agingbench.trials.importers.admission import admit, quarantine
from agingbench.trials.importers.generation2 import Artifact, is_empty, migrate
from agingbench.trials.importers.importer import Importer, visible_files
from agingbench.trials.importers.report import SILENT, ImportProgress, ImportReport
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import TrialRecord, parse_trial

SOURCE_FILE = "source_record.json"
MANIFEST_FILE = "source_manifest.json"
_PATHS = ("raw_output_path", "conversation_path", "trajectory_path")


class FolderLedgerImporter(Importer):
    """Ledgers kept as folders of JSON files, of generation 1 or 2."""

    name = "ledger"
    expects = "a ledger kept as a folder, EXPERIMENT/TRIAL.json"

    def sniff(self, path: Path) -> float:
        """Sure of a folder in which a JSON file has a trial's id."""
        if not path.is_dir():
            return 0.0
        return 0.9 if any(_has_trial_id(file) for file in visible_files(path, "*.json")) else 0.0

    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress = SILENT,
    ) -> ImportReport:
        """Import every record below a folder; the records name their experiments themselves."""
        if not path.is_dir():
            raise InputError(f"{path}: not a folder, or not there")
        if experiment is not None:
            raise InputError("--experiment: the records of a ledger name their own experiments")
        return import_folder_ledger(ledger, path, progress)


def _has_trial_id(file: Path) -> bool:
    try:
        content = parse_json(read_bytes(file), file.name)
    except InputError:
        return False

    return isinstance(content, dict) and "trial_id" in content


def import_folder_ledger(
    ledger: Ledger,
    root: Path,
    progress: ImportProgress = SILENT,
) -> ImportReport:
    """Import every record below a folder, except files below `_…` and `.…`; unreadable ones are
    quarantined.
    """
    report = ImportReport(root.resolve().name)
    files = list(_record_files(root))
    _check_folder(root, files)
    manifests = _manifests(root, report)
    progress.begin(report, len(files))

    for file in files:
        progress.step()
        name = str(file.relative_to(root))
        try:
            data = read_bytes(file)
        except InputError as error:
            report.add_problem(name, error, name)
            continue

        try:
            source = _read(root, file, data, manifests)
        except InputError as error:
            quarantine(ledger, name, data, str(error).replace(str(file), name), report)
            continue

        _admit(ledger, source, report)
        if source.notes:
            report.notes[name] = source.notes

    return report


def _admit(ledger: Ledger, source: SourceRecord, report: ImportReport) -> None:
    generation = _generation(source.record)

    def is_another(existing: TrialRecord) -> bool:
        return _generation(existing) != generation

    admit(ledger, source.record, source.evidence, report, another=is_another)


def _check_folder(root: Path, files: Sequence[Path]) -> None:
    """Raise InputError for a folder that is no ledger."""
    expected = "a ledger is a folder with one JSON file per trial, EXPERIMENT/TRIAL.json"
    if not files:
        raise InputError(f"{root}: there is no record here; {expected}")

    others = [file for file in files if _is_something_else(file)]
    if others and len(others) == len(files):
        raise InputError(
            f"{root}: none of its {len(files)} JSON files is a trial record; {expected}"
        )


def _is_something_else(file: Path) -> bool:
    # A torn file may have been a record; one that is whole and has no trial's id never was.
    try:
        content = parse_json(read_bytes(file), file.name)
    except InputError:
        return False

    return not (isinstance(content, dict) and {"trial_id", "schema_version"} & content.keys())


def _record_files(root: Path) -> Iterator[Path]:
    for file in sorted(root.rglob("*.json")):
        inner = file.relative_to(root).parts
        if (
            not any(part.startswith(("_", ".")) for part in inner)
            and file.is_file()
            and not file.is_symlink()
        ):
            yield file


class Manifest(NamedTuple):
    """The manifest of a run, and its bytes."""

    content: dict[str, Any]
    raw: bytes


Manifests = dict[tuple[str, str], Manifest]


@dataclass
class SourceRecord:
    """A record that was read from a folder, with its evidence and notes on what was changed."""

    record: TrialRecord
    evidence: dict[str, bytes]
    notes: list[str]


def _manifests(root: Path, report: ImportReport) -> Manifests:
    """The manifests of runs by folder and run id."""
    manifests: Manifests = {}
    for file in sorted(root.rglob("_runs/*.json")):
        try:
            data = read_bytes(file)
            manifest = parse_json(data, file.name)
        except InputError as error:
            name = str(file.relative_to(root))
            report.add_problem(name, error, name)
            continue

        if isinstance(manifest, dict) and isinstance(manifest.get("run_id"), str):
            manifests[str(file.parent.parent), manifest["run_id"]] = Manifest(manifest, data)

    return manifests


def _read(root: Path, file: Path, data: bytes, manifests: Manifests) -> SourceRecord:
    """The record in a file, of either generation; raises InputError when it is none."""
    obj = parse_json(data, str(file))
    if not isinstance(obj, dict):
        raise InputError(f"{file}: not a trial record (a JSON object is expected)")

    if "schema_version" not in obj:
        return _generation1(root, file, obj, data)

    manifest = manifests.get((str(file.parent), str(obj.get("run_id"))))
    migration = migrate(obj, None if manifest is None else manifest.content, str(file))
    evidence, missing = _artifacts(root, migration.artifacts)
    notes = [f"kept in outputs.agent_result.generation_2: {name}" for name in migration.beyond]
    notes += missing
    evidence[SOURCE_FILE] = data
    evidence[MANIFEST_FILE] = b"" if manifest is None else manifest.raw
    return SourceRecord(_with_import_notes(migration.record, 2, notes), evidence, notes)


def _artifacts(root: Path, artifacts: list[Artifact]) -> tuple[dict[str, bytes], list[str]]:
    """The files that a record names by hash, checked; missing or changed ones become notes."""
    evidence = {}
    notes = []
    for artifact in artifacts:
        path = root / "_artifacts" / "artifacts" / "sha256" / artifact.sha256[:2] / artifact.sha256
        try:
            data = read_bytes(path)
        except InputError:
            notes.append(
                f"artifact_missing: {artifact.name} ({artifact.sha256}) is not in the content store"
            )
            continue

        has_size = artifact.size < 0 or len(data) == artifact.size
        if digest_of(data) != artifact.sha256 or not has_size:
            notes.append(
                f"artifact_mismatch: {artifact.name} has another content than its hash"
                f" {artifact.sha256}"
            )
            continue

        evidence[artifact.name] = data

    return evidence, notes


def _generation1(root: Path, file: Path, obj: dict[str, Any], data: bytes) -> SourceRecord:
    """Return a record of generation 1, called complete only if its evidence proves it."""
    # Both change `obj` and say what they changed.
    notes = list(_move_extensions(obj)) + list(_assume_utc(obj))
    claimed_completeness = obj.get("completeness")
    # A record may call itself complete only once its evidence has been checked, further down.
    obj["completeness"] = "partial"
    record = parse_trial(json.dumps(obj).encode(), str(file))
    evidence, moved = _work_files(root, file, record)
    fields = record.model_dump()

    for name, (old_path, new_path) in moved.items():
        fields["outputs"][name] = new_path
        notes.append(f"outputs.{name}: {old_path} is kept as {new_path}")

    record = TrialRecord.model_validate(fields)
    if claimed_completeness == "complete":
        earned, reasons = earned_completeness(record, StoredEvidence.in_memory(evidence))
        if earned == "complete":
            record = TrialRecord.model_validate({**record.model_dump(), "completeness": "complete"})
        else:
            notes.append(f"claimed complete, is partial: {'; '.join(reasons)}")

    evidence[SOURCE_FILE] = data
    return SourceRecord(_with_import_notes(record, 1, notes), evidence, notes)


def _move_extensions(obj: dict[str, Any]) -> Iterator[str]:
    """Move fields that later writers of generation 1 added to where extensions go; yields notes."""
    fields_of = {"": set(TrialRecord.model_fields)}
    for name, info in TrialRecord.model_fields.items():
        inner = getattr(info.annotation, "model_fields", None)
        if inner is not None:
            fields_of[name] = set(inner)

    beyond: dict[str, Any] = {}
    for place, fields in fields_of.items():
        part = obj.get(place) if place else obj
        if isinstance(part, dict):
            for key in [k for k in part if k not in fields]:
                beyond[f"{place}.{key}" if place else key] = part.pop(key)

    extensions = {key: value for key, value in beyond.items() if not is_empty(value)}
    outputs = obj.get("outputs")
    if extensions and isinstance(outputs, dict):
        outputs["agent_result"] = {
            **(outputs.get("agent_result") or {}),
            "beyond_generation_1": extensions,
        }
        yield from (
            f"kept in outputs.agent_result.beyond_generation_1: {key}" for key in sorted(extensions)
        )


def _assume_utc(obj: dict[str, Any]) -> Iterator[str]:
    """Make a timestamp without a zone UTC; yields a note."""
    text = obj.get("timestamp")
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return

    if time is not None and time.tzinfo is None:
        obj["timestamp"] = time.replace(tzinfo=UTC).isoformat()
        yield f"timestamp {text} has no zone; taken as UTC"


def _work_files(
    root: Path,
    file: Path,
    record: TrialRecord,
) -> tuple[dict[str, bytes], dict[str, tuple[str, str]]]:
    """The files under `_artifacts/<trial_id>`, and the fields of the record that name them."""
    folder = file.parent / "_artifacts" / record.trial_id
    evidence: dict[str, bytes] = {}
    paths = sorted(folder.rglob("*")) if folder.is_dir() and not folder.is_symlink() else []
    for path in paths:
        name = path.relative_to(folder).as_posix()
        is_plain = path.is_file() and not path.is_symlink() and is_safe_name(name)
        if is_plain and path.resolve().is_relative_to(root.resolve()):
            evidence[name] = read_bytes(path)

    moved = {}
    mark = f"_artifacts/{record.trial_id}/"
    for field in _PATHS:
        there = getattr(record.outputs, field)
        here = there.partition(mark)[2] if there and mark in there else there
        if here and here in evidence and here != there:
            moved[field] = (there, here)

    return evidence, moved


def _generation(record: TrialRecord) -> int | None:
    """The generation of the ledger that a record came from; None if it came from elsewhere."""
    origin = (record.outputs.agent_result or {}).get("import")
    generation = origin.get("generation") if isinstance(origin, dict) else None
    return generation if isinstance(generation, int) else None


def _with_import_notes(record: TrialRecord, generation: int, notes: list[str]) -> TrialRecord:
    plain = record.model_dump()
    flags = sorted({n.partition(":")[0] for n in notes if n.startswith("artifact_")})
    origin = {"generation": generation, "notes": notes}
    plain["outputs"]["agent_result"] = {
        **(plain["outputs"]["agent_result"] or {}),
        "import": origin,
        "flags": flags,
    }

    return TrialRecord.model_validate(plain)
