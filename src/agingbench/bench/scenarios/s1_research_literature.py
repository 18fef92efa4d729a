"""s1: a research assistant that reads findings every session and is asked for them later."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import ClassVar, NamedTuple

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import Chain, Draft, NoAccounts, Shape, link, outwards
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.bench.plan.pools import Draw, Space, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.weaving import LIST_SIZE, Weaver
from agingbench.records import Tool

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
_ASIDES = (
    "{0} {{0}} in {{1}}",
    "the {{2}} latency of {0} {{0}}",
    "{0} {{0}} on the {{3}} workload",
    "the {{2}} latency in {{1}}",
    "the {{3}} workload in {{1}}",
    "the {{2}} latency on the {{3}} workload",
)
_TASKS = (
    "Write a line for the reading log about this batch.",
    "Draft a short note to the group about this batch.",
    "Say which finding of this batch deserves a closer look.",
    "Put an open question about this batch on the reading list.",
    "Tell me whether this batch fits with what we read before.",
    "Suggest a heading for this batch.",
    "Say in a sentence what the next batch should cover.",
)
_HEADINGS = (
    "Reading notes",
    "New findings",
    "Notes from the reading group",
    "This week's batch",
    "Lab digest",
)


class ResearchLiterature(Scenario):
    """The headline is what the memory still states of the findings; recall stands beside it."""

    id = SCENARIO
    version = "1.0.0"
    title = "Research literature"
    headline = "keyword_m"
    track = "model"
    tier = 1
    mechanisms = ("compression", "revision")
    default_sessions = 10
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {"cohort_size": (int, 2, 20)}
    own_defaults: ClassVar[dict[str, int]] = {"cohort_size": COHORT_SIZE}
    role = (
        "You are a research assistant. The user hands you batches of technical findings from papers"
        " and system reports over many conversations, with errata and withdrawals, and relies on"
        " you to remember the exact figures, names and dates as they stand."
    )

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        pressure = pressure.with_own(self.own_defaults)
        content = _Reading(seed, int(pressure.own["cohort_size"]))
        return Weaver(self.id, content, pressure, seed).weave(sessions, self.version, self.headline)

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools of a session; this scenario offers none."""
        return []


class _Measure(NamedTuple):
    """A measure that findings report; `word` stands in every sentence about it."""

    name: str
    word: str
    draw: Draw
    says: tuple[str, ...]  # {x}: what it is measured on
    ask: str = "What is"


