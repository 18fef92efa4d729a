"""The charts of resumption runs: components with intervals, κ, and quality against tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from agingbench.report.layout import MISSING, number
from agingbench.report.pages.charts import (
    INK,
    LOW,
    QUIET,
    SERIES,
    PageChart,
    TableCell,
    colours,
    layered,
    named_data,
)

ROW = 30
HEAD = 50
GATE = 0.6  # κ below which no number is published


class IntervalRow(msgspec.Struct, frozen=True):
    """A value with its interval, of one series."""

    name: str
    series: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None


class ParetoRow(msgspec.Struct, frozen=True):
    """One run: its tokens and its quality, and whether no other beats it in both."""

    run: str
    tokens: float
    quality: float
    low: float | None
    high: float | None
    n: int
    front: bool


def component_chart(rows: Sequence[IntervalRow], title: str) -> PageChart:
    """The components of a run by group of episodes."""
    return _interval_chart("components", rows, title, "share, 95 % interval", (0.0, 1.0), None)


def kappa_chart(rows: Sequence[IntervalRow], title: str) -> PageChart:
    """How well the judge agrees with the reference grades, per component and domain."""
    lowest = min([0.0, *(row.low for row in rows if row.low is not None)])
    note_axis = f"κ, 95 % interval; the gate is at {GATE:g}"
    return _interval_chart("kappa", rows, title, note_axis, (max(-1.0, lowest), 1.0), GATE)


def _interval_chart(
    name: str,
    rows: Sequence[IntervalRow],
    title: str,
    axis_title: str,
    domain: tuple[float, float],
    gate: float | None,
) -> PageChart:
    import altair as alt

    data = []
    table = []
    for row in rows:
        if row.value is not None:
            point = {"name": row.name, "series": row.series, "value": row.value}
            data.append({**point, "low": row.low, "high": row.high, "n": row.n})
        interval = MISSING
        if row.low is not None and row.high is not None:
            interval = f"{number(row.low)} to {number(row.high)}"
        n = MISSING if row.n is None else str(row.n)
        texts = [row.name, row.series, number(row.value), interval, n]
        table.append([TableCell(text) for text in texts])

    known = [row for row in rows if row.value is not None]
    names = list(dict.fromkeys(row.name for row in known))
    series = list(dict.fromkeys(row.series for row in known))
    scale = alt.Scale(domain=list(domain), nice=False)
    y = alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=260))
    offset = alt.YOffset("series:N", sort=series)
    base = named_data(name, data).encode(y, offset, colours(series))
    x = alt.X("value:Q", title=axis_title, scale=scale, axis=alt.Axis(tickCount=5))
    span = alt.X("low:Q", title=axis_title, scale=scale)
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.55).encode(span, alt.X2("high:Q")),
        base.mark_point(filled=True, size=80, opacity=1).encode(x),
    ]
    if gate is not None:
        line = named_data(f"{name}_gate", [{"value": gate}]).mark_rule(
            strokeDash=[5, 4], color=QUIET
        )
        layers.append(line.encode(alt.X("value:Q", scale=scale, title=axis_title)))
    height = HEAD + ROW * len(names) * max(1, len(series)) // 2 + ROW
    note = "The dot is the value, the line its 95 % interval."
    columns = ["figure", "of", "value", "95 % interval", "n"]
    return PageChart(name, title, note, layered(layers, height), columns, table)


def pareto_chart(rows: Sequence[ParetoRow], title: str) -> PageChart:
    """Quality against context tokens; runs on the front are joined."""
    import altair as alt

    data: list[dict[str, Any]] = []
    table = []
    for row in sorted(rows, key=lambda one: one.tokens):
        data.append(msgspec.to_builtins(row))
        interval = MISSING
        if row.low is not None and row.high is not None:
            interval = f"{number(row.low)} to {number(row.high)}"
        front = "yes" if row.front else "no"
        texts = [row.run, f"{row.tokens:,.0f}", number(row.quality), interval, str(row.n), front]
        table.append([TableCell(text) for text in texts])

    base = named_data("pareto", data)
    front_rows = [row for row in data if row["front"]]
    x = alt.X("tokens:Q", title="context tokens", axis=alt.Axis(format="~s", tickCount=6))
    y = alt.Y("quality:Q", title="quality", scale=alt.Scale(domain=[0, 1]))
    colour = alt.Color(
        "front:N",
        scale=alt.Scale(domain=[True, False], range=[SERIES[0], QUIET]),
        legend=None,
    )
    label = base.mark_text(align="left", dx=9, dy=-6, color=INK, limit=220)
    layers = [
        named_data("front", front_rows).mark_line(color=SERIES[0], strokeWidth=1.5).encode(x, y),
        base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(
            x, alt.Y("low:Q", title="quality"), alt.Y2("high:Q"), colour
        ),
        base.mark_point(filled=True, size=110, opacity=1).encode(x, y, colour),
        label.encode(x, y, text="run:N"),
    ]
    note = (
        "Each dot is a run over the episodes that it scored; no other run is better and cheaper"
        " than those on the line."
    )
    columns = ["run", "tokens", "quality", "95 % interval", "n", "on the front"]
    return PageChart("pareto", title, note, layered(layers, LOW + ROW * 2), columns, table)
