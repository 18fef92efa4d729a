"""`agingbench plan`: see a life before it is lived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from agingbench.cli.options import (
    LifeOptions,
    chosen_seeds,
    epilog,
    json_option,
    life_options,
    parse_pairs,
    split_events,
)
from agingbench.cli.output import console, print_json

if TYPE_CHECKING:
    from agingbench.bench.plan.plan import Plan


@click.command(
    epilog=epilog("agingbench plan --scenario s2 --sessions 10 --pressure heavy --seed 1 --json")
)
@life_options
@json_option
def plan(as_json: bool, **options: Unpack[LifeOptions]) -> None:
    """Print the plan of a life: sessions, probes, facts, hash.

    With --json the whole plan of every seed is printed.
    """
    import msgspec

    from agingbench.report.plan import print_plan

    plans = make_plans(options)
    if as_json:
        documents = [
            {"hash": one.hash, **msgspec.json.decode(one.encode()), "summary": one.summary()}
            for one in plans
        ]
        print_json(documents)
        return

    screen = console()
    for one in plans:
        heading = f"{one.scenario} {one.scenario_version}, seed {one.seed}, {one.preset}"
        dials = [f"{dial} {value}" for dial, value in one.pressure.as_dials().items()]
        screen.print(heading, soft_wrap=True)
        screen.print(", ".join(dials), style="dim")
        screen.print(f"hash {one.hash}", soft_wrap=True)
        print_plan(one.summary(), screen)


def make_plans(options: LifeOptions) -> list[Plan]:
    """One plan per seed, from the options that all lives share."""
    from agingbench.bench.life.planning import load_scenario, plan_for
    from agingbench.bench.plan.plan import parse_events

    seeds = chosen_seeds(options["seeds"], options["seed"])
    dials = parse_pairs(options["dials"], "--dial")
    event_texts = split_events(options["events"])

    scenario = load_scenario(options["scenario"] or "s2")
    sessions = options["sessions"] or scenario.default_sessions
    if not event_texts:
        event_texts = list(scenario.default_events(sessions))
    events = parse_events([text for text in event_texts if text != "none"], sessions)

    preset = options["pressure"] or "medium"
    return [plan_for(scenario, preset, dials, sessions, seed, events) for seed in seeds]
