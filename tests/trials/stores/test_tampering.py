"""Tampering: every change to a ledger is found, at its entry and by its kind."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.trials.columns import FACET_COLUMNS, NUMBERS, TRIAL_COLUMNS
from agingbench.trials.entries import LedgerEntry
from agingbench.trials.ledger import open_ledger, verify_ledger
from tests.trials.making import filled, record
from tests.trials.stores.harm import (
    after,
    close_the_gap,
    delete,
    delete_two,
    edit_body,
    edit_body_and_hash,
    edit_everything,
    exchange,
    forge,
    found,
    list_one_more,
    make_room,
    opened,
    paste_at_the_end,
    rechain,
    rename_both,
    swap,
)


@pytest.fixture(scope="module", autouse=True)
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger that every tampering begins with a copy of."""
    folder = tmp_path_factory.getbasetemp() / "untouched"
    if not folder.exists():
        filled(folder).close()
    return folder


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (edit_body, [(3, "edited")]),
        (edit_body_and_hash, [(3, "edited")]),
        (edit_everything, [(3, "edited")]),
        (
            lambda db: db.execute("UPDATE entries SET added_at = '2020' WHERE number = 3"),
            [(3, "edited")],
        ),
        (
            lambda db: db.execute("UPDATE entries SET evidence = '{}' WHERE number = 6"),
            [(6, "edited")],
        ),
        (
            lambda db: db.execute("UPDATE entries SET kind = 'joke' WHERE number = 3"),
            [(3, "edited")],
        ),
        (lambda db: db.execute("UPDATE trials SET reward = 1.0 WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("DELETE FROM trials WHERE number = 3"), [(3, "edited")]),
        (rename_both, [(3, "renamed")]),
        (
            lambda db: db.execute("UPDATE trials SET trial_id = 'better' WHERE number = 3"),
            [(3, "renamed")],
        ),
        (delete, [(3, "deleted")]),
        (lambda db: delete(db, 1), [(1, "deleted")]),
        (lambda db: db.execute("DELETE FROM entries WHERE number = 3"), [(3, "deleted")]),
        (delete_two, [(3, "deleted")]),
        (close_the_gap, [(3, "deleted")]),
        (make_room, [(3, "inserted")]),
        (lambda db: forge(db, 7, "p" * 64), [(7, "inserted")]),
        (paste_at_the_end, [(7, "inserted")]),
        (lambda db: paste_at_the_end(db, "p" * 64), [(7, "inserted")]),
        (list_one_more, [(7, "inserted")]),
        (
            lambda db: db.execute("UPDATE entries SET previous = 'p' WHERE number = 3"),
            [(3, "edited")],
        ),
        (
            lambda db: db.execute("UPDATE entries SET entry_hash = 'h' WHERE number = 3"),
            [(3, "edited")],
        ),
        (
            lambda db: db.execute("UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE number = 3"),
            [(3, "edited")],
        ),
        (exchange, [(2, "edited"), (5, "edited")]),
        (swap, [(2, "reordered"), (5, "reordered")]),
        (lambda db: swap(db, 3, 4), [(3, "reordered"), (4, "reordered")]),
    ],
)
def test_tampering_is_found_at_its_entry(
    tmp_path: Path, harm: Callable[[sqlite3.Connection], object], expected: list[tuple[int, str]]
) -> None:
    verdict = after(tmp_path, harm)
    assert [f for f in found(verdict) if f[1] != "truncated"] == expected, verdict.problems
    assert "trigger" in " ".join(verdict.warnings)


@pytest.mark.parametrize(
    "column",
    [
        *LedgerEntry._fields,
        *(f"trials.{name}" for name in ("number", *TRIAL_COLUMNS)),
        *(f"trial_facets.{name}" for name in FACET_COLUMNS),
    ],
)
@pytest.mark.parametrize("number", [1, 3, 6])
def test_no_column_can_be_changed_unseen(tmp_path: Path, column: str, number: int) -> None:
    table, _, name = column.rpartition(".")
    table = table or "entries"
    numeric = name == "number" or name in NUMBERS
    verdict = after(
        tmp_path,
        lambda db: db.execute(
            f"UPDATE {table} SET {name} = ? WHERE number = ?", (77 if numeric else "x", number)
        ),
    )
    assert not verdict.ok
    told = {p.entry for p in verdict.problems}
    assert told & {number, 77}, verdict.problems


