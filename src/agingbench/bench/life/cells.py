"""One life of a cell: lived under the limits that lives share, and scored against its control."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import directory_of, live_in, pretty, score_run
from agingbench.bench.life.lifecycle import check_events
from agingbench.bench.life.limits import Limited, Reservation, Resources, Stopped
from agingbench.bench.life.system import build
from agingbench.bench.life.transitions import Transition
from agingbench.bench.plan.plan import Plan, Scenario
from agingbench.bench.scoring.paired import CONTROL, SUITE, link_control
from agingbench.bench.studies.estimates import unit_estimates
from agingbench.bench.studies.grid import Cell, scenario_of
from agingbench.cards.check import load_card
from agingbench.interfaces import Model
from agingbench.models.build import build_model
from agingbench.models.cached import CachedModel
from agingbench.traces.files import write_atomic

# How many units a life with a hosted model may be ahead of its record: what a kill can cost beside
# the unit it hits.
AHEAD = 1


class _Watched:
    """Keeps a life as its folder does, and looks before every unit whether it may begin."""

    def __init__(
        self, run: RunDirectory, account: Reservation, stop: threading.Event, suite: str | None
    ) -> None:
        self.run = run
        self.account = account
        self.stop = stop
        self.suite = suite
        self.models: list[Limited] = []
        self.last = self.left = 0

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        if self.suite is not None and not (self.run.path / SUITE).exists():
            write_atomic(self.run.path / SUITE, pretty({"suite_id": self.suite}))
        self.last = plan.n_sessions
        return self.run.resume(plan)

    def commit(self, transition: Transition) -> None:
        self.run.commit(transition)

    def enter(self, t: int) -> None:
        """Before unit t: say how much is still to live, end a life that is to be stopped, set money
        aside.
        """
        self.left = self.last + 1 - t
        for model in self.models:
            model.left = self.left
        if self.stop.is_set():
            raise Stopped
        self.account.enter(t)


def live_cell(
    cell: Cell,
    out: Path,
    resources: Resources,
    progress: Callable[[int], None] | None = None,
    plan: Plan | None = None,
    begun: Transition | None = None,
) -> tuple[Path, int]:
    """Live one life, or what is left of it, without scoring it; returns its folder and the calls
    that were made.

    `begun` is what was done of a unit before its session, as `live` takes it.
    """
    plan = plan or cell.plan()
    scenario = scenario_of(cell.scenario)
    built = build(cell.sut, scenario.role)
    check_events(plan.events, built.agent)
    capped = resources.budget.most is not None and not cell.embedded
    account = Reservation(
        resources.budget, unit_estimates(plan, scenario, cell.sut, in_any=True) if capped else None
    )
    with directory_of(out, plan, cell.sut) as run:
        keeper = _Watched(run, account, resources.stop, cell.suite)

        def wrap(model: Model) -> Model:
            limited = Limited(model, resources.endpoints.slots(model), account, resources.stop)
            limited.left = keeper.left
            keeper.models.append(limited)
            return (
                limited
                if cell.embedded or resources.cache is None
                else CachedModel(limited, resources.cache)
            )

        built.meter.swap(wrap(built.model))
        # Money is set aside unit by unit, so a life that is held to a sum ends one before it begins
        # the next.
        ahead = 0 if cell.embedded or capped else AHEAD
        at_once = resources.probes_at_once or (1 if cell.embedded else resources.endpoints.most)
        try:
            live_in(
                run,
                plan,
                scenario,
                cell.sut,
                built,
                swap=lambda name: built.meter.swap(wrap(build_model(name))),
                keeper=keeper,
                enter=keeper.enter,
                workers=at_once,
                ahead=ahead,
                progress=progress,
                begun=begun,
            )
        finally:
            account.leave()
        return run.path, account.calls


def score_life(path: Path, scenario: Scenario | None = None) -> dict[str, Any]:
    """Score a life from its files, with its suite and its control where the files beside it name
    them.
    """
    return score_run(path, scenario)


def score_cell(cell: Cell, out: Path) -> tuple[Path, dict[str, Any]]:
    """Score a life that has ended, against its control if that has ended too."""
    run = cell.place(out)
    if cell.controlled:
        control = cell.without_events().place(out)
        if control.ended():
            write_atomic(run.path / CONTROL, pretty(link_control(run, control)))
    return run.path, score_life(run.path, scenario_of(cell.scenario))


def finished(cell: Cell, out: Path) -> dict[str, Any] | None:
    """The card of a life to which nothing is left to do."""
    run = cell.place(out)
    if not (run.plan_file.exists() and run.ended() and run.card.exists()):
        return None
    card = load_card(run.card)
    linked = card["mechanism_metrics"]["maintenance"].get("control_plan_hash") is not None
    in_suite = cell.suite is None or card["suite_id"] != "adhoc"
    return card if in_suite and (linked or not cell.controlled) else None
