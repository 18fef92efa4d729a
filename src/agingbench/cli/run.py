"""`agingbench run`: live lives and score them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from agingbench.bench.diagnosis.recorded import FollowUp
from agingbench.bench.life.cells import live_cell, score_cell, score_life
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import load_scenario, spec_of
from agingbench.bench.life.limits import Budget, BudgetReached, Endpoints, Resources
from agingbench.bench.life.system import Sut, read_sut_file, with_defaults
from agingbench.bench.plan.plan import parse_events
from agingbench.bench.studies.extending import extend as extend_life
from agingbench.bench.studies.grid import SUITES, Cell, check, default_events, load_study
from agingbench.bench.studies.runner import check_prices
from agingbench.cli.options import (
    chosen_seeds,
    console,
    json_option,
    keep_life,
    ledger_option,
    life_options,
    parse_pairs,
    print_json,
    progress_bar,
    shown,
    split_events,
)
from agingbench.cli.score import draw
from agingbench.cli.study import live_all, tell_estimate
from agingbench.errors import AgingBenchError, InputError, ModelError, UnknownName
from agingbench.report.diagnosis import print_diagnosis, print_stages
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


@click.command(
    epilog="Example: agingbench run --scenario s2 --memory careful_compress --seeds 3 --out runs"
)
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
@click.option(
    "--memory-option",
    "memory_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="E.g. words=200 or k=8",
)
@click.option(
    "--agent-option", "agent_options", multiple=True, metavar="NAME=VALUE", help="E.g. max_turns=4"
)
@click.option(
    "--controller",
    default=None,
    metavar="NAME[:ARGS]",
    help="E.g. aggressive or threshold:error=20.",
)
@click.option(
    "--sut",
    "sut_file",
    type=click.Path(path_type=Path),
    default=None,
    help="YAML file that says all of this.",
)
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
    help="Probes asked at once [1; 8 for remote models].",
)
@click.option(
    "--cache/--no-cache", default=True, help="Keep replies of remote models under OUT/.cache."
)
@click.option("--plots/--no-plots", default=True, help="Draw aging_curve.png and .svg.")
@click.option(
    "--control/--no-control", default=True, help="With events: live the life without them too."
)
@click.option(
    "--diagnose",
    is_flag=True,
    help="Ask again with oracle retrieval and gold in context: which stage fails?",
)
@click.option(
    "--bounds", is_flag=True, help="Ask for the no-memory floor and the full-context ceiling."
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Ask for both of a model that is not embedded, too; it takes calls.",
)
@click.option(
    "--suite",
    default=None,
    help="Put the system through a suite: lite, core, full, pressure_sweep.",
)
@click.option(
    "--extend",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    metavar="RUN",
    help="Prolong this life to --sessions; what was lived and asked is not done again.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say how many calls, tokens and dollars it would take, and do nothing.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="USD",
    help="Spend no more.",
)
@ledger_option
@json_option
def run(
    out: Path,
    workers: int | None,
    cache: bool,
    plots: bool,
    as_json: bool,
    sut_file: Path | None,
    suite: str | None,
    extend: Path | None,
    dry_run: bool,
    max_cost: float | None,
    diagnose: bool,
    bounds: bool,
    calibrate: bool,
    **given: Any,
) -> None:
    """Live a scenario with a system under test and write its AgingCard.

    A life that was stopped continues where it stopped when the same command is given again. With
    lifecycle events, the same life without them is lived as well, and the card says what the events
    cost.
    """
    at_once = workers or 8
    resources = Resources(
        Endpoints(at_once),
        Budget(max_cost),
        cache=out / ".cache" if cache else None,
        probes_at_once=workers,
    )
    follow_up = FollowUp(diagnose, bounds or diagnose or calibrate, calibrate)
    if extend is not None:
        _extend(extend, out, resources, given, plots, as_json, follow_up)
        return
    if suite is not None:
        sut, _, said = _system(sut_file, given)
        if suite not in SUITES:
            raise UnknownName("suite", suite, SUITES)
        cells = load_study(suite, sut, said, given["control"]).cells
        live_all(
            cells,
            out,
            workers=None,
            concurrency=at_once,
            dry=dry_run,
            max_cost=max_cost,
            cache=cache,
            as_json=as_json,
            follow_up=follow_up,
        )
        return
    cells = _resolve(sut_file, given)
    check(
        cells, keys=not dry_run
    )  # names, options and keys are checked before the first life starts
    if dry_run:
        tell_estimate(
            [one for cell in cells for one in _with_control(cell)], out, as_json, follow_up
        )
        return
    if max_cost is not None:
        check_prices(cells)
    _live(cells, out, resources, plots, as_json, follow_up)


def _live(
    cells: list[Cell],
    out: Path,
    resources: Resources,
    plots: bool,
    as_json: bool,
    follow_up: FollowUp,
) -> None:
    done: list[tuple[Path, dict[str, Any]]] = []
    failed: list[str] = []
    steps = sum(one.sessions + 1 for cell in cells for one in _with_control(cell))
    steps += sum(cell.sessions for cell in cells if follow_up.ladder)
    label = "1 life" if len(cells) == 1 else f"{len(cells)} lives"
    with progress_bar(label, steps, as_json) as bar:
        for cell in cells:
            try:
                for one in _with_control(cell):
                    place, _ = live_cell(one, out, resources, bar)
                    if one is cell:
                        follow_up.ask(place, resources, bar)
                    life = score_cell(one, out)
                    keep_life(life[0], out)
            except (ModelError, BudgetReached) as error:
                failed.append(f"seed {cell.seed}: {error}")
                continue
            done.append(life)
            _finish(life, plots, as_json)
    if done and not as_json:
        _tell(done, out)
    if resources.budget.reached:
        raise AgingBenchError(f"{len(failed)} of {len(cells)} lives are not finished ({failed[0]})")
    if failed:
        raise AgingBenchError(
            f"{len(failed)} of {len(cells)} lives stopped ({failed[0]}); run again to continue them"
        )


def _with_control(cell: Cell) -> list[Cell]:
    return [cell.without_events(), cell] if cell.controlled else [cell]


def _finish(life: tuple[Path, dict[str, Any]], plots: bool, as_json: bool) -> None:
    if plots:
        draw(RunDirectory(life[0]), life[1])
    if as_json:
        print_json({"run_dir": str(life[0]), "card": life[1]})


def _extend(
    run: Path,
    out: Path,
    resources: Resources,
    given: dict[str, Any],
    plots: bool,
    as_json: bool,
    follow_up: FollowUp,
) -> None:
    if given["sessions"] is None:
        raise InputError("--extend needs --sessions: how long the life is to be")
    context = click.get_current_context()
    named = context.get_parameter_source("out") is ParameterSource.COMMANDLINE
    life = extend_life(run, given["sessions"], out if named else None, resources)
    if follow_up.anything:
        follow_up.ask(life[0], resources)
        life = life[0], score_life(life[0])
    keep_life(life[0], out if named else life[0].parents[3])
    _finish(life, plots, as_json)
    if not as_json:
        _tell([life], out)


def _system(
    sut_file: Path | None, given: dict[str, Any]
) -> tuple[Sut, dict[str, Any], frozenset[str]]:
    """The system, what the file says beside it, and which parts of it somebody named."""
    sut, rest = read_sut_file(sut_file, frozenset(ALSO)) if sut_file else (Sut(), {})
    for key, value in rest.items():
        must, kinds = ALSO[key]
        if type(value) not in kinds or (key == "sessions" and value < 1):
            raise InputError(f"SUT file {sut_file}: `{key}` must {must}")
    changes: dict[str, Any] = {
        k: given[k] for k in ("model", "memory", "agent", "controller") if given[k] is not None
    }
    for key in ("model_options", "memory_options", "agent_options"):
        options = parse_pairs(given[key], f"--{key[:-1].replace('_', '-')}")
        if options:
            changes[key] = {**getattr(sut, key), **options}
    return sut.model_copy(update=changes), rest, frozenset(sut.model_fields_set | changes.keys())


def _resolve(sut_file: Path | None, given: dict[str, Any]) -> list[Cell]:
    sut, rest, said = _system(sut_file, given)
    seeds = chosen_seeds(given["seeds"] or _text(rest.get("seeds"), given["seed"]), given["seed"])
    dials = {**rest.get("dials", {}), **parse_pairs(given["dials"], "--dial")}
    named = split_events(given["events"]) or split_events(_texts(rest.get("events")))
    scenario = load_scenario(given["scenario"] or rest.get("scenario") or "s2")
    sut = with_defaults(sut, scenario, said)
    sessions = given["sessions"] or rest.get("sessions") or scenario.default_sessions
    parsed = tuple(
        str(event) for event in parse_events([e for e in named if e != "none"], sessions)
    )
    events = parsed if named else default_events(scenario, sessions, sut)
    preset = given["pressure"] or rest.get("pressure") or "medium"
    turned = tuple(sorted(dials.items()))
    return [
        Cell(spec_of(scenario), sut, sessions, preset, turned, events, s, given["control"])
        for s in seeds
    ]


def _text(seeds: Any, seed: int | None) -> str | None:
    # A list in YAML, a count or a range as text; a --seed on the command line wins over the file.
    if seeds is None or seed is not None:
        return None
    return ",".join(map(str, seeds)) if isinstance(seeds, list) else str(seeds)


def _texts(events: Any) -> list[str]:
    return [events] if isinstance(events, str) else [str(e) for e in events or []]


def _tell(done: list[tuple[Path, dict[str, Any]]], out: Path) -> None:
    screen = console()
    cards = [card for _, card in done]
    if len(done) == 1:
        print_card(cards[0], screen)
        print_diagnosis(cards[0], screen)
        screen.print(f"Files: {shown(done[0][0])}", soft_wrap=True)
    else:
        print_lives(cards, screen)
        print_stages(cards, screen)
        screen.print(f"Files: {shown(out)} ({len(done)} lives)", soft_wrap=True)
