"""Chooses what is asked at each point: a bounded, stratified sample of the facts due there.

Standalone probes make the headline. Their strata are the plain facts by lag, the revised facts and
the look-alikes; each probe weighs as many due facts as it stands for, so m(t) estimates the score
over all due facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agingbench.bench.plan.facts import Account, Fact, FactGraph, Version
from agingbench.bench.plan.plan import Probe
from agingbench.bench.plan.pools import stream
from agingbench.text import matching
from agingbench.text.values import Value

STANDALONE_PER_POINT = 12
REVISED_PER_POINT = 2
PAIRED_PER_POINT = 3
DEPENDENCY_PER_POINT = 2
INSPECTED_PER_POINT = 100
LAG_STRATA = ((1, 1), (2, 3), (4, 5), (6, 7), (8, 10))
DEPENDENCY_KINDS = ("compare", "multi_hop", "synthesize", "trend")
OLD = 10  # lags beyond this share one stratum


class Pool:
    """A set that can be sampled in constant time and in a reproducible order."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.place: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: int) -> None:
        if item not in self.place:
            self.place[item] = len(self.items)
            self.items.append(item)

    def discard(self, item: int) -> None:
        at = self.place.pop(item, None)
        if at is None:
            return
        last = self.items.pop()
        if last != item:
            self.items[at] = last
            self.place[last] = at

    def sample(self, rng: Random, most: int) -> list[int]:
        return rng.sample(self.items, min(most, len(self.items)))


@dataclass
class LinkedFacts:
    """A chain of facts, value holder first; askable once all of it was told."""

    length: int
    phrase: str
    facts: list[Fact] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        if self.facts:
            fact.points_to = self.facts[-1].id
        self.facts.append(fact)


