"""Chooses the page that fits what was given, and makes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.report.pages.audit import audit_page, fleet_page, page_charts
from agingbench.report.pages.document import write_page
from agingbench.report.pages.life import life_page
from agingbench.report.pages.sources import CardSource
from agingbench.report.pages.study import page_charts as study_charts
from agingbench.report.pages.study import study_page


class WrittenReport(msgspec.Struct, frozen=True):
    """A report that was written: of which kind, from how many cards, and how large."""

    file: str
    kind: str
    cards: int
    bytes: int


def write_report(sources: Sequence[CardSource], out: Path) -> WrittenReport:
    """Write the page of these cards; raises InputError for kinds that no page shows together."""
    kinds = {source.kind for source in sources}
    if len(kinds) > 1:
        names = ", ".join(sorted(kinds))
        raise InputError(f"cards of several kinds ({names}); make one report of each")
    kind = kinds.pop()
    if kind == "life" and len(sources) == 1:
        size = _write_life(sources[0], out)
        return WrittenReport(str(out), "life", 1, size)
    if kind == "life":
        return WrittenReport(str(out), "study", len(sources), _write_study(sources, out))
    if kind == "trace":
        name = "audit" if len(sources) == 1 else "fleet"
        return WrittenReport(str(out), name, len(sources), _write_audits(sources, out))
    raise InputError(
        "there is no page for resumption runs; `agingbench card show` prints their cards"
    )


def _write_life(source: CardSource, out: Path) -> int:
    page = life_page(source.document, source.folder)
    charts = [*page.charts.values(), *page.accounts]
    return write_page(out, "life.html.j2", f"{page.title}: {page.answer}", page, charts)


def _write_study(sources: Sequence[CardSource], out: Path) -> int:
    documents = [source.document for source in sources]
    page = study_page(documents, [source.folder for source in sources])
    return write_page(out, "study.html.j2", page.answer, page, study_charts(page))


def _write_audits(sources: Sequence[CardSource], out: Path) -> int:
    cards = [(_project(source), source.document) for source in sources]
    if len(cards) > 1:
        fleet = fleet_page(cards)
        return write_page(out, "fleet.html.j2", fleet.answer, fleet, [])
    name, document = cards[0]
    page = audit_page(document, name)
    title = f"{page.title}: {page.answer}"
    return write_page(out, "audit.html.j2", title, page, page_charts(page))


def _project(source: CardSource) -> str:
    """What an audited project is called: the folder of its card."""
    return source.file.resolve().parent.name
