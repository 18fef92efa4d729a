"""The ledger of a team: the same schema on PostgreSQL, with evidence in a table."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agingbench.errors import InputError, MissingExtra, StorageError
from agingbench.text.addresses import plain_address
from agingbench.traces.blobs import digest_of
from agingbench.trials.columns import FACET_COLUMNS, TRIAL_COLUMNS, facet_definitions
from agingbench.trials.stores.base import FACETS, LedgerStore, NoLedger, trigger_warnings
from agingbench.trials.stores.heads import WriterQueue, write_head

if TYPE_CHECKING:
    import psycopg

LOCK = 0x61_67_69_6E_67  # the name, as a number, under which writers queue

SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  number BIGINT PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  evidence TEXT NOT NULL,
  added_at TEXT NOT NULL,
  previous TEXT NOT NULL UNIQUE,
  entry_hash TEXT NOT NULL UNIQUE,
  UNIQUE (kind, id)
);
CREATE TABLE IF NOT EXISTS trials (
  number BIGINT PRIMARY KEY REFERENCES entries (number),
  trial_id TEXT NOT NULL UNIQUE,
  experiment_id TEXT NOT NULL,
  dataset_id TEXT,
  task_id TEXT NOT NULL,
  task_revision TEXT NOT NULL,
  model TEXT NOT NULL,
  harness TEXT NOT NULL,
  timestamp TEXT COLLATE "C" NOT NULL,
  status TEXT,
  completeness TEXT NOT NULL,
  reward DOUBLE PRECISION,
  total_seconds DOUBLE PRECISION,
  tokens_in BIGINT,
  tokens_out BIGINT,
  cost_usd DOUBLE PRECISION,
  record_hash TEXT NOT NULL,
  supersedes TEXT
);
CREATE TABLE IF NOT EXISTS blobs (sha256 TEXT PRIMARY KEY, data BYTEA NOT NULL);
CREATE INDEX IF NOT EXISTS trials_by_experiment ON trials (experiment_id);
CREATE INDEX IF NOT EXISTS trials_by_task ON trials (task_id);
CREATE INDEX IF NOT EXISTS trials_by_time ON trials (timestamp);
CREATE INDEX IF NOT EXISTS trials_by_supersedes ON trials (supersedes) WHERE supersedes IS NOT NULL;
CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
"""
# What ledgers of the first versions do not have: they get it when something is added to them.
FACETS_SCHEMA = f"""
CREATE TABLE {FACETS} (
  number BIGINT PRIMARY KEY REFERENCES entries (number),
{facet_definitions("BIGINT", "DOUBLE PRECISION")}
);
CREATE TRIGGER {FACETS}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {FACETS}
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
"""
# For SQL of one's own: every column of a trial, its time as a time, its record as jsonb. U+0000
# has no place in jsonb; the text of the entry keeps it.
VIEW = "trial_records"
VIEW_SCHEMA = f"""
CREATE OR REPLACE VIEW {VIEW} AS
SELECT t.number, {", ".join(f"t.{name}" for name in TRIAL_COLUMNS)},
  {", ".join(f"f.{name}" for name in FACET_COLUMNS)},
  t.timestamp::timestamptz AS time,
  e.added_at::timestamptz AS added,
  EXISTS (SELECT FROM trials s WHERE s.supersedes = t.trial_id) AS is_superseded,
  replace(e.body, '\\u0000', '\\ufffd')::jsonb AS record,
  e.evidence::jsonb AS evidence,
  e.entry_hash
FROM trials t JOIN entries e ON e.number = t.number
  LEFT JOIN {FACETS} f ON f.number = t.number
"""  # noqa: S608
TABLES = ("entries", "trials", "blobs")
TABLE_EXISTS = (
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = %s AND pg_table_is_visible(oid))"
)


REFUSES = "BEGIN RAISE EXCEPTION 'the ledger is append-only'; END"
# Table, moments (bits of pg_trigger.tgtype), and the body of what each trigger calls.
TRIGGER_TEXTS = """
SELECT t.tgname, c.relname || ' ' || t.tgtype || ' ' || t.tgenabled::text || ' ' || p.prosrc
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND pg_table_is_visible(c.oid)
  AND c.relname IN ('entries', 'trials', 'blobs', 'trial_facets')
"""
RULE_NAMES = """
SELECT rulename FROM pg_rules WHERE tablename IN ('entries', 'trials', 'blobs', 'trial_facets')
  AND schemaname = current_schema()
"""
BEFORE_ANY_CHANGE = 2 | 8 | 16 | 32  # BEFORE, DELETE, UPDATE, TRUNCATE; for each statement


def _trigger_text(table: str) -> str:
    return f"{table} {BEFORE_ANY_CHANGE} O {REFUSES}"


