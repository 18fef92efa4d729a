"""`agingbench trials import`: content decides, plug-ins take part, errors say what was tried."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, data

SAMPLE = {"prompt": "Q", "completion": "A", "reward": 1.0}
PLUGIN = '''
from agingbench.trials.importers.report import ImportReport


class Notes:
    """Notes of somebody's own."""

    name = "notes"
    expects = "notes"

    def sniff(self, path):
        return 1.0 if path.suffix == ".notes" else 0.0

    def import_path(self, ledger, path, experiment, progress):
        report = ImportReport(experiment or "notes")
        report.add_problem(path.name, "only a test")
        return report
'''


def test_what_nobody_knows_names_what_was_tried(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "package.json"
    file.write_text('{"name": "something else"}')
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", file):
        done = cli("trials", "import", path, "--ledger", tmp_path / "l.sqlite")
        assert (done.code, done.out) == (2, "")
        assert "tried: atif (ATIF trajectories" in done.err
    done = cli("trials", "import", tmp_path / "none", "--ledger", tmp_path / "l.sqlite")
    assert (done.code, done.out) == (2, "")
    assert "none: there is no such file or folder" in done.err
    assert not list(tmp_path.glob("l.*"))


def test_import_finds_and_imports(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out" / "x").mkdir(parents=True)
    rows = [SAMPLE, {**SAMPLE, "prompt": "R"}]
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "out" / "x" / "results.jsonl").write_text(text)
    for imported, duplicates in ((2, 0), (0, 2)):
        done = cli("trials", "import", tmp_path / "out", "--ledger", tmp_path / "l", "--json")
        report = data(done.out)
        report = report.get("data", report)
        assert (done.code, report["imported"], report["duplicates"]) == (0, imported, duplicates)


@pytest.mark.parametrize("importer", ["my_notes:Notes", "my_notes.py:Notes"])
def test_an_importer_of_ones_own(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    importer: str,
) -> None:
    (tmp_path / "my_notes.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "a.notes"
    file.write_text("x")
    words = ("--importer", importer, "--ledger", tmp_path / "l", "--json")
    done = cli("trials", "import", file, *words)
    assert done.code == 2
    assert data(done.out)["problems"][0]["reason"] == "only a test"


def test_an_importer_that_lacks_a_method_is_told_which(cli: Cli, tmp_path: Path) -> None:
    plugin = tmp_path / "half.py"
    plugin.write_text("class Half:\n    name = expects = 'half'\n")
    done = cli("trials", "import", plugin, "--importer", f"{plugin}:Half")
    assert done.code == 2
    assert "lacks sniff(path: Path) -> float and import_path(" in done.err
