"""Does a text state a value, where, and under which key would it be found?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from agingbench.text.grammar import CURRENCIES, VERSION_TAIL, in_other_units, same_unit
from agingbench.text.reader import items_of, read_text
from agingbench.text.values import Item, Quantity, Value, check_kind, number_key
from agingbench.text.wording import (
    STOPWORDS,
    fold,
    folded,
    looks_plural,
    no_possessive,
    original_end,
    remembered,
    singular,
)

_NAME_TOKEN = re.compile(r"\w+(?:[.'@&]\w+)*|&")


def name_tokens(folded: str) -> list[str]:
    """The words of a folded text as names are compared: no possessives, & is and."""
    return ["and" if t == "&" else no_possessive(t) for t in _NAME_TOKEN.findall(folded)]


@lru_cache(maxsize=65536)
def name_pattern(text: str) -> re.Pattern[str]:
    """The pattern that finds a name in a folded text as whole words; slow to make."""
    name = fold(text)[0].strip()
    tokens = list(_NAME_TOKEN.finditer(name))
    if not tokens:
        raise _wordless(text)

    # Codes and file names are not stated by a longer code: QX-482 is not in QX-482-B.
    has_digit = any(char.isdigit() for char in name)
    is_code = has_digit or any("." in token[0] for token in tokens)
    parts = [r"(?<!\w)(?<!\w[.'@&])"]
    if is_code:
        parts.append(r"(?<!\w-)")

    for at, token in enumerate(tokens):
        word = no_possessive(token[0])
        parts.append(r"(?:and|&)" if word in ("and", "&") else re.escape(word))
        if at + 1 < len(tokens):
            gap = name[token.end() : tokens[at + 1].start()]
            parts.append(r"(?:'s)?" + _gap_pattern(gap))

    after = name[tokens[-1].end() :]
    n_signs = len(after) - len(after.lstrip("+#"))
    closing = re.escape(after[:n_signs])
    parts.append(rf"(?:'s)?{closing}(?!\w|[.'@&]\w|\+\+|\#(?!\w))")
    if is_code:
        parts.append(r"(?!-\w)")
    return re.compile("".join(parts))


def _longest_word(text: str) -> str:
    """Return the longest word of a name, empty for `and` alone; ValueError without a word."""
    words = name_tokens(fold(text)[0].strip())
    if not words:
        raise _wordless(text)
    return max((word for word in words if word != "and"), key=len, default="")


def _wordless(name: str) -> ValueError:
    return ValueError(f"the name '{name}' has no word in it")


def _gap_pattern(gap: str) -> str:
    if gap in ("/", "\\"):  # a path is a path
        return r"[/\\]"
    if gap in (":", "=", "#"):
        return re.escape(gap)
    return r"[^\w&]{0,4}[^\w&.'@]" if gap.strip(".- —\t\n\xa0") else r"\.?[\s—-]{1,8}"


class Target(NamedTuple):
    """A value made ready for comparison: an item, or a name, or the members of a set."""

    item: Item | None = None
    unit: str | None = None
    name: str | None = None
    word: str = ""  # without which a folded text does not state the name
    members: tuple[Value, ...] = ()

    def stated_in(self, low: str) -> Iterator[re.Match[str]]:
        """Yield where a folded text states the name."""
        # Most texts lack the word: for them no pattern is made or tried.
        if self.name is not None and self.word in low:
            yield from name_pattern(self.name).finditer(low)


_VERSION_VALUE = re.compile(rf"v?\.?\s?([0-9]+(?:\.[0-9]+)*(?:{VERSION_TAIL})?)")
_PREPOSITION = re.compile(
    r"(?<!\w)(?:per|in|of|at|for|on|from|by|with|a|each|every|and|or|to)(?!\w)|[^\w\s'-]"
)
_MOST_GRAM = 5
_WITHOUT_ORDER = ("name", "set", "range")


@lru_cache(maxsize=65536)
def prepare(value: Value) -> Target:
    """`value` made ready; ValueError if its text cannot be read as its kind."""
    check_kind(value.kind)
    if value.kind == "set":
        names = [part.strip() for part in value.text.split(";")]
        members = [Value("name", name) for name in names if name]
        if not members:
            raise ValueError(f"the set '{value.text}' has no members")
        return Target(members=tuple(members))
    if value.kind == "name":
        return Target(name=value.text, word=_longest_word(value.text))
    if value.kind == "version":
        version = _VERSION_VALUE.fullmatch(fold(value.text.strip())[0])
        if version is not None:
            return Target(item=Item("version", version[1], 0, 0))
    for item in read_text(value.text):
        if item.kind == value.kind and not item.in_range and not item.second:
            return Target(item=item, unit=item.unit or _noun_of(value.text, item))
    raise ValueError(f"'{value.text}' cannot be read as a {value.kind}")


class Rank(NamedTuple):
    """Where a value lies on a scale; values of one scale have an order."""

    scale: tuple[str, str]  # kind and unit
    position: tuple[Decimal, ...]


def rank(value: Value) -> Rank | None:
    """Where `value` lies among its like; None for kinds without an order and dates without year."""
    if value.kind in _WITHOUT_ORDER:
        return None
    target = prepare(value)
    item = target.item
    if item is None:
        return None
    if value.kind == "date" and item.year is None:
        return None

    text = item.key
    if value.kind == "date":
        text = f"{item.year}-{text}"
    if value.kind == "version" and re.fullmatch(r"[0-9.]+", text) is None:
        return None
    separator = {"date": "-", "clock": ":", "version": "."}.get(value.kind)
    parts = text.split(separator) if separator else [text]
    return Rank((value.kind, target.unit or ""), tuple(Decimal(part) for part in parts))


def _noun_of(text: str, item: Item) -> str | None:
    after = fold(text[item.end :])[0].strip(" -")
    words = _PREPOSITION.split(after, maxsplit=1)[0].split()
    if not words or words[-1] in STOPWORDS:
        return None
    return singular(words[-1])


def _fits(target: Target, item: Item) -> bool:
    """Does this item of a text state the target's value?"""
    value = target.item
    if value is None or item.in_range:
        return False
    if value.kind == "percent" and item.kind == "number":
        return _is_share(value.key, item)
    if item.kind != value.kind:
        return False
    if item.key != value.key:
        return value.kind == "number" and _is_converted(target, item)
    if value.kind == "date":
        return _same_year(value.year, item.year)
    return value.kind not in ("number", "range") or _unit_fits(target.unit, item)


