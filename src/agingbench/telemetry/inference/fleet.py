"""Fleets: which outcome belongs to which project, and the answer after correction over projects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET
from msgspec.structs import replace

from agingbench.cards.audit import FleetOutcomes
from agingbench.cards.check import seal_card
from agingbench.records import Problem, ReadLog
from agingbench.telemetry.inference.dominant import DominantMechanism
from agingbench.telemetry.inference.evidence import ALPHA
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeEvent, session_places
from agingbench.telemetry.trace_card import (
    FleetCorrection,
    MechanismAudit,
    TraceAudit,
    TraceCard,
    UncorrectedAnswer,
)

CORRECTION = "Benjamini-Hochberg over the rows of the fleet"


@dataclass
class Fleet:
    """What the projects of a fleet share: their number, and the outcomes given for all of them."""

    rows: int
    outcomes: int | None = None  # how many were read; None where none were given
    unmatched: int = 0
    log: ReadLog = field(default_factory=ReadLog)
    # Lines of the outcomes that could not be read.
    problems: list[Problem] = field(default_factory=list)

    def outcome_counts(self) -> FleetOutcomes | None:
        """Return how many outcomes were read, linked, unmatched and malformed."""
        if self.outcomes is None:
            return None

        return FleetOutcomes(
            read=self.outcomes,
            linked=self.outcomes - self.unmatched,
            unmatched=self.unmatched,
            malformed=self.log.n_malformed,
        )


def share_outcomes(
    projects: Sequence[TraceSessions], events: Iterable[OutcomeEvent]
) -> tuple[list[list[OutcomeEvent]], int]:
    """Return the outcomes of each project, and how many belong to none.

    An outcome goes to the project that holds its session: the one with most of it where several do.
    One that names no session goes to the project whose session was the last to begin before it.
    """
    homes: dict[str, tuple[int, int]] = {}  # session -> (its events there, project)
    starts: list[tuple[float, int]] = []

    for number, trace in enumerate(projects):
        for name, at in session_places(trace).items():
            size = trace.sessions[at].events
            if name not in homes or size > homes[name][0]:
                homes[name] = (size, number)

        starts += [(s.start, number) for s in trace.sessions if s.start is not None]

    starts.sort()
    shared: list[list[OutcomeEvent]] = [[] for _ in projects]
    unmatched = 0

    for event in events:
        home: int | None = None
        if event.session_id is not None:
            name = event.session_id
            home = homes[name][1] if name in homes else _home_of_joined(name, projects)
        elif event.timestamp is not None:
            begun = bisect_right(starts, event.timestamp, key=lambda pair: pair[0])
            home = starts[begun - 1][1] if begun else None

        if home is None:
            unmatched += 1
        else:
            shared[home].append(event)

    return shared, unmatched


def _home_of_joined(name: str, projects: Sequence[TraceSessions]) -> int | None:
    """Return the project that holds a session as part of another one; None without one."""
    for number, trace in enumerate(projects):
        if trace.joined.get(name) is not None:
            return number
    return None


def corrected(card: TraceCard, p: float | None, p_fleet: float | None, rows: int) -> TraceCard:
    """Return the card of a project after correction over the fleet.

    What the project said by itself is kept beside it, labelled as uncorrected.
    """
    audit = card.trace_audit
    alone = UncorrectedAnswer(
        aging_detected=card.headline.aging_detected,
        aging_reason=card.headline.aging_reason,
        dominant_mechanism=audit.dominant_mechanism.dominant,
    )
    answer = {
        "aging_detected": alone.aging_detected,
        "aging_reason": alone.aging_reason,
        "aging_detected_uncorrected": alone.aging_detected,
    }
    withdrawn = bool(alone.aging_detected) and (p_fleet is None or p_fleet > ALPHA)
    if withdrawn:
        audit = _withdraw(audit, rows)
        answer["aging_detected"] = None
        answer["aging_reason"] = (
            f"{alone.aging_reason} by itself, but not after correction over {rows} projects"
            f" (p {p_fleet:.3f})"
        )

    audit = replace(
        audit,
        headline=replace(audit.headline, **answer),
        fleet=FleetCorrection(rows, CORRECTION, p, p_fleet, alone),
    )
    headline = replace(card.headline, **answer)
    return seal_card(replace(card, headline=headline, trace_audit=audit))


def _withdraw(audit: TraceAudit, rows: int) -> TraceAudit:
    """Return the audit with the answers of the mechanisms that fired taken back."""
    fired: dict[str, MechanismAudit] = {}
    for name, mechanism in audit.mechanisms().items():
        if mechanism.fired:
            reason = f"fired by itself, but not after correction over {rows} projects"
            fired[name] = replace(mechanism, fired=None, fired_uncorrected=True, reason=reason)

    return replace(
        audit,
        **fired,
        dominant_mechanism=DominantMechanism(
            dominant=None,
            reason="no_independent_evidence",
            scores={},
            evidence={},
            compatible=list(fired),
        ),
        signature=None,
        repair=None,
        left_out_weeks=UNSET,
    )
