"""The ledger: what goes in comes out, nothing is changed, and every tampering is found at its entry."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.trials.entries import TRIAL_COLUMNS, Conflict, Entry, entry_hash
from agingbench.trials.evidence import is_safe_name
from agingbench.trials.ledger import open_ledger, verify_ledger
from agingbench.trials.queries import Query, parse_day
from agingbench.trials.record import ID_PATTERN, parse_trial, record_bytes, record_hash
from agingbench.trials.verify import Verdict
from tests.trials.making import filled, record

# ---------------------------------------------------------------------------------------------------------- adding


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    trial = record("a.b-1", outputs={"agent_result": {"note": "Zoë \u2028 \x00 \\"}})
    with open_ledger(tmp_path / "x.sqlite") as ledger:
        added = ledger.add(trial, {"trace.jsonl": b"\x00\xff", "memory/0.json": b""})
        stored = ledger.get("a.b-1")
    assert (added.number, added.duplicate, added.record_hash) == (1, False, record_hash(trial))
    assert stored.record == trial
    assert stored.entry.body.encode() == record_bytes(trial)
    with stored.files.open("trace.jsonl") as stream:
        assert stream.read() == b"\x00\xff"
    with stored.files.open("memory/0.json") as stream:
        assert stream.read() == b""


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.from_regex(ID_PATTERN, fullmatch=True),
    st.dictionaries(TEXT, JSON, max_size=4),
    TEXT.filter(str.strip),
    st.none() | st.floats(0, 1),
    st.binary(max_size=60),
)
def test_any_record_comes_back(
    tmp_path: Path, trial_id: str, result: dict[str, Any], instruction: str, reward: float | None, trace: bytes
) -> None:
    trial = record(trial_id, outputs={"agent_result": result}, inputs={"instruction": instruction},
                   evaluation={"reward": reward})  # fmt: skip
    with open_ledger(tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite") as ledger:
        ledger.add(trial, {"trace.jsonl": trace})
        stored = ledger.get(trial_id)
        with stored.files.open("trace.jsonl") as stream:
            assert stream.read() == trace
        assert (stored.record, stored.record_hash) == (trial, record_hash(trial))
        assert ledger.verify().ok
        assert ledger.list()[0]["reward"] == reward
    # The canonical form is the only one: reading it and writing it again gives the same bytes.
    assert canonical_json(json.loads(record_bytes(trial))) == record_bytes(trial)
    assert record_bytes(parse_trial(record_bytes(trial), "again")) == record_bytes(trial)


@given(st.text(max_size=30))
def test_ids_cannot_escape(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    try:
        trial = record(text)
    except InputError:
        return
    assert "/" not in trial.trial_id
    assert "\\" not in trial.trial_id
    assert not trial.trial_id.startswith(".")


@given(st.lists(st.sampled_from(["..", ".", "a", "", "/", "\\", "C:", "~", "\0", "x.jsonl"]), max_size=5).map("/".join))
def test_safe_names_stay_where_they_are(name: str) -> None:
    if is_safe_name(name):
        root = Path("/root/of/evidence")
        assert (root / name).resolve().is_relative_to(root)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../b", "C:\\x", "a\\b", "", ".", "a//b", "a/", "x\ny"])
def test_evidence_names_that_lead_away_are_refused(tmp_path: Path, name: str) -> None:
    with open_ledger(tmp_path) as ledger, pytest.raises(InputError, match="not a plain relative path"):
        ledger.add(record(), {name: b"x"})


def test_the_same_again_is_a_no_op_and_other_content_an_error(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        first = ledger.add(record("a"), {"trace.jsonl": b"1"})
        again = ledger.add(record("a"), {"trace.jsonl": b"1"})
        assert (again.number, again.duplicate, again.entry_hash) == (1, True, first.entry_hash)
        other = ledger.add(record("a"), {"trace.jsonl": b"2"})
        assert other.duplicate
        assert other.note is not None
        assert "trace.jsonl" in other.note
        with pytest.raises(Conflict, match="entry 1 with other content"):
            ledger.add(record("a", evaluation={"reward": 1.0}))
        assert ledger.count() == 1
        assert ledger.verify().ok


def test_complete_must_be_earned(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger, pytest.raises(InputError, match="claims to be complete and is not"):
        ledger.add(record("a", completeness="complete"))


def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    filled(tmp_path, 1).close()
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    assert len(files) >= 3
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_the_database_itself_refuses_changes(tmp_path: Path) -> None:
    filled(tmp_path, 2).close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    for sql in (
        "UPDATE entries SET body = '{}'", "DELETE FROM entries", "UPDATE trials SET reward = 1", "DELETE FROM trials",
        "INSERT OR REPLACE INTO entries SELECT 1, kind, 'x', body, body_hash, evidence, added_at, 'p', 'h' "
        "FROM entries LIMIT 1",
        "INSERT INTO entries SELECT 7, kind, 'x', body, body_hash, evidence, added_at, 'p', 'h' FROM entries LIMIT 1",
    ):  # fmt: skip
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(sql)
    db.close()
    with open_ledger(tmp_path) as ledger:
        assert ledger.verify().ok


def test_what_is_no_ledger_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no ledger"):
        open_ledger(tmp_path / "none", create=False)
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look like a file of its own " * 9)
    with pytest.raises(InputError, match=r"text\.sqlite"):
        open_ledger(tmp_path / "text.sqlite")
    other = sqlite3.connect(tmp_path / "newer.db")
    other.execute("PRAGMA user_version = 9")
    other.close()
    with pytest.raises(InputError, match="version 9"):
        open_ledger(tmp_path / "newer.db")


def test_an_unknown_trial_is_told(tmp_path: Path) -> None:
    with filled(tmp_path, 1) as ledger, pytest.raises(InputError, match="no trial 'nobody'"):
        ledger.get("nobody")


# ---------------------------------------------------------------------------------------------------------- queries


def test_queries(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for i, (model, reward) in enumerate([("m1", 0.2), ("m2", None), ("m1", 1.0), ("m2", 0.7)]):
            ledger.add(
                record(
                    f"t{i}", agent={"model": model}, evaluation={"reward": reward}, task={"task_id": f"area/{i % 2}_x"},
                    timestamp=f"2026-03-1{i}T10:00:00+02:00", experiment_id=f"e{i // 2}",
                )
            )  # fmt: skip

        def ids(**asked: Any) -> list[str]:
            assert ledger.count(Query(**asked)) >= len(ledger.list(Query(**asked)))
            return [row["trial_id"] for row in ledger.list(Query(**asked))]

        assert ids() == ["t0", "t1", "t2", "t3"]
        assert ids(experiment="e1") == ["t2", "t3"]
        assert ids(model="m2") == ["t1", "t3"]
        assert ids(task_prefix="area/1_") == ["t1", "t3"]
        assert ids(task_prefix="area/%") == []
        assert ids(since=parse_day("2026-03-12")) == ["t2", "t3"]
        assert ids(until=parse_day("2026-03-11", end=True)) == ["t0", "t1"]
        assert ids(since=parse_day("2026-03-12T08:00:00Z"), until=parse_day("2026-03-12T08:00:01Z")) == ["t2"]
        assert ids(min_reward=0.7) == ["t2", "t3"]
        assert ids(max_reward=0.7) == ["t0", "t3"]
        assert ids(evaluated=False) == ["t1"]
        assert ids(completeness="complete") == []
        assert ids(harness="bench", limit=2) == ["t0", "t1"]
        assert ids(sort="reward", descending=True) == ["t2", "t3", "t0", "t1"]
        with pytest.raises(InputError, match="did you mean reward"):
            ids(sort="rewards")
    with pytest.raises(InputError, match="is not a date"):
        parse_day("yesterday")


# -------------------------------------------------------------------------------------------------------- tampering


def opened(folder: Path) -> sqlite3.Connection:
    """The database without its protection, as somebody who means harm would open it."""
    db = sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    return db


@pytest.fixture(scope="module", autouse=True)
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger that every tampering begins with a copy of."""
    folder = tmp_path_factory.getbasetemp() / "untouched"
    if not folder.exists():
        filled(folder).close()
    return folder


