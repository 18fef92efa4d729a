"""`agingbench run`: live lives and score them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agingbench.bench.plan import Plan, Scenario
from agingbench.bench.run import run_life
from agingbench.bench.rundir import RunDirectory
from agingbench.bench.sut import Sut, build, read_sut_file
from agingbench.cli.options import (
    chosen_seeds,
    console,
    json_option,
    life_options,
    make_plans,
    parse_pairs,
    print_json,
    shown,
    split_events,
)
from agingbench.errors import AgingBenchError, InputError, ModelError
from agingbench.report.charts import draw_curve
from agingbench.report.tables import print_lives
from agingbench.report.terminal import print_card

# What a SUT file may say beside the system itself, and how; flags win over it.
ALSO: dict[str, tuple[str, tuple[type, ...]]] = {
    "scenario": ("be a name", (str,)),
    "sessions": ("be a count", (int,)),
    "seeds": ("be a count, a range or a list", (int, str, list)),
    "pressure": ("be a name", (str,)),
    "dials": ("map names to values", (dict,)),
    "events": ("be a list of NAME@POINT", (str, list)),
}


@click.command(epilog="Example: agingbench run --scenario s2 --memory careful_compress --seeds 3 --out runs")
@life_options
@click.option("--model", "-m", default=None, help="Model, e.g. extractive or openai:MODEL_ID.")
@click.option("--memory", default=None, help="Memory policy (see `agingbench list memory`).")
@click.option("--agent", default=None, help="Agent; react by default.")
@click.option(
    "--model-option",
    "model_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="E.g. base_url=http://localhost:8000/v1",
)
@click.option("--memory-option", "memory_options", multiple=True, metavar="NAME=VALUE", help="E.g. words=200 or k=8")
@click.option("--agent-option", "agent_options", multiple=True, metavar="NAME=VALUE", help="E.g. max_turns=4")
@click.option(
    "--sut", "sut_file", type=click.Path(path_type=Path), default=None, help="YAML file that says all of this."
)
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False), default=Path("runs"), show_default=True)
@click.option(
    "--workers", type=click.IntRange(1, 256), default=None, help="Probes asked at once [1; 8 for remote models]."
)
@click.option("--cache/--no-cache", default=True, help="Keep replies of remote models under OUT/.cache.")
@click.option("--plots/--no-plots", default=True, help="Draw aging_curve.png and .svg.")
@json_option
def run(
    out: Path, workers: int | None, cache: bool, plots: bool, as_json: bool, sut_file: Path | None, **given: Any
) -> None:
    """Live a scenario with a system under test and write its AgingCard.

    A life that was stopped continues where it stopped when the same command is given again.
    """
    scenario, plans, sut = _resolve(sut_file, given)
    embedded = sut.model == "extractive"
    folder = None if embedded or not cache else out / ".cache"
    workers = workers or (1 if embedded else 8)
    build(sut, scenario.role)  # names, options and keys are checked before the first life starts
    done: list[tuple[Path, dict[str, Any]]] = []
    failed: list[str] = []
    with _progress(plans, as_json) as bar:
        for plan in plans:
            try:
                life = run_life(plan, sut, out, scenario=scenario, cache=folder, workers=workers, progress=bar)
            except ModelError as error:
                failed.append(f"seed {plan.seed}: {error}")
                continue
            done.append(life)
            if plots:
                place = RunDirectory(life[0])
                draw_curve([life[1]], place.curve_png, place.curve_svg)
            if as_json:
                print_json({"run_dir": str(life[0]), "card": life[1]})
    if done and not as_json:
        _tell(done, out)
    if failed:
        raise AgingBenchError(f"{len(failed)} of {len(plans)} lives stopped ({failed[0]}); run again to continue them")


def _resolve(sut_file: Path | None, given: dict[str, Any]) -> tuple[Scenario, list[Plan], Sut]:
    sut, rest = read_sut_file(sut_file, frozenset(ALSO)) if sut_file else (Sut(), {})
    for key, value in rest.items():
        must, kinds = ALSO[key]
        if type(value) not in kinds or (key == "sessions" and value < 1):
            raise InputError(f"SUT file {sut_file}: `{key}` must {must}")
    changes: dict[str, Any] = {k: given[k] for k in ("model", "memory", "agent") if given[k] is not None}
    for key in ("model_options", "memory_options", "agent_options"):
        options = parse_pairs(given[key], f"--{key[:-1].replace('_', '-')}")
        if options:
            changes[key] = {**getattr(sut, key), **options}
    sut = sut.model_copy(update=changes)
    seeds = chosen_seeds(given["seeds"] or _text(rest.get("seeds"), given["seed"]), given["seed"])
    dials = {**rest.get("dials", {}), **parse_pairs(given["dials"], "--dial")}
    events = split_events(given["events"]) or split_events(_texts(rest.get("events")))
    scenario = given["scenario"] or rest.get("scenario")
    sessions = given["sessions"] or rest.get("sessions")
    loaded, plans = make_plans(scenario, sessions, seeds, given["pressure"] or rest.get("pressure"), dials, events)
    return loaded, plans, sut


def _text(seeds: Any, seed: int | None) -> str | None:
    # A list in YAML, a count or a range as text; a --seed on the command line wins over the file.
    if seeds is None or seed is not None:
        return None
    return ",".join(map(str, seeds)) if isinstance(seeds, list) else str(seeds)


def _texts(events: Any) -> list[str]:
    return [events] if isinstance(events, str) else [str(e) for e in events or []]


@contextmanager
def _progress(plans: list[Plan], as_json: bool) -> Iterator[Any]:
    err = Console(stderr=True)
    if as_json or not err.is_terminal or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as progress:
        total = sum(plan.n_sessions + 1 for plan in plans)
        task = progress.add_task(f"{len(plans)} {'life' if len(plans) == 1 else 'lives'}", total=total)
        yield lambda t: progress.advance(task)


def _tell(done: list[tuple[Path, dict[str, Any]]], out: Path) -> None:
    screen = console()
    cards = [card for _, card in done]
    if len(done) == 1:
        print_card(cards[0], screen)
        screen.print(f"Files: {shown(done[0][0])}", soft_wrap=True)
    else:
        print_lives(cards, screen)
        screen.print(f"Files: {shown(out)} ({len(done)} lives)", soft_wrap=True)
