"""Records of generation 2 (`schema_version: 2`), converted to generation 1."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import ValidationError

from agingbench.errors import InputError
from agingbench.traces.blobs import SHA256
from agingbench.trials.record import (
    AgentOutput,
    Cost,
    Environment,
    Evaluation,
    Timing,
    TrialAgent,
    TrialRecord,
    Validity,
)

# What is carried over, part by part. Everything else, also what nobody knows yet, is kept under
# `outputs.agent_result.generation_2` and listed.
_CARRIED: dict[str, Collection[str]] = {
    "": (
        "schema_version",
        "trial_id",
        "task_id",
        "started_at",
        "input",
        "output",
        "evaluation",
        "timing",
        "cost",
    ),
    "input": ("instruction", "task_revision", "visibility", "system_prompt", "input_files"),
    "output": ("agent_output", "raw_output", "conversation", "trajectory", "agent_result"),
    "output.agent_output": AgentOutput.model_fields,
    "evaluation": Evaluation.model_fields,
    "evaluation.validity": Validity.model_fields,
    "timing": Timing.model_fields,
    "cost": Cost.model_fields,
    "manifest": (
        "schema_version",
        "run_id",
        "experiment_id",
        "dataset",
        "agent",
        "execution_environment",
    ),
    "manifest.agent": TrialAgent.model_fields,
    "manifest.execution_environment": Environment.model_fields,
}
_ENDINGS = {
    "application/x-ndjson": ".jsonl",
    "application/json": ".json",
    "text/markdown": ".md",
    "text/plain": ".txt",
}


@dataclass(frozen=True)
class Artifact:
    """A file that a record names by hash, and its name as evidence."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Migration:
    """A converted record, its files, and the fields for which generation 1 has no place."""

    record: TrialRecord
    artifacts: list[Artifact]
    beyond: list[str]


def migrate(record: dict[str, Any], manifest: dict[str, Any] | None, name: str) -> Migration:
    """Convert a record with the manifest of its run; raises InputError if it is not one."""
    if record.get("schema_version") != 2:
        raise InputError(
            f"{name}: schema_version is {record.get('schema_version')!r}; 2 is read here"
        )

    if manifest is None:
        raise InputError(f"{name}: the manifest of its run {record.get('run_id')!r} is not there")

    try:
        artifacts = list(_artifacts(record))
        extensions, beyond = _beyond(record, manifest)
        trial = TrialRecord.model_validate_json(
            msgspec.json.encode(_converted(record, manifest, artifacts, extensions))
        )
    except (ValidationError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"{name}: not a record of generation 2 ({' '.join(str(error).split())[:300]})"
        ) from error

    return Migration(trial, artifacts, beyond)


def _converted(
    record: dict[str, Any],
    manifest: dict[str, Any],
    artifacts: list[Artifact],
    extensions: dict[str, Any],
) -> dict[str, Any]:
    """The fields of a record of generation 1."""
    inputs = record["input"]
    output = record.get("output") or {}
    environment = manifest["execution_environment"]
    agent = manifest["agent"]
    name_of = {a.name.partition(".")[0]: a.name for a in artifacts}
    cost = _picked(record.get("cost") or {}, "cost")
    agent_output = output.get("agent_output")

    return {
        "trial_id": record["trial_id"],
        "experiment_id": manifest["experiment_id"],
        "dataset_id": _dataset(manifest.get("dataset")),
        "timestamp": record["started_at"],
        "task": {
            "task_id": record["task_id"],
            "task_revision": inputs["task_revision"],
            "visibility": inputs.get("visibility"),
        },
        "agent": _picked(agent, "manifest.agent"),
        "environment": _picked(environment, "manifest.execution_environment"),
        "inputs": {key: inputs.get(key) for key in ("instruction", "system_prompt", "input_files")},
        "outputs": {
            "agent_output": agent_output and _picked(agent_output, "output.agent_output"),
            "raw_output_path": name_of.get("raw_output"),
            "conversation_path": name_of.get("conversation"),
            "trajectory_path": name_of.get("trajectory"),
            "agent_result": {**(output.get("agent_result") or {}), "generation_2": extensions},
        },
        "evaluation": _evaluation(record),
        "timing": _picked(record["timing"], "timing"),
        "cost": cost if any(value is not None for value in cost.values()) else None,
        "completeness": "partial",
    }


def _picked(part: dict[str, Any], place: str) -> dict[str, Any]:
    return {key: part[key] for key in _CARRIED[place] if key in part}


def _dataset(dataset: Any) -> str | None:
    if isinstance(dataset, dict) and dataset.get("name"):
        if dataset.get("version"):
            return f"{dataset['name']}@{dataset['version']}"
        return str(dataset["name"])

    return dataset if isinstance(dataset, str) else None


def _evaluation(record: dict[str, Any]) -> dict[str, Any]:
    evaluation = record.get("evaluation")
    if evaluation is None:
        why = f"evaluation_status is {record.get('evaluation_status')}"
        validity = {
            "output_parseable": True,
            "schema_valid": True,
            "verifier_completed": False,
            "errors": [why],
        }

        return {"reward": None, "validity": validity}

    return {
        **_picked(evaluation, "evaluation"),
        "validity": _picked(evaluation["validity"], "evaluation.validity"),
    }


def _beyond(record: dict[str, Any], manifest: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The fields for which generation 1 has no place, by their names; empty values are left out."""
    extensions: dict[str, Any] = {}
    for place, carried in _CARRIED.items():
        part: Any = {**record, "manifest": manifest} if place else record
        for step in place.split(".") if place else ():
            part = part.get(step) or {}
        for key, value in part.items():
            if key not in carried and not is_empty(value):
                extensions[f"{place}.{key}" if place else key] = value

    return extensions, sorted(extensions)


def is_empty(value: Any) -> bool:
    """Whether a value says nothing: null, false, an empty list or object, but not 0 or ""."""
    return value is None or value is False or (isinstance(value, list | dict) and not value)


def _objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a list, with their places."""
    for number, item in enumerate(value or []):
        if isinstance(item, dict):
            yield number, item


def _artifacts(record: dict[str, Any]) -> Iterator[Artifact]:
    output = record.get("output") or {}
    references = [(role, output.get(role)) for role in ("raw_output", "conversation", "trajectory")]
    references.append(("provider_evidence", record.get("provider_evidence")))
    for number, item in _objects(record.get("authority_evidence")):
        references.append((f"authority_{item.get('authority_kind', number)}", item.get("artifact")))
    for number, item in _objects(record.get("extension_refs")):
        references.append((f"extension_{item.get('extension_kind', number)}", item.get("artifact")))
    for number, item in _objects(output.get("artifacts")):
        references.append((f"artifacts/{number}", item.get("artifact")))

    hashes: set[str] = set()
    names: set[str] = set()

    for role, reference in references:
        fields = reference if isinstance(reference, dict) else {}
        sha256 = fields.get("sha256")
        if isinstance(sha256, str) and SHA256.fullmatch(sha256) and sha256 not in hashes:
            hashes.add(sha256)
            size = fields.get("size_bytes")
            ending = _ENDINGS.get(str(fields.get("media_type")), "")
            safe = re.sub(r"[^a-z0-9_/]", "_", role.lower())
            # Of two of one kind, neither may take the other's place.
            if safe + ending in names:
                safe += f"_{sha256[:12]}"
            names.add(safe + ending)
            yield Artifact(safe + ending, sha256, size if type(size) is int else -1)
