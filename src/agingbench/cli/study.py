"""`agingbench study` and `agingbench merge`: many lives at once, and folders of lives put together."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agingbench.bench.diagnosis.recorded import FollowUp
from agingbench.bench.life.limits import Budget, Endpoints, Resources
from agingbench.bench.studies.estimates import total
from agingbench.bench.studies.grid import Cell, check, load_study
from agingbench.bench.studies.reproducing import merge as merge_lives
from agingbench.bench.studies.runner import CellResult, check_prices, dry_run, run_study
from agingbench.cli.options import console, json_option, keep_life, ledger_option, print_json, shown
from agingbench.errors import AgingBenchError, InputError
from agingbench.report.comparison import print_estimate
from agingbench.report.diagnosis import print_stages
from agingbench.report.tables import print_lives


@click.command(epilog="Example: agingbench study lite --out runs")
@click.argument("study_file", metavar="FILE")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    help=(
        "Lives at once [the machine's cores; for remote models as many as --concurrency, at"
        " least 8]."
    ),
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Calls per endpoint.",
)
@click.option(
    "--shard",
    default=None,
    metavar="I/N",
    help="Live only part I of N; `agingbench merge` joins the parts.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would take, and do nothing.")
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="USD",
    help="Spend no more.",
)
@click.option(
    "--control/--no-control",
    default=None,
    help="Live the life without events beside each with events.",
)
@click.option(
    "--cache/--no-cache", default=True, help="Keep replies of remote models under OUT/.cache."
)
@ledger_option
@json_option
def study(
    study_file: str,
    out: Path,
    workers: int | None,
    concurrency: int,
    shard: str | None,
    dry_run: bool,
    max_cost: float | None,
    control: bool | None,
    cache: bool,
    as_json: bool,
) -> None:
    """Live every cell of a study. FILE is a YAML file or a suite: lite, core, full, pressure_sweep.

    A study that was stopped continues with the same command; a second start asks for nothing that
    is there. A life that fails does not stop the others.
    """
    found = load_study(study_file, control=control)
    if shard is not None:
        found = found.shard(*_parts(shard))
    live_all(
        found.cells,
        out,
        workers=workers,
        concurrency=concurrency,
        dry=dry_run,
        max_cost=max_cost,
        cache=cache,
        as_json=as_json,
    )


def live_all(
    cells: Sequence[Cell],
    out: Path,
    *,
    workers: int | None,
    concurrency: int,
    dry: bool,
    max_cost: float | None,
    cache: bool,
    as_json: bool,
    follow_up: FollowUp | None = None,
) -> None:
    """Check all cells, then say what they would take, or live them and tell how it went."""
    check(cells, keys=not dry)
    follow_up = follow_up or FollowUp()
    if dry:
        tell_estimate(cells, out, as_json, follow_up)
        return
    if max_cost is not None:
        check_prices(cells)
    resources = Resources(
        Endpoints(concurrency), Budget(max_cost), cache=out / ".cache" if cache else None
    )
    with progress_over(cells, as_json) as (unit, life):
        outcomes = run_study(
            cells, out, resources, workers=workers, follow_up=follow_up, progress=unit, tell=life
        )
    for outcome in outcomes:
        if outcome.card is not None:
            keep_life(outcome.path, out)
    _tell(outcomes, resources, out, as_json)


def tell_estimate(cells: Sequence[Cell], out: Path, as_json: bool, follow_up: FollowUp) -> None:
    """Calls, tokens and cost of what is still to be lived, and the calls of what is asked
    afterwards.
    """
    rows = dry_run(cells, out)
    whole = total([usage for _, usage in rows])
    groups: dict[tuple[str, str, int, str], list[Any]] = {}
    for cell, usage in rows:
        key = (cell.scenario, cell.sut.id, cell.sessions, " ".join([cell.preset, *cell.events]))
        groups.setdefault(key, []).append(usage)
    result = {
        "lives": len(rows),
        "finished": sum(usage.calls == 0 for _, usage in rows),
        "calls": whole.calls,
        "input_tokens": whole.input_tokens if whole.calls else 0,
        "output_tokens": whole.output_tokens if whole.calls else 0,
        "cost_usd": whole.cost_usd if whole.calls else 0.0,
        "exact": all(cell.embedded for cell, _ in rows),
        "cells": [
            {
                "scenario": s,
                "sut_id": sut,
                "sessions": n,
                "condition": what,
                "lives": len(usages),
                "calls": (took := total(usages)).calls,
                "input_tokens": took.input_tokens,
                "output_tokens": took.output_tokens,
                "cost_usd": took.cost_usd,
            }
            for (s, sut, n, what), usages in groups.items()
        ],
    }
    if as_json:
        print_json(result)
    else:
        print_estimate(result, console())
    if follow_up.anything:
        click.echo(
            f"and at most {follow_up.calls(cells):,} calls for what is asked of the lives after"
            " their end",
            err=True,
        )


def _parts(shard: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)/(\d+)", shard.strip())
    if match is None or int(match.group(2)) < 1:
        raise InputError(f"--shard {shard}: write I/N, such as 1/4")
    return int(match.group(1)), int(match.group(2))


@contextmanager
def progress_over(
    cells: Sequence[Cell], as_json: bool
) -> Iterator[tuple[Callable[[int], None] | None, Callable[[CellResult], None]]]:
    """One bar for all lives on a terminal; with JSON, a line per life as it ends."""
    if as_json:
        yield None, _line
        return
    err = Console(stderr=True)
    if not err.is_terminal or not sys.stderr.isatty():
        yield None, lambda outcome: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(
            f"{len(cells)} {'life' if len(cells) == 1 else 'lives'}", total=len(cells)
        )
        yield None, lambda outcome: bar.advance(task)


def _line(outcome: CellResult) -> None:
    cell = outcome.cell
    card = outcome.card
    print_json(
        {
            "run_dir": str(outcome.path),
            "scenario": cell.scenario,
            "sut_id": cell.sut.id,
            "seed": cell.seed,
            "sessions": cell.sessions,
            "pressure": cell.preset,
            "events": list(cell.events),
            "calls": outcome.calls,
            "content_hash": card["content_hash"] if card else None,
            "error": outcome.error,
        }
    )


def _tell(outcomes: Sequence[CellResult], resources: Resources, out: Path, as_json: bool) -> None:
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    calls = sum(outcome.calls for outcome in outcomes)
    if as_json:
        print_json(
            {
                "lives": len(outcomes),
                "failed": len(failed),
                "calls": calls,
                "cost_usd": resources.budget.spent,
            }
        )
    else:
        screen = console()
        cards = [outcome.card for outcome in outcomes if outcome.card is not None]
        if cards:
            print_lives(cards, screen)
            print_stages(cards, screen)
        screen.print(
            f"Files: {shown(out)} ({len(cards)} lives, {calls} calls in this run)", soft_wrap=True
        )
    if resources.budget.reached:
        told = next(outcome.error for outcome in failed if "--max-cost" in (outcome.error or ""))
        raise AgingBenchError(f"{len(failed)} of {len(outcomes)} lives are not finished: {told}")
    if failed:
        if not as_json:
            for outcome in failed:
                click.echo(f"stopped  {outcome.cell.named()}: {outcome.error}")
        first = failed[0]
        raise AgingBenchError(
            f"{len(failed)} of {len(outcomes)} lives stopped ({first.cell.named()}: {first.error});"
            " run again to continue them"
        )


@click.command(epilog="Example: agingbench merge part1 part2 --out runs")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, file_okay=False))
@json_option
def merge(folders: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Put the lives of several folders into one, such as the shards of a study.

    The same life in two folders is kept once; the same life with different content is refused, and
    nothing changes.
    """
    counts = merge_lives(folders, out)
    if as_json:
        print_json({"out": str(out), **counts})
    else:
        click.echo(
            f"{counts['merged']} lives merged into {shown(out)}, {counts['kept']} were there"
            " already"
        )
