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

from agingbench.bench.plan.facts import Fact, seen_by
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
        return {BOTH: "W+R", WRITE: "W", RETRIEVAL: "R", UTILIZATION: "U", STORE: "ΔS"}[
            self.expected
        ]


SOUND = Fault(NONE, 0.0)


def planted_faults(strengths: Sequence[float] = STRENGTHS) -> list[Fault]:
    """Every fault at every strength; one blob has no retrieval that could confuse look-alikes."""
    kinds = [(stage, blob, False) for stage in STAGES for blob in (False, True)]
    kinds.insert(kinds.index((RETRIEVAL, True, False)), (RETRIEVAL, False, True))
    return [
        Fault(stage, strength, blob, lookalikes)
        for stage, blob, lookalikes in kinds
        for strength in strengths
    ]


class Coins:
    """Which facts a fault strikes: one coin for each, fixed by the seed and by what the fault is."""

    def __init__(self, fault: Fault, plan: Plan) -> None:
        self.fault = fault
        self.name = f"{plan.scenario}/{plan.seed}/{fault}"
        self._struck: dict[str, bool] = {}

    def strike(self, owner: str) -> bool:
        if owner not in self._struck:
            # A string seeds the same everywhere, whatever PYTHONHASHSEED says.
            self._struck[owner] = Random(f"{self.name}/{owner}").random() < self.fault.strength
        return self._struck[owner]


