"""Imports: unknown versions make no ledger, a Prime export of one file is one argument."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.trials.importers.importer import find_importer
from agingbench.trials.importers.prime import PrimeImporter
from agingbench.trials.inspect.comparison import compare_trials
from agingbench.trials.ledger import open_ledger
from tests.cli.conftest import Cli
from tests.traces.formats.test_versions import session


def test_an_import_of_another_version_makes_no_ledger(cli: Cli, tmp_path: Path) -> None:
    file = session(tmp_path / "x.jsonl", 4)
    done = cli("trials", "import", file, "--ledger", tmp_path / "l.sqlite")
    assert done.code == 2
    assert "version 4 cannot be read" in done.err
    assert not (tmp_path / "l.sqlite").exists()


# -- one file, one argument


EXPORT = {
    "eval_name": "sums",
    "model_name": "m-1",
    "metadata": {"timestamp": "2026-03-01T00:00:00Z"},
    "results": [
        {
            "example_id": n,
            "prompt": [{"role": "user", "content": "1 + 1?"}],
            "completion": [{"role": "assistant", "content": "2"}],
            "reward": 1.0,
        }
        for n in range(2)
    ],
}


@pytest.mark.parametrize("command", ["import", "import-prime"])
def test_a_prime_export_of_one_file_is_one_argument(cli: Cli, tmp_path: Path, command: str) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(EXPORT))
    place = tmp_path / "l.sqlite"
    done = cli("trials", command, file, "--ledger", place, "--json")
    assert done.code == 0, done.err
    assert isinstance(find_importer(file), PrimeImporter)
    with open_ledger(place, create=False) as ledger:
        rows = ledger.list()
        assert [row.model for row in rows] == ["m-1", "m-1"]
        assert {row.experiment_id for row in rows} == {"prime-eval-sums"}
        assert {row.kind for row in rows} == {"rollout"}


def test_compared_folders_have_names_of_their_own(tmp_path: Path) -> None:
    targets = []
    for system in ("careful", "lossy"):
        folder = tmp_path / system / "seed_0"
        folder.mkdir(parents=True)
        entry = {"step": 0, "role": "assistant", "content": system}
        (folder / "trajectory.jsonl").write_text(json.dumps(entry) + "\n")
        targets.append(str(folder))

    def no_ledger() -> object:
        raise AssertionError("no ledger is needed")

    compared = compare_trials(targets, no_ledger)  # type: ignore[arg-type]
    assert [trial.target for trial in compared.trials] == ["careful/seed_0", "lossy/seed_0"]
