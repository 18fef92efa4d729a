"""The JSON Schema of the card, generated from its types.

The published file in `schema/` stays what validates cards; a test holds the two equal.
"""

from __future__ import annotations

from typing import Any

from msgspec import inspect

from agingbench.cards.figures import is_figure
from agingbench.cards.model import SCHEMA_VERSION, Card, FreeFigures

COUNT = {"type": ["integer", "null"], "minimum": 0}
INTERVAL = {
    "description": "Lower and upper end, or null when there is none.",
    "type": ["array", "null"],
    "items": {"type": ["number", "null"]},
    "minItems": 2,
    "maxItems": 2,
}


def card_schema() -> dict[str, Any]:
    """The schema (2020-12) that the types of `cards.model` describe."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:agingbench:schema:aging_card:{SCHEMA_VERSION}",
        "title": f"AgingCard {SCHEMA_VERSION}",
        "description": " ".join((Card.__doc__ or "").split()),
        "additionalProperties": True,
        **_schema_of(inspect.type_info(Card)),
    }


def _schema_of(kind: inspect.Type) -> dict[str, Any]:
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema=extra):
            return {**_schema_of(inner), **(extra or {})}
        case inspect.UnionType(types=kinds):
            return _nullable(kinds)
        case inspect.StructType():
            return _object(kind)
        case inspect.DictType(value_type=value):
            values = _schema_of(value)
            return {"type": "object", **({"additionalProperties": values} if values else {})}
        case inspect.ListType(item_type=item):
            return {"type": "array", "items": _schema_of(item)}
        case inspect.TupleType(item_types=items):
            return {
                "type": "array",
                "prefixItems": [_schema_of(item) for item in items],
                "minItems": len(items),
                "maxItems": len(items),
                "items": False,
            }
        case inspect.LiteralType(values=(only,)):
            return {"const": only}
        case inspect.LiteralType(values=values):
            return {"enum": list(values)}
        case inspect.StrType(min_length=length, pattern=pattern):
            return _given(type="string", minLength=length, pattern=pattern)
        case inspect.IntType(ge=least):
            return _given(type="integer", minimum=least)
        case inspect.FloatType():
            return {"type": "number"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.AnyType():
            return {}
    raise TypeError(f"no JSON Schema for {kind}")


def _given(**keywords: Any) -> dict[str, Any]:
    return {keyword: value for keyword, value in keywords.items() if value is not None}


def _nullable(kinds: tuple[inspect.Type, ...]) -> dict[str, Any]:
    others = [kind for kind in kinds if not isinstance(kind, inspect.NoneType)]
    if len(others) != 1 or len(kinds) != 2:
        raise TypeError(f"no JSON Schema for the union of {kinds}")
    schema = _schema_of(others[0])
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def _object(kind: inspect.StructType) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    free = issubclass(kind.cls, FreeFigures)
    for field in kind.fields:
        name = field.encode_name
        if name == "others":
            continue
        if field.required:
            required.append(name)
        if not is_figure(field.type):
            properties[name] = _schema_of(field.type)
            continue

        metadata = field.type if isinstance(field.type, inspect.Metadata) else None
        limits = (metadata.extra_json_schema if metadata else None) or {}
        properties[name] = {"type": ["number", "null"], **limits}
        if free and field.required:
            required.append(f"{name}_n")
        if not free:
            properties |= {f"{name}_ci": INTERVAL, f"{name}_n": COUNT}

    schema: dict[str, Any] = {"type": "object"}
    if required:
        schema["required"] = required
    if properties:
        schema["properties"] = properties
    if free:
        schema["patternProperties"] = {"_ci$": INTERVAL, "_n$": COUNT}
    return schema
