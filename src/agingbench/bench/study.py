"""Many lives: a grid of conditions from a YAML file, lived at once, each stopped and continued as a single one is.

A cell is one life to live. Where a cell has lifecycle events, the life without them (its control) is lived too, and
the cell is scored against it. Lives run in threads and share one limit per endpoint; many lives of the embedded reader,
which compute and do not wait, run in processes.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from agingbench.bench.compare import CONTROL, SUITE, answer_differences, differences, link_control
from agingbench.bench.estimate import (
    Account,
    Budget,
    Endpoints,
    Limited,
    Stopped,
    is_embedded,
    total,
    unit_estimates,
)
from agingbench.bench.life import MODEL_SWAP, AnswerRow, Unit, check_events, live
from agingbench.bench.plan import Plan, Scenario, make_plan, parse_events
from agingbench.bench.pressure import PRESETS
from agingbench.bench.run import directory_of, environment, load_scenario, plan_for, pretty, score_run, spec_of
from agingbench.bench.rundir import RunDirectory
from agingbench.bench.sut import Sut, build, read_sut_file, with_defaults
from agingbench.cards import load_card
from agingbench.errors import AgingBenchError, InputError, MissingExtra, MissingKey, UnknownName
from agingbench.interfaces import Agent, Emit, Model
from agingbench.memory import ALIAS_OPTIONS
from agingbench.models.build import build_model
from agingbench.models.cached import CachedModel
from agingbench.models.prices import VARIABLE as PRICES
from agingbench.models.prices import load_prices
from agingbench.records import Answer, Tool, Usage
from agingbench.traces.files import read_json, write_atomic

GRID_KEYS = ("scenarios", "sessions", "suts", "memories", "pressures", "events", "seeds")
STUDY_KEYS = ("name", "title", "control", "grids", *GRID_KEYS)
# Processes pay for their start: on two busy cores 12 lives took 6.5 s in threads, 9.2 s in processes and 7.4 s one by
# one; 40 lives 16 s in threads and 12 to 27 s in processes, which alone grow with the cores.
MANY = 24
SECRET = "<secret>"  # noqa: S105 - what sut.json holds in place of one

# The suites by name: studies without a system of their own, so that any system can be put through them.
_FILES = {"scenarios": ["s5"], "memories": ["workspace"]}  # its agent owns files, whatever memory others are given
SUITES: dict[str, dict[str, Any]] = {
    "lite": {"sessions": 10, "seeds": 3, "grids": [{"scenarios": ["s1", "s2"]}, _FILES]},
    "core": {"scenarios": ["s1", "s2", "s3", "s4", "s6"], "seeds": 3},
    "full": {"seeds": 3, "grids": [{"scenarios": ["s1", "s2", "s3", "s4", "s6"]}, _FILES]},
    "pressure_sweep": {"scenarios": ["s2", "s3", "s6"], "pressures": list(PRESETS), "seeds": 3},
}


# -- the grid


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
        events = parse_events(self.events, self.sessions)
        return plan_for(self.scenario, self.preset, dict(self.dials), self.sessions, self.seed, events)

    def place(self, out: Path) -> RunDirectory:
        return directory_of(out, self.plan(), self.sut)

    def without_events(self) -> Cell:
        return replace(self, events=())

    @property
    def controlled(self) -> bool:
        return self.control and bool(self.events)

    @property
    def embedded(self) -> bool:
        return is_embedded(self.sut, self.events)

    def key(self) -> str:
        return repr(self)

    def named(self) -> str:
        events = "".join(f", {event}" for event in self.events)
        return f"{self.scenario} {self.sut.id} {self.preset}, {self.sessions} sessions{events}, seed {self.seed}"


@dataclass(frozen=True)
class Study:
    """A study by name: its cells, controls among them, in the order in which they are started."""

    name: str
    title: str
    cells: list[Cell]

    def shard(self, part: int, of: int) -> Study:
        """Every of-th group of cells; a life and its control are never parted, and all parts make the whole."""
        if not 1 <= part <= of:
            raise InputError(f"--shard {part}/{of}: the part must lie between 1 and {of}")
        groups: dict[str, int] = {}
        for cell in self.cells:
            groups.setdefault(cell.without_events().key(), len(groups))
        kept = [cell for cell in self.cells if groups[cell.without_events().key()] % of == part - 1]
        return replace(self, cells=kept)


def load_study(spec: str, sut: Sut | None = None, said: Iterable[str] = (), control: bool | None = None) -> Study:
    """A study from a YAML file or a suite by name. `sut` is put through it where it names no system of its own.

    `said` are the parts of that system that the user named, which a scenario's own preferences do not replace.
    """
    path = Path(spec)
    if spec in SUITES:
        raw: Any = {"name": spec, **SUITES[spec]}
    elif not path.exists():
        if path.suffix in (".yaml", ".yml"):
            raise InputError(f"{spec}: there is no such study file")
        raise UnknownName("study", spec, SUITES)
    else:
        raw = _read_yaml(path)
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
            for cell in _cells({**own, **grid}, path.parent, sut or Sut(), frozenset(said)):
                whole = replace(cell, suite=name, control=wants_control)
                for one in [whole.without_events(), whole] if whole.controlled else [whole]:
                    found.setdefault(one.key(), one)
        except InputError as error:
            raise InputError(f"study {spec}: {error}") from error
    return Study(name, str(raw.get("title") or name), list(found.values()))


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read study {path}: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        raise InputError(f"study {path}{where}: not YAML: {getattr(error, 'problem', None) or error}") from error
    if not isinstance(raw, dict):
        raise InputError(f"study {path}: expected keys such as `scenarios:` and `seeds:`")
    return raw


def _check_keys(spec: str, grid: Any) -> None:
    if not isinstance(grid, dict):
        raise InputError(f"study {spec}: `grids` must be a list of grids")
    for key in grid:
        if key not in GRID_KEYS:
            raise InputError(f"study {spec}: {UnknownName('key of a grid', str(key), GRID_KEYS)}")


def _cells(grid: Mapping[str, Any], folder: Path, sut: Sut, said: frozenset[str]) -> Iterator[Cell]:
    systems = [_system(one, folder, sut, said) for one in _listed(grid.get("suts"), [{}])]
    memories = [_memory(one) for one in _listed(grid.get("memories"), [None])]
    pressures = [_pressure(one) for one in _listed(grid.get("pressures"), ["medium"])]
    for name, (system, stated), memory in itertools.product(_listed(grid.get("scenarios"), ["s2"]), systems, memories):
        scenario = _scenario(str(name))
        chosen = system.model_copy(update=memory)
        chosen = with_defaults(chosen, scenario, stated | memory.keys())
        for length in _listed(grid.get("sessions"), [scenario.default_sessions]):
            if type(length) is not int or length < 1:
                raise InputError(f"`sessions` must be a count, not {length!r}")
            for (preset, dials), events in itertools.product(pressures, _events(grid, scenario, length, chosen)):
                for seed in seeds_of(grid.get("seeds", 1)):
                    yield Cell(spec_of(scenario), chosen, length, preset, dials, events, seed)


@cache
def _scenario(name: str) -> Scenario:
    return load_scenario(name)


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
        return {"memory": one, "memory_options": {}}  # options belong to the memory they were given for
    if isinstance(one, dict) and one.keys() <= {"memory", "options"} and "memory" in one:
        return {"memory": one["memory"], "memory_options": dict(one.get("options") or {})}
    raise InputError(f"a memory must be a name or `memory:` with `options:`, not {one!r}")


def _pressure(one: Any) -> tuple[str, tuple[tuple[str, Any], ...]]:
    if isinstance(one, str):
        return one, ()
    if isinstance(one, dict) and one.keys() <= {"preset", "dials"}:
        return str(one.get("preset", "medium")), tuple(sorted((one.get("dials") or {}).items()))
    raise InputError(f"a pressure must be a preset or `preset:` with `dials:`, not {one!r}")


def _events(grid: Mapping[str, Any], scenario: Scenario, sessions: int, sut: Sut) -> list[tuple[str, ...]]:
    """The event conditions of a grid: each a list of events; nothing said means what the scenario prefers."""
    if grid.get("events") is None:
        return [default_events(scenario, sessions, sut)]
    out = []
    for one in _listed(grid["events"], []):
        specs = [] if one in (None, "none") else [str(spec) for spec in _listed(one, [])]
        out.append(tuple(str(event) for event in parse_events(specs, sessions)))
    return out


def default_events(scenario: Scenario, sessions: int, sut: Sut) -> tuple[str, ...]:
    """The events that a scenario prefers; one that the memory cannot suffer is left out, since nobody asked for it."""
    prefers = getattr(scenario, "default_events", None)
    if not callable(prefers):
        return ()
    agent = _checked_agent(sut, scenario)
    kept = []
    for event in parse_events(prefers(sessions), sessions):
        try:
            check_events([event], agent)
        except InputError:
            continue
        kept.append(str(event))
    return tuple(kept)


def seeds_of(value: Any) -> list[int]:
    """A count (3 means 0, 1, 2), a list, or a range as text (0-99)."""
    low, dash, high = str(value).partition("-")
    if isinstance(value, list) and value and all(type(seed) is int and seed >= 0 for seed in value):
        return list(dict.fromkeys(value))
    if type(value) is int and value > 0:
        return list(range(value))
    if isinstance(value, str) and dash and low.isdigit() and high.isdigit() and int(low) <= int(high):
        return list(range(int(low), int(high) + 1))
    raise InputError(f"`seeds` must be a count, a list or a range such as 0-99, not {value!r}")


def _checked_agent(sut: Sut, scenario: Scenario) -> Agent:
    # What an agent can suffer does not hang on its model, which may need a key that is not there yet.
    return build(sut.model_copy(update={"model": "extractive", "model_options": {}}), scenario.role).agent


def check(cells: Sequence[Cell], *, keys: bool = True) -> None:
    """Refuse what cannot be lived, before anything runs; without `keys`, a missing key or package is no reason."""
    seen: set[str] = set()
    for cell in cells:
        cell.plan()
        mark = repr((cell.scenario, cell.sut, cell.events))
        if mark in seen:
            continue
        seen.add(mark)
        scenario, events = _scenario(cell.scenario), parse_events(cell.events, cell.sessions)
        try:
            check_events(events, _checked_agent(cell.sut, scenario))
            build(cell.sut, scenario.role)
            for event in events:
                if event.name == MODEL_SWAP:
                    build_model(event.args["model"])
        except (MissingKey, MissingExtra):
            if keys:
                raise
        except InputError as error:
            raise InputError(f"{cell.scenario} with {cell.sut.id}: {error}") from error


# -- one life


@dataclass
class Means:
    """What lives share while they are lived."""

    endpoints: Endpoints = field(default_factory=lambda: Endpoints(8))
    budget: Budget = field(default_factory=Budget)
    stop: threading.Event = field(default_factory=threading.Event)
    cache: Path | None = None
    probes_at_once: int | None = None  # None: as many as the endpoint takes


class _Watched:
    """Keeps a life as its folder does, and looks before every unit whether it may begin."""

    def __init__(self, run: RunDirectory, account: Account, stop: threading.Event) -> None:
        self.run, self.account, self.stop = run, account, stop
        self.models: list[Limited] = []
        self.left = 0

    def resume(self, plan: Plan) -> tuple[int, dict[str, Any] | None]:
        start, state = self.run.resume(plan)
        self._enter(start, plan.n_sessions)
        return start, state

    def commit(self, unit: Unit) -> None:
        self.run.commit(unit)
        self._enter(unit.t + 1, unit.t + self.left - 1)

    def _enter(self, t: int, last: int) -> None:
        self.left = last + 1 - t
        for model in self.models:
            model.left = self.left
        if self.left > 0:
            if self.stop.is_set():
                raise Stopped
            self.account.enter(t)
        else:
            self.account.leave()


def live_cell(
    cell: Cell,
    out: Path,
    means: Means,
    progress: Callable[[int], None] | None = None,
    plan: Plan | None = None,
    around: Callable[[Agent], Agent] | None = None,
) -> tuple[Path, int]:
    """Live one life, or what is left of it, without scoring it; returns its folder and the calls that were made.

    `around` may put something around the agent.
    """
    plan, scenario = plan or cell.plan(), _scenario(cell.scenario)
    built = build(cell.sut, scenario.role)
    check_events(plan.events, built.agent)
    wanted = unit_estimates(plan, scenario, cell.sut) if means.budget.most is not None and not cell.embedded else None
    account = Account(means.budget, wanted)
    with directory_of(out, plan, cell.sut) as run:
        keeper = _Watched(run, account, means.stop)

        def wrap(model: Model) -> Model:
            limited = Limited(model, means.endpoints.slots(model), account, means.stop)
            limited.left = keeper.left
            keeper.models.append(limited)
            return limited if cell.embedded or means.cache is None else CachedModel(limited, means.cache)

        built.meter.swap(wrap(built.model))
        run.prepare(plan, {**cell.sut.described(), "scenario": spec_of(scenario)})
        if cell.suite is not None and not (run.path / SUITE).exists():
            write_atomic(run.path / SUITE, pretty({"suite_id": cell.suite}))
        at_once = means.probes_at_once or (1 if cell.embedded else means.endpoints.most)
        try:
            agent = built.agent if around is None else around(built.agent)
            live(plan, scenario, agent, keeper, meter=built.meter, workers=at_once, progress=progress,
                 about=environment(built), swap=lambda name: built.meter.swap(wrap(build_model(name))))  # fmt: skip
        finally:
            account.leave()
        return run.path, account.calls


def score_life(path: Path, scenario: Scenario | None = None) -> dict[str, Any]:
    """Score a life from its files, with its suite and its control where the files beside it name them."""
    return score_run(path, scenario)


def score_cell(cell: Cell, out: Path) -> tuple[Path, dict[str, Any]]:
    """Score a life that has ended, against its control if that has ended too."""
    run = cell.place(out)
    if cell.controlled:
        control = cell.without_events().place(out)
        if control.ended():
            write_atomic(run.path / CONTROL, pretty(link_control(run, control)))
    return run.path, score_life(run.path, _scenario(cell.scenario))


def finished(cell: Cell, out: Path) -> dict[str, Any] | None:
    """The card of a life to which nothing is left to do."""
    run = cell.place(out)
    if not (run.plan_file.exists() and run.ended() and run.card.exists()):
        return None
    card = load_card(run.card)
    linked = card["mechanism_metrics"]["maintenance"].get("control_plan_hash") is not None
    in_suite = cell.suite is None or card["suite_id"] != "adhoc"
    return card if in_suite and (linked or not cell.controlled) else None


# -- all of them


@dataclass(frozen=True)
class Outcome:
    """What became of one cell: its card, or why there is none. `calls` reached a model in this run of the study."""

    cell: Cell
    path: Path
    card: dict[str, Any] | None
    calls: int
    error: str | None = None


Done = tuple[Path, int, dict[str, Any] | None]  # no card yet: it waits for its control


def _live_and_score(cell: Cell, out: Path, means: Means, progress: Callable[[int], None] | None = None) -> Done:
    path, calls = live_cell(cell, out, means, progress)
    waits = cell.controlled and not cell.without_events().place(out).ended()
    return path, calls, None if waits else score_cell(cell, out)[1]


def _score_only(cell: Cell, out: Path) -> Done:
    path, card = score_cell(cell, out)
    return path, 0, card


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


def _in_process(cell: Cell, out: Path) -> Done:
    return _live_and_score(cell, out, Means(stop=_stop))


class _Running:
    """A study while it runs: who lives, who waits for a control, and what became of the others."""

    def __init__(self, cells: Sequence[Cell], out: Path, means: Means, tell: Callable[[Outcome], None]) -> None:
        self.out, self.means, self.tell = out, means, tell
        self.outcomes: dict[str, Outcome] = {}
        self.todo = []
        self.spent: dict[str, int] = {}
        for cell in cells:
            card = finished(cell, out)
            if card is None:
                self.todo.append(cell)
            else:
                self._settle(Outcome(cell, cell.place(out).path, card, 0))

    def through(self, workers: int | None, progress: Callable[[int], None] | None) -> None:
        """Live and score all that is left to do."""
        computing = [cell for cell in self.todo if cell.embedded]
        cores = workers or os.cpu_count() or 1
        at_once = workers or max(8, self.means.endpoints.most)
        stop: Any = self.means.stop
        with ThreadPoolExecutor(at_once if len(computing) < len(self.todo) else cores) as threads:
            processes: Executor | None = None
            if cores > 1 and len(computing) >= MANY:
                spawn = multiprocessing.get_context("spawn")
                stop = spawn.Event()
                processes = ProcessPoolExecutor(min(cores, len(computing)), spawn, _start_worker, (stop,))
            try:
                self._loop(threads, processes, progress)
            except BaseException:
                stop.set()
                self.means.stop.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                if processes is not None:
                    processes.shutdown(cancel_futures=True)

    def _loop(self, threads: Executor, processes: Executor | None, progress: Callable[[int], None] | None) -> None:
        pending: dict[Future[Done], Cell] = {}
        waiting: list[Cell] = []
        for cell in self.todo:
            if cell.embedded and processes is not None:
                future = processes.submit(_in_process, cell, self.out)
            else:
                future = threads.submit(_live_and_score, cell, self.out, self.means, progress)
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
            told = str(error) if isinstance(error, AgingBenchError) else f"{type(error).__name__}: {error}"
            self._settle(Outcome(cell, cell.place(self.out).path, None, 0, told))
            return []
        path, calls, card = future.result()
        calls += self.spent.pop(cell.key(), 0)
        if card is None:
            self.spent[cell.key()] = calls
            return [cell]
        self._settle(Outcome(cell, path, card, calls))
        return []

    def _settle(self, outcome: Outcome) -> None:
        self.outcomes[outcome.cell.key()] = outcome
        self.tell(outcome)


def run_study(
    cells: Sequence[Cell],
    out: Path,
    means: Means,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Live and score what is missing of every cell, in their order; one that fails does not stop the others.

    `workers` is how many lives are lived at once. What was interrupted continues with the next call.
    """
    running = _Running(cells, out, means, tell)
    running.through(workers, progress)
    return [running.outcomes[cell.key()] for cell in cells]


