"""Tests of the AgingCard: schema, rules, hash, files, and the documented validator command."""

from __future__ import annotations

import copy
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agingbench.cards import check as cards
from agingbench.cards.check import (
    finish_card,
    load_card,
    save_card,
    schema,
    validate_card,
)
from agingbench.cards.model import OwnMechanisms
from agingbench.errors import InputError
from agingbench.metrics.aging_card_validate import main
from tests.places import EXAMPLES


def minimal() -> dict[str, Any]:
    """A foreign card: nothing but what the public schema wants."""
    return {
        "schema_version": "1.0.0",
        "card_type": "agingbench.AgingCard",
        "generated_at": "2026-03-13T10:00:00Z",
        "run_id": "run-1",
        "scenario": "s2_lifestyle_assistant",
        "scenario_version": "1",
        "suite_id": "adhoc",
        "sut": {"sut_id": "scripted"},
        "seed": 42,
        "n_sessions": 3,
        "pressure": {"level": "medium"},
        "headline": {"metric_name": "constraint_precision", "m0": 0.9, "half_life": None},
        "mechanism_metrics": OwnMechanisms().document(),
        "cost_and_efficiency": {"total_calls": 12, "latency_ms_p50": 3.5},
        "checkpoints": [[0, 0.9], [1, None], [2, 0.5]],
        "provenance": {"compute_environment": "Linux x86_64, Python 3.11"},
        "warnings": [],
        "links": {"trace": "trace.jsonl", "metrics": None},
    }


def ours() -> dict[str, Any]:
    card = minimal() | {"card_kind": "life", "tier": 1, "track": "model", "diagnosis": None}
    card["headline"] |= {"m0_n": 20, "m0_ci": [0.7, 0.98]}
    card["records"] = {"used": 20, "ignored": 0, "duplicate": 0, "malformed": 0}
    return finish_card(card)


