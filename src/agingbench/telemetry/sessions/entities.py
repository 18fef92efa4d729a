"""What tool calls and results name: locators, and (entity, attribute, value) triples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

# A path or URL, a file name, a hash or mixed id, a ticket, a snake_case or camelCase or dotted
# symbol.
_LOCATOR = re.compile(
    r"[\w.~-]*[/\\][\w.-]+|\b[\w-]+\.[A-Za-z]\w{0,4}\b|\b[0-9a-f]{7,}\b"
    r"|\b[A-Z][A-Z0-9]*-\d+\b|\b\w*[a-z0-9]_[a-z0-9]\w*\b"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{6,}\b"
)
_LOOKED_AT = 400  # characters of a value that are searched
_NAMES_ONE = re.compile(
    r"(^|_|\.)(id|ids|uuid|key|path|file|filepath|filename|url|uri|symbol|email|slug|entity"
    r"|ticket|issue|branch|name)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_TIME = r"\d{4}-\d\d-\d\d([t ]\d\d:\d\d.*)?|\d\d:\d\d(:\d\d)?|\d{10}(\d{3})?"
_IDENTIFIER = re.compile(rf"{_UUID}|{_TIME}|[0-9a-f]{{16,}}|\S*[/\\]\S*|~\S*", re.IGNORECASE)
_PREFIX = re.compile(r"^(new|current|updated|target|desired|expected)_")
_LINE = re.compile(
    r"^[ \t]*[-*]?[ \t]*([A-Za-z][\w .-]{1,38}?)[ \t]*[:=][ \t]*(\S[^\n]{0,60}?)[ \t]*$",
    re.MULTILINE,
)

MOST_RESULT = 20_000  # characters of a JSON result that are read
MOST_LINES = 1_500  # characters of a plain result that are read line by line
MOST_VALUES = 40  # values taken from one result
DEEPEST = 6  # objects inside objects that are looked into

READ = re.compile(
    r"(^|[^a-z])(read|view|open|cat|get|fetch|search|grep|glob|find|list|ls|query|lookup"
    r"|retrieve|show|load)"
)
EDIT = re.compile(
    r"(^|[^a-z])(edit|multiedit|write|patch|replace|insert|create|update|delete|remove|set"
    r"|save|put|move)"
)

Triple = tuple[str, str, str]


@lru_cache(maxsize=2_048)
def names_one(argument: str) -> bool:
    """Whether an argument of this name says which thing is meant."""
    return _NAMES_ONE.search(_CAMEL.sub("_", argument).lower()) is not None


@lru_cache(maxsize=2_048)
def attribute_of(argument: str) -> str:
    """The name of an attribute as all tools share it: new_status, newStatus and status are one."""
    return _PREFIX.sub("", _CAMEL.sub("_", argument).lower().replace("-", "_").replace(" ", "_"))


def has_locator(text: str) -> bool:
    """Whether a text names a path, an id or a symbol."""
    return _LOCATOR.search(text[:_LOOKED_AT]) is not None


def is_identifier(value: str) -> bool:
    """UUIDs, paths, times and long hex: a return to one is a reference, not a revision."""
    return _IDENTIFIER.fullmatch(value) is not None


def scalar(value: Any) -> str | None:
    """A short value as it is compared; None for what is no value (text, lists, nothing)."""
    if isinstance(value, str):
        text = value.strip()
        return text.casefold() if 0 < len(text) <= 64 and "\n" not in text else None

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)

    return None


def result_triples(text: str, entity: str | None) -> Iterator[Triple]:
    """(entity, attribute, value) that a result shows; `entity` is what the call asked about, if it
    named one.
    """
    head = text[:1]
    if head in "{[" and len(text) <= MOST_RESULT:
        try:
            data = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return

        yield from _from_json(data, entity)
    elif entity is not None and len(text) <= MOST_LINES:
        for name, value in text_lines(text):
            plain = scalar(value)
            if plain is not None and not is_identifier(plain):
                yield entity, attribute_of(name), plain


def text_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of the `name: value` lines of a text."""
    if ":" not in text and "=" not in text:
        return

    for name, value in _LINE.findall(text)[:MOST_VALUES]:
        yield name, value.strip("\"',;")


def _from_json(data: Any, entity: str | None) -> Iterator[Triple]:
    """Yield the values of an object and of those inside it, each with the entity that owns it."""
    waiting: list[tuple[Any, str | None, int]] = [(data, entity, 0)]
    n_values = 0

    while waiting and n_values < MOST_VALUES:
        item, owner, depth = waiting.pop()
        if isinstance(item, list):
            for part in item[:MOST_VALUES]:
                if isinstance(part, dict | list):
                    waiting.append((part, owner, depth + 1))
        elif isinstance(item, dict) and depth < DEEPEST:
            own = _entity(item) or owner
            for name, value in item.items():
                if isinstance(value, dict | list):
                    waiting.append((value, own, depth + 1))
                    continue

                text = scalar(value)
                if own is None or text is None or text == own or is_identifier(text):
                    continue

                n_values += 1
                yield own, attribute_of(name), text


def _entity(item: Mapping[str, Any]) -> str | None:
    for name, value in item.items():
        if names_one(name):
            text = scalar(value)
            if text is not None:
                return text

    return None