def dry_run(cells: Sequence[Cell], out: Path) -> list[tuple[Cell, Usage]]:
    """What each cell would still take; a life that has ended takes nothing, one that was stopped what is left of it."""
    rows = []
    for cell in cells:
        run = cell.place(out)
        start = 0
        if run.plan_file.exists():
            start = cell.sessions + 1 if run.ended() else max((int(f.stem) for f in run.memory.glob("[0-9]*.json")
                                                               if f.stem.isdigit()), default=0)  # fmt: skip
        units = [] if start > cell.sessions else unit_estimates(cell.plan(), _scenario(cell.scenario), cell.sut)
        rows.append((cell, total(units[start:])))
    return rows


def check_prices(cells: Sequence[Cell]) -> None:
    """Refuse to hold lives to a sum of money when their model has no price."""
    prices = load_prices()
    for cell in cells:
        if not cell.embedded and prices.find(cell.sut.model_id) is None:
            raise InputError(f"--max-cost: there is no price for {cell.sut.model}; name a price file in {PRICES}")


# -- folders of lives


def merge(sources: Sequence[Path], out: Path) -> dict[str, int]:
    """Put the lives of several folders into one; the same life twice is kept once, two that differ are refused."""
    found: dict[Path, Path] = {}
    same = 0
    for source in sources:
        if not source.is_dir():
            raise InputError(f"{source}: there is no such folder")
        lives = sorted(plan.parent for plan in source.rglob("plan.json"))
        if not lives:
            raise InputError(f"{source}: no run directory here (nothing holds a plan.json)")
        for life in lives:
            place = out / life.relative_to(source)
            other = found.get(place) or (place if place.exists() else None)
            if other is None:
                found[place] = life
            elif _equal(life, other):
                same += 1
            else:
                raise InputError(f"{life} and {other} are the same life with different content; nothing was merged")
    for place, life in found.items():
        aside = place.with_name(f".{place.name}.merging")
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(life, aside, ignore=shutil.ignore_patterns(".lock", ".*.tmp"))
        aside.rename(place)
    return {"merged": len(found), "kept": same}


