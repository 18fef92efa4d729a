"""The page of a study: many lives side by side, by condition and system."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.comparison import differing_dials
from agingbench.cards.model import Card
from agingbench.metrics.intervals import mean_over_lives
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.answer_counts import count_answers
from agingbench.report.pages.charts import PageChart, TableCell
from agingbench.report.pages.study_answer import (
    lead_words,
    mean_of,
    scores_by_card,
    study_answer,
    values_of,
)
from agingbench.report.pages.study_arms import (
    ARM_COLUMNS,
    action_chart,
    arm_rows,
    has_arms,
    horizon_chart,
    shock_chart,
    stages_chart,
)
from agingbench.report.pages.study_charts import (
    HeatCell,
    curves_chart,
    dose_chart,
    half_life_chart,
    scatter_chart,
)
from agingbench.report.series import (
    Series,
    by_series,
    events,
    last_point,
    median_half_life,
    read_cards,
)
from agingbench.report.text import plain
from agingbench.traces.files import read_json
from agingbench.trials.run_folder import ScoreRecord

LEAST_PAIRS = 2


class ConditionView(msgspec.Struct, frozen=True):
    """The systems that lived under one condition."""

    id: str
    title: str
    about: str
    columns: list[str]
    rows: list[list[TableCell]]
    charts: list[PageChart]


class StudyTable(msgspec.Struct, frozen=True):
    """A table with the sentence above it."""

    title: str
    about: str
    columns: list[str]
    rows: list[list[TableCell]]


class StudyPage(msgspec.Struct, frozen=True):
    """Everything that the page of a study shows."""

    answer: str
    about: str
    conditions: list[ConditionView]
    relations: list[PageChart]
    tables: list[StudyTable]


class PooledShare(msgspec.Struct, frozen=True):
    """A share as dependency_metrics.json holds it."""

    value: float | None = None
    n: int = 0


class DependencyRecord(msgspec.Struct, frozen=True):
    """What a reader needs of dependency_metrics.json."""

    lag_recall: dict[str, PooledShare] = {}
    chain_recall_by_depth: dict[str, PooledShare] = {}
    chain_recall_by_span: dict[str, PooledShare] = {}


def study_page(documents: Sequence[Mapping[str, Any]], folders: Sequence[Path | None]) -> StudyPage:
    """The page of these lives; tables of lag and dependency come from the run folders."""
    cards = read_cards(documents)
    series = by_series(cards)
    groups: dict[str, list[Series]] = {}
    for one in series:
        groups.setdefault(one.key, []).append(one)

    scores = scores_by_card(cards, folders)
    conditions = []
    for place, rows in enumerate(groups.values()):
        conditions.append(_condition(place, rows, scores))
    charts = [
        *_relations(series, groups),
        horizon_chart(series),
        shock_chart(series),
        stages_chart(documents, _labels_by_hash(series)),
        action_chart(series),
    ]
    relations = [chart for chart in charts if chart is not None]
    systems = {one.label for one in series}
    lives = sum(len(one.cards) for one in series)
    return StudyPage(
        answer=study_answer(groups),
        about=(
            f"{lives} lives, {len(systems)} systems, {len(groups)} conditions; means over lives;"
            " `agingbench compare` tests every difference"
        ),
        conditions=conditions,
        relations=relations,
        tables=_tables(series, cards, folders),
    )


def _labels_by_hash(series: Sequence[Series]) -> dict[str, str]:
    """The system of each card, by the card's content hash."""
    labels = {}
    for one in series:
        for card in one.cards:
            labels[str(card.content_hash)] = one.label
    return labels


def page_charts(page: StudyPage) -> list[PageChart]:
    """Every chart of a study's page."""
    charts = list(page.relations)
    for condition in page.conditions:
        charts += condition.charts
    return charts


# -- one condition


def _condition(
    place: int, rows: Sequence[Series], scores: Mapping[str, ScoreRecord]
) -> ConditionView:
    ranked = sorted(rows, key=lambda one: -(mean_of(one, "time_average") or 0.0))
    words = headline_words(card for one in rows for card in one.cards)
    table = [[*_system_row(one), TableCell(_right_of_all(one, scores))] for one in ranked]
    charts = [curves_chart(place, _curve_title(ranked), ranked)]
    cells = _heat_cells(rows)
    if len(cells) > 1:
        charts.append(half_life_chart(place, cells))
    columns = ["system", "tier", "lives", "start", "end", "over the life", "95 % interval"]
    return ConditionView(
        id=f"condition-{place}",
        title=rows[0].condition,
        about=(
            f"Start, end and over the life: the share {words.share}; means ± standard deviation"
            " over lives. ▼ marks an end no higher than the floor. The last column counts"
            f" the questions of every kind over all lives.{lead_words(ranked)}"
        ),
        columns=[*columns, "lowest, highest", "half-life", "floor", "all questions right"],
        rows=table,
        charts=charts,
    )


