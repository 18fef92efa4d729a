"""s3: a project knowledge base fed with meeting transcripts: who decided what, what still holds."""

from __future__ import annotations

from random import Random
from typing import ClassVar, NamedTuple

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import Chain, Draft, NoAccounts, Shape, outwards
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.bench.plan.pools import Draw, Space, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.weaving import LIST_SIZE, Weaver
from agingbench.records import Tool

SCENARIO = "s3_knowledge_base"
SPEAKERS = 6
OPENING = 6
RECENT = 300  # facts; a fact's last revision comes within fifteen sessions of its first telling
FOLLOW_UPS = 3
# From the owner of a project to who holds the figure.
_RELATIONS = (
    "deputy",
    "assistant",
    "mentor",
    "stand-in",
)
_MEETINGS = (
    "Weekly project review",
    "Steering meeting",
    "Planning meeting",
    "Status meeting",
    "Portfolio review",
)
_REPORTS = (
    "{who} reported: {clause} (decision {id}).",
    "Decision {id}, moved by {who}: {clause}.",
    "{who} had it recorded as decision {id} that {clause}.",
    "{who} announced that {clause} (decision {id}).",
)
_REVISIONS = (
    "{who} revised decision {id}: {clause}.",
    "Decision {id} is amended, {who} said: {clause}.",
    "{who} corrected the minutes on decision {id}: {clause}.",
)
_REGIONS = ("northern", "southern", "eastern", "western", "coastal", "central")
_ASIDES = (
    "the {1} of Project {0}",
    "the {2} saving of Project {0}",
    "Project {0} in the {3} region",
    "the {2} {1} saving",
    "the {1} in the {3} region",
    "the {2} saving in the {3} region",
)
_FOLLOW_UPS = (
    "Draft a notice about {it}.",
    "Schedule a call about {it}.",
    "Arrange a review of {it}.",
    "Draft a line on the revision of {it}.",
)
_TASKS = (
    "Prepare the action list of this meeting.",
    "Draft the minutes of this meeting.",
    "Write an update for those who could not attend.",
    "Say which project needs attention first.",
    "List the points that need a follow-up.",
    "Draft an invitation to the next meeting.",
    "Say what the steering committee should hear about.",
    "Tell me who has to be informed about the decisions of this meeting.",
    "Write the subject line for the mail with the minutes.",
    "Check whether anything said in this meeting contradicts the minutes so far.",
)