def _equal(one: Path, other: Path) -> bool:
    """Whether two folders hold the same evidence; times and latencies may differ."""
    a, b = RunDirectory(one), RunDirectory(other)
    if one.resolve() == other.resolve():
        return True
    if a.plan().hash != b.plan().hash or a.sut() != b.sut() or a.ended() != b.ended():
        return False
    return not answer_differences(a, b) and _texts(a) == _texts(b)


def _texts(run: RunDirectory) -> list[str]:
    return [run.snapshot(t).text for t in range(run.plan().n_sessions + 1) if (run.memory / f"{t}.json").exists()]


def sut_from_record(raw: Mapping[str, Any]) -> Sut:
    """The system that sut.json describes; secrets were never written and come from the environment again."""
    parts: dict[str, Any] = {key: dict(raw[key]) for key in ("model_options", "memory_options", "agent_options")}
    for options in parts.values():
        for name in [name for name, value in options.items() if value == SECRET]:
            del options[name]
    for name, value in ALIAS_OPTIONS.get(raw["memory"], {}).items():
        if parts["memory_options"].get(name) == value:
            del parts["memory_options"][name]
    sut = Sut(model=raw["model"], memory=raw["memory"], agent=raw["agent"], **parts)
    return sut if sut.id == raw["sut_id"] else sut.model_copy(update={"sut_id": raw["sut_id"]})


