"""The money that lives may spend, over all workers and over every start in one output folder.

Before a call its worst case is reserved: every byte of the request as one token, and all the
output tokens that it may use. The reservation is written to a journal before the call and settled
after it. A process that was killed leaves reservations behind, and these count as spent.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec
from filelock import FileLock

from agingbench.errors import AgingBenchError
from agingbench.records import Usage
from agingbench.traces.journal import append_bytes

JOURNAL = ".spending.jsonl"  # in the output folder
TOLERANCE = 1e-12  # of sums of floats


class BudgetReached(AgingBenchError):
    """The next call or session would go beyond the money that may be spent."""

    exit_code = 1


class Entry(msgspec.Struct, frozen=True):
    """What a call may cost at most or, in a later line, what it did cost."""

    id: str
    usd: float


class SpendingJournal:
    """Every reservation and every cost in one output folder; processes share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = FileLock(path.with_suffix(".lock"))
        self._costs: dict[str, float] = {}
        self._read = 0

    def total(self) -> float:
        """All that was spent or is reserved, by any process."""
        self._read_on()
        return sum(self._costs.values())

    def write(self, entry: Entry) -> None:
        """Add one line; the last line of an id counts."""
        append_bytes(
            self.path,
            msgspec.json.encode(entry) + b"\n",
            sync=False,
            advice="run again to go on",
        )

    def _read_on(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        # A last line that is not whole is read next time.
        end = data.rfind(b"\n") + 1
        self._read += end
        for line in data[:end].splitlines():
            try:
                entry = msgspec.json.decode(line, type=Entry)
            except msgspec.DecodeError:
                continue  # cut off by a kill; the reservation before it still counts
            self._costs[entry.id] = entry.usd


class Budget:
    """The money that lives may spend together. Without a limit it only counts.

    With a `folder`, what earlier starts spent there counts too, and so does what other processes
    spend at the same time.
    """

    def __init__(self, most: float | None = None, folder: Path | None = None) -> None:
        self.most = most
        self.folder = folder
        self.spent = 0.0  # in this process
        self.reached = False
        self._foreseen = 0.0  # for sessions that have begun
        self._open: dict[str, float] = {}  # calls under way in this process
        self._excess = 1.0  # by how much calls went beyond their worst case
        self._journal = SpendingJournal(folder / JOURNAL) if folder is not None else None
        self._freed = threading.Condition()

    # -- sessions

    def foresee(self, cost: float) -> None:
        """Set aside what a session is expected to take; raises BudgetReached where it does not fit.

        This only keeps sessions from being begun in vain: what holds the limit is `reserve`.
        """
        with self._freed:
            settled = self._total() - sum(self._open.values())
            if self.most is not None and (
                self.reached or settled + self._foreseen + cost > self.most + TOLERANCE
            ):
                raise self._too_much(settled, cost, "session")
            self._foreseen += cost

    def forget(self, cost: float) -> None:
        """Release what was set aside for a session."""
        with self._freed:
            self._foreseen -= cost

    # -- calls

    def reserve(self, cost: float) -> str:
        """Reserve the worst case of a call and return the reservation's id.

        Waits while calls under way may still leave enough; raises BudgetReached where they cannot.
        """
        with self._freed:
            while not self._reserved(cost * self._excess):
                self._freed.wait()
            return next(reversed(self._open))

    def settle(self, reservation: str, cost: float) -> None:
        """Replace a reservation by what the call did cost."""
        with self._freed:
            worst = self._open.pop(reservation)
            if worst > 0:
                self._excess = max(self._excess, cost / worst * self._excess)
            self.spent += cost
            if self._journal is not None:
                self._journal.write(Entry(reservation, cost))
            self._freed.notify_all()

    def abandon(self, reservation: str) -> None:
        """Count a reservation as spent, since nobody will say what the call did cost."""
        with self._freed:
            worst = self._open.get(reservation)
        if worst is not None:
            self.settle(reservation, worst)

    def _reserved(self, cost: float) -> bool:
        with self._journal.lock if self._journal is not None else nullcontext():
            total = self._total()
            if self.most is not None and total + cost > self.most + TOLERANCE:
                settled = total - sum(self._open.values())
                if self.reached or settled + cost > self.most + TOLERANCE:
                    raise self._too_much(settled, cost, "call")
                return False
            reservation = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
            if self._journal is not None:
                self._journal.write(Entry(reservation, cost))
            self._open[reservation] = cost
        return True

    def _total(self) -> float:
        if self._journal is not None:
            return self._journal.total()
        return self.spent + sum(self._open.values())

    def _too_much(self, settled: float, cost: float, what: str) -> BudgetReached:
        self.reached = True
        self._freed.notify_all()
        where = f" in {self.folder}, all starts together" if self.folder is not None else ""
        return BudgetReached(
            f"--max-cost {self.most:g}: ${settled:.4g} spent{where}, and the next {what} may take"
            f" ${cost:.2g}; nothing is lost, run again with more to continue"
        )


class Foresight:
    """The money that one life has set aside for its current session."""

    def __init__(self, budget: Budget, costs: Sequence[Usage] | None) -> None:
        self.budget = budget
        self.costs = costs
        self.calls = 0
        self._left = 0.0
        self._lock = threading.Lock()

    def enter(self, t: int) -> None:
        """Release what is left of the last transition and set aside what transition t needs."""
        self.leave()
        if self.costs is not None and t < len(self.costs):
            cost = self.costs[t].cost_usd or 0.0
            self.budget.foresee(cost)
            self._left = cost

    def leave(self) -> None:
        """Release what is left."""
        with self._lock:
            left = self._left
            self._left = 0.0
        self.budget.forget(left)

    def pay(self, cost: float) -> None:
        """Count one call and take its cost from what is left."""
        with self._lock:
            used = min(cost, self._left)
            self._left -= used
            self.calls += 1
        self.budget.forget(used)
