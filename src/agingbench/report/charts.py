"""Aging curves as PNG and SVG, drawn from cards alone; equal cards give equal bytes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from agingbench.cards.model import Card
from agingbench.report.chart_frame import (
    COLOURS,
    INK,
    QUIET,
    along_points,
    data,
    event_layers,
    framed,
    notice,
    save_chart,
)
from agingbench.report.series import (
    Series,
    by_series,
    condition,
    half_life_words,
    mean_curve,
    read_cards,
)
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

LISTED_SEEDS = 8
BREAKS: Final = "break-paths-show-path-domains"  # what a line does where a value is missing
# Beyond seven systems colours repeat; the dashes tell them apart.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])

Interval = tuple[float, float | None, float | None]


class LineRow(TypedDict):
    """One point of a line; the `bold` line of a system carries the points."""

    line: int
    system: str
    bold: bool
    t: float
    m: float | None


class BandRow(TypedDict):
    """The interval at one point of a system's curve."""

    system: str
    t: float
    low: float | None
    high: float | None


def draw_curve(
    documents: Sequence[Mapping[str, Any]],
    png: Path | None,
    svg: Path | None,
    title: str | None = None,
) -> None:
    """Draw m(t) of one or more lives: one colour per system, thin lives and a bold mean."""
    save_chart(curve_chart(documents, title), png, svg)


def curve_chart(documents: Sequence[Mapping[str, Any]], title: str | None = None) -> alt.LayerChart:
    """The chart itself, for a page that wants to show it live."""
    cards = read_cards(documents)
    groups = by_series(cards)
    names = _names(groups)
    single = None
    if len(groups) == 1 and len(groups[0].cards) == 1:
        single = groups[0].cards[0]
    lines = _line_rows(groups, names)

    bands: dict[str, list[Interval]] = {}
    if len(groups) <= 2:  # more bands would hide each other
        for name, series in zip(names, groups, strict=True):
            band = _intervals(series)
            if band:
                bands[name] = band

    layers: list[alt.Chart] = [_frame(cards)]
    has_points = any(row["m"] is not None for row in lines)
    if has_points:
        layers += event_layers(cards)
        layers += _band_layers(bands, names)
        if single:
            layers += _half_level(single)
        layers += _line_layers(lines, names)
        if single:
            layers += _half_life_mark(single)
    else:
        layers.append(notice("no points"))

    heading = plain(title) if title else _title(groups)
    return framed(layers, heading, _subtitle(groups, single, bool(bands)))


# -- words


def _names(groups: Sequence[Series]) -> list[str]:
    keys = {series.key for series in groups}
    if len(keys) == 1:
        return [series.label for series in groups]

    full_names = [f"{series.label} ({series.condition})" for series in groups]
    names = []
    for name, series in zip(full_names, groups, strict=True):
        # Equal words for unequal dials: the names must still tell the lines apart.
        if full_names.count(name) > 1:
            name = f"{name} #{series.key[:6]}"
        names.append(name)
    return names


def _title(groups: Sequence[Series]) -> str:
    metrics: set[str] = set()
    for series in groups:
        metrics.update(plain(card.headline.metric_name) for card in series.cards)
    if len(metrics) == 1:
        return f"Aging curve: {metrics.pop()}"
    return "Aging curve"


def _subtitle(groups: Sequence[Series], single: Card | None, banded: bool) -> list[str]:
    lives: list[Card] = []
    for series in groups:
        lives += series.cards
    if not lives:
        return []

    seeds = sorted({card.seed for card in lives})
    noun = "seeds" if len(seeds) > 1 else "seed"
    listed = ", ".join(str(seed) for seed in seeds)
    key = [f"{noun} {listed}"]
    if len(seeds) > LISTED_SEEDS:
        key = [f"{len(seeds)} seeds"]
    if any(len(series.cards) > 1 for series in groups):
        key.append("thin: single lives, bold: their mean")
    if banded:
        key.append("band: 95 % interval of each point")

    conditions = {series.key for series in groups}
    first_line = "several conditions"
    if len(conditions) == 1:
        first_line = condition(lives[0])
    lines = [first_line, "; ".join(key)]

    if single:
        # The marker may lie beside a curve that goes up and down, so say what it lies on.
        has_fit = single.headline.others.get("half_life_first_crossing") is not None
        fit = " on the non-increasing fit" if has_fit else ""
        lines.append(f"half-life: {half_life_words(single)}{fit}")

    outside = 0
    for card in lives:
        points = [m for _, m in card.checkpoints if m is not None]
        outside += sum(_inside(m) is None for m in points)
    if outside:
        lines.append(f"points outside 0 to 1, not drawn: {outside}")
    return lines


# -- data


def _line_rows(groups: Sequence[Series], names: Sequence[str]) -> list[LineRow]:
    """One row per line and point; single lives before the mean that is drawn over them."""
    rows: list[LineRow] = []
    numbers = itertools.count()
    for name, series in zip(names, groups, strict=True):
        curves = []
        if len(series.cards) > 1:
            curves = [(mean_curve([card]), False) for card in series.cards]
        curves.append((mean_curve(series.cards), True))

        for curve, bold in curves:
            number = next(numbers)
            for t, m in curve:
                row = LineRow(
                    line=number,
                    system=name,
                    bold=bold,
                    t=t,
                    m=_inside(m),
                )
                rows.append(row)
    return rows


def _intervals(series: Series) -> list[Interval]:
    """The intervals along the curve of a system with one life; a mean of lives has none here."""
    rows = series.cards[0].others.get("checkpoint_intervals") or []
    if len(series.cards) > 1 or not rows:
        return []
    bounds = {t: (low, high) for t, low, high, _ in rows}

    intervals: list[Interval] = []
    for t, m in mean_curve(series.cards):
        low, high = bounds.get(t, (None, None))
        if _inside(m) is None:
            low, high = None, None
        intervals.append((t, low, high))
    return intervals