def recorded(run: RunDirectory) -> tuple[Plan, Cell]:
    """The plan of a life on disk, and the cell that lives it again."""
    plan, raw = run.plan(), run.sut()
    suite = run.path / SUITE
    return plan, Cell(
        raw["scenario"], sut_from_record(raw), plan.n_sessions, plan.preset, (), tuple(map(str, plan.events)),
        plan.seed, control=False, suite=read_json(suite)["suite_id"] if suite.exists() else None,
    )  # fmt: skip


def reproduce(path: Path, out: Path, means: Means) -> dict[str, Any]:
    """Live a life again below `out` from its plan and its system, its control too, and say what differs."""
    run = RunDirectory(path)
    plan, cell = recorded(run)
    if not run.ended():
        raise InputError(f"{path}: this life has not ended, so there is nothing to repeat; run it to its end first")
    again, _ = live_cell(cell, out, means, plan=plan)
    if (path / CONTROL).exists():
        other = RunDirectory(path / read_json(path / CONTROL)["control"])
        control_plan, control = recorded(other)
        place, _ = live_cell(control, out, means, plan=control_plan)
        write_atomic(again / CONTROL, pretty(link_control(RunDirectory(again), RunDirectory(place))))
    before, now = score_life(path), score_life(again)
    changed = differences(before, now)
    revision = [card["provenance"].get(key) for key in ("agingbench_version", "git_sha") for card in (before, now)]
    return {
        "run_dir": str(path), "same": not changed, "content_hash": [before["content_hash"], now["content_hash"]],
        "same_revision": revision[0] == revision[1] and revision[2] == revision[3],
        "figures": changed, "answers": answer_differences(run, RunDirectory(again)),
    }  # fmt: skip


