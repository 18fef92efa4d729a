"""The cells of a study: the lives of one system under one condition, whatever their seeds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import PurePosixPath

import msgspec

from agingbench.view.runs import RunRow

SEED = "seed_"  # how the folder of a life begins; its parent is the cell
LIVED = ("life", "unfinished", "unreadable")


class StudyCell(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of a study as far as it was lived: means over its finished lives."""

    name: str  # the folder, from the one that is viewed
    system: str
    about: str
    seeds: list[int]
    finished: int
    running: int
    stopped: int
    start: float | None
    end: float | None
    whole: float | None
    aging: int
    tokens: int | None
    cost: float | None
    points: list[float | None]


def cell_of(row: RunRow) -> str:
    """The folder of the cell that a life belongs to; empty where it lies in none."""
    place = PurePosixPath(row.name)
    is_cell = row.kind in LIVED and place.name.startswith(SEED) and len(place.parts) > 1
    return place.parent.as_posix() if is_cell else ""


def study_cells(rows: Sequence[RunRow]) -> list[StudyCell]:
    """The cells that have lives among these rows, in the order of their folders."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        name = cell_of(row)
        if name:
            groups.setdefault(name, []).append(row)
    return [_cell(name, groups[name]) for name in sorted(groups)]


def lives_of(rows: Sequence[RunRow], cells: Sequence[str]) -> list[RunRow]:
    """The rows of these cells."""
    return [row for row in rows if cell_of(row) and cell_of(row) in cells]


def _cell(name: str, rows: Sequence[RunRow]) -> StudyCell:
    finished = [row for row in rows if row.kind == "life"]
    first = (finished or list(rows))[0]
    running = sum(row.reason.startswith("running") for row in rows if row.kind == "unfinished")
    tokens = [row.tokens for row in finished if row.tokens is not None]
    costs = [row.cost for row in finished if row.cost is not None]
    return StudyCell(
        name=name,
        system=first.system,
        about=first.about,
        seeds=sorted(row.seed for row in finished if row.seed is not None),
        finished=len(finished),
        running=running,
        stopped=len(rows) - len(finished) - running,
        start=_mean([row.start for row in finished]),
        end=_mean([row.end for row in finished]),
        whole=_mean([row.whole for row in finished]),
        aging=sum(row.aging is True for row in finished),
        tokens=sum(tokens) if len(tokens) == len(finished) and finished else None,
        cost=sum(costs) if len(costs) == len(finished) and finished else None,
        points=[_mean(values) for values in zip_longest(*(row.points for row in finished))],
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None
