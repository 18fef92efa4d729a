"""Tables on the terminal: many lives side by side, what the bounding agents score, and a plan in
numbers.
"""

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
    in_words,
    interval_text,
    number,
    show,
    sparkline,
)
from agingbench.report.series import Series, by_series, dials, last_point, mean_curve, read_cards
from agingbench.report.text import plain

LISTED_HALF_LIVES = 3
_CEILINGS = ("oracle", "perfect_memory")
_FLOORS = ("blank", "echo", "refuser", "unrelated")


# --- Many lives
# -----------------------------------------------------------------------------------------------------


def print_lives(documents: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Lives side by side: a table per condition, a row per system, and the difference of two."""
    tables: dict[str, list[Series]] = {}
    for series in by_series(read_cards(documents)):
        tables.setdefault(series.key, []).append(series)
    if not tables:
        show(console, Text("no lives"))
    names = [rows[0].condition for rows in tables.values()]
    for rows in tables.values():
        title = Rule(
            Text.assemble(("Lives", "bold"), f"  {rows[0].condition}"), align="left", style="dim"
        )
        parts: list[RenderableType] = [Text(""), title]
        if names.count(rows[0].condition) > 1:
            parts.append(Text(dials(rows[0].cards[0]), "dim"))
        parts.append(_lives_table(rows))
        parts.append(
            Text(
                "n lives; means with 95 % intervals (of one life: its own); curve: mean m(t), 0"
                " to 1",
                "dim",
            )
        )
        if len(rows) == 2:
            parts += _paired(rows[0], rows[1])
        show(console, *parts, Text(""))


def _lives_table(rows: Sequence[Series]) -> Table:
    columns = (("n", "right"), ("m(0)", "right"), ("m(final)", "right"), ("slope", "right"))
    table = bare_table("system", *columns, ("half-life", "left"), ("aging", "left"), narrow=True)
    for series in rows:
        means = [
            _mean_cell(
                _over_lives(series, key, proportion=key != "decay_slope"),
                signed=key == "decay_slope",
            )
            for key in ("m0", "m_final", "decay_slope")
        ]
        name = Text.assemble(
            (series.label, "bold"), "\n", (sparkline(mean_curve(series.cards), 24), "cyan")
        )
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
        sides = ([_mean_of(lives[seed], key) for seed in seeds] for lives in (first, second))
        lines.append(grid([(label, Text(_difference(paired_difference(*sides))))]))
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
    shown = number(effect.value, 3, True)
    if result.n == 1:
        return f"{shown}, n = 1 pair; one pair gives no interval"
    interval = interval_text([effect.low, effect.high], 3, True)
    return f"{shown}, 95 % interval {interval}, p = {number(result.p_value)}, n = {result.n} pairs"


# --- Bounds
# ---------------------------------------------------------------------------------------------------------


def print_bounds(result: dict[str, Any], console: Console) -> None:
    """What the agents of known worth score, a line per metric, and whether every bound holds."""
    found = [*result["rows"], *result["lower_is_better"]]
    for scenario, pressure, sessions in dict.fromkeys(
        (r["scenario"], r["pressure"], r["sessions"]) for r in found
    ):
        where = (scenario, pressure, sessions)
        title = f"  {plain(scenario)}, {plain(pressure)}, {sessions} sessions"
        show(
            console,
            Rule(Text.assemble(("Bounds", "bold"), title), align="left", style="dim"),
            _bounds_table(
                *(
                    [r for r in result[key] if _place(r) == where]
                    for key in ("rows", "lower_is_better")
                )
            ),
            Text(""),
        )
    if result["ok"]:
        show(console, Text("all bounds hold", "green"))
    else:
        show(
            console,
            Text("broken bounds:", "bold red"),
            *(Text(f"  {plain(line)}") for line in result["broken"]),
        )


def _place(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["scenario"], row["pressure"], row["sessions"]


def _bounds_table(higher: list[dict[str, Any]], lower: list[dict[str, Any]]) -> Table:
    # The agents that know nothing share a column: the highest of their means, and the best life of
    # any of them.
    agents = [a for a in dict.fromkeys(r["agent"] for r in [*higher, *lower]) if a not in _FLOORS]
    heads = [
        f"{plain(a).replace('_', chr(10), 1)}\n{'worst' if a in _CEILINGS else 'mean'}"
        for a in agents
    ]
    columns = [*((head, "right") for head in heads), ("know nothing\nmean best", "right")]
    table = bare_table("metric", ("lives", "right"), *columns, narrow=True)
    for rows, worst, best in ((higher, "min", "max"), (lower, "max", "min")):
        if rows is lower and lower:
            table.add_row(Text("lower is better:", "dim"))
        for metric in dict.fromkeys(r["metric"] for r in rows):
            found = {r["agent"]: r for r in rows if r["metric"] == metric}
            lives = str(max(r["n"] for r in found.values()))
            nothing = _nothing([found[a] for a in _FLOORS if a in found], best)
            table.add_row(
                plain(metric), lives, *(_bound(a, found.get(a), worst) for a in agents), nothing
            )
    return table


def _nothing(rows: list[dict[str, Any]], best: str) -> str:
    if not rows:
        return MISSING
    choose = max if best == "max" else min
    return f"{_size(max(r['mean'] for r in rows))} {_size(choose(r[best] for r in rows))}"


def _bound(agent: str, row: dict[str, Any] | None, worst: str) -> str:
    if row is None:
        return MISSING
    return _size(row[worst] if agent in _CEILINGS else row["mean"])


def _size(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


# --- Faults
# ---------------------------------------------------------------------------------------------------------


def print_faults(result: dict[str, Any], console: Console) -> None:
    """What the diagnosis names when one stage is broken, and how often its intervals cover what was
    planted.
    """
    show(
        console,
        Rule(
            Text.assemble(("Planted faults", "bold"), "  at full strength"),
            align="left",
            style="dim",
        ),
        _confusion(result),
        Text(
            "a memory of one piece cannot tell write from retrieval: write+retrieval is right"
            " there",
            "dim",
        ),
        Text(""),
        Text("At every strength", "bold"),
        _strengths(result["by_strength"]),
        Text(
            "planted: the share that the fault plants; measured: the mean share of the diagnosis;"
            " covered: how often its 95 % interval holds the planted share",
            "dim",
        ),
        Text(""),
    )
    coverage = result["coverage_interval"]
    show(
        console,
        grid(
            [
                (
                    "coverage",
                    Text(
                        f"{number(coverage['share'], 3)},"
                        f" {interval_text(coverage['ci'], 3, False)}, n = {coverage['n']} intervals"
                        " below full strength"
                    ),
                )
            ]
        ),
    )
    if result["ok"]:
        show(console, Text("every stage is named, and the intervals hold", "green"))
    else:
        show(
            console,
            Text("missed:", "bold red"),
            *(Text(f"  {plain(line)}") for line in result["missed"]),
        )


def _confusion(result: dict[str, Any]) -> Table:
    confusion = result["confusion"]
    named = list(dict.fromkeys(name for row in confusion.values() for name in row))
    heads = [plain(name).replace("+", "+\n") for name in named]
    columns = [(head, "right") for head in ("cases", "right", *heads)]
    table = bare_table("planted", *columns, narrow=True)
    for planted, row in confusion.items():
        accuracy = result["accuracy_by_stage"].get(planted)
        cells = [str(row[name]) if name in row else "·" for name in named]
        table.add_row(plain(planted), str(sum(row.values())), number(accuracy, 3), *cells)
    return table


def _strengths(rows: Sequence[dict[str, Any]]) -> Table:
    columns = [
        (head, "right") for head in ("strength", "cases", "right", "planted", "measured", "covered")
    ]
    table = bare_table("fault", *columns, narrow=True)
    for row in rows:
        name = f"{plain(row['stage'])}, {plain(row['memory'])}" + (
            ", look-alikes" if row["lookalikes"] else ""
        )
        table.add_row(
            name,
            number(row["strength"]),
            str(row["n"]),
            *(number(row[key], 3) for key in ("share", "planted", "measured", "coverage")),
        )
    return table


# --- Plan
# -----------------------------------------------------------------------------------------------------------


def print_dials(result: dict[str, Any], console: Console) -> None:
    """What turning each dial did to its own metric, and how far the bystanders moved."""
    head = f"Dials  {result['model']}, {result['sessions']} sessions, {result['seeds']} seeds"
    show(console, Rule(Text(head, "bold"), align="left", style="dim"))
    table = bare_table(
        "dial and metric",
        ("setting: mean [95 %]", "left"),
        ("rank", "right"),
        ("bystanders", "left"),
        narrow=True,
    )
    for dial in result["dials"]:
        held = [
            f"{in_words(other)} {value:g}"
            for other, value in dial["pressure"].items()
            if other != "preset"
        ]
        about = [
            dial["dial"],
            f"{dial['metric']} {dial['expected']}",
            f"{dial['scenario']}, {dial['memory']}",
            *held,
        ]
        moved = [f"{name} moved {number(drift)}" for name, drift in dial["bystander_range"].items()]
        oracle = [value for value in dial["oracle_retrieval"] or () if value is not None]
        if oracle:
            moved.append(f"oracle retrieval at least {number(min(oracle))}")
        table.add_row(
            "\n".join(map(plain, about)),
            _responses(dial, "settings"),
            number(dial["spearman"], signed=True),
            "\n".join(map(plain, moved)),
        )
    spans = result["spans"]
    name = f"session span\n{spans['metric']}\n{plain(spans['scenario'])}, {plain(spans['memory'])}"
    table.add_row(name, _responses(spans, "spans"), number(spans["spearman"], signed=True), "")
    show(
        console,
        table,
        Text("rank: Spearman's correlation of setting and mean; – where nothing moved", "dim"),
    )


def _responses(answered: dict[str, Any], settings: str) -> str:
    lines = []
    for setting, mean, (low, high) in zip(
        answered[settings], answered["responses"], answered["intervals"], strict=True
    ):
        interval = "" if low is None else f" [{number(low)}, {number(high)}]"
        lines.append(
            f"{setting if isinstance(setting, str) else f'{setting:g}'}: {number(mean)}{interval}"
        )
    return "\n".join(lines)


def print_plan(summary: dict[str, Any], console: Console) -> None:
    """A plan in numbers: its counts, then every breakdown as bars."""
    counts = [(key, value) for key, value in summary.items() if not isinstance(value, dict)]
    table = Table.grid(padding=(0, 2))
    half = math.ceil(len(counts) / 2)
    for i in range(half):
        pairs = counts[i::half] if half else []
        table.add_row(
            *(
                Text(t, s)
                for key, value in pairs
                for t, s in ((in_words(key), "dim"), (f"{value:>6}", ""))
            )
        )
    show(console, Rule(Text("Plan", "bold"), align="left", style="dim"), table)
    for key, part in summary.items():
        if isinstance(part, dict):
            show(console, Text(""), Text(in_words(key), "bold"), _bars(part))


def _bars(counts: dict[str, int]) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(counts.values(), default=0)
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        length = math.ceil(30 * count / most) if most else 0
        table.add_row(f"  {plain(name)}", f"{count:>6}", Text("█" * length, "cyan"))
    return table