# -- a longer life


class _Recalls:
    """An agent that does not ask again what it was asked at the point where its life goes on."""

    def __init__(self, agent: Agent, rows: Iterable[AnswerRow], questions: Mapping[str, str]) -> None:
        self._agent, self._lock = agent, threading.Lock()
        self._known: dict[str, list[AnswerRow]] = {}
        for row in rows:
            self._known.setdefault(questions[row.probe], []).append(row)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        self._known = {}  # the next session has begun
        return self._agent.act(text, tools, emit)

    def fork(self) -> Any:
        return _Fork(self._known, self._lock, self._agent.fork())


class _Fork:
    """A fork that answers from the record where it can."""

    def __init__(self, known: dict[str, list[AnswerRow]], lock: threading.Lock, agent: Agent) -> None:
        self._known, self._lock, self._agent = known, lock, agent

    def ask(self, question: str, context: str | None = None) -> Answer:
        with self._lock:
            rows = self._known.get(question)
            row = rows.pop(0) if rows else None
        if row is None:
            return self._agent.ask(question, context)
        status: Any = row.status
        return Answer(row.text, status, row.reason, row.context or "", row.usage)


def longer_plan(plan: Plan, scenario: Scenario, sessions: int) -> Plan:
    """The plan of the same life with more sessions; what was lived already must be its beginning."""
    n = plan.n_sessions
    if sessions <= n:
        raise InputError(f"--sessions {sessions}: the life has {n} sessions already; give more to extend it")
    longer = make_plan(scenario, plan.pressure, sessions, plan.seed, plan.events, plan.preset)
    same = (
        longer.scenario_version == plan.scenario_version
        and longer.sessions[:n] == plan.sessions
        and [p for p in longer.probes if p.t <= n] == plan.probes
        and longer.inspected[: n + 1] == plan.inspected
    )
    if not same:
        raise InputError(
            f"a life of {sessions} sessions does not begin like this one of {n} (scenario version "
            f"{plan.scenario_version}, now {scenario.version}); it cannot be extended"
        )
    return longer


