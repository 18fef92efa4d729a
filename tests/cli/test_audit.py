"""`agingbench audit`: a file, a folder, a fleet; JSON, files, comparison, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agingbench.cards.check import load_card, validate_card
from agingbench.cli.main import run
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files
from tests.cli.conftest import data


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("projects")
    write_files(
        simulate(SimulatedAgent(seed=21, aging="revision", strength=2.0)),
        root / "aging",
        "claude_code",
    )
    write_files(simulate(SimulatedAgent(seed=3)), root / "healthy", "claude_code")
    write_files(simulate(SimulatedAgent(seed=4, sessions=3)), root / "young", "claude_code")
    return root


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code = run(["audit", *arguments, "--json"])
    return code, data(capsys.readouterr().out)


def test_json_holds_card_records_and_files(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = document(capsys, str(fleet / "young"))
    assert code == 0
    card = found["card"]
    records = found["records"]
    assert isinstance(card, dict)
    assert isinstance(records, dict)
    assert validate_card(card) == []
    assert card["headline"]["aging_detected"] is None
    assert records["used"] > 0
    assert records["malformed"] == records["duplicate"] == 0
    assert len(found["files"]) == 3  # type: ignore[arg-type]


def test_a_fleet_is_one_row_per_project_most_evident_first(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = document(capsys, str(fleet))
    rows = found["fleet"]
    assert isinstance(rows, list)
    assert rows[0]["name"] == "aging"
    assert {r["name"] for r in rows} == {"aging", "healthy", "young"}
    assert rows[0]["p_fleet"] >= rows[0]["p"]
    assert run(["audit", str(fleet)]) == 0
    assert "3 projects" in capsys.readouterr().out


def test_the_lifespan_card_in_the_terminal(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(fleet / "aging"), "--profile", "code_assistant"]) == 0
    out = capsys.readouterr().out
    for words in (
        "Agent Lifespan Report",
        "Your agent is getting worse, gradually",
        "What it took",
        "What it did, week by week",
        "Kinds of aging",
        "What to do next",
        "revision: tell the agent to read a value again",
    ):
        assert words in out
    for jargon in ("stage", "regime", "placebo", "dominant"):
        assert jargon not in out


def test_exit_1_only_on_aging_and_only_when_asked(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(fleet / "aging"), "--fail-on", "aging"]) == 1
    assert run(["audit", str(fleet / "young"), "--fail-on", "aging"]) == 0
    capsys.readouterr()


def test_cards_are_written_and_compared(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["audit", str(fleet / "aging"), "--out", str(out)]) == 0
    assert load_card(out / "aging_card.json")["card_kind"] == "trace"
    capsys.readouterr()
    _, found = document(capsys, str(fleet / "aging"), "--against", str(out / "aging_card.json"))
    against = found["against"]
    assert isinstance(against, dict)
    assert against["same_evidence"] is True
    assert against["mechanisms"]["revision"]["effect_change"] == 0
    assert run(["audit", str(fleet), "--against", str(out)]) == 2
    assert "holds 3 projects" in capsys.readouterr().err
    assert run(["audit", str(fleet), "--out", str(out)]) == 0
    assert (out / "healthy" / "aging_card.json").exists()


def test_a_second_project_leaves_the_card_of_the_first_where_it_was(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    projects = tmp_path / "projects"
    out = tmp_path / "out"
    file = out / "young" / "aging_card.json"
    shutil.copytree(fleet / "young", projects / "young")
    assert run(["audit", str(projects), "--out", str(out)]) == 0
    alone = load_card(file)
    assert run(["audit", str(projects), "--against", str(out)]) == 0
    assert "since the earlier audit" in capsys.readouterr().out

    shutil.copytree(fleet / "young", projects / "other")
    assert run(["audit", str(projects), "--out", str(out)]) == 0
    assert sorted(out.rglob("aging_card.json")) == [out / "other" / "aging_card.json", file]
    assert load_card(file)["content_hash"] != alone["content_hash"]
    assert run(["audit", str(projects / "young"), "--against", str(out)]) == 2
    assert "holds 2 cards" in capsys.readouterr().err


def test_since_leaves_out_what_is_older(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, whole = document(capsys, str(fleet / "healthy"))
    _, recent = document(capsys, str(fleet / "healthy"), "--since", "2025-10-14")
    assert isinstance(whole["card"], dict)
    assert isinstance(recent["card"], dict)
    assert 0 < recent["card"]["n_sessions"] < whole["card"]["n_sessions"]
    assert run(["audit", str(fleet), "--since", "soon"]) == 2
    assert "2026-01-31" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing"],
        ["{path}", "--profile", "nope"],
        ["{path}", "--format", "nope"],
        ["{path}", "--extract", "nope"],
        ["{path}", "--outcomes", "missing.jsonl"],
        ["{path}", "--against", "missing.json"],
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", *(a.replace("{path}", str(fleet / "young")) for a in arguments)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("agingbench: ")
    assert "internal error" not in err


def test_a_folder_without_a_trace_is_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(tmp_path)]) == 2
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 10)
    assert run(["audit", str(tmp_path)]) == 2
    assert "no trace of a known format" in capsys.readouterr().err


def test_an_archive_says_what_its_sources_say(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["archive", str(fleet / "healthy"), "--to", str(tmp_path / "kept")]) == 0
    capsys.readouterr()
    _, source = document(capsys, str(fleet / "healthy"))
    _, kept = document(capsys, str(tmp_path / "kept"))
    assert isinstance(source["card"], dict)
    assert isinstance(kept["card"], dict)
    assert kept["card"]["provenance"]["trace_format"] == "claude_code"
    assert kept["card"]["content_hash"] == source["card"]["content_hash"]


def test_malformed_lines_are_told_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_files(
        simulate(SimulatedAgent(seed=4, sessions=2)), tmp_path / "p", "claude_code"
    )
    file = sorted(folder.glob("*.jsonl"))[0]
    file.write_text(file.read_text() + '{"type": "user", broken\n\x00\n')
    _, found = document(capsys, str(folder))
    problems = found["problems"]
    assert isinstance(problems, list)
    assert {p["file"] for p in problems} == {file.name}
    assert all(isinstance(p["line"], int) for p in problems)
    assert run(["audit", str(folder)]) == 0
    assert f"{file.name}:" in capsys.readouterr().out


def test_a_life_of_the_bench_is_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "life"
    assert (
        run(
            [
                "run",
                "--scenario",
                "s2",
                "--sessions",
                "8",
                "--seed",
                "1",
                "--out",
                str(out),
                "--no-plots",
            ]
        )
        == 0
    )
    capsys.readouterr()
    traces = list(out.rglob("trace.jsonl"))
    code, found = document(capsys, str(traces[0]))
    card = found["card"]
    assert code == 0
    assert isinstance(card, dict)
    assert card["provenance"]["trace_format"] == "trajectory"
    assert card["n_sessions"] == 8
    assert card["headline"]["aging_detected"] is None


def test_hostile_records_cost_themselves_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_files(
        simulate(SimulatedAgent(seed=4, sessions=7)), tmp_path / "p", "claude_code"
    )
    _, clean = document(capsys, str(folder))
    base = {
        "type": "user",
        "uuid": "h",
        "sessionId": "../../etc/passwd",
        "timestamp": "54000000-01-01T00:00:00Z",
    }
    hostile = [
        json.dumps(
            base | {"uuid": "h1", "message": {"role": "user", "content": "x" * 10_000_000}}
        ).encode(),
        b'{"type":"user","message":' + b"[" * 100_000,
        b'{"type":"user","uuid":"\xff\xfe"}',
        b"\x00\x00\x00",
        json.dumps(base | {"uuid": "h2", "message": {"role": "user", "content": "/etc"}}).encode(),
    ]
    (folder / "hostile.jsonl").write_bytes(b"\n".join(hostile) + b"\n")
    out = tmp_path / "out"
    code = run(["audit", str(folder), "--out", str(out), "--json"])
    found = data(capsys.readouterr().out)
    assert code == 0
    before = clean["records"]
    assert isinstance(before, dict)
    assert found["records"]["used"] >= before["used"]
    assert found["records"]["malformed"] >= 2
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("aging_card.json")] == [
        "out/aging_card.json"
    ]
    assert "passwd" not in (out / "aging_card.json").read_text()


def test_without_a_path_the_transcripts_of_this_machine_are_read(
    fleet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert run(["audit"]) == 2
    assert "no transcripts in" in capsys.readouterr().err

    projects = tmp_path / ".claude" / "projects"
    projects.mkdir(parents=True)
    (projects / "young").symlink_to(fleet / "young")
    shutil.copytree(fleet / "young", projects / "one")
    sessions = tmp_path / "codex" / "sessions"
    shutil.copytree(fleet / "young", sessions / "two")
    code, found = document(capsys)
    assert code == 0
    assert len(found["files"]) == 3  # type: ignore[arg-type]

    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert run(["audit"]) == 0
    told = capsys.readouterr()
    assert "2 projects" in told.out
    assert "reading " in told.err
    assert told.out.rstrip().endswith("in a browser: agingbench report audits")