def _curve_title(ranked: Sequence[Series]) -> str:
    first = mean_of(ranked[0], "m_final")
    share = MISSING if first is None else f"{100 * first:.0f} %"
    return f"{ranked[0].label} ends at {share}"


def _right_of_all(series: Series, scores: Mapping[str, ScoreRecord]) -> str:
    hashes = [str(card.content_hash) for card in series.cards]
    found = count_answers(scores[name] for name in hashes if name in scores)
    return MISSING if found is None else f"{found.right} of {found.asked}"


def _system_row(series: Series) -> list[TableCell]:
    whole = values_of(series, "time_average")
    estimate = mean_over_lives(list(whole), proportion=True)
    bounds = [estimate.low, estimate.high]
    if len(series.cards) == 1:  # one life has the interval that its own card gives
        own = series.cards[0].headline.figure("time_average").interval
        bounds = list(own) if own is not None else [None, None]
    floor = mean_of(series, "floor")
    end = mean_of(series, "m_final")
    mark = " ▼" if floor is not None and end is not None and end <= floor else ""
    tier = series.cards[0].tier
    texts = [
        series.label,
        str(tier) if isinstance(tier, int) else MISSING,
        str(len(series.cards)),
        _spread(values_of(series, "m0")),
        _spread(values_of(series, "m_final")) + mark,
        _spread(whole),
        interval_text(bounds, 2, False),
        f"{number(min(whole))}, {number(max(whole))}" if len(whole) > 1 else MISSING,
        median_half_life(series)[1],
        number(floor),
    ]
    return [TableCell(text) for text in texts]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    mean = number(statistics.fmean(values))
    return f"{mean} ± {number(statistics.stdev(values))}" if len(values) > 1 else mean


def _heat_cells(rows: Sequence[Series]) -> list[HeatCell]:
    cells = []
    for series in rows:
        sut = series.cards[0].sut
        model = plain(sut.model_id or series.label)
        memory = plain(sut.others.get("memory") or sut.memory_policy_type or MISSING)
        middle, words = median_half_life(series)
        length = max(last_point(card) for card in series.cards)
        shade = length if words.startswith(">") else middle.value
        cells.append(HeatCell(model, memory, middle.value, words, shade, length))
    return cells


# -- relations between figures


def _relations(
    series: Sequence[Series], groups: Mapping[str, Sequence[Series]]
) -> list[PageChart | None]:
    lives = [card for one in series for card in one.cards]
    with_rules = [
        card for card in lives if card.mechanism_metrics.revision.figure("cvr").value is not None
    ]
    words = headline_words(with_rules)
    cvr = _pairs(series, "cvr")
    accounts = []
    for one in series:
        for card in one.cards:
            revision = card.mechanism_metrics.revision
            x = revision.figure("forget_accuracy").value
            y = revision.figure("accumulator_rel_error").value
            if x is not None and y is not None:
                accounts.append((one.label, x, y))
    return [
        _scatter("cvr", f"Rules broken against {words.axis}", cvr, words.axis, "rules broken"),
        _scatter(
            "accounts",
            "Error of running totals against forgetting what was taken back",
            accounts,
            "taken back and forgotten",
            "relative error",
        ),
        _dose(groups),
    ]


def _pairs(series: Sequence[Series], name: str) -> list[tuple[str, float, float]]:
    rows = []
    for one in series:
        for card in one.cards:
            x = card.headline.figure("time_average").value
            y = card.mechanism_metrics.revision.figure(name).value
            if x is not None and y is not None:
                rows.append((one.label, x, y))
    return rows


def _scatter(
    name: str, title: str, rows: Sequence[tuple[str, float, float]], x: str, y: str
) -> PageChart | None:
    return scatter_chart(name, title, rows, x, y) if len(rows) >= LEAST_PAIRS else None


