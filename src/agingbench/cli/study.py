"""`agingbench study`: many lives at once."""

from __future__ import annotations

import re
from pathlib import Path

import click

from agingbench.cli.options import (
    cache_option,
    declare_option,
    engine_option,
    epilog,
    json_option,
    ledger_option,
    max_cost_option,
    out_option,
    parse_pairs,
    probes_option,
    trust_option,
)
from agingbench.errors import InputError


@click.command(
    epilog=epilog(
        "agingbench study lite --out runs",
        "0 all lives finished, 1 some are incomplete, 2 wrong input, 130 interrupted",
    )
)
@click.argument("study_file", metavar="FILE")
@trust_option
@out_option("Folder that lives are written to.", Path("runs"))
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    help="Lives at once [the machine's cores; for remote models --concurrency, at least 8].",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Calls at once to one endpoint.",
)
@click.option(
    "--shard",
    default=None,
    metavar="I/N",
    help="Live only part I of N; `agingbench merge` joins the parts.",
)
@engine_option
@probes_option
@click.option("--dry-run", is_flag=True, help="Estimate calls, tokens and cost, and do nothing.")
@max_cost_option
@declare_option
@click.option(
    "--control/--no-control",
    default=None,
    help="Beside each life with events, live it without them too.",
)
@cache_option
@ledger_option()
@json_option
def study(
    study_file: str,
    trust: bool,
    out: Path,
    workers: int | None,
    concurrency: int,
    shard: str | None,
    engine: str,
    probes: str | None,
    dry_run: bool,
    max_cost: float | None,
    declared: tuple[str, ...],
    control: bool | None,
    cache: bool,
    place: str | None,
    as_json: bool,
) -> None:
    """Live every cell of a study file or a suite.

    FILE is a YAML file, a suite or a study that ships with the package, such as
    lite or pressure (see `agingbench list studies`). A study that was stopped
    continues with the same command and asks for nothing that is there. A life
    that fails does not stop the others.
    """
    from agingbench.bench.life.budget import Budget
    from agingbench.bench.life.limits import Endpoints, Resources
    from agingbench.bench.studies.cells import Stock, asking, declaring
    from agingbench.bench.studies.follow_up import FollowUp
    from agingbench.bench.studies.grid import load_study
    from agingbench.cli.living import Output, live_study
    from agingbench.trials.declarations import read_declarations

    stock = Stock()
    grid = load_study(study_file, control=control, stock=stock, trust=trust)
    if shard is not None:
        grid = grid.shard(*_parts(shard))
    resources = Resources(
        Endpoints(concurrency), Budget(max_cost, out), cache=out / ".cache" if cache else None
    )
    output = Output(out, place, as_json)
    declares = read_declarations(parse_pairs(declared, "--declare"), "--declare")
    cells = declaring(asking(grid.cells, probes), declares)
    live_study(
        cells,
        resources,
        FollowUp(),
        output,
        dry=dry_run,
        workers=workers,
        stock=stock,
        engine=engine,
    )


def _parts(shard: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", shard.strip())
    if match is None or int(match.group(2)) < 1:
        raise InputError(f"--shard {shard}: write I/N, such as 1/4")
    return int(match.group(1)), int(match.group(2))
