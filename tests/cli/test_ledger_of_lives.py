"""Lives of `run` and `study` end in a ledger by themselves, once, and their cards name what is in
it.
"""

from __future__ import annotations

from pathlib import Path

from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from tests.cli.conftest import Cli, data

NEWEST = Query(newest=True)
LIFE = ("run", "-s", "s2", "-n", "3", "-p", "light", "--no-plots")
STUDY = """scenarios: [s2]
sessions: 3
memories: [lossy_compress]
pressures: [light]
events: none
seeds: 2
"""


def test_lives_are_added_beside_their_folders(cli: Cli, tmp_path: Path) -> None:
    for _ in range(2):  # the second start finds everything there
        done = cli(*LIFE, "--seeds", "2", "--out", tmp_path / "runs", "--json")
        assert done.code == 0, done.err
    cards = [life["card"]["provenance"] for life in data(done.out)]
    with open_ledger(tmp_path / "runs", create=False) as ledger:
        rows = ledger.list(NEWEST)
        assert [(r.trial_id, r.record_hash) for r in rows] == [
            (c["trial_id"], c["record_hash"]) for c in cards
        ]
        assert {r.completeness for r in rows} == {"complete"}
        kept = ledger.get(rows[0].trial_id).entry.blobs()
        assert {"plan.json", "trace.jsonl", "answers.jsonl", "memory/0.json"} <= kept.keys()
        assert ledger.verify().ok


def test_another_ledger_or_none(cli: Cli, tmp_path: Path) -> None:
    assert cli(*LIFE, "--out", tmp_path / "a", "--ledger", "none").code == 0
    assert not list((tmp_path / "a").glob("ledger*"))
    assert cli(*LIFE, "--out", tmp_path / "b", "--ledger", tmp_path / "own.sqlite").code == 0
    assert not list((tmp_path / "b").glob("ledger*"))
    with open_ledger(tmp_path / "own.sqlite", create=False) as ledger:
        assert ledger.count(NEWEST) == 1


def test_a_study_adds_its_lives(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY)
    done = cli("study", tmp_path / "s.yaml", "--out", tmp_path / "runs", "--workers", "1")
    assert done.code == 0, done.err
    with open_ledger(tmp_path / "runs", create=False) as ledger:
        assert ledger.count(NEWEST) == 2
