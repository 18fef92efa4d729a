"""The page of one life: from its card, and from its run folder where there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from agingbench.cards.model import Card
from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.diagnosis import read_diagnosis
from agingbench.report.layout import in_words
from agingbench.report.pages import life_accounts, life_facts, life_figures, life_titles
from agingbench.report.pages.answer_counts import count_answers
from agingbench.report.pages.charts import (
    PageChart,
    TableCell,
    account_chart,
    curve_chart,
    stage_chart,
    token_chart,
)
from agingbench.report.pages.life_facts import CauseRow, FactBiography
from agingbench.report.pages.life_figures import FigureRow
from agingbench.report.pages.memory_quotes import MemoryQuotes
from agingbench.report.pages.walk import WalkSession, WalkSources, walk
from agingbench.report.series import condition, events, turned_dials
from agingbench.report.terminal import card_notes, cost_words
from agingbench.report.text import plain
from agingbench.trials.autopsy import AutopsyDocument, read_autopsy
from agingbench.trials.run_folder import LifeFiles, ScoreRecord


class LifePage(msgspec.Struct, frozen=True):
    """Everything that the page of a life shows."""

    title: str
    condition: str
    dials: str
    answer: str
    follow_up: list[str]
    verdict: str
    tiles: list[FigureRow]
    headline: list[FigureRow]
    mechanism_title: str
    mechanisms: list[FigureRow]
    charts: dict[str, PageChart]
    account_title: str
    accounts: list[PageChart]
    repair: str
    evidence: str
    autopsy_title: str
    causes: list[CauseRow]
    loss_steps: list[list[TableCell]]
    biographies: list[FactBiography]
    walk: list[WalkSession]
    cost: str
    notes: list[str]
    missing: list[str]
    provenance: list[tuple[str, str]]


def life_page(document: Mapping[str, Any], folder: Path | None) -> LifePage:
    """The page of a life; without its folder it has no walk, no autopsy and no accounts."""
    card = Card.read(document)
    diagnosis = read_diagnosis(document)
    lifecycle = lifecycle_labels(card)
    missing: list[str] = []
    sources, autopsy = _sources(folder, lifecycle, missing)

    charts = {"curve": curve_chart(card, life_titles.curve_title(card), lifecycle)}
    if diagnosis is not None and diagnosis.sessions:
        charts["stages"] = stage_chart(diagnosis, life_titles.stage_title(diagnosis))
    readings_by_name: dict[str, list[AccountReading]] = {}
    if sources is not None:
        spent = life_accounts.spent_tokens(sources)
        if spent:
            charts["tokens"] = token_chart(spent, life_titles.token_title(spent))
        readings_by_name = life_accounts.account_readings(sources)
    accounts = []
    for place, (name, readings) in enumerate(readings_by_name.items()):
        accounts.append(account_chart(place, name, readings))

    counts = count_answers([sources.scores]) if sources is not None else None
    quotes = MemoryQuotes(sources.files) if sources is not None else None
    planned_accounts = sources.plan.graph.accounts if sources is not None else []
    hint = life_titles.repair_hint(diagnosis)
    return LifePage(
        title=plain(card.sut.sut_id),
        condition=f"{condition(card)}, seed {card.seed}",
        dials=turned_dials(card),
        answer=life_titles.answer(card),
        follow_up=life_titles.follow_up(card, diagnosis, autopsy, counts),
        verdict=life_titles.verdict(card),
        tiles=life_figures.tiles(card),
        headline=life_figures.headline_rows(card),
        mechanism_title=life_titles.mechanism_title(card),
        mechanisms=life_figures.mechanism_rows(card),
        charts=charts,
        account_title=life_titles.account_title(readings_by_name),
        accounts=accounts,
        repair=hint.get("try", ""),
        evidence=hint.get("evidence", ""),
        autopsy_title=life_titles.autopsy_title(autopsy),
        causes=life_facts.cause_rows(autopsy),
        loss_steps=life_facts.loss_rows(autopsy),
        biographies=life_facts.biographies(autopsy, quotes, planned_accounts),
        walk=walk(sources) if sources is not None else [],
        cost=cost_words(card.cost_and_efficiency),
        notes=card_notes(card),
        missing=missing,
        provenance=life_figures.provenance_rows(card),
    )


def lifecycle_labels(card: Card) -> dict[int, str]:
    """The lifecycle events of a life by the point at which they struck."""
    labels: dict[int, list[str]] = {}
    for event in events(card):
        match = re.search(r"@(\d{1,9})(?=$|:)", event)
        if match:
            name = event[: match.start()] + event[match.end() :]
            labels.setdefault(int(match[1]), []).append(in_words(name))
    return {t: ", ".join(names) for t, names in labels.items()}


# -- what a folder holds


def _sources(
    folder: Path | None, lifecycle: Mapping[int, str], missing: list[str]
) -> tuple[WalkSources | None, AutopsyDocument | None]:
    if folder is None or not (folder / "plan.json").exists():
        missing.append("Only the card was given: the walk, the autopsy and the accounts need the")
        missing[-1] += " run folder."
        return None, None

    files = LifeFiles(folder)
    autopsy = _autopsy(files, missing)
    stories = {story.probe: story for story in autopsy.probes} if autopsy is not None else {}
    scores = ScoreRecord()
    if files.metrics.exists():
        scores = files.scores()
    else:
        missing.append("There is no metrics.json: `agingbench score` decides the answers.")
    sources = WalkSources(
        files=files,
        plan=files.plan_record(),
        events=files.events() if files.trace.exists() else [],
        answers=files.answer_rows() if files.answers.exists() else [],
        scores=scores,
        stories=stories,
        lifecycle=lifecycle,
    )
    return sources, autopsy


def _autopsy(files: LifeFiles, missing: list[str]) -> AutopsyDocument | None:
    if not files.autopsy.exists():
        missing.append("There is no autopsy.json: `agingbench autopsy` follows every lost fact.")
        return None
    return read_autopsy(files.autopsy)
