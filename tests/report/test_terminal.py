"""Tests of what is printed: cards, comparisons, bounds and plans, in plain text of a given width."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from agingbench.cards import empty_mechanisms
from agingbench.report.terminal import print_bounds, print_card, print_lives, print_plan, sparkline
from tests.report.lives import censored, life, without_headline


def text_of(show: Any, what: Any, width: int = 80) -> str:
    page = io.StringIO()
    show(what, Console(file=page, width=width))
    text = page.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    return text


def line(text: str, start: str) -> str:
    found = [row for row in text.splitlines() if row.startswith(start)]
    assert len(found) == 1, (start, text)
    return " ".join(found[0].split())


def flat(text: str) -> str:
    return " ".join(text.split())


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
    assert line(text, "half-life") == "half-life 2.8 sessions 95 % interval 2.1 to 3.9, n = 5 points"
    assert line(text, "aging") == "aging yes: slope -0.123 per session"
    assert line(text, "interference") == "interference resistance 0.50 0.20 to 0.80 12"
    assert line(text, "cost") == "cost 1,213 calls · 278,021 tokens in, 6,505 out · cost unknown"


def test_a_censored_half_life_is_said_to_be_one() -> None:
    text = text_of(print_card, censored())
    assert "half-life not reached by session 4 (censored) 95 % interval 3.5 to beyond 4, n = 5 points" in flat(text)
    assert line(text, "aging") == "aging no: neither effect nor evidence: slope -0.01 per session"


def test_censoring_names_the_last_point_that_was_measured() -> None:
    card = life(
        ms=[1.0, 0.9, 0.9, None, None], head={"half_life": None, "half_life_ci": None, "half_life_censored": True}
    )
    assert line(text_of(print_card, card), "half-life") == "half-life not reached by session 2 (censored)"


def test_a_reason_stands_where_there_is_no_half_life() -> None:
    reason = "m(0) is 0, so there is no half of it to fall to"
    head = {"half_life": None, "half_life_ci": None, "half_life_censored": None, "half_life_reason": reason}
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
    assert line(text, "aging") == "aging undecided: no headline, 40% of the probes failed in transport"
    assert line(text, "note") == "note No headline figures: 40% of the probes failed in transport."
    assert line(text, "cost") == "cost 20 calls · tokens unknown · cost unknown"


def test_a_mechanism_that_was_not_exercised_shows_no_number() -> None:
    blocks = empty_mechanisms()
    blocks["interference"] |= {"resistance": None, "resistance_ci": None, "resistance_n": 0, "n_probes": 0}
    # Even where a foreign card holds a perfect score beside the warning.
    blocks["revision"] |= {"version_accuracy": 1.0, "version_accuracy_n": 3}
    text = text_of(print_card, life(mechanism_metrics=blocks, warnings=["mechanism_not_exercised:revision"]))
    for name in ("compression", "interference", "revision", "maintenance"):
        assert line(text, name) == f"{name} not exercised – – –"
    assert "Revision was not exercised: this life says nothing about it." in flat(text)


def test_an_event_without_a_window_is_missing_not_unexercised() -> None:
    blocks = empty_mechanisms()
    blocks["maintenance"] |= {"shock_sessions": [4], "pre_shock": None}
    text = text_of(print_card, life(mechanism_metrics=blocks, warnings=[]))
    assert line(text, "maintenance") == "maintenance pre shock – – –"


def test_warnings_are_worded_for_people() -> None:
    warnings = ["embedded_reader: extractive is a rule-based reader, not a language model", "something new: as it is"]
    text = flat(text_of(print_card, life(warnings=warnings)))
    assert "built-in rule-based reader, not from a language model" in text
    assert "embedded_reader" not in text
    assert "something new: as it is" in text


@pytest.mark.parametrize(("usd", "shown"), [(0.0, "$0.00"), (0.00123, "$0.0012"), (1234.5, "$1,234.50")])
def test_cost(usd: float, shown: str) -> None:
    card = life(cost_and_efficiency={"total_calls": None, "total_output_tokens": 5, "total_cost_usd": usd})
    assert line(text_of(print_card, card), "cost") == f"cost calls unknown · unknown tokens in, 5 out · {shown}"


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


def test_sparkline_keeps_gaps_scale_and_width() -> None:
    assert sparkline([(0, 0.0), (1, None), (2, 0.5), (3, 1.0)]) == "▁–▅█"
    assert sparkline([(0, -3.0), (1, 7.0)]) == "▁█"
    long: list[tuple[float, float | None]] = [(t, 1.0 if t < 500 else 0.0) for t in range(1000)]
    assert sparkline(long, 40) == "█" * 20 + "▁" * 20
    assert sparkline([]) == ""


# --- Several lives --------------------------------------------------------------------------------------------------


def test_lives_are_averaged_by_system_with_intervals_and_counts() -> None:
    lives = [life("a", seed, [1.0, 0.5 + seed / 10]) for seed in (0, 2)] + [life("b", 0, [0.0, 0.0])]
    text = text_of(print_lives, [*lives, lives[0]])  # one life given twice counts once
    assert line(text, "a  ") == "a 2 1.00 0.60 -0.123 2.8, 2.8 2 of 2"
    assert line(text, "█▅") == "█▅ 0.34…1.00 0.00…1.00 -0.12…-0.12"
    assert line(text, "b  ") == "b 1 0.00 0.00 -0.123 2.8 1 of 1"


def test_half_lives_count_the_censored_ones_as_later() -> None:
    few = [life("a", 0), censored(sut="a", seed=1)]
    assert "2.8, >4" in text_of(print_lives, few)
    early = [life("a", seed, head={"half_life": value}) for seed, value in enumerate((1.0, 2.0))]
    even = [*early, censored(sut="a", seed=8), life("a", 9, head={"half_life": 3.0})]
    text = flat(text_of(print_lives, even))
    assert "median 2.5" in text
    assert "1 of 4 censored" in text
    late = [life("a", 0), *(censored(sut="a", seed=seed) for seed in (1, 2, 3))]
    text = flat(text_of(print_lives, late))
    assert "median >4" in text
    assert "3 of 4 censored" in text


def test_missing_figures_stay_missing_in_the_comparison() -> None:
    text = text_of(print_lives, [without_headline()])
    assert line(text, "model+memory") == "model+memory 1 – – – – 0 of 1"
    assert "1 undecided" in text


def test_two_systems_with_shared_seeds_are_paired() -> None:
    a = [life("a", seed, [1.0, 0.9], head={"time_average": 0.9}) for seed in (0, 1, 2)]
    b = [life("b", seed, [1.0, 0.4 + seed / 10], head={"time_average": 0.8 - seed / 100}) for seed in (0, 1, 7)]
    text = text_of(print_lives, [*a, *b])
    assert "a − b, paired by seed" in text
    assert line(text, "time average").startswith("time average +0.105, 95 % interval +0.041 to +0.169, p = 0.50, n = 2")
    assert line(text, "m(final)  ").startswith("m(final) +0.450")


def test_one_pair_gives_no_interval() -> None:
    text = text_of(print_lives, [life("a", ms=[1.0, 0.9]), life("b", ms=[1.0, 0.4])])
    assert line(text, "m(final)  ") == "m(final) +0.500, n = 1 pair; one pair gives no interval"
    assert "p =" not in text


def test_pairs_need_the_same_condition_and_the_same_seed() -> None:
    for other in (life("b", seed=5), life("b", pressure={"preset": "medium", "update_rate": 0.3})):
        text = text_of(print_lives, [life("a"), other])
        assert "paired" not in text
    assert "update_rate 0.3" in text  # equal names of unequal pressure are told apart
    assert "paired" not in text_of(print_lives, [life("a"), life("b"), life("c")])


def test_a_pair_without_the_figure_is_no_pair() -> None:
    lost = without_headline()
    text = text_of(print_lives, [lost | {"sut": {"sut_id": "a"}}, life("b")])
    assert line(text, "m(final)  ") == "m(final) – (no pair has this figure on both sides)"


def test_systems_of_one_name_and_two_configurations_are_two_rows() -> None:
    cards = [life("a"), life("a")]
    for card, config in zip(cards, "xy", strict=True):
        card["sut"]["config_hash_sha256"] = config
    rows = re.findall(r"^a #[0-9a-f]{6} +1 ", text_of(print_lives, cards), flags=re.M)
    assert len(set(rows)) == 2


def test_no_lives() -> None:
    assert text_of(print_lives, []) == "no lives\n"


# --- Bounds and plans -----------------------------------------------------------------------------------------------


def bounds(ok: bool) -> dict[str, Any]:
    def row(agent: str, metric: str, low: float, mean: float, high: float) -> dict[str, Any]:
        where = {"scenario": "s2_lifestyle_assistant", "pressure": "medium", "sessions": 10}
        return {**where, "agent": agent, "metric": metric, "min": low, "mean": mean, "max": high, "n": 3}

    agents = ("blank", "echo", "refuser", "unrelated")
    rows = [row("oracle", "interference_resistance", 0.97, 0.98, 1.0)]
    rows += [row(agent, "interference_resistance", 0.0, 0.01, 0.12) for agent in agents]
    rows += [
        row("dump", "interference_resistance", 0.1, 0.2, 0.3),
        row("reader", "interference_resistance", 0.8, 0.9, 1.0),
    ]
    rows += [row("perfect_memory", "keyword_m", 0.5, 0.75, 1.0)]
    lower = [row("oracle", "accumulator_error", 0.0, 0.1, 0.3), row("dump", "accumulator_error", 900.0, 1380.2, 2000.0)]
    broken = [] if ok else ["s2 medium x: oracle scores 0.970 in its worst life, not 1"]
    return {"rows": rows, "lower_is_better": lower, "broken": broken, "ok": ok}


def test_bounds_take_one_line_per_metric() -> None:
    text = text_of(print_bounds, bounds(ok=True), width=100)
    floors = "0.01 0.12 " * 4
    assert line(text, "interference_resistance") == f"interference_resistance 3 0.97 {floors}0.20 0.90 –"
    assert line(text, "keyword_m") == "keyword_m 3 – – – – – – – 0.50"
    assert line(text, "accumulator_error") == "accumulator_error 3 0.30 – – – – 1,380 – –"
    assert text.index("interference_resistance") < text.index("lower is better") < text.index("accumulator_error")
    assert text.endswith("all bounds hold\n")


def test_broken_bounds_are_listed() -> None:
    text = text_of(print_bounds, bounds(ok=False), width=100)
    assert text.endswith("broken bounds:\n  s2 medium x: oracle scores 0.970 in its worst life, not 1\n")
    assert "all bounds hold" not in text


def test_a_plan_is_shown_in_numbers_and_bars() -> None:
    summary = {
        "sessions": 10,
        "probes": 142,
        "probes_by_type": {"hop": 0, "list": 9, "account": 18},
        "longest_chain": 3,
    }
    text = text_of(print_plan, summary)
    assert line(text, "sessions") == "sessions 10 longest chain 3"
    assert line(text, "probes  ") == "probes 142"
    assert line(text, "probes by type") == "probes by type"
    assert line(text, "  account") == "account 18 " + "█" * 30
    assert line(text, "  list") == "list 9 " + "█" * 15
    assert line(text, "  hop") == "hop 0"
