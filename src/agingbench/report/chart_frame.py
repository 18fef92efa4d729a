"""What all charts share: size, colours, the house style, marks of events, and their files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from agingbench.cards.model import Card
from agingbench.report.series import events
from agingbench.traces.files import write_atomic

if TYPE_CHECKING:
    import altair as alt

AnyChart = Union["alt.LayerChart", "alt.ConcatChart", "alt.VConcatChart"]
ImageKind = Literal["png", "svg", "pdf"]

WIDTH = 640
HEIGHT = 360
SCALE = 2
FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"
INK = "#222222"
QUIET = "#5f6368"
NAME_WIDTH = 160
EVENT_FONT = 11
# Okabe and Ito's palette without yellow, which is hard to see on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


class EventRow(TypedDict):
    """The events at one point."""

    t: int
    label: str


def save_chart(chart: AnyChart, png: Path | None, svg: Path | None) -> None:
    """Draw a chart into the files named."""
    if png is not None:
        write_atomic(png, drawing(chart, "png"))
    if svg is not None:
        write_atomic(svg, drawing(chart, "svg"))


def drawing(chart: AnyChart, kind: ImageKind) -> bytes:
    """A chart as the bytes of an image; PDF and SVG hold its text as text."""
    import vl_convert

    # Nothing is ever loaded: all data stand in the chart.
    # Any: the three calls take the same options, which their stubs type one by one.
    options: dict[str, Any] = {"vl_version": grammar_version(), "allowed_base_urls": []}
    spec = chart.to_dict()
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=SCALE, **options))
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, **options))
    svg: str = vl_convert.vegalite_to_svg(spec, **options)
    return svg.encode()


def framed(layers: Sequence[alt.Chart], title: str, subtitle: Sequence[str]) -> alt.LayerChart:
    """Layers as one chart in the house style."""
    import altair as alt

    chart: alt.LayerChart = (
        alt.layer(*layers)
        .properties(
            width=WIDTH,
            height=HEIGHT,
            background="white",
            padding=16,
            title=alt.TitleParams(
                text=title,
                subtitle=list(subtitle),
                anchor="start",
                frame="group",
                fontSize=17,
                subtitleFontSize=12,
                subtitleColor=QUIET,
                color=INK,
                offset=14,
                subtitlePadding=6,
                limit=WIDTH,
            ),
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12,
            titleFontSize=13,
            titleFontWeight="normal",
            labelColor=INK,
            titleColor=INK,
            gridColor="#e6e6e6",
            domainColor="#888888",
            tickColor="#888888",
            titlePadding=10,
        )
        .configure_legend(
            orient="bottom",
            direction="vertical",
            columns=1,
            labelFontSize=12,
            labelLimit=WIDTH - 40,
            labelColor=INK,
            symbolType="stroke",
            symbolSize=400,
            symbolOpacity=1,
            symbolStrokeWidth=3,
            offset=12,
            title=None,
        )
    )
    return chart


def data(rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    """A chart over these rows, which are written into it."""
    import altair as alt

    return alt.Chart(alt.InlineData(values=list(rows)))


def along_points(**options: Any) -> alt.X:
    """The horizontal axis of a chart over the points of a life."""
    import altair as alt

    return alt.X("t:Q", **options)


def event_layers(
    cards: Sequence[Card], font_size: int = EVENT_FONT, width: float = WIDTH
) -> list[alt.Chart]:
    """A rule per point at which something was done to the memory, with the names above the plot."""
    import altair as alt

    distinct: dict[str, None] = {}
    for card in cards:
        distinct.update(dict.fromkeys(events(card)))

    by_point: dict[int, list[str]] = {}
    for event in distinct:
        match = re.search(r"@(\d{1,9})(?=$|:)", event)
        if match:
            name = event[: match.start()] + event[match.end() :]
            by_point.setdefault(int(match[1]), []).append(name)
    if not by_point:
        return []

    rows = [EventRow(t=t, label=", ".join(names)) for t, names in sorted(by_point.items())]
    rules = data(rows).mark_rule(color=QUIET, strokeWidth=1.2, strokeDash=[2, 3])
    layers = [rules.encode(along_points())]

    # The second height is for names that would lie on their left neighbour.
    end = max(float(card.n_sessions) for card in cards)
    name_width = min(NAME_WIDTH, width / 2)
    name_span = end * name_width / width
    low: list[EventRow] = []
    high: list[EventRow] = []
    for row in rows:
        near = bool(low) and row["t"] - low[-1]["t"] < name_span
        if near:
            high.append(row)
        else:
            low.append(row)

    for part, dy in ((low, -font_size / 2), (high, -2 * font_size + 2)):
        if not part:
            continue
        text = data(part).mark_text(
            baseline="bottom",
            fontSize=font_size,
            color=QUIET,
            dy=dy,
            limit=name_width,
        )
        layers.append(text.encode(along_points(), y=alt.value(0), text="label:N"))
    return layers


def notice(text: str) -> alt.Chart:
    """A text in the middle of the plot."""
    import altair as alt

    chart: alt.Chart = data([{"label": text}]).mark_text(fontSize=18, color=QUIET)
    return chart.encode(
        x=alt.value(WIDTH / 2),
        y=alt.value(HEIGHT / 2),
        text="label:N",
    )


def grammar_version() -> str:
    """The version of Vega-Lite that altair speaks, as vl-convert names it."""
    import altair as alt

    major, minor = alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2]
    return f"{major}.{minor}"
