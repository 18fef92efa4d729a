"""The `validate` commands: bounds, answers, texts, dials, faults and telemetry."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec

from agingbench.cli.completion import complete
from agingbench.cli.options import ANY_PATH, SEEDS_HELP, F, epilog, json_option, parse_seeds
from agingbench.cli.output import console, echo, print_json, print_next, progress_bar
from agingbench.errors import UnknownName

PERMUTATIONS = 399  # that of the validation, without importing it
_CODES = "0 every target met, 1 a target missed, 2 wrong input"

_scenarios_option = click.option(
    "--scenario",
    "-s",
    "scenarios",
    multiple=True,
    metavar="NAME",
    shell_complete=complete("scenario"),
    help="Scenario; repeatable. All of them by default.",
)
_workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=min(os.cpu_count() or 1, 64),
    show_default="cores",
    help="Processes at once.",
)


def _seeds_option(default: str) -> Callable[[F], F]:
    return click.option(
        "--seeds", default=default, show_default=True, metavar="SEEDS", help=SEEDS_HELP
    )


def _sessions_option(default: int, least: int = 1) -> Callable[[F], F]:
    return click.option(
        "--sessions",
        "-n",
        type=click.IntRange(least, 10_000),
        default=default,
        show_default=True,
        help="Length of each life.",
    )


@click.command(
    epilog=epilog(
        "agingbench validate bounds --scenario s2 --seeds 0-99 --sessions 10 --json", _CODES
    )
)
@_scenarios_option
@_seeds_option("10")
@_sessions_option(10)
@click.option(
    "--pressure",
    "-p",
    "presets",
    multiple=True,
    metavar="NAME",
    shell_complete=complete("pressure"),
    help="Pressure; repeatable. medium by default.",
)
@_workers_option
@json_option
def bounds(
    scenarios: tuple[str, ...],
    seeds: str,
    sessions: int,
    presets: tuple[str, ...],
    workers: int,
    as_json: bool,
) -> int:
    """Check that perfect agents score 1 and empty ones 0.

    The oracle scores 1, agents that know nothing score 0, and reciting the
    memory beats no reader.
    """
    from agingbench.bench.plan.pressure import PRESETS
    from agingbench.report.validity import print_bounds
    from agingbench.validity.bounds import bounds as measure

    for preset in presets:
        if preset not in PRESETS:
            raise UnknownName("pressure preset", preset, PRESETS)
    pressures = presets or ("medium",)
    seed_list = parse_seeds(seeds)
    names = _offline(scenarios, as_json)

    lives = len(names) * len(pressures) * len(seed_list)
    with progress_bar("seeds", lives, as_json) as bar:
        result = measure(names, seed_list, sessions, pressures, workers, bar)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_bounds(result, console())
        print_next("agingbench validate faults", "does the diagnosis name planted faults?")
    return 0 if result.ok else 1


@click.command(epilog=epilog("agingbench validate answers --json", _CODES))
@click.option(
    "--half",
    type=click.Choice(["report", "tune"]),
    default="report",
    show_default=True,
    help="Which half: the matcher may be mended by looking at `tune`; the bars are for `report`.",
)
@json_option
def answers(half: str, as_json: bool) -> int:
    """Judge labelled answers and compare with their labels.

    About a thousand answers as language models give them, written without
    sight of the matcher. The bars: 97 % of the plain answers and 95 % of all
    are judged rightly; swapped values, "either … or" and negations are never
    accepted.
    """
    from agingbench.report.validity import print_answers
    from agingbench.validity.answers import check_answers

    result = check_answers(half)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_answers(result, console())
        print_next("agingbench validate bounds", "do perfect agents score 1 and empty ones 0?")
    return 0 if result.ok else 1


@click.command(epilog=epilog("agingbench validate texts --scenario s1 --seeds 10 --json", _CODES))
@_scenarios_option
@_seeds_option("10")
@_sessions_option(10)
@_workers_option
@json_option
def texts(
    scenarios: tuple[str, ...], seeds: str, sessions: int, workers: int, as_json: bool
) -> int:
    """Measure whether the texts of lives read like life.

    Questions in other words than statements, filler that looks like facts,
    few sentences twice, and every passage states its fact.
    """
    from agingbench.bench.scenarios import SCENARIOS
    from agingbench.report.validity import print_texts
    from agingbench.validity.texts import texts as measure

    names = [SCENARIOS.canonical(name) for name in scenarios or SCENARIOS.names()]
    seed_list = parse_seeds(seeds)
    with progress_bar("seeds", len(names) * len(seed_list), as_json) as bar:
        result = measure(names, seed_list, sessions, workers=workers, progress=bar)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_texts(result, console())
        print_next("agingbench validate bounds", "do perfect agents score 1 and empty ones 0?")
    return 0 if result.ok else 1


@click.command(epilog=epilog("agingbench validate dials --seeds 20 --json"))
@_seeds_option("20")
@_sessions_option(12)
@_workers_option
@json_option
def dials(seeds: str, sessions: int, workers: int, as_json: bool) -> None:
    """Turn one dial at a time and show which metrics move.

    Its own metric should move and the others should not. This is a
    measurement, not a gate: a dial without an effect is a finding.
    """
    from agingbench.report.validity import print_dials
    from agingbench.validity.dials import SWEEPS
    from agingbench.validity.dials import dials as turn

    seed_list = parse_seeds(seeds)
    lives = len(seed_list) * sum(len(sweep.settings) for sweep in SWEEPS)
    with progress_bar("lives", lives, as_json) as bar:
        result = turn(seed_list, sessions, workers, bar)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_dials(result, console())
        print_next("agingbench validate faults", "does the diagnosis name planted faults?")


@click.command(epilog=epilog("agingbench validate faults --seeds 0-33 --json", _CODES))
@_scenarios_option
@_seeds_option("34")
@_sessions_option(8, least=2)
@_workers_option
@json_option
def faults(
    scenarios: tuple[str, ...], seeds: str, sessions: int, workers: int, as_json: bool
) -> int:
    """Plant faults and check that the diagnosis names them.

    The agents are perfect except for one fault: they drop at the write, cannot
    retrieve or take look-alikes, ignore what they read, or lose from the store
    at an event; each at several strengths, with units and as one blob. The
    targets: a stage named in 95 % of the cases at full strength, and 95 %
    intervals that cover the planted share in 90 to 99 %.
    """
    from agingbench.report.validity import print_faults
    from agingbench.validity.faults import faults as plant

    seed_list = parse_seeds(seeds)
    names = list(dict.fromkeys(_offline(scenarios, as_json)))
    with progress_bar("lives by seed and scenario", len(names) * len(seed_list), as_json) as bar:
        result = plant(names, seed_list, sessions, workers, bar)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_faults(result, console())
        print_next("agingbench validate telemetry", "do audits find planted aging?")
    return 0 if result.ok else 1


@click.command(
    epilog=epilog("agingbench validate telemetry --real ~/.claude/projects --json", _CODES)
)
@click.option("--real", multiple=True, type=ANY_PATH, help="A folder of real traces; repeatable.")
@click.option(
    "--agents",
    type=click.IntRange(2, 10_000),
    default=200,
    show_default=True,
    help="Simulated agents in each healthy set.",
)
@click.option(
    "--planted",
    type=click.IntRange(2, 10_000),
    default=100,
    show_default=True,
    help="Simulated agents for each moderate effect.",
)
@click.option(
    "--permutations",
    type=click.IntRange(199, 9_999),
    default=PERMUTATIONS,
    show_default=True,
    help="Permutations of each test.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 999),
    default=0,
    show_default=True,
    help="Another seed simulates other agents.",
)
@click.option(
    "--work",
    type=click.IntRange(0, 10_000),
    default=12,
    show_default=True,
    help="Simulated agents of each kind whose work changes; 0 for none.",
)
@_workers_option
@json_option
def telemetry(
    real: tuple[Path, ...],
    agents: int,
    planted: int,
    permutations: int,
    seed: int,
    work: int,
    workers: int,
    as_json: bool,
) -> int:
    """Check audits on agents whose aging is known.

    Healthy agents must stay unflagged; planted aging must be found and named
    rightly. Simulated agents have the noise of real folders: stationary in many
    variants, autocorrelated, with phases of different tasks, with a client or
    model change, with censored lengths; agents whose work changes in many ways
    at 12, 24 and 40 sessions; and agents that age by each mechanism.
    Real folders are shuffled by days, and effects are planted into them.
    """
    from agingbench.report.validation import print_telemetry
    from agingbench.validity.telemetry import steps
    from agingbench.validity.telemetry import validate as validate_audits

    with progress_bar("agents", steps(agents, planted, len(real), work), as_json) as bar:
        result = validate_audits(agents, planted, real, bar, permutations, seed, work, workers)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_telemetry(result, console())
        print_next("agingbench audit", "your own agent")
    return 0 if result.ok else 1


def _offline(scenarios: Sequence[str], as_json: bool) -> list[str]:
    """The scenarios that were named; without any, all that need no downloads."""
    from agingbench.bench.scenarios import NEED_RELEASES, SCENARIOS, offline_scenarios

    if scenarios:
        return [SCENARIOS.canonical(name) for name in scenarios]
    if not as_json:
        left_out = ", ".join(NEED_RELEASES)
        reason = "which needs releases of a repository; name it with -s"
        echo(f"left out: {left_out}, {reason}", err=True)
    return offline_scenarios()
