"""TrialRecord, generation 1: the strict record of one trial, and how it is written and read."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.traces.files import parse_json, read_bytes, write_atomic

ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]*"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _has_utc(time: datetime) -> datetime:
    try:
        time.astimezone(UTC)
    except OverflowError as error:  # the first and the last day that there is, in some zones
        raise ValueError("is no time that can be told in UTC") from error
    return time


Text = Annotated[str, AfterValidator(_not_blank)]
Time = Annotated[AwareDatetime, AfterValidator(_has_utc)]
Id = Annotated[str, Field(pattern=f"^{ID_PATTERN}$")]
Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class _RecordPart(BaseModel):
    # Evidence is not bent into shape: no unknown key, no "1" for 1, no NaN, no later change.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class TrialTask(_RecordPart):
    """Which task, in which revision (a content hash)."""

    task_id: Text
    task_revision: Text
    visibility: Literal["public", "holdout"] | None = None


class TrialAgent(_RecordPart):
    """Who did it: the harness, the model it resolved to, and how both were set up."""

    adapter: Text
    model: Text
    adapter_revision: str | None = None
    configuration: dict[str, Any]


class Environment(_RecordPart):
    """Where it ran."""

    runtime_image: Text
    compute_backend: Text
    tool_versions: dict[str, str] | None = None


class InputFile(_RecordPart):
    """A file the agent was given; the path is relative to the trial's folder."""

    path: Text
    hash: Text
    source: str | None = None


class Inputs(_RecordPart):
    """What the agent was given."""

    instruction: Text
    system_prompt: str | None = None
    input_files: list[InputFile] | None = None


class AgentOutput(_RecordPart):
    """What the agent handed in."""

    status: Literal["completed", "partial", "failed", "empty"]
    output_path: Text
    output_format: Text
    error_message: str | None = None


class Outputs(_RecordPart):
    """What the trial left behind; `agent_result` is free for extensions."""

    agent_output: AgentOutput | None = None
    raw_output_path: str | None = None
    conversation_path: str | None = None
    trajectory_path: str | None = None
    agent_result: dict[str, Any] | None = None


class Validity(_RecordPart):
    """Whether the output could be evaluated at all."""

    output_parseable: bool
    schema_valid: bool
    verifier_completed: bool
    errors: list[str]


class ErrorTag(_RecordPart):
    """One error found in the trial, and who found it."""

    category: Text
    description: str | None = None
    source: Literal["mechanical", "human", "judge"]


class Confidence(_RecordPart):
    """How sure the evaluation is."""

    annotator_count: Count | None = None
    inter_rater_agreement: Share | None = None
    confidence_interval: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    confidence_method: Text | None = None

    @model_validator(mode="after")
    def _ends_in_order(self) -> Confidence:
        if self.confidence_interval and self.confidence_interval[0] > self.confidence_interval[1]:
            raise ValueError("the lower end of confidence_interval lies above the upper one")
        return self


class Annotation(_RecordPart):
    """What a reviewer said."""

    reviewer_id: Text
    reviewer_discipline: str | None = None
    timestamp: Time
    judgment: Literal["pass", "fail", "defer"]
    categories: list[str] = Field(default_factory=list)
    notes: str | None = None


class Evaluation(_RecordPart):
    """What the verifier found; a null reward means not evaluated, `breakdown` holds any metrics."""

    reward: Share | None
    validity: Validity
    breakdown: dict[str, Any] | None = None
    error_taxonomy: list[ErrorTag] | None = None
    confidence: Confidence | None = None
    annotations: list[Annotation] | None = None

    @model_validator(mode="after")
    def _unparsable_is_zero(self) -> Evaluation:
        if not self.validity.output_parseable and self.reward != 0:
            raise ValueError(f"output that cannot be parsed has reward 0, not {self.reward}")
        return self


class Timing(_RecordPart):
    """How long it took, in seconds."""

    total_seconds: Amount
    agent_seconds: Amount | None = None
    setup_seconds: Amount | None = None
    verification_seconds: Amount | None = None


class Cost(_RecordPart):
    """What it took; None means nobody measured it."""

    tokens_in: Count | None = None
    tokens_out: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    estimated_cost_usd: Amount | None = None
    advisor_calls: Count | None = None
    advisor_input_tokens: Count | None = None
    advisor_output_tokens: Count | None = None


class Derivation(_RecordPart):
    """One step from a seed task to its variant."""

    axis: Text
    value: Text
    parent_value: Text


class Adaptation(_RecordPart):
    """Where a varied task comes from."""

    family_id: Text
    seed_task_id: Text
    variation_key: Text
    variation: Annotated[dict[Text, Text], Field(min_length=1)]
    derivation_lineage: list[Derivation]

    @model_validator(mode="after")
    def _lineage_leads_to_the_variation(self) -> Adaptation:
        axes = [step.axis for step in self.derivation_lineage]
        if len(axes) != len(set(axes)):
            raise ValueError("derivation_lineage names an axis twice")
        for step in self.derivation_lineage:
            if self.variation.get(step.axis) != step.value:
                raise ValueError(
                    f"derivation_lineage: {step.axis}={step.value} is not what variation says"
                )
            if step.value == step.parent_value:
                raise ValueError(f"derivation_lineage: {step.axis} did not change")
        return self


class TrialRecord(_RecordPart):
    """One trial; `completeness` is a claim that `earned_completeness` checks."""

    trial_id: Id
    experiment_id: Id
    dataset_id: str | None = None
    timestamp: Time
    task: TrialTask
    agent: TrialAgent
    environment: Environment
    inputs: Inputs
    outputs: Outputs
    evaluation: Evaluation
    timing: Timing
    cost: Cost | None = None
    adaptation: Adaptation | None = None
    completeness: Literal["partial", "complete"]


# -- on disk


def record_bytes(record: TrialRecord) -> bytes:
    """The canonical JSON of a record: the bytes of its file, whose SHA-256 is its hash."""
    return canonical_json(record.model_dump(mode="json"))


def record_hash(record: TrialRecord) -> str:
    """SHA-256, in hex, of the record's canonical JSON."""
    return hashlib.sha256(record_bytes(record)).hexdigest()


def parse_trial(data: bytes, name: str) -> TrialRecord:
    """Parse a record; raises InputError that names `name` and the wrong fields."""
    obj = parse_json(data, name)
    if isinstance(obj, dict) and "schema_version" in obj:
        raise InputError(
            f"{name}: a record of generation {obj['schema_version']}; generation 1 is read here"
        )
    try:
        return TrialRecord.model_validate_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        problems = []
        for detail in error.errors():
            field = ".".join(map(str, detail["loc"])) or "record"
            problems.append(f"{field}: {detail['msg']}")
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InputError(f"{name}: {'; '.join(problems[:5])}{more}") from error


def read_trial(path: Path) -> TrialRecord:
    """Read a record from a file; raises InputError that names the file and the wrong fields."""
    return parse_trial(read_bytes(path), str(path))


def write_trial(record: TrialRecord, path: Path) -> None:
    """Write a record as a whole or not at all, readable by its owner only."""
    write_atomic(path, record_bytes(record), private=True)
