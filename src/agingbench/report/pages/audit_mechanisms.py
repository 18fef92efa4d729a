"""The mechanisms of an audit's page: their signals, the sessions and the records behind them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from agingbench.cards.audit import AuditBlock, MechanismFinding
from agingbench.report.audit_signals import (
    leaves_room,
    reading_words,
    reason_words,
    shape_words,
    unit_words,
    value_words,
)
from agingbench.report.layout import MISSING, in_words, interval_text, number
from agingbench.report.pages.audit_charts import signal_chart
from agingbench.report.pages.audit_sessions import (
    evidence_anchor,
    session_count,
    session_link,
    worst_sessions,
)
from agingbench.report.pages.charts import PageChart, TableCell
from agingbench.report.pages.records import RecordTexts
from agingbench.report.text import plain

_FIRED = {True: ("fired", "bad"), False: ("not seen", "good"), None: ("cannot tell", "weak")}

_NEUTRAL = "neutral"


class SignalView(msgspec.Struct, frozen=True):
    """One signal of a mechanism: its chart, and whether it leads."""

    chart: PageChart
    leads: bool
    records: str  # where the page lists the records behind it; empty where it lists none
    sessions: list[TableCell]  # those in which it lies furthest to the bad side


class MechanismView(msgspec.Struct, frozen=True):
    """What an audit says of one mechanism, with its signals."""

    name: str
    verdict: str
    badge: str
    reason: str
    weak: bool
    signals: list[SignalView]


class EvidenceView(msgspec.Struct, frozen=True):
    """A signal that fired and the records that it counts."""

    id: str
    signal: str
    mechanism: str
    words: str
    records: list[list[TableCell]]


def mechanism_views(audit: AuditBlock) -> list[MechanismView]:
    """What an audit says of each mechanism."""
    views = []
    times = audit.session_times or []
    pairs = audit.dominant_mechanism.signals()
    listed = {evidence_anchor(mechanism, signal.signal) for mechanism, signal in pairs}
    for name, finding in audit.findings().items():
        verdict, badge = _FIRED[finding.fired]
        if finding.fired is False and leaves_room(finding):
            badge = _NEUTRAL
        views.append(
            MechanismView(
                name=name,
                verdict=verdict,
                badge=badge,
                reason=reason_words(finding),
                weak=bool(finding.weak_evidence),
                signals=_signals(name, finding, times, listed),
            )
        )
    return views


def _signals(
    mechanism: str,
    finding: MechanismFinding,
    times: Sequence[float | None],
    listed: Collection[str],
) -> list[SignalView]:
    signals = finding.others.get("signals")
    if not isinstance(signals, dict):
        return []
    views = []
    for name, one in signals.items():
        series = finding.others.get(f"{name}_trajectory")
        if not isinstance(series, list) or not isinstance(one, dict):
            continue
        if sum(isinstance(value, int | float) for value in series) < 2:
            continue
        heading = f"{in_words(name)}: {shape_words(one, series, finding.fired)}"
        chart_name = f"{mechanism}_{plain(name)}"
        notes = (_effect_words(name, one), value_words(name, one), reading_words(one, finding))
        note = " ".join(words for words in notes if words)
        chart = signal_chart(chart_name, series, times, heading, note)
        records = evidence_anchor(mechanism, name)
        leads = name == finding.leading_signal
        worst = worst_sessions(series, one)
        views.append(SignalView(chart, leads, records if records in listed else "", worst))
    return views


def _effect_words(name: str, signal: Mapping[str, Any]) -> str:
    """The effect of a signal with its interval, its unit, and what would be worth a warning."""
    effect = number(signal.get("effect"), 3)
    if effect == MISSING:
        return "No effect can be estimated: the values are too few or all alike."
    ci = signal.get("effect_ci")
    bounds = ci if isinstance(ci, list) and len(ci) == 2 else None
    level = signal.get("effect_ci_level")
    width = f"{100 * level:.0f} %" if isinstance(level, float) else "its"
    words = f"Effect {effect}, {width} interval {interval_text(bounds, 3, False)}"
    unit = unit_words(name, signal)
    if unit:
        words += f" ({unit})"
    moderate = number(signal.get("moderate_effect"), 2)
    if moderate != MISSING:
        words += f"; a moderate change would be {moderate}"
    return f"{words}."


def evidence_views(audit: AuditBlock, texts: RecordTexts | None) -> list[EvidenceView]:
    """Each signal that fired with its records, and their texts where traces were given."""
    count = session_count(audit)
    views = []
    for mechanism, signal in audit.dominant_mechanism.signals():
        effect = number(signal.effect, 3)
        words = f"effect {effect}, p {number(signal.p, 3)}, n {plain(signal.n)}"
        records = []
        for place in signal.records or []:
            link = session_link(place.session, count)
            row = [TableCell(_shown(place.session), link)]
            row += [TableCell(_shown(part)) for part in (place.file, place.line, place.event)]
            if texts is not None:
                row.append(TableCell(texts.words(place)))
            records.append(row)
        anchor = evidence_anchor(mechanism, signal.signal)
        views.append(EvidenceView(anchor, in_words(signal.signal), mechanism, words, records))
    return views


def _shown(part: object) -> str:
    return MISSING if part is None else plain(part)
