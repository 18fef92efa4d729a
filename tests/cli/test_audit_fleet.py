"""`agingbench audit` on whole homes of clients: fleets of real projects, outcomes, correction,
comparison, exits.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agingbench.cards.check import load_card
from agingbench.cli.main import run
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files
from tests.cli.conftest import data
from tests.places import TRACES

needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason="the real traces are not in ../shared/data"
)


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run(["audit", *arguments, "--json"])
    found: dict[str, Any] = data(capsys.readouterr().out)
    return code, found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with real Claude Code projects and real Codex rollouts by date."""
    root = tmp_path_factory.mktemp("home")
    projects = root / ".claude" / "projects"
    for name in ("entireio_cli/paul", "moredip_session-share", "flop-labs_technocore-chat"):
        shutil.copytree(
            TRACES / "claude_code" / name, projects / f"-home-somebody-{name.replace('/', '-')}"
        )
    files = sorted(f for f in (TRACES / "codex").rglob("*.jsonl") if f.stat().st_size < 2_000_000)
    for number, file in enumerate(files):
        day = root / ".codex" / "sessions" / "2025" / f"{1 + number % 12:02d}" / f"{1 + number:02d}"
        day.mkdir(parents=True)
        shutil.copy(file, day / f"rollout-{number}.jsonl")
    return root


@needs_traces
def test_all_claude_projects_at_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(home))
    code, found = document(capsys, "~/.claude/projects", "--out", str(tmp_path))
    assert code == 0
    rows = found["fleet"]
    assert len(rows) >= 3
    assert sum(r["records"]["used"] for r in rows) == found["records"]["used"]
    assert not any(
        file.startswith(f"{row['name']}/{row['name']}/") for row in rows for file in row["files"]
    )
    assert found["files"] == [file for row in rows for file in row["files"]]
    order = [
        (
            {True: 0, None: 1, False: 2}[r["aging_detected"]],
            2.0 if r["p_fleet"] is None else r["p_fleet"],
        )
        for r in rows
    ]
    assert order == sorted(order)
    cards = [load_card(p) for p in tmp_path.rglob("aging_card.json")]
    assert len(cards) == len(rows)
    assert {c["provenance"]["profile"] for c in cards} == {"code_assistant"}
    assert {c["trace_audit"]["fleet"]["rows"] for c in cards} == {len(rows)}
    assert run(["audit", "~/.claude/projects"]) == 0
    out = capsys.readouterr().out
    assert f"{len(rows)} projects" in out
    assert "cannot tell in" in out


