"""Charts for a page: Vega-Lite without colours of its own, and the same numbers as a table.

A colour that begins with $ names a variable of the page's style sheet, so that charts follow the
reader's light or dark screen. Every dataset has a name under which the page can be asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from agingbench.cards.model import Card
from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.diagnosis import STAGES, LifeDiagnosis
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, number
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 300
LOW = 220
WIDEST_LEGEND = 45  # characters of names that stand beside each other
INK = "$ink"
QUIET = "$quiet"
PAPER = "$paper"
# The colours of the style sheet, in the order in which series take them.
SERIES = ("$c1", "$c2", "$c3", "$c4", "$c5", "$c6", "$c7")
BREAKS: Final = "break-paths-show-path-domains"  # what a line does where a value is missing
STAGE_COLOURS = {"utilization": "$c4", "write": "$c1", "retrieval": "$c2", "write+retrieval": "$c5"}


class TableCell(msgspec.Struct, frozen=True):
    """One cell of a table, with the place in the page that it leads to."""

    text: str
    link: str = ""


class PageChart(msgspec.Struct, frozen=True):
    """A chart with the sentence it proves, how it is read, and its numbers.

    Where there is nothing to draw the specification is empty, and the note says why.
    """

    id: str
    title: str
    note: str
    spec: dict[str, Any]
    columns: list[str]
    rows: list[list[TableCell]]


def named_data(name: str, rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    """A chart over rows that the page can be asked for by name."""
    import altair as alt

    return alt.Chart(alt.InlineData(values=list(rows), name=name))


def layered(layers: Sequence[alt.Chart], height: int = HEIGHT) -> dict[str, Any]:
    """Layers as one specification that is as wide as its place."""
    import altair as alt

    chart = alt.layer(*layers).properties(width="container", height=height)
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)  # the page has its own
    return spec


def colours(names: Sequence[str], among: Sequence[str] = (), **options: Any) -> alt.Color:
    """One colour of the style sheet per name, for the field `series`.

    `among` are all names of a page, so that a name has one colour in all of its charts.
    """
    import altair as alt

    order = list(dict.fromkeys([*among, *names]))
    wheel = [SERIES[order.index(name) % len(SERIES)] for name in names]
    scale = alt.Scale(domain=list(names), range=wheel)
    is_long = sum(len(name) for name in names) > WIDEST_LEGEND
    columns = 1 if is_long else 0
    legend = alt.Legend(title=None, orient="top", labelLimit=320, columns=columns)
    options.setdefault("legend", legend)
    return alt.Color("series:N", scale=scale, **options)


def point_axis(end: float, title: str = "session") -> alt.X:
    """The horizontal axis along the points of a life."""
    import altair as alt

    axis = alt.Axis(tickMinStep=1, format="d", grid=False, tickCount=12)
    return alt.X("t:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, end], nice=False))


def share_axis(field: str, title: str | None) -> alt.Y:
    """The vertical axis of a share, from 0 to 1."""
    import altair as alt

    axis = alt.Axis(format="%", tickCount=5)
    return alt.Y(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))


# -- the curve of a life


def curve_chart(card: Card, title: str, events: Mapping[int, str]) -> PageChart:
    """The headline figure at each point, with its interval, the bounds and the events."""
    import altair as alt

    words = headline_words([card])
    rows = curve_rows(card)
    end = max([float(card.n_sessions), *(row["t"] for row in rows)])
    x = point_axis(end)
    band = named_data("band", [row for row in rows if row["low"] is not None])
    layers = [
        band.mark_area(opacity=0.18, color=SERIES[0], invalid=BREAKS).encode(
            x, share_axis("low", words.axis), alt.Y2("high:Q")
        )
    ]
    layers += _bound_layers(card) + _event_layers(events, x)
    base = named_data("curve", rows)
    layers.append(
        base.mark_line(strokeWidth=2.5, color=SERIES[0], invalid=BREAKS).encode(
            x, share_axis("m", words.axis)
        )
    )
    dots = named_data("points", [row for row in rows if row["m"] is not None])
    tooltip = [
        alt.Tooltip("t:Q", title="session"),
        alt.Tooltip("m:Q", title="share", format=".1%"),
        alt.Tooltip("low:Q", title="from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
    ]
    mark = dots.mark_point(
        filled=True,
        size=110,
        opacity=1,
        color=SERIES[0],
        stroke=PAPER,
        strokeWidth=1.5,
        cursor="pointer",
    )
    layers.append(mark.encode(x, share_axis("m", None), tooltip=tooltip))
    layers += _half_life_layers(card, x)

    table = []
    for row in rows:
        t = int(row["t"])
        interval = MISSING
        if row["low"] is not None:
            interval = f"{number(row['low'])} to {number(row['high'])}"
        cells = [TableCell(str(t), row["at"]), TableCell(number(row["m"])), TableCell(interval)]
        table.append([*cells, TableCell(events.get(t, ""))])
    note = (
        f"Each point is the share {words.share} at that point; the band is its 95 % interval."
        " Select a point to open that session."
    )
    columns = ["session", "share", "95 % interval", "event"]
    return PageChart("curve", title, note, layered(layers), columns, table)


def curve_rows(card: Card) -> list[dict[str, Any]]:
    """The points of a life's curve with their intervals, as the chart holds them."""
    bounds = {}
    for t, low, high, _ in card.others.get("checkpoint_intervals") or []:
        bounds[t] = (low, high)
    rows = []
    for t, m in card.checkpoints:
        low, high = bounds.get(t, (None, None))
        rows.append({"t": t, "m": m, "low": low, "high": high, "at": f"s-{int(t)}"})
    return rows


