"""Cards, comparisons, bounds and plans on the terminal; plain text where there is no terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.metrics.intervals import Estimate, PairedResult, mean_over_lives, paired_difference
from agingbench.report import Card, Series, by_series, dials, events, half_life_words, last_point, mean_curve, plain

MISSING = "–"
BLOCKS = "▁▂▃▄▅▆▇█"
WIDEST_CURVE = 40
LISTED_HALF_LIVES = 3

# What a console that knows no Unicode gets in place of the few signs used here.
_ASCII = str.maketrans({**dict(zip(BLOCKS, "_.:-=+*#", strict=True)), "–": "-", "−": "-", "…": "~", "·": ",", "─": "-"})

# key, label, what n counts, decimals, signed
_HEADLINE = (
    ("m0", "m(0)", "probes", 2, False),
    ("m_final", "m(final)", "probes", 2, False),
    ("time_average", "time average", "points", 2, False),
    ("decay_slope", "slope per session", "points", 3, True),
    ("hazard_proxy", "hazard", "points", 2, False),
    ("first_write_loss", "first-write loss", "facts", 2, True),
)

_MECHANISMS = {
    "compression": ("score", "dep_recall"),
    "interference": ("resistance", "confusion_rate", "miss_rate"),
    "revision": (
        "version_accuracy",
        "forget_accuracy",
        "accumulator_accuracy",
        "accumulator_rel_error",
        "stale_residue_rate",
    ),
    "maintenance": ("pre_shock", "post_shock", "delta"),
}

_WARNINGS = {
    "embedded_reader": "The answers come from the built-in rule-based reader, not from a language model: these figures "
    "say how the memory ages, and nothing about any model.",
    "telemetry_partial": "Made from a trace that does not record everything; what it lacks is missing here.",
}


def print_card(card: Card, console: Console) -> None:
    """The Lifespan Card of one life."""
    parts: list[RenderableType] = [
        Text(""),
        Rule(Text.assemble(("Lifespan Card", "bold"), f"  {plain(card['scenario'])}"), align="left", style="dim"),
        _about(card),
        Text(""),
        _headline_table(card),
        Text(""),
        _verdicts(card),
        Text(""),
        _mechanism_table(card),
        Text(""),
        _grid([("cost", Text(_cost(card["cost_and_efficiency"])))]),
    ]
    notes = [_warning(w) for w in card["warnings"]] + _own_notes(card)
    if notes:
        parts.append(_grid([("note" if i == 0 else "", Text(note, "yellow")) for i, note in enumerate(notes)]))
    _show(console, *parts, Text(""))


def print_lives(cards: Sequence[Card], console: Console) -> None:
    """Lives side by side: one table per condition, one row per system, and the paired difference of two systems."""
    tables: dict[str, list[Series]] = {}
    for series in by_series(cards):
        tables.setdefault(series.key, []).append(series)
    if not tables:
        _show(console, Text("no lives"))
    names = [rows[0].condition for rows in tables.values()]
    for rows in tables.values():
        title = Rule(Text.assemble(("Lives", "bold"), f"  {rows[0].condition}"), align="left", style="dim")
        parts: list[RenderableType] = [Text(""), title]
        if names.count(rows[0].condition) > 1:
            parts.append(Text(dials(rows[0].cards[0]), "dim"))
        parts.append(_lives_table(rows))
        parts.append(Text("n lives; means over them with 95 % intervals; curve: mean m(t), 0 to 1", "dim"))
        if len(rows) == 2:
            parts += _paired(rows[0], rows[1])
        _show(console, *parts, Text(""))


def print_bounds(result: dict[str, Any], console: Console) -> None:
    """What the agents of known worth score, a line per metric, and whether every bound holds."""
    found = [*result["rows"], *result["lower_is_better"]]
    for scenario, pressure, sessions in dict.fromkeys((r["scenario"], r["pressure"], r["sessions"]) for r in found):
        where = (scenario, pressure, sessions)
        title = f"  {plain(scenario)}, {plain(pressure)}, {sessions} sessions"
        _show(
            console,
            Rule(Text.assemble(("Bounds", "bold"), title), align="left", style="dim"),
            _bounds_table(*([r for r in result[key] if _place(r) == where] for key in ("rows", "lower_is_better"))),
            Text(""),
        )
    if result["ok"]:
        _show(console, Text("all bounds hold", "green"))
    else:
        _show(console, Text("broken bounds:", "bold red"), *(Text(f"  {plain(line)}") for line in result["broken"]))


def print_plan(summary: dict[str, Any], console: Console) -> None:
    """A plan in numbers: its counts, then every breakdown as bars."""
    counts = [(key, value) for key, value in summary.items() if not isinstance(value, dict)]
    table = Table.grid(padding=(0, 2))
    half = math.ceil(len(counts) / 2)
    for i in range(half):
        pairs = counts[i::half] if half else []
        table.add_row(*(Text(t, s) for key, value in pairs for t, s in ((_words(key), "dim"), (f"{value:>6}", ""))))
    _show(console, Rule(Text("Plan", "bold"), align="left", style="dim"), table)
    for key, part in summary.items():
        if isinstance(part, dict):
            _show(console, Text(""), Text(_words(key), "bold"), _bars(part))


def sparkline(curve: Sequence[tuple[float, float | None]], most: int = WIDEST_CURVE) -> str:
    """A curve in 0..1 as one line of blocks; a longer one is averaged in equal stretches, a missing point is a dash."""
    step = max(1, math.ceil(len(curve) / most))
    marks = []
    for start in range(0, len(curve), step):
        ms = [m for _, m in curve[start : start + step] if m is not None]
        height = min(max(sum(ms) / len(ms), 0.0), 1.0) if ms else None
        marks.append(MISSING if height is None else BLOCKS[min(int(height * len(BLOCKS)), len(BLOCKS) - 1)])
    return "".join(marks)


# --- One card -------------------------------------------------------------------------------------------------------


def _about(card: Card) -> Table:
    sut, pressure = card["sut"], card["pressure"]
    made_of = ", ".join(plain(sut[key]) for key in ("model_id", "memory_policy_type") if sut.get(key))
    life = f"seed {card['seed']}, {card['n_sessions']} sessions, version {plain(card['scenario_version'])}"
    used = dials(card)
    preset = plain(pressure["preset"]) if "preset" in pressure else ""
    return _grid(
        [
            ("system", Text.assemble((plain(sut["sut_id"]), "bold cyan"), f"  ({made_of})" if made_of else "")),
            ("life", Text(life)),
            ("pressure", Text.assemble(preset, ("  " if preset and used else ""), (used, "dim"))),
            ("events", Text(", ".join(events(card)) or "none")),
            ("curve", _curve_line(card)),
        ]
    )  # fmt: skip


def _curve_line(card: Card) -> Text:
    curve = mean_curve([card])
    if not any(m is not None for _, m in curve):
        return Text("no points")
    (first, m_first), (last, m_last) = curve[0], curve[-1]
    return Text.assemble(
        f"m({first:g}) {_number(m_first)} ", (sparkline(curve), "cyan"), f" {_number(m_last)} m({last:g})",
        (f"   {plain(card['headline']['metric_name'])}", "dim"),
    )  # fmt: skip


def _headline_table(card: Card) -> Table:
    headline = card["headline"]
    table = _table("headline", ("value", "right"), ("95 % interval", "right"), ("n", "right"))
    for key, label, counted, decimals, signed in _HEADLINE:
        n = headline.get(f"{key}_n")
        table.add_row(*_figure_cells(headline, key, label, decimals, signed), f"{n} {counted}" if n else MISSING)
    return table


def _figure_cells(block: dict[str, Any], key: str, label: str, decimals: int, signed: bool) -> list[str]:
    return [label, _number(block.get(key), decimals, signed), _interval(block.get(f"{key}_ci"), decimals, signed)]


def _verdicts(card: Card) -> Table:
    headline = card["headline"]
    half = Text(half_life_words(card), "bold" if headline.get("half_life") is not None else "")
    ci = headline.get("half_life_ci")
    if ci and ci[0] is not None:
        high = f"{ci[1]:.1f}" if ci[1] is not None else f"beyond {last_point(card):g}"
        n = headline.get("half_life_n") or MISSING
        half.append(f"   95 % interval {ci[0]:.1f} to {high}, n = {n} points", "dim")
    words, style = {True: ("yes", "bold red"), False: ("no", "bold green")}.get(
        headline.get("aging_detected"), ("undecided", "bold yellow")
    )
    reason = plain(headline.get("aging_reason") or "").removeprefix("aging: ") or _why_no_headline(card)
    return _grid([("half-life", half), ("aging", Text.assemble((words, style), f": {reason}" if reason else ""))])


def _why_no_headline(card: Card) -> str:
    lost = (plain(w) for w in card["warnings"] if w.startswith("no_headline"))
    return next((f"no headline, {w.partition(':')[2].strip()}" for w in lost), "")


def _mechanism_table(card: Card) -> Table:
    table = _table("mechanism", ("figure", "left"), ("value", "right"), ("95 % interval", "right"), ("n", "right"))
    for name, figures in _MECHANISMS.items():
        block = card["mechanism_metrics"][name]
        measured = [key for key in figures if block.get(key) is not None]
        if f"mechanism_not_exercised:{name}" in card["warnings"] or not (measured or block.get("shock_sessions")):
            table.add_row(name, Text("not exercised", "dim"), *[MISSING] * 3)
            continue
        for place, key in enumerate(measured or figures):
            n = block.get(f"{key}_n")
            cells = _figure_cells(block, key, _words(key), 2, key == "delta")
            table.add_row("" if place else name, *cells, f"{n}" if n else MISSING)
    return table


def _cost(cost: dict[str, Any]) -> str:
    calls, tokens_in, tokens_out = (cost.get(f"total_{k}") for k in ("calls", "input_tokens", "output_tokens"))
    usd = cost.get("total_cost_usd")
    tokens = "tokens unknown"
    if tokens_in is not None or tokens_out is not None:
        tokens = f"{_count(tokens_in)} tokens in, {_count(tokens_out)} out"
    parts = ["calls unknown" if calls is None else f"{calls:,} calls", tokens]
    parts.append("cost unknown" if usd is None else f"${usd:,.2f}" if usd == 0 or usd >= 0.1 else f"${usd:.2g}")
    return " · ".join(parts)


def _warning(text: str) -> str:
    code, _, rest = plain(text).partition(":")
    if code == "mechanism_not_exercised":
        return f"{rest.strip().capitalize()} was not exercised: this life says nothing about it."
    if code == "no_headline":
        return f"No headline figures: {rest.strip()}."
    if code == "failed_probes":
        return f"{rest.strip()}."
    return _WARNINGS.get(code, plain(text))


def _own_notes(card: Card) -> list[str]:
    if card["mechanism_metrics"]["revision"].get("coverage_verdict") == "underpowered":
        return ["Revision rests on fewer than ten probes: take its figures as a hint."]
    return []


# --- Several lives --------------------------------------------------------------------------------------------------


def _lives_table(rows: Sequence[Series]) -> Table:
    columns = (("n", "right"), ("m(0)", "right"), ("m(final)", "right"), ("slope", "right"))
    table = _table("system", *columns, ("half-life", "left"), ("aging", "left"), narrow=True)
    for series in rows:
        means = [
            _mean_cell(_over_lives(series, key, proportion=key != "decay_slope"), signed=key == "decay_slope")
            for key in ("m0", "m_final", "decay_slope")
        ]
        name = Text.assemble((series.label, "bold"), "\n", (sparkline(mean_curve(series.cards), 24), "cyan"))
        table.add_row(name, str(len(series.cards)), *means, _half_lives(series.cards), _aging_count(series.cards))
    return table


def _over_lives(series: Series, key: str, *, proportion: bool) -> Estimate:
    return mean_over_lives([card["headline"].get(key) for card in series.cards], proportion=proportion)


def _mean_cell(e: Estimate, *, signed: bool) -> Text:
    decimals = 3 if signed else 2
    interval = MISSING
    if e.low is not None and e.high is not None:
        interval = f"{_number(e.low, 2, signed)}…{_number(e.high, 2, signed)}"
    return Text.assemble(_number(e.value, decimals, signed), "\n", (interval, "dim"))


def _half_lives(cards: Sequence[Card]) -> str:
    """Each half-life, or their median where there are many; a censored one counts as later than all others."""
    known = sorted(
        (math.inf if c["headline"].get("half_life") is None else float(c["headline"]["half_life"]), last_point(c))
        for c in cards
        if c["headline"].get("half_life") is not None or c["headline"].get("half_life_censored")
    )
    shown = [f">{last:g}" if math.isinf(value) else f"{value:.1f}" for value, last in known]
    if not known:
        return MISSING
    if len(known) <= LISTED_HALF_LIVES:
        return ", ".join(shown)
    censored = sum(math.isinf(value) for value, _ in known)
    middle = [known[(len(known) - 1) // 2][0], known[len(known) // 2][0]]
    median = shown[len(known) // 2] if math.isinf(sum(middle)) else f"{sum(middle) / 2:.1f}"
    return f"median {median}\n{censored} of {len(known)} censored"


def _aging_count(cards: Sequence[Card]) -> str:
    found = [card["headline"].get("aging_detected") for card in cards]
    undecided = found.count(None)
    return f"{found.count(True)} of {len(found)}" + (f"\n{undecided} undecided" if undecided else "")


def _paired(a: Series, b: Series) -> list[RenderableType]:
    first, second = _by_seed(a.cards), _by_seed(b.cards)
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        return []
    lines: list[RenderableType] = [Text(""), Text(f"{a.label} − {b.label}, paired by seed", "bold")]
    for key, label in (("time_average", "time average"), ("m_final", "m(final)")):
        sides = ([_mean_of(lives[seed], key) for seed in seeds] for lives in (first, second))
        lines.append(_grid([(label, Text(_difference(paired_difference(*sides))))]))
    return lines


def _by_seed(cards: Sequence[Card]) -> dict[int, list[Card]]:
    seeds: dict[int, list[Card]] = {}
    for card in cards:
        seeds.setdefault(int(card["seed"]), []).append(card)
    return seeds


def _mean_of(cards: Sequence[Card], key: str) -> float | None:
    # Repeats of one seed are one pair, not several.
    return mean_over_lives([card["headline"].get(key) for card in cards], proportion=False).value


def _difference(result: PairedResult) -> str:
    effect = result.effect
    if effect.value is None:
        return f"{MISSING} (no pair has this figure on both sides)"
    shown = _number(effect.value, 3, True)
    if result.n == 1:
        return f"{shown}, n = 1 pair; one pair gives no interval"
    interval = _interval([effect.low, effect.high], 3, True)
    return f"{shown}, 95 % interval {interval}, p = {_number(result.p_value)}, n = {result.n} pairs"


# --- Bounds and plans -----------------------------------------------------------------------------------------------

_CEILINGS = ("oracle", "perfect_memory")
_FLOORS = ("blank", "echo", "refuser", "unrelated")


def _place(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["scenario"], row["pressure"], row["sessions"]


def _bounds_table(higher: list[dict[str, Any]], lower: list[dict[str, Any]]) -> Table:
    agents = list(dict.fromkeys(r["agent"] for r in [*higher, *lower]))
    shows = {**dict.fromkeys(_CEILINGS, "worst"), **dict.fromkeys(_FLOORS, "mean best")}
    heads = [f"{plain(agent).replace('_', chr(10), 1)}\n{shows.get(agent, 'mean')}" for agent in agents]
    table = _table("metric", ("lives", "right"), *((head, "right") for head in heads), narrow=True)
    for rows, worst, best in ((higher, "min", "max"), (lower, "max", "min")):
        if rows is lower and lower:
            table.add_row(Text("lower is better:", "dim"))
        for metric in dict.fromkeys(r["metric"] for r in rows):
            found = {r["agent"]: r for r in rows if r["metric"] == metric}
            lives = str(max(r["n"] for r in found.values()))
            table.add_row(plain(metric), lives, *(_bound(a, found.get(a), worst, best) for a in agents))
    return table


def _bound(agent: str, row: dict[str, Any] | None, worst: str, best: str) -> str:
    if row is None:
        return MISSING
    if agent in _CEILINGS:
        return _size(row[worst])
    return f"{_size(row['mean'])} {_size(row[best])}" if agent in _FLOORS else _size(row["mean"])


def _size(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def _bars(counts: dict[str, int]) -> Table:
    table = Table.grid(padding=(0, 2))
    most = max(counts.values(), default=0)
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        length = math.ceil(30 * count / most) if most else 0
        table.add_row(f"  {plain(name)}", f"{count:>6}", Text("█" * length, "cyan"))
    return table


# --- Shared ---------------------------------------------------------------------------------------------------------


def _show(console: Console, *parts: RenderableType) -> None:
    if console.is_terminal and not console.options.ascii_only:
        console.print(*parts, sep="\n", highlight=False)
        return
    page = io.StringIO()
    Console(file=page, width=console.width, color_system=None, highlight=False).print(*parts, sep="\n")
    text = "\n".join(line.rstrip() for line in page.getvalue().split("\n"))
    if console.options.ascii_only:
        text = text.translate(_ASCII).encode("ascii", "replace").decode()
    console.out(text, end="", highlight=False)


def _grid(rows: Sequence[tuple[str, Text]]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(width=12, style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, text)
    return table


def _table(first: str, *columns: tuple[str, Any], narrow: bool = False) -> Table:
    """A table without lines whose first column gives way when space is short."""
    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0), header_style="bold")
    table.add_column(first, overflow="fold")
    for head, side in columns:
        table.add_column(head, justify=side, no_wrap=True)
    return table


def _number(value: object, decimals: int = 2, signed: bool = False) -> str:
    # A foreign card may hold anything where the schema leaves it free.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return MISSING
    # Rounded first, so that nothing is shown as −0.00.
    rounded = round(value, decimals) + 0.0
    return f"{rounded:+.{decimals}f}" if signed and rounded else f"{rounded:.{decimals}f}"


def _interval(ci: Sequence[float | None] | None, decimals: int, signed: bool) -> str:
    if not ci or (ci[0] is None and ci[1] is None):
        return MISSING
    return f"{_number(ci[0], decimals, signed)} to {_number(ci[1], decimals, signed)}"


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _words(name: str) -> str:
    return plain(name).replace("_", " ")
