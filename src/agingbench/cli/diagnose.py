"""`agingbench diagnose`: where a life that was lived loses its answers, asked against its saved
snapshots.
"""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.lives import draw, lives_below
from agingbench.cli.options import ANY_PATH, epilog, json_option, max_cost_option, trust_option
from agingbench.cli.output import console, echo, print_json, print_next, progress_bar, shown, typed
from agingbench.errors import AgingBenchError, InputError

CACHE = ".cache"
CALLS_AT_ONCE = 8


@click.command(
    epilog=epilog(
        "agingbench diagnose runs --json",
        "0 all lives diagnosed, 2 wrong input or a life that could not be diagnosed",
    )
)
@click.argument("runs", nargs=-1, required=True, type=ANY_PATH)
@trust_option
@click.option(
    "--calibrate",
    is_flag=True,
    help="Ask for floor and ceiling of remote models too; this takes calls.",
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
@max_cost_option
@click.option("--plots/--no-plots", default=True, help="Draw diagnosis.png and .svg.")
@json_option
def diagnose(
    runs: tuple[Path, ...],
    trust: bool,
    calibrate: bool,
    workers: int | None,
    cache: bool,
    max_cost: float | None,
    plots: bool,
    as_json: bool,
) -> None:
    """Find the stage at which a life loses its answers.

    The probes are asked again with oracle retrieval and with the gold in
    context. RUNS are run directories or folders that hold some. A diagnosis
    that was stopped goes on where it stopped. A life that cannot be diagnosed
    does not stop the others.
    """
    from agingbench.bench.life.budget import Budget, BudgetReached
    from agingbench.bench.life.folder import RunDirectory
    from agingbench.bench.life.life import Life
    from agingbench.bench.life.limits import Endpoints, Resources
    from agingbench.bench.life.places import out_of
    from agingbench.cards.check import card_json
    from agingbench.report.diagnosis import print_diagnosis

    lives = [life for run in runs for life in lives_below(run)]
    budget = Budget(max_cost)
    rows: list[dict[str, object]] = []
    errors: list[str] = []
    budget_error: BudgetReached | None = None
    with progress_bar("lives", len(lives), as_json) as bar:
        for path in lives:
            run = RunDirectory(path)
            try:
                life = Life.open(path, trust=trust)
                replies = out_of(path, life.plan) / CACHE if cache else None
                resources = Resources(
                    Endpoints(workers or CALLS_AT_ONCE),
                    budget,
                    cache=replies,
                    probes_at_once=workers,
                )
                calls = life.diagnose(resources, calibrate=calibrate)
                card = life.score()
            except BudgetReached as error:
                budget_error = error
                break
            except AgingBenchError as error:
                message = str(error)
                if str(path) not in message:
                    message = f"{path}: {message}"
                errors.append(message)
                rows.append({"run_dir": str(path), "error": message})
                continue

            document = card_json(card)
            rows.append({"run_dir": str(path), "calls": calls, "diagnosis": document["diagnosis"]})
            if plots:
                draw(run, card)
            if not as_json:
                print_diagnosis(document, console())
                echo(f"Files: {shown(path)}")
            bar()

    if as_json:
        print_json(rows)
    elif len(errors) < len(lives) and budget_error is None:
        print_next(f"agingbench autopsy {typed(runs[0])}", "what became of each lost fact")
    if budget_error is not None:
        raise budget_error
    if errors:
        raise InputError(
            f"{len(errors)} of {len(lives)} lives could not be diagnosed: {'; '.join(errors[:3])}"
        )
