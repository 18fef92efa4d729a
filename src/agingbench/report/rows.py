"""The rows of frames and tables: the figures of cards as they stand there, nothing computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agingbench.cards.audit import AuditCard
from agingbench.cards.comparison import Comparisons
from agingbench.cards.figures import Section
from agingbench.cards.model import Card, ResumptionGroup, ResumptionSection
from agingbench.errors import InputError
from agingbench.report.terminal import MECHANISM_FIGURES, mechanism_sections

RESUMPTION_FIGURES = (
    "quality",
    "continuation_correctness",
    "preservation_recall",
    "forgetting_precision",
    "context_tokens_mean",
)
FIGURES = ("m0", "m_final", "time_average", "decay_slope", "half_life")


def life_row(card: Card) -> dict[str, Any]:
    """One life: who, where, and the headline with intervals and counts."""
    row: dict[str, Any] = {
        "scenario": card.scenario,
        "system": card.sut.sut_id,
        "pressure": card.pressure.get("preset"),
        "sessions": card.n_sessions,
        "events": " ".join(card.others.get("lifecycle_events") or ()),
        "seed": card.seed,
        "metric": card.headline.metric_name,
    }
    for name in FIGURES:
        row |= figure_columns(card.headline, name)
    row["half_life_censored"] = card.headline.document().get("half_life_censored")
    row["aging_detected"] = card.headline.aging_detected
    cost = card.cost_and_efficiency.document()
    for name in ("total_calls", "total_input_tokens", "total_output_tokens", "total_cost_usd"):
        row[name] = cost.get(name)
    return row


def figure_columns(section: Section, name: str) -> dict[str, Any]:
    """The value of a figure, both ends of its interval, and its sample size."""
    document = section.document()
    low, high = document.get(f"{name}_ci") or (None, None)
    return {
        name: document.get(name),
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_n": document.get(f"{name}_n"),
    }


def curve_rows(card: Card) -> list[dict[str, Any]]:
    """One row for each point of the curve of a life."""
    who = {
        "scenario": card.scenario,
        "system": card.sut.sut_id,
        "pressure": card.pressure.get("preset"),
        "seed": card.seed,
    }
    return [{**who, "t": t, "m": m} for t, m in card.checkpoints]


def audit_row(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """One audited project: its answer, its size and what it cost."""
    card = AuditCard.read(document)
    spending = card.trace_audit.spending
    return {
        "project": name,
        "aging_detected": card.headline.aging_detected,
        "reason": card.headline.aging_reason,
        "sessions": card.n_sessions,
        "records": None if card.records is None else card.records.document().get("used"),
        "tokens": None if spending is None else spending.total.tokens,
        "cost_usd": None if spending is None else spending.total.cost_usd,
    }


def week_rows(name: str, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row for each week of an audited project; none where its card has no spending."""
    spending = AuditCard.read(document).trace_audit.spending
    if spending is None:
        return []
    return [
        {"project": name, "week": row.week, "tokens": row.tokens, "cost_usd": row.cost_usd}
        for row in spending.by_week
    ]


def comparison_rows(comparisons: Comparisons) -> list[dict[str, Any]]:
    """One row for each figure of each pair of systems under each condition."""
    rows = []
    for pair in comparisons.comparisons:
        for cell in pair.cells:
            for figure in cell.figures:
                low, high = figure.effect_ci or (None, None)
                row = {
                    "a": pair.a,
                    "b": pair.b,
                    "condition": cell.condition,
                    "figure": figure.figure,
                    "mean_a": figure.a,
                    "mean_b": figure.b,
                    "effect": figure.effect,
                    "effect_low": low,
                    "effect_high": high,
                    "p_value": figure.p_value,
                    "p_holm": figure.p_holm,
                    "n": figure.n,
                }
                rows.append(row)
    return rows


def mechanism_rows(card: Card) -> list[dict[str, Any]]:
    """One row for each figure of each mechanism that a life exercised."""
    rows = []
    for mechanism, section in mechanism_sections(card).items():
        for name in MECHANISM_FIGURES[mechanism]:
            figure = section.figure(name)
            if figure.value is None:
                continue
            low, high = figure.interval or (None, None)
            row: dict[str, Any] = {
                "scenario": card.scenario,
                "system": card.sut.sut_id,
                "pressure": card.pressure.get("preset"),
                "seed": card.seed,
                "mechanism": mechanism,
                "figure": name,
                "value": figure.value,
                "value_low": low,
                "value_high": high,
                "value_n": figure.count,
            }
            rows.append(row)
    return rows


def resumption_row(card: Card) -> dict[str, Any]:
    """One resumption run: who resumed from what, and the components with their intervals."""
    section = card.resumption
    if not isinstance(section, ResumptionSection):
        raise InputError(f"run {card.run_id}: the card has no resumption")
    row: dict[str, Any] = {
        "system": card.sut.sut_id,
        "consolidator": section.consolidator,
        "budget": section.budget,
        "judge": section.judge,
        "gate": section.gate,
    }
    group = section.groups.get("all", ResumptionGroup())
    for name in RESUMPTION_FIGURES:
        row |= figure_columns(group, name)
    return row
