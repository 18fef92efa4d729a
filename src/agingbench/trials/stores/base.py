"""What both databases share: appending entries to one chain, and reading them back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError, nearest
from agingbench.trials.entries import (
    GENESIS,
    TRIAL_COLUMNS,
    Conflict,
    LedgerEntry,
    NewEntry,
    Receipt,
    entry_hash,
    evidence_json,
    now,
)
from agingbench.trials.query import Query, TrialRow
from agingbench.trials.stores.heads import read_head

PAGE = 2_000
LOST_INSERT = (
    "nothing was kept; a trigger or a rule of the database discards rows, `agingbench trials"
    " verify` names it"
)
ENTRY_COLUMNS = ", ".join(LedgerEntry._fields)


def trigger_warnings(expected: Mapping[str, str], active: Mapping[str, str]) -> list[str]:
    """What is wrong with the triggers of a database, by name and text; blanks do not count."""
    warnings = []
    for name in sorted(expected.keys() | active.keys()):
        if name not in active:
            reason = "is missing or off: rows can be changed unnoticed by it"
        elif name not in expected:
            reason = "is not ours: it can change or discard what is added"
        elif active[name].split() != expected[name].split():
            reason = "has another text than ours: it need not refuse anything"
        else:
            continue
        warnings.append(f"the trigger {name} {reason}")
    return warnings


class NoLedger(InputError):
    """There is no ledger at this place; if `head_file` exists, there was one."""

    def __init__(self, message: str, head_file: Path) -> None:
        super().__init__(message)
        self.head_file = head_file


class LedgerStore(ABC):
    """A database with the ledger's schema and its blobs; placeholders in SQL are question marks."""

    where: str
    head_file: Path

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """A transaction: one at a time over all processes, whole or not at all."""

    @abstractmethod
    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; none where no ledger has been made yet."""

    @abstractmethod
    def change(self, sql: str, values: Sequence[Any]) -> int:
        """Run one INSERT inside a transaction and return how many rows it added."""

    @abstractmethod
    def put_blob(self, data: bytes) -> str:
        """Store a piece of evidence and return its SHA-256; the same content is stored once."""

    def put_blobs(self, data: Sequence[bytes]) -> list[str]:
        """Store several pieces of evidence and return their hashes in order."""
        return [self.put_blob(piece) for piece in data]

    @abstractmethod
    def get_blob(self, sha256: str) -> bytes:
        """The evidence of that hash; raises InputError when it is missing or was changed."""

    @abstractmethod
    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None:
        """The kind and detail of what is wrong with a piece of evidence; None when it is intact."""

    @abstractmethod
    def blob_names(self) -> Iterator[str]:
        """The hashes of all evidence that is stored."""

    def known_head(self) -> tuple[int, str] | None:
        """Count and head as the head file outside the database records them."""
        return read_head(self.head_file)

    @abstractmethod
    def warnings(self) -> list[str]:
        """Protections of the database that are missing, such as triggers."""

    @abstractmethod
    def close(self) -> None:
        """Close the database."""

    def append(self, entries: Sequence[NewEntry]) -> list[Receipt]:
        """Add entries in one transaction; one that is there already is a no-op.

        Raises Conflict, and adds nothing, when an id is taken by other content.
        """
        with self.writing():
            count, head = self.head()
            receipts: list[Receipt] = []
            for new in entries:
                receipt = self._duplicate(new)
                if receipt is None:
                    count += 1
                    head = self._insert(new, count, head)
                    receipt = Receipt(count, head, new.body_hash, duplicate=False)
                receipts.append(receipt)
            self._check_added(count, head)
        return receipts

    def _check_added(self, count: int, head: str) -> None:
        """Raise StorageError where the database does not hold what it was just given."""
        found = self.head()
        if found != (count, head):
            raise StorageError(
                f"{self.where}: entry {count} was added and is not there (the last is"
                f" {found[0]}): {LOST_INSERT}"
            )

    def _add_row(self, sql: str, values: Sequence[Any], number: int) -> None:
        """Insert one row; raises StorageError at once where the database swallows it."""
        if self.change(sql, values) != 1:
            raise StorageError(
                f"{self.where}: the database took entry {number} and added nothing: {LOST_INSERT}"
            )

    def _duplicate(self, new: NewEntry) -> Receipt | None:
        """The receipt of an entry that is there already; None when its id is free."""
        old = self.entry(new.kind, new.id)
        if old is None:
            return None
        if old.body_hash != new.body_hash:
            raise Conflict(
                f"{new.kind} '{new.id}' is entry {old.number} with other content "
                f"({old.body_hash[:12]}, not {new.body_hash[:12]}); nothing was added"
            )

        blobs = old.blobs()
        other = sorted(name for name, blob in new.evidence.items() if blobs.get(name) != blob)
        note = None
        if other:
            note = f"the evidence first added is kept; now different: {', '.join(other)}"
        return Receipt(old.number, old.entry_hash, old.body_hash, duplicate=True, note=note)

    def _insert(self, new: NewEntry, number: int, previous: str) -> str:
        """Insert an entry at a number, and return its hash."""
        evidence = evidence_json(new.evidence)
        time = now()
        hash = entry_hash(number, new.kind, new.id, new.body_hash, evidence, time, previous)
        entry = LedgerEntry(
            number=number,
            kind=new.kind,
            id=new.id,
            body=new.body.decode(),
            body_hash=new.body_hash,
            evidence=evidence,
            added_at=time,
            previous=previous,
            entry_hash=hash,
        )
        marks = _marks(len(entry))
        sql = f"INSERT INTO entries ({ENTRY_COLUMNS}) VALUES ({marks})"  # noqa: S608
        self._add_row(sql, entry, number)

        if new.row is not None:
            columns = ", ".join(("number", *TRIAL_COLUMNS))
            row = (number, *new.row)
            marks = _marks(len(row))
            sql = f"INSERT INTO trials ({columns}) VALUES ({marks})"  # noqa: S608
            self._add_row(sql, row, number)
            if not list(self.rows("SELECT 1 FROM trials WHERE number = ?", (number,))):
                raise StorageError(
                    f"{self.where}: the row of trial {new.id} was added and is not there:"
                    f" {LOST_INSERT}"
                )
        return hash

    # -- reading

    def head(self) -> tuple[int, str]:
        """How many entries there are, and the hash of the last."""
        sql = "SELECT number, entry_hash FROM entries ORDER BY number DESC LIMIT 1"
        for number, hash in self.rows(sql):
            return int(number), str(hash)
        return 0, GENESIS

    def entry(self, kind: str, id: str) -> LedgerEntry | None:
        """The entry of that kind and id."""
        sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE kind = ? AND id = ?"  # noqa: S608
        return next((LedgerEntry(*row) for row in self.rows(sql, (kind, id))), None)

    def entries(self, kind: str | None = None) -> Iterator[LedgerEntry]:
        """All entries in order, page by page, so that a large ledger fits and others can write."""
        where = " AND kind = ?" if kind else ""
        values = (kind,) if kind else ()
        sql = (
            f"SELECT {ENTRY_COLUMNS} FROM entries"  # noqa: S608
            f" WHERE number > ?{where} ORDER BY number LIMIT {PAGE}"
        )
        return (LedgerEntry(*row) for row in self._pages(sql, values))

    def entries_of(self, query: Query) -> Iterator[LedgerEntry]:
        """The entries of the trials that a query finds, in its order, page by page."""
        numbers = [row[0] for row in self.rows(*query.sql("t.number"))]
        for start in range(0, len(numbers), PAGE):
            page = numbers[start : start + PAGE]
            marks = _marks(len(page))
            sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE number IN ({marks})"  # noqa: S608
            entries = {row[0]: LedgerEntry(*row) for row in self.rows(sql, page)}
            for number in page:
                if number not in entries:
                    raise InputError(
                        f"{self.where}: entry {number} is gone; run `agingbench trials verify`"
                    )
                yield entries[number]

    def entries_with_rows(self) -> Iterator[tuple[LedgerEntry, tuple[Any, ...] | None]]:
        """All entries, each with its row in the table of trials, when it has one."""
        entry_columns = [f"e.{column}" for column in LedgerEntry._fields]
        trial_columns = [f"t.{column}" for column in ("number", *TRIAL_COLUMNS)]
        columns = ", ".join([*entry_columns, *trial_columns])
        sql = (
            f"SELECT {columns} FROM entries e"  # noqa: S608
            " LEFT JOIN trials t ON t.number = e.number "
            f"WHERE e.number > ? ORDER BY e.number LIMIT {PAGE}"
        )
        width = len(entry_columns)
        for row in self._pages(sql, ()):
            is_trial = row[width] is not None
            yield LedgerEntry(*row[:width]), row[width + 1 :] if is_trial else None

    def rows_without_entry(self) -> list[tuple[Any, ...]]:
        """Number and id of the rows in the table of trials whose entry is gone."""
        gone = "NOT EXISTS (SELECT 1 FROM entries e WHERE e.number = t.number)"
        columns = "t.number, t.trial_id"
        sql = f"SELECT {columns} FROM trials t WHERE {gone} ORDER BY t.number"  # noqa: S608
        return list(self.rows(sql))

    def _pages(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        last = -(1 << 62)
        while page := list(self.rows(sql, (last, *values))):
            yield from page
            last = page[-1][0]

    def listing(self, query: Query) -> list[TrialRow]:
        """The trials that a query finds, each with the id of the trial that replaces it."""
        trials = [TrialRow(*row) for row in self.rows(*query.sql())]
        sql = (
            "SELECT supersedes, max(trial_id) FROM trials"
            " WHERE supersedes IS NOT NULL GROUP BY supersedes"
        )
        replacements = dict(self.rows(sql))
        if replacements:
            for trial in trials:
                trial.superseded_by = replacements.get(trial.trial_id)
        return trials

    def unmet(self, query: Query) -> list[str]:
        """Which filters of a query no trial meets, each with the nearest value there is."""
        messages = []
        for column, value in query.equal().items():
            rows = self.rows(f"SELECT DISTINCT {column} FROM trials")  # noqa: S608
            choices = [str(row[0]) for row in rows if row[0] is not None]
            if value in choices:
                continue
            close = nearest(value, choices)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            messages.append(f"no trial has the {column.removesuffix('_id')} '{value}'{hint}")
        return messages

    def extends(self, known: tuple[int, str] | None, count: int) -> bool:
        """Whether a chain of `count` entries continues from a recorded head."""
        if known is None:
            return True
        known_count, known_hash = known
        sql = "SELECT entry_hash FROM entries WHERE number = ?"
        row = next(self.rows(sql, (known_count,)), (GENESIS,))
        return known_count < count and row[0] == known_hash

    def count(self, query: Query | None = None) -> int:
        """How many trials a query finds, its limit aside."""
        where, values = (query or Query()).where()
        rows = self.rows(f"SELECT count(*) FROM trials t{where}", values)  # noqa: S608
        return int(next(rows, (0,))[0])


def _marks(n: int) -> str:
    return ", ".join("?" * n)
