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

import msgspec

from agingbench.bench.life.budget import Budget, Foresight
from agingbench.bench.life.meter import Meter
from agingbench.errors import ContextOverflow, InputError, Unreachable
from agingbench.interfaces import Model
from agingbench.models.bounded import watch_tries
from agingbench.models.cached import CachedModel, ReplyStore
from agingbench.models.prices import load_prices
from agingbench.records import Message, Reply, Tool, Usage

PART_TOKENS = 64  # what a chat template may add around one message or tool


class Stopped(Exception):
    """Raised inside a life that is to end here; everything that was committed stays."""


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
        """The slots of the endpoint that a model asks."""
        provider = model.name.partition(":")[0]
        return self.slots_of(f"{provider} {model.endpoint}" if model.endpoint else model.name)

    def slots_of(self, endpoint: str) -> Slots:
        """The slots of an endpoint by its name."""
        with self._guard:
            return self._slots.setdefault(endpoint, Slots(self.most))


class Limited(Model):
    """A model whose calls wait for a slot of its endpoint and are counted for the life that makes
    them.

    The thread that builds it lives the life: its calls are on the life's critical path and go
    before probes, which are asked from other threads. Among lives, the one with the most still to
    live goes first.
    """

    def __init__(
        self,
        model: Model,
        slots: Slots,
        foresight: Foresight,
        stop: threading.Event,
        meter: Meter,
    ) -> None:
        self.model = model
        self.name = model.name
        self.left = 0  # transitions still to live
        self._slots = slots
        self._foresight = foresight
        self._stop = stop
        self._meter = meter
        self._life = threading.get_ident()

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
            self._meter.ask(self.name)
            reply = self.model.complete(messages, tools, max_tokens, seed)
        self._meter.count(reply.usage)
        self._foresight.pay(reply.usage.cost_usd or 0.0)
        return reply

    def cache_identity(self) -> dict[str, Any]:
        """That of the model behind: a limit changes no reply."""
        return self.model.cache_identity()


@dataclass
class Resources:
    """What lives share while they are lived."""

    endpoints: Endpoints = field(default_factory=lambda: Endpoints(8))
    budget: Budget = field(default_factory=Budget)
    stop: threading.Event = field(default_factory=threading.Event)
    meter: Meter = field(default_factory=Meter)
    cache: Path | ReplyStore | None = None
    probes_at_once: int | None = None  # None: as many as the endpoint takes


class ReservedModel(Model):
    """Reserves each call's worst-case cost before making it; raises BudgetReached beyond it."""

    def __init__(self, model: Model, budget: Budget) -> None:
        self.model = model
        self.name = model.name
        self.endpoint = model.endpoint
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
        most = Usage(most_tokens(messages, tools), max_tokens)
        worst = self._prices.cost_usd(most, self._id)
        if worst is None:  # without a price there is nothing to hold it to
            return self.model.complete(messages, tools, max_tokens, seed)

        tries = _Tries(self.budget, worst)
        try:
            with watch_tries(tries):
                reply = self.model.complete(messages, tools, max_tokens, seed)
        except (InputError, ContextOverflow, Unreachable):
            tries.end(0.0)  # refused or never sent, so not paid for
            raise
        except BaseException:
            tries.end(None)
            raise
        cost = reply.usage.cost_usd
        if cost is None:
            cost = self._prices.cost_usd(reply.usage, self._id)
        tries.end(cost)  # its worst case where the server does not say what it took
        return reply

    def cache_identity(self) -> dict[str, Any]:
        """That of the model behind: a reservation changes no reply."""
        return self.model.cache_identity()


def most_tokens(messages: Sequence[Message], tools: Sequence[Tool]) -> int:
    """The most input tokens that a request can be: no token is shorter than a byte."""
    parts = [msgspec.json.encode(message) for message in messages]
    for tool in tools:
        schema = msgspec.json.encode(dict(tool.parameters))
        parts += [tool.name.encode(), tool.description.encode(), schema]
    n_parts = len(messages) + len(tools)
    return sum(len(part) for part in parts) + PART_TOKENS * n_parts


class _Tries:
    """The reservations of one call; an SDK may send it several times, and each may be paid for."""

    def __init__(self, budget: Budget, worst: float) -> None:
        self.budget = budget
        self.worst = worst
        self._reservation: str | None = budget.reserve(worst)
        self._begun = False
        self._sent = False

    def begin(self) -> None:
        """Reserve for one more try; the one before may have been paid for if it was sent."""
        if self._begun:
            self.end(None if self._sent else 0.0)
        if self._reservation is None:
            self._reservation = self.budget.reserve(self.worst)
        self._begun = True
        self._sent = False

    def sent(self) -> None:
        """The request is on its way."""
        self._sent = True

    def refused(self) -> None:
        """The server answered this try with an error, which costs nothing."""
        self.end(0.0)

    def end(self, cost: float | None) -> None:
        """Settle the open reservation; None is its worst case, unless the try was never sent."""
        if self._reservation is None:
            return
        if cost is None:
            cost = 0.0 if self._begun and not self._sent else self.worst
        self.budget.settle(self._reservation, cost)
        self._reservation = None


class LifeLimits:
    """Holds one life to the resources that it shares with others.

    A life with the embedded reader (`embedded`) is not cached and costs nothing. With `costs`, what
    each transition is expected to take, none is begun that does not fit the budget.
    """

    def __init__(
        self, resources: Resources, *, embedded: bool, costs: Sequence[Usage] | None = None
    ) -> None:
        self.resources = resources
        self.embedded = embedded
        self.foresight = Foresight(resources.budget, costs)
        self._remaining = 0
        self._models: list[Limited] = []

    @property
    def probes_at_once(self) -> int:
        """How many probes may be asked at once."""
        most = 1 if self.embedded else self.resources.endpoints.most
        return self.resources.probes_at_once or most

    def limit(self, model: Model) -> Model:
        """The model held to its endpoint's slots, to the budget and behind the cache."""
        slots = self.resources.endpoints.slots(model)
        # Inside the slot: who waits for one holds no money.
        payer = model if self.embedded else ReservedModel(model, self.resources.budget)
        resources = self.resources
        limited = Limited(payer, slots, self.foresight, resources.stop, resources.meter)
        limited.left = self._remaining
        self._models.append(limited)
        if self.embedded or self.resources.cache is None:
            return limited
        return CachedModel(limited, self.resources.cache)

    def enter(self, t: int, remaining: int) -> None:
        """Reserve money for transition t, with so many still to live; raises Stopped at the end."""
        self._remaining = remaining
        for model in self._models:
            model.left = remaining
        if self.resources.stop.is_set():
            raise Stopped
        self.foresight.enter(t)
