"""A life that is lived by a worker which does not see our disk: sent as a parcel, and back."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.limits import Resources, Stopped
from agingbench.bench.life.parcel import pack, pack_begun, recover, unpack
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.steward import DistantLimits
from agingbench.cards.model import Card
from agingbench.engines.base import Engine, Job, current_try, worker_stop
from agingbench.errors import AgingBenchError, ModelError
from agingbench.trials.runs import add_life


class LifeFailed(AgingBenchError):
    """A life elsewhere ended with an error that has nothing to do with its model."""


class LifeIncomplete(ModelError):
    """A life elsewhere stopped on its way; the same command continues it."""


@dataclass(frozen=True)
class LifeReturn:
    """What a worker sends back: the folder of the life, finished or not, and what ended it."""

    parcel: bytes | None
    calls: int
    card: Card | None
    error: str | None = None
    incomplete: bool = False
    reached: bool = False  # the budget
    stopped: bool = False  # because the study was


def live_here(
    cell: Cell, begun: bytes | None, follow_up: FollowUp, limits: DistantLimits
) -> LifeReturn:
    """Live a cell in a folder of this machine and return it; what a worker does."""
    with tempfile.TemporaryDirectory(prefix="agingbench-") as temporary:
        out = Path(temporary)
        run = cell.place(out)
        if begun is not None:
            run.path.parent.mkdir(parents=True, exist_ok=True)
            unpack(begun, run.path)

        owner = current_try()
        with limits.resources(owner) as resources:
            if cell.embedded:  # costs nothing and waits for nobody
                resources = Resources(stop=resources.stop)
            return _live(cell, out, follow_up, resources)


def _live(cell: Cell, out: Path, follow_up: FollowUp, resources: Resources) -> LifeReturn:
    run = cell.place(out)
    if worker_stop().is_set():
        resources.stop.set()
    try:
        life = cell.life(out)
        calls = life.live(resources)
        calls += follow_up.ask(life, resources)
        card = None if cell.controlled else life.score()
    except Stopped:
        return LifeReturn(_parcel(run.path), 0, None, stopped=True)
    except Exception as error:
        message = str(error)
        if not isinstance(error, AgingBenchError):
            message = f"{type(error).__name__}: {message}"
        return LifeReturn(
            _parcel(run.path),
            0,
            None,
            message,
            incomplete=isinstance(error, ModelError | BudgetReached),
            reached=isinstance(error, BudgetReached),
        )
    return LifeReturn(pack(run.path), calls, card)


def _parcel(folder: Path) -> bytes | None:
    return pack(folder) if folder.exists() else None


def live_elsewhere(
    engine: Engine,
    cell: Cell,
    out: Path,
    follow_up: FollowUp,
    limits: DistantLimits,
    ledger: str | None,
) -> tuple[Path, int, Card | None]:
    """Have a cell lived by a worker, and put what comes back into its folder.

    The folder is locked meanwhile. Returns its path, the calls and the card, which a life that is
    scored against a control does not have yet. Raises Stopped, BudgetReached, LifeIncomplete or
    LifeFailed after what there is of the life was put there.
    """
    run = cell.place(out)
    recover(run.path)
    with run:
        job = Job(live_here, (cell, pack_begun(run), follow_up, limits), cell.embedded)
        back = engine.submit(job).result()
        if back.parcel is not None:
            unpack(back.parcel, run.path)

    if back.error is not None or back.stopped:
        if run.partial.exists():
            add_life(ledger, run.path)
        raise _failure(back)
    return run.path, back.calls, back.card


def _failure(back: LifeReturn) -> Exception:
    message = back.error or ""
    if back.stopped:
        return Stopped()
    if back.reached:
        return BudgetReached(message)
    return LifeIncomplete(message) if back.incomplete else LifeFailed(message)
