"""What lives will take before they are lived, and what holds them to it: calls at once per endpoint, and money.

The estimate of a life with a hosted model, unit by unit; a token is four characters, a word 1.5 tokens:

- the memory at t: all that was said so far, or `words` (times `k` where both exist), or `k` mean paragraphs, whichever
  the policy has and is less; nothing for `no_memory`;
- a task: role, memory, the session up to it; 60 tokens of reply; where tools are offered, one call of a tool and so a
  second call of the model with all of that again;
- a probe: role, memory (at t = 0 session 0 itself), the question; 40 tokens of answer;
- a write, for a policy that has a model: memory and session; as many words as the budget allows.

A life with the embedded reader is simply lived in memory: its figures are exact, and its cost is 0.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from agingbench.bench.controller import Control
from agingbench.bench.life import LIFE_START, MODEL_SWAP, InMemory, Unit, live
from agingbench.bench.plan import Plan, Scenario
from agingbench.bench.sut import Sut, build
from agingbench.errors import AgingBenchError
from agingbench.interfaces import Memory, Model
from agingbench.memory.build import build_memory
from agingbench.models.extractive import Extractive
from agingbench.models.prices import load_prices
from agingbench.records import Message, Reply, Tool, Usage
from agingbench.text import count_tokens

EMBEDDED = "extractive"
TOKENS_PER_WORD = 1.5
REPLY_TOKENS, ANSWER_TOKENS = 60, 40
PROMPT_TOKENS = 120  # what an agent and a compaction say around the texts


class Stopped(Exception):
    """Raised inside a life that is to end here; everything that was committed stays."""


class BudgetReached(AgingBenchError):
    """The next unit of a life would go beyond the money that may be spent."""


# -- before


def is_embedded(sut: Sut, events: Sequence[str]) -> bool:
    """Whether a life asks nobody but the embedded reader, from its first day to its last."""
    return sut.model == EMBEDDED and not any(event.startswith(MODEL_SWAP) for event in events)


def unit_estimates(plan: Plan, scenario: Scenario, sut: Sut) -> list[Usage]:
    """What each unit of a life takes, from 0 to the last; the cost is None where the model has no price."""
    if is_embedded(sut, [str(event) for event in plan.events]):
        return _lived(plan, scenario, sut)
    memory = build_memory(sut.memory, Extractive(), **sut.memory_options)
    prices = load_prices()
    units = []
    said, paragraphs = 0, 0
    for t in range(plan.n_sessions + 1):
        held = 0 if sut.policy == "no_memory" else _held(memory, said, paragraphs)
        calls, tokens_in, tokens_out = _probes(plan, scenario, t, held)
        if t < plan.n_sessions:
            tasks = _session(plan, scenario, memory, t, held)
            calls, tokens_in, tokens_out = calls + tasks[0], tokens_in + tasks[1], tokens_out + tasks[2]
            said += count_tokens(plan.sessions[t].text) + REPLY_TOKENS * len(plan.sessions[t].tasks)
            paragraphs += plan.sessions[t].text.count("\n\n") + 1 + len(plan.sessions[t].tasks)
        usage = Usage(tokens_in, tokens_out, calls=calls)
        units.append(msgspec.structs.replace(usage, cost_usd=prices.cost_usd(usage, sut.model_id)))
    return units


def total(units: Sequence[Usage]) -> Usage:
    """The sum over units or lives."""
    out = Usage()
    for usage in units:
        out += usage
    return out


def _held(memory: Memory, said: int, paragraphs: int) -> int:
    words, k = getattr(memory, "words", None), getattr(memory, "k", None)
    most = said
    if words is not None:
        most = min(most, int(words * TOKENS_PER_WORD * (k or 1)))
    elif k is not None and paragraphs:
        most = min(most, k * said // paragraphs)
    return most


def _probes(plan: Plan, scenario: Scenario, t: int, held: int) -> tuple[int, int, int]:
    read = count_tokens(plan.sessions[0].text) if t == 0 else held
    questions = [count_tokens(probe.question) for probe in plan.probes_at(t)]
    each = count_tokens(scenario.role) + PROMPT_TOKENS + read
    return len(questions), sum(questions) + each * len(questions), ANSWER_TOKENS * len(questions)


def _session(plan: Plan, scenario: Scenario, memory: Memory, t: int, held: int) -> tuple[int, int, int]:
    session = plan.sessions[t]
    turns = 2 if scenario.tools(plan, t) else 1
    before = count_tokens(scenario.role) + PROMPT_TOKENS + held + count_tokens(session.material)
    calls = tokens_in = 0
    for task in session.tasks:
        before += count_tokens(task.text)
        calls, tokens_in = calls + turns, tokens_in + turns * before
        before += REPLY_TOKENS
    tokens_out = calls * REPLY_TOKENS
    if getattr(memory, "model", None) is not None:
        text = held + count_tokens(session.text) + REPLY_TOKENS * len(session.tasks)
        words = getattr(memory, "words", None)
        kept = int(words * TOKENS_PER_WORD) if words else text
        return calls + 1, tokens_in + text + PROMPT_TOKENS, tokens_out + min(kept, text)
    return calls, tokens_in, tokens_out


class _Tally(InMemory):
    """Keeps nothing of a life but what each unit took."""

    def __init__(self) -> None:
        super().__init__()
        self.units: list[Usage] = []

    def commit(self, unit: Unit) -> None:
        used = [event.usage for event in unit.events if event.usage is not None and event.lifecycle != LIFE_START]
        self.units.append(total([*used, *(row.usage for row in unit.answers)]))


def _lived(plan: Plan, scenario: Scenario, sut: Sut) -> list[Usage]:
    built, tally = build(sut, scenario.role), _Tally()
    control = Control(built.controller, plan) if built.controller is not None else None
    live(plan, scenario, built.agent, tally, meter=built.meter, swap=built.swap, control=control)
    return tally.units


# -- while they are lived


class Budget:
    """The money that lives may spend together. Without a limit it only counts."""

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.spent, self.reached = 0.0, False
        self._reserved = 0.0
        self._lock = threading.Lock()

    def take(self, cost: float) -> None:
        """Set money aside for a unit that is about to start, or refuse it."""
        with self._lock:
            if self.most is not None and (self.reached or self.spent + self._reserved + cost > self.most + 1e-12):
                self.reached = True
                raise BudgetReached(
                    f"--max-cost {self.most:g}: ${self.spent:.4g} spent, and the next step needs about ${cost:.2g}; "
                    "nothing is lost, run again with more to continue"
                )
            self._reserved += cost

    def give_back(self, cost: float) -> None:
        with self._lock:
            self._reserved -= cost

    def pay(self, cost: float, reserved: float) -> None:
        """One call was paid; that much of what its unit had set aside is used up."""
        with self._lock:
            self.spent, self._reserved = self.spent + cost, self._reserved - reserved


class Account:
    """What one life has set aside for the unit it is in."""

    def __init__(self, budget: Budget, units: Sequence[Usage] | None) -> None:
        self.budget, self.units, self.calls = budget, units, 0
        self._left = 0.0
        self._lock = threading.Lock()

    def enter(self, t: int) -> None:
        """Before unit t: give back what is left of the last one and set aside what this one needs."""
        self.leave()
        if self.units is not None and t < len(self.units):
            cost = self.units[t].cost_usd or 0.0
            self.budget.take(cost)
            self._left = cost

    def leave(self) -> None:
        with self._lock:
            left, self._left = self._left, 0.0
        self.budget.give_back(left)

    def pay(self, cost: float) -> None:
        with self._lock:
            used = min(cost, self._left)
            self._left -= used
            self.calls += 1
        self.budget.pay(cost, used)


class Slots:
    """So many calls at once and no more; whoever has the smallest rank comes next, among equals the first."""

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
        key = f"{getattr(model, 'label', model.name)} {getattr(model, 'endpoint', model.name)}"
        with self._guard:
            return self._slots.setdefault(key, Slots(self.most))


class Limited:
    """A model whose calls wait for a slot of its endpoint and are paid from the account of the life that makes them.

    The thread that builds it lives the life: its calls are on the life's critical path and go before probes, which are
    asked from other threads. Among lives, the one with the most still to live goes first.
    """

    def __init__(self, model: Model, slots: Slots, account: Account, stop: threading.Event) -> None:
        self.model, self.name = model, model.name
        self.left = 0  # units still to live
        self._slots, self._account, self._stop = slots, account, stop
        self._life = threading.get_ident()
        self._prices, self._id = load_prices(), model.name.partition(":")[2] or model.name

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        with self._slots.slot((int(threading.get_ident() != self._life), -self.left)):
            if self._stop.is_set():
                raise Stopped
            reply = self.model.complete(messages, tools, max_tokens, seed)
        self._account.pay(self._cost(messages, reply))
        return reply

    def cache_identity(self) -> dict[str, Any]:
        """That of the model behind: a limit changes no reply."""
        own = getattr(self.model, "cache_identity", None)
        return dict(own()) if callable(own) else {"name": self.name}

    def _cost(self, messages: Sequence[Message], reply: Reply) -> float:
        if reply.usage.cost_usd is not None:
            return reply.usage.cost_usd
        # A server that does not say what a call took is charged by the length of the texts.
        asked = sum(count_tokens(message.content) for message in messages)
        return self._prices.cost_usd(Usage(asked, count_tokens(reply.text)), self._id) or 0.0
