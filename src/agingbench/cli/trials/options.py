"""Options that the `trials` commands share: which ledger, and which trials of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console

from agingbench.cli.options import console
from agingbench.errors import InputError
from agingbench.trials.entries import LARGEST_COUNT
from agingbench.trials.inspect.transcripts import AUTO
from agingbench.trials.ledger import Ledger, open_ledger
from agingbench.trials.query import SORTS, Query, parse_day

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_LEDGER = "runs"
WIDE = 240
REWARD = click.FloatRange(0, 1)
LIMIT = click.IntRange(0, LARGEST_COUNT)


def ledger_option(command: F) -> F:
    """`--ledger`: where the evidence is kept."""
    return click.option(
        "--ledger",
        "-l",
        "place",
        default=DEFAULT_LEDGER,
        envvar="AGINGBENCH_LEDGER",
        show_default=True,
        metavar="PATH|URL",
        help="The ledger: a file, a folder or a postgresql:// URL.",
    )(command)


def format_option(command: F) -> F:
    """`--format`: how a trace file is to be read."""
    told = (
        "How the trace is to be read: auto, conversation, or a name of `agingbench list formats`."
    )
    return click.option(
        "--format", "trace_format", default=AUTO, show_default=True, metavar="NAME", help=told
    )(command)


def existing(place: str) -> Ledger:
    """A ledger that must be there."""
    return open_ledger(place, create=False)


def screen() -> Console:
    """Where people read. What goes into a file or a pipe is not folded: an id stays in one piece."""
    made = console()
    if not made.is_terminal:
        made.width = max(made.width, WIDE)
    return made


def tell_unmet(ledger: Ledger, query: Query) -> None:
    """Say on standard error which filter leaves nothing, and what was perhaps meant."""
    for told in ledger.store.unmet(query):
        click.echo(told, err=True)


class Lazily:
    """Opens a ledger only when somebody asks for a trial in it: files need none."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._ledger: Ledger | None = None

    def __call__(self) -> Ledger:
        self._ledger = self._ledger or existing(self.place)
        return self._ledger

    def __enter__(self) -> Lazily:
        return self

    def __exit__(self, *_: object) -> None:
        if self._ledger is not None:
            self._ledger.close()


def query_options(command: F) -> F:
    """Which trials: filters, order and limit."""
    for option in reversed(
        [
            click.option("--experiment", "-e", default=None, help="Of this experiment."),
            click.option(
                "--task",
                "task_prefix",
                default=None,
                metavar="PREFIX",
                help="Whose task begins so.",
            ),
            click.option("--model", "-m", default=None, help="Of this model."),
            click.option("--harness", default=None, help="Of this harness (adapter)."),
            click.option("--since", default=None, metavar="DATE", help="From this day or time on."),
            click.option(
                "--until", default=None, metavar="DATE", help="Up to this day (inclusive) or time."
            ),
            click.option(
                "--status",
                type=click.Choice(["completed", "partial", "failed", "empty"]),
                help="How it ended.",
            ),
            click.option(
                "--completeness",
                type=click.Choice(["complete", "partial"]),
                help="Complete or partial.",
            ),
            click.option("--min-reward", type=REWARD, default=None, help="At least this reward."),
            click.option("--max-reward", type=REWARD, default=None, help="At most this reward."),
            click.option(
                "--evaluated/--not-evaluated", default=None, help="With or without a reward."
            ),
            click.option(
                "--sort",
                default="number",
                show_default=True,
                metavar="COLUMN",
                help=f"{', '.join(SORTS)}.",
            ),
            click.option("--desc", "descending", is_flag=True, help="Largest or latest first."),
            click.option("--limit", "-n", type=LIMIT, default=None, help="No more than this many."),
        ]
    ):
        command = option(command)
    return command


def make_query(given: dict[str, Any]) -> Query:
    """The query that these options ask for."""
    since = given.pop("since")
    until = given.pop("until")
    if any(math.isnan(given[name] or 0) for name in ("min_reward", "max_reward")):
        raise InputError("a reward is a number from 0 to 1")
    return Query(
        since=parse_day(since) if since else None,
        until=parse_day(until, end=True) if until else None,
        **given,
    )
