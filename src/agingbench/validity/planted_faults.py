"""Agents with one planted fault, and the share of error that it plants.

Each agent reads perfectly and keeps the very sentences it was told, so the planted fault is its
only one. A fault of strength p strikes every fact (an account counts as one) with probability p, by
a coin that the seed fixes: at the write what is told of it is dropped; at retrieval it is not
found, or a look-alike is given in its place; at utilization it is not seen in whatever context
holds it; at a lifecycle event it is deleted from the store.

The planted share follows. A probe that needs k facts whole loses 1 − (1 − p)^k of its credit on
average, one that is worth the share of the values it states loses p, and a share is the mean of
that over the probes: over all of them, or for ΔS over those at the event.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agingbench.bench.plan.facts import Fact, sessions_before
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.interfaces import Agent, Emit, Memory
from agingbench.models.extractive import DONE
from agingbench.records import Answer, Event, Tool, Unit
from agingbench.text.forms import UNKNOWN, in_form

WRITE = "write"
RETRIEVAL = "retrieval"
UTILIZATION = "utilization"
STORE = "store"
STAGES = (WRITE, RETRIEVAL, UTILIZATION, STORE)
BOTH = "write+retrieval"  # what a diagnosis can name of a memory that is one blob
NONE = "none"
STRENGTHS = (0.25, 0.5, 1.0)
EVENT = "recompact"

# The share of the diagnosis that stands for a stage.
SHARES = {
    BOTH: "W+R",
    WRITE: "W",
    RETRIEVAL: "R",
    UTILIZATION: "U",
    STORE: "ΔS",
}


@dataclass(frozen=True)
class Fault:
    """Where an agent is broken, how often, and in which kind of memory."""

    stage: str
    strength: float
    blob: bool = False
    lookalikes: bool = False  # retrieval gives a look-alike rather than nothing

    @property
    def expected(self) -> str:
        """What the diagnosis should name."""
        if self.blob and self.stage in (WRITE, RETRIEVAL):
            return BOTH

        return self.stage

    @property
    def share(self) -> str:
        """Which share of the diagnosis the fault plants."""
        return SHARES[self.expected]


SOUND = Fault(NONE, 0.0)


def planted_faults(strengths: Sequence[float] = STRENGTHS) -> list[Fault]:
    """Return every fault at every strength; a blob has no retrieval that confuses look-alikes."""
    faults = []

    for stage in STAGES:
        faults += [Fault(stage, strength) for strength in strengths]
        if stage == RETRIEVAL:
            faults += [Fault(stage, strength, lookalikes=True) for strength in strengths]
        faults += [Fault(stage, strength, blob=True) for strength in strengths]

    return faults


class Coins:
    """Which facts a fault strikes: one coin for each, fixed by the seed and the fault."""

    def __init__(self, fault: Fault, plan: Plan) -> None:
        self.fault = fault
        self.name = f"{plan.scenario}/{plan.seed}/{fault}"
        self._strikes: dict[str, bool] = {}

    def strike(self, owner: str) -> bool:
        """Return whether the fault strikes this fact or account."""
        if owner not in self._strikes:
            # A string seeds the same everywhere, whatever PYTHONHASHSEED says.
            coin = Random(f"{self.name}/{owner}")
            self._strikes[owner] = coin.random() < self.fault.strength

        return self._strikes[owner]


class Sentences:
    """What a life tells, sentence by sentence, by the fact or account it is about."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.of_session: list[list[tuple[str, str]]] = [[] for _ in plan.sessions]  # with owners
        self.owner: dict[str, str] = {}
        self.value: dict[str, str] = {}
        self._passages: dict[str, set[str]] = {}  # what the sessions say for a sentence

        for fact in plan.graph.facts:
            for version in fact.versions:
                self._tell(version.session, fact.id, version.sentence, version.passage)
                self.value[version.sentence] = version.value.text

            if fact.retraction is not None and fact.retracted_at is not None:
                passage = fact.retraction_passage
                self._tell(fact.retracted_at, fact.id, fact.retraction, passage)

        for account in plan.graph.accounts:
            self._tell(account.session, account.id, account.sentence, account.passage)
            for delta in account.deltas:
                self._tell(delta.session, account.id, delta.sentence, delta.passage)

        self.probe: dict[tuple[int, str], Probe] = {}
        for probe in plan.probes:
            self.probe[probe.t, probe.prompt] = probe

    def _tell(self, session: int, owner: str, sentence: str, passage: str) -> None:
        self.of_session[session].append((owner, sentence))
        self.owner[sentence] = owner
        if passage and sentence not in passage:
            self._passages.setdefault(sentence, set()).add(passage)

    def count(self, sentence: str, text: str) -> int:
        """Return how often a text holds a sentence, or a passage that says it in a session."""
        passages = self._passages.get(sentence, set())
        return text.count(sentence) + sum(text.count(passage) for passage in passages)

    def needed(self, owner: str, point: int, history: bool = False) -> list[str]:
        """Return the sentences on what is true of a fact or account at a point; [] if retracted.

        With `history` the sentence that first told of the fact goes before.
        """
        graph = self.plan.graph

        if owner in graph.by_id:
            versions = graph.by_id[owner].needed_at(point, history)
            return [version.sentence for version in versions]

        account = graph.account_by_id[owner]
        sentences = [account.sentence]
        for delta in account.deltas:
            if delta.session < sessions_before(point):
                sentences.append(delta.sentence)

        return sentences

    def lookalike(self, owner: str, point: int, excluded: Collection[str]) -> list[str]:
        """Return what a confused retrieval gives: the partner, or the nearest fact of its kind.

        Never one of the `excluded`, which the probe needs as well, nor one with a value of the
        fact's own: either would heal the fault.
        """
        graph = self.plan.graph
        fact = graph.by_id.get(owner)

        if fact is None:
            for account in graph.accounts:
                if account.id != owner and account.session < sessions_before(point):
                    return self.needed(account.id, point)
            return []

        if fact.partner and fact.partner not in excluded:
            sentences = self.needed(fact.partner, point)
            if sentences:
                return sentences

        kind = fact.versions[0].value.kind
        number = _number(fact)
        nearest: Fact | None = None
        shortest = (True, 0)

        own_values = {version.value for version in fact.versions}

        for other in graph.live(point):
            if other.id in excluded or other.versions[0].value.kind != kind:
                continue
            if any(version.value in own_values for version in other.versions):
                continue

            distance = (other.domain != fact.domain, abs(_number(other) - number))
            if nearest is None or distance < shortest:
                nearest = other
                shortest = distance

        return self.needed(nearest.id, point) if nearest else []