@needs_traces
def test_all_codex_sessions_by_date(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = document(capsys, str(home / ".codex" / "sessions"))
    assert code == 0
    rows = found["fleet"]
    # Folders that Codex makes for single tasks are one project, not as many as there were tasks.
    assert sum(r["name"].endswith("/mise") for r in rows) == 1
    assert sum(r["card"]["n_sessions"] for r in rows) >= 8
    assert {r["card"]["provenance"]["trace_format"] for r in rows} == {"codex"}


@needs_traces
def test_a_later_audit_against_an_earlier_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = TRACES / "claude_code" / "entireio_cli" / "paul"
    files = sorted(whole.rglob("*.jsonl"), key=lambda f: f.stat().st_size)
    early = tmp_path / "early"
    early.mkdir()
    for file in files[::2]:
        shutil.copy(file, early / file.name)
    assert run(["audit", str(early), "--out", str(tmp_path / "then")]) == 0
    _, found = document(capsys, str(whole), "--against", str(tmp_path / "then"))
    against = found["against"]
    assert against["same_evidence"] is False
    assert (
        0 < against["n_sessions_before"] < against["n_sessions_now"] == found["card"]["n_sessions"]
    )
    mechanisms = {"compression", "interference", "revision", "maintenance", "reliability"}
    assert set(against["mechanisms"]) == mechanisms
    assert run(["audit", str(whole), "--against", str(tmp_path / "then" / "aging_card.json")]) == 0
    assert "since the earlier audit" in capsys.readouterr().out


@needs_traces
def test_since_on_a_real_folder(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(TRACES / "claude_code" / "entireio_cli" / "gtrrz-victor")
    _, whole = document(capsys, folder)
    times = [t for t in whole["card"]["trace_audit"]["session_times"] if t is not None]
    from datetime import UTC, datetime

    middle = datetime.fromtimestamp(sorted(times)[len(times) // 2], UTC).date().isoformat()
    _, late = document(capsys, folder, "--since", middle)
    assert 0 < late["card"]["n_sessions"] < whole["card"]["n_sessions"]
    assert any(w.startswith("events_older_than_since") for w in late["card"]["warnings"])
    assert run(["audit", folder, "--since", middle]) == 0
    assert "older than --since" in capsys.readouterr().out


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("agents")
    write_files(
        simulate(SimulatedAgent(seed=21, aging="revision", strength=2.0)),
        root / "aging",
        "claude_code",
    )
    write_files(simulate(SimulatedAgent(seed=3, sessions=40)), root / "healthy", "claude_code")
    write_files(simulate(SimulatedAgent(seed=4, sessions=3)), root / "young", "claude_code")
    return root


def test_fail_on_aging_says_what_it_did(agents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(agents / "aging"), "--fail-on", "aging"]) == 1
    assert "--fail-on" not in capsys.readouterr().err
    assert run(["audit", str(agents / "healthy"), "--fail-on", "aging"]) == 0
    assert "no aging detected" in capsys.readouterr().err
    assert run(["audit", str(agents / "young"), "--fail-on", "aging"]) == 0
    assert (
        "cannot tell (3 sessions; 6 are the least); that does not fail" in capsys.readouterr().err
    )
    assert run(["audit", str(agents), "--fail-on", "aging"]) == 1
    capsys.readouterr()


def test_outcomes_for_a_whole_fleet(
    agents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = sorted(f.stem for f in (agents / "healthy").rglob("*.jsonl"))
    path = tmp_path / "outcomes.jsonl"
    rows = [{"session_id": n, "event": "pr_merged"} for n in names] + [
        {"session_id": "gone", "outcome": "fail"}
    ] * 2
    path.write_text("".join(json.dumps(r) + "\n" for r in rows) + "{broken\n")
    _, found = document(capsys, str(agents), "--outcomes", str(path))
    counts = found["outcomes"]
    assert (counts["read"], counts["linked"], counts["unmatched"], counts["malformed"]) == (
        42,
        40,
        2,
        1,
    )
    assert counts["problems"][0]["line"] == 43
    linked = {r["name"]: r["card"]["trace_audit"]["n_outcome_events"] for r in found["fleet"]}
    assert linked == {"aging": 0, "healthy": 40, "young": 0}
    assert run(["audit", str(agents), "--outcomes", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("2 match no session of these projects") == 1
    assert "outcomes.jsonl:43" in out


def test_evidence_where_something_fired_and_nowhere_else(
    agents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, loud = document(capsys, str(agents / "aging"))
    records = loud["evidence"]["revision"][0]["records"]
    assert 1 <= len(records) <= 8
    assert {"session", "file", "line"} <= set(records[0])
    run(["audit", str(agents / "aging")])
    out = " ".join(capsys.readouterr().out.split())
    assert f"session {records[0]['session']} (2025-" in out
    assert f"{records[0]['file']} line" in out
    _, quiet = document(capsys, str(agents / "healthy"))
    assert quiet["evidence"] == {}
    run(["audit", str(agents / "healthy")])
    assert "evidence" not in capsys.readouterr().out.replace("no evidence", "").replace(
        "independent evidence", ""
    )
    run(["audit", str(agents)])
    assert capsys.readouterr().out.count("evidence     ") == 1


def test_the_profile_is_said(agents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["audit", str(agents / "young")])
    assert "code_assistant: claude_code traces" in capsys.readouterr().out
    _, named = document(capsys, str(agents / "young"), "--profile", "generic")
    assert named["card"]["trace_audit"]["profile"] == {"name": "generic", "chosen_by": "named"}
