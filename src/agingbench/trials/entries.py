"""One entry of the ledger: what it holds, how it is hashed, and the columns of a trial."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.trials.record import TrialRecord, record_bytes

NO_DURATION = "duration_not_recorded"
GENESIS = "0" * 64
LARGEST_COUNT = 2**63 - 1
KINDS = ("trial", "review", "classification", "quarantine")


class TrialColumns(NamedTuple):
    """The columns by which trials are found, read from the record."""

    trial_id: str
    experiment_id: str
    dataset_id: str | None
    task_id: str
    task_revision: str
    model: str
    harness: str
    timestamp: str
    status: str | None
    completeness: str
    reward: float | None
    total_seconds: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    record_hash: str
    supersedes: str | None


TRIAL_COLUMNS = TrialColumns._fields


class Blob(msgspec.Struct, frozen=True):
    """A piece of evidence, named by the hash of its content."""

    sha256: str
    size: int


class NewEntry(NamedTuple):
    """An entry to be added; its id is unique among entries of its kind."""

    kind: str
    id: str
    body: bytes
    evidence: Mapping[str, Blob]
    row: TrialColumns | None = None

    @property
    def body_hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


class LedgerEntry(NamedTuple):
    """An entry as the ledger holds it. `body` and `evidence` are canonical JSON."""

    number: int
    kind: str
    id: str
    body: str
    body_hash: str
    evidence: str
    added_at: str
    previous: str
    entry_hash: str

    def blobs(self) -> dict[str, Blob]:
        """The evidence by name."""
        return msgspec.json.decode(self.evidence, type=dict[str, Blob])


class Receipt(NamedTuple):
    """The place of an added entry, and whether it was there already."""

    number: int
    entry_hash: str
    record_hash: str
    duplicate: bool
    note: str | None = None


class Conflict(InputError):
    """The id is taken by other content."""


def entry_hash(
    number: int, kind: str, id: str, body_hash: str, evidence: str, added_at: str, previous: str
) -> str:
    """SHA-256 of the compact JSON array of everything in an entry."""
    parts = [
        number,
        kind,
        id,
        body_hash,
        hashlib.sha256(evidence.encode()).hexdigest(),
        added_at,
        previous,
    ]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def evidence_json(evidence: Mapping[str, Blob]) -> str:
    """The canonical JSON of an entry's evidence."""
    return canonical_json(msgspec.to_builtins(dict(evidence))).decode()


def now() -> str:
    """The current time, as the ledger writes it."""
    return utc(datetime.now(UTC))


def utc(time: datetime) -> str:
    """A time as the ledger sorts it: UTC, always six decimals."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def trial_entry(record: TrialRecord, evidence: Mapping[str, Blob]) -> NewEntry:
    """A record as an entry to be added."""
    body = record_bytes(record)
    return NewEntry("trial", record.trial_id, body, evidence, trial_row(body))


def trial_row(body: bytes) -> TrialColumns:
    """The columns of a trial, read from its canonical record."""
    record = msgspec.json.decode(body)
    output = record["outputs"]["agent_output"] or {}
    result = record["outputs"]["agent_result"] or {}
    cost = record["cost"] or {}
    reward = record["evaluation"]["reward"]
    cost_usd = cost.get("estimated_cost_usd")

    columns = TrialColumns(
        trial_id=record["trial_id"],
        experiment_id=record["experiment_id"],
        dataset_id=record["dataset_id"],
        task_id=record["task"]["task_id"],
        task_revision=record["task"]["task_revision"],
        model=record["agent"]["model"],
        harness=record["agent"]["adapter"],
        timestamp=utc(datetime.fromisoformat(record["timestamp"])),
        status=output.get("status"),
        completeness=record["completeness"],
        reward=None if reward is None else float(reward),
        total_seconds=_total_seconds(record, result),
        tokens_in=_tokens(cost, "tokens_in"),
        tokens_out=_tokens(cost, "tokens_out"),
        cost_usd=None if cost_usd is None else float(cost_usd),
        record_hash=hashlib.sha256(body).hexdigest(),
        supersedes=_superseded_trial(result),
    )
    # A column cannot hold U+0000 in every database; the record itself keeps it.
    return TrialColumns._make(
        value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in columns
    )


def _tokens(cost: Mapping[str, Any], name: str) -> int | None:
    value = cost.get(name)
    if value is not None and value > LARGEST_COUNT:
        raise InputError(f"cost.{name} is {value}, more than {LARGEST_COUNT}")
    return value


def _total_seconds(record: Mapping[str, Any], result: Mapping[str, Any]) -> float | None:
    # A record must name a duration; where its source had none, it is flagged, and the 0 in it is
    # not a measurement.
    flags = result.get("flags")
    if isinstance(flags, list) and NO_DURATION in flags:
        return None
    return float(record["timing"]["total_seconds"])


def _superseded_trial(result: Mapping[str, Any]) -> str | None:
    """The id of the trial that a record replaces, if any."""
    supersedes = result.get("supersedes")
    trial_id = supersedes.get("trial_id") if isinstance(supersedes, dict) else None
    return trial_id if isinstance(trial_id, str) else None
