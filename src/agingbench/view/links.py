"""Links of tables: those that sort by a column, keep what was asked for and turn pages."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

KEPT = ("q", "kind", "cell", "status", "all", "sort", "order")
NUMBERS = frozenset(
    {"seed", "start", "end", "half_life", "tokens", "cost", "reward", "tokens_in", "cost_usd"}
)


class Column(msgspec.Struct, frozen=True):
    """The head of a column: its link sorts by it, or turns the order around."""

    label: str
    link: str
    order: str  # ascending, descending or none, as screen readers say it
    numeric: bool


class Pager(msgspec.Struct, frozen=True):
    """Which rows of how many are shown, and the links to the others."""

    words: str
    before: str
    after: str


def plain_asked(asked: Mapping[str, str]) -> dict[str, str]:
    """What an address asks of a table, empty where it asks nothing."""
    return {name: asked.get(name, "") for name in KEPT}


def page_link(path: str, asked: Mapping[str, str], **changed: str) -> str:
    """The address of the same table with something changed."""
    parts = {name: asked.get(name, "") for name in KEPT} | changed
    return f"{path}?{urlencode({name: value for name, value in parts.items() if value})}"


def sorted_columns(
    labels: Mapping[str, str], asked: Mapping[str, str], default: str, path: str
) -> list[Column]:
    """The heads of a table's columns."""
    sort = asked.get("sort", default)
    order = asked.get("order", "down")
    columns = []
    for name, label in labels.items():
        is_sorted = name == sort
        other = "up" if is_sorted and order == "down" else "down"
        words = "none"
        if is_sorted:
            words = "descending" if order == "down" else "ascending"
        link = page_link(path, asked, sort=name, order=other)
        columns.append(Column(label, link, words, name in NUMBERS))
    return columns


def page_number(asked: Mapping[str, str], total: int, size: int) -> int:
    """The page that an address asks for, the last where there are not so many."""
    text = asked.get("page", "1")
    page = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1
    return min(max(1, page), max(1, -(-total // size)))


def pager_of(
    asked: Mapping[str, str], path: str, page: int, total: int, size: int, noun: str
) -> Pager:
    """The words and links below a table."""
    first = (page - 1) * size + 1 if total else 0
    last = min(total, page * size)
    before = page_link(path, asked, page=str(page - 1)) if page > 1 else ""
    after = page_link(path, asked, page=str(page + 1)) if last < total else ""
    return Pager(f"{first:,}–{last:,} of {total:,} {noun}", before, after)
