"""Does a text state a value, where, and under which key would it be found?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agingbench.text.grammar import CURRENCIES, VERSION_TAIL, same_unit
from agingbench.text.reader import items_of, read_text
from agingbench.text.values import Item, Quantity, Value, check_kind
from agingbench.text.wording import (
    STOPWORDS,
    fold,
    folded,
    looks_plural,
    no_possessive,
    original_end,
    singular,
)

_NAME_TOKEN = re.compile(r"\w+(?:[.'@&]\w+)*|&")


def name_tokens(folded: str) -> list[str]:
    """The words of a folded text as names are compared: no possessives, & is and."""
    return ["and" if t == "&" else no_possessive(t) for t in _NAME_TOKEN.findall(folded)]


def name_pattern(text: str) -> re.Pattern[str]:
    """What finds the name in a folded text as whole words."""
    folded = fold(text)[0].strip()
    found = list(_NAME_TOKEN.finditer(folded))
    if not found:
        raise ValueError(f"the name '{text}' has no word in it")
    # Codes and file names are not stated by a longer code: QX-482 is not in QX-482-B.
    coded = any(char.isdigit() for char in folded) or any("." in m[0] for m in found)
    parts = [r"(?<!\w)(?<!\w[.'@&])", r"(?<!\w-)" if coded else ""]
    for at, match in enumerate(found):
        word = no_possessive(match[0])
        parts.append(r"(?:and|&)" if word in ("and", "&") else re.escape(word))
        if at + 1 < len(found):
            parts.append(r"(?:'s)?" + _gap_pattern(folded[match.end() : found[at + 1].start()]))
    after = folded[found[-1].end() :]
    closing = re.escape(after[: len(after) - len(after.lstrip("+#"))])
    parts += [rf"(?:'s)?{closing}(?!\w|[.'@&]\w|\+\+|\#(?!\w))", r"(?!-\w)" if coded else ""]
    return re.compile("".join(parts))


def _gap_pattern(gap: str) -> str:
    if gap in ("/", "\\", ":", "=", "#"):  # a path is a path
        return re.escape(gap)
    return r"[^\w&]{0,4}[^\w&.'@]" if gap.strip(".- —\t\n\xa0") else r"\.?[\s—-]{1,8}"


class Wanted(NamedTuple):
    """A value made ready for comparison: an item, or a name pattern, or the members of a set."""

    item: Item | None = None
    unit: str | None = None
    pattern: re.Pattern[str] | None = None
    members: tuple[Value, ...] = ()


_VERSION_VALUE = re.compile(rf"v?\.?\s?([0-9]+(?:\.[0-9]+)*(?:{VERSION_TAIL})?)")
_PREPOSITION = re.compile(
    r"(?<!\w)(?:per|in|of|at|for|on|from|by|with|a|each|every|and|or|to)(?!\w)|[^\w\s'-]"
)
_MOST_GRAM = 5


@lru_cache(maxsize=65536)
def prepare(value: Value) -> Wanted:
    """`value` made ready; ValueError if its text cannot be read as its kind."""
    check_kind(value.kind)
    if value.kind == "set":
        members = tuple(
            Value("name", part.strip()) for part in value.text.split(";") if part.strip()
        )
        if not members:
            raise ValueError(f"the set '{value.text}' has no members")
        return Wanted(members=members)
    if value.kind == "name":
        return Wanted(pattern=name_pattern(value.text))
    if value.kind == "version":
        version = _VERSION_VALUE.fullmatch(fold(value.text.strip())[0])
        if version is not None:
            return Wanted(item=Item("version", version[1], 0, 0))
    for item in read_text(value.text):
        if item.kind == value.kind and not item.in_range:
            return Wanted(item=item, unit=item.unit or _noun_of(value.text, item))
    raise ValueError(f"'{value.text}' cannot be read as a {value.kind}")


def _noun_of(text: str, item: Item) -> str | None:
    rest = _PREPOSITION.split(fold(text[item.end :])[0].strip(" -"), maxsplit=1)[0].split()
    return singular(rest[-1]) if rest and rest[-1] not in STOPWORDS else None


def _fits(wanted: Wanted, item: Item) -> bool:
    """Does this item of a text state the wanted value?"""
    mine = wanted.item
    if mine is None or item.key != mine.key or item.in_range:
        return False
    if mine.kind == "percent" and item.kind == "number":
        return _unit_fits("percent", item)
    if item.kind != mine.kind:
        return False
    if mine.kind == "date":
        return mine.year is None or item.year is None or mine.year == item.year
    return mine.kind not in ("number", "range") or _unit_fits(wanted.unit, item)


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
    wanted = prepare(value)
    if wanted.members:
        return all(states(text, member) for member in wanted.members)
    if wanted.pattern is not None:
        return wanted.pattern.search(folded(text)[0]) is not None
    return any(_fits(wanted, item) for item in items_of(text))


def find(text: str, value: Value) -> list[tuple[int, int]]:
    """Where `text` states `value`, as spans of `text`; for a set the spans of all members, [] if
    one is missing.
    """
    wanted = prepare(value)
    if wanted.members:
        spans = [find(text, member) for member in wanted.members]
        return sorted({span for found in spans for span in found}) if all(spans) else []
    if wanted.pattern is None:
        return sorted({(item.start, item.end) for item in items_of(text) if _fits(wanted, item)})
    low, places = folded(text)
    found = [m.span() for m in wanted.pattern.finditer(low)]
    if places is None:
        return found
    return [(places[start], original_end(text, places, end)) for start, end in found]


def key(value: Value) -> str | None:
    """The key under which `keys` lists this value; None for a set. Names of over five words go by
    their first five.
    """
    wanted = prepare(value)
    if wanted.members:
        return None
    if wanted.item is not None:
        return wanted.item.key
    return " ".join(name_tokens(fold(value.text)[0])[:_MOST_GRAM])


def keys(text: str, kind: str) -> set[str]:
    """Keys of all values of `kind` that `text` may state; all that `states` accepts is there."""
    check_kind(kind)
    if kind == "set":
        return set()
    if kind == "name":
        tokens = name_tokens(folded(text)[0])
        sizes = range(1, _MOST_GRAM + 1)
        return {" ".join(tokens[at : at + n]) for n in sizes for at in range(len(tokens) - n + 1)}
    # A bare number may stand for a percent, so percents are looked for among the numbers as well.
    kinds = ("percent", "number") if kind == "percent" else (kind,)
    return {item.key for item in items_of(text) if item.kind in kinds and not item.in_range}


def numbers(text: str) -> list[Quantity]:
    """All numbers and percents of `text` in order, ends of ranges included and marked."""
    found = sorted(
        (i for i in items_of(text) if i.kind in ("number", "percent")), key=lambda i: i.start
    )
    return [Quantity(float(i.key), i.unit, i.start, i.end, i.in_range) for i in found]
