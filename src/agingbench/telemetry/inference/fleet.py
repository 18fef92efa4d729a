"""Fleets: which outcome belongs to which project, and the answer after correction over projects."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agingbench.cards.check import finish_card
from agingbench.records import ReadLog
from agingbench.telemetry.inference.evidence import ALPHA
from agingbench.telemetry.profile import MECHANISMS
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.outcomes import OutcomeEvent, session_places

CORRECTION = "Benjamini-Hochberg over the rows of the fleet"


@dataclass
class Fleet:
    """What the projects of a fleet share: their number, and the outcomes given for all of them."""

    rows: int
    outcomes: int | None = None  # how many were read; None where none were given
    unmatched: int = 0
    log: ReadLog = field(default_factory=ReadLog)
    # Lines of the outcomes that could not be read.
    problems: list[dict[str, Any]] = field(default_factory=list)

    def outcome_counts(self) -> dict[str, int] | None:
        """Return how many outcomes were read, linked, unmatched and malformed."""
        if self.outcomes is None:
            return None

        linked = self.outcomes - self.unmatched
        broken = self.log.n_malformed
        return {
            "read": self.outcomes,
            "linked": linked,
            "unmatched": self.unmatched,
            "malformed": broken,
        }


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
            home = homes[event.session_id][1] if event.session_id in homes else None
        elif event.timestamp is not None:
            begun = bisect_right(starts, event.timestamp, key=lambda pair: pair[0])
            home = starts[begun - 1][1] if begun else None

        if home is None:
            unmatched += 1
        else:
            shared[home].append(event)

    return shared, unmatched


def corrected(
    card: dict[str, Any], p: float | None, p_fleet: float | None, rows: int
) -> dict[str, Any]:
    """Return the card of a project after correction over the fleet.

    What the project said by itself is kept beside it, labelled as uncorrected.
    """
    card = copy.deepcopy(card)
    head = card["headline"]
    audit = card["trace_audit"]
    alone = {"aging_detected": head["aging_detected"], "aging_reason": head["aging_reason"]}
    withdrawn = bool(alone["aging_detected"]) and (p_fleet is None or p_fleet > ALPHA)
    audit["fleet"] = {
        "rows": rows,
        "correction": CORRECTION,
        "p": p,
        "p_fleet": p_fleet,
        "uncorrected": {**alone, "dominant_mechanism": audit["dominant_mechanism"]["dominant"]},
    }

    for block in (head, audit["headline"]):
        block["aging_detected_uncorrected"] = alone["aging_detected"]
        if withdrawn:
            block["aging_detected"] = None
            block["aging_reason"] = (
                f"{alone['aging_reason']} by itself, but not after correction over {rows} projects"
                f" (p {p_fleet:.3f})"
            )

    if withdrawn:
        _withdraw(audit, rows)

    return finish_card(card)


def _withdraw(audit: dict[str, Any], rows: int) -> None:
    """Take back the answers of the mechanisms that fired."""
    fired = [name for name in MECHANISMS if audit[name]["fired"]]
    for name in fired:
        audit[name] |= {"fired": None, "fired_uncorrected": True}
        audit[name]["reason"] = f"fired by itself, but not after correction over {rows} projects"

    audit["dominant_mechanism"] = {
        "dominant": None,
        "reason": "no_independent_evidence",
        "scores": {},
        "evidence": {},
        "compatible": fired,
    }
    audit["signature"] = audit["repair"] = None
