"""Turns a scenario's content into a life: when facts are told, revised, retracted and linked.

Everything is drawn session by session from streams of its own, so a life of N sessions is the
beginning of every longer life under the same dials, and the work per session does not depend on the
session's number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

import msgspec

from agingbench.bench.plan.content import Content, Draft
from agingbench.bench.plan.facts import Account, Fact, FactGraph, Version
from agingbench.bench.plan.plan import Plan, Probe, Session, Task
from agingbench.bench.plan.pools import stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.probing import LinkedFacts, Prober
from agingbench.text.values import Value
from agingbench.text.wording import count_tokens

LIST_SIZE = 4
FULL_DEPTH_EVERY = 5  # revised facts
PAIRS_PER_SESSION = 4
TOKENS_PER_PAIR = 60  # a pair's two sentences
SENTINELS = (int, 0, 1)  # the range of the dial that content with accounts declares
LONGEST_WAIT = 3  # sessions between a fact and its revision or retraction, at most


class Ticker:
    """Spreads a rate evenly: after n ticks it has fired n·rate times, give or take one."""

    def __init__(self, rate: float, phase: float) -> None:
        self.rate = rate
        self.sum = phase

    def tick(self) -> bool:
        before = int(self.sum)
        self.sum += self.rate
        return int(self.sum) > before


@dataclass
class _Open:
    """What is still to come for the facts already told."""

    changes: dict[int, list[tuple[Fact, Draft, int]]] = field(
        default_factory=dict
    )  # (fact, draft, versions to come)
    retractions: dict[int, list[tuple[Fact, Draft]]] = field(default_factory=dict)
    drafts: dict[int, list[tuple[Draft, Value, Callable[[Fact], None]]]] = field(
        default_factory=dict
    )


class Weaver:
    """Builds one life, session after session."""

    def __init__(self, scenario: str, content: Content, pressure: Pressure, seed: int) -> None:
        self.scenario = scenario
        self.content = content
        self.pressure = pressure
        self.seed = seed
        phases = stream(scenario, seed, "phases")
        self.update = Ticker(pressure.update_rate, phases.random())
        self.forget = Ticker(pressure.forget_rate, phases.random())
        self.depend = Ticker(pressure.dependency_density, phases.random())
        self.link = Ticker(pressure.dependency_density, phases.random())
        self.chain_length = phases.randrange(1000)
        self.hops = phases.randrange(1000)
        self.graph = FactGraph([], [])
        self.open = _Open()
        self.shape = content.shape
        self.prober = Prober(
            self.graph,
            stream(scenario, seed, "probes").randrange(2**60),
            content.shape.dependency_probes,
        )
        self.pairs_told = 0
        self.unlike: list[Value] = []  # the values of look-alikes so far
        self.balances: dict[str, int] = {}
        self.retractable: list[
            tuple[Fact, Draft]
        ] = []  # facts of this session that may be retracted
        self.due_retractions = 0  # how many the dial asks for by now

    def weave(self, sessions: int, version: str, headline: str) -> Plan:
        """The whole life: text, truth and probes."""
        told: list[Session] = []
        probes: list[Probe] = []
        inspected: list[list[str]] = []
        for t in range(sessions):
            told.append(self._session(t))
            warm = self.pressure.warmup_sessions or 0
            asks_dependency = t + 1 > warm and self.depend.tick()
            at_point = self.prober.point(t + 1, asks_dependency)
            facts = self.prober.inspect(t + 1)
            if t == 0:  # point 0 asks inside session 0 what point 1 asks after the first write
                probes += [
                    msgspec.structs.replace(p, id=f"p0.{p.id.split('.')[1]}", t=0) for p in at_point
                ]
                inspected.append(facts)
            probes += at_point
            inspected.append(facts)
        return Plan(
            scenario=self.scenario,
            scenario_version=version,
            headline=headline,
            seed=self.seed,
            n_sessions=sessions,
            preset="",
            pressure=self.pressure,
            events=[],
            sessions=told,
            probes=probes,
            inspected=inspected,
            graph=self.graph,
        )

    def _session(self, t: int) -> Session:
        rng = stream(self.scenario, self.seed, "session", t)
        lines: list[str] = []
        for fact, draft, more in self.open.changes.pop(t, []):
            lines.append(self._change(rng, t, fact, draft, more))
        for fact, draft in self.open.retractions.pop(t, []):
            fact.retracted_at = t
            fact.retraction = draft.retract.format(v=fact.versions[0].value.text)
            lines.append(fact.retraction)
            self.prober.retracted(fact)
        for draft, value, join in self.open.drafts.pop(t, []):
            late = self._tell(rng, t, draft, value)
            join(late)
            lines.append(late.versions[0].sentence)
        lines += [
            self._tell(rng, t, draft).versions[0].sentence for draft in self._new_drafts(rng, t)
        ]
        self._plan_retractions(rng, t)
        lines += self._chain(rng, t)
        lines += self._pairs(rng, t, lines)
        lines += self._accounts(rng, t)
        tasks = self.content.tasks(rng, t, self.graph)
        return Session(t, self._material(rng, t, lines, tasks), tasks)

    def _new_drafts(self, rng: Random, t: int) -> list[Draft]:
        if t == 0:
            return [*self.content.opening(rng), *self.content.listing(rng, 0)]
        drafts = [self.content.note(rng) for _ in range(self.shape.notes)]
        every = self.shape.list_every
        if every and t % every == 1 % every:
            drafts += self.content.listing(rng, 1 + t // every)
        return drafts

    def _tell(self, rng: Random, t: int, draft: Draft, value: Value | None = None) -> Fact:
        value = value or draft.draw(rng, [])
        fact = Fact(
            id=f"f{len(self.graph.facts)}",
            family=draft.family,
            domain=draft.domain,
            subject=draft.subject,
            phrase=draft.phrase,
            question=draft.question or f"What is {draft.phrase}?",
            versions=[Version(t, value, draft.say.format(v=value.text))],
            group=draft.group,
        )
        self.graph.facts.append(fact)
        self.prober.told(fact)
        if draft.change and self.pressure.max_chain_depth > 1 and self.update.tick():
            more = self._revisions(rng)
            self.open.changes.setdefault(self._next_change(rng, t), []).append((fact, draft, more))
        elif draft.retract:
            self.retractable.append((fact, draft))
        if draft.family not in ("pair", "link"):
            self.due_retractions += self.forget.tick()
        return fact

    def _revisions(self, rng: Random) -> int:
        # What changed once changes again at the same rate; some go all the way, so that any rate
        # reaches the depth.
        most = self.pressure.max_chain_depth - 1
        more = 1
        self.chain_length += 1
        if self.chain_length % FULL_DEPTH_EVERY == 0:
            return most
        while more < most and rng.random() < self.pressure.update_rate:
            more += 1
        return more

    def _next_change(self, rng: Random, t: int) -> int:
        # The rate is one per session: where much changes, the next change comes soon.
        after = t + 1
        while after < t + LONGEST_WAIT and rng.random() >= self.pressure.update_rate:
            after += 1
        return after

    def _plan_retractions(self, rng: Random, t: int) -> None:
        # List members go first, since a list can be asked for what is left of it; every list keeps
        # one member.
        kept: set[str] = set()
        lists = []
        plain = []
        for fact, draft in self.retractable:
            if fact.group is None:
                plain.append((fact, draft))
            elif fact.group not in kept:
                kept.add(fact.group)
            else:
                lists.append((fact, draft))
        rng.shuffle(lists)
        rng.shuffle(plain)
        queue = lists + plain
        take = min(self.due_retractions, len(queue))
        for fact, draft in queue[:take]:
            self.open.retractions.setdefault(t + 1 + rng.randrange(LONGEST_WAIT), []).append(
                (fact, draft)
            )
        self.due_retractions -= take  # what no fact could take waits for the next session
        self.retractable = []

    def _change(self, rng: Random, t: int, fact: Fact, draft: Draft, more: int) -> str:
        value = draft.draw(rng, [v.value for v in fact.versions])
        sentence = draft.change.format(v=value.text)
        fact.versions.append(Version(t, value, sentence))
        self.prober.changed(fact)
        if more > 1:
            self.open.changes.setdefault(self._next_change(rng, t), []).append(
                (fact, draft, more - 1)
            )
        return sentence

    def _chain(self, rng: Random, t: int) -> list[str]:
        depth = self.pressure.max_chain_depth
        if (
            t < (self.pressure.warmup_sessions or 0)
            or depth < 2
            or self.pressure.dependency_density == 0
        ):
            return []
        if not self.link.tick():
            return []
        self.hops += 1
        plan = self.content.chain(rng, 2 + self.hops % (depth - 1))
        chain = LinkedFacts(len(plan.links), plan.phrase)
        holder = self._tell(rng, t, plan.links[0], plan.values[0])
        chain.add(holder)
        for step, (draft, value) in enumerate(zip(plan.links[1:], plan.values[1:], strict=True), 1):
            self.open.drafts.setdefault(t + step, []).append(
                (draft, value, partial(self._join, chain))
            )
        return [holder.versions[0].sentence]

    def _join(self, chain: LinkedFacts, fact: Fact) -> None:
        chain.add(fact)
        if len(chain.facts) == chain.length:
            self.prober.linked(chain)

    def _pairs(self, rng: Random, t: int, lines: Sequence[str]) -> list[str]:
        if (
            t < self.pressure.confusable_start_session
            or self.pairs_told >= self.pressure.n_confusable_pairs
        ):
            return []
        # A session that is full of other things already tells one pair, so that it keeps to its
        # size.
        room = self.pressure.tokens_per_session // 2 - sum(count_tokens(line) for line in lines)
        most = max(1, min(PAIRS_PER_SESSION, room // TOKENS_PER_PAIR))
        told = []
        for _ in range(min(most, self.pressure.n_confusable_pairs - self.pairs_told)):
            one, other = self.content.pair(rng, self.pairs_told)
            self.pairs_told += 1
            first = self._tell(rng, t, one, self._unlike(rng, one))
            late = (other, self._unlike(rng, other), partial(self.prober.pair, first))
            self.open.drafts.setdefault(t + 1, []).append(late)
            told.append(first.versions[0].sentence)
        return told

    def _unlike(self, rng: Random, draft: Draft) -> Value:
        # What is true of a look-alike is true of no other: an answer then shows whose value it is.
        value = draft.draw(rng, self.unlike)
        self.unlike.append(value)
        return value

    def _accounts(self, rng: Random, t: int) -> list[str]:
        lines = []
        for account in self.graph.accounts:
            for _ in range(2 if rng.random() < 0.3 else 1):
                delta = self.content.delta(rng, t, account, self.balances[account.id])
                account.deltas.append(delta)
                self.balances[account.id] += delta.amount
                lines.append(self._marked(delta.sentence, "ACCUM", account, f"{delta.amount:+d}"))
        second = self.pressure.n_confusable_pairs > 0 and t == max(
            1, self.pressure.confusable_start_session
        )
        if (t == 0 and self.shape.accounts > 0) or (second and self.shape.accounts > 1):
            account = self.content.account(rng, t, len(self.graph.accounts))
            if second:
                account.partner = self.graph.accounts[0].id
                self.graph.accounts[0].partner = account.id
            self.graph.accounts.append(account)
            self.balances[account.id] = account.opening
            lines.append(
                self._marked(account.sentence, "ACCUM_INIT", account, str(account.opening))
            )
        return lines

    def _marked(self, sentence: str, mark: str, account: Account, value: str) -> str:
        # The sentinel stands in front, so that no later cut into sentences gives it to a neighbour.
        if not self.pressure.own.get("sentinels"):
            return sentence
        return f"[{mark}:{re.sub('[^a-z0-9]+', '_', account.name.lower())}:{value}] {sentence}"

    def _material(self, rng: Random, t: int, lines: list[str], tasks: list[Task]) -> str:
        # The dial asks for the session's whole text; half of the tasks is set aside so that both
        # the material alone and the material with its tasks stay close to what was asked.
        target = (
            self.pressure.tokens_per_session - sum(count_tokens(task.text) for task in tasks) // 2
        )
        rng.shuffle(lines)
        head = self.content.frame(t)
        size = (len(head) + sum(len(line) + 1 for line in lines)) / 4
        talk: list[str] = []
        while size < target:
            talk.append(self.content.talk(rng))
            size += (len(talk[-1]) + 1) / 4
        slots = sorted(rng.randrange(len(talk) + 1) for _ in lines)
        out: list[str] = []
        done = 0
        for slot, line in zip(slots, lines, strict=True):
            out += talk[done:slot]
            out.append(line)
            done = slot
        out += talk[done:]
        paragraphs = [" ".join(out[i : i + 6]) for i in range(0, len(out), 6)]
        return "\n\n".join([head, *paragraphs] if head else paragraphs)
