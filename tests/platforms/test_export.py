"""Exports hold every measured figure and no secret, and say what they cannot export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError, UnknownName
from agingbench.platforms.export import DOCUMENTS, export
from agingbench.platforms.figures import life_figures
from agingbench.platforms.items import ExportItem, find_items
from agingbench.telemetry import audit_path
from agingbench.trials.ledger import open_ledger
from tests.platforms.lives import SECRET

FIGURES = {
    "langfuse": lambda document: {s["name"]: s["value"] for s in document["scores"]},
    "langsmith": lambda document: {f["key"]: f["score"] for f in document["feedback"]},
    "phoenix": lambda document: {a["name"]: a["result"]["score"] for a in document["annotations"]},
    "openai_evals": lambda document: {
        row["item"]["figure"]: row["item"]["value"]
        for run in document["runs"]
        for row in run["data_source"]["source"]["content"]
    },
}


@pytest.mark.parametrize("target", DOCUMENTS)
def test_every_measured_figure_arrives_and_no_other(target: str, item: ExportItem) -> None:
    assert item.card is not None
    figures = life_figures(item.card)
    measured = {name: value for name, value in figures.items() if value is not None}
    assert len(measured) < len(figures)  # something was not measured, and is left out
    assert FIGURES[target](DOCUMENTS[target]([item])) == measured


@pytest.mark.parametrize("target", [*DOCUMENTS, "otlp"])
def test_no_secret_is_written(target: str, folder: Path, tmp_path: Path) -> None:
    assert SECRET in (folder / "trace.jsonl").read_text()
    receipt = export([str(folder)], target, tmp_path / "out")
    (file,) = receipt.files
    text = Path(file).read_text()
    assert SECRET not in text
    assert SECRET[:24] not in text
    assert Path(file).stat().st_mode & 0o077 == 0


def test_trials_of_a_ledger_are_exported(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "ledger.sqlite"
    with open_ledger(place) as ledger:
        ledger.add_folder(folder)
        (row,) = ledger.list()
    (item,) = find_items([str(place)])
    assert item.labels["trial_id"] == row.trial_id
    assert item.figures["reward"] == row.reward
    assert item.files is None
    (score,) = [s for s in DOCUMENTS["langfuse"]([item])["scores"] if s["name"] == "reward"]
    assert score["value"] == row.reward


def test_a_card_of_an_audit_is_exported(folder: Path, tmp_path: Path) -> None:
    (audit,) = audit_path(str(folder / "trace.jsonl"))
    file = tmp_path / "aging_card.json"
    file.write_text(json.dumps(audit.card))
    (item,) = find_items([str(file)])
    assert item.kind == "trace"
    document: dict[str, Any] = DOCUMENTS["langsmith"]([item])
    assert len(document["runs"]) == 1


def test_one_item_that_lies_at_two_places_is_exported_once(folder: Path) -> None:
    assert len(find_items([str(folder), str(folder / "aging_card.json")])) == 1


def test_what_cannot_be_exported_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="langfuse"):
        export([str(folder)], "langfus", tmp_path / "out")
    with pytest.raises(InputError, match="aging_card"):
        export([str(tmp_path)], "langfuse", tmp_path / "out")
    card = tmp_path / "aging_card.json"
    card.write_bytes((folder / "aging_card.json").read_bytes())
    with pytest.raises(InputError, match="run folders"):
        export([str(card)], "otlp", tmp_path / "out")
