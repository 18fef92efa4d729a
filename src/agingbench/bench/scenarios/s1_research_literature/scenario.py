"""s1: a research assistant that reads findings every session and is asked for them later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import ClassVar

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
from agingbench.bench.plan.corpus import load_corpus
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.weaving import SENTINELS, WovenScenario

SCENARIO = "s1_research_literature"
COHORT_SIZE = 5
# What may stand between a system and its successor.
_RELATIONS = (
    "fallback",
    "backend",
    "fork",
    "sibling",
)
_LOADS = ("archive", "billing", "search", "session", "stream", "video")


class ResearchLiterature(WovenScenario):
    """The headline is what the memory still states of the findings; recall stands beside it."""

    id = SCENARIO
    version = "2.0.0"
    title = "Research literature"
    headline = "keyword_m"
    mechanisms = ("compression", "revision")
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {
        "cohort_size": (int, 2, 20),
        "sentinels": SENTINELS,
    }
    own_defaults: ClassVar[dict[str, int]] = {"cohort_size": COHORT_SIZE, "sentinels": 0}
    role = (
        "You are a research assistant. The user hands you batches of technical findings from papers"
        " and system reports over many conversations, with errata and withdrawals, and relies on"
        " you to remember the exact figures, names and dates as they stand."
    )

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the systems, papers and findings of one life."""
        return _Reading(seed, int(pressure.own["cohort_size"]))


class _Reading(Content):
    """The content of one life: systems and papers with a few findings each, and a shelf."""

    def __init__(self, seed: int, cohort: int) -> None:
        self.corpus = load_corpus(Path(__file__).parent)
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        self.shape = Shape(notes=cohort, list_every=2, accounts=1)
        self.systems = Space(
            rng, project_words.SYSTEM_HEAD, project_words.SYSTEM_USE, project_words.SYSTEM_KIND
        )
        self.titles = Space(
            rng, project_words.TITLE_HOW, project_words.TITLE_WHAT, project_words.TITLE_DEED
        )
        people = Space(rng, self.split.first, self.split.last)
        benchmarks = Space(
            rng,
            project_words.SYSTEM_HEAD,
            project_words.BENCH_TAIL,
            [f" {k}" for k in project_words.BENCH_KIND],
            glue="",
        )
        self.datasets = Space(
            rng, project_words.SYSTEM_HEAD, project_words.DATA_KIND, project_words.DATA_TAIL
        )
        self.methods = Space(
            rng, project_words.SYSTEM_HEAD, project_words.METHOD_KIND, project_words.METHOD_TAIL
        )
        self.subjects = (self.systems, self.titles)
        self.near = self.systems.take()  # the system that comes in two spellings
        ends = rng.choice(project_words.NEAR_SUFFIX)
        axes = (
            [f"{self.near} {end}" for end in ends],
            ("staging", "production"),
            ("target", "achieved"),
            _LOADS,
        )
        self.family = Lookalikes(rng, axes)
        self.of_systems = _system_measures(benchmarks, self.in_time)
        self.of_papers = _paper_measures(people)
        self.waiting: list[Draft] = []  # findings of the current source that are still to come

    def opening(self, rng: Random) -> list[Draft]:
        return [self.note(rng) for _ in range(self.shape.notes)]

    def note(self, rng: Random) -> Draft:
        if not self.waiting:
            about_system = rng.random() < 0.6
            subject = (self.systems if about_system else self.titles).take()
            measures = self.of_systems if about_system else self.of_papers
            kinds = rng.sample(list(measures), rng.randint(2, 3))
            self.waiting = [
                draft_from(self.corpus, rng, kind, measures[kind], {"x": subject}) for kind in kinds
            ]
        return self.waiting.pop()

    def listing(self, rng: Random, number: int) -> list[Draft]:
        words = {"x": self.titles.take()}
        kind = "datasets" if number % 2 == 0 else "baselines"
        space = self.datasets if number % 2 == 0 else self.methods
        return [self.list_member(rng, number, kind, space, words)] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        words = dict(zip(("x", "stage", "kind", "load"), traits, strict=True))
        draw = figure("number", "{} milliseconds", 8, 990, 1)
        return self.fixed(rng, "lookalike", draw, words, family="pair", domain="latency")

    def chain(self, rng: Random, hops: int) -> Chain:
        # The first system is the one that is named; the last one holds the figure.
        first, *others = [self.systems.take() for _ in range(hops)]
        draw = figure("number", "{} requests per second", 2100, 98000)
        throughput = self.link(rng, "chain_end", draw, {"x": others[-1]})

        def of(system: str, relation: str) -> Draft:
            words = {"x": system, "relation": relation}
            return self.link(rng, "link", member(self.systems), words)

        return outwards(
            throughput,
            self.draw(rng, throughput),
            others,
            _RELATIONS,
            of,
            lambda: of(first, "successor"),
        )

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        texts = rng.sample(self.corpus.statements.tasks, rng.randint(1, 2))
        return requests(session, "reading", texts)


def _system_measures(benchmarks: Space, support_end: Draw) -> dict[str, Draw]:
    return {
        "latency": figure("number", "{} milliseconds", 8, 990, 1),
        "throughput": figure("number", "{} requests per second", 2100, 98000),
        "hit_rate": figure("percent", "{}%", 70, 99, 1),
        "memory": figure("number", "{} GB", 2, 96, 1),
        "cold_start": figure("number", "{} seconds", 1, 59, 2),
        "version": pools.version,
        "support_end": support_end,
        "benchmark": member(benchmarks),
    }


def _paper_measures(people: Space) -> dict[str, Draw]:
    return {
        "accuracy": figure("percent", "{}%", 58, 99, 1),
        "error_rate": figure("percent", "{}%", 2, 24, 2),
        "training_time": figure("number", "{} hours", 3, 480, 1),
        "checkpoint": figure("number", "{} GB", 2, 96, 1),
        "samples": figure("number", "{}", 12000, 990000),
        "code_version": pools.version,
        "published": partial(pools.date, years=(2011, 2025)),
        "author": member(people),
    }
