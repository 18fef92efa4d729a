"""Chooses what is asked at each point: a bounded, stratified sample of the facts due there.

Standalone probes make the headline. Their strata are the plain facts by lag, the revised facts and
the look-alikes; each probe weighs as many due facts as it stands for, so m(t) estimates the score
over all due facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from agingbench.bench.plan.facts import Account, Fact, FactGraph, Version
from agingbench.bench.plan.plan import PAIRED, RETRACTED, Probe
from agingbench.bench.plan.pools import stream
from agingbench.text import matching
from agingbench.text.values import Value

STANDALONE_PER_POINT = 12
REVISED_PER_POINT = 2
PAIRED_PER_POINT = 3
PAIRS_PER_PAIRED_PROBE = 2  # more pairs than six ask for more at every point
RETRACTED_PER_POINT = 1
DEPENDENCY_PER_POINT = 2
INSPECTED_PER_POINT = 100
LAG_STRATA = ((1, 1), (2, 3), (4, 5), (6, 7), (8, 10))
DEPENDENCY_KINDS = ("compare", "multi_hop", "synthesize", "trend")
LABELS = ("A", "B", "C", "D", "E")  # of the facts that one question asks for
FIRST_AND_NOW = ("first", "now")
# What questions say of values that are moments, and of all others.
MOMENT_KINDS = ("date", "clock")
LINK = "link"  # the family of the facts that make chains
OLD = 10  # lags beyond this share one stratum
RECENT_LISTS = 12  # lists that lost a member and are still asked for
RECENT_CHAINS = 24  # chains that are still asked for


class Pool:
    """A set that can be sampled in constant time and in a reproducible order."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.place: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: int) -> None:
        """Add an item unless it is there already."""
        if item not in self.place:
            self.place[item] = len(self.items)
            self.items.append(item)

    def discard(self, item: int) -> None:
        """Remove an item if it is there; the last item takes its place."""
        place = self.place.pop(item, None)
        if place is None:
            return

        last = self.items.pop()
        if last != item:
            self.items[place] = last
            self.place[last] = place

    def sample(self, rng: Random, most: int) -> list[int]:
        """Draw up to `most` different items."""
        size = min(most, len(self.items))
        return rng.sample(self.items, size)


@dataclass
class LinkedFacts:
    """A chain of facts, value holder first; it can be asked for once it has `length` facts."""

    length: int
    phrase: str
    facts: list[Fact] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        """Append a fact, which then points to the one before it."""
        if self.facts:
            fact.points_to = self.facts[-1].id
        self.facts.append(fact)


