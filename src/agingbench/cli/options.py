"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agingbench.bench.life.life import load_scenario, plan_for
from agingbench.bench.plan.plan import LifecycleEvent, Plan, Scenario, parse_events
from agingbench.errors import InputError
from agingbench.trials.runs import add_life, ledger_place

F = TypeVar("F", bound=Callable[..., Any])
MOST_SEEDS = 10_000
_LEDGER = "agingbench.ledger"


def parse_seeds(text: str) -> list[int]:
    """A count (3 means 0, 1, 2), a range (0-99) or a list (1,5,9); single seeds and ranges may be
    mixed in a list.
    """
    text = text.strip()
    try:
        spans = (
            [(0, int(text) - 1)]
            if re.fullmatch(r"\d+", text)
            else [_span(part) for part in text.split(",")]
        )
    except ValueError as error:
        raise InputError(
            f"--seeds {text}: give a count (3), a range (0-99) or a list (1,5,9)"
        ) from error
    named = sum(
        max(0, high - low + 1) for low, high in spans
    )  # counted before any list of them is made
    if not named:
        raise InputError(f"--seeds {text}: names no seed")
    if named > MOST_SEEDS:
        raise InputError(f"--seeds {text}: names {named} seeds; {MOST_SEEDS} is the most")
    return list(dict.fromkeys(seed for low, high in spans for seed in range(low, high + 1)))


def _span(part: str) -> tuple[int, int]:
    low, dash, high = part.strip().partition("-")
    return int(low), int(high if dash else low)


def chosen_seeds(seeds: str | None, seed: int | None) -> list[int]:
    """The seeds of `--seeds` or `--seed`; seed 0 when neither is given."""
    if seeds is not None and seed is not None:
        raise InputError("give --seeds or --seed, not both")
    if seeds is not None:
        return parse_seeds(seeds)
    return [0 if seed is None else seed]


def parse_pairs(items: Iterable[str], what: str) -> dict[str, Any]:
    """NAME=VALUE options; values are read as YAML scalars, so numbers are numbers."""
    pairs: dict[str, Any] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise InputError(f"{what} '{item}': write NAME=VALUE")
        try:
            pairs[name.strip()] = yaml.safe_load(value) if value.strip() else ""
        except yaml.YAMLError as error:
            raise InputError(
                f"{what} '{item}': the value cannot be read as YAML; put it in quotes"
            ) from error
    return pairs


def split_events(items: Iterable[str]) -> list[str]:
    """Several events may stand in one option, separated by commas or spaces."""
    return [part for item in items for part in re.split(r"\s+|,(?=[a-z_]+@)", item) if part]


def life_options(command: F) -> F:
    """What makes a plan: scenario, length, seeds, pressure, dials, events."""
    for option in reversed(
        [
            click.option(
                "--scenario",
                "-s",
                default=None,
                help="Scenario, e.g. s2 (see `agingbench list scenarios`).",
            ),
            click.option(
                "--sessions",
                "-n",
                type=click.IntRange(1, 10_000),
                default=None,
                help="Length of the life.",
            ),
            click.option(
                "--seeds", default=None, help="A count (3), a range (0-99) or a list (1,5,9)."
            ),
            click.option("--seed", type=click.IntRange(0), default=None, help="One seed."),
            click.option(
                "--pressure", "-p", default=None, help="none, light, medium (default) or heavy."
            ),
            click.option(
                "--dial",
                "-d",
                "dials",
                multiple=True,
                metavar="NAME=VALUE",
                help="Turn one dial; repeatable.",
            ),
            click.option(
                "--events",
                "-e",
                multiple=True,
                metavar="NAME@POINT",
                help="Lifecycle events; repeatable.",
            ),
        ]
    ):
        command = option(command)
    return command


def json_option(command: F) -> F:
    """`--json`: print for machines, one document or one line per item."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(command)


def make_plans(
    scenario: str | None,
    sessions: int | None,
    seeds: list[int],
    preset: str | None,
    dials: dict[str, Any],
    events: list[str],
) -> tuple[Scenario, list[Plan]]:
    """The scenario and one plan per seed."""
    loaded = load_scenario(scenario or "s2")
    length = sessions or loaded.default_sessions
    named = [e for e in events if e != "none"] if events else loaded.default_events(length)
    parsed: list[LifecycleEvent] = parse_events(named, length)
    return loaded, [
        plan_for(loaded, preset or "medium", dials, length, seed, parsed) for seed in seeds
    ]


def console() -> Console:
    """Where people read: standard output."""
    return Console(highlight=False)


@contextmanager
def progress_bar(label: str, total: int, as_json: bool) -> Iterator[Callable[[int], None] | None]:
    """One bar on standard error for people who wait; call what it gives once for each step."""
    err = Console(stderr=True)
    if as_json or not err.is_terminal or not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda _: progress.advance(task)


def print_json(obj: Any) -> None:
    """One JSON document on one line."""
    click.echo(json.dumps(obj, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")))


def shown(path: Path) -> str:
    """A path as the user would type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def ledger_option(command: F) -> F:
    """`--ledger`: where finished lives end as trials; `keep_life` reads it."""

    def remember(context: click.Context, _: click.Parameter, given: str | None) -> None:
        context.meta[_LEDGER] = given

    return click.option(
        "--ledger",
        default=None,
        envvar="AGINGBENCH_LEDGER",
        metavar="PATH|URL|none",
        expose_value=False,
        callback=remember,
        help="The ledger that lives are added to [OUT/ledger.sqlite].",
    )(command)


def keep_life(folder: Path, out: Path) -> None:
    """Add a scored life to the ledger of this command, once."""
    add_life(ledger_place(click.get_current_context().meta.get(_LEDGER), out), folder)
