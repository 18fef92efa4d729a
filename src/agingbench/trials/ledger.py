"""The ledger: append-only evidence, in one file for one machine or in PostgreSQL for a team."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from agingbench.errors import InputError, StorageError, nearest
from agingbench.traces.blobs import digest_of
from agingbench.trials.chain import LedgerProblem
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.entries import Blob, LedgerEntry, NewEntry, Receipt, trial_draft
from agingbench.trials.evidence import (
    Evidence,
    FolderEvidence,
    NoEvidence,
    StoredEvidence,
    checked_name,
    is_safe_name,
)
from agingbench.trials.query import Query
from agingbench.trials.record import TrialRecord, parse_trial, read_trial
from agingbench.trials.stores.base import LedgerStore, NoLedger
from agingbench.trials.stores.sqlite import SqliteStore, database_file
from agingbench.trials.verify import Tick, Verification, verify

RECORD_FILE = "trial.json"
ALSO_KEPT = ("sut.json", "agent-result.json", "prime_sample.json")
SNAPSHOTS = "memory"
MEANT = 4  # how many ids that begin alike are named
LOOKED_THROUGH = 1_000  # for a name that is close to one that is not there


@dataclass(frozen=True)
class StoredTrial:
    """A trial as the ledger holds it."""

    record: TrialRecord
    entry: LedgerEntry
    files: Evidence

    @property
    def record_hash(self) -> str:
        return self.entry.body_hash


class Ledger:
    """Trials and what was said about them. Nothing is changed once it is in; use it as a context
    manager.
    """

    def __init__(self, store: LedgerStore) -> None:
        self.store = store

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    # -- adding

    def add(self, record: TrialRecord, evidence: Mapping[str, bytes] | None = None) -> Receipt:
        """Add a record with its files by name; the same record again is a no-op, its id with other
        content an error.
        """
        files = {checked_name(name): data for name, data in (evidence or {}).items()}
        check_claim(record, StoredEvidence.held(files))
        draft = trial_draft(record, named_blobs(files))
        if (
            self.store.entry("trial", record.trial_id) is None
        ):  # else nothing is to be kept a second time
            self.keep(files)
        return self.append(draft)

    def add_folder(self, folder: Path) -> Receipt:
        """Add the trial that lies in a folder: its record and the files it names, with the memory
        snapshots.
        """
        record = read_trial(folder / RECORD_FILE)
        return self.add(record, folder_evidence(record, folder))

    def keep(self, files: Mapping[str, bytes]) -> dict[str, Blob]:
        """Put files into the blob store; they belong to nobody until an entry names them."""
        hashes = self.store.put_blobs(list(files.values()))
        return {
            name: Blob(sha256, len(files[name])) for name, sha256 in zip(files, hashes, strict=True)
        }

    def append(self, draft: NewEntry) -> Receipt:
        """Add one entry of any kind."""
        return self.store.append([draft])[0]

    # -- reading

    def get(self, trial_id: str) -> StoredTrial:
        """One trial, its content checked against its hash; an unknown id is an InputError."""
        entry = self.store.entry("trial", trial_id)
        if entry is None:
            raise InputError(
                f"{self.store.where}: there is no trial '{trial_id[:80]}';"
                f" {self._instead(trial_id)}"
            )
        return StoredTrial(
            parse_trial(_intact(entry).body.encode(), trial_id), entry, self.evidence(entry)
        )

    def resolve(self, given: str) -> str:
        """The id that somebody means: it, or the only one that begins so."""
        if self.store.entry("trial", given) is not None:
            return given
        found = (
            [row["trial_id"] for row in self.list(Query(id_prefix=given, limit=MEANT))]
            if given
            else []
        )
        if len(found) > 1:
            many = ", ".join(found[:-1]) + (
                " and more" if len(found) == MEANT else f" and {found[-1]}"
            )
            raise InputError(f"'{given}' may be {many}; give more of it")
        return found[0] if found else given

    def _instead(self, trial_id: str) -> str:
        # Ids of one start, and the latest: looking through all of them would take long in a large
        # ledger.
        start = self.list(
            Query(id_prefix=trial_id[: max(1, len(trial_id) // 2)], limit=LOOKED_THROUGH)
        )
        latest = self.list(Query(sort="number", descending=True, limit=LOOKED_THROUGH))
        close = nearest(trial_id, (row["trial_id"] for row in [*start, *latest]))
        return (
            f"did you mean {' or '.join(close)}?"
            if close
            else "`agingbench trials list` shows them"
        )

    def evidence(self, entry: LedgerEntry) -> StoredEvidence:
        """The files of an entry, by name."""
        blobs = entry.blobs()
        return StoredEvidence(
            {name: functools.partial(self.store.get_blob, b.sha256) for name, b in blobs.items()}
        )

    def list(self, query: Query | None = None) -> list[dict[str, Any]]:
        """The trials that a query asks for, as rows."""
        return self.store.listing(query or Query())

    def found(self, query: Query) -> Iterator[LedgerEntry]:
        """The entries of the trials that a query asks for, each checked against its hash; not all
        are held at once.
        """
        return map(_intact, self.store.entries_of(query))

    def count(self, query: Query | None = None) -> int:
        """How many trials a query finds, its limit aside."""
        return self.store.count(query)

    def entries(self, kind: str | None = None) -> Iterator[LedgerEntry]:
        """The entries in order."""
        return self.store.entries(kind)

    def verify(self, head: str | None = None, tick: Tick | None = None) -> Verification:
        """Prove the whole ledger; `tick` is told after every entry."""
        return verify(self.store, head, tick)


def _intact(entry: LedgerEntry) -> LedgerEntry:
    if digest_of(entry.body.encode()) != entry.body_hash:
        raise InputError(
            f"trial '{entry.id}' was changed after it was added; run `agingbench trials verify`"
        )
    return entry


def named_blobs(files: Mapping[str, bytes]) -> dict[str, Blob]:
    """What files would be called as blobs."""
    return {name: Blob(digest_of(data), len(data)) for name, data in files.items()}


def open_ledger(place: str | Path, *, create: bool = True) -> Ledger:
    """The ledger at a path (a `.sqlite` file, or a folder that holds one) or at a postgresql://
    URL.
    """
    if not str(place):
        raise InputError("a ledger is a path or a postgresql:// URL, and none is named")
    if str(place).startswith(("postgresql://", "postgres://")):
        from agingbench.trials.stores.postgres import PostgresStore

        return Ledger(PostgresStore(str(place), create=create))
    if isinstance(place, str) and "://" in place:
        raise InputError(
            f"{place.partition('://')[0]}:// is no ledger; give a path or a postgresql:// URL"
        )
    return Ledger(SqliteStore(Path(place), create=create))


def verify_ledger(
    place: str | Path,
    head: str | None = None,
    watch: Callable[[int], AbstractContextManager[Tick | None]] = lambda _: nullcontext(),
) -> Verification:
    """Prove the ledger at a place; a database that is there and cannot even be opened was damaged,
    and that is told.
    """
    try:
        with open_ledger(place, create=False) as ledger, watch(ledger.store.head()[0]) as tick:
            return ledger.verify(head, tick)
    except NoLedger as none:
        if not none.head_file.is_file():
            raise
        gone = f"{none.head_file} is there and the ledger is gone, with all entries"
        return Verification(problems=[LedgerProblem(0, "truncated", gone)])
    except StorageError:
        raise
    except InputError as error:
        if not database_file(Path(place)).is_file():
            raise
        return Verification(problems=[LedgerProblem(None, "unreadable", str(error))])


def check_claim(record: TrialRecord, evidence: Evidence) -> None:
    """Refuse a record that claims to be complete and has not earned it."""
    if record.completeness == "complete":
        earned, reasons = earned_completeness(record, evidence)
        if earned != "complete":
            raise InputError(
                f"trial '{record.trial_id}' claims to be complete and is not:"
                f" {'; '.join(reasons[:5])}"
            )


def folder_evidence(record: TrialRecord, folder: Path) -> dict[str, bytes]:
    """The files that a record names and that lie in its folder, by the names the record gives them."""
    files = FolderEvidence(folder)
    output = record.outputs.agent_output
    named = [f.path for f in record.inputs.input_files or []] + [
        output.output_path if output else None
    ]
    named += [
        record.outputs.raw_output_path,
        record.outputs.conversation_path,
        record.outputs.trajectory_path,
    ]
    named += [
        *ALSO_KEPT,
        *(f"{SNAPSHOTS}/{f.name}" for f in sorted((folder / SNAPSHOTS).glob("*.json"))),
    ]
    kept: dict[str, bytes] = {}
    for name in dict.fromkeys(n for n in named if n and is_safe_name(n)):
        path = files.path(name)
        if path is not None and path.is_file():
            try:
                with files.open(name) as stream:
                    kept[name] = stream.read()
            except NoEvidence as error:
                raise InputError(f"{folder / name}: {error}") from error
    return kept
