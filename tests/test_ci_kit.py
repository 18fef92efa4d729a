"""The pipelines of examples/ci do what they say: their steps are run, in order, by bash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.places import EXAMPLES, ROOT

CI = EXAMPLES / "ci"
# Short lives, and a limit that two of them can see.
SMALL = {"SESSIONS": "2", "SEEDS": "2", "MAX_DROP": "1"}


def github() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((CI / "github.yml").read_text())
    return document


def gitlab() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((CI / "gitlab.yml").read_text())
    return document


def github_steps(job: str) -> list[str]:
    steps = github()["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step and step["name"] != "Install"]


class Runner:
    """A folder in which steps run, with `agingbench` on the path and the pipeline's variables."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder = folder
        programs = folder / ".programs"
        programs.mkdir()
        program = programs / "agingbench"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agingbench "$@"\n')
        program.chmod(0o755)
        self.summary = folder / "step_summary.md"
        self.environment = {
            **os.environ,
            **variables,
            **SMALL,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        self.environment.pop("AGINGBENCH_LEDGER", None)

    def step(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def all(self, steps: list[str]) -> str:
        printed = ""
        for script in steps:
            done = self.step(script)
            assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
            printed += done.stdout
        return printed

    def make_baseline(self) -> None:
        """Let the lives that were lived be the baseline too."""
        shutil.copytree(self.folder / "candidate", self.folder / self.environment["BASELINE"])


def test_the_github_gate_runs(tmp_path: Path) -> None:
    steps = github_steps("gate")
    runner = Runner(tmp_path, github()["env"])
    runner.all(steps[:1])
    runner.make_baseline()
    printed = runner.all(steps[1:])
    assert printed.count("OK: card validates") == 2
    suite = ElementTree.fromstring((tmp_path / "gate.xml").read_bytes())
    assert suite.get("failures") == "0"
    summary = runner.summary.read_text()
    assert "### Aging gate: passed" in summary
    assert "```mermaid" in summary
    assert summary.count("  line [") == 2
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_github_night_tells_a_trend(tmp_path: Path) -> None:
    runner = Runner(tmp_path, github()["env"])
    runner.all(github_steps("nightly"))
    assert "reward" in runner.summary.read_text()
    assert (tmp_path / "nights" / "ledger.sqlite").exists()


@pytest.mark.slow
def test_the_gitlab_jobs_run(tmp_path: Path) -> None:
    pipeline = gitlab()
    runner = Runner(tmp_path, pipeline["variables"])
    steps = pipeline["aging-gate"]["script"]
    runner.all(steps[:1])
    runner.make_baseline()
    runner.all(steps[1:])
    runner.all(pipeline["aging-nightly"]["script"])
    for path in ("gate.xml", "gate.md", "curves.png", "trend.txt"):
        assert (tmp_path / path).stat().st_size > 0


def test_both_pipelines_call_the_same_commands() -> None:
    def commands(steps: list[str]) -> set[str]:
        calls = [step for step in steps if step.startswith("agingbench")]
        return {re.split(r" [|>] ", call)[0] for call in calls}

    pipeline = gitlab()
    assert commands(github_steps("gate")) == commands(pipeline["aging-gate"]["script"])
    assert commands(github_steps("nightly")) == commands(pipeline["aging-nightly"]["script"])
    assert github()["env"] == pipeline["variables"]


def test_the_hook_finds_cards_and_nothing_else() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "agingbench card validate"
    pattern = re.compile(hook["files"])
    assert pattern.search("aging/baseline/seed_0/aging_card.json")
    assert pattern.search("leaderboard/model/s2_lifestyle_assistant/acme__seed0.json")
    for name in ("my_aging_card.json", "leaderboard/model/s2/acme.submission.json", "plan.json"):
        assert not pattern.search(name)