def _inside(m: float | None) -> float | None:
    # Left out rather than clipped: clip paths have numbers that differ from drawing to drawing.
    return m if m is not None and 0 <= m <= 1 else None


def _y(field: str = "m", **options: Any) -> alt.Y:
    import altair as alt

    # One scale for all charts: two of them can be laid side by side.
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), **options)


def _colour(names: Sequence[str], **options: Any) -> alt.Color:
    import altair as alt

    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    scale = alt.Scale(domain=list(names), range=colours)
    return alt.Color("system:N", scale=scale, **options)


def _dash(names: Sequence[str]) -> alt.StrokeDash:
    import altair as alt

    dashes = []
    for i in range(len(names)):
        # The dash changes whenever the colours begin again.
        turn = i // len(COLOURS)
        dashes.append(DASHES[turn % len(DASHES)])
    scale = alt.Scale(domain=list(names), range=dashes)
    return alt.StrokeDash("system:N", scale=scale)


# -- layers


def _frame(cards: Sequence[Card]) -> alt.Chart:
    """The axes, from 0 to the longest life, whatever was measured."""
    import altair as alt

    end = 1.0
    for card in cards:
        end = max(end, float(card.n_sessions))
        for t, _ in card.checkpoints:
            end = max(end, t)

    whole = list(range(int(end) + 1)) if end <= 10 else alt.Undefined
    axis = alt.Axis(
        values=whole,
        tickMinStep=1,
        format="d",
        grid=False,
        labelFlush=False,
    )
    scale = alt.Scale(domain=[0, end], nice=False)
    corners = [
        {"t": 0.0, "m": 0.0},
        {"t": end, "m": 1.0},
    ]
    chart: alt.Chart = data(corners).mark_point(opacity=0)
    return chart.encode(
        along_points(scale=scale, axis=axis, title="session t"),
        _y(axis=alt.Axis(format=".1f", tickCount=6), title="m(t)"),
    )


def _line_layers(rows: Sequence[LineRow], names: Sequence[str]) -> list[alt.Chart]:
    thin = [row for row in rows if not row["bold"]]
    bold = [row for row in rows if row["bold"]]
    layers = []
    for part, width, opacity in ((thin, 1.2, 0.45), (bold, 3.0, 1.0)):
        if not part:
            continue
        lines = data(part).mark_line(
            strokeWidth=width,
            opacity=opacity,
            invalid=BREAKS,
        )
        layer = lines.encode(
            along_points(),
            _y(),
            _colour(names),
            _dash(names),
            detail="line:N",
        )
        layers.append(layer)

    measured = [row for row in bold if row["m"] is not None]
    dots = data(measured).mark_point(
        filled=True,
        size=55,
        opacity=1,
        stroke="white",
        strokeWidth=1,
    )
    layers.append(dots.encode(along_points(), _y(), _colour(names)))
    return layers


def _band_layers(bands: dict[str, list[Interval]], names: Sequence[str]) -> list[alt.Chart]:
    import altair as alt

    layers = []
    for name, band in bands.items():
        rows = [BandRow(system=name, t=t, low=low, high=high) for t, low, high in band]
        has_band = [False, *(row["low"] is not None for row in rows), False]

        # A point between two gaps has no area; a line shows its interval.
        alone = []
        for i, row in enumerate(rows, start=1):
            if has_band[i] and not has_band[i - 1] and not has_band[i + 1]:
                alone.append(row)

        charts = [data(rows).mark_area(opacity=0.16, invalid=BREAKS)]
        if alone:
            charts.append(data(alone).mark_rule(opacity=0.3, strokeWidth=4))
        for chart in charts:
            layer = chart.encode(
                along_points(),
                _y("low"),
                alt.Y2("high:Q"),
                _colour(names),
            )
            layers.append(layer)
    return layers


def _half_level(card: Card) -> list[alt.Chart]:
    import altair as alt

    m0 = card.headline.m0.value
    if m0 is None or m0 <= 0:
        return []

    level = data([{"m": m0 / 2, "label": "half of m(0)"}]).encode(_y())
    text = level.mark_text(
        align="left",
        baseline="bottom",
        dx=5,
        dy=-4,
        fontSize=11,
        color=QUIET,
    )
    return [
        level.mark_rule(strokeDash=[6, 4], color=QUIET, strokeWidth=1.2),
        text.encode(x=alt.value(0), text="label:N"),
    ]


def _half_life_mark(card: Card) -> list[alt.Chart]:
    m0 = card.headline.m0.value
    half_life = card.headline.half_life.value
    if m0 is None or half_life is None:
        return []

    row = {
        "t": half_life,
        "m": m0 / 2,
        "label": f"half-life {half_life:.1f}",
    }
    at = data([row]).encode(along_points(), _y())
    # Kept off the right edge, where half-lives near the end of a life lie.
    late = half_life > 0.75 * max(float(card.n_sessions), half_life)
    label = partial(
        at.mark_text,
        align="right" if late else "left",
        dx=-12 if late else 12,
        dy=15,
        fontSize=12,
        fontWeight="bold",
    )
    halo = label(
        stroke="white",
        strokeWidth=4,
        strokeJoin="round",
        opacity=0.9,
    )
    diamond = at.mark_point(
        shape="diamond",
        size=170,
        filled=True,
        opacity=1,
        color=INK,
        stroke="white",
    )
    return [
        halo.encode(text="label:N"),
        label(color=INK).encode(text="label:N"),
        diamond,
    ]
