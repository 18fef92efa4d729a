"""How the program of a life is begun, extended and migrated, session by session.

Seed 0 is the program of the paper: notes with five fields built with Click, a priority added at the
first migration, a database with two tables at the second. Every other seed draws names, fields,
their order, migrations and the pair of commands anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.pools import Space, stream
from agingbench.bench.scenarios.s7_research_notes.checks import plain_value
from agingbench.bench.scenarios.s7_research_notes.design import (
    BODY,
    DATABASE,
    EXTRA,
    FILE,
    FOLDER,
    GRADE,
    HEADING,
    ID,
    LABELS,
    LINES,
    ORIGIN,
    Design,
    Field,
    Migration,
    Store,
    View,
)

CANONICAL_SEED = 0
MOST_VIEWS = 8  # commands of a kind that the program keeps; older ones are dropped
MOST_FIELDS = 9
ADD_FIELD = "add_field"
MOVE_STORE = "move_store"
RENAME_FIELD = "rename_field"
_NOUNS = (
    ("note", "notes"),
    ("source", "sources"),
    ("sample", "samples"),
    ("excerpt", "excerpts"),
    ("finding", "findings"),
    ("reading", "readings"),
    ("clipping", "clippings"),
    ("specimen", "specimens"),
)
_HEADINGS = ("title", "name", "heading", "caption", "topic")
_BODIES = ("body", "content", "abstract", "summary", "passage")
_EXTRAS = ("place", "method", "remark", "locality")
_LABELS = (("tags", "tag"), ("keywords", "keyword"), ("themes", "theme"), ("subjects", "subject"))
_ORIGINS = ("citation", "reference", "provenance", "origin", "credit")
_LIBRARIES = ("Click", "Click", "argparse")
_SUBSET = ("filter", "pick", "narrow", "keep")
_ORDER = ("sort", "rank", "arrange", "line-up")
_FORMATS = ("BibTeX", "RIS", "CSL", "plain text")
_GRADE_HEADS = (
    "shelf field trust lab proof depth draft crew site load find core wave silt moss peat"
).split()
_GRADE_TAILS = (
    "rank mark grade level weight score class tier band step rate count mass span size note"
).split()
_STORE_HEADS = (
    "amber basalt cedar dolphin ember flint gannet heron ibis juniper kelp lichen marl nettle osier"
    " plover"
).split()
_STORE_TAILS = (
    "vault shelf drawer cabinet ledger stack chest crate bin locker trunk folio register depot silo"
    " rack"
).split()
_TABLES = ("collections", "projects", "people", "places", "journals", "trips")
_SUFFIX = {FOLDER: "/", FILE: ".json", LINES: ".jsonl", DATABASE: ".db"}
STORE_FORMATS = {
    FOLDER: "one JSON file per {noun}, named after its id, such as `1.json`",
    FILE: "one JSON file with the list of all {nouns}",
    LINES: "one JSON object per {noun} and line",
    DATABASE: "an SQLite database with the tables {tables}; `{table}` has one row per {noun}",
}


@dataclass(frozen=True)
class Change:
    """What a migration asks for: the kind, and what is new."""

    kind: str
    grade: Field | None = None
    store: Store | None = None
    name: str = ""


class Development:
    """The design of one life as it grows."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.is_canonical = seed == CANONICAL_SEED
        rng = stream(scenario, seed, "development")
        self.rng = rng
        self.grades = Space(rng, _GRADE_HEADS, _GRADE_TAILS, glue="")
        self.stores = Space(rng, _STORE_HEADS, _STORE_TAILS, glue="_")
        self.origins = Space(rng, _STORE_TAILS, ("source", "origin", "trace", "credit"), glue="")
        self.design = self._canonical() if self.is_canonical else self._drawn(rng)
        self.pair = self._pair(rng)
        self.changes = 0  # migrations so far

    def _canonical(self) -> Design:
        self.label = "tag"
        self.origin_format = "BibTeX"
        fields = [
            Field("id", ID),
            Field("title", HEADING),
            Field("tags", LABELS),
            Field("body", BODY),
            Field("citation", ORIGIN),
        ]
        store = Store(FOLDER, "notes_data/")
        return Design("notes.py", "note", "notes", "Click", fields, store)

    def _drawn(self, rng: Random) -> Design:
        noun, nouns = rng.choice(_NOUNS)
        labels, self.label = rng.choice(_LABELS)
        self.origin_format = rng.choice(_FORMATS)
        others = [
            Field(rng.choice(_HEADINGS), HEADING),
            Field(labels, LABELS),
            Field(rng.choice(_BODIES), BODY),
            Field(rng.choice(_ORIGINS), ORIGIN),
        ]
        if rng.random() < 0.5:
            others.append(Field(rng.choice(_EXTRAS), EXTRA))
        rng.shuffle(others)
        store = self._store(rng.choice((FOLDER, FILE, LINES)), nouns)
        library = rng.choice(_LIBRARIES)
        return Design(f"{nouns}.py", noun, nouns, library, [Field("id", ID), *others], store)

    def _pair(self, rng: Random) -> tuple[str, str]:
        if self.is_canonical:
            return "filter-by-tag", "sort-by-tag"
        return f"{rng.choice(_SUBSET)}-by-{self.label}", f"{rng.choice(_ORDER)}-by-{self.label}"

    def _store(self, kind: str, nouns: str) -> Store:
        path = self.stores.take() + _SUFFIX[kind]
        if kind != DATABASE:
            return Store(kind, path)
        return Store(kind, path, (nouns, self.rng.choice(_TABLES)))

    # -- views

    def add_view(self, view: View) -> str:
        """Add a command; return the name of one that is dropped for it, if any."""
        self.design.views.append(view)
        if len(self.design.views) <= MOST_VIEWS:
            return ""
        oldest = self.design.views.pop(0)
        self.design.retired.append(oldest.name)
        return oldest.name

    def view_values(self, graph: FactGraph, point: int) -> list[tuple[View, str]]:
        """Every command with what it needs at a point."""
        values = []
        for view in self.design.views:
            fact: Fact = graph.facts[int(view.fact[1:])]
            version = fact.at(point)
            assert version is not None, "what commands are built on is never taken back"
            values.append((view, plain_value(view.kind, version.value.text)))
        return values

    # -- migrations

    def next_change(self) -> Change:
        """Draw the next migration."""
        number = self.changes
        self.changes += 1
        if self.is_canonical and number == 0:
            return Change(ADD_FIELD, grade=Field("priority", GRADE, 1, 5, 3))
        if self.is_canonical and number == 1:
            return Change(MOVE_STORE, store=Store(DATABASE, "notes.db", ("notes", "collections")))

        makers: dict[str, Callable[[], Change]] = {
            ADD_FIELD: self._new_field,
            MOVE_STORE: self._new_store,
            RENAME_FIELD: self._new_name,
        }
        kinds = self._order(number)
        kind = kinds[number % len(kinds)]
        if kind == ADD_FIELD and len(self.design.fields) >= MOST_FIELDS:
            kind = RENAME_FIELD
        return makers[kind]()

    def _order(self, number: int) -> Sequence[str]:
        # Every three migrations bring one of each kind, in an order of their own.
        kinds = (ADD_FIELD, MOVE_STORE, RENAME_FIELD)
        block = number // len(kinds)
        if self._last_block != block:
            self._last_block = block
            self._kinds = self.rng.sample(kinds, len(kinds))
        return self._kinds

    _last_block = -1
    _kinds: Sequence[str] = ()

    def _new_field(self) -> Change:
        rng = self.rng
        low = rng.randint(0, 9)
        high = low + rng.randint(5, 60)
        name = self.grades.take()
        return Change(ADD_FIELD, grade=Field(name, GRADE, low, high, rng.randint(low, high)))

    def _new_store(self) -> Change:
        kinds = [kind for kind in _SUFFIX if kind != self.design.store.kind]
        kind = self.rng.choice(kinds)
        return Change(MOVE_STORE, store=self._store(kind, self.design.nouns))

    def _new_name(self) -> Change:
        return Change(RENAME_FIELD, name=self.origins.take())

    def apply(self, change: Change) -> None:
        """Make the design what the migration asks for."""
        design = self.design
        old_fields = tuple(design.fields)
        renamed = ("", "")
        before = design.store
        if change.grade is not None:
            design.fields.append(change.grade)
        elif change.store is not None:
            design.store = change.store
        else:
            place = next(n for n, one in enumerate(design.fields) if one.kind == ORIGIN)
            renamed = (design.fields[place].name, change.name)
            design.fields[place] = replace(design.fields[place], name=change.name)
        design.migration = Migration(change.kind, before, old_fields, renamed)
