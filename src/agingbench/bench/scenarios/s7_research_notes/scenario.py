"""s7: an agent that builds a notes program over many sessions and migrates it.

Its workspace is its memory: what was agreed on stands in earlier conversations and in the notes it
took of them. Each session brings what a research group talks about, a request for the program that
needs what was agreed on before, and small favours. After every session the program is started with
words of the plan's and held against what was agreed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import ClassVar

from agingbench.bench.plan import pools
from agingbench.bench.plan.blocks import BlockWeaver
from agingbench.bench.plan.content import (
    LIST_SIZE,
    Chain,
    Content,
    Draft,
    Shape,
    draft_from,
)
from agingbench.bench.plan.corpus import load_corpus
from agingbench.bench.plan.facts import Fact, FactGraph, Version
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import SCHEMA_MIGRATION, LifecycleEvent, Plan, Session, Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.program_check import ProgramCheck
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.templates import Filling
from agingbench.bench.plan.weaving import SENTINELS, WovenScenario
from agingbench.bench.scenarios.s7_research_notes import requests
from agingbench.bench.scenarios.s7_research_notes.checks import MOST_VIEWS_CHECKED, CheckWriter
from agingbench.bench.scenarios.s7_research_notes.design import (
    ORIGIN,
    View,
    reference_program,
)
from agingbench.bench.scenarios.s7_research_notes.development import Change, Development
from agingbench.errors import InputError
from agingbench.text.values import Value

SCENARIO = "s7_research_notes"
BLOCK_LENGTH = 10
TOKENS_PER_REQUEST = 150  # a short session has fewer small favours
LEAST_REQUESTS = 3
FIRST_MIGRATION = 3  # session
MIGRATION_EVERY = 5  # sessions
PAIR_SESSION = 2
MOST_WAITING = 16  # agreed on and still to be built on
NOTES = 5  # new facts per session
YEARS = (2027, 2028)


class ResearchNotes(WovenScenario):
    """The headline is recall through the agent's files; the checks of its program stand beside."""

    id = SCENARIO
    version = "1.0.0"
    title = "Research notes"
    headline = "recall_accuracy"
    track = "agent"
    tier = 2
    mechanisms = ("compression", "interference", "revision", "maintenance")
    tells = frozenset({SCHEMA_MIGRATION})
    default_agent = "workspace"
    default_memory = "workspace"
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {
        "block_length": (int, 4, 20),
        "sentinels": SENTINELS,
    }
    own_defaults: ClassVar[dict[str, int]] = {"block_length": BLOCK_LENGTH, "sentinels": 0}
    role = (
        "You are a research group's long-running assistant. You keep a small command-line program"
        " of theirs in your folder, build what they ask for, and are told over many conversations"
        " what they have agreed on. Each conversation starts without the earlier ones: what the"
        " program must do, and what holds now, you only know from your folder."
    )

    def default_events(self, sessions: int) -> list[str]:
        """A migration in session 3 and every fifth one after it; each shows at the next point."""
        points = range(FIRST_MIGRATION + 1, sessions + 1, MIGRATION_EVERY)
        return [f"{SCHEMA_MIGRATION}@{point}" for point in points]

    def content(self, pressure: Pressure, seed: int) -> NotesContent:
        """Return everything that one life can tell."""
        return NotesContent(seed, pressure)

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials, without migrations."""
        return self.plan_with(pressure, sessions, seed, [])

    def plan_with(
        self, pressure: Pressure, sessions: int, seed: int, events: Sequence[LifecycleEvent]
    ) -> Plan:
        """Build the whole life; a migration at a point is asked for in the session before it."""
        migrations = set()
        for event in events:
            if event.name != SCHEMA_MIGRATION:
                continue
            if event.at < 2:
                raise InputError(f"event '{event}': there is no program to migrate before point 2")
            migrations.add(event.at - 1)
        pressure = pressure.with_own(self.own_defaults)
        weaver = NotesWeaver(self.content(pressure, seed), pressure, seed, migrations)
        plan = weaver.weave(sessions, self.version, self.headline)
        plan.checks = weaver.content.checks
        return plan

    def solution(self, plan: Plan, point: int) -> Mapping[str, str]:
        """Return a program that passes every check at a point, by its path."""
        if point == 0:
            return {}
        tasks = plan.sessions[point - 1].tasks
        program = next(task.solution for task in tasks if task.solution is not None)
        return {plan.checks_at(point)[0].entry: program}


class NotesWeaver(BlockWeaver):
    """Weaves a life around a program: what requests say of it are facts like all others."""

    content: NotesContent

    def __init__(
        self, content: NotesContent, pressure: Pressure, seed: int, migrations: set[int]
    ) -> None:
        super().__init__(SCENARIO, content, pressure, seed)
        self.content = content
        self.migrations = migrations
        self.drafts: dict[str, Draft] = {}  # of what migrations change

    def _session(self, t: int) -> Session:
        self.narrator.begin(t)
        self.content.passages = {}
        self.content.change = None
        rng = self._stream("program", t)
        development = self.content.development
        if t == 0:
            self._say(rng, t, "origin", development.design.field(ORIGIN).name)
            self._say(rng, t, "store", development.design.store.path)
        elif t == PAIR_SESSION:
            self._say_pair(rng, t)
        if t in self.migrations:
            self._migrate(rng, t)
        return super()._session(t)

    def _say(
        self,
        rng: Random,
        t: int,
        kind: str,
        value: str,
        words: Mapping[str, str] | None = None,
        family: str = "decision",
    ) -> Fact:
        # The request states it, so it is no passage of a scene; it changes by migrations alone.
        content = self.content
        all_words = {**content.words, **(words or {})}
        value_kind = "number" if value.isdigit() else "name"
        draft = draft_from(
            content.corpus,
            rng,
            kind,
            lambda rng, avoid: Value(value_kind, value),
            all_words,
            family=family,
            retractable=False,
        )
        self.drafts[kind] = draft
        fact = self._tell(rng, t, replace(draft, change=""), Value(value_kind, value))
        version = fact.versions[-1]
        content.passages[kind] = version.passage or version.sentence
        content.program_facts[kind] = fact.id
        return fact

    def _say_pair(self, rng: Random, t: int) -> None:
        subset, order = self.content.development.pair
        design = self.content.development.design
        design.subset = subset
        design.order = order
        is_paired = self.pressure.n_confusable_pairs > 0
        family = "pair" if is_paired else "decision"
        one = self._say(rng, t, "subset", subset, family=family)
        other = self._say(rng, t, "order", order, family=family)
        if is_paired:
            # They look alike like any other pair, and are one of those that the dial asks for.
            one.domain = "commands"
            other.domain = "commands"
            self.prober.kin["commands"] = [one, other]
            self.prober.pair(one, other)
            self.pair_count += 1
            self.unlike += [one.versions[0].value, other.versions[0].value]

    def _migrate(self, rng: Random, t: int) -> None:
        development = self.content.development
        change = development.next_change()
        development.apply(change)
        self.content.change = change
        if change.grade is not None:
            number = _ORDINALS[min(development.changes, len(_ORDINALS)) - 1]
            words = {"which": f"{number} migration", "x": change.grade.name}
            if development.changes > len(_ORDINALS):
                words["which"] = f"migration after session {t}"
            self._say(rng, t, "field", change.grade.name, words)
            self._say(rng, t, "default", str(change.grade.default), words)
            facts = self.content.program_facts
            facts[f"default.{change.grade.name}"] = facts["default"]
            facts["migration"] = facts["default"]
        elif change.store is not None:
            self._say_again(rng, t, "store", change.store.path)
        else:
            self._say_again(rng, t, "origin", change.name)

    def _say_again(self, rng: Random, t: int, kind: str, text: str) -> None:
        draft = self.drafts[kind]
        fact = self.graph.facts[int(self.content.program_facts[kind][1:])]
        value = Value("name", text)
        version = Version(
            session=t,
            value=value,
            sentence=draft.change.format(v=text),
            passage=self._wording(rng, draft, draft.updates, value),
        )
        fact.versions.append(version)
        self.prober.revise(fact)
        self.content.passages[kind] = version.passage or version.sentence
        self.content.program_facts["migration"] = fact.id


class NotesContent(Content):
    """The content of one life: what the group agrees on, and the program that follows from it."""

    def __init__(self, seed: int, pressure: Pressure) -> None:
        self.seed = seed
        self.corpus = load_corpus(Path(__file__).parent)
        length = int(pressure.own["block_length"])
        fitting = max(LEAST_REQUESTS, pressure.tokens_per_session // TOKENS_PER_REQUEST)
        self.favours = min(length - 1, fitting)
        self.shape = Shape(notes=NOTES)
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, self.split.first, self.split.last)
        self.collections = Space(rng, _COLLECTION_HEAD, _COLLECTION_TAIL, _COLLECTION_END, glue="-")
        self.prefixes = Space(rng, _PREFIX_HEAD, _PREFIX_TAIL, glue="")
        self.studies = Space(rng, _STUDY_HEAD, _STUDY_TAIL, _STUDY_END)
        self.rigs = Space(rng, _RIG_HEAD, _RIG_TAIL, _RIG_END)
        self.subjects = (self.collections, self.studies, self.rigs)
        self.readings = Space(rng, _READING_HEAD, _READING_TAIL, _READING_END)
        self.draws: dict[str, Draw] = {
            "width": figure("number", "{} characters", 41, 189),
            "interval": figure("number", "{} days", 12, 140),
            "points": drawn(pools.count, 12, 480),
            "prefix": member(self.prefixes),
            "curator": member(self.people),
            "shelf": drawn(pools.code, 4),
            "release": pools.version,
            "embargo": _date,
        }
        self.notes: dict[str, Draw] = {
            "grant": drawn(pools.money, 4_100, 98_000),
            "deadline": _date,
            "speaker": member(self.people),
            "meeting": drawn(pools.agreed_time, 8, 18),
            "yield": figure("percent", "{}%", 3, 97, 1),
        }
        file = rng.choice(_NEAR_FILES)
        axes = (
            (f"{file}.csv", f"{file}_old.csv"),
            ("raw", "cleaned"),
            ("planned", "measured"),
            _STATIONS,
        )
        self.family = Lookalikes(rng, axes)
        self.development = Development(SCENARIO, seed)
        design = self.development.design
        self.words = {"noun": design.noun, "nouns": design.nouns, "label": self.development.label}
        self.turn = 0
        self.known = 0  # facts that the list below has taken in
        self.waiting: list[Fact] = []  # agreed on, and no command asked for yet
        self.fresh: list[Fact] = []  # agreed on in the latest session
        # What the weaver says of the program, for the requests of the session.
        self.passages: dict[str, str] = {}
        self.change: Change | None = None
        self.program_facts: dict[str, str] = {}  # ids by what they are about
        self.checks: list[ProgramCheck] = []

    # -- what is agreed on

    def opening(self, rng: Random) -> list[Draft]:
        agreed = [self._agreed(rng, kind) for kind in self.draws]
        return [*agreed, *(self._told(rng, kind) for kind in self.notes)]

    def note(self, rng: Random) -> Draft:
        # Every other one is something that a command can be built on.
        self.turn += 1
        if self.turn % 2:
            return self._agreed(rng, rng.choice(list(self.draws)))
        return self._told(rng, rng.choice(list(self.notes)))

    def _agreed(self, rng: Random, kind: str) -> Draft:
        words = {**self.words, "x": self.collections.take()}
        return draft_from(
            self.corpus,
            rng,
            kind,
            self.draws[kind],
            words,
            family="decision",
            retractable=False,
        )

    def _told(self, rng: Random, kind: str) -> Draft:
        subject = self.rigs.take() if kind in ("meeting", "yield") else self.studies.take()
        return draft_from(self.corpus, rng, kind, self.notes[kind], {"x": subject})

    def listing(self, rng: Random, number: int) -> list[Draft]:
        if number % 2:
            kind = "reading"
            subject = self.studies.take()
            space = self.readings
        else:
            kind = "crew"
            subject = self.rigs.take()
            space = self.people
        return [self.list_member(rng, number, kind, space, {"x": subject})] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        file, state, kind, station = traits
        words = {"x": file, "state": state, "kind": kind, "station": station}
        rows = figure("number", "{} rows", 1100, 9900)
        return self.fixed(rng, "rows", rows, words, family="pair", domain="rows")

    def chain(self, rng: Random, hops: int) -> Chain:
        study = self.studies.take()
        people = [self.people.take() for _ in range(hops - 1)]
        return self.chain_over(
            rng,
            people,
            self.people,
            _RELATIONS,
            slot="x",
            holds=("locker", drawn(pools.code, 3)),
            stands="relation",
            named=("lead", {"x": study}),
        )

    # -- requests: the program first, then small favours

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        self._take_in(graph)
        texts = self._program_requests(rng, session)
        point = session + 1
        values = self.development.view_values(graph, point)
        program = reference_program(self.development.design, values)
        self._write_checks(point, values)

        tasks = []
        for number, text in enumerate(texts):
            solution = program if number == 0 else None
            task = Task(f"t{session}.{number}", "program", text, "", "none", None, solution)
            tasks.append(task)
        filling = Filling(rng, {}, self.filler)
        favours = rng.sample(self.corpus.statements.tasks, self.favours)
        for number, template in enumerate(favours, len(texts)):
            text = filling.text(template)
            tasks.append(Task(f"t{session}.{number}", "favour", text, "", "none"))
        return _with_program_inside(rng, tasks, len(texts))

    def _program_requests(self, rng: Random, session: int) -> list[str]:
        development = self.development
        texts = []
        if session == 0:
            texts.append(requests.begin_text(development, rng, self.filler, self.passages))
        elif session == PAIR_SESSION:
            texts.append(requests.pair_text(development, rng, self.filler, self.passages))
        else:
            texts.append(self._view_request(rng))
        if self.change is not None:
            text = requests.migration_text(
                development.design, self.change, rng, self.filler, self.passages
            )
            texts.append(text)
        return texts

    def _view_request(self, rng: Random) -> str:
        # About something agreed on in an earlier session, so that memory decides.
        place = rng.randrange(len(self.waiting))
        fact = self.waiting.pop(place)
        collection = fact.subject[0]
        command = f"{requests.VERBS[fact.domain]}-{collection}"
        dropped = self.development.add_view(View(fact.domain, command, fact.id))
        return requests.view_text(
            self.development.design,
            rng,
            self.filler,
            fact.domain,
            command,
            collection,
            dropped,
        )

    def _take_in(self, graph: FactGraph) -> None:
        # What this very session agrees on can be asked for from the next one on.
        fresh = graph.facts[self.known :]
        self.known += len(fresh)
        self.waiting = [*self.waiting, *self.fresh][-MOST_WAITING:]
        self.fresh = [fact for fact in fresh if fact.domain in self.draws]

    def _write_checks(self, point: int, values: Sequence[tuple[View, str]]) -> None:
        rng = stream(SCENARIO, self.seed, "checks", point)
        newest = list(values[-1:])
        others = list(values[:-1])
        count = min(len(others), MOST_VIEWS_CHECKED - 1)
        some = newest + rng.sample(others, count)
        writer = CheckWriter(self.development.design, point, rng, self.program_facts)
        self.checks += writer.write(some)


def _with_program_inside(rng: Random, tasks: list[Task], count: int) -> list[Task]:
    # What concerns the program comes up somewhere in the block, in its order.
    program = tasks[:count]
    mixed = tasks[count:]
    places = sorted(rng.randrange(len(mixed) + 1) for _ in program)
    for place, task in zip(reversed(places), reversed(program), strict=True):
        mixed.insert(place, task)
    return mixed


def _date(rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.date(rng, avoid, years=YEARS)


_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_RELATIONS = ("deputy", "mentor", "office mate", "supervisor", "trainee")
_COLLECTION_HEAD = (
    "alpine arctic boreal coastal desert estuary glacial harbour island karst lagoon marsh"
    " montane northern oceanic peatland reef river saline southern steppe tidal tundra upland"
    " valley volcanic western woodland"
).split()
_COLLECTION_TAIL = (
    "beetle coral crab diatom fern fungus heron kelp krill lichen limpet moss moth mussel newt"
    " otter owl pollen sedge seal shrew snail spider sponge tern trout vole wasp"
).split()
_COLLECTION_END = "cores counts files log maps papers plates series sheets slides".split()
_PREFIX_HEAD = (
    "bar cal dor fen gar hal jun kel lor mar nor pel quin ros sal tor ul ven wil yar zan"
).split()
_PREFIX_TAIL = (
    "ax bek dun eth fir gan hov ick jor kit lum mont nax oth pim rud sco tis vane wex"
).split()
_STUDY_HEAD = (
    "Amber Basalt Cinder Drift Eider Fallow Gannet Harrier Indigo Kestrel Larkspur Merlin Nimbus"
    " Osprey Petrel Quartz Saltmarsh Tamarisk Umber Whimbrel"
).split()
_STUDY_TAIL = (
    "Breeding Burrow Dune Flood Foraging Frost Growth Migration Nesting Nutrient Recovery Sediment"
    " Settlement Survival Tide Transect"
).split()
_STUDY_END = ("study", "survey", "trial", "experiment")
_RIG_HEAD = (
    "autumn backup basement blue central eastern field grey hilltop inner jetty mobile new northern"
    " old outer pilot rooftop shore southern spare summer visiting winter"
).split()
_RIG_TAIL = (
    "bench buoy camera centrifuge chamber coring drone flume freezer gauge greenhouse hydrophone"
    " incubator lidar microscope plankton radar sampler sonar tank trap weather"
).split()
_RIG_END = ("rig", "team", "unit")
_READING_HEAD = (
    "Anatomy Atlas Chronicle Ecology Field-Guide Grammar Almanac Limits Logic Manual Measure"
    " Origins Patterns Physics Portrait Principles Signs Survey Theory Voices"
).split()
_READING_TAIL = ("of", "behind", "around", "among")
_READING_END = (
    "Bogs Brine Burrows Canopies Cliffs Currents Dunes Eddies Estuaries Feathers Floods Glaciers"
    " Larvae Lichens Meadows Moults Reefs Roots Sediments Shells Silt Spores Swarms Tides Wetlands"
).split()
_NEAR_FILES = (
    "ring_recoveries",
    "tide_gauge",
    "nest_checks",
    "core_depths",
    "moth_trap",
    "plot_census",
)
_STATIONS = ("north", "south", "ridge", "harbour", "lagoon", "meadow")
