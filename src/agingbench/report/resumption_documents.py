"""What the pages about resumption read of the documents that the resumption benchmark writes."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.cards.figures import Interval
from agingbench.metrics.intervals import Estimate


class RunDocument(msgspec.Struct, frozen=True):
    """A run: who did what, whether its judge is calibrated, and its figures by group."""

    run_id: str
    consolidator: str
    budget: int
    tokenizer: str | None
    agent: str
    judge: str
    gate: str
    passed: bool
    statuses: dict[str, int]
    figures: dict[str, dict[str, Estimate]]
    skipped: dict[str, str]
    reasons: list[str]
    notes: list[str]


class KappaDocument(msgspec.Struct, frozen=True):
    """How far a judge agrees with the hand grades on one component."""

    component: str
    domain: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    rarer: int
    rarer_label: str
    missing: int
    passed: bool
    weak: bool


class GateDocument(msgspec.Struct, frozen=True):
    """The gate of a judge: every component, and why it is open or closed."""

    passed: bool
    words: str
    components: list[KappaDocument]
    reasons: list[str]
    notes: list[str]


class EffectDocument(msgspec.Struct, frozen=True):
    """A paired difference and the least one that could have been seen."""

    effect: float | None
    effect_ci: Interval | None
    n: int
    minimum_detectable_difference: float | None


class ComparedFigureDocument(EffectDocument, frozen=True):
    """One figure of two runs."""

    figure: str
    a: float | None
    b: float | None
    verdict: str


class RunComparisonDocument(msgspec.Struct, frozen=True):
    """Two runs compared by episode, each figure in every group of trajectories."""

    a: str
    b: str
    budget: tuple[int, int]
    matched_budget: bool
    shared: int
    unpaired: list[str]
    groups: dict[str, list[ComparedFigureDocument]]


class ConditionDocument(msgspec.Struct, frozen=True):
    """One condition that would refute structured state."""

    name: str
    outcome: str
    effects: dict[str, EffectDocument]
    words: str


class FalsifyDocument(msgspec.Struct, frozen=True):
    """The conditions that would refute structured state, at one budget."""

    budget: int
    tokenizer: str
    conditions: list[ConditionDocument]


class PowerDocument(msgspec.Struct, frozen=True):
    """How many episodes an effect needs."""

    effect: float
    power: float
    sd: float
    sd_source: str
    episodes: int
    detectable: dict[str, float | None]


class ParetoDocument(msgspec.Struct, frozen=True):
    """Quality and tokens of one run, and whether no other run beats it in both."""

    run: str
    tokens: float | None
    quality: float | None
    quality_ci: Interval | None
    n: int
    front: bool


class EpisodeCheckDocument(msgspec.Struct, frozen=True):
    """The check of one episode file."""

    file: str
    problems: list[str]
    skipped: str | None
    stratum: str | None


# -- the card of a run; foreign cards may leave figures out or hold anything there


class CardKappaDocument(msgspec.Struct, frozen=True):
    """How far the judge of a card agrees with the hand grades on one component."""

    component: str
    domain: str
    value: Any = None
    value_ci: Any = None
    value_n: Any = None


class ResumptionBlockDocument(msgspec.Struct, frozen=True):
    """The `resumption` of a card."""

    consolidator: Any = None
    budget: Any = None
    tokenizer: Any = None
    agent: Any = None
    judge: Any = None
    gate: Any = None
    statuses: dict[str, int] | None = None
    groups: dict[str, dict[str, Any]] | None = None
    kappa: list[CardKappaDocument] | None = None


class SystemDocument(msgspec.Struct, frozen=True):
    """The name of the system under test."""

    sut_id: str


class ResumptionCardDocument(msgspec.Struct, frozen=True):
    """The card of a run of the resumption benchmark."""

    run_id: str
    sut: SystemDocument
    resumption: ResumptionBlockDocument
    warnings: list[str]