def after(folder: Path, harm: Callable[[sqlite3.Connection], object], head: str | None = None) -> Verdict:
    base = next(p for p in folder.parents if (p / "untouched").exists())
    shutil.copytree(base / "untouched", folder, dirs_exist_ok=True)
    db = opened(folder)
    harm(db)
    db.close()
    with open_ledger(folder, create=False) as ledger:
        return ledger.verify(head)


def found(verdict: Verdict) -> list[tuple[int | None, str]]:
    assert verdict.ok == (not verdict.problems)
    return [(p.entry, p.kind) for p in verdict.problems]


def rehash(db: sqlite3.Connection, number: int) -> None:
    row = db.execute("SELECT number, kind, id, body_hash, evidence, added_at, previous FROM entries WHERE number = ?",
                     (number,)).fetchone()  # fmt: skip
    db.execute("UPDATE entries SET entry_hash = ? WHERE number = ?", (entry_hash(*row), number))


def edit_body(db: sqlite3.Connection) -> None:
    db.execute("UPDATE entries SET body = replace(body, '\"reward\":0.5', '\"reward\":1.0') WHERE number = 3")


def edit_body_and_hash(db: sqlite3.Connection) -> None:
    from agingbench.trials.blobs import digest_of

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
    with_body = json.loads(db.execute("SELECT body FROM entries LIMIT 1").fetchone()[0]) | {"trial_id": "forged"}
    from agingbench.trials.entries import Draft, trial_row

    body = canonical_json(with_body)
    draft = Draft("trial", "forged", body, {}, trial_row(body))
    time = "2026-01-01T00:00:00.000000Z"
    hashed = entry_hash(number, "trial", "forged", draft.body_hash, "{}", time, previous)
    db.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)",
               (number, "trial", "forged", body.decode(), draft.body_hash, "{}", time, previous, hashed))  # fmt: skip
    assert draft.row is not None
    marks = ",".join("?" * (1 + len(draft.row)))
    db.execute(f"INSERT INTO trials VALUES ({marks})", (number, *draft.row))


