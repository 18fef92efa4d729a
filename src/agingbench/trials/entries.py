"""One entry of the ledger: what it holds and how it is hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.trials.columns import TrialColumns, trial_columns, utc
from agingbench.trials.record import TrialRecord, record_bytes

GENESIS = "0" * 64
KINDS = ("trial", "review", "classification", "quarantine")


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


def trial_entry(record: TrialRecord, evidence: Mapping[str, Blob]) -> NewEntry:
    """A record as an entry to be added."""
    body = record_bytes(record)
    return NewEntry("trial", record.trial_id, body, evidence, trial_columns(body))
