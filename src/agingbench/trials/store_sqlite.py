"""The embedded ledger: one SQLite file (WAL, strict tables, append-only triggers), blobs and head beside it."""

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
from agingbench.trials.blobs import BlobFolder
from agingbench.trials.entries import Entry
from agingbench.trials.heads import Queue, read_head, write_head
from agingbench.trials.store import Store

SCHEMA_VERSION = 1
PATIENCE_MS = 300_000
WRITING_AT_ONCE = 8
SUFFIXES = (".sqlite", ".sqlite3", ".db")

SCHEMA = """
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, body_hash TEXT NOT NULL,
  evidence TEXT NOT NULL, added_at TEXT NOT NULL, previous TEXT NOT NULL UNIQUE, entry_hash TEXT NOT NULL UNIQUE,
  UNIQUE (kind, id)) STRICT;
CREATE TABLE trials (
  number INTEGER PRIMARY KEY REFERENCES entries (number), trial_id TEXT NOT NULL UNIQUE, experiment_id TEXT NOT NULL,
  dataset_id TEXT, task_id TEXT NOT NULL, task_revision TEXT NOT NULL, model TEXT NOT NULL, harness TEXT NOT NULL,
  timestamp TEXT NOT NULL, status TEXT, completeness TEXT NOT NULL, reward REAL, total_seconds REAL,
  tokens_in INTEGER, tokens_out INTEGER, cost_usd REAL, record_hash TEXT NOT NULL, supersedes TEXT) STRICT;
CREATE INDEX trials_by_experiment ON trials (experiment_id);
CREATE INDEX trials_by_task ON trials (task_id);
CREATE INDEX trials_by_time ON trials (timestamp);
CREATE INDEX trials_by_supersedes ON trials (supersedes) WHERE supersedes IS NOT NULL;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
  WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_no_update BEFORE UPDATE ON trials BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_no_delete BEFORE DELETE ON trials BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER trials_in_order BEFORE INSERT ON trials
  WHEN NEW.number <= (SELECT coalesce(max(number), 0) FROM trials)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
TRIGGERS = frozenset(re.findall(r"CREATE TRIGGER (\w+)", SCHEMA))


def database_file(path: Path) -> Path:
    """The database that a path means: a file by its ending or because it is one, else `ledger.sqlite` in a folder."""
    return path if path.suffix in SUFFIXES or path.is_file() else path / "ledger.sqlite"


class SqliteStore(Store):
    """A ledger in one file. `ledger.blobs/`, `ledger.head.json` and `ledger.lock` lie beside `ledger.sqlite`."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.file = database_file(path)
        self.where = str(self.file)
        self.blobs = BlobFolder(self.file.with_suffix(".blobs"))
        self.head_file = self.file.with_suffix(".head.json")
        if not self.file.exists() and not create:
            raise InputError(f"there is no ledger at {self.file}; `agingbench trials add` or an import makes one")
        self._queue = Queue(self.file.with_suffix(".lock")) if create else None
        try:
            with self._told():
                self._db = self._connect(create)
        except BaseException:
            self._let_go()
            raise

    def _connect(self, create: bool) -> sqlite3.Connection:
        if create and not self.file.exists():
            with contextlib.suppress(FileExistsError):  # made by us, so that only the owner reads it
                os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        modes = ["mode=rwc"] if create else ["mode=rw", "mode=ro", "immutable=1"]  # a disk may be for reading only
        for mode in modes:
            db = sqlite3.connect(f"{self.file.resolve().as_uri()}?{mode}", uri=True, isolation_level=None)
            try:
                self._prepare(db, create)
                return db
            except sqlite3.OperationalError:
                db.close()
                if mode == modes[-1]:
                    raise
            except BaseException:
                db.close()
                raise
        raise AssertionError("every way was tried")

    def _prepare(self, db: sqlite3.Connection, create: bool) -> None:
        db.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        if create:
            with self._locked():
                if db.execute("PRAGMA user_version").fetchone()[0] == 0:
                    db.execute("PRAGMA journal_mode = WAL")
                    db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
        # Without a write-ahead log, as on some network disks, SQLite itself waits for the disk at every commit.
        logged = db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        db.execute(f"PRAGMA synchronous = {'NORMAL' if logged else 'FULL'}")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise InputError(f"{self.file}: not a ledger of version {SCHEMA_VERSION} (version {version})")

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self._queue is None else self._queue.turn()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            # A statement of ours that does not fit the tables, or text that is none: the disk is fine, the file is not.
            damaged = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) == sqlite3.SQLITE_ERROR
            raise (InputError if damaged else StorageError)(f"{self.file}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.file}: {error}") from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        with self._told():
            with self._locked():
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    head = self.head()
                    self._db.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(sqlite3.OperationalError):  # a full disk may have rolled back already
                        self._db.execute("ROLLBACK")
                    raise
            self._sync()
            self._remember(head)

    def _sync(self) -> None:
        # The log is brought to the disk by each writer after it let the others go on: they wait for it together.
        try:
            with open(f"{self.file}-wal", "rb") as log:
                os.fsync(log.fileno())
        except FileNotFoundError:
            return  # already taken over into the database, which SQLite waits for
        except OSError as error:
            raise StorageError(f"{self.file}: {error.strerror or error}") from error

    def _remember(self, head: tuple[int, str]) -> None:
        # After the entries are safe, never before: a crash in between leaves the file behind the chain; that is no lie.
        # A file that tells of entries which are not here is the proof that something was done: it is left alone.
        with self._locked(), contextlib.suppress(InputError):
            if self.extends(self.known_head(), head[0]):
                write_head(self.head_file, *head)

    def known_head(self) -> tuple[int, str] | None:
        return read_head(self.head_file)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        with self._told():
            yield from self._db.execute(sql, values)

    def entries_as_listed(self) -> Iterator[tuple[Entry, tuple[Any, ...] | None]]:
        self._db.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
        try:  # bytes that are no text cost the entry that holds them, not the reading of all
            yield from super().entries_as_listed()
        finally:
            self._db.text_factory = str

    def change(self, sql: str, values: Sequence[Any]) -> None:
        self._db.execute(sql, values)

    def put_blob(self, data: bytes) -> str:
        return self.blobs.put(data)

    def put_blobs(self, data: Sequence[bytes]) -> list[str]:
        if len(data) < 2:
            return super().put_blobs(data)
        with ThreadPoolExecutor(WRITING_AT_ONCE) as pool:  # the disk is waited for once, not once per file
            return list(pool.map(self.put_blob, data))

    def get_blob(self, sha256: str) -> bytes:
        return self.blobs.get(sha256)

    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None:
        return self.blobs.check(sha256, size)

    def blob_names(self) -> Iterator[str]:
        return self.blobs.names()

    def warnings(self) -> list[str]:
        there = {str(row[0]) for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
        return [
            f"the trigger {name} is missing: rows can be changed unnoticed by it" for name in sorted(TRIGGERS - there)
        ]

    def close(self) -> None:
        self._db.close()
        self._let_go()

    def _let_go(self) -> None:
        if self._queue is not None:
            self._queue.close()
