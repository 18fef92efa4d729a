"""What a leaderboard holds: submissions, disputes, retractions, and the ranks made of them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from agingbench.cards.model import Track

SUBMISSION_VERSION = 1
Decision = Literal["keep", "retract"]


class SubmittedTrial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The trial behind the card of one seed."""

    seed: int
    trial_id: str
    record_hash: str
    content_hash: str
    completeness: str
    status: str
    reward: float | None


class Submission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a submitter states beside the cards of one key.

    `configuration` is the whole system under test; the cards carry its hash. `conflict` and `fork`
    say in words what the cards declare; None where they declare no.
    """

    version: int = SUBMISSION_VERSION
    key: str
    track: Track
    scenario: str
    submitter: str
    conflict: str | None
    fork: str | None
    configuration: dict[str, Any]
    trials: list[SubmittedTrial]


class OperatorRuling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one operator decided on a dispute, and why."""

    operator: str
    decision: Decision
    reason: str
    date: str


class BoardDispute(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim that an entry misrepresents its system; two operators decide on it."""

    number: int
    track: Track
    scenario: str
    key: str
    opened_by: str
    claim: str
    date: str
    rulings: list[OperatorRuling] = []

    @property
    def outcome(self) -> Decision | None:
        """What two operators agree on; None as long as no two do."""
        decisions = [ruling.decision for ruling in self.rulings]
        for decision in decisions:
            if decisions.count(decision) > 1:
                return decision
        return None


class Retraction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why an entry was retracted, after which dispute, and by whom."""

    dispute: int
    reason: str
    operators: list[str]
    date: str


class BoardProblem(msgspec.Struct, frozen=True):
    """Why a file is refused; `rule` names the rule that it breaks."""

    file: str
    rule: str
    reason: str


class BoardCheck(msgspec.Struct, frozen=True):
    """What a check of a leaderboard came to."""

    ok: bool
    entries: int
    cards: int
    evidence: int  # cards that were scored again from the files of their lives
    problems: list[BoardProblem]


class BoardRank(msgspec.Struct, frozen=True, kw_only=True):
    """One system in one table: its mean over seeds, and every rank that it may have.

    `best` counts those that are told to be better, `worst` leaves out those that are told to be
    worse; `tied` names those of which neither can be said.
    """

    key: str
    sut_id: str
    value: float
    value_ci: tuple[float, float] | None
    value_n: int
    best: int
    worst: int
    tied: list[str]


class BoardTable(msgspec.Struct, frozen=True, kw_only=True):
    """The systems of one scenario by one figure, best first."""

    name: str  # overall, or a mechanism
    figure: str
    ranks: list[BoardRank]
    missing: list[str]  # keys without this figure
    pairs: int  # how many pairs of systems were compared


class BoardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Who stands on the leaderboard, and what was declared."""

    key: str
    sut_id: str
    submitter: str
    conflict: str | None
    fork: str | None
    warnings: list[str]
    disputes: list[int]  # that are open


class ScenarioBoard(msgspec.Struct, frozen=True, kw_only=True):
    """All entries of one scenario in one track."""

    track: Track
    scenario: str
    version: str
    entries: list[BoardEntry]
    tables: list[BoardTable]


class RetractedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that was taken off, with the reason."""

    track: str
    scenario: str
    key: str
    submitter: str
    retraction: Retraction


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """A whole leaderboard: scenarios with their ranks, disputes and retractions."""

    scenarios: list[ScenarioBoard]
    disputes: list[BoardDispute]
    retracted: list[RetractedEntry]
