"""What signals show in words: nothing is called flat or seen that merely was not shown."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.cards.audit import AuditCard, MechanismFinding
from agingbench.report.audit_advice import advice
from agingbench.report.audit_sentence import answer_sentences
from agingbench.report.audit_signals import reason_words, shape_words
from tests.report.test_audit_sentence import REGIME

FACTOR = "factor of tool calls per task, after events over before"
SHARE = "share of failed results, after events minus before"
SEEN = "no evidence, and a moderate effect would have been seen"


def signal(verdict: str, low: float, high: float, moderate: float, unit: str) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "effect": (low + high) / 2,
        "effect_ci": [low, high],
        "moderate_effect": moderate,
        "effect_unit": unit,
    }


@pytest.mark.parametrize(
    ("low", "high", "moderate", "unit", "words"),
    [
        (0.9, 1.4, 2.0, FACTOR, "no moderate change"),
        (0.871, 2.707, 2.0, FACTOR, "no change shown"),
        (-0.3, 0.05, 0.1, SHARE, "no moderate change"),
        (0.1, 1.4, 0.1, SHARE, "no change shown"),
        (-0.05, 0.4, -0.1, SHARE, "no moderate change"),  # falling is the bad side
        (-0.25, 0.4, -0.1, SHARE, "no change shown"),
    ],
)
def test_flat_is_said_by_what_the_interval_rules_out(
    low: float, high: float, moderate: float, unit: str, words: str
) -> None:
    assert shape_words(signal("flat", low, high, moderate, unit), [1.0, 2.0]) == words


def test_a_rise_beside_the_work_is_no_rise_of_the_values() -> None:
    rising = signal("rising_degradation", 1.1, 2.5, 2.0, FACTOR)
    assert shape_words(rising, [1.0, None, 1.2, 1.5, 2.0]) == "rises, for the worse"
    falling = shape_words(rising, [2.0, 1.5, None, 1.2, 1.0])
    assert falling.endswith("once the work is taken into account; the values as such do not")


def test_what_stays_low_is_called_good_only_where_a_moderate_change_is_ruled_out() -> None:
    narrow = signal("floor_healthy", -0.02, 0.03, 0.1, SHARE)
    assert shape_words(narrow, [0.0, 0.0]) == "stays low, which is good"
    wide = signal("floor_healthy", -0.292, 0.771, 0.1, SHARE)
    assert shape_words(wide, [0.0, 0.0]) == "no change shown"
    assert shape_words({"verdict": "floor_healthy"}, [0.0, 0.0]) == "stays low, which is good"


def finding() -> dict[str, Any]:
    signals = {
        "effort_per_task": signal("flat", 0.871, 2.707, 2.0, FACTOR),
        "error_rate": signal("flat", -0.123, 0.056, 0.1, SHARE),
    }
    return {"fired": False, "reason": SEEN, "signals": signals}


def test_a_moderate_effect_would_have_been_seen_only_where_the_interval_lies_below_it() -> None:
    headline = {"aging_detected": False, "aging_reason": "a reason"}
    block = {"headline": headline, "trace_regime": REGIME, "maintenance": finding()}
    card = AuditCard.read({"headline": headline, "trace_audit": block})
    read: MechanismFinding = card.trace_audit.findings()["maintenance"]
    assert (
        reason_words(read) == f"{SEEN}, except in effort per task, where it could have been missed"
    )
    [sentence] = answer_sentences(card)
    assert sentence.endswith("would have been seen, though not in effort per task.")


@pytest.mark.parametrize(("n", "is_told"), [(12, True), (45, False)])
def test_24_sessions_are_advised_to_those_who_have_fewer(n: int, is_told: bool) -> None:
    headline = {"aging_detected": None, "open_because": "too_imprecise", "aging_reason": "r"}
    block = {"headline": headline, "trace_regime": REGIME}
    card = AuditCard.read({"headline": headline, "trace_audit": block, "n_sessions": n})
    assert ("24 sessions" in advice(card)[0]) is is_told
