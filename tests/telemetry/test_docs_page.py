"""The commands and Python lines of the public telemetry reference work as they are printed there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(
        simulate(SimulatedAgent(seed=3, sessions=8)),
        tmp_path / ".claude" / "projects" / "demo",
        "claude_code",
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_preparing_and_auditing_as_printed(home: Path) -> None:
    from agingbench.telemetry import prepare_trace

    out = prepare_trace("~/.claude/projects/demo")  # type: ignore[operator]
    (home / "trace.jsonl").write_bytes(out.read_bytes())
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "agingbench.telemetry.prepare_trace",
            str(home / ".claude" / "projects" / "demo"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "agingbench_trace.jsonl (" in done.stdout

    from agingbench.telemetry import trace_to_card_v11

    r = trace_to_card_v11(
        trace_jsonl="trace.jsonl",
        trace_format="claude_code",
        profile="code_assistant",
        overrides={"mechanism_weights": {"compression": 1.2}},  # deep-merged
    )
    assert r.card["n_sessions"] == 8
    assert r.sessions.profile.mechanism_weights == {
        "compression": 1.2,
        "interference": 1.0,
        "revision": 1.5,
        "maintenance": 1.0,
    }
    from agingbench.telemetry.card_lookups import diagnostic_signature, recommended_repair
    from agingbench.telemetry.card_render import render_card_ascii

    assert diagnostic_signature("revision") == "utilization-dominant (U-stage)"
    assert str(recommended_repair("revision")).startswith("typed state for derived values")
    assert "Agent Lifespan Report" in render_card_ascii(r.card["trace_audit"])


def test_the_prepared_file_and_its_folder_say_the_same(home: Path) -> None:
    from agingbench.telemetry import (
        load_profile,
        prepare_trace,
        register_extractor,
        trace_to_card_v11,
    )

    folder = home / ".claude" / "projects" / "demo"
    whole = trace_to_card_v11(folder, profile="generic").card
    out = prepare_trace(folder)  # type: ignore[operator]
    merged = trace_to_card_v11(out, trace_format="claude_code").card
    again = trace_to_card_v11(folder, profile="generic").card
    assert (
        again["content_hash"] == whole["content_hash"]
    )  # the merged copy beside the fragments is not read twice
    for key in ("compression", "interference", "revision", "maintenance"):
        assert whole["trace_audit"][key]["p"] == merged["trace_audit"][key]["p"]
    assert load_profile("generic").name == "generic"
    register_extractor("none", lambda sessions, argument: [])
    assert (
        trace_to_card_v11(out, extract_outcomes=["none", "claude_session_flags"]).card["headline"][
            "source"
        ]
        == "half_life"
    )
