"""s6: a research analyst's assistant that reads figures off seven platforms, with corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from string import ascii_uppercase
from typing import ClassVar

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import Chain, Draft, Purse, Shape, WithAccounts, link, outwards
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Plan, Scenario, Task
from agingbench.bench.plan.pools import Draw, Space, drawn, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.weaving import LIST_SIZE, SENTINELS, Weaver
from agingbench.records import Tool
from agingbench.text.values import Value

SCENARIO = "s6_naturalistic"


class Naturalistic(Scenario):
    """The headline is recall of all findings that still hold; the store is compacted halfway."""

    id = SCENARIO
    version = "2.0.0"
    title = "Naturalistic multi-domain analyst"
    headline = "recall_rate"
    track = "model"
    tier = 1
    mechanisms = ("compression", "interference", "revision", "maintenance")
    default_sessions = 12
    own_dials: ClassVar[dict[str, tuple[type, float, float]]] = {"sentinels": SENTINELS}
    own_defaults: ClassVar[dict[str, int]] = {"sentinels": 0}
    role = (
        "You assist a research analyst. Every session brings data from several platforms: shop"
        " dashboards, maps, project boards, hiring, travel, lab stock and film reviews. Work with"
        " it, and keep the findings in mind for later sessions with their exact names and figures;"
        " take corrections and withdrawals seriously."
    )

    def plan(self, pressure: Pressure, sessions: int, seed: int) -> Plan:
        """Build the whole life under these dials."""
        pressure = pressure.with_own(self.own_defaults)
        return Weaver(self.id, _AnalystContent(seed), pressure, seed).weave(
            sessions, self.version, self.headline
        )

    def tools(self, plan: Plan, session: int) -> list[Tool]:
        """Return the tools of a session; this scenario offers none."""
        return []

    def default_events(self, sessions: int) -> list[str]:
        """The lifecycle events of a life when none are named."""
        return [f"recompact@{sessions // 2}"] if sessions >= 2 else []


@dataclass(frozen=True)
class _Column:
    """One thing a platform tells of its entries; `word` stands in every sentence about it."""

    platform: str
    name: str
    word: str
    draw: str  # a key of _AnalystContent.draws
    ask: str = "What"


# platform -> (what its sentences call it, what one of its entries is called)
_PLATFORMS = {
    "shop": ("shop dashboard", "store"),
    "maps": ("map service", "crossing"),
    "projects": ("project board", "project"),
    "hiring": ("hiring tracker", "candidate"),
    "travel": ("travel desk", "the trip to"),
    "lab": ("lab inventory", "reagent"),
    "media": ("review site", "the film"),
}
_COLUMNS = (
    _Column("shop", "revenue", "revenue", "revenue"),
    _Column("shop", "return rate", "return", "small_share"),
    _Column("shop", "number of open orders", "orders", "four_digits"),
    _Column("maps", "daily traffic count", "traffic", "five_digits"),
    _Column("maps", "closure date", "closure", "date"),
    _Column("maps", "morning opening time", "opening", "morning"),
    _Column("projects", "release version", "release", "version"),
    _Column("projects", "milestone date", "milestone", "date"),
    _Column("projects", "product owner", "owner", "person", "Who"),
    _Column("projects", "approved budget", "budget", "budget"),
    _Column("hiring", "salary expectation", "salary", "salary"),
    _Column("hiring", "interview date", "interview", "date"),
    _Column("hiring", "panel chair", "chair", "person", "Who"),
    _Column("travel", "fare", "fare", "fare"),
    _Column("travel", "departure time", "departure", "clock"),
    _Column("travel", "confirmation number", "confirmation", "six_digits"),
    _Column("travel", "hotel", "hotel", "hotel", "Which"),
    _Column("lab", "lot number", "lot", "five_digits"),
    _Column("lab", "expiry date", "expiry", "date"),
    _Column("lab", "purity", "purity", "large_share"),
    _Column("media", "approval rating", "approval", "large_share"),
    _Column("media", "number of reviews", "reviews", "four_digits"),
    _Column("media", "premiere date", "premiere", "date"),
    _Column("media", "top reviewer", "reviewer", "handle", "Who"),
)
_BY_PLATFORM = {
    platform: [c for c in _COLUMNS if c.platform == platform] for platform in _PLATFORMS
}
# (a list's name, the word that tells it from others, what is on it, the spaces of its owner and of
# its members)
_LISTS = (
    ("review panel of the film {}", "panel", "reviewers", "media", "handles"),
    ("shortlist for the post at {}", "shortlist", "candidates", "sites", "people"),
    ("stopover list of the tour through {}", "stopover", "places", "sites", "stops"),
    ("order sheet of the lab at {}", "sheet", "reagents", "sites", "lab"),
)
_SIGHTS = ("castle", "harbour", "museum", "brewery", "gardens", "cathedral")
_ASIDES = (
    "guide {{0}} {0} on the {{1}} tour",
    "the {{2}} visitor total of guide {{0}} {0}",
    "guide {{0}} {0} and the tour of the {{3}}",
    "the {{2}} visitor total on the {{1}} tour",
    "the {{1}} tour of the {{3}}",
    "the {{2}} visitor total of the {{3}}",
)
_RELATIONS = ("mentor", "proofreader", "stand-in", "supervisor", "auditor")

_PROJECT = (
    "Alder Basalt Cinder Dorian Echo Fathom Gallant Halcyon Inkwell Jubilee Keystone Lattice"
    " Meridian Nimbus Outpost Paragon Quiver Ripple Sextant Tangent Umbral Vertex Whistle Yarrow"
    " Aspen Bravo Citadel Dragoon Elm Furlong Gazette Hamlet Ivy Javelin Knoll Lancer Mantle Nectar"
    " Obelisk Pylon"
).split()
_PROJECT_OF = (
    "Anchor Beacon Canyon Dynamo Engine Frontier Glacier Harvest Island Junction Kite Ledger Mosaic"
    " Notion Orbit Pillar Relay Signal Turbine Voyage Arrow Bell Compass Drum Envoy Forge Gateway"
    " Hinge Inlet Jigsaw Kernel Lever Mast Needle Oar Pulley Rotor Sail Torch Valve"
).split()
_REAGENT = (
    "Acro Benzo Chloro Dextro Ethyl Fluoro Gluco Hexa Iodo Keto Lacto Malto Nitro Oxalo Penta Silo"
    " Tetra Xylo"
)
_REAGENT_MID = ("ba", "ce", "di", "fo", "lu", "mi", "na", "ri", "su", "ve")
_REAGENT_OF = (
    "amide borate citrate digen ester furan gallate hydrin imine kinase lumin mycin nase oxide"
    " pectin quinone"
)
_FILM = (
    "Amber Broken Crimson Distant Frozen Gilded Hollow Iron Lonely Marble Northern Paper Quiet"
    " Silver Velvet Wooden"
)
_FILM_OF = (
    "Orchard Lighthouse Parade Winter Sparrow Bridge Carnival Mirror Voyage Garden Telegram"
    " Staircase Harvest Fox"
)
_FILM_KIND = ("Affair", "Waltz", "Mystery", "Express", "Promise", "Letters", "Inheritance", "Wager")
_HOTEL = (
    "Alcazar Belvedere Corinthia Dorchester Excelsior Fontana Grandeur Imperial Metropole Panorama"
    " Regent Savoyard Astoria Bellagio Continental Esplanade Majestic Novelle Provence Windsor"
).split()
_HOTEL_OF = (
    "Court Gardens Heights House Inn Palace Plaza Residence Rooms Suites Terrace Towers Annex"
    " Chambers Colonnade Courtyard Lodge Manor Pavilion Quarters"
).split()

_OPENERS = (
    "This morning",
    "Before lunch",
    "Near closing time",
    "Between meetings",
    "In the corridor",
    "During the stand-up",
    "Towards noon",
    "On the way to the archive",
    "All of a sudden",
    "After the fire drill",
    "As on most days",
    "Rather late",
)
_WHO = (
    "the coffee machine",
    "the analytics team",
    "somebody from finance",
    "the shared screen",
    "a visitor",
    "the intern",
    "the meeting-room heating",
    "the cleaning crew",
    "the spreadsheet",
    "the office plant",
    "the newsletter",
    "the lift",
    "the printer on the landing",
    "the help desk",
    "the people next door",
    "the courier",
    "the canteen",
    "the projector",
    "the status page",
    "the keyboard",
    "the whiteboard",
    "the air conditioning",
)
_DID = (
    "took a while to settle",
    "made everybody smile",
    "was slower than usual",
    "drew more attention than it deserved",
    "needed a closer look",
    "caused a short delay",
    "behaved better than yesterday",
    "was the talk of the floor",
    "kept the team busy",
    "went unnoticed",
    "came up again",
    "sounded a little odd",
    "needed some patience",
    "turned out to be harmless",
    "gave no cause for concern",
    "brightened the room",
    "was back to normal",
    "left the usual impression",
)
_TAILS = (
    "",
    " and nobody minded",
    ", as one would expect",
    ", more or less",
    " for no obvious reason",
    " until the blinds came down",
    ", which helped the mood",
    ", as far as I can tell",
)


class _AnalystContent(WithAccounts):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    shape = Shape(accounts=1)

    purse = Purse(
        ("data purchasing account",),
        (
            "survey data",
            "map tiles",
            "a market report",
            "press clippings",
            "test kits",
            "a panel study",
        ),
        "the",
        "Finance moved another ${amount:,} into the {name}.",
        "A credit of ${amount} for {what} came into the {name}.",
        "We paid ${amount} for {what} out of the {name}.",
        (1020, 1480),
    )

    def __init__(self, seed: int) -> None:
        rng = stream(SCENARIO, seed, "spaces")
        place = (pools.PLACE_HEAD, pools.PLACE_TAIL)
        self.people = Space(rng, pools.FIRST, pools.LAST)
        self.handles = Space(
            rng, pools.FIRST, ascii_uppercase, [str(n) for n in range(11, 99)], glue=""
        )
        self.spaces = {
            "shop": Space(rng, *place, (" Outlet", " Arcade", " Emporium"), glue=""),
            "maps": Space(rng, *place, (" Bridge", " Tunnel", " Ferry"), glue=""),
            "projects": Space(rng, _PROJECT, _PROJECT_OF),
            "hiring": self.people,
            "travel": Space(rng, *place, (" Bay", " Springs", " Falls"), glue=""),
            "stops": Space(rng, *place, ("-on-Sea", "-in-the-Hills", "-by-the-Lake"), glue=""),
            "lab": Space(rng, _REAGENT.split(), _REAGENT_MID, _REAGENT_OF.split(), glue=""),
            "media": Space(rng, _FILM.split(), _FILM_OF.split(), _FILM_KIND),
            "sites": Space(rng, *place, (" Campus",), glue=""),
            "people": self.people,
            "handles": self.handles,
        }
        hotels = Space(rng, _HOTEL, _HOTEL_OF)
        # Of the two guides whose first names are nearly the same.
        self.surname = rng.choice(pools.LAST)
        axes = rng.choice(pools.NEAR_FIRST), ("morning", "evening"), ("target", "achieved"), _SIGHTS
        self.family = Lookalikes(rng, axes, [a.format(self.surname) for a in _ASIDES])
        self.draws: dict[str, Draw] = {
            "revenue": drawn(pools.money, 104_000, 986_000),
            "budget": drawn(pools.money, 11_000, 94_000),
            "salary": drawn(pools.money, 41_000, 188_000),
            "fare": drawn(pools.money, 120, 990),
            "small_share": partial(_share, 11, 389),
            "large_share": partial(_share, 402, 989),
            "four_digits": drawn(pools.code, 4),
            "five_digits": drawn(pools.code, 5),
            "six_digits": drawn(pools.code, 6),
            "date": pools.date,
            "clock": drawn(pools.clock, 5, 23),
            "morning": drawn(pools.clock, 4, 11),
            "version": pools.version,
            "person": member(self.people),
            "handle": member(self.handles),
            "hotel": member(hotels),
        }

    # -- what sessions bring

    def opening(self, rng: Random) -> list[Draft]:
        """One entry of every platform and five more, so that day one covers the whole job."""
        first = [rng.choice(columns) for columns in _BY_PLATFORM.values()]
        return [self._entry(rng, column) for column in [*first, *rng.sample(_COLUMNS, 5)]]

    def note(self, rng: Random) -> Draft:
        return self._entry(rng, rng.choice(_BY_PLATFORM[rng.choice(list(_PLATFORMS))]))

    def _entry(self, rng: Random, column: _Column) -> Draft:
        board, label = _PLATFORMS[column.platform]
        entry = self.spaces[column.platform].take()
        phrase = f"the {column.name} of {label} {entry}"
        # A row of a table, what the platform says, what the user says: one value to a sentence in
        # each.
        say = rng.choice(
            (
                (
                    f"{board.capitalize()} row: {label.removeprefix('the ')} {entry} |"
                    f" {column.name} {{v}}."
                ),
                f"According to the {board}, {phrase} is {{v}}.",
                f"For my report, {phrase} is {{v}}.",
            )
        )
        change = rng.choice(
            (
                f"CORRECTION: what we had for {phrase} is invalid; the right entry is {{v}}.",
                f"CORRECTION from the {board}: {phrase} is {{v}}.",
                f"I have to correct my notes, {phrase} is {{v}}.",
            )
        )
        retract = f"RETRACTION: {phrase} is withdrawn and must not be cited any longer."
        question = f"{column.ask} is {phrase}?"
        draw = self.draws[column.draw]
        return Draft(
            family="note",
            domain=column.platform,
            subject=(entry, column.word),
            phrase=phrase,
            say=say,
            draw=draw,
            question=question,
            change=change,
            retract=retract,
        )

    def listing(self, rng: Random, number: int) -> list[Draft]:
        form, word, members, owners, space = _LISTS[number % len(_LISTS)]
        owner = self.spaces[owners].take()
        phrase = f"the {form.format(owner)}"
        say = f"{{v}} is on {phrase}."
        retraction = f"CORRECTION: {{v}} is no longer on {phrase}; that finding is withdrawn."
        question = f"Which {members} are on {phrase} now?"
        draw = member(self.spaces[space])
        return [
            Draft(
                family="list",
                domain="list",
                subject=(owner, word),
                phrase=phrase,
                say=say,
                draw=draw,
                question=question,
                change="",
                retract=retraction,
                group=f"g{number}",
            )
            for _ in range(LIST_SIZE)
        ]

    def pair(self, rng: Random, number: int) -> tuple[Draft, Draft]:
        lead = rng.choice(("Please note that", "For my report,"))
        one, other = self.family.pair(number)
        return self._visitors(lead, *one), self._visitors(lead, *other)

    def _visitors(self, lead: str, first: str, tour: str, kind: str, place: str) -> Draft:
        guide = f"{first} {self.surname}"
        phrase = f"the {kind} visitor total of guide {guide} on the {tour} tour of the {place}"
        return Draft(
            family="pair",
            domain="visitor",
            subject=(guide, tour, kind, place),
            phrase=phrase,
            say=f"{lead} {phrase} is {{v}}.",
            draw=drawn(pools.code, 5),
        )

    def chain(self, rng: Random, hops: int) -> Chain:
        project = self.spaces["projects"].take()
        people = [self.people.take() for _ in range(hops - 1)]
        desk = link(
            (people[-1], "desk"), f"{people[-1]}'s desk number", drawn(pools.code, 4), "What"
        )
        return outwards(
            desk,
            pools.code(rng, 4),
            people,
            _RELATIONS,
            lambda who, relation: link((who, relation), f"{who}'s {relation}", member(self.people)),
            lambda: link(
                (project, "contact"), f"the contact for project {project}", member(self.people)
            ),
        )

    # -- the rest of a session

    def talk(self, rng: Random) -> str:
        topic = self.family.in_passing(rng)
        event = (
            f"{rng.choice(_WHO)} {rng.choice(_DID)}"
            if topic is None
            else f"a colleague brought up {topic}"
        )
        return f"{rng.choice(_OPENERS)} {event}{rng.choice(_TAILS)}."

    def frame(self, session: int) -> str:
        return "Environment data from the connected platforms follows."

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        """Three to five small jobs over what was found lately; none of them states a finding."""
        recent = [
            f for f in graph.facts[-60:] if f.family == "note" and f.at(session + 1) is not None
        ]
        tasks = []
        for number, form in enumerate(rng.sample(_TASKS, rng.randint(3, 5))):
            one, other = rng.sample(recent, 2)
            text = form.format(a=one.phrase, b=other.phrase, board=_PLATFORMS[one.domain][0])
            tasks.append(Task(f"t{session}.{number}", one.domain, text, one.id, "none"))
        return tasks


_TASKS = (
    "Draft a one-line summary of {a}.",
    "Draft a note that sets {a} beside {b}.",
    "Draft a cross-reference between {a} and {b}.",
    "Schedule a second look at {a} with the team.",
    "Arrange a short call about {a}.",
    "Reserve a line of the weekly report for {a}.",
    "Order a printed chart of what the {board} holds.",
    "Book a slot in the next meeting for a word on the {board}.",
)


def _share(low: int, high: int, rng: Random, avoid: Sequence[Value]) -> Value:
    """A percentage between two bounds in tenths."""
    value = Value("percent", f"{rng.randint(low, high) / 10:.1f}%")
    return value if value not in avoid else _share(low, high, rng, avoid)
