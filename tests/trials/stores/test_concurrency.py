"""Many processes at once, on both databases, and processes killed in the middle: nothing lost, one
chain, no half.
"""

from __future__ import annotations

import contextlib
import json
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from agingbench.cli.main import run
from agingbench.errors import InputError, StorageError
from agingbench.trials.entries import Conflict
from agingbench.trials.importers.report import ImportProgress
from agingbench.trials.importers.verifiers import VerifiersImporter
from agingbench.trials.ledger import open_ledger, verify_ledger
from agingbench.trials.record import TrialRecord
from tests.cli.conftest import data
from tests.trials.making import filled, record
from tests.trials.stores.writers import start


def check_all_at_once(place: str, processes: int, each: int, evidence: bool = True) -> None:
    running = [start(place, f"p{i}", each, evidence) for i in range(processes)]
    for process in running:
        out, err = process.communicate(timeout=3000)
        assert process.returncode == 0, err.decode()
        assert len(out.split()) == each
    with open_ledger(place, create=False) as ledger:
        ids = [row.trial_id for row in ledger.list()]
        assert sorted(ids) == sorted(f"p{i}-{k}" for i in range(processes) for k in range(each))
        verdict = ledger.verify()
        assert verdict.ok, verdict.problems
        assert verdict.count == processes * each
        assert ledger.store.known_head() == (verdict.count, verdict.head)


def test_many_writers_make_one_chain_in_sqlite(tmp_path: Path) -> None:
    check_all_at_once(str(tmp_path / "ledger.sqlite"), 4, 25)


def test_many_writers_make_one_chain_in_postgres(postgres_ledger: str) -> None:
    check_all_at_once(postgres_ledger, 4, 25)


@pytest.mark.slow
def test_sixteen_writers_of_five_thousand_in_sqlite(tmp_path: Path) -> None:
    check_all_at_once(str(tmp_path / "ledger.sqlite"), 16, 5000, evidence=False)


@pytest.mark.slow
def test_sixteen_writers_of_five_thousand_in_postgres(postgres_ledger: str) -> None:
    check_all_at_once(postgres_ledger, 16, 5000, evidence=False)


def test_the_same_records_from_two_processes_are_there_once(tmp_path: Path) -> None:
    place = str(tmp_path)
    running = [start(place, "same", 15) for _ in range(3)]
    for process in running:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err.decode()
    with open_ledger(place) as ledger:
        assert ledger.count() == 15
        assert ledger.verify().ok


