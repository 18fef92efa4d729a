"""The leaderboard on the command line: exit codes, JSON, and the workflow that runs it."""

from __future__ import annotations

import shlex
from pathlib import Path

import yaml

from tests.cli.conftest import Cli, data

ROOT = Path(__file__).parents[2]


def test_an_empty_board(cli: Cli, tmp_path: Path) -> None:
    told = cli("leaderboard", "check", "--board", tmp_path, "--json")
    assert (told.code, data(told.out)["ok"]) == (0, True)
    page = tmp_path / "site" / "index.html"
    told = cli("leaderboard", "build", "--board", tmp_path, "--out", page)
    assert told.code == 0
    assert "No entries yet" in page.read_text()
    assert page.stat().st_size < 100_000  # no chart, no chart library


def test_a_stray_file_is_a_negative_verdict(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "run.sh").write_text("rm -rf /")
    told = cli("leaderboard", "check", "--board", tmp_path)
    assert told.code == 1
    assert "model/run.sh: name: no file of a leaderboard lies here" in told.out


def test_wrong_input(cli: Cli, tmp_path: Path) -> None:
    assert cli("leaderboard", "check", "--board", tmp_path / "none").code == 2
    told = cli("leaderboard", "add", tmp_path, "--key", "xy", "--submitter", "me")
    assert told.code == 2
    assert "no run directory here" in told.err
    for entry in ("a/b", "model/s2/x1", "model/s2_lifestyle_assistant/../x"):
        told = cli(
            "leaderboard", "dispute", entry, "--by", "me", "--claim", "x", "--board", tmp_path
        )
        assert told.code == 2


def test_our_own_board_holds_its_rules_as_the_workflow_checks_them(
    cli: Cli, tmp_path: Path
) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/leaderboard.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["check"]["steps"]
    commands = [step["run"] for step in steps if "agingbench leaderboard" in step.get("run", "")]
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command)[1:]
        words = [str(ROOT / "leaderboard") if "/leaderboard" in word else word for word in words]
        words = [str(tmp_path / word) if word.endswith(".html") else word for word in words]
        assert cli(*words).code == 0
    checkouts = [step["with"] for step in steps if "checkout" in step.get("uses", "")]
    assert all(one["persist-credentials"] is False for one in checkouts)
    install = next(step["run"] for step in steps if "pip install" in step.get("run", ""))
    assert install.endswith("./trusted")


def test_templates_of_issues_have_their_names() -> None:
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    titles = {}
    for file in folder.glob("*.md"):
        head = yaml.safe_load(file.read_text().split("---")[1])
        titles[file.stem] = head["title"]
    assert set(titles) == {"bug_report", "scenario_request", "dispute"}
    assert titles["dispute"].startswith("[dispute]")
