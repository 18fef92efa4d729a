"""s3: a project knowledge base fed with meeting transcripts: who decided what, what still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar

import msgspec

from agingbench.bench.plan import pools, project_words
from agingbench.bench.plan.content import (
    LIST_SIZE,
    Chain,
    Content,
    Draft,
    Shape,
    draft_from,
    outwards,
    requests,
)
from agingbench.bench.plan.corpus import Corpus, load_corpus
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.weaving import WovenScenario

SCENARIO = "s3_knowledge_base"
# What the six speakers of a life do; scenes name them by these slots.
ROLES = (
    "chair",
    "finance",
    "buyer",
    "tester",
    "operator",
    "clerk",
)
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
_REGIONS = ("northern", "southern", "eastern", "western", "coastal", "central")


class KnowledgeBase(WovenScenario):
    """How faithfully the memory still states what was decided is the headline."""

    id = SCENARIO
    version = "2.0.0"
    title = "Project knowledge base"
    headline = "summarization_fidelity"
    mechanisms = ("compression", "interference", "revision")
    memory_defaults: ClassVar[dict[str, int]] = {
        "words": 200
    }  # the word budget this scenario is meant for
    role = (
        "You keep the knowledge base of a project office. In every conversation you get the"
        " transcript of a meeting with its decisions, and people rely on you to know what was"
        " decided for which project and what holds now."
    )

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the projects, speakers and decisions of one life."""
        return _Office(seed)


class _Office(Content):
    """The content of one life: projects and decisions, reported by a fixed circle of speakers."""

    shape = Shape(notes=4, list_every=2, accounts=1)

    def __init__(self, seed: int) -> None:
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        firsts = rng.sample(project_words.SPEAKER_FIRST, len(ROLES))
        lasts = rng.sample(project_words.SPEAKER_LAST, len(ROLES))
        self.speakers = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
        self.corpus = _with_speakers(self.speakers)
        self.projects = Space(rng, project_words.PROJECT_HEAD, project_words.PROJECT_TAIL)
        self.people = Space(rng, self.split.first, self.split.last)
        self.vendors = Space(rng, project_words.SYSTEM_HEAD, project_words.VENDOR_TAIL)
        self.sites = Space(rng, pools.PLACE_HEAD, pools.PLACE_TAIL, glue="")
        self.risks = Space(rng, project_words.RISK_HOW, project_words.RISK_WHAT)
        names = rng.choice(project_words.NEAR_PROJECTS)
        axes = names, ("pilot", "rollout"), ("target", "achieved"), _REGIONS
        self.family = Lookalikes(rng, axes)
        self.matters = _matters(self.people, self.vendors, self.sites, self.in_time)
        self.subjects = (self.projects,)
        self.decisions = 0
        self.other_decisions = 0  # those of decoys
        self.waiting: list[Draft] = []  # decisions for the current project that are still to come

    # -- what meetings decide

    def opening(self, rng: Random) -> list[Draft]:
        return [self.note(rng) for _ in range(OPENING)]

    def note(self, rng: Random) -> Draft:
        if not self.waiting:
            project = self.projects.take()
            matters = rng.sample(list(self.matters), rng.randint(2, 4))
            self.waiting = [
                draft_from(
                    self.corpus, rng, matter, self.matters[matter], self._recorded(rng, project)
                )
                for matter in matters
            ]
        return self.waiting.pop()

    def _recorded(self, rng: Random, subject: str) -> dict[str, str]:
        # The words of a decision: its number, its mover, who alone may withdraw it, and a
        # colleague who may revise it.
        self.decisions += 1
        who, other = rng.sample(self.speakers, 2)
        return {"x": subject, "id": f"D{self.decisions:02d}", "who": who, "other": other}

    def decoy_words(self, words: Mapping[str, str]) -> Mapping[str, str]:
        self.other_decisions += 1
        return {**words, "id": f"E{self.other_decisions:02d}"}

    def listing(self, rng: Random, number: int) -> list[Draft]:
        project = self.projects.take()
        kind = "vendors" if number % 2 == 0 else "risks"
        space = self.vendors if number % 2 == 0 else self.risks

        # Each member in a wording of its own, since all of them stand in one session.
        wordings = rng.sample(self.corpus.wording(kind).statements, LIST_SIZE)
        drafts = []
        for wording in wordings:
            words = self._recorded(rng, project)
            draft = self.list_member(rng, number, kind, space, words)
            draft.statements = [wording]
            drafts.append(draft)
        return drafts

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        project, stage, kind, region = traits
        words = self._recorded(rng, project)
        words |= {"stage": stage, "kind": kind, "region": region}
        draw = figure("number", "${}", 40101, 949999)
        return self.fixed(rng, "saving", draw, words, family="pair")

    def chain(self, rng: Random, hops: int) -> Chain:
        project = self.projects.take()
        people = [self.people.take() for _ in range(hops - 1)]
        draw = figure("number", "${}", 1101, 9899)
        person = member(self.people)

        def of(whose: str, kind: str, draw: Draw = person) -> Draft:
            return self.link(rng, kind, draw, self._recorded(rng, whose))

        limit = of(people[-1], "approval_limit", draw)
        return outwards(
            limit,
            self.draw(rng, limit),
            people,
            _RELATIONS,
            of,
            lambda: of(project, "owner"),
        )

    # -- the rest of a meeting

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        # What was revised makes work; what nobody touched for RECENT facts is not revised any more.
        revised = [
            fact
            for fact in graph.facts[-RECENT:]
            if len(fact.versions) > 1 and fact.versions[-1].session == session
        ]
        wordings = self.corpus.statements.tasks
        about_facts = [text for text in wordings if "{phrase}" in text]
        general = [text for text in wordings if "{phrase}" not in text]

        follow = [rng.choice(about_facts).format(phrase=fact.phrase) for fact in revised]
        chosen = rng.sample(follow, min(FOLLOW_UPS, len(follow)))
        chosen += rng.sample(general, rng.randint(3, 5) - len(chosen))
        return requests(session, "meeting", chosen)

    def frame(self, session: int) -> str:
        return f"{super().frame(session)} Attendees: {', '.join(self.speakers)}."


def _with_speakers(speakers: list[str]) -> Corpus:
    # The texts, in which every role is one speaker of this life.
    corpus = load_corpus(Path(__file__).parent)
    cast = {role: [speaker] for role, speaker in zip(ROLES, speakers, strict=True)}
    return msgspec.structs.replace(corpus, lists={**corpus.lists, **cast})


def _matters(people: Space, vendors: Space, sites: Space, planned: Draw) -> Mapping[str, Draw]:
    return {
        "phase_budget": figure("number", "${}", 40101, 949999),
        "spending_limit": figure("number", "${}", 10101, 98999),
        "cluster_size": figure("number", "{} nodes", 110, 980),
        "launch_date": planned,
        "freeze_date": planned,
        "sync_time": lambda rng, avoid: pools.agreed_time(rng, 7, 18, avoid),
        "platform_version": pools.version,
        "uptime": figure("percent", "{}%", 99, 100, 3),
        "coverage": figure("percent", "{}%", 55, 97, 1),
        "contractor": member(vendors),
        "hosting_site": member(sites),
        "lead_engineer": member(people),
    }