class Prober:
    """Follows the facts of a life as they are told and plans the probes of each point."""

    def __init__(self, graph: FactGraph, seed: int, dependency_probes: int = 0) -> None:
        self.graph = graph
        self.seed = seed
        self.dependency_probes = dependency_probes
        self.all = Pool()
        self.old = Pool()
        self.revised = Pool()
        self.live = Pool()
        self.recent: dict[int, Pool] = {}
        self.by_kind: dict[str, Pool] = {}
        self.paired: list[int] = []  # a queue: the longest unasked first
        self.kin: dict[str, list[Fact]] = {}  # look-alikes by domain, told so far
        self.lists: dict[str, list[int]] = {}
        self.thinned: list[str] = []  # lists that lost a member
        self.chains: list[LinkedFacts] = []
        self.turn = seed % 97  # which dependency type comes next

    # -- what happens to facts

    def told(self, fact: Fact) -> None:
        index = int(fact.id[1:])
        self.live.add(index)
        if fact.family == "pair":
            self.kin.setdefault(fact.domain, []).append(fact)
        if fact.group is not None:
            self.lists.setdefault(fact.group, []).append(index)
            return
        self.recent.setdefault(fact.born, Pool()).add(index)
        self.all.add(index)
        self.by_kind.setdefault(fact.versions[0].value.kind, Pool()).add(index)

    def changed(self, fact: Fact) -> None:
        index = int(fact.id[1:])
        self._not_plain(fact, index)
        self.revised.add(index)

    def retracted(self, fact: Fact) -> None:
        index = int(fact.id[1:])
        self.live.discard(index)
        if fact.group is not None:
            if fact.group not in self.thinned:
                self.thinned.append(fact.group)
            return
        self._not_plain(fact, index)
        self.all.discard(index)
        self.by_kind[fact.versions[0].value.kind].discard(index)

    def pair(self, one: Fact, other: Fact) -> None:
        one.partner = other.id
        other.partner = one.id
        for fact in (one, other):
            self._not_plain(fact, int(fact.id[1:]))
            self.paired.append(int(fact.id[1:]))

    def linked(self, chain: LinkedFacts) -> None:
        self.chains.append(chain)

    def _not_plain(self, fact: Fact, index: int) -> None:
        self.old.discard(index)
        if fact.born in self.recent:
            self.recent[fact.born].discard(index)

    # -- what is asked

    def point(self, t: int, dependency: bool) -> list[Probe]:
        """The probes of one point, in plan order."""
        rng = stream(self.seed, "point", t)
        for index in self.recent.pop(t - OLD - 1, Pool()).items:
            self.old.add(index)
        probes = PointProbes(t, self.graph, self.kin)
        self._standalone(rng, t, probes)
        if self.thinned:
            probes.listing(self.lists[rng.choice(self.thinned[-12:])])
        for account in self.graph.accounts:
            if t >= 2:
                probes.account(account)
        for _ in range(self.dependency_probes + (DEPENDENCY_PER_POINT if dependency else 0)):
            self._dependency(rng, probes)
        return probes.probes

    def inspect(self, t: int) -> list[str]:
        """The facts that memory-text metrics look for at this point."""
        rng = stream(self.seed, "inspect", t)
        return [f"f{i}" for i in sorted(self.live.sample(rng, INSPECTED_PER_POINT))]

    def _standalone(self, rng: Random, t: int, probes: PointProbes) -> None:
        paired = self.paired[:PAIRED_PER_POINT]
        self.paired = self.paired[len(paired) :] + paired
        revised = self.revised.sample(rng, REVISED_PER_POINT)
        slots = STANDALONE_PER_POINT - len(paired) - len(revised)
        strata = [("lag>10", self.old.items)]
        for low, high in LAG_STRATA:
            items = [
                i
                for s in range(t - high, t - low + 1)
                if s in self.recent
                for i in self.recent[s].items
            ]
            strata.append((f"lag{low}-{high}" if low != high else f"lag{low}", items))
        shares = _spread(slots, [len(items) for _, items in strata])
        for (name, items), share in zip(strata, shares, strict=True):
            for index in rng.sample(items, share):
                probes.standalone(self.graph.facts[index], "compression", name, len(items) / share)
        for index in revised:
            probes.standalone(
                self.graph.facts[index], "revision", "revised", len(self.revised) / len(revised)
            )
        for index in paired:
            probes.standalone(
                self.graph.facts[index], "interference", "paired", len(self.paired) / len(paired)
            )

    def _dependency(self, rng: Random, probes: PointProbes) -> None:
        for _ in range(
            2 * len(DEPENDENCY_KINDS)
        ):  # the next type in turn that this point can still ask
            self.turn += 1
            kind = DEPENDENCY_KINDS[self.turn % len(DEPENDENCY_KINDS)]
            if kind == "multi_hop":
                chain = rng.choice(self.chains[-24:]) if self.chains else None
                if chain is not None and probes.is_new(kind, chain.facts):
                    return probes.multi_hop(chain)
                continue
            facts = [self.graph.facts[i] for i in self._sources(rng, kind)]
            if (
                facts
                and probes.is_new(kind, facts)
                and (kind == "trend" or _askable(kind, facts, probes.t))
            ):
                return probes.trend(facts[0]) if kind == "trend" else probes.several(kind, facts)
        return None

    def _sources(self, rng: Random, kind: str) -> list[int]:
        if kind == "trend":
            return self.revised.sample(rng, 1)
        if kind == "synthesize":
            return self.all.sample(rng, rng.randint(3, 5)) if len(self.all) >= 3 else []
        values = self.graph.facts[self.all.sample(rng, 1)[0]].versions[0].value.kind
        return self.by_kind[values].sample(rng, 2)


def _askable(kind: str, facts: Sequence[Fact], t: int) -> bool:
    # A comparison needs two values, and a question that names one fact may not state what another
    # one holds or held.
    question = _question(kind, facts)
    if kind == "compare" and len({matching.key(_current(f, t).value) for f in facts}) < 2:
        return False
    return not any(matching.states(question, v.value) for f in facts for v in f.versions)


def _question(kind: str, facts: Sequence[Fact]) -> str:
    # No number word in the lead: it would state a value of that size.
    lead = (
        "Compare these and state each"
        if kind == "compare"
        else "For my records, state each of these"
    )
    return f"{lead}: {'; '.join(fact.phrase for fact in facts)}."


def _spread(slots: int, sizes: Sequence[int]) -> list[int]:
    # Round robin over the strata from the freshest to the oldest, none beyond its size.
    shares = [0] * len(sizes)
    while slots > 0 and any(share < size for share, size in zip(shares, sizes, strict=True)):
        for k in [*range(1, len(sizes)), 0]:
            if slots > 0 and shares[k] < sizes[k]:
                shares[k] += 1
                slots -= 1
    return shares


