"""`agingbench audit` on what no client writes: absurd numbers, names that are no text, copies,
other processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from agingbench.cards.check import validate_card
from agingbench.cli.main import run
from agingbench.telemetry import prepare_trace
from agingbench.traces.tracefiles import MERGED_NAME
from agingbench.traces.trajectory import encode_event
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files
from tests.cli.conftest import data
from tests.sampling import one_in

CLEAN: dict[str, dict[str, Any]] = {}  # by format: the audit before anything is changed
ABSURD = [10**400, -(10**400), 1e308, -7, 2**63]


def audited(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    code = run(["audit", *map(str, arguments), "--json"])
    found: dict[str, Any] = data(capsys.readouterr().out)
    assert code == 0
    return found


def as_trajectory(folder: Path) -> Path:
    folder.mkdir()
    events = simulate(SimulatedAgent(seed=4, sessions=7))
    (folder / "trace.jsonl").write_bytes(b"".join(encode_event(event) + b"\n" for event in events))
    return folder


def changed(value: Any, key: str, new: float) -> Any:
    """The same JSON value with this in every field of that name."""
    if isinstance(value, dict):
        return {k: new if k == key else changed(v, key, new) for k, v in value.items()}
    return [changed(v, key, new) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("trace_format", "key"),
    one_in(
        4,
        product(
            ("claude_code", "generic", "otlp", "trajectory"),
            ("input_tokens", "timestamp", "duration_ms", "cost_usd", "intValue"),
        ),
    ),
)
def test_numbers_beyond_all_measure_are_unknown(
    trace_format: str, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if trace_format == "trajectory":
        folder = as_trajectory(tmp_path / "p")
    else:
        folder = tmp_path / "p"
        write_files(simulate(SimulatedAgent(seed=4, sessions=7)), folder, trace_format)
    if trace_format not in CLEAN:
        CLEAN[trace_format] = audited(capsys, folder)
    clean = CLEAN[trace_format]
    for file in folder.iterdir():
        lines = file.read_text().splitlines()
        rows = [
            changed(json.loads(line), key, ABSURD[n % len(ABSURD)]) for n, line in enumerate(lines)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = audited(capsys, folder)
    assert validate_card(found["card"]) == []
    assert sum(found["records"][k] for k in ("used", "ignored", "duplicate", "malformed")) == sum(
        clean["records"][k] for k in ("used", "ignored", "duplicate", "malformed")
    )
    taken = found["card"]["cost_and_efficiency"]["total_input_tokens"]
    assert taken is None or 0 <= taken <= clean["card"]["cost_and_efficiency"]["total_input_tokens"]


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    for seed, name in ((3, "one"), (4, "two")):
        write_files(
            simulate(SimulatedAgent(seed=seed, sessions=3)),
            tmp_path / "projects" / name,
            "claude_code",
        )
    return tmp_path / "projects"


def first(project: Path) -> Path:
    return min(project.iterdir())


def test_what_prepare_trace_wrote_is_no_project_of_its_own(
    projects: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = audited(capsys, projects)
    merged = prepare_trace(projects)  # type: ignore[operator]
    after = audited(capsys, projects)
    assert [row["name"] for row in after["fleet"]] == [row["name"] for row in before["fleet"]]
    assert after["files"] == before["files"]
    assert after["records"] == before["records"]
    assert run(["archive", str(projects), "--to", str(tmp_path / "kept")]) == 0
    assert "6 transcripts" in capsys.readouterr().out
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / MERGED_NAME).write_bytes(merged.read_bytes())
    (alone / "README.md").write_text("what this is\n")
    assert audited(capsys, alone)["records"]["used"] == before["records"]["used"]


def test_problems_name_the_file_below_what_was_asked_for(
    projects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (projects / name / "notes.jsonl").write_text(
            first(projects / name).read_text() + "{broken\n"
        )
    found = audited(capsys, projects)
    assert {p["file"] for p in found["problems"]} == {"one/notes.jsonl", "two/notes.jsonl"}


def test_names_that_are_not_text_are_printed_as_text(
    projects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first(projects / "one").rename(projects / "one" / os.fsdecode(b"a\xff\x1b[31m.jsonl"))
    found = audited(capsys, projects)
    assert [file for file in found["files"] if file.startswith("one/a")] == ["one/a?\x1b[31m.jsonl"]
    assert run(["audit", str(projects / "one")]) == 0
    assert "\x1b[31m" not in capsys.readouterr().out


def test_two_processes_give_equal_cards(projects: Path) -> None:
    cards = []
    for seed, zone in (("1", "UTC"), ("77", "Asia/Tokyo")):
        command = [
            sys.executable,
            "-m",
            "agingbench.cli.main",
            "audit",
            str(projects / "one"),
            "--json",
        ]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        cards.append(data(done.stdout))
        # Whatever order the files were written in.
        for file in sorted((projects / "one").iterdir(), reverse=True):
            file.write_bytes(file.read_bytes())
    for found in cards:
        del found["card"]["run_id"], found["card"]["generated_at"]
    assert cards[0] == cards[1]
