"""s5: an assistant for private matters, projects and code that has only the notes it keeps itself.

A block is a session. Its material comes in parts, one with each interaction, and every part ends in
a small request; nothing is repeated, so what the agent does not save while it is told is gone with
the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from agingbench.bench.plan.corpus import Corpus, load_corpus
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.templates import Filling
from agingbench.bench.plan.weaving import SENTINELS, WovenScenario

SCENARIO = "s5_self_planning"
BLOCK_LENGTH = 11
# facts about the user that open a life; every interaction beyond so many brings a new fact to its
# block
STANDING = 5
SHORTEST_WITH_EVENT = 8


class SelfPlanning(WovenScenario):
    """The headline is recall through the agent's own files; what they state stands beside it."""

    id = SCENARIO
    version = "2.0.0"
    title = "Self-planning notes"
    headline = "recall_accuracy"
    mechanisms = ("compression", "interference", "revision")
    default_agent = "workspace"
    default_memory = "workspace"
    weaver = BlockWeaver
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {
        "block_length": (int, 8, 20),
        "sentinels": SENTINELS,
    }
    own_defaults: ClassVar[dict[str, int]] = {"block_length": BLOCK_LENGTH, "sentinels": 0}
    role = (
        "You are the user's long-running assistant for private matters, project records and code."
        " The user tells you things over many conversations, asks for small favours in between, and"
        " relies on you to know later exactly what holds now. Each conversation starts without the"
        " earlier ones."
    )

    def default_events(self, sessions: int) -> list[str]:
        """The notes are lost after seven tenths of the life; a short life has no such event."""
        return [f"workspace_flush@{sessions * 7 // 10}"] if sessions >= SHORTEST_WITH_EVENT else []

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return everything that one life can tell."""
        return _SelfPlanningContent(seed, int(pressure.own["block_length"]))


class _SelfPlanningContent(Content):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    def __init__(self, seed: int, block_length: int) -> None:
        self.corpus = load_corpus(Path(__file__).parent)
        self.block_length = block_length
        self.shape = Shape(notes=block_length - STANDING)
        self.requests = _requests(self.corpus)
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, self.split.first, self.split.last)
        self.clubs = pools.places(rng, pools.CLUB_KIND)
        self.inns = pools.places(rng, pools.INN_KIND)
        self.stages = pools.places(rng, pools.STAGE_KIND)
        self.towns = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, ["", "-on-Sea", "-in-the-Hills"], glue=""
        )
        self.projects = Space(rng, [f"Project {head}" for head in _PROJECT_HEAD], _PROJECT_TAIL)
        self.services = Space(rng, _SERVICE_WHAT, _SERVICE_DOES, _SERVICE_KIND, glue="_")
        self.subjects = (
            self.people,
            self.clubs,
            self.inns,
            self.stages,
            self.projects,
            self.services,
        )
        self.libraries = Space(
            rng, _LIBRARY_HEAD, _LIBRARY_TAIL, ("", "-core", "-lite", "-next"), glue=""
        )
        self.things = Space(rng, pools.ADJECTIVES, pools.PACKED)
        self.restaurants = Space(rng, pools.RESTAURANT_HEAD, pools.RESTAURANT_TAIL)
        self.allergens = Space(rng, pools.ALLERGENS)
        self.surnames = Space(rng, self.split.last)
        self.of_people: dict[str, Draw] = {
            "wedding": drawn(pools.money, 30, 700),
            "party": self.soon,
            "apartment": pools.flat_number,
        }
        self.of_places: dict[str, tuple[Space, Draw]] = {
            "membership": (self.clubs, drawn(pools.money, 18, 190)),
            "closing": (self.inns, drawn(pools.agreed_time, 15, 23)),
            "voucher": (self.stages, drawn(pools.code, 6)),
        }
        self.of_projects = _project_records(rng, self.people, self.split.last, self.in_time)
        self.of_services = _service_records(rng)
        file = rng.choice(_NEAR_FILES)
        axes = (
            (f"{file}.py", f"{file}_old.py"),
            ("staging", "production"),
            ("target", "achieved"),
            _BRANCHES,
        )
        self.family = Lookalikes(rng, axes)

    # -- what the first block tells

    def opening(self, rng: Random) -> list[Draft]:
        dentist = f"Dr. {self.surnames.take()}"
        return [
            self._about(rng, "clothing", drawn(pools.money, 120, 940)),
            self._about(rng, "restaurant", member(self.restaurants)),
            self._about(rng, "allergy", member(self.allergens)),
            self._about(rng, "checkup", self.soon, {"x": dentist}),
            self._about(rng, "review", drawn(pools.agreed_time, 6, 21)),
            *(self.note(rng) for _ in range(self.block_length - STANDING)),
        ]

    def _about(
        self, rng: Random, kind: str, draw: Draw, words: Mapping[str, str] | None = None
    ) -> Draft:
        return draft_from(
            self.corpus,
            rng,
            kind,
            draw,
            words or {},
            family="constraint",
            domain="me",
            retractable=False,
        )

    # -- what later blocks add

    def note(self, rng: Random) -> Draft:
        return rng.choice((self._private, self._record, self._code))(rng)

    def _private(self, rng: Random) -> Draft:
        if rng.random() < 0.5:
            return self._note(rng, self.of_people, self.people.take())
        kind = rng.choice(list(self.of_places))
        places, draw = self.of_places[kind]
        return draft_from(self.corpus, rng, kind, draw, {"x": places.take()})

    def _record(self, rng: Random) -> Draft:
        return self._note(rng, self.of_projects, self.projects.take())

    def _code(self, rng: Random) -> Draft:
        return self._note(rng, self.of_services, self.services.take())

    def _note(self, rng: Random, records: Mapping[str, Draw], subject: str) -> Draft:
        kind = rng.choice(list(records))
        return draft_from(self.corpus, rng, kind, records[kind], {"x": subject})

    def listing(self, rng: Random, number: int) -> list[Draft]:
        kind = _LISTS[number % len(_LISTS)]
        if kind == "packing":
            subject = self.towns.take()
            space = self.things
        elif kind == "board":
            subject = self.projects.take()
            space = self.people
        else:
            subject = self.services.take()
            space = self.libraries
        words = {"x": subject}
        return [self.list_member(rng, number, kind, space, words)] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        file, stage, kind, branch = traits
        words = {"x": file, "stage": stage, "kind": kind, "branch": branch}
        return self.fixed(rng, "run_time", _milliseconds, words, family="pair", domain="run")

    def chain(self, rng: Random, hops: int) -> Chain:
        service = self.services.take()
        people = [self.people.take() for _ in range(hops - 1)]
        return self.chain_over(
            rng,
            people,
            self.people,
            _RELATIONS,
            slot="x",
            holds=("desk", drawn(pools.code, 3)),
            stands="relation",
            named=("maintainer", {"x": service}),
        )

    # -- the rest of a block

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        kinds = list(self.requests)
        first = rng.randrange(len(kinds))
        waiting = {kind: rng.sample(texts, len(texts)) for kind, texts in self.requests.items()}
        filling = Filling(rng, {}, self.filler)
        tasks = []
        for n in range(self.block_length):
            kind = kinds[(first + n) % len(kinds)]
            text = filling.text(waiting[kind].pop())
            tasks.append(Task(f"t{session}.{n}", kind, text, "", "none"))
        return tasks


def _requests(corpus: Corpus) -> dict[str, list[str]]:
    # The word before the colon is the world that a request belongs to.
    requests: dict[str, list[str]] = {}
    for line in corpus.statements.tasks:
        world, _, text = line.partition(": ")
        requests.setdefault(world, []).append(text)
    return requests


def _project_records(
    rng: Random, people: Space, surnames: Sequence[str], deadline: Draw
) -> dict[str, Draw]:
    vendors = Space(rng, surnames, _VENDOR_KIND)
    return {
        "budget": drawn(pools.money, 11_000, 98_000),
        "deadline": deadline,
        "owner": member(people),
        "vendor": member(vendors),
        "approval": figure("percent", "{}%", 40, 96, 1),
        "call": drawn(pools.agreed_time, 8, 18),
    }


def _service_records(rng: Random) -> dict[str, Draw]:
    files = [f"{kind}.toml" for kind in _SERVICE_KIND]
    settings = Space(rng, _SETTINGS_OF, _SERVICE_WHAT, files, glue="_")
    return {
        "port": drawn(pools.code, 4),
        "version": pools.version,
        "timeout": _milliseconds,
        "cache": figure("percent", "{}%", 70, 99, 1),
        "settings": member(settings),
        "ticket": drawn(pools.code, 5),
    }


_milliseconds = figure("number", "{} milliseconds", 1100, 9900)
_LISTS = ("packing", "board", "libraries")
_RELATIONS = ("deputy", "mentor", "flatmate", "supervisor", "trainee")
_PROJECT_HEAD = (
    "Alder Ashen Auburn Azure Boreal Brisk Candid Cerulean Cobalt Dusky Elder Fabled Fallow"
    " Fleeting Gilded Glacial Hardy Hushed Ivy Jade Keen Lilac Lofty Mossy Nimble Ochre Onyx Pearl"
    " Placid Prime Quaint Ruby Sable Sandy Slate Sleek Stark Supple Tawny Teal Topaz Vernal Violet"
    " Wispy"
).split()
_PROJECT_TAIL = (
    "Abbot Acorn Arbor Arrow Atoll Bobcat Boulder Breaker Bugle Cactus Catamaran Chapel Cricket"
    " Cypress Dune Estuary Ferret Finch Fjord Galleon Geyser Harp Hedgehog Inlet Jetty Kettle Kite"
    " Lemur Locust Mallard Mesa Monsoon Narwhal Nimbus Oboe Parsec Pinnacle Quasar Rafter Saddle"
    " Sextant Sundial Trellis Tundra Vulture Wagon Walnut Yarrow"
).split()
_SERVICE_WHAT = (
    "audit basket billing booking catalog claims courier coupon customer delivery invoice ledger"
    " mailbox media order parcel payroll photo pricing profile quota refund rental report route"
    " search shift stock survey tax ticketing tracking translation user voting"
).split()
_SERVICE_DOES = (
    "backfill batch check clean crawl digest diff export fanout forward import index lookup merge"
    " notify parse poll purge rank render replay retry sample sync tally upload"
).split()
_SERVICE_KIND = (
    "agent broker bridge cron daemon gateway hub job loader proxy queue relay runner server sink"
    " worker".split()
)
_SETTINGS_OF = (
    "base canary cluster default edge fallback global legacy local main nightly prod shared staging"
).split()
_LIBRARY_HEAD = (
    "arrow blink brisk carbon delta ember flux gleam hinge iris jolt krill lumen mango nacre onda"
    " pivot quill ripple sable tinder umbel vortex wisp xeno yarn zest"
).split()
_LIBRARY_TAIL = (
    "auth",
    "chart",
    "cli",
    "csv",
    "db",
    "fmt",
    "grid",
    "http",
    "json",
    "kit",
    "log",
    "math",
    "orm",
    "pdf",
)
_VENDOR_KIND = (
    "Corp",
    "Logistics",
    "Systems",
    "Partners",
    "Consulting",
    "Supplies",
    "Studios",
    "Instruments",
)
_NEAR_FILES = (
    "invoice_export",
    "user_import",
    "rate_limits",
    "mail_merge",
    "tax_tables",
    "access_rules",
)
_BRANCHES = ("main", "release", "hotfix", "nightly", "legacy", "canary")
