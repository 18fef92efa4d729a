"""`agingbench plan`: see a life before it is lived."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from agingbench.cli.options import (
    chosen_seeds,
    console,
    json_option,
    life_options,
    make_plans,
    parse_pairs,
    print_json,
    split_events,
)
from agingbench.report.tables import print_plan


@click.command(
    epilog="Example: agingbench plan --scenario s2 --sessions 10 --pressure heavy --seed 1 --json"
)
@life_options
@json_option
def plan(as_json: bool, **given: Any) -> None:
    """Print the plan of a life: sessions, probes, facts and its hash."""
    seeds = chosen_seeds(given["seeds"], given["seed"])
    dials = parse_pairs(given["dials"], "--dial")
    events = split_events(given["events"])
    _, plans = make_plans(
        given["scenario"], given["sessions"], seeds, given["pressure"], dials, events
    )
    for made in plans:
        if as_json:
            print_json({"hash": made.hash, **msgspec.to_builtins(made), "summary": made.summary()})
        else:
            screen = console()
            screen.print(
                f"{made.scenario} {made.scenario_version}, seed {made.seed}, {made.preset}",
                soft_wrap=True,
            )
            screen.print(
                ", ".join(f"{dial} {value}" for dial, value in made.pressure.as_dials().items()),
                style="dim",
            )
            screen.print(f"hash {made.hash}", soft_wrap=True)
            print_plan(made.summary(), screen)
