"""What signals show in words: nothing is called flat or seen that merely was not shown."""

from __future__ import annotations

from typing import Any

import pytest

from agingbench.cards.audit import AuditCard, MechanismFinding
from agingbench.report.audit_advice import advice
from agingbench.report.audit_notes import open_rows
from agingbench.report.audit_sentence import answer_sentences
from agingbench.report.audit_signals import (
    moved_signals,
    reading_words,
    reason_words,
    shape_words,
    shown_signal,
    unit_words,
    value_words,
)
from agingbench.report.pages.audit_mechanisms import mechanism_views
from tests.report.test_audit_sentence import REGIME

FACTOR = "factor of tool calls per task, after events over before"
SHARE = "share of failed results, after events minus before"
NO = "no evidence: what was seen is three times likelier without a moderate effect than with one"


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
    assert shape_words(signal("flat", low, high, moderate, unit), [1.0, 2.0], False) == words


def test_a_rise_beside_the_work_is_no_rise_of_the_values() -> None:
    rising = signal("rising_degradation", 1.1, 2.5, 2.0, FACTOR)
    assert shape_words(rising, [1.0, None, 1.2, 1.5, 2.0], True) == "rises, for the worse"
    falling = shape_words(rising, [2.0, 1.5, None, 1.2, 1.0], True)
    assert falling.endswith("once the work is taken into account; the values as such do not")


def test_what_stays_low_is_called_good_only_where_a_moderate_change_is_ruled_out() -> None:
    narrow = signal("floor_healthy", -0.02, 0.03, 0.1, SHARE)
    assert shape_words(narrow, [0.0, 0.0], False) == "stays low, which is good"
    assert shape_words(narrow, [0.0, 0.0], None) == "no moderate change"
    wide = signal("floor_healthy", -0.292, 0.771, 0.1, SHARE)
    assert shape_words(wide, [0.0, 0.0], False) == "no change shown"
    untested = shape_words({"verdict": "floor_healthy"}, [0.0, 0.0], False)
    assert untested == "stays low, but could not be tested"
    assert shape_words({"verdict": "flat"}, [0.0, 0.0], False) == "could not be tested"


def finding() -> dict[str, Any]:
    signals = {
        "effort_per_task": signal("flat", 0.02, 47.0, 2.0, FACTOR) | {"too_vague": True, "p": 0.1},
        "error_rate": signal("flat", -0.123, 0.056, 0.1, SHARE) | {"too_vague": False, "p": 0.6},
    }
    return {"fired": False, "reason": NO, "signals": signals, "leading_signal": "effort_per_task"}


def test_a_no_names_what_it_does_not_rest_on() -> None:
    headline = {"aging_detected": False, "aging_reason": "a reason"}
    block = {"headline": headline, "trace_regime": REGIME, "maintenance": finding()}
    card = AuditCard.read({"headline": headline, "trace_audit": block})
    read: MechanismFinding = card.trace_audit.findings()["maintenance"]
    assert reason_words(read) == f"{NO}; too vague to show one: calls after events"
    [sentence] = answer_sentences(card)
    assert sentence == (
        "No aging seen: what was measured is three times likelier without a moderate change than"
        " with one (too vague to show one: calls after events)."
    )
    [(title, words)] = open_rows(card.trace_audit)
    assert title == "hardly seen"
    assert str(words) == "too vague to show a moderate change: maintenance by calls after events"


def test_a_no_is_shown_by_a_signal_that_could_show_a_change() -> None:
    leading, figures = shown_signal(MechanismFinding.read(finding()))
    assert leading == "error_rate"
    assert figures["effect_ci"] == [-0.123, 0.056]
    undecided = finding() | {"fired": None, "effect": 2.0}
    leading, figures = shown_signal(MechanismFinding.read(undecided))
    assert leading == "effort_per_task"
    assert figures["effect"] == 2.0


def moved(effect: float, p: float, least: float, unit: str = SHARE) -> dict[str, Any]:
    interval = {"effect": effect, "effect_ci": [effect - 1, effect + 1]}
    return interval | {"p": p, "minimum_effect": least, "effect_unit": unit}


def test_what_moved_for_the_worse_is_named() -> None:
    signals = {
        "context_growth": moved(1.5, 0.01, 1.25, FACTOR),
        "tool_argument_specificity": moved(-0.2, 0.1, -0.05),
        "reread_rate": moved(0.2, 0.2, 0.05),  # may be chance
        "asked_again": moved(0.01, 0.01, 0.05),  # too small
        "repeated_lookups": moved(-0.2, 0.01, 0.05),  # for the better
    }
    events = {"error_rate": moved(0.2, 0.01, 0.05)}
    block = {"compression": {"signals": signals}, "maintenance": {"signals": events}}
    card = AuditCard.read({"headline": {}, "trace_audit": {"headline": {}, **block}})
    assert moved_signals(card.trace_audit) == ["context added per step", "precise calls"]


@pytest.mark.parametrize(("n", "is_told"), [(12, True), (45, False)])
def test_24_sessions_are_advised_to_those_who_have_fewer(n: int, is_told: bool) -> None:
    headline = {"aging_detected": None, "open_because": "too_imprecise", "aging_reason": "r"}
    block = {"headline": headline, "trace_regime": REGIME}
    card = AuditCard.read({"headline": headline, "trace_audit": block, "n_sessions": n})
    assert ("24 sessions" in advice(card)[0]) is is_told


TREND = "share of reads of what was read before, last minus first session"


@pytest.mark.parametrize(
    ("low", "high", "unit", "words"),
    [
        (-0.3, -0.1, TREND, "for the better"),
        (0.01, 0.4, TREND, "bad side, but the test finds it not beyond chance (p 0.2)"),
        (-0.1, 0.4, TREND, "neither shown nor ruled out"),
        (-0.1, 0.05, TREND, "models and kinds of work fixed"),
        (-0.1, 0.05, SHARE, "Sessions after events such as compactions are compared"),
    ],
)
def test_a_row_says_why_its_test_shows_no_change(
    low: float, high: float, unit: str, words: str
) -> None:
    one = signal("flat", low, high, 0.1, unit) | {"p": 0.2}
    assert words in reading_words(one, MechanismFinding())


def test_a_rise_that_the_correction_takes_back_says_so() -> None:
    rising = signal("rising_degradation", 0.01, 0.4, 0.1, TREND)
    assert "(p 0.077 after correction" in reading_words(rising, MechanismFinding(p_adjusted=0.0771))
    assert reading_words(rising, MechanismFinding(fired=True, p_adjusted=0.01)) == ""


def test_the_caption_says_what_is_counted_and_what_is_adjusted() -> None:
    one = signal("flat", -1.2, 0.9, 0.1, "share of requests that correct the agent")
    assert "redoes its work or owns up" in unit_words("corrections", one)
    assert "beyond 1" in value_words("corrections", one)
    assert "may be negative or above 1" in value_words("reread_rate", one)
    assert value_words("error_rate", signal("flat", -0.1, 0.1, 0.1, SHARE)) == ""


def test_a_mechanism_with_a_signal_that_is_not_ruled_out_is_not_green() -> None:
    clear = finding()
    clear["signals"] = {"error_rate": clear["signals"]["error_rate"]}
    badges = []
    for one in (finding(), clear):
        card = AuditCard.read({"headline": {}, "trace_audit": {"maintenance": one}})
        views = {view.name: view for view in mechanism_views(card.trace_audit)}
        badges.append(views["maintenance"].badge)
    assert badges == ["neutral", "good"]
