"""A study whose lives are sent to workers and back: the same cards, one budget, nothing lost."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.budget import Budget
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.studies import elsewhere
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import run_study
from tests.bench.studies.studies import Counting, hashes, served_by, study
from tests.engines.jobs import Elsewhere
from tests.models.stub_server import StubServer

SMALL = """
scenarios: [s2]
sessions: 2
memories: [careful_compress]
pressures: [light]
events: [none, [flush_history@1]]
seeds: 1
"""


# Per call the stub says 1000 tokens in and 100 out.
PRICE = 1000 * 0.4e-6 + 100 * 1.6e-6


def priced(server: StubServer, seeds: int, sessions: int) -> list[Cell]:
    cells = served_by(server, seeds, sessions)
    sut = cells[0].sut.model_copy(update={"model": "openai:gpt-4.1-mini"})
    return [replace(cell, sut=sut) for cell in cells]


def test_the_cards_are_those_of_the_local_engine(tmp_path: Path) -> None:
    cells = study(tmp_path, SMALL)
    expected = hashes(run_study(cells, tmp_path / "here", Resources(), workers=1))
    with Elsewhere(2) as engine:
        results = run_study(cells, tmp_path / "there", Resources(), engine=engine)
        assert hashes(results) == expected
        again = run_study(cells, tmp_path / "there", Resources(), engine=engine)
    assert hashes(again) == expected
    assert all(result.path.is_relative_to(tmp_path / "there") for result in results)


def test_a_cap_and_the_calls_at_once_hold_over_all_lives(tmp_path: Path) -> None:
    counting = Counting(wait=0.01)
    with StubServer(counting) as server, Elsewhere(4) as engine:
        cells = priced(server, seeds=3, sessions=1)
        cap = 30 * PRICE
        resources = Resources(Endpoints(2), Budget(cap, tmp_path))
        results = run_study(cells, tmp_path, resources, workers=3, engine=engine)
    assert counting.most <= 2
    assert any(result.incomplete for result in results)
    assert resources.budget.reached
    assert 0 < counting.served * PRICE <= cap
    assert resources.budget.spent == pytest.approx(counting.served * PRICE)


def test_what_is_incomplete_comes_back_and_goes_on(tmp_path: Path) -> None:
    with StubServer(Counting()) as server:
        cells = priced(server, seeds=1, sessions=2)
        expected = hashes(run_study(cells, tmp_path / "whole", Resources()))
        with Elsewhere(1) as engine:
            little = Resources(budget=Budget(30 * PRICE, tmp_path / "out"))
            (part,) = run_study(cells, tmp_path / "out", little, engine=engine)
            assert part.incomplete
            assert part.path.exists()
            (end,) = run_study(cells, tmp_path / "out", Resources(), engine=engine)
    assert hashes([end]) == expected


def test_an_error_in_a_worker_stops_its_life_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = study(tmp_path, SMALL.replace("[none, [flush_history@1]]", "[none]"))

    def broken(*words: Any) -> Any:
        raise RuntimeError("no room")

    with Elsewhere(1) as engine:
        monkeypatch.setattr(elsewhere, "pack", broken)
        (result,) = run_study(cells, tmp_path / "out", Resources(), engine=engine)
    assert result.status == "stopped"
    assert "no room" in str(result.error)


def test_a_stop_reaches_lives_elsewhere(tmp_path: Path) -> None:
    begun = threading.Event()

    class Interrupting(Counting):
        def __call__(self, path: str, body: Any) -> Any:
            begun.set()
            return super().__call__(path, body)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with StubServer(Interrupting(wait=0.02)) as server:
        cells = served_by(server, seeds=3, sessions=3)
        with pytest.raises(KeyboardInterrupt), Elsewhere(3) as engine:
            run_study(cells, tmp_path, Resources(), workers=3, engine=engine, tell=interrupt)
    assert begun.is_set()
