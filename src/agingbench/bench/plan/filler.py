"""Names and values for what nobody will ask about: of the same kinds as facts, never equal to one.

Both come from the same lists and ranges, which each life divides in a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from random import Random

from agingbench.bench.plan.pools import MONTHS
from agingbench.bench.plan.split import SPLIT_KINDS, Split
from agingbench.errors import InputError

FAMILIAR = 0.8  # how often a person, town or firm is one that came up before
_CIRCLE = {"town": 6, "street": 6, "company": 8}  # their number
PEOPLE = 14
FRIENDS = 6  # who tell the user things, and play no other part
FIRST_NAMES = 10  # of people who are never named in full
MOST_TRIES = 30  # within narrow bounds there may be no value for filler
NEAR = 21  # days before or after today in which things happen
AROUND = 10  # days around today for what may be past or to come
FIRST_DAY = date(2027, 4, 5)
FIRST_DAYS = 180  # from which the first day of a life is drawn

_LISTS: dict[str, Sequence[str]] = {
    "town": (
        "Aldmoor Ashcombe Balderton Brackley Calderwick Cheltry Dunmere Easthope Fallowden"
        " Glenross Hadlow Hexley Inchmore Kelbrook Kilmarsh Langtree Marlow Millhaven Northcote"
        " Oakley Penrith Ravensby Rothwell Saltash Selkirk Stanhope Tarnley Thirsk Wexcombe"
    ).split(),
    "street": (
        "Acorn Lane|Bakery Row|Bishop Street|Canal Walk|Chapel Road|Cooper Street|Dockside|Elm"
        " Avenue|Ferry Road|Foundry Lane|Grange Road|Hillcrest|Junction Street|Kiln Lane|Lime"
        " Street|Market Square|Mill Lane|Orchard Close|Priory Road|Quay Street|School Lane|Spring"
        " Gardens|Station Road|Tanner Street|Victoria Terrace|Weaver Street"
    ).split("|"),
    "company": (
        "Abbot & Lane|Alder Group|Bluegate|Boxwell|Brightline|Carrow Partners|Castlemain|Deepdale"
        "|Everly|Fairmont|Greybridge|Harrow & Sons|Inverloch|Kestor|Larkspur|Mintwood|Northgate"
        "|Oldfield|Pinnacle|Quayside|Redwell|Saltire|Tideway|Unity Group|Westbourne|Yewtree"
    ).split("|"),
    "thing": (
        "ironing board|umbrella stand|extension cord|office chair|air fryer|bread knife|cactus|desk"
        " fan|electric heater|eyepatch|fish tank|garden hose|hair dryer|ice bucket|jigsaw"
        " puzzle|keyboard|ladder|music stand|oven glove|old armchair|paint roller|phone"
        " charger|quilt|raincoat|suitcase|tent|ukulele|vase|wheelbarrow|alarm clock"
    ).split("|"),
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
}


class Filler:
    """Draws filler by kind; a scenario may add lists of words of its own.

    With `rng` it belongs to one life, in which most people, towns and firms come up again. Within a
    session each person comes up in one place only.
    """

    def __init__(
        self,
        lists: Mapping[str, Sequence[str]] | None = None,
        split: Split | None = None,
        rng: Random | None = None,
    ) -> None:
        self.split = split or Split(0)
        own = {"first": self.split.filler_first, "last": self.split.filler_last}
        self.lists: dict[str, Sequence[str]] = {**_LISTS, **own, **(lists or {})}
        self.today = FIRST_DAY
        self._days_ahead = -AROUND  # of the last day of the text under way, from today
        self.first_names: dict[str, str] = {}  # of everybody named in full
        self.people: list[str] = []
        self.friends: list[str] = []
        self.met: set[str] = set()  # in this session
        self._taken: set[str] = set()  # first names of the circle
        self.circle: dict[str, list[str]] = {}
        if rng is not None:
            self._meet(rng)

    def _meet(self, rng: Random) -> None:
        firsts = rng.sample(self.split.filler_first, PEOPLE + FIRST_NAMES + FRIENDS)
        lasts = rng.sample(self.split.filler_last, PEOPLE + FRIENDS)
        names = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=False)]
        self.first_names.update(zip(names, firsts, strict=False))
        self.friends = names[:FRIENDS]
        self.people = names[FRIENDS:]
        self.circle["first"] = firsts[len(names) :]
        self._taken.update(firsts)
        for kind, size in _CIRCLE.items():
            self.circle[kind] = [rng.choice(self.lists[kind]) for _ in range(size)]

    def begin(self, today: date) -> None:
        """Begin a session of this day."""
        self.today = today
        self.met.clear()
        self.begin_text()

    def begin_text(self) -> None:
        """Begin a text, whose days come in their order."""
        self._days_ahead = -AROUND

    def of_friends(self, rng: Random, kind: str, argument: str) -> str:
        """Return filler of a kind, where people are the friends of the user."""
        if kind == "person" and self.friends:
            return rng.choice(self.friends)
        return self(rng, kind, argument)

    def kinds(self) -> list[str]:
        """Return the names of all kinds of filler."""
        return sorted([*self.lists, *_DRAWS, "day", "month", "person", "prices", "soon"])

    def __call__(self, rng: Random, kind: str, argument: str) -> str:
        """Return filler of a kind; `argument` are bounds such as `20-90`, or a number of digits."""
        if kind == "person":
            return self._person(rng)
        if kind in self.circle and rng.random() < FAMILIAR:
            return rng.choice(self.circle[kind])
        words = self.lists.get(kind)
        if words is not None:
            return rng.choice(words)
        if kind in ("day", "soon"):
            return self._next_day(rng, kind)
        if kind == "month":
            return MONTHS[(self.today.month - 1 + _between(rng, -3, 1)) % 12]
        if kind == "prices":
            return self._prices(rng, argument)
        if kind not in _DRAWS:
            known = ", ".join(self.kinds())
            raise InputError(
                f"unknown slot '{{{kind}}}' in the texts of a scenario; known: {known}"
            )
        return self._value(rng, kind, argument)

    def _person(self, rng: Random) -> str:
        name = ""
        if rng.random() < FAMILIAR:
            others = [person for person in self.people if person not in self.met]
            name = rng.choice(others) if others else ""
        name = name or self._stranger(rng)
        self.met.add(name)
        return name

    def _stranger(self, rng: Random) -> str:
        # With a first name that nobody else has, as long as there are any left.
        first = rng.choice(self.split.filler_first)
        for _ in range(MOST_TRIES):
            if first not in self._taken and first not in self.met:
                break
            first = rng.choice(self.split.filler_first)
        name = f"{first} {rng.choice(self.split.filler_last)}"
        self.first_names[name] = first
        self.met.add(first)
        return name

    def _next_day(self, rng: Random, kind: str) -> str:
        # None before the one before it: a meeting is not put off to the day before.
        earliest = self._days_ahead if kind == "day" else max(1, self._days_ahead)
        latest = max(earliest, AROUND if kind == "day" else NEAR)
        text = ""
        for attempt in range(MOST_TRIES):
            days = _between(rng, earliest, latest + attempt)
            text = _written(self.today + timedelta(days))
            self._days_ahead = days + 1
            if self.split.is_said_by_filler("date", text):
                break
        return text

    def _prices(self, rng: Random, argument: str) -> str:
        # Both ends are filler's own: no fact has either of them.
        low = int(self._value(rng, "number", argument or "20-190").replace(",", ""))
        high = self._value(rng, "number", f"{low + 4}-{low + max(14, low // 2)}")
        return f"${low}–${high}"

    def _value(self, rng: Random, kind: str, argument: str) -> str:
        value_kind, draws = _DRAWS[kind]
        text = ""
        for draw in draws:
            for _ in range(MOST_TRIES):
                text = draw(rng, argument, self.today)
                if value_kind not in SPLIT_KINDS:
                    return text
                if self.split.is_said_by_filler(value_kind, text):
                    return text
        return text


@lru_cache(maxsize=1024)
def _bounds(argument: str, low: int, high: int) -> tuple[int, int]:
    if not argument:
        return low, high
    first, _, last = argument.partition("-")
    return int(first), int(last or first)


def _between(rng: Random, low: int, high: int) -> int:
    # As `Random.randint`, which spends more time on its arguments than on the draw.
    count = high - low + 1
    bits = count.bit_length()
    number = rng.getrandbits(bits)
    while number >= count:
        number = rng.getrandbits(bits)
    return low + number


def _whole(rng: Random, argument: str, today: date) -> str:
    return f"{_between(rng, *_bounds(argument, 2, 980)):,}"


def _wider(rng: Random, argument: str, today: date) -> str:
    low, high = _bounds(argument, 2, 980)
    return f"{_between(rng, low, 2 * high):,}"


def _decimal(rng: Random, argument: str, today: date) -> str:
    low, high = _bounds(argument, 1, 90)
    return f"{_between(rng, low * 10 + 1, high * 10 - 1) / 10:.1f}"


def _money(rng: Random, argument: str, today: date) -> str:
    return "$" + _whole(rng, argument or "11-940", today)


def _wider_money(rng: Random, argument: str, today: date) -> str:
    return "$" + _wider(rng, argument or "11-940", today)


def _percent(rng: Random, argument: str, today: date) -> str:
    low, high = _bounds(argument, 3, 97)
    return f"{_between(rng, low * 10 + 1, high * 10 - 1) / 10:.1f}%"


def _code(rng: Random, argument: str, today: date) -> str:
    digits = int(argument or 4)
    return str(_between(rng, 10 ** (digits - 1), 10**digits - 1))


def _year(rng: Random, argument: str, today: date) -> str:
    return str(_between(rng, *_bounds(argument, 1951, 2019)))


def _written(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.day}"


def _past(rng: Random, argument: str, today: date) -> str:
    return _written(today - timedelta(_between(rng, 1, NEAR)))


def _date(rng: Random, argument: str, today: date) -> str:
    # Years are given where they are asked for, and else now and then.
    if argument:
        day = _written(date(2027, 1, 1) + timedelta(_between(rng, 0, 364)))
        return f"{day}, {_between(rng, *_bounds(argument, 0, 0))}"
    near = today + timedelta(_between(rng, -NEAR, NEAR))
    if rng.random() < 0.5:
        return _written(near)
    return f"{_written(near)}, {near.year}"


def _later(rng: Random, argument: str, today: date) -> str:
    # What runs out or is put off: soon, or in a later year.
    if rng.random() < 0.5:
        return _written(today + timedelta(_between(rng, 1, NEAR)))
    day = today + timedelta(_between(rng, NEAR, 300))
    return f"{_written(day)}, {day.year}"


def _once(rng: Random, argument: str, today: date) -> str:
    day = today - timedelta(_between(rng, NEAR, 700))
    return f"{_written(day)}, {day.year}"


def _clock_of(minutes: int) -> Callable[[Random, str, date], str]:
    steps = 60 // minutes

    def draw(rng: Random, argument: str, today: date) -> str:
        low, high = _bounds(argument, 6, 22)
        hour = _between(rng, low, high)
        return f"{hour:02d}:{_between(rng, 0, steps - 1) * minutes:02d}"

    return draw


def _version(rng: Random, argument: str, today: date) -> str:
    return f"{_between(rng, 1, 19)}.{_between(rng, 0, 30)}.{_between(rng, 0, 40)}"


def _initials(rng: Random, argument: str, today: date) -> str:
    letters = "ABCDEFGHIKLMNOPRSTVWYZ"
    return rng.choice(letters) + rng.choice(letters)


# name of the slot -> (kind of value, ways to draw it, each wider than the one before)
_DRAWS: dict[str, tuple[str, tuple[Callable[[Random, str, date], str], ...]]] = {
    "number": ("number", (_whole, _wider)),
    "decimal": ("number", (_decimal,)),
    "money": ("number", (_money, _wider_money)),
    "code": ("number", (_code,)),
    "year": ("number", (_year,)),
    "percent": ("percent", (_percent,)),
    "date": ("date", (_date,)),
    "later": ("date", (_later,)),
    "once": ("date", (_once,)),
    "past": ("date", (_past,)),
    "clock": ("clock", (_clock_of(15), _clock_of(5), _clock_of(1))),  # agreed on
    "time": ("clock", (_clock_of(1),)),  # measured
    "version": ("version", (_version,)),
    "initials": ("name", (_initials,)),
}
