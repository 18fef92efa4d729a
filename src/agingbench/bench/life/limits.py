"""What holds lives to their limits while they are lived: calls at once per endpoint, and money."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agingbench.errors import AgingBenchError
from agingbench.interfaces import Model
from agingbench.models.cached import CachedModel
from agingbench.models.prices import load_prices
from agingbench.records import Message, Reply, Tool, Usage
from agingbench.text.wording import count_tokens

ANSWER_TOKENS = 40  # what an answer takes, as far as one can tell beforehand


class Stopped(Exception):
    """Raised inside a life that is to end here; everything that was committed stays."""


class BudgetReached(AgingBenchError):
    """The next transition of a life would go beyond the money that may be spent."""


class Budget:
    """The money that lives may spend together. Without a limit it only counts."""

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.spent = 0.0
        self.reached = False
        self._reserved = 0.0
        self._lock = threading.Lock()

    def take(self, cost: float) -> None:
        """Reserve money for a transition that is about to start; raises BudgetReached beyond it."""
        with self._lock:
            if self.most is not None and (
                self.reached or self.spent + self._reserved + cost > self.most + 1e-12
            ):
                self.reached = True
                raise BudgetReached(
                    f"--max-cost {self.most:g}: ${self.spent:.4g} spent, and the next step needs"
                    f" about ${cost:.2g}; nothing is lost, run again with more to continue"
                )
            self._reserved += cost

    def give_back(self, cost: float) -> None:
        with self._lock:
            self._reserved -= cost

    def pay(self, cost: float, reserved: float) -> None:
        """Count the cost of one call and release that much of what was reserved for it."""
        with self._lock:
            self.spent = self.spent + cost
            self._reserved = self._reserved - reserved


class Reservation:
    """The money that one life has reserved for its current transition."""

    def __init__(self, budget: Budget, costs: Sequence[Usage] | None) -> None:
        self.budget = budget
        self.costs = costs
        self.calls = 0
        self._left = 0.0
        self._lock = threading.Lock()

    def enter(self, t: int) -> None:
        """Release what is left of the last transition and reserve what transition t needs."""
        self.leave()
        if self.costs is not None and t < len(self.costs):
            cost = self.costs[t].cost_usd or 0.0
            self.budget.take(cost)
            self._left = cost

    def leave(self) -> None:
        with self._lock:
            left = self._left
            self._left = 0.0
        self.budget.give_back(left)

    def pay(self, cost: float) -> None:
        with self._lock:
            used = min(cost, self._left)
            self._left -= used
            self.calls += 1
        self.budget.pay(cost, used)


class Slots:
    """So many calls at once and no more; whoever has the smallest rank comes next, among equals the
    first.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._guard = threading.Lock()
        self._waiting: list[tuple[tuple[int, int], int, threading.Event]] = []
        self._order = itertools.count()

    @contextmanager
    def slot(self, rank: tuple[int, int]) -> Iterator[None]:
        turn: threading.Event | None = None
        with self._guard:
            if self._free:
                self._free -= 1
            else:
                turn = threading.Event()
                heapq.heappush(self._waiting, (rank, next(self._order), turn))
        if turn is not None:
            turn.wait()
        try:
            yield
        finally:
            with self._guard:
                if self._waiting:
                    heapq.heappop(self._waiting)[2].set()
                else:
                    self._free += 1