class Prober:
    """Follows the facts of a life as they are told and plans the probes of each point."""

    def __init__(
        self, graph: FactGraph, seed: int, dependency_probes: int = 0, pairs: int = 0
    ) -> None:
        self.graph = graph
        self.seed = seed
        self.dependency_probes = dependency_probes
        # Every pair that a life of ten sessions completes is asked for in it.
        self.paired_probes = max(PAIRED_PER_POINT, pairs // PAIRS_PER_PAIRED_PROBE)
        self.standalone_probes = STANDALONE_PER_POINT + self.paired_probes - PAIRED_PER_POINT
        self.all = Pool()
        self.old = Pool()
        self.revised = Pool()
        self.live = Pool()
        self.retracted = Pool()
        self.recent: dict[int, Pool] = {}
        self.told: Counter[tuple[int, bool]] = Counter()  # by session, look-alikes apart
        self.tickets: dict[int, str] = {}  # which fact of its session it is, whatever the dials
        self.by_scale: dict[tuple[str, str], Pool] = {}  # facts whose values can be compared
        self.paired: list[int] = []  # a queue: the longest unasked first
        self.kin: dict[str, list[Fact]] = {}  # look-alikes by domain, told so far
        self.lists: dict[str, list[int]] = {}
        self.thinned: list[str] = []  # lists that lost a member
        self.chains: list[LinkedFacts] = []
        self.turn = seed % 97  # which dependency type comes next

    # -- what happens to facts

    def tell(self, fact: Fact) -> None:
        """Take note of a new fact: it can be asked for from its session on."""
        index = _index(fact)
        self.live.add(index)

        if fact.family == "pair":
            self.kin.setdefault(fact.domain, []).append(fact)
        if fact.group is not None:
            self.lists.setdefault(fact.group, []).append(index)
            return

        # Links are asked for hop by hop: as plain facts they would make a life easier, the more of
        # them it has.
        if fact.family != LINK:
            self.recent.setdefault(fact.born, Pool()).add(index)
            kind = (fact.born, fact.family == "pair")
            self.told[kind] += 1
            self.tickets[index] = f"{kind}/{self.told[kind]}"
        self.all.add(index)
        scale = _scale(fact)
        if scale is not None:
            self.by_scale.setdefault(scale, Pool()).add(index)

    def revise(self, fact: Fact) -> None:
        """Take note of a fact's new value: it moves to the stratum of the revised."""
        index = _index(fact)
        self._leave_lag_strata(fact)
        self.revised.add(index)

    def retract(self, fact: Fact) -> None:
        """Take note that a fact no longer holds: its list is asked for, or that it is gone."""
        index = _index(fact)
        self.live.discard(index)

        if fact.group is not None:
            if fact.group not in self.thinned:
                self.thinned.append(fact.group)
            return

        self._leave_lag_strata(fact)
        self.all.discard(index)
        self.retracted.add(index)
        scale = _scale(fact)
        if scale is not None:
            self.by_scale[scale].discard(index)

    def pair(self, one: Fact, other: Fact) -> None:
        """Make two facts look-alikes of each other: they move to the stratum of the paired."""
        one.partner = other.id
        other.partner = one.id
        for fact in (one, other):
            self._leave_lag_strata(fact)
            self.paired.append(_index(fact))

    def link(self, chain: LinkedFacts) -> None:
        """Take note of a complete chain of facts, which multi-hop probes may ask for."""
        self.chains.append(chain)

    def _leave_lag_strata(self, fact: Fact) -> None:
        index = _index(fact)
        self.old.discard(index)
        if fact.born in self.recent:
            self.recent[fact.born].discard(index)

    # -- what is asked

    def point(self, t: int, dependency: bool) -> list[Probe]:
        """Return the probes of one point, in plan order."""
        rng = stream(self.seed, "point", t)
        for index in self.recent.pop(t - OLD - 1, Pool()).items:
            self.old.add(index)

        probes = PointProbes(t, self.graph, self.kin)
        self._standalone(rng, t, probes)

        if self.thinned:
            group = rng.choice(self.thinned[-RECENT_LISTS:])
            probes.listing(self.lists[group])

        if t >= 2:
            for account in self.graph.accounts:
                probes.account(account)

        count = self.dependency_probes
        if dependency:
            count += DEPENDENCY_PER_POINT
        for _ in range(count):
            self._dependency(rng, probes)

        for index in self.retracted.sample(rng, RETRACTED_PER_POINT):
            probes.retracted(self.graph.facts[index])
        return probes.probes

    def inspect(self, t: int) -> list[str]:
        """Return the ids of the facts that memory-text metrics look for at this point."""
        rng = stream(self.seed, "inspect", t)
        sample = self.live.sample(rng, INSPECTED_PER_POINT)
        return [f"f{index}" for index in sorted(sample)]

    def _standalone(self, rng: Random, t: int, probes: PointProbes) -> None:
        facts = self.graph.facts
        paired = self.paired[: self.paired_probes]
        self.paired = self.paired[len(paired) :] + paired
        revised = self.revised.sample(rng, REVISED_PER_POINT)

        strata = self._lag_strata(t)
        slots = self.standalone_probes - len(paired) - len(revised)
        shares = _spread(slots, [len(items) for _, items in strata])
        for (name, items), share in zip(strata, shares, strict=True):
            drawn = rng.sample(items, share) if items is self.old.items else self._by_lot(items, t)
            for index in drawn[:share]:
                weight = len(items) / share
                probes.standalone(facts[index], "compression", name, weight)

        for index in revised:
            weight = len(self.revised) / len(revised)
            probes.standalone(facts[index], "revision", "revised", weight)

        for index in paired:
            weight = len(self.paired) / len(paired)
            probes.standalone(facts[index], "interference", PAIRED, weight)

    def _by_lot(self, items: Sequence[int], t: int) -> list[int]:
        """These facts in an order drawn fact by fact: a life with other dials asks for the same."""
        lots: dict[int, bytes] = {}
        for index in items:
            ticket = f"{self.seed}/{t}/{self.tickets[index]}"
            lots[index] = sha256(ticket.encode()).digest()
        return sorted(items, key=lambda index: lots[index])

    def _lag_strata(self, t: int) -> list[tuple[str, list[int]]]:
        strata = [("lag>10", self.old.items)]
        for low, high in LAG_STRATA:
            items: list[int] = []
            for session in range(t - high, t - low + 1):
                if session in self.recent:
                    items += self.recent[session].items

            name = f"lag{low}" if low == high else f"lag{low}-{high}"
            strata.append((name, items))
        return strata

    def _dependency(self, rng: Random, probes: PointProbes) -> None:
        # Asks the next type in turn that this point can still ask, and nothing if there is none.
        for _ in range(2 * len(DEPENDENCY_KINDS)):
            self.turn += 1
            kind = DEPENDENCY_KINDS[self.turn % len(DEPENDENCY_KINDS)]

            if kind == "multi_hop":
                if not self.chains:
                    continue
                chain = rng.choice(self.chains[-RECENT_CHAINS:])
                if probes.is_new(kind, chain.facts):
                    probes.multi_hop(chain)
                    return
                continue

            facts = [self.graph.facts[index] for index in self._sources(rng, kind)]
            if not facts or not probes.is_new(kind, facts):
                continue
            question = _dependency_question(kind, facts, probes.t)
            if question is not None:
                probes.dependency(kind, question, facts)
                return

    def _sources(self, rng: Random, kind: str) -> list[int]:
        if kind == "trend":
            return self.revised.sample(rng, 1)

        if kind == "synthesize":
            if len(self.all) < 3:
                return []
            return self.all.sample(rng, rng.randint(3, 5))

        scales = [scale for scale, pool in self.by_scale.items() if len(pool) >= 2]
        if not scales:
            return []
        sizes = [len(self.by_scale[scale]) for scale in scales]
        scale = rng.choices(scales, weights=sizes)[0]
        return self.by_scale[scale].sample(rng, 2)


def _index(fact: Fact) -> int:
    return int(fact.id[1:])


def _scale(fact: Fact) -> tuple[str, str] | None:
    # The scale that the fact's values lie on; None when they have no order.
    rank = matching.rank(fact.versions[0].value)
    return None if rank is None else rank.scale


class DependencyQuestion(NamedTuple):
    """A question for several values and the form of its answer."""

    text: str
    required: list[Value]
    form: str
    labels: Sequence[str]
    options: Sequence[str] = ()
    choice: str = ""


def _dependency_question(kind: str, facts: Sequence[Fact], t: int) -> DependencyQuestion | None:
    """Return the question of this kind about the facts; None when they cannot be asked so."""
    if kind == "trend":
        question = _trend_question(facts[0], t)
    elif kind == "compare":
        question = _compare_question(facts, t)
    else:
        question = _synthesize_question(facts, t)
    if question is None:
        return None

    # A question that names one fact may not state what another one holds or held.
    for fact in facts:
        for version in fact.versions:
            if matching.states(question.text, version.value):
                return None
    return question


def _trend_question(fact: Fact, t: int) -> DependencyQuestion | None:
    phrase = fact.phrase[0].upper() + fact.phrase[1:]
    lead = f"{phrase} has changed since I first mentioned it."
    first = fact.versions[0].value
    now = _current(fact, t).value
    if matching.key(first) == matching.key(now):
        return None

    required = [first, now]
    before = matching.rank(first)
    after = matching.rank(now)
    if before is None or after is None or before.scale != after.scale:
        text = f"{lead} What was it at first, and what is it now?"
        return DependencyQuestion(text, required, "pairs", FIRST_AND_NOW)

    rises = after.position > before.position
    if now.kind in MOMENT_KINDS:
        text = f"{lead} Did it become later or earlier, from what to what?"
        options = ("later", "earlier")
    else:
        text = f"{lead} Did it go up or down, from what to what?"
        options = ("up", "down")
    choice = options[0] if rises else options[1]
    return DependencyQuestion(text, required, "choice", FIRST_AND_NOW, options, choice)


def _compare_question(facts: Sequence[Fact], t: int) -> DependencyQuestion | None:
    one, other = [_current(fact, t).value for fact in facts]
    rank = matching.rank(one)
    other_rank = matching.rank(other)
    if rank is None or other_rank is None or rank.scale != other_rank.scale:
        return None
    if rank.position == other_rank.position:
        return None

    more = "later" if one.kind in MOMENT_KINDS else "higher"
    text = f"Which is {more}: (A) {facts[0].phrase} or (B) {facts[1].phrase}?"
    labels = LABELS[:2]
    choice = labels[0] if rank.position > other_rank.position else labels[1]
    return DependencyQuestion(text, [one, other], "choice", labels, labels, choice)


def _synthesize_question(facts: Sequence[Fact], t: int) -> DependencyQuestion:
    labels = LABELS[: len(facts)]
    parts = [f"({label}) {fact.phrase}" for label, fact in zip(labels, facts, strict=True)]
    text = f"For my records, state each of these: {'; '.join(parts)}."
    values = [_current(fact, t).value for fact in facts]
    return DependencyQuestion(text, values, "pairs", labels)


def _spread(slots: int, sizes: Sequence[int]) -> list[int]:
    # Round robin over the strata from the freshest to the oldest, none beyond its size.
    shares = [0] * len(sizes)
    slots = min(slots, sum(sizes))
    while slots > 0:
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
        """Tell whether this point has not yet asked for these facts in this way."""
        ids = {fact.id for fact in facts}
        return not any(probe.type == kind and set(probe.facts) == ids for probe in self.probes)

    def standalone(self, fact: Fact, mechanism: str, stratum: str, weight: float) -> None:
        """Ask for one fact; these probes make the headline."""
        self._add(
            "standalone",
            mechanism,
            fact.question,
            [fact],
            stratum=stratum,
            weight=weight,
            form="value",
        )

    def dependency(self, kind: str, question: DependencyQuestion, facts: list[Fact]) -> None:
        """Ask for a trend, a comparison or several values at once."""
        self._add(
            kind,
            "revision" if kind == "trend" else "compression",
            question.text,
            facts,
            required=question.required,
            whole=question.form == "choice",
            form=question.form,
            labels=list(question.labels),
            options=list(question.options),
            choice=question.choice,
        )

    def multi_hop(self, chain: LinkedFacts) -> None:
        """Ask for the value at the end of a chain, then for each of its links."""
        holder, *pointers = chain.facts
        gold = _current(holder, self.t).value
        pointer_values = [_current(fact, self.t).value for fact in pointers]
        self._add(
            "multi_hop",
            "compression",
            f"What is {chain.phrase}?",
            chain.facts,
            required=[gold],
            derivation=pointer_values,
            form="value",
            depth=len(chain.facts),
        )

        parent = self.probes[-1].id
        for hop, fact in enumerate(reversed(chain.facts), 1):
            self._add(
                "hop", "compression", fact.question, [fact], hop=hop, parent=parent, form="value"
            )

    def listing(self, members: list[int]) -> None:
        """Ask for the members of a list that still hold; all of them or nothing."""
        facts = [self.graph.facts[index] for index in members]
        live: list[Fact] = []
        stale: list[Value] = []
        for fact in facts:
            if fact.at(self.t) is not None:
                live.append(fact)
            else:
                stale += fact.stale_at(self.t)
        self._add("list", "revision", facts[0].question, live, stale=stale, whole=True, form="list")

    def retracted(self, fact: Fact) -> None:
        """Ask for a fact that was taken back: the right answer gives no value for it."""
        assert fact.retracted_at is not None, f"{fact.id} was never taken back"
        self.probes.append(
            Probe(
                id=f"p{self.t}.{len(self.probes)}",
                t=self.t,
                type=RETRACTED,
                mechanism="revision",
                question=fact.question,
                facts=[fact.id],
                required=[],
                stale=fact.stale_at(self.t),
                lag=self.t - fact.retracted_at,
                depth=fact.depth_at(self.t),
                form="value",
            )
        )

    def account(self, account: Account) -> None:
        """Ask for the balance of an account, if it exists at this point."""
        balance = account.balance(self.t)
        if balance is None:
            return

        confusable: list[Value] = []
        if account.partner:
            partner = self.graph.accounts[1 - int(account.id[1:])]
            rival = partner.balance(self.t)
            if rival is not None and rival != balance:
                confusable = [partner.value(rival)]

        self.probes.append(
            Probe(
                id=f"p{self.t}.{len(self.probes)}",
                t=self.t,
                type="account",
                mechanism="revision",
                question=account.question,
                facts=[],
                required=[account.value(balance)],
                stale=[account.value(earlier) for earlier in account.earlier_balances(self.t)],
                confusable=confusable,
                account=account.id,
                form="amount",
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
        versions = [_current(fact, self.t) for fact in facts]
        sources = [version.session for version in versions]
        required = required or [version.value for version in versions]

        if stale is None:
            stale = []
            for fact in facts:
                stale += fact.stale_at(self.t)

        # A look-alike is confused with its partner and with all its siblings.
        rivals: list[Value] = []
        domains = dict.fromkeys(fact.domain for fact in facts if fact.partner)
        for domain in domains:
            for sibling in self.kin[domain]:
                rivals += [version.value for version in sibling.versions]

        self.probes.append(
            Probe(
                id=f"p{self.t}.{len(self.probes)}",
                t=self.t,
                type=kind,
                mechanism=mechanism,
                question=question,
                facts=[fact.id for fact in facts],
                required=required,
                lag=self.t - min(sources),
                stale=_others(stale, required),
                confusable=_others(rivals, required),
                depth=depth or max(fact.depth_at(self.t) for fact in facts),
                span=max(sources) - min(sources),
                **more,
            )
        )


def _others(values: Sequence[Value], required: Sequence[Value]) -> list[Value]:
    # The different values among these that are not equal to a required one.
    required_keys = {(value.kind, matching.key(value)) for value in required}
    others = []
    for value in dict.fromkeys(values):
        if (value.kind, matching.key(value)) not in required_keys:
            others.append(value)
    return others
