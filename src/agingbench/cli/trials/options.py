"""Options that the `trials` commands share: which ledger, and which trials of it."""

from __future__ import annotations

import math
from datetime import UTC
from typing import TYPE_CHECKING, TypedDict

import click

from agingbench.cli.completion import complete, complete_words
from agingbench.cli.moments import parse_moment
from agingbench.cli.options import AliasOption, OneOf, compose, ledger_option, parse_pairs
from agingbench.cli.output import console, echo
from agingbench.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from agingbench.trials.ledger import Ledger
    from agingbench.trials.query import Query

WIDE = 240
REWARD = click.FloatRange(0, 1)

# Those of the ledger and its queries, without importing them.
LARGEST_COUNT = 2**63 - 1
SORTS = (
    "number",
    "trial_id",
    "experiment_id",
    "dataset_id",
    "task_id",
    "task_revision",
    "model",
    "harness",
    "timestamp",
    "status",
    "completeness",
    "reward",
    "total_seconds",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "record_hash",
    "supersedes",
    "kind",
    "scenario",
    "system_id",
    "memory",
    "agent",
    "condition",
    "seed",
    "sessions",
    "pressure",
    "events",
    "study",
    "cache_read_tokens",
    "cache_write_tokens",
    "advisor_calls",
    "advisor_input_tokens",
    "advisor_output_tokens",
    "setup_seconds",
    "agent_seconds",
    "verification_seconds",
)

trials_ledger_option = ledger_option("runs")

experiment_option = click.option(
    "--experiment",
    cls=AliasOption,
    aliases=("-e",),
    default=None,
    metavar="NAME",
    help="Only trials of this experiment.",
)

model_option = click.option(
    "--model",
    "-m",
    default=None,
    metavar="NAME",
    shell_complete=complete("model"),
    help="Only trials of this model.",
)


class QueryOptions(TypedDict):
    """The values of `query_options`."""

    experiment: str | None
    task_prefix: str | None
    model: str | None
    harness: str | None
    since: str | None
    until: str | None
    status: str | None
    completeness: str | None
    min_reward: float | None
    max_reward: float | None
    evaluated: bool | None
    every: bool
    conditions: tuple[str, ...]
    sort: str
    descending: bool
    limit: int | None


# Which trials: filters, order and limit.
query_options = compose(
    experiment_option,
    click.option(
        "--task",
        "task_prefix",
        default=None,
        metavar="PREFIX",
        help="Only trials whose task begins so.",
    ),
    model_option,
    click.option(
        "--harness", default=None, metavar="NAME", help="Only trials of this harness (adapter)."
    ),
    click.option(
        "--since", default=None, metavar="DATE", help="From this day or time on, or '2 weeks ago'."
    ),
    click.option(
        "--until", default=None, metavar="DATE", help="Up to this day (inclusive) or time."
    ),
    click.option(
        "--status",
        type=OneOf(["completed", "partial", "failed", "empty"]),
        default=None,
        help="Only trials that ended so.",
    ),
    click.option(
        "--completeness",
        type=OneOf(["complete", "partial"]),
        default=None,
        help="Only complete or only partial records.",
    ),
    click.option("--min-reward", type=REWARD, default=None, help="At least this reward."),
    click.option("--max-reward", type=REWARD, default=None, help="At most this reward."),
    click.option(
        "--evaluated/--not-evaluated",
        default=None,
        help="Only trials with a reward, or only those without.",
    ),
    click.option(
        "--where",
        "conditions",
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Only trials with this value, such as memory=careful_compress; repeatable.",
    ),
    click.option(
        "--all",
        "every",
        is_flag=True,
        help="Also records that a later one supersedes, such as the partial one of a life.",
    ),
    click.option(
        "--sort",
        default="number",
        show_default=True,
        metavar="COLUMN",
        shell_complete=complete_words(SORTS),
        help="A column, such as timestamp, reward, cost_usd, tokens_in or sessions.",
    ),
    click.option("--desc", "descending", is_flag=True, help="Largest or latest first."),
    click.option(
        "--limit",
        cls=AliasOption,
        aliases=("-n",),
        type=click.IntRange(0, LARGEST_COUNT),
        default=None,
        metavar="N",
        help="No more than this many.",
    ),
)


def existing(place: str) -> Ledger:
    """Open a ledger that must be there."""
    from agingbench.trials.ledger import open_ledger

    return open_ledger(place, create=False)


def screen() -> Console:
    """The console for people; into a file or a pipe lines are not folded, so ids stay whole."""
    wide = console()
    if not wide.is_terminal:
        wide.width = max(wide.width, WIDE)
    return wide


def print_unmet(ledger: Ledger, query: Query) -> None:
    """Say on standard error which filter leaves nothing, and what was perhaps meant."""
    for line in ledger.store.unmet(query):
        echo(line, err=True)


class LedgerOnDemand:
    """Opens a ledger only when a trial in it is asked for: files need none."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._ledger: Ledger | None = None

    def __call__(self) -> Ledger:
        if self._ledger is None:
            self._ledger = existing(self.place)
        return self._ledger

    def __enter__(self) -> LedgerOnDemand:
        return self

    def __exit__(self, *_: object) -> None:
        if self._ledger is not None:
            self._ledger.close()


def make_query(options: QueryOptions) -> Query:
    """The query that the query options ask for."""
    from agingbench.trials.query import Query, parse_day, read_conditions

    for reward in (options["min_reward"], options["max_reward"]):
        if reward is not None and math.isnan(reward):
            raise InputError("a reward is a number from 0 to 1")
    since = options["since"]
    until = options["until"]
    return Query(
        experiment=options["experiment"],
        task_prefix=options["task_prefix"],
        model=options["model"],
        harness=options["harness"],
        since=parse_moment(since, "--since").astimezone(UTC) if since else None,
        until=parse_day(until, end=True) if until else None,
        status=options["status"],
        completeness=options["completeness"],
        min_reward=options["min_reward"],
        max_reward=options["max_reward"],
        evaluated=options["evaluated"],
        newest=not options["every"],
        equals=read_conditions(parse_pairs(options["conditions"], "--where")),
        sort=options["sort"],
        descending=options["descending"],
        limit=options["limit"],
    )
