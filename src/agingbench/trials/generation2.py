"""Records of generation 2 (`schema_version: 2`): read and carried over to generation 1, never written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import ValidationError

from agingbench.errors import InputError
from agingbench.trials.record import TrialRecord

# What generation 1 has no place for; it is kept under `outputs.agent_result.generation_2` and listed.
_OF_THE_RECORD = (
    "run_id", "attempt", "execution_status", "evaluation_status", "evidence_status", "completed_at",
    "authority_evidence", "provider_evidence", "extension_refs",
)  # fmt: skip
_OF_THE_OUTPUT = ("artifacts", "terminated", "truncated", "final_reason")
_OF_THE_MANIFEST = ("source", "provider_route", "expected_authorities", "evaluation_regime", "qualification")
_EVALUATION = ("reward", "validity", "breakdown", "error_taxonomy", "confidence", "annotations")
_COST = (
    "tokens_in", "tokens_out", "cache_read_tokens", "cache_write_tokens", "estimated_cost_usd", "advisor_calls",
    "advisor_input_tokens", "advisor_output_tokens",
)  # fmt: skip
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ENDINGS = {"application/x-ndjson": ".jsonl", "application/json": ".json", "text/markdown": ".md", "text/plain": ".txt"}


@dataclass(frozen=True)
class Artifact:
    """A file that a record of generation 2 names by content, and the name it gets as evidence."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Migration:
    """A record carried over: what it became, which files belong to it, and what generation 1 has no place for."""

    record: TrialRecord
    artifacts: list[Artifact]
    beyond: list[str]


def migrate(record: dict[str, Any], manifest: dict[str, Any] | None, name: str) -> Migration:
    """Carry a record over; `manifest` is that of its run. What cannot be a record is an InputError."""
    if record.get("schema_version") != 2:
        raise InputError(f"{name}: schema_version is {record.get('schema_version')!r}; 2 is read here")
    if manifest is None:
        raise InputError(f"{name}: the manifest of its run {record.get('run_id')!r} is not there")
    try:
        artifacts = list(_artifacts(record))
        kept, beyond = _beyond(record, manifest)
        made = TrialRecord.model_validate_json(msgspec.json.encode(_carried(record, manifest, artifacts, kept)))
    except (ValidationError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{name}: not a record of generation 2 ({' '.join(str(error).split())[:300]})") from error
    return Migration(made, artifacts, beyond)


def _carried(
    record: dict[str, Any], manifest: dict[str, Any], artifacts: list[Artifact], kept: dict[str, Any]
) -> dict[str, Any]:
    given, output, environment = record["input"], record.get("output") or {}, manifest["execution_environment"]
    agent, named = manifest["agent"], {a.name.partition(".")[0]: a.name for a in artifacts}
    cost = {key: (record.get("cost") or {}).get(key) for key in _COST}
    return {
        "trial_id": record["trial_id"],
        "experiment_id": manifest["experiment_id"],
        "dataset_id": _dataset(manifest.get("dataset")),
        "timestamp": record["started_at"],
        "task": {"task_id": record["task_id"], "task_revision": given["task_revision"],
                 "visibility": given.get("visibility")},
        "agent": {key: agent.get(key) for key in ("adapter", "model", "adapter_revision", "configuration")},
        "environment": {key: environment.get(key) for key in ("runtime_image", "compute_backend", "tool_versions")},
        "inputs": {key: given.get(key) for key in ("instruction", "system_prompt", "input_files")},
        "outputs": {
            "agent_output": output.get("agent_output"),
            "raw_output_path": named.get("raw_output"),
            "conversation_path": named.get("conversation"),
            "trajectory_path": named.get("trajectory"),
            "agent_result": {**(output.get("agent_result") or {}), "generation_2": kept},
        },
        "evaluation": _evaluation(record),
        "timing": record["timing"],
        "cost": cost if any(value is not None for value in cost.values()) else None,
        "completeness": "partial",
    }  # fmt: skip


def _dataset(told: Any) -> str | None:
    if isinstance(told, dict) and told.get("name"):
        return f"{told['name']}@{told['version']}" if told.get("version") else str(told["name"])
    return told if isinstance(told, str) else None


def _evaluation(record: dict[str, Any]) -> dict[str, Any]:
    told = record.get("evaluation")
    if told is None:
        why = f"evaluation_status is {record.get('evaluation_status')}"
        validity = {"output_parseable": True, "schema_valid": True, "verifier_completed": False, "errors": [why]}
        return {"reward": None, "validity": validity}
    return {key: told.get(key) for key in _EVALUATION}


def _beyond(record: dict[str, Any], manifest: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Everything that generation 1 has no place for, by the name it had; empty values need no place."""
    output, evaluation = record.get("output") or {}, record.get("evaluation") or {}
    found = {key: record.get(key) for key in _OF_THE_RECORD}
    found |= {f"output.{key}": output.get(key) for key in _OF_THE_OUTPUT}
    found |= {f"manifest.{key}": manifest.get(key) for key in _OF_THE_MANIFEST}
    found |= {f"evaluation.{key}": value for key, value in evaluation.items() if key not in _EVALUATION}
    found |= {f"cost.{key}": value for key, value in (record.get("cost") or {}).items() if key not in _COST}
    found["input.task_kind"] = (record.get("input") or {}).get("task_kind")
    kept = {key: value for key, value in found.items() if value not in (None, [], {}, False)}
    return kept, sorted(kept)


def _artifacts(record: dict[str, Any]) -> Iterator[Artifact]:
    output = record.get("output") or {}
    named = [(role, output.get(role)) for role in ("raw_output", "conversation", "trajectory")]
    named.append(("provider_evidence", record.get("provider_evidence")))
    named += [(f"authority_{a.get('authority_kind', i)}", a.get("artifact"))
              for i, a in enumerate(record.get("authority_evidence") or []) if isinstance(a, dict)]  # fmt: skip
    named += [(f"extension_{e.get('extension_kind', i)}", e.get("artifact"))
              for i, e in enumerate(record.get("extension_refs") or []) if isinstance(e, dict)]  # fmt: skip
    named += [(f"artifacts/{i}", a.get("artifact"))
              for i, a in enumerate(output.get("artifacts") or []) if isinstance(a, dict)]  # fmt: skip
    seen: set[str] = set()
    for role, reference in named:
        told = reference if isinstance(reference, dict) else {}
        sha256 = told.get("sha256")
        if isinstance(sha256, str) and _SHA256.fullmatch(sha256) and sha256 not in seen:
            seen.add(sha256)
            size = told.get("size_bytes")
            ending = _ENDINGS.get(str(told.get("media_type")), "")
            safe = re.sub(r"[^a-z0-9_/]", "_", role.lower())
            yield Artifact(safe + ending, sha256, size if type(size) is int else -1)
