"""Several runs or trials over each other: their curves, their figures, what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from agingbench.cards.model import Card
from agingbench.errors import InputError
from agingbench.report.layout import MISSING, interval_text, number
from agingbench.report.pages.charts import (
    BREAKS,
    HEIGHT,
    PageChart,
    TableCell,
    colours,
    layered,
    named_data,
    point_axis,
    share_axis,
)
from agingbench.report.pages.sources import CardSource
from agingbench.report.paper.panels import short_names
from agingbench.report.rows import week_rows
from agingbench.report.series import condition, condition_key, half_life_words, read_cards
from agingbench.report.text import plain
from agingbench.trials.columns import TrialRow

if TYPE_CHECKING:
    import altair as alt

MOST = 40


class OverlayPage(msgspec.Struct, frozen=True):
    """The curves of a selection, its figures, and a warning where it mixes conditions."""

    answer: str
    about: str
    warning: str
    charts: list[PageChart]
    columns: list[str]
    rows: list[list[TableCell]]


def overlay_page(sources: Sequence[CardSource], names: Sequence[str]) -> OverlayPage:
    """The overlay of runs of one kind; raises InputError for a mixture."""
    if not sources:
        raise InputError("nothing is selected: tick some rows of the table first")
    if len(sources) > MOST:
        raise InputError(f"{len(sources)} are selected; at most {MOST} can be told apart")
    kinds = sorted({source.kind for source in sources})
    if kinds == ["life"]:
        return _lives(read_cards([source.document for source in sources]))
    if kinds == ["trace"]:
        return _audits(sources, names)
    raise InputError(
        f"select lives or audits: {' and '.join(kinds)} cannot be laid over each other"
    )


def _lives(cards: Sequence[Card]) -> OverlayPage:
    labels = life_labels(cards)
    points = []
    table = []
    for label, card in zip(labels, cards, strict=True):
        for t, m in card.checkpoints:
            points.append({"t": t, "m": m, "series": label})
            table.append([TableCell(label), TableCell(f"{t:g}"), TableCell(number(m))])
    end = max([1.0, *(float(card.n_sessions) for card in cards)])
    base = named_data("overlay", points)
    x, y = point_axis(end), share_axis("m", "questions answered right")
    layers = [
        base.mark_line(strokeWidth=2.2, invalid=BREAKS).encode(x, y, colours(labels)),
        base.mark_point(filled=True, size=50, opacity=1).encode(x, y, colours(labels)),
    ]
    chart = PageChart(
        "overlay",
        "Questions answered right, session by session",
        "One line per life, with the values of its card.",
        layered(layers, HEIGHT + 60),
        ["life", "session", "right"],
        table,
    )
    conditions = list(dict.fromkeys(condition(card) for card in cards))
    is_mixed = len({condition_key(card) for card in cards}) > 1
    warning = ""
    if is_mixed:
        warning = f"These lives differ in more than the system: {'; '.join(conditions)}."
        warning += " Their levels cannot be compared."
    return OverlayPage(
        answer=_best_and_worst(labels, cards),
        about=f"{len(cards)} lives" + ("" if is_mixed else f", {conditions[0]}"),
        warning=warning,
        charts=[chart],
        columns=["life", "start", "end", "over the life", "95 % interval", "half-life"],
        rows=[_figures(label, card) for label, card in zip(labels, cards, strict=True)],
    )


def life_labels(cards: Sequence[Card]) -> list[str]:
    """A name for each life: its system, and seed and condition where they are needed."""
    systems = short_names([plain(card.sut.sut_id) for card in cards])
    labels = [systems[plain(card.sut.sut_id)] for card in cards]
    if len(set(labels)) < len(labels):
        labels = [f"{label}, seed {card.seed}" for label, card in zip(labels, cards, strict=True)]
    if len(set(labels)) < len(labels):
        labels = [f"{label}, {condition(card)}" for label, card in zip(labels, cards, strict=True)]
    distinct = []
    for place, label in enumerate(labels, 1):
        distinct.append(label if labels.count(label) == 1 else f"{label} ({place})")
    return distinct


def _best_and_worst(labels: Sequence[str], cards: Sequence[Card]) -> str:
    ends = {}
    for label, card in zip(labels, cards, strict=True):
        if card.headline.m_final.value is not None:
            ends[label] = card.headline.m_final.value
    if len(ends) < 2:
        return "One life" if len(cards) == 1 else "Lives over each other"
    first = max(ends, key=lambda name: ends[name])
    last = min(ends, key=lambda name: ends[name])
    if ends[first] == ends[last]:
        return f"All of them end at {100 * ends[first]:.0f} %"
    return f"{first} ends at {100 * ends[first]:.0f} %, {last} at {100 * ends[last]:.0f} %"


def _figures(label: str, card: Card) -> list[TableCell]:
    whole = card.headline.figure("time_average")
    texts = [
        label,
        number(card.headline.m0.value),
        number(card.headline.m_final.value),
        number(whole.value),
        interval_text(whole.interval, 2, False),
        half_life_words(card),
    ]
    return [TableCell(text) for text in texts]


def _audits(sources: Sequence[CardSource], names: Sequence[str]) -> OverlayPage:
    import altair as alt

    weeks = []
    for source, name in zip(sources, names, strict=True):
        weeks += week_rows(plain(name), source.document)
    if not weeks:
        raise InputError("these audits do not say what a week took")
    priced = all(row["cost_usd"] is not None for row in weeks)
    field, title = ("cost_usd", "US dollars") if priced else ("tokens", "tokens")
    points = week_points(weeks, field)
    mondays = sorted({str(row["week"]) for row in weeks})
    ticks = alt.Axis(
        format="%d %b",
        values=[_moment(monday) for monday in mondays],
        grid=False,
        labelOverlap=True,
    )
    x = alt.X("week:T", title="week of", axis=ticks, scale=alt.Scale(type="utc"))
    y = alt.Y("m:Q", title=title, axis=alt.Axis(format="~s", tickCount=5))
    labels = list(dict.fromkeys(row["project"] for row in weeks))
    base = named_data("overlay", points)
    layers = [
        base.mark_line(strokeWidth=2, invalid=BREAKS).encode(x, y, colours(labels)),
        base.mark_point(filled=True, size=45, opacity=1).encode(x, y, colours(labels)),
    ]
    table = []
    for row in weeks:
        amount = number(row[field]) if priced else f"{row[field]:,}"
        table.append([TableCell(row["project"]), TableCell(row["week"]), TableCell(amount)])
    note = "One line per project, with the values of its card; a gap is a week without sessions."
    columns = ["project", "week of", title]
    heading = f"What each week took, in {title}"
    chart = PageChart("overlay", heading, note, layered(layers, HEIGHT), columns, table)
    sums = []
    for label in labels:
        total = sum(row[field] for row in weeks if row["project"] == label)
        sums.append(f"{label} took ${total:,.2f}" if priced else f"{label} took {total:,} tokens")
    answer = ", ".join(sums[:3]) + (f" and {len(sums) - 3} more" if len(sums) > 3 else "")
    return OverlayPage(answer, f"{len(labels)} projects", "", [chart], [], [])


def week_points(weeks: Sequence[Mapping[str, Any]], field: str) -> list[dict[str, Any]]:
    """A point for each project and week; None where a project had no session in a week."""
    amounts = {(row["project"], row["week"]): row[field] for row in weeks}
    mondays = sorted({row["week"] for row in weeks})
    points = []
    for project in dict.fromkeys(row["project"] for row in weeks):
        for monday in mondays:
            amount = amounts.get((project, monday))
            points.append({"series": project, "week": monday, "m": amount})
    return points


def _moment(day: str) -> alt.DateTime:
    import altair as alt

    year, month, date = (int(part) for part in day[:10].split("-"))
    return alt.DateTime(year=year, month=month, date=date, utc=True)


def trial_overlay(rows: Sequence[TrialRow]) -> OverlayPage:
    """The rewards of trials over time, one colour per model."""
    import altair as alt

    if not rows:
        raise InputError("nothing is selected: tick some rows of the table first")
    points = []
    table = []
    for row in rows:
        label = plain(row.system_id or row.model)
        texts = [plain(row.trial_id), label, plain(row.timestamp), number(row.reward, 3)]
        table.append([TableCell(text) for text in texts])
        if row.reward is not None:
            point = {"series": label, "time": row.timestamp, "reward": row.reward}
            points.append({**point, "trial": plain(row.trial_id)})
    labels = list(dict.fromkeys(str(point["series"]) for point in points))
    dots = named_data("overlay", points).mark_point(filled=True, size=90, opacity=0.85)
    layer = dots.encode(
        alt.X("time:T", title="time", scale=alt.Scale(type="utc")),
        alt.Y("reward:Q", title="reward", scale=alt.Scale(domain=[0, 1])),
        colours(labels),
    )
    missing = len(rows) - len(points)
    note = "One dot per trial." + (f" {missing} have no reward." if missing else "")
    columns = ["trial", "system", "time", "reward"]
    heading = f"The rewards of {len(rows)} trials"
    chart = PageChart(
        "overlay",
        "Reward by the time of each trial",
        note,
        layered([layer], HEIGHT),
        columns,
        table,
    )
    spread = MISSING
    if points:
        rewards = [row.reward for row in rows if row.reward is not None]
        spread = f"from {number(min(rewards), 3)} to {number(max(rewards), 3)}"
    return OverlayPage(f"{heading}: {spread}", "from the ledger", "", [chart], [], [])
