"""Tables in which a session lists facts of one kind, as people do who have many of them to tell."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import msgspec

from agingbench.bench.plan.content import Draft
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.scenes import Narrator, Passage
from agingbench.text.values import Value

LEAST_ROWS = 3
MOST_ROWS = 7
LISTED = 0.5  # how often a note of the session stands in the table of its kind, if there is one


class Row(NamedTuple):
    """What one line of a table tells; `fact` is the note behind it, None for a decoy."""

    draft: Draft
    value: Value
    fact: Fact | None = None


class Tables:
    """The tables of one session, made from decoys and joined by some of its notes."""

    def __init__(self, narrator: Narrator, rng: Random) -> None:
        self.narrator = narrator
        self.rng = rng
        self.passages: list[Passage] = []
        self.facts: set[str] = set()  # ids of the notes that stand in one

    def take(self, decoys: Sequence[Row], notes: Sequence[Row]) -> list[Row]:
        """Make a table of every kind that has enough decoys, and return those that are left."""
        left: list[Row] = []
        by_table: dict[tuple[str, ...], list[Row]] = {}
        for row in decoys:
            by_table.setdefault(tuple(row.draft.table), []).append(row)
        for table, rows in by_table.items():
            if not table or len(rows) < LEAST_ROWS:
                left += rows
                continue
            same = [row for row in notes if tuple(row.draft.table) == table]
            listed = [row for row in same if self.rng.random() < LISTED]
            self._tell(table, [*rows[:MOST_ROWS], *listed])
            left += rows[MOST_ROWS:]
        return left

    def _tell(self, table: Sequence[str], rows: Sequence[Row]) -> None:
        heading, template = table
        lines = [self.narrator.wording(self.rng, [heading], {})]
        for row in self.rng.sample(rows, len(rows)):
            words = {**row.draft.words, "v": row.value.text}
            line = self.narrator.wording(self.rng, [template], words)
            lines.append(line)
            if row.fact is not None:
                first = msgspec.structs.replace(row.fact.versions[0], passage=line)
                row.fact.versions[0] = first
                self.facts.add(row.fact.id)
        self.passages.append(Passage("\n".join(lines), stands_alone=True))
