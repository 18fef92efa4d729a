"""What the program of a life looks like: fields, store, commands; and a program that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as with_default
from functools import cache
from pathlib import Path

# What a field is for.
ID = "id"
HEADING = "heading"
BODY = "body"
EXTRA = "extra"  # a further text
LABELS = "labels"  # a list of words
ORIGIN = "origin"  # where the record comes from; may be left out
GRADE = "grade"  # a whole number between bounds, with a default
FOLDER = "folder"  # one JSON file per record
FILE = "file"  # one JSON file with a list
LINES = "lines"  # one JSON object a line
DATABASE = "database"
_TEMPLATE = Path(__file__).parent / "reference_program.py.txt"


@dataclass(frozen=True)
class Field:
    """One field of a record and what it is for; a grade has bounds and a default."""

    name: str
    kind: str
    low: int = 0
    high: int = 0
    default: int = 0


@dataclass(frozen=True)
class Store:
    """Where records are kept; a database has a table of records and others beside it."""

    kind: str
    path: str
    tables: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The path without the slash of a folder."""
        return self.path.rstrip("/")


@dataclass(frozen=True)
class View:
    """A command that prints one record in a way that was agreed on; `fact` holds what for it."""

    kind: str
    name: str
    fact: str  # id


@dataclass(frozen=True)
class Migration:
    """What a migration changed: the store before it, and what happened to the fields."""

    kind: str
    before: Store
    old_fields: tuple[Field, ...]
    renamed: tuple[str, str] = ("", "")


@dataclass
class Design:
    """The program as the user wants it at one moment of a life."""

    entry: str
    noun: str
    nouns: str
    library: str
    fields: list[Field]
    store: Store
    subset: str = ""  # the command that gives back some of the records
    order: str = ""  # the command that gives back all of them in another order
    views: list[View] = with_default(default_factory=list)
    retired: list[str] = with_default(default_factory=list)  # names of views that were dropped
    migration: Migration | None = None

    def field(self, kind: str) -> Field:
        """The first field of a kind."""
        return next(one for one in self.fields if one.kind == kind)

    @property
    def grades(self) -> list[Field]:
        """The fields that migrations added."""
        return [one for one in self.fields if one.kind == GRADE]


def reference_program(design: Design, values: Sequence[tuple[View, str]]) -> str:
    """Write a program that does what the design says; `values` holds what each view needs."""
    migration = design.migration
    old_store = migration.before if migration else design.store
    constants = {
        "FIELDS": [(f.name, f.kind, f.low, f.high, f.default) for f in design.fields],
        "STORE": (design.store.kind, design.store.path, design.store.tables),
        "OLD_STORE": (old_store.kind, old_store.path, old_store.tables),
        "RENAMED": migration.renamed if migration else ("", ""),
        "SUBSET": design.subset,
        "ORDER": design.order,
        "LABELS": design.field(LABELS).name,
        "HEADING": design.field(HEADING).name,
        "BODY": design.field(BODY).name,
        "VIEWS": {view.name: (view.kind, value) for view, value in values},
    }
    lines = [f"{name} = {value!r}" for name, value in constants.items()]
    return _template().replace("# CONSTANTS", "\n".join(lines))


@cache
def _template() -> str:
    return _TEMPLATE.read_text(encoding="utf-8")
