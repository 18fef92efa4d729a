"""Tests of the TrialRecord: what it refuses, how it is stored, and when it has earned `complete`."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.traces.canonical import canonical_json
from agingbench.traces.trajectory import TraceWriter
from agingbench.trials.record import (
    TrialRecord,
    earned_completeness,
    parse_trial,
    read_trial,
    record_bytes,
    record_hash,
    write_trial,
)

LEDGER = Path(__file__).parents[3] / "shared" / "data" / "trials" / "ledger_v1"
PLAN = b'{"sessions":[]}'
PLAN_HASH = hashlib.sha256(PLAN).hexdigest()


def minimal() -> dict[str, Any]:
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
            "validity": {"output_parseable": True, "schema_valid": True, "verifier_completed": True, "errors": []},
        },
        "timing": {"total_seconds": 1},
        "completeness": "partial",
    }


def full() -> dict[str, Any]:
    obj = minimal()
    obj["agent"]["adapter_revision"] = "0.1.0"
    obj["environment"]["tool_versions"] = {"python": "3.11"}
    obj["inputs"]["input_files"] = [{"path": "plan.json", "hash": PLAN_HASH}]
    obj["outputs"]["trajectory_path"] = "trace.jsonl"
    return obj


def parsed(obj: dict[str, Any]) -> TrialRecord:
    return parse_trial(json.dumps(obj).encode(), "trial.json")


def put(obj: dict[str, Any], dotted: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(obj)
    *parents, last = dotted.split(".")
    part = changed
    for key in parents:
        part = part[key]
    part[last] = value
    return changed


def test_a_minimal_record_is_read_and_missing_stays_missing() -> None:
    record = parsed(minimal())
    assert (record.cost, record.adaptation, record.dataset_id, record.outputs.agent_output) == (None,) * 4


REQUIRED = [
    *minimal(),
    *(f"{part}.{key}" for part, inner in minimal().items() if isinstance(inner, dict) for key in inner),
    *(f"evaluation.validity.{key}" for key in minimal()["evaluation"]["validity"]),
]


@pytest.mark.parametrize("dotted", REQUIRED)
def test_each_missing_field_is_named(dotted: str) -> None:
    obj = minimal()
    *parents, last = dotted.split(".")
    part = obj
    for key in parents:
        part = part[key]
    del part[last]
    with pytest.raises(InputError, match=f"^trial.json: {dotted}: Field required$"):
        parsed(obj)


@pytest.mark.parametrize(
    ("dotted", "value"),
    [
        ("trial_id", ""),
        ("trial_id", "../escape"),
        ("trial_id", "_hidden"),
        ("trial_id", "a\n"),
        ("experiment_id", "a/b"),
        ("timestamp", "2026-03-13T10:00:00"),
        ("task.task_id", "  "),
        ("task.unknown", 1),
        ("unknown", None),
        ("agent.model", "\t"),
        ("agent.configuration", None),
        ("inputs.instruction", ""),
        ("outputs.agent_output", {"status": "done", "output_path": "a", "output_format": "md"}),
        ("evaluation.reward", 1.01),
        ("evaluation.reward", -0.01),
        ("evaluation.reward", "1"),
        ("evaluation.reward", True),
        ("evaluation.validity.schema_valid", 1),
        ("evaluation.error_taxonomy", [{"category": "x", "source": "guess"}]),
        ("timing.total_seconds", -1),
        ("cost", {"tokens_in": 1.5}),
        ("cost", {"tokens_in": -1}),
        ("adaptation", {"family_id": "f"}),
        ("completeness", "done"),
    ],
)
def test_wrong_values_are_refused_with_their_field(dotted: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^trial\.json: {dotted}"):
        parsed(put(minimal(), dotted, value))


def test_unparsable_output_has_reward_zero() -> None:
    unparsable = put(minimal(), "evaluation.validity.output_parseable", False)
    for reward in (0.5, None):
        with pytest.raises(InputError, match="output that cannot be parsed has reward 0"):
            parsed(put(unparsable, "evaluation.reward", reward))
    assert parsed(put(unparsable, "evaluation.reward", 0)).evaluation.reward == 0


def test_a_null_reward_stays_null() -> None:
    assert parsed(put(minimal(), "evaluation.reward", None)).evaluation.reward is None


def test_nan_is_refused_with_its_place() -> None:
    data = json.dumps(put(minimal(), "evaluation.breakdown", {"m": float("nan")})).encode()
    with pytest.raises(InputError, match=r"^trial\.json: line 1, column \d+: NaN is not a JSON number"):
        parse_trial(data, "trial.json")


def test_a_lone_surrogate_is_refused_with_the_file() -> None:
    with pytest.raises(InputError, match=r"^trial\.json: record: Invalid JSON"):
        parsed(put(minimal(), "inputs.instruction", "\ud800"))


def test_a_bom_is_no_obstacle() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(minimal()).encode()
    assert parse_trial(data, "trial.json") == parsed(minimal())


def test_generation_two_is_named() -> None:
    with pytest.raises(InputError, match="a record of generation 2; generation 1 is read here"):
        parsed(minimal() | {"schema_version": 2})


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        parsed(minimal()).trial_id = "other"


def test_the_file_is_the_canonical_form_and_reads_back(tmp_path: Path) -> None:
    record, path = parsed(full()), tmp_path / "trial.json"
    write_trial(record, path)
    assert path.read_bytes() == record_bytes(record) == canonical_json(json.loads(path.read_bytes()))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record_hash(record)
    assert read_trial(path) == record
    assert os.listdir(tmp_path) == ["trial.json"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


# -------------------------------------------------------------------------------------------------- completeness


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
        ("inputs.input_files", [{"path": "plan.json", "hash": "0" * 64}], "its content has another hash"),
        ("inputs.input_files", [{"path": "none.json", "hash": PLAN_HASH}], "cannot be read"),
        ("inputs.input_files", [{"path": "../outside.json", "hash": PLAN_HASH}], "leaves the trial's folder"),
        ("inputs.input_files", [{"path": "/etc/passwd", "hash": PLAN_HASH}], "leaves the trial's folder"),
        ("inputs.input_files", [{"path": "C:\\plan.json", "hash": PLAN_HASH}], "leaves the trial's folder"),
        ("inputs.input_files", [{"path": "link.json", "hash": PLAN_HASH}], "leaves the trial's folder"),
        ("outputs.trajectory_path", "none.jsonl", "outputs.trajectory_path: cannot be read"),
        ("outputs.trajectory_path", "../trial.jsonl", "outputs.trajectory_path leaves the trial's folder"),
        ("outputs.trajectory_path", "plan.json", "the trajectory holds no event"),
        ("outputs.conversation_path", "/workspace/c.jsonl", "outputs.conversation_path leaves the trial's folder"),
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


# ----------------------------------------------------------------------------------------------------- real data


@pytest.fixture
def ledger() -> Callable[[str], Path]:
    if not LEDGER.is_dir():
        pytest.skip(f"the real ledger is not at {LEDGER}")
    return LEDGER.joinpath


def without_nulls(obj: Any) -> Any:
    if isinstance(obj, dict):
        return {k: without_nulls(v) for k, v in obj.items() if v is not None}
    return [without_nulls(v) for v in obj] if isinstance(obj, list) else obj


@pytest.mark.parametrize(
    "name",
    [
        "experiment-001/trial-001.json",
        "experiment-001/trial-complete.json",
        "prime-fixture/prime-eval-123-hosted-7.json",
    ],
)
def test_real_records_are_read_and_say_the_same(name: str, ledger: Callable[[str], Path]) -> None:
    path = ledger(name)
    again = json.loads(record_bytes(read_trial(path)))
    assert without_nulls(again) == without_nulls(json.loads(path.read_bytes()))


def test_a_real_claim_of_complete_is_not_taken_on_trust(ledger: Callable[[str], Path]) -> None:
    path = ledger("experiment-001/trial-complete.json")
    record = read_trial(path)
    assert record.completeness == "complete"
    assert earned_completeness(record, path.parent)[0] == "partial"


def test_a_lineage_leads_to_its_variation() -> None:
    step = {"axis": "climate", "value": "hot", "parent_value": "mild"}
    told = {"family_id": "f", "seed_task_id": "s", "variation_key": "climate=hot", "variation": {"climate": "hot"}}
    assert parsed(minimal() | {"adaptation": {**told, "derivation_lineage": [step]}}).adaptation is not None
    for wrong in (
        [step, step],
        [{**step, "value": "cold"}],
        [{**step, "axis": "size"}],
        [{**step, "parent_value": "hot"}],
    ):
        with pytest.raises(InputError, match="derivation_lineage"):
            parsed(minimal() | {"adaptation": {**told, "derivation_lineage": wrong}})


def test_an_interval_has_its_ends_in_order() -> None:
    with pytest.raises(InputError, match="confidence_interval"):
        parsed(put(minimal(), "evaluation.confidence", {"confidence_interval": [0.9, 0.1]}))
