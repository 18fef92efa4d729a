"""`agingbench run`: live lives and score them."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click
from click.core import ParameterSource

from agingbench.cli.completion import complete, complete_words
from agingbench.cli.options import (
    ANY_PATH,
    FOLDER,
    SUITES,
    LifeOptions,
    cache_option,
    declare_option,
    epilog,
    json_option,
    ledger_option,
    life_options,
    max_cost_option,
    out_option,
    parse_pairs,
    probes_option,
    trust_option,
)

CALLS_AT_ONCE = 8


class RunOptions(LifeOptions):
    """The life and the system under test, as the options of `run` describe them."""

    model: str | None
    memory: str | None
    agent: str | None
    controller: str | None
    model_options: tuple[str, ...]
    memory_options: tuple[str, ...]
    agent_options: tuple[str, ...]
    role: str | None
    control: bool
    trust: bool


@click.command(
    epilog=epilog(
        "agingbench run --scenario s2 --memory careful_compress --seeds 3 --out runs",
        "0 all lives finished, 1 some are incomplete, 2 wrong input, 130 interrupted",
    )
)
@life_options
@click.option(
    "--model",
    "-m",
    default=None,
    metavar="NAME[:ID]",
    shell_complete=complete("model"),
    help="Model, such as extractive or openai:MODEL_ID.",
)
@click.option(
    "--memory",
    default=None,
    metavar="NAME",
    shell_complete=complete("memory"),
    help="Memory policy (see `agingbench list memory`).",
)
@click.option(
    "--agent",
    default=None,
    metavar="NAME",
    shell_complete=complete("agent"),
    help="Agent; react by default.",
)
@click.option(
    "--model-option",
    "model_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the model, such as base_url=http://localhost:8000/v1; repeatable.",
)
@click.option(
    "--memory-option",
    "memory_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the memory policy, such as words=200 or k=8; repeatable.",
)
@click.option(
    "--agent-option",
    "agent_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the agent, such as max_turns=4; repeatable.",
)
@click.option(
    "--role",
    default=None,
    metavar="TEXT",
    help="An instruction for the agent, behind the role that the scenario gives.",
)
@click.option(
    "--controller",
    default=None,
    metavar="NAME[:ARGS]",
    shell_complete=complete("controller", "none"),
    help="Controller, such as aggressive or threshold:error=20.",
)
@click.option(
    "--sut",
    "sut_file",
    type=ANY_PATH,
    default=None,
    help="YAML file with the system under test and the options above.",
)
@trust_option
@out_option("Folder that lives are written to.", Path("runs"))
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    help="Probes asked at once [1; 8 for remote models].",
)
@cache_option
@click.option("--plots/--no-plots", default=True, help="Draw aging_curve.png and .svg.")
@click.option(
    "--control/--no-control", default=True, help="With events: live the life without them too."
)
@click.option(
    "--diagnose",
    is_flag=True,
    help="Ask again with oracle retrieval and with the gold in context: which stage fails?",
)
@click.option(
    "--bounds", is_flag=True, help="Ask for the no-memory floor and the full-context ceiling."
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Ask for floor and ceiling of remote models too; this takes calls.",
)
@click.option(
    "--suite",
    default=None,
    metavar="NAME",
    shell_complete=complete_words(SUITES),
    help="Run the system through a suite: lite, core, full or pressure_sweep.",
)
@click.option(
    "--extend",
    type=FOLDER,
    default=None,
    metavar="RUN",
    help="Prolong this life to --sessions; what was lived and asked is kept.",
)
@probes_option
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens and cost, and do nothing.")
@max_cost_option
@declare_option
@ledger_option()
@json_option
def run(
    out: Path,
    workers: int | None,
    cache: bool,
    plots: bool,
    as_json: bool,
    sut_file: Path | None,
    suite: str | None,
    extend: Path | None,
    probes: str | None,
    dry_run: bool,
    max_cost: float | None,
    declared: tuple[str, ...],
    diagnose: bool,
    bounds: bool,
    calibrate: bool,
    place: str | None,
    **options: Unpack[RunOptions],
) -> None:
    """Live a scenario with an agent and write its AgingCard.

    A life that was stopped continues where it stopped when the same command is
    given again. With lifecycle events, the same life without them is lived as
    well, and the card says what the events cost.
    """
    from agingbench.bench.life.budget import Budget
    from agingbench.bench.life.limits import Endpoints, Resources
    from agingbench.bench.studies.cells import Stock, asking, declaring
    from agingbench.bench.studies.follow_up import FollowUp
    from agingbench.cli.cells import read_cells, read_suite
    from agingbench.cli.living import Output, extend_life, live_cells, live_study
    from agingbench.trials.declarations import read_declarations

    calls_at_once = workers or CALLS_AT_ONCE
    resources = Resources(
        Endpoints(calls_at_once),
        Budget(max_cost, out),
        cache=out / ".cache" if cache else None,
        probes_at_once=workers,
    )
    follow_up = FollowUp(diagnose, bounds or diagnose or calibrate, calibrate)
    output = Output(out, place, as_json, plots)
    stock = Stock()

    declares = read_declarations(parse_pairs(declared, "--declare"), "--declare")
    if extend is not None:
        source = click.get_current_context().get_parameter_source("out")
        moved = source is ParameterSource.COMMANDLINE
        trust = options["trust"]
        extend_life(extend, options["sessions"], resources, follow_up, output, moved, trust)
    elif suite is not None:
        cells = asking(read_suite(suite, sut_file, options, stock), probes)
        cells = declaring(cells, declares)
        resources = Resources(Endpoints(calls_at_once), resources.budget, cache=resources.cache)
        live_study(cells, resources, follow_up, output, dry=dry_run, stock=stock)
    else:
        cells = asking(read_cells(sut_file, options, stock), probes)
        cells = declaring(cells, declares)
        live_cells(cells, resources, follow_up, output, dry=dry_run, stock=stock)