def _bound_layers(card: Card) -> list[alt.Chart]:
    import altair as alt

    rows = []
    for name, label in (("floor", "floor: no memory"), ("ceiling", "ceiling: whole history")):
        value = card.headline.figure(name).value
        if value is not None:
            rows.append({"m": value, "label": label})
    if not rows:
        return []
    base = named_data("bounds", rows).encode(share_axis("m", None))
    text = base.mark_text(align="right", baseline="bottom", dx=-4, dy=-9, color=QUIET)
    return [
        base.mark_rule(strokeDash=[5, 4], color=QUIET),
        text.encode(x=alt.value("width"), text="label:N"),
    ]


def _event_layers(events: Mapping[int, str], x: alt.X) -> list[alt.Chart]:
    import altair as alt

    if not events:
        return []
    rows = [{"t": t, "label": label, "at": f"s-{t}"} for t, label in sorted(events.items())]
    base = named_data("events", rows).encode(x)
    text = base.mark_text(align="left", baseline="top", dx=5, color=SERIES[1], limit=180)
    return [
        base.mark_rule(strokeDash=[2, 3], color=SERIES[1], strokeWidth=1.5),
        text.encode(y=alt.value(2), text="label:N"),
    ]


def _half_life_layers(card: Card, x: alt.X) -> list[alt.Chart]:
    m0 = card.headline.m0.value
    half_life = card.headline.half_life.value
    if m0 is None or half_life is None:
        return []
    row = {"t": half_life, "m": m0 / 2, "label": f"half gone at {half_life:.1f}"}
    base = named_data("half_life", [row]).encode(x, share_axis("m", None))
    late = half_life > 0.7 * card.n_sessions
    align: Literal["left", "right"] = "right" if late else "left"
    dx = -10 if late else 10
    # The label may lie on the line of an event: a rim in the colour of the paper keeps it legible.
    rim = base.mark_text(align=align, dx=dx, color=PAPER, stroke=PAPER, strokeWidth=5)
    text = base.mark_text(align=align, dx=dx, color=INK)
    diamond = base.mark_point(shape="diamond", size=140, filled=True, opacity=1, color=INK)
    return [diamond, rim.encode(text="label:N"), text.encode(text="label:N")]


# -- the diagnosis


STAGE_NOTE = (
    "Shares of the questions of each session, measured by asking them again. Retrieval: right once"
    " the right pieces of its own memory were given. Write: right only once the facts themselves"
    " were given in place of what its memory has. Utilization: wrong even then. The causes below"
    " are another measure: they read in the files where each fact was. A fact that stands in the"
    " memory in words that the model cannot use counts as write here, and as utilization there."
)


