"""Lives held to their limits: calls at once, money, and what is said of both beforehand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.actions import Action
from agingbench.bench.life.budget import Budget
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Endpoints, Resources, Slots
from agingbench.bench.life.planning import load_scenario
from agingbench.bench.life.signals import Signals
from agingbench.bench.life.system import Sut
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.dry_run import check_prices, dry_run
from agingbench.bench.studies.estimates import total as summed
from agingbench.bench.studies.runner import run_study
from agingbench.errors import InputError
from agingbench.records import Usage
from tests.bench.lives import run_life
from tests.bench.studies.studies import Counting, hashes, served_by
from tests.models.stub_server import StubServer


@pytest.mark.usefixtures("prices")
def test_all_lives_share_one_limit_per_endpoint(tmp_path: Path) -> None:
    stub = Counting(0.01)
    with StubServer(stub) as server:
        cells = served_by(server, 4)
        outcomes = run_study(cells, tmp_path, Resources(Endpoints(3), cache=tmp_path / ".cache"))
        assert stub.most == 3
        asked = stub.served
        assert sum(outcome.calls for outcome in outcomes) == asked
        again = run_study(
            cells, tmp_path / "other", Resources(Endpoints(3), cache=tmp_path / ".cache")
        )
        assert stub.served == asked, "the cache answers, and takes no slot"
    assert hashes(outcomes) == hashes(again)


@pytest.mark.usefixtures("prices")
def test_one_failed_life_does_not_stop_the_others_and_goes_on_later(tmp_path: Path) -> None:
    stub = Counting()
    with StubServer(stub) as server:
        cells = served_by(server)
        # Tasks and probes that fail are data; a write that fails stops the life.
        stub.broken = json.dumps(cells[1].plan().sessions[0].material.split("\n")[0])[1:-1]
        first = run_study(cells, tmp_path, Resources(Endpoints(4)))
        assert [outcome.error is None for outcome in first] == [True, False, True]
        assert "status 500" in str(first[1].error)
        stub.broken = None
        before = stub.served
        second = run_study(cells, tmp_path, Resources(Endpoints(4)))
    assert hashes(second)
    assert [outcome.calls for outcome in second][::2] == [0, 0]
    assert stub.served - before == second[1].calls > 0


@pytest.mark.usefixtures("prices")
def test_money_stops_lives_and_more_money_continues_them(tmp_path: Path) -> None:
    with StubServer(Counting()) as server:
        cells = served_by(server, 3)
        check_prices(cells)
        wanted = run_study(cells, tmp_path / "free", Resources(Endpoints(4)))
        free = Resources(Endpoints(4), Budget())
        run_study(cells, tmp_path / "counted", free)
        limit = free.budget.spent / 2
        tight = Resources(Endpoints(4), Budget(limit))
        stopped = run_study(cells, tmp_path / "tight", tight, workers=1)
        assert tight.budget.reached
        assert any("--max-cost" in str(outcome.error) for outcome in stopped)
        assert tight.budget.spent <= limit
        finished = run_study(
            cells, tmp_path / "tight", Resources(Endpoints(4), Budget(100.0)), workers=1
        )
    assert hashes(finished) == hashes(wanted)


def test_money_cannot_be_held_without_a_price() -> None:
    cell = Cell(
        "s2", Sut(model="openai:nobody-knows", model_options={"base_url": "http://127.0.0.1:9"}), 2
    )
    with pytest.raises(InputError, match="no price for openai:nobody-knows"):
        check_prices([cell])
    check_prices([Cell("s2", Sut(), 2)])


def test_slots_go_to_the_smallest_rank() -> None:
    slots = Slots(1)
    order = []
    threads = []

    def want(rank: int) -> None:
        with slots.slot((rank, 0)):
            order.append(rank)

    with slots.slot((0, 0)):
        for rank in (3, 1, 2):
            threads.append(threading.Thread(target=want, args=(rank,)))
            threads[-1].start()
            while len(slots._waiting) < len(threads):
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == [1, 2, 3]


# -- estimates


@pytest.mark.parametrize("memory", ["lossy_compress", "append_only", "no_memory"])
def test_the_estimate_of_the_embedded_reader_is_exact(tmp_path: Path, memory: str) -> None:
    cell = Cell("s2", Sut(memory=memory), 3, "light")
    units = Life(cell.plan(), load_scenario("s2"), cell.sut).estimate()
    assert len(units) == 4
    _, card = run_life(cell.plan(), cell.sut, tmp_path)
    cost = card["cost_and_efficiency"]
    took = summed(units)
    assert (took.calls, took.input_tokens, took.output_tokens) == (
        cost["total_calls"],
        cost["total_input_tokens"],
        cost["total_output_tokens"],
    )
    ((_, left),) = dry_run([cell], tmp_path)
    assert left.calls == 0


def test_the_formula_is_near_what_the_embedded_reader_takes() -> None:
    plan = Cell("s2", Sut(), 6).plan()
    scenario = load_scenario("s2")
    exact = summed(Life(plan, scenario, Sut(memory="careful_compress")).estimate())
    remote = Sut(memory="careful_compress", model="openai:gpt-4.1-mini")
    guess = summed(Life(plan, scenario, remote).estimate())
    assert guess.calls == exact.calls, "one tool call a task"
    assert exact.input_tokens is not None
    assert guess.input_tokens is not None
    assert 0.5 < guess.input_tokens / exact.input_tokens < 2.5


def foreseen(
    sut: Sut, *, events: tuple[str, ...] = (), worst_case: bool = False, **dials: float
) -> list[Usage]:
    """The estimate of a life of four sessions with a hosted model."""
    cell = Cell("s2", sut, 4, "light", tuple(dials.items()), events)
    return Life(cell.plan(), load_scenario("s2"), cell.sut).estimate(worst_case=worst_case)


def hosted(**parts: Any) -> Sut:
    return Sut(**{"model": "openai:gpt-4.1-mini", "memory": "careful_compress", **parts})


def more(units: list[Usage], than: list[Usage]) -> list[tuple[int, int]]:
    """By how many calls and tokens each unit of one estimate exceeds that of another."""
    return [
        (a.calls - b.calls, (a.input_tokens or 0) - (b.input_tokens or 0))
        for a, b in zip(units, than, strict=True)
    ]


def test_an_estimate_foresees_what_a_controller_may_do_once() -> None:
    plain = foreseen(hosted())
    retro = foreseen(hosted(controller="aggressive_retro"))
    added = more(retro, plain)
    assert [calls for calls, _ in added] == [0, 1, 0, 0, 0], (
        "one compaction, in the first unit that can have it"
    )
    assert added[1][1] > 100
    set_aside = more(foreseen(hosted(controller="aggressive_retro"), worst_case=True), plain)
    assert [calls for calls, _ in set_aside] == [0, 1, 1, 1, 0], "it may come in any of them"
    summaries = more(
        foreseen(hosted(controller="aggressive_retro", memory="lossy_episodic")),
        foreseen(hosted(memory="lossy_episodic")),
    )
    assert [calls for calls, _ in summaries] == [0, 2, 0, 0, 0], "each session's summary by itself"


def test_an_estimate_foresees_what_holds_from_an_action_on() -> None:
    plain = foreseen(hosted(), sentinels=1)
    always = foreseen(hosted(controller="always_on"), sentinels=1)
    assert [calls for calls, _ in more(always, plain)] == [0] * 5
    tokens = [tokens for _, tokens in more(always, plain)]
    assert tokens[0] == 0, "nothing is told yet"
    assert all(n > 0 for n in tokens[1:]), "typed values stand in every prompt"
    assert foreseen(hosted(controller="always_on")) == foreseen(hosted()), (
        "without sentinels there is nothing to show"
    )
    named = "tests.bench.life.test_limits:Wider"
    wider = more(
        foreseen(hosted(memory="append_only", controller=named)),
        foreseen(hosted(memory="append_only")),
    )
    assert wider[0] == wider[1] == (0, 0), "after session 1 at the earliest"
    assert all(calls == 0 and tokens > 0 for calls, tokens in wider[2:])


class Wider:
    """A controller of one's own that reads more, and has the agent look twice."""

    monitor = "gold_free"
    warmup = 1
    may = (Action("set_top_k", {"k": 20}), Action("force_reread"))

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        return list(self.may)


