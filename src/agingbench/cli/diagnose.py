"""`agingbench diagnose`: where a life that was lived loses its answers, asked against its saved
snapshots.
"""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.bench.diagnosis.recorded import diagnose_run
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import out_of, score_run
from agingbench.bench.life.limits import Budget, BudgetReached, Endpoints, Resources
from agingbench.cli.options import console, json_option, print_json, progress_bar, shown
from agingbench.cli.score import draw, lives_below
from agingbench.errors import AgingBenchError, InputError
from agingbench.report.diagnosis import print_diagnosis

CACHE = ".cache"


@click.command(epilog="Example: agingbench diagnose runs --json")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--calibrate",
    is_flag=True,
    help="Ask for the floor and the ceiling of a model that is not embedded too.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    help="Probes asked at once [1; 8 for remote models].",
)
@click.option(
    "--cache/--no-cache",
    default=True,
    help="Keep replies of remote models where `agingbench run` does.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="USD",
    help="Spend no more.",
)
@click.option("--plots/--no-plots", default=True, help="Draw diagnosis.png and .svg.")
@json_option
def diagnose(
    runs: tuple[Path, ...],
    calibrate: bool,
    workers: int | None,
    cache: bool,
    max_cost: float | None,
    plots: bool,
    as_json: bool,
) -> None:
    """Ask the probes of lives again with oracle retrieval and with the gold in context, and say
    which stage fails.

    RUNS are run directories or folders that hold some. What was asked is not asked again: a
    diagnosis that was stopped goes on. One life that cannot be diagnosed does not keep the others
    from it.
    """
    found = [life for run in runs for life in lives_below(run)]
    budget = Budget(max_cost)
    broken = []
    with progress_bar("lives", len(found), as_json) as bar:
        for path in found:
            try:
                kept = out_of(path, RunDirectory(path).plan()) / CACHE if cache else None
                resources = Resources(
                    Endpoints(workers or 8), budget, cache=kept, probes_at_once=workers
                )
                calls = diagnose_run(path, resources, calibrate=calibrate)
                card = score_run(path)
            except BudgetReached:
                raise
            except AgingBenchError as error:
                told = str(error)
                broken.append(told if str(path) in told else f"{path}: {told}")
                continue
            if plots:
                draw(RunDirectory(path), card)
            if as_json:
                print_json({"run_dir": str(path), "calls": calls, "diagnosis": card["diagnosis"]})
            else:
                print_diagnosis(card, console())
                click.echo(f"Files: {shown(path)}")
            if bar is not None:
                bar(1)
    if broken:
        raise InputError(
            f"{len(broken)} of {len(found)} lives could not be diagnosed: {'; '.join(broken[:3])}"
        )
