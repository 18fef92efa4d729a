"""Limits on what is read: gzip that unfolds without end, pipes and devices, locks that fail."""

from __future__ import annotations

import gzip
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.cli.main import run
from agingbench.errors import InputError, StorageError
from agingbench.records import ReadLog
from agingbench.sandbox import confinement as sandbox
from agingbench.traces import unfolding
from agingbench.traces.files import read_bytes
from agingbench.traces.reading import read_events
from agingbench.traces.tracefiles import TraceFile
from agingbench.trials.stores.heads import WriterQueue

LINE = b'{"role": "user", "content": "the same line again and again"}\n'


def test_gzip_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfolding, "ALWAYS", 1 << 16)
    monkeypatch.setattr(unfolding, "MOST_FOLD", 20)
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(LINE * 20_000))
    with pytest.raises(OSError, match="unfolds to more than"), TraceFile(bomb).open() as stream:
        stream.read()
    log = ReadLog()
    events = list(read_events(bomb, log=log))
    assert len(events) < 20_000
    fine = tmp_path / "fine.jsonl.gz"
    fine.write_bytes(gzip.compress(LINE * 200))
    with TraceFile(fine).open() as stream:
        assert stream.read() == LINE * 200
        stream.seek(0)
        assert stream.readline() == LINE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)  # with no writer, opening it would wait for ever
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="a pipe or a device"):
            read_bytes(path)
        with pytest.raises(OSError, match="a pipe or a device"), TraceFile(path).open():
            pass
    for words in (["audit", pipe], ["run", "--sut", pipe, "--dry-run"], ["study", pipe]):
        assert run([str(word) for word in words]) == 2
        assert "pipe" in capsys.readouterr().err


def test_a_lock_that_fails_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    queue = WriterQueue(tmp_path / "ledger.lock")
    with pytest.raises(StorageError, match=r"ledger\.lock: No locks available"), queue.turn():
        pass
    queue.close()
    with pytest.raises(StorageError, match=r"\.lock"), RunDirectory(tmp_path / "life"):
        pass


def test_a_confinement_that_was_killed_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = tmp_path / f"agingbench-confined-{ended.pid}-abc"
    own = tmp_path / f"agingbench-confined-{os.getpid()}-abc"
    left.mkdir()
    own.mkdir()
    sandbox._remove_left_behind()
    assert not left.exists()
    assert own.exists()
