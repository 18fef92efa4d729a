"""Asks lives after their end for the ladder of a diagnosis and the bounds of their score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agingbench.bench.diagnosis.floor_and_ceiling import sample
from agingbench.bench.diagnosis.ladder import wanted_rows
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.studies.cells import Cell


@dataclass(frozen=True)
class FollowUp:
    """Whether lives are asked for their diagnosis (`ladder`) and their bounds.

    Without `calibrate`, bounds are asked of the embedded reader alone.
    """

    ladder: bool = False
    bounds: bool = False
    calibrate: bool = False

    @property
    def anything(self) -> bool:
        """Whether lives are asked at all."""
        return self.ladder or self.bounds

    def ask(
        self,
        life: Life,
        resources: Resources,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Ask one life, store the answers in its folder, and return how many calls that took."""
        if not self.anything:
            return 0
        return life.diagnose(
            resources,
            ladder=self.ladder,
            calibrate=self.calibrate,
            progress=progress,
        )

    def of(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells whose lives are asked: all except control lives."""
        if not self.anything:
            return []
        controls = {cell.without_events().key() for cell in cells if cell.controlled}
        return [cell for cell in cells if cell.controlled or cell.key() not in controls]

    def was_asked(self, cell: Cell, run: RunDirectory) -> bool:
        """Whether a life that has ended was asked all of it."""
        if self.ladder and not run.diagnosis.exists():
            return False
        return run.calibration_answers.exists() or not self._bounded(cell)

    def calls(self, cells: Sequence[Cell]) -> int:
        """How many calls it takes at most, in addition to those of the lives."""
        calls = 0
        for cell in self.of(cells):
            plan = cell.plan()
            if self.ladder:
                calls += len(wanted_rows(plan))
            if self._bounded(cell):
                calls += 2 * len(sample(plan))
        return calls

    def _bounded(self, cell: Cell) -> bool:
        return self.bounds and (self.calibrate or cell.embedded)


def ask_alike(
    life: Life,
    other: Life,
    resources: Resources,
) -> None:
    """Ask the other life what the first was asked after its end."""
    ladder = life.folder.diagnosis_answers.exists()
    bounds = life.folder.calibration_answers.exists()
    if ladder or bounds:
        other.diagnose(resources, ladder=ladder, calibrate=bounds)
