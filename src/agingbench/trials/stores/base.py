"""What both databases share: appending entries to one chain, and reading them back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError, nearest
from agingbench.trials.columns import (
    FACET_COLUMNS,
    TRIAL_COLUMNS,
    TrialColumns,
    TrialRow,
    replacement,
    trial_columns,
)
from agingbench.trials.entries import (
    GENESIS,
    Conflict,
    LedgerEntry,
    NewEntry,
    Receipt,
    entry_hash,
    evidence_json,
    now,
)
from agingbench.trials.query import Query
from agingbench.trials.stores.heads import read_head

PAGE = 2_000
LOST_INSERT = (
    "nothing was kept; a trigger or a rule of the database discards rows, `agingbench trials"
    " verify` names it"
)
ENTRY_COLUMNS = ", ".join(LedgerEntry._fields)
FACETS = "trial_facets"
READ_FACETS = "facets_from_records"  # a temporary table, gone with the connection
ListedTrial = dict[str, Any]  # the columns of a trial as its rows in the tables say


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
    _has_read_facets = False

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
                    self._check_replacing(new)
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

    def _check_replacing(self, new: NewEntry) -> None:
        """Raise Conflict where a record names one of this ledger as replaced by a wrong hash.

        A replaced record is left out of lists, so whoever replaces it must have seen it.
        """
        if new.row is None:
            return

        replaced = replacement(new.body)
        old = self.entry("trial", replaced.trial_id) if replaced else None
        if replaced and old and old.body_hash != replaced.record_hash:
            raise Conflict(
                f"trial '{new.id}' says that it replaces '{old.id}', but names another content"
                f" than that of entry {old.number}; nothing was added"
            )

        for number, body in self.replacing_records(new.id):
            claim = replacement(body.encode())
            if claim and claim.record_hash != new.body_hash:
                raise Conflict(
                    f"entry {number} says that it replaces trial '{new.id}', but names another"
                    " content than this one; nothing was added"
                )

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
            self._insert_row("trials", TRIAL_COLUMNS, new.row, number)
            if self.has_facets():
                self._insert_row(FACETS, FACET_COLUMNS, new.row, number)
            if not list(self.rows("SELECT 1 FROM trials WHERE number = ?", (number,))):
                raise StorageError(
                    f"{self.where}: the row of trial {new.id} was added and is not there:"
                    f" {LOST_INSERT}"
                )
        return hash

    def _insert_row(
        self, table: str, names: Sequence[str], columns: TrialColumns, number: int
    ) -> None:
        values = [getattr(columns, name) for name in names]
        sql = (
            f"INSERT INTO {table} ({', '.join(('number', *names))})"  # noqa: S608
            f" VALUES ({_marks(len(names) + 1)})"
        )
        self._add_row(sql, (number, *values), number)

    # -- columns that older ledgers have no table for

    @abstractmethod
    def has_facets(self) -> bool:
        """Whether the table of the later columns is there; an older ledger gets it when written."""

    @abstractmethod
    def make_temporary(self, name: str) -> None:
        """Make an empty table like that of the later columns, seen by this connection alone."""

    def with_facets(self) -> str:
        """The table of trials `t` beside their later columns `f`, to select from.

        What has no row there is read from its record: nothing in the ledger is rewritten.
        """
        tables = [FACETS] if self.has_facets() else []
        if self._read_missing_facets():
            tables.append(READ_FACETS)
        if not tables:
            tables = [FACETS]  # there is no ledger yet, and nothing is selected
        source = tables[0]
        if len(tables) == 2:
            source = f"(SELECT * FROM {FACETS} UNION ALL SELECT * FROM {READ_FACETS})"  # noqa: S608
        return f"trials t LEFT JOIN {source} f ON f.number = t.number"

    def _read_missing_facets(self) -> bool:
        """Read the later columns of entries without a row of them; False where there are none."""
        tables = [FACETS] if self.has_facets() else []
        if self._has_read_facets:
            tables.append(READ_FACETS)
        if tables == [FACETS] and self._count_rows(FACETS) == self._count_rows("trials"):
            return False  # every trial has its row
        conditions = [
            f"NOT EXISTS (SELECT 1 FROM {table} f WHERE f.number = t.number)"  # noqa: S608
            for table in tables
        ]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        numbers = [row[0] for row in self.rows(f"SELECT t.number FROM trials t{where}")]  # noqa: S608
        if numbers and not self._has_read_facets:
            self.make_temporary(READ_FACETS)
            self._has_read_facets = True
        for entry in self._numbered(numbers):
            try:
                columns = trial_columns(entry.body.encode())
            except (ValueError, KeyError, TypeError, InputError):
                columns = None  # what was changed in it is for `verify` to say
            values = [getattr(columns, name, None) for name in FACET_COLUMNS]
            marks = _marks(len(values) + 1)
            sql = f"INSERT INTO {READ_FACETS} VALUES ({marks})"  # noqa: S608
            self.change(sql, (entry.number, *values))
        return self._has_read_facets

    def _count_rows(self, table: str) -> int:
        return int(next(self.rows(f"SELECT count(*) FROM {table}"), (0,))[0])  # noqa: S608

    def _numbered(self, numbers: Sequence[int]) -> Iterator[LedgerEntry]:
        """The entries of these numbers that are there, page by page."""
        for start in range(0, len(numbers), PAGE):
            page = numbers[start : start + PAGE]
            marks = _marks(len(page))
            sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE number IN ({marks})"  # noqa: S608
            found = {row[0]: LedgerEntry(*row) for row in self.rows(sql, page)}
            yield from (found[number] for number in page if number in found)

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
        sql, values = query.sql(self.with_facets(), "t.number")
        numbers = [row[0] for row in self.rows(sql, values)]
        expected = iter(numbers)
        for entry in self._numbered(numbers):
            self._require_entry(next(expected), entry.number)
            yield entry
        for number in expected:
            self._require_entry(number, None)

    def _require_entry(self, number: int, found: int | None) -> None:
        if number != found:
            raise InputError(
                f"{self.where}: entry {number} is gone; run `agingbench trials verify`"
            )

    def entries_with_rows(self) -> Iterator[tuple[LedgerEntry, ListedTrial]]:
        """All entries, each with its columns in the tables of trials; none for other kinds."""
        names = list(TRIAL_COLUMNS)
        columns = [f"e.{column}" for column in LedgerEntry._fields]
        columns += [f"t.{column}" for column in ("number", *TRIAL_COLUMNS)]
        beside = "LEFT JOIN trials t ON t.number = e.number"
        if self.has_facets():
            columns += [f"f.{column}" for column in ("number", *FACET_COLUMNS)]
            beside += f" LEFT JOIN {FACETS} f ON f.number = e.number"
        sql = (
            f"SELECT {', '.join(columns)} FROM entries e {beside}"  # noqa: S608
            f" WHERE e.number > ? ORDER BY e.number LIMIT {PAGE}"
        )
        width = len(LedgerEntry._fields)
        facets = width + 1 + len(names)
        for row in self._pages(sql, ()):
            listed: ListedTrial = {}
            if row[width] is not None:
                listed = dict(zip(names, row[width + 1 : facets], strict=True))
                if row[facets:] and row[facets] is not None:
                    listed |= dict(zip(FACET_COLUMNS, row[facets + 1 :], strict=True))
            yield LedgerEntry(*row[:width]), listed

    def replacing_records(self, trial_id: str | None = None) -> Iterator[tuple[Any, ...]]:
        """Number and content of the records that replace another one, or that replace this one."""
        sql = "SELECT e.number, e.body FROM trials t JOIN entries e ON e.number = t.number"
        if trial_id is None:
            return self.rows(f"{sql} WHERE t.supersedes IS NOT NULL ORDER BY e.number")
        return self.rows(f"{sql} WHERE t.supersedes = ?", (trial_id,))

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
        trials = [TrialRow(*row) for row in self.rows(*query.sql(self.with_facets()))]
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
            table = "f" if column in FACET_COLUMNS else "t"
            rows = self.rows(f"SELECT DISTINCT {table}.{column} FROM {self.with_facets()}")  # noqa: S608
            choices = [str(row[0]) for row in rows if row[0] is not None]
            if str(value) in choices:
                continue
            close = nearest(str(value), choices)
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
        # The later columns are read only where a filter asks for one: that takes a while.
        source = self.with_facets() if "f." in where else "trials t"
        rows = self.rows(f"SELECT count(*) FROM {source}{where}", values)  # noqa: S608
        return int(next(rows, (0,))[0])


def _marks(n: int) -> str:
    return ", ".join("?" * n)