def put(card: dict[str, Any], dotted: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(card)
    *parents, last = dotted.split(".")
    part = changed
    for key in parents:
        part = part[key]
    part[last] = value
    return changed


def test_the_schema_is_a_valid_2020_12_schema() -> None:
    loaded = schema()
    Draft202012Validator.check_schema(loaded)
    assert loaded["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert len(loaded["required"]) == 18
    assert set(loaded["required"]) <= set(loaded["properties"])
    loaded["required"].clear()
    assert schema()["required"]  # a fresh copy each time


def test_minimal_and_own_cards_are_valid() -> None:
    assert validate_card(minimal()) == []
    assert validate_card(ours()) == []
    assert validate_card(minimal() | {"something_new": {"a": 1}}) == []


@pytest.mark.parametrize("key", list(minimal()))
def test_each_missing_key_is_reported_by_name(key: str) -> None:
    card = minimal()
    del card[key]
    assert validate_card(card) == [f"{key}: required but missing"]


def test_an_unknown_kind_of_card_is_refused() -> None:
    assert validate_card(put(ours(), "card_kind", "study")) == [
        "card_kind: 'study' is not one of ['life', 'trace', 'resumption']"
    ]


def test_every_missing_key_is_reported() -> None:
    assert validate_card({}) == [f"{key}: required but missing" for key in minimal()]


@pytest.mark.parametrize(
    "part", ["sut.sut_id", "headline.metric_name", "mechanism_metrics.revision"]
)
def test_missing_inner_keys_are_reported_by_path(part: str) -> None:
    outer, inner = part.split(".")
    card = minimal()
    del card[outer][inner]
    assert validate_card(card) == [f"{part}: required but missing"]


@pytest.mark.parametrize(
    ("dotted", "value", "path"),
    [
        ("schema_version", "1.0", "schema_version"),
        ("schema_version", "2.0.0", "schema_version"),
        ("card_type", "agingbench.TraceCard", "card_type"),
        ("track", "both", "track"),
        ("generated_at", "yesterday", "generated_at"),
        ("generated_at", "2026-03-13T10:00:00", "generated_at"),
        ("generated_at", "2026-02-30T10:00:00Z", "generated_at"),
        ("run_id", "", "run_id"),
        ("sut.model_id", 4, "sut.model_id"),
        ("seed", 1.5, "seed"),
        ("n_sessions", -1, "n_sessions"),
        ("pressure", None, "pressure"),
        ("headline.m0", "0.9", "headline.m0"),
        ("headline.aging_detected", 1, "headline.aging_detected"),
        ("headline.m0_ci", [0.1], "headline.m0_ci"),
        ("mechanism_metrics.compression", None, "mechanism_metrics.compression"),
        (
            "mechanism_metrics.compression",
            {"score_ci": 1},
            "mechanism_metrics.compression.score_ci",
        ),
        ("cost_and_efficiency.total_calls", 1.5, "cost_and_efficiency.total_calls"),
        ("checkpoints", [[0, 1], [1, 2, 3]], "checkpoints[1]"),
        ("checkpoints", [[0]], "checkpoints[0]"),
        ("checkpoints", [[None, 1]], "checkpoints[0][0]"),
        ("provenance.compute_environment", None, "provenance.compute_environment"),
        ("warnings", [1], "warnings[0]"),
        ("links.trace", 5, "links.trace"),
        ("content_hash", "abc", "content_hash"),
    ],
)
def test_wrong_values_are_reported_by_path(dotted: str, value: Any, path: str) -> None:
    errors = validate_card(put(minimal(), dotted, value))
    assert errors
    assert all(e.startswith(f"{path}: ") and "\n" not in e for e in errors)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dotted", ["headline.m0", "pressure.deep", "trace_audit"])
def test_what_is_not_a_number_is_refused_anywhere(dotted: str, value: float) -> None:
    where, inner = (dotted, [{"a": value}]) if dotted == "pressure.deep" else (dotted, value)
    errors = validate_card(put(minimal(), where, inner))
    assert any(str(value) in e and e.startswith(dotted) for e in errors), errors


@pytest.mark.parametrize("card", [None, [], "card", 3, {"a": {1, 2}}, {"a": object()}])
def test_what_is_not_a_card_is_told_not_raised(card: Any) -> None:
    assert validate_card(card)


def test_tuples_and_integer_keys_are_what_a_file_makes_of_them() -> None:
    card = minimal() | {"checkpoints": ((0, 0.9),), "pressure": {1: "a"}}
    assert validate_card(card) == []


@pytest.mark.parametrize("dotted", ["links.trace", "provenance.inner", "sut.config_yaml_path"])
@pytest.mark.parametrize(
    "value",
    [
        "/home/me/run/trace.jsonl",
        "~/trace.jsonl",
        "C:\\runs\\trace.jsonl",
        "d:/runs/trace.jsonl",
        "\\\\server\\share",
        "file:///home/me/trace.jsonl",
        "python /home/me/agent.py",
        "--config=/etc/agent/x.yaml",
    ],
)
def test_local_paths_are_refused(dotted: str, value: str) -> None:
    errors = validate_card(put(minimal(), dotted, value))
    assert errors == [
        f"{dotted}: holds a local absolute path; a card names files relative to itself"
    ]


@pytest.mark.parametrize(
    "value",
    [
        "trace.jsonl",
        "../runs/trace.jsonl",
        "https://example.org/a/b",
        "s3://bucket/key",
        "anthropic:claude/x",
        "and/or",
        "Linux 6.1 / x86_64",
        "see https://example.org/a, http://example.org/b",
    ],
)
def test_other_texts_are_no_local_paths(value: str) -> None:
    assert validate_card(put(minimal(), "links.trace", value)) == []


@pytest.mark.parametrize("name", cards.FIGURES)
def test_a_figure_of_ours_needs_its_n(name: str) -> None:
    bare = put(minimal() | {"card_kind": "trace"}, "headline", {"metric_name": "m", name: 0.5})
    assert [e.split(":")[0] for e in validate_card(bare)] == [f"headline.{name}_n"]
    for wrong in (0, None):
        assert validate_card(put(bare, f"headline.{name}_n", wrong))
    assert validate_card(put(bare, f"headline.{name}_n", 7)) == []
    assert validate_card(put(bare, f"headline.{name}", None)) == []


def test_mechanism_blocks_start_as_null() -> None:
    blocks = OwnMechanisms().document()
    assert list(blocks) == ["compression", "interference", "revision", "maintenance"]
    assert {value for block in blocks.values() for value in block.values()} == {None}
    blocks["compression"]["score"] = 1
    assert OwnMechanisms().document()["compression"]["score"] is None


# ----------------------------------------------------------------------------------------------------------
# hash


def shuffled(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict):
        items = [(k, shuffled(v, rng)) for k, v in value.items()]
        rng.shuffle(items)
        return dict(items)
    return [shuffled(v, rng) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("dotted", "value"),
    [
        ("generated_at", "2027-01-01T00:00:00Z"),
        ("run_id", "other"),
        ("provenance.compute_environment", "another machine"),
        ("cost_and_efficiency.latency_ms_p50", 99.0),
        ("cost_and_efficiency.latency_ms_p95_n", 4),
    ],
)
def test_the_hash_does_not_see_what_is_volatile(dotted: str, value: Any) -> None:
    changed = put(ours(), dotted, value)
    assert finish_card(changed)["content_hash"] == ours()["content_hash"]
    assert validate_card(changed) == []


@pytest.mark.parametrize(
    ("dotted", "value"),
    [
        ("seed", 43),
        ("headline.m0", 0.91),
        ("provenance.git_sha", "abc"),
        ("cost_and_efficiency.total_calls", 13),
    ],
)
def test_the_hash_sees_everything_else(dotted: str, value: Any) -> None:
    changed = put(ours(), dotted, value)
    assert finish_card(changed)["content_hash"] != ours()["content_hash"]
    assert validate_card(changed) == ["content_hash: the card was changed after it was hashed"]


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert finish_card(shuffled(ours(), random.Random(1)))["content_hash"] == ours()["content_hash"]


def test_finishing_changes_nothing_in_place_and_is_stable() -> None:
    card = minimal()
    before = copy.deepcopy(card)
    finished = finish_card(card)
    assert card == before
    assert finish_card(finished) == finished


def test_a_card_with_nan_cannot_be_finished() -> None:
    with pytest.raises(InputError, match="no canonical JSON form"):
        finish_card(put(minimal(), "headline.m0", math.nan))


# ---------------------------------------------------------------------------------------------------------
# files


def test_a_saved_card_reads_back_and_equal_cards_give_equal_bytes(tmp_path: Path) -> None:
    first = tmp_path / "a.json"
    second = tmp_path / "b.json"
    save_card(ours(), first)
    save_card(shuffled(ours(), random.Random(2)), second)
    assert load_card(first) == ours()
    data = first.read_bytes()
    assert data == second.read_bytes()
    assert data.startswith(b'{\n  "schema_version": "1.0.0",\n  "card_type"')
    assert data.endswith(b"}\n")


def test_an_invalid_card_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save_card(ours(), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"a\.json: the card is not valid and was not saved: seed"):
        save_card(put(ours(), "seed", "x"), path)
    assert path.read_bytes() == before


def test_foreign_cards_are_loaded_but_not_other_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    foreign = put(minimal(), "provenance.trace_file", "/home/them/trace.jsonl")
    path.write_text(json.dumps(foreign), encoding="utf-8")
    assert load_card(path) == foreign
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"a\.json is not an AgingCard: card: \[\] is not of type 'object'"
    ):
        load_card(path)


# -------------------------------------------------------------------------------------------------------
# command


def test_the_command_tells_good_from_bad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "good.json"
    bad = tmp_path / "bad.json"
    save_card(ours(), good)
    bad.write_text(json.dumps(put(minimal(), "seed", None)), encoding="utf-8")
    assert main([str(good), str(good)]) == 0
    assert capsys.readouterr().out == "OK: card validates against schema 1.0.0\n" * 2
    assert main([str(bad), str(good)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{bad}: seed: None is not of type 'integer'",
        "OK: card validates against schema 1.0.0",
    ]


def test_the_command_on_what_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"a": NaN}', encoding="utf-8")
    assert main([str(broken), str(tmp_path / "none.json"), str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{broken}: line 1, column 7: NaN is not a JSON number"
    assert lines[1].startswith(f"cannot read {tmp_path / 'none.json'}: ")
    assert lines[2].startswith(f"{tmp_path}: no card here")


def test_the_command_without_files_says_how_to_use_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: python -m agingbench.metrics.aging_card_validate PATH" in capsys.readouterr().err


def test_the_documented_command_line_runs(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    save_card(ours(), path)
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "agingbench.metrics.aging_card_validate",
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "OK: card validates against schema 1.0.0\n",
        "",
    )


def test_a_folder_of_lives_is_checked_card_by_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 1
    assert "no card here" in capsys.readouterr().out
    sample = sorted((EXAMPLES / "sample_cards").glob("*.json"))[0]
    for name, text in (("a", sample.read_text()), ("b", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "aging_card.json").write_text(text)
    assert main([str(tmp_path / "a")]) == 0
    assert capsys.readouterr().out.startswith("OK: card validates")
    assert main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path / 'a' / 'aging_card.json'}: OK" in out
    assert f"{tmp_path / 'b' / 'aging_card.json'}: schema_version: required" in out
