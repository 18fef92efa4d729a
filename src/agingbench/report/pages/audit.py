"""The page of an audit, and the page of a fleet of them: what the cards hold, nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agingbench.cards.audit import (
    AuditBlock,
    AuditCard,
    FigureBlock,
    SpendingBlock,
)
from agingbench.report.audit_advice import advice
from agingbench.report.audit_figures import (
    ROWS,
    clause,
    day,
    dollars,
    figure_value,
    fullest_place,
    percent,
    row_label,
    tokens,
)
from agingbench.report.audit_notes import warning_sentences
from agingbench.report.audit_sentence import (
    answer_sentences,
    drift_words,
    listed,
    step_words,
    weeks_sentence,
)
from agingbench.report.layout import MISSING, in_words
from agingbench.report.pages.audit_charts import (
    change_chart,
    context_chart,
    cost_chart,
    error_chart,
)
from agingbench.report.pages.audit_mechanisms import (
    EvidenceView,
    MechanismView,
    evidence_views,
    mechanism_views,
)
from agingbench.report.pages.audit_sessions import SessionTable, session_count, session_table
from agingbench.report.pages.charts import PageChart, TableCell
from agingbench.report.pages.records import RecordTexts
from agingbench.report.text import plain

SPARK_WIDTH = 100.0
SPARK_HEIGHT = 20.0


class AuditTile(msgspec.Struct, frozen=True):
    """A figure of the first screen."""

    name: str
    value: str
    note: str = ""


class PanelRow(msgspec.Struct, frozen=True):
    """A figure of the behaviour panel with its weeks as a small line."""

    name: str
    whole: str
    first: str
    last: str
    spark: str


class AuditPage(msgspec.Struct, frozen=True):
    """Everything that the page of an audit shows."""

    title: str
    about: str
    answer: str
    follow_up: list[str]
    tiles: list[AuditTile]
    charts: dict[str, PageChart]
    models: list[list[TableCell]]
    panel: list[PanelRow]
    moves: list[tuple[str, str, str]]  # day, words, good or bad
    mechanisms: list[MechanismView]
    evidence: list[EvidenceView]
    evidence_words: str
    sessions: SessionTable | None
    advice: list[str]
    records: str
    warnings: list[str]
    provenance: list[tuple[str, str]]


class ProjectRow(msgspec.Struct, frozen=True):
    """One project of a fleet."""

    name: str
    answer: str
    badge: str
    verdict: str
    sessions: int
    tokens: str
    cost: str
    spark: str
    link: str = ""  # the address of its own page, where there is one


class FleetPage(msgspec.Struct, frozen=True):
    """Everything that the page of a fleet shows."""

    answer: str
    rows: list[ProjectRow]


_AGING = {
    True: ("getting worse", "bad"),
    False: ("no aging", "good"),
    None: ("cannot tell", "weak"),
}
_NOT_HEALTHY = ("not healthy", "bad")


def audit_page(
    document: Mapping[str, Any], name: str, texts: RecordTexts | None = None
) -> AuditPage:
    """The page of one audit; `texts` finds the records in the traces, which the card leaves out."""
    card = AuditCard.read(document)
    audit = card.trace_audit
    sentences = answer_sentences(card)
    steadiness = weeks_sentence(card)
    if steadiness is not None:
        sentences.append(steadiness)
    return AuditPage(
        title=plain(name),
        about=_about(card),
        answer=sentences[0],
        follow_up=sentences[1:],
        tiles=_tiles(card),
        charts=_charts(audit),
        models=_models(audit.spending),
        panel=_panel(audit),
        moves=_moves(audit),
        mechanisms=mechanism_views(audit),
        evidence=evidence_views(audit, texts),
        evidence_words=_WITHOUT_TEXTS if texts is None else _WITH_TEXTS,
        sessions=session_table(audit),
        advice=advice(card),
        records=_records(card),
        warnings=warning_sentences(card.warnings),
        provenance=[
            ("card made", plain(document.get("generated_at", MISSING))),
            ("content hash", plain(card.content_hash or MISSING)),
        ],
    )


def page_charts(page: AuditPage) -> list[PageChart]:
    """Every chart of an audit's page."""
    charts = list(page.charts.values())
    for mechanism in page.mechanisms:
        charts += [signal.chart for signal in mechanism.signals]
    return charts


