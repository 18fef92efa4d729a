"""`agingbench chain`: verifying tickets and finding more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agingbench.sandbox.confinement import available
from tests.bench.repository.standin import build
from tests.cli.conftest import Cli, data

confined = pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined")


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return build(tmp_path)


@confined
def test_a_ticket_is_verified(cli: Cli, standin: Path) -> None:
    told = cli("chain", "verify", "103", "--chain", str(standin))
    assert told.code == 0
    assert "103  stable/1.x" in told.out
    assert "1 of 1 tickets hold, run with Python 3" in told.out


@confined
def test_a_ticket_that_does_not_hold_ends_with_one(cli: Cli, standin: Path) -> None:
    text = standin.read_text().replace("test_half", "test_plain")
    standin.write_text(text)
    told = cli("chain", "verify", "103", "--chain", str(standin), "--json")
    assert told.code == 1
    (row,) = data(told.out)["tickets"]
    assert row["problem"] == "sums.tests.SumTests.test_plain passes on the untouched tree"


def test_wrong_names_are_said(cli: Cli, standin: Path) -> None:
    assert "no ticket 9" in cli("chain", "verify", "9", "--chain", str(standin)).err
    assert "no release 7.0" in cli("chain", "find", "7.0", "1.1", "--chain", str(standin)).err
    assert "unknown chain" in cli("chain", "verify", "--chain", "nonsense").err
