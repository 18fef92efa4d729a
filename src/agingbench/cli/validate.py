"""`agingbench validate`: the bench proves that it measures what it says."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scenarios import SCENARIOS
from agingbench.cli.options import console, json_option, parse_seeds, print_json
from agingbench.errors import UnknownName
from agingbench.report.tables import print_bounds, print_dials, print_faults
from agingbench.report.validation import print_telemetry
from agingbench.validity.bounds import bounds as measure
from agingbench.validity.dials import SWEEPS
from agingbench.validity.dials import dials as turn
from agingbench.validity.faults import faults as plant
from agingbench.validity.telemetry import PERMUTATIONS, steps
from agingbench.validity.telemetry import validate as try_telemetry


@click.group(no_args_is_help=False)
def validate() -> None:
    """Check the instruments on agents whose score is known beforehand."""


@validate.command(
    epilog="Example: agingbench validate bounds --scenario s2 --seeds 0-99 --sessions 10 --json"
)
@click.option(
    "--scenario",
    "-s",
    "scenarios",
    multiple=True,
    help="Scenario; repeatable. All of them by default.",
)
@click.option(
    "--seeds",
    default="10",
    show_default=True,
    help="A count (3), a range (0-99) or a list (1,5,9).",
)
@click.option("--sessions", "-n", type=click.IntRange(1, 10_000), default=10, show_default=True)
@click.option(
    "--pressure", "-p", "presets", multiple=True, help="Preset; repeatable. medium by default."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default=True
)
@json_option
def bounds(
    scenarios: tuple[str, ...],
    seeds: str,
    sessions: int,
    presets: tuple[str, ...],
    workers: int,
    as_json: bool,
) -> int:
    """Oracle scores 1, agents that know nothing score 0, reciting the memory beats no reader.

    Exit 1 when a bound is broken.
    """
    names = [SCENARIOS.canonical(name) for name in scenarios or SCENARIOS.names()]
    for preset in presets:
        if preset not in PRESETS:
            raise UnknownName("pressure preset", preset, PRESETS)
    chosen = parse_seeds(seeds)
    err = Console(stderr=True)
    total = len(names) * len(presets or ("medium",)) * len(chosen)
    with Progress(console=err, transient=True, disable=as_json or not err.is_terminal) as progress:
        task = progress.add_task("seeds", total=total)
        result = measure(
            names, chosen, sessions, presets or ("medium",), workers, lambda: progress.advance(task)
        )
    if as_json:
        print_json(result)
    else:
        print_bounds(result, console())
    return 0 if result["ok"] else 1


@validate.command(epilog="Example: agingbench validate dials --seeds 20 --json")
@click.option(
    "--seeds",
    default="20",
    show_default=True,
    help="A count (3), a range (0-99) or a list (1,5,9).",
)
@click.option("--sessions", "-n", type=click.IntRange(1, 10_000), default=12, show_default=True)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default=True
)
@json_option
def dials(seeds: str, sessions: int, workers: int, as_json: bool) -> None:
    """Turn one dial at a time and show what answers: its own metric, and the bystanders that should
    not.

    This is a measurement, not a gate: a dial without an effect is a finding.
    """
    chosen = parse_seeds(seeds)
    err = Console(stderr=True)
    with Progress(console=err, transient=True, disable=as_json or not err.is_terminal) as progress:
        task = progress.add_task(
            "lives", total=len(chosen) * sum(len(sweep.settings) for sweep in SWEEPS)
        )
        result = turn(chosen, sessions, workers, lambda: progress.advance(task))
    if as_json:
        print_json(result)
    else:
        print_dials(result, console())


@validate.command(epilog="Example: agingbench validate faults --seeds 0-33 --json")
@click.option(
    "--scenario",
    "-s",
    "scenarios",
    multiple=True,
    help="Scenario; repeatable. All of them by default.",
)
@click.option(
    "--seeds",
    default="34",
    show_default=True,
    help="A count (3), a range (0-99) or a list (1,5,9).",
)
@click.option("--sessions", "-n", type=click.IntRange(2, 10_000), default=8, show_default=True)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default=True
)
@json_option
def faults(
    scenarios: tuple[str, ...], seeds: str, sessions: int, workers: int, as_json: bool
) -> int:
    """Plant one fault at a time and see whether the diagnosis names its stage.

    Agents that are perfect but for one fault: they drop at the write, cannot retrieve or take
    look-alikes, ignore what they read, or lose from the store at an event; each at several
    strengths, with units and as one blob. Exit 1 when a stage is named in less than 95 % of the
    cases at full strength, or when the 95 % intervals do not cover the planted share in 90 to 99 %.
    """
    names = list(
        dict.fromkeys(SCENARIOS.canonical(name) for name in scenarios or SCENARIOS.names())
    )
    chosen = parse_seeds(seeds)
    err = Console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("lives by seed and scenario", total=len(names) * len(chosen))
        result = plant(names, chosen, sessions, workers, lambda: progress.advance(task))
    if as_json:
        print_json(result)
    else:
        print_faults(result, console())
    return 0 if result["ok"] else 1


@validate.command(epilog="Example: agingbench validate telemetry --real ~/.claude/projects --json")
@click.option(
    "--real",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder of real traces; repeatable.",
)
@click.option(
    "--agents",
    type=click.IntRange(2, 10_000),
    default=200,
    show_default=True,
    help="Per healthy set.",
)
@click.option(
    "--planted",
    type=click.IntRange(2, 10_000),
    default=100,
    show_default=True,
    help="Per moderate effect.",
)
@click.option(
    "--permutations", type=click.IntRange(199, 9_999), default=PERMUTATIONS, show_default=True
)
@click.option(
    "--seed",
    type=click.IntRange(0, 999),
    default=0,
    show_default=True,
    help="Other agents for each.",
)
@json_option
def telemetry(
    real: tuple[Path, ...], agents: int, planted: int, permutations: int, seed: int, as_json: bool
) -> int:
    """Healthy agents must stay unflagged, planted aging must be found and named rightly.

    Simulated agents with the noise of real folders: stationary in many variants, autocorrelated,
    with phases of different tasks, with a client or model change, with censored lengths; and agents
    that age by each mechanism. Real folders are shuffled by days, and effects are planted into
    them. Exit 1 when a target is missed.
    """
    err = Console(stderr=True)
    with Progress(console=err, transient=True, disable=as_json or not err.is_terminal) as progress:
        task = progress.add_task("agents", total=steps(agents, planted, len(real)))
        result = try_telemetry(
            agents, planted, real, lambda: progress.advance(task), permutations, seed
        )
    if as_json:
        print_json(result)
    else:
        print_telemetry(result, console())
    return 0 if result["ok"] else 1
