"""Diagnosis of a life on disk: asked against its snapshots, kept as it comes, and gone on with
after a stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agingbench.bench.diagnosis.floor_and_ceiling import ask_bounds, bounds_complete, sample
from agingbench.bench.diagnosis.ladder import diagnose_life, in_order, missing_rows, wanted_rows
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Budget, Limited, Reservation, Resources
from agingbench.bench.life.system import Built, Sut, build
from agingbench.bench.plan.plan import Plan
from agingbench.bench.studies.estimates import ANSWER_TOKENS, EMBEDDED, is_embedded
from agingbench.bench.studies.grid import Cell, scenario_of
from agingbench.bench.studies.reproducing import system_of
from agingbench.errors import InputError
from agingbench.interfaces import Model
from agingbench.models.build import build_model
from agingbench.models.cached import CachedModel
from agingbench.models.prices import load_prices
from agingbench.records import Message, Reply, Tool, Usage
from agingbench.text.wording import count_tokens
from agingbench.traces.files import write_atomic
from agingbench.traces.journal import append_bytes, mend
from agingbench.trials.run_folder import AnswerRow, read_answers


class AnswerFile:
    """Answers that are kept one by one, each whole or not at all, and put in order at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def rows(self) -> list[AnswerRow]:
        """What is there. A last line that was cut off when somebody was killed is taken away first."""
        if not self.path.exists():
            return []
        mend(self.path)
        return read_answers(self.path)

    def add(self, row: AnswerRow) -> None:
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
        data = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        if not self.path.exists() or self.path.read_bytes() != data:
            write_atomic(self.path, data)


