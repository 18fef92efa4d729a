"""`prepare_trace`: function and module under one name, one file sorted by time, never its own output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.telemetry import prepare_trace
from agingbench.telemetry.prepare_trace import OUTPUT


def write(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


def fragments(folder: Path) -> None:
    write(
        folder / "b.jsonl",
        {"uuid": "3", "timestamp": "2025-01-02T00:00:00Z"},
        {"uuid": "4", "note": "no time"},
        {"uuid": "5", "timestamp": "2025-01-02T01:00:00+02:00"},
    )
    write(folder / "a.jsonl", {"uuid": "1", "timestamp": "2025-01-01T00:00:00Z"}, "{torn", {"uuid": "3"})
    write(folder / "sub" / "c.jsonl", {"uuid": "0", "timestamp": "2024-12-31T00:00:00Z"})


def test_time_order_not_text_order_and_twice_gives_the_same(tmp_path: Path) -> None:
    fragments(tmp_path)
    out = prepare_trace(str(tmp_path))  # type: ignore[operator]
    assert out == tmp_path / OUTPUT
    first = out.read_text()
    uuids = [json.loads(line).get("uuid") for line in first.splitlines() if line != "{torn"]
    assert uuids[0] == "0"
    assert set(uuids) == {"0", "1", "3", "4", "5"}
    assert uuids.index("5") < len(uuids)
    assert prepare_trace(tmp_path).read_text() == first  # type: ignore[operator]


def test_as_a_command_and_with_a_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fragments(tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert prepare_trace("~/project").exists()  # type: ignore[operator]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "agingbench.telemetry.prepare_trace", str(tmp_path / "project")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"wrote {tmp_path / 'project' / OUTPUT} (6 events)"


def test_nothing_to_merge_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="session files"):
        prepare_trace(tmp_path)  # type: ignore[operator]
    with pytest.raises(InputError, match="is not a folder"):
        prepare_trace(tmp_path / "none")  # type: ignore[operator]
    done = subprocess.run(
        [sys.executable, "-m", "agingbench.telemetry.prepare_trace", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
