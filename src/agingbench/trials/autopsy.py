"""The autopsy.json of a run folder as types: one story per failed probe, and the sum over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.cards.figures import Figure
from agingbench.errors import InputError
from agingbench.traces.files import read_json


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """What changed a store: the write that ends a session, or the lifecycle events at a point."""

    step: str
    point: int
    session: int | UnsetType = UNSET  # of a write
    events: list[str] | UnsetType = UNSET


class StepLosses(StepRow, frozen=True, kw_only=True):
    """How many values were told, not written, lost and found again at one step."""

    told: int
    not_written: int
    lost: int
    came_back: int


class KindLosses(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the values of one kind.

    `half_survival` counts the writes that half of them outlive; 0 means that half of them were
    never written.
    """

    kind: str
    n: int
    never_written: int
    lost: int
    still_there: int
    share_lost: Figure
    half_survival: Figure


class StoreFate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a statement in the store; all null where there was no store to look into."""

    store: str | None = None
    first_stated: int | None = None
    last_stated: int | None = None
    lost_at: StepRow | None = None
    losses: list[StepRow] = []
    returns: list[StepRow] = []


class FactStory(StoreFate, frozen=True, kw_only=True):
    """The life of one fact that a probe asked for."""

    fact: str
    what: str
    kind: str
    value: str
    retraction: bool
    introduced: int
    told_at: int
    rewritten: list[int]
    retracted: int | None
    retrieved: bool
    lookalike_retrieved: bool | UnsetType | None = UNSET  # not of a retraction
    in_answer: bool


class MissingPart(StoreFate, frozen=True, kw_only=True):
    """An opening or a movement of an account that the context did not state."""

    part: str
    told_at: int
    value: str
    retrieved: bool


class AccountStory(msgspec.Struct, frozen=True, kw_only=True):
    """The life of an account that a probe asked for, and what the context lacked of it."""

    account: str
    what: str
    kind: str
    value: str
    introduced: int
    movements: int
    known_balance: str | None
    n_missing: int
    missing: list[MissingPart]
    retrieved: bool
    in_answer: bool


class AnswerValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that an answer gave and that was not asked for, and whose it is."""

    value: str
    relation: str
    fact: str | None
    what: str | None
    told_at: int | None


class AnswerContent(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer said instead; of an account also the amount, and by how much it is off."""

    what: str
    values: list[AnswerValue]
    text: str
    reason: str | None
    amount: float | UnsetType = UNSET
    error: float | UnsetType = UNSET
    explained_by_missing: bool | UnsetType = UNSET


class ProbeFailure(msgspec.Struct, frozen=True, kw_only=True):
    """What one probe asked for, what was said instead, and the one cause of its failure."""

    probe: str
    t: int
    type: str
    mechanism: str
    question: str
    wanted: list[str]
    verdict: str
    value: float | None
    cause: str | None
    stage: str | None
    said: AnswerContent


class ProbeStory(ProbeFailure, frozen=True, kw_only=True):
    """A failure with what happened to the facts and accounts that the probe asked for."""

    facts: list[FactStory | AccountStory]


class AutopsySummary(msgspec.Struct, frozen=True, kw_only=True):
    """What one life, or several together, failed of."""

    lives: int
    probes: int
    failed_probes: int
    transport: int
    causes: dict[str, int]
    stages: dict[str, int]
    losses: list[StepLosses]
    kinds: list[KindLosses]


class AutopsyHead(msgspec.Struct, frozen=True, kw_only=True):
    """autopsy.json without its stories."""

    format: str
    scenario: str
    scenario_version: str
    seed: int
    n_sessions: int
    plan_hash: str
    summary: AutopsySummary
    transport: list[str]  # probes whose call broke: neither right nor wrong


class AutopsyDocument(AutopsyHead, frozen=True, kw_only=True):
    """autopsy.json."""

    probes: list[ProbeStory]


def read_autopsy(file: Path) -> AutopsyDocument:
    """The autopsy in a file; raises InputError where it is of another form."""
    raw = read_json(file)
    try:
        head = msgspec.convert(raw, AutopsyHead)
        probes = [_read_story(story) for story in raw["probes"]]
    except (msgspec.ValidationError, KeyError, TypeError) as error:
        raise InputError(
            f"{file}: not an autopsy of this version: {error}; `agingbench autopsy` makes it again"
        ) from error
    return AutopsyDocument(**msgspec.structs.asdict(head), probes=probes)


def _read_story(raw: dict[str, Any]) -> ProbeStory:
    # A fact and an account carry no tag; an account names itself.
    facts: list[FactStory | AccountStory] = []
    for fact in raw["facts"]:
        if "account" in fact:
            facts.append(msgspec.convert(fact, AccountStory))
        else:
            facts.append(msgspec.convert(fact, FactStory))
    return ProbeStory(**msgspec.structs.asdict(msgspec.convert(raw, ProbeFailure)), facts=facts)
