"""What a study shows of stages, lengths, events and controllers, each where the cards hold it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agingbench.cards.model import Card
from agingbench.report.diagnosis import STAGES, read_diagnosis
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, in_words, number
from agingbench.report.pages.charts import (
    HEIGHT,
    LOW,
    STAGE_COLOURS,
    PageChart,
    TableCell,
    colours,
    layered,
    named_data,
    point_axis,
    share_axis,
)
from agingbench.report.series import Series, events, mean_curve, system_names
from agingbench.report.text import plain
from agingbench.traces.canonical import content_hash

LEAST = 2  # lengths, or lives to hold beside each other
MOST_PAIRS = 3  # systems whose shocked and calm curves are drawn
ROW = 34
HEAD = 60
TYPED_STATE = "typed_state"


# -- the diagnosis over lives


def stages_chart(
    documents: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> PageChart | None:
    """The share of answers that each stage loses, by system, over all of its diagnosed lives.

    `labels` are the names of systems by the content hash of their cards.
    """
    import altair as alt

    shares: dict[str, list[dict[str, float]]] = {}
    for document in documents:
        diagnosis = read_diagnosis(document)
        label = labels.get(str(document.get("content_hash")))
        if diagnosis is not None and label is not None and diagnosis.share_values():
            shares.setdefault(label, []).append(diagnosis.share_values())
    if not shares:
        return None

    stages = {key: stage for key, stage, *_ in STAGES}
    shown = [key for key in stages if any(key in one for rows in shares.values() for one in rows)]
    data = []
    table = []
    for label, rows in shares.items():
        cells = [TableCell(label), TableCell(str(len(rows)))]
        for order, key in enumerate(shown):
            values = [row[key] for row in rows if key in row]
            mean = statistics.fmean(values) if values else None
            spread = f" ± {number(statistics.stdev(values))}" if len(values) > 1 else ""
            cells.append(TableCell(number(mean) + spread))
            if mean is not None:
                row = {"system": label, "series": stages[key], "share": mean, "n": len(values)}
                data.append({**row, "order": order})
        table.append(cells)
    names = [stages[key] for key in shown]
    scale = alt.Scale(domain=names, range=[STAGE_COLOURS[name] for name in names])
    bars = named_data("stages_over_lives", data).mark_bar(cornerRadius=1)
    layer = bars.encode(
        alt.X("share:Q", title="answers lost", axis=alt.Axis(format="%", tickCount=5)),
        alt.Y("system:N", title=None, sort=list(shares), axis=alt.Axis(labelLimit=260)),
        alt.Color("series:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
        order="order:Q",
    )
    title = "Which stage loses the answers, by system"
    note = "Means over the diagnosed lives of each system, whatever their condition."
    height = HEAD + ROW * len(shares)
    columns = ["system", "lives", *names]
    return PageChart("stages", title, note, layered([layer], height), columns, table)


# -- horizon


def horizon_chart(series: Sequence[Series]) -> PageChart | None:
    """What is kept as lives get longer, where conditions differ in their length alone."""
    import altair as alt

    groups: dict[str, list[Series]] = {}
    for one in series:
        groups.setdefault(_key_without_length(one.cards[0]), []).append(one)
    lengths = {key: {one.cards[0].n_sessions for one in rows} for key, rows in groups.items()}
    widest = max(groups, key=lambda key: len(lengths[key]))
    if len(lengths[widest]) < LEAST:
        return None

    points = []
    for one in sorted(groups[widest], key=lambda one: one.cards[0].n_sessions):
        for series_name, key in (("over the life", "time_average"), ("at the end", "m_final")):
            values = [card.headline.figure(key).value for card in one.cards]
            known = [value for value in values if value is not None]
            if known:
                points.append(
                    {
                        "series": one.label,
                        "sessions": one.cards[0].n_sessions,
                        "what": series_name,
                        "kept": statistics.fmean(known),
                        "lives": len(known),
                    }
                )
    labels = list(dict.fromkeys(str(point["series"]) for point in points))
    colour = colours(labels, system_names(series))
    base = named_data("horizon", points)
    x = alt.X("sessions:Q", title="sessions lived", scale=alt.Scale(zero=False))
    y = share_axis("kept", headline_words(groups[widest][0].cards).axis)
    dash = alt.StrokeDash("what:N", legend=alt.Legend(title=None, orient="top"))
    layers = [
        base.mark_line(strokeWidth=2).encode(x, y, colour, dash),
        base.mark_point(filled=True, size=55, opacity=1).encode(x, y, colour),
    ]
    table = []
    for point in points:
        texts = [point["series"], point["sessions"], point["what"], number(point["kept"])]
        table.append([TableCell(str(text)) for text in [*texts, point["lives"]]])
    scenario = plain(groups[widest][0].cards[0].scenario)
    title = f"Horizon: what is kept as lives of {scenario} get longer"
    note = "Means over lives; only the number of sessions differs between the points of a line."
    columns = ["system", "sessions", "when", "share", "lives"]
    return PageChart("horizon", title, note, layered(layers, HEIGHT), columns, table)


def _key_without_length(card: Card) -> str:
    parts = [card.scenario, card.scenario_version, card.pressure, events(card)]
    return content_hash([*parts, card.others.get("probes_asked")])


# -- shocked lives against their controls


def shock_chart(series: Sequence[Series]) -> PageChart | None:
    """The mean curve of lives with events beside that of the same lives without them."""
    import altair as alt

    calm = {(one.label, _calm_key(one.cards[0])): one for one in series if not events(one.cards[0])}
    curves: dict[tuple[str, str], list[Card]] = {}
    names: set[str] = set()
    for one in series:
        control = calm.get((one.label, _calm_key(one.cards[0])))
        if not events(one.cards[0]) or control is None or len(names) == MOST_PAIRS:
            continue
        if one.label in names:
            continue
        names.add(one.label)
        curves[one.label, ", ".join(events(one.cards[0]))] = one.cards
        curves[one.label, "no events"] = control.cards
    if not curves:
        return None
    points = []
    table = []
    for (label, what), cards in curves.items():
        for t, m in mean_curve(cards):
            points.append({"series": label, "what": what, "t": t, "m": m})
            texts = [label, what, f"{t:g}", number(m)]
            table.append([TableCell(text) for text in texts])
    end = max(float(card.n_sessions) for cards in curves.values() for card in cards)
    base = named_data("shocks", points)
    words = headline_words(card for cards in curves.values() for card in cards)
    x, y = point_axis(end), share_axis("m", words.axis)
    labels = list(dict.fromkeys(label for label, _ in curves))
    colour = colours(labels, system_names(series))
    dash = alt.StrokeDash("what:N", legend=alt.Legend(title=None, orient="top", labelLimit=320))
    layers = [
        base.mark_line(strokeWidth=2).encode(x, y, colour, dash),
        base.mark_point(filled=True, size=45, opacity=1).encode(x, y, colour),
    ]
    note = "The mean over lives at each point; the two lives of a pair differ in the events alone."
    title = "Lives with events beside the same lives without them"
    columns = ["system", "events", "session", "share"]
    return PageChart("shocks", title, note, layered(layers, HEIGHT), columns, table)


def _calm_key(card: Card) -> str:
    parts = [card.scenario, card.scenario_version, card.n_sessions, card.pressure]
    return content_hash([*parts, card.others.get("probes_asked")])


# -- typed state and controllers


def has_arms(cards: Sequence[Card]) -> bool:
    """Whether a life had a controller or a typed state."""
    return any(_control(card) or _has_typed_state(card) for card in cards)


def arm_rows(series: Sequence[Series]) -> list[list[TableCell]]:
    """One row per system and condition: what its controller did and how its totals fared."""
    rows = []
    for one in series:
        cards = one.cards
        controls = [control for control in map(_control, cards) if control]
        arms = {plain(control.get("arm") or MISSING) for control in controls}
        texts = [
            one.label,
            one.condition,
            ", ".join(sorted(arms)) or "none",
            "yes" if _has_typed_state(cards[0]) else "no",
            str(len(cards)),
            _mean(card.headline.figure("time_average").value for card in cards),
            _revision(cards, "accumulator_accuracy"),
            _revision(cards, "accumulator_rel_error"),
            _mean(float(len(actions(card))) for card in cards) if controls else MISSING,
        ]
        rows.append([TableCell(text) for text in texts])
    return rows


ARM_COLUMNS = [
    "system",
    "condition",
    "controller",
    "typed state",
    "lives",
    "right over the life",
    "totals right",
    "error of totals",
    "actions a life",
]


def action_chart(series: Sequence[Series]) -> PageChart | None:
    """When controllers acted and what they did."""
    import altair as alt

    rows = []
    table = []
    end = 1.0
    for one in series:
        for card in one.cards:
            end = max(end, float(card.n_sessions))
            for t, action, reason in actions(card):
                row = {"system": one.label, "t": t, "series": action, "seed": card.seed}
                rows.append(row)
                texts = [one.label, str(card.seed), str(t), action, reason]
                table.append([TableCell(text) for text in texts])
    if not rows:
        return None
    labels = list(dict.fromkeys(str(row["series"]) for row in rows))
    systems = list(dict.fromkeys(str(row["system"]) for row in rows))
    marks = named_data("actions", rows).mark_point(filled=True, size=90, opacity=0.6)
    layer = marks.encode(
        point_axis(end),
        alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(labelLimit=260)),
        colours(labels),
    )
    height = max(LOW // 2, HEAD + ROW * len(systems))
    note = "Each dot is an action in one life, at the point from which it holds."
    columns = ["system", "seed", "session", "action", "reason"]
    title = "When controllers stepped in"
    return PageChart("actions", title, note, layered([layer], height), columns, table)


def actions(card: Card) -> list[tuple[int, str, str]]:
    """The actions of a life's controller: from which point, what, and why."""
    found = []
    for action in _control(card).get("actions") or []:
        if isinstance(action, dict) and isinstance(action.get("t"), int):
            name = in_words(str(action.get("action") or MISSING))
            found.append((action["t"], plain(name), plain(action.get("reason") or "")))
    return found


def _control(card: Card) -> dict[str, Any]:
    control = card.others.get("control")
    return control if isinstance(control, dict) else {}


def _has_typed_state(card: Card) -> bool:
    return TYPED_STATE in str(card.sut.others.get("memory") or "")


def _revision(cards: Sequence[Card], name: str) -> str:
    return _mean(card.mechanism_metrics.revision.figure(name).value for card in cards)


def _mean(values: Any) -> str:
    known = [value for value in values if value is not None]
    return number(statistics.fmean(known)) if known else MISSING