def paste_at_the_end(db: sqlite3.Connection, previous: str | None = None) -> None:
    """Copy an old entry to the end under another id, with hashes that are none."""
    last = db.execute("SELECT entry_hash FROM entries WHERE number = 6").fetchone()[0]
    db.execute(
        "INSERT INTO entries SELECT 7, kind, 'pasted', body, body_hash, evidence, added_at, ?, 'h' FROM entries "
        "WHERE number = 4", (previous or last,),
    )  # fmt: skip


def list_one_more(db: sqlite3.Connection) -> None:
    row = db.execute("SELECT * FROM trials WHERE number = 4").fetchone()
    db.execute(f"INSERT INTO trials VALUES ({','.join('?' * len(row))})", (7, "pasted", *row[2:]))


def swap(db: sqlite3.Connection, a: int = 2, b: int = 5) -> None:
    for table in ("entries", "trials"):
        for old, new in ((a, 99), (b, a), (99, b)):
            db.execute(f"UPDATE {table} SET number = ? WHERE number = ?", (new, old))


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (edit_body, [(3, "edited")]),
        (edit_body_and_hash, [(3, "edited")]),
        (edit_everything, [(3, "edited")]),
        (lambda db: db.execute("UPDATE entries SET added_at = '2020' WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("UPDATE entries SET evidence = '{}' WHERE number = 6"), [(6, "edited")]),
        (lambda db: db.execute("UPDATE entries SET kind = 'joke' WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("UPDATE trials SET reward = 1.0 WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("DELETE FROM trials WHERE number = 3"), [(3, "edited")]),
        (rename_both, [(3, "renamed")]),
        (lambda db: db.execute("UPDATE trials SET trial_id = 'better' WHERE number = 3"), [(3, "renamed")]),
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
        (lambda db: db.execute("UPDATE entries SET previous = 'p' WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("UPDATE entries SET entry_hash = 'h' WHERE number = 3"), [(3, "edited")]),
        (lambda db: db.execute("UPDATE entries SET body = CAST(x'ff' AS TEXT) WHERE number = 3"), [(3, "edited")]),
        (swap, [(2, "reordered"), (5, "reordered")]),
        (lambda db: swap(db, 3, 4), [(3, "reordered"), (4, "reordered")]),
    ],
)  # fmt: skip
def test_tampering_is_found_at_its_entry(
    tmp_path: Path, harm: Callable[[sqlite3.Connection], object], expected: list[tuple[int, str]]
) -> None:
    verdict = after(tmp_path, harm)
    assert [f for f in found(verdict) if f[1] != "truncated"] == expected, verdict.problems
    assert "trigger" in " ".join(verdict.warnings)


@pytest.mark.parametrize("column", [*Entry._fields, *(f"trials.{name}" for name in ("number", *TRIAL_COLUMNS))])
@pytest.mark.parametrize("number", [1, 3, 6])
def test_no_column_can_be_changed_unseen(tmp_path: Path, column: str, number: int) -> None:
    table, _, name = column.rpartition(".")
    table = table or "entries"
    numeric = name in ("number", "reward", "total_seconds", "tokens_in", "tokens_out", "cost_usd")
    verdict = after(
        tmp_path,
        lambda db: db.execute(f"UPDATE {table} SET {name} = ? WHERE number = ?", (77 if numeric else "x", number)),
    )
    assert not verdict.ok
    told = {p.entry for p in verdict.problems}
    assert told & {number, 77}, verdict.problems


def test_an_absurd_number_costs_no_time(tmp_path: Path) -> None:
    verdict = after(tmp_path, lambda db: db.execute("UPDATE entries SET number = 1 << 60 WHERE number = 6"))
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


def test_odd_figures_in_columns(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.add(record("nul", task={"task_id": "a\0b"}))
        assert ledger.get("nul").record.task.task_id == "a\0b"
        assert ledger.list()[0]["task_id"] == "a\ufffdb"
        with pytest.raises(InputError, match="tokens_in"):
            ledger.add(record("huge", cost={"tokens_in": 10**30}))
        assert ledger.verify().ok
        assert ledger.count() == 1


def test_a_ledger_that_may_only_be_read(tmp_path: Path) -> None:
    filled(tmp_path, 2).close()
    for file in tmp_path.iterdir():
        if file.is_file():
            file.chmod(0o400)
    with open_ledger(tmp_path, create=False) as ledger:
        assert ledger.verify().ok
        assert len(ledger.list()) == 2


def test_an_empty_ledger_is_fine(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        verdict = ledger.verify()
        assert (verdict.ok, verdict.count, ledger.list()) == (True, 0, [])


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
