"""What a result shows as JSON, as indented lines or as a table: each value under its names.

`api: port: 8080` in YAML, the row `api` and column `PORT` of a table and `{"api": {"port": 8080}}`
say the same, and are read as the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from agingbench.text.case import small_letters

MOST_TEXT = 6_000  # characters of a result that are read
MOST_SLOTS = 60  # of one result
MOST_COLUMNS = 12
DEEPEST = 6
NAMES = 3  # of a slot, the innermost ones
LONGEST_NAME = 40
_LINE = re.compile(r"^([ \t]*)(?:- )?([A-Za-z_][\w .\-]{0,38}?)[ \t]*(?::[ \t]|=|:$)[ \t]*(.*)$")
_SIGNS = (":", "=", "  ", "\t", "|")  # one of them stands before every value that is shown
_CELLS = re.compile(r"[ \t]{2,}|\t|[ ]*\|[ ]*")
_NUMBERED = re.compile(r"^[ \t]*\d+(?:\t|→)")  # how clients show the lines of a file
_COLUMN = re.compile(r"[A-Za-z][\w .%()-]{0,30}")
_VALUE = re.compile(r"(?=\S*\d)[\w.:/@+-]{2,40}")
_WORD = re.compile(r"[^\W_a-z]+(?![a-z])|[^\W_]?[^\W_A-Z]+")  # DB, Host and host of DB_dbHost

Names = tuple[str, ...]  # outermost first; as they stand, or their words
Slot = tuple[Names, str]  # the names and the value


def shown_slots(text: str) -> list[Slot]:
    """Return the values with a digit that a result shows, each with the names it stands under."""
    if len(text) > MOST_TEXT or not any(sign in text for sign in _SIGNS):
        return []

    if text[:1] in ("{", "["):
        try:
            data = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return []
        slots = _of_json(data, (), 0)
    else:
        lines = text.splitlines()
        if _NUMBERED.match(lines[0]) is not None:
            lines = [_NUMBERED.sub("", line) for line in lines]
        slots = _of_lines(lines)

    found = []
    for names, value in slots:
        if _VALUE.fullmatch(value) is not None:
            found.append((tuple([name[:LONGEST_NAME] for name in names[-NAMES:]]), value))
        if len(found) >= MOST_SLOTS:
            break
    return found


@lru_cache(maxsize=4_096)
def words_of(names: Names) -> Names:
    """Return the words of names in small letters: DB_HOST, dbHost and db.host say the same."""
    words = tuple([small_letters(word) for name in names for word in _WORD.findall(name)])
    return words or tuple(map(small_letters, names))


def _of_json(data: Any, names: Names, depth: int) -> Iterator[Slot]:
    """Yield the plain values of an object; an object of a list goes by its first text."""
    if depth > DEEPEST:
        return

    if isinstance(data, dict):
        for name, value in data.items():
            yield from _of_json(value, (*names, name), depth + 1)
    elif isinstance(data, list):
        for item in data[:MOST_SLOTS]:
            if isinstance(item, dict):
                called = next((v for v in item.values() if isinstance(v, str)), None)
                inside = names if called is None else (*names, called)
                yield from _of_json(item, inside, depth + 1)
    elif isinstance(data, str | int | float) and not isinstance(data, bool) and names:
        yield names, str(data)


def _of_lines(lines: list[str]) -> Iterator[Slot]:
    """Yield the values of `name: value` lines, indented ones below their owner, and of tables."""
    owners: list[tuple[int, str]] = []  # indentation and name of the lines above
    columns: list[str] = []
    for line in lines:
        cells = _cells(line)
        if len(cells) > 2 and len(cells) == len(columns):
            for column, cell in zip(columns[1:], cells[1:], strict=True):
                yield (cells[0], column), cell
            continue

        found = _LINE.match(line)
        columns = cells if _is_head(cells) else []
        if found is None:
            continue

        indent, name, value = len(found[1].expandtabs(4)), found[2], found[3].strip("\"', ;")
        while owners and owners[-1][0] >= indent:
            owners.pop()
        if value:
            yield (*[owner for _, owner in owners], name), value
        else:
            owners.append((indent, name))


def _cells(line: str) -> list[str]:
    if "  " not in line and "\t" not in line and "|" not in line:
        return []
    return [cell for cell in _CELLS.split(line.strip()) if cell]


def _is_head(cells: list[str]) -> bool:
    """Return whether cells may be the head of a table."""
    if not 2 < len(cells) <= MOST_COLUMNS:
        return False
    return all(_COLUMN.fullmatch(cell) is not None for cell in cells)
