"""From the options of `agingbench run` and a SUT file to the lives that are meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.bench.life.demands import event_demands, scenario_demands, system_demands
from agingbench.bench.life.lifecycle import default_events
from agingbench.bench.life.planning import shared_scenario, spec_of
from agingbench.bench.life.system import Sut, read_sut_file, with_defaults
from agingbench.bench.plan.plan import MOST_SESSIONS, parse_events
from agingbench.bench.studies.catalogue import SUITES
from agingbench.bench.studies.cells import Cell, Stock, with_sentinels
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.seeds import read_seeds
from agingbench.cli.options import chosen_seeds, parse_pairs, split_events
from agingbench.cli.run import RunOptions
from agingbench.errors import InputError, UnknownName
from agingbench.text.addresses import plain_address
from agingbench.trials.declarations import read_declarations
from agingbench.trust import require_trust

# Keys that a SUT file may hold beside the system, what each must be, and as which type; flags win.
LIFE_KEYS: dict[str, tuple[str, tuple[type, ...]]] = {
    "scenario": ("be a name", (str,)),
    "sessions": ("be a count", (int,)),
    "seeds": ("be a count, a range or a list", (int, str, list)),
    "pressure": ("be a name", (str,)),
    "dials": ("map names to values", (dict,)),
    "events": ("be a list of NAME@POINT", (str, list)),
    "declare": ("map names to yes or no", (dict,)),
}


def read_suite(suite: str, sut_file: Path | None, options: RunOptions, stock: Stock) -> list[Cell]:
    """The cells of a suite with the system that the options name."""
    sut, file_options, named_parts = _system(sut_file, options)
    _check_trust(sut_file, sut, file_options, options)
    if suite not in SUITES:
        raise UnknownName("suite", suite, SUITES)
    return list(load_study(suite, sut, named_parts, options["control"], stock).cells)


def read_cells(sut_file: Path | None, options: RunOptions, stock: Stock) -> list[Cell]:
    """One cell per seed, from the options and the SUT file; options win over the file."""
    sut, file_options, named_parts = _system(sut_file, options)
    _check_trust(sut_file, sut, file_options, options)

    scenario = shared_scenario(options["scenario"] or file_options.get("scenario") or "s2")
    sut = with_defaults(sut, scenario, named_parts)
    sessions = options["sessions"] or file_options.get("sessions") or scenario.default_sessions
    preset = options["pressure"] or file_options.get("pressure") or "medium"

    flagged_dials = parse_pairs(options["dials"], "--dial")
    dials = with_sentinels({**file_options.get("dials", {}), **flagged_dials}, scenario, [sut])

    event_texts = split_events(options["events"]) or split_events(
        _event_texts(file_options.get("events"))
    )
    if event_texts:
        parsed = parse_events([text for text in event_texts if text != "none"], sessions)
        events = tuple(str(event) for event in parsed)
    else:
        agent = stock.agent_without_key(sut, scenario)
        events = default_events(scenario, sessions, agent)

    declares = read_declarations(file_options.get("declare", {}), f"SUT file {sut_file}")
    seeds = chosen_seeds(options["seeds"], options["seed"])
    flagged = options["seeds"] is not None or options["seed"] is not None
    if not flagged and "seeds" in file_options:
        seeds = read_seeds(file_options["seeds"])
    return [
        Cell(
            spec_of(scenario),
            sut,
            sessions,
            preset,
            tuple(sorted(dials.items())),
            events,
            seed,
            options["control"],
            declares=declares,
        )
        for seed in seeds
    ]


def _system(
    sut_file: Path | None, options: RunOptions
) -> tuple[Sut, dict[str, Any], frozenset[str]]:
    """The system, the options that the file holds, and the parts of the system that were named."""
    if sut_file:
        sut, file_options = read_sut_file(sut_file, frozenset(LIFE_KEYS))
    else:
        sut, file_options = Sut(), {}
    for key, value in file_options.items():
        requirement, types = LIFE_KEYS[key]
        if type(value) not in types or (key == "sessions" and value < 1):
            raise InputError(f"SUT file {sut_file}: `{key}` must {requirement}")

    names = {
        "model": options["model"],
        "memory": options["memory"],
        "agent": options["agent"],
        "controller": options["controller"],
        "role": options["role"],
    }
    changes: dict[str, object] = {key: name for key, name in names.items() if name is not None}

    model_options = parse_pairs(options["model_options"], "--model-option")
    memory_options = parse_pairs(options["memory_options"], "--memory-option")
    agent_options = parse_pairs(options["agent_options"], "--agent-option")
    if model_options:
        changes["model_options"] = {**sut.model_options, **model_options}
    if memory_options:
        changes["memory_options"] = {**sut.memory_options, **memory_options}
    if agent_options:
        changes["agent_options"] = {**sut.agent_options, **agent_options}

    named_parts = frozenset(sut.model_fields_set | changes.keys())
    return sut.model_copy(update=changes), file_options, named_parts


def _check_trust(
    sut_file: Path | None, sut: Sut, file_options: dict[str, Any], options: RunOptions
) -> None:
    """Raise UntrustedFile for code that the file names and the options do not."""
    if sut_file is None:
        return
    demands = system_demands(sut)
    if options["scenario"] is None:
        demands += scenario_demands(file_options.get("scenario"))
    if not options["events"]:
        texts = split_events(_event_texts(file_options.get("events")))
        own_events = [text for text in texts if text != "none"]
        demands += event_demands(parse_events(own_events, MOST_SESSIONS))

    named = _named_in_options(options)
    demands = [demand for demand in demands if demand.value not in named]
    require_trust(f"SUT file {sut_file}", demands, options["trust"])


def _named_in_options(options: RunOptions) -> set[str]:
    """Every name and address that stands on the command line."""
    names = {options["model"], options["memory"], options["agent"], options["controller"]}
    named = {name for name in names if name is not None}
    model_options = parse_pairs(options["model_options"], "--model-option")
    named.update(plain_address(str(value)) for value in model_options.values())
    named.update(map(str, parse_pairs(options["memory_options"], "--memory-option").values()))
    return named


def _event_texts(events: Any) -> list[str]:
    return [events] if isinstance(events, str) else [str(event) for event in events or []]
