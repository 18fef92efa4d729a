"""s5: an assistant for private matters, projects and code that has only the notes it keeps itself.

A block is a session. Its material comes in parts, one with each interaction, and every part ends in
a small request; nothing is repeated, so what the agent does not save while it is told is gone with
the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import ClassVar

import msgspec

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import Chain, Draft, Purse, Shape, WithAccounts, link, outwards
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Scenario, Session, Task
from agingbench.bench.plan.pools import Draw, Space, drawn, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.scenes import Passage
from agingbench.bench.plan.weaving import LIST_SIZE, SENTINELS, Weaver
from agingbench.records import Tool
from agingbench.text import wording
from agingbench.text.values import Value

SCENARIO = "s5_self_planning"
BLOCK_LENGTH = 11
# facts about the user that open a life; every interaction beyond so many brings a new fact to its
# block
STANDING = 5
SHORTEST_WITH_EVENT = 8


class SelfPlanning(Scenario):
    """The headline is recall through the agent's own files; what they state stands beside it."""

    id = SCENARIO
    version = "2.0.0"
    title = "Self-planning notes"
    headline = "recall_accuracy"
    track = "model"
    tier = 1
    mechanisms = ("compression", "interference", "revision")
    default_sessions = 10
    default_agent = "workspace"
    default_memory = "workspace"
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

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        pressure = pressure.with_own(self.own_defaults)
        life = _SelfPlanningContent(seed, int(pressure.own["block_length"]))
        return _Blocks(self.id, life, pressure, seed).weave(sessions, self.version, self.headline)

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools of a session; this scenario offers none."""
        return []


class _Blocks(Weaver):
    """Weaves like any other, and hands the material of a session out over its interactions."""

    def _session(self, t: int) -> Session:
        whole = super()._session(t)
        parts = _spread(wording.sentences(whole.material), len(whole.tasks))
        first, *others = whole.tasks
        later = [
            msgspec.structs.replace(task, text=f"{part}\n\n{task.text}")
            for task, part in zip(others, parts[1:], strict=True)
        ]
        return Session(t, parts[0], [first, *later])

    def _material(self, rng: Random, t: int, passages: list[Passage], tasks: list[Task]) -> str:
        # The material never stands alone here: the dial is met by both together, so all of the
        # requests is set aside.
        return super()._material(rng, t, passages, [*tasks, *tasks])


def _spread(sentences: Sequence[str], parts: int) -> list[str]:
    edges = [len(sentences) * n // parts for n in range(parts + 1)]
    return [" ".join(sentences[a:b]) for a, b in pairwise(edges)]


class _SelfPlanningContent(WithAccounts):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    purse = Purse(
        ("training account", "equipment account"),
        ("a course", "a webinar", "textbooks", "a seminar", "printouts", "a tutor", "lab coats"),
    )

    def __init__(self, seed: int, block_length: int) -> None:
        self.block_length = block_length
        self.shape = Shape(notes=block_length - STANDING)
        rng = stream(SCENARIO, seed, "spaces")
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.places = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, [f" {k}" for k in pools.PLACE_KIND], glue=""
        )
        self.towns = Space(
            rng, pools.PLACE_HEAD, pools.PLACE_TAIL, ["", "-on-Sea", "-in-the-Hills"], glue=""
        )
        self.projects = Space(rng, _PROJECT_HEAD, _PROJECT_TAIL)
        self.services = Space(rng, _SERVICE_WHAT, _SERVICE_DOES, _SERVICE_KIND, glue="_")
        self.settings = Space(
            rng, _SETTINGS_OF, _SERVICE_WHAT, [f"{k}.toml" for k in _SERVICE_KIND], glue="_"
        )
        self.libraries = Space(
            rng, _LIBRARY_HEAD, _LIBRARY_TAIL, ("", "-core", "-lite", "-next"), glue=""
        )
        self.vendors = Space(rng, pools.LAST, _VENDOR_KIND)
        self.things = Space(rng, pools.ADJECTIVES, pools.OBJECTS)
        self.restaurants = Space(rng, pools.RESTAURANT_HEAD, pools.RESTAURANT_TAIL)
        self.allergens = Space(rng, pools.ALLERGENS)
        self.surnames = Space(rng, pools.LAST)
        # Each life has a time of its own, so that no date can be guessed.
        present = rng.randint(2026, 2065)
        self.date = partial(pools.date, years=(present, present + 9))
        file = rng.choice(_NEAR_FILES)
        axes = (
            (f"{file}.py", f"{file}_old.py"),
            ("staging", "production"),
            ("target", "achieved"),
            _BRANCHES,
        )
        self.family = Lookalikes(rng, axes, _ASIDES)

    # -- what the first block tells

    def opening(self, rng: Random) -> list[Draft]:
        dentist = f"Dr. {self.surnames.take()}"
        return [
            _about(
                "me",
                ("clothing",),
                "my monthly clothing budget",
                "My monthly clothing budget is {v}.",
                "I have changed my monthly clothing budget to {v}.",
                drawn(pools.money, 120, 940),
            ),
            _about(
                "me",
                ("favourite|favorite", "restaurant"),
                "my favourite restaurant",
                "My favourite restaurant is {v}.",
                "My favourite restaurant is {v} these days.",
                member(self.restaurants),
                "Which is my favourite restaurant?",
            ),
            _about(
                "me",
                ("allergic|allergy",),
                "the thing I am allergic to",
                "I am allergic to {v}.",
                "The test was repeated and it turns out that I am allergic to {v}.",
                member(self.allergens),
                "What am I allergic to?",
            ),
            _about(
                "me",
                (dentist, "checkup"),
                f"the date of my checkup with {dentist}",
                f"My checkup with {dentist} is on {{v}}.",
                f"My checkup with {dentist} was moved to {{v}}.",
                self.date,
                f"On what date is my checkup with {dentist}?",
            ),
            _about(
                "me",
                ("review|reviews", "start|starts"),
                "the time my weekly review starts",
                "My weekly review starts at {v}.",
                "My weekly review starts at {v} from now on.",
                drawn(pools.clock, 6, 21),
                "At what time does my weekly review start?",
            ),
            *(self.note(rng) for _ in range(self.block_length - STANDING)),
        ]

    # -- what later blocks add

    def note(self, rng: Random) -> Draft:
        return rng.choice((self._private, self._record, self._code))(rng)

    def _private(self, rng: Random) -> Draft:
        p = self.people.take()
        at = self.places.take()
        return rng.choice(
            [
                _note(
                    p,
                    "wedding",
                    f"the sum I set aside for {p}'s wedding gift",
                    f"I set {{v}} aside for {p}'s wedding gift.",
                    f"I now set {{v}} aside for {p}'s wedding gift.",
                    drawn(pools.money, 30, 700),
                    f"How much did I set aside for {p}'s wedding gift?",
                ),
                _note(
                    p,
                    "party",
                    f"the date of {p}'s garden party",
                    f"{p}'s garden party is on {{v}}.",
                    f"{p}'s garden party was moved to {{v}}.",
                    self.date,
                    f"On what date is {p}'s garden party?",
                ),
                _note(
                    p,
                    "apartment",
                    f"{p}'s apartment number",
                    f"{p}'s apartment number is {{v}}.",
                    f"{p}'s apartment number is now {{v}}.",
                    drawn(pools.code, 4),
                ),
                _note(
                    at,
                    "membership",
                    f"the monthly cost of my membership at {at}",
                    f"My membership at {at} costs {{v}} a month.",
                    f"My membership at {at} now costs {{v}} a month.",
                    drawn(pools.money, 15, 480),
                    f"How much does my membership at {at} cost a month?",
                ),
                _note(
                    at,
                    "close|closes|closing",
                    f"the closing time of {at}",
                    f"{at} closes at {{v}}.",
                    f"The hours have changed and {at} closes at {{v}}.",
                    drawn(pools.clock, 15, 23),
                    f"At what time does {at} close?",
                ),
                _note(
                    at,
                    "voucher",
                    f"my voucher number for {at}",
                    f"My voucher number for {at} is {{v}}.",
                    f"They sent another one, so my voucher number for {at} is {{v}}.",
                    drawn(pools.code, 6),
                ),
            ]
        )

    def _record(self, rng: Random) -> Draft:
        p = f"Project {self.projects.take()}"
        return rng.choice(
            [
                _note(
                    p,
                    "budget",
                    f"the budget of {p}",
                    f"The budget of {p} is {{v}}.",
                    f"The steering group set the budget of {p} to {{v}}.",
                    drawn(pools.money, 11_000, 98_000),
                ),
                _note(
                    p,
                    "deadline",
                    f"the deadline of {p}",
                    f"The deadline of {p} is {{v}}.",
                    f"The deadline of {p} was moved to {{v}}.",
                    self.date,
                ),
                _note(
                    p,
                    "owner",
                    f"the owner of {p}",
                    f"The owner of {p} is {{v}}.",
                    f"After the handover the owner of {p} is {{v}}.",
                    member(self.people),
                    f"Who is the owner of {p}?",
                ),
                _note(
                    p,
                    "vendor",
                    f"the vendor of {p}",
                    f"The vendor of {p} is {{v}}.",
                    f"The contract was awarded again and the vendor of {p} is {{v}}.",
                    member(self.vendors),
                ),
                _note(
                    p,
                    "approval",
                    f"the approval rate of {p}",
                    f"The approval rate of {p} is {{v}}.",
                    f"The survey was repeated and the approval rate of {p} is {{v}}.",
                    pools.percent,
                ),
                _note(
                    p,
                    "call",
                    f"the starting time of the weekly call of {p}",
                    f"The weekly call of {p} starts at {{v}}.",
                    f"The weekly call of {p} now starts at {{v}}.",
                    drawn(pools.clock, 8, 18),
                    f"At what time does the weekly call of {p} start?",
                ),
            ]
        )

    def _code(self, rng: Random) -> Draft:
        s = self.services.take()
        return rng.choice(
            [
                _note(
                    s,
                    "port",
                    f"the port of the service {s}",
                    f"The service {s} listens on port {{v}}.",
                    f"The service {s} now listens on port {{v}}.",
                    drawn(pools.code, 4),
                    f"On which port does the service {s} listen?",
                ),
                _note(
                    s,
                    "version",
                    f"the version of the service {s}",
                    f"The service {s} runs version {{v}}.",
                    f"After the rollout the service {s} runs version {{v}}.",
                    pools.version,
                    f"Which version does the service {s} run?",
                ),
                _note(
                    s,
                    "timeout",
                    f"the timeout of the service {s}",
                    f"The timeout of the service {s} is {{v}}.",
                    f"The timeout of the service {s} is {{v}} now.",
                    _milliseconds,
                ),
                _note(
                    s,
                    "cache",
                    f"the cache hit rate of the service {s}",
                    f"The cache hit rate of the service {s} is {{v}}.",
                    f"The cache hit rate of the service {s} is {{v}} these days.",
                    pools.percent,
                ),
                _note(
                    s,
                    "settings",
                    f"the file with the settings of the service {s}",
                    f"The service {s} keeps its settings in {{v}}.",
                    f"The service {s} now keeps its settings in {{v}}.",
                    member(self.settings),
                    f"In which file does the service {s} keep its settings?",
                ),
                _note(
                    s,
                    "ticket",
                    f"the ticket number for the rewrite of the service {s}",
                    f"The ticket number for the rewrite of the service {s} is {{v}}.",
                    "The tickets were merged, so the ticket number for the rewrite of the service"
                    f" {s} is {{v}}.",
                    drawn(pools.code, 5),
                ),
            ]
        )

    def listing(self, rng: Random, number: int) -> list[Draft]:
        kind = number % 3
        if kind == 0:
            whom = self.towns.take()
            space = self.things
            article = "the "
            phrase = f"the packing list for the trip to {whom}"
            words = ("packing", whom)
            question = f"Which things are on {phrase} now?"
        elif kind == 1:
            whom = f"Project {self.projects.take()}"
            space = self.people
            article = ""
            phrase = f"the review board of {whom}"
            words = ("board", whom)
            question = f"Who is on {phrase} now?"
        else:
            whom = self.services.take()
            space = self.libraries
            article = ""
            phrase = f"the list of libraries allowed in the service {whom}"
            words = ("libraries|library", whom)
            question = f"Which libraries are on {phrase} now?"
        say = f"Put {article}{{v}} on {phrase}."
        retraction = f"Take {article}{{v}} off {phrase} again."
        return [
            Draft(
                family="list",
                domain="list",
                subject=words,
                phrase=phrase,
                say=say,
                draw=member(space),
                question=question,
                change="",
                retract=retraction,
                group=f"g{number}",
            )
            for _ in range(LIST_SIZE)
        ]

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        one, other = self.family.pair(number)
        return _run_time(*one), _run_time(*other)

    def chain(self, rng: Random, hops: int) -> Chain:
        service = self.services.take()
        people = [self.people.take() for _ in range(hops - 1)]
        desk = link(
            (people[-1], "desk"), f"{people[-1]}'s desk number", drawn(pools.code, 3), "What"
        )
        return outwards(
            desk,
            pools.code(rng, 3),
            people,
            _RELATIONS,
            lambda who, relation: link((who, relation), f"{who}'s {relation}", member(self.people)),
            lambda: link(
                (service, "maintainer"),
                f"the maintainer of the service {service}",
                member(self.people),
            ),
        )

    # -- the rest of a block

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        kinds = list(_REQUESTS)
        first = rng.randrange(len(kinds))
        turns = [kinds[(first + n) % len(kinds)] for n in range(self.block_length)]
        return [
            Task(f"t{session}.{n}", kind, rng.choice(_REQUESTS[kind]), "", "none")
            for n, kind in enumerate(turns)
        ]

    def talk(self, rng: Random) -> str:
        topic = self.family.in_passing(rng)
        if topic is not None:
            return f"{rng.choice(_WORK_WHEN)} someone brought up {topic}{rng.choice(_WORK_TAIL)}."
        if rng.random() < 0.5:
            return pools.small_talk(rng)
        return (
            f"{rng.choice(_WORK_WHEN)} {rng.choice(_WORK_WHO)}"
            f" {rng.choice(_WORK_DID)}{rng.choice(_WORK_TAIL)}."
        )

    def frame(self, session: int) -> str:
        return ""


def _about(
    domain: str,
    subject: tuple[str, ...],
    phrase: str,
    say: str,
    change: str,
    draw: Draw,
    question: str = "",
) -> Draft:
    return Draft(
        family="constraint",
        domain=domain,
        subject=subject,
        phrase=phrase,
        say=say,
        draw=draw,
        question=question,
        change=change,
    )


def _note(
    who: str, word: str, phrase: str, say: str, change: str, draw: Draw, question: str = ""
) -> Draft:
    retract = f"Forget {phrase}; it does not apply any longer."
    return Draft(
        family="note",
        domain=word.split("|")[0],
        subject=(who, word),
        phrase=phrase,
        say=say,
        draw=draw,
        question=question,
        change=change,
        retract=retract,
    )


def _run_time(file: str, stage: str, kind: str, branch: str) -> Draft:
    phrase = f"the {kind} run time of {file} in {stage} on the {branch} branch"
    return Draft(
        family="pair",
        domain="run",
        subject=(file, stage, kind, branch),
        phrase=phrase,
        say=f"The {phrase[4:]} is {{v}}.",
        draw=_milliseconds,
    )


def _milliseconds(rng: Random, avoid: Sequence[Value]) -> Value:
    value = Value("number", f"{rng.randint(1100, 9900)} milliseconds")
    return value if value not in avoid else _milliseconds(rng, avoid)


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
_ASIDES = (
    "{0} in {1}",
    "the {2} run time of {0}",
    "{0} on the {3} branch",
    "the {2} run time in {1}",
    "the {3} branch in {1}",
    "the {2} run time on the {3} branch",
)
_REQUESTS: dict[str, tuple[str, ...]] = {
    "assistant": (
        "Draft a short thank-you note for the hosts.",
        "Order some more tea for the kitchen.",
        "Schedule a quiet hour for tomorrow.",
        "Book a table by the window for the evening.",
        "Draft a polite reply to the landlord.",
        "Arrange for the parcel to be picked up.",
        "Suggest a light lunch for a warm day.",
    ),
    "knowledge_base": (
        "Draft an agenda for the next meeting.",
        "Arrange a room for the workshop.",
        "Draft a reminder to the team to fill in their hours.",
        "Schedule a follow-up with the board.",
        "Draft two lines that open the status page.",
        "Explain in one line what a steering group does.",
    ),
    "coding": (
        "Draft a commit message for a clean-up.",
        "Schedule the nightly build for later.",
        "Draft a comment that explains an early return.",
        "Explain in one line what a race condition is.",
        "Draft a title for a refactoring.",
        "Order the imports the usual way.",
    ),
}
_WORK_WHEN = (
    "In the stand-up",
    "After lunch",
    "Near the coffee machine",
    "While the build ran",
    "Between two calls",
    "At the end of the day",
    "During the demo",
    "In the corridor",
    "Once again",
    "To nobody's surprise",
)
_WORK_WHO = (
    "the intern",
    "the new linter",
    "the whiteboard",
    "someone from sales",
    "the test suite",
    "the printer",
    "the office plant",
    "the retrospective",
    "the team next door",
    "the receptionist",
    "the debate about tabs",
    "a stray pull request",
    "the projector",
    "the facilities crew",
    "the flaky monitor",
    "the cleaning robot",
)
_WORK_DID = (
    "took longer than anybody had hoped",
    "went better than last week",
    "made people smile",
    "came to nothing",
    "was the talk of the floor",
    "kept its own counsel",
    "needed a second look",
    "raised a few eyebrows",
    "got by without a fuss",
    "found an unexpected friend",
    "was quietly forgotten",
    "started all over again",
    "turned out to be harmless",
    "had everyone guessing",
    "looked fine from a distance",
)
_WORK_TAIL = (
    "",
    " and work went on",
    ", or so I heard",
    " until somebody laughed",
    ", as these things go",
    " for once",
    " and then it rained",
    ", which is just as well",
    " before the next topic came up",
)
