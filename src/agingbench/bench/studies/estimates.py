"""What lives will take before they are lived.

The estimate of a life with a hosted model, unit by unit; a token is four characters, a word 1.5
tokens:

- the memory at t: all that was said so far, or `words` (times `k` where both exist), or `k` mean paragraphs, whichever
  the policy has and is less; nothing for `no_memory`; 8 tokens for each typed value;
- a task: role, memory, the session up to it; 60 tokens of reply; where tools are offered, one call of a tool and so a
  second call of the model with all of that again;
- a probe: role, memory (at t = 0 session 0 itself), the question; 40 tokens of answer;
- a write, for a policy that has a model: memory (all that was said, where it keeps a log) and session; as many words
  as the budget allows; a compaction by an event or a controller: the store, and as many words;
- a controller does all that it may as soon as it may, each action once.

A life with the embedded reader is simply lived in memory: its figures are exact, and its cost is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from agingbench.bench.life.actions import (
    ENABLE_TYPED_STATE,
    FORCE_REREAD,
    RECOMPACT,
    REREAD,
    SET_TOP_K,
    Action,
)
from agingbench.bench.life.control import build_controller
from agingbench.bench.life.limits import ANSWER_TOKENS
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
PROMPT_TOKENS = 120  # what an agent and a compaction say around the texts
TYPED_TOKENS = 8  # a typed value with its name
PARTIAL_RESET = "partial_reset"


def is_embedded(sut: Sut, events: Sequence[str]) -> bool:
    """Whether a life asks nobody but the embedded reader, from its first day to its last."""
    return sut.model == EMBEDDED and not any(event.startswith(MODEL_SWAP) for event in events)


def forecast(plan: Plan, scenario: Scenario, sut: Sut, *, worst_case: bool = False) -> list[Usage]:
    """What each transition of a life with a hosted model takes, from the plan alone.

    The cost is None where the model has no price. What a controller may do once is counted in the
    first transition in which it can come; with `worst_case` in every one, which is what has to be
    reserved.
    """
    prices = load_prices()
    usages = []
    for calls, tokens_in, tokens_out in _Forecast(plan, scenario, sut, worst_case).units():
        usage = Usage(tokens_in, tokens_out, calls=calls)
        cost = prices.cost_usd(usage, sut.model_id)
        usages.append(msgspec.structs.replace(usage, cost_usd=cost))
    return usages


def total(units: Sequence[Usage]) -> Usage:
    """The sum over units or lives."""
    out = Usage()
    for usage in units:
        out += usage
    return out


Took = tuple[int, int, int]  # calls, tokens in, tokens out


class _Forecast:
    """A life with a hosted model, foreseen from its plan."""

    def __init__(self, plan: Plan, scenario: Scenario, sut: Sut, worst_case: bool) -> None:
        self.plan = plan
        self.scenario = scenario
        self.worst_case = worst_case
        self.memory = build_memory(sut.memory, Extractive(), **sut.memory_options)
        self.forgets = sut.policy == "no_memory"
        self.role = count_tokens(scenario.role) + PROMPT_TOKENS
        self.controller = build_controller(sut.arm) if sut.arm is not None else None
        self.said = self.paragraphs = 0
        self.typed: set[str] = set()  # the values told so far, whether they are shown or not
        self.shows_typed = isinstance(self.memory, TypedState)

    def units(self) -> Iterator[Took]:
        """What every unit takes."""
        warmup = self.controller.warmup if self.controller is not None else 0
        if self.controller is not None and warmup == 0:
            self._hold(self.controller.may)
        for t in range(self.plan.n_sessions + 1):
            took = [self._event(event.name, t) for event in self.plan.events_at(t)]
            took.append(self._probes(t))
            if t < self.plan.n_sessions:
                took += self._session(t)
                if self.controller is not None and t == warmup:
                    self._hold(self.controller.may)
                if self.controller is not None and (
                    t == warmup or (self.worst_case and t > warmup)
                ):
                    took += [
                        self._event(RECOMPACT, t + 1)
                        for act in self.controller.may
                        if act.name == RECOMPACT
                    ]
            calls, tokens_in, tokens_out = zip(*took, strict=True)
            yield sum(calls), sum(tokens_in), sum(tokens_out)

    def _hold(self, actions: Sequence[Action]) -> None:
        """From here on the actions hold."""
        for action in actions:
            if action.name == FORCE_REREAD:
                self.role += count_tokens(REREAD)
            elif action.name == SET_TOP_K:
                self.memory.configure(k=action.args["k"])
            elif action.name == ENABLE_TYPED_STATE:
                self.shows_typed = True

    def _held(self) -> int:
        if self.forgets:
            return 0
        words = self.memory.words
        k = self.memory.k
        most = self.said
        if words is not None:
            most = min(most, int(words * TOKENS_PER_WORD * (k or 1)))
        elif k is not None and self.paragraphs:
            most = min(most, k * self.said // self.paragraphs)
        return most + (
            TYPED_TOKENS * (len(self.typed) + 1) if self.shows_typed and self.typed else 0
        )

    def _probes(self, t: int) -> Took:
        read = count_tokens(self.plan.sessions[0].text) if t == 0 else self._held()
        questions = [count_tokens(probe.question) for probe in self.plan.probes_at(t)]
        n = len(questions)
        return n, sum(questions) + (self.role + read) * n, ANSWER_TOKENS * n

    def _session(self, t: int) -> list[Took]:
        session = self.plan.sessions[t]
        held = self._held()
        turns = 2 if self.scenario.tools(self.plan, t) else 1
        before = self.role + held + count_tokens(session.material)
        calls = tokens_in = 0
        for task in session.tasks:
            before += count_tokens(task.text)
            calls = calls + turns
            tokens_in = tokens_in + turns * before
            before += REPLY_TOKENS
        told = count_tokens(session.text) + REPLY_TOKENS * len(session.tasks)
        write = self._compaction(told + (self.said if self._logs else held))
        self.said += told
        self.paragraphs += session.text.count("\n\n") + 1 + len(session.tasks)
        self.typed |= {found.name for found in sentinels(session.text) if found is not None}
        return [(calls, tokens_in, calls * REPLY_TOKENS), write]

    @property
    def _logs(self) -> bool:
        return self.memory.keeps_log

    def _event(self, name: str, t: int) -> Took:
        """What a lifecycle event asks of the model at a point; only those that condense ask for
        anything.
        """
        if name == PARTIAL_RESET and self._logs:
            return self._compaction(self.said)
        if name != RECOMPACT:
            return 0, 0, 0
        words = self.memory.words
        if words is not None and self.memory.k is not None:  # each session's summary by itself
            calls, tokens_in, tokens_out = self._compaction(int(words * TOKENS_PER_WORD))
            return calls * t, tokens_in * t, tokens_out * t
        return self._compaction(self.said if self._logs else self._held())

    def _compaction(self, text: int) -> Took:
        if self.memory.model is None:
            return 0, 0, 0
        words = self.memory.words
        kept = int(words * TOKENS_PER_WORD) if words else text
        return 1, text + PROMPT_TOKENS, min(kept, text)


class TransitionCosts(InMemory):
    """Keeps nothing of a life but what each transition took."""

    def __init__(self) -> None:
        super().__init__()
        self.usages: list[Usage] = []

    def commit(self, transition: Transition) -> None:
        """Add up the events and the answers of a transition."""
        usages = [
            event.usage
            for event in transition.events
            if event.usage is not None and event.lifecycle != LIFE_START
        ]
        usages += [row.usage for row in transition.answers]
        self.usages.append(total(usages))