def extend(path: Path, sessions: int, out: Path | None, means: Means,
           progress: Callable[[int], None] | None = None) -> tuple[Path, dict[str, Any]]:  # fmt: skip
    """Prolong a life that has ended, in a folder of its own; what was lived and asked is copied, not done again.

    The last point was asked without a session after it: its answers are kept, its session and all that follows are
    lived from the last snapshot. An event at that very point is suffered again, on the snapshot from before it.
    """
    run = RunDirectory(path)
    plan, cell = recorded(run)
    if not run.ended():
        raise InputError(f"{path}: this life has not ended; run it to its end before you extend it")
    longer = longer_plan(plan, _scenario(cell.scenario), sessions)
    folder = out or path.resolve().parents[3]
    target = directory_of(folder, longer, cell.sut)
    if not target.path.exists():
        _copy_beginning(run, plan, longer, target.path)
    asked = [row for row in run.answer_rows() if row.t == plan.n_sessions]
    questions = {probe.id: probe.question for probe in plan.probes}
    at_seam = not (target.memory / f"{plan.n_sessions + 1}.json").exists()

    def around(agent: Agent) -> Agent:
        seam: Any = _Recalls(agent, asked, questions)
        return seam if at_seam else agent

    cell = replace(cell, sessions=sessions)
    live_cell(cell, folder, means, progress, plan=longer, around=around)
    return target.path, score_life(target.path)


