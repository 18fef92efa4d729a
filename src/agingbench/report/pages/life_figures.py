"""The figures of a life's page: tiles of the first screen, the headline and the mechanisms."""

from __future__ import annotations

import msgspec

from agingbench.cards.figures import Figure
from agingbench.cards.model import Card
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.figure_words import figure_words
from agingbench.report.pages.life_titles import percent
from agingbench.report.series import half_life_words, last_point
from agingbench.report.terminal import (
    BOUNDS,
    HEADLINE_FIGURES,
    MECHANISM_FIGURES,
    mechanism_sections,
)
from agingbench.report.text import plain


class FigureRow(msgspec.Struct, frozen=True):
    """A figure with its interval, in words and as the bar that a page draws."""

    name: str
    value: str
    interval: str
    n: str
    group: str = ""
    share: float | None = None  # where the bar ends, 0 to 1
    low: float | None = None
    high: float | None = None
    words: str = ""  # what the figure says


def tiles(card: Card) -> list[FigureRow]:
    """The figures of the first screen: start, end, half-life, floor and ceiling."""
    headline = card.headline
    unit = headline_words([card]).unit
    rows = [
        _share_tile("at the start", headline.m0, unit),
        _share_tile("at the end", headline.m_final, unit),
    ]
    rows.append(_half_life_tile(card))
    labels = {"floor": "floor, without memory", "ceiling": "ceiling, whole history"}
    for key, label in labels.items():
        figure = headline.figure(key)
        if figure.value is not None:
            rows.append(_share_tile(label, figure, f"{unit} at all points"))
    return rows


def _half_life_tile(card: Card) -> FigureRow:
    half = _row("half-life", card.headline.half_life, 1, False, "points")
    if half.value == MISSING and card.headline.half_life_censored:
        end = f"> {last_point(card):g}"
        return msgspec.structs.replace(half, value=end, interval="half was never lost")
    if half.interval.endswith(f" to {MISSING}"):
        start = half.interval.removesuffix(f" to {MISSING}")
        half = msgspec.structs.replace(half, interval=f"{start} or more")
    words = "sessions" if half.value != MISSING else half_life_words(card)
    return msgspec.structs.replace(half, value=f"{half.value} {words}")


def _share_tile(name: str, figure: Figure, unit: str) -> FigureRow:
    interval = MISSING
    if figure.interval is not None:
        low, high = figure.interval
        interval = f"{percent(low)} to {percent(high)}"
    return FigureRow(name, percent(figure.value), interval, f"n = {figure.count} {unit}")


def headline_rows(card: Card) -> list[FigureRow]:
    rows = []
    words = headline_words([card])
    for key, label, own_unit, decimals, signed in HEADLINE_FIGURES:
        unit = words.unit if own_unit == "probes" else own_unit
        rows.append(_row(label, card.headline.figure(key), decimals, signed, unit))
    for key, label in BOUNDS:
        figure = card.headline.figure(key)
        if figure.value is not None:
            rows.append(_row(label, figure, 2, False, f"{words.unit} at all points"))
    half = card.headline.half_life
    row = _row("half-life", half, 1, False, "points")
    rows.insert(2, msgspec.structs.replace(row, value=half_life_words(card), share=None))
    return rows


def mechanism_rows(card: Card) -> list[FigureRow]:
    rows = []
    for name, section in mechanism_sections(card).items():
        figures = {key: section.figure(key) for key in MECHANISM_FIGURES[name]}
        measured = {key: figure for key, figure in figures.items() if figure.value is not None}
        if not measured or f"mechanism_not_exercised:{name}" in card.warnings:
            rows.append(FigureRow("not exercised", MISSING, MISSING, MISSING, name))
            continue
        for key, figure in measured.items():
            row = _row(in_words(key), figure, 2, key == "delta", "")
            words = figure_words(name, key)
            rows.append(msgspec.structs.replace(row, group=name, words=words))
    return rows


def _row(name: str, figure: Figure, decimals: int, signed: bool, unit: str) -> FigureRow:
    n = MISSING
    if figure.count:
        n = f"{figure.count} {unit}".strip()
    share = low = high = None
    if figure.value is not None and not signed and 0 <= figure.value <= 1:
        share = figure.value
        low, high = figure.interval or (None, None)
    return FigureRow(
        name,
        number(figure.value, decimals, signed),
        interval_text(figure.interval, decimals, signed),
        n,
        "",
        share,
        low,
        high,
    )


def provenance_rows(card: Card) -> list[tuple[str, str]]:
    origin = card.provenance.document()
    rows = [("card made", plain(card.generated_at)), ("run", plain(card.run_id))]
    for key in ("agingbench_version", "trial_id", "record_hash", "plan_hash"):
        if origin.get(key):
            rows.append((in_words(key), plain(origin[key])))
    if card.content_hash:
        rows.append(("content hash", plain(card.content_hash)))
    return rows
