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

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from agingbench.bench.plan.facts import Fact, sessions_before
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.interfaces import Agent, Emit, Memory
from agingbench.models.extractive import DONE, UNKNOWN
from agingbench.records import Answer, Event, Tool, Unit

WRITE = "write"
RETRIEVAL = "retrieval"
UTILIZATION = "utilization"
STORE = "store"
STAGES = (WRITE, RETRIEVAL, UTILIZATION, STORE)
BOTH = "write+retrieval"  # what a diagnosis can name of a memory that is one blob
NONE = "none"
STRENGTHS = (0.25, 0.5, 1.0)
EVENT = "recompact"


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
        if self.stage in (WRITE, RETRIEVAL) and self.blob:
            return BOTH
        return self.stage

    @property
    def share(self) -> str:
        """Which share of the diagnosis the fault plants."""
        shares = {BOTH: "W+R", WRITE: "W", RETRIEVAL: "R", UTILIZATION: "U", STORE: "ΔS"}
        return shares[self.expected]


SOUND = Fault(NONE, 0.0)


def planted_faults(strengths: Sequence[float] = STRENGTHS) -> list[Fault]:
    """Every fault at every strength; one blob has no retrieval that could confuse look-alikes."""
    faults = []
    for stage in STAGES:
        kinds = [(False, False), (True, False)]  # blob, lookalikes
        if stage == RETRIEVAL:
            kinds.insert(1, (False, True))
        for blob, lookalikes in kinds:
            faults += [Fault(stage, strength, blob, lookalikes) for strength in strengths]
    return faults


class Coins:
    """Which facts a fault strikes: one coin for each, fixed by the seed and by what the fault is."""

    def __init__(self, fault: Fault, plan: Plan) -> None:
        self.fault = fault
        self.name = f"{plan.scenario}/{plan.seed}/{fault}"
        self._strikes: dict[str, bool] = {}

    def strike(self, owner: str) -> bool:
        if owner not in self._strikes:
            # A string seeds the same everywhere, whatever PYTHONHASHSEED says.
            self._strikes[owner] = Random(f"{self.name}/{owner}").random() < self.fault.strength
        return self._strikes[owner]


class Sentences:
    """What a life tells, sentence by sentence, by the fact or account it is about."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        # Per session, (owner, sentence).
        self.of_session: list[list[tuple[str, str]]] = [[] for _ in plan.sessions]
        self.owner: dict[str, str] = {}
        self.value: dict[str, str] = {}
        for fact in plan.graph.facts:
            for version in fact.versions:
                self._tell(version.session, fact.id, version.sentence)
                self.value[version.sentence] = version.value.text
            if fact.retraction is not None and fact.retracted_at is not None:
                self._tell(fact.retracted_at, fact.id, fact.retraction)
        for account in plan.graph.accounts:
            self._tell(account.session, account.id, account.sentence)
            for delta in account.deltas:
                self._tell(delta.session, account.id, delta.sentence)
        self.probe = {(p.t, p.question): p for p in plan.probes}

    def _tell(self, session: int, owner: str, sentence: str) -> None:
        self.of_session[session].append((owner, sentence))
        self.owner[sentence] = owner

    def needed(self, owner: str, point: int) -> list[str]:
        """Return the sentences on what is true of a fact or account at a point; [] if retracted."""
        if owner in self.plan.graph.by_id:
            version = self.plan.graph.by_id[owner].at(point)
            return [version.sentence] if version is not None else []
        account = self.plan.graph.account_by_id[owner]
        deltas = [d.sentence for d in account.deltas if d.session < sessions_before(point)]
        return [account.sentence, *deltas]

    def lookalike(self, owner: str, point: int, excluded: Collection[str]) -> list[str]:
        """Return what a confused retrieval gives: the partner, or the nearest fact of its kind.

        Never one of the `excluded`, which the probe needs as well: that would heal the fault.
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

        def distance(other: Fact) -> tuple[bool, int]:
            return other.domain != fact.domain, abs(_number(other) - _number(fact))

        kind = fact.versions[0].value.kind
        candidates = []
        for other in graph.live(point):
            if other.id not in excluded and other.versions[0].value.kind == kind:
                candidates.append(other)
        nearest = min(candidates, key=distance, default=None)
        return self.needed(nearest.id, point) if nearest else []