def _dose(groups: Mapping[str, Sequence[Series]]) -> PageChart | None:
    """What a system keeps as one dial is turned; None where no dial or several are."""
    plain_lives = [rows for rows in groups.values() if not events(rows[0].cards[0])]
    scenarios = {rows[0].cards[0].scenario for rows in plain_lives}
    pressures = [rows[0].cards[0].pressure for rows in plain_lives]
    dials = [name for name in differing_dials(pressures) if name != "preset"]
    if len(plain_lives) < LEAST_PAIRS or len(scenarios) != 1 or len(dials) != 1:
        return None
    points = []
    for rows in plain_lives:
        dose = rows[0].cards[0].pressure.get(dials[0])
        for one in rows:
            kept = mean_of(one, "time_average")
            if isinstance(dose, int | float) and kept is not None:
                points.append((one.label, float(dose), kept))
    return dose_chart(in_words(dials[0]), points) if len(points) >= LEAST_PAIRS else None


# -- tables


def _tables(
    series: Sequence[Series], cards: Sequence[Card], folders: Sequence[Path | None]
) -> list[StudyTable]:
    tables = []
    shocks = _shock_table(series)
    if shocks is not None:
        tables.append(shocks)
    if has_arms(cards):
        about = "Means over lives; errors of totals are relative to what the account held."
        rows = arm_rows(series)
        tables.append(StudyTable("Typed state and controllers", about, ARM_COLUMNS, rows))
    records = _dependencies(cards, folders)
    kinds = {
        "lag_recall": ("How old facts fare", "Share right by the sessions since a fact was told."),
        "chain_recall_by_depth": ("How chains fare", "Share right by the facts that are chained."),
        "chain_recall_by_span": ("How wide chains fare", "Share right by sessions spanned."),
    }
    for kind, (title, about) in kinds.items():
        table = _share_table(title, about, kind, records)
        if table is not None:
            tables.append(table)
    return tables


def _shock_table(series: Sequence[Series]) -> StudyTable | None:
    """Each life with events against the same life without them."""
    rows = []
    for one in series:
        for card in one.cards:
            figure = card.mechanism_metrics.maintenance.figure("shock_delta")
            if figure.value is None:
                continue
            texts = [
                one.label,
                ", ".join(events(card)),
                str(card.seed),
                number(figure.value, 3, True),
                interval_text(figure.interval, 3, True),
                str(figure.count or MISSING),
            ]
            rows.append([TableCell(text) for text in texts])
    if not rows:
        return None
    about = "Share right after the events, minus that of the same life without them."
    columns = ["system", "events", "seed", "difference", "95 % interval", "n"]
    return StudyTable("What events cost", about, columns, rows)


def _dependencies(
    cards: Sequence[Card], folders: Sequence[Path | None]
) -> dict[tuple[str, str], list[DependencyRecord]]:
    """The records of each system under each condition; lives of two conditions are not pooled."""
    records: dict[tuple[str, str], list[DependencyRecord]] = {}
    for card, folder in zip(cards, folders, strict=True):
        file = folder / "dependency_metrics.json" if folder is not None else None
        if file is not None and file.exists():
            record = msgspec.convert(read_json(file), DependencyRecord)
            [group] = by_series([card])
            key = (group.label, group.condition)
            records.setdefault(key, []).append(record)
    return records


def _share_table(
    title: str, about: str, kind: str, records: Mapping[tuple[str, str], Sequence[DependencyRecord]]
) -> StudyTable | None:
    """Shares pooled over the lives of each system, weighted by what they rest on."""
    columns: dict[str, None] = {}
    pooled: dict[tuple[str, str], dict[str, tuple[float, int]]] = {}
    for group, rows in records.items():
        sums = pooled.setdefault(group, {})
        for record in rows:
            for key, share in msgspec.structs.asdict(record)[kind].items():
                if share.value is None or not share.n:
                    continue
                columns[key] = None
                total, n = sums.get(key, (0.0, 0))
                sums[key] = (total + share.value * share.n, n + share.n)
    if not columns:
        return None
    table = []
    for (system, condition), sums in pooled.items():
        cells = [TableCell(system), TableCell(condition)]
        for key in columns:
            total, n = sums.get(key, (0.0, 0))
            cells.append(TableCell(f"{number(total / n)} ({n})" if n else MISSING))
        table.append(cells)
    return StudyTable(
        title, f"{about} In brackets how many.", ["system", "condition", *columns], table
    )
