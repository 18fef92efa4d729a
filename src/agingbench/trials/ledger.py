"""The ledger: append-only evidence, in one file for one machine or in PostgreSQL for a team."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from agingbench.errors import InputError, StorageError, nearest
from agingbench.traces.blobs import digest_of
from agingbench.trials.chain import LedgerProblem
from agingbench.trials.columns import TrialRow
from agingbench.trials.completeness import earned_completeness
from agingbench.trials.entries import Blob, LedgerEntry, NewEntry, Receipt, trial_entry
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
OTHER_FILES = ("sut.json", "agent-result.json", "prime_sample.json")
SNAPSHOTS = "memory"
SESSIONS = "sessions"
MOST_CANDIDATES = 4  # ids with one beginning that an error names
SEARCH_LIMIT = 1_000  # ids to look through for one that is close to an unknown one


@dataclass(frozen=True)
class StoredTrial:
    """A trial as the ledger holds it: its record, its entry and its files."""

    record: TrialRecord
    entry: LedgerEntry
    files: Evidence

    @property
    def record_hash(self) -> str:
        return self.entry.body_hash


class Ledger:
    """Trials and what was said about them, append-only; use it as a context manager."""

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
        """Close the database."""
        self.store.close()

    # -- adding

    def add(self, record: TrialRecord, evidence: Mapping[str, bytes] | None = None) -> Receipt:
        """Add a record with its files by name; the same record again is a no-op.

        Raises Conflict when the id is taken by other content.
        """
        files = {checked_name(name): data for name, data in (evidence or {}).items()}
        check_claim(record, StoredEvidence.in_memory(files))
        entry = trial_entry(record, blobs_of(files))
        if self.store.entry("trial", record.trial_id) is None:
            self.keep(files)
        return self.append(entry)

    def add_folder(self, folder: Path) -> Receipt:
        """Add the trial in a folder: its record, the files it names, and the memory snapshots."""
        record = read_trial(folder / RECORD_FILE)
        return self.add(record, folder_evidence(record, folder))

    def keep(self, files: Mapping[str, bytes]) -> dict[str, Blob]:
        """Store files as blobs, to be named by an entry that is added next."""
        hashes = self.store.put_blobs(list(files.values()))
        blobs = {}
        for (name, data), sha256 in zip(files.items(), hashes, strict=True):
            blobs[name] = Blob(sha256, len(data))
        return blobs

    def append(self, entry: NewEntry) -> Receipt:
        """Add one entry of any kind."""
        return self.store.append([entry])[0]

    # -- reading

    def get(self, trial_id: str) -> StoredTrial:
        """Return one trial, checked against its hash; raises InputError when there is none."""
        entry = self.store.entry("trial", trial_id)
        if entry is None:
            raise InputError(
                f"{self.store.where}: there is no trial '{trial_id[:80]}'; {self._hint(trial_id)}"
            )
        record = parse_trial(_check_body(entry).body.encode(), trial_id)
        return StoredTrial(record, entry, self.evidence(entry))

    def resolve(self, prefix: str) -> str:
        """The trial id that is `prefix` or alone begins with it; an unknown one is returned as is.

        Raises InputError when several ids begin with it.
        """
        if not prefix or self.store.entry("trial", prefix) is not None:
            return prefix

        # A record that was superseded is meant only where its whole id is given.
        rows = self.list(Query(id_prefix=prefix, newest=True, limit=MOST_CANDIDATES))
        ids = [row.trial_id for row in rows]
        if len(ids) > 1:
            last = "more" if len(ids) == MOST_CANDIDATES else ids[-1]
            raise InputError(f"'{prefix}' may be {', '.join(ids[:-1])} and {last}; give more of it")
        return ids[0] if ids else prefix

    def _hint(self, trial_id: str) -> str:
        # Only ids with the same beginning and the latest ones: all would take long in a large
        # ledger.
        beginning = trial_id[: max(1, len(trial_id) // 2)]
        similar = self.list(Query(id_prefix=beginning, limit=SEARCH_LIMIT))
        latest = self.list(Query(sort="number", descending=True, limit=SEARCH_LIMIT))

        close = nearest(trial_id, (row.trial_id for row in [*similar, *latest]))
        if close:
            return f"did you mean {' or '.join(close)}?"
        return "`agingbench trials list` shows them"

    def evidence(self, entry: LedgerEntry) -> StoredEvidence:
        """The files of an entry, by name."""
        readers = {}
        for name, blob in entry.blobs().items():
            readers[name] = functools.partial(self.store.get_blob, blob.sha256)
        return StoredEvidence(readers)

    def list(self, query: Query | None = None) -> list[TrialRow]:
        """The trials that a query finds, as rows."""
        return self.store.listing(query or Query())

    def find_entries(self, query: Query) -> Iterator[LedgerEntry]:
        """The entries of the trials that a query finds, each checked against its hash."""
        return map(_check_body, self.store.entries_of(query))

    def count(self, query: Query | None = None) -> int:
        """How many trials a query finds, its limit aside."""
        return self.store.count(query)

    def entries(self, kind: str | None = None) -> Iterator[LedgerEntry]:
        """The entries in order."""
        return self.store.entries(kind)

    def verify(self, head: str | None = None, tick: Tick | None = None) -> Verification:
        """Check the whole ledger; `tick` is called after every entry."""
        return verify(self.store, head, tick)


def _check_body(entry: LedgerEntry) -> LedgerEntry:
    """Return the entry; raises InputError when its content does not have its hash."""
    if digest_of(entry.body.encode()) != entry.body_hash:
        raise InputError(
            f"trial '{entry.id}' was changed after it was added; run `agingbench trials verify`"
        )
    return entry


def blobs_of(files: Mapping[str, bytes]) -> dict[str, Blob]:
    """Hash and size of each file."""
    return {name: Blob(digest_of(data), len(data)) for name, data in files.items()}


def open_ledger(place: str | Path, *, create: bool = True) -> Ledger:
    """Open the ledger at a path (a `.sqlite` file, or its folder) or a postgresql:// URL."""
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
    """Check the ledger at a place; one that cannot even be opened is reported as damaged."""
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
    """Raise InputError for a record that claims to be complete and is not."""
    if record.completeness != "complete":
        return
    earned, reasons = earned_completeness(record, evidence)
    if earned != "complete":
        raise InputError(
            f"trial '{record.trial_id}' claims to be complete and is not: {'; '.join(reasons[:5])}"
        )


def folder_evidence(record: TrialRecord, folder: Path) -> dict[str, bytes]:
    """Read the files that a trial's record names, its memory snapshots and product sessions."""
    output = record.outputs.agent_output
    names = [file.path for file in record.inputs.input_files or []]
    names += [
        output.output_path if output else "",
        record.outputs.raw_output_path or "",
        record.outputs.conversation_path or "",
        record.outputs.trajectory_path or "",
        *OTHER_FILES,
    ]
    names += [f"{SNAPSHOTS}/{file.name}" for file in sorted((folder / SNAPSHOTS).glob("*.json"))]
    recorded = sorted((folder / SESSIONS).rglob("*"))  # by the product that was driven
    names += [file.relative_to(folder).as_posix() for file in recorded if file.is_file()]

    files = FolderEvidence(folder)
    contents: dict[str, bytes] = {}
    for name in dict.fromkeys(filter(is_safe_name, names)):
        path = files.path(name)
        if path is None or not path.is_file():
            continue
        try:
            with files.open(name) as stream:
                contents[name] = stream.read()
        except NoEvidence as error:
            raise InputError(f"{folder / name}: {error}") from error
    return contents
