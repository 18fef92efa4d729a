"""The columns of trials: read from the record, also in ledgers that have no table for them."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.trials.columns import FACET_COLUMNS, trial_columns
from agingbench.trials.evidence_files import write_evidence
from agingbench.trials.inspect.export import export
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import read_trial, record_bytes
from tests.golden.shell import HERE as GOLDEN
from tests.trials.lives import life_record
from tests.trials.making import filled, record


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A ledger that was written before there were later columns."""
    shutil.copytree(GOLDEN / "ledger", tmp_path / "older")
    return tmp_path / "older"


def tables(folder: Path) -> set[str]:
    with sqlite3.connect(folder / "ledger.sqlite") as db:
        return {row[0] for row in db.execute("SELECT name FROM sqlite_master")}


def test_an_older_ledger_is_read_with_all_columns_and_not_rewritten(older: Path) -> None:
    before = hashlib.sha256((older / "ledger.sqlite").read_bytes()).hexdigest()
    with open_ledger(older, create=False) as ledger:
        lives = ledger.list(Query(equals=(("kind", "life"),)))
        assert {(row.scenario, row.seed, row.sessions, row.pressure) for row in lives} == {
            ("s1_research_literature", 0, 4, "light"),
            ("s2_lifestyle_assistant", 0, 4, "light"),
            ("s2_lifestyle_assistant", 1, 4, "light"),
            ("s2_lifestyle_assistant", 2, 4, "light"),
            ("s4_software_engineering", 0, 4, "light"),
            ("s5_self_planning", 0, 4, "light"),
        }
        assert {row.memory for row in lives} == {"lossy_compress", "append_only", "workspace"}
        assert ledger.list(Query(sort="memory"))[0].memory == "append_only"
        assert ledger.verify().ok
    assert hashlib.sha256((older / "ledger.sqlite").read_bytes()).hexdigest() == before
    assert "trial_facets" not in tables(older)


def test_an_older_ledger_gets_the_table_when_something_is_added(older: Path) -> None:
    with open_ledger(older) as ledger:
        count = ledger.count()
        trial, files = life_record("lossy", night=0, seed=3)
        ledger.add(trial, files)
        rows = ledger.list()
        assert len(rows) == count + 1
        assert all(row.kind for row in rows)
        assert ledger.count(Query(equals=(("seed", 3),))) == 1
        assert ledger.verify().ok
    with open_ledger(older, create=False) as ledger:
        assert [row.kind for row in ledger.list()] == [row.kind for row in rows]
        assert ledger.verify().warnings == []


def test_a_record_that_was_refused_leaves_no_half_made_table(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.add(record("a"))
        with pytest.raises(InputError):
            ledger.add(record("a", task={"task_id": "another"}))
        ledger.add(record("b"))
        assert [row.trial_id for row in ledger.list()] == ["a", "b"]
        assert ledger.verify().ok


def test_older_events_and_seeds_are_read_from_the_id() -> None:
    name = "light-6s-recompact3-flush_history5-9492ef"
    (folder,) = (GOLDEN / "lives" / "s2_events").glob(f"*/*/{name}/seed_0")
    fields = read_trial(folder / "trial.json").model_dump()
    fields["outputs"]["agent_result"] = None
    columns = trial_columns(record_bytes(type(read_trial(folder / "trial.json"))(**fields)))
    assert columns.condition == fields["trial_id"].split(".")[2]
    assert (columns.sessions, columns.seed) == (6, 0)
    assert columns.events == "recompact@3 flush_history@5"


def test_the_word_of_another_harness_is_no_life(tmp_path: Path) -> None:
    for odd in ({"life": "long"}, {"life": {"seed": 10**30}}, {"life": None}):
        trial = record("x", outputs={"agent_result": odd})
        columns = trial_columns(record_bytes(trial))
        assert (columns.kind, columns.seed) == ("rollout", None)


def test_postgres_has_the_same_columns(postgres_ledger: str) -> None:
    with open_ledger(postgres_ledger) as ledger:
        trial, files = life_record("lossy", night=0, seed=3)
        ledger.add(trial, files)
        filled_row = ledger.list(Query(equals=(("seed", 3), ("system_id", "lossy"))))[0]
        expected = trial_columns(record_bytes(trial))
        assert {name: getattr(filled_row, name) for name in FACET_COLUMNS} == {
            name: getattr(expected, name) for name in FACET_COLUMNS
        }
        assert ledger.verify().ok


def test_an_older_ledger_on_postgres_is_read_too(postgres_ledger: str) -> None:
    import psycopg

    with open_ledger(postgres_ledger) as ledger:
        trial, files = life_record("lossy", night=0, seed=3)
        ledger.add(trial, files)
    with psycopg.connect(postgres_ledger, autocommit=True) as db:
        db.execute("DROP VIEW trial_records")
        db.execute("DROP TABLE trial_facets")
    with open_ledger(postgres_ledger, create=False) as ledger:
        assert [row.seed for row in ledger.list(Query(sort="seed"))] == [3]
        assert ledger.verify().ok
        trial, files = life_record("lossy", night=0, seed=4)
        ledger.add(trial, files)
        assert [row.seed for row in ledger.list()] == [3, 4]
        assert ledger.verify().ok


# -- what is written out


def test_evidence_is_written_as_it_was_added(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with filled(tmp_path / "ledger", 2) as ledger:
        stored = ledger.get("trial-002")
        assert write_evidence(stored, out) == ["trace.jsonl", "trial.json"]
        assert read_trial(out / "trial.json") == stored.record
        assert (out / "trial.json").read_bytes() == stored.entry.body.encode()
        assert b'"content": "2"' in (out / "trace.jsonl").read_bytes()
        assert (out / "trace.jsonl").stat().st_mode & 0o777 == 0o600
        with pytest.raises(InputError, match="new or empty"):
            write_evidence(stored, out)


def test_changed_evidence_is_not_written(tmp_path: Path) -> None:
    with filled(tmp_path / "ledger", 1) as ledger:
        for file in (tmp_path / "ledger" / "ledger.blobs").rglob("*"):
            if file.is_file():
                file.chmod(0o600)
                file.write_bytes(b"{}")
        with pytest.raises(InputError, match=r"trace\.jsonl"):
            write_evidence(ledger.get("trial-001"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_csv_has_a_row_per_trial_and_no_formula(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.add(record("a", task={"task_id": "=cmd()|x"}))
        ledger.add(record("b", evaluation={"reward": None}))
        assert export(ledger, Query(), tmp_path / "trials.csv") == 2
    head, first, second = (tmp_path / "trials.csv").read_text().splitlines()
    assert head.startswith("trial_id,experiment_id")
    assert "\t=cmd()|x" in first
    names = head.split(",")
    assert second.split(",")[names.index("reward")] == ""
