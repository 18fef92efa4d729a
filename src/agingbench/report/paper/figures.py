"""Figures for papers: one panel per condition, one legend, sizes in points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from agingbench.errors import InputError
from agingbench.report.chart_frame import COLOURS, FONT, INK, QUIET, data, event_layers
from agingbench.report.charts import BREAKS, DASHES
from agingbench.report.paper.panels import Panel, point_estimates
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

WIDTH = 504.0  # points: the text of a page with two columns
NARROWEST = 120.0
BESIDE_PANEL = 52  # points that axis, labels and gap take beside a panel
PANEL_RATIO = 0.72
ROW_HEIGHT = 15
GROUP_GAP = 10
MOST_BANDS = 4  # more bands in a panel would hide each other
LEAST_LIVES = 3  # the interval over two lives reaches from 0 to 1
EVENT_FONT = 7
LEGEND_ENTRY = 5.2  # points that a character of a legend takes
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


class DotRow(msgspec.Struct, frozen=True):
    """A figure of one system with its interval, in the line `name` of a panel."""

    name: str
    system: str
    value: float | None
    low: float | None
    high: float | None


class DotPanel(msgspec.Struct, frozen=True):
    """Figures of several systems side by side."""

    title: str
    rows: list[DotRow]


class Look(msgspec.Struct, frozen=True):
    """The size of a figure and the systems that its one legend names."""

    names: list[str]
    width: float
    columns: int

    @property
    def panel_width(self) -> float:
        """The width of the plot of one panel."""
        return max(NARROWEST, self.width / self.columns - BESIDE_PANEL)


def look_of(names: Sequence[str], panels: int, width: float, columns: int | None) -> Look:
    """The size of a figure; raises InputError where its panels would be too narrow to read."""
    chosen = columns or min(3, panels)
    if width / chosen < NARROWEST:
        raise InputError(
            f"{chosen} panels beside each other in {width:g} points are too narrow; give --columns"
            f" {max(1, int(width // NARROWEST))} or a larger --width"
        )
    return Look(list(dict.fromkeys(names)), width, min(chosen, panels))


# -- curves


def curve_figure(
    panels: Sequence[Panel], width: float = WIDTH, columns: int | None = None
) -> alt.ConcatChart:
    """The mean curve of each system in each panel, with its 95 % interval where there is room."""
    names = [name for panel in panels for name in panel.systems]
    look = look_of(names, len(panels), width, columns)
    return _joined([_curve_panel(panel, look) for panel in panels], look)


def curve_points(panel: Panel) -> list[dict[str, Any]]:
    """The points of a panel's curves with their intervals."""
    rows = []
    for name, series in panel.systems.items():
        for t, estimate in point_estimates(series):
            row = {"system": name, "t": t, "m": estimate.value}
            rows.append({**row, "low": estimate.low, "high": estimate.high})
    return rows


def _curve_panel(panel: Panel, look: Look) -> alt.LayerChart:
    import altair as alt

    cards = [card for series in panel.systems.values() for card in series.cards]
    rows = curve_points(panel)
    end = max([1.0, *(float(card.n_sessions) for card in cards), *(row["t"] for row in rows)])
    x = alt.X(
        "t:Q",
        title="session",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False, tickCount=6),
    )
    y = _share_axis("m", "right")

    layers: list[alt.Chart] = []
    if any(row["m"] is not None for row in rows):
        layers += event_layers(cards, EVENT_FONT, look.panel_width)
    if len(panel.systems) <= MOST_BANDS:
        layers += _spread_layers(panel, rows, x, look)
    lines = data(rows).mark_line(strokeWidth=1.6, invalid=BREAKS)
    layers.append(lines.encode(x, y, _colour(look), _dash(look)))
    measured = [row for row in rows if row["m"] is not None]
    dots = data(measured).mark_point(filled=True, size=22, opacity=1)
    layers.append(dots.encode(x, y, _colour(look), _shape(look)))
    height = PANEL_RATIO * look.panel_width
    return _titled(layers, panel.title, look.panel_width, height)


def _spread_layers(
    panel: Panel, rows: Sequence[Mapping[str, Any]], x: alt.X, look: Look
) -> list[alt.Chart]:
    """A band where an interval says something, and thin lines of the lives where they are few."""
    import altair as alt

    few = {name for name, series in panel.systems.items() if 1 < len(series.cards) < LEAST_LIVES}
    layers = []
    banded = [row for row in rows if row["system"] not in few and row["low"] is not None]
    if banded:
        band = data(banded).mark_area(opacity=0.14, invalid=BREAKS)
        y = _share_axis("low", "right")
        layers.append(band.encode(x, y, alt.Y2("high:Q"), _colour(look)))

    single = []
    for name in few:
        for place, card in enumerate(panel.systems[name].cards):
            for t, m in card.checkpoints:
                single.append({"system": name, "life": place, "t": t, "m": m})
    if single:
        thin = data(single).mark_line(strokeWidth=0.7, opacity=0.45, invalid=BREAKS)
        y = _share_axis("m", "right")
        layers.append(thin.encode(x, y, _colour(look), detail=["system:N", "life:N"]))
    return layers


# -- figures with intervals


def dot_figure(
    panels: Sequence[DotPanel], axis: str, width: float = WIDTH, columns: int | None = None
) -> alt.ConcatChart:
    """Figures as dots with their intervals, one line per system."""
    names = [row.system for panel in panels for row in panel.rows]
    look = look_of(names, len(panels), width, columns)
    return _joined([_dot_panel(panel, axis, look) for panel in panels], look)


