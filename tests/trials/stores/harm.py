"""What somebody who means harm does to a ledger: its protection taken off, then one change."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.trials.columns import TRIAL_COLUMNS, trial_columns
from agingbench.trials.entries import NewEntry, entry_hash
from agingbench.trials.ledger import open_ledger
from agingbench.trials.verify import Verification


def opened(folder: Path) -> sqlite3.Connection:
    """The database without its protection, as somebody who means harm would open it."""
    db = sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    return db


def after(
    folder: Path, harm: Callable[[sqlite3.Connection], object], head: str | None = None
) -> Verification:
    base = next(p for p in folder.parents if (p / "untouched").exists())
    shutil.copytree(base / "untouched", folder, dirs_exist_ok=True)
    db = opened(folder)
    harm(db)
    db.close()
    with open_ledger(folder, create=False) as ledger:
        return ledger.verify(head)


def found(verdict: Verification) -> list[tuple[int | None, str]]:
    assert verdict.ok == (not verdict.problems)
    return [(p.entry, p.kind) for p in verdict.problems]


def rehash(db: sqlite3.Connection, number: int) -> None:
    row = db.execute(
        "SELECT number, kind, id, body_hash, evidence, added_at, previous FROM entries WHERE"
        " number = ?",
        (number,),
    ).fetchone()
    db.execute("UPDATE entries SET entry_hash = ? WHERE number = ?", (entry_hash(*row), number))


def edit_body(db: sqlite3.Connection) -> None:
    db.execute(
        "UPDATE entries SET body = replace(body, '\"reward\":0.5', '\"reward\":1.0') WHERE"
        " number = 3"
    )


def edit_body_and_hash(db: sqlite3.Connection) -> None:
    edit_body(db)
    (body,) = db.execute("SELECT body FROM entries WHERE number = 3").fetchone()
    hashed = digest_of(body.encode())
    db.execute("UPDATE entries SET body_hash = ? WHERE number = 3", (hashed,))
    db.execute("UPDATE trials SET record_hash = ?, reward = 1.0 WHERE number = 3", (hashed,))


def edit_everything(db: sqlite3.Connection) -> None:
    edit_body_and_hash(db)
    rehash(db, 3)


def rename_both(db: sqlite3.Connection) -> None:
    db.execute("UPDATE entries SET id = 'better' WHERE number = 3")
    db.execute("UPDATE trials SET trial_id = 'better' WHERE number = 3")


def delete(db: sqlite3.Connection, number: int = 3) -> None:
    db.execute("DELETE FROM trials WHERE number = ?", (number,))
    db.execute("DELETE FROM entries WHERE number = ?", (number,))


def delete_two(db: sqlite3.Connection) -> None:
    delete(db, 3)
    delete(db, 4)


def close_the_gap(db: sqlite3.Connection) -> None:
    delete(db)
    for table in ("entries", "trials"):
        for number in (4, 5, 6):
            db.execute(f"UPDATE {table} SET number = ? WHERE number = ?", (number - 1, number))


def make_room(db: sqlite3.Connection) -> None:
    for table in ("entries", "trials"):
        for number in (6, 5, 4, 3):
            db.execute(f"UPDATE {table} SET number = ? WHERE number = ?", (number + 1, number))
    forge(db, 3, "p" * 64)


def forge(db: sqlite3.Connection, number: int, previous: str) -> None:
    """Put a new, self-consistent trial at a place."""
    with_body = json.loads(db.execute("SELECT body FROM entries LIMIT 1").fetchone()[0]) | {
        "trial_id": "forged"
    }
    body = canonical_json(with_body)
    draft = NewEntry("trial", "forged", body, {}, trial_columns(body))
    time = "2026-01-01T00:00:00.000000Z"
    hashed = entry_hash(number, "trial", "forged", draft.body_hash, "{}", time, previous)
    db.execute(
        "INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)",
        (number, "trial", "forged", body.decode(), draft.body_hash, "{}", time, previous, hashed),
    )
    assert draft.row is not None
    columns = [getattr(draft.row, name) for name in TRIAL_COLUMNS]
    marks = ",".join("?" * (1 + len(columns)))
    db.execute(f"INSERT INTO trials VALUES ({marks})", (number, *columns))


def paste_at_the_end(db: sqlite3.Connection, previous: str | None = None) -> None:
    """Copy an old entry to the end under another id, with hashes that are none."""
    last = db.execute("SELECT entry_hash FROM entries WHERE number = 6").fetchone()[0]
    db.execute(
        "INSERT INTO entries SELECT 7, kind, 'pasted', body, body_hash, evidence, added_at, ?, 'h'"
        " FROM entries WHERE number = 4",
        (previous or last,),
    )


def list_one_more(db: sqlite3.Connection) -> None:
    row = db.execute("SELECT * FROM trials WHERE number = 4").fetchone()
    db.execute(f"INSERT INTO trials VALUES ({','.join('?' * len(row))})", (7, "pasted", *row[2:]))


def swap(db: sqlite3.Connection, a: int = 2, b: int = 5) -> None:
    for table in ("entries", "trials"):
        for old, new in ((a, 99), (b, a), (99, b)):
            db.execute(f"UPDATE {table} SET number = ? WHERE number = ?", (new, old))


def exchange(db: sqlite3.Connection, a: int = 2, b: int = 5) -> None:
    """Let two entries change places, with hashes that fit what each now says where it stands."""
    columns = "kind, id, body, body_hash, evidence, added_at"
    said = {
        n: db.execute(f"SELECT {columns} FROM entries WHERE number = ?", (n,)).fetchone()
        for n in (a, b)
    }
    db.execute("UPDATE entries SET id = 'aside' WHERE number = ?", (a,))
    for number, other in ((b, a), (a, b)):
        sets = "kind = ?, id = ?, body = ?, body_hash = ?, evidence = ?, added_at = ?"
        db.execute(f"UPDATE entries SET {sets} WHERE number = ?", (*said[other], number))
        rehash(db, number)
    for number, to in ((a, -1), (b, a), (-1, b)):
        db.execute("UPDATE trials SET number = ? WHERE number = ?", (to, number))


def rechain(db: sqlite3.Connection, first: int) -> None:
    """Write the chain anew from an entry on, so that all of it fits again."""
    (last,) = db.execute("SELECT max(number) FROM entries").fetchone()
    for number in range(first, last + 1):
        (before,) = db.execute(
            "SELECT entry_hash FROM entries WHERE number = ?", (number - 1,)
        ).fetchone()
        db.execute("UPDATE entries SET previous = ? WHERE number = ?", (before, number))
        rehash(db, number)