class Sentences:
    """What a life tells, sentence by sentence, by the fact or account it is about."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.of_session: list[list[tuple[str, str]]] = [
            [] for _ in plan.sessions
        ]  # (owner, sentence)
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
        """The sentences that say what holds of a fact or account at a point; none of a fact that
        holds no more.
        """
        if owner in self.plan.graph.by_id:
            version = self.plan.graph.by_id[owner].at(point)
            return [version.sentence] if version is not None else []
        account = self.plan.graph.account_by_id[owner]
        return [
            account.sentence,
            *(d.sentence for d in account.deltas if d.session < seen_by(point)),
        ]

    def lookalike(self, owner: str, point: int, asked: Collection[str]) -> list[str]:
        """What a confused retrieval gives instead: its partner's, or that of the nearest fact with
        a value of its kind.

        Never what is asked for as well, since that would heal the fault.
        """
        fact = self.plan.graph.by_id.get(owner)
        if fact is None:
            others = [
                a.id
                for a in self.plan.graph.accounts
                if a.id != owner and a.session < seen_by(point)
            ]
            return self.needed(others[0], point) if others else []
        if (
            fact.partner
            and fact.partner not in asked
            and (told := self.needed(fact.partner, point))
        ):
            return told
        kind = fact.versions[0].value.kind
        alike = [
            f
            for f in self.plan.graph.live(point)
            if f.id not in asked and f.versions[0].value.kind == kind
        ]
        nearest = min(
            alike,
            key=lambda f: (f.domain != fact.domain, abs(_number(f) - _number(fact))),
            default=None,
        )
        return self.needed(nearest.id, point) if nearest else []


def _number(fact: Fact) -> int:
    return int(fact.id[1:])


def owners(probe: Probe) -> list[str]:
    """The facts that a probe needs, or its account."""
    return [probe.account] if probe.account is not None else probe.facts


class FaultyMemory(Memory):
    """Keeps the sentences told, each as a unit or all as one blob, and finds exactly those that a
    question needs.
    """

    supports = frozenset({EVENT})

    def __init__(self, told: Sentences, coins: Coins) -> None:
        self.told = told
        self.coins = coins
        self.fault = coins.fault
        self.sessions = 0
        self.kept: list[str] = []

    def read(self, query: str) -> str:
        probe = self.told.probe.get((self.sessions, query))
        blind = self.fault.stage == RETRIEVAL
        if self.fault.blob or probe is None:
            return "\n".join(
                s for s in self.kept if not (blind and self.coins.strike(self.told.owner[s]))
            )
        found: list[str] = []
        for owner in owners(probe):
            if not (blind and self.coins.strike(owner)):
                found += self.told.needed(owner, self.sessions)
            elif self.fault.lookalikes:
                found += self.told.lookalike(owner, self.sessions, owners(probe))
        kept = set(self.kept)
        return "\n".join(s for s in found if s in kept)

    def write(self, events: Sequence[Event]) -> None:
        for owner, sentence in self.told.of_session[self.sessions]:
            if not (self.fault.stage == WRITE and self.coins.strike(owner)):
                self.kept.append(sentence)
        self.sessions += 1

    def units(self) -> list[Unit] | None:
        return (
            None
            if self.fault.blob
            else [Unit(str(n), sentence) for n, sentence in enumerate(self.kept)]
        )

    def apply(self, event: str, **args: Any) -> None:
        if self.fault.stage == STORE:
            self.kept = [s for s in self.kept if not self.coins.strike(self.told.owner[s])]

    def dump(self) -> dict[str, Any]:
        return {"sessions": self.sessions, "kept": list(self.kept)}

    def load(self, state: dict[str, Any]) -> None:
        self.sessions = state["sessions"]
        self.kept = list(state["kept"])

    def configure(self, **options: Any) -> None:
        return None


class FaultyAgent(Agent):
    """Answers exactly what the text in front of it says, unless its fault is to ignore it."""

    memory: FaultyMemory

    def __init__(self, plan: Plan, fault: Fault) -> None:
        self.told = Sentences(plan)
        self.coins = Coins(fault, plan)
        self.memory = FaultyMemory(self.told, self.coins)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        emit(Event(step=0, role="user", content=text))
        emit(Event(step=0, role="assistant", content=DONE))
        return DONE

    def ask(self, question: str, context: str | None = None) -> Answer:
        read = self.memory.read(question) if context is None else context
        return Answer(
            self._say(self.told.probe[self.memory.sessions, question], read), context=read
        )

    def _say(self, probe: Probe, context: str) -> str:
        ignores = self.coins.fault.stage == UTILIZATION

        def sees(owner: str) -> bool:
            # An account may move twice by the same words; whoever adds up needs both.
            told = Counter(self.told.needed(owner, probe.t))
            return all(context.count(s) >= n for s, n in told.items()) and not (
                ignores and self.coins.strike(owner)
            )

        seen = [sees(owner) for owner in owners(probe)]
        if probe.type in ("multi_hop", "account"):
            return probe.required[0].text if all(seen) else UNKNOWN
        if any(seen):
            return "; ".join(
                value.text for value, known in zip(probe.required, seen, strict=True) if known
            )
        # It takes what it was given for what was asked.
        return (
            self.told.value.get(context.partition("\n")[0], UNKNOWN)
            if self.coins.fault.lookalikes
            else UNKNOWN
        )

    def end_session(self) -> None:
        self.memory.write([])

    def fork(self) -> FaultyAgent:
        return self  # asking changes nothing here

    def dump(self) -> dict[str, Any]:
        return self.memory.dump()

    def load(self, state: dict[str, Any]) -> None:
        self.memory.load(state)


def expected_loss(probe: Probe, strength: float) -> float:
    """The credit that a probe loses on average when each fact it needs is struck with this
    probability.
    """
    if probe.type == "multi_hop" or probe.whole:
        return 1 - (1 - strength) ** len(owners(probe))
    return strength


def planted_share(plan: Plan, fault: Fault) -> float:
    """The share that the fault plants in this life: the mean loss over its probes, or over those at
    the event.
    """
    at = (
        {event.at for event in plan.events}
        if fault.stage == STORE
        else set(range(1, plan.n_sessions + 1))
    )
    losses = [expected_loss(probe, fault.strength) for probe in plan.probes if probe.t in at]
    return sum(losses) / len(losses)
