"""A diagnosis as its file and the card hold it, and the repair that its evidence supports, in
words.
"""

from __future__ import annotations

from typing import TypedDict

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.bench.diagnosis.ladder import CONDITIONS, MAINTENANCE, P2, P3, Diagnosis
from agingbench.bench.plan.plan import Plan
from agingbench.cards.figures import Figure, Section
from agingbench.cards.model import CostAndEfficiency, DiagnosisSection
from agingbench.metrics.intervals import Estimate
from agingbench.metrics.shares import STAGES, STORE, StageShares, StoreChange

SHARE_NAMES = {
    "U": "utilization_share",
    "W": "write_share",
    "R": "retrieval_share",
    "W+R": "write_retrieval_share",
}

# What to try, by stage. Nothing here is known of a particular life; the evidence beside it is.
TRY = {
    "write": (
        "change what is written: a compaction prompt that keeps exact values (careful), a larger"
        " word budget, one unit per session in place of one summary, typed state for running totals"
    ),
    "retrieval": (
        "change what is read: more units at once (k), a ranking that tells look-alikes and versions"
        " apart, units that hold one thing each"
    ),
    "utilization": (
        "change who reads: a stronger model, a plainer prompt, a tool that adds up what has to be"
        " added up; more memory will not help"
    ),
    "write+retrieval": (
        "keep retrievable units (append_only, lossy_episodic) to tell write and retrieval apart, or"
        " try both: a compaction prompt that keeps exact values (careful) and a larger word budget"
    ),
    STORE: (
        "guard the store at the event: save it before and put it back, keep what is exact out of"
        " reach of it, or have it read again from the source afterwards"
    ),
}

# What to try first where most of it shows in the probes of one mechanism.
FIRST = {
    (
        "write",
        "revision",
    ): "write corrections and running totals as values of their own (typed state)",
    (
        "write+retrieval",
        "revision",
    ): "write corrections and running totals as values of their own (typed state)",
    ("write", "interference"): "write the full name of what a fact is about beside it",
    (
        "retrieval",
        "interference",
    ): "rank by the full name of what is asked for, so that look-alikes come last",
    ("retrieval", "revision"): "let the latest version of a fact come before the earlier ones",
    (
        "utilization",
        "revision",
    ): "give it a tool that adds up, and show it the latest version alone",
}


class DiagnosisHint(Section, frozen=True, kw_only=True):
    """Which stage fails, what to try, and on what evidence."""

    stage: str
    advice: str = msgspec.field(name="try")
    evidence: str
    mechanism: str | None


class DiagnosisCell(DiagnosisSection, frozen=True, kw_only=True):
    """The shares of one set of probes; in an anomaly there are none, and the ladder shows why."""

    n: int
    n_facts: int
    n_excluded: int
    abstained: bool
    diagnostic_anomaly: bool
    accuracy: dict[str, Figure]
    shares: dict[str, Figure] | None


class SessionCell(DiagnosisCell, frozen=True, kw_only=True):
    """The cell of the probes at one point."""

    t: int


class EventChange(msgspec.Struct, frozen=True, kw_only=True):
    """What one lifecycle event took out of the store."""

    event: str
    at: int
    of: str
    delta_s: Figure
    before: Figure
    after: Figure
    n_excluded: int


class DiagnosisDocument(DiagnosisCell, frozen=True, kw_only=True):
    """diagnosis.json, and the card's section of that name; its own cell is the whole life."""

    plan_hash: str
    conditions: dict[str, str]
    points: tuple[int, int]
    end_to_end: bool
    abstentions: list[str]
    anomalies: list[str]
    excluded_by_condition: dict[str, int]
    sessions: list[SessionCell]
    mechanisms: dict[str, DiagnosisCell]
    events: list[EventChange]
    stage: str | None
    hint: DiagnosisHint | None
    cost: CostAndEfficiency


class MechanismShares(Section, frozen=True, kw_only=True):
    """What a diagnosis adds to one mechanism of the card."""

    diagnostic_anomaly: bool | UnsetType = UNSET
    utilization_share: Figure | UnsetType = UNSET
    write_share: Figure | UnsetType = UNSET
    retrieval_share: Figure | UnsetType = UNSET
    write_retrieval_share: Figure | UnsetType = UNSET
    delta_s: Figure | UnsetType = UNSET


def diagnosis_document(diagnosis: Diagnosis, plan: Plan) -> DiagnosisDocument:
    """The diagnosis of a life as its file and its card hold it."""
    sessions = diagnosis.sessions
    mechanisms = diagnosis.mechanisms
    cells = {
        "life": diagnosis.life,
        **{f"session {t}": cell for t, cell in sessions.items()},
        **{f"mechanism {name}": cell for name, cell in mechanisms.items()},
    }
    abstained = any(cell.abstained for cell in sessions.values())
    return DiagnosisDocument(
        **_cell_fields(diagnosis.life),
        plan_hash=plan.hash,
        conditions=dict(CONDITIONS),
        points=(1, plan.n_sessions),
        end_to_end=diagnosis.end_to_end,
        abstentions=[P2] if abstained else [],
        anomalies=[name for name, cell in cells.items() if cell.diagnostic_anomaly],
        excluded_by_condition=dict(diagnosis.excluded),
        sessions=[SessionCell(t=t, **_cell_fields(cell)) for t, cell in sessions.items()],
        mechanisms={name: diagnosis_cell(cell) for name, cell in mechanisms.items()},
        events=[_event_change(change) for change in diagnosis.events],
        stage=diagnosis.stage,
        hint=repair_hint(diagnosis),
        cost=CostAndEfficiency.of(diagnosis.usage),
    )