def _dot_panel(panel: DotPanel, axis: str, look: Look) -> alt.LayerChart:
    import altair as alt

    rows = [msgspec.structs.asdict(row) for row in panel.rows if row.value is not None]
    lines = list(dict.fromkeys(row.name for row in panel.rows))
    y = alt.Y("name:N", title=None, sort=lines, axis=alt.Axis(labelLimit=150))
    shift = alt.YOffset("system:N", sort=look.names)
    bounds = [row["low"] for row in rows] + [row["value"] for row in rows]
    lowest = min((bound for bound in bounds if bound is not None), default=0.0)
    scale = alt.Scale(domain=[0, 1]) if lowest >= 0 else alt.Scale(nice=True)
    x = alt.X("value:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5, format=".1f"))
    intervals = data([row for row in rows if row["low"] is not None and row["high"] is not None])
    layers = [
        intervals.mark_rule(strokeWidth=1.4).encode(
            alt.X("low:Q", title=axis, scale=scale),
            alt.X2("high:Q"),
            y,
            shift,
            _colour(look),
        ),
        data(rows)
        .mark_point(filled=True, size=34, opacity=1)
        .encode(x, y, shift, _colour(look), _shape(look)),
    ]
    height = len(lines) * (ROW_HEIGHT * max(1, len(look.names)) + GROUP_GAP)
    return _titled(layers, panel.title, look.panel_width, height)


# -- weeks of audited projects


def week_figure(
    rows: Sequence[Mapping[str, Any]], width: float = WIDTH, columns: int | None = None
) -> alt.ConcatChart:
    """What each week cost, one panel per project; tokens where a week has no price."""
    import altair as alt

    priced = all(row["cost_usd"] is not None for row in rows)
    field, title = ("cost_usd", "US dollars") if priced else ("tokens", "tokens")
    projects = list(dict.fromkeys(str(row["project"]) for row in rows))
    look = look_of([], len(projects), width, columns)
    all_weeks = sorted({str(row["week"]) for row in rows})
    charts = []
    for project in projects:
        weeks = [dict(row) for row in rows if row["project"] == project]
        bars = data(weeks).mark_bar(color=COLOURS[0])
        chart = bars.encode(
            alt.X(
                "week:O",
                title="week of",
                scale=alt.Scale(domain=all_weeks),
                axis=alt.Axis(labelAngle=-60, labelOverlap=True),
            ),
            alt.Y(f"{field}:Q", title=title, axis=alt.Axis(tickCount=5, format="~s")),
        )
        height = PANEL_RATIO * look.panel_width
        charts.append(_titled([chart], plain(project), look.panel_width, height))
    return _joined(charts, look)


# -- the frame


def _share_axis(field: str, title: str) -> alt.Y:
    import altair as alt

    axis = alt.Axis(format=".1f", tickCount=5)
    return alt.Y(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))


def _legend(look: Look) -> alt.Legend | None:
    import altair as alt

    if len(look.names) < 2:
        return None
    longest = max(len(name) for name in look.names)
    columns = max(1, math.floor(look.width / (LEGEND_ENTRY * longest + 34)))
    return alt.Legend(title=None, orient="bottom", columns=min(columns, len(look.names)))


def _colour(look: Look) -> alt.Color:
    import altair as alt

    wheel = [COLOURS[i % len(COLOURS)] for i in range(len(look.names))]
    scale = alt.Scale(domain=look.names, range=wheel)
    return alt.Color("system:N", scale=scale, legend=_legend(look))


def _dash(look: Look) -> alt.StrokeDash:
    import altair as alt

    # The dash changes whenever the colours begin again, the shape whenever the dashes do.
    dashes = [DASHES[i // len(COLOURS) % len(DASHES)] for i in range(len(look.names))]
    scale = alt.Scale(domain=look.names, range=dashes)
    return alt.StrokeDash("system:N", scale=scale, legend=_legend(look))


def _shape(look: Look) -> alt.Shape:
    import altair as alt

    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(look.names))]
    scale = alt.Scale(domain=look.names, range=shapes)
    return alt.Shape("system:N", scale=scale, legend=_legend(look))


def _titled(layers: Sequence[alt.Chart], title: str, width: float, height: float) -> alt.LayerChart:
    import altair as alt

    heading = alt.TitleParams(text=plain(title), anchor="start", frame="group", limit=width + 40)
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart.properties(width=width, height=height, title=heading)


def _joined(charts: Sequence[alt.LayerChart], look: Look) -> alt.ConcatChart:
    import altair as alt

    whole: alt.ConcatChart = (
        alt.concat(*charts, columns=look.columns, spacing=14)
        .resolve_scale(color="shared", shape="shared", strokeDash="shared")
        .properties(background="white", padding=4)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_title(fontSize=9, fontWeight="bold", color=INK, offset=6)
        .configure_axis(
            labelFontSize=8,
            titleFontSize=8,
            titleFontWeight="normal",
            labelColor=INK,
            titleColor=INK,
            gridColor="#e6e6e6",
            gridWidth=0.5,
            domainColor="#888888",
            tickColor="#888888",
            tickSize=3,
            labelFlush=False,
            titlePadding=4,
        )
        .configure_text(fontSize=7, color=QUIET)
        .configure_legend(
            labelFontSize=8,
            labelLimit=look.width,
            symbolSize=50,
            symbolOpacity=1,
            symbolStrokeWidth=1.6,
            columnPadding=12,
            rowPadding=2,
            offset=8,
        )
    )
    return whole