def check_killed(place: str, times: int) -> None:
    """Kill a writer at a moment of chance, again and again; what it reported is in, and everything
    in is whole.
    """
    chance = random.Random(7)
    reported: set[str] = set()
    for turn in range(times):
        process = start(place, f"k{turn}", 100_000)
        assert process.stdout is not None
        process.stdout.readline()  # it is writing by now
        time.sleep(chance.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        reported |= {f"k{turn}-{line.decode()}" for line in [b"0", *rest.split(b"\n")[:-1]] if line}
    with open_ledger(place, create=False) as ledger:
        verdict = ledger.verify()
        assert verdict.ok, verdict.problems
        there = {row.trial_id for row in ledger.list()}
        assert reported <= there
        assert len(there - reported) <= times  # at most the one that each was about to report
        for trial_id in sorted(there)[:50]:
            with ledger.get(trial_id).files.open("trace.jsonl") as stream:
                assert (
                    stream.read()
                    == f"{trial_id.rpartition('-')[0]} {trial_id.rpartition('-')[2]}\n".encode()
                    * 50
                )


def test_killed_writers_leave_whole_records(tmp_path: Path) -> None:
    check_killed(str(tmp_path), 5)


@pytest.mark.slow
def test_writers_killed_fifty_times_leave_whole_records(tmp_path: Path) -> None:
    check_killed(str(tmp_path), 50)


@pytest.mark.slow
def test_writers_killed_fifty_times_leave_whole_records_in_postgres(postgres_ledger: str) -> None:
    check_killed(postgres_ledger, 50)


class Died(BaseException):
    """Stands for a crash between two instructions."""


def test_a_crash_at_any_instruction_leaves_the_record_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash at any step of adding that the database sees leaves the whole record or none."""
    from agingbench.trials.stores.sqlite import SqliteStore

    steps = ("put_blob", "change", "head", "_sync", "_record_head")
    for step in steps:
        for nth in (1, 2):
            place = tmp_path / f"{step}{nth}"
            filled(place, 2).close()
            calls = 0
            real = getattr(SqliteStore, step)

            def dying(
                self: SqliteStore, *args: object, real: object = real, nth: int = nth
            ) -> object:
                nonlocal calls
                calls += 1
                if calls == nth:
                    raise Died
                return real(self, *args)  # type: ignore[operator]

            with monkeypatch.context() as patch:
                patch.setattr(SqliteStore, step, dying)
                ledger = open_ledger(place)
                with contextlib.suppress(Died):
                    ledger.add(record("third"), {"a.txt": b"a", "b.txt": b"b"})
                ledger.close()
            with open_ledger(place) as ledger:
                assert ledger.verify().ok
                assert ledger.count() in (2, 3)
                assert not ledger.add(record("third"), {"a.txt": b"a", "b.txt": b"b"}).number < 3
                assert ledger.verify().ok
                assert ledger.count() == 3


# ------------------------------------------------------------------------------------- the same
# promises on PostgreSQL


def test_postgres_keeps_the_same_promises(postgres_ledger: str) -> None:
    import psycopg

    with filled(postgres_ledger) as ledger:
        assert ledger.add(record("trial-001")).duplicate
        with pytest.raises(Conflict):
            ledger.add(record("trial-001", evaluation={"reward": 1.0}))
        stored = ledger.get("trial-002")
        with stored.files.open("trace.jsonl") as stream:
            assert b'"2"' in stream.read()
        assert len(ledger.list()) == 6
        head = ledger.verify().head
        assert ledger.verify(head).ok
    with psycopg.connect(postgres_ledger, autocommit=True) as db:
        for sql in (
            "UPDATE entries SET body = '{}'",
            "DELETE FROM trials",
            "TRUNCATE blobs",
            "DELETE FROM entries",
        ):
            with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
                db.execute(sql)
        for table in ("entries", "trials", "trial_facets", "blobs"):
            db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        db.execute("UPDATE entries SET body = replace(body, '0.5', '0.9') WHERE number = 3")
        db.execute("UPDATE blobs SET data = 'x' WHERE sha256 = (SELECT min(sha256) FROM blobs)")
        for table in ("trial_facets", "trials", "entries"):
            db.execute(f"DELETE FROM {table} WHERE number = 6")
    with open_ledger(postgres_ledger) as ledger:
        verdict = ledger.verify(head)
        kinds = {p.kind for p in verdict.problems}
        assert kinds == {"edited", "blob_replaced", "truncated"}, verdict.problems
        assert (3, "edited") in {(p.entry, p.kind) for p in verdict.problems}
        assert sum("trigger" in warning for warning in verdict.warnings) == 4


def test_the_command_line_takes_a_url(
    postgres_ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["trials", "list", "--ledger", postgres_ledger]) == 2
    assert "there is no ledger in this database" in capsys.readouterr().err
    filled(postgres_ledger, 3).close()
    assert run(["trials", "list", "--ledger", postgres_ledger, "--json"]) == 0
    listed = data(capsys.readouterr().out)
    assert [row["trial_id"] for row in listed["trials"]] == ["trial-001", "trial-002", "trial-003"]
    assert run(["trials", "show", "trial-002", "--ledger", postgres_ledger, "--json"]) == 0
    assert data(capsys.readouterr().out)["entry"] == 2
    assert run(["trials", "verify", "--ledger", postgres_ledger, "--head", "0" * 63 + "1"]) == 1


def test_postgres_too_makes_nothing_before_something_is_added(postgres_ledger: str) -> None:
    import psycopg

    liar = TrialRecord.model_validate({**record("liar").model_dump(), "completeness": "complete"})
    with (
        open_ledger(postgres_ledger) as ledger,
        psycopg.connect(postgres_ledger, autocommit=True) as db,
    ):
        assert (ledger.list(), ledger.count(), ledger.verify().warnings) == ([], 0, [])
        with pytest.raises(InputError, match="claims to be complete"):
            ledger.add(liar)
        assert db.execute("SELECT to_regclass('entries'), to_regclass('blobs')").fetchone() == (
            None,
            None,
        )
        filled(postgres_ledger, 2).close()
        assert ledger.count() == 2
        db.execute("DROP TABLE trials, trial_facets, entries, blobs CASCADE")
    verdict = verify_ledger(
        postgres_ledger
    )  # the head that this machine remembers says that there was a ledger
    assert [(p.entry, p.kind) for p in verdict.problems] == [(0, "truncated")]


def test_a_server_that_goes_away_in_the_middle_loses_nothing(
    postgres_ledger: str, tmp_path: Path
) -> None:
    import psycopg

    class Cutting(ImportProgress):
        """Ends the connections of the others before the third sample."""

        steps = 0

        def step(self) -> None:
            self.steps += 1
            if self.steps == 3:
                with psycopg.connect(postgres_ledger, autocommit=True) as db:
                    others = "datname = current_database() AND pid <> pg_backend_pid()"
                    db.execute(
                        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
                    )

    file = tmp_path / "results.jsonl"
    file.write_text(
        "".join(json.dumps({"prompt": str(i), "completion": "A"}) + "\n" for i in range(5))
    )
    with open_ledger(postgres_ledger) as ledger, pytest.raises(StorageError, match="terminat"):
        VerifiersImporter().import_path(ledger, file, None, Cutting())
    with open_ledger(postgres_ledger) as ledger:
        report = VerifiersImporter().import_path(ledger, file, None)
        assert (report.imported, report.duplicates) == (3, 2)
        assert ledger.verify().ok


def test_a_server_that_does_not_answer_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    assert (
        run(
            [
                "trials",
                "list",
                "--ledger",
                "postgresql://u:secret-word@127.0.0.1:1/x?connect_timeout=2",
            ]
        )
        == 2
    )
    told = capsys.readouterr().err
    assert told.startswith("agingbench: PostgreSQL: ")
    assert "secret-word" not in told
    assert told.count("\n") == 1


def test_sqlite_writes_ahead(tmp_path: Path) -> None:
    filled(tmp_path, 1).close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert all(
        "STRICT" in sql
        for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")
    )
    db.close()
