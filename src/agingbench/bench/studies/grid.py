"""Reads a study, from a YAML file or by its name, into its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agingbench.bench.life.demands import event_demands, scenario_demands, system_demands
from agingbench.bench.life.lifecycle import default_events
from agingbench.bench.life.planning import shared_scenario, spec_of
from agingbench.bench.life.system import Sut, read_sut_file, with_defaults
from agingbench.bench.plan.plan import MOST_SESSIONS, Scenario, parse_events
from agingbench.bench.plan.selection import read_selection
from agingbench.bench.studies.catalogue import SUITES, find_study_file, read_study_file
from agingbench.bench.studies.cells import Cell, Stock, with_sentinels
from agingbench.bench.studies.seeds import read_seeds
from agingbench.errors import InputError, UnknownName
from agingbench.trials.declarations import Declarations, read_declarations
from agingbench.trust import Demand, require_trust

GRID_KEYS = (
    "scenarios",
    "sessions",
    "suts",
    "memories",
    "controllers",
    "pressures",
    "events",
    "seeds",
    "probes",
)
STUDY_KEYS = ("name", "title", "control", "declare", "grids", *GRID_KEYS)


@dataclass(frozen=True)
class Study:
    """A study by name: its cells, controls among them, in the order in which they are started."""

    name: str
    title: str
    cells: list[Cell]

    def shard(self, part: int, of: int) -> Study:
        """Return one of `of` parts of the study; a life and its control are in the same part."""
        if not 1 <= part <= of:
            raise InputError(f"--shard {part}/{of}: the part must lie between 1 and {of}")

        numbers: dict[str, int] = {}  # of each life together with its control
        cells = []
        for cell in self.cells:
            number = numbers.setdefault(cell.without_events().key(), len(numbers))
            if number % of == part - 1:
                cells.append(cell)
        return replace(self, cells=cells)


def load_study(
    spec: str,
    sut: Sut | None = None,
    named_parts: Iterable[str] = (),
    control: bool | None = None,
    stock: Stock | None = None,
    *,
    trust: bool = False,
) -> Study:
    """Read a study from a YAML file, or a suite or a shipped study by name.

    `sut` is put through it where it names no system of its own; a scenario's preferences do not
    replace its `named_parts`. Raises InputError for a study that cannot be read, and UntrustedFile
    for one that names code, before any is loaded and unless `trust` says that it may run.
    """
    if spec in SUITES:
        path = Path(spec)
        keys: dict[Any, Any] = {"name": spec, **SUITES[spec]}
    else:
        path = find_study_file(spec)
        keys = read_study_file(path)
    label = f"study {spec}"
    for key in keys:
        if key not in STUDY_KEYS:
            raise InputError(f"{label}: {UnknownName('key', str(key), STUDY_KEYS)}")

    name = str(keys.get("name") or path.stem)
    cells = study_cells(
        keys,
        label,
        path.parent,
        suite=name,
        sut=sut,
        named_parts=named_parts,
        control=control,
        stock=stock,
        trust=trust,
    )
    return Study(name, str(keys.get("title") or name), cells)


def study_cells(
    keys: Mapping[Any, Any],
    label: str,
    folder: Path,
    *,
    suite: str | None = None,
    sut: Sut | None = None,
    named_parts: Iterable[str] = (),
    control: bool | None = None,
    stock: Stock | None = None,
    trust: bool = False,
) -> list[Cell]:
    """The cells that the keys of a study mean, each control before its life.

    `label` names the study in messages, `folder` is where the files that it names lie, and cells of
    no `suite` are single runs. The rest is as for `load_study`.
    """
    if control is None:
        control = bool(keys.get("control", True))
    declares = _declarations(label, keys.get("declare"))
    shared_keys = {key: keys[key] for key in GRID_KEYS if key in keys}
    system = sut or Sut()
    parts = frozenset(named_parts)
    stock = stock or Stock()

    grids = []
    for grid in keys.get("grids") or [{}]:
        _check_grid(label, grid)
        grids.append({**shared_keys, **grid})
    try:
        demands = [demand for grid in grids for demand in _demands(grid, folder, system)]
    except InputError as error:
        raise InputError(f"{label}: {error}") from error
    require_trust(label, demands, trust)

    cells: dict[str, Cell] = {}
    for grid in grids:
        try:
            for condition in _cells(
                grid,
                folder,
                system,
                parts,
                stock,
            ):
                cell = replace(condition, suite=suite, control=control, declares=declares)
                if cell.controlled:
                    control_cell = cell.without_events()
                    cells.setdefault(control_cell.key(), control_cell)
                cells.setdefault(cell.key(), cell)
        except InputError as error:
            raise InputError(f"{label}: {error}") from error
    return list(cells.values())


def _declarations(label: str, values: Any) -> Declarations:
    where = f"{label}: `declare`"
    if values is not None and not isinstance(values, dict):
        raise InputError(f"{where} maps names to yes or no")
    return read_declarations(values or {}, where)


def _check_grid(label: str, grid: Any) -> None:
    if not isinstance(grid, dict):
        raise InputError(f"{label}: `grids` must be a list of grids")
    for key in grid:
        if key not in GRID_KEYS:
            raise InputError(f"{label}: {UnknownName('key of a grid', str(key), GRID_KEYS)}")


def _demands(grid: Mapping[str, Any], folder: Path, sut: Sut) -> Iterator[Demand]:
    """What a grid demands trust for, apart from what the given system does."""
    for name in _as_list(grid.get("scenarios"), []):
        yield from scenario_demands(name)

    entries = _as_list(grid.get("suts"), [{}])
    systems = [_read_system(entry, folder, sut, frozenset())[0] for entry in entries]
    memories = [_read_memory(entry) for entry in _as_list(grid.get("memories"), [None])]
    arms = [_read_controller(entry) for entry in _as_list(grid.get("controllers"), [None])]
    own_demands = system_demands(sut)
    for system, memory, arm in product(systems, memories, arms):
        tested = system.model_copy(update={**memory, **arm})
        yield from (demand for demand in system_demands(tested) if demand not in own_demands)

    for entry in _as_list(grid.get("events"), []):
        if entry not in (None, "none"):
            texts = [str(text) for text in _as_list(entry, [])]
            yield from event_demands(parse_events(texts, MOST_SESSIONS))


def _cells(
    grid: Mapping[str, Any],
    folder: Path,
    sut: Sut,
    named_parts: frozenset[str],
    stock: Stock,
) -> Iterator[Cell]:
    """Yield a cell for every combination of what the keys of a grid list."""
    scenarios = _as_list(grid.get("scenarios"), ["s2"])
    systems = [
        _read_system(entry, folder, sut, named_parts) for entry in _as_list(grid.get("suts"), [{}])
    ]
    memories = [_read_memory(entry) for entry in _as_list(grid.get("memories"), [None])]
    arms = [_read_controller(entry) for entry in _as_list(grid.get("controllers"), [None])]
    pressures = [_read_pressure(entry) for entry in _as_list(grid.get("pressures"), ["medium"])]

    # Every arm of a grid reads the same text, with sentinels if one of them needs them.
    arms_of_grid = [
        system.model_copy(update=memory) for (system, _), memory in product(systems, memories)
    ]
    for name, (system, parts), memory, arm in product(scenarios, systems, memories, arms):
        scenario = shared_scenario(str(name))
        tested = system.model_copy(update={**memory, **arm})
        tested = with_defaults(tested, scenario, parts | memory.keys())

        for sessions in _as_list(grid.get("sessions"), [scenario.default_sessions]):
            if type(sessions) is not int or sessions < 1:
                raise InputError(f"`sessions` must be a count, not {sessions!r}")
            conditions = _read_events(
                grid,
                scenario,
                sessions,
                tested,
                stock,
            )
            seeds = read_seeds(grid.get("seeds", 1), "`seeds`")
            probes = read_selection(str(grid["probes"])) if "probes" in grid else ""

            for (preset, own_dials), events, seed in product(pressures, conditions, seeds):
                dials = with_sentinels(dict(own_dials), scenario, arms_of_grid)
                yield Cell(
                    scenario=spec_of(scenario),
                    sut=tested,
                    sessions=sessions,
                    preset=preset,
                    dials=tuple(sorted(dials.items())),
                    events=events,
                    seed=seed,
                    probes=probes,
                )


# -- the values of a grid's keys, as YAML gives them


def _as_list(value: Any, default: list[Any]) -> list[Any]:
    if value is None:
        return default
    return value if isinstance(value, list) else [value]


def _read_system(
    entry: Any,
    folder: Path,
    sut: Sut,
    named_parts: frozenset[str],
) -> tuple[Sut, frozenset[str]]:
    """The system of an entry of `suts`, and the parts of it that were named."""
    if isinstance(entry, str):
        entry = {"file": entry}
    if not isinstance(entry, dict):
        raise InputError(f"a system must be a file or keys such as `model:`, not {entry!r}")

    if "file" in entry:
        system, _ = read_sut_file(folder / str(entry["file"]))
        return system, frozenset(system.model_fields_set)
    for key in entry:
        if key not in Sut.model_fields:
            raise UnknownName("key of a system", str(key), Sut.model_fields)
    try:
        return Sut(**{**sut.model_dump(), **entry}), named_parts | entry.keys()
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"a system's {key}: {first['msg']}") from error


def _read_memory(entry: Any) -> dict[str, Any]:
    """The fields of a system that an entry of `memories` sets."""
    if entry is None:
        return {}
    if isinstance(entry, str):
        # Options belong to the memory they were written for, so another memory starts without.
        return {"memory": entry, "memory_options": {}}

    is_memory = isinstance(entry, dict) and "memory" in entry
    if not is_memory or not entry.keys() <= {"memory", "options"}:
        raise InputError(f"a memory must be a name or `memory:` with `options:`, not {entry!r}")
    options = dict(entry.get("options") or {})
    return {"memory": entry["memory"], "memory_options": options}


def _read_controller(entry: Any) -> dict[str, Any]:
    """The fields of a system that an entry of `controllers` sets."""
    if entry is None:
        return {}
    if not isinstance(entry, str):
        raise InputError(
            "a controller must be a name such as `aggressive` or `threshold:error=20`, not"
            f" {entry!r}"
        )
    return {"controller": entry}


def _read_pressure(entry: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """The preset and the dials of an entry of `pressures`."""
    if isinstance(entry, str):
        return entry, ()
    if not isinstance(entry, dict) or not entry.keys() <= {"preset", "dials"}:
        raise InputError(f"a pressure must be a preset or `preset:` with `dials:`, not {entry!r}")
    preset = str(entry.get("preset", "medium"))
    dials = entry.get("dials") or {}
    return preset, tuple(sorted(dials.items()))


def _read_events(
    grid: Mapping[str, Any],
    scenario: Scenario,
    sessions: int,
    sut: Sut,
    stock: Stock,
) -> list[tuple[str, ...]]:
    """The event conditions of a grid, each a tuple of events; without the key, what the scenario
    prefers.
    """
    if grid.get("events") is None:
        agent = stock.agent_without_key(sut, scenario)
        return [default_events(scenario, sessions, agent)]

    conditions = []
    for entry in _as_list(grid["events"], []):
        texts: list[str] = []
        if entry not in (None, "none"):
            texts = [str(text) for text in _as_list(entry, [])]
        events = parse_events(texts, sessions)
        conditions.append(tuple(str(event) for event in events))
    return conditions
