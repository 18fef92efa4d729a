"""s8: an agent that fixes real issues of an open-source repository over many sessions.

Each session brings one ticket of a chain. The repository lies in the agent's folder as it was
before the fix, checked out anew every time; what the agent knows beyond that are its own notes.
Around the tickets a team agrees on things, some of them about the fixes themselves: how their lines
are marked, where the change note goes and what it says. Those are checked beside the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import yaml

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import Draft, draft_from
from agingbench.bench.plan.corpus import Corpus, Wording, load_corpus
from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.plan import (
    BRANCH_SWITCH,
    DEPENDENCY_BUMP,
    PYTHON_BUMP,
    Checkout,
    LifecycleEvent,
    Plan,
    Session,
    Task,
)
from agingbench.bench.plan.pools import Draw, Space, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.ticket_check import TicketCheck
from agingbench.bench.plan.weaving import Weaver, WovenScenario
from agingbench.bench.repository.chain import Ticket, TicketChain, chain_of, load_chain
from agingbench.bench.repository.rules import REPOSITORY, marker_text, note_line
from agingbench.bench.scenarios import texts_folder
from agingbench.bench.scenarios.s4_software_engineering.scenario import CodeBase
from agingbench.errors import InputError
from agingbench.text.values import Value

SCENARIO = "s8_swe_bench"
TEXTS_OF = "s4_software_engineering"  # whose scenes the team's talk is told in
DEFAULT_SESSIONS = 8
SHORTEST_WITH_EVENTS = 6
FIRST_BUMP = 3
CONVENTIONS = ("marker", "slips", "reviewer", "milestone")
# Events of the plan by the fact that they revise.
BUMPS = {DEPENDENCY_BUMP: "pin", PYTHON_BUMP: "python", BRANCH_SWITCH: "branch"}
# What a change note has to say, by the fact that it depends on.
LINES = {
    "reviewer": "Reviewer",
    "milestone": "Milestone",
    "branch": "Branch",
    "pin": "Pin",
    "python": "Python",
}


class SweBench(WovenScenario):
    """The headline is recall through the agent's own files; its work on the tickets is beside."""

    id = SCENARIO
    version = "1.0.0"
    title = "Issues of a repository"
    headline = "recall_accuracy"
    track = "agent"
    tier = 2
    default_sessions = DEFAULT_SESSIONS
    mechanisms = ("compression", "interference", "revision", "maintenance")
    tells = frozenset(BUMPS)
    default_agent = "workspace"
    default_memory = "workspace"
    role = (
        "You are a software team's long-running developer. The team keeps a copy of Django and"
        " fixes issues of its ORM, one ticket per conversation. The source that a ticket is about"
        f" lies in your folder under `{REPOSITORY}/`, checked out anew before every conversation,"
        " so nothing that you leave there stays. Each conversation starts without the earlier ones:"
        " what the team has agreed on you only know from your own files outside of it."
    )

    def default_events(self, sessions: int) -> list[str]:
        """Dependencies are bumped in session 2, and the branch changes after two thirds.

        In a long life it changes later, so that the second branch has tickets enough.
        """
        if sessions < SHORTEST_WITH_EVENTS:
            return []
        second = load_chain().chain.branches[1]
        switch = max(sessions * 2 // 3, sessions - len(second.tickets))
        return [f"{DEPENDENCY_BUMP}@{FIRST_BUMP}", f"{BRANCH_SWITCH}@{switch + 1}"]

    def content(self, pressure: Pressure, seed: int) -> TicketContent:
        """Return everything that one life can tell."""
        return TicketContent(seed, load_chain().chain)

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials, without bumps and on one branch."""
        return self.plan_with(pressure, sessions, seed, [])

    def plan_with(
        self, pressure: Pressure, sessions: int, seed: int, events: Sequence[LifecycleEvent]
    ) -> Plan:
        """Build the whole life; a bump or switch at a point is told in the session before it."""
        told: dict[int, list[str]] = {}
        for event in events:
            if event.name not in BUMPS:
                continue
            if event.at < 2:
                raise InputError(f"event '{event}': session 0 sets things up; the first is point 2")
            names = told.setdefault(event.at - 1, [])
            if any(event.name in earlier for earlier in told.values()):
                raise InputError(f"event '{event}': a life has this event once")
            names.append(event.name)
        pressure = pressure.with_own(self.own_defaults)
        content = self.content(pressure, seed)
        content.choose_tickets(sessions, told)
        weaver = TicketWeaver(content, pressure, seed, told)
        plan = weaver.weave(sessions, self.version, self.headline)
        plan.chain = content.issues.name
        plan.tickets = content.checks
        return plan

    def checkout(self, plan: Plan, session: int) -> Checkout:
        """Return the module family as it was before the ticket of a session was fixed."""
        from agingbench.bench.repository.choosing import backend_of

        file = chain_of(plan.chain)
        ticket = file.chain.ticket(plan.tickets_at(session + 1)[0].ticket)
        return Checkout(REPOSITORY, backend_of(file).before(ticket))

    def solution(self, plan: Plan, point: int) -> Mapping[str, str]:
        """Return files that pass every check at a point: the fix, marked, and its change note."""
        if point == 0:
            return {}
        from agingbench.bench.repository.choosing import backend_of
        from agingbench.bench.repository.rules import solution_files

        file = chain_of(plan.chain)
        return solution_files(backend_of(file), file.chain, plan.tickets_at(point))


class TicketWeaver(Weaver):
    """Weaves a life around tickets: what requests say of branch and versions are facts too."""

    content: TicketContent

    def __init__(
        self,
        content: TicketContent,
        pressure: Pressure,
        seed: int,
        told: Mapping[int, Sequence[str]],
    ) -> None:
        super().__init__(SCENARIO, content, pressure, seed)
        self.content = content
        self.told = told

    def _session(self, t: int) -> Session:
        self.narrator.begin(t)
        self.content.announcements = []
        rng = self._stream("repository", t)
        if t == 0:
            for kind in BUMPS.values():
                self._say(rng, t, kind)
        for event in self.told.get(t, ()):
            self._say_again(rng, t, BUMPS[event])
        return super()._session(t)

    def _say(self, rng: Random, t: int, kind: str) -> None:
        # A request states it, so it is no passage of a scene; it changes by events alone.
        content = self.content
        value = content.values[kind][0]
        draft = draft_from(
            content.corpus,
            rng,
            kind,
            lambda rng, avoid: value,
            {"x": content.issues.pinned},
            family="decision",
            retractable=False,
        )
        content.drafts[kind] = draft
        fact = self._tell(rng, t, replace(draft, change=""), value)
        content.rules[kind] = fact
        version = fact.versions[-1]
        content.announcements.append(version.passage or version.sentence)

    def _say_again(self, rng: Random, t: int, kind: str) -> None:
        content = self.content
        draft = content.drafts[kind]
        value = content.values[kind][1]
        version = Version(
            session=t,
            value=value,
            sentence=draft.change.format(v=value.text),
            passage=self._wording(rng, draft, content.corpus.wording(kind).updates, value),
        )
        fact = content.rules[kind]
        fact.versions.append(version)
        self.prober.revise(fact)
        content.announcements.append(version.passage or version.sentence)
        content.bumped.add(kind)


class TicketContent(CodeBase):
    """The content of one life: a team's code base around the tickets, and its rules for fixes."""

    def __init__(self, seed: int, chain: TicketChain) -> None:
        super().__init__(seed, SCENARIO)
        self.issues = chain
        self.corpus = _corpus()
        rng = stream(SCENARIO, seed, "rules")
        tags = Space(rng, _TAG_HEAD, _TAG_TAIL, glue="-")
        folders = Space(rng, _FOLDER_HEAD, _FOLDER_TAIL, glue="-")
        self.rule_draws: dict[str, Draw] = {
            "marker": member(tags),
            "slips": member(folders),
            "reviewer": member(self.people),
            "milestone": pools.version,
        }
        first, second = [branch.name for branch in chain.branches][:2]
        self.values = {
            "branch": (Value("name", first), Value("name", second)),
            "pin": tuple(Value("version", pin) for pin in chain.pins),
            "python": tuple(Value("version", python) for python in chain.pythons),
        }
        self.schedule: list[Ticket] = []  # by session
        self.rules: dict[str, Fact] = {}  # by kind
        self.drafts: dict[str, Draft] = {}
        self.announcements: list[str] = []  # what the request of this session says first
        self.bumped: set[str] = set()
        self.checks: list[TicketCheck] = []

    def choose_tickets(self, sessions: int, told: Mapping[int, Sequence[str]]) -> None:
        """Draw the tickets of a life; seed 0 takes them in their order."""
        switch = next((t for t, names in told.items() if BRANCH_SWITCH in names), sessions)
        rng = stream(SCENARIO, self.seed, "tickets")
        spans = (range(min(switch, sessions)), range(switch, sessions))
        for branch, span in zip(self.issues.branches, spans, strict=False):
            if len(span) > len(branch.tickets):
                raise InputError(
                    f"{SCENARIO}: {len(span)} sessions on {branch.name}, which has"
                    f" {len(branch.tickets)} tickets; live fewer, or switch the branch with"
                    f" {BRANCH_SWITCH}@K"
                )
            order = list(branch.tickets)
            if self.seed:
                rng.shuffle(order)
            self.schedule += order[: len(span)]

    def opening(self, rng: Random) -> list[Draft]:
        # Rules may change and are never withdrawn: every ticket is worked on by them.
        drafts = []
        for kind in CONVENTIONS:
            draft = draft_from(
                self.corpus,
                rng,
                kind,
                self.rule_draws[kind],
                {},
                family="decision",
                retractable=False,
            )
            drafts.append(draft)
        return [*drafts, *super().opening(rng)]

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        self._take_in(graph)
        for fact in graph.facts:
            if fact.domain in CONVENTIONS:
                self.rules[fact.domain] = fact
        ticket = self.schedule[session]
        self._write_checks(session + 1, ticket)
        request = _REQUEST.format(
            number=ticket.number,
            title=ticket.title,
            text=ticket.text.strip(),
            folder=f"{REPOSITORY}/{self.issues.family}",
            lines=", ".join(f"`{name}:`" for name in LINES.values()),
        )
        text = "\n\n".join([*self.announcements, request])
        tasks = [Task(f"t{session}.0", "ticket", text, "", "none")]
        for number in range(1, rng.randint(2, 3)):
            about = self._to_plan(rng, session, graph)
            tasks.append(self._planning(rng, f"t{session}.{number}", about))
        return tasks

    def _write_checks(self, point: int, ticket: Ticket) -> None:
        values = {}
        for kind, fact in self.rules.items():
            version = fact.at(point)
            assert version is not None, "rules are never withdrawn"
            values[kind] = version.value.text
        name = f"c{point}"
        number = ticket.number
        resolved = TicketCheck(
            f"{name}.resolved",
            point,
            f"ticket {number}",
            number,
            "resolved",
            python=values["python"],
            wheels=int("pin" in self.bumped),
        )
        marked = TicketCheck(
            f"{name}.marked",
            point,
            self.rules["marker"].id,
            number,
            "marked",
            marker_text(values["marker"], number),
        )
        filed = TicketCheck(
            f"{name}.filed", point, self.rules["slips"].id, number, "filed", values["slips"]
        )
        self.checks += [resolved, marked, filed]
        for kind, key in LINES.items():
            text = note_line(key, values[kind])
            check = TicketCheck(f"{name}.{kind}", point, self.rules[kind].id, number, "says", text)
            self.checks.append(check)


@cache
def _corpus() -> Corpus:
    """The talk of a software team, with the rules for fixes among its kinds of facts."""
    corpus = load_corpus(texts_folder(TEXTS_OF))
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    path = Path(__file__).parent / "conventions.yaml"
    raw = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 -- a safe loader
    own = msgspec.convert(raw, dict[str, Wording])
    kinds = {**corpus.statements.kinds, **own}
    statements = msgspec.structs.replace(corpus.statements, kinds=kinds)
    return msgspec.structs.replace(corpus, folder=SCENARIO, statements=statements)


_REQUEST = """\
Ticket {number}: {title}

{text}

Please fix this in `{folder}/`; the tests are run without you. Mark what you change with a \
comment, on a line of its own or at the end of one: our tag and the number, as in \
`# tag {number}`. Then write the change note `{number}.md` into the folder for change notes, \
with a line each for {lines}, as we have agreed on them, and nothing else after the colon."""

_TAG_HEAD = (
    "alder badger cinder dunlin ember finch garnet heron ibis jasper kestrel lapwing merlin nimbus"
    " osprey petrel quartz raven siskin teal umber vireo willow yarrow"
).split()
_TAG_TAIL = "bolt clasp cleat cord hinge hook knot latch patch pin rivet seam stitch tack".split()
_FOLDER_HEAD = (
    "amber basalt cedar copper flint granite hazel indigo juniper linen maple marble oak ochre"
    " pearl russet slate tin velvet walnut"
).split()
_FOLDER_TAIL = "bin crate drawer ledger pile rack shelf stack tray trunk".split()
