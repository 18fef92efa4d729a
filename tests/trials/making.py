"""Records and ledgers for the tests of this folder."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.record import TrialRecord, parse_trial
from tests.places import TRIALS

DATA = TRIALS
TRACES = DATA.parent / "traces"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real runs under ../shared/data are not here"
)
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason="the public traces under ../shared/data are not here"
)
PLAN = b'{"sessions":[]}'
PLAN_HASH = hashlib.sha256(PLAN).hexdigest()


def minimal() -> dict[str, Any]:
    """The least that is a record."""
    return {
        "trial_id": "trial-001",
        "experiment_id": "exp.1",
        "timestamp": "2026-03-13T10:00:00Z",
        "task": {"task_id": "s2@1", "task_revision": PLAN_HASH},
        "agent": {"adapter": "bench", "model": "scripted", "configuration": {}},
        "environment": {"runtime_image": "local:3.11", "compute_backend": "local"},
        "inputs": {"instruction": "Do it."},
        "outputs": {},
        "evaluation": {
            "reward": 0.5,
            "validity": {
                "output_parseable": True,
                "schema_valid": True,
                "verifier_completed": True,
                "errors": [],
            },
        },
        "timing": {"total_seconds": 1},
        "completeness": "partial",
    }


def full() -> dict[str, Any]:
    """A record that files can prove complete."""
    obj = minimal()
    obj["agent"]["adapter_revision"] = "0.1.0"
    obj["environment"]["tool_versions"] = {"python": "3.11"}
    obj["inputs"]["input_files"] = [{"path": "plan.json", "hash": PLAN_HASH}]
    obj["outputs"]["trajectory_path"] = "trace.jsonl"
    return obj


def parsed(obj: dict[str, Any]) -> TrialRecord:
    """The record in an object."""
    return parse_trial(json.dumps(obj).encode(), "trial.json")


def put(obj: dict[str, Any], dotted: str, value: Any) -> dict[str, Any]:
    """A copy of an object with one value at a place."""
    changed = copy.deepcopy(obj)
    *parents, last = dotted.split(".")
    part = changed
    for key in parents:
        part = part[key]
    part[last] = value
    return changed


def record(trial_id: str = "trial-001", **parts: dict[str, Any] | str) -> TrialRecord:
    """A partial record; `parts` are merged into the parts of that name, or replace a field."""
    obj = minimal()
    obj["trial_id"] = trial_id
    for name, part in parts.items():
        obj[name] = (
            {**obj[name], **part}
            if isinstance(part, dict) and isinstance(obj.get(name), dict)
            else part
        )
    return parse_trial(json.dumps(obj).encode(), trial_id)


def filled(place: Path | str, n: int = 6) -> Ledger:
    """A ledger of n trials, each with a trace."""
    ledger = open_ledger(place)
    for i in range(1, n + 1):
        ledger.add(
            record(f"trial-{i:03}"),
            {"trace.jsonl": f'{{"step": 0, "role": "user", "content": "{i}"}}\n'.encode()},
        )
    return ledger


def kept(ledger: Ledger, trial_id: str, name: str) -> bytes:
    """A piece of evidence of a trial."""
    with ledger.get(trial_id).files.open(name) as stream:
        return stream.read()
