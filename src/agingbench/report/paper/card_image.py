"""The Lifespan Card of a life as a picture: the answer, its figures, the curve, mechanisms."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from agingbench.cards.model import Card
from agingbench.report.chart_frame import COLOURS, FONT, INK, QUIET, data, event_layers
from agingbench.report.charts import BREAKS
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import in_words
from agingbench.report.pages.life import LifePage, life_page
from agingbench.report.paper.panels import Panel, point_estimates
from agingbench.report.paper.selection import mechanism_panel
from agingbench.report.series import by_series, condition
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

WIDTH = 640
TILE_HEIGHT = 62
CURVE_HEIGHT = 230
LINE_HEIGHT = 24
NAME_COLUMN = 120


def card_image(document: Mapping[str, Any]) -> alt.VConcatChart:
    """The card of a life as one chart, to be drawn as PNG, SVG or PDF."""
    import altair as alt

    card = Card.read(document)
    page = life_page(document, None)
    [series] = by_series([card])
    parts = [_tiles(page), _curve(card)]
    mechanisms = mechanism_panel(Panel("", {series.label: series}))
    if mechanisms.rows:
        parts.append(_mechanisms([msgspec.structs.asdict(row) for row in mechanisms.rows]))
    heading = alt.TitleParams(
        text=textwrap.wrap(page.answer.replace("\N{NO-BREAK SPACE}", " "), 62),
        subtitle=[
            f"{plain(card.sut.sut_id)} · {condition(card)}, seed {card.seed}",
            page.verdict[:110],
        ],
        anchor="start",
        fontSize=20,
        subtitleFontSize=12,
        subtitlePadding=8,
        subtitleColor=QUIET,
        color=INK,
        offset=18,
    )
    chart: alt.VConcatChart = (
        alt.vconcat(*parts, spacing=22)
        .properties(background="white", padding=24, title=heading)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            labelColor=INK,
            titleColor=QUIET,
            gridColor="#e6e6e6",
            domainColor="#888888",
            tickColor="#888888",
        )
        .configure_title(anchor="start", fontSize=13, color=INK, fontWeight="bold")
    )
    return chart


def _tiles(page: LifePage) -> alt.LayerChart:
    import altair as alt

    rows = []
    tiles = page.tiles
    for place, tile in enumerate(tiles):
        interval = "" if tile.interval == "–" else tile.interval
        row = {"x": place, "name": tile.name, "value": tile.value, "interval": interval}
        rows.append({key: _spaced(value) for key, value in row.items()})
    step = WIDTH / max(1, len(tiles))
    scale = alt.Scale(domain=[0, len(tiles)])
    base = data(rows).encode(alt.X("x:Q", axis=None, scale=scale))
    layers = []
    texts = (("name", 10, 11, QUIET), ("value", 34, 20, INK), ("interval", 54, 10, QUIET))
    for field, y, size, colour in texts:
        text = base.mark_text(
            align="left",
            fontSize=size,
            color=colour,
            fontWeight="bold" if field == "value" else "normal",
            limit=step - 8,
        )
        layers.append(text.encode(y=alt.value(y), text=f"{field}:N"))
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart.properties(width=WIDTH, height=TILE_HEIGHT)


def _spaced(value: object) -> object:
    # The fonts of a picture may lack the narrow signs of a page.
    return value.replace("\N{NO-BREAK SPACE}", " ") if isinstance(value, str) else value


def _curve(card: Card) -> alt.LayerChart:
    import altair as alt

    [series] = by_series([card])
    rows = []
    for t, point in point_estimates(series):
        rows.append({"t": t, "m": point.value, "low": point.low, "high": point.high})
    end = max([1.0, float(card.n_sessions), *(float(row["t"] or 0) for row in rows)])
    axis = alt.Axis(tickMinStep=1, format="d", grid=False, tickCount=10)
    x = alt.X("t:Q", title="session", axis=axis, scale=alt.Scale(domain=[0, end], nice=False))
    share = alt.Axis(format="%", tickCount=5)
    unit = alt.Scale(domain=[0, 1])
    words = headline_words([card]).axis
    y = alt.Y("m:Q", title=words, axis=share, scale=unit)
    low = alt.Y("low:Q", title=words, axis=share, scale=unit)
    base = data(rows)
    layers = event_layers([card]) if rows else []
    layers += [
        base.mark_area(opacity=0.15, color=COLOURS[0], invalid=BREAKS).encode(
            x, low, alt.Y2("high:Q")
        ),
        base.mark_line(strokeWidth=2.5, color=COLOURS[0], invalid=BREAKS).encode(x, y),
        data([row for row in rows if row["m"] is not None])
        .mark_point(filled=True, size=60, opacity=1, color=COLOURS[0])
        .encode(x, y),
    ]
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart.properties(width=WIDTH, height=CURVE_HEIGHT)


def _mechanisms(rows: list[dict[str, object]]) -> alt.LayerChart:
    import altair as alt

    shown = [{**row, "name": in_words(str(row["name"]))} for row in rows]
    lines = list(dict.fromkeys(str(row["name"]) for row in shown))
    y = alt.Y("name:N", title=None, sort=lines, axis=alt.Axis(labelLimit=NAME_COLUMN))
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", tickCount=5)
    measured = [row for row in shown if row["low"] is not None and row["high"] is not None]
    layers = [
        data(measured)
        .mark_rule(strokeWidth=3, opacity=0.35, color=COLOURS[0])
        .encode(alt.X("low:Q", title=None, scale=scale, axis=axis), alt.X2("high:Q"), y),
        data([row for row in shown if row["value"] is not None])
        .mark_point(filled=True, size=60, opacity=1, color=COLOURS[0])
        .encode(alt.X("value:Q", title=None, scale=scale, axis=axis), y),
    ]
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart.properties(
        width=WIDTH,
        height=LINE_HEIGHT * len(lines),
        title="Mechanisms, with 95 % intervals",
    )