class PostgresStore(LedgerStore):
    """A ledger on a server, and the last head seen in a local file.

    Writers queue on one advisory lock, so the chain never forks.
    """

    def __init__(self, url: str, *, create: bool) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtra("a ledger on PostgreSQL", "postgres") from error
        self._errors = psycopg.Error
        self._forbidden = psycopg.errors.InsufficientPrivilege
        self.where = "PostgreSQL"
        self._queue: WriterQueue | None = None
        self._has_tables = False
        self._facets_seen = False
        with self._own_errors():
            self._db: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(url, autocommit=True)
        about = self._db.info
        self.where = f"postgresql://{about.host or 'local'}:{about.port}/{about.dbname}"
        self.head_file = _state_folder() / f"{digest_of(self.where.encode())[:16]}.head.json"
        if not self._exists() and not create:
            self._db.close()
            raise NoLedger(f"{self.where}: there is no ledger in this database", self.head_file)

    def _exists(self) -> bool:
        """Whether the tables exist; the first write creates them."""
        if not self._has_tables:
            with self._own_errors():
                # Not to_regclass: it may remember from before that there was none.
                self._has_tables = self._has_table("blobs")
        return self._has_tables

    def _has_table(self, name: str) -> bool:
        return self._db.execute(TABLE_EXISTS, (name,)).fetchone() == (True,)

    def has_facets(self) -> bool:
        if not self._facets_seen:
            with self._own_errors():
                self._facets_seen = self._has_table(FACETS)
        return self._facets_seen

    def make_temporary(self, name: str) -> None:
        columns = facet_definitions("BIGINT", "DOUBLE PRECISION")
        with self._own_errors():
            self._db.execute(f"CREATE TEMP TABLE {name} (number BIGINT PRIMARY KEY, {columns})")

    def _make_facets(self) -> None:
        """Give an older ledger the later columns and the view, where this user may make tables."""
        if self.has_facets():
            return
        with contextlib.suppress(self._forbidden), self._db.transaction():
            self._db.execute(FACETS_SCHEMA)
            self._db.execute(VIEW_SCHEMA)

    def _create_tables(self) -> None:
        if self._has_tables:
            return
        with self._own_errors(), self._db.transaction():
            self._db.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            if self._exists():
                return
            self._db.execute(SCHEMA)
            for table in TABLES:
                self._db.execute(
                    f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON"
                    f" {table} FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()"
                )
        self._has_tables = True

    @contextlib.contextmanager
    def _own_errors(self) -> Iterator[None]:
        """Turn errors of the server into InputError and StorageError."""
        try:
            yield
        except self._errors as error:
            reason = plain_address(" ".join(str(error).split()))
            raise StorageError(f"{self.where}: {reason}") from error
        except UnicodeEncodeError as error:
            raise InputError(
                f"{str(error.object)[:80]!r} is not a text that a ledger can hold"
            ) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        self._create_tables()
        with self._own_errors():
            with self._forget_facets_on_failure(), self._db.transaction():
                self._db.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                self._make_facets()
                yield
                head = self.head()
            # A bad head file of this machine must not stop the writers of the team.
            with contextlib.suppress(InputError):
                self._record_head(head)

    @contextlib.contextmanager
    def _forget_facets_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._facets_seen = False  # perhaps they were made just now, and are gone
            raise

    def _record_head(self, head: tuple[int, str]) -> None:
        self._queue = self._queue or WriterQueue(self.head_file.with_suffix(".lock"))
        with self._queue.turn():
            if self.extends(self.known_head(), head[0]):
                write_head(self.head_file, *head)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        if self._exists():
            with self._own_errors():
                yield from self._db.execute(sql.replace("?", "%s"), tuple(values))

    def change(self, sql: str, values: Sequence[Any]) -> int:
        return self._db.execute(sql.replace("?", "%s"), tuple(values)).rowcount

    def put_blob(self, data: bytes) -> str:
        sha256 = digest_of(data)
        self._create_tables()
        with self._own_errors():
            self._db.execute(
                "INSERT INTO blobs VALUES (%s, %b) ON CONFLICT DO NOTHING", (sha256, data)
            )
        return sha256

    def _blob(self, sha256: str) -> bytes | None:
        with self._own_errors():
            row = self._db.execute(
                "SELECT data FROM blobs WHERE sha256 = %s", (sha256,), binary=True
            ).fetchone()
        return None if row is None else bytes(row[0])

    def get_blob(self, sha256: str) -> bytes:
        data = self._blob(sha256)
        if data is None:
            raise InputError(f"evidence {sha256[:12]} is not there")
        if digest_of(data) != sha256:
            raise InputError(
                f"evidence {sha256[:12]} has another content than its name says; run `trials"
                " verify`"
            )
        return data

    def check_blob(self, sha256: str, size: int) -> tuple[str, str] | None:
        data = self._blob(sha256)
        if data is None:
            return "blob_missing", f"evidence {sha256[:80]} is not there"
        if digest_of(data) != sha256 or len(data) != size:
            return (
                "blob_replaced",
                f"evidence {sha256} of {size} bytes now is {digest_of(data)} of {len(data)} bytes",
            )
        return None

    def blob_names(self) -> Iterator[str]:
        return (str(row[0]) for row in self.rows("SELECT sha256 FROM blobs"))

    def warnings(self) -> list[str]:
        if not self._exists():
            return []
        with self._own_errors():
            triggers = {str(name): str(text) for name, text in self._db.execute(TRIGGER_TEXTS)}
            rules = [str(row[0]) for row in self._db.execute(RULE_NAMES)]
        tables = [*TABLES, FACETS] if self.has_facets() else TABLES
        expected = {f"{table}_no_change": _trigger_text(table) for table in tables}
        return [
            *trigger_warnings(expected, triggers),
            *(f"the rule {name} is not ours: it can discard what is added" for name in rules),
        ]

    def close(self) -> None:
        self._db.close()
        if self._queue is not None:
            self._queue.close()


def _state_folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    folder = Path(state) if state else Path.home() / ".local" / "state"
    return folder / "agingbench" / "heads"
