"""Aging curves as PNG and SVG, drawn from cards alone; equal cards give equal bytes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agingbench.report import Card, Series, by_series, condition, events, half_life_words, mean_curve, plain
from agingbench.traces.files import write_atomic

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT, SCALE = 640, 360, 2
FONT = "DejaVu Sans, Liberation Sans, Arial, sans-serif"
INK, QUIET = "#222222", "#5f6368"
LISTED_SEEDS = 8
# Okabe and Ito's palette without yellow, which is hard to see on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# Beyond seven systems colours repeat; the dashes tell them apart.
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def draw_curve(cards: Sequence[Card], png: Path | None, svg: Path | None, title: str | None = None) -> None:
    """Draw m(t) of one or more lives into the files named: one colour per system, thin lives and a bold mean."""
    import vl_convert

    spec = curve_chart(cards, title).to_dict()
    # Nothing is ever loaded: all data stand in the chart.
    options: dict[str, Any] = {"vl_version": _grammar_version(), "allowed_base_urls": []}
    if png is not None:
        write_atomic(png, vl_convert.vegalite_to_png(spec, scale=SCALE, **options))
    if svg is not None:
        write_atomic(svg, vl_convert.vegalite_to_svg(spec, **options).encode())


def curve_chart(cards: Sequence[Card], title: str | None = None) -> alt.LayerChart:
    """The chart itself, for a page that wants to show it live."""
    import altair as alt

    groups = by_series(cards)
    names = _names(groups)
    single = groups[0].cards[0] if len(groups) == 1 and len(groups[0].cards) == 1 else None
    lines = _line_rows(groups, names)
    layers: list[alt.Chart] = [_frame(cards)]
    if any(row["m"] is not None for row in lines):
        layers += _event_layers(cards)
        layers += _band_layer(groups, names)
        layers += _half_life_layers(single) if single else []
        layers += _line_layers(lines, names)
    else:
        layers.append(_notice("no points"))
    return (
        alt.layer(*layers)
        .properties(
            width=WIDTH, height=HEIGHT, background="white", padding=16,
            title=alt.TitleParams(
                text=plain(title) if title else _title(groups), subtitle=_subtitle(groups, single), anchor="start",
                frame="group", fontSize=17, subtitleFontSize=12, subtitleColor=QUIET, color=INK, offset=14,
                subtitlePadding=6, limit=WIDTH,
            ),
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", labelColor=INK, titleColor=INK,
            gridColor="#e6e6e6", domainColor="#888888", tickColor="#888888", titlePadding=10,
        )
        .configure_legend(
            orient="bottom", direction="vertical", columns=1, labelFontSize=12, labelLimit=WIDTH - 40, labelColor=INK,
            symbolSize=140, symbolStrokeWidth=3, offset=12, title=None,
        )
    )  # fmt: skip


# --- Words ----------------------------------------------------------------------------------------------------------


def _names(groups: Sequence[Series]) -> list[str]:
    if len({series.key for series in groups}) == 1:
        return [series.label for series in groups]
    return [f"{series.label} ({series.condition})" for series in groups]


def _title(groups: Sequence[Series]) -> str:
    metrics = {plain(card["headline"]["metric_name"]) for series in groups for card in series.cards}
    return "Aging curve" + (f": {metrics.pop()}" if len(metrics) == 1 else "")


def _subtitle(groups: Sequence[Series], single: Card | None) -> list[str]:
    lives = [card for series in groups for card in series.cards]
    if not lives:
        return []
    seeds = sorted({int(card["seed"]) for card in lives})
    told = f"{len(seeds)} seeds" if len(seeds) > LISTED_SEEDS else ", ".join(map(str, seeds))
    seed_words = told if len(seeds) > LISTED_SEEDS else f"seed{'s' if len(seeds) > 1 else ''} {told}"
    one = len({series.key for series in groups}) == 1
    lines = [f"{condition(lives[0])}, {seed_words}" if one else f"several conditions, {seed_words}"]
    if single:
        lines.append(f"half-life: {half_life_words(single)}; band: 95 % interval of each point")
    elif any(len(series.cards) > 1 for series in groups):
        lines.append("thin: single lives; bold: their mean")
    else:
        lines.append("band: 95 % interval of each point")
    outside = sum(m is not None and not 0 <= m <= 1 for card in lives for _, m in card["checkpoints"])
    return lines + ([f"points outside 0 to 1, not drawn: {outside}"] if outside else [])


# --- Data -----------------------------------------------------------------------------------------------------------


def _line_rows(groups: Sequence[Series], names: Sequence[str]) -> list[dict[str, Any]]:
    """One row per line and point. `line` tells lines apart, `bold` is the line that carries the points."""
    rows = []
    number = itertools.count()
    for name, series in zip(names, groups, strict=True):
        curves = [(mean_curve(series.cards), True)]
        if len(series.cards) > 1:
            curves = [(mean_curve([card]), False) for card in series.cards] + curves
        for curve, bold in curves:
            line = next(number)
            rows += [{"line": line, "system": name, "bold": bold, "t": t, "m": m} for t, m in curve]
    return rows


def _x(**options: Any) -> alt.X:
    import altair as alt

    return alt.X("t:Q", **options)


def _y(field: str = "m", **options: Any) -> alt.Y:
    import altair as alt

    # One scale for all charts: two of them can be laid side by side.
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), **options)


def _colour(names: Sequence[str], **options: Any) -> alt.Color:
    import altair as alt

    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    return alt.Color("system:N", scale=alt.Scale(domain=list(names), range=colours), **options)


def _dash(names: Sequence[str]) -> alt.StrokeDash:
    import altair as alt

    dashes = [DASHES[i // len(COLOURS) % len(DASHES)] for i in range(len(names))]
    return alt.StrokeDash("system:N", scale=alt.Scale(domain=list(names), range=dashes), legend=None)


# --- Layers ---------------------------------------------------------------------------------------------------------


def _frame(cards: Sequence[Card]) -> alt.Chart:
    """The axes, from 0 to the longest life, whatever was measured."""
    import altair as alt

    ends = [float(card["n_sessions"]) for card in cards]
    ends += [float(t) for card in cards for t, _ in card["checkpoints"]]
    end = max([1.0, *ends])
    axis = alt.Axis(tickMinStep=1, format="d", grid=False)
    return (
        alt.Chart(alt.InlineData(values=[{"t": 0, "m": 0}, {"t": end, "m": 1}]))
        .mark_point(opacity=0)
        .encode(
            _x(scale=alt.Scale(domain=[0, end], nice=False), axis=axis, title="session t"),
            _y(axis=alt.Axis(format=".1f", tickCount=6), title="m(t)"),
        )
    )


def _line_layers(rows: list[dict[str, Any]], names: Sequence[str]) -> list[alt.Chart]:
    import altair as alt

    thin, bold = ([row for row in rows if row["bold"] is wanted] for wanted in (False, True))
    layers = []
    for part, width, opacity in ((thin, 1.2, 0.45), (bold, 3.0, 1.0)):
        if part:
            layers.append(
                alt.Chart(alt.InlineData(values=part))
                .mark_line(strokeWidth=width, opacity=opacity, clip=True, invalid="break-paths-show-path-domains")
                .encode(_x(), _y(), _colour(names), _dash(names), detail="line:N")
            )
    measured = [row for row in bold if row["m"] is not None and 0 <= row["m"] <= 1]
    dots = alt.Chart(alt.InlineData(values=measured)).mark_point(
        filled=True, size=55, opacity=1, stroke="white", strokeWidth=1
    )
    return [*layers, dots.encode(_x(), _y(), _colour(names))]


def _band_layer(groups: Sequence[Series], names: Sequence[str]) -> list[alt.Chart]:
    """The intervals of the points where a system has one life; those of a mean would need more lives than most have."""
    import altair as alt

    rows = []
    for name, series in zip(names, groups, strict=True):
        known = {t: (low, high) for t, low, high, _ in series.cards[0].get("checkpoint_intervals") or []}
        if len(series.cards) == 1 and known:
            for t, m in mean_curve(series.cards):
                low, high = known.get(t, (None, None)) if m is not None else (None, None)
                rows.append({"system": name, "t": t, "low": low, "high": high})
    if not rows:
        return []
    band = alt.Chart(alt.InlineData(values=rows)).mark_area(
        opacity=0.16, clip=True, invalid="break-paths-show-path-domains"
    )
    return [band.encode(_x(), _y("low"), alt.Y2("high:Q"), _colour(names))]


def _half_life_layers(card: Card) -> list[alt.Chart]:
    import altair as alt

    m0, half_life = card["headline"].get("m0"), card["headline"].get("half_life")
    if m0 is None or m0 <= 0:
        return []
    level = alt.Chart(alt.InlineData(values=[{"m": m0 / 2, "label": "half of m(0)"}])).encode(_y())
    layers = [
        level.mark_rule(strokeDash=[6, 4], color=QUIET, strokeWidth=1.2),
        level.mark_text(align="left", baseline="bottom", dx=5, dy=-4, fontSize=11, color=QUIET).encode(
            x=alt.value(0), text="label:N"
        ),
    ]
    if half_life is not None:
        at = alt.Chart(alt.InlineData(values=[{"t": half_life, "m": m0 / 2, "label": f"half-life {half_life:.1f}"}]))
        mark = at.mark_point(shape="diamond", size=170, filled=True, opacity=1, color=INK, stroke="white")
        # Kept off the right edge, where half-lives near the end of a life lie.
        late = half_life > 0.75 * max(float(card["n_sessions"]), half_life)
        text = at.mark_text(
            align="right" if late else "left", dx=-11 if late else 11, dy=13, fontSize=12, fontWeight="bold", color=INK
        )
        layers += [text.encode(_x(), _y(), text="label:N"), mark.encode(_x(), _y())]
    return layers


def _event_layers(cards: Sequence[Card]) -> list[alt.Chart]:
    """A rule per point at which something was done to the memory, with the names above the plot."""
    import altair as alt

    at: dict[int, list[str]] = {}
    for event in dict.fromkeys(event for card in cards for event in events(card)):
        found = re.search(r"@(\d{1,9})(?=$|:)", event)
        if found:
            at.setdefault(int(found[1]), []).append(event[: found.start()] + event[found.end() :])
    if not at:
        return []
    rows = [{"t": t, "label": ", ".join(names)} for t, names in sorted(at.items())]
    base = alt.Chart(alt.InlineData(values=rows)).encode(_x())
    return [
        base.mark_rule(color=QUIET, strokeWidth=1.2, strokeDash=[2, 3]),
        base.mark_text(align="center", baseline="bottom", fontSize=11, color=QUIET, dy=-4, limit=160).encode(
            y=alt.value(0), text="label:N"
        ),
    ]


def _notice(text: str) -> alt.Chart:
    import altair as alt

    return (
        alt.Chart(alt.InlineData(values=[{"label": text}]))
        .mark_text(fontSize=18, color=QUIET)
        .encode(x=alt.value(WIDTH / 2), y=alt.value(HEIGHT / 2), text="label:N")
    )


def _grammar_version() -> str:
    import altair as alt

    major, minor = alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2]
    return f"{major}.{minor}"
