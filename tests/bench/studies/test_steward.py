"""A steward holds lives of other machines to one budget and one limit, and lost ones let go."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.limits import Stopped
from agingbench.bench.studies.steward import DistantLimits, Steward
from agingbench.engines.local import LocalService
from agingbench.records import Reply


def steward(tmp_path: Path, most: float | None = 1.0, at_once: int = 1) -> Steward:
    return Steward(most, tmp_path, at_once, tmp_path / "cache")


def test_reservations_of_all_owners_share_the_money(tmp_path: Path) -> None:
    service = steward(tmp_path)
    first = service.reserve("a", 0.6)
    service.settle("a", first, 0.5)
    service.reserve("b", 0.4)
    with pytest.raises(BudgetReached):
        service.reserve("a", 0.6)
    assert service.figures().reached is True
    assert service.figures().spent == 0.5


def test_what_a_lost_worker_reserved_counts_as_spent_and_frees_who_waits(tmp_path: Path) -> None:
    service = steward(tmp_path)
    service.reserve("lost", 0.7)
    answers: list[str] = []

    def wait() -> None:
        try:
            service.reserve("other", 0.5)
        except BudgetReached:
            answers.append("reached")

    waiting = threading.Thread(target=wait)
    waiting.start()
    service.abandon("lost")
    waiting.join(10)
    assert answers == ["reached"]
    assert service.figures().spent == pytest.approx(0.7)
    with pytest.raises(Stopped):
        service.reserve("lost", 0.1)  # it comes too late
    assert service.budget.reserve(0.25)


def test_a_slot_of_a_lost_worker_is_free_again(tmp_path: Path) -> None:
    service = steward(tmp_path)
    service.enter("lost", "openai", (0, 0))
    tickets: list[str] = []
    waiting = threading.Thread(
        target=lambda: tickets.append(service.enter("other", "openai", (0, 0)))
    )
    waiting.start()
    assert not tickets
    service.abandon("lost")
    waiting.join(10)
    service.leave("other", tickets[0])
    service.leave("lost", "gone")
    with pytest.raises(Stopped):
        service.enter("lost", "openai", (0, 0))
    assert service.enter("third", "openai", (0, 0))


def test_foresight_of_a_lost_worker_is_forgotten(tmp_path: Path) -> None:
    service = steward(tmp_path)
    service.foresee("lost", 0.9)
    with pytest.raises(BudgetReached):
        service.foresee("other", 0.9)
    service = steward(tmp_path / "again")
    service.foresee("lost", 0.9)
    service.abandon("lost")
    service.foresee("other", 0.9)
    service.forget("other", 0.9)
    service.forget("lost", 0.9)
    service.foresee("other", 1.0)


def test_a_worker_sees_budget_slots_cache_and_stop(tmp_path: Path) -> None:
    service = steward(tmp_path)
    limits = DistantLimits(LocalService(service), 1.0, 1, True)
    with limits.resources("me") as resources:
        reservation = resources.budget.reserve(0.4)
        resources.budget.settle(reservation, 0.3)
        with pytest.raises(BudgetReached):
            resources.budget.reserve(0.9)
        assert resources.budget.reached
        with resources.endpoints.slots_of("openai").slot((0, 0)):
            pass
        store = resources.cache
        assert store is not None
        assert not isinstance(store, Path)
        assert store.load("ab") is None
        store.save("ab" * 32, Reply("hello"))
        assert store.load("ab" * 32) == Reply("hello")
        assert not resources.stop.is_set()
        service.stop()
        assert resources.stop.wait(10)
    assert service.figures().spent == pytest.approx(0.3)
