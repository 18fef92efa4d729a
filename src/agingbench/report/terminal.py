"""The Lifespan Card of one life on the terminal; plain text where there is no terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

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
from agingbench.report.series import Card, events, half_life_words, last_point, mean_curve, turned
from agingbench.report.text import plain

# key, label, what n counts, decimals, signed
_HEADLINE = (
    ("m0", "m(0)", "probes", 2, False),
    ("m_final", "m(final)", "probes", 2, False),
    ("time_average", "time average", "points", 2, False),
    ("decay_slope", "slope per session", "points", 3, True),
    ("hazard_proxy", "hazard", "points", 2, False),
    ("first_write_loss", "first-write loss", "facts", 2, True),
)

_BOUNDS = (("floor", "floor (no memory)"), ("ceiling", "ceiling (full context)"))

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
    "embedded_reader": (
        "The answers come from the built-in rule-based reader, not from a language model: these"
        " figures say how the memory ages, and nothing about any model."
    ),
    "telemetry_partial": (
        "Made from a trace that does not record everything; what it lacks is missing here."
    ),
}


def print_card(card: Card, console: Console) -> None:
    """The Lifespan Card of one life."""
    parts: list[RenderableType] = [
        Text(""),
        Rule(
            Text.assemble(("Lifespan Card", "bold"), f"  {plain(card['scenario'])}"),
            align="left",
            style="dim",
        ),
        _about(card),
        Text(""),
        _headline_table(card),
        Text(""),
        _verdicts(card),
        Text(""),
        _mechanism_table(card),
        Text(""),
        grid([("cost", Text(_cost(card["cost_and_efficiency"])))]),
    ]
    notes = [_warning(w) for w in card["warnings"]] + _own_notes(card)
    if notes:
        parts.append(
            grid([("note" if i == 0 else "", Text(note, "yellow")) for i, note in enumerate(notes)])
        )
    show(console, *parts, Text(""))


def _about(card: Card) -> Table:
    sut = card["sut"]
    pressure = card["pressure"]
    made_of = ", ".join(
        plain(sut[key]) for key in ("model_id", "memory_policy_type") if sut.get(key)
    )
    life = (
        f"seed {card['seed']}, {card['n_sessions']} sessions, version"
        f" {plain(card['scenario_version'])}"
    )
    used = turned(card)
    preset = plain(pressure["preset"]) if "preset" in pressure else ""
    return grid(
        [
            (
                "system",
                Text.assemble(
                    (plain(sut["sut_id"]), "bold cyan"), f"  ({made_of})" if made_of else ""
                ),
            ),
            ("life", Text(life)),
            ("pressure", Text.assemble(preset, ("  " if preset and used else ""), (used, "dim"))),
            ("events", Text(", ".join(events(card)) or "none")),
            ("curve", _curve_line(card)),
        ]
    )


def _curve_line(card: Card) -> Text:
    curve = mean_curve([card])
    if not any(m is not None for _, m in curve):
        return Text("no points")
    (first, m_first), (last, m_last) = curve[0], curve[-1]
    return Text.assemble(
        f"m({first:g}) {number(m_first)} ",
        (sparkline(curve), "cyan"),
        f" {number(m_last)} m({last:g})",
        (f"   {plain(card['headline']['metric_name'])}", "dim"),
    )


def _headline_table(card: Card) -> Table:
    headline = card["headline"]
    table = bare_table("headline", ("value", "right"), ("95 % interval", "right"), ("n", "right"))
    for key, label, counted, decimals, signed in _HEADLINE:
        n = headline.get(f"{key}_n")
        table.add_row(
            *_figure_cells(headline, key, label, decimals, signed),
            f"{n} {counted}" if n else MISSING,
        )
    if card.get("calibration"):
        for key, label in _BOUNDS:
            n = headline.get(f"{key}_n")
            table.add_row(*_figure_cells(headline, key, label, 2, False), f"{n}" if n else MISSING)
    return table


def _figure_cells(
    block: dict[str, Any], key: str, label: str, decimals: int, signed: bool
) -> list[str]:
    return [
        label,
        number(block.get(key), decimals, signed),
        interval_text(block.get(f"{key}_ci"), decimals, signed),
    ]


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
    reason = plain(headline.get("aging_reason") or "").removeprefix("aging: ") or _why_no_headline(
        card
    )
    return grid(
        [
            ("half-life", half),
            ("aging", Text.assemble((words, style), f": {reason}" if reason else "")),
        ]
    )


def _why_no_headline(card: Card) -> str:
    lost = (plain(w) for w in card["warnings"] if w.startswith("no_headline"))
    return next((f"no headline, {w.partition(':')[2].strip()}" for w in lost), "")


def _mechanism_table(card: Card) -> Table:
    table = bare_table(
        "mechanism",
        ("figure", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for name, figures in _MECHANISMS.items():
        block = card["mechanism_metrics"][name]
        measured = [key for key in figures if block.get(key) is not None]
        if f"mechanism_not_exercised:{name}" in card["warnings"] or not (
            measured or block.get("shock_sessions")
        ):
            table.add_row(name, Text("not exercised", "dim"), *[MISSING] * 3)
            continue
        for place, key in enumerate(measured or figures):
            n = block.get(f"{key}_n")
            cells = _figure_cells(block, key, in_words(key), 2, key == "delta")
            table.add_row("" if place else name, *cells, f"{n}" if n else MISSING)
    return table


def _cost(cost: dict[str, Any]) -> str:
    calls, tokens_in, tokens_out = (
        cost.get(f"total_{k}") for k in ("calls", "input_tokens", "output_tokens")
    )
    usd = cost.get("total_cost_usd")
    tokens = "tokens unknown"
    if tokens_in is not None or tokens_out is not None:
        tokens = f"{_count(tokens_in)} tokens in, {_count(tokens_out)} out"
    parts = ["calls unknown" if calls is None else f"{calls:,} calls", tokens]
    parts.append(
        "cost unknown"
        if usd is None
        else f"${usd:,.2f}"
        if usd == 0 or usd >= 0.1
        else f"${usd:.2g}"
    )
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
    return _bound_notes(card) + _coverage_notes(card)


def _bound_notes(card: Card) -> list[str]:
    reasons = {
        key: card["headline"].get(f"{key}_reason") for key, _ in _BOUNDS if card.get("calibration")
    }
    return [f"No {key}: {plain(reason)}." for key, reason in reasons.items() if reason]


def _coverage_notes(card: Card) -> list[str]:
    if card["mechanism_metrics"]["revision"].get("coverage_verdict") == "underpowered":
        return ["Revision rests on fewer than ten probes: take its figures as a hint."]
    return []


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
