"""What audited agents took week by week, as one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agingbench.report.chart_frame import COLOURS, data
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

WIDTH = 560
HEIGHT = 220


def week_chart(rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Bars of dollars by week and project; of tokens where any week has no price."""
    import altair as alt

    priced = all(row["cost_usd"] is not None for row in rows)
    field, title = ("cost_usd", "US dollars") if priced else ("tokens", "tokens")
    shown = [{**row, "project": plain(row["project"])} for row in rows]
    names = sorted({row["project"] for row in shown})
    wheel = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    legend = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    scale = alt.Scale(domain=names, range=wheel)
    colour = alt.Color("project:N", scale=scale, legend=legend)
    bars = (
        data(shown)
        .mark_bar()
        .encode(alt.X("week:O", title="week of"), alt.Y(f"{field}:Q", title=title), colour)
    )
    chart: alt.Chart = bars.properties(width=WIDTH, height=HEIGHT)
    return chart
