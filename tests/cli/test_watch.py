"""`agingbench watch`: one look, what it prints, its exit codes, and processes that are killed."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from agingbench.cli.main import cli, run
from agingbench.telemetry.audit import audit_path
from agingbench.traces.archive.reading import archived_files
from tests.cli.conftest import data
from tests.places import ROOT
from tests.telemetry.watch.test_watcher import saved_hash, session_file


def agingbench(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "agingbench", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a process and what it said on standard error."""
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def pretend_it_aged(out: Path) -> None:
    (file,) = (out / "cards").rglob("aging_card.json")
    card = json.loads(file.read_bytes())
    card["headline"]["aging_detected"] = True
    card["content_hash"] = "sha256:0"
    file.write_text(json.dumps(card))


def test_once_prints_the_answers_and_the_notices_of_changed_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session_file(tmp_path / "in", 0, 1)
    out = tmp_path / "out"
    words = ["watch", str(tmp_path / "in"), "--once", "--out", str(out)]
    assert run(words) == 0
    printed = capsys.readouterr()
    assert "1 transcript kept" in printed.out
    assert "1 project, 1 session;" in printed.out
    assert "-home-[USER]-p0: 1 session, aging: cannot tell (" in printed.out
    assert "raw copies, for you alone" in printed.err

    assert run([*words, "--fail-on", "change"]) == 0
    assert capsys.readouterr().out == ""
    pretend_it_aged(out)
    assert run([*words, "--quiet", "--fail-on", "change"]) == 1
    assert capsys.readouterr().out == ""
    assert run(["watch", "--news", "--out", str(out)]) == 0
    assert "NOTICE -home-[USER]-p0: aging: yes, now cannot tell (" in capsys.readouterr().out
    assert run(["watch", "--news", "--out", str(out)]) == 0
    assert capsys.readouterr().out == ""


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session_file(tmp_path / "in", 0, 1)
    session_file(tmp_path / "in", 1, 1)
    out = tmp_path / "out"
    words = ["watch", str(tmp_path / "in"), "--once", "--json", "--out", str(out)]
    assert run([*words, "--fail-on", "aging"]) == 0
    document = data(capsys.readouterr().out)
    assert document["archived"]["new"] == 2
    assert document["notices"] == []
    names = [row["name"] for row in document["projects"]]
    assert sorted(names) == ["-home-[USER]-p0", "-home-[USER]-p1"]
    for row in document["projects"]:
        assert row["is_new"] is True
        assert row["aging_detected"] is None
        assert (out / row["card"]).is_file()


def test_wrong_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", str(tmp_path / "none"), "--once", "--out", str(tmp_path / "out")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    assert run(["watch", str(tmp_path), "--fail-on", "aging"]) == 2
    assert "--fail-on needs --once" in capsys.readouterr().err


def test_the_hook_of_the_docs_is_a_command_of_ours() -> None:
    """What Claude Code would run when a session ends, up to the look itself."""
    page = (ROOT / "docs" / "watch.md").read_text()
    (text,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (entry,) = json.loads(text)["hooks"]["SessionEnd"]
    (hook,) = entry["hooks"]
    assert hook["type"] == "command"
    program, name, *options = shlex.split(hook["command"])
    assert (program, name) == ("agingbench", "watch")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.make_context(name, options).params["background"] is True


@pytest.mark.slow
def test_the_background_outlives_its_command_and_keeps_notices_for_later(tmp_path: Path) -> None:
    session_file(tmp_path / "in", 0, 1)
    out = tmp_path / "out"
    begun = agingbench("watch", tmp_path / "in", "--background", "--out", out)
    assert ended(begun) == (0, "")
    deadline = time.monotonic() + 60
    while not list(out.rglob("aging_card.json")) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert len(list(out.rglob("aging_card.json"))) == 1
    assert (out / "background.log").read_text() == ""


@pytest.mark.slow
def test_ctrl_c_ends_a_watch_that_goes_on(tmp_path: Path) -> None:
    session_file(tmp_path / "in", 0, 1)
    watch = agingbench("watch", tmp_path / "in", "--every", 1, "--out", tmp_path / "out")
    assert watch.stdout is not None
    assert "1 transcript kept" in watch.stdout.readline()
    session_file(tmp_path / "in", 1, 1)
    assert "aging: cannot tell" in watch.stdout.readline()
    assert "1 transcript kept" in watch.stdout.readline()
    watch.send_signal(signal.SIGINT)
    code, errors = ended(watch)
    assert code == 0
    assert "Traceback" not in errors


@pytest.mark.slow
def test_two_watchers_that_are_killed_again_and_again_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    out = tmp_path / "out"
    rng = random.Random(8)
    words = ("watch", folder, "--every", 1, "--quiet", "--out", out)
    for round in range(6):
        for project in range(3):
            session_file(folder, project, round)
        watchers = [agingbench(*words) for _ in range(2)]
        time.sleep(rng.uniform(0.5, 3.0))
        for watcher in watchers:
            os.kill(watcher.pid, signal.SIGKILL)
            watcher.communicate()

    last = agingbench("watch", folder, "--once", "--out", out)
    assert ended(last)[0] == 0
    cards = {saved_hash(file.parent) for file in (out / "cards").rglob("aging_card.json")}
    assert cards == {audit.card["content_hash"] for audit in audit_path(folder)}
    stored = {file.path.name: file for file in archived_files(out / "archive")}
    for path in folder.rglob("*.jsonl"):
        with stored[path.name].open() as stream:
            assert stream.read() == path.read_bytes()
