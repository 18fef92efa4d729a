"""The embedded ledger: one SQLite file (WAL, strict tables, append-only triggers), blobs and head
beside it.
"""

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
from agingbench.trials.entries import LedgerEntry
from agingbench.trials.stores.base import LedgerStore, NoLedger
from agingbench.trials.stores.heads import WriterQueue, write_head

SCHEMA_VERSION = 1
PATIENCE_MS = 60_000  # for other programs: our own writers queue, however many they are
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
    """The database that a path means: a file by its ending or because it is one, else
    `ledger.sqlite` in a folder.
    """
    named = path.suffix in SUFFIXES and not path.is_dir()
    return path if named or path.is_file() else path / "ledger.sqlite"


def beside(database: Path, what: str) -> Path:
    """Where something of a ledger lies: `ledger.blobs` beside `ledger.sqlite`, `x.db-blobs` beside
    `x.db`.

    No two databases of one folder share it, whatever they are called.
    """
    if database.suffix == SUFFIXES[0]:
        return database.with_suffix(f".{what}")
    return database.with_name(f"{database.name}-{what}")


class SqliteStore(LedgerStore):
    """A ledger in one file, with blobs, head and lock beside it; nothing is made before something
    is written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.file = database_file(path)
        self.where = str(self.file)
        self.blobs = BlobFolder(beside(self.file, "blobs"))
        self.head_file = beside(self.file, "head.json")
        self._create = create
        self._queue: WriterQueue | None = None
        self._db: sqlite3.Connection | None = None
        if self.file.is_dir():
            raise InputError(
                f"{self.file}: a folder, where the ledger's file is to be; name a file in it"
            )
        if not self.file.exists() and not create:
            told = (
                f"there is no ledger at {self.file}; name one with --ledger, or make one with an"
                " import"
            )
            raise NoLedger(told, self.head_file)
        self._found()

    def _found(self) -> sqlite3.Connection | None:
        """The database; None as long as nobody made one."""
        return self._made() if self._db is not None or self.file.exists() else None

    def _made(self) -> sqlite3.Connection:
        """The database, made where there is none."""
        if self._db is None:
            try:
                with self._told():
                    self._db = self._connect()
            except BaseException:
                self._let_go()
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
        raise AssertionError("every way was tried")

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
        logged = db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        db.execute(f"PRAGMA synchronous = {'NORMAL' if logged else 'FULL'}")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{self.file}: not a ledger of version {SCHEMA_VERSION} (version {version})"
            )

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        self._queue = self._queue or WriterQueue(beside(self.file, "lock"))
        return self._queue.turn()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            # A statement of ours that does not fit the tables, or text that is none: the disk is
            # fine, the file is not.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            hint = (
                "; another program holds it, let it finish and try again"
                if code == sqlite3.SQLITE_BUSY
                else ""
            )
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
        db = self._made()
        with self._told():
            with self._locked():
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    head = self.head()
                    db.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(
                        sqlite3.OperationalError
                    ):  # a full disk may have rolled back already
                        db.execute("ROLLBACK")
                    raise
            self._sync()
            self._remember(head)

    def _sync(self) -> None:
        # The log is brought to the disk by each writer after it let the others go on: they wait for
        # it together.
        try:
            with open(f"{self.file}-wal", "rb") as log:
                os.fsync(log.fileno())
        except FileNotFoundError:
            return  # already taken over into the database, which SQLite waits for
        except OSError as error:
            raise StorageError(f"{self.file}: {error.strerror or error}") from error

    def _remember(self, head: tuple[int, str]) -> None:
        # After the entries are safe, never before: a crash in between leaves the file behind the
        # chain; that is no lie. A file that tells of entries which are not here is the proof that
        # something was done: it is left alone.
        with self._locked(), contextlib.suppress(InputError):
            if self.extends(self.known_head(), head[0]):
                write_head(self.head_file, *head)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        db = self._found()
        if db is not None:
            with self._told():
                yield from db.execute(sql, values)

    def entries_as_listed(self) -> Iterator[tuple[LedgerEntry, tuple[Any, ...] | None]]:
        db = self._found()
        if db is None:
            return
        db.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
        try:  # bytes that are no text cost the entry that holds them, not the reading of all
            yield from super().entries_as_listed()
        finally:
            db.text_factory = str

    def change(self, sql: str, values: Sequence[Any]) -> None:
        self._made().execute(sql, values)

    def put_blob(self, data: bytes) -> str:
        return self.blobs.put(data)

    def put_blobs(self, data: Sequence[bytes]) -> list[str]:
        if len(data) < 2:
            return super().put_blobs(data)
        with ThreadPoolExecutor(
            WRITING_AT_ONCE
        ) as pool:  # the disk is waited for once, not once per file
            return list(pool.map(self.put_blob, data))

    def get_blob(self, sha256: str) -> bytes:
        return self.blobs.get(sha256)

    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None:
        return self.blobs.check(sha256, size)

    def blob_names(self) -> Iterator[str]:
        return self.blobs.names()

    def warnings(self) -> list[str]:
        if self._found() is None:
            return []
        there = {
            str(row[0])
            for row in self.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        }
        return [
            f"the trigger {name} is missing: rows can be changed unnoticed by it"
            for name in sorted(TRIGGERS - there)
        ]

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._let_go()

    def _let_go(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None
