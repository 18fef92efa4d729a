"""The AgingCard as types: `Card` for any card of schema 1.0.0, `OwnCard` for what ours say.

The descriptions and limits here are those of the published schema, which `json_schema` generates
from these types. Absent keys are UNSET; null is None.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from agingbench import __version__
from agingbench.cards.figures import NO_FIGURE, Figure, Section
from agingbench.records import Usage

SCHEMA_VERSION = "1.0.0"
CARD_TYPE = "agingbench.AgingCard"

MECHANISMS = ("compression", "interference", "revision", "maintenance")

CardKind = Literal["life", "trace", "resumption"]
Track = Literal["model", "agent"]
Count = Annotated[int, Meta(ge=0)] | None
Name = Annotated[str, Meta(min_length=1)]
Checkpoint = tuple[float, float | None]


def figure_between(low: float, high: float | None, description: str | None = None) -> Meta:
    """The limits of a figure's value, as the schema states them."""
    limits = {"minimum": low}
    if high is not None:
        limits["maximum"] = high
    return Meta(description=description, extra_json_schema=limits)


class SystemUnderTest(Section, frozen=True, kw_only=True):
    """Which agent, model and memory were measured."""

    sut_id: str
    model_provider: str | UnsetType | None = UNSET
    model_id: str | UnsetType | None = UNSET
    memory_policy_type: str | UnsetType | None = UNSET
    config_yaml_path: str | UnsetType | None = UNSET
    config_hash_sha256: str | UnsetType | None = UNSET


class Headline(Section, frozen=True, kw_only=True):
    """The figures of the card that everybody looks at first."""

    metric_name: Annotated[str, Meta(description="Which figure is followed over the sessions.")]
    m0: Annotated[Figure, Meta(description="The figure at the first checkpoint.")] = NO_FIGURE
    m_final: Annotated[Figure, Meta(description="The figure at the last checkpoint.")] = NO_FIGURE
    half_life: Annotated[
        Figure,
        Meta(
            description="Sessions until half of what was there at first is lost; null when it was"
            " not reached or cannot be told."
        ),
    ] = NO_FIGURE
    decay_slope: Annotated[
        Figure, Meta(description="Change per session; negative means decay.")
    ] = NO_FIGURE
    hazard_proxy: Annotated[Figure, Meta(description="Loss events per session at risk.")] = (
        NO_FIGURE
    )
    aging_detected: Annotated[
        bool | None, Meta(description="Whether decay was found; null when that cannot be told.")
    ] = None
    changed_at_session: Annotated[
        int | UnsetType | None,
        Meta(
            description="The session, counted from 0, at which an audited agent changed at once,"
            " where that is why decay cannot be told."
        ),
    ] = UNSET
    floor: Annotated[
        Figure | UnsetType,
        Meta(
            description="What the agent gets with nothing to read: its answers without any memory."
        ),
    ] = UNSET
    floor_reason: Annotated[str | UnsetType | None, Meta(description="Why there is no floor.")] = (
        UNSET
    )
    ceiling: Annotated[
        Figure | UnsetType,
        Meta(description="What the agent gets with the whole history to read."),
    ] = UNSET
    ceiling_reason: Annotated[
        str | UnsetType | None,
        Meta(
            description="Why there is no ceiling, for instance that the history does not fit the"
            " model."
        ),
    ] = UNSET
    half_life_censored: Annotated[
        bool | UnsetType | None,
        Meta(description="True when the half-life lies beyond the last session."),
    ] = UNSET
    half_life_reason: Annotated[
        str | UnsetType | None, Meta(description="Why there is no half-life.")
    ] = UNSET


class FreeFigures(Section, frozen=True, kw_only=True):
    """A section with figures of any name: every `_ci` is an interval, every `_n` a count."""


class MechanismSection(FreeFigures, frozen=True, kw_only=True):
    """How the agent aged by one mechanism; what others' cards say of it is all in `others`."""


class Mechanisms(Section, frozen=True, kw_only=True):
    """One section per mechanism."""

    compression: MechanismSection
    interference: MechanismSection
    revision: MechanismSection
    maintenance: MechanismSection


