"""Diagnosis of a life on disk: its answers are kept one by one, so that it goes on after a stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agingbench.bench.diagnosis.floor_and_ceiling import ask_bounds, bounds_complete
from agingbench.bench.diagnosis.ladder import BEFORE, diagnose_life, in_order, missing_rows
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.plan import Plan
from agingbench.interfaces import Agent
from agingbench.traces.files import write_atomic
from agingbench.traces.journal import append_bytes, mend
from agingbench.trials.run_folder import AnswerRow, read_answers


class AnswerFile:
    """Answers that are kept one by one, each whole or not at all, and put in order at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def rows(self) -> list[AnswerRow]:
        """The answers in the file; a last line that was cut off is removed first."""
        if not self.path.exists():
            return []
        mend(self.path)
        return read_answers(self.path)

    def add(self, row: AnswerRow) -> None:
        """Append one answer; threads may do so at once."""
        # Without waiting for the disk: the line outlives this process, and the whole file is synced
        # when it is put in order at the end.
        with self._lock:
            append_bytes(
                self.path,
                msgspec.json.encode(row) + b"\n",
                sync=False,
                advice="run again to go on",
            )

    def replace(self, rows: Sequence[AnswerRow]) -> None:
        """Write the file anew with these answers, unless it holds just them."""
        lines = [msgspec.json.encode(row) + b"\n" for row in rows]
        data = b"".join(lines)
        if not self.path.exists() or self.path.read_bytes() != data:
            write_atomic(self.path, data)


def ask_ladder_on_disk(
    run: RunDirectory,
    plan: Plan,
    agent: Agent,
    *,
    workers: int,
    swap: Callable[[str], None],
    progress: Callable[[int], None] | None = None,
) -> None:
    """Ask what the diagnosis of a life on disk still lacks, and put the answers in order.

    `agent` is as it was before the life; `swap` puts another model into it, by name.
    """
    file = AnswerFile(run.diagnosis_answers)
    rows = [row for row in file.rows() if row.status != "failed"]

    def state(name: str) -> Mapping[str, Any]:
        point, before, _ = name.partition(BEFORE)
        if before:
            return run.before(int(point)).state
        return run.snapshot(int(point)).state

    if missing_rows(plan, rows):
        diagnose_life(
            plan,
            agent,
            run.answer_rows(),
            state,
            events=run.events(),
            done=rows,
            keep=file.add,
            workers=workers,
            swap=swap,
            progress=progress,
        )
    file.replace(in_order(plan, file.rows()))


def ask_bounds_on_disk(
    run: RunDirectory,
    plan: Plan,
    agent: Agent,
    *,
    workers: int,
) -> None:
    """Ask what floor and ceiling of a life on disk still lack, and put the answers in order."""
    file = AnswerFile(run.calibration_answers)
    rows = file.rows()
    answered = [row for row in rows if row.status != "failed"]
    if not bounds_complete(plan, answered):
        ask_bounds(
            plan,
            agent,
            done=rows,
            keep=file.add,
            workers=workers,
        )
    latest = {(row.condition, row.probe): row for row in file.rows()}
    file.replace(sorted(latest.values(), key=_place))


def _place(row: AnswerRow) -> tuple[str, int, int]:
    number = row.probe.rpartition(".")[2]
    place = int(number) if number.isdigit() else 0
    return row.condition, row.t, place