def _number(fact: Fact) -> int:
    return int(fact.id[1:])


def owners(probe: Probe) -> list[str]:
    """The facts that a probe needs, or its account."""
    return [probe.account] if probe.account is not None else probe.facts


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
        def is_missed(owner: str) -> bool:
            return self.fault.stage == RETRIEVAL and self.coins.strike(owner)

        probe = self.sentences.probe.get((self.sessions, query))
        if self.fault.blob or probe is None:
            visible = [s for s in self.stored if not is_missed(self.sentences.owner[s])]
            return "\n".join(visible)

        results: list[str] = []
        for owner in owners(probe):
            if not is_missed(owner):
                results += self.sentences.needed(owner, self.sessions)
            elif self.fault.lookalikes:
                results += self.sentences.lookalike(owner, self.sessions, owners(probe))
        stored = set(self.stored)
        return "\n".join(sentence for sentence in results if sentence in stored)

    def write(self, events: Sequence[Event]) -> None:
        for owner, sentence in self.sentences.of_session[self.sessions]:
            if not (self.fault.stage == WRITE and self.coins.strike(owner)):
                self.stored.append(sentence)
        self.sessions += 1

    def units(self) -> list[Unit] | None:
        if self.fault.blob:
            return None
        return [Unit(str(n), sentence) for n, sentence in enumerate(self.stored)]

    def apply(self, event: str, **args: Any) -> None:
        if self.fault.stage == STORE:
            owner = self.sentences.owner
            self.stored = [s for s in self.stored if not self.coins.strike(owner[s])]

    def dump(self) -> dict[str, Any]:
        return {"sessions": self.sessions, "kept": list(self.stored)}

    def load(self, state: dict[str, Any]) -> None:
        self.sessions = state["sessions"]
        self.stored = list(state["kept"])

    def configure(self, **options: Any) -> None:
        return None


class FaultyAgent(Agent):
    """Answers exactly what the text in front of it says, unless its fault is to ignore it."""

    memory: FaultyMemory

    def __init__(self, plan: Plan, fault: Fault) -> None:
        self.sentences = Sentences(plan)
        self.coins = Coins(fault, plan)
        self.memory = FaultyMemory(self.sentences, self.coins)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        emit(Event(step=0, role="user", content=text))
        emit(Event(step=0, role="assistant", content=DONE))
        return DONE

    def ask(self, question: str, context: str | None = None) -> Answer:
        if context is None:
            context = self.memory.read(question)
        probe = self.sentences.probe[self.memory.sessions, question]
        return Answer(self._say(probe, context), context=context)

    def _say(self, probe: Probe, context: str) -> str:
        ignores = self.coins.fault.stage == UTILIZATION

        def sees(owner: str) -> bool:
            if ignores and self.coins.strike(owner):
                return False
            # An account may move twice by the same words; the sum needs both.
            needed = Counter(self.sentences.needed(owner, probe.t))
            return all(context.count(sentence) >= n for sentence, n in needed.items())

        visible = [sees(owner) for owner in owners(probe)]
        if probe.type in ("multi_hop", "account"):
            return probe.required[0].text if all(visible) else UNKNOWN
        if any(visible):
            pairs = zip(probe.required, visible, strict=True)
            return "; ".join(value.text for value, is_visible in pairs if is_visible)
        if not self.coins.fault.lookalikes:
            return UNKNOWN
        # It takes the look-alike for what was asked.
        return self.sentences.value.get(context.partition("\n")[0], UNKNOWN)

    def end_session(self) -> None:
        self.memory.write([])

    def fork(self) -> FaultyAgent:
        return self  # asking changes nothing here

    def dump(self) -> dict[str, Any]:
        return self.memory.dump()

    def load(self, state: dict[str, Any]) -> None:
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
    losses = [expected_loss(probe, fault.strength) for probe in plan.probes if probe.t in points]
    return sum(losses) / len(losses)