def diagnosis_cell(cell: StageShares) -> DiagnosisCell:
    """One cell as the file holds it."""
    return DiagnosisCell(**_cell_fields(cell))


class _CellFields(TypedDict):
    n: int
    n_facts: int
    n_excluded: int
    abstained: bool
    diagnostic_anomaly: bool
    accuracy: dict[str, Figure]
    shares: dict[str, Figure] | None


def _cell_fields(cell: StageShares) -> _CellFields:
    """Return the fields of a cell; a memory that cannot be split into stages has no shares."""
    shares = {name: Figure.of(estimate) for name, estimate in cell.shares.items()}
    accuracy = {name: Figure.of(estimate) for name, estimate in cell.accuracy.items()}
    return _CellFields(
        n=cell.n,
        n_facts=cell.n_facts,
        n_excluded=cell.n_excluded,
        abstained=cell.abstained,
        diagnostic_anomaly=cell.diagnostic_anomaly,
        accuracy=accuracy,
        shares=shares or None,
    )


def _event_change(change: StoreChange) -> EventChange:
    return EventChange(
        event=change.event,
        at=change.at,
        of=change.of,
        delta_s=Figure.of(change.delta),
        before=Figure.of(change.before),
        after=Figure.of(change.after),
        n_excluded=change.n_excluded,
    )


def mechanism_shares(diagnosis: Diagnosis) -> dict[str, MechanismShares]:
    """What the diagnosis adds to each mechanism of the card: its shares, and ΔS for maintenance."""
    sections: dict[str, MechanismShares] = {}
    for name, cell in diagnosis.mechanisms.items():
        section = MechanismShares(diagnostic_anomaly=cell.diagnostic_anomaly)
        shares = {SHARE_NAMES[key]: Figure.of(share) for key, share in cell.shares.items()}
        sections[name] = msgspec.structs.replace(section, **shares)

    if diagnosis.events:
        section = sections.get(MAINTENANCE, MechanismShares())
        change = Figure.of(diagnosis.events[0].delta)
        sections[MAINTENANCE] = msgspec.structs.replace(section, delta_s=change)
    return sections


# -- what to do about it


def repair_hint(diagnosis: Diagnosis) -> DiagnosisHint | None:
    """Which stage to repair and how; None where the intervals support no stage."""
    stage = diagnosis.stage
    if stage is None:
        return None

    advice = TRY[stage]
    mechanism = None
    if stage == STORE:
        evidence = _store_evidence(diagnosis)
    else:
        evidence = _share_evidence(diagnosis, stage)
        leader = _leading_mechanism(diagnosis, stage)
        if leader is not None:
            mechanism, share = leader
            evidence += f" Most of it shows in {mechanism} probes: {_words(share)}."
            first = FIRST.get((stage, mechanism))
            advice = f"{first}; then {advice}" if first else advice

    if diagnosis.end_to_end and stage == "retrieval":
        evidence += " The agent owns its loop: this is its own way of looking things up."
    return DiagnosisHint(
        stage=stage,
        advice=advice,
        evidence=evidence,
        mechanism=mechanism,
    )


def _share_evidence(diagnosis: Diagnosis, stage: str) -> str:
    key = next(key for key, name in STAGES.items() if name == stage)
    rungs = diagnosis.life.accuracy
    told = {
        "U": "of the answers are still wrong with the facts themselves in front of it",
        "W": (
            "of the answers are lost because the store does not state the facts:"
            f" {_percent(rungs[P3])} are right with the facts in front of it,"
            f" {_percent(rungs.get(P2))} with the best its own store holds"
        ),
        "R": (
            "of the answers are lost although the store states the facts:"
            f" {_percent(rungs.get(P2))} are right with the right units in front of it,"
            f" {_percent(rungs['as_lived'])} with what it reads itself"
        ),
        "W+R": (
            f"of the answers are lost between being told and being read: {_percent(rungs[P3])} are"
            f" right with the facts in front of it, {_percent(rungs['as_lived'])} as it lived. The"
            " memory is one blob, so write and retrieval cannot be told apart"
        ),
    }
    return f"{_words(diagnosis.life.shares[key])} {told[key]}."


def _store_evidence(diagnosis: Diagnosis) -> str:
    changes = [change for change in diagnosis.events if change.supported]
    worst = max(changes, key=lambda change: change.delta.value or 0.0)
    return (
        f"{worst.event} took {_words(worst.delta)} of the answers out of reach; before it"
        f" {_percent(worst.before)} were missing, after it {_percent(worst.after)}."
    )


def _leading_mechanism(diagnosis: Diagnosis, stage: str) -> tuple[str, Estimate] | None:
    # Named only where its interval lies above the share of the whole life.
    key = next(key for key, name in STAGES.items() if name == stage)
    whole = diagnosis.life.shares[key].value or 0.0
    cells = [
        (name, cell.shares[key])
        for name, cell in diagnosis.mechanisms.items()
        if key in cell.shares
    ]
    clear = []
    for name, share in cells:
        above_whole = share.low is not None and share.low > whole
        if name != MAINTENANCE and above_whole:
            clear.append((name, share))
    return max(clear, key=lambda pair: pair[1].value or 0.0, default=None)


def _words(estimate: Estimate) -> str:
    low = estimate.low or 0.0
    high = estimate.high or 0.0
    return f"{_percent(estimate)} ({low:.0%} to {high:.0%}, n = {estimate.n})"


def _percent(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "none"
    return f"{estimate.value:.0%}"


def incomplete_warning(missing: int) -> str:
    """The warning of a card whose diagnosis was begun and not finished."""
    return (
        f"diagnosis_incomplete: {missing} answers are still to be asked; `agingbench diagnose`"
        " goes on"
    )
