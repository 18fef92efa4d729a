"""Turns a scenario's content into a life: when facts are told, revised, retracted and linked.

Everything is drawn session by session from streams of its own, so a life of N sessions is the
beginning of every longer life under the same dials, and the work per session does not depend on the
session's number. Lives of one seed under different dials tell the same facts in the same words as
far as the dials allow, so that pressures can be compared seed by seed.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import ClassVar, NamedTuple

import msgspec

from agingbench.bench.plan.content import Content, Draft
from agingbench.bench.plan.decoys import Decoy, Decoys
from agingbench.bench.plan.facts import Account, Fact, FactGraph, Version
from agingbench.bench.plan.plan import Plan, Probe, Scenario, Session, Task
from agingbench.bench.plan.pools import stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.probing import LinkedFacts, Prober
from agingbench.bench.plan.scenes import Narrator, Passage
from agingbench.bench.plan.tables import Row, Tables
from agingbench.text.values import Value
from agingbench.text.wording import count_tokens

FULL_DEPTH_EVERY = 5  # revised facts
PAIRS_PER_SESSION = 4
TOKENS_PER_PAIR = 60  # a pair's two sentences
SENTINELS = (int, 0, 1)  # the range of the dial that content with accounts declares
LONGEST_WAIT = 3  # sessions between a fact and its revision or retraction, at most
TWO_MOVEMENTS = 0.3  # how often an account moves twice in a session
FULL = 0.75  # the share of a session beyond which it tells no decoys


class Ticker:
    """Spreads a rate evenly: after n ticks it has fired n·rate times, give or take one."""

    def __init__(self, rate: float, phase: float) -> None:
        self.rate = rate
        self.sum = phase

    def tick(self) -> bool:
        """Advance by one and tell whether it fires."""
        before = int(self.sum)
        self.sum += self.rate
        return int(self.sum) > before


class DueRevision(NamedTuple):
    """A revision to come, with how many versions the fact still gets."""

    fact: Fact
    draft: Draft
    versions: int


class DueRetraction(NamedTuple):
    """A retraction to come."""

    fact: Fact
    draft: Draft


class DueFact(NamedTuple):
    """A fact to come that belongs to an earlier one; `join` ties the two together."""

    draft: Draft
    value: Value
    join: Callable[[Fact], None]


@dataclass
class Schedule:
    """What later sessions have to say, by session."""

    revisions: dict[int, list[DueRevision]] = field(default_factory=dict)
    retractions: dict[int, list[DueRetraction]] = field(default_factory=dict)
    facts: dict[int, list[DueFact]] = field(default_factory=dict)

    def add_revision(self, session: int, revision: DueRevision) -> None:
        """Schedule a revision for a session."""
        self.revisions.setdefault(session, []).append(revision)

    def add_retraction(self, session: int, retraction: DueRetraction) -> None:
        """Schedule a retraction for a session."""
        self.retractions.setdefault(session, []).append(retraction)

    def add_fact(self, session: int, fact: DueFact) -> None:
        """Schedule a fact for a session."""
        self.facts.setdefault(session, []).append(fact)


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
        self.schedule = Schedule()
        self.shape = content.shape
        self.narrator = Narrator(content.corpus, seed, content.split)
        self.prober = Prober(
            self.graph,
            stream(scenario, seed, "probes").randrange(2**60),
            content.shape.dependency_probes,
            pressure.n_confusable_pairs,
        )

        self.decoys = Decoys(content, pressure.update_rate)
        self.pair_count = 0
        self.unlike: list[Value] = []  # the values of look-alikes so far
        self.balances: dict[str, int] = {}
        self.retractable: list[DueRetraction] = []  # this session's facts that may be retracted
        self.due_retractions = 0  # how many the dial asks for by now
        self.retracts_member = False  # whether the last one was to be the member of a list

    def weave(self, n_sessions: int, version: str, headline: str) -> Plan:
        """Build the whole life: text, truth and probes."""
        sessions: list[Session] = []
        probes: list[Probe] = []
        inspected: list[list[str]] = []
        warmup = self.pressure.warmup_sessions or 0

        for t in range(n_sessions):
            sessions.append(self._session(t))
            asks_dependency = t + 1 > warmup and self.depend.tick()
            point_probes = self.prober.point(t + 1, asks_dependency)
            facts = self.prober.inspect(t + 1)

            # Point 0 asks inside session 0 what point 1 asks after the first write.
            if t == 0:
                for probe in point_probes:
                    number = probe.id.split(".")[1]
                    probes.append(msgspec.structs.replace(probe, id=f"p0.{number}", t=0))
                inspected.append(facts)

            probes += point_probes
            inspected.append(facts)

        return Plan(
            scenario=self.scenario,
            scenario_version=version,
            headline=headline,
            seed=self.seed,
            n_sessions=n_sessions,
            preset="",
            pressure=self.pressure,
            events=[],
            sessions=sessions,
            probes=probes,
            inspected=inspected,
            graph=self.graph,
        )

    def _stream(self, *parts: object) -> Random:
        """A random stream of its own: what one dial adds leaves the rest of a life as it was."""
        return stream(self.scenario, self.seed, *parts)

    def _session(self, t: int) -> Session:
        lines: list[Passage] = []
        self.narrator.begin(t)
        self.content.today = self.narrator.filler.today

        rng = self._stream("revisions", t)
        for revision in self.schedule.revisions.pop(t, []):
            lines.append(self._revise(rng, t, revision))

        rng = self._stream("retractions", t)
        for fact, draft in self.schedule.retractions.pop(t, []):
            value = fact.versions[0].value
            fact.retracted_at = t
            fact.retraction = draft.retract.format(v=value.text)
            fact.retraction_passage = self._wording(rng, draft, draft.retractions, value)
            lines.append(Passage(fact.retraction_passage or fact.retraction, draft.topic))
            self.prober.retract(fact)

        rng = self._stream("late", t)
        for draft, value, join in self.schedule.facts.pop(t, []):
            late = self._tell(rng, t, draft, value)
            join(late)
            lines.append(_passage(late.versions[0], draft))

        notes: list[Row] = []
        told: list[Passage] = []
        for number, draft in enumerate(self._new_drafts(self._stream("new", t), t)):
            fact = self._tell(self._stream("new", t, number), t, draft)
            value = fact.versions[0].value
            notes.append(Row(draft, value, fact))
            told.append(_passage(fact.versions[0], draft))
            self.decoys.follow(draft, value)

        self._plan_retractions(self._stream("forget", t), t)
        lines += self._chain(self._stream("chain", t), t)
        lines += self._pairs(self._stream("pairs", t), t, [*lines, *told])
        lines += self._accounts(self._stream("accounts", t), t)

        tasks = self.content.tasks(self._stream("tasks", t), t, self.graph)
        decoys = self._decoys(t, [*lines, *told], tasks)
        lines += self._notes_and_decoys(t, notes, decoys)
        material = self._material(self._stream("scenes", t), t, lines, tasks)
        return Session(t, material, tasks)

    def _new_drafts(self, rng: Random, t: int) -> list[Draft]:
        if t == 0:
            return [*self.content.opening(rng), *self.content.listing(rng, 0)]

        drafts = [self.content.note(rng) for _ in range(self.shape.notes)]
        every = self.shape.list_every
        if every and t % every == 1 % every:
            drafts += self.content.listing(rng, 1 + t // every)
        return drafts

    def _tell(self, rng: Random, t: int, draft: Draft, value: Value | None = None) -> Fact:
        value = value or self.content.draw(rng, draft)
        fact = Fact(
            id=f"f{len(self.graph.facts)}",
            family=draft.family,
            domain=draft.domain,
            subject=draft.subject,
            phrase=draft.phrase,
            question=draft.question or f"What is {draft.phrase}?",
            versions=[
                Version(
                    session=t,
                    value=value,
                    sentence=draft.say.format(v=value.text),
                    passage=self._wording(rng, draft, draft.statements, value),
                )
            ],
            group=draft.group,
        )
        self.graph.facts.append(fact)
        self.prober.tell(fact)

        if draft.change and self.pressure.max_chain_depth > 1 and self.update.tick():
            revision = DueRevision(fact, draft, self._revision_count(rng))
            self.schedule.add_revision(self._next_revision(rng, t), revision)
        elif draft.retract:
            self.retractable.append(DueRetraction(fact, draft))

        if draft.family not in ("pair", "link"):
            self.due_retractions += self.forget.tick()
        return fact

    def _wording(self, rng: Random, draft: Draft, options: Sequence[str], value: Value) -> str:
        # What the session says of a draft; nothing where the plain sentence is all there is.
        if not options:
            return ""
        return self.narrator.wording(rng, options, {**draft.words, "v": value.text})

    def _revision_count(self, rng: Random) -> int:
        # What changed once changes again at the same rate; some go all the way, so that any rate
        # reaches the depth.
        most = self.pressure.max_chain_depth - 1
        self.chain_length += 1
        if self.chain_length % FULL_DEPTH_EVERY == 0:
            return most

        count = 1
        while count < most and rng.random() < self.pressure.update_rate:
            count += 1
        return count

    def _next_revision(self, rng: Random, t: int) -> int:
        # The rate is one per session: where much changes, the next change comes soon.
        after = t + 1
        while after < t + LONGEST_WAIT and rng.random() >= self.pressure.update_rate:
            after += 1
        return after

    def _plan_retractions(self, rng: Random, t: int) -> None:
        # Members of lists, which can be asked for what is left of them, in turn with other facts;
        # every list keeps its first member.
        groups: set[str] = set()
        members: list[DueRetraction] = []
        others: list[DueRetraction] = []
        for retraction in self.retractable:
            group = retraction.fact.group
            if group is None:
                others.append(retraction)
            elif group not in groups:
                groups.add(group)
            else:
                members.append(retraction)

        rng.shuffle(members)
        rng.shuffle(others)
        count = min(self.due_retractions, len(members) + len(others))
        for _ in range(count):
            self.retracts_member = not self.retracts_member
            takes_member = bool(members) and (self.retracts_member or not others)
            retraction = members.pop() if takes_member else others.pop()
            session = t + 1 + rng.randrange(LONGEST_WAIT)
            self.schedule.add_retraction(session, retraction)

        # What no fact could take waits for the next session.
        self.due_retractions -= count
        self.retractable = []

    def _revise(self, rng: Random, t: int, revision: DueRevision) -> Passage:
        fact, draft, versions = revision
        value = self.content.draw(rng, draft, [version.value for version in fact.versions])
        version = Version(
            session=t,
            value=value,
            sentence=draft.change.format(v=value.text),
            passage=self._wording(rng, draft, draft.updates, value),
        )
        fact.versions.append(version)
        self.prober.revise(fact)

        if versions > 1:
            following = DueRevision(fact, draft, versions - 1)
            self.schedule.add_revision(self._next_revision(rng, t), following)
        return _passage(version, draft)

    def _chain(self, rng: Random, t: int) -> list[Passage]:
        depth = self.pressure.max_chain_depth
        if depth < 2 or self.pressure.dependency_density == 0:
            return []
        if t < (self.pressure.warmup_sessions or 0):
            return []
        if not self.link.tick():
            return []

        self.hops += 1
        draft_chain = self.content.chain(rng, 2 + self.hops % (depth - 1))
        chain = LinkedFacts(len(draft_chain.links), draft_chain.phrase)
        holder = self._tell(rng, t, draft_chain.links[0], draft_chain.values[0])
        chain.add(holder)

        links = zip(draft_chain.links[1:], draft_chain.values[1:], strict=True)
        for step, (draft, value) in enumerate(links, 1):
            late = DueFact(draft, value, partial(self._join, chain))
            self.schedule.add_fact(t + step, late)
        return [_passage(holder.versions[0], draft_chain.links[0])]

    def _join(self, chain: LinkedFacts, fact: Fact) -> None:
        chain.add(fact)
        if len(chain.facts) == chain.length:
            self.prober.link(chain)

    def _pairs(self, rng: Random, t: int, lines: Sequence[Passage]) -> list[Passage]:
        missing = self.pressure.n_confusable_pairs - self.pair_count
        if t < self.pressure.confusable_start_session or missing <= 0:
            return []

        # A session that is full of other things already tells one pair, so that it keeps to its
        # size.
        room = self.pressure.tokens_per_session // 2 - sum(
            count_tokens(line.text) for line in lines
        )
        most = max(1, min(PAIRS_PER_SESSION, room // TOKENS_PER_PAIR))

        passages = []
        for _ in range(min(most, missing)):
            one, other = self.content.pair(rng, self.pair_count)
            self.pair_count += 1
            first = self._tell(rng, t, one, self._unlike(rng, one))
            late = DueFact(other, self._unlike(rng, other), partial(self.prober.pair, first))
            self.schedule.add_fact(t + 1, late)
            passages.append(_passage(first.versions[0], one))
        return passages

    def _notes_and_decoys(
        self, t: int, notes: Sequence[Row], decoys: Sequence[Decoy]
    ) -> list[Passage]:
        # Decoys are worded last, so that what is real stands in the same words with and without
        # them. Those of one kind stand together in a table, which some of the notes join: a table
        # is no sign of what nobody asks for.
        new = [Row(decoy.draft, decoy.value) for decoy in decoys if decoy.is_new]
        tables = Tables(self.narrator, self._stream("tables", t))
        left = tables.take(new, notes)

        passages = list(tables.passages)
        for row in notes:
            if row.fact is not None and row.fact.id not in tables.facts:
                passages.append(_passage(row.fact.versions[0], row.draft))
        for number, decoy in enumerate(decoys):
            if not decoy.is_new or Row(decoy.draft, decoy.value) in left:
                text = self._decoy_text(self._stream("decoy", t, number), decoy)
                passages.append(Passage(text, decoy.draft.topic))
        return passages

    def _decoys(self, t: int, lines: Sequence[Passage], tasks: Sequence[Task]) -> list[Decoy]:
        # A session that is full of other things tells fewer. The first tells none: its room is for
        # values of every kind, so that a guess among them is worth little.
        if t == 0:
            return []
        size = sum(count_tokens(line.text) for line in lines)
        size += sum(count_tokens(task.text) for task in tasks) // 2
        most = FULL * self.pressure.tokens_per_session
        self.decoys.begin()
        decoys = []
        for number in range(self.pressure.decoys_per_session):
            rng = self._stream("decoys", t, number)
            decoy = self.decoys.draft(rng) if size < most else None
            if decoy is not None:
                decoys.append(decoy)
                size += count_tokens(decoy.draft.say)
        return decoys

    def _decoy_text(self, rng: Random, decoy: Decoy) -> str:
        words = {**decoy.draft.words, "v": decoy.value.text}
        by_friends = not decoy.is_of_other
        return self.narrator.wording(rng, decoy.wordings, words, by_friends)

    def _unlike(self, rng: Random, draft: Draft) -> Value:
        # What is true of a look-alike is true of no other: an answer then shows whose value it is.
        value = self.content.draw(rng, draft, self.unlike)
        self.unlike.append(value)
        return value

    def _accounts(self, rng: Random, t: int) -> list[Passage]:
        lines = []
        for account in self.graph.accounts:
            for _ in range(2 if rng.random() < TWO_MOVEMENTS else 1):
                balance = self.balances[account.id]
                delta = self.content.delta(rng, t, account, balance, self.narrator.wording)
                account.deltas.append(delta)
                self.balances[account.id] += delta.amount
                mark = self._sentinel("ACCUM", account, f"{delta.amount:+d}")
                lines.append(Passage(mark + delta.passage, self.content.account_topic))

        has_pairs = self.pressure.n_confusable_pairs > 0
        opens_first = t == 0
        opens_second = has_pairs and t == max(1, self.pressure.confusable_start_session)
        if opens_first and self.shape.accounts > 0:
            lines.append(self._open_account(rng, t))
        if opens_second and self.shape.accounts > 1:
            lines.append(self._open_account(rng, t))
            first, second = self.graph.accounts
            first.partner = second.id
            second.partner = first.id
        return lines

    def _open_account(self, rng: Random, t: int) -> Passage:
        number = len(self.graph.accounts)
        account = self.content.account(rng, t, number, self.narrator.wording)
        self.graph.accounts.append(account)
        self.balances[account.id] = account.opening
        mark = self._sentinel("ACCUM_INIT", account, str(account.opening))
        return Passage(mark + account.passage, self.content.account_topic)

    def _sentinel(self, mark: str, account: Account, value: str) -> str:
        # It stands before its sentence, so that no later cut into sentences gives it to a
        # neighbour.
        if not self.pressure.own.get("sentinels"):
            return ""
        name = re.sub("[^a-z0-9]+", "_", account.name.lower())
        return f"[{mark}:{name}:{value}] "

    def _material(self, rng: Random, t: int, passages: list[Passage], tasks: list[Task]) -> str:
        # The dial asks for the session's whole text; half of the tasks is set aside so that both
        # the material alone and the material with its tasks stay close to what was asked.
        task_tokens = sum(count_tokens(task.text) for task in tasks)
        target = self.pressure.tokens_per_session - task_tokens // 2
        rng.shuffle(passages)
        head = self.content.frame(t)
        body = self.narrator.session(rng, passages, target - count_tokens(head))
        return f"{head}\n\n{body}" if head else body


def _passage(version: Version, draft: Draft) -> Passage:
    return Passage(version.passage or version.sentence, draft.topic)


class WovenScenario(Scenario):
    """Base of scenarios that bring content of their own and leave the plan to a weaver.

    A scenario with dials of its own adds `SENTINELS` to them.
    """

    track = "model"
    tier = 1
    default_sessions = 10
    weaver: ClassVar[type[Weaver]] = Weaver
    own_dials: ClassVar[Mapping[str, tuple[type, float, float]]] = {"sentinels": SENTINELS}
    own_defaults: ClassVar[Mapping[str, int]] = {"sentinels": 0}

    @abstractmethod
    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the content of one life, from which its sessions are drawn."""

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        pressure = pressure.with_own(self.own_defaults)
        weaver = self.weaver(self.id, self.content(pressure, seed), pressure, seed)
        return weaver.weave(sessions, self.version, self.headline)