def test_an_absurd_number_costs_no_time(tmp_path: Path) -> None:
    verdict = after(
        tmp_path, lambda db: db.execute("UPDATE entries SET number = 1 << 60 WHERE number = 6")
    )
    assert {p.entry for p in verdict.problems} >= {6, 1 << 60}


def blob_of(folder: Path, number: int) -> Path:
    with open_ledger(folder) as ledger:
        entry = next(e for e in ledger.entries() if e.number == number)
    sha256 = entry.blobs()["trace.jsonl"].sha256
    return folder / "ledger.blobs" / sha256[:2] / sha256


def test_replaced_and_missing_evidence_is_found(tmp_path: Path) -> None:
    filled(tmp_path).close()
    file = blob_of(tmp_path, 4)
    file.write_bytes(file.read_bytes().replace(b"4", b"5"))
    blob_of(tmp_path, 2).unlink()
    with open_ledger(tmp_path) as ledger:
        assert found(ledger.verify()) == [(2, "blob_missing"), (4, "blob_replaced")]
        with pytest.raises(InputError, match="another content"):
            ledger.store.get_blob(file.name)


@pytest.mark.parametrize("instead", ["link", "pipe", "folder"])
def test_what_is_no_file_is_no_evidence(tmp_path: Path, instead: str) -> None:
    filled(tmp_path / "l", 2).close()
    file = blob_of(tmp_path / "l", 2)
    data = file.read_bytes()
    (tmp_path / "precious").write_bytes(data)
    file.unlink()
    if instead == "link":
        file.symlink_to(tmp_path / "precious")
    elif instead == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    with open_ledger(tmp_path / "l") as ledger:
        assert found(ledger.verify()) == [(2, "blob_replaced")]
        with pytest.raises(InputError, match="cannot be read"):
            ledger.store.get_blob(file.name)


def test_adding_again_puts_evidence_right_and_follows_no_link(tmp_path: Path) -> None:
    filled(tmp_path / "l", 2).close()
    file = blob_of(tmp_path / "l", 2)
    other = blob_of(tmp_path / "l", 1)
    data = file.read_bytes()
    (tmp_path / "precious").write_text("precious")
    file.unlink()
    file.symlink_to(tmp_path / "precious")
    before = other.read_bytes()
    other.write_bytes(before[::-1])  # of the same length
    with open_ledger(tmp_path / "l") as ledger:
        ledger.store.put_blobs([data, before])
        assert ledger.verify().ok
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_chain_written_anew_is_seen_from_outside(tmp_path: Path) -> None:
    filled(tmp_path).close()
    head = verify_ledger(tmp_path).head
    db = opened(tmp_path)
    edit_everything(db)
    rechain(db, 4)
    db.close()
    assert found(verify_ledger(tmp_path)) == [(6, "rewritten")]
    (tmp_path / "ledger.head.json").unlink()
    assert verify_ledger(tmp_path).ok  # nobody can see it from inside
    assert found(verify_ledger(tmp_path, head)) == [(6, "truncated")]


def test_a_database_that_is_gone_is_not_an_empty_place(tmp_path: Path) -> None:
    filled(tmp_path, 2).close()
    for file in tmp_path.glob("ledger.sqlite*"):
        file.unlink()
    assert found(verify_ledger(tmp_path)) == [(0, "truncated")]


def test_a_log_that_was_damaged_is_a_cut_tail(tmp_path: Path) -> None:
    with filled(tmp_path / "now", 20):
        shutil.copytree(tmp_path / "now", tmp_path / "crashed")  # as a machine that died leaves it
    log = tmp_path / "crashed" / "ledger.sqlite-wal"
    data = bytearray(log.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 500] = b"\xa5" * 500
    log.write_bytes(data)
    assert "truncated" in {kind for _, kind in found(verify_ledger(tmp_path / "crashed"))}


def cut(db: sqlite3.Connection) -> None:
    delete(db, 6)
    delete(db, 5)


