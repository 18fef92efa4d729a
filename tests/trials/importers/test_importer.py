"""`find_importer`: the content of a path decides who imports it, and plug-ins take part."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agingbench.errors import InputError
from agingbench.trials.importers import IMPORTERS
from agingbench.trials.importers.importer import find_importer, load_importer
from agingbench.trials.importers.report import SILENT
from agingbench.trials.ledger import open_ledger

SAMPLE = {"prompt": "Q", "completion": "A", "reward": 1.0}
ATIF = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s",
    "steps": [{"step_id": 1, "source": "user", "message": "Go"}],
}
INSPECT = {"eval": {"task": "t", "model": "m"}, "samples": [{"id": 1, "epoch": 1, "messages": []}]}
ENTRY = {"step": 0, "role": "user", "content": "Go"}
CLAUDE = {
    "type": "user",
    "uuid": "u",
    "sessionId": "s",
    "message": {"role": "user", "content": "Go"},
}


def put(path: Path, *values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(value) for value in values))
    return path


@pytest.mark.parametrize(
    ("files", "path", "importer"),
    [
        ({"logs/a.json": INSPECT}, "logs", "inspect"),
        ({"logs/a.json": INSPECT}, "logs/a.json", "inspect"),
        ({"job/t/agent/trajectory.json": ATIF, "job/t/result.json": {}}, "job", "atif"),
        ({"odd_name.txt": ATIF}, "odd_name.txt", "atif"),
        ({"out/x/results.jsonl": SAMPLE}, "out", "verifiers"),
        ({"rollouts.jsonl": SAMPLE}, "rollouts.jsonl", "verifiers"),
        ({"p/e.json": {"evaluation_id": "e"}, "p/s.json": [SAMPLE]}, "p", "prime"),
        ({"p/e.json": {"evaluation_id": "e"}, "p/s.json": [SAMPLE]}, "p/s.json", "prime"),
        ({"l/exp/t.json": {"trial_id": "t"}}, "l", "ledger"),
        ({"l/exp/t.json": {"trial_id": "t"}, "l/_artifacts/t/trace.jsonl": ENTRY}, "l", "ledger"),
        ({"run/trace.jsonl": ENTRY, "run/trial.json": {"trial_id": "t"}}, "run", "trajectory"),
        ({"runs/a/trajectory.jsonl": ENTRY}, "runs", "trajectory"),
        ({"x.log": CLAUDE}, "x.log", "trajectory"),
        ({"talk": {"role": "user", "content": "hi"}}, "talk", "trajectory"),
    ],
)
def test_the_content_decides(
    tmp_path: Path, files: dict[str, Any], path: str, importer: str
) -> None:
    for name, value in files.items():
        put(tmp_path / name, value)
    assert find_importer(tmp_path / path).name == importer


def test_a_page_that_is_named_is_imported_alone(tmp_path: Path) -> None:
    put(tmp_path / "e.json", {"evaluation_id": "e"})
    put(tmp_path / "1.json", [SAMPLE])
    put(tmp_path / "2.json", [{**SAMPLE, "prompt": "R"}])
    prime = load_importer("prime")
    with open_ledger(tmp_path / "l.sqlite") as ledger:
        assert prime.import_path(ledger, tmp_path / "1.json", None, SILENT).imported == 1
        assert prime.import_path(ledger, tmp_path, None, SILENT).imported == 1


def test_what_nobody_knows_names_what_was_tried(tmp_path: Path) -> None:
    file = put(tmp_path / "package.json", {"name": "something else"})
    with pytest.raises(InputError, match="no importer knows what this is") as raised:
        find_importer(file)
    for name in IMPORTERS.names():
        assert re.search(rf"\b{name} \(", str(raised.value))
