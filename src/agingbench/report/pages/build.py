"""Chooses the page that fits what was given, and makes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.errors import InputError
from agingbench.report.pages.audit import audit_page, fleet_page, page_charts
from agingbench.report.pages.charts import PageChart
from agingbench.report.pages.document import write_page
from agingbench.report.pages.life import life_page
from agingbench.report.pages.records import RecordTexts
from agingbench.report.pages.resumption import page_charts as resumption_charts
from agingbench.report.pages.resumption import read_run, resumption_page
from agingbench.report.pages.sources import CardSource
from agingbench.report.pages.study import page_charts as study_charts
from agingbench.report.pages.study import study_page


class WrittenReport(msgspec.Struct, frozen=True):
    """A report that was written: of which kind, from how many cards, and how large."""

    file: str
    kind: str
    cards: int
    bytes: int


class ReportPage(msgspec.Struct, frozen=True):
    """A page that fits what was given: its kind, its template and everything that it shows."""

    kind: str
    template: str
    title: str
    page: Any
    charts: list[PageChart]


def write_report(
    sources: Sequence[CardSource], out: Path, traces: Path | None = None
) -> WrittenReport:
    """Write the page of these cards; raises InputError for kinds that no page shows together."""
    report = report_page(sources, traces)
    size = write_page(out, report.template, report.title, report.page, report.charts)
    return WrittenReport(str(out), report.kind, len(sources), size)


def report_page(
    sources: Sequence[CardSource], traces: Path | None = None, links: Sequence[str] = ()
) -> ReportPage:
    """The page of these cards; raises InputError for kinds that no page shows together.

    With `traces`, the page of one audit shows the texts of the records behind its signals.
    `links` are addresses of the pages of the single cards, to which a fleet leads.
    """
    kinds = {source.kind for source in sources}
    if len(kinds) > 1:
        names = ", ".join(sorted(kinds))
        raise InputError(f"cards of several kinds ({names}); make one report of each")
    kind = kinds.pop()
    if traces is not None and (kind != "trace" or len(sources) != 1):
        raise InputError("--traces goes with the card of one audit")
    if kind == "life":
        return _of_life(sources[0]) if len(sources) == 1 else _of_study(sources)
    if kind == "trace":
        return _of_audits(sources, traces, links)
    return _of_resumption(sources)


def _of_life(source: CardSource) -> ReportPage:
    page = life_page(source.document, source.folder)
    charts = [*page.charts.values(), *page.accounts]
    return ReportPage("life", "life.html.j2", f"{page.title}: {page.answer}", page, charts)


def _of_study(sources: Sequence[CardSource]) -> ReportPage:
    documents = [source.document for source in sources]
    page = study_page(documents, [source.folder for source in sources])
    return ReportPage("study", "study.html.j2", page.answer, page, study_charts(page))


def _of_audits(
    sources: Sequence[CardSource], traces: Path | None, links: Sequence[str]
) -> ReportPage:
    cards = [(_project(source), source.document) for source in sources]
    if len(cards) > 1:
        fleet = fleet_page(cards, links)
        return ReportPage("fleet", "fleet.html.j2", fleet.answer, fleet, [])
    name, document = cards[0]
    texts = None if traces is None else RecordTexts(traces)
    page = audit_page(document, name, texts)
    title = f"{page.title}: {page.answer}"
    return ReportPage("audit", "audit.html.j2", title, page, page_charts(page))


def _of_resumption(sources: Sequence[CardSource]) -> ReportPage:
    runs = [read_run(source.document, source.file.parent) for source in sources]
    page = resumption_page(runs)
    title = f"{page.title}: {page.answer}"
    return ReportPage("resumption", "resumption.html.j2", title, page, resumption_charts(page))


def _project(source: CardSource) -> str:
    """What an audited project is called: the folder of its card."""
    return source.file.resolve().parent.name
