"""Estimates of what a life will take before it is lived.

The estimate of a life with a hosted model goes through its plan, transition by transition. A token
is four characters, and a word 1.5 tokens:

- the memory at t: all that was said so far, or `words` (times `k` where both exist), or `k` mean
  paragraphs, whichever the policy has and is less; nothing for `no_memory`; 8 tokens for each typed
  value;
- a task: role, memory, the session up to it; 60 tokens of reply; where tools are offered, one call
  of a tool and so a second call of the model with all of that again;
- a probe: role, memory (at t = 0 session 0 itself), the question; 40 tokens of answer;
- a write, for a policy that has a model: memory (all that was said, where it keeps a log) and
  session; as many words as the budget allows; a compaction by an event or a controller: the store,
  and as many words;
- a controller does all that it may as soon as it may, each action once.

A life with the embedded reader is simply lived in memory: its figures are exact, and its cost is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from agingbench.bench.life.actions import (
    APPEND,
    ENABLE_TYPED_STATE,
    FORCE_REREAD,
    RECOMPACT,
    REREAD,
    SET_BUDGET,
    SET_TOP_K,
    Action,
)
from agingbench.bench.life.control import Controller, build_controller
from agingbench.bench.life.system import Sut
from agingbench.bench.life.transitions import MODEL_SWAP, InMemory, Transition
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.memory.build import build_memory
from agingbench.memory.typed_state import TypedState, sentinels
from agingbench.models.extractive import Extractive
from agingbench.models.prices import load_prices
from agingbench.records import Usage
from agingbench.text.wording import count_tokens
from agingbench.trials.run_folder import LIFE_START

EMBEDDED = "extractive"
TOKENS_PER_WORD = 1.5
REPLY_TOKENS = 60
ANSWER_TOKENS = 40
PROMPT_TOKENS = 120  # the prompt of an agent or a compaction around the texts
TYPED_TOKENS = 8  # a typed value with its name
PARTIAL_RESET = "partial_reset"


def is_embedded(sut: Sut, events: Sequence[str]) -> bool:
    """Whether a life asks nobody but the embedded reader, from its first day to its last."""
    swaps = any(event.startswith(MODEL_SWAP) for event in events)
    return sut.model == EMBEDDED and not swaps


def forecast(
    plan: Plan,
    scenario: Scenario,
    sut: Sut,
    *,
    worst_case: bool = False,
) -> list[Usage]:
    """Return what each transition of a life with a hosted model takes, from the plan alone.

    The cost is None where the model has no price. What a controller may do once is counted in the
    first transition in which it can come; with `worst_case` in every one, which is what has to be
    reserved.
    """
    prices = load_prices()
    usages = []
    for amount in _Forecast(plan, scenario, sut, worst_case).transitions():
        usage = Usage(amount.tokens_in, amount.tokens_out, calls=amount.calls)
        cost = prices.cost_usd(usage, sut.model_id)
        usages.append(msgspec.structs.replace(usage, cost_usd=cost))
    return usages


def total(usages: Sequence[Usage]) -> Usage:
    """The sum over transitions or lives."""
    whole = Usage()
    for usage in usages:
        whole += usage
    return whole


class _Amount(msgspec.Struct, frozen=True):
    """The calls and tokens of one part of a life."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: _Amount) -> _Amount:
        return _Amount(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )

    def times(self, count: int) -> _Amount:
        return _Amount(self.calls * count, self.tokens_in * count, self.tokens_out * count)


