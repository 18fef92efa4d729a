"""What stands below an audit's table: evidence and notes in words, safe whatever a card holds."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.cards.audit import AuditBlock, AuditCard, AuditVerdict
from agingbench.report.audit_notes import (
    bounds_text,
    effect_text,
    evidence_rows,
    fleet_reasons,
    moments_rows,
    open_rows,
    p_text,
    profile_words,
    shown_rows,
    warning_sentences,
)


def audit(**changed: Any) -> AuditBlock:
    records = [
        *({"session": 3, "file": "a.jsonl", "line": n} for n in (4, 9, 11, 20, 21)),
        {"session": 5, "file": "b\x1b[31m.jsonl", "line": None},
        {"session": 99, "file": None, "line": 2, "event": "memory_reset"},
        {"session": 6, "file": "c.jsonl", "line": 1},
    ]
    signal = {
        "signal": "value_supersession",
        "effect": 0.5,
        "effect_ci": [0.25, 0.75],
        "effect_unit": "share",
        "p": 0.0002,
        "n": 40,
        "records": records,
    }
    document = {
        "dominant_mechanism": {"evidence": {"revision": [signal]}},
        "session_times": [None, None, None, 1_700_000_000.0, None, 1e300],
        "headline": {"aging_reason": "fired: revision"},
        "compression": {"fired": None, "reason": "nothing to test in this trace"},
        "revision": {"fired": True, "reason": "fired"},
        "maintenance": {},
        **changed,
    }
    return AuditBlock.read(document)


def lines(rows: list[tuple[str, Any]]) -> list[str]:
    return [f"{label}|{text.plain}" for label, text in rows]


def test_evidence_is_a_few_lines_per_signal() -> None:
    assert lines(evidence_rows(audit())) == [
        "evidence|revision · value supersession 0.50 (0.25 to 0.75), p <0.001, n 40: share",
        "|session 3 (2023-11-14): a.jsonl lines 4, 9, 11 and 2 more",
        "|session 5: b\ufffd[31m.jsonl",
        "|session 99: unknown file line 2 (memory reset)",
    ]


def test_effects_are_read_by_their_unit() -> None:
    assert effect_text(1.434, "factor of tokens per call, first to last session") == "×1.43"
    unit = "share of failed results, after events minus before"
    assert effect_text(0.05, unit) == "+5 pts"
    assert effect_text(-0.004, unit) == "0 pts"
    assert bounds_text((-0.28, 0.05), unit) == "-28 to 5"
    assert bounds_text((0.5, 1.25), "factor of calls") == "0.50 to 1.25"
    assert effect_text(0.27, "share of stale uses in the last third") == "27 %"
    assert effect_text(None, "factor of tokens per call") == effect_text("x", None) == "–"


@pytest.mark.parametrize("evidence", [{}, None, []])
def test_no_evidence_no_line(evidence: object) -> None:
    assert evidence_rows(audit(dominant_mechanism={"evidence": evidence})) == []


def test_open_questions_are_named_once_per_reason() -> None:
    assert lines(open_rows(audit())) == ["cannot tell|compression: nothing to test in this trace"]
    changed = {"fired": None, "reason": "long", "open_because": "work_changed"}
    rows = lines(open_rows(audit(compression=changed, interference=changed)))
    assert rows == ["cannot tell|compression, interference: your work changed at the same time"]


def test_too_few_sessions_leave_nothing_to_explain() -> None:
    for reason in ("3 sessions; 6 are the least", "several sessions a day on fewer than 6 days: …"):
        assert open_rows(audit(headline={"aging_reason": reason})) == []


def test_the_range_of_a_share_ends_where_shares_end() -> None:
    assert bounds_text([-0.2, 1.3], "share of requests") == "-20 to 100"
    assert bounds_text([0.5, 1.3], "ratio") == "0.50 to 1.30"


def test_the_second_reading_says_that_it_decides_nothing() -> None:
    reading = {
        "p": 0.2,
        "n_events": 4,
        "n_moments": 20,
        "error_rate": {"effect": 0.1},
        "effort_per_task": {"effect": 1.5},
    }
    (row,) = lines(moments_rows(audit(maintenance={"placebo_moments": reading})))
    assert (
        "after the 4 with enough calls before and after, against 20 similar moments in other sessions"
        in row
    )
    assert "failed calls +10 pts, calls per request ×1.50" in row
    assert "not part of the answer" in row
    assert moments_rows(audit(maintenance={"placebo_moments": {**reading, "p": None}})) == []
    assert moments_rows(audit()) == []


def test_notes_are_sentences() -> None:
    warnings = [
        "telemetry_partial",
        "telemetry_no_outcome_events",
        "time_missing: 12",
        "task_phases: the tasks come in 3 stretches",
        "new_flag: 7",
        "something_else",
    ]
    assert warning_sentences(warnings) == [
        "no outcomes linked (--outcomes, --extract): what is told rests on behaviour alone",
        "12 records carry no time",
        "the tasks come in 3 stretches",
        "new flag: 7",
        "something else",
    ]


def test_reasons_of_a_fleet_are_counted() -> None:
    rows = [
        (None, AuditVerdict(aging_reason="1 session; 6 are the least")),
        (None, AuditVerdict(aging_reason="4 sessions; 6 are the least")),
        (None, AuditVerdict(aging_reason="confounded: interference")),
        (True, AuditVerdict(aging_reason="fired: revision")),
        (False, AuditVerdict(aging_reason="no evidence")),
    ]
    assert fleet_reasons(rows) == [
        "cannot tell in 2 projects: too few sessions: 6 are the least",
        "cannot tell in 1 project: confounded: interference",
    ]


def test_series_that_decide_nothing_are_shown_with_their_shape() -> None:
    block = {"shown_only": ["saturation", "x"], "saturation_verdict": "rising_degradation"}
    assert lines(shown_rows(audit(compression=block))) == [
        "beside it|how full the context gets rises; not part of the answer"
    ]
    assert shown_rows(audit()) == []


def test_small_words() -> None:
    assert [p_text(p) for p in (None, 0.0, 0.0004, 0.001, 0.25, 1.0, "x")] == [
        "–",
        "<0.001",
        "<0.001",
        "0.001",
        "0.250",
        "1.000",
        "–",
    ]
    old = {"trace_audit": {}, "provenance": {"profile": "generic"}}
    assert profile_words(AuditCard.read(old)) == "generic"
    chosen = {
        "trace_audit": {
            "profile": {"name": "generic", "chosen_by": "otlp traces may come from any agent"}
        },
        "provenance": {},
    }
    assert profile_words(AuditCard.read(chosen)).startswith("generic: otlp traces")
