"""Tests of the printed tables: many lives, bounds and plans, in plain text of a given width."""

from __future__ import annotations

import re

from agingbench.cards.validity import BoundRow, BoundsReport
from agingbench.report.lives import print_lives
from agingbench.report.plan import print_plan
from agingbench.report.validity import print_bounds
from tests.report.lives import censored, life, without_headline
from tests.report.screens import flat, line, text_of

# --- Several lives
# --------------------------------------------------------------------------------------------------


def test_lives_are_averaged_by_system_with_intervals_and_counts() -> None:
    lives = [life("a", seed, [1.0, 0.5 + seed / 10]) for seed in (0, 2)] + [
        life("b", 0, [0.0, 0.0])
    ]
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
    assert "median 2.0" in text  # where Kaplan and Meier's curve comes to one half
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
    b = [
        life("b", seed, [1.0, 0.4 + seed / 10], head={"time_average": 0.8 - seed / 100})
        for seed in (0, 1, 7)
    ]
    text = text_of(print_lives, [*a, *b])
    assert "a − b, paired by seed" in text
    assert line(text, "time average").startswith(
        "time average +0.105, 95 % interval +0.041 to +0.169, beyond chance, n = 2"
    )
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


# --- Bounds and plans
# -----------------------------------------------------------------------------------------------


def bounds(ok: bool) -> BoundsReport:
    def row(agent: str, metric: str, low: float, mean: float, high: float) -> BoundRow:
        return BoundRow(
            scenario="s2_lifestyle_assistant",
            agent=agent,
            metric=metric,
            pressure="medium",
            sessions=10,
            min=low,
            mean=mean,
            max=high,
            n=3,
        )

    agents = ("blank", "echo", "refuser", "unrelated")
    rows = [row("oracle", "interference_resistance", 0.97, 0.98, 1.0)]
    rows += [row(agent, "interference_resistance", 0.0, 0.01, 0.12) for agent in agents]
    rows += [
        row("dump", "interference_resistance", 0.1, 0.2, 0.3),
        row("reader", "interference_resistance", 0.8, 0.9, 1.0),
    ]
    rows += [
        row("random_of_kind", "interference_resistance", 0.0, 0.03, 0.1),
        row("latest_of_kind", "interference_resistance", 0.0, 0.05, 0.1),
    ]
    rows += [row("perfect_memory", "keyword_m", 0.5, 0.75, 1.0)]
    lower = [
        row("oracle", "accumulator_error", 0.0, 0.1, 0.3),
        row("dump", "accumulator_error", 900.0, 1380.2, 2000.0),
    ]
    broken = [] if ok else ["s2 medium x: oracle scores 0.970 in its worst life, not 1"]
    return BoundsReport(rows, lower, broken, ok)


def test_bounds_take_one_line_per_metric() -> None:
    text = text_of(print_bounds, bounds(ok=True), width=80)
    assert (
        line(text, "interference_resistance")
        == "interference_resistance 3 0.97 0.20 0.90 – 0.05 0.01 0.12"
    )
    assert line(text, "keyword_m") == "keyword_m 3 – – – 0.50 – –"
    assert line(text, "accumulator_error") == "accumulator_error 3 0.30 1,380 – –"
    assert (
        text.index("interference_resistance")
        < text.index("lower is better")
        < text.index("accumulator_error")
    )
    assert text.endswith("all bounds hold\n")


def test_broken_bounds_are_listed() -> None:
    text = text_of(print_bounds, bounds(ok=False), width=100)
    assert text.endswith(
        "broken bounds:\n  s2 medium x: oracle scores 0.970 in its worst life, not 1\n"
    )
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
