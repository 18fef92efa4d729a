"""The Lifespan Card of one life on the terminal; plain text where there is no terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from agingbench.cards.figures import Figure
from agingbench.cards.model import Card, CostAndEfficiency, MechanismSection
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
from agingbench.report.series import (
    aging_reason,
    events,
    half_life_words,
    last_point,
    mean_curve,
    turned_dials,
)
from agingbench.report.text import plain

# key, label, what n counts, decimals, signed
HEADLINE_FIGURES = (
    ("m0", "m(0)", "probes", 2, False),
    ("m_final", "m(final)", "probes", 2, False),
    ("time_average", "time average", "points", 2, False),
    ("decay_slope", "slope per session", "points", 3, True),
    ("hazard_proxy", "hazard", "points", 2, False),
    ("first_write_loss", "first-write loss", "facts", 2, True),
)

_AGING = {
    True: ("yes", "bold red"),
    False: ("no", "bold green"),
    None: ("undecided", "bold yellow"),
}
BOUNDS = (("floor", "floor (no memory)"), ("ceiling", "ceiling (full context)"))

MECHANISM_FIGURES = {
    "compression": ("score", "dep_recall"),
    "interference": ("resistance", "confusion_rate", "miss_rate", "confusion_given_stored"),
    "revision": (
        "version_accuracy",
        "forget_accuracy",
        "accumulator_accuracy",
        "accumulator_rel_error",
        "stale_residue_rate",
        "cvr",
        "over_refusal_rate",
        "undecided_share",
        "cite_accuracy",
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


def print_card(document: Mapping[str, Any], console: Console) -> None:
    """The Lifespan Card of one life."""
    card = Card.read(document)
    parts: list[RenderableType] = [
        Text(""),
        Rule(
            Text.assemble(("Lifespan Card", "bold"), f"  {plain(card.scenario)}"),
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
        grid([("cost", Text(cost_words(card.cost_and_efficiency)))]),
    ]
    notes = card_notes(card)
    if notes:
        parts.append(
            grid([("note" if i == 0 else "", Text(note, "yellow")) for i, note in enumerate(notes)])
        )
    show(console, *parts, Text(""))


def _about(card: Card) -> Table:
    sut = card.sut
    parts = ", ".join(plain(part) for part in (sut.model_id, sut.memory_policy_type) if part)
    life = f"seed {card.seed}, {card.n_sessions} sessions, version {plain(card.scenario_version)}"
    settings = turned_dials(card)
    preset = plain(card.pressure["preset"]) if "preset" in card.pressure else ""
    gap = "  " if preset and settings else ""
    system = Text.assemble((plain(sut.sut_id), "bold cyan"), f"  ({parts})" if parts else "")
    return grid(
        [
            ("system", system),
            *_product_row(card),
            ("life", Text(life)),
            ("pressure", Text.assemble(preset, gap, (settings, "dim"))),
            ("events", Text(", ".join(events(card)) or "none")),
            ("curve", _curve_line(card)),
        ]
    )


def _product_row(card: Card) -> list[tuple[str, Text]]:
    """The product that was driven, where the agent was one."""
    version = card.provenance.agent_cli_version
    agent = card.sut.document().get("agent")
    if card.track != "agent" or not version or not agent:
        return []
    return [("agent", Text(f"{plain(agent)} {plain(version)}"))]


def _curve_line(card: Card) -> Text:
    curve = mean_curve([card])
    if not any(m is not None for _, m in curve):
        return Text("no points")

    first, m_first = curve[0]
    last, m_last = curve[-1]
    return Text.assemble(
        f"m({first:g}) {number(m_first)} ",
        (sparkline(curve), "cyan"),
        f" {number(m_last)} m({last:g})",
        (f"   {plain(card.headline.metric_name)}", "dim"),
    )


def _headline_table(card: Card) -> Table:
    table = bare_table(
        "headline",
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for key, label, unit, decimals, signed in HEADLINE_FIGURES:
        figure = card.headline.figure(key)
        n = f"{figure.count} {unit}" if figure.count else MISSING
        table.add_row(label, *_figure_cells(figure, decimals, signed), n)

    if card.calibration:
        for key, label in BOUNDS:
            figure = card.headline.figure(key)
            cells = _figure_cells(figure, 2, False)
            table.add_row(label, *cells, _count_cell(figure))
    return table


def _figure_cells(figure: Figure, decimals: int, signed: bool) -> list[str]:
    value = number(figure.value, decimals, signed)
    return [value, interval_text(figure.interval, decimals, signed)]


def _count_cell(figure: Figure) -> str:
    return str(figure.count) if figure.count else MISSING


def _verdicts(card: Card) -> Table:
    headline = card.headline
    figure = headline.half_life
    half_life = Text(half_life_words(card), "bold" if figure.value is not None else "")
    low, high = figure.interval or (None, None)
    if low is not None:
        end = f"{high:.1f}" if high is not None else f"beyond {last_point(card):g}"
        n = figure.count or MISSING
        half_life.append(f"   95 % interval {low:.1f} to {end}, n = {n} points", "dim")

    answer, style = _AGING[headline.aging_detected]
    reason = aging_reason(card) or _why_no_headline(card)
    aging = Text.assemble((answer, style), f": {reason}" if reason else "")
    return grid([("half-life", half_life), ("aging", aging)])


def _why_no_headline(card: Card) -> str:
    for warning in card.warnings:
        if warning.startswith("no_headline"):
            return f"no headline, {plain(warning).partition(':')[2].strip()}"
    return ""


def _mechanism_table(card: Card) -> Table:
    table = bare_table(
        "mechanism",
        ("figure", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
    )
    for name, section in mechanism_sections(card).items():
        figures = {key: section.figure(key) for key in MECHANISM_FIGURES[name]}
        measured = {key: figure for key, figure in figures.items() if figure.value is not None}
        shocks = section.document().get("shock_sessions")
        is_idle = f"mechanism_not_exercised:{name}" in card.warnings
        if is_idle or not (measured or shocks):
            table.add_row(name, Text("not exercised", "dim"), *[MISSING] * 3)
            continue

        label = name
        for key, figure in (measured or figures).items():
            cells = _figure_cells(figure, 2, key == "delta")
            table.add_row(label, in_words(key), *cells, _count_cell(figure))
            label = ""
    return table


def mechanism_sections(card: Card) -> dict[str, MechanismSection]:
    """The section of each mechanism by its name."""
    metrics = card.mechanism_metrics
    return {
        "compression": metrics.compression,
        "interference": metrics.interference,
        "revision": metrics.revision,
        "maintenance": metrics.maintenance,
    }


def cost_words(cost: CostAndEfficiency) -> str:
    """Calls, tokens and dollars in one line."""
    document = cost.document()
    calls = document.get("total_calls")
    tokens_in = document.get("total_input_tokens")
    tokens_out = document.get("total_output_tokens")
    usd = document.get("total_cost_usd")
    tokens = "tokens unknown"
    if tokens_in is not None or tokens_out is not None:
        tokens = f"{_count(tokens_in)} tokens in, {_count(tokens_out)} out"
    call_words = "calls unknown"
    if calls is not None:
        call_words = f"{calls:,} calls"
    parts = [call_words, tokens]
    if usd is None:
        parts.append("cost unknown")
    elif usd == 0 or usd >= 0.1:
        parts.append(f"${usd:,.2f}")
    else:
        parts.append(f"${usd:.2g}")
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


def reader_notes(cards: Sequence[Card]) -> list[str]:
    """That no language model answered, where that is so in every one of these lives."""
    for card in cards:
        if not any(warning.startswith("embedded_reader") for warning in card.warnings):
            return []
    return [_WARNINGS["embedded_reader"]] if cards else []


def card_notes(card: Card) -> list[str]:
    """What a reader of the card should know: its warnings in words, missing bounds, thin cover."""
    notes = [_warning(warning) for warning in card.warnings]
    return notes + _bound_notes(card) + _coverage_notes(card)


def _bound_notes(card: Card) -> list[str]:
    if not card.calibration:
        return []

    reasons = {
        "floor": card.headline.floor_reason,
        "ceiling": card.headline.ceiling_reason,
    }
    notes = []
    for name, reason in reasons.items():
        if reason:
            notes.append(f"No {name}: {plain(reason)}.")
    return notes


def _coverage_notes(card: Card) -> list[str]:
    revision = card.mechanism_metrics.revision.document()
    if revision.get("coverage_verdict") == "underpowered":
        return ["Revision rests on fewer than ten probes: take its figures as a hint."]
    return []


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"
