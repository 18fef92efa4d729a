"""Tests of the TrialRecord: what it refuses and how it is stored; its fields are those that the
docs list.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.trials.record import (
    TrialRecord,
    parse_trial,
    read_trial,
    record_bytes,
    record_hash,
    write_trial,
)
from tests.places import ROOT
from tests.trials.making import DATA, full, minimal, needs_data, parsed, put


def test_a_minimal_record_is_read_and_missing_stays_missing() -> None:
    record = parsed(minimal())
    assert (record.cost, record.adaptation, record.dataset_id, record.outputs.agent_output) == (
        None,
    ) * 4


REQUIRED = [
    *minimal(),
    *(
        f"{part}.{key}"
        for part, inner in minimal().items()
        if isinstance(inner, dict)
        for key in inner
    ),
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
        ("timestamp", "9999-12-31T23:59:59-23:59"),
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
    with pytest.raises(
        InputError, match=r"^trial\.json: line 1, column \d+: NaN is not a JSON number"
    ):
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
    record = parsed(full())
    path = tmp_path / "trial.json"
    write_trial(record, path)
    assert (
        path.read_bytes() == record_bytes(record) == canonical_json(json.loads(path.read_bytes()))
    )
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record_hash(record)
    assert read_trial(path) == record
    assert os.listdir(tmp_path) == ["trial.json"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def without_nulls(obj: Any) -> Any:
    if isinstance(obj, dict):
        return {k: without_nulls(v) for k, v in obj.items() if v is not None}
    return [without_nulls(v) for v in obj] if isinstance(obj, list) else obj


@needs_data
@pytest.mark.parametrize(
    "name",
    [
        "experiment-001/trial-001.json",
        "experiment-001/trial-complete.json",
        "prime-fixture/prime-eval-123-hosted-7.json",
    ],
)
def test_real_records_are_read_and_say_the_same(name: str) -> None:
    path = DATA / "ledger_v1" / name
    again = json.loads(record_bytes(read_trial(path)))
    assert without_nulls(again) == without_nulls(json.loads(path.read_bytes()))


def test_a_lineage_leads_to_its_variation() -> None:
    step = {"axis": "climate", "value": "hot", "parent_value": "mild"}
    told = {
        "family_id": "f",
        "seed_task_id": "s",
        "variation_key": "climate=hot",
        "variation": {"climate": "hot"},
    }
    assert (
        parsed(minimal() | {"adaptation": {**told, "derivation_lineage": [step]}}).adaptation
        is not None
    )
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


def parts(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Every field of a record and of its parts, with the field of the record that it stands in."""
    for name, info in model.model_fields.items():
        yield name, name
        kinds = [info.annotation, *get_args(info.annotation)]
        for kind in [*kinds, *(inner for outer in kinds for inner in get_args(outer))]:
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from ((name, inner) for _, inner in parts(kind))


def test_the_docs_list_every_field() -> None:
    page = (ROOT / "docs" / "trials.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    told = {name: row for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    missing = [f"{top}: {name}" for top, name in parts(TrialRecord) if f"`{name}`" not in told[top]]
    assert missing == []
    assert len(list(parts(TrialRecord))) > 60
