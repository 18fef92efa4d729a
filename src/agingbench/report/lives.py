"""Many lives side by side on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.comparison import differing_dials
from agingbench.cards.model import Card
from agingbench.metrics.intervals import (
    Estimate,
    PairedResult,
    mean_over_lives,
    paired_difference,
    smallest_p,
)
from agingbench.metrics.survival import half_lives, median
from agingbench.report.layout import (
    MISSING,
    bare_table,
    grid,
    interval_text,
    number,
    show,
    sparkline,
)
from agingbench.report.series import (
    Series,
    by_series,
    last_point,
    mean_curve,
    over_lives,
    read_cards,
)
from agingbench.report.text import plain

LISTED_HALF_LIVES = 3
USUAL_LEVEL = 0.05  # too few pairs cannot give a p-value as small as this
LEGEND = "n lives; means with 95 % intervals (of one life: its own); curve: mean m(t), 0 to 1"


def print_lives(documents: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Lives side by side: a table per condition, a row per system, and the difference of two."""
    tables: dict[str, list[Series]] = {}
    for series in by_series(read_cards(documents)):
        tables.setdefault(series.key, []).append(series)
    if not tables:
        show(console, Text("no lives"))

    for rows in tables.values():
        alike = [other[0] for other in tables.values() if other[0].condition == rows[0].condition]
        title = Text.assemble(("Lives", "bold"), f"  {_told_apart(rows[0], alike)}")
        parts: list[RenderableType] = [
            Text(""),
            Rule(title, align="left", style="dim"),
        ]
        parts.append(_lives_table(rows))
        parts.append(Text(LEGEND, "dim"))
        if len(rows) == 2:
            parts += _paired(rows[0], rows[1])
        show(console, *parts, Text(""))


def _told_apart(series: Series, alike: Sequence[Series]) -> str:
    """The condition of a series, with the dials in which others that read alike differ from it."""
    names = differing_dials([other.cards[0].pressure for other in alike])
    pressure = series.cards[0].pressure
    values = [f"{plain(name)} {plain(pressure.get(name))}" for name in names]
    return ", ".join([series.condition, *values])


def _lives_table(rows: Sequence[Series]) -> Table:
    table = bare_table(
        "system",
        ("n", "right"),
        ("m(0)", "right"),
        ("m(final)", "right"),
        ("slope", "right"),
        ("half-life", "left"),
        ("aging", "left"),
        narrow=True,
    )
    for series in rows:
        m0 = _over_lives(series, "m0", proportion=True)
        m_final = _over_lives(series, "m_final", proportion=True)
        slope = _over_lives(series, "decay_slope", proportion=False)
        curve = sparkline(mean_curve(series.cards), 24)
        system = Text.assemble(
            (series.label, "bold"),
            "\n",
            (curve, "cyan"),
        )
        table.add_row(
            system,
            str(len(series.cards)),
            _mean_cell(m0, signed=False),
            _mean_cell(m_final, signed=False),
            _mean_cell(slope, signed=True),
            _half_life_cell(series.cards),
            _aging_count(series.cards),
        )
    return table


def _over_lives(series: Series, key: str, *, proportion: bool) -> Estimate:
    figures = [card.headline.figure(key) for card in series.cards]
    return over_lives(figures, proportion=proportion)


def _mean_cell(mean: Estimate, *, signed: bool) -> Text:
    decimals = 3 if signed else 2
    value = number(mean.value, decimals, signed)
    interval = MISSING
    if mean.low is not None and mean.high is not None:
        low = number(mean.low, 2, signed)
        high = number(mean.high, 2, signed)
        interval = f"{low}…{high}"
    return Text.assemble(value, "\n", (interval, "dim"))


def _half_life_cell(cards: Sequence[Card]) -> str:
    """Each half-life, or their median where there are many; a censored one lies beyond its end."""
    lives = []
    for card in cards:
        half_life = card.headline.half_life.value
        censored = card.headline.half_life_censored is True
        lives.append((half_life, censored, last_point(card)))
    summary = half_lives(lives)

    if summary.n <= LISTED_HALF_LIVES:
        words = [f">{t:g}" if censored else f"{t:.1f}" for t, censored in summary.listed]
        return ", ".join(words) or MISSING

    times = [t for t, _ in summary.listed]
    is_censored = [censored for _, censored in summary.listed]
    middle = median(times, is_censored).value
    text = f">{summary.tau:g}" if middle is None else f"{middle:.1f}"
    return f"median {text}\n{summary.censored} of {summary.n} censored"


def _aging_count(cards: Sequence[Card]) -> str:
    answers = [card.headline.aging_detected for card in cards]
    aging = answers.count(True)
    undecided = answers.count(None)
    text = f"{aging} of {len(answers)}"
    if undecided:
        text += f"\n{undecided} undecided"
    return text


def _paired(a: Series, b: Series) -> list[RenderableType]:
    keys = {"time_average": "time average", "m_final": "m(final)"}
    results = {label: paired_by_seed(a, b, key) for key, label in keys.items()}
    title = Text(f"{a.label} − {b.label}, paired by seed", "bold")
    lines: list[RenderableType] = [Text(""), title]
    for label, result in results.items():
        if result is None:
            return []
        lines.append(grid([(label, Text(difference_words(result)))]))
    return lines


def paired_by_seed(a: Series, b: Series, key: str) -> PairedResult | None:
    """The difference of a headline figure over lives of equal seeds; None without such lives."""
    first = _by_seed(a.cards)
    second = _by_seed(b.cards)
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return None
    values_a = [_mean_of(first[seed], key) for seed in seeds]
    values_b = [_mean_of(second[seed], key) for seed in seeds]
    return paired_difference(values_a, values_b)


def _by_seed(cards: Sequence[Card]) -> dict[int, list[Card]]:
    seeds: dict[int, list[Card]] = {}
    for card in cards:
        seeds.setdefault(card.seed, []).append(card)
    return seeds


def _mean_of(cards: Sequence[Card], key: str) -> float | None:
    # Repeats of one seed are one pair, not several.
    values = [card.headline.figure(key).value for card in cards]
    return mean_over_lives(values, proportion=False).value


def difference_words(result: PairedResult) -> str:
    """A paired difference with its interval, whether that excludes 0, and the number of pairs.

    The p-value stands only where so many pairs can give a small one.
    """
    effect = result.effect
    if effect.value is None:
        return f"{MISSING} (no pair has this figure on both sides)"
    value = number(effect.value, 3, True)
    if result.n == 1:
        return f"{value}, n = 1 pair; one pair gives no interval"

    words = f"{value}, 95 % interval {interval_text([effect.low, effect.high], 3, True)}"
    if effect.low is not None and effect.high is not None:
        is_apart = effect.low > 0 or effect.high < 0
        words += ", beyond chance" if is_apart else ", may be chance"
    least = smallest_p(result.n)
    if least is not None and least <= USUAL_LEVEL:
        words += f", p = {number(result.p_value)}"
    return f"{words}, n = {result.n} pairs"