def diagnose_run(
    path: Path,
    resources: Resources,
    *,
    ladder: bool = True,
    calibrate: bool = False,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Ask a life that has ended what its diagnosis (`ladder`) and its bounds still lack; how many
    calls were made.

    With the embedded reader the bounds are always asked, with any other model only to `calibrate`.
    What it all means is for `score_run` to say, from the files.
    """
    run = RunDirectory(path)
    plan = run.plan()
    if not run.ended():
        raise InputError(
            f"{path}: this life has not ended; run it again to its end, then diagnose it"
        )
    with run:
        asking = _Asking(run, plan, resources)
        if ladder:
            asking.ladder(progress)
        if calibrate or asking.sut.model == EMBEDDED:
            asking.bounds()
        return asking.account.calls


@dataclass(frozen=True)
class FollowUp:
    """What is asked of lives after their end: the ladder of a diagnosis, the bounds, both of any
    model.
    """

    ladder: bool = False
    bounds: bool = False
    calibrate: bool = False

    @property
    def anything(self) -> bool:
        return self.ladder or self.bounds

    def ask(
        self, path: Path, resources: Resources, progress: Callable[[int], None] | None = None
    ) -> int:
        """Ask it of one life and return the calls it took; the answers lie in the life's folder
        afterwards.
        """
        if not self.anything:
            return 0
        return diagnose_run(
            path, resources, ladder=self.ladder, calibrate=self.calibrate, progress=progress
        )

    def of(self, cells: Sequence[Cell]) -> list[Cell]:
        """The lives of whom it is asked: all but those that are there only for another one to be
        held against.
        """
        controls = {cell.without_events().key() for cell in cells if cell.controlled}
        return (
            [cell for cell in cells if cell.events or cell.key() not in controls]
            if self.anything
            else []
        )

    def was_asked(self, cell: Cell, run: RunDirectory) -> bool:
        """Whether all of it was asked of a life that has ended."""
        ladder = run.diagnosis.exists() or not self.ladder
        return ladder and (run.calibration_answers.exists() or not self._bounded(cell))

    def calls(self, cells: Sequence[Cell]) -> int:
        """How many calls it takes at most, beside those of the lives."""
        plans = [(cell, cell.plan()) for cell in self.of(cells)]
        calls = sum(len(wanted_rows(plan)) for _, plan in plans if self.ladder)
        return calls + sum(2 * len(sample(plan)) for cell, plan in plans if self._bounded(cell))

    def _bounded(self, cell: Cell) -> bool:
        return self.bounds and (self.calibrate or cell.embedded)


def ask_alike(path: Path, other: Path, resources: Resources) -> None:
    """Ask of the other life what was asked of the one, and nothing where nothing was."""
    run = RunDirectory(path)
    ladder = run.diagnosis_answers.exists()
    bounds = run.calibration_answers.exists()
    if ladder or bounds:
        diagnose_run(other, resources, ladder=ladder, calibrate=bounds)


class _Asking:
    """One life while it is asked."""

    def __init__(self, run: RunDirectory, plan: Plan, resources: Resources) -> None:
        self.run = run
        self.plan = plan
        self.resources = resources
        self.sut, self.role = _system(run)
        self.embedded = is_embedded(self.sut, [str(event) for event in plan.events])
        self.account = Reservation(resources.budget, None)
        self.workers = resources.probes_at_once or (
            1 if self.embedded else resources.endpoints.most
        )

    def ladder(self, progress: Callable[[int], None] | None) -> None:
        kept = AnswerFile(self.run.diagnosis_answers)
        done = [row for row in kept.rows() if row.status != "failed"]
        if missing_rows(self.plan, done):
            built = self._built()
            diagnose_life(
                self.plan,
                built.agent,
                self.run.answer_rows(),
                self._state,
                events=self.run.events(),
                done=done,
                keep=kept.add,
                workers=self.workers,
                swap=lambda name: built.meter.swap(self._wrapped(build_model(name))),
                progress=progress,
            )
        kept.replace(in_order(self.plan, kept.rows()))

    def bounds(self) -> None:
        kept = AnswerFile(self.run.calibration_answers)
        done = kept.rows()
        if not bounds_complete(self.plan, [row for row in done if row.status != "failed"]):
            ask_bounds(
                self.plan, self._built().agent, done=done, keep=kept.add, workers=self.workers
            )
        kept.replace(sorted({(r.condition, r.probe): r for r in kept.rows()}.values(), key=_place))

    def _built(self) -> Built:
        built = build(self.sut, self.role)
        built.meter.swap(self._wrapped(built.model))
        return built

    def _wrapped(self, model: Model) -> Model:
        limited = Limited(
            model, self.resources.endpoints.slots(model), self.account, self.resources.stop
        )
        if self.embedded:
            return limited
        capped = _Capped(limited, self.resources.budget)
        return capped if self.resources.cache is None else CachedModel(capped, self.resources.cache)

    def _state(self, name: str) -> Mapping[str, Any]:
        point = name.removesuffix("_before")
        return (
            self.run.snapshot(int(point)) if point == name else self.run.before(int(point))
        ).state


def _system(run: RunDirectory) -> tuple[Sut, str]:
    """The system that lived the life, and what its scenario told it to be."""
    scenario, sut = system_of(run)
    return sut, scenario_of(scenario).role


def _place(row: AnswerRow) -> tuple[str, int, int]:
    return (
        row.condition,
        row.t,
        int(row.probe.rpartition(".")[2]) if row.probe.rpartition(".")[2].isdigit() else 0,
    )


class _Capped(Model):
    """A model whose every call is first set aside from the money that may be spent: beyond that it
    is not made.
    """

    def __init__(self, model: Limited, budget: Budget) -> None:
        self.model = model
        self.name = model.name
        self.budget = budget
        self._prices = load_prices()
        self._id = model.name.partition(":")[2] or model.name

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        asked = sum(count_tokens(message.content) for message in messages)
        cost = self._prices.cost_usd(Usage(asked, ANSWER_TOKENS), self._id) or 0.0
        self.budget.take(cost)
        try:
            return self.model.complete(messages, tools, max_tokens, seed)
        finally:
            self.budget.give_back(cost)

    def cache_identity(self) -> dict[str, Any]:
        return self.model.cache_identity()