_WITHOUT_TEXTS = (
    "Where they stand in the trace. The card keeps places and no texts; `agingbench report CARD"
    " --traces PATH` shows the texts of the traces that you have."
)
_WITH_TEXTS = (
    "Where they stand in the trace, and what was said there: read from the traces that were given,"
    " scrubbed of secrets and personal data as far as rules know them, and now part of this file."
)


def fleet_page(
    cards: Sequence[tuple[str, Mapping[str, Any]]], links: Sequence[str] = ()
) -> FleetPage:
    """The page of several audits: one row per project, with the address of its own page."""
    rows = []
    for place, (name, document) in enumerate(cards):
        card = AuditCard.read(document)
        spending = card.trace_audit.spending
        verdict, badge = _fleet_verdict(card)
        weeks: list[float | None] = []
        if spending is not None:
            weeks = [float(row.tokens) for row in spending.by_week]
        total = spending.total if spending is not None else None
        rows.append(
            ProjectRow(
                name=plain(name),
                answer=" ".join(answer_sentences(card)),
                badge=badge,
                verdict=verdict,
                sessions=card.n_sessions,
                tokens=tokens(total.tokens) if total is not None else MISSING,
                cost=dollars(total.cost_usd) if total is not None else MISSING,
                spark=spark_points(weeks),
                link=links[place] if place < len(links) else "",
            )
        )
    return FleetPage(_fleet_answer(rows), rows)


def _fleet_verdict(card: AuditCard) -> tuple[str, str]:
    headline = card.headline
    open_because = headline.open_because or card.trace_audit.headline.open_because
    if headline.aging_detected is None and open_because == "effort_rose":
        return _NOT_HEALTHY
    return _AGING[headline.aging_detected]


def _fleet_answer(rows: Sequence[ProjectRow]) -> str:
    """How many agents get worse, for how many that cannot be told, and which are not healthy."""
    total = len(rows)
    verdicts = [row.verdict for row in rows]
    worse = verdicts.count(_AGING[True][0])
    unknown = verdicts.count(_AGING[None][0])
    if unknown == total:
        return f"Whether they got worse cannot be told for any of the {total} agents."

    sentences = []
    unhealthy = [row.name for row in rows if row.verdict == _NOT_HEALTHY[0]]
    if worse or unknown + len(unhealthy) < total:
        verb = "is" if worse == 1 else "are"
        sentences.append(f"{worse or 'None'} of {total} agents {verb} seen to get worse.")
    if unhealthy:
        verb = "is" if len(unhealthy) == 1 else "are"
        sentences.append(f"{listed(unhealthy)} {verb} not called aging, and not healthy.")
    if unknown:
        they = "it" if unknown == 1 else "they"
        words = f"For {unknown} of {total} agents it cannot be told whether {they} got worse."
        sentences.append(words)
    return " ".join(sentences)


