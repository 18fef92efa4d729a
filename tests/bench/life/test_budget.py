"""A spending cap holds: over workers, over starts, over processes that were killed."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.budget import JOURNAL, Budget, BudgetReached, Entry, SpendingJournal
from agingbench.bench.life.limits import Endpoints, ReservedModel, Resources, most_tokens
from agingbench.bench.studies.runner import run_study
from agingbench.errors import TransportError
from agingbench.models.openai_chat import OpenAIChat
from agingbench.models.scripted import Scripted
from agingbench.records import Message, Reply, Tool, Usage
from tests.bench.studies.studies import served_by
from tests.models.stub_server import Behaviour, Fails, HangsUp, Says, StubServer

ASK = (Message("user", "Hi"),)
USD = {"input": 1e-6, "output": 10e-6}  # per token, as in the prices of these tests


class Meter:
    """A server that counts by itself what its calls cost."""

    def __init__(self, output_tokens: int = 1000, wait: float = 0.0) -> None:
        self.output_tokens = output_tokens
        self.wait = wait
        self.cost = 0.0
        self.lock = threading.Lock()

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        tokens_in = len(json.dumps(body["messages"])) // 3
        limit = body["max_tokens"]
        tokens_out = min(limit, self.output_tokens)
        with self.lock:
            self.cost += tokens_in * USD["input"] + tokens_out * USD["output"]
        time.sleep(self.wait)
        said = Says("It is $250.", input_tokens=tokens_in, output_tokens=tokens_out)
        return 200, said.openai(body)


@pytest.mark.usefixtures("prices")
@pytest.mark.parametrize("cap", [0.05, 0.4])
def test_thirty_two_workers_never_go_above_the_cap_over_three_starts(
    tmp_path: Path, cap: float
) -> None:
    meter = Meter(wait=0.005)
    with StubServer(meter) as server:
        cells = served_by(server, seeds=8, sessions=3)
        costs = []
        for _ in range(3):
            resources = Resources(Endpoints(32), Budget(cap, tmp_path))
            results = run_study(cells, tmp_path, resources, workers=8)
            assert meter.cost <= cap
            costs.append(meter.cost)
        assert any("--max-cost" in (result.error or "") for result in results)
        assert costs[-1] > 0.5 * cap, "most of the money can be used"
        assert SpendingJournal(tmp_path / JOURNAL).total() == pytest.approx(meter.cost)


def test_what_was_under_way_when_a_process_was_killed_counts_as_spent(tmp_path: Path) -> None:
    killed = Budget(1.0, tmp_path)
    killed.settle(killed.reserve(0.4), 0.3)
    killed.reserve(0.5)
    again = Budget(1.0, tmp_path)
    with pytest.raises(BudgetReached, match=r"\$0\.8 spent in .*all starts together"):
        again.reserve(0.3)
    assert Budget(1.2, tmp_path).reserve(0.3)


def test_two_processes_share_one_cap(tmp_path: Path) -> None:
    one = Budget(1.0, tmp_path)
    other = Budget(1.0, tmp_path)
    one.settle(one.reserve(0.6), 0.6)
    with pytest.raises(BudgetReached):
        other.reserve(0.6)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    journal = SpendingJournal(tmp_path / JOURNAL)
    journal.write(Entry("a", 0.5))
    with journal.path.open("ab") as file:
        file.write(b'{"id":"a","us')
    assert SpendingJournal(journal.path).total() == 0.5
    journal.write(Entry("b", 0.25))
    assert SpendingJournal(journal.path).total() >= 0.5


def test_a_call_waits_for_money_that_comes_back() -> None:
    budget = Budget(1.0)
    first = budget.reserve(0.9)
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(budget.reserve, 0.9)
        time.sleep(0.05)
        assert not second.done()
        budget.settle(first, 0.1)
        budget.settle(second.result(10), 0.2)
    assert budget.spent == pytest.approx(0.3)
    assert not budget.reached


def test_a_session_that_does_not_fit_is_not_begun() -> None:
    budget = Budget(1.0)
    budget.foresee(0.6)
    with pytest.raises(BudgetReached, match="next session"):
        budget.foresee(0.6)
    assert budget.reached


def test_calls_dearer_than_their_worst_case_make_the_next_reservations_larger() -> None:
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.1), 0.3)
    with pytest.raises(BudgetReached):
        budget.reserve(0.3)


def test_no_request_is_longer_in_tokens_than_in_bytes() -> None:
    tool = Tool("look", "Look.", {"type": "object"}, lambda arguments: "")
    messages = [Message("user", "ä" * 100), Message("assistant", "x" * 50)]
    assert most_tokens(messages, [tool]) > 250
    assert most_tokens(messages, [tool]) > most_tokens(messages, []) > most_tokens([], [])


# -- what one call costs


def cost_of(*script: Behaviour, **options: Any) -> float:
    """What the budget holds as spent after one call."""
    budget = Budget(1.0)
    settings = {"max_retries": 2, **options}
    with StubServer(script) as server:
        model = ReservedModel(OpenAIChat("stub", server.openai_url, **settings), budget)
        try:
            model.complete(ASK, max_tokens=1000)
        except TransportError:
            pass
        finally:
            model.model.close()
    assert not budget._open
    return budget.spent


WORST = 0.01  # 1,000 output tokens, and hardly any input


@pytest.mark.usefixtures("prices")
def test_what_counts_as_paid() -> None:
    paid = Says("Here.", input_tokens=10, output_tokens=5)
    exact = 10 * USD["input"] + 5 * USD["output"]
    assert cost_of(paid) == pytest.approx(exact)
    assert cost_of(Fails(429), Fails(503), paid) == pytest.approx(exact), "errors cost nothing"
    assert cost_of(Fails(503), max_retries=0) == 0
    assert cost_of(HangsUp(), paid) == pytest.approx(WORST + exact, rel=0.2), "it may be paid for"
    assert cost_of(HangsUp(), max_retries=0) == pytest.approx(WORST, rel=0.2)


@pytest.mark.usefixtures("prices")
def test_a_server_that_is_not_there_costs_nothing() -> None:
    budget = Budget(1.0)
    model = OpenAIChat("stub", "http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(TransportError):
        ReservedModel(model, budget).complete(ASK)
    assert budget.spent == 0


@pytest.mark.usefixtures("prices")
def test_a_call_without_usage_is_charged_its_worst_case() -> None:
    budget = Budget(1.0)
    unknown = Scripted(lambda messages, tools: Reply("x", usage=Usage(calls=1)), name="own:stub")
    ReservedModel(unknown, budget).complete(ASK, max_tokens=1000)
    assert budget.spent == pytest.approx(WORST, rel=0.2)