class CostAndEfficiency(Section, frozen=True, kw_only=True):
    """What the sessions took in tokens, calls, money and time."""

    total_input_tokens: int | UnsetType | None = UNSET
    total_output_tokens: int | UnsetType | None = UNSET
    total_response_tokens: int | UnsetType | None = UNSET
    total_calls: int | UnsetType | None = UNSET
    tokens_per_session_mean: float | UnsetType | None = UNSET
    total_cost_usd: float | UnsetType | None = UNSET
    latency_ms_p50: float | UnsetType | None = UNSET
    latency_ms_p95: float | UnsetType | None = UNSET
    # Of agents that work with tools at a held-out question: replies of the model and tool calls.
    probe_turns_mean: float | UnsetType | None = UNSET
    probe_tool_calls_mean: float | UnsetType | None = UNSET

    @classmethod
    def of(cls, usage: Usage) -> CostAndEfficiency:
        """The tokens, calls and money of a usage; without times."""
        return cls(
            total_calls=usage.calls,
            total_input_tokens=usage.input_tokens,
            total_output_tokens=usage.output_tokens,
            total_cost_usd=usage.cost_usd,
        )


class Provenance(Section, frozen=True, kw_only=True):
    """Which code made the card, where, and what its makers disclose."""

    agingbench_version: str | UnsetType | None = UNSET
    git_sha: str | UnsetType | None = UNSET
    agent_cli_version: str | UnsetType | None = UNSET
    compute_environment: str | UnsetType = UNSET
    trial_id: str | UnsetType | None = UNSET
    record_hash: str | UnsetType | None = UNSET
    fork_disclosed: bool | UnsetType | None = UNSET
    conflict_of_interest: bool | UnsetType | None = UNSET


class DiagnosisSection(Section, frozen=True, kw_only=True):
    """Which stage of the memory pipeline loses what."""

    stage: Annotated[
        str | UnsetType | None,
        Meta(
            description="write, retrieval, utilization, store or write+retrieval, as far as the"
            " evidence supports one."
        ),
    ] = UNSET
    hint: Annotated[
        Section | UnsetType | None,
        Meta(
            description="Which stage, what to try and on what evidence; null when no interval"
            " supports one."
        ),
    ] = UNSET


class RecordCounts(Section, frozen=True, kw_only=True):
    """How many records of a trace were used, and what became of the others."""

    used: Count | UnsetType = UNSET
    ignored: Count | UnsetType = UNSET
    duplicate: Count | UnsetType = UNSET
    malformed: Count | UnsetType = UNSET


class ResumptionGroup(FreeFigures, frozen=True, kw_only=True):
    """Means over the episodes of one group."""

    quality: Annotated[
        Figure | UnsetType,
        figure_between(0, 1, "Mean over episodes of the geometric mean of the three components."),
    ] = UNSET
    continuation_correctness: Annotated[
        Figure | UnsetType,
        figure_between(0, 1, "Share of checks that the continuation passes."),
    ] = UNSET
    preservation_recall: Annotated[
        Figure | UnsetType,
        figure_between(0, 1, "Share of facts to preserve that the context states."),
    ] = UNSET
    forgetting_precision: Annotated[
        Figure | UnsetType,
        figure_between(
            0,
            1,
            "Facts to forget: omitted 1, mentioned but not as an option 0.5, left open 0.",
        ),
    ] = UNSET
    context_tokens_mean: Annotated[Figure | UnsetType, figure_between(0, None)] = UNSET


class JudgeKappa(FreeFigures, frozen=True, kw_only=True):
    """Agreement of the judge with the reference grades, for one component in one domain."""

    component: Literal["continuation", "preservation", "forgetting"]
    domain: str
    kappa: Annotated[
        str | UnsetType | None, Meta(description="The exact fraction, such as 3/5.")
    ] = UNSET
    value: Annotated[Figure, figure_between(-1, 1)]
    weak: bool | UnsetType = UNSET


