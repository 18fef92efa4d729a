"""The charts of an audit: cost by week, errors by week, context by session, signals, changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from agingbench.cards.audit import AuditBlock, PanelBlock, RecordedBlock, SpendingBlock
from agingbench.report.audit_figures import (
    day,
    dollars,
    fullest_place,
    percent,
    row_label,
    tokens,
    week_words,
)
from agingbench.report.layout import MISSING, in_words, number
from agingbench.report.null_band import BandPoint, null_band
from agingbench.report.pages.audit_sessions import (
    compacted_sessions,
    session_anchor,
    session_link,
)
from agingbench.report.pages.charts import (
    BREAKS,
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
from agingbench.report.text import plain

if TYPE_CHECKING:
    import altair as alt

SMALL = 130
ERRORS = ("tool_errors", "shell_errors", "change_errors", "read_errors", "refused_calls")
MILLISECOND = 1000
MOST_COLOURS = 6  # models with a colour of their own; the rest share one
OTHER_MODELS = "other models"


def cost_chart(spending: SpendingBlock) -> PageChart:
    """What each week cost, model by model; in tokens where no price is known."""
    import altair as alt

    has_prices = all(row.cost_usd is not None for row in spending.by_week)
    names = _models_shown(spending)
    rows = []
    table = []
    for row in spending.by_week_and_model or spending.by_week:
        model = plain(row.model)
        series = model if model in names else OTHER_MODELS
        rows.append(
            {"week": row.week, "series": series, "cost": row.cost_usd, "tokens": row.tokens}
        )
        cells = [
            plain(row.week),
            model or MISSING,
            f"{row.model_calls:,}",
            tokens(row.tokens),
            dollars(row.cost_usd),
        ]
        table.append([TableCell(text) for text in cells])

    field, title, form = (
        ("cost", "US dollars", "$,.0f") if has_prices else ("tokens", "tokens", "~s")
    )
    if any(row["series"] == OTHER_MODELS for row in rows):
        names = [*names, OTHER_MODELS]
    bars = named_data("weeks", rows).mark_bar(cornerRadius=1)
    layer = bars.encode(
        alt.X("week:O", title="week of", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        alt.Y(f"sum({field}):Q", title=title, axis=alt.Axis(format=form, tickCount=5)),
        color=colours(names) if len(names) > 1 else alt.value(SERIES[0]),
    )
    dearest = max(spending.by_week, key=lambda row: (row.cost_usd or 0.0, row.tokens))
    amount = dollars(dearest.cost_usd) if has_prices else f"{tokens(dearest.tokens)} tokens"
    heading = f"The week of {week_words(plain(dearest.week))} took the most: {amount}"
    note = "Each bar is a week, each colour a model." if len(names) > 1 else "Each bar is a week."
    if spending.prices_as_of and has_prices:
        note += f" Dollars by the list prices of {plain(spending.prices_as_of)}."
    columns = ["week of", "model", "calls", "tokens", "cost"]
    return PageChart("cost", heading, note, layered([layer], LOW), columns, table)


def _models_shown(spending: SpendingBlock) -> list[str]:
    """The models with a colour of their own, those that took most tokens first."""
    if not spending.by_week_and_model:
        return []
    return [plain(row.model) for row in spending.by_model[:MOST_COLOURS]]


def error_chart(panel: PanelBlock) -> PageChart | None:
    """Which share of calls failed, week by week; None where the card has no such figure."""
    import altair as alt

    names = [name for name in ERRORS if name in panel.figures and panel.figures[name].value]
    if not names:
        return None
    rows = []
    table = [[TableCell(plain(week))] for week in panel.weeks]
    for name in names:
        label = row_label(name)
        for place, value in enumerate(panel.figures[name].by_week[: len(panel.weeks)]):
            rows.append({"week": panel.weeks[place], "series": label, "share": value})
            table[place].append(TableCell(MISSING if value is None else percent(value)))
    labels = [row_label(name) for name in names]
    base = named_data("errors", rows)
    x = alt.X("week:O", title="week of", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=5))
    layers = [
        base.mark_line(strokeWidth=2, invalid=BREAKS).encode(x, y, colours(labels)),
        base.mark_point(filled=True, size=50, opacity=1).encode(x, y, colours(labels)),
    ]
    first = panel.figures[names[0]]
    whole = percent(first.value) if first.value is not None else MISSING
    heading = f"Of all {row_label(names[0])}, counted over the whole time: {whole}"
    if names[0] == "tool_errors":
        heading = f"{whole} of its tool calls fail{_worst_week(panel)}"
    note = "Shares of the calls of each week; a week without such calls has no point."
    columns = ["week of", *labels]
    return PageChart("errors", heading, note, layered(layers, LOW), columns, table)


def _worst_week(panel: PanelBlock) -> str:
    weeks = zip(panel.weeks, panel.figures["tool_errors"].by_week, strict=False)
    known = [(value, week) for week, value in weeks if value is not None]
    if len(known) < 2:
        return ""
    value, week = max(known)
    return f", most in the week of {week_words(plain(week))}: {percent(value)}"


def context_chart(audit: AuditBlock) -> PageChart | None:
    """How full the context of each session was; None where the window is unknown."""
    import altair as alt

    shares = audit.compression.others.get("saturation_trajectory")
    if not isinstance(shares, list) or not any(isinstance(one, int | float) for one in shares):
        return None
    rows = []
    table = []
    compacted = compacted_sessions(audit)
    for place, share in enumerate(shares):
        anchor = session_anchor(place)
        rows.append({"t": place, "share": share, "at": anchor})
        shown = percent(share) if isinstance(share, int | float) else MISSING
        tokens_then = compacted.get(place)
        cut = MISSING if tokens_then is None else f"at {tokens(tokens_then)} tokens"
        table.append([TableCell(str(place), anchor), TableCell(shown), TableCell(cut)])
    known = [share for share in shares if isinstance(share, int | float)]
    base = named_data("context", rows)
    x = alt.X("t:O", title="session", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    scale = alt.Scale(domain=[0, max(1.0, *known)])
    y = alt.Y("share:Q", title="of the window", scale=scale, axis=alt.Axis(format="%"))
    window = named_data("window", [{"share": 1.0}])
    layers = [
        base.mark_bar(color=SERIES[0], cornerRadius=1, cursor="pointer").encode(x, y),
        window.mark_rule(color=QUIET, strokeDash=[5, 4]).encode(y),
    ]
    marks = [{"t": place, "at": session_anchor(place)} for place in compacted]
    if marks:
        base = named_data("compactions", marks)
        shape = base.mark_point(shape="triangle-down", filled=True, size=60, color=SERIES[1])
        layers.append(shape.encode(x, y=alt.value(4)))
    fullest = shares.index(max(known))
    times = audit.session_times or []
    when = f" ({day(times[fullest])})" if fullest < len(times) and times[fullest] else ""
    mean = percent(max(known))
    heading = f"Session {fullest}{when} has the highest mean context: {mean} of the window"
    note = "The mean context of the calls of each session, as a share of the window (dashed)."
    if audit.spending is not None and audit.spending.context_share_highest is not None:
        largest = audit.spending.context_share_highest
        where = fullest_place(audit.spending)
        note += f" The largest single call of all sessions reached {percent(largest)}{where}."
    if marks:
        note += " Triangles: the context was compacted in that session."
    columns = ["session", "of the window", "compacted"]
    return PageChart("context", heading, note, layered(layers, LOW), columns, table)


def signal_chart(
    name: str, series: Sequence[Any], times: Sequence[float | None], heading: str, note: str
) -> PageChart:
    """One signal, session by session."""
    import altair as alt

    rows = []
    table = []
    for place, value in enumerate(series):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        anchor = session_anchor(place)
        rows.append({"t": place, "value": value if is_number else None, "at": anchor})
        when = day(times[place]) if place < len(times) else MISSING
        session = TableCell(str(place), anchor)
        table.append([session, TableCell(when), TableCell(number(value, 3))])
    base = named_data(f"signal_{name}", rows)
    axis = alt.Axis(tickMinStep=1, format="d", grid=False)
    x = alt.X("t:Q", title=None, axis=axis, scale=alt.Scale(nice=False))
    y = alt.Y("value:Q", title=None, axis=alt.Axis(tickCount=3), scale=alt.Scale(zero=False))
    layers = _band_layers(name, null_band(series, times), x)
    is_faint = bool(layers)
    opacity = 0.45 if is_faint else 1
    points = base.mark_point(
        filled=True, size=28, opacity=opacity, color=SERIES[0], cursor="pointer"
    )
    layers.append(points.encode(x, y))
    if not is_faint:
        line = base.mark_line(strokeWidth=1.5, color=SERIES[0], opacity=0.5, invalid=BREAKS)
        layers.append(line.encode(x, y))
    columns = ["session", "day", "value"]
    return PageChart(f"signal-{name}", heading, note, layered(layers, SMALL), columns, table)


def _band_layers(name: str, points: Sequence[BandPoint], x: alt.X) -> list[alt.Chart]:
    import altair as alt

    if not points:
        return []
    base = named_data(f"band_{name}", [msgspec.to_builtins(point) for point in points])
    scale = alt.Scale(zero=False)
    area = base.mark_area(opacity=0.16, color=QUIET)
    line = base.mark_line(strokeWidth=2, color=SERIES[0])
    return [
        area.encode(x, alt.Y("low:Q", title=None, scale=scale), alt.Y2("high:Q")),
        line.encode(x, alt.Y("mean:Q", title=None, scale=scale)),
    ]


def change_chart(
    recorded: Sequence[RecordedBlock], times: Sequence[float | None], sessions_shown: int
) -> PageChart:
    """What changed when: models, clients and other events on a time axis, above the sessions."""
    import altair as alt

    rows = []
    table = []
    for change in recorded:
        link = session_link(change.session, sessions_shown)
        if change.time is not None:
            kind = in_words(change.kind)
            when = round(change.time * MILLISECOND)
            what = plain(change.what)
            rows.append({"time": when, "kind": kind, "what": what, "at": link})
        session = TableCell(str(change.session), link)
        cells = [TableCell(in_words(change.kind)), TableCell(plain(change.what))]
        table.append([TableCell(day(change.time)), session, *cells])
    sessions = []
    for time in times:
        if time is not None:
            sessions.append({"time": round(time * MILLISECOND), "kind": "sessions"})
    day_only = "hours(datum.value) == 0 ? timeFormat(datum.value, '%d %b') : ''"
    axis = alt.Axis(labelExpr=day_only, grid=False, labelOverlap=True)
    x = alt.X("time:T", title=None, axis=axis)
    y = alt.Y("kind:N", title=None)
    ticks = named_data("sessions", sessions).mark_tick(color=QUIET, thickness=1)
    base = named_data("changes", rows)
    marks = base.mark_point(filled=True, size=90, opacity=1, color=INK, cursor="pointer")
    layers = [
        ticks.encode(x, y),
        marks.encode(x, y, tooltip="what:N"),
    ]
    noun = "change was" if len(recorded) == 1 else "changes were"
    heading = f"{len(recorded)} {noun} recorded beside the agent's own work"
    note = "Ticks are sessions, dots are what was recorded: models, clients, prompts."
    note += " Select a dot to see its session."
    columns = ["day", "session", "kind", "what"]
    return PageChart("changes", heading, note, layered(layers, SMALL), columns, table)
