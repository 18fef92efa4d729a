"""What each mechanism reports beside its signals. Field names are the keys of the card.

A field that is UNSET is left out of the card: it belongs to a test that could not be made.
"""

from __future__ import annotations

from pathlib import PurePath

import msgspec
from msgspec import UNSET, UnsetType

from agingbench.records import Source

Trajectory = list[float | None]  # one value per session


class RecordPlace(msgspec.Struct, frozen=True):
    """Where a record of evidence stands: session number, file name and line."""

    session: int
    file: str | None
    line: int | None
    event: str | UnsetType = UNSET


def record_place(
    session: int, source: Source | None, event: str | UnsetType = UNSET
) -> RecordPlace:
    """Return the place of a record as the card tells it, without folders: those stay private."""
    if source is None:
        return RecordPlace(session, None, None, event)

    name = PurePath(source.file.replace("\\", "/")).name
    return RecordPlace(session, name, source.line, event)


class DescriptiveSeries(msgspec.Struct, frozen=True):
    """A series that is reported beside the signals and never fires. Its floor is 0."""

    metric: str
    values: Trajectory
    rising_is_bad: bool
    ceiling: float | None


class CompressionDetails(msgspec.Struct):
    """How full the context was, and how many tokens it held per locator named."""

    saturation_trajectory: Trajectory = []
    saturation_rate: float | None = None
    saturation_n: int = 0
    context_window: str = "unknown"
    context_noise_trajectory: Trajectory = []
    context_noise_n: int = 0

    def descriptive_series(self) -> list[DescriptiveSeries]:
        """The series whose shape is reported."""
        return [
            DescriptiveSeries("saturation", self.saturation_trajectory, True, 1.0),
            DescriptiveSeries("context_noise", self.context_noise_trajectory, True, None),
        ]


class InterferenceDetails(msgspec.Struct):
    """Divergence of the tools from the first sessions, likeness to the first goal, and lineage."""

    tool_kl_divergence_trajectory: Trajectory = []
    tool_kl_divergence_mean: float | None = None
    tool_kl_divergence_n: int = 0
    goal_anchor_drift_trajectory: Trajectory = []
    goal_anchor_drift_n: int = 0
    goal_anchor_compared_by: str = "shared words"
    lineage_continuity_trajectory: Trajectory = []
    lineage_continuity_n: int = 0
    lineage_is: str = "shared: compatible with compression, interference and revision"
    tools_that_moved: list[tuple[str, float]] | UnsetType = UNSET

    def descriptive_series(self) -> list[DescriptiveSeries]:
        """The series whose shape is reported."""
        return [
            DescriptiveSeries("tool_kl_divergence", self.tool_kl_divergence_trajectory, True, None),
            # Likeness to the first request: falling is drift.
            DescriptiveSeries("goal_anchor_drift", self.goal_anchor_drift_trajectory, False, 1.0),
            DescriptiveSeries("lineage_continuity", self.lineage_continuity_trajectory, False, 1.0),
        ]


class StaleValue(msgspec.Struct, frozen=True):
    """A value that was given, and the one that held."""

    given: str
    held: str


class RevisionDetails(msgspec.Struct):
    """Which tier of evidence there was, and the two tests (trend and level) of stale uses."""

    tier: int = 0
    n_uses: int = 0
    n_stale_propagations: int = 0
    n_entities_tracked: int = 0
    stale_uses: list[RecordPlace] = []
    stale_values: list[StaleValue] = []
    n_self_reversion_uses: int = 0
    self_reversion_rate: float | None = None
    found_in: list[str] = []  # tool and argument whose values were seen to be looked up
    fired_by: str | UnsetType = UNSET
    p_trend: float | UnsetType = UNSET
    p_level: float | UnsetType | None = UNSET
    base_stale_rate: float | UnsetType | None = UNSET
    level_policy: str | UnsetType | None = UNSET
    early_stale_rate: float | UnsetType = UNSET
    late_stale_rate: float | UnsetType = UNSET
    late_n: int | UnsetType = UNSET
    design_effect: float | UnsetType = UNSET

    def descriptive_series(self) -> list[DescriptiveSeries]:
        """Revision has none."""
        return []


class EventPlace(msgspec.Struct, frozen=True):
    """A lifecycle event that counts: its session, its kind, and how sure the record of it is."""

    session: int
    kind: str
    confidence: float


class MatchedEffect(msgspec.Struct, frozen=True):
    """One effect after compactions against matched moments of other sessions."""

    effect: float
    effect_ci: list[float]
    effect_unit: str
    p: float
    n: int


class MatchedMoments(msgspec.Struct):
    """The second reading of compactions: what followed them against matched moments."""

    note: str = msgspec.field(
        name="is", default="a second reading: shown, never enough to fire by itself"
    )
    matched_by: str = (
        "calls into the session (same power of two), then calls into the task and tokens in the"
        " context"
    )
    n_events: int = 0
    n_moments: int = 0
    n_assignments: int = 0
    p: float | None = None
    error_rate: MatchedEffect | None = None
    effort_per_task: MatchedEffect | None = None
    reason: str | None = None


class MaintenanceDetails(msgspec.Struct):
    """The lifecycle events, and the damage after them in units of the placebo's spread."""

    n_shocks: int = 0
    n_events: int = 0
    events_by_kind: dict[str, int] = {}
    tested_kinds: list[str] = []
    shock_sessions: list[int] = []
    shocks: list[EventPlace] = []
    latency_p50_trajectory: Trajectory = []
    intervention_rate_trajectory: Trajectory = []
    n_segments: int = 0
    not_compared: list[str] = []  # kinds of events that came too seldom, or nearly everywhere
    placebo_moments: MatchedMoments = msgspec.field(default_factory=MatchedMoments)
    shock_damage_trajectory: Trajectory = []
    shock_damage_unit: str = "robust standard deviations of the placebo, cumulated and signed"
    shock_damage_n: int = 0
    shock_damage_n_by_moments: int = 0
    n_placebo: int = 0
    shock_damage_verdict: str = "no_signal"
    # The same in plain units: outcomes, else tokens of a reply / 100, else seconds of latency.
    shock_damage_tier: str | None = None
    shock_damage_tier_trajectory: Trajectory = []

    def descriptive_series(self) -> list[DescriptiveSeries]:
        """The series whose shape is reported."""
        return [
            DescriptiveSeries("latency_p50", self.latency_p50_trajectory, True, None),
            DescriptiveSeries("intervention_rate", self.intervention_rate_trajectory, True, 1.0),
            DescriptiveSeries("shock_damage_tier", self.shock_damage_tier_trajectory, True, None),
        ]


class RisingErrors(msgspec.Struct, frozen=True):
    """A tool and program that fails more often in the last third of the sessions."""

    tool: str
    early: float
    late: float
    n: int


class ReliabilityDetails(msgspec.Struct):
    """Which tools fail more often than they did, and the last turns that corrected the agent."""

    errors_that_rose: list[RisingErrors] = []
    corrections_at: list[RecordPlace] = []

    def descriptive_series(self) -> list[DescriptiveSeries]:
        """Reliability has none."""
        return []


MechanismDetails = (
    CompressionDetails
    | InterferenceDetails
    | RevisionDetails
    | MaintenanceDetails
    | ReliabilityDetails
)
