"""The AgingCard of a life as types: what the bench adds to the card that all instruments share."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from agingbench.bench.diagnosis.floor_and_ceiling import BoundsSection
from agingbench.bench.diagnosis.hints import DiagnosisDocument
from agingbench.bench.life.control import ControlSection
from agingbench.bench.scoring.paper import PaperSection
from agingbench.cards.figures import Figure
from agingbench.cards.model import (
    CardKind,
    Compression,
    Headline,
    Interference,
    Maintenance,
    OwnCard,
    OwnMechanisms,
    OwnProvenance,
    Revision,
    SystemUnderTest,
)
from agingbench.records import AgentIdentity

Trajectory = list[tuple[int, float | None, int]]  # point, value, n


class LifeSystem(SystemUnderTest, frozen=True, kw_only=True):
    """The model, memory and agent that lived the life."""

    memory: str
    memory_options: Any
    agent: str
    tool_protocol: str | UnsetType = UNSET  # "text" where the model takes no tools of its own
    role: str | UnsetType = UNSET  # an instruction behind the role that the scenario gives


class LifeHeadline(Headline, frozen=True, kw_only=True):
    """The headline of one life; without figures where too many calls broke."""

    scope: str = "this life"
    m0_basis: str
    time_average: Figure | UnsetType = UNSET
    first_write_loss: Figure | UnsetType = UNSET
    half_life_first_crossing: float | UnsetType | None = UNSET
    aging_reason: str | UnsetType = UNSET
    unformatted_share: Figure | UnsetType = UNSET  # answers without the line asked for


class LifeCompression(Compression, frozen=True, kw_only=True):
    """Recall of what was told, and what the memory's text still states."""

    first_write_loss: Figure
    summarization_fidelity_trajectory: Trajectory
    keyword_m_trajectory: Trajectory
    dep_recall: Figure
    workspace_fidelity_trajectory: Trajectory | UnsetType = UNSET
    stale_in_workspace: list[tuple[int, int]] | UnsetType = UNSET  # point, values of the past
    code_pass_rate: Figure | UnsetType = UNSET
    # Only where a program is checked at every point: the pass-rate of the paper's pytest.
    program_trajectory: Trajectory | UnsetType = UNSET
    # Only where tickets are worked on: the pass-rate after the first session.
    downstream_pass_rate: Figure | UnsetType = UNSET


class LifeInterference(Interference, frozen=True, kw_only=True):
    """Look-alikes, with what the memory still states of them; plain facts of the same age beside.

    A wrong answer about a fact that is not stored is a loss of the store and no confusion.
    """

    confusion_given_stored: Figure
    plain_error_given_stored: Figure
    stored_share: Figure
    plain_stored_share: Figure


class LifeRevision(Revision, frozen=True, kw_only=True):
    """Versions, retractions, running totals, and rules that were broken."""

    accumulator_accuracy: Figure
    accumulator_unanswered: int
    cvr: Figure
    cvr_undecided: int
    # Only where tasks ask for acts.
    over_refusal_rate: Figure | UnsetType = UNSET
    undecided_share: Figure | UnsetType = UNSET
    cite_accuracy: Figure | UnsetType = UNSET
    unasked_violations: int | UnsetType = UNSET


class LifeMaintenance(Maintenance, frozen=True, kw_only=True):
    """What the lifecycle events cost, by the curve and by the life without them."""

    basis: str | UnsetType = UNSET
    events: list[str] | UnsetType = UNSET
    shock_delta: Figure | UnsetType = UNSET
    shock_delta_final: Figure | UnsetType = UNSET
    shock_delta_basis: str | UnsetType = UNSET
    near_floor: bool | UnsetType | None = UNSET
    # Only where the plan tells of migrations: pre/post window around each, by event.
    recall_deltas: list[tuple[str, float | None]] | UnsetType = UNSET
    program_deltas: list[tuple[str, float | None]] | UnsetType = UNSET
    control_plan_hash: str | UnsetType = UNSET


class LifeMechanisms(OwnMechanisms, frozen=True, kw_only=True):
    """The four mechanisms of a life."""

    compression: LifeCompression
    interference: LifeInterference
    revision: LifeRevision
    maintenance: LifeMaintenance = LifeMaintenance()


class LifeProvenance(OwnProvenance, frozen=True, kw_only=True):
    """Which plan was lived, with which prompts."""

    plan_hash: str
    prompt_hashes: dict[str, str]
    memory_versions: dict[str, str] | UnsetType = UNSET  # products that the memory is made of
    agent: AgentIdentity | UnsetType = UNSET  # the product that was driven, and how it was held


class LifeCard(OwnCard, frozen=True, kw_only=True):
    """The card of one life."""

    card_kind: CardKind = "life"
    sut: LifeSystem
    headline: LifeHeadline
    mechanism_metrics: LifeMechanisms
    provenance: LifeProvenance
    pressure_turned: dict[str, int | float | None]  # the dials that differ from the preset
    lifecycle_events: list[str]
    probes_asked: str | UnsetType = UNSET  # the selection of `--probes`; absent: all were asked
    checkpoint_intervals: list[tuple[int, float, float, int]]  # point, low, high, n
    diagnosis: DiagnosisDocument | UnsetType = UNSET
    calibration: BoundsSection | UnsetType = UNSET
    paper: PaperSection | UnsetType = UNSET
    monitor: str | UnsetType | None = UNSET  # what the controller was shown
    control: ControlSection | UnsetType = UNSET
