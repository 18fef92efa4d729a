"""The table of the cells of a study: how many of their lives are finished, and their means."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.report.layout import MISSING
from agingbench.view.cells import StudyCell
from agingbench.view.tables import share_text, short_count, spark_points


class CellCells(msgspec.Struct, frozen=True):
    """A cell of a study as the table shows it."""

    cell: StudyCell
    lives: str
    start: str
    end: str
    whole: str
    aging: str
    tokens: str
    cost: str
    spark: str


class CellsPage(msgspec.Struct, frozen=True):
    """The cells of the studies in the folder."""

    answer: str
    rows: list[CellCells]
    unfinished: int

    @classmethod
    def of(cls, cells: Sequence[StudyCell]) -> CellsPage:
        """The page of these cells."""
        finished = sum(cell.finished for cell in cells)
        unfinished = sum(cell.running + cell.stopped for cell in cells)
        nouns = ("cell" if len(cells) == 1 else "cells", "life" if finished == 1 else "lives")
        answer = f"{len(cells):,} {nouns[0]}, {finished:,} finished {nouns[1]}"
        if unfinished:
            answer += f", {unfinished:,} unfinished"
        return cls(answer, [_cell_cells(cell) for cell in cells], unfinished)


def _cell_cells(cell: StudyCell) -> CellCells:
    lives = [f"{cell.finished} finished"]
    if cell.running:
        lives.append(f"{cell.running} running")
    if cell.stopped:
        lives.append(f"{cell.stopped} stopped")
    if cell.seeds:
        noun = "seed" if len(cell.seeds) == 1 else "seeds"
        lives.append(f"{noun} {_ranges(cell.seeds)}")
    return CellCells(
        cell=cell,
        lives=", ".join(lives),
        start=share_text(cell.start),
        end=share_text(cell.end),
        whole=share_text(cell.whole),
        aging=f"{cell.aging} of {cell.finished}" if cell.finished else MISSING,
        tokens=short_count(cell.tokens),
        cost=MISSING if cell.cost is None else f"${cell.cost:,.2f}",
        spark=spark_points(cell.points),
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in order, neighbours joined: 0–2, 7."""
    parts: list[list[int]] = []
    for one in numbers:
        if parts and one == parts[-1][1] + 1:
            parts[-1][1] = one
        else:
            parts.append([one, one])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in parts)