def _current(fact: Fact, t: int) -> Version:
    version = fact.at(t)
    assert version is not None, f"{fact.id} is asked at {t} but does not hold then"
    return version


class PointProbes:
    """The probes of one point while they are put together."""

    def __init__(self, t: int, graph: FactGraph, kin: Mapping[str, Sequence[Fact]]) -> None:
        self.t = t
        self.graph = graph
        self.kin = kin
        self.probes: list[Probe] = []

    def is_new(self, kind: str, facts: Sequence[Fact]) -> bool:
        """Has this point not yet asked for these facts in this way?"""
        ids = {fact.id for fact in facts}
        return not any(probe.type == kind and set(probe.facts) == ids for probe in self.probes)

    def standalone(self, fact: Fact, mechanism: str, stratum: str, weight: float) -> None:
        self._add("standalone", mechanism, fact.question, [fact], stratum=stratum, weight=weight)

    def trend(self, fact: Fact) -> None:
        phrase = fact.phrase[0].upper() + fact.phrase[1:]
        question = (
            f"{phrase} has changed since I first mentioned it. What is it after the latest change?"
        )
        self._add("trend", "revision", question, [fact])

    def several(self, kind: str, facts: list[Fact]) -> None:
        self._add(kind, "compression", _question(kind, facts), facts)

    def multi_hop(self, chain: LinkedFacts) -> None:
        holder, *pointers = chain.facts
        gold = _current(holder, self.t).value
        passed = [_current(f, self.t).value for f in pointers]
        self._add(
            "multi_hop",
            "compression",
            f"What is {chain.phrase}?",
            chain.facts,
            required=[gold],
            derivation=passed,
            depth=len(chain.facts),
        )
        parent = self.probes[-1].id
        for hop, fact in enumerate(reversed(chain.facts), 1):
            self._add("hop", "compression", fact.question, [fact], hop=hop, parent=parent)

    def listing(self, members: list[int]) -> None:
        facts = [self.graph.facts[i] for i in members]
        live = [f for f in facts if f.at(self.t) is not None]
        gone = [v for f in facts if f.at(self.t) is None for v in f.stale_at(self.t)]
        self._add("list", "revision", facts[0].question, live, stale=gone, whole=True)

    def account(self, account: Account) -> None:
        balance = account.balance(self.t)
        if balance is None:
            return
        other = self.graph.accounts[1 - int(account.id[1:])] if account.partner else None
        rival = other.balance(self.t) if other else None
        self.probes.append(
            Probe(
                id=f"p{self.t}.{len(self.probes)}",
                t=self.t,
                type="account",
                mechanism="revision",
                question=account.question,
                facts=[],
                required=[_dollars(balance)],
                stale=[_dollars(b) for b in account.earlier_balances(self.t)],
                confusable=[_dollars(rival)] if rival is not None and rival != balance else [],
                account=account.id,
            )
        )

    def _add(
        self,
        kind: str,
        mechanism: str,
        question: str,
        facts: list[Fact],
        required: list[Value] | None = None,
        stale: list[Value] | None = None,
        depth: int | None = None,
        **more: Any,
    ) -> None:
        versions = [_current(f, self.t) for f in facts]
        required = required or [v.value for v in versions]
        keys = {(v.kind, matching.key(v)) for v in required}
        kin = {
            f.domain: self.kin[f.domain] for f in facts if f.partner
        }  # the partner and all its siblings
        rivals = [v.value for siblings in kin.values() for f in siblings for v in f.versions]
        stale = [v for f in facts for v in f.stale_at(self.t)] if stale is None else stale
        sources = [v.session for v in versions]
        self.probes.append(
            Probe(
                id=f"p{self.t}.{len(self.probes)}",
                t=self.t,
                type=kind,
                mechanism=mechanism,
                question=question,
                facts=[f.id for f in facts],
                required=required,
                lag=self.t - min(sources),
                stale=[v for v in dict.fromkeys(stale) if (v.kind, matching.key(v)) not in keys],
                confusable=[
                    v for v in dict.fromkeys(rivals) if (v.kind, matching.key(v)) not in keys
                ],
                depth=depth or max(f.depth_at(self.t) for f in facts),
                span=max(sources) - min(sources),
                **more,
            )
        )


def _dollars(amount: int) -> Value:
    return Value("number", f"${amount:,}")
