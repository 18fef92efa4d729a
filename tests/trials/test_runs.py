"""Lives in a ledger: added once, scored again, lived again."""

from __future__ import annotations

from pathlib import Path

from agingbench.trials.ledger import open_ledger
from agingbench.trials.record import write_trial
from agingbench.trials.runs import add_life, ledger_place
from tests.trials.making import record


def life(folder: Path, reward: float, trace: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "memory").mkdir(exist_ok=True)
    (folder / "memory" / "0.json").write_text('{"t": 0}')
    (folder / "trace.jsonl").write_text(f'{{"step": 0, "role": "user", "content": "{trace}"}}\n')
    trial = record(
        "life", outputs={"trajectory_path": "trace.jsonl"}, evaluation={"reward": reward}
    )
    write_trial(trial, folder / "trial.json")
    return folder


def test_where_the_ledger_is(tmp_path: Path) -> None:
    assert ledger_place(None, tmp_path) == str(tmp_path / "ledger.sqlite")
    assert ledger_place("none", tmp_path) is None
    assert ledger_place("postgresql://x/y", tmp_path) == "postgresql://x/y"
    assert add_life(None, tmp_path) is None


def test_a_life_is_added_once_with_its_trace_and_snapshots(tmp_path: Path) -> None:
    place = str(tmp_path / "l.sqlite")
    for _ in range(2):
        assert add_life(place, life(tmp_path / "run", 0.5, "a")) is not None
    with open_ledger(place) as ledger:
        assert [r.trial_id for r in ledger.list()] == ["life"]
        assert set(ledger.get("life").entry.blobs()) == {"trace.jsonl", "memory/0.json"}


def test_a_life_scored_again_stands_in_for_the_first_and_one_lived_again_does_not(
    tmp_path: Path,
) -> None:
    place = str(tmp_path / "l.sqlite")
    add_life(place, life(tmp_path / "run", 0.5, "a"))
    for _ in range(2):
        add_life(place, life(tmp_path / "run", 0.6, "a"))
        add_life(place, life(tmp_path / "other", 0.7, "b"))
    with open_ledger(place) as ledger:
        rows = ledger.list()
        assert [r.reward for r in rows] == [0.5, 0.6, 0.7]
        assert [r.supersedes for r in rows] == [None, "life", None]
        assert ledger.verify().ok
        add_life(place, life(tmp_path / "run", 0.65, "a"))
        assert ledger.list()[3].supersedes == rows[1].trial_id
        assert ledger.list()[1].superseded_by == ledger.list()[3].trial_id
        told = ledger.get(rows[2].trial_id).record.outputs.agent_result
        assert told is not None
        assert told["written_as"]["trial_id"] == "life"