class _Forecast:
    """A life with a hosted model, foreseen from its plan."""

    def __init__(
        self,
        plan: Plan,
        scenario: Scenario,
        sut: Sut,
        worst_case: bool,
    ) -> None:
        self.plan = plan
        self.scenario = scenario
        self.worst_case = worst_case
        self.memory = build_memory(sut.memory, Extractive(), **sut.memory_options)
        self.forgets = sut.policy == "no_memory"
        self.role_tokens = count_tokens(scenario.role) + count_tokens(sut.role) + PROMPT_TOKENS
        self.controller = build_controller(sut.arm) if sut.arm is not None else None

        # What the sessions so far came to.
        self.history_tokens = 0
        self.paragraphs = 0
        self.typed_names: set[str] = set()  # whether the memory shows them or not
        self.shows_typed = isinstance(self.memory, TypedState)

    def transitions(self) -> Iterator[_Amount]:
        """Yield what each transition takes."""
        controller = self.controller
        if controller is not None and controller.warmup == 0:
            self._apply_actions(controller.may)

        for t in range(self.plan.n_sessions + 1):
            amount = self._probes(t)
            for event in self.plan.events_at(t):
                amount += self._event(event.name, t)
            if t < self.plan.n_sessions:
                amount += self._session(t)
                if controller is not None:
                    amount += self._control(t, controller)
            yield amount

    def _control(self, t: int, controller: Controller) -> _Amount:
        """What a controller does after session t."""
        if t == controller.warmup:
            self._apply_actions(controller.may)
        elif t < controller.warmup or not self.worst_case:
            return _Amount()

        amount = _Amount()
        for action in controller.may:
            if action.name == RECOMPACT:
                amount += self._event(RECOMPACT, t + 1)
            elif action.name == APPEND:
                note_tokens = count_tokens(action.args.get("text", ""))
                amount += self._compaction(self._memory_tokens() + note_tokens)
        return amount

    def _apply_actions(self, actions: Sequence[Action]) -> None:
        for action in actions:
            if action.name == FORCE_REREAD:
                self.role_tokens += count_tokens(REREAD)
            elif action.name == SET_TOP_K:
                self.memory.configure(k=action.args["k"])
            elif action.name == SET_BUDGET:
                self.memory.configure(words=action.args["words"])
            elif action.name == ENABLE_TYPED_STATE:
                self.shows_typed = True

    def _memory_tokens(self) -> int:
        if self.forgets:
            return 0

        words = self.memory.words
        k = self.memory.k
        tokens = self.history_tokens
        if words is not None:
            tokens = min(tokens, int(words * TOKENS_PER_WORD * (k or 1)))
        elif k is not None and self.paragraphs:
            tokens = min(tokens, k * self.history_tokens // self.paragraphs)

        if self.shows_typed and self.typed_names:
            tokens += TYPED_TOKENS * (len(self.typed_names) + 1)
        return tokens

    def _probes(self, t: int) -> _Amount:
        context = count_tokens(self.plan.sessions[0].text) if t == 0 else self._memory_tokens()
        amount = _Amount()
        for probe in self.plan.probes_at(t):
            tokens_in = self.role_tokens + context + count_tokens(probe.prompt)
            amount += _Amount(1, tokens_in, ANSWER_TOKENS)
        return amount

    def _session(self, t: int) -> _Amount:
        """What the tasks and the write of a session take; the session joins the history."""
        session = self.plan.sessions[t]
        memory_tokens = self._memory_tokens()
        turns = 2 if self.scenario.tools(self.plan, t) else 1

        amount = _Amount()
        context = self.role_tokens + memory_tokens + count_tokens(session.material)
        for task in session.tasks:
            context += count_tokens(task.text)
            amount += _Amount(turns, turns * context, turns * REPLY_TOKENS)
            context += REPLY_TOKENS

        session_tokens = count_tokens(session.text) + REPLY_TOKENS * len(session.tasks)
        store = self.history_tokens if self.memory.keeps_log else memory_tokens
        amount += self._compaction(session_tokens + store)

        self.history_tokens += session_tokens
        self.paragraphs += session.text.count("\n\n") + 1 + len(session.tasks)
        for sentinel in sentinels(session.text):
            if sentinel is not None:
                self.typed_names.add(sentinel.name)
        return amount

    def _event(self, name: str, t: int) -> _Amount:
        """What a lifecycle event at t asks of the model: nothing, unless it condenses."""
        logs = self.memory.keeps_log
        if name == PARTIAL_RESET and logs:
            return self._compaction(self.history_tokens)
        if name != RECOMPACT:
            return _Amount()

        words = self.memory.words
        if words is not None and self.memory.k is not None:  # each session's summary by itself
            return self._compaction(int(words * TOKENS_PER_WORD)).times(t)
        return self._compaction(self.history_tokens if logs else self._memory_tokens())

    def _compaction(self, tokens: int) -> _Amount:
        if self.memory.model is None:
            return _Amount()
        words = self.memory.words
        summary = int(words * TOKENS_PER_WORD) if words else tokens
        return _Amount(1, tokens + PROMPT_TOKENS, min(summary, tokens))


class TransitionCosts(InMemory):
    """Stores of a life only what each transition took."""

    def __init__(self) -> None:
        super().__init__()
        self.usages: list[Usage] = []

    def commit(self, transition: Transition) -> None:
        """Add up the events and the answers of a transition."""
        usages = [row.usage for row in transition.answers]
        for event in transition.events:
            if event.usage is not None and event.lifecycle != LIFE_START:
                usages.append(event.usage)
        self.usages.append(total(usages))