def _copy_beginning(run: RunDirectory, plan: Plan, longer: Plan, target: Path) -> None:
    n = plan.n_sessions
    aside = target.with_name(f".{target.name}.extending")
    shutil.rmtree(aside, ignore_errors=True)
    new = RunDirectory(aside)
    new.memory.mkdir(parents=True)
    lines = run.trace.read_bytes().splitlines(keepends=True)
    wrote = [i for i, line in enumerate(lines) if f'"memory":"memory/{n}.json"'.encode() in line and b'"write"' in line]
    new.trace.write_bytes(b"".join(lines[: wrote[-1] + 1]))
    rows = run.answers.read_bytes().splitlines(keepends=True)
    new.answers.write_bytes(b"".join(rows[: sum(probe.t < n for probe in plan.probes)]))
    for file in sorted(run.memory.glob("*.json")):
        if file.stem != f"{n}_before":
            shutil.copyfile(file, new.memory / file.name)
    before = run.memory / f"{n}_before.json"
    if before.exists():
        shutil.copyfile(before, new.memory / f"{n}.json")
    shutil.copyfile(run.sut_file, new.sut_file)
    new.plan_file.write_bytes(longer.encode())
    if (run.path / SUITE).exists():
        shutil.copyfile(run.path / SUITE, aside / SUITE)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside.rename(target)