class Endpoints:
    """One limit per endpoint, shared by all lives that ask it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._slots: dict[str, Slots] = {}
        self._guard = threading.Lock()

    def slots(self, model: Model) -> Slots:
        provider = model.name.partition(":")[0]
        key = f"{provider} {model.endpoint}" if model.endpoint else model.name
        with self._guard:
            return self._slots.setdefault(key, Slots(self.most))


class Limited(Model):
    """A model whose calls wait for a slot of its endpoint and are paid from the account of the life
    that makes them.

    The thread that builds it lives the life: its calls are on the life's critical path and go
    before probes, which are asked from other threads. Among lives, the one with the most still to
    live goes first.
    """

    def __init__(
        self, model: Model, slots: Slots, account: Reservation, stop: threading.Event
    ) -> None:
        self.model = model
        self.name = model.name
        self.left = 0  # transitions still to live
        self._slots = slots
        self._account = account
        self._stop = stop
        self._life = threading.get_ident()
        self._prices = load_prices()
        self._id = model.name.partition(":")[2] or model.name

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        with self._slots.slot((int(threading.get_ident() != self._life), -self.left)):
            if self._stop.is_set():
                raise Stopped
            reply = self.model.complete(messages, tools, max_tokens, seed)
        self._account.pay(self._cost(messages, reply))
        return reply

    def cache_identity(self) -> dict[str, Any]:
        """That of the model behind: a limit changes no reply."""
        return self.model.cache_identity()

    def _cost(self, messages: Sequence[Message], reply: Reply) -> float:
        if reply.usage.cost_usd is not None:
            return reply.usage.cost_usd
        # A server that does not say what a call took is charged by the length of the texts.
        asked = sum(count_tokens(message.content) for message in messages)
        return self._prices.cost_usd(Usage(asked, count_tokens(reply.text)), self._id) or 0.0


@dataclass
class Resources:
    """What lives share while they are lived."""

    endpoints: Endpoints = field(default_factory=lambda: Endpoints(8))
    budget: Budget = field(default_factory=Budget)
    stop: threading.Event = field(default_factory=threading.Event)
    cache: Path | None = None
    probes_at_once: int | None = None  # None: as many as the endpoint takes


class ReservedModel(Model):
    """Reserves each call's worst-case cost before making it; raises BudgetReached beyond it."""

    def __init__(self, model: Limited, budget: Budget) -> None:
        self.model = model
        self.name = model.name
        self.budget = budget
        self._prices = load_prices()
        self._id = model.name.partition(":")[2] or model.name

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        tokens = sum(count_tokens(message.content) for message in messages)
        cost = self._prices.cost_usd(Usage(tokens, ANSWER_TOKENS), self._id) or 0.0
        self.budget.take(cost)
        try:
            return self.model.complete(messages, tools, max_tokens, seed)
        finally:
            self.budget.give_back(cost)

    def cache_identity(self) -> dict[str, Any]:
        """That of the model behind: a reservation changes no reply."""
        return self.model.cache_identity()


class LifeLimits:
    """Holds one life to the resources that it shares with others.

    A life with the embedded reader (`embedded`) is not cached. With `costs`, what each transition
    is expected to take, money is reserved before it begins.
    """

    def __init__(
        self, resources: Resources, *, embedded: bool, costs: Sequence[Usage] | None = None
    ) -> None:
        self.resources = resources
        self.embedded = embedded
        self.reservation = Reservation(resources.budget, costs)
        self._remaining = 0
        self._models: list[Limited] = []

    @property
    def probes_at_once(self) -> int:
        """How many probes may be asked at once."""
        most = 1 if self.embedded else self.resources.endpoints.most
        return self.resources.probes_at_once or most

    def limit(self, model: Model, *, per_call: bool = False) -> Model:
        """The model held to its endpoint's slots, to the budget and behind the cache.

        With `per_call`, money is reserved for every single call.
        """
        slots = self.resources.endpoints.slots(model)
        limited = Limited(model, slots, self.reservation, self.resources.stop)
        limited.left = self._remaining
        self._models.append(limited)
        if self.embedded:
            return limited
        capped = ReservedModel(limited, self.resources.budget) if per_call else limited
        if self.resources.cache is None:
            return capped
        return CachedModel(capped, self.resources.cache)

    def enter(self, t: int, remaining: int) -> None:
        """Reserve money for transition t, with so many still to live; raises Stopped at the end."""
        self._remaining = remaining
        for model in self._models:
            model.left = remaining
        if self.resources.stop.is_set():
            raise Stopped
        self.reservation.enter(t)
