"""The JSON documents of `agingbench audit`: one project, or a fleet of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.cards.audit import AuditChange
from agingbench.records import Problem
from agingbench.telemetry.audit import Audit

CardJson = Mapping[str, object]  # a card, or a block of it, as its file holds it


class RecordTotals(msgspec.Struct, frozen=True):
    """What became of the records of all projects of a fleet."""

    used: int
    ignored: int
    duplicate: int
    malformed: int


class AuditDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of one project."""

    card: CardJson
    records: CardJson
    files: list[str]
    problems: list[Problem]
    evidence: CardJson
    p: float | None
    against: AuditChange | UnsetType = UNSET


class FleetRowDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of one project of a fleet, with its answer before and after correction."""

    name: str
    card: CardJson
    records: CardJson
    files: list[str]
    problems: list[Problem]
    evidence: CardJson
    aging_detected: bool | None
    aging_detected_uncorrected: bool | None
    p: float | None
    p_fleet: float | None


class OutcomesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the outcome events that were given for a whole fleet."""

    read: int
    linked: int
    unmatched: int
    malformed: int
    problems: list[Problem]


class FleetDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The most evident project of a fleet, the totals, and every project."""

    card: CardJson
    records: RecordTotals
    files: list[str]
    problems: list[Problem]
    evidence: CardJson
    fleet: list[FleetRowDocument]
    outcomes: OutcomesDocument | UnsetType = UNSET


def audit_document(audit: Audit, change: AuditChange | None) -> AuditDocument:
    """Return the document of one project; `change` compares it with an earlier audit."""
    card = audit.card
    return AuditDocument(
        card=card,
        records=card["records"],
        files=audit.files,
        problems=audit.problems,
        evidence=card["trace_audit"]["dominant_mechanism"]["evidence"],
        p=audit.p,
        against=UNSET if change is None else change,
    )


def fleet_document(audits: Sequence[Audit]) -> FleetDocument:
    """Return the document of several projects, the most evident first."""
    rows = [_row(audit) for audit in audits]
    files: list[str] = []
    problems: list[Problem] = []
    for row in rows:
        files += row.files
        problems += row.problems

    return FleetDocument(
        card=rows[0].card,
        records=_totals(audits),
        files=files,
        problems=problems,
        evidence=rows[0].evidence,
        fleet=rows,
        outcomes=_outcomes(audits[0]),
    )


def _row(audit: Audit) -> FleetRowDocument:
    card = audit.card
    uncorrected = audit.trace_card.headline.aging_detected_uncorrected
    return FleetRowDocument(
        name=audit.name,
        card=card,
        records=card["records"],
        files=audit.files,
        problems=audit.problems,
        evidence=card["trace_audit"]["dominant_mechanism"]["evidence"],
        aging_detected=audit.detected,
        aging_detected_uncorrected=audit.detected if uncorrected is UNSET else uncorrected,
        p=audit.p,
        p_fleet=audit.p_fleet,
    )


def _totals(audits: Sequence[Audit]) -> RecordTotals:
    records = [audit.trace_card.records for audit in audits]
    return RecordTotals(
        used=sum(counts.used for counts in records),
        ignored=sum(counts.ignored for counts in records),
        duplicate=sum(counts.duplicate for counts in records),
        malformed=sum(counts.malformed for counts in records),
    )


def _outcomes(audit: Audit) -> OutcomesDocument | UnsetType:
    """Return the outcomes of the fleet; UNSET where none were given for the whole of it."""
    fleet = audit.fleet
    counts = None if fleet is None else fleet.outcome_counts()
    if fleet is None or counts is None:
        return UNSET

    return OutcomesDocument(
        read=counts.read,
        linked=counts.linked,
        unmatched=counts.unmatched,
        malformed=counts.malformed,
        problems=fleet.problems,
    )
