"""Completeness: earned by files that were hashed again, never by what a record claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agingbench.records import Event
from agingbench.traces.trajectory import TraceWriter
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.record import read_trial
from tests.trials.making import DATA, PLAN, PLAN_HASH, full, minimal, needs_data, parsed, put


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trial = tmp_path / "trial"
    trial.mkdir()
    (trial / "plan.json").write_bytes(PLAN)
    with TraceWriter(trial / "trace.jsonl") as writer:
        writer.append(Event(step=0, role="user", content="Do it."))
    (tmp_path / "outside.json").write_bytes(PLAN)
    return trial


def test_complete_is_earned(folder: Path) -> None:
    assert earned_completeness(parsed(full()), folder) == ("complete", [])


def test_a_claim_earns_nothing(folder: Path) -> None:
    status, reasons = earned_completeness(parsed(minimal() | {"completeness": "complete"}), folder)
    assert status == "partial"
    assert reasons == [
        "agent.adapter_revision is missing",
        "environment.tool_versions is missing",
        "inputs.input_files is missing",
        "task.task_revision is not the hash of any input file",
        "outputs.trajectory_path is missing",
    ]


@pytest.mark.parametrize(
    ("dotted", "value", "reason"),
    [
        ("agent.adapter_revision", " ", "agent.adapter_revision is missing"),
        ("environment.tool_versions", {}, "environment.tool_versions is missing"),
        ("task.task_revision", "git-sha", "task.task_revision is not a SHA-256"),
        ("task.task_revision", "0" * 64, "task.task_revision is not the hash of any input file"),
        ("inputs.input_files", [{"path": "plan.json", "hash": "md5"}], "its hash is not a SHA-256"),
        (
            "inputs.input_files",
            [{"path": "plan.json", "hash": "0" * 64}],
            "its content has another hash",
        ),
        ("inputs.input_files", [{"path": "none.json", "hash": PLAN_HASH}], "cannot be read"),
        (
            "inputs.input_files",
            [{"path": "../outside.json", "hash": PLAN_HASH}],
            "leaves the trial's folder",
        ),
        (
            "inputs.input_files",
            [{"path": "/etc/passwd", "hash": PLAN_HASH}],
            "leaves the trial's folder",
        ),
        (
            "inputs.input_files",
            [{"path": "C:\\plan.json", "hash": PLAN_HASH}],
            "leaves the trial's folder",
        ),
        (
            "inputs.input_files",
            [{"path": "link.json", "hash": PLAN_HASH}],
            "leaves the trial's folder",
        ),
        ("outputs.trajectory_path", "none.jsonl", "outputs.trajectory_path: cannot be read"),
        (
            "outputs.trajectory_path",
            "../trial.jsonl",
            "outputs.trajectory_path leaves the trial's folder",
        ),
        ("outputs.trajectory_path", "plan.json", "the trajectory holds no event"),
        (
            "outputs.conversation_path",
            "/workspace/c.jsonl",
            "outputs.conversation_path leaves the trial's folder",
        ),
    ],
)
def test_each_gap_is_a_reason(folder: Path, dotted: str, value: Any, reason: str) -> None:
    (folder / "link.json").symlink_to("../outside.json")
    status, reasons = earned_completeness(parsed(put(full(), dotted, value)), folder)
    assert status == "partial"
    assert any(reason in given for given in reasons), reasons


def test_a_changed_file_loses_it(folder: Path) -> None:
    (folder / "plan.json").write_bytes(PLAN + b" ")
    status, reasons = earned_completeness(parsed(full()), folder)
    assert status == "partial"
    assert reasons[0] == "inputs.input_files.0 (plan.json): its content has another hash"


@needs_data
def test_a_real_claim_of_complete_is_not_taken_on_trust() -> None:
    path = DATA / "ledger_v1" / "experiment-001" / "trial-complete.json"
    record = read_trial(path)
    assert record.completeness == "complete"
    assert earned_completeness(record, path.parent)[0] == "partial"
