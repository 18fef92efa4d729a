"""The checks of the program at one point: what it is started with and what it is to print.

No word of a start says anything about what was agreed on: records are drawn in the life's own order
from lists that are the same whatever holds. Every check also asks for something that a program must
refuse, so that one which takes everything passes none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from agingbench.bench.plan import pools
from agingbench.bench.plan.program_check import ProgramCheck, ProgramStart
from agingbench.bench.scenarios.s7_research_notes.design import (
    BODY,
    DATABASE,
    EXTRA,
    FILE,
    FOLDER,
    GRADE,
    HEADING,
    LABELS,
    ORIGIN,
    Design,
    Field,
    Store,
    View,
)

PROGRAM = "program"  # what checks depend on that need no fact
BODY_WORDS = 60
MOST_VIEWS_CHECKED = 4
_LABELS = "aerial basin coast delta estuary fjord glacier harbour inlet jetty".split()
_BOGUS_OPTION = "--nonesuch"
_BOGUS_VIEW = "of-nothing"

Record = dict[str, Any]


class CheckWriter:
    """Writes the checks of one point."""

    def __init__(self, design: Design, t: int, rng: Random, facts: Mapping[str, str]) -> None:
        self.design = design
        self.t = t
        self.rng = rng
        self.facts = facts  # ids by what they are about
        self.checks: list[ProgramCheck] = []

    def write(self, views: Sequence[tuple[View, str]]) -> list[ProgramCheck]:
        """Return all checks of the point; `views` are those to check, with what each needs."""
        self._basics()
        self._store()
        if self.design.subset:
            self._pair()
        for grade in self.design.grades[-2:]:
            self._grade(grade)
        if self.design.migration is not None:
            self._migration()
        for view, value in views:
            self._view(view, value)
        return self.checks

    # -- records

    def _record(self, number: int, with_origin: bool) -> Record:
        rng = self.rng
        record: Record = {}
        for one in self.design.fields:
            if one.kind == GRADE:
                record[one.name] = one.default
            elif one.kind == HEADING:
                record[one.name] = f"{rng.choice(pools.ADJECTIVES)} {rng.choice(pools.OBJECTS)}"
            elif one.kind in (BODY, EXTRA):
                words = [rng.choice(pools.OBJECTS).split()[-1] for _ in range(BODY_WORDS)]
                record[one.name] = " ".join(words)
            elif one.kind == LABELS:
                record[one.name] = rng.sample(_LABELS, 2)
            elif one.kind == ORIGIN:
                record[one.name] = f"{rng.choice(pools.LAST)}{number}" if with_origin else None
            else:
                record[one.name] = number
        return record

    def _adding(self, record: Record, also: Sequence[str] = ()) -> list[str]:
        words = ["add"]
        for one in self.design.fields[1:]:
            value = record[one.name]
            if one.kind == GRADE or value is None:
                continue
            text = ",".join(value) if isinstance(value, list) else value
            words += [f"--{one.name}", text]
        return [*words, *also]

    def _added(self, record: Record, also: Sequence[str] = ()) -> ProgramStart:
        return ProgramStart(self._adding(record, also), prints=[_line(record)])

    def _listed(self, records: Sequence[Record], *words: str) -> ProgramStart:
        return ProgramStart(list(words or ["list"]), prints=[_line(record) for record in records])

    def _check(
        self,
        name: str,
        fact: str,
        starts: list[ProgramStart],
        files: Mapping[str, str] | None = None,
    ) -> None:
        design = self.design
        places = [design.store.place]
        if design.migration is not None:
            places.append(design.migration.before.place)
        check = ProgramCheck(
            id=f"c{self.t}.{name}",
            t=self.t,
            fact=self.facts.get(fact, fact),
            entry=design.entry,
            starts=starts,
            files=dict(files or {}),
            clears=sorted(set(places)),
        )
        self.checks.append(check)

    # -- the checks

    def _basics(self) -> None:
        one = self._record(1, with_origin=True)
        other = self._record(2, with_origin=False)
        self._check(
            "basics",
            PROGRAM,
            [
                self._added(one),
                self._added(other),
                ProgramStart(self._adding(other, [_BOGUS_OPTION, "1"]), refuses=True),
                self._listed([one, other]),
            ],
        )

    def _store(self) -> None:
        store = self.design.store
        records = [self._record(number, with_origin=True) for number in (1, 2, 3)]
        starts = [self._added(record) for record in records]
        starts.append(
            ProgramStart(looks_at=store.place, tables=list(store.tables), stores=len(records))
        )
        migration = self.design.migration
        if migration is not None and migration.before.place != store.place:
            starts.append(ProgramStart(looks_at=migration.before.place))
        self._check("store", "store", starts)

    def _pair(self) -> None:
        name = self.design.field(LABELS).name
        wanted, other, third = self.rng.sample(_LABELS, 3)
        records = [self._record(number, with_origin=False) for number in (1, 2, 3, 4)]
        labels = ([other], [wanted, third], [third], [wanted])
        for record, own in zip(records, labels, strict=True):
            record[name] = own
        subset = [record for record in records if wanted in record[name]]
        order = sorted(records, key=lambda record: (record[name][0], record["id"]))
        self._check(
            "pair",
            "subset",
            [
                *(self._added(record) for record in records),
                self._listed(subset, self.design.subset, wanted),
                self._listed(order, self.design.order),
                ProgramStart([f"{self.design.order}-{_BOGUS_VIEW}"], refuses=True),
            ],
        )

    def _grade(self, grade: Field) -> None:
        plain = self._record(1, with_origin=False)
        value = self.rng.choice([grade.low, grade.high])
        other = self._record(2, with_origin=True)
        other[grade.name] = value
        beyond = self.rng.choice([grade.low - 1, grade.high + 1])
        option = f"--{grade.name}"
        self._check(
            f"grade.{grade.name}",
            f"default.{grade.name}",
            [
                self._added(plain),
                self._added(other, [option, str(value)]),
                ProgramStart(self._adding(plain, [option, str(beyond)]), refuses=True),
                self._listed([plain, other]),
            ],
        )

    def _migration(self) -> None:
        migration = self.design.migration
        assert migration is not None
        if migration.before.kind == DATABASE:
            return  # what a program made of its own tables, nobody else can write
        records = [self._record(number, with_origin=number != 2) for number in (1, 2, 3)]
        old, new = migration.renamed
        past = []
        for record in records:
            names = {field.name for field in migration.old_fields}
            row = {name: value for name, value in record.items() if name in names}
            if old:
                row[old] = record[new]
            past.append(row)
        self._check(
            "migration",
            "migration",
            [
                ProgramStart(["migrate"]),
                self._listed(records),
                ProgramStart(["migrate", _BOGUS_OPTION], refuses=True),
            ],
            stored_as(migration.before, past),
        )

    def _view(self, view: View, value: str) -> None:
        design = self.design
        record = self._record(1, with_origin=True)
        words = [view.name, "1"]
        shown: dict[str, Any] = {"id": 1}
        body = record[design.field(BODY).name]
        if view.kind == "width":
            shown["text"] = body[: int(value)]
        elif view.kind == "interval":
            start = date(2027, 1, 1) + timedelta(self.rng.randrange(700))
            words += ["--from", start.isoformat()]
            shown["date"] = (start + timedelta(int(value))).isoformat()
        elif view.kind == "points":
            shown["score"] = int(value) * len(body.split())
        elif view.kind == "prefix":
            shown["key"] = f"{value}-1"
        elif view.kind == "curator":
            shown["line"] = f"{record[design.field(HEADING).name]}, {value}"
        elif view.kind == "shelf":
            shown["place"] = f"{value}/1"
        elif view.kind == "release":
            shown["stamp"] = f"{value}+1"
        else:
            shown["until"] = value
        verb = view.name.partition("-")[0]
        gone = design.retired[-1] if design.retired else f"{verb}-{_BOGUS_VIEW}"
        self._check(
            f"view.{view.name}",
            view.fact,
            [
                self._added(record),
                ProgramStart(words, prints=[_line(shown)]),
                ProgramStart([gone, *words[1:]], refuses=True),
            ],
        )


def plain_value(kind: str, text: str) -> str:
    """What a program needs of a fact's value: a date as ISO, a number without its unit."""
    if kind == "embargo":
        return datetime.strptime(text, "%B %d, %Y").date().isoformat()
    if kind in ("width", "interval", "points"):
        return text.split()[0].replace(",", "")
    return text


def _line(record: Record) -> list[list[Any]]:
    # Names and values in their order, which a JSON object in a plan would not keep.
    return [[name, value] for name, value in record.items()]


def stored_as(store: Store, records: Sequence[Record]) -> dict[str, str]:
    """The files in which a store of JSON holds these records."""
    if store.kind == FOLDER:
        return {f"{store.place}/{record['id']}.json": json.dumps(record) for record in records}
    if store.kind == FILE:
        return {store.place: json.dumps(list(records))}
    return {store.place: "".join(json.dumps(record) + "\n" for record in records)}
