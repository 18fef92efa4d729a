"""Disputes about entries: opened by anybody, decided by two operators, kept for good."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import msgspec

from agingbench.bench.leaderboard.places import (
    EntryPlace,
    dispute_file,
    read_disputes,
    read_operators,
    read_retraction,
    read_submission,
    write_board_file,
)
from agingbench.bench.leaderboard.submission import move_entry
from agingbench.cards.leaderboard import (
    BoardDispute,
    BoardProblem,
    Decision,
    OperatorRuling,
    Retraction,
)
from agingbench.cards.model import Track
from agingbench.errors import InputError


def open_dispute(root: Path, place: EntryPlace, claim: str, opened_by: str) -> BoardDispute:
    """Open a dispute about an entry; it changes no rank until two operators agree."""
    if not place.submission(root).exists():
        raise InputError(f"{place.track}/{place.scenario}: there is no entry {place.key}")
    if not claim.strip() or not opened_by.strip():
        raise InputError("a dispute needs a claim and the name of who opens it")
    disputes = read_disputes(root)
    dispute = BoardDispute(
        number=max((one.number for one in disputes), default=0) + 1,
        track=cast(Track, place.track),
        scenario=place.scenario,
        key=place.key,
        opened_by=opened_by,
        claim=claim,
        date=_today(),
    )
    write_board_file(dispute_file(root, dispute.number), dispute)
    return dispute


def decide(root: Path, number: int, operator: str, decision: Decision, reason: str) -> BoardDispute:
    """Add the ruling of one operator; when a second one agrees to retract, the entry moves."""
    disputes = {dispute.number: dispute for dispute in read_disputes(root)}
    if number not in disputes:
        raise InputError(f"there is no dispute {number}")
    dispute = disputes[number]
    if dispute.outcome is not None:
        raise InputError(f"dispute {number} is decided already: {dispute.outcome}")
    place = _place_of(dispute)
    _check_operator(root, dispute, place, operator)
    if not reason.strip():
        raise InputError("an operator gives a reason")

    ruling = OperatorRuling(operator=operator, decision=decision, reason=reason, date=_today())
    dispute = msgspec.structs.replace(dispute, rulings=[*dispute.rulings, ruling])
    write_board_file(dispute_file(root, number), dispute)
    if dispute.outcome == "retract" and place.submission(root).exists():
        _retract(root, place, dispute)
    return dispute


def _retract(root: Path, place: EntryPlace, dispute: BoardDispute) -> None:
    rulings = [ruling for ruling in dispute.rulings if ruling.decision == "retract"]
    retracted = move_entry(root, place)
    retraction = Retraction(
        dispute=dispute.number,
        reason="; ".join(ruling.reason for ruling in rulings),
        operators=[ruling.operator for ruling in rulings],
        date=_today(),
    )
    write_board_file(retracted.retraction(root), retraction)


def _check_operator(root: Path, dispute: BoardDispute, place: EntryPlace, operator: str) -> None:
    operators = read_operators(root)
    if operator not in operators:
        names = ", ".join(operators) or "nobody"
        raise InputError(f"{operator} is no operator of this leaderboard (operators.json: {names})")
    if operator in [ruling.operator for ruling in dispute.rulings]:
        raise InputError(f"{operator} has decided already; another operator must")
    submitter = read_submission(place.submission(root)).submitter
    if operator in (submitter, dispute.opened_by):
        raise InputError(f"{operator} is a party of this dispute; another operator must decide")


def _place_of(dispute: BoardDispute) -> EntryPlace:
    return EntryPlace(dispute.track, dispute.scenario, dispute.key)


def dispute_problems(
    root: Path, places: Iterable[EntryPlace], base: Path | None = None
) -> list[BoardProblem]:
    """Retractions without a reason that two operators gave, and disputes that break the rules.

    Operators are those of `base`: nobody makes himself one by the change that he decides in.
    """
    try:
        operators = read_operators(base or root)
        disputes = {dispute.number: dispute for dispute in read_disputes(root)}
    except InputError as error:
        return [BoardProblem("_disputes", "dispute", str(error).replace(f"{root}/", ""))]

    problems = []
    for dispute in disputes.values():
        reason = _dispute_reason(dispute, operators)
        if reason:
            name = dispute_file(root, dispute.number).relative_to(root).as_posix()
            problems.append(BoardProblem(name, "dispute", reason))
    for place in sorted(places):
        if not place.retracted:
            continue
        reason = _retraction_reason(root, place, disputes)
        if reason:
            name = place.retraction(root).relative_to(root).as_posix()
            problems.append(BoardProblem(name, "retraction", reason))
    return problems


def changed_disputes(root: Path, base: Path) -> list[BoardProblem]:
    """Disputes of `base` that are gone, or of which more than their rulings was changed."""
    now = {dispute.number: dispute for dispute in read_disputes(root)}
    problems = []
    for before in read_disputes(base):
        after = now.get(before.number)
        kept = len(before.rulings)
        cut = after and msgspec.structs.replace(after, rulings=after.rulings[:kept])
        if cut != before:
            name = dispute_file(root, before.number).relative_to(root).as_posix()
            reason = "a dispute was changed or taken away; rulings are only added"
            problems.append(BoardProblem(name, "history", reason))
    return problems


def _dispute_reason(dispute: BoardDispute, operators: list[str]) -> str | None:
    names = [ruling.operator for ruling in dispute.rulings]
    if len(set(names)) < len(names):
        return "an operator decided twice"
    strangers = [name for name in names if name not in operators]
    if strangers:
        return f"decided by {', '.join(strangers)}, who is no operator"
    if dispute.opened_by in names:
        return "decided by the one who opened it"
    return None


def _retraction_reason(
    root: Path, place: EntryPlace, disputes: dict[int, BoardDispute]
) -> str | None:
    file = place.retraction(root)
    if not file.exists():
        return "an entry is retracted without its reason"
    try:
        retraction = read_retraction(file)
    except InputError as error:
        return str(error).replace(f"{root}/", "")
    dispute = disputes.get(retraction.dispute)
    about = (place.track, place.scenario, place.key)
    if dispute is None or (dispute.track, dispute.scenario, dispute.key) != about:
        return f"names dispute {retraction.dispute}, which is not about this entry"
    if dispute.outcome != "retract":
        return f"dispute {dispute.number} was not decided by two operators to retract"
    if not retraction.reason.strip():
        return "an entry is retracted without its reason"
    return None


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
