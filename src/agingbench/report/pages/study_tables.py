"""The tables of a study's page: events, typed state and controllers, age and chains of facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from agingbench.cards.model import Card
from agingbench.report.layout import MISSING, interval_text, number
from agingbench.report.pages.charts import TableCell
from agingbench.report.pages.study_arms import ARM_COLUMNS, arm_rows, has_arms
from agingbench.report.series import Series, by_series, events
from agingbench.traces.files import read_json


class StudyTable(msgspec.Struct, frozen=True):
    """A table with the sentence above it."""

    title: str
    about: str
    columns: list[str]
    rows: list[list[TableCell]]


class PooledShare(msgspec.Struct, frozen=True):
    """A share as dependency_metrics.json holds it."""

    value: float | None = None
    n: int = 0


class DependencyRecord(msgspec.Struct, frozen=True):
    """What a reader needs of dependency_metrics.json."""

    lag_recall: dict[str, PooledShare] = {}
    chain_recall_by_depth: dict[str, PooledShare] = {}
    chain_recall_by_span: dict[str, PooledShare] = {}


def study_tables(
    series: Sequence[Series], cards: Sequence[Card], folders: Sequence[Path | None]
) -> list[StudyTable]:
    """What events cost, what repairs did, how old and chained facts fare, where cards hold it."""
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
    in_order = sorted(columns, key=_first_number)
    table = []
    for (system, condition), sums in pooled.items():
        cells = [TableCell(system), TableCell(condition)]
        for key in in_order:
            total, n = sums.get(key, (0.0, 0))
            cells.append(TableCell(f"{number(total / n)} ({n})" if n else MISSING))
        table.append(cells)
    return StudyTable(
        title, f"{about} In brackets how many.", ["system", "condition", *in_order], table
    )


def _first_number(name: str) -> tuple[int, str]:
    """Where a column such as 2-3 stands among others."""
    digits = re.match(r"\d{1,9}", name)
    return (int(digits[0]) if digits else 0, name)
