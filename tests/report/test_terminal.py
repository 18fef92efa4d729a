"""Tests of the Lifespan Card as it is printed, in plain text of a given width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from agingbench.cards.model import OwnMechanisms
from agingbench.report.terminal import print_card
from tests.report.lives import censored, life, without_headline
from tests.report.screens import flat, line, text_of


def test_a_card_shows_its_life_and_every_figure_with_interval_and_n() -> None:
    text = text_of(print_card, life(lifecycle_events=["recompact@2"]))
    assert "Lifespan Card  s2_lifestyle_assistant" in text
    assert line(text, "system") == "system model+memory (some-model, append_only)"
    assert line(text, "life") == "life seed 0, 4 sessions, version 1.0.0"
    assert line(text, "pressure") == "pressure medium update_rate 0.2, warmup_sessions –"
    assert line(text, "events") == "events recompact@2"
    assert line(text, "curve") == "curve m(0) 1.00 ██▆▄▃ 0.30 m(4) constraint_precision"
    assert line(text, "m(0)") == "m(0) 1.00 0.80 to 1.00 10 probes"
    assert line(text, "m(final)") == "m(final) 0.30 0.10 to 0.50 12 probes"
    assert line(text, "slope") == "slope per session -0.123 -0.200 to -0.046 4 points"
    assert line(text, "hazard") == "hazard 0.25 0.10 to 0.40 4 points"
    assert line(text, "first-write") == "first-write loss +0.15 -0.10 to +0.30 9 facts"
    assert (
        line(text, "half-life") == "half-life 2.8 sessions 95 % interval 2.1 to 3.9, n = 5 points"
    )
    assert line(text, "aging") == "aging yes: slope -0.123 per session"
    assert line(text, "interference") == "interference resistance 0.50 0.20 to 0.80 12"
    assert line(text, "cost") == "cost 1,213 calls · 278,021 tokens in, 6,505 out · cost unknown"


def test_a_censored_half_life_is_said_to_be_one() -> None:
    text = text_of(print_card, censored())
    assert (
        "half-life not reached by session 4 (censored) 95 % interval 3.5 to beyond 4, n = 5 points"
        in flat(text)
    )
    assert line(text, "aging") == "aging no: neither effect nor evidence: slope -0.01 per session"


def test_censoring_names_the_last_point_that_was_measured() -> None:
    card = life(
        ms=[1.0, 0.9, 0.9, None, None],
        head={"half_life": None, "half_life_ci": None, "half_life_censored": True},
    )
    assert (
        line(text_of(print_card, card), "half-life")
        == "half-life not reached by session 2 (censored)"
    )


def test_a_reason_stands_where_there_is_no_half_life() -> None:
    reason = "m(0) is 0, so there is no half of it to fall to"
    head = {
        "half_life": None,
        "half_life_ci": None,
        "half_life_censored": None,
        "half_life_reason": reason,
    }
    undecided = {"aging_detected": None, "aging_reason": "too few points: 2 with t ≥ 1"}
    text = text_of(print_card, life(ms=[0.0, 0.0, 0.0], head=head | undecided))
    assert line(text, "half-life") == f"half-life {reason}"
    assert line(text, "aging") == "aging undecided: too few points: 2 with t ≥ 1"
    assert line(text, "m(0)").startswith("m(0) 0.00 ")


def test_without_a_headline_there_is_no_number_in_it() -> None:
    text = text_of(print_card, without_headline())
    for start in ("m(final)", "time average", "slope per session", "hazard", "first-write loss"):
        assert line(text, start) == f"{start} – – –"
    assert line(text, "half-life") == "half-life –"
    assert (
        line(text, "aging") == "aging undecided: no headline, 40% of the probes failed in transport"
    )
    assert line(text, "note") == "note No headline figures: 40% of the probes failed in transport."
    assert line(text, "cost") == "cost 20 calls · tokens unknown · cost unknown"


def test_a_mechanism_that_was_not_exercised_shows_no_number() -> None:
    blocks = OwnMechanisms().document()
    blocks["interference"] |= {
        "resistance": None,
        "resistance_ci": None,
        "resistance_n": 0,
        "n_probes": 0,
    }
    # Even where a foreign card holds a perfect score beside the warning.
    blocks["revision"] |= {"version_accuracy": 1.0, "version_accuracy_n": 3}
    text = text_of(
        print_card, life(mechanism_metrics=blocks, warnings=["mechanism_not_exercised:revision"])
    )
    for name in ("compression", "interference", "revision", "maintenance"):
        assert line(text, name) == f"{name} not exercised – – –"
    assert "Revision was not exercised: this life says nothing about it." in flat(text)


def test_an_event_without_a_window_is_missing_not_unexercised() -> None:
    blocks = OwnMechanisms().document()
    blocks["maintenance"] |= {"shock_sessions": [4], "pre_shock": None}
    text = text_of(print_card, life(mechanism_metrics=blocks, warnings=[]))
    assert line(text, "maintenance") == "maintenance pre shock – – –"


def test_warnings_are_worded_for_people() -> None:
    warnings = [
        "embedded_reader: extractive is a rule-based reader, not a language model",
        "something new: as it is",
    ]
    text = flat(text_of(print_card, life(warnings=warnings)))
    assert "built-in rule-based reader, not from a language model" in text
    assert "embedded_reader" not in text
    assert "something new: as it is" in text


@pytest.mark.parametrize(
    ("usd", "shown"), [(0.0, "$0.00"), (0.00123, "$0.0012"), (1234.5, "$1,234.50")]
)
def test_cost(usd: float, shown: str) -> None:
    card = life(
        cost_and_efficiency={"total_calls": None, "total_output_tokens": 5, "total_cost_usd": usd}
    )
    assert (
        line(text_of(print_card, card), "cost")
        == f"cost calls unknown · unknown tokens in, 5 out · {shown}"
    )


def test_a_foreign_card_without_intervals_and_points_can_be_shown() -> None:
    card = life(ms=[], pressure={"level": "high"}, warnings=["telemetry_partial"])
    text = text_of(print_card, card | {"headline": {"metric_name": "x", "m0": 0.5}})
    assert line(text, "curve") == "curve no points"
    assert line(text, "m(0)") == "m(0) 0.50 – –"
    assert line(text, "pressure") == "pressure level high"
    assert "does not record everything" in flat(text)


def test_text_of_a_card_drives_neither_terminal_nor_markup() -> None:
    card = life(sut="a\x1b[31mred\x07 [bold]b[/bold] \u202ec", warnings=["x\x1b]0;title\x07"])
    text = text_of(print_card, card)
    assert "a\ufffd[31mred\ufffd [bold]b[/bold] \ufffdc" in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_a_console_without_unicode_gets_ascii() -> None:
    raw = io.BytesIO()
    page = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    print_card(life(sut="modèle"), Console(file=page, width=80))
    page.flush()
    text = raw.getvalue().decode("ascii")
    assert "m(0) 1.00 ##+-: 0.30 m(4)" in text
    assert "mod?le" in text


def test_a_terminal_gets_colour() -> None:
    page = io.StringIO()
    print_card(life(), Console(file=page, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[" in page.getvalue()
