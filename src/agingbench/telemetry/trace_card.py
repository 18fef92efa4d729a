"""The AgingCard of a trace audit as types: what telemetry adds to the card that all share."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from agingbench.cards.figures import Figure, Interval, Section
from agingbench.cards.model import (
    CardKind,
    CostAndEfficiency,
    Headline,
    OwnCard,
    OwnProvenance,
    RecordCounts,
    SystemUnderTest,
)
from agingbench.telemetry.inference.dominant import DominantMechanism
from agingbench.telemetry.inference.evidence import SignalFigures
from agingbench.telemetry.inference.headline import Tier
from agingbench.telemetry.inference.left_out_weeks import WindowCounts
from agingbench.telemetry.panel.changes import TraceChanges
from agingbench.telemetry.panel.panel import Panel
from agingbench.telemetry.panel.spending import TraceSpending
from agingbench.telemetry.signals.consistency import Consistency

# A count under a foreign name; text where the name made the scrubber hide the number.
ScrubbedCount = int | str


class TraceSystem(SystemUnderTest, frozen=True, kw_only=True):
    """The agent behind a trace, as far as the trace names it."""

    models: dict[str, ScrubbedCount]  # model -> records


class TraceHeadline(Headline, frozen=True, kw_only=True):
    """The first tier of the headline that the trace carries, and whether aging was detected."""

    source: str
    label: str
    tiers: dict[str, Tier]
    aging_reason: str | None
    open_because: str | UnsetType | None = UNSET
    aging_detected_uncorrected: bool | UnsetType | None = UNSET
    decay_p: float | UnsetType | None = UNSET
    decay_p_adjusted: float | UnsetType | None = UNSET


class AuditHeadline(TraceHeadline, frozen=True, kw_only=True):
    """The headline with the value of its tier."""

    value: float | None


class Coverage(Section, frozen=True, kw_only=True):
    """How much signal the trace gives for a mechanism."""

    verdict: str
    n: int
    n_sessions: int
    smallest_visible_effect: float | None


class MechanismAudit(Section, frozen=True, kw_only=True):
    """What the trace says of one mechanism; its series and details are in `others`."""

    derived_from: str | None
    weak_evidence: bool
    fired: bool | None
    fired_uncorrected: bool | UnsetType = UNSET
    reason: str | None
    open_because: str | UnsetType | None = UNSET
    changed_at_session: int | UnsetType | None = UNSET
    confounded_by: str | None
    p: float | None
    p_adjusted: float | None
    p_days: float | None
    leading_signal: str | None
    effect: Figure
    interval: Interval | None
    interval_ci_level: float | UnsetType = UNSET
    effect_unit: str | None
    n: int
    smallest_visible_effect: float | None
    standardised_effect: float | None
    coverage: Coverage
    signals: dict[str, SignalFigures]


class TraceRegime(Section, frozen=True, kw_only=True):
    """What kind of trace it is, and how large."""

    tool_using: bool
    multi_session: bool
    outcomes: str
    n_sessions: int
    n_records: int
    n_tool_calls: int
    n_days: int | None
    n_models: int
    adapter: str


class NullModelSection(Section, frozen=True, kw_only=True):
    """How chance was modelled."""

    permutations: int
    unit: str
    days_hold_several_sessions: bool
    task_phases: int
    p_task_phases: float | None
    neighbours_alike: bool
    p_neighbours: float | None
    model_changes: int
    client_changes: int
    correction: str


class WorkSection(Section, frozen=True, kw_only=True):
    """What was asked for: what the tests stand beside, and the words that rose and fell."""

    covariates: list[str]
    words_that_rose: list[str]
    words_that_fell: list[str]


class ProfileChoice(Section, frozen=True, kw_only=True):
    """Which profile was used, and why that one."""

    name: str
    chosen_by: str


class UncorrectedAnswer(Struct, frozen=True):
    """What a project of a fleet says by itself."""

    aging_detected: bool | None
    aging_reason: str | None
    dominant_mechanism: str | None


class FleetCorrection(Struct, frozen=True):
    """How the answer of a project was corrected over the projects of its fleet."""

    rows: int
    correction: str
    p: float | None
    p_fleet: float | None
    uncorrected: UncorrectedAnswer


class TraceAudit(Section, frozen=True, kw_only=True):
    """The card's `trace_audit`."""

    derived_from: str
    deployment_type: str
    n_sessions_detected: int
    n_outcome_events: int
    n_outcome_events_unlinked: int
    session_detection_mode: str
    outcome_rules_hash: str
    compression: MechanismAudit
    interference: MechanismAudit
    revision: MechanismAudit
    maintenance: MechanismAudit
    reliability: MechanismAudit | UnsetType = UNSET
    work: WorkSection | UnsetType = UNSET
    consistency: Consistency
    headline: AuditHeadline
    trace_regime: TraceRegime
    session_times: list[float | None]
    spending: TraceSpending
    panel: Panel
    changes: TraceChanges
    null_model: NullModelSection
    dominant_mechanism: DominantMechanism
    signature: str | None
    repair: str | None
    profile: ProfileChoice
    fleet: FleetCorrection | UnsetType = UNSET
    left_out_weeks: WindowCounts | UnsetType = UNSET  # only where there is an answer

    def mechanisms(self) -> dict[str, MechanismAudit]:
        """What the trace says of each mechanism, by its name."""
        return {
            "compression": self.compression,
            "interference": self.interference,
            "revision": self.revision,
            "maintenance": self.maintenance,
        }


class TraceCost(CostAndEfficiency, frozen=True, kw_only=True):
    """What the sessions took, with the input tokens that no cache served."""

    total_input_tokens_uncached: int | None


class TraceRecordCounts(RecordCounts, frozen=True, kw_only=True):
    """What became of every record of the input."""

    used: int
    ignored: int
    duplicate: int
    malformed: int
    ignored_by_kind: dict[str, ScrubbedCount]
    flags: dict[str, int]


class TraceProvenance(OwnProvenance, frozen=True, kw_only=True):
    """Which format and profile the trace was read with."""

    trace_format: str
    profile: str
    outcome_rules_hash: str


class TraceCard(OwnCard, frozen=True, kw_only=True):
    """The card of a trace audit."""

    card_kind: CardKind = "trace"
    sut: TraceSystem
    headline: TraceHeadline
    cost_and_efficiency: TraceCost
    provenance: TraceProvenance
    trace_audit: TraceAudit
    records: TraceRecordCounts
