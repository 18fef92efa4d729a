"""The ledger: what goes in comes out, nothing is changed, and every tampering is found at its
entry.
"""

from __future__ import annotations

import json
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json
from agingbench.trials.entries import Conflict
from agingbench.trials.evidence import is_safe_name
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query, parse_day
from agingbench.trials.record import (
    ID_PATTERN,
    TrialRecord,
    parse_trial,
    record_bytes,
    record_hash,
)
from agingbench.trials.stores.base import LedgerStore
from tests.trials.making import filled, minimal, parsed, record

# -- adding


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
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.from_regex(ID_PATTERN, fullmatch=True),
    st.dictionaries(TEXT, JSON, max_size=4),
    TEXT.filter(str.strip),
    st.none() | st.floats(0, 1),
    st.binary(max_size=60),
)
def test_any_record_comes_back(
    tmp_path: Path,
    trial_id: str,
    result: dict[str, Any],
    instruction: str,
    reward: float | None,
    trace: bytes,
) -> None:
    trial = record(
        trial_id,
        outputs={"agent_result": result},
        inputs={"instruction": instruction},
        evaluation={"reward": reward},
    )
    with open_ledger(tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite") as ledger:
        ledger.add(trial, {"trace.jsonl": trace})
        stored = ledger.get(trial_id)
        with stored.files.open("trace.jsonl") as stream:
            assert stream.read() == trace
        assert (stored.record, stored.record_hash) == (trial, record_hash(trial))
        assert ledger.verify().ok
        assert ledger.list()[0].reward == reward
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


@given(
    st.lists(
        st.sampled_from(["..", ".", "a", "", "/", "\\", "C:", "~", "\0", "x.jsonl"]), max_size=5
    ).map("/".join)
)
def test_safe_names_stay_where_they_are(name: str) -> None:
    if is_safe_name(name):
        root = Path("/root/of/evidence")
        assert (root / name).resolve().is_relative_to(root)


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "a/../../b", "C:\\x", "a\\b", "", ".", "a//b", "a/", "x\ny"]
)
def test_evidence_names_that_lead_away_are_refused(tmp_path: Path, name: str) -> None:
    with (
        open_ledger(tmp_path) as ledger,
        pytest.raises(InputError, match="not a plain relative path"),
    ):
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


def replacing(trial_id: str, replaced: str, hash: str | None) -> TrialRecord:
    claim = {"trial_id": replaced, "record_hash": hash}
    return record(trial_id, outputs={"agent_result": {"supersedes": claim}})


def test_only_who_names_its_content_may_replace_a_record(tmp_path: Path) -> None:
    good = record("good")
    with open_ledger(tmp_path) as ledger:
        ledger.add(good)
        for wrong in (None, "0" * 64):
            with pytest.raises(Conflict, match="says that it replaces 'good', but names another"):
                ledger.add(replacing("thief", "good", wrong))
        assert [row.trial_id for row in ledger.list(Query(newest=True))] == ["good"]

        ledger.add(replacing("later", "good", record_hash(good)))
        assert [row.trial_id for row in ledger.list(Query(newest=True))] == ["later"]
        assert ledger.verify().ok


def test_a_claim_that_came_first_hides_no_other_record(tmp_path: Path) -> None:
    awaited = record("awaited")
    with open_ledger(tmp_path) as ledger:
        ledger.add(replacing("early", "awaited", record_hash(awaited)))
        ledger.add(replacing("squatter", "wanted", "0" * 64))
        ledger.add(awaited)
        with pytest.raises(Conflict, match="entry 2 says that it replaces trial 'wanted'"):
            ledger.add(record("wanted"))


def test_a_ledger_that_holds_a_false_claim_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LedgerStore, "_check_replacing", lambda store, new: None)
    with open_ledger(tmp_path) as ledger:
        ledger.add(record("good"))
        ledger.add(replacing("thief", "good", "0" * 64))
        problems = ledger.verify().problems
    assert [(problem.entry, problem.kind) for problem in problems] == [(2, "replaced")]


def test_complete_must_be_earned(tmp_path: Path) -> None:
    with (
        open_ledger(tmp_path) as ledger,
        pytest.raises(InputError, match="claims to be complete and is not"),
    ):
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
        "UPDATE entries SET body = '{}'",
        "DELETE FROM entries",
        "UPDATE trials SET reward = 1",
        "DELETE FROM trials",
        (
            "INSERT OR REPLACE INTO entries SELECT 1, kind, 'x', body, body_hash, evidence,"
            " added_at, 'p', 'h' FROM entries LIMIT 1"
        ),
        (
            "INSERT INTO entries SELECT 7, kind, 'x', body, body_hash, evidence, added_at, 'p', 'h'"
            " FROM entries LIMIT 1"
        ),
    ):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(sql)
    db.close()
    with open_ledger(tmp_path) as ledger:
        assert ledger.verify().ok


def test_what_is_no_ledger_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no ledger"):
        open_ledger(tmp_path / "none", create=False)
    (tmp_path / "text.sqlite").write_text(
        "not a database, but long enough to look like a file of its own " * 9
    )
    with pytest.raises(InputError, match=r"text\.sqlite"):
        open_ledger(tmp_path / "text.sqlite")
    other = sqlite3.connect(tmp_path / "newer.db")
    other.execute("PRAGMA user_version = 9")
    other.close()
    with pytest.raises(InputError, match="version 9"):
        open_ledger(tmp_path / "newer.db")