class ResumptionSection(Section, frozen=True, kw_only=True):
    """What a run of the resumption benchmark came to."""

    consolidator: Annotated[
        str,
        Meta(
            description="What made the contexts: a built-in name, a memory policy or module:Class."
        ),
    ]
    budget: Annotated[
        int,
        Meta(ge=1, description="Most tokens of a context, the same for every consolidator."),
    ]
    tokenizer: Annotated[str, Meta(description="The one tokenizer that budgets are counted with.")]
    agent: Annotated[str, Meta(description="Who resumed.")]
    judge: Annotated[str, Meta(description="Who judged, as the gate is bound to it.")]
    gate: Annotated[
        Literal["calibrated", "weak gate"],
        Meta(description="weak gate: the lower bound of a kappa is below 0.4."),
    ]
    groups: Annotated[
        dict[str, ResumptionGroup],
        Meta(
            description="Means over episodes: all, long (50 steps and more), short, and handover"
            " (another agent resumes) apart."
        ),
    ]
    kappa: Annotated[
        list[JudgeKappa],
        Meta(description="Cohen's kappa of judge and reference grades, per component and domain."),
    ]
    graders: Annotated[
        dict[str, Count] | UnsetType,
        Meta(description="Who gave the reference grades, of which kind, and how many."),
    ] = UNSET
    episodes: Count | UnsetType = UNSET
    statuses: Annotated[
        dict[str, Count] | UnsetType,
        Meta(description="How many episodes were scored, skipped, refused or failed."),
    ] = UNSET
    judge_failures: Count | UnsetType = UNSET
    items: Count | UnsetType = UNSET
    paraphrases: Annotated[
        Section | UnsetType | None,
        Meta(
            description="How many held-out paraphrases of forgotten approaches the judge sees, and"
            " what its gate promised."
        ),
    ] = UNSET


class Card(Section, frozen=True, kw_only=True):
    """How one agent aged: one document per life, trace audit or resumption run. Unknown properties
    are allowed everywhere, so that a reader of this version can read cards that say more.
    """

    schema_version: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$",
            description="Version of this schema the card was written for.",
        ),
    ]
    card_type: Annotated[
        Literal["agingbench.AgingCard"],
        Meta(description="The same for all kinds; see card_kind."),
    ]
    card_kind: Annotated[
        CardKind | UnsetType, Meta(description="Which instrument made the card.")
    ] = UNSET
    generated_at: Annotated[
        str,
        Meta(
            description="When the card was made, UTC.",
            extra_json_schema={"format": "date-time"},
        ),
    ]
    run_id: Name
    scenario: Annotated[
        str,
        Meta(
            min_length=1,
            description="Scenario id; telemetry::<profile> for traces, resumption::v0 for"
            " resumption.",
        ),
    ]
    scenario_version: str
    suite_id: Annotated[str, Meta(description="adhoc for a single run.")]
    tier: Annotated[
        Annotated[int, Meta(ge=1)] | UnsetType | None,
        Meta(description="1: the bench owns the session loop; 2: the agent does."),
    ] = UNSET
    track: Annotated[
        Track | UnsetType | None,
        Meta(description="Whether a model or a whole agent was measured."),
    ] = UNSET
    sut: Annotated[SystemUnderTest, Meta(description="The system under test.")]
    seed: Annotated[int, Meta(description="0 for traces.")]
    n_sessions: Annotated[int, Meta(ge=0)]
    pressure: Annotated[dict[str, Any], Meta(description="The dials that were used.")]
    headline: Annotated[
        Headline,
        Meta(
            description="The figures of the card; every figure of ours has its interval (_ci) and"
            " its sample size (_n) beside it."
        ),
    ]
    mechanism_metrics: Annotated[
        Mechanisms,
        Meta(description="How the agent aged; a mechanism that was not exercised holds nulls."),
    ]
    cost_and_efficiency: CostAndEfficiency
    checkpoints: Annotated[
        list[Checkpoint],
        Meta(
            description="The curve: pairs of session and figure; null where there was nothing to"
            " measure."
        ),
    ]
    provenance: Provenance
    warnings: list[str]
    links: Annotated[
        dict[str, str | None],
        Meta(
            description="Files beside the card, relative to it: trace, metrics, dependency_metrics"
            " and others."
        ),
    ]
    diagnosis: Annotated[
        DiagnosisSection | UnsetType | None,
        Meta(
            description="Which stage loses what: shares U, W and R with intervals and n over the"
            " life, by session and by mechanism, abstentions, anomalies, excluded probes, the"
            " change of the store at each lifecycle event, and a repair hint."
        ),
    ] = UNSET
    calibration: Annotated[
        Section | UnsetType | None,
        Meta(
            description="How the answers did with nothing and with the whole history to read, on"
            " which sample, at what cost."
        ),
    ] = UNSET
    paper: Annotated[
        Section | UnsetType | None,
        Meta(
            description="The paper's figures to the letter, beside ours: keywords matched anywhere,"
            " point 0 as any other; outside our bounds."
        ),
    ] = UNSET
    trace_audit: Annotated[
        Section | UnsetType | None, Meta(description="What an audit of a trace found.")
    ] = UNSET
    records: Annotated[
        RecordCounts | UnsetType | None,
        Meta(description="How many records of the input were used and what became of the others."),
    ] = UNSET
    resumption: Annotated[
        ResumptionSection | UnsetType | None,
        Meta(
            description="What a run of the resumption benchmark came to. A card exists only behind"
            " an open gate."
        ),
    ] = UNSET
    content_hash: Annotated[
        Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | UnsetType,
        Meta(
            description="SHA-256 of the canonical form without what differs between two runs over"
            " equal evidence.",
        ),
    ] = UNSET


