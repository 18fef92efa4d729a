"""Many lives side by side on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.model import Card
from agingbench.metrics.intervals import Estimate, PairedResult, mean_over_lives, paired_difference
from agingbench.report.layout import (
    MISSING,
    bare_table,
    grid,
    interval_text,
    number,
    show,
    sparkline,
)
from agingbench.report.series import Series, by_series, dials, last_point, mean_curve, read_cards

LISTED_HALF_LIVES = 3
LEGEND = "n lives; means with 95 % intervals (of one life: its own); curve: mean m(t), 0 to 1"


def print_lives(documents: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Lives side by side: a table per condition, a row per system, and the difference of two."""
    tables: dict[str, list[Series]] = {}
    for series in by_series(read_cards(documents)):
        tables.setdefault(series.key, []).append(series)
    if not tables:
        show(console, Text("no lives"))
    names = [rows[0].condition for rows in tables.values()]
    for rows in tables.values():
        title = Text.assemble(("Lives", "bold"), f"  {rows[0].condition}")
        parts: list[RenderableType] = [Text(""), Rule(title, align="left", style="dim")]
        if names.count(rows[0].condition) > 1:
            parts.append(Text(dials(rows[0].cards[0]), "dim"))
        parts.append(_lives_table(rows))
        parts.append(Text(LEGEND, "dim"))
        if len(rows) == 2:
            parts += _paired(rows[0], rows[1])
        show(console, *parts, Text(""))


def _lives_table(rows: Sequence[Series]) -> Table:
    columns = (("n", "right"), ("m(0)", "right"), ("m(final)", "right"), ("slope", "right"))
    table = bare_table("system", *columns, ("half-life", "left"), ("aging", "left"), narrow=True)
    for series in rows:
        means = [
            _mean_cell(_over_lives(series, "m0", proportion=True), signed=False),
            _mean_cell(_over_lives(series, "m_final", proportion=True), signed=False),
            _mean_cell(_over_lives(series, "decay_slope", proportion=False), signed=True),
        ]
        curve = sparkline(mean_curve(series.cards), 24)
        name = Text.assemble((series.label, "bold"), "\n", (curve, "cyan"))
        table.add_row(
            name,
            str(len(series.cards)),
            *means,
            _half_lives(series.cards),
            _aging_count(series.cards),
        )
    return table


def _over_lives(series: Series, key: str, *, proportion: bool) -> Estimate:
    figures = [card.headline.figure(key) for card in series.cards]
    if len(figures) == 1:  # one life has the interval that its own card gives
        low, high = figures[0].interval or (None, None)
        return Estimate(figures[0].value, low, high, 1)
    return mean_over_lives([figure.value for figure in figures], proportion=proportion)


def _mean_cell(e: Estimate, *, signed: bool) -> Text:
    decimals = 3 if signed else 2
    interval = MISSING
    if e.low is not None and e.high is not None:
        interval = f"{number(e.low, 2, signed)}…{number(e.high, 2, signed)}"
    return Text.assemble(number(e.value, decimals, signed), "\n", (interval, "dim"))


def _half_lives(cards: Sequence[Card]) -> str:
    """Each half-life, or their median where there are many; censored ones count as the latest."""
    half_lives: list[tuple[float, float]] = []
    for card in cards:
        value = card.headline.half_life.value
        if value is not None:
            half_lives.append((value, last_point(card)))
        elif card.headline.half_life_censored:
            half_lives.append((math.inf, last_point(card)))
    half_lives.sort()

    n = len(half_lives)
    texts = [f">{last:g}" if math.isinf(value) else f"{value:.1f}" for value, last in half_lives]
    if n <= LISTED_HALF_LIVES:
        return ", ".join(texts) or MISSING

    censored = sum(math.isinf(value) for value, _ in half_lives)
    middle = (half_lives[(n - 1) // 2][0] + half_lives[n // 2][0]) / 2
    median = texts[n // 2] if math.isinf(middle) else f"{middle:.1f}"
    return f"median {median}\n{censored} of {n} censored"


def _aging_count(cards: Sequence[Card]) -> str:
    answers = [card.headline.aging_detected for card in cards]
    text = f"{answers.count(True)} of {len(answers)}"
    undecided = answers.count(None)
    return f"{text}\n{undecided} undecided" if undecided else text


def _paired(a: Series, b: Series) -> list[RenderableType]:
    first = _by_seed(a.cards)
    second = _by_seed(b.cards)
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return []
    lines: list[RenderableType] = [Text(""), Text(f"{a.label} − {b.label}, paired by seed", "bold")]
    for key, label in (("time_average", "time average"), ("m_final", "m(final)")):
        values_a = [_mean_of(first[seed], key) for seed in seeds]
        values_b = [_mean_of(second[seed], key) for seed in seeds]
        difference = _difference(paired_difference(values_a, values_b))
        lines.append(grid([(label, Text(difference))]))
    return lines


def _by_seed(cards: Sequence[Card]) -> dict[int, list[Card]]:
    seeds: dict[int, list[Card]] = {}
    for card in cards:
        seeds.setdefault(card.seed, []).append(card)
    return seeds


def _mean_of(cards: Sequence[Card], key: str) -> float | None:
    # Repeats of one seed are one pair, not several.
    values = [card.headline.figure(key).value for card in cards]
    return mean_over_lives(values, proportion=False).value


def _difference(result: PairedResult) -> str:
    effect = result.effect
    if effect.value is None:
        return f"{MISSING} (no pair has this figure on both sides)"
    value = number(effect.value, 3, True)
    if result.n == 1:
        return f"{value}, n = 1 pair; one pair gives no interval"
    interval = interval_text([effect.low, effect.high], 3, True)
    return f"{value}, 95 % interval {interval}, p = {number(result.p_value)}, n = {result.n} pairs"