def test_a_folder_may_be_called_anything(tmp_path: Path) -> None:
    (tmp_path / "runs.db").mkdir()
    filled(tmp_path / "runs.db", 1).close()
    assert (tmp_path / "runs.db" / "ledger.sqlite").is_file()
    with open_ledger(tmp_path / "runs.db", create=False) as ledger:
        assert ledger.count() == 1


def test_an_unknown_trial_is_told(tmp_path: Path) -> None:
    with filled(tmp_path, 1) as ledger, pytest.raises(InputError, match="no trial 'nobody'"):
        ledger.get("nobody")


def test_the_start_of_an_id_is_enough_when_it_is_the_only_one(tmp_path: Path) -> None:
    with filled(tmp_path, 6) as ledger:
        ledger.add(record("other-1"))
        ledger.add(record("other-10"))
        assert [ledger.resolve(given) for given in ("trial-002", "other-1", "other-10")] == [
            "trial-002",
            "other-1",
            "other-10",
        ]
        ledger.add(record("lonely-7"))
        assert ledger.resolve("lone") == "lonely-7"
        with pytest.raises(
            InputError, match="'other' may be other-1 and other-10; give more of it"
        ):
            ledger.resolve("other")
        with pytest.raises(InputError, match="trial-001, trial-002, trial-003 and more"):
            ledger.resolve("trial")
        assert [ledger.resolve(given) for given in ("", "nobody", "rial-002")] == [
            "",
            "nobody",
            "rial-002",
        ]


# -- queries


def test_queries(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for i, (model, reward) in enumerate([("m1", 0.2), ("m2", None), ("m1", 1.0), ("m2", 0.7)]):
            ledger.add(
                record(
                    f"t{i}",
                    agent={"model": model},
                    evaluation={"reward": reward},
                    task={"task_id": f"area/{i % 2}_x"},
                    timestamp=f"2026-03-1{i}T10:00:00+02:00",
                    experiment_id=f"e{i // 2}",
                )
            )

        def ids(**asked: Any) -> list[str]:
            assert ledger.count(Query(**asked)) >= len(ledger.list(Query(**asked)))
            return [row.trial_id for row in ledger.list(Query(**asked))]

        assert ids() == ["t0", "t1", "t2", "t3"]
        assert ids(experiment="e1") == ["t2", "t3"]
        assert ids(model="m2") == ["t1", "t3"]
        assert ids(task_prefix="area/1_") == ["t1", "t3"]
        assert ids(task_prefix="area/%") == []
        assert ids(since=parse_day("2026-03-12")) == ["t2", "t3"]
        assert ids(until=parse_day("2026-03-11", end=True)) == ["t0", "t1"]
        assert ids(
            since=parse_day("2026-03-12T08:00:00Z"), until=parse_day("2026-03-12T08:00:01Z")
        ) == ["t2"]
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


def test_odd_figures_in_columns(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ledger.add(record("nul", task={"task_id": "a\0b"}))
        assert ledger.get("nul").record.task.task_id == "a\0b"
        assert ledger.list()[0].task_id == "a\ufffdb"
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


def test_nothing_is_made_before_something_is_added(tmp_path: Path) -> None:
    place = tmp_path / "new" / "l.sqlite"
    liar = parsed({**minimal(), "completeness": "complete"})
    with open_ledger(place) as ledger:
        verdict = ledger.verify()
        assert (verdict.ok, verdict.count, verdict.warnings) == (True, 0, [])
        assert (ledger.list(), ledger.count(), list(ledger.entries())) == ([], 0, [])
        with pytest.raises(InputError, match="claims to be complete"):
            ledger.add(liar)
        assert not place.parent.exists()
        ledger.add(record("trial-001"))
        assert sorted(f.name for f in place.parent.iterdir() if "sqlite-" not in f.name) == [
            "l.head.json",
            "l.lock",
            "l.sqlite",
        ]


def test_a_ledger_that_somebody_else_made_meanwhile_is_seen(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as waiting:
        assert waiting.count() == 0
        filled(tmp_path, 2).close()
        assert waiting.count() == 2
        assert waiting.add(record("trial-001")).duplicate
        assert waiting.verify().ok


@pytest.mark.parametrize("other", ["x.db", "x.sqlite3", "x"])
def test_ledgers_of_one_folder_share_nothing(tmp_path: Path, other: str) -> None:
    filled(tmp_path / "x.sqlite", 3).close()
    if other == "x":  # a file is a ledger whatever it is called
        filled(tmp_path / "y.sqlite", 1).close()
        (tmp_path / "y.sqlite").rename(tmp_path / other)
        (tmp_path / "y.blobs").rename(tmp_path / "x-blobs")
    filled(tmp_path / other, 2).close()
    for name, count in (("x.sqlite", 3), (other, 2)):
        with open_ledger(tmp_path / name, create=False) as ledger:
            verdict = ledger.verify()
            assert (verdict.ok, verdict.count, verdict.warnings) == (True, count, [])
