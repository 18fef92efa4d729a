"""`agingbench list formats` and `agingbench archive`, as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from agingbench.traces.formats import FORMATS
from tests.cli.conftest import data


def agingbench(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "agingbench", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_list_formats_says_status_and_recipe(tmp_path: Path) -> None:
    done = agingbench("list", "formats", "--json", folder=tmp_path)
    rows = data(done.stdout)["formats"]
    assert [row["name"] for row in rows] == FORMATS.names()
    assert all(row["status"] in ("verified", "reference") and row["recipe"] for row in rows)
    text = agingbench("list", "formats", folder=tmp_path).stdout
    assert "claude_code: verified; point at ~/.claude/projects" in text


def test_archive_errors_are_one_line(tmp_path: Path) -> None:
    missing = agingbench("archive", "none", "--to", "kept", folder=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr.splitlines()[-1] == "agingbench: no such file or folder: none"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    refused = agingbench("archive", ".", "--to", "full", folder=tmp_path)
    assert refused.returncode == 2
    assert "not empty and no archive" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "kept").exists()


def test_no_name_of_a_user_is_printed(tmp_path: Path) -> None:
    home = tmp_path / "home" / "alice"
    home.mkdir(parents=True)
    (home / "a.jsonl").write_text('{"session_id": "s", "role": "user", "content": "hi"}\n')
    (tmp_path / "elsewhere").mkdir()
    done = agingbench(
        "archive", home, "--to", home / "kept", "--json", folder=tmp_path / "elsewhere"
    )
    assert done.returncode == 0
    assert "alice" not in done.stdout + done.stderr
    assert "alice" not in (home / "kept" / "index.jsonl").read_text()


def test_what_another_archive_keeps_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(
        '{"session_id": "s", "role": "user", "content": "hi"}\n'
    )
    assert agingbench("archive", "in", "--to", "in/kept", folder=tmp_path).returncode == 0
    done = agingbench("archive", "in", "--to", "other", "--json", folder=tmp_path)
    told = data(done.stdout)
    assert (told["files"], told["new"], told["unreadable"]) == (1, 1, 0)