def test_an_estimate_foresees_events_that_compact() -> None:
    plain = foreseen(hosted())
    assert [calls for calls, _ in more(foreseen(hosted(), events=("recompact@2",)), plain)] == [
        0,
        0,
        1,
        0,
        0,
    ]
    assert more(foreseen(hosted(), events=("flush_history@2",)), plain) == [(0, 0)] * 5
    log = hosted(memory="growing_history")
    again = more(foreseen(log, events=("partial_reset@3",)), foreseen(log))
    assert [calls for calls, _ in again] == [0, 0, 0, 1, 0]
    written = more(foreseen(log), foreseen(hosted(memory="summarize_store")))
    assert [calls for calls, _ in written] == [0] * 5
    assert [tokens for _, tokens in written][:4] == sorted(tokens for _, tokens in written[:4]), (
        "the log grows"
    )
    assert written[3][1] > written[1][1] > 0


@pytest.mark.usefixtures("prices")
def test_money_holds_with_a_controller_that_may_compact(tmp_path: Path) -> None:
    with StubServer(Counting()) as server:
        cells = [
            replace(c, sut=c.sut.model_copy(update={"controller": "aggressive_retro"}))
            for c in served_by(server)
        ]
        free = Resources(Endpoints(4), Budget())
        wanted = run_study(cells, tmp_path / "free", free)
        assert any(
            "recompact" in str(outcome.card and outcome.card.document()["control"])
            for outcome in wanted
        )
        tight = Resources(Endpoints(4), Budget(free.budget.spent / 2))
        run_study(cells, tmp_path / "tight", tight, workers=1)
        assert tight.budget.reached
        assert tight.budget.spent <= free.budget.spent / 2
        finished = run_study(
            cells, tmp_path / "tight", Resources(Endpoints(4), Budget(100.0)), workers=1
        )
    assert hashes(finished) == hashes(wanted)
