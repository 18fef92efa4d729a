"""The charts of a study: curves of systems, half-lives as a heat map, figures in pairs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.report.headline_words import headline_words
from agingbench.report.layout import number
from agingbench.report.pages.charts import (
    BREAKS,
    HEIGHT,
    INK,
    PageChart,
    TableCell,
    colours,
    layered,
    named_data,
    point_axis,
    share_axis,
)
from agingbench.report.series import Series, mean_curve

ROW_HEIGHT = 44
HEAD = 40


class HeatCell(msgspec.Struct, frozen=True):
    """The half-life of one model with one memory, as a number and in words.

    `shade` is where its colour lies between 0 and `length`; what was never lost by half has the
    deepest.
    """

    model: str
    memory: str
    value: float | None
    words: str
    shade: float | None
    length: float


def curves_chart(
    place: int, title: str, rows: Sequence[Series], systems: Sequence[str]
) -> PageChart:
    """The mean curve of each system under one condition; `systems` are those of the page."""
    curves = {one.label: mean_curve(one.cards) for one in rows}
    points = []
    table = []
    for label, curve in curves.items():
        for t, m in curve:
            points.append({"t": t, "m": m, "series": label})
            table.append([TableCell(label), TableCell(f"{t:g}"), TableCell(number(m))])
    end = max([1.0, *(float(point["t"]) for point in points)])  # type: ignore[arg-type]
    base = named_data(f"curves_{place}", points)
    words = headline_words(card for one in rows for card in one.cards)
    x, y = point_axis(end), share_axis("m", words.axis)
    colour = colours(list(curves), systems)
    layers = [
        base.mark_line(strokeWidth=2.2, invalid=BREAKS).encode(x, y, colour),
        base.mark_point(filled=True, size=45, opacity=1).encode(x, y, colour),
    ]
    note = "The mean over lives at each point."
    columns = ["system", "session", "share"]
    return PageChart(f"curves-{place}", title, note, layered(layers, HEIGHT), columns, table)


def half_life_chart(place: int, cells: Sequence[HeatCell]) -> PageChart:
    """Half-lives by model and memory."""
    import altair as alt

    rows = []
    table = []
    for cell in cells:
        row = {"model": cell.model, "memory": cell.memory, "value": cell.value}
        rows.append({**row, "words": cell.words, "shade": cell.shade})
        table.append([TableCell(cell.model), TableCell(cell.memory), TableCell(cell.words)])
    base = named_data(f"half_lives_{place}", rows).encode(
        alt.X("model:N", title="model", axis=alt.Axis(labelAngle=0)),
        alt.Y("memory:N", title="memory"),
    )
    longest = max(cell.length for cell in cells)
    scale = alt.Scale(domain=[0, longest], range=["$badbg", "$goodbg"])
    colour = alt.Color("shade:Q", scale=scale, legend=None)
    layers = [
        base.mark_rect(cornerRadius=2).encode(colour),
        base.mark_text(fontSize=13, color=INK).encode(text="words:N"),
    ]
    memories = len({cell.memory for cell in cells})
    height = HEAD + ROW_HEIGHT * memories
    title = "Half-life in sessions, by model and memory"
    note = "The median over lives; > means that half was not lost by then."
    columns = ["model", "memory", "half-life"]
    return PageChart(f"half-lives-{place}", title, note, layered(layers, height), columns, table)


class LifePairs(msgspec.Struct, frozen=True):
    """Two figures of each life that has both: its system and the two; and how many lives there are.

    `systems` are all systems of the page.
    """

    rows: list[tuple[str, float, float]]
    lives: int
    systems: list[str]


def scatter_chart(name: str, title: str, pairs: LifePairs, x: str, y: str) -> PageChart:
    """One figure of each life against another; one sentence where either is always the same."""
    import altair as alt

    rows = pairs.rows
    points = [{"series": label, "x": a, "y": b} for label, a, b in rows]
    labels = list(dict.fromkeys(label for label, _, _ in rows))
    dots = named_data(f"scatter_{name}", points).mark_point(filled=True, size=80, opacity=0.85)
    layer = dots.encode(
        alt.X("x:Q", title=x, axis=alt.Axis(format="%", tickCount=5)),
        alt.Y("y:Q", title=y, axis=alt.Axis(format="%", tickCount=5)),
        colours(labels, pairs.systems),
    )
    table = [[TableCell(label), TableCell(number(a)), TableCell(number(b))] for label, a, b in rows]
    columns = ["system", x, y]
    spec = layered([layer], HEIGHT)
    note = "Each dot is a life."
    names = {x: {a for _, a, _ in rows}, y: {b for _, _, b in rows}}
    same = [f"“{words}” is {number(min(v))}" for words, v in names.items() if len(v) == 1]
    if same:
        spec = {}
        note = f"{' and '.join(same)} in all lives: how the two go together cannot be seen."
    if len(rows) < pairs.lives:
        note += f" {len(rows)} of {pairs.lives} lives have both figures."
    return PageChart(f"scatter-{name}", title, note, spec, columns, table)


def dose_chart(
    dial: str, rows: Sequence[tuple[str, float, float]], systems: Sequence[str]
) -> PageChart:
    """What each system keeps as one dial is turned."""
    import altair as alt

    points = [{"series": label, "dose": dose, "kept": kept} for label, dose, kept in rows]
    labels = list(dict.fromkeys(label for label, _, _ in rows))
    base = named_data("dose", points)
    x = alt.X("dose:Q", title=dial)
    y = share_axis("kept", "share over the life")
    colour = colours(labels, systems)
    layers = [
        base.mark_line(strokeWidth=2).encode(x, y, colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(x, y, colour),
    ]
    table = []
    for label, dose, kept in rows:
        table.append([TableCell(label), TableCell(f"{dose:g}"), TableCell(number(kept))])
    title = f"What is kept as {dial} is turned"
    note = "Means over the lives of each condition; only this dial differs between them."
    return PageChart("dose", title, note, layered(layers, HEIGHT), ["system", dial, "share"], table)