def stage_chart(diagnosis: LifeDiagnosis, title: str) -> PageChart:
    """Which stage lost the answers of each session, as stacked shares."""
    import altair as alt

    stages = {key: stage for key, stage, *_ in STAGES}
    rows = []
    table = []
    shown = [key for key in stages if any(key in c.share_values() for c in diagnosis.sessions)]
    for cell in diagnosis.sessions:
        shares = cell.share_values()
        at = f"s-{cell.t}"
        for order, key in enumerate(shown):
            if key in shares:
                row = {"t": cell.t, "series": stages[key], "share": shares[key]}
                rows.append({**row, "order": order, "at": at})
        shares_cells = [TableCell(number(shares.get(key))) for key in shown]
        table.append([TableCell(str(cell.t), at), *shares_cells])

    names = [stages[key] for key in shown]
    scale = alt.Scale(domain=names, range=[STAGE_COLOURS[name] for name in names])
    legend = alt.Legend(title=None, orient="top")
    bars = named_data("stages", rows).mark_bar(cornerRadius=1)
    layer = bars.encode(
        alt.X("t:O", title="session", axis=alt.Axis(labelAngle=0)),
        alt.Y("share:Q", title="of the questions", axis=alt.Axis(format="%", tickCount=5)),
        alt.Color("series:N", scale=scale, legend=legend),
        order="order:Q",
        tooltip=["t:O", "series:N", alt.Tooltip("share:Q", format=".1%")],
    )
    note = STAGE_NOTE
    return PageChart("stages", title, note, layered([layer], LOW), ["session", *names], table)


# -- accounts and cost


def account_chart(number_of: int, name: str, readings: Sequence[AccountReading]) -> PageChart:
    """What an account held and what the agent said it held."""
    import altair as alt

    rows: list[dict[str, Any]] = []
    table = []
    told = 0
    for reading in readings:
        at = f"s-{reading.t}"
        rows.append({"t": reading.t, "series": "true", "amount": reading.gold, "at": at})
        said = MISSING
        if reading.said is not None:
            told += 1
            said = f"{reading.said:,.0f}"
            rows.append({"t": reading.t, "series": "said", "amount": reading.said, "at": at})
        table.append(
            [TableCell(str(reading.t), at), TableCell(f"{reading.gold:,.0f}"), TableCell(said)]
        )

    end = max(reading.t for reading in readings)
    axis = alt.Y("amount:Q", title=None, axis=alt.Axis(format=",.0f", tickCount=5))
    base = named_data(f"account_{number_of}", rows)
    colour = colours(["true", "said"])
    layers = [
        base.mark_line(strokeWidth=2).encode(point_axis(end), axis, colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(point_axis(end), axis, colour),
    ]
    right = sum(reading.said == reading.gold for reading in readings)
    title = f"{plain(name).capitalize()}: right {right} of {len(readings)} times it was asked"
    note = "What the account held, and the amount that the agent named."
    if told < len(readings):
        note += f" {len(readings) - told} answers named no amount."
    spec = layered(layers, LOW)
    if not told:
        note = "No answer named an amount, so there is nothing to set beside what it held."
        spec = {}
    columns = ["session", "true", "said"]
    return PageChart(f"account-{number_of}", title, note, spec, columns, table)


def token_chart(rows: Sequence[tuple[int, int, int]], title: str) -> PageChart:
    """The tokens that each session took, with the questions that were asked there."""
    import altair as alt

    data_rows = []
    for t, spent_in, spent_out in rows:
        for series, spent in (("read", spent_in), ("written", spent_out)):
            data_rows.append({"t": t, "series": series, "tokens": spent, "at": f"s-{t}"})
    bars = named_data("tokens", data_rows).mark_bar(cornerRadius=1)
    layer = bars.encode(
        alt.X("t:O", title="session", axis=alt.Axis(labelAngle=0)),
        alt.Y("tokens:Q", title="tokens", axis=alt.Axis(format="~s", tickCount=5)),
        colours(["read", "written"]),
    )
    table = []
    for t, spent_in, spent_out in rows:
        table.append(
            [TableCell(str(t), f"s-{t}"), TableCell(f"{spent_in:,}"), TableCell(f"{spent_out:,}")]
        )
    note = "Tokens that the model read and wrote while it lived the session and was asked."
    columns = ["session", "read", "written"]
    return PageChart("tokens", title, note, layered([layer], LOW), columns, table)