class KnowledgeBase(Scenario):
    """How faithfully the memory still states what was decided is the headline."""

    id = SCENARIO
    version = "2.0.0"
    title = "Project knowledge base"
    headline = "summarization_fidelity"
    track = "model"
    tier = 1
    mechanisms = ("compression", "interference", "revision")
    default_sessions = 10
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {}
    memory_defaults: ClassVar[dict[str, int]] = {
        "words": 200
    }  # the word budget this scenario is meant for
    role = (
        "You keep the knowledge base of a project office. In every conversation you get the"
        " transcript of a meeting with its decisions, and people rely on you to know what was"
        " decided for which project and what holds now."
    )

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        return Weaver(self.id, _Office(seed), pressure, seed).weave(
            sessions, self.version, self.headline
        )

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools of a session; this scenario offers none."""
        return []


class _Matter(NamedTuple):
    """A matter that projects decide; `word` stands in every sentence about it."""

    name: str
    word: str
    draw: Draw
    ask: str = "What is"


class _Office(NoAccounts):
    """The content of one life: projects and decisions, reported by a fixed circle of speakers."""

    shape = Shape(notes=4, list_every=2, accounts=0)

    def __init__(self, seed: int) -> None:
        rng = stream(SCENARIO, seed, "spaces")
        firsts = rng.sample(pools.SPEAKER_FIRST, SPEAKERS)
        lasts = rng.sample(pools.SPEAKER_LAST, SPEAKERS)
        self.speakers = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
        self.projects = Space(rng, pools.PROJECT_HEAD, pools.PROJECT_TAIL)
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.vendors = Space(rng, pools.SYSTEM_HEAD, pools.VENDOR_TAIL)
        self.sites = Space(rng, pools.PLACE_HEAD, pools.PLACE_TAIL, glue="")
        self.risks = Space(rng, pools.RISK_HOW, pools.RISK_WHAT)
        names = rng.choice(pools.NEAR_PROJECTS)
        self.family = Lookalikes(
            rng, (names, ("pilot", "rollout"), ("target", "achieved"), _REGIONS), _ASIDES
        )
        self.matters = _matters(self.people, self.vendors, self.sites)
        self.decisions = 0
        self.waiting: list[Draft] = []  # decisions for the current project that are still to come

    # -- what meetings decide

    def opening(self, rng: Random) -> list[Draft]:
        return [self.note(rng) for _ in range(OPENING)]

    def note(self, rng: Random) -> Draft:
        if not self.waiting:
            project = self.projects.take()
            matters = rng.sample(self.matters, rng.randint(2, 4))
            self.waiting = [self._decision(rng, project, matter) for matter in matters]
        return self.waiting.pop()

    def _decision(self, rng: Random, project: str, matter: _Matter) -> Draft:
        phrase = f"the {matter.name} of Project {project}"
        say, number, who = self._recorded(rng, f"{phrase} is {{v}}")
        change = rng.choice(_REVISIONS).format(
            who=rng.choice(self.speakers), id=number, clause=f"{phrase} is {{v}}"
        )
        retraction = f"{who} withdrew decision {number} on {phrase}."
        return Draft(
            family="note",
            domain=matter.word,
            subject=(project, matter.word),
            phrase=phrase,
            say=say,
            draw=matter.draw,
            question=f"{matter.ask} {phrase}?",
            change=change,
            retract=retraction,
        )

    def _recorded(self, rng: Random, clause: str) -> tuple[str, str, str]:
        # The one sentence that states it, the decision's number and its mover, who alone may
        # withdraw it.
        self.decisions += 1
        number = f"D{self.decisions:02d}"
        who = rng.choice(self.speakers)
        return rng.choice(_REPORTS).format(who=who, id=number, clause=clause), number, who

    def listing(self, rng: Random, number: int) -> list[Draft]:
        project = self.projects.take()
        word = "risk"
        space = self.risks
        entry = "the {v}"
        phrase = f"the open risk list of Project {project}"
        if number % 2 == 0:
            word = "vendor"
            space = self.vendors
            entry = "{v}"
            phrase = f"the approved vendor list of Project {project}"

        drafts = []
        for _ in range(LIST_SIZE):
            say, decision, who = self._recorded(rng, f"{entry} is on {phrase}")
            retraction = f"{who} withdrew decision {decision}, so {entry} is off {phrase}."
            drafts.append(
                Draft(
                    family="list",
                    domain="list",
                    subject=(project, word),
                    phrase=phrase,
                    say=say,
                    draw=member(space),
                    question=f"Which {word}s are on {phrase} now?",
                    change="",
                    retract=retraction,
                    group=f"g{number}",
                )
            )
        return drafts

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        one, other = self.family.pair(number)
        return self._saving(rng, *one), self._saving(rng, *other)

    def _saving(self, rng: Random, project: str, stage: str, kind: str, region: str) -> Draft:
        phrase = f"the {kind} {stage} saving of Project {project} in the {region} region"
        return Draft(
            family="pair",
            domain="saving",
            subject=(project, stage, kind, region),
            phrase=phrase,
            say=self._said(rng, phrase),
            draw=figure("number", "${}", 40101, 949999),
        )

    def chain(self, rng: Random, hops: int) -> Chain:
        project = self.projects.take()
        people = [self.people.take() for _ in range(hops - 1)]
        draw = figure("number", "${}", 1101, 9899)
        phrase = f"the approval limit of {people[-1]}"
        limit = Draft(
            family="link",
            domain="link",
            subject=(people[-1], "approval"),
            phrase=phrase,
            say=self._said(rng, phrase),
            draw=draw,
        )
        return outwards(
            limit,
            draw(rng, []),
            people,
            _RELATIONS,
            lambda who, relation: self._person(rng, who, relation, f"the {relation} of {who}"),
            lambda: self._person(rng, project, "owner", f"the owner of Project {project}"),
        )

    def _person(self, rng: Random, whose: str, word: str, phrase: str) -> Draft:
        say = self._said(rng, phrase)
        return Draft(
            family="link",
            domain="link",
            subject=(whose, word),
            phrase=phrase,
            say=say,
            draw=member(self.people),
            question=f"Who is {phrase}?",
        )

    def _said(self, rng: Random, phrase: str) -> str:
        return self._recorded(rng, f"{phrase} is {{v}}")[0]

    # -- the rest of a meeting

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        # What was revised makes work; what nobody touched for RECENT facts is not revised any more.
        revised = [
            f
            for f in graph.facts[-RECENT:]
            if len(f.versions) > 1 and f.versions[-1].session == session
        ]
        follow = [rng.choice(_FOLLOW_UPS).format(it=fact.phrase) for fact in revised]
        chosen = rng.sample(follow, min(FOLLOW_UPS, len(follow)))
        chosen += rng.sample(_TASKS, rng.randint(3, 5) - len(chosen))
        return [
            Task(f"t{session}.{n}", "meeting", text, "", "none") for n, text in enumerate(chosen)
        ]

    def talk(self, rng: Random) -> str:
        who, other = rng.sample(self.speakers, 2)
        it = self.family.in_passing(rng) or rng.choice(_IT)
        return rng.choice(_TALK).format(who=who, other=other, it=it, how=rng.choice(_HOW))

    def frame(self, session: int) -> str:
        return f"{_MEETINGS[session % len(_MEETINGS)]}. Attendees: {', '.join(self.speakers)}."


def _matters(people: Space, vendors: Space, sites: Space) -> tuple[_Matter, ...]:
    return (
        _Matter("phase budget", "budget", figure("number", "${}", 40101, 949999)),
        _Matter("spending limit", "spending", figure("number", "${}", 10101, 98999)),
        _Matter("cluster size", "cluster", figure("number", "{} nodes", 110, 980)),
        _Matter("launch date", "launch", pools.date),
        _Matter("freeze date", "freeze", pools.date),
        _Matter("daily sync time", "sync", lambda rng, avoid: pools.clock(rng, 7, 18, avoid)),
        _Matter("platform version", "platform", pools.version),
        _Matter("uptime", "uptime", figure("percent", "{}%", 91, 98, 2)),
        _Matter("test coverage", "coverage", figure("percent", "{}%", 31, 98, 1)),
        _Matter("main contractor", "contractor", member(vendors)),
        _Matter("hosting site", "hosting", member(sites)),
        _Matter("lead engineer", "engineer", member(people), "Who is"),
    )


# What is said between the decisions; it decides nothing.
_TALK = (
    "{who} asked {other} about {it} and {how}.",
    "{who} wondered about {it}, but {other} {how}.",
    "On {it}, {who} agreed with {other} and {how}.",
    "{who} came back to {it} and {how}.",
    "{other} and {who} exchanged views on {it}, and {who} {how}.",
    "{who} thanked {other} for {it} and {how}.",
    "When {other} brought up {it}, {who} {how}.",
)
_IT = (
    "the seating in the meeting room",
    "the tone of the newsletter",
    "the coffee machine",
    "the holiday season",
    "the mood in the team",
    "the way reports are laid out",
    "the new letterhead",
    "the slow projector",
    "the handbook",
    "the questions from the audience",
    "the agenda",
    "the room booking",
    "the farewell party",
    "the poster in the hallway",
    "the usual reminders",
    "the wording of the summary",
    "the feedback from the visitors",
    "the length of the discussion",
    "the habit of starting late",
    "the shared folder",
    "the list of abbreviations",
    "the welcome for new colleagues",
)
_HOW = (
    "promised to think about it",
    "left it there",
    "wanted to hear other opinions",
    "had no strong view",
    "suggested talking about it over lunch",
    "smiled",
    "moved on",
    "kept the answer short",
    "saw no hurry",
    "recalled how it used to be",
    "asked everyone to be patient",
    "offered to help",
    "made a note",
    "preferred to wait",
    "found it a matter of taste",
    "was glad that somebody cared",
    "took it lightly",
    "pointed at the clock",
)
