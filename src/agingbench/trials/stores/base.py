"""What both databases share: the schema's columns, appending to one chain, and reading back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, nearest
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
from agingbench.trials.query import LISTED, Query
from agingbench.trials.stores.heads import read_head

PAGE = 2_000
ENTRY_COLUMNS = ", ".join(LedgerEntry._fields)


class NoLedger(InputError):
    """There is none at this place; where its head file is still there, there was one."""

    def __init__(self, told: str, head_file: Path) -> None:
        super().__init__(told)
        self.head_file = head_file


class LedgerStore(ABC):
    """A database with the ledger's schema, and the place of its blobs. Placeholders in SQL are
    question marks.
    """

    where: str
    head_file: Path

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """A transaction of which there is one at a time, over all processes; whole or not at all."""

    @abstractmethod
    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; none where no ledger was made yet."""

    @abstractmethod
    def change(self, sql: str, values: Sequence[Any]) -> None:
        """Run one INSERT inside a transaction."""

    @abstractmethod
    def put_blob(self, data: bytes) -> str: ...

    def put_blobs(self, data: Sequence[bytes]) -> list[str]:
        """Keep several pieces of evidence; returns their hashes in order."""
        return [self.put_blob(one) for one in data]

    @abstractmethod
    def get_blob(self, sha256: str) -> bytes: ...

    @abstractmethod
    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None: ...

    @abstractmethod
    def blob_names(self) -> Iterator[str]: ...

    def known_head(self) -> tuple[int, str] | None:
        """Count and head as the file outside the database remembers them."""
        return read_head(self.head_file)

    @abstractmethod
    def warnings(self) -> list[str]:
        """What is odd about the database itself: protection that was taken off."""

    @abstractmethod
    def close(self) -> None: ...

    def append(self, drafts: Sequence[NewEntry]) -> list[Receipt]:
        """Add entries in one transaction. One that is there already is a no-op; a taken id adds
        nothing: a Conflict.
        """
        with self.writing():
            count, head = self.head()
            added: list[Receipt] = []
            for draft in drafts:
                there = self._there(draft)
                if there is None:
                    count += 1
                    head = self._insert(draft, count, head)
                    there = Receipt(count, head, draft.body_hash, duplicate=False)
                added.append(there)
        return added

    def _there(self, draft: NewEntry) -> Receipt | None:
        found = self.entry(draft.kind, draft.id)
        if found is None:
            return None
        if found.body_hash != draft.body_hash:
            raise Conflict(
                f"{draft.kind} '{draft.id}' is entry {found.number} with other content "
                f"({found.body_hash[:12]}, not {draft.body_hash[:12]}); nothing was added"
            )
        kept = found.blobs()
        other = sorted(name for name, blob in draft.evidence.items() if kept.get(name) != blob)
        note = (
            f"the evidence first added is kept; now different: {', '.join(other)}"
            if other
            else None
        )
        return Receipt(found.number, found.entry_hash, found.body_hash, duplicate=True, note=note)

    def _insert(self, draft: NewEntry, number: int, previous: str) -> str:
        evidence = evidence_json(draft.evidence)
        time = now()
        hashed = entry_hash(number, draft.kind, draft.id, draft.body_hash, evidence, time, previous)
        values = (
            number,
            draft.kind,
            draft.id,
            draft.body.decode(),
            draft.body_hash,
            evidence,
            time,
            previous,
            hashed,
        )
        self.change(f"INSERT INTO entries ({ENTRY_COLUMNS}) VALUES ({_marks(len(values))})", values)  # noqa: S608
        if draft.row is not None:
            columns = ", ".join(("number", *TRIAL_COLUMNS))
            row = (number, *draft.row)
            self.change(f"INSERT INTO trials ({columns}) VALUES ({_marks(len(row))})", row)  # noqa: S608
        return hashed

    # -- reading

    def head(self) -> tuple[int, str]:
        """How many entries there are, and the hash of the last."""
        last = next(
            self.rows("SELECT number, entry_hash FROM entries ORDER BY number DESC LIMIT 1"), None
        )
        return (0, GENESIS) if last is None else (int(last[0]), str(last[1]))

    def entry(self, kind: str, id: str) -> LedgerEntry | None:
        """The entry of that kind and id."""
        sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE kind = ? AND id = ?"  # noqa: S608
        return next((LedgerEntry(*row) for row in self.rows(sql, (kind, id))), None)

    def entries(self, kind: str | None = None) -> Iterator[LedgerEntry]:
        """All entries in order, some at a time: a ledger of any size fits, and others may add
        meanwhile.
        """
        where, values = (" AND kind = ?", (kind,)) if kind else ("", ())
        sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE number > ?{where} ORDER BY number LIMIT {PAGE}"  # noqa: S608
        return (LedgerEntry(*row) for row in self._pages(sql, values))

    def entries_of(self, query: Query) -> Iterator[LedgerEntry]:
        """The entries of the trials that a query asks for, in its order, some at a time."""
        numbers = [row[0] for row in self.rows(*query.sql("t.number"))]
        for start in range(0, len(numbers), PAGE):
            page = numbers[start : start + PAGE]
            sql = f"SELECT {ENTRY_COLUMNS} FROM entries WHERE number IN ({_marks(len(page))})"  # noqa: S608
            found = {row[0]: LedgerEntry(*row) for row in self.rows(sql, page)}
            for number in page:
                if number not in found:
                    raise InputError(
                        f"{self.where}: entry {number} is gone; run `agingbench trials verify`"
                    )
                yield found[number]

    def entries_as_listed(self) -> Iterator[tuple[LedgerEntry, tuple[Any, ...] | None]]:
        """All entries, each with its row in the table of trials, when it has one."""
        columns = ", ".join(
            [
                *(f"e.{c}" for c in LedgerEntry._fields),
                *(f"t.{c}" for c in ("number", *TRIAL_COLUMNS)),
            ]
        )
        sql = (
            f"SELECT {columns} FROM entries e LEFT JOIN trials t ON t.number = e.number "  # noqa: S608
            f"WHERE e.number > ? ORDER BY e.number LIMIT {PAGE}"
        )
        n = len(LedgerEntry._fields)
        for row in self._pages(sql, ()):
            yield LedgerEntry(*row[:n]), None if row[n] is None else row[n + 1 :]

    def listed_without_entry(self) -> list[tuple[Any, ...]]:
        """Rows of the table of trials whose entry is gone: number and id."""
        gone = "NOT EXISTS (SELECT 1 FROM entries e WHERE e.number = t.number)"
        sql = f"SELECT t.number, t.trial_id FROM trials t WHERE {gone} ORDER BY t.number"  # noqa: S608
        return list(self.rows(sql))

    def _pages(self, sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        last = -(1 << 62)
        while page := list(self.rows(sql, (last, *values))):
            yield from page
            last = page[-1][0]

    def listing(self, query: Query) -> list[dict[str, Any]]:
        """The trials that a query asks for, each with the one that stands in for it."""
        found = [dict(zip(LISTED, row, strict=True)) for row in self.rows(*query.sql())]
        told = (
            "SELECT supersedes, max(trial_id) FROM trials WHERE supersedes IS NOT NULL GROUP BY"
            " supersedes"
        )
        later = dict(self.rows(told))
        if later:
            for row in found:
                row["superseded_by"] = later.get(row["trial_id"])
        return found

    def unmet(self, query: Query) -> list[str]:
        """Which filters of a query no trial meets, each with the nearest value there is."""
        told = []
        for column, asked in query.equal().items():
            there = [
                str(row[0])
                for row in self.rows(f"SELECT DISTINCT {column} FROM trials")  # noqa: S608
                if row[0] is not None
            ]
            if asked not in there:
                close = nearest(asked, there)
                hint = f"; did you mean {' or '.join(close)}?" if close else ""
                told.append(f"no trial has the {column.removesuffix('_id')} '{asked}'{hint}")
        return told

    def extends(self, known: tuple[int, str] | None, count: int) -> bool:
        """Whether a chain of `count` entries goes on from a head that is remembered."""
        if known is None:
            return True
        at = next(
            self.rows("SELECT entry_hash FROM entries WHERE number = ?", (known[0],)), (GENESIS,)
        )
        return known[0] < count and at[0] == known[1]

    def count(self, query: Query | None = None) -> int:
        """How many trials a query finds, its limit aside."""
        where, values = (query or Query()).where()
        return int(next(self.rows(f"SELECT count(*) FROM trials t{where}", values), (0,))[0])  # noqa: S608


def _marks(n: int) -> str:
    return ", ".join("?" * n)
