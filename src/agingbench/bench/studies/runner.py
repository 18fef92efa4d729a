"""Lives and scores the cells of a study, many at once.

Where a cell has lifecycle events, the life without them (its control) is lived too, and the cell is
scored against it. Lives run in threads and share one limit per endpoint; many lives of the embedded
reader, which compute and do not wait, run in processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.outage import has_failed_answers
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.studies.cells import Cell, Stock, check
from agingbench.bench.studies.dry_run import check_prices
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.cards.check import load_card
from agingbench.cards.model import Card
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
) -> list[CellResult]:
    """Live and score what is missing of every cell; returns a result for each, in their order.

    `workers` is how many lives run at once, `follow_up` what each is asked after its end, `ledger`
    where lives on their way are kept as partial trials, and `tell` is called with each result. A
    life that fails does not stop the others, and what was interrupted continues with the next call.
    Without `processes`, which need a main module that can be imported, all lives run in threads.
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
    running.run(workers, progress, processes)
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


_stop: Any = None  # in a worker process: set when the study is to end


def _start_worker(stop: Any) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study itself decides when a life ends
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        # The workers of a study that was killed must not go on writing into its folders.
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _live_in_process(
    cell: Cell,
    out: Path,
    follow_up: FollowUp,
    ledger: str | None,
) -> LifeResult:
    return _live_and_score(cell, out, Resources(stop=_stop), follow_up, ledger)


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
        """Live and score all cells that are still to do."""
        embedded = [cell for cell in self.todo if cell.embedded]
        cores = workers or os.cpu_count() or 1
        at_once = cores
        if len(embedded) < len(self.todo):
            at_once = workers or max(8, self.resources.endpoints.most)

        stop: Any = self.resources.stop
        processes: Executor | None = None
        with ThreadPoolExecutor(at_once) as threads:
            if may_start_processes and cores > 1 and len(embedded) >= MANY:
                spawn = multiprocessing.get_context("spawn")
                stop = spawn.Event()
                most = min(cores, len(embedded))
                processes = ProcessPoolExecutor(most, spawn, _start_worker, (stop,))
            try:
                self._run_all(threads, processes, progress)
            except BaseException:
                stop.set()
                self.resources.stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                if processes is not None:
                    processes.shutdown(cancel_futures=True)

    def _run_all(
        self,
        threads: Executor,
        processes: Executor | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        pending: dict[Future[LifeResult], Cell] = {}
        for cell in self.todo:
            follow_up = self._follow_up(cell)
            if cell.embedded and processes is not None:
                future = processes.submit(_live_in_process, cell, self.out, follow_up, self.ledger)
            else:
                future = threads.submit(
                    _live_and_score,
                    cell,
                    self.out,
                    self.resources,
                    follow_up,
                    self.ledger,
                    self.stock,
                    progress,
                )
            pending[future] = cell

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
                pending[threads.submit(_score_only, cell, self.out)] = cell

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
