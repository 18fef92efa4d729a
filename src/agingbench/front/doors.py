"""The five calls of the front door; each does what the command of its name does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agingbench.bench.life.budget import Budget
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Scenario
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.studies.cells import Cell, Stock, asking
from agingbench.bench.studies.compare import cards_at, compare_all, name_systems
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.grid import load_study, study_cells
from agingbench.bench.studies.runner import check_study, live_all, require_finished
from agingbench.engines.base import Engine
from agingbench.engines.build import LOCAL, check_engine, remote_engine
from agingbench.errors import InputError
from agingbench.front.parts import class_name, lasting_name, name_of, session_marks
from agingbench.front.pressure import preset_and_dials
from agingbench.front.results import (
    Audits,
    ComparedSystems,
    Lives,
    Resumptions,
    result_of,
)
from agingbench.interfaces import Agent, Memory, Model
from agingbench.report.pages.sources import CardSource, find_cards
from agingbench.trials.runs import ledger_place

CALLS_AT_ONCE = 8
CARD = "aging_card.json"

# A plug-in need not inherit from our interface, so any class or object may be handed over.
ModelPart = str | type | Model | object
MemoryPart = str | type | Memory | object
AgentPart = str | type[Agent] | type
Seeds = int | str | Sequence[int] | range
Options = Mapping[str, Any]


def run(
    scenario: str | type[Scenario] = "s2",
    *,
    model: ModelPart | None = None,
    memory: MemoryPart | None = None,
    agent: AgentPart | None = None,
    controller: str | None = None,
    model_options: Options | None = None,
    memory_options: Options | None = None,
    agent_options: Options | None = None,
    name: str | None = None,
    sessions: int | None = None,
    seeds: Seeds = 1,
    pressure: str | Pressure = "medium",
    dials: Options | None = None,
    events: str | Sequence[str] | None = None,
    probes: str | None = None,
    control: bool = True,
    diagnose: bool = False,
    bounds: bool = False,
    calibrate: bool = False,
    out: str | Path = "runs",
    ledger: str | Path | None = None,
    max_cost: float | None = None,
    concurrency: int = CALLS_AT_ONCE,
    workers: int | None = None,
    cache: bool = True,
) -> Lives:
    """Live a scenario with a system, one life for each seed, and return the lives.

    What is finished below `out` is not lived again. Raises NotFinished where a life stopped on its
    way; the same call continues it.
    """
    system = _system_keys(
        model, memory, agent, controller, model_options, memory_options, agent_options, name
    )
    preset, turned = (pressure, {}) if isinstance(pressure, str) else preset_and_dials(pressure)
    keys: dict[str, Any] = {
        "scenarios": [lasting_name(scenario, "scenario")],
        "suts": [system],
        "pressures": [{"preset": preset, "dials": {**turned, **(dials or {})}}],
        "seeds": _seeds(seeds),
    }
    if sessions is not None:
        keys["sessions"] = [sessions]
    if events is not None:
        listed = [events] if isinstance(events, str) else list(events)
        keys["events"] = [listed or "none"]

    stock = Stock()
    # What stands in a call was written by its caller, so it needs no trust beyond that.
    cells = study_cells(keys, "run", Path(), control=control, stock=stock, trust=True)
    follow_up = FollowUp(diagnose, bounds or diagnose or calibrate, calibrate)
    resources = _resources(out, max_cost, concurrency, cache)
    lives = _live(asking(cells, probes), Path(out), ledger, resources, follow_up, stock, workers)
    controls = {cell.without_events().key() for cell, _ in lives if cell.controlled}
    own = [folder for cell, folder in lives if cell.controlled or cell.key() not in controls]
    return Lives(tuple(_sources(own)))


def study(
    spec: str | Path | None = None,
    *,
    scenarios: Sequence[str | type[Scenario]] | None = None,
    memories: Sequence[MemoryPart] | None = None,
    suts: Sequence[str | Options] | None = None,
    controllers: Sequence[str] | None = None,
    pressures: Sequence[str | Options] | None = None,
    events: Sequence[str | Sequence[str]] | None = None,
    sessions: int | Sequence[int] | None = None,
    seeds: Seeds | None = None,
    probes: str | None = None,
    model: ModelPart | None = None,
    memory: MemoryPart | None = None,
    agent: AgentPart | None = None,
    controller: str | None = None,
    model_options: Options | None = None,
    memory_options: Options | None = None,
    agent_options: Options | None = None,
    name: str | None = None,
    control: bool | None = None,
    trust: bool = False,
    out: str | Path = "runs",
    ledger: str | Path | None = None,
    max_cost: float | None = None,
    concurrency: int = CALLS_AT_ONCE,
    workers: int | None = None,
    cache: bool = True,
    engine: str = LOCAL,
) -> Lives:
    """Live every cell of a study file, of a suite by its name, or of the grid that is given.

    The keys of a grid are those of a study file. `model`, `memory` and so on are the system where
    the study names none. Controls are among the lives that are returned. `engine` is where they
    are lived: `local`, `ray` or `ray:ADDRESS`.
    """
    system = _system_keys(
        model, memory, agent, controller, model_options, memory_options, agent_options, name
    )
    grid: dict[str, Any] = {
        "scenarios": _listed(scenarios, lambda part: lasting_name(part, "scenario")),
        "memories": _listed(memories, _memory_entry),
        "suts": _listed(suts, _system_entry),
        "controllers": _listed(controllers),
        "pressures": _listed(pressures),
        "events": _listed(events),
        "sessions": [sessions] if isinstance(sessions, int) else _listed(sessions),
        "seeds": None if seeds is None else _seeds(seeds),
    }
    keys = {key: value for key, value in grid.items() if value is not None}
    sut = _sut(system)
    stock = Stock()
    if spec is None:
        cells = study_cells(
            keys,
            "study",
            Path(),
            suite="study",
            sut=sut,
            named_parts=system,
            control=control,
            stock=stock,
            trust=True,
        )
    elif keys:
        raise InputError(f"study {spec}: the file says {' and '.join(keys)}; give one or the other")
    else:
        cells = load_study(str(spec), sut, system, control, stock, trust=trust).cells

    resources = _resources(out, max_cost, concurrency, cache)
    asked = asking(cells, probes)
    place = Path(out)
    lives = _live(asked, place, ledger, resources, FollowUp(), stock, workers, engine)
    return Lives(tuple(_sources([folder for _, folder in lives])))


def audit(
    path: str | Path,
    *,
    profile: str = "auto",
    trace_format: str = "auto",
    since: str | date | datetime | None = None,
    outcomes: str | Path | None = None,
    extractors: Sequence[str] = (),
    scrub: bool = True,
    workers: int = 1,
    engine: str = LOCAL,
) -> Audits:
    """Tell from its traces whether an agent is getting worse, for each project at a path.

    More than one of `workers` needs a main module that can be imported; `engine` is that of
    `study`.
    """
    # Lives need none of it, and importing it takes as long as a short life.
    from agingbench.telemetry.audit import audit_path

    with _engine(engine) as distant:
        audits = audit_path(
            path,
            profile,
            trace_format=trace_format,
            since=_moment(since),
            outcomes_jsonl=outcomes,
            extractors=extractors,
            scrubbed=scrub,
            workers=workers,
            engine=distant,
        )
    return Audits(tuple(CardSource(Path(one.name) / CARD, one.card, None) for one in audits))


def compare(*systems: str | Path | Lives, **named: str | Path | Lives) -> ComparedSystems:
    """Compare systems pair by pair, paired by seed: lives, or paths of cards, runs and folders.

    A system that is given by keyword goes by that name.
    """
    sides = [(None, _cards_of(one)) for one in systems]
    own_names = [(name, _cards_of(one)) for name, one in named.items()]
    found = name_systems([*sides, *own_names])
    cards = [card for system in found for card in system.cards]
    return ComparedSystems(compare_all(found), tuple(cards))


def load(*paths: str | Path) -> Lives | Audits | Resumptions:
    """Read every card at or below the paths: of lives, of audits or of resumption runs."""
    if not paths:
        raise InputError("load takes a path: a card, a run folder or a folder that holds some")
    return result_of(find_cards([Path(path).expanduser() for path in paths]))


# -- from what was handed over to the keys of a study


def _system_keys(
    model: ModelPart | None,
    memory: MemoryPart | None,
    agent: AgentPart | None,
    controller: str | None,
    model_options: Options | None,
    memory_options: Options | None,
    agent_options: Options | None,
    name: str | None,
) -> dict[str, Any]:
    """The keys of a system, as a study file has them, without what was not said."""
    keys: dict[str, Any] = {
        "model": None if model is None else name_of(model, "model"),
        "memory": None if memory is None else name_of(memory, "memory"),
        "agent": None if agent is None else class_name(agent, "agent"),
        "controller": controller,
        "model_options": None if model_options is None else dict(model_options),
        "memory_options": None if memory_options is None else dict(memory_options),
        "agent_options": None if agent_options is None else dict(agent_options),
        "sut_id": name,
    }
    if name is not None:
        # Another class of the session under the same name must not be taken for this one.
        marks = session_marks([keys["model"], keys["memory"], keys["agent"]])
        keys["sut_id"] = "-".join([name, *marks])
    return {key: value for key, value in keys.items() if value is not None}


def _sut(keys: Mapping[str, Any]) -> Sut:
    try:
        return Sut(**keys)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"the system's {key}: {first['msg']}") from error


def _memory_entry(entry: Any) -> Any:
    """An entry of `memories`: a part, or a mapping with `memory` and `options`."""
    if isinstance(entry, Mapping):
        named = {"memory": name_of(entry["memory"], "memory")} if "memory" in entry else {}
        return {**entry, **named}
    return name_of(entry, "memory")


def _system_entry(entry: Any) -> Any:
    """An entry of `suts`: a file, or the keys of a system with parts among them."""
    if not isinstance(entry, Mapping):
        return str(entry)
    keys = dict(entry)
    for part in ("model", "memory"):
        if part in keys:
            keys[part] = name_of(keys[part], part)
    if "agent" in keys:
        keys["agent"] = class_name(keys["agent"], "agent")
    return keys


def _listed(values: Any, read: Any = lambda value: value) -> list[Any] | None:
    if values is None:
        return None
    if isinstance(values, str | Mapping):
        return [read(values)]
    return [read(value) for value in values]


def _seeds(seeds: Seeds) -> int | str | list[int]:
    return seeds if isinstance(seeds, int | str) else list(seeds)


def _moment(since: str | date | datetime | None) -> float | None:
    if since is None:
        return None
    if isinstance(since, str):
        try:
            since = datetime.fromisoformat(since)
        except ValueError as error:
            raise InputError(f"since '{since}': write a date as 2026-01-31") from error
    moment = since if isinstance(since, datetime) else datetime.combine(since, time())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _cards_of(side: str | Path | Lives) -> list[Any]:
    if isinstance(side, Lives):
        return side.cards
    return cards_at(Path(side).expanduser())


# -- living


def _resources(out: str | Path, max_cost: float | None, concurrency: int, cache: bool) -> Resources:
    folder = Path(out)
    replies = folder / ".cache" if cache else None
    return Resources(Endpoints(concurrency), Budget(max_cost, folder), cache=replies)


def _live(
    cells: Sequence[Cell],
    out: Path,
    ledger: str | Path | None,
    resources: Resources,
    follow_up: FollowUp,
    stock: Stock,
    workers: int | None,
    engine: str = LOCAL,
) -> list[tuple[Cell, Path]]:
    """Live the cells in threads, or on an engine; returns each with the folder of its life."""
    check_engine(engine)
    if engine != LOCAL:
        _require_lasting(cells, engine)
    check_study(cells, resources, stock)
    place = ledger_place(None if ledger is None else str(ledger), out)
    with _engine(engine, workers) as distant:
        results = live_all(
            cells,
            out,
            resources,
            follow_up=follow_up,
            stock=stock,
            ledger=place,
            workers=workers,
            # A script without a main guard would start itself again in each process.
            processes=False,
            engine=distant,
        )
    require_finished(results, resources)
    return [(result.cell, result.path) for result in results]


def _engine(spec: str, workers: int | None = None) -> AbstractContextManager[Engine | None]:
    """The engine of a cluster, to be closed behind its use; None for the local one."""
    return remote_engine(spec, workers) or nullcontext()


def _require_lasting(cells: Sequence[Cell], engine: str) -> None:
    """Raise InputError for parts that this process alone knows: workers could not build them."""
    for cell in cells:
        sut = cell.sut
        for kind, part in (("model", sut.model), ("memory", sut.memory), ("agent", sut.agent)):
            if session_marks([part]):
                name = part.rpartition(":")[2]
                raise InputError(
                    f"{kind} {name}: only this session knows it, so that no worker of engine"
                    f" {engine} can build it; put the class into a module or a file, and give"
                    f" module:{name} or file.py:{name}"
                )


def _sources(folders: Sequence[Path]) -> list[CardSource]:
    return find_cards([folder / CARD for folder in folders])
