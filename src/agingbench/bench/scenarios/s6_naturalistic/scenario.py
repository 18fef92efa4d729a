"""s6: a research analyst's assistant that reads figures off seven platforms, with corrections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from string import ascii_uppercase

from agingbench.bench.plan import pools
from agingbench.bench.plan.content import (
    LIST_SIZE,
    Chain,
    Content,
    Draft,
    Shape,
    draft_from,
)
from agingbench.bench.plan.corpus import load_corpus
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.templates import Filling
from agingbench.bench.plan.weaving import WovenScenario

SCENARIO = "s6_naturalistic"


class Naturalistic(WovenScenario):
    """The headline is recall of all findings that still hold; the store is compacted halfway."""

    id = SCENARIO
    version = "2.0.0"
    title = "Naturalistic multi-domain analyst"
    headline = "recall_rate"
    mechanisms = ("compression", "interference", "revision", "maintenance")
    default_sessions = 12
    role = (
        "You assist a research analyst. Every session brings data from several platforms: shop"
        " dashboards, maps, project boards, hiring, travel, lab stock and film reviews. Work with"
        " it, and keep the findings in mind for later sessions with their exact names and figures;"
        " take corrections and withdrawals seriously."
    )

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the platforms of one life and what they report."""
        return _AnalystContent(seed)

    def default_events(self, sessions: int) -> list[str]:
        """The lifecycle events of a life when none are named."""
        return [f"recompact@{sessions // 2}"] if sessions >= 2 else []


# platform -> what texts call it
_PLATFORMS = {
    "shop": "shop dashboard",
    "maps": "map service",
    "projects": "project board",
    "hiring": "hiring tracker",
    "travel": "travel desk",
    "lab": "lab inventory",
    "media": "review site",
}
# platform -> the kinds of facts that it tells of its entries
_KINDS = {
    "shop": ("revenue", "return_rate", "open_orders"),
    "maps": ("traffic", "closure", "opening_time"),
    "projects": ("release", "milestone", "owner", "budget"),
    "hiring": ("salary", "interview", "chair"),
    "travel": ("fare", "departure", "confirmation", "hotel"),
    "lab": ("lot", "expiry", "purity"),
    "media": ("approval", "review_count", "premiere", "reviewer"),
}
_PLATFORM_OF = {kind: platform for platform, kinds in _KINDS.items() for kind in kinds}
# (kind of list, the space of its owner, the space of its members)
_LISTS = (
    ("film_panel", "media", "handles"),
    ("shortlist", "sites", "people"),
    ("stopovers", "sites", "stops"),
    ("order_sheet", "sites", "lab"),
)
OPENING_EXTRA = 5  # entries of the first session besides one of every platform
_SIGHTS = ("castle", "harbour", "museum", "brewery", "gardens", "cathedral")
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


class _AnalystContent(Content):
    """The content of one life: everything it can tell, drawn from spaces of its own."""

    shape = Shape(accounts=1)

    def __init__(self, seed: int) -> None:
        self.corpus = load_corpus(Path(__file__).parent)
        self.split = Split(seed)
        rng = stream(SCENARIO, seed, "spaces")
        place = (pools.PLACE_HEAD, pools.PLACE_TAIL)
        self.people = Space(rng, self.split.first, self.split.last)
        handles = Space(
            rng, self.split.first, ascii_uppercase, [str(n) for n in range(11, 99)], glue=""
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
            "handles": handles,
        }
        self.subjects = list(self.spaces.values())
        hotels = Space(rng, _HOTEL, _HOTEL_OF)
        # Of the two guides whose first names are nearly the same.
        self.surname = rng.choice(self.split.last)
        axes = rng.choice(pools.NEAR_FIRST), ("morning", "evening"), ("target", "achieved"), _SIGHTS
        self.family = Lookalikes(rng, axes)
        self.draws = _draws(self.people, handles, hotels, self.soon, self.in_time)

    # -- what sessions bring

    def opening(self, rng: Random) -> list[Draft]:
        """One entry of every platform and a few more, so that day one covers the whole job."""
        first = [rng.choice(kinds) for kinds in _KINDS.values()]
        more = rng.sample(list(_PLATFORM_OF), OPENING_EXTRA)
        return [self._entry(rng, kind) for kind in [*first, *more]]

    def note(self, rng: Random) -> Draft:
        platform = rng.choice(list(_PLATFORMS))
        return self._entry(rng, rng.choice(_KINDS[platform]))

    def _entry(self, rng: Random, kind: str) -> Draft:
        platform = _PLATFORM_OF[kind]
        words = {"x": self.spaces[platform].take()}
        return draft_from(self.corpus, rng, kind, self.draws[kind], words, domain=platform)

    def listing(self, rng: Random, number: int) -> list[Draft]:
        kind, owners, space = _LISTS[number % len(_LISTS)]
        words = {"x": self.spaces[owners].take()}
        return [self.list_member(rng, number, kind, self.spaces[space], words)] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        first, tour, kind, place = traits
        guide = f"{first} {self.surname}"
        words = {"guide": guide, "tour": tour, "kind": kind, "place": place}
        draw = drawn(pools.code, 5)
        return self.fixed(rng, "visitors", draw, words, family="pair", domain="visitor")

    def chain(self, rng: Random, hops: int) -> Chain:
        project = self.spaces["projects"].take()
        people = [self.people.take() for _ in range(hops - 1)]
        return self.chain_over(
            rng,
            people,
            self.people,
            _RELATIONS,
            slot="x",
            holds=("desk", drawn(pools.code, 4)),
            stands="colleague",
            named=("contact", {"x": project}),
        )

    # -- the rest of a session

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        """Three to five small jobs over what was found lately; none of them states a finding."""
        recent = [
            f for f in graph.facts[-60:] if f.family == "note" and f.at(session + 1) is not None
        ]
        tasks = []
        forms = rng.sample(self.corpus.statements.tasks, rng.randint(3, 5))
        for number, form in enumerate(forms):
            one = rng.choice(recent)
            words = {"one": one.phrase, "board": _PLATFORMS[one.domain]}
            text = Filling(rng, words, self.filler).text(form)
            tasks.append(Task(f"t{session}.{number}", one.domain, text, one.id, "none"))
        return tasks


def _draws(
    people: Space, handles: Space, hotels: Space, soon: Draw, in_time: Draw
) -> dict[str, Draw]:
    # How the value of each kind of fact is drawn.
    return {
        "revenue": drawn(pools.money, 104_000, 986_000),
        "return_rate": figure("percent", "{}%", 1, 19, 1),
        "open_orders": drawn(pools.code, 4),
        "traffic": drawn(pools.code, 5),
        "closure": soon,
        "opening_time": drawn(pools.agreed_time, 4, 11),
        "release": pools.version,
        "milestone": in_time,
        "owner": member(people),
        "budget": drawn(pools.money, 11_000, 94_000),
        "salary": drawn(pools.money, 41_000, 188_000),
        "interview": soon,
        "chair": member(people),
        "fare": drawn(pools.money, 120, 990),
        "departure": drawn(pools.clock, 5, 23),
        "confirmation": drawn(pools.code, 6),
        "hotel": member(hotels),
        "lot": drawn(pools.code, 5),
        "expiry": in_time,
        "purity": figure("percent", "{}%", 95, 100, 2),
        "approval": figure("percent", "{}%", 40, 98, 1),
        "review_count": drawn(pools.code, 4),
        "premiere": in_time,
        "reviewer": member(handles),
    }