def _is_share(percent: str, item: Item) -> bool:
    """Is a number a percent without its sign, or the share of one that it stands for?"""
    if item.key == percent:
        return _unit_fits("percent", item)
    share = Decimal(item.key) * 100 == Decimal(percent)
    return share and item.unit is None and item.noun is None


def _is_converted(target: Target, item: Item) -> bool:
    """Is the item the same amount in another unit?"""
    if target.item is None or target.unit is None or item.unit == target.unit:
        return False
    amounts = in_other_units(Decimal(item.key), item.unit)
    return (Decimal(target.item.key), target.unit) in amounts


def _same_year(one: int | None, other: int | None) -> bool:
    if one is None or other is None or one == other:
        return True
    return min(one, other) < 100 and one % 100 == other % 100


def _unit_fits(unit: str | None, item: Item) -> bool:
    if unit is None:
        return item.unit != "percent"
    if item.unit is not None:
        return same_unit(unit, item.unit)
    if item.noun is None or singular(item.noun) == unit or unit in CURRENCIES:
        return True
    return not looks_plural(item.noun)


def states(text: str, value: Value) -> bool:
    """Whether `text` states `value`, by the reading rules of the package."""
    target = prepare(value)
    if target.members:
        return all(states(text, member) for member in target.members)
    if target.name is not None:
        return any(target.stated_in(folded(text)[0]))
    return any(_fits(target, item) for item in items_of(text))