class _Reading(NoAccounts):
    """The content of one life: systems and papers, each with a few findings about it."""

    def __init__(self, seed: int, cohort: int) -> None:
        rng = stream(SCENARIO, seed, "spaces")
        self.shape = Shape(notes=cohort, list_every=2, accounts=0)
        self.systems = Space(rng, pools.SYSTEM_HEAD, pools.SYSTEM_USE, pools.SYSTEM_KIND)
        self.titles = Space(rng, pools.TITLE_HOW, pools.TITLE_WHAT, pools.TITLE_DEED)
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.benchmarks = Space(
            rng, pools.SYSTEM_HEAD, pools.BENCH_TAIL, [f" {k}" for k in pools.BENCH_KIND], glue=""
        )
        self.datasets = Space(rng, pools.SYSTEM_HEAD, pools.DATA_KIND, pools.DATA_TAIL)
        self.methods = Space(rng, pools.SYSTEM_HEAD, pools.METHOD_KIND, pools.METHOD_TAIL)
        self.near = self.systems.take()  # the system that comes in two spellings
        axes = (
            rng.choice(pools.NEAR_SUFFIX),
            ("staging", "production"),
            ("target", "achieved"),
            _LOADS,
        )
        self.family = Lookalikes(rng, axes, [a.format(self.near) for a in _ASIDES])
        self.of_systems = _system_measures(self.benchmarks)
        self.of_papers = _paper_measures(self.people)
        self.waiting: list[Draft] = []  # findings of the current source that are still to come

    def opening(self, rng: Random) -> list[Draft]:
        return [self.note(rng) for _ in range(self.shape.notes)]

    def note(self, rng: Random) -> Draft:
        if not self.waiting:
            system = rng.random() < 0.6
            subject = (self.systems if system else self.titles).take()
            measures = rng.sample(self.of_systems if system else self.of_papers, rng.randint(2, 3))
            mention = subject if system else _paper(subject)
            self.waiting = [_finding(rng, subject, mention, measure) for measure in measures]
        return self.waiting.pop()

    def listing(self, rng: Random, number: int) -> list[Draft]:
        title = self.titles.take()
        things = "methods"
        kind = "baselines"
        space = self.methods
        if number % 2 == 0:
            things = "collections"
            kind = "datasets"
            space = self.datasets
        phrase = f"the {kind} used in {_paper(title)}"
        return [
            Draft(
                family="list",
                domain="list",
                subject=(title, kind),
                phrase=phrase,
                say=f"{{v}} is among {phrase}.",
                draw=member(space),
                question=f"Which {things} are among {phrase} now?",
                change="",
                retract=f"An erratum removed {{v}} from {phrase}.",
                group=f"g{number}",
            )
            for _ in range(LIST_SIZE)
        ]

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        one, other = self.family.pair(number)
        return self._delay(*one), self._delay(*other)

    def _delay(self, end: str, stage: str, kind: str, load: str) -> Draft:
        system = f"{self.near} {end}"
        phrase = f"the {kind} latency of {system} in {stage} on the {load} workload"
        return Draft(
            family="pair",
            domain="latency",
            subject=(system, stage, kind, load),
            phrase=phrase,
            say=f"The {phrase[4:]} is {{v}}.",
            draw=figure("number", "{} milliseconds", 8, 990, 1),
        )

    def chain(self, rng: Random, hops: int) -> Chain:
        # The first system is the one that is named; the last one holds the figure.
        first, *others = [self.systems.take() for _ in range(hops)]
        draw = figure("number", "{} requests per second", 2100, 98000)
        throughput = link(
            (others[-1], "throughput"), f"the peak throughput of {others[-1]}", draw, "What"
        )

        def of(system: str, relation: str) -> Draft:
            return link(
                (system, relation),
                f"the {relation} of {system}",
                member(self.systems),
                "Which system",
            )

        return outwards(
            throughput, draw(rng, []), others, _RELATIONS, of, lambda: of(first, "successor")
        )

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        chosen = rng.sample(_TASKS, rng.randint(1, 2))
        return [
            Task(f"t{session}.{n}", "reading", text, "", "none") for n, text in enumerate(chosen)
        ]

    def talk(self, rng: Random) -> str:
        topic = self.family.in_passing(rng)
        what = rng.choice(_WHAT) if topic is None else f"the remark on {topic}"
        return f"{rng.choice(_WHEN)} {what} {rng.choice(_DOES)}{rng.choice(_TAIL)}."

    def frame(self, session: int) -> str:
        return f"{_HEADINGS[session % len(_HEADINGS)]}."


def _system_measures(benchmarks: Space) -> tuple[_Measure, ...]:
    return (
        _Measure(
            "median latency",
            "latency",
            figure("number", "{} milliseconds", 8, 990, 1),
            ("The median latency of {x} is {v}.", "{x} answers with a median latency of {v}."),
        ),
        _Measure(
            "peak throughput",
            "throughput",
            figure("number", "{} requests per second", 2100, 98000),
            ("The peak throughput of {x} is {v}.", "{x} reaches a peak throughput of {v}."),
        ),
        _Measure(
            "cache hit rate",
            "hit",
            figure("percent", "{}%", 31, 98, 1),
            ("The cache hit rate of {x} is {v}.", "{x} shows a cache hit rate of {v}."),
        ),
        _Measure(
            "memory footprint",
            "memory",
            figure("number", "{} GB", 2, 96, 1),
            ("The memory footprint of {x} is {v}.", "{x} runs with a memory footprint of {v}."),
        ),
        _Measure(
            "cold start time",
            "cold",
            figure("number", "{} seconds", 1, 59, 2),
            ("The cold start time of {x} is {v}.", "{x} has a cold start time of {v}."),
        ),
        _Measure(
            "stable version",
            "version",
            pools.version,
            ("The stable version of {x} is {v}.", "{x} is at stable version {v}."),
        ),
        _Measure(
            "support end date",
            "support",
            pools.date,
            (
                "The support end date of {x} is {v}.",
                "The support end date announced for {x} is {v}.",
            ),
        ),
        _Measure(
            "reference benchmark",
            "benchmark",
            member(benchmarks),
            ("The reference benchmark of {x} is {v}.", "{x} takes {v} as its reference benchmark."),
        ),
    )