def _number(fact: Fact) -> int:
    return int(fact.id[1:])


def owners(probe: Probe) -> list[str]:
    """Return the ids of the facts that a probe needs, or of its account."""
    if probe.account is not None:
        return [probe.account]

    return probe.facts


class FaultyMemory(Memory):
    """Keeps every sentence, as units or as one blob, and finds exactly those a question needs."""

    supports = frozenset({EVENT})

    def __init__(self, sentences: Sentences, coins: Coins) -> None:
        self.sentences = sentences
        self.coins = coins
        self.fault = coins.fault
        self.sessions = 0
        self.stored: list[str] = []

    def read(self, query: str) -> str:
        """Return the sentences that the question needs, or all of them for a blob."""
        probe = self.sentences.probe.get((self.sessions, query))

        if self.fault.blob or probe is None:
            owner = self.sentences.owner
            visible = [s for s in self.stored if not self._is_missed(owner[s])]
            return "\n".join(visible)

        results: list[str] = []
        for owner_id in owners(probe):
            if not self._is_missed(owner_id):
                results += self.sentences.needed(owner_id, self.sessions, probe.asks_history)
            elif self.fault.lookalikes:
                results += self.sentences.lookalike(owner_id, self.sessions, owners(probe))

        stored = set(self.stored)
        return "\n".join(sentence for sentence in results if sentence in stored)

    def _is_missed(self, owner: str) -> bool:
        return self.fault.stage == RETRIEVAL and self.coins.strike(owner)

    def write(self, events: Sequence[Event]) -> None:
        """Store every sentence of the session that the fault does not drop."""
        drops = self.fault.stage == WRITE

        for owner, sentence in self.sentences.of_session[self.sessions]:
            if drops and self.coins.strike(owner):
                continue
            self.stored.append(sentence)

        self.sessions += 1

    def check_out(self, folder: str, files: Mapping[str, str]) -> None:
        """Leave it: this memory is about what was said."""

    def units(self) -> list[Unit] | None:
        """Return one unit per sentence, or None for a blob."""
        if self.fault.blob:
            return None

        return [Unit(str(n), sentence) for n, sentence in enumerate(self.stored)]

    def apply(self, event: str, **args: Any) -> None:
        """Delete what a store fault strikes; without such a fault nothing is lost."""
        if self.fault.stage != STORE:
            return

        owner = self.sentences.owner
        self.stored = [s for s in self.stored if not self.coins.strike(owner[s])]

    def dump(self) -> dict[str, Any]:
        """Return the state to save."""
        return {
            "sessions": self.sessions,
            "kept": list(self.stored),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        self.sessions = state["sessions"]
        self.stored = list(state["kept"])

    def configure(self, **options: Any) -> None:
        """Ignore the options: there is nothing to configure."""


class FaultyAgent(Agent):
    """Answers exactly what the text in front of it says, unless its fault is to ignore it."""

    memory: FaultyMemory

    def __init__(self, plan: Plan, fault: Fault) -> None:
        self.sentences = Sentences(plan)
        self.coins = Coins(fault, plan)
        self.memory = FaultyMemory(self.sentences, self.coins)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Reply to every task that it is done."""
        emit(Event(step=0, role="user", content=text))
        emit(Event(step=0, role="assistant", content=DONE))

        return DONE

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer from the context, or from the memory where none is put in front of the agent."""
        if context is None:
            context = self.memory.read(question)

        probe = self.sentences.probe[self.memory.sessions, question]
        return Answer(self._answer_text(probe, context), context=context)

    def _answer_text(self, probe: Probe, context: str) -> str:
        if not probe.required:
            return in_form("value", [UNKNOWN])
        is_visible = [self._sees(owner, probe, context) for owner in owners(probe)]
        values = [value.text for value in probe.required]

        if probe.type in ("multi_hop", "account", "trend"):
            if all(is_visible):
                return in_form(probe.form, values, probe.labels, probe.choice)
            is_visible = []

        if any(is_visible):
            if probe.form == "list":
                return in_form("list", list(itertools.compress(values, is_visible)))
            parts = [v if seen else UNKNOWN for v, seen in zip(values, is_visible, strict=True)]
            choice = probe.choice if all(is_visible) else UNKNOWN
            return in_form(probe.form, parts, probe.labels, choice)

        if not self.coins.fault.lookalikes or probe.type in ("multi_hop", "account", "trend"):
            return in_form("value", [UNKNOWN])

        # It takes the look-alike for what was asked.
        first_sentence = context.partition("\n")[0]
        return in_form("value", [self.sentences.value.get(first_sentence, UNKNOWN)])

    def _sees(self, owner: str, probe: Probe, context: str) -> bool:
        """Return whether the context holds all of a fact and the agent does not ignore it."""
        if self.coins.fault.stage == UTILIZATION and self.coins.strike(owner):
            return False

        # An account may move twice by the same words; the sum needs both.
        needed = Counter(self.sentences.needed(owner, probe.t, probe.asks_history))
        return all(self.sentences.count(sentence, context) >= n for sentence, n in needed.items())

    def end_session(self) -> None:
        """Write the session to the memory."""
        self.memory.write([])

    def fork(self) -> FaultyAgent:
        """Return the agent itself: asking changes nothing here."""
        return self

    def dump(self) -> dict[str, Any]:
        """Return the state to save."""
        return self.memory.dump()

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        self.memory.load(state)


def expected_loss(probe: Probe, strength: float) -> float:
    """Return the mean credit a probe loses when each fact is struck with this probability."""
    if probe.type == "multi_hop" or probe.whole:
        return 1 - (1 - strength) ** len(owners(probe))

    return strength


def planted_share(plan: Plan, fault: Fault) -> float:
    """Return the share that the fault plants: the mean loss over all probes, or at the event."""
    points = set(range(1, plan.n_sessions + 1))
    if fault.stage == STORE:
        points = {event.at for event in plan.events}

    losses = []
    for probe in plan.probes:
        if probe.t in points and probe.required:
            losses.append(expected_loss(probe, fault.strength))

    return sum(losses) / len(losses)
