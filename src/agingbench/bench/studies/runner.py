"""Many lives at once: the cells of a study lived and scored, each stopped and continued as a single
one is.

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

from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.planning import shared_scenario
from agingbench.bench.studies.estimates import total
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.grid import Cell, Stock
from agingbench.cards.check import load_card
from agingbench.errors import AgingBenchError, InputError
from agingbench.models.prices import VARIABLE as PRICES
from agingbench.models.prices import load_prices
from agingbench.records import Usage

# Processes pay for their start: on two busy cores 12 lives took 6.5 s in threads, 9.2 s in
# processes and 7.4 s one by one; 40 lives 16 s in threads and 12 to 27 s in processes, which alone
# grow with the cores.
MANY = 24


@dataclass(frozen=True)
class CellResult:
    """What became of one cell: its card, or why there is none. `calls` reached a model in this run
    of the study.
    """

    cell: Cell
    path: Path
    card: dict[str, Any] | None
    calls: int
    error: str | None = None


Done = tuple[Path, int, dict[str, Any] | None]  # no card yet: it waits for its control


def _live_and_score(
    cell: Cell,
    out: Path,
    resources: Resources,
    follow_up: FollowUp,
    stock: Stock | None = None,
    progress: Callable[[int], None] | None = None,
) -> Done:
    life = cell.life(out, stock)
    calls = life.live(resources, progress)
    calls += follow_up.ask(life, resources)
    waits = life.control is not None and not life.control.ended()
    return life.folder.path, calls, None if waits else life.score()


def _score_only(cell: Cell, out: Path) -> Done:
    life = Life.open(cell.place(out).path)
    if cell.controlled:
        life.control = cell.without_events().place(out)
    return life.folder.path, 0, life.score()


def finished_card(cell: Cell, out: Path) -> dict[str, Any] | None:
    """The card of a life to which nothing is left to do; None where something is."""
    run = cell.place(out)
    if not (run.plan_file.exists() and run.ended() and run.card.exists()):
        return None
    card = load_card(run.card)
    in_suite = cell.suite is None or card["suite_id"] != "adhoc"
    linked = card["mechanism_metrics"]["maintenance"].get("control_plan_hash") is not None
    return card if in_suite and (linked or not cell.controlled) else None


_stop: Any = None  # in a worker process: set when the study is to end


def _start_worker(stop: Any) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the study itself decides when a life ends
    parent = multiprocessing.parent_process()

    def follow() -> None:
        # A study that was killed must not leave somebody living in its folders.
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _in_process(cell: Cell, out: Path, follow_up: FollowUp) -> Done:
    return _live_and_score(cell, out, Resources(stop=_stop), follow_up)


class _Running:
    """A study while it runs: who lives, who waits for a control, and what became of the others."""

    def __init__(
        self,
        cells: Sequence[Cell],
        out: Path,
        resources: Resources,
        follow_up: FollowUp,
        stock: Stock,
        tell: Callable[[CellResult], None],
    ) -> None:
        self.out = out
        self.resources = resources
        self.stock = stock
        self.tell = tell
        self.follow_up = {cell.key(): follow_up for cell in follow_up.of(cells)}
        self.outcomes: dict[str, CellResult] = {}
        self.todo = []
        self.spent: dict[str, int] = {}
        for cell in cells:
            card = finished_card(cell, out)
            if card is None or not self._follow_up(cell).was_asked(cell, cell.place(out)):
                self.todo.append(cell)
            else:
                self._settle(CellResult(cell, cell.place(out).path, card, 0))

    def _follow_up(self, cell: Cell) -> FollowUp:
        return self.follow_up.get(cell.key(), FollowUp())

    def through(self, workers: int | None, progress: Callable[[int], None] | None) -> None:
        """Live and score all that is left to do."""
        computing = [cell for cell in self.todo if cell.embedded]
        cores = workers or os.cpu_count() or 1
        at_once = workers or max(8, self.resources.endpoints.most)
        stop: Any = self.resources.stop
        with ThreadPoolExecutor(at_once if len(computing) < len(self.todo) else cores) as threads:
            processes: Executor | None = None
            if cores > 1 and len(computing) >= MANY:
                spawn = multiprocessing.get_context("spawn")
                stop = spawn.Event()
                processes = ProcessPoolExecutor(
                    min(cores, len(computing)), spawn, _start_worker, (stop,)
                )
            try:
                self._loop(threads, processes, progress)
            except BaseException:
                stop.set()
                self.resources.stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                if processes is not None:
                    processes.shutdown(cancel_futures=True)

    def _loop(
        self, threads: Executor, processes: Executor | None, progress: Callable[[int], None] | None
    ) -> None:
        pending: dict[Future[Done], Cell] = {}
        waiting: list[Cell] = []
        for cell in self.todo:
            if cell.embedded and processes is not None:
                future = processes.submit(_in_process, cell, self.out, self._follow_up(cell))
            else:
                future = threads.submit(
                    _live_and_score,
                    cell,
                    self.out,
                    self.resources,
                    self._follow_up(cell),
                    self.stock,
                    progress,
                )
            pending[future] = cell
        while pending:
            ended, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in ended:
                waiting += self._came(pending.pop(future), future)
            busy = {cell.key() for cell in pending.values()}
            ready = [cell for cell in waiting if cell.without_events().key() not in busy]
            waiting = [cell for cell in waiting if cell not in ready]
            for cell in ready:
                pending[threads.submit(_score_only, cell, self.out)] = cell

    def _came(self, cell: Cell, future: Future[Done]) -> list[Cell]:
        error = future.exception()
        if error is not None:
            if not isinstance(error, Exception):
                raise error
            told = (
                str(error)
                if isinstance(error, AgingBenchError)
                else f"{type(error).__name__}: {error}"
            )
            self._settle(CellResult(cell, cell.place(self.out).path, None, 0, told))
            return []
        path, calls, card = future.result()
        calls += self.spent.pop(cell.key(), 0)
        if card is None:
            self.spent[cell.key()] = calls
            return [cell]
        self._settle(CellResult(cell, path, card, calls))
        return []

    def _settle(self, outcome: CellResult) -> None:
        self.outcomes[outcome.cell.key()] = outcome
        self.tell(outcome)


def run_study(
    cells: Sequence[Cell],
    out: Path,
    resources: Resources,
    *,
    workers: int | None = None,
    follow_up: FollowUp | None = None,
    stock: Stock | None = None,
    progress: Callable[[int], None] | None = None,
    tell: Callable[[CellResult], None] = lambda outcome: None,
) -> list[CellResult]:
    """Live and score what is missing of every cell, in their order; one that fails does not stop
    the others.

    `workers` is how many lives are lived at once, `follow_up` what each of them is asked after its end.
    What was interrupted continues with the next call.
    """
    running = _Running(cells, out, resources, follow_up or FollowUp(), stock or Stock(), tell)
    running.through(workers, progress)
    return [running.outcomes[cell.key()] for cell in cells]


def dry_run(cells: Sequence[Cell], out: Path) -> list[tuple[Cell, Usage]]:
    """Each cell with what its life would still take: nothing for one that has ended."""
    rows = []
    for cell in cells:
        run = cell.place(out)
        start = 0
        if run.plan_file.exists():
            start = cell.sessions + 1 if run.ended() else max(0, run.points() - 1)
        usages: list[Usage] = []
        if start <= cell.sessions:
            scenario = shared_scenario(cell.scenario)
            usages = Life(cell.plan(), scenario, cell.sut).estimate()
        rows.append((cell, total(usages[start:])))
    return rows


def check_prices(cells: Sequence[Cell]) -> None:
    """Refuse to hold lives to a sum of money when their model has no price."""
    prices = load_prices()
    for cell in cells:
        if not cell.embedded and prices.find(cell.sut.model_id) is None:
            raise InputError(
                f"--max-cost: there is no price for {cell.sut.model}; name a price file in {PRICES}"
            )
