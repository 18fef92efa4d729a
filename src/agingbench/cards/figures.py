"""Figures, and the sections of a card that hold them, with one writer and one reader for both.

A figure `m0` of a section stands in the file as three keys: `m0`, `m0_ci` and `m0_n`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import msgspec
from msgspec import UNSET, UnsetType, inspect

from agingbench.metrics.intervals import Estimate

Interval = tuple[float | None, float | None]
DIGITS = 12  # that a figure is written with
_PLAIN = frozenset({str, int, float, bool, type(None)})


class Figure(msgspec.Struct, frozen=True):
    """A value with its 95 % interval and its sample size; what is UNSET is left out of the file."""

    value: float | None
    ci: Interval | UnsetType | None = UNSET
    n: int | UnsetType | None = UNSET

    @classmethod
    def of(cls, estimate: Estimate) -> Figure:
        """The figure of an estimate; its interval is null where the estimate has none."""
        bounds = None
        if estimate.low is not None:
            bounds = (same_everywhere(estimate.low), same_everywhere(estimate.high))
        return cls(same_everywhere(estimate.value), bounds, estimate.n)

    @property
    def interval(self) -> Interval | None:
        """The interval, None where there is none."""
        return None if isinstance(self.ci, UnsetType) else self.ci

    @property
    def count(self) -> int:
        """The sample size, 0 where none is known."""
        return 0 if isinstance(self.n, UnsetType) or self.n is None else self.n


NO_FIGURE = Figure(None)


def same_everywhere(number: float | None) -> float | None:
    """Return a number without the last digits, in which one processor differs from another."""
    return None if number is None else float(f"{number:.{DIGITS}g}")


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object of a card. What a file holds beyond the named fields is kept in `others`."""

    others: dict[str, Any] = {}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Read a section from a document; raises msgspec.ValidationError where it does not fit."""
        return msgspec.convert(_gather(document, _type_of(cls)), cls)

    def document(self) -> dict[str, Any]:
        """The section as the file holds it, every figure written as value, interval and n."""
        document: dict[str, Any] = document_of(self)
        return document

    def figure(self, name: str) -> Figure:
        """The figure of this name, named field or not; `NO_FIGURE` where the section has none."""
        fields = self.others | msgspec.structs.asdict(self)
        value = fields.get(name)
        if isinstance(value, Figure):
            return value if value.value is not None else NO_FIGURE
        if isinstance(value, bool) or not isinstance(value, int | float):
            return NO_FIGURE

        bounds = fields.get(f"{name}_ci", UNSET)
        return Figure(
            value,
            tuple(bounds) if isinstance(bounds, list) else bounds,
            fields.get(f"{name}_n", UNSET),
        )


@cache
def _type_of(section: type[Section]) -> inspect.Type:
    return inspect.type_info(section)


def document_of(value: Any) -> Any:
    """The plain JSON form of a value: structs become objects, and UNSET fields are left out."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, Section):
        document = dict(value.others)
        for name, part in _fields_of(value):
            if name == "others":
                continue
            if isinstance(part, Figure):
                document |= _three_keys(name, part)
            else:
                document[name] = document_of(part)
        return document

    if isinstance(value, msgspec.Struct):
        return {name: document_of(part) for name, part in _fields_of(value)}
    if isinstance(value, Mapping):
        return {key: document_of(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        # A long row of numbers is most of a large card.
        return [part if part.__class__ in _PLAIN else document_of(part) for part in value]
    return value


def _fields_of(struct: msgspec.Struct) -> list[tuple[str, Any]]:
    names = struct.__struct_encode_fields__
    values = msgspec.structs.astuple(struct)
    return [pair for pair in zip(names, values, strict=True) if pair[1] is not UNSET]


def _three_keys(name: str, figure: Figure) -> dict[str, Any]:
    keys = {"value": name, "ci": f"{name}_ci", "n": f"{name}_n"}
    return {keys[field]: document_of(value) for field, value in _fields_of(figure)}


# -- reading


def _gather(value: Any, kind: inspect.Type) -> Any:
    """The value with the three keys of each figure put together, as msgspec can convert it."""
    if isinstance(kind, inspect.Metadata):
        return _gather(value, kind.type)
    if isinstance(kind, inspect.UnionType):
        return value if value is None else _gather(value, _only_kind(kind))
    if isinstance(kind, inspect.StructType) and issubclass(kind.cls, Section):
        return _gather_section(value, kind) if isinstance(value, Mapping) else value
    if isinstance(kind, inspect.DictType) and isinstance(value, Mapping):
        return {key: _gather(part, kind.value_type) for key, part in value.items()}
    if isinstance(kind, inspect.ListType) and isinstance(value, list):
        return [_gather(part, kind.item_type) for part in value]
    if isinstance(kind, inspect.IntType) and isinstance(value, float) and value.is_integer():
        return int(value)  # 12.0 is an integer to JSON Schema
    return value


def _gather_section(document: Mapping[str, Any], kind: inspect.StructType) -> dict[str, Any]:
    gathered: dict[str, Any] = {}
    named = set()
    for field in kind.fields:
        name = field.encode_name
        field_kind = field.type
        if name == "others":
            continue
        if not is_figure(field_kind):
            if name in document:
                gathered[name] = _gather(document[name], field_kind)
                named.add(name)
            continue

        keys = {"value": name, "ci": f"{name}_ci", "n": f"{name}_n"}
        parts = {part: document[key] for part, key in keys.items() if key in document}
        if parts:
            n = parts.get("n")
            if isinstance(n, float) and n.is_integer():
                parts["n"] = int(n)
            gathered[name] = {"value": None, **parts}
            named.update(keys.values())

    gathered["others"] = {key: part for key, part in document.items() if key not in named}
    return gathered


def figure_names(section: type[Section]) -> tuple[str, ...]:
    """The names of the fields of a section that hold figures."""
    info = _type_of(section)
    assert isinstance(info, inspect.StructType)
    return tuple(field.encode_name for field in info.fields if is_figure(field.type))


def is_figure(kind: inspect.Type) -> bool:
    """Whether a field of this kind holds a figure."""
    if isinstance(kind, inspect.Metadata):
        return is_figure(kind.type)
    return isinstance(kind, inspect.StructType) and kind.cls is Figure


def _only_kind(union: inspect.UnionType) -> inspect.Type:
    kinds = [kind for kind in union.types if not isinstance(kind, inspect.NoneType)]
    return kinds[0] if len(kinds) == 1 else inspect.AnyType()
