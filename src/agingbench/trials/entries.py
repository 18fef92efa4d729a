"""One entry of the ledger: what it holds, how it is hashed, and the columns by which trials are
found.
"""

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

TRIAL_COLUMNS = (
    "trial_id",
    "experiment_id",
    "dataset_id",
    "task_id",
    "task_revision",
    "model",
    "harness",
    "timestamp",
    "status",
    "completeness",
    "reward",
    "total_seconds",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "record_hash",
    "supersedes",
)


class Blob(NamedTuple):
    """A piece of evidence by content."""

    sha256: str
    size: int


class NewEntry(NamedTuple):
    """What is to be added. The id is unique among entries of its kind."""

    kind: str
    id: str
    body: bytes
    evidence: Mapping[str, Blob]
    row: tuple[Any, ...] | None = None

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
        parsed = msgspec.json.decode(self.evidence)
        return {name: Blob(of["sha256"], of["size"]) for name, of in parsed.items()}


class Receipt(NamedTuple):
    """What became of a draft: its place, and whether it was there already."""

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
    """SHA-256 of the JSON array of all that an entry says, compact and UTF-8."""
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
    """The canonical JSON of what an entry rests on."""
    return canonical_json(
        {n: {"sha256": b.sha256, "size": b.size} for n, b in evidence.items()}
    ).decode()


def now() -> str:
    """The time of adding."""
    return utc(datetime.now(UTC))


def utc(time: datetime) -> str:
    """A time as the ledger sorts it: UTC, always six decimals."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def trial_draft(record: TrialRecord, evidence: Mapping[str, Blob]) -> NewEntry:
    """A record as an entry."""
    body = record_bytes(record)
    return NewEntry("trial", record.trial_id, body, evidence, trial_row(body))


def trial_row(body: bytes) -> tuple[Any, ...]:
    """The columns of a trial, read from its canonical record."""
    record = msgspec.json.decode(body)
    output = record["outputs"]["agent_output"] or {}
    cost = record["cost"] or {}
    reward = record["evaluation"]["reward"]
    spent = cost.get("estimated_cost_usd")
    row = (
        record["trial_id"],
        record["experiment_id"],
        record["dataset_id"],
        record["task"]["task_id"],
        record["task"]["task_revision"],
        record["agent"]["model"],
        record["agent"]["adapter"],
        utc(datetime.fromisoformat(record["timestamp"])),
        output.get("status"),
        record["completeness"],
        None if reward is None else float(reward),
        _seconds(record),
        _tokens(cost, "tokens_in"),
        _tokens(cost, "tokens_out"),
        None if spent is None else float(spent),
        hashlib.sha256(body).hexdigest(),
        _supersedes(record),
    )
    # A column cannot hold U+0000 in every database; the record itself keeps it.
    return tuple(
        value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row
    )


def _tokens(cost: Mapping[str, Any], name: str) -> int | None:
    value = cost.get(name)
    if value is not None and value > LARGEST_COUNT:
        raise InputError(f"cost.{name} is {value}, more than {LARGEST_COUNT}")
    return value


def _seconds(record: Mapping[str, Any]) -> float | None:
    # A record must name a duration; where its source had none, it says so, and the 0 in it is not a
    # measurement.
    flags = (record["outputs"]["agent_result"] or {}).get("flags")
    unknown = isinstance(flags, list) and NO_DURATION in flags
    return None if unknown else float(record["timing"]["total_seconds"])


def _supersedes(record: Mapping[str, Any]) -> str | None:
    """The trial that a record stands in for, when it says so."""
    told = (record["outputs"]["agent_result"] or {}).get("supersedes")
    named = told.get("trial_id") if isinstance(told, dict) else None
    return named if isinstance(named, str) else None
