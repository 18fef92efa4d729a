"""What the arguments of a call give, as flat records: nested names are joined by dots.

Every object of a list is a record of its own, together with what stands around the list. Text that
holds JSON is taken apart like the rest, and what is put together (`prod/eu`) is given in its parts
too, so that a thing is found whatever it was packed in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

DEEPEST = 5
MOST_RECORDS = 12  # objects of a list
MOST_ITEMS = 3  # of a list of plain values
MOST_FIELDS = 24
LONGEST_JSON = 2_000
LONGEST_PARTED = 40
_PARTED = re.compile(r"[^\s/:|@.]{2,}(?:[/:|@][^\s/:|@.]{2,}){1,2}")
_JOINT = re.compile(r"[/:|@]")

Record = dict[str, Any]


def given_records(arguments: Mapping[str, Any]) -> list[Record]:
    """Return the records that arguments give; values are as they were."""
    own: Record = {}
    lists: list[tuple[str, list[Any]]] = []
    _flatten(arguments, "", own, lists, 0)
    if not lists:
        return [own]

    records = []
    for path, items in lists:
        for item in items[:MOST_RECORDS]:
            record = dict(own)
            _flatten(item, f"{path}.", record, [], 1)
            records.append(record)

    return records[:MOST_RECORDS]


def _flatten(
    fields: Mapping[str, Any],
    prefix: str,
    own: Record,
    lists: list[tuple[str, list[Any]]],
    depth: int,
) -> None:
    for name, value in fields.items():
        if len(own) >= MOST_FIELDS:
            return

        path = f"{prefix}{name}"
        if value.__class__ is str:
            value = _decoded(value)

        if value.__class__ is dict:
            if depth < DEEPEST:
                _flatten(value, f"{path}.", own, lists, depth + 1)
        elif value.__class__ is list:
            _add_list(path, value, own, lists)
        else:
            own[path] = value
            if value.__class__ is str:
                _add_parts(path, value, own)


def _add_list(path: str, items: list[Any], own: Record, lists: list[tuple[str, list[Any]]]) -> None:
    objects = [item for item in items[:MOST_RECORDS] if item.__class__ is dict]
    if objects:
        lists.append((path, objects))
    elif len(items) == 1:
        own[path] = items[0]
    elif len(items) <= MOST_ITEMS:
        for place, item in enumerate(items):
            own[f"{path}.{place}"] = item


def _add_parts(path: str, value: str, own: Record) -> None:
    if len(value) <= LONGEST_PARTED and _PARTED.fullmatch(value):
        for place, part in enumerate(_JOINT.split(value)):
            own[f"{path}.{place}"] = part


def _decoded(value: str) -> Any:
    """Return what a text of JSON holds; another text as it is."""
    if value[:1] not in ("{", "[") or len(value) > LONGEST_JSON:
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return value
