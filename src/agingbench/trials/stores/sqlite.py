"""The ledger of one machine: a SQLite file with append-only triggers, blobs and head beside it."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError
from agingbench.traces.blobs import BlobFolder
from agingbench.trials.columns import facet_definitions
from agingbench.trials.entries import LedgerEntry
from agingbench.trials.stores.base import (
    FACETS,
    LedgerStore,
    ListedTrial,
    NoLedger,
    trigger_warnings,
)
from agingbench.trials.stores.heads import WriterQueue, write_head

SCHEMA_VERSION = 1
PATIENCE_MS = 60_000  # waiting for other programs; our own writers queue
WRITERS = 8
SUFFIXES = (".sqlite", ".sqlite3", ".db")

SCHEMA = """
CREATE TABLE entries (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  evidence TEXT NOT NULL,
  added_at TEXT NOT NULL,
  previous TEXT NOT NULL UNIQUE,
  entry_hash TEXT NOT NULL UNIQUE,
  UNIQUE (kind, id)
) STRICT;
CREATE TABLE trials (
  number INTEGER PRIMARY KEY REFERENCES entries (number),
  trial_id TEXT NOT NULL UNIQUE,
  experiment_id TEXT NOT NULL,
  dataset_id TEXT,
  task_id TEXT NOT NULL,
  task_revision TEXT NOT NULL,
  model TEXT NOT NULL,
  harness TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  status TEXT,
  completeness TEXT NOT NULL,
  reward REAL,
  total_seconds REAL,
  tokens_in INTEGER,
  tokens_out INTEGER,
  cost_usd REAL,
  record_hash TEXT NOT NULL,
  supersedes TEXT
) STRICT;
CREATE INDEX trials_by_experiment ON trials (experiment_id);
CREATE INDEX trials_by_task ON trials (task_id);
CREATE INDEX trials_by_time ON trials (timestamp);
CREATE INDEX trials_by_supersedes ON trials (supersedes) WHERE supersedes IS NOT NULL;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
  WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_no_update BEFORE UPDATE ON trials
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_no_delete BEFORE DELETE ON trials
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_in_order BEFORE INSERT ON trials
  WHEN NEW.number <= (SELECT coalesce(max(number), 0) FROM trials)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
