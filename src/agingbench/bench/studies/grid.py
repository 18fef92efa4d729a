"""A study read into its cells: a grid of conditions from a YAML file or a suite by name, each cell
one life to live.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.lifecycle import check_events, default_events
from agingbench.bench.life.places import condition_name, directory_of, folder_at
from agingbench.bench.life.planning import plan_for, shared_scenario, spec_of
from agingbench.bench.life.system import Sut, System, build, read_sut_file, with_defaults
from agingbench.bench.life.transitions import MODEL_SWAP
from agingbench.bench.plan.plan import Plan, Scenario, parse_events
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.studies.catalogue import SUITES, find_study_file, read_study_file
from agingbench.bench.studies.estimates import EMBEDDED, is_embedded
from agingbench.bench.studies.seeds import read_seeds
from agingbench.errors import InputError, MissingExtra, MissingKey, UnknownName
from agingbench.interfaces import Agent
from agingbench.models.build import build_model

GRID_KEYS = (
    "scenarios",
    "sessions",
    "suts",
    "memories",
    "controllers",
    "pressures",
    "events",
    "seeds",
)
STUDY_KEYS = ("name", "title", "control", "grids", *GRID_KEYS)


# The pressure that a scenario makes of a preset, dials and a length, as plans made so far say: the
# folder of a life is named by it, and plans take long to make.
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

    def plan(self) -> Plan:
        """Make the plan of its life."""
        events = parse_events(self.events, self.sessions)
        plan = plan_for(
            self.scenario, self.preset, dict(self.dials), self.sessions, self.seed, events
        )
        _effective_pressures[self._pressure_key] = plan.pressure
        return plan

    @property
    def _pressure_key(self) -> tuple[str, str, str, int]:
        return self.scenario, self.preset, repr(self.dials), self.sessions

    def place(self, out: Path) -> RunDirectory:
        """The folder of its life below `out`."""
        if self._pressure_key not in _effective_pressures:
            self.plan()
        dialled = _effective_pressures[self._pressure_key]
        scenario = shared_scenario(self.scenario)
        events = parse_events(self.events, self.sessions)
        name = condition_name(scenario.version, self.preset, dialled, self.sessions, events)
        return folder_at(out, scenario.id, self.sut, name, self.seed)

    def life(self, out: Path, stock: Stock | None = None) -> Life:
        """Its life below `out`; what was built to check the cell is used for it."""
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
        )

    def without_events(self) -> Cell:
        """Its control: the same life without lifecycle events."""
        return replace(self, events=())

    @property
    def controlled(self) -> bool:
        """Whether its life is scored against a control."""
        return self.control and bool(self.events)

    @property
    def embedded(self) -> bool:
        """Whether its life asks no model but the embedded reader."""
        return is_embedded(self.sut, self.events)

    def key(self) -> str:
        """Text that tells it from every other cell."""
        return repr(self)

    def named(self) -> str:
        """How messages name it."""
        events = "".join(f", {event}" for event in self.events)
        return (
            f"{self.scenario} {self.sut.id} {self.preset}, {self.sessions} sessions{events}, seed"
            f" {self.seed}"
        )


@dataclass(frozen=True)
class Study:
    """A study by name: its cells, controls among them, in the order in which they are started."""

    name: str
    title: str
    cells: list[Cell]

    def shard(self, part: int, of: int) -> Study:
        """Every of-th group of cells; a life and its control are never parted, and all parts make
        the whole.
        """
        if not 1 <= part <= of:
            raise InputError(f"--shard {part}/{of}: the part must lie between 1 and {of}")
        groups: dict[str, int] = {}
        for cell in self.cells:
            groups.setdefault(cell.without_events().key(), len(groups))
        kept = [cell for cell in self.cells if groups[cell.without_events().key()] % of == part - 1]
        return replace(self, cells=kept)


def load_study(
    spec: str,
    sut: Sut | None = None,
    said: Iterable[str] = (),
    control: bool | None = None,
    stock: Stock | None = None,
) -> Study:
    """A study from a YAML file or a suite by name. `sut` is put through it where it names no system
    of its own.

    `said` are the parts of that system that the user named, which a scenario's own preferences do
    not replace.
    """
    if spec in SUITES:
        path = Path(spec)
        raw: dict[Any, Any] = {"name": spec, **SUITES[spec]}
    else:
        path = find_study_file(spec)
        raw = read_study_file(path)
    for key in raw:
        if key not in STUDY_KEYS:
            raise InputError(f"study {spec}: {UnknownName('key', str(key), STUDY_KEYS)}")
    name = str(raw.get("name") or path.stem)
    wants_control = bool(raw.get("control", True)) if control is None else control
    own = {key: raw[key] for key in GRID_KEYS if key in raw}
    grids = raw.get("grids") or [{}]
    found: dict[str, Cell] = {}
    for grid in grids:
        _check_keys(spec, grid)
        try:
            for cell in _cells(
                {**own, **grid}, path.parent, sut or Sut(), frozenset(said), stock or Stock()
            ):
                whole = replace(cell, suite=name, control=wants_control)
                for one in [whole.without_events(), whole] if whole.controlled else [whole]:
                    found.setdefault(one.key(), one)
        except InputError as error:
            raise InputError(f"study {spec}: {error}") from error
    return Study(name, str(raw.get("title") or name), list(found.values()))


def _check_keys(spec: str, grid: Any) -> None:
    if not isinstance(grid, dict):
        raise InputError(f"study {spec}: `grids` must be a list of grids")
    for key in grid:
        if key not in GRID_KEYS:
            raise InputError(f"study {spec}: {UnknownName('key of a grid', str(key), GRID_KEYS)}")


def _cells(
    grid: Mapping[str, Any], folder: Path, sut: Sut, said: frozenset[str], stock: Stock
) -> Iterator[Cell]:
    systems = [_system(one, folder, sut, said) for one in _listed(grid.get("suts"), [{}])]
    memories = [_memory(one) for one in _listed(grid.get("memories"), [None])]
    pressures = [_pressure(one) for one in _listed(grid.get("pressures"), ["medium"])]
    arms = [_controller(one) for one in _listed(grid.get("controllers"), [None])]
    names = _listed(grid.get("scenarios"), ["s2"])
    for name, (system, stated), memory, arm in itertools.product(names, systems, memories, arms):
        scenario = shared_scenario(str(name))
        chosen = system.model_copy(update={**memory, **arm})
        chosen = with_defaults(chosen, scenario, stated | memory.keys())
        for length in _listed(grid.get("sessions"), [scenario.default_sessions]):
            if type(length) is not int or length < 1:
                raise InputError(f"`sessions` must be a count, not {length!r}")
            for (preset, dials), events in itertools.product(
                pressures, _events(grid, scenario, length, chosen, stock)
            ):
                for seed in read_seeds(grid.get("seeds", 1), "`seeds`"):
                    yield Cell(spec_of(scenario), chosen, length, preset, dials, events, seed)


def _listed(value: Any, default: list[Any]) -> list[Any]:
    if value is None:
        return default
    return value if isinstance(value, list) else [value]


def _system(one: Any, folder: Path, sut: Sut, said: frozenset[str]) -> tuple[Sut, frozenset[str]]:
    if isinstance(one, str):
        one = {"file": one}
    if not isinstance(one, dict):
        raise InputError(f"a system must be a file or keys such as `model:`, not {one!r}")
    if "file" in one:
        read, _ = read_sut_file(folder / str(one["file"]))
        return read, frozenset(read.model_fields_set)
    for key in one:
        if key not in Sut.model_fields:
            raise UnknownName("key of a system", str(key), Sut.model_fields)
    return Sut(**{**sut.model_dump(), **one}), said | one.keys()


def _memory(one: Any) -> dict[str, Any]:
    if one is None:
        return {}
    if isinstance(one, str):
        return {
            "memory": one,
            "memory_options": {},
        }  # options belong to the memory they were given for
    if isinstance(one, dict) and one.keys() <= {"memory", "options"} and "memory" in one:
        return {"memory": one["memory"], "memory_options": dict(one.get("options") or {})}
    raise InputError(f"a memory must be a name or `memory:` with `options:`, not {one!r}")


def _controller(one: Any) -> dict[str, Any]:
    if one is None:
        return {}
    if isinstance(one, str):
        return {"controller": one}
    raise InputError(
        f"a controller must be a name such as `aggressive` or `threshold:error=20`, not {one!r}"
    )


def _pressure(one: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
    if isinstance(one, str):
        return one, ()
    if isinstance(one, dict) and one.keys() <= {"preset", "dials"}:
        return str(one.get("preset", "medium")), tuple(sorted((one.get("dials") or {}).items()))
    raise InputError(f"a pressure must be a preset or `preset:` with `dials:`, not {one!r}")


def _events(
    grid: Mapping[str, Any], scenario: Scenario, sessions: int, sut: Sut, stock: Stock
) -> list[tuple[str, ...]]:
    """The event conditions of a grid: each a list of events; nothing said means what the scenario
    prefers.
    """
    if grid.get("events") is None:
        return [default_events(scenario, sessions, stock.agent_without_key(sut, scenario))]
    out = []
    for one in _listed(grid["events"], []):
        specs = [] if one in (None, "none") else [str(spec) for spec in _listed(one, [])]
        out.append(tuple(str(event) for event in parse_events(specs, sessions)))
    return out


class Stock:
    """Plans and systems that were built to check cells; each is handed to the first life that needs it."""

    def __init__(self) -> None:
        self._plans: dict[str, Plan] = {}
        self._systems: dict[tuple[str, str], System] = {}

    def check_plan(self, cell: Cell) -> None:
        """Make a plan and keep it; raises InputError where none can be made."""
        if cell.key() not in self._plans:
            self._plans[cell.key()] = cell.plan()

    def check_agent(self, sut: Sut, scenario: Scenario) -> Agent:
        """The agent of a system that is built and kept; raises where it cannot be built."""
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
        """The plan of a cell, which is no longer kept here."""
        return self._plans.pop(cell.key(), None) or cell.plan()

    def take_system(self, cell: Cell) -> System:
        """A system of a cell, which is no longer kept here."""
        scenario = shared_scenario(cell.scenario)
        system = self._systems.pop((scenario.id, repr(cell.sut)), None)
        return system or build(cell.sut, scenario.role)


def check(cells: Sequence[Cell], stock: Stock | None = None, *, keys: bool = True) -> None:
    """Raise InputError for what cannot be lived, before anything runs.

    Of cells that differ in the seed alone, the first is checked. Without `keys`, a missing key or
    package is no error. What was built is kept in `stock`.
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
