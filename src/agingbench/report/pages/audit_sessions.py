"""The sessions of an audit, one row each, to which its signals, charts and records lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agingbench.cards.audit import AuditBlock, FigureBlock
from agingbench.report.audit_figures import day, figure_value, percent, row_label, tokens
from agingbench.report.layout import MISSING, in_words
from agingbench.report.pages.charts import TableCell
from agingbench.report.text import plain

MOST_WORST = 3
SHOWN_FIGURES = (
    "tool_errors",
    "calls_per_request",
    "tokens_per_request",
    "dollars_per_request",
    "corrections",
)


class AuditSession(msgspec.Struct, frozen=True):
    """One session of an audit: its figures, what changed with it, which signals count it."""

    id: str
    cells: list[TableCell]
    notes: list[TableCell]


class SessionTable(msgspec.Struct, frozen=True):
    """Every session of an audit."""

    columns: list[str]
    rows: list[AuditSession]


def session_anchor(place: int) -> str:
    """Where the page shows a session."""
    return f"session-{place}"


def evidence_anchor(mechanism: str, signal: object) -> str:
    """Where the page lists the records behind a signal."""
    return f"evidence-{mechanism}-{plain(signal)}"


def session_link(session: object, count: int) -> str:
    """The place of a session that a record names; empty where there is no such session."""
    if not isinstance(session, int) or isinstance(session, bool):
        return ""
    return session_anchor(session) if 0 <= session < count else ""


def session_count(audit: AuditBlock) -> int:
    """How many sessions the figures of a card speak of."""
    lengths = [len(audit.session_times or [])]
    if audit.panel is not None:
        lengths += [len(figure.by_session) for figure in audit.panel.figures.values()]
    for finding in audit.findings().values():
        for name, series in finding.others.items():
            if name.endswith("_trajectory") and isinstance(series, list):
                lengths.append(len(series))
    return max(lengths)


def compacted_sessions(audit: AuditBlock) -> dict[int, float]:
    """The sessions in which the context was compacted, with the tokens that it had then."""
    figure = None if audit.panel is None else audit.panel.figures.get("context_at_compaction")
    if figure is None:
        return {}
    pairs = enumerate(figure.by_session)
    return {place: value for place, value in pairs if value is not None}


def worst_sessions(series: Sequence[Any], signal: Mapping[str, Any]) -> list[TableCell]:
    """The sessions in which a signal lies furthest to its bad side; empty where none is known."""
    moderate = signal.get("moderate_effect")
    if not isinstance(moderate, int | float):
        return []
    neutral = 1.0 if "factor" in str(signal.get("effect_unit")) else 0.0
    sign = 1.0 if moderate > neutral else -1.0
    known = []
    for place, value in enumerate(series):
        if isinstance(value, int | float) and not isinstance(value, bool):
            known.append((-sign * value, place))
    if len({value for value, _ in known}) < 2:
        return []
    worst = sorted(known)[:MOST_WORST]
    return [TableCell(f"session {place}", session_anchor(place)) for _, place in worst]


def session_table(audit: AuditBlock) -> SessionTable | None:
    """The sessions of an audit; None where its card speaks of none."""
    count = session_count(audit)
    if not count:
        return None
    figures = _figures(audit)
    shares = audit.compression.others.get("saturation_trajectory")
    has_context = isinstance(shares, list)
    notes = _notes(audit, count)
    times = audit.session_times or []
    rows = []
    for place in range(count):
        texts = [str(place), day(_at(times, place), with_year=True)]
        if has_context:
            share = _at(shares, place)
            texts.append(percent(share) if isinstance(share, int | float) else MISSING)
        for name, figure in figures.items():
            value = _at(figure.by_session, place)
            texts.append(figure_value(name, figure.scale, value, figure.value))
        cells = [TableCell(text) for text in texts]
        rows.append(AuditSession(session_anchor(place), cells, notes.get(place, [])))
    columns = ["session", "day", *(["context of the window"] if has_context else [])]
    return SessionTable([*columns, *(row_label(name) for name in figures)], rows)


def _figures(audit: AuditBlock) -> dict[str, FigureBlock]:
    if audit.panel is None:
        return {}
    found = {}
    for name in SHOWN_FIGURES:
        figure = audit.panel.figures.get(name)
        if figure is not None and any(value is not None for value in figure.by_session):
            found[name] = figure
    return found


def _at(values: Any, place: int) -> Any:
    return values[place] if place < len(values) else None


def _notes(audit: AuditBlock, count: int) -> dict[int, list[TableCell]]:
    """What was recorded at each session, and how many of its records each signal names."""
    notes: dict[int, list[TableCell]] = {}
    for place, size in compacted_sessions(audit).items():
        words = f"context compacted at {tokens(size)} tokens"
        notes.setdefault(place, []).append(TableCell(words))
    if audit.changes is not None:
        for change in audit.changes.recorded:
            cell = TableCell(plain(change.what), "changes")
            notes.setdefault(change.session, []).append(cell)
    for mechanism, signal in audit.dominant_mechanism.signals():
        named: dict[int, int] = {}
        for record in signal.records or []:
            if session_link(record.session, count):
                named[record.session] = named.get(record.session, 0) + 1
        for session, n in named.items():
            noun = "record" if n == 1 else "records"
            words = f"{n} {noun} of {in_words(signal.signal)}"
            link = evidence_anchor(mechanism, signal.signal)
            notes.setdefault(session, []).append(TableCell(words, link))
    return notes
