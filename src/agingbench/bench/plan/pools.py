"""Names, values and small talk, combined from word lists so that any number stays distinct."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import gcd
from random import Random

from agingbench.text.values import Value

# A life divides first and last names between its facts and its filler.
FIRST = (
    "Adela Anselm Aurelia Bastian Benedek Calista Casimir Celeste Cosima Dario Delphine Edgar"
    " Elodie Emeric Esme Fabian Farah Felix Fiona Gideon Greta Hamza Helene Hugo Ilse Imani Ingrid"
    " Isolde Jasper Jolene Kasimira Keziah Lavinia Leander Leonora Lucian Magnus Maribel Matilda"
    " Mirela Nadia Nestor Niamh Octavia Orson Paloma Percival Petra Quentin Ramona Roland Sabine"
    " Salma Severin Tamsin Thaddeus Ulrika Valentin Viola Wendel Xenia Yara Zoltan"
    " Aoife Arjun Bea Blessing Callum Carmen Chiara Dmitri Dolores Ebony Eamon Esra Ferran"
    " Gwen Halima Henrik Idris Iolanda Jiro Joanna Kalinda Kwame Lakshmi Liv Mateo Meera Milos"
    " Mei Nikhil Noor Olek Oona Pilar Piotr Qasim Rhys Rosa Samira Sanjay Siobhan Soren Tariq"
    " Tomasz Uma Vesna Vikram Wanda Xiomara Yusuf Zainab"
).split()
LAST = (
    "Abernathy Achterberg Alvarado Bancroft Bellweather Birkenfeld Brandvold Callister Castellan"
    " Corrigan Dalgaard Devereux Draycott Eastwick Ellingsen Falkenrath Fenwick Fitzgerald"
    " Gallagher Garamond Grantham Halloran Hartmann Hawthorne Hollander Ibarra Jablonski Jorgensen"
    " Kaminski Kerrigan Kingsley Kowalczyk Lachapelle Langford Lindqvist Lombardi Mackenzie"
    " Marchetti Mcallister Montague Nakamura Norwood Oakhurst Okafor Ostrander Pemberton Petrovic"
    " Quigley Rasmussen Renwick Rosenthal Rutherford Sandoval Schreiber Silverton Sorensen Stavros"
    " Thackeray Thornbury Tremaine Ullman Valdemar Vandermeer Wakefield Weatherby Whitlock Winslow"
    " Yamamoto Yardley Zielinski"
    " Acheampong Aguilar Bakshi Banerjee Borkowski Brennan Castro Chowdhury Costa Delacroix"
    " Dunne Esposito Ferreira Fofanah Gallego Goldberg Greenhalgh Hansson Hossain Iqbal"
    " Jansson Kapoor Kelleher Khumalo Kovac Laine Lefevre Macleod Mbeki Medina Molnar Nkosi"
    " Novotny Oduya Pacheco Papadakis Parekh Quispe Ramaswamy Rossi Salazar Sato Shapiro"
    " Takeda Urbina Vargas Weiss Xu Yilmaz Zapata"
).split()
# First names that differ by a letter or by spelling only; kept out of FIRST.
NEAR_FIRST = (
    ("Jon", "John"),
    ("Marin", "Maren"),
    ("Katrin", "Catrin"),
    ("Stefan", "Stephan"),
    ("Alina", "Elina"),
    ("Bryan", "Brian"),
    ("Clara", "Klara"),
    ("Erik", "Eric"),
    ("Hanna", "Hannah"),
    ("Lena", "Lina"),
    ("Marc", "Mark"),
    ("Nora", "Norah"),
    ("Sara", "Sarah"),
    ("Theo", "Teo"),
    ("Philip", "Phillip"),
)
PLACE_HEAD = (
    "Amber Birch Bramble Cedar Clover Copper Crescent Dapple Ember Falcon Fern Flint Foxglove Gable"
    " Garnet Granite Harbor Hazel Heron Indigo Ivory Jasmine Juniper Kestrel Larch Laurel Linden"
    " Maple Marigold Meadow Mistral Nettle Opal Orchard Osprey Pebble Pepper Plover Quarry Raven"
    " Rowan Russet Saffron Sorrel Sparrow Summit Tamarind Thistle Umber Velvet Willow Wren"
).split()
PLACE_TAIL = (
    "brook bury cliff court crest dale field ford gate grove hall haven hill holt leigh lodge march"
    " mead moor mount point ridge shaw side stead stone ton vale view ward well wick wood worth"
).split()
# Kinds of places by what they offer: members, appointments, goods, seats, tables.
CLUB_KIND = ("Gym", "Pool", "Tennis Club", "Golf Club", "Climbing Hall", "Dance School")
PRACTICE_KIND = ("Clinic", "Salon", "Garage", "Opticians", "Dental Practice", "Law Office")
SHOP_KIND = ("Bakery", "Nursery", "Bookshop", "Pharmacy", "Delicatessen", "Shoe Shop")
STORE_KIND = ("Hardware", "Department Store", "Household Goods", "Flea Market")
STAGE_KIND = ("Theatre", "Cinema", "Concert Hall", "Planetarium", "Opera House", "Museum")
INN_KIND = ("Inn", "Tavern", "Grill", "Brewery", "Steakhouse", "Wine Bar")
SHOP_TAIL = ("mart", "store", "depot", "outlet", "bazaar", "market", "traders", "supplies")
RIDE_TAIL = ("cab", "ride", "hop", "dash", "wheels", "shuttle", "lift", "drive")
SERVICE_HEAD = (
    "Luma Vexo Nimbo Orbi Tuno Parla Quilla Riffo Solva Tempo Umbra Vanta Wavo Xylo Yonda Zephy"
    " Brio Cadra Dulci Fable"
).split()
SERVICE_TAIL = ("flix", "cast", "press", "cloud", "reads", "beats", "fit", "learn", "news", "vault")
RESTAURANT_HEAD = (
    "Bella Casa Trattoria Osteria Taverna Maison Petit Grand Rincon Cantina Locanda Bistro"
    " Brasserie Villa Piazza"
).split()
RESTAURANT_TAIL = (
    "Notte Luna Fiore Delphi Aurora Sirena Tramonto Bianca Verde Marea Corallo Lucia Ronda Granada"
    " Isola Vento Campana"
).split()
ALLERGENS = (
    "shellfish figs sesame cashews pistachios lupin celery mustard horseradish buckwheat kiwi"
    " papaya oysters pineapple mango walnuts hazelnuts almonds macadamias soybeans chickpeas"
    " lentils strawberries peaches avocado banana cinnamon coriander aniseed vanilla gelatin"
    " eggplant artichoke sunflower poppyseed molluscs codfish anchovies tuna salmon"
).split()
TITLES = ("Dr.", "Professor", "Captain", "Judge", "Reverend", "Ambassador", "Colonel", "Dean")
# Any of these goes with any of the things that one packs, gives or buys.
ADJECTIVES = (
    "red blue green grey black white yellow brown orange purple pink beige turquoise maroon teal"
    " crimson silver golden khaki lilac navy striped checked two-tone plain"
).split()
PACKED = (
    "umbrella|notebook|scarf|camping stove|backpack|pencil case|sleeping mat|sewing kit|thermos"
    "|towel|wallet|hammock|sun hat|water bottle|pocket torch|washbag|rain jacket|lunch box"
    "|neck pillow|beach bag|bathing cap|picnic blanket|fleece|first-aid bag"
).split("|")
GIVEN = (
    "lantern|tea caddy|picture frame|fruit bowl|reading lamp|globe|jewelry box|candle holder"
    "|lap desk|hand mirror|teapot|dressing gown|cushion|piggy bank|recipe box|silk tie|salad bowl"
    "|wall clock|beret|cardigan|bedside rug|egg cup|photo album|trinket box"
).split("|")
BOUGHT = (
    "toolbox|cutting board|doorstop|kettle|oven mitt|spice rack|watering can|wine rack"
    "|garden trowel|doormat|bucket|dish rack|shower curtain|lampshade|saucepan|dustpan"
    "|laundry basket|bread bin|coat hook|garden chair|bath mat|step stool|measuring jug|tablecloth"
).split("|")
OBJECTS = (*PACKED, *GIVEN, *BOUGHT)
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")

_ORDINALS = (
    "First",
    "Second",
    "Third",
    "Fourth",
    "Fifth",
    "Sixth",
    "Seventh",
    "Eighth",
    "Ninth",
    "Tenth",
)

_OPENERS = (
    "This morning",
    "Late in the afternoon",
    "On the way home",
    "As so often",
    "To be honest",
    "Out of nowhere",
    "During the break",
    "After the rain",
    "Over coffee",
    "By the way",
    "Looking back",
    "For a change",
)
_WHO = (
    "the neighbours",
    "a cyclist",
    "the children next door",
    "an old schoolmate",
    "the postman",
    "a street musician",
    "the people upstairs",
    "the choir",
    "a stray cat",
    "the gardener across the road",
    "two tourists",
    "my cousin",
    "the night watchman",
    "a delivery van",
    "the weather report",
    "somebody in the queue",
    "the barista",
    "the radio",
    "the crossing guard",
    "a pigeon",
    "the man with the accordion",
    "the upstairs radiator",
    "the evening crowd",
)
_DID = (
    "made me laugh",
    "took a long time to settle down",
    "seemed to be in a hurry",
    "reminded me of last summer",
    "talked about nothing but the heat",
    "kept everybody waiting",
    "left a pleasant mood behind",
    "wandered past the window",
    "was louder than usual",
    "gave the whole street something to talk about",
    "came up in conversation again",
    "looked rather tired",
    "could not decide which way to go",
    "asked the same thing as always",
    "brightened an otherwise grey day",
    "wished everyone a calm evening",
    "got stuck behind a tram",
    "stood in the doorway for a while",
    "turned up without any notice",
    "forgot what the fuss was about",
    "sounded cheerful enough",
    "had an opinion about the new benches",
)
_TAILS = (
    "",
    " and that was that",
    ", which suited me fine",
    ", as one would expect",
    " and nobody minded",
    ", more or less",
    " before the lights came on",
    " while I tidied the kitchen",
    ", if I remember it rightly",
    " and I went back to reading",
)


MOST_TRIES = 20  # at a name that is much like another


def stream(*parts: object) -> Random:
    """Return a random stream of its own for these parts, equal on every machine."""
    digest = hashlib.sha256("\x1f".join(str(p) for p in parts).encode()).digest()
    return Random(int.from_bytes(digest[:16], "big"))


class Space:
    """All combinations of some word lists in a seeded order; no two below `size` are equal.

    One half is taken first. The other half holds names that differ from one of these in one word.
    """

    def __init__(self, rng: Random, *parts: Sequence[str], glue: str = " ") -> None:
        self.parts = parts
        self.glue = glue
        self.size = 1
        for part in parts:
            self.size *= len(part)
        self._offset = rng.randrange(self.size)
        self._step = rng.randrange(1, self.size) | 1
        while gcd(self._step, self.size) != 1:
            self._step += 2
        self._next = 0
        self._taken: dict[str, tuple[int, ...]] = {}  # names with the places of their words
        self._near: set[str] = set()
        # Names are much alike that share their rarest word: one of the longest list.
        self._commonness = [1 / len(part) for part in parts]

    def take(self) -> str:
        """Return the next name; past the end they come again with an ordinal behind them."""
        while True:
            lap, places = self._advance()
            turn, half = divmod(lap, 2)
            name = self._name(places)
            if sum(places) % 2 == half and name not in self._near:
                break
        while turn > 0:
            turn, k = divmod(turn, len(_ORDINALS))
            name += f" the {_ORDINALS[k]}"
        self._taken[name] = places
        return name

    def has_taken(self, name: str) -> bool:
        """Tell whether a name was taken from here."""
        return name in self._taken

    def near(self, rng: Random, name: str) -> str | None:
        """Return a name that differs from this one in one word and is never taken nor given twice.

        It is None where no such name was found.
        """
        places = self._taken[name]
        for _ in range(MOST_TRIES):
            turn = rng.choices(range(len(places)), self._commonness)[0]
            part = self.parts[turn]
            place = rng.randrange(len(part))
            word, other = part[places[turn]], part[place]
            # One step to the other half; no name may be a part of another.
            if (place - places[turn]) % 2 == 0 or word in other or other in word:
                continue
            like = self._name((*places[:turn], place, *places[turn + 1 :]))
            if like not in self._near and like not in self._taken:
                self._near.add(like)
                return like
        return None

    def _advance(self) -> tuple[int, tuple[int, ...]]:
        # The lap and the places of the words of the next combination, whichever half it is of.
        lap, i = divmod(self._next, self.size)
        self._next += 1
        index = (self._offset + i * self._step) % self.size
        places = []
        for part in self.parts:
            index, k = divmod(index, len(part))
            places.append(k)
        return lap, tuple(places)

    def _name(self, places: Sequence[int]) -> str:
        return self.glue.join(part[k] for part, k in zip(self.parts, places, strict=True))


def places(rng: Random, kinds: Sequence[str]) -> Space:
    """Return the names of places of these kinds."""
    ends = [f" {kind}" for kind in kinds]
    return Space(rng, PLACE_HEAD, PLACE_TAIL, ends, glue="")


def money(rng: Random, low: int, high: int, avoid: Collection[Value] = ()) -> Value:
    """Draw a whole-dollar amount; multiples of 50 are left to limits stated in passing."""
    return _fresh(avoid, lambda: Value("number", f"${_off_fifty(rng, low, high):,}"))


def code(rng: Random, digits: int, avoid: Collection[Value] = ()) -> Value:
    """Draw a number without a unit, with that many digits."""
    low = 10 ** (digits - 1)
    return _fresh(avoid, lambda: Value("number", str(_off_fifty(rng, low, 10 * low - 1))))


def count(rng: Random, low: int, high: int, avoid: Collection[Value] = ()) -> Value:
    """Draw a whole number without a unit."""
    return _fresh(avoid, lambda: Value("number", str(rng.randint(low, high))))


def percent(rng: Random, avoid: Collection[Value] = ()) -> Value:
    """Draw a percentage with one decimal, as of a discount."""
    return _fresh(avoid, lambda: Value("percent", f"{rng.randint(31, 389) / 10:.1f}%"))


def price_range(rng: Random, avoid: Collection[Value] = ()) -> Value:
    """Draw a range of whole-dollar prices."""

    def draw() -> Value:
        low = _off_fifty(rng, 30, 160)
        return Value("range", f"${low}–${low + rng.randint(12, 48)}")

    return _fresh(avoid, draw)


def date(rng: Random, avoid: Collection[Value], years: tuple[int, int]) -> Value:
    """Draw a date in these years, never on the day and month of one to avoid."""
    return Value("date", f"{_other_day(rng, avoid)}, {rng.randint(*years)}")


def coming_date(
    rng: Random, avoid: Collection[Value], today: datetime.date, days: tuple[int, int]
) -> Value:
    """Draw a date so many days after today; never on the day and month of one to avoid."""
    others = {value.text.partition(",")[0] for value in avoid}
    text = ""
    while not text or text in others:
        day = today + datetime.timedelta(rng.randint(*days))
        text = f"{MONTHS[day.month - 1]} {day.day}"
    return Value("date", f"{text}, {day.year}")


def _other_day(rng: Random, avoid: Collection[Value]) -> str:
    days = {value.text.partition(",")[0] for value in avoid}
    day = _day(rng)
    while day in days:
        day = _day(rng)
    return day


def _day(rng: Random) -> str:
    return f"{rng.choice(MONTHS)} {rng.randint(1, 28)}"


def clock(rng: Random, low: int, high: int, avoid: Collection[Value] = ()) -> Value:
    """Draw a time between two full hours, as a timetable or a machine would name it."""

    def draw() -> Value:
        hour = rng.randint(low, high - 1)
        minute = rng.randrange(60)
        return Value("clock", f"{hour:02d}:{minute:02d}")

    return _fresh(avoid, draw)


def agreed_time(rng: Random, low: int, high: int, avoid: Collection[Value] = ()) -> Value:
    """Draw a time between two full hours that people agree on: a quarter of an hour."""

    def draw() -> Value:
        quarter = rng.randrange(4 * low, 4 * high)
        return Value("clock", f"{quarter // 4:02d}:{quarter % 4 * 15:02d}")

    return _fresh(avoid, draw)


def version(rng: Random, avoid: Sequence[Value] = ()) -> Value:
    """Draw a version number of three parts, later than the last of those to avoid."""
    least = [int(part) for part in avoid[-1].text.split(".")] if avoid else None

    def draw() -> Value:
        if least is None:
            major = rng.randint(2, 19)
            minor = rng.randint(0, 30)
        else:
            major = least[0] + rng.randint(0, 1)
            minor = least[1] + rng.randint(1, 4) if major == least[0] else rng.randint(0, 9)
        patch = rng.randint(1, 40)
        return Value("version", f"{major}.{minor}.{patch}")

    return _fresh(avoid, draw)


def flat_number(rng: Random, avoid: Collection[Value] = ()) -> Value:
    """Draw the number of a flat: its floor, then its door."""

    def draw() -> Value:
        return Value("number", f"{rng.randint(1, 14)}{rng.randint(1, 28):02d}")

    return _fresh(avoid, draw)


def name(space: Space) -> Value:
    """Take the next name of a space."""
    return Value("name", space.take())


def small_talk(rng: Random) -> str:
    """Return a sentence that states nothing anybody will ask for."""
    event = f"{rng.choice(_WHO)} {rng.choice(_DID)}"
    return f"{rng.choice(_OPENERS)} {event}{rng.choice(_TAILS)}."


def _off_fifty(rng: Random, low: int, high: int) -> int:
    number = rng.randint(low, high)
    while number % 50 == 0:
        number = rng.randint(low, high)
    return number


def _fresh(avoid: Collection[Value], draw: Callable[[], Value]) -> Value:
    value = draw()
    while value in avoid:
        value = draw()
    return value


# Draws a value that is none of those to avoid.
Draw = Callable[[Random, Sequence[Value]], Value]


def drawn(kind: Callable[..., Value], *bounds: int) -> Draw:
    """Return a function that draws values of one kind, as `drawn(code, 3)` draws three digits."""
    return lambda rng, avoid: kind(rng, *bounds, avoid)


def figure(kind: str, form: str, low: int, high: int, places: int = 0) -> Draw:
    """Return a function that draws a figure between two bounds; `form` writes it, as "{} ms".

    Neither bound is drawn itself.
    """
    scale = 10**places

    def draw(rng: Random) -> Value:
        number = rng.randint(low * scale + 1, high * scale - 1) / scale
        return Value(kind, form.format(f"{number:,.{places}f}"))

    return lambda rng, avoid: _fresh(avoid, lambda: draw(rng))


@dataclass(frozen=True)
class Member:
    """Takes the next name of a space as a value."""

    space: Space

    def __call__(self, rng: Random, avoid: Sequence[Value]) -> Value:
        return name(self.space)


def member(space: Space) -> Draw:
    """Return a function that takes the next name of a space."""
    return Member(space)
