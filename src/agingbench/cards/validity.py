"""What the checks of the bench return, as JSON and as their pages print it."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.cards.figures import Interval


class BoundRow(msgspec.Struct, frozen=True):
    """One metric of one bounding agent over the lives of a scenario and pressure."""

    scenario: str
    agent: str
    metric: str
    pressure: str
    sessions: int
    min: float
    mean: float
    max: float
    n: int

    @property
    def setting(self) -> tuple[str, str, int]:
        """Where the lives were lived."""
        return self.scenario, self.pressure, self.sessions


class BoundsReport(msgspec.Struct, frozen=True):
    """Every row, by whether a high value is good, and every bound that is broken, in words.

    `paper` holds the paper's figures, which no bound applies to.
    """

    rows: list[BoundRow]
    lower_is_better: list[BoundRow]
    broken: list[str]
    ok: bool
    paper: list[BoundRow] = []


class TextRow(msgspec.Struct, frozen=True):
    """What the texts of one scenario measure over its lives."""

    scenario: str
    version: str
    lives: int
    overlap: float  # median share of a question's content words that its statement shares
    kept_words: float  # least share of the words that the digit-or-capital rule has to keep
    repeated: float  # greatest share of sentences that occur twice in a life
    wordings: int  # of the kind of fact that has the fewest
    scenes: int
    storylines: int


class TextsReport(msgspec.Struct, frozen=True):
    """The texts of every scenario, and every bar that is missed, in words."""

    rows: list[TextRow]
    broken: list[str]
    ok: bool


class HitRate(msgspec.Struct, frozen=True):
    """How often something held, with its 95 % interval; None where there was no case."""

    share: float | None
    ci: list[float] | None
    n: int


class FaultGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The cases that agree in some fields: how often they were right, and their mean shares."""

    of: str | UnsetType = UNSET
    scenario: str | UnsetType = UNSET
    stage: str | UnsetType = UNSET
    strength: float | UnsetType = UNSET
    memory: str | UnsetType = UNSET
    lookalikes: bool | UnsetType = UNSET
    share: float | None
    ci: list[float] | None
    n: int
    planted: float
    measured: float | None
    coverage: float | None


class FaultsReport(msgspec.Struct, kw_only=True):
    """Accuracy and confusion at full strength, coverage below it, and every group."""

    accuracy_by_stage: dict[str, float | None]
    confusion: dict[str, dict[str, int]]
    coverage: float | None
    n: int
    accuracy: dict[str, HitRate]
    coverage_interval: HitRate
    coverage_by_share: list[FaultGroup]
    bystanders_calm: HitRate
    false_alarms: HitRate
    by_scenario: list[FaultGroup]
    by_strength: list[FaultGroup]
    missed: list[str] = []
    ok: bool = False


class DialRow(msgspec.Struct, frozen=True):
    """The mean of one metric at one setting of one dial."""

    dial: str
    scenario: str
    memory: str
    setting: float
    metric: str
    own: bool
    mean: float | None
    low: float | None
    high: float | None
    n: int


class DialResponse(msgspec.Struct, frozen=True):
    """How the metric of a dial and its bystanders respond; one value per setting."""

    dial: str
    scenario: str
    memory: str
    policy: str
    model: str
    pressure: dict[str, str | float]
    settings: list[float]
    metric: str
    expected: str
    responses: list[float | None]
    intervals: list[Interval]
    n: list[int]
    spearman: float | None
    bystanders: dict[str, list[float | None]]
    bystander_range: dict[str, float | None]
    oracle_retrieval: list[float | None] | None


class SpanResponse(msgspec.Struct, frozen=True):
    """Chain recall by the number of sessions between the oldest and the newest source."""

    scenario: str
    memory: str
    policy: str
    model: str
    metric: str
    types: list[str]
    spans: list[str]
    responses: list[float | None]
    intervals: list[Interval]
    n: list[int]
    spearman: float | None


class DialsReport(msgspec.Struct, frozen=True):
    """The response to every dial, the same as plain rows, and chain recall by span."""

    rows: list[DialRow]
    dials: list[DialResponse]
    spans: SpanResponse
    sessions: int
    seeds: int
    model: str


class AnswerClass(msgspec.Struct, frozen=True):
    """How many labelled answers of one style or form were judged rightly, with a 95 % interval."""

    style: str
    right: int
    n: int
    share: float
    low: float
    high: float
    accepted: int  # judged correct although the label says otherwise


class AnswersReport(msgspec.Struct, frozen=True):
    """The matcher on labelled answers: by style and form, labels against verdicts, missed bars."""

    half: str
    overall: AnswerClass
    plain: AnswerClass
    rows: list[AnswerClass]
    by_form: list[AnswerClass]
    decisions: list[AnswerClass]  # replies to tasks, read by their last line
    confusion: dict[str, dict[str, int]]  # label -> verdict -> answers
    same_verdict: float
    broken: list[str]
    ok: bool
