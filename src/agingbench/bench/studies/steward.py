"""Holds lives of all machines to one budget, one limit per endpoint, one stop and one cache.

The steward is a service of an engine and lies beside the study, where its journal and its cache
are. A life elsewhere has a budget, endpoints and a cache that ask the steward.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from agingbench.bench.life.budget import Budget, BudgetReached
from agingbench.bench.life.limits import Endpoints, Resources, Slots, Stopped
from agingbench.engines.base import ServiceCall, new_try
from agingbench.models.cached import ReplyFolder
from agingbench.records import Reply

LOOK = 0.5  # seconds after which a worker asks again whether it is to stop


@dataclass
class Holding:
    """What one try of a life holds at the moment."""

    reservations: set[str] = field(default_factory=set)
    slots: dict[str, ExitStack] = field(default_factory=dict)
    foreseen: float = 0.0


class StewardFigures(msgspec.Struct, frozen=True):
    """What lives took so far, and whether the budget was reached."""

    spent: float
    reached: bool


class Steward:
    """The service: each try of a life names itself, so that what a lost one held is released."""

    def __init__(
        self,
        most_usd: float | None,
        folder: Path | None,
        calls_at_once: int,
        cache: Path | None,
    ) -> None:
        self.budget = Budget(most_usd, folder)
        self.endpoints = Endpoints(calls_at_once)
        self.store = None if cache is None else ReplyFolder(cache)
        self._stop = threading.Event()
        self._holdings: dict[str, Holding] = {}
        self._lost: set[str] = set()
        self._guard = threading.Lock()

    def abandon(self, owner: str) -> None:
        """Release what a try held whose worker died; its open calls count as paid for."""
        with self._guard:
            self._lost.add(owner)
            holding = self._holdings.pop(owner, Holding())
        for reservation in holding.reservations:
            self.budget.abandon(reservation)
        for slot in holding.slots.values():
            slot.close()
        self.budget.forget(holding.foreseen)

    # -- money

    def foresee(self, owner: str, cost: float) -> None:
        """Set aside what a session may take; raises BudgetReached where it does not fit."""
        self.budget.foresee(cost)
        with self._guard:
            if owner not in self._lost:
                self._of(owner).foreseen += cost
                return
        self.budget.forget(cost)

    def forget(self, owner: str, cost: float) -> None:
        """Release what was set aside."""
        with self._guard:
            if owner in self._lost:
                return
            self._of(owner).foreseen -= cost
        self.budget.forget(cost)

    def reserve(self, owner: str, cost: float) -> str:
        """Reserve the worst case of a call; raises BudgetReached where it does not fit."""
        reservation = self.budget.reserve(cost)
        with self._guard:
            if owner not in self._lost:
                self._of(owner).reservations.add(reservation)
                return reservation
        self.budget.settle(reservation, 0.0)  # the call will not be made
        raise Stopped

    def settle(self, owner: str, reservation: str, cost: float) -> None:
        """Replace a reservation by what the call did cost."""
        with self._guard:
            reservations = self._of(owner).reservations
            if reservation not in reservations:
                return  # counted as spent when its worker was lost
            reservations.discard(reservation)
        self.budget.settle(reservation, cost)

    # -- endpoints

    def enter(self, owner: str, endpoint: str, rank: tuple[int, int]) -> str:
        """Wait for a slot of an endpoint and return the ticket to leave it with."""
        slot = ExitStack()
        slot.enter_context(self.endpoints.slots_of(endpoint).slot(rank))
        ticket = new_try()
        with self._guard:
            if owner not in self._lost:
                self._of(owner).slots[ticket] = slot
                return ticket
        slot.close()
        raise Stopped

    def leave(self, owner: str, ticket: str) -> None:
        """Free a slot."""
        with self._guard:
            slot = self._of(owner).slots.pop(ticket, None)
        if slot is not None:
            slot.close()

    # -- replies, stop and figures

    def load(self, key: str) -> bytes | None:
        """The reply to a request, as JSON."""
        reply = None if self.store is None else self.store.load(key)
        return None if reply is None else msgspec.json.encode(reply)

    def save(self, key: str, data: bytes) -> None:
        """Keep a reply."""
        if self.store is not None:
            self.store.save(key, msgspec.json.decode(data, type=Reply))

    def stop(self) -> None:
        """Let every life end at its next safe moment."""
        self._stop.set()

    def is_stopped(self) -> bool:
        """Whether lives are to end."""
        return self._stop.is_set()

    def figures(self) -> StewardFigures:
        """What was spent so far."""
        return StewardFigures(self.budget.spent, self.budget.reached)

    def _of(self, owner: str) -> Holding:
        return self._holdings.setdefault(owner, Holding())


def abandon(service: object, attempt: str) -> None:
    """Tell a steward of a try whose worker died."""
    assert isinstance(service, Steward)
    service.abandon(attempt)


# -- in a worker


class DistantBudget(Budget):
    """The budget of a steward."""

    def __init__(self, call: ServiceCall, owner: str, most: float | None) -> None:
        super().__init__(most)
        self._call = call
        self._owner = owner

    def foresee(self, cost: float) -> None:
        """Set aside what a session may take; raises BudgetReached where it does not fit."""
        with self._noticed():
            self._call("foresee", self._owner, cost)

    def forget(self, cost: float) -> None:
        """Release what was set aside."""
        if cost:
            self._call("forget", self._owner, cost)

    def reserve(self, cost: float) -> str:
        """Reserve the worst case of a call; raises BudgetReached where it does not fit."""
        with self._noticed():
            return str(self._call("reserve", self._owner, cost, waits=True))

    def settle(self, reservation: str, cost: float) -> None:
        """Replace a reservation by what the call did cost."""
        self.spent += cost
        self._call("settle", self._owner, reservation, cost)

    @contextmanager
    def _noticed(self) -> Iterator[None]:
        try:
            yield
        except BudgetReached:
            self.reached = True
            raise


class DistantSlots(Slots):
    """The slots of one endpoint, held by a steward."""

    def __init__(self, call: ServiceCall, owner: str, endpoint: str, most: int) -> None:
        super().__init__(most)
        self._call = call
        self._owner = owner
        self._endpoint = endpoint

    @contextmanager
    def slot(self, rank: tuple[int, int]) -> Iterator[None]:
        """Wait for a slot and hold it."""
        ticket = self._call("enter", self._owner, self._endpoint, rank, waits=True)
        try:
            yield
        finally:
            self._call("leave", self._owner, ticket)


class DistantEndpoints(Endpoints):
    """The limits of a steward."""

    def __init__(self, call: ServiceCall, owner: str, most: int) -> None:
        super().__init__(most)
        self._call = call
        self._owner = owner

    def slots_of(self, endpoint: str) -> Slots:
        """The slots of an endpoint by its name."""
        return DistantSlots(self._call, self._owner, endpoint, self.most)


class DistantReplies:
    """The cache of a steward."""

    def __init__(self, call: ServiceCall) -> None:
        self.damaged = 0  # the steward's to count
        self._call = call

    def load(self, key: str) -> Reply | None:
        """The reply to a request; None where there is none."""
        data: bytes | None = self._call("load", key)
        return None if data is None else msgspec.json.decode(data, type=Reply)

    def save(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        self._call("save", key, msgspec.json.encode(reply))


@dataclass(frozen=True)
class DistantLimits:
    """How a worker reaches the steward, and what it need not ask it for."""

    call: ServiceCall
    most_usd: float | None
    calls_at_once: int
    is_cached: bool

    @contextmanager
    def resources(self, owner: str) -> Iterator[Resources]:
        """The resources of one try of a life; while it lives, a stop of the study reaches it."""
        stop = threading.Event()
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(stop, over), daemon=True)
        watch.start()
        try:
            yield Resources(
                DistantEndpoints(self.call, owner, self.calls_at_once),
                DistantBudget(self.call, owner, self.most_usd),
                stop,
                cache=DistantReplies(self.call) if self.is_cached else None,
            )
        finally:
            over.set()
            watch.join()

    def _watch(self, stop: threading.Event, over: threading.Event) -> None:
        while not over.wait(LOOK):
            if self.call("is_stopped"):
                stop.set()
                return
