"""The results of the resumption benchmark: what its commands write as JSON and its pages print."""

from __future__ import annotations

from typing import Literal

import msgspec

from agingbench.metrics.intervals import Estimate

Component = Literal["continuation", "preservation", "forgetting"]
ConditionOutcome = Literal["met", "not met", "underpowered", "uncalibrated"]


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A run: who did what, whether its judge is calibrated, and its figures by group."""

    run_id: str
    path: str
    consolidator: str
    budget: int
    agent: str
    judge: str
    model: str
    tokenizer: str | None
    gate: str
    passed: bool
    reasons: list[str]
    headline: str
    graders: dict[str, int]
    figures: dict[str, dict[str, Estimate]]
    tokens: dict[str, float]
    statuses: dict[str, int]
    skipped: dict[str, str]
    judge_failures: int
    items: int
    notes: list[str]
    publishable: bool


class ComponentGate(msgspec.Struct, frozen=True):
    """One component in one domain; `kappa` is exact, as text, `missing` counts labels needed."""

    component: Component
    domain: str
    n: int
    kappa: str | None
    value: float | None
    low: float | None
    high: float | None
    rarer: int
    rarer_label: str | None
    failed: int
    passed: bool
    weak: bool
    missing: int
    missing_for_bound: int | None
    reasons: list[str]
    retest: float | None = None


class RunReport(msgspec.Struct, frozen=True):
    """What the folder of a run holds for its page: the run, κ per component, and which episodes."""

    run: RunDocument
    components: list[ComponentGate]
    episodes_sha256: str


class GatePage(msgspec.Struct, frozen=True):
    """The gate of a judge as its page shows it; `words` says whether it is open."""

    passed: bool
    words: str
    components: list[ComponentGate]
    reasons: list[str]
    notes: list[str]


class FigureComparison(msgspec.Struct, frozen=True):
    """The means of one figure in two runs, their paired difference, and what it shows."""

    figure: str
    a: float | None
    b: float | None
    effect: float | None
    effect_ci: list[float] | None
    p_value: float | None
    n: int
    sd: float | None
    minimum_detectable_difference: float | None
    verdict: str


class RunComparison(msgspec.Struct, frozen=True):
    """Run A minus run B on every figure, over all, long and short trajectories."""

    a: str
    b: str
    budget: list[int]
    matched_budget: bool
    tokenizer: str
    calibrated: bool
    gate: str
    shared: int
    unpaired: list[str]
    groups: dict[str, list[FigureComparison]]


class PairedEffect(msgspec.Struct, frozen=True):
    """A paired difference with its interval, its n and the least difference it could show."""

    effect: float | None
    effect_ci: list[float] | None
    p_value: float | None
    n: int
    sd: float | None
    minimum_detectable_difference: float | None


class FalsifyCondition(msgspec.Struct, frozen=True):
    """One condition, its outcome, and the effects it rests on."""

    name: str
    outcome: ConditionOutcome
    effects: dict[str, PairedEffect]
    words: str


class FalsifyResult(msgspec.Struct, frozen=True):
    """The three conditions on three runs at one budget."""

    budget: int
    tokenizer: str
    calibrated: bool
    runs: dict[str, str]
    resolution: float
    conditions: list[FalsifyCondition]


class PowerPlan(msgspec.Struct, frozen=True):
    """Episodes needed to see an effect, and the least effect that other numbers would show."""

    effect: float
    power: float
    level: float
    sd: float
    sd_source: str
    episodes: int
    detectable: dict[str, float | None]


class ParetoPoint(msgspec.Struct, frozen=True):
    """One run: its mean context tokens and quality; `front` says that no other run beats it."""

    run: str
    consolidator: str
    budget: int
    tokens: float | None
    quality: float | None
    quality_ci: list[float] | None
    n: int
    calibrated: bool
    gate: str
    refused: int
    front: bool = False


class EpisodeReport(msgspec.Struct, frozen=True):
    """One episode file: its problems, or why it could not be checked fully."""

    file: str
    episode: str | None
    problems: list[str]
    skipped: str | None = None
    steps: int | None = None
    stratum: str | None = None
    source: str | None = None
    kind: str | None = None