def find(text: str, value: Value) -> list[tuple[int, int]]:
    """The spans of `text` that state `value`; those of all members for a set, [] if one lacks."""
    target = prepare(value)
    if target.members:
        member_spans = [find(text, member) for member in target.members]
        if not all(member_spans):
            return []
        return sorted({span for spans in member_spans for span in spans})

    if target.name is None:
        items = [item for item in items_of(text) if _fits(target, item)]
        return sorted({(item.start, item.end) for item in items})

    low, places = folded(text)
    spans = [match.span() for match in target.stated_in(low)]
    if places is None:
        return spans
    return [(places[start], original_end(text, places, end)) for start, end in spans]


@lru_cache(maxsize=65536)
def key(value: Value) -> str | None:
    """The key under which `keys` lists this value; None for a set.

    A name of more than five words goes by its first five.
    """
    if value.kind == "name":
        # Without its pattern, which takes far longer to make than the key.
        tokens = name_tokens(fold(value.text)[0])
        if not tokens:
            raise _wordless(value.text)
        return " ".join(tokens[:_MOST_GRAM])
    item = prepare(value).item
    return None if item is None else item.key


def keys(text: str, kind: str) -> frozenset[str]:
    """Keys of all values of `kind` that `text` may state; all that `states` accepts is there."""
    check_kind(kind)
    if kind == "set":
        return frozenset()
    if kind == "name":
        return _name_keys(text)
    return _item_keys(text, kind)


def words_of_names(text: str) -> frozenset[str]:
    """The words that the keys of names in `text` are made of."""
    return frozenset(name_tokens(folded(text)[0]))


@remembered
def _name_keys(text: str) -> frozenset[str]:
    tokens = name_tokens(folded(text)[0])
    grams: set[str] = set()
    for size in range(1, _MOST_GRAM + 1):
        for at in range(len(tokens) - size + 1):
            grams.add(" ".join(tokens[at : at + size]))
    return frozenset(grams)


@lru_cache(maxsize=16384)
def _item_keys(text: str, kind: str) -> frozenset[str]:
    # A bare number may stand for a percent, so percents are looked for among the numbers as well.
    kinds = ("percent", "number") if kind == "percent" else (kind,)
    items = [item for item in items_of(text) if item.kind in kinds and not item.in_range]
    found = {item.key for item in items}
    if kind == "percent":
        numbers = [item.key for item in items if item.kind == "number"]
        found |= {number_key(Decimal(key) * 100) for key in numbers}
    if kind == "number":
        for item in items:
            amounts = in_other_units(Decimal(item.key), item.unit)
            found |= {number_key(amount) for amount, _ in amounts}
    return frozenset(found)


def numbers(text: str) -> list[Quantity]:
    """All numbers and percents of `text` in order, ends of ranges included and marked."""
    read = items_of(text)
    items = [item for item in read if item.kind in ("number", "percent") and not item.second]
    items.sort(key=lambda item: item.start)
    return [
        Quantity(float(item.key), item.unit, item.start, item.end, item.in_range) for item in items
    ]


def rivals(text: str, value: Value) -> list[tuple[int, int]]:
    """The spans of all items that could be meant for a value of this kind; [] for names."""
    target = prepare(value)
    if target.item is None:
        return []
    spans = set()
    for item in items_of(text):
        if item.kind != value.kind or item.in_range:
            continue
        if value.kind == "number" and not _same_measure(target.unit, item):
            continue
        spans.add((item.start, item.end))
    return sorted(spans)


def _same_measure(unit: str | None, item: Item) -> bool:
    if item.unit is not None:
        return unit is not None and same_unit(unit, item.unit)
    if item.noun is not None and looks_plural(item.noun):
        return unit is not None and singular(item.noun) == unit
    return True
