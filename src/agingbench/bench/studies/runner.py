"""Lives and scores the cells of a study, many at once.

Where a cell has lifecycle events, the life without them (its control) is lived too, and the cell is
scored against it. Lives run in threads and share one limit per endpoint; many lives of the embedded
reader, which compute and do not wait, run in processes. On an engine of several machines each life
is sent there and back, and a steward holds all of them to the same limits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.outage import has_failed_answers
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.studies.cells import Cell, Stock, check
from agingbench.bench.studies.dry_run import check_prices
from agingbench.bench.studies.elsewhere import live_elsewhere
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.steward import DistantLimits, Steward, StewardFigures, abandon
from agingbench.cards.check import load_card
from agingbench.cards.model import Card
from agingbench.engines.base import Engine, Job, worker_stop
from agingbench.engines.local import LocalEngine
from agingbench.errors import AgingBenchError, ModelError, NotFinished
from agingbench.trials.runs import add_life

# Processes pay for their start: on two busy cores 12 lives took 6.5 s in threads, 9.2 s in
# processes and 7.4 s one by one; 40 lives 16 s in threads and 12 to 27 s in processes, which alone
# grow with the cores.
MANY = 24


@dataclass(frozen=True)
class CellResult:
    """The card of one cell, or the error that stopped its life.

    `calls` counts the calls that reached a model in this run of the study. A life is `incomplete`
    where the same command continues it.
    """

    cell: Cell
    path: Path
    card: Card | None
    calls: int
    error: str | None = None
    incomplete: bool = False
    cause: Exception | None = None  # behind the error, with its traceback

    @property
    def status(self) -> str:
        """finished, incomplete or stopped."""
        if self.error is None:
            return "finished"
        return "incomplete" if self.incomplete else "stopped"


@dataclass(frozen=True)
class LifeResult:
    """What one worker returns of a life; there is no card yet while its control is not finished."""

    path: Path
    calls: int
    card: Card | None


def run_study(
    cells: Sequence[Cell],
    out: Path,
    resources: Resources,
    *,
    workers: int | None = None,
    follow_up: FollowUp | None = None,
    stock: Stock | None = None,
    ledger: str | None = None,
    progress: Callable[[int], None] | None = None,
    tell: Callable[[CellResult], None] = lambda result: None,
    processes: bool = True,
    engine: Engine | None = None,
) -> list[CellResult]:
    """Live and score what is missing of every cell; returns a result for each, in their order.

    `workers` is how many lives run at once, `follow_up` what each is asked after its end, `ledger`
    where lives on their way are kept as partial trials, and `tell` is called with each result. A
    life that fails does not stop the others, and what was interrupted continues with the next call.
    Without `processes`, which need a main module that can be imported, all lives run in threads.
    `engine` lives them elsewhere.
    """
    running = _Running(
        cells,
        out,
        resources,
        follow_up or FollowUp(),
        stock or Stock(),
        ledger,
        tell,
    )
    if engine is None:
        running.run(workers, progress, processes)
    else:
        running.run_elsewhere(engine, workers)
    return [running.results[cell.key()] for cell in cells]


def live_all(
    cells: Sequence[Cell],
    out: Path,
    resources: Resources,
    *,
    follow_up: FollowUp,
    stock: Stock,
    ledger: str | None,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    tell: Callable[[CellResult], None] = lambda result: None,
    processes: bool = True,
    engine: Engine | None = None,
) -> list[CellResult]:
    """Run a study whose cells were checked, and add every finished life to the ledger."""
    results = run_study(
        cells,
        out,
        resources,
        workers=workers,
        follow_up=follow_up,
        stock=stock,
        ledger=ledger,
        progress=progress,
        tell=tell,
        processes=processes,
        engine=engine,
    )
    for result in results:
        if result.card is not None:
            add_life(ledger, result.path)
    return results


def check_study(cells: Sequence[Cell], resources: Resources, stock: Stock) -> None:
    """Raise InputError for what cannot be lived or held to the budget, before anything runs."""
    check(cells, stock)
    if resources.budget.most is not None:
        check_prices(cells)


def require_finished(results: Sequence[CellResult], resources: Resources) -> None:
    """Raise for lives that have not ended: NotFinished where the same command continues them."""
    failures = [result for result in results if result.error is not None]
    if not failures:
        return
    # What is wrong comes first: it does not go away by running again.
    first = min(failures, key=lambda result: result.incomplete)
    reason = f"{first.cell.describe()}: {first.error}"
    if first.incomplete:
        raise not_finished(len(failures), len(results), reason, resources) from first.cause
    message = f"{len(failures)} of {len(results)} lives stopped ({reason})"
    raise AgingBenchError(message) from first.cause


def not_finished(count: int, of: int, first: str, resources: Resources) -> NotFinished:
    """The error for lives that stopped on their way, with the advice to run them again."""
    advice = "" if resources.budget.reached else "; run again to continue them"
    return NotFinished(f"{count} of {of} lives are incomplete ({first}){advice}")


def finished_card(cell: Cell, out: Path) -> Card | None:
    """Return the card of a life to which nothing is left to do, None where something is."""
    run = cell.place(out)
    if not (run.plan_file.exists() and run.ended() and run.card.exists()):
        return None

    if has_failed_answers(run):
        return None
    card = Card.read(load_card(run.card))
    if cell.suite is not None and card.suite_id == "adhoc":
        return None
    maintenance = card.mechanism_metrics.maintenance
    if cell.controlled and maintenance.others.get("control_plan_hash") is None:
        return None
    return card


# -- what a worker does


def _live_and_score(
    cell: Cell,
    out: Path,
    resources: Resources,
    follow_up: FollowUp,
    ledger: str | None,
    stock: Stock | None = None,
    progress: Callable[[int], None] | None = None,
) -> LifeResult:
    life = cell.life(out, stock)
    life.ledger = ledger
    calls = life.live(resources, progress)
    calls += follow_up.ask(life, resources)

    waits_for_control = life.control is not None and not life.control.ended()
    card = None if waits_for_control else life.score()
    return LifeResult(life.folder.path, calls, card)


def _score_only(cell: Cell, out: Path) -> LifeResult:
    run = cell.place(out)
    life = Life(
        run.plan(),
        shared_scenario(cell.scenario),
        cell.sut,
        run,
        suite=run.suite(),
        control=cell.without_events().place(out) if cell.controlled else None,
    )
    return LifeResult(life.folder.path, 0, life.score())


def _live_in_process(
    cell: Cell,
    out: Path,
    follow_up: FollowUp,
    ledger: str | None,
) -> LifeResult:
    return _live_and_score(cell, out, Resources(stop=worker_stop()), follow_up, ledger)


def _live_elsewhere(
    engine: Engine,
    limits: DistantLimits,
    cell: Cell,
    out: Path,
    follow_up: FollowUp,
    ledger: str | None,
) -> LifeResult:
    path, calls, card = live_elsewhere(engine, cell, out, follow_up, limits, ledger)
    return LifeResult(path, calls, card)


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.resolve()


# -- the study


class _Running:
    """A study while it runs: the cells still to live, and the results so far."""

    def __init__(
        self,
        cells: Sequence[Cell],
        out: Path,
        resources: Resources,
        follow_up: FollowUp,
        stock: Stock,
        ledger: str | None,
        tell: Callable[[CellResult], None],
    ) -> None:
        self.out = out
        self.resources = resources
        self.stock = stock
        self.ledger = ledger
        self.tell = tell
        self.follow_ups = {cell.key(): follow_up for cell in follow_up.of(cells)}
        self.results: dict[str, CellResult] = {}
        self.todo: list[Cell] = []
        self.calls: dict[str, int] = {}  # of cells that wait for their control

        for cell in cells:
            card = finished_card(cell, out)
            place = cell.place(out)
            if card is None or not self._follow_up(cell).was_asked(cell, place):
                self.todo.append(cell)
            else:
                self._settle(CellResult(cell, place.path, card, 0))

    def run(
        self,
        workers: int | None,
        progress: Callable[[int], None] | None,
        may_start_processes: bool,
    ) -> None:
        """Live and score all cells that are still to do, on this machine."""
        embedded = [cell for cell in self.todo if cell.embedded]
        cores = workers or os.cpu_count() or 1
        threads = cores
        if len(embedded) < len(self.todo):
            threads = workers or max(8, self.resources.endpoints.most)
        processes = 0
        if may_start_processes and cores > 1 and len(embedded) >= MANY:
            processes = min(cores, len(embedded))

        def job(cell: Cell) -> Job[LifeResult]:
            follow_up = self._follow_up(cell)
            if cell.embedded and processes:
                return Job(_live_in_process, (cell, self.out, follow_up, self.ledger))
            shared = (self.resources, follow_up, self.ledger, self.stock, progress)
            return Job(_live_and_score, (cell, self.out, *shared), computes=False)

        with LocalEngine(threads, processes) as engine:
            try:
                self._run_all(engine, job)
            except BaseException:
                self.resources.stop.set()
                raise

    def run_elsewhere(self, engine: Engine, workers: int | None) -> None:
        """Live all cells on an engine that does not see our disk; they are scored there or here."""
        resources = self.resources
        at_once = workers or engine.at_once
        if not all(cell.embedded for cell in self.todo):
            at_once = workers or max(engine.at_once, resources.endpoints.most)
        cache = resources.cache if isinstance(resources.cache, Path) else None
        budget = resources.budget
        steward = partial(Steward, budget.most, _absolute(budget.folder))
        steward = partial(steward, resources.endpoints.most, _absolute(cache))
        call = engine.share(steward, abandon)
        limits = DistantLimits(call, budget.most, resources.endpoints.most, cache is not None)

        def job(cell: Cell) -> Job[LifeResult]:
            own = (cell, self.out, self._follow_up(cell), self.ledger)
            return Job(_live_elsewhere, (engine, limits, *own), computes=False)

        # Each thread sends a life, waits for it, and puts it into its folder.
        with LocalEngine(at_once) as dispatcher:
            try:
                self._run_all(dispatcher, job)
            except BaseException:
                resources.stop.set()
                call("stop")
                engine.stop()
                raise
            finally:
                figures: StewardFigures = call("figures")
                budget.spent += figures.spent
                budget.reached = budget.reached or figures.reached

    def _run_all(self, engine: Engine, job: Callable[[Cell], Job[LifeResult]]) -> None:
        pending = {engine.submit(job(cell)): cell for cell in self.todo}

        # Cells that are lived but wait for their control are scored once it is no longer pending.
        waiting: list[Cell] = []
        while pending:
            ended, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in ended:
                cell = pending.pop(future)
                if not self._take_result(cell, future):
                    waiting.append(cell)

            busy = {cell.key() for cell in pending.values()}
            ready = [cell for cell in waiting if cell.without_events().key() not in busy]
            waiting = [cell for cell in waiting if cell not in ready]
            for cell in ready:
                score = Job(_score_only, (cell, self.out), computes=False)
                pending[engine.submit(score)] = cell

    def _take_result(self, cell: Cell, future: Future[LifeResult]) -> bool:
        """Settle a cell whose worker has ended; returns False where it still needs its score."""
        error = future.exception()
        if error is not None:
            if not isinstance(error, Exception):
                raise error
            message = str(error)
            if not isinstance(error, AgingBenchError):
                message = f"{type(error).__name__}: {message}"
            incomplete = isinstance(error, ModelError | BudgetReached)
            path = cell.place(self.out).path
            self._settle(
                CellResult(
                    cell,
                    path,
                    None,
                    0,
                    message,
                    incomplete,
                    error,
                )
            )
            return True

        result = future.result()
        calls = result.calls + self.calls.pop(cell.key(), 0)
        if result.card is None:
            self.calls[cell.key()] = calls
            return False
        self._settle(CellResult(cell, result.path, result.card, calls))
        return True

    def _follow_up(self, cell: Cell) -> FollowUp:
        return self.follow_ups.get(cell.key(), FollowUp())

    def _settle(self, result: CellResult) -> None:
        self.results[result.cell.key()] = result
        self.tell(result)
