"""What the docs promise of a ledger: each kind of tampering is found with the head that it takes."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from agingbench.errors import StorageError
from agingbench.trials.ledger import open_ledger
from agingbench.trials.stores.heads import write_head
from tests.places import ROOT
from tests.trials.making import filled, record
from tests.trials.stores.harm import (
    delete,
    edit_everything,
    forge,
    opened,
    rechain,
    rename_both,
    swap,
)

PAGE = ROOT / "docs" / "trials.md"
Harm = Callable[[Path, sqlite3.Connection], object]


def own_head(folder: Path, db: sqlite3.Connection) -> None:
    """Give the head file what the database says now."""
    sql = "SELECT number, entry_hash FROM entries ORDER BY number DESC LIMIT 1"
    write_head(folder / "ledger.head.json", *db.execute(sql).fetchone())


def rewrite(folder: Path, db: sqlite3.Connection) -> None:
    edit_everything(db)
    rechain(db, 3)


def edit_last(folder: Path, db: sqlite3.Connection) -> None:
    delete(db, 6)
    (previous,) = db.execute("SELECT entry_hash FROM entries WHERE number = 5").fetchone()
    forge(db, 6, previous)


def replace_evidence(folder: Path, db: sqlite3.Connection) -> None:
    file = next(path for path in (folder / "ledger.blobs").rglob("*") if path.is_file())
    file.chmod(0o600)
    file.write_bytes(b"something else")


def cut(folder: Path, db: sqlite3.Connection) -> None:
    delete(db, 6)


def cut_with_head(folder: Path, db: sqlite3.Connection) -> None:
    cut(folder, db)
    own_head(folder, db)


def rewrite_with_head(folder: Path, db: sqlite3.Connection) -> None:
    rewrite(folder, db)
    own_head(folder, db)


# The first words of each row of the table in the docs, and how it is done.
ROWS: dict[str, Harm] = {
    "an entry, its id or a column edited": lambda folder, db: rename_both(db),
    "an entry deleted, inserted or moved": lambda folder, db: swap(db),
    "evidence replaced or removed": replace_evidence,
    "the last entry replaced by another": edit_last,
    "the tail cut off": cut,
    "the chain written anew": rewrite,
    "the tail cut off, and the head file changed": cut_with_head,
    "the chain written anew, and the head file changed": rewrite_with_head,
}


def table() -> dict[str, list[str]]:
    """The rows of the table in the docs: tampering, and what is found with which head."""
    lines = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    return {row[0]: list(row[1:]) for row in lines}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("promised")
    filled(folder).close()
    return folder


@pytest.mark.parametrize("row", ROWS)
def test_the_docs_say_what_is_found(row: str, untouched: Path, tmp_path: Path) -> None:
    with open_ledger(untouched, create=False) as ledger:
        noted = ledger.verify().head
    promised = table()[row]
    for promise, head_file, head in zip(
        promised, (False, True, True), (None, None, noted), strict=True
    ):
        folder = tmp_path / f"{head_file}{head}"
        shutil.copytree(untouched, folder)
        db = opened(folder)
        ROWS[row](folder, db)
        db.close()
        if not head_file:
            (folder / "ledger.head.json").unlink()
        with open_ledger(folder, create=False) as ledger:
            verdict = ledger.verify(head)
        assert promise in ("found", "not found")
        assert verdict.ok == (promise == "not found"), (row, head_file, head, verdict.problems)


def test_the_table_has_no_other_rows() -> None:
    start = PAGE.read_text().index("| tampering |")
    rows = PAGE.read_text()[start:].split("\n\n")[0].splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == [
        *ROWS,
        "a trigger taken off or changed",
    ]


# -- triggers by their text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DROP TRIGGER entries_no_update", "the trigger entries_no_update is missing"),
        (
            "DROP TRIGGER entries_no_delete; CREATE TRIGGER entries_no_delete BEFORE DELETE ON"
            " entries BEGIN SELECT 1; END",
            "the trigger entries_no_delete has another text",
        ),
        (
            "CREATE TRIGGER helpful BEFORE INSERT ON trials BEGIN SELECT RAISE(IGNORE); END",
            "the trigger helpful is not ours",
        ),
    ],
)
def test_triggers_are_checked_by_their_text(
    change: str, told: str, untouched: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "ledger"
    shutil.copytree(untouched, folder)
    with open_ledger(folder, create=False) as ledger:
        assert ledger.verify().warnings == []
    with sqlite3.connect(folder / "ledger.sqlite") as db:
        db.executescript(change)
    with open_ledger(folder, create=False) as ledger:
        verdict = ledger.verify()
    assert verdict.ok
    (warning,) = verdict.warnings
    assert told in warning


# -- a lost insert


@pytest.mark.parametrize(
    "trigger",
    [
        "BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
        "BEFORE INSERT ON trials BEGIN SELECT RAISE(IGNORE); END",
        "AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE number = NEW.number; END",
        "AFTER INSERT ON trials BEGIN DELETE FROM trials WHERE number = NEW.number; END",
    ],
)
def test_a_lost_insert_is_an_error_at_once(trigger: str, untouched: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    shutil.copytree(untouched, folder)
    with sqlite3.connect(folder / "ledger.sqlite") as db:
        # The ledger's own trigger would refuse the DELETE.
        db.execute("DROP TRIGGER entries_no_delete")
        db.execute("DROP TRIGGER trials_no_delete")
        db.execute(f"CREATE TRIGGER swallow {trigger}")
    with open_ledger(folder) as ledger:
        before = ledger.store.head()
        with pytest.raises(StorageError, match=r"nothing was kept.*trials verify"):
            ledger.add(record("late"))
        assert ledger.store.head() == before
        assert ledger.verify().ok
