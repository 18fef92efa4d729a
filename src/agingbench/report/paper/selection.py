"""Which rows a table has and what a figure shows, by the kind of the cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.report.layout import in_words
from agingbench.report.pages.sources import CardSource
from agingbench.report.paper.figures import (
    WIDTH,
    DotPanel,
    DotRow,
    curve_figure,
    dot_figure,
    week_figure,
)
from agingbench.report.paper.panels import (
    Panel,
    headline_estimate,
    panels_of,
    short_names,
)
from agingbench.report.rows import (
    RESUMPTION_FIGURES,
    audit_row,
    curve_rows,
    life_row,
    mechanism_rows,
    resumption_row,
    week_rows,
)
from agingbench.report.series import (
    Series,
    events,
    median_half_life,
    over_lives,
    pressure_name,
    read_cards,
)
from agingbench.report.terminal import mechanism_sections

if TYPE_CHECKING:
    import altair as alt

HEADLINE = {"m0": "start", "m_final": "end", "time_average": "whole life"}
# The leading figures of the mechanisms, all of them shares, under the names of a figure's lines.
MECHANISM_LINES = {
    "compression": ("compression", "score"),
    "interference": ("interference", "resistance"),
    "revision": ("revision", "version_accuracy"),
    "rules broken": ("revision", "cvr"),
    "before the event": ("maintenance", "pre_shock"),
    "after the event": ("maintenance", "post_shock"),
}
KINDS = {"life": "lives", "trace": "audits", "resumption": "resumption runs"}

Rows = list[dict[str, Any]]


def kind_of(sources: Sequence[CardSource]) -> str:
    """The kind of the cards; raises InputError where there are several."""
    kinds = sorted({source.kind for source in sources})
    if len(kinds) > 1:
        names = " and ".join(KINDS[kind] for kind in kinds)
        raise InputError(f"cards of {names} cannot stand together; give one kind at a time")
    return kinds[0]


# -- tables


def table_rows(sources: Sequence[CardSource], rows: str | None = None) -> Rows:
    """The rows of a table; raises InputError where cards of this kind have no such rows."""
    kind = kind_of(sources)
    choices = ROWS[kind]
    name = next(iter(choices)) if rows is None else rows
    if name not in choices:
        raise _wrong("--rows", name, kind, list(choices))
    found = choices[name](sources)
    if not found:
        raise InputError(f"these cards hold nothing for --rows {name}")
    return found


def _wrong(option: str, name: str, kind: str, choices: Sequence[str]) -> InputError:
    return InputError(f"{option} {name}: {KINDS[kind]} have {', '.join(choices)}")


def _cards(sources: Sequence[CardSource]) -> list[Card]:
    return read_cards([source.document for source in sources])


def _system_rows(sources: Sequence[CardSource]) -> Rows:
    panels = panels_of(_cards(sources))
    return [system_row(one) for panel in panels for one in panel.systems.values()]


def system_row(series: Series) -> dict[str, Any]:
    """One system under one condition: means over its lives with their intervals."""
    card = series.cards[0]
    row: dict[str, Any] = {
        "scenario": card.scenario,
        "pressure": pressure_name(card),
        "sessions": card.n_sessions,
        "events": ", ".join(events(card)),
        "system": series.label,
        "lives": len(series.cards),
    }
    for name in (*HEADLINE, "decay_slope"):
        estimate = headline_estimate(series, name)
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    middle, words = median_half_life(series)
    row |= {"half_life": middle.value, "half_life_words": words}
    return row


def _life_rows(sources: Sequence[CardSource]) -> Rows:
    return [life_row(card) for card in _cards(sources)]


def _curve_rows(sources: Sequence[CardSource]) -> Rows:
    return [row for card in _cards(sources) for row in curve_rows(card)]


def _mechanism_rows(sources: Sequence[CardSource]) -> Rows:
    return [row for card in _cards(sources) for row in mechanism_rows(card)]


def _project(source: CardSource) -> str:
    return source.file.resolve().parent.name


def _project_rows(sources: Sequence[CardSource]) -> Rows:
    return [audit_row(_project(source), source.document) for source in sources]


def _week_rows(sources: Sequence[CardSource]) -> Rows:
    rows: Rows = []
    for source in sources:
        rows += week_rows(_project(source), source.document)
    return rows


def _run_rows(sources: Sequence[CardSource]) -> Rows:
    return [resumption_row(card) for card in _cards(sources)]


# The first of each kind is what a table has unless told otherwise.
ROWS: dict[str, dict[str, Callable[[Sequence[CardSource]], Rows]]] = {
    "life": {
        "systems": _system_rows,
        "lives": _life_rows,
        "curve": _curve_rows,
        "mechanisms": _mechanism_rows,
    },
    "trace": {"projects": _project_rows, "weeks": _week_rows},
    "resumption": {"runs": _run_rows},
}
ROW_NAMES = tuple(name for choices in ROWS.values() for name in choices)


# -- figures


def figure_chart(
    sources: Sequence[CardSource],
    show: str | None = None,
    width: float = WIDTH,
    columns: int | None = None,
) -> alt.ConcatChart | alt.VConcatChart:
    """The figure of these cards; raises InputError where cards of this kind have no such figure."""
    kind = kind_of(sources)
    choices = SHOWN[kind]
    name = choices[0] if show is None else show
    if name not in choices:
        raise _wrong("--show", name, kind, choices)
    if kind == "trace":
        weeks = _week_rows(sources)
        if not weeks:
            raise InputError("these traces do not say how many tokens were used")
        return week_figure(weeks, width, columns)
    if kind == "resumption":
        return dot_figure([_component_panel(_cards(sources))], "mean", width, columns)

    if name == "card":
        return _only_card(sources)
    panels = panels_of(_cards(sources))
    if name == "curves":
        return curve_figure(panels, width, columns)
    make = headline_panel if name == "headline" else mechanism_panel
    dots = [make(panel) for panel in panels]
    axis = "share right" if name == "headline" else "value"
    return dot_figure(dots, axis, width, columns)


def _only_card(sources: Sequence[CardSource]) -> alt.VConcatChart:
    # It draws on this module for the mechanisms.
    from agingbench.report.paper.card_image import card_image

    if len(sources) != 1:
        raise InputError(f"--show card draws one life, and there are {len(sources)} here")
    return card_image(sources[0].document)


def headline_panel(panel: Panel) -> DotPanel:
    """Start, end and mean over the life of each system."""
    rows = []
    for key, label in HEADLINE.items():
        for name, series in panel.systems.items():
            estimate = headline_estimate(series, key)
            rows.append(DotRow(label, name, estimate.value, estimate.low, estimate.high))
    return DotPanel(panel.title, rows)


def mechanism_panel(panel: Panel) -> DotPanel:
    """The leading figures of each mechanism that any of the systems exercised."""
    rows = []
    for label, (mechanism, key) in MECHANISM_LINES.items():
        line = []
        for name, series in panel.systems.items():
            sections = [mechanism_sections(card)[mechanism] for card in series.cards]
            figures = [section.figure(key) for section in sections]
            mean = over_lives(figures, proportion=True)
            line.append(DotRow(label, name, mean.value, mean.low, mean.high))
        if any(row.value is not None for row in line):
            rows += line
    return DotPanel(panel.title, rows)


def _component_panel(cards: Sequence[Card]) -> DotPanel:
    runs = [resumption_row(card) for card in cards]
    labels = []
    for run in runs:
        parts = [*run["system"].split("+"), run["consolidator"], f"{run['budget']} tokens"]
        labels.append("+".join(dict.fromkeys(parts)))
    names = short_names(labels)
    rows = []
    for key in RESUMPTION_FIGURES[:-1]:
        for label, run in zip(labels, runs, strict=True):
            bounds = (run[f"{key}_low"], run[f"{key}_high"])
            rows.append(DotRow(in_words(key), names[label], run[key], *bounds))
    return DotPanel("Resumption", rows)


SHOWN = {
    "life": ("curves", "headline", "mechanisms", "card"),
    "trace": ("weeks",),
    "resumption": ("components",),
}
SHOWN_NAMES = tuple(name for choices in SHOWN.values() for name in choices)