def spark_points(values: Sequence[float | None]) -> str:
    """The points of a small line from zero to its highest value; empty below two values."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    highest = max(known) or 1.0
    step = SPARK_WIDTH / (len(values) - 1)
    points = []
    for place, value in enumerate(values):
        if value is not None:
            y = SPARK_HEIGHT * (1 - max(value, 0.0) / highest)
            points.append(f"{place * step:.1f},{y:.1f}")
    return " ".join(points)


# -- the first screen


def _about(card: AuditCard) -> str:
    audit = card.trace_audit
    parts = [f"{card.n_sessions} sessions"]
    extent = audit.trace_regime
    if extent is not None:
        if extent.n_days:
            parts.append(f"{extent.n_days} days")
        parts += [f"{extent.n_tool_calls:,} tool calls", plain(extent.adapter)]
    if audit.profile is not None and audit.profile.name:
        parts.append(f"profile {plain(audit.profile.name)}")
    return ", ".join(parts)


def _tiles(card: AuditCard) -> list[AuditTile]:
    spending = card.trace_audit.spending
    tiles = [AuditTile("sessions", str(card.n_sessions))]
    if spending is None:
        return tiles
    total = spending.total
    calls = f"{total.model_calls:,} model calls"
    tiles.append(AuditTile("tokens", tokens(total.tokens), calls))
    if total.cost_usd is not None:
        price = f"list prices of {plain(spending.prices_as_of)}" if spending.prices_as_of else ""
        tiles.append(AuditTile("cost", dollars(total.cost_usd), price))
    elif spending.models_without_price:
        names = ", ".join(plain(name) for name in spending.models_without_price)
        tiles.append(AuditTile("cost", "unknown", f"no price for {names}"))
    tiles.append(AuditTile("compactions", str(spending.compactions)))
    if spending.context_share_highest is not None:
        highest = percent(spending.context_share_highest)
        where = f"of the context window{fullest_place(spending)}"
        tiles.append(AuditTile("largest call", highest, where))
    return tiles


def _records(card: AuditCard) -> str:
    if card.records is None:
        return ""
    counts = []
    for name, value in card.records.document().items():
        if isinstance(value, int):
            counts.append(f"{value:,} {in_words(name)}")
    return f"Records: {', '.join(counts)}." if counts else ""


# -- cost, panel, changes


def _charts(audit: AuditBlock) -> dict[str, PageChart]:
    charts = {}
    if audit.spending is not None and audit.spending.by_week:
        charts["cost"] = cost_chart(audit.spending)
    if audit.panel is not None and audit.panel.weeks:
        errors = error_chart(audit.panel)
        if errors is not None:
            charts["errors"] = errors
    context = context_chart(audit)
    if context is not None:
        charts["context"] = context
    if audit.changes is not None and audit.changes.recorded:
        times = audit.session_times or []
        recorded = audit.changes.recorded
        charts["changes"] = change_chart(recorded, times, session_count(audit))
    return charts


def _models(spending: SpendingBlock | None) -> list[list[TableCell]]:
    if spending is None:
        return []
    rows = []
    for row in spending.by_model:
        cells = (
            plain(row.model),
            f"{row.model_calls:,}",
            tokens(row.input_tokens),
            tokens(row.cache_read_tokens),
            tokens(row.output_tokens),
            dollars(row.cost_usd),
        )
        rows.append([TableCell(text) for text in cells])
    return rows


def _panel(audit: AuditBlock) -> list[PanelRow]:
    if audit.panel is None:
        return []
    rows = []
    for name in ROWS:
        figure = audit.panel.figures.get(name)
        if figure is None or figure.value is None:
            continue
        known = [value for value in figure.by_week if value is not None]
        rows.append(
            PanelRow(
                name=row_label(name),
                whole=figure_value(name, figure.scale, figure.value),
                first=figure_value(name, figure.scale, known[0] if known else None, figure.value),
                last=figure_value(name, figure.scale, known[-1] if known else None, figure.value),
                spark=spark_points(figure.by_week),
            )
        )
    return rows


def _moves(audit: AuditBlock) -> list[tuple[str, str, str]]:
    changes = audit.changes
    panel = audit.panel
    if changes is None or panel is None:
        return []
    rows = []
    for point in changes.points:
        for moved in point.moved:
            figure = panel.figures.get(moved.figure, FigureBlock())
            words = clause(moved.figure, figure.scale, moved.before, moved.after)
            rows.append((day(point.time), words, "bad" if moved.worse else "good"))
    rows += [(when, words, "bad") for when, words in step_words(audit)]
    for words in drift_words(changes, panel):
        rows.append(("over time", words, ""))
    return rows