# -- what our own cards say


class Compression(MechanismSection, frozen=True, kw_only=True):
    """What was lost in writing; null where it was not exercised."""

    score: Figure = NO_FIGURE
    trajectory: list[tuple[int, float | None]] | None = None


class Interference(MechanismSection, frozen=True, kw_only=True):
    """What was mixed up with its look-alike; null where it was not exercised."""

    resistance: Figure = NO_FIGURE
    n_probes: int | None = None
    confusion_rate: Figure = NO_FIGURE
    miss_rate: Figure = NO_FIGURE


class Revision(MechanismSection, frozen=True, kw_only=True):
    """What was not brought up to date; null where it was not exercised."""

    version_accuracy: Figure = NO_FIGURE
    forget_accuracy: Figure = NO_FIGURE
    accumulator_abs_error: Figure = NO_FIGURE
    accumulator_rel_error: Figure = NO_FIGURE
    compounding_detected: bool | None = None
    stale_residue_rate: Figure = NO_FIGURE
    coverage_verdict: str | None = None


class Maintenance(MechanismSection, frozen=True, kw_only=True):
    """What lifecycle events cost; null where there were none."""

    pre_shock: Figure = NO_FIGURE
    post_shock: Figure = NO_FIGURE
    delta: Figure = NO_FIGURE
    shock_sessions: list[int] | None = None


class OwnMechanisms(Mechanisms, frozen=True, kw_only=True):
    """The four sections with their canonical fields; null until something was exercised."""

    compression: Compression = Compression()
    interference: Interference = Interference()
    revision: Revision = Revision()
    maintenance: Maintenance = Maintenance()


class OwnProvenance(Provenance, frozen=True, kw_only=True):
    """What every card of ours says of its making."""

    git_sha: str | None = None
    agingbench_version: str | None = __version__
    agent_cli_version: str | None = None
    compute_environment: str
    fork_disclosed: bool | None = None  # until somebody declares it
    conflict_of_interest: bool | None = None


class OwnCard(Card, frozen=True, kw_only=True):
    """What all our instruments say alike; each adds its own fields."""

    schema_version: str = SCHEMA_VERSION
    card_type: Literal["agingbench.AgingCard"] = "agingbench.AgingCard"
    card_kind: CardKind
    suite_id: str = "adhoc"
    mechanism_metrics: OwnMechanisms = OwnMechanisms()
    provenance: OwnProvenance
