"""The `trials` commands that put systems beside each other: rank and trend."""

from __future__ import annotations

from typing import Unpack

import click

from agingbench.cli.options import OneOf, epilog, json_option
from agingbench.cli.output import print_json
from agingbench.cli.trials.options import (
    QueryOptions,
    existing,
    make_query,
    print_unmet,
    query_options,
    screen,
    trials_ledger_option,
)

# Those of the ranking and the trend, without importing them.
RANKS = ("reward", "cost_usd", "tokens", "reward_per_usd", "advisor_calls", "seconds")
PERIODS = ("day", "week", "month")
VIEWS = ("reward", "cost", "advisor")

pool_option = click.option(
    "--pool",
    multiple=True,
    metavar="COLUMN",
    help="Average over this column too, such as study or sessions; repeatable.",
)


@click.command(epilog=epilog("agingbench trials rank --task s2 --view cost --by reward_per_usd"))
@trials_ledger_option
@query_options
@click.option(
    "--by", type=OneOf(RANKS), default="reward", show_default=True, help="What decides the order."
)
@click.option(
    "--view",
    type=OneOf(VIEWS),
    default="reward",
    show_default=True,
    help="Which figures are shown: rewards, cost-efficiency or advisors.",
)
@pool_option
@click.option(
    "--diagnostic", is_flag=True, help="Show partial records too, apart and never ranked."
)
@json_option
def rank(
    place: str,
    by: str,
    view: str,
    pool: tuple[str, ...],
    diagnostic: bool,
    as_json: bool,
    **options: Unpack[QueryOptions],
) -> None:
    """Rank systems by mean reward or by cost.

    Uses complete records only, and says how many were left out and why. Systems
    that differ in task, model, harness, agent, memory, id, sessions, pressure,
    events or study are never averaged unless --pool says so; seeds and nights
    are repetitions.
    """
    import dataclasses

    import msgspec

    from agingbench.report.ranking import print_ranking
    from agingbench.trials.inspect.ranking import rank_trials
    from agingbench.trials.inspect.summary import scrub_struct

    query = dataclasses.replace(make_query(options), newest=False)  # to say what was superseded
    with existing(place) as ledger:
        told = rank_trials(ledger, query, by=by, pool=pool, diagnostic=diagnostic)
        ranking = scrub_struct(told)
        if not ranking.used and not ranking.left_out:
            print_unmet(ledger, query)
    if as_json:
        print_json(msgspec.to_builtins(ranking))
    else:
        print_ranking(ranking, view, screen())


@click.command(epilog=epilog("agingbench trials trend --per week --where study=nightly --json"))
@trials_ledger_option
@query_options
@click.option(
    "--per", type=OneOf(PERIODS), default="day", show_default=True, help="The length of a period."
)
@pool_option
@json_option
def trend(
    place: str,
    per: str,
    pool: tuple[str, ...],
    as_json: bool,
    **options: Unpack[QueryOptions],
) -> None:
    """Tell how systems did night by night, and the cost.

    Mean reward of complete records, trials that were left unfinished, and money
    and tokens of all, per day (UTC), week or month; with the change of the
    reward per period and its interval.
    """
    import msgspec

    from agingbench.report.ranking import print_trend
    from agingbench.trials.inspect.summary import scrub_struct
    from agingbench.trials.inspect.trend import trial_trend

    query = make_query(options)
    with existing(place) as ledger:
        told = scrub_struct(trial_trend(ledger, query, per=per, pool=pool))
        if not told.totals:
            print_unmet(ledger, query)
    if as_json:
        print_json(msgspec.to_builtins(told))
    else:
        print_trend(told, screen())