def _paper_measures(people: Space) -> tuple[_Measure, ...]:
    return (
        _Measure(
            "test accuracy",
            "accuracy",
            figure("percent", "{}%", 31, 98, 1),
            ("The test accuracy of {x} is {v}.", "In {x} the test accuracy is {v}."),
        ),
        _Measure(
            "word error rate",
            "error",
            figure("percent", "{}%", 2, 47, 2),
            ("The word error rate of {x} is {v}.", "In {x} the word error rate is {v}."),
        ),
        _Measure(
            "training time",
            "training",
            figure("number", "{} hours", 3, 480, 1),
            ("The training time of {x} is {v}.", "In {x} the training time is {v}."),
        ),
        _Measure(
            "checkpoint size",
            "checkpoint",
            figure("number", "{} GB", 2, 96, 1),
            ("The checkpoint size of {x} is {v}.", "In {x} the checkpoint size is {v}."),
        ),
        _Measure(
            "sample count",
            "sample",
            figure("number", "{}", 12000, 990000),
            ("The sample count of {x} is {v}.", "In {x} the sample count is {v}."),
        ),
        _Measure(
            "code version",
            "code",
            pools.version,
            ("The code version of {x} is {v}.", "For {x} the code version is {v}."),
        ),
        _Measure(
            "publication date",
            "publication",
            partial(pools.date, years=(2011, 2025)),
            ("The publication date of {x} is {v}.", "For {x} the publication date is {v}."),
        ),
        _Measure(
            "lead author",
            "author",
            member(people),
            ("The lead author of {x} is {v}.", "For {x} the lead author is {v}."),
            "Who is",
        ),
    )


def _paper(title: str) -> str:
    return f'the paper "{title}"'


def _finding(rng: Random, subject: str, mention: str, measure: _Measure) -> Draft:
    phrase = f"the {measure.name} of {mention}"
    change = rng.choice(
        (f"Erratum: {phrase} is {{v}}.", f"According to a revised report, {phrase} is {{v}}.")
    )
    say = rng.choice(measure.says).format(x=mention, v="{v}")
    return Draft(
        family="note",
        domain=measure.word,
        subject=(subject, measure.word),
        phrase=phrase,
        say=say[0].upper() + say[1:],
        draw=measure.draw,
        question=f"{measure.ask} {phrase}?",
        change=change,
        retract=f"The finding on {phrase} was withdrawn.",
    )


# What stands between the findings: remarks that state nothing anybody will ask for.
_WHEN = (
    "On a first reading",
    "As usual",
    "On the whole",
    "In the discussion section",
    "Taken as a whole",
    "Once more",
    "A note in the margin says that",
    "On closer inspection",
    "All in all",
    "Compared with the abstract",
    "By and large",
    "For what it is worth",
    "At the reading group",
    "In the opinion of the group",
)
_WHAT = (
    "the related work section",
    "the choice of words",
    "the motivation",
    "the closing argument",
    "the main diagram",
    "the appendix",
    "the line of reasoning",
    "the introduction",
    "the description of the setup",
    "the outlook",
    "the notation",
    "the comparison with older work",
    "the discussion of limits",
    "the ablation",
    "the summary at the end",
    "the running example",
    "the proof sketch",
    "the threat model",
    "the user study",
    "the debate with the reviewers",
)
_DOES = (
    "is easy to follow",
    "leaves a good deal open",
    "could be shorter",
    "rests on familiar ideas",
    "reads well",
    "deserves more room",
    "seems carefully done",
    "leaves mixed feelings behind",
    "goes over known ground",
    "makes readers want to see more",
    "is hard to judge from outside",
    "repeats what others have said",
    "takes some patience",
    "sounds convincing",
    "raises the usual doubts",
    "stays rather vague",
    "would profit from an example",
    "hangs together nicely",
    "comes without surprises",
    "is worth a second look",
)
_TAIL = (
    "",
    " and is best left at that",
    ", as far as can be told",
    ", which is fair enough",
    " in the eyes of most",
    ", though opinions differ",
    ", as texts of this kind go",
    ", so nobody will object",
)
