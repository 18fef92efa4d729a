"""Parts of a record that every trial of ours has in the same form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agingbench.records import Usage
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.evidence import Evidence
from agingbench.trials.record import Cost, Environment, TrialRecord, record_hash


def cost_of(usage: Usage) -> Cost:
    """Tokens and money of a trial; what no provider told is null."""
    return Cost(
        tokens_in=usage.input_tokens,
        tokens_out=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        estimated_cost_usd=usage.cost_usd,
    )


def local_environment(python: str, tool_versions: Mapping[str, str] | None) -> Environment:
    """A trial of this machine, with this version of Python and of these tools."""
    return Environment(
        runtime_image=f"local:{python}",
        compute_backend="local",
        tool_versions=dict(tool_versions) if tool_versions else None,
    )


def as_earned(record: TrialRecord, evidence: Evidence) -> TrialRecord:
    """The record as complete as its evidence proves it."""
    earned, _ = earned_completeness(record, evidence)
    return record.model_copy(update={"completeness": earned})


def reference(record: TrialRecord) -> dict[str, Any]:
    """How a later record names the one that it supersedes."""
    return {"trial_id": record.trial_id, "record_hash": record_hash(record)}
