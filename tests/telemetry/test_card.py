"""The card of an audit: valid, scrubbed, the same twice, with the documented keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.cards.check import validate_card
from agingbench.errors import InputError, UnknownName
from agingbench.records import ReadLog
from agingbench.telemetry import audit_events, card_lookups, load_profile, trace_to_card_v11
from agingbench.telemetry.card_lookups import (
    MECHANISM_TO_REPAIR,
    MECHANISM_TO_STAGE,
    diagnostic_signature,
)
from agingbench.telemetry.card_render import render_card_ascii
from agingbench.validity.simulated_agents import SimulatedAgent, simulate, variants
from agingbench.validity.simulated_files import write_files

COVERAGE = {"strong", "adequate", "weak", "underpowered", "no_test_fired"}
VERDICTS = {"no_signal", "flat"} | {
    f"{shape}_{health}"
    for shape in ("rising", "falling", "floor", "ceiling")
    for health in ("degradation", "healthy")
}
SOURCES = {
    "half_life",
    "behavior_drift_at_repeat",
    "aging_trend",
    "maintenance_shock_damage",
    "not_measurable",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    agent = SimulatedAgent(seed=21, sessions=24, aging="revision", strength=2.0)
    return write_files(simulate(agent), tmp_path_factory.mktemp("trace"), "claude_code")


def test_the_card_is_valid_and_holds_the_documented_keys(folder: Path) -> None:
    card = trace_to_card_v11(folder, profile="code_assistant").card
    assert validate_card(card) == []
    assert (card["card_kind"], card["seed"], card["scenario"]) == (
        "trace",
        0,
        "telemetry::code_assistant",
    )
    assert "telemetry_partial" in card["warnings"]
    audit = card["trace_audit"]
    assert card["headline"]["source"] in SOURCES
    assert card["headline"]["aging_detected"] is True
    assert audit["dominant_mechanism"]["dominant"] == "revision"
    assert audit["signature"] == "utilization-dominant (U-stage)"
    assert audit["repair"].startswith("typed state for derived values")
    for name in ("compression", "interference", "revision", "maintenance"):
        block = audit[name]
        assert block["derived_from"]
        assert block["coverage"]["verdict"] in COVERAGE
        assert {"p", "effect", "effect_ci", "n"} <= set(block)
        found = {k: v for k, v in block.items() if k.endswith("_verdict") and isinstance(v, str)}
        assert found
        assert set(found.values()) <= VERDICTS
    revision = audit["revision"]
    assert revision["per_session_violation_trajectory"] == revision["value_supersession_trajectory"]
    assert revision["violation_trajectory_slope"] == revision["value_supersession_slope"]
    assert revision["violation_trajectory_verdict"] == revision["value_supersession_verdict"]
    assert {"shock_damage_trajectory", "shock_damage_verdict", "n_shocks"} <= set(
        audit["maintenance"]
    )
    assert {
        "behavior_drift_at_repeat",
        "consistency_drop_trajectory",
        "tool_path_jaccard_drop_mean",
        "response_cosine_drop_mean",
        "n_repeated_tasks_detected",
        "cluster_sizes",
    } <= set(audit["consistency"])
    assert {"dominant", "reason", "scores", "evidence", "compatible"} == set(
        audit["dominant_mechanism"]
    )
    assert audit["trace_regime"]["adapter"] == "claude_code"


def test_two_audits_give_equal_cards_apart_from_run_and_time(folder: Path) -> None:
    a, b = (trace_to_card_v11(folder).card for _ in range(2))
    assert a["run_id"] != b["run_id"]
    for card in (a, b):
        del card["run_id"], card["generated_at"]
    assert json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def test_formats_agree_on_the_same_life(tmp_path: Path) -> None:
    events = simulate(SimulatedAgent(seed=5, sessions=10))
    found = {
        f: trace_to_card_v11(write_files(events, tmp_path / f, f))
        for f in ("claude_code", "generic", "otlp")
    }
    for name, audit in found.items():
        assert audit.card["provenance"]["trace_format"] == name
        assert audit.card["records"]["malformed"] == 0
    calls = {name: sum(s.tool_calls for s in a.sessions.sessions) for name, a in found.items()}
    errors = {name: sum(s.process_errors for s in a.sessions.sessions) for name, a in found.items()}
    tokens = {
        name: a.card["cost_and_efficiency"]["total_input_tokens"] for name, a in found.items()
    }
    for each in (calls, errors, tokens):
        assert len(set(each.values())) == 1, each


def test_no_planted_secret_reaches_the_card(tmp_path: Path) -> None:
    secrets = [
        "sk-ant-api03-" + "a1B2" * 12,
        "AKIA" + "A1B2C3D4E5F6G7H8",
        "jane.doe@example.org",
        "/home/janedoe/x",
    ]
    events = simulate(SimulatedAgent(seed=6, sessions=8))
    for number, event in enumerate(events):
        secret = secrets[number % len(secrets)]
        if event.role == "tool_call":
            event.tool_name = f"tool {secret}" if number % 2 else event.tool_name
        elif event.content:
            event.content += f" {secret}"
        if event.model:
            event.model = f"model {secrets[1]}"
    where = write_files(events, tmp_path / "home", "claude_code")
    audit = trace_to_card_v11(where, profile="code_assistant")
    text = json.dumps(audit.card) + render_card_ascii(audit.card["trace_audit"])
    for secret in (*secrets[:3], "janedoe"):
        assert secret not in text
    open_card = trace_to_card_v11(where, profile="code_assistant", scrub_pii=False).card
    assert any(w.startswith("not_scrubbed") for w in open_card["warnings"])


def test_a_kind_of_record_that_sounds_like_a_secret_keeps_its_card() -> None:
    log = ReadLog()
    events = simulate(SimulatedAgent(seed=2, sessions=2))
    log.ignored = {"reset_password": 1_000, "ping": 3}
    card = audit_events(events, load_profile("generic"), log=log).trace_card
    assert card.records.ignored == 1_003
    assert card.records.ignored_by_kind == {"reset_password": "[SECRET]", "ping": 3}


def test_sessions_of_the_curve_are_whole_numbers(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    sessions = trace_to_card_v11(folder).sessions.sessions
    rows = [{"session_id": session.id, "outcome": "success"} for session in sessions]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    points = trace_to_card_v11(folder, outcomes_jsonl=path).card["checkpoints"]
    assert json.dumps(points[:2]) == "[[0, 1.0], [1, 1.0]]"


def test_a_hint_that_describes_no_system_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="sut_hint"):
        trace_to_card_v11(folder, sut_hint={"model_id": 3})


def test_an_empty_trace_is_a_card_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    card = trace_to_card_v11(path, trace_format="generic").card
    assert validate_card(card) == []
    assert card["headline"]["aging_detected"] is None
    assert "telemetry_empty_trace" in card["warnings"]


def test_wrong_names_are_told(tmp_path: Path) -> None:
    path = write_files(simulate(SimulatedAgent(seed=1, sessions=2)), tmp_path, "generic")
    with pytest.raises(InputError, match="no such file"):
        trace_to_card_v11(tmp_path / "missing.jsonl")
    with pytest.raises(UnknownName, match="code_assistant"):
        trace_to_card_v11(path, profile="code_asistant")
    with pytest.raises(UnknownName, match="mechanism_weights"):
        trace_to_card_v11(path, overrides={"mechanism_weight": {}})
    with pytest.raises(UnknownName, match="git_log"):
        trace_to_card_v11(path, extract_outcomes=["git_logs"])


def test_lookups() -> None:
    assert diagnostic_signature("revision") == "utilization-dominant (U-stage)"
    assert diagnostic_signature(None) is None
    assert MECHANISM_TO_STAGE["interference"] == "R"
    assert card_lookups.recommended_repair("compression") == MECHANISM_TO_REPAIR["compression"]
    with pytest.raises(UnknownName):
        diagnostic_signature("rust")


def test_the_ascii_card_is_ascii_and_honest(folder: Path, tmp_path: Path) -> None:
    loud = render_card_ascii(trace_to_card_v11(folder).card["trace_audit"])
    assert loud.isascii()
    assert "Dominant mechanism: revision" in loud
    quiet_path = write_files(simulate(variants(3)), tmp_path, "claude_code")
    quiet = render_card_ascii(trace_to_card_v11(quiet_path).card["trace_audit"])
    assert "none, no independent evidence" in quiet
    assert "Repair" not in quiet