def test_a_cut_tail_is_seen_by_the_head_file_and_by_a_known_head(tmp_path: Path) -> None:
    verdict = after(tmp_path / "a", cut)
    assert found(verdict) == [(4, "truncated")]
    filled(tmp_path / "b").close()
    with open_ledger(tmp_path / "b") as ledger:
        head = ledger.verify().head
    db = opened(tmp_path / "b")
    cut(db)
    db.close()
    (tmp_path / "b" / "ledger.head.json").unlink()
    with open_ledger(tmp_path / "b") as ledger:
        assert ledger.verify().ok  # a chain alone cannot know
        assert found(ledger.verify(head)) == [(4, "truncated")]


def test_an_older_copy_is_seen(tmp_path: Path) -> None:
    filled(tmp_path / "now", 4).close()
    shutil.copytree(tmp_path / "now", tmp_path / "old")
    filled(tmp_path / "now", 6).close()
    with open_ledger(tmp_path / "now") as ledger:
        head = ledger.verify().head
    shutil.copy(tmp_path / "old" / "ledger.sqlite", tmp_path / "now" / "ledger.sqlite")
    for left in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
        (tmp_path / "now" / left).unlink(missing_ok=True)
    with open_ledger(tmp_path / "now") as ledger:
        assert (4, "truncated") in found(ledger.verify())
        ledger.add(record("later-1"))
        ledger.add(record("later-2"))
        ledger.add(record("later-3"))
        # The head file still speaks of the entries that were lost: it is not overwritten.
        assert ("rewritten") in {kind for _, kind in found(ledger.verify())}
        assert {kind for _, kind in found(ledger.verify(head))} == {"rewritten", "truncated"}


def test_a_known_head_that_was_passed_is_fine(tmp_path: Path) -> None:
    with filled(tmp_path, 3) as ledger:
        head = ledger.verify().head
        ledger.add(record("later"))
        assert ledger.verify(head).ok


def test_a_head_file_that_is_behind_is_no_problem(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    before = (tmp_path / "ledger.head.json").read_bytes()
    filled(tmp_path, 5).close()
    (tmp_path / "ledger.head.json").write_bytes(before)
    with open_ledger(tmp_path) as ledger:
        assert ledger.verify().ok
        ledger.add(record("later"))
    assert json.loads((tmp_path / "ledger.head.json").read_bytes())["count"] == 6


def test_a_broken_head_file_and_a_broken_database_are_told(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    (tmp_path / "ledger.head.json").write_text("{")
    with open_ledger(tmp_path) as ledger:
        assert found(ledger.verify()) == [(None, "head")]
    filled(tmp_path / "b", 60).close()
    db = sqlite3.connect(tmp_path / "b" / "ledger.sqlite")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    file = tmp_path / "b" / "ledger.sqlite"
    data = bytearray(file.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 9000] = b"\xa5" * 9000
    file.write_bytes(data)
    with open_ledger(tmp_path / "b", create=False) as ledger:
        assert not ledger.verify().ok


def test_a_database_that_cannot_be_opened_is_damaged(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database at all" * 100)
    assert found(verify_ledger(tmp_path)) == [(None, "unreadable")]
    with pytest.raises(InputError, match="there is no ledger"):
        verify_ledger(tmp_path / "elsewhere")


@pytest.mark.parametrize("tables", [["trials"], ["trials", "entries"]])
def test_tables_that_were_dropped_are_a_damage(tmp_path: Path, tables: list[str]) -> None:
    filled(tmp_path, 3).close()
    db = opened(tmp_path)
    for table in tables:
        db.execute(f"DROP TABLE {table}")
    db.close()
    assert found(verify_ledger(tmp_path)) == [(None, "unreadable")]


def test_a_missing_head_file_is_a_warning(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    head = verify_ledger(tmp_path).head
    (tmp_path / "ledger.head.json").unlink()
    verdict = verify_ledger(tmp_path)
    assert verdict.ok
    assert "head file is missing" in " ".join(verdict.warnings)
    assert verify_ledger(tmp_path, head).warnings == []


def test_a_changed_record_is_not_handed_out(tmp_path: Path) -> None:
    filled(tmp_path).close()
    db = opened(tmp_path)
    edit_body(db)
    db.close()
    with open_ledger(tmp_path) as ledger:
        with pytest.raises(InputError, match="was changed after it was added"):
            ledger.get("trial-003")
        assert len(ledger.list()) == 6
        assert ledger.get("trial-004").record.trial_id == "trial-004"
