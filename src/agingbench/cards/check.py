"""The AgingCard: its schema, what makes a card valid, its content hash, and how it is read and
saved.

What a card says is put together by each instrument; what a card *is* is decided here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from agingbench.cards.model import SCHEMA_VERSION, Card, OwnCard
from agingbench.errors import InputError
from agingbench.traces.canonical import canonical_json, content_hash
from agingbench.traces.files import parse_json, read_json, write_atomic

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

OwnCardT = TypeVar("OwnCardT", bound=OwnCard)

CARD_FILE = "aging_card.json"
FIGURES = ("m0", "m_final", "half_life", "decay_slope", "hazard_proxy")

# What differs between two runs over equal evidence: when, which run, on which machine, how fast.
# Left out of the hash.
VOLATILE = (
    "generated_at",
    "run_id",
    "content_hash",
    "provenance.compute_environment",
    "provenance.trial_id",
    "provenance.record_hash",
    "cost_and_efficiency.latency_*",
)
# Cards of earlier versions were hashed with their trial's id, which was the same in every run.
EARLIER_VOLATILE = tuple(name for name in VOLATILE if name != "provenance.trial_id")

_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_LOCAL_PATH = re.compile(
    r"""^~?/                            # /home/me, ~/runs
      | ^\\\\                           # \\server\share
      | (?<![A-Za-z])[A-Za-z]:[\\/](?!/)# C:\runs, C:/runs, but not s3://bucket
      | file:/                          # file:///home/me
      | [\s'"=(,;]~?/[^\s/]+/[^\s/]     # python /home/me/agent.py
    """,
    re.VERBOSE,
)


@cache
def _schema_text() -> bytes:
    return (
        resources.files("agingbench.cards.schema") / f"aging_card-{SCHEMA_VERSION}.schema.json"
    ).read_bytes()


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the card, as shipped in the package; a fresh copy each time."""
    loaded: dict[str, Any] = parse_json(_schema_text(), "the card schema")
    return loaded


def validate_card(card: Any) -> list[str]:
    """Everything wrong with a card, one line each with its JSON path; an empty list means it is
    valid.
    """
    try:
        # The rules hold for what a file would hold: tuples are arrays there, and every key is a
        # string.
        card = json.loads(json.dumps(card))
    except (TypeError, ValueError) as error:
        return [f"card: not JSON ({error})"]
    errors = _schema_errors(card)
    if not isinstance(card, dict):
        return errors
    errors += _number_errors(card) + _path_errors(card) + _figure_errors(card)
    version = card.get("schema_version")
    if isinstance(version, str) and version != SCHEMA_VERSION:
        errors.append(f"schema_version: this is schema {SCHEMA_VERSION}, the card is of {version}")
    if not errors and "content_hash" in card and not _has_its_hash(card):
        errors.append("content_hash: the card was changed after it was hashed")
    return errors


def _has_its_hash(card: dict[str, Any]) -> bool:
    named: object = card["content_hash"]
    return named == card_hash(card) or named == content_hash(_without(card, EARLIER_VOLATILE))


def card_hash(card: dict[str, Any]) -> str:
    """SHA-256 of the canonical form without the `VOLATILE` fields: equal evidence, equal hash."""
    return content_hash(_without(card, VOLATILE))


def finish_card(card: dict[str, Any]) -> dict[str, Any]:
    """A plain JSON copy of the card with its `content_hash`."""
    plain: dict[str, Any] = json.loads(canonical_json(card))
    plain["content_hash"] = card_hash(plain)
    return plain


def seal_card(card: OwnCardT) -> OwnCardT:
    """The card with its `content_hash`."""
    return msgspec.structs.replace(card, content_hash=card_hash(card.document()))


def card_json(card: Card) -> dict[str, Any]:
    """The card as plain JSON, to be printed or drawn: keys sorted, `content_hash` last."""
    return finish_card(card.document())


def load_card(path: Path) -> dict[str, Any]:
    """A card from a file, ours or foreign. It must fit the schema; our stricter rules are
    `validate_card`'s.
    """
    card = read_json(path)
    errors = _schema_errors(card)
    if errors:
        raise InputError(f"{path} is not an AgingCard: {_first(errors)}")
    loaded: dict[str, Any] = card
    return loaded


def cards_to_check(path: Path) -> list[Path]:
    """The card files at a path: itself, that of a run folder, or all below a folder of lives.

    Raises InputError for a folder that holds none.
    """
    if not path.is_dir():
        return [path]
    own = path / CARD_FILE
    files = [own] if own.exists() else sorted(path.rglob(CARD_FILE))
    if not files:
        raise InputError(
            f"{path}: no card here (nothing holds an {CARD_FILE}); `agingbench run` or `agingbench"
            " audit --out` writes one"
        )
    return files


def save_card(card: dict[str, Any], path: Path) -> None:
    """Write a valid card as a whole or not at all; equal cards give equal bytes."""
    errors = validate_card(card)
    if errors:
        raise InputError(f"{path}: the card is not valid and was not saved: {_first(errors)}")
    plain: dict[str, Any] = json.loads(canonical_json(card))
    order = {key: place for place, key in enumerate(schema()["properties"])}
    ordered = {
        key: plain[key] for key in sorted(plain, key=lambda k: (order.get(k, len(order)), k))
    }
    write_atomic(
        path, (json.dumps(ordered, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    )


def without_paths(value: Any) -> Any:
    """The value with every local path in it replaced: cards travel, and machines are nobody's
    business.
    """
    if isinstance(value, dict):
        return {key: without_paths(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_paths(part) for part in value]
    return "<path>" if isinstance(value, str) and _LOCAL_PATH.search(value) else value


# -- rules


@cache
def _validator() -> Draft202012Validator:
    # Imported on use: reading a card should not cost the start of every command.
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("date-time")(_is_date_time)
    return Draft202012Validator(schema(), format_checker=checker)


def _is_date_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    if not _DATE_TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value.upper())
    except ValueError:
        return False
    return True


def _schema_errors(card: Any) -> list[str]:
    found = sorted(
        _validator().iter_errors(card), key=lambda e: ([str(p) for p in e.absolute_path], e.message)
    )
    return list(dict.fromkeys(line for error in found for line in _lines(error)))


def _lines(error: ValidationError) -> Iterator[str]:
    where = [*error.absolute_path]
    if error.validator == "required" and isinstance(error.instance, dict):
        required: Any = error.validator_value
        yield from (
            f"{_path(*where, key)}: required but missing"
            for key in required
            if key not in error.instance
        )
        return
    message = " ".join(error.message.split())
    yield f"{_path(*where)}: {message if len(message) <= 200 else message[:197] + '...'}"


def _path(*parts: str | int) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".") or "card"


def _leaves(value: Any, *where: str | int) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every leaf with where it stands, put into words only for those that are wrong."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, *where, str(key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _leaves(inner, *where, place)
    else:
        yield where, value


def _number_errors(card: dict[str, Any]) -> list[str]:
    return [
        f"{_path(*where)}: {value} is not a number a card may hold; a missing value is null"
        for where, value in _leaves(card)
        if isinstance(value, float) and not math.isfinite(value)
    ]


def _path_errors(card: dict[str, Any]) -> list[str]:
    return [
        f"{_path(*where)}: holds a local absolute path; a card names files relative to itself"
        for part in ("links", "provenance", "sut")
        for where, value in _leaves(card.get(part), part)
        if isinstance(value, str) and _LOCAL_PATH.search(value)
    ]


def _figure_errors(card: dict[str, Any]) -> list[str]:
    headline = card.get("headline")
    if "card_kind" not in card or not isinstance(headline, dict):
        return []
    return [
        f"headline.{name}_n: missing or 0: no figure without its n"
        for name in FIGURES
        if headline.get(name) is not None and not headline.get(f"{name}_n")
    ]


def _first(errors: list[str]) -> str:
    more = f"; and {len(errors) - 5} more" if len(errors) > 5 else ""
    return "; ".join(errors[:5]) + more


def _without(card: dict[str, Any], names: Sequence[str], prefix: str = "") -> dict[str, Any]:
    """The card without what these paths name, two levels deep."""
    kept = {}
    for key, value in card.items():
        path = f"{prefix}{key}"
        if any(fnmatchcase(path, pattern) for pattern in names):
            continue
        is_section = isinstance(value, dict) and not prefix
        kept[key] = _without(value, names, f"{path}.") if is_section else value
    return kept
