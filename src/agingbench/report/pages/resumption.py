"""The page of resumption runs: what was kept, how far the judge is to be believed, who graded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.model import Card, ResumptionSection
from agingbench.cards.resumption import RunReport
from agingbench.metrics.pareto import pareto_front
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.charts import PageChart, TableCell
from agingbench.report.pages.resumption_charts import (
    GATE,
    IntervalRow,
    ParetoRow,
    component_chart,
    kappa_chart,
    pareto_chart,
)
from agingbench.report.pages.sources import RUN_REPORT
from agingbench.report.text import plain
from agingbench.traces.files import read_json

COMPONENTS = ("continuation_correctness", "preservation_recall", "forgetting_precision")
MOST_SKIPPED = 20


class RunView(msgspec.Struct, frozen=True):
    """What is shown of one run, read from its folder or from its card alone."""

    name: str
    about: list[tuple[str, str]]
    headline: str
    passed: bool
    gate: str
    reasons: list[str]
    graders: dict[str, int]
    kappas: list[IntervalRow]
    figures: list[IntervalRow]  # name: figure, series: group
    statuses: dict[str, int]
    skipped: dict[str, str]
    notes: list[str]
    episodes: str


class ResumptionPage(msgspec.Struct, frozen=True):
    """Everything that the page of resumption runs shows."""

    title: str
    answer: str
    follow_up: list[str]
    charts: dict[str, PageChart]
    columns: list[str]
    rows: list[list[TableCell]]
    about: list[tuple[str, str]]
    graders: list[list[TableCell]]
    grader_words: str
    reasons: list[str]
    notes: list[str]
    skipped: list[tuple[str, str]]
    n_skipped: int


def resumption_page(runs: Sequence[RunView]) -> ResumptionPage:
    """The page of one run, or of several side by side; figures only behind an open gate."""
    first = runs[0]
    charts = {}
    components = _component_rows(runs)
    if components:
        charts["components"] = component_chart(components, _component_title(runs))
    kappas = [row for row in first.kappas if row.value is not None or row.n]
    if any(row.value is not None for row in kappas):
        charts["kappa"] = kappa_chart(kappas, _kappa_title(first))
    points = _pareto_rows(runs)
    if len(points) > 1:
        charts["pareto"] = pareto_chart(points, _pareto_title(points))
    return ResumptionPage(
        title=first.name if len(runs) == 1 else f"{len(runs)} runs",
        answer=_answer(runs),
        follow_up=_follow_up(runs),
        charts=charts,
        columns=["run", "figure", "episodes", "value", "95 % interval", "n"],
        rows=_figure_rows(runs),
        about=first.about if len(runs) == 1 else [],
        graders=[[TableCell(who), TableCell(str(n))] for who, n in first.graders.items()],
        grader_words=_grader_words(first.graders),
        reasons=list(dict.fromkeys(_reason_words(one) for run in runs for one in run.reasons)),
        notes=list(dict.fromkeys(note for run in runs for note in run.notes)),
        skipped=list(first.skipped.items())[:MOST_SKIPPED] if len(runs) == 1 else [],
        n_skipped=len(first.skipped),
    )


def page_charts(page: ResumptionPage) -> list[PageChart]:
    """Every chart of the page."""
    return list(page.charts.values())


# -- what a run left


def read_run(document: Mapping[str, Any], folder: Path | None) -> RunView:
    """A run from the report in its folder, or from its card where there is no other."""
    file = None if folder is None else folder / RUN_REPORT
    if file is not None and file.exists():
        return _from_report(msgspec.convert(read_json(file), RunReport))
    return _from_card(Card.read(document))


def _from_report(report: RunReport) -> RunView:
    run = report.run
    kappas = []
    for part in report.components:
        kappas.append(
            IntervalRow(part.component, plain(part.domain), part.value, part.low, part.high, part.n)
        )
    figures = []
    if run.passed:
        for group, estimates in run.figures.items():
            for name, one in estimates.items():
                figures.append(IntervalRow(name, plain(group), one.value, one.low, one.high, one.n))
        for group, tokens in run.tokens.items():
            figures.append(IntervalRow("context_tokens", plain(group), tokens, None, None, None))
    return RunView(
        name=plain(run.run_id),
        about=_about(run.consolidator, run.budget, run.tokenizer, run.agent, run.judge, run.gate),
        headline=plain(run.headline),
        passed=run.passed,
        gate=plain(run.gate),
        reasons=[plain(reason) for reason in run.reasons],
        graders={plain(who): n for who, n in run.graders.items()},
        kappas=kappas,
        figures=figures,
        statuses=run.statuses,
        skipped={plain(name): plain(reason) for name, reason in run.skipped.items()},
        notes=[plain(note) for note in run.notes],
        episodes=report.episodes_sha256,
    )


def _from_card(card: Card) -> RunView:
    section = card.resumption
    if not isinstance(section, ResumptionSection):
        raise ValueError("the card has no resumption")
    kappas = []
    for one in section.kappa:
        low, high = one.value.interval or (None, None)
        kappas.append(
            IntervalRow(
                one.component,
                plain(one.domain),
                one.value.value,
                low,
                high,
                one.value.count or None,
            )
        )
    origin = card.provenance.document()
    tokenizer = section.tokenizer
    return RunView(
        name=plain(card.run_id),
        about=_about(
            section.consolidator,
            section.budget,
            tokenizer,
            section.agent,
            section.judge,
            section.gate,
        ),
        headline="",
        passed=True,  # there is no card behind a closed gate
        gate=plain(section.gate),
        reasons=[],
        graders={plain(who): n or 0 for who, n in (section.graders or {}).items()},
        kappas=kappas,
        figures=_card_figures(section),
        statuses={name: count or 0 for name, count in (section.statuses or {}).items()},
        skipped={},
        notes=[plain(one) for one in card.warnings if not one.startswith("mechanism_not")],
        episodes=str(origin.get("episodes_sha256") or ""),
    )


def _card_figures(section: ResumptionSection) -> list[IntervalRow]:
    rows = []
    for group, figures in section.groups.items():
        values = figures.document()
        for key, n in values.items():
            name = key.removesuffix("_n")
            value = values.get(name)
            if name == key or not isinstance(value, int | float):
                continue
            low, high = values.get(f"{name}_ci") or (None, None)
            shown = "context_tokens" if name.startswith("context_tokens") else name
            rows.append(IntervalRow(shown, plain(group), float(value), low, high, n))
    return rows


def _about(
    consolidator: str, budget: int, tokenizer: str | None, agent: str, judge: str, gate: str
) -> list[tuple[str, str]]:
    return [
        ("consolidator", plain(consolidator)),
        ("budget", f"{budget:,} tokens ({plain(tokenizer or MISSING)})"),
        ("agent", plain(agent)),
        ("judge", plain(judge)),
        ("gate", plain(gate)),
    ]


# -- sentences


def _answer(runs: Sequence[RunView]) -> str:
    open_runs = [run for run in runs if run.passed]
    if not open_runs:
        return "No number is published: the judge does not agree enough with the reference grades."
    qualities = {run.name: _figure(run, "quality", "all") for run in open_runs}
    known = {name: row for name, row in qualities.items() if row is not None}
    if not known:
        return "No run has a quality over all episodes."
    best = max(known, key=lambda name: known[name].value or 0.0)
    row = known[best]
    bounds = None if row.low is None else [row.low, row.high]
    words = f"quality {number(row.value)} ({interval_text(bounds, 2, False)}, n = {row.n})"
    if len(runs) == 1:
        return f"The next agent carried on with {words}."
    return f"{best} has the highest of {len(known)} qualities: {words}."


def _follow_up(runs: Sequence[RunView]) -> list[str]:
    lines = []
    first = runs[0]
    if len(runs) == 1 and first.headline:
        lines.append(f"{first.headline[:1].upper()}{first.headline[1:]}.")
    counts = ", ".join(f"{n} {name}" for name, n in sorted(first.statuses.items()))
    if len(runs) == 1 and counts:
        lines.append(f"Episodes: {counts}.")
    if first.kappas:
        lowest = [row.value for row in first.kappas if row.value is not None]
        if lowest:
            lines.append(f"The lowest κ is {number(min(lowest))}; {GATE:g} is needed.")
    sets = {run.episodes for run in runs}
    if len(sets) > 1:
        lines.append("The runs are over different episodes: their figures cannot be compared.")
    return lines


def _component_title(runs: Sequence[RunView]) -> str:
    if len(runs) > 1:
        return "What each run carried over, over all episodes"
    rows = [row for row in runs[0].figures if row.name in COMPONENTS and row.series == "all"]
    known = [row for row in rows if row.value is not None]
    if not known:
        return "What was carried over"
    worst = min(known, key=lambda row: row.value or 0.0)
    return f"{in_words(worst.name).capitalize()} is the lowest component: {number(worst.value)}"


def _kappa_title(run: RunView) -> str:
    known = [row.value for row in run.kappas if row.value is not None]
    low = [value for value in known if value < GATE]
    if not low:
        return f"The judge agrees with the reference grades: every κ is {GATE:g} or more"
    return f"The judge falls short of κ = {GATE:g} in {len(low)} of {len(known)} places"


def _pareto_title(rows: Sequence[ParetoRow]) -> str:
    front = sum(row.front for row in rows)
    verb = "run is" if front == 1 else "runs are"
    return f"{front} {verb} beaten by no other of {len(rows)} in both quality and tokens"


def _reason_words(reason: str) -> str:
    """Why the gate is closed, without exact fractions."""
    return re.sub(r"kappa (-?\d\.\d+) \(-?\d+(?:/\d+)?\)", r"κ \1", reason)


def _grader_words(graders: Mapping[str, int]) -> str:
    if not graders:
        return "Nobody gave reference grades."
    if any(who.startswith("human") for who in graders):
        return "Who gave the reference grades, and how many."
    return "Who gave the reference grades, and how many. None of them is a human."


# -- figures


def _figure(run: RunView, name: str, group: str) -> IntervalRow | None:
    for row in run.figures:
        if row.name == name and row.series == group and row.value is not None:
            return row
    return None


def _component_rows(runs: Sequence[RunView]) -> list[IntervalRow]:
    """The components by group of one run, or by run over all episodes."""
    rows = []
    for run in runs:
        for row in run.figures:
            if row.name not in COMPONENTS or (len(runs) > 1 and row.series != "all"):
                continue
            series = row.series if len(runs) == 1 else run.name
            rows.append(msgspec.structs.replace(row, name=in_words(row.name), series=series))
    return rows


def _figure_rows(runs: Sequence[RunView]) -> list[list[TableCell]]:
    table = []
    for run in runs:
        for row in run.figures:
            if row.value is None and not row.n:
                continue
            places = 0 if row.name == "context_tokens" else 3
            bounds = None if row.low is None else [row.low, row.high]
            texts = [
                run.name,
                in_words(row.name),
                row.series,
                number(row.value, places),
                interval_text(bounds, places, False),
                MISSING if row.n is None else str(row.n),
            ]
            table.append([TableCell(text) for text in texts])
    return table


def _pareto_rows(runs: Sequence[RunView]) -> list[ParetoRow]:
    """Runs over the same episodes with quality and tokens over all of them."""
    points = []
    for run in runs:
        quality = _figure(run, "quality", "all")
        tokens = _figure(run, "context_tokens", "all")
        if quality is None or tokens is None or run.episodes != runs[0].episodes:
            continue
        value = quality.value or 0.0
        spent = tokens.value or 0.0
        points.append(
            ParetoRow(run.name, spent, value, quality.low, quality.high, quality.n or 0, False)
        )
    front = pareto_front([(point.quality, point.tokens) for point in points])
    return [
        msgspec.structs.replace(point, front=is_front)
        for point, is_front in zip(points, front, strict=True)
    ]
