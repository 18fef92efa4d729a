"""Two operators decide; a retraction keeps the cards and says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agingbench.bench.leaderboard.check import check_board
from agingbench.bench.leaderboard.disputes import decide, open_dispute
from agingbench.bench.leaderboard.places import EntryPlace, read_retraction
from agingbench.bench.leaderboard.ranking import build_board
from agingbench.bench.leaderboard.submission import submit
from agingbench.errors import InputError
from tests.bench.leaderboard.conftest import PLACE, SUITE

GONE = EntryPlace(PLACE.track, PLACE.scenario, PLACE.key, retracted=True)


@pytest.fixture
def disputed(board: Path) -> Path:
    (board / "operators.json").write_text(json.dumps(["ann", "bob", "cyd", "ada"]))
    open_dispute(board, PLACE, "the seeds were chosen", "eve")
    return board


def test_one_operator_does_not_decide(disputed: Path) -> None:
    decided = decide(disputed, 1, "ann", "retract", "seen")
    assert decided.outcome is None
    assert PLACE.submission(disputed).exists()
    assert build_board(disputed).scenarios[0].entries[0].disputes == [1]


def test_two_operators_retract_and_nothing_is_deleted(
    disputed: Path, clean_board: Path, keeper: list[Path]
) -> None:
    decide(disputed, 1, "ann", "retract", "other seeds are worse")
    decide(disputed, 1, "bob", "keep", "not proven")
    decide(disputed, 1, "cyd", "retract", "I ran it too")
    retraction = read_retraction(GONE.retraction(disputed))
    assert retraction.operators == ["ann", "cyd"]
    assert retraction.reason == "other seeds are worse; I ran it too"
    for seed in range(3):
        kept = GONE.card(disputed, seed).read_bytes()
        assert kept == PLACE.card(clean_board, seed).read_bytes()
    assert check_board(disputed, SUITE).ok
    board = build_board(disputed)
    assert not board.scenarios
    assert board.retracted[0].key == "keeper"
    with pytest.raises(InputError, match="was retracted and stays on record"):
        submit(disputed, keeper, "keeper", "ada", suite=SUITE)
    with pytest.raises(InputError, match="is decided already"):
        decide(disputed, 1, "ada", "keep", "late")


def test_who_may_not_decide(disputed: Path) -> None:
    with pytest.raises(InputError, match="eve is no operator"):
        decide(disputed, 1, "eve", "retract", "mine")
    with pytest.raises(InputError, match="ada is a party"):
        decide(disputed, 1, "ada", "keep", "mine")
    decide(disputed, 1, "ann", "retract", "seen")
    with pytest.raises(InputError, match="ann has decided already"):
        decide(disputed, 1, "ann", "retract", "again")


def test_a_retraction_without_two_operators_is_refused(disputed: Path) -> None:
    decide(disputed, 1, "ann", "retract", "seen")
    decide(disputed, 1, "bob", "retract", "seen")
    file = disputed / "_disputes" / "1.json"
    dispute = json.loads(file.read_bytes())
    dispute["rulings"].pop()
    file.write_text(json.dumps(dispute))
    problems = check_board(disputed, SUITE).problems
    assert [problem.rule for problem in problems] == ["retraction"]
    assert "was not decided by two operators" in problems[0].reason
    GONE.retraction(disputed).unlink()
    problems = check_board(disputed, SUITE).problems
    assert "without its reason" in problems[0].reason


def test_nobody_makes_himself_an_operator(disputed: Path, clean_board: Path) -> None:
    decide(disputed, 1, "ann", "keep", "fine")
    problems = check_board(disputed, SUITE, base=clean_board).problems
    found = [(problem.rule, problem.reason) for problem in problems]
    assert found == [("dispute", "decided by ann, who is no operator")]
