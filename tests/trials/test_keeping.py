"""Sealing, reviews, ranking and export: new records beside old ones, pinned words, and nothing
private let out.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.traces.foreign_trial import slug
from agingbench.trials.columns import TrialRow
from agingbench.trials.inspect.export import export
from agingbench.trials.inspect.ranking import rank_trials
from agingbench.trials.inspect.reviews import (
    Classification,
    add_classification,
    add_review,
    reviewer_agreement,
    reviews,
)
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import ID_PATTERN
from agingbench.trials.sealing import read_inputs, seal
from agingbench.trials.stores import base as store
from tests.places import ROOT
from tests.trials.making import filled, record
from tests.trials.stores.harm import opened

PLAN = b'{"sessions":[]}'
TRACE = b'{"step": 0, "role": "user", "content": "go"}\n'


def partial(trial_id: str, reward: float | None = 0.5) -> tuple[object, dict[str, bytes]]:
    outputs = {"trajectory_path": "trace.jsonl"}
    return record(trial_id, outputs=outputs, evaluation={"reward": reward}), {"trace.jsonl": TRACE}


def test_sealing_writes_a_new_record_that_names_the_old_one(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        before = ledger.add(
            record("t", outputs={"trajectory_path": "trace.jsonl"}), {"trace.jsonl": TRACE}
        )
        with pytest.raises(
            InputError, match=r"cannot be sealed: agent\.adapter_revision is missing"
        ):
            seal(ledger, "t")
        sealed, added = seal(
            ledger,
            "t",
            adapter_revision="1.0",
            tool_versions={"python": "3.11"},
            inputs={"plan.json": PLAN},
            task_file="plan.json",
        )
        assert (sealed.trial_id, sealed.completeness, added.number) == ("t.sealed", "complete", 2)
        assert sealed.task.task_revision == hashlib.sha256(PLAN).hexdigest()
        assert sealed.outputs.agent_result is not None
        assert sealed.outputs.agent_result["supersedes"] == {
            "trial_id": "t",
            "record_hash": before.record_hash,
        }
        assert ledger.get("t").record.completeness == "partial"
        old, new = ledger.list()
        assert (old.superseded_by, new.supersedes) == ("t.sealed", "t")
        with pytest.raises(InputError, match="complete already"):
            seal(ledger, "t.sealed")
        with pytest.raises(InputError, match="give the file as an input too"):
            seal(ledger, "t", task_file="other.json")
        assert ledger.verify().ok


def test_inputs_to_seal_with_are_named_plainly(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(PLAN)
    assert read_inputs([tmp_path / "plan.json"]) == {"plan.json": PLAN}
    with pytest.raises(InputError, match="used twice"):
        read_inputs([tmp_path / "plan.json", tmp_path / "plan.json"])
    with pytest.raises(InputError, match="cannot read"):
        read_inputs([tmp_path / "none.json"])


def test_ranking_uses_complete_records_and_says_what_it_left_out(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for i, reward in enumerate([0.2, 0.6, None]):
            trial, files = partial(f"t{i}", reward)
            ledger.add(trial, files)  # type: ignore[arg-type]
        for i in range(3):
            seal(
                ledger,
                f"t{i}",
                adapter_revision="1",
                tool_versions={"x": "1"},
                inputs={"plan.json": PLAN},
                task_file="plan.json",
            )
        ledger.add(record("left-partial"))
        told = rank_trials(ledger, Query())
    assert told.used == 2
    assert told.ranking[0].reward == pytest.approx(0.4)
    assert told.ranking[0].reward_n == 2
    assert told.left_out == {
        "not evaluated": 1,
        "partial record": 1,
        "superseded by a later record": 3,
    }


def test_reviews_are_pinned_and_never_overwritten(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        hashed = ledger.add(record("t")).record_hash
        add_review(ledger, "t", "ana", "fail", ["units", "units"], "wrong unit", hashed)
        add_review(ledger, "t", "ana", "pass")
        found = list(reviews(ledger, "t"))
        assert [r.judgment for r in found] == ["fail", "pass"]
        assert {r.record_hash for r in found} == {hashed}
        assert found[0].categories == ["units"]
        for reviewer, judgment, pinned, reason in [
            ("ana", "maybe", None, "none of pass, fail, defer"),
            ("", "pass", None, "not a plain name"),
            ("ana", "pass", "0" * 64, "has the record hash"),
        ]:
            with pytest.raises(InputError, match=reason):
                add_review(ledger, "t", reviewer, judgment, record_hash=pinned)
        with pytest.raises(InputError, match="no trial"):
            add_review(ledger, "nobody", "ana", "pass")
        assert ledger.verify().ok


def test_agreement_is_corrected_for_chance(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        for i in range(10):
            ledger.add(record(f"t{i}", experiment_id="a" if i < 8 else "b"))
            add_review(ledger, f"t{i}", "ana", "pass" if i < 5 else "fail")
            add_review(ledger, f"t{i}", "bo", "pass" if i in (0, 1, 2, 3, 9) else "fail")
        add_review(ledger, "t0", "cy", "pass")
        pairs = {tuple(p.reviewers): p for p in reviewer_agreement(ledger)}
        both = pairs["ana", "bo"]
        assert (both.n, both.agreement) == (10, 0.8)
        assert both.kappa == pytest.approx(0.6)
        low, high = both.kappa_ci
        assert low is not None
        assert high is not None
        assert low < 0.6 < high
        lonely = pairs["ana", "cy"]
        assert (lonely.kappa, lonely.n) == (None, 1)
        assert lonely.reason
        assert reviewer_agreement(ledger, "a")[0].n == 8


def test_classifications_are_kept(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        hashed = ledger.add(record("t")).record_hash
        classification = Classification(
            classifier="m",
            labels="EV",
            prompt_hash="p",
            record_hash=hashed,
            timestamp="2026-03-13T10:00:00Z",
            trial_id="t",
        )
        assert not add_classification(ledger, classification).duplicate
        assert add_classification(ledger, classification).duplicate
        assert ledger.verify().ok


SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"


def test_an_export_keeps_the_order_over_pages_and_hides_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE", 2)
    query = Query(sort="trial_id", descending=True, limit=5)
    target = tmp_path / "out.jsonl"
    filled(tmp_path, 6).close()
    with open_ledger(tmp_path) as ledger:
        assert export(ledger, query, target) == 5
    ids = [json.loads(line)["trial_id"] for line in target.read_text().splitlines()]
    assert ids == [f"trial-00{n}" for n in (6, 5, 4, 3, 2)]
    before = target.read_bytes()
    db = opened(tmp_path)
    db.execute("DELETE FROM entries WHERE number = 3")
    db.close()
    with open_ledger(tmp_path) as ledger, pytest.raises(InputError, match="entry 3 is gone"):
        export(ledger, query, target)
    assert target.read_bytes() == before


def test_exports_are_scrubbed_and_whole(tmp_path: Path) -> None:
    import duckdb

    with open_ledger(tmp_path / "l") as ledger:
        for i in range(3):
            inputs = {"instruction": f"Mail ann@example.com, key {SECRET}"}
            evaluation = {"reward": [0.1, None, 1.0][i]}
            ledger.add(
                record(
                    f"t{i}",
                    inputs=inputs,
                    task={"task_id": "for bob@example.org"},
                    evaluation=evaluation,
                )
            )
        assert export(ledger, Query(), tmp_path / "out.jsonl") == 3
        assert export(ledger, Query(min_reward=0.5), tmp_path / "out.parquet") == 1
        assert export(ledger, Query(experiment="none"), tmp_path / "none.parquet") == 0
        with pytest.raises(InputError, match=r"\.csv or \.parquet"):
            export(ledger, Query(), tmp_path / "out.txt")
        raw = ledger.get("t0").record.inputs.instruction
    assert SECRET in raw  # the evidence itself is kept as it was
    text = (tmp_path / "out.jsonl").read_text()
    assert SECRET not in text
    assert "ann@example.com" not in text
    rows = [json.loads(line) for line in text.splitlines()]
    assert [r["trial_id"] for r in rows] == ["t0", "t1", "t2"]
    assert [r["record"]["evaluation"]["reward"] for r in rows] == [0.1, None, 1.0]
    with duckdb.connect() as db:
        found = db.execute(
            "SELECT trial_id, reward, task_id FROM read_parquet(?)", [str(tmp_path / "out.parquet")]
        )
        (row,) = found.fetchall()
        assert row[:2] == ("t2", 1.0)
        assert "bob@example.org" not in row[2]
        found = db.execute("SELECT count(*) FROM read_parquet(?)", [str(tmp_path / "none.parquet")])
        assert found.fetchall() == [(0,)]
        told = db.execute(
            "DESCRIBE SELECT * FROM read_parquet(?)", [str(tmp_path / "out.parquet")]
        ).fetchall()
    page = (ROOT / "docs" / "trials.md").read_text()
    columns = page[page.index("The columns are") : page.index("what was not measured is null")]
    assert (
        [row[0] for row in told]
        == re.findall(r"`(\w+)`", columns)
        == list(TrialRow.__struct_fields__)
    )
    assert {f.stat().st_mode & 0o777 for f in tmp_path.glob("out.*")} == {0o600}


@pytest.mark.parametrize("text", ["", "a/b c", "../../x", "é", "." * 300, "x" * 500, "--plain"])
def test_slugs_are_parts_of_ids(text: str) -> None:
    made = slug(text)
    assert len(made) <= 120
    assert not made or re.fullmatch(ID_PATTERN, made)
