"""Names and values for what nobody will ask about: of the same kinds as facts, never equal to one.

Names come from lists that facts do not use. Numbers, dates, times and versions are split between
the two by their key, so that no filler ever states a value that a fact holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random

from agingbench.bench.plan.pools import MONTHS, SPLIT_KINDS, is_said_by_filler
from agingbench.errors import InputError

FAMILIAR = 0.8  # how often a person, town or firm is one that came up before
_CIRCLE = {"person": 14, "first": 10, "town": 6, "street": 6, "company": 8}  # their number
MOST_TRIES = 60  # within narrow bounds there may be no such key

_LISTS: dict[str, Sequence[str]] = {
    "first": (
        "Aoife Arjun Bea Blessing Callum Carmen Chiara Dmitri Dolores Ebony Eamon Esra Ferran"
        " Gwen Halima Henrik Idris Iolanda Jiro Joanna Kalinda Kwame Lakshmi Liv Mateo Meera Milos"
        " Mei Nikhil Noor Olek Oona Pilar Piotr Qasim Rhys Rosa Samira Sanjay Siobhan Soren Tariq"
        " Tomasz Uma Vesna Vikram Wanda Xiomara Yusuf Zainab"
    ).split(),
    "last": (
        "Acheampong Aguilar Bakshi Banerjee Borkowski Brennan Castro Chowdhury Costa Delacroix"
        " Dunne Esposito Ferreira Fofanah Gallego Goldberg Greenhalgh Hansson Hossain Iqbal"
        " Jansson Kapoor Kelleher Khumalo Kovac Laine Lefevre Macleod Mbeki Medina Molnar Nkosi"
        " Novotny Oduya Pacheco Papadakis Parekh Quispe Ramaswamy Rossi Salazar Sato Shapiro"
        " Takeda Urbina Vargas Weiss Xu Yilmaz Zapata"
    ).split(),
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
        " Foods|Everly|Fairmont Tools|Greybridge|Harrow & Sons|Inverloch|Kestor|Larkspur"
        " Media|Mintwood|Northgate Energy|Oldfield Press|Pinnacle Rentals|Quayside Motors|Redwell"
        " Paper|Saltire Insurance|Tideway|Unity Cabs|Westbourne Dental|Yewtree Homes"
    ).split("|"),
    "thing": (
        "ironing board|umbrella stand|extension cord|office chair|air fryer|bread knife|cactus|desk"
        " fan|electric heater|eyepatch|fish tank|garden hose|hair dryer|ice bucket|jigsaw"
        " puzzle|keyboard|ladder|music stand|oven glove|old armchair|paint roller|phone"
        " charger|quilt|raincoat|suitcase|tent|ukulele|vase|wheelbarrow|alarm clock"
    ).split("|"),
    "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "month": MONTHS,
}


class Filler:
    """Draws filler by kind; a scenario may add lists of words of its own.

    With `rng` it belongs to one life, in which most people, towns and firms come up again.
    """

    def __init__(
        self, lists: Mapping[str, Sequence[str]] | None = None, rng: Random | None = None
    ) -> None:
        self.lists = {**_LISTS, **(lists or {})}
        self.circle: dict[str, list[str]] = {}
        if rng is not None:
            self.circle = {
                kind: [self(rng, kind, "") for _ in range(size)] for kind, size in _CIRCLE.items()
            }

    def kinds(self) -> list[str]:
        """Return the names of all kinds of filler."""
        return sorted([*self.lists, *_DRAWS])

    def __call__(self, rng: Random, kind: str, argument: str) -> str:
        """Return filler of a kind; `argument` are bounds such as `20-90`, or a number of digits."""
        if kind in self.circle and rng.random() < FAMILIAR:
            return rng.choice(self.circle[kind])
        words = self.lists.get(kind)
        if words is not None:
            return rng.choice(words)
        if kind not in _DRAWS:
            known = ", ".join(self.kinds())
            raise InputError(
                f"unknown slot '{{{kind}}}' in the texts of a scenario; known: {known}"
            )
        value_kind, draw = _DRAWS[kind]
        text = draw(rng, argument)
        if value_kind in SPLIT_KINDS:
            for _ in range(MOST_TRIES):
                if is_said_by_filler(value_kind, text):
                    break
                text = draw(rng, argument)
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


def _whole(rng: Random, argument: str) -> str:
    return f"{_between(rng, *_bounds(argument, 13, 980)):,}"


def _decimal(rng: Random, argument: str) -> str:
    low, high = _bounds(argument, 1, 90)
    return f"{_between(rng, low * 10 + 1, high * 10 - 1) / 10:.1f}"


def _money(rng: Random, argument: str) -> str:
    return f"${_between(rng, *_bounds(argument, 11, 940)):,}"


def _percent(rng: Random, argument: str) -> str:
    low, high = _bounds(argument, 3, 97)
    return f"{_between(rng, low * 10 + 1, high * 10 - 1) / 10:.1f}%"


def _code(rng: Random, argument: str) -> str:
    digits = int(argument or 4)
    return str(_between(rng, 10 ** (digits - 1), 10**digits - 1))


def _date(rng: Random, argument: str) -> str:
    first, last = _bounds(argument, 2026, 2035)
    return f"{rng.choice(MONTHS)} {_between(rng, 1, 28)}, {_between(rng, first, last)}"


def _day(rng: Random, argument: str) -> str:
    return f"{rng.choice(MONTHS)} {_between(rng, 1, 28)}"


def _clock(rng: Random, argument: str) -> str:
    low, high = _bounds(argument, 6, 22)
    return f"{_between(rng, low, high):02d}:{_between(rng, 0, 59):02d}"


def _version(rng: Random, argument: str) -> str:
    return f"{_between(rng, 1, 19)}.{_between(rng, 0, 30)}.{_between(rng, 0, 40)}"


def _prices(rng: Random, argument: str) -> str:
    # Both ends are filler's own: no fact has either of them.
    bounds = _bounds(argument, 20, 190)
    low = _filler_number(rng, *bounds)
    high = _filler_number(rng, low + 4, low + max(14, low // 2))
    return f"${low}–${high}"


def _filler_number(rng: Random, low: int, high: int) -> int:
    number = rng.randint(low, high)
    for _ in range(MOST_TRIES):
        if is_said_by_filler("number", str(number)):
            break
        number = rng.randint(low, high)
    return number


# name of the slot -> (kind of value, how it is drawn)
_DRAWS: dict[str, tuple[str, Callable[[Random, str], str]]] = {
    "number": ("number", _whole),
    "decimal": ("number", _decimal),
    "money": ("number", _money),
    "code": ("number", _code),
    "percent": ("percent", _percent),
    "date": ("date", _date),
    "day": ("date", _day),
    "clock": ("clock", _clock),
    "version": ("version", _version),
    "prices": ("range", _prices),
    "person": (
        "name",
        lambda rng, _: f"{rng.choice(_LISTS['first'])} {rng.choice(_LISTS['last'])}",
    ),
    "initials": (
        "name",
        lambda rng, _: rng.choice(_LISTS["first"])[0] + rng.choice(_LISTS["last"])[0],
    ),
}
