"""Short lives of two systems, once for all tests, and a leaderboard that holds one of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agingbench.bench.leaderboard.places import EntryPlace
from agingbench.bench.leaderboard.submission import submit
from agingbench.bench.leaderboard.suite import BoardSuite
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import run_study
from agingbench.trials.declarations import Declarations

SUITE = BoardSuite(sessions=2, preset="light")
SCENARIO = "s2_lifestyle_assistant"
NOTHING = Declarations(fork_disclosed=False, conflict_of_interest=False)
PLACE = EntryPlace("model", SCENARIO, "keeper")


def live(out: Path, memory: str, **options: object) -> list[Path]:
    """The run folders of three seeds of a system."""
    choices = {"declares": NOTHING, **options}
    cells = [Cell("s2", Sut(memory=memory), 2, "light", seed=seed, **choices) for seed in range(3)]  # type: ignore[arg-type]
    return [outcome.path for outcome in run_study(cells, out, Resources(), workers=1)]


@pytest.fixture(scope="session")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three lives of a memory that keeps everything."""
    return live(tmp_path_factory.mktemp("keeper"), "append_only")


@pytest.fixture(scope="session")
def loser(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three lives of a memory that loses much."""
    return live(tmp_path_factory.mktemp("loser"), "lossy_compress")


@pytest.fixture(scope="session")
def clean_board(keeper: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A leaderboard with one entry; not to be changed."""
    root = tmp_path_factory.mktemp("board")
    submit(root, keeper, "keeper", "ada", suite=SUITE)
    return root


@pytest.fixture
def board(clean_board: Path, tmp_path: Path) -> Path:
    """A copy of that leaderboard, to be changed."""
    return Path(shutil.copytree(clean_board, tmp_path / "board"))
