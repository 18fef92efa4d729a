"""What a run writes is private to its owner, and holds no login of an address."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agingbench.bench.life.life import Life
from agingbench.bench.life.system import Sut, sut_from_record
from agingbench.models.openai_chat import OpenAIChat
from agingbench.traces.files import private_folder, write_atomic
from agingbench.traces.journal import append_bytes
from tests.cli.conftest import Cli

ADDRESS = "https://bob:hunter2x7@models.example/v1?key=q9w8e7r6"


@pytest.fixture
def umask() -> object:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[Path]:
    paths = [folder, *folder.rglob("*")]
    return [path for path in paths if stat.S_IMODE(path.stat().st_mode) & 0o077]


@pytest.mark.usefixtures("umask")
def test_files_of_a_run_are_private(tmp_path: Path, cli: Cli) -> None:
    told = cli("run", "-n", "1", "-p", "none", "--diagnose", "--out", tmp_path / "runs")
    assert told.code == 0, told.err
    (folder,) = (path.parent for path in (tmp_path / "runs").rglob("plan.json"))
    assert (folder / "aging_curve.png").exists()
    assert open_to_others(folder) == []
    told = cli("run", "--extend", folder, "-n", "2", "--out", tmp_path / "longer")
    assert told.code == 0, told.err
    (folder,) = (path.parent for path in (tmp_path / "longer").rglob("plan.json"))
    assert open_to_others(folder) == []


@pytest.mark.usefixtures("umask")
def test_a_folder_that_was_shared_stays_shared(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    private_folder(shared)
    write_atomic(shared / "a", b"x")
    append_bytes(shared / "b", b"x\n")
    assert {stat.S_IMODE(path.stat().st_mode) for path in shared.iterdir()} == {0o644}
    private_folder(tmp_path / "own")
    write_atomic(tmp_path / "own" / "a", b"x")
    append_bytes(tmp_path / "own" / "b", b"x\n")
    assert open_to_others(tmp_path / "own") == []


def test_a_record_holds_no_login(tmp_path: Path) -> None:
    options = {"base_url": ADDRESS, "headers": {"Authorization": "x1"}, "proxies": [ADDRESS]}
    record = Sut(model="openai:any", model_options=options).record("s2")
    assert record.model_options == {
        "base_url": "https://models.example/v1",
        "headers": {"Authorization": "<secret>"},
        "proxies": ["https://models.example/v1"],
    }
    assert sut_from_record(record).model == "openai:any"


def test_an_error_tells_no_login(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    model = OpenAIChat("any", base_url=ADDRESS, api_key="k1")
    assert model.endpoint == "https://models.example/v1"
    assert "hunter2x7" in str(model.cache_identity())  # hashed, never written

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"no answer from {ADDRESS}")

    monkeypatch.setattr(Life, "score", broken)
    told = cli("run", "-n", "1", "-p", "none", "--no-plots", "--out", tmp_path)
    assert told.code != 0
    assert "models.example/v1" in told.err
    assert "hunter2x7" not in told.err
    assert "q9w8e7r6" not in told.err
