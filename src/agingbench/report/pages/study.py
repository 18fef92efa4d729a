"""The page of a study: many lives side by side, by condition and system."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.comparison import differing_dials
from agingbench.metrics.intervals import mean_over_lives
from agingbench.report.headline_words import headline_words
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.answer_counts import count_answers
from agingbench.report.pages.charts import PageChart, TableCell
from agingbench.report.pages.study_answer import (
    lead_words,
    mean_of,
    scores_by_card,
    study_sentences,
    values_of,
)
from agingbench.report.pages.study_arms import (
    action_chart,
    horizon_chart,
    shock_chart,
    stages_chart,
)
from agingbench.report.pages.study_charts import (
    HeatCell,
    LifePairs,
    curves_chart,
    dose_chart,
    half_life_chart,
    scatter_chart,
)
from agingbench.report.pages.study_overview import (
    OVERVIEW_COLUMNS,
    condition_anchor,
    overview_rows,
    overview_words,
    ranked_by_share,
)
from agingbench.report.pages.study_tables import StudyTable, study_tables
from agingbench.report.series import (
    Series,
    by_series,
    events,
    last_point,
    median_half_life,
    read_cards,
    system_names,
)
from agingbench.report.terminal import reader_notes
from agingbench.report.text import plain
from agingbench.trials.run_folder import ScoreRecord

LEAST_PAIRS = 2
OPTIONS = re.compile(r"-[0-9a-f]{6}$")  # the end of a name whose options are not the usual ones


class ConditionView(msgspec.Struct, frozen=True):
    """The systems that lived under one condition."""

    id: str
    title: str
    about: str
    columns: list[str]
    rows: list[list[TableCell]]
    charts: list[PageChart]


class StudyPage(msgspec.Struct, frozen=True):
    """Everything that the page of a study shows."""

    answer: str
    follow_up: str
    notes: list[str]
    about: str
    overview: StudyTable | None
    conditions: list[ConditionView]
    relations: list[PageChart]
    tables: list[StudyTable]


def study_page(documents: Sequence[Mapping[str, Any]], folders: Sequence[Path | None]) -> StudyPage:
    """The page of these lives; tables of lag and dependency come from the run folders."""
    cards = read_cards(documents)
    series = by_series(cards)
    groups: dict[str, list[Series]] = {}
    for one in series:
        groups.setdefault(one.key, []).append(one)

    scores = scores_by_card(cards, folders)
    conditions = []
    systems = system_names(series)
    for place, rows in enumerate(groups.values()):
        conditions.append(_condition(place, rows, scores, systems))
    charts = [
        *_relations(series, groups),
        horizon_chart(series),
        shock_chart(series),
        stages_chart(documents, _labels_by_hash(series)),
        action_chart(series),
    ]
    relations = [chart for chart in charts if chart is not None]
    sentences = study_sentences(groups)
    return StudyPage(
        answer=sentences[0],
        follow_up=" ".join(sentences[1:]),
        notes=reader_notes(cards),
        about=_about(series, len(groups)),
        overview=_overview(groups),
        conditions=conditions,
        relations=relations,
        tables=study_tables(series, cards, folders),
    )


def _about(series: Sequence[Series], conditions: int) -> str:
    labels = {one.label for one in series}
    lives = sum(len(one.cards) for one in series)
    words = f"{lives} lives, {len(labels)} systems, {conditions} conditions; means over lives;"
    words += " `agingbench compare` tests every difference"
    if any(OPTIONS.search(label) for label in labels):
        words += "; an ending such as -7e5756 stands for options of a memory that are not its usual"
    return words


def _overview(groups: Mapping[str, Sequence[Series]]) -> StudyTable | None:
    rows = overview_rows(groups)
    if not rows:
        return None
    about = overview_words(groups)
    return StudyTable("What each condition shows", about, OVERVIEW_COLUMNS, rows)


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
    place: int,
    rows: Sequence[Series],
    scores: Mapping[str, ScoreRecord],
    systems: Sequence[str],
) -> ConditionView:
    ranked = ranked_by_share(rows)
    words = headline_words(card for one in rows for card in one.cards)
    table = [[*_system_row(one), TableCell(_right_of_all(one, scores))] for one in ranked]
    charts = [curves_chart(place, _curve_title(ranked), ranked, systems)]
    cells = _heat_cells(rows)
    if len(cells) > 1:
        charts.append(half_life_chart(place, cells))
    columns = ["system", "tier", "lives", "start", "end", "over the life", "95 % interval"]
    has_floor = any(mean_of(one, "floor") is not None for one in ranked)
    columns += ["lowest, highest", "half-life", "floor", "all questions right"]
    mark = " ▼ marks an end no higher than the floor." if has_floor else ""
    if not has_floor:
        at = columns.index("floor")
        columns.remove("floor")
        table = [[*row[:at], *row[at + 1 :]] for row in table]
    return ConditionView(
        id=condition_anchor(place),
        title=rows[0].condition,
        about=(
            f"Start, end and over the life: the share {words.share}; means ± standard deviation"
            f" over lives.{mark} The last column counts"
            f" the questions of every kind over all lives.{lead_words(ranked)}"
        ),
        columns=columns,
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
        _spread(series, "m0"),
        _spread(series, "m_final") + mark,
        _spread(series, "time_average"),
        interval_text(bounds, 2, False),
        f"{number(min(whole))}, {number(max(whole))}" if len(whole) > 1 else MISSING,
        median_half_life(series)[1],
        number(floor),
    ]
    return [TableCell(text) for text in texts]


def _spread(series: Series, key: str) -> str:
    """A figure over lives; how many have it where some do not."""
    values = values_of(series, key)
    if not values:
        return MISSING
    words = number(statistics.fmean(values))
    if len(values) > 1:
        words += f" ± {number(statistics.stdev(values))}"
    if len(values) < len(series.cards):
        words += f" ({len(values)} of {len(series.cards)} lives)"
    return words


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
    systems = system_names(series)
    return [
        _scatter(
            "cvr",
            f"Rules broken against {words.axis}",
            LifePairs(cvr, len(lives), systems),
            words.axis,
            "rules broken",
        ),
        _scatter(
            "accounts",
            "Error of running totals against forgetting what was taken back",
            LifePairs(accounts, len(lives), systems),
            "taken back and forgotten",
            "relative error",
        ),
        _dose(groups, systems),
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


def _scatter(name: str, title: str, pairs: LifePairs, x: str, y: str) -> PageChart | None:
    return scatter_chart(name, title, pairs, x, y) if len(pairs.rows) >= LEAST_PAIRS else None


def _dose(groups: Mapping[str, Sequence[Series]], systems: Sequence[str]) -> PageChart | None:
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
    if len(points) < LEAST_PAIRS:
        return None
    return dose_chart(in_words(dials[0]), points, systems)
