"""The cells of a study: each is one life to live, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.lifecycle import check_events
from agingbench.bench.life.places import condition_name, directory_of, folder_at
from agingbench.bench.life.planning import plan_for, shared_scenario
from agingbench.bench.life.system import Sut, System, build
from agingbench.bench.life.transitions import MODEL_SWAP
from agingbench.bench.plan.plan import TOLD_EVENTS, Plan, Scenario, parse_events
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.selection import read_selection, select_probes
from agingbench.bench.studies.estimates import EMBEDDED, is_embedded
from agingbench.errors import InputError, MissingExtra, MissingKey
from agingbench.interfaces import Agent
from agingbench.models.build import build_model
from agingbench.trials.declarations import UNDECLARED, Declarations

TYPED_STATE = "typed_state"
SENTINELS = "sentinels"  # the dial that has amounts marked for it

# The pressure that a scenario makes of a preset, dials and a length. The folder of a life is named
# by it, and it is known only after a plan, which takes long to make.
_effective_pressures: dict[tuple[str, str, str, int], Pressure] = {}


@dataclass(frozen=True)
class Cell:
    """One life to live."""

    scenario: str
    sut: Sut
    sessions: int
    preset: str = "medium"
    dials: tuple[tuple[str, Any], ...] = ()
    events: tuple[str, ...] = ()
    seed: int = 0
    control: bool = True
    suite: str | None = None
    probes: str = ""  # which are asked; empty: all
    declares: Declarations = UNDECLARED

    def plan(self) -> Plan:
        """Make the plan of its life."""
        events = parse_events(self.events, self.sessions)
        plan = plan_for(
            scenario=self.scenario,
            preset=self.preset,
            dials=dict(self.dials),
            sessions=self.sessions,
            seed=self.seed,
            events=events,
        )
        _effective_pressures[self._pressure_key] = plan.pressure
        return select_probes(plan, self.probes)

    @property
    def _pressure_key(self) -> tuple[str, str, str, int]:
        return self.scenario, self.preset, repr(self.dials), self.sessions

    def place(self, out: Path) -> RunDirectory:
        """The folder of its life below `out`."""
        if self._pressure_key not in _effective_pressures:
            self.plan()
        pressure = _effective_pressures[self._pressure_key]

        scenario = shared_scenario(self.scenario)
        events = parse_events(self.events, self.sessions)
        name = condition_name(
            scenario.version,
            self.preset,
            pressure,
            self.sessions,
            events,
            self.probes,
        )
        return folder_at(
            out,
            scenario.id,
            self.sut,
            name,
            self.seed,
        )

    def life(self, out: Path, stock: Stock | None = None) -> Life:
        """Its life below `out`, with the plan and the system that `stock` holds of it."""
        stock = stock or Stock()
        plan = stock.take_plan(self)
        control = self.without_events().place(out) if self.controlled else None

        return Life(
            plan,
            shared_scenario(self.scenario),
            stock.take_system(self),
            directory_of(out, plan, self.sut),
            sut=self.sut,
            suite=self.suite,
            control=control,
            declares=self.declares,
        )

    def without_events(self) -> Cell:
        """Its control: the same life without lifecycle events but those that its plan tells of."""
        told = tuple(event for event in self.events if event.partition("@")[0] in TOLD_EVENTS)
        return replace(self, events=told)

    @property
    def controlled(self) -> bool:
        """Whether its life is scored against a control."""
        return self.control and self.without_events().events != self.events

    @property
    def embedded(self) -> bool:
        """Whether its life asks no model but the embedded reader."""
        return is_embedded(self.sut, self.events)

    def key(self) -> str:
        """A text that no other cell has."""
        return repr(self)

    def describe(self) -> str:
        """Name it in a message."""
        parts = [
            f"{self.scenario} {self.sut.id} {self.preset}",
            f"{self.sessions} sessions",
            *self.events,
            f"seed {self.seed}",
        ]
        return ", ".join(parts)


def with_sentinels(
    dials: Mapping[str, Any], scenario: Scenario, suts: Sequence[Sut]
) -> dict[str, Any]:
    """The dials with sentinels on where one of these systems has a `typed_state` memory.

    A dial that is set stays as it is. Raises InputError where the scenario writes no sentinels: the
    overlay would do nothing.
    """
    if SENTINELS in dials or all(sut.policy != TYPED_STATE for sut in suts):
        return dict(dials)
    if SENTINELS not in scenario.own_dials:
        raise InputError(
            f"memory {TYPED_STATE} reads sentinels, and {scenario.id} writes none; use a scenario"
            " with accounts, such as s2"
        )
    return {**dials, SENTINELS: 1}


def declaring(cells: Sequence[Cell], declares: Declarations) -> list[Cell]:
    """The cells with what is declared now over what their file declares."""
    return [replace(cell, declares=declares.over(cell.declares)) for cell in cells]


def asking(cells: Sequence[Cell], selection: str | None) -> list[Cell]:
    """The cells with only the selected probes asked; None leaves them as they are."""
    if selection is None:
        return list(cells)
    return [replace(cell, probes=read_selection(selection)) for cell in cells]


class Stock:
    """Plans and systems built to check cells, each handed to the first life that needs it."""

    def __init__(self) -> None:
        self._plans: dict[str, Plan] = {}
        self._systems: dict[tuple[str, str], System] = {}

    def check_plan(self, cell: Cell) -> None:
        """Make and store the plan of a cell; raises InputError where none can be made."""
        key = cell.key()
        if key not in self._plans:
            self._plans[key] = cell.plan()

    def check_agent(self, sut: Sut, scenario: Scenario) -> Agent:
        """Build and store a system and return its agent; raises InputError where that fails."""
        key = (scenario.id, repr(sut))
        if key not in self._systems:
            self._systems[key] = build(sut, scenario.role)
        return self._systems[key].agent

    def agent_without_key(self, sut: Sut, scenario: Scenario) -> Agent:
        """The agent, or one with the embedded reader where its model cannot be built.

        What a memory supports does not depend on the model, which may need a key.
        """
        try:
            return self.check_agent(sut, scenario)
        except InputError:
            offline = sut.model_copy(update={"model": EMBEDDED, "model_options": {}})
            return self.check_agent(offline, scenario)

    def take_plan(self, cell: Cell) -> Plan:
        """Remove and return the plan of a cell; one that is not here is made."""
        plan = self._plans.pop(cell.key(), None)
        return plan or cell.plan()

    def take_system(self, cell: Cell) -> System:
        """Remove and return the system of a cell; one that is not here is built."""
        scenario = shared_scenario(cell.scenario)
        system = self._systems.pop((scenario.id, repr(cell.sut)), None)
        return system or build(cell.sut, scenario.role)


def check(
    cells: Sequence[Cell],
    stock: Stock | None = None,
    *,
    keys: bool = True,
) -> None:
    """Raise InputError for what cannot be lived, before anything runs.

    Of cells that differ in the seed alone, the first is checked. Without `keys`, a missing key or
    package is no error. `stock` takes what was built.
    """
    stock = stock or Stock()
    conditions: set[str] = set()
    for cell in cells:
        condition = replace(cell, seed=0).key()
        if condition in conditions:
            continue
        conditions.add(condition)

        stock.check_plan(cell)
        scenario = shared_scenario(cell.scenario)
        events = parse_events(cell.events, cell.sessions)
        try:
            check_events(events, stock.agent_without_key(cell.sut, scenario))
            stock.check_agent(cell.sut, scenario)
            for event in events:
                if event.name == MODEL_SWAP:
                    build_model(event.args["model"])
        except (MissingKey, MissingExtra):
            if keys:
                raise
        except InputError as error:
            raise InputError(f"{cell.scenario} with {cell.sut.id}: {error}") from error
