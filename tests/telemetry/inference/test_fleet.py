"""Several projects: each outcome to the project that holds its session, and the answer after
correction over rows.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.cards.audit import FleetOutcomes
from agingbench.cards.check import validate_card
from agingbench.records import Event
from agingbench.telemetry import audit_path, load_profile, trace_to_card_v11
from agingbench.telemetry.inference.fleet import corrected, share_outcomes
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.outcomes import OutcomeEvent
from agingbench.telemetry.trace_card import FleetCorrection, TraceCard
from agingbench.validity.simulated_agents import SimulatedAgent, simulate
from agingbench.validity.simulated_files import write_files

PROFILE = load_profile("generic")
DAY = 86_400.0


def project(*sessions: tuple[str, float, int]) -> TraceSessions:
    events = [
        Event(
            step=i, role="user", content="do it", session_id=name, timestamp=1.7e9 + day * DAY + i
        )
        for name, day, n in sessions
        for i in range(n)
    ]
    return collect(events, PROFILE)


def test_an_outcome_goes_to_the_project_that_holds_its_session() -> None:
    a = project(("x", 0, 1), ("both", 1, 1))
    b = project(("y", 2, 1), ("both", 1, 5))
    events = [
        OutcomeEvent("x", "success"),
        OutcomeEvent("y", "fail"),
        OutcomeEvent("both", "success"),  # most of it was in the second project
        OutcomeEvent("nobody", "fail"),
        OutcomeEvent(None, "fail", timestamp=1.7e9 + 2.5 * DAY),  # the last to begin was y
        OutcomeEvent(None, "fail", timestamp=1.6e9),  # before anything
        OutcomeEvent(None, "fail"),
    ]
    (first, second), unmatched = share_outcomes([a, b], events)
    assert [e.session_id for e in first] == ["x"]
    assert [e.session_id for e in second] == ["y", "both", None]
    assert unmatched == 3


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("projects")
    write_files(
        simulate(SimulatedAgent(seed=21, aging="revision", strength=2.0)),
        root / "aging",
        "claude_code",
    )
    write_files(simulate(SimulatedAgent(seed=3)), root / "healthy", "claude_code")
    return root


def test_outcomes_of_a_fleet_are_counted_once(fleet: Path, tmp_path: Path) -> None:
    ids = {
        name: sorted(f.stem for f in (fleet / name).rglob("*.jsonl"))
        for name in ("aging", "healthy")
    }
    rows = [{"session_id": s, "outcome": "success"} for s in ids["aging"][:6] + ids["healthy"][:9]]
    rows += [{"session_id": "gone", "outcome": "fail"}] * 4
    path = tmp_path / "outcomes.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows) + "broken\n")
    found = {a.name: a for a in audit_path(fleet, outcomes_jsonl=path)}
    assert found["aging"].card["trace_audit"]["n_outcome_events"] == 6
    assert found["healthy"].card["trace_audit"]["n_outcome_events"] == 9
    for one in found.values():
        assert one.card["trace_audit"]["n_outcome_events_unlinked"] == 0
        assert not any(w.startswith("outcomes_not_linked") for w in one.card["warnings"])
        assert one.fleet is not None
        assert one.fleet.outcome_counts() == FleetOutcomes(
            read=19, linked=15, unmatched=4, malformed=1
        )
        assert one.card["records"]["malformed"] == 0
        assert [problem.line for problem in one.fleet.problems] == [20]
    # Alone, the same file says what does not belong to the project.
    alone = audit_path(fleet / "aging", outcomes_jsonl=path)[0].card
    assert alone["trace_audit"]["n_outcome_events_unlinked"] == 13


@pytest.fixture(scope="module")
def loud(fleet: Path) -> TraceCard:
    card = trace_to_card_v11(fleet / "aging").trace_card
    assert card.headline.aging_detected is True
    return card


def test_a_row_that_does_not_outlast_the_correction_is_open(loud: TraceCard) -> None:
    card = corrected(loud, 0.04, 0.4, 10)
    assert validate_card(card.document()) == []
    audit = card.trace_audit
    for head in (card.headline, audit.headline):
        assert head.aging_detected is None
        assert head.aging_detected_uncorrected is True
        assert head.aging_reason is not None
        assert "10 projects" in head.aging_reason
    assert audit.dominant_mechanism.dominant is None
    assert audit.signature is None
    assert audit.repair is None
    assert audit.dominant_mechanism.evidence == {}
    assert audit.dominant_mechanism.compatible == ["revision"]
    assert audit.revision.fired is None
    assert audit.revision.fired_uncorrected is True
    assert isinstance(audit.fleet, FleetCorrection)
    assert audit.fleet.uncorrected.dominant_mechanism == "revision"
    assert loud.headline.aging_detected is True  # what was given is left as it was


def test_a_row_that_outlasts_it_stands(loud: TraceCard) -> None:
    card = corrected(loud, 0.001, 0.01, 10)
    assert validate_card(card.document()) == []
    assert card.headline.aging_detected is True
    assert card.headline.aging_detected_uncorrected is True
    assert card.trace_audit.dominant_mechanism == loud.trace_audit.dominant_mechanism
    assert isinstance(card.trace_audit.fleet, FleetCorrection)
    assert card.trace_audit.fleet.p_fleet == 0.01


def test_the_cards_of_a_fleet_carry_the_corrected_answer(fleet: Path) -> None:
    for one in audit_path(fleet):
        assert one.card["headline"]["aging_detected"] is one.detected
        assert one.card["trace_audit"]["fleet"]["rows"] == 2
        assert one.card["trace_audit"]["fleet"]["p_fleet"] == one.p_fleet
    assert "fleet" not in audit_path(fleet / "aging")[0].card["trace_audit"]


def test_falling_outcomes_count_in_the_p_of_a_row(tmp_path: Path) -> None:
    folder = write_files(simulate(SimulatedAgent(seed=3)), tmp_path / "one", "claude_code")
    ids = [s.id for s in audit_path(folder)[0].sessions.sessions]
    rows = [
        {"session_id": name, "outcome": "success" if i < 10 - place // 3 else "fail"}
        for place, name in enumerate(ids)
        for i in range(10)
    ]
    path = tmp_path / "outcomes.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    found = audit_path(folder, outcomes_jsonl=path)[0]
    assert found.detected is True
    assert found.p is not None
    assert found.p <= 0.05