# What ledgers of the first versions do not have: they get it when something is added to them.
FACETS_SCHEMA = f"""
CREATE TABLE {FACETS} (
  number INTEGER PRIMARY KEY REFERENCES entries (number),
{facet_definitions("INTEGER", "REAL")}
) STRICT;
CREATE TRIGGER {FACETS}_no_update BEFORE UPDATE ON {FACETS}
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER {FACETS}_no_delete BEFORE DELETE ON {FACETS}
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""


def _triggers(schema: str) -> dict[str, str]:
    """The text of each trigger by its name, as the database keeps it."""
    matches = re.finditer(r"CREATE TRIGGER (\w+).*?END(?=;)", schema, re.DOTALL)
    return {match[1]: match.group() for match in matches}


TRIGGERS = _triggers(SCHEMA)
FACET_TRIGGERS = _triggers(FACETS_SCHEMA)


def database_file(path: Path) -> Path:
    """The database that a path means: the file itself, or `ledger.sqlite` in a folder."""
    has_suffix = path.suffix in SUFFIXES and not path.is_dir()
    if has_suffix or path.is_file():
        return path
    return path / "ledger.sqlite"


def beside(database: Path, what: str) -> Path:
    """The path of a companion file: `ledger.blobs` for `ledger.sqlite`, `x.db-blobs` for `x.db`.

    No two databases of one folder share one, whatever their names.
    """
    if database.suffix == SUFFIXES[0]:
        return database.with_suffix(f".{what}")
    return database.with_name(f"{database.name}-{what}")


class SqliteStore(LedgerStore):
    """A ledger in one file, with blobs, head and lock beside it; the first write creates them."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.file = database_file(path)
        self.where = str(self.file)
        self.blobs = BlobFolder(beside(self.file, "blobs"))
        self.head_file = beside(self.file, "head.json")
        self._create = create
        self._facets_seen = False
        self._queue: WriterQueue | None = None
        self._db: sqlite3.Connection | None = None
        if self.file.is_dir():
            raise InputError(
                f"{self.file}: a folder, where the ledger's file is to be; name a file in it"
            )
        if not self.file.exists() and not create:
            message = (
                f"there is no ledger at {self.file}; name one with --ledger, or make one with an"
                " import"
            )
            raise NoLedger(message, self.head_file)
        self._existing()

    def _existing(self) -> sqlite3.Connection | None:
        """The connection; None as long as there is no database."""
        if self._db is None and not self.file.exists():
            return None
        return self._connection()

    def _connection(self) -> sqlite3.Connection:
        """The connection; creates the database where there is none."""
        if self._db is None:
            try:
                with self._own_errors():
                    self._db = self._connect()
            except BaseException:
                self._close_queue()
                raise
        return self._db

    def _connect(self) -> sqlite3.Connection:
        if self._create and not self.file.exists():
            self._touch()
        # A disk may be for reading only.
        modes = ["mode=rwc"] if self._create else ["mode=rw", "mode=ro", "immutable=1"]
        for mode in modes:
            db = sqlite3.connect(
                f"{self.file.resolve().as_uri()}?{mode}", uri=True, isolation_level=None
            )
            try:
                self._prepare(db)
                return db
            except sqlite3.OperationalError:
                db.close()
                if mode == modes[-1]:
                    raise
            except BaseException:
                db.close()
                raise
        raise AssertionError("every mode was tried")

    def _touch(self) -> None:
        # Made by us and not by SQLite, so that only the owner reads it.
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if not self.file.is_file():
                raise InputError(
                    f"{self.file}: something that is no file stands in its way"
                ) from None
        except OSError as error:
            raise StorageError(f"cannot write {self.file}: {error.strerror or error}") from error

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        if self._create:
            with self._locked():
                if db.execute("PRAGMA user_version").fetchone()[0] == 0:
                    db.execute("PRAGMA journal_mode = WAL")
                    db.executescript(
                        f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
                    )

        # Without a write-ahead log, as on some network disks, SQLite itself waits for the disk at
        # every commit.
        has_log = db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        db.execute(f"PRAGMA synchronous = {'NORMAL' if has_log else 'FULL'}")

        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{self.file}: not a ledger of version {SCHEMA_VERSION} (version {version})"
            )

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        self._queue = self._queue or WriterQueue(beside(self.file, "lock"))
        return self._queue.turn()

    @contextlib.contextmanager
    def _own_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into InputError and StorageError."""
        try:
            yield
        except sqlite3.OperationalError as error:
            # SQLITE_ERROR: our statement does not fit the tables, so the file is bad, not the disk.
            # Errors that Python's module raises itself carry no code.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            hint = ""
            if code == sqlite3.SQLITE_BUSY:
                hint = "; another program holds it, let it finish and try again"
            kind = InputError if code == sqlite3.SQLITE_ERROR else StorageError
            raise kind(f"{self.file}: {error}{hint}") from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.file}: {error}") from error
        except UnicodeEncodeError as error:
            raise InputError(
                f"{self.file}: {str(error.object)[:80]!r} is not a text that a ledger can hold"
            ) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        db = self._connection()
        with self._own_errors():
            with self._locked():
                db.execute("BEGIN IMMEDIATE")
                try:
                    self._make_facets(db)
                    yield
                    head = self.head()
                    db.execute("COMMIT")
                except BaseException:
                    self._facets_seen = False  # perhaps they were made just now, and are gone
                    # A full disk may have rolled back already.
                    with contextlib.suppress(sqlite3.OperationalError):
                        db.execute("ROLLBACK")
                    raise
            self._sync()
            self._record_head(head)

    def _make_facets(self, db: sqlite3.Connection) -> None:
        if self.has_facets():
            return
        for statement in re.findall(r"CREATE.*?(?:STRICT|END);", FACETS_SCHEMA, re.DOTALL):
            db.execute(statement)

    def has_facets(self) -> bool:
        if not self._facets_seen:
            sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
            self._facets_seen = bool(list(self.rows(sql, (FACETS,))))
        return self._facets_seen

    def make_temporary(self, name: str) -> None:
        columns = facet_definitions("INTEGER", "REAL")
        self._connection().execute(
            f"CREATE TEMP TABLE {name} (number INTEGER PRIMARY KEY, {columns})"
        )

    def _sync(self) -> None:
        # Each writer syncs the log after it let the others go on, so that they wait together.
        try:
            with open(f"{self.file}-wal", "rb") as log:
                os.fsync(log.fileno())
        except FileNotFoundError:
            return  # already moved into the database, which SQLite syncs itself
        except OSError as error:
            raise StorageError(f"{self.file}: {error.strerror or error}") from error

    def _record_head(self, head: tuple[int, str]) -> None:
        # Only after the entries are safe: a crash in between leaves the file behind the chain,
        # which is harmless. A file that records entries which are not here proves a change, and is
        # left alone.
        with self._locked(), contextlib.suppress(InputError):
            if self.extends(self.known_head(), head[0]):
                write_head(self.head_file, *head)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        db = self._existing()
        if db is not None:
            with self._own_errors():
                yield from db.execute(sql, values)

    def entries_with_rows(self) -> Iterator[tuple[LedgerEntry, ListedTrial]]:
        db = self._existing()
        if db is None:
            return
        # Bytes that are not text make one entry bad, and must not stop the reading of the others.
        db.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
        try:
            yield from super().entries_with_rows()
        finally:
            db.text_factory = str

    def change(self, sql: str, values: Sequence[Any]) -> int:
        return self._connection().execute(sql, values).rowcount

    def put_blob(self, data: bytes) -> str:
        return self.blobs.put(data)

    def put_blobs(self, data: Sequence[bytes]) -> list[str]:
        if len(data) < 2:
            return super().put_blobs(data)
        # In parallel, so that the disk is waited for once and not once per file.
        with ThreadPoolExecutor(WRITERS) as pool:
            return list(pool.map(self.put_blob, data))

    def get_blob(self, sha256: str) -> bytes:
        return self.blobs.get(sha256)

    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None:
        return self.blobs.check(sha256, size)

    def blob_names(self) -> Iterator[str]:
        return self.blobs.names()

    def warnings(self) -> list[str]:
        if self._existing() is None:
            return []
        rows = self.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        active = {str(name): str(sql) for name, sql in rows}
        expected = TRIGGERS | FACET_TRIGGERS if self.has_facets() else TRIGGERS
        return trigger_warnings(expected, active)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._close_queue()

    def _close_queue(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None
