"""The `resumption` commands that make runs and read them: run, compare, falsify, pareto."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import Progress

from agingbench.cli.options import console, json_option, print_json, shown
from agingbench.cli.resumption.options import (
    FOLDER,
    UNCALIBRATED,
    benchmark_folder,
    data_option,
    episodes_option,
    gate_exit_code,
    ledger_option,
    runs_folder,
    source_option,
    who_options,
)
from agingbench.errors import InputError
from agingbench.report.resumption import print_comparison, print_falsify, print_pareto, print_run
from agingbench.resumption.analysis.compare import compare as compare_runs
from agingbench.resumption.analysis.compare import load_run, select_source
from agingbench.resumption.analysis.falsify import falsify as test_conditions
from agingbench.resumption.analysis.pareto import pareto as pareto_of
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.runs.run import RunResult, RunSettings, run_benchmark
from agingbench.trials.runs import ledger_place


@click.command(epilog="Example: agingbench resumption run --consolidator structured --budget 2000")
@episodes_option
@click.option(
    "--consolidator",
    "-c",
    required=True,
    help="raw, summary, structured, compaction, a memory policy, …",
)
@click.option(
    "--budget",
    "-b",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Tokens of a context.",
)
@who_options
@data_option
@click.option(
    "--out", "-o", type=FOLDER, default=None, help="Where runs go [runs of the benchmark folder]."
)
@ledger_option
@json_option
def run(
    episodes: Path | None,
    consolidator: str,
    budget: int,
    agent: str,
    judge: str,
    model: str,
    data: Path | None,
    out: Path | None,
    ledger: str | None,
    as_json: bool,
) -> int:
    """Score a consolidator. A run that was stopped continues with the same command.

    Below κ = 0.6 on any component no number is published: verdicts are written, marked
    uncalibrated, and the exit code is 3. There is no option that changes this.
    """
    settings = RunSettings(consolidator, budget, agent, judge, model)
    result = _run(benchmark_folder(episodes), settings, data, out, as_json, ledger)
    told = _run_json(result, settings)
    if as_json:
        print_json(told)
    else:
        print_run(told, console())
        click.echo(f"scores: {shown(result.path / 'scores.parquet')}")
    return _code(result)


def _code(result: RunResult) -> int:
    if not result.gate.passed:
        return UNCALIBRATED
    return 0 if result.summary.publishable else 2


def _run(
    folder: Path,
    settings: RunSettings,
    data: Path | None,
    out: Path | None,
    quiet: bool,
    ledger: str | None,
) -> RunResult:
    runs = runs_folder(out, folder) or BenchmarkFolder(folder).runs
    err = Console(stderr=True)
    with Progress(console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        task = bar.add_task(f"{settings.consolidator} at {settings.budget}", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        place = ledger_place(ledger, runs)
        return run_benchmark(folder, settings, data=data, out=runs, ledger=place, progress=progress)


def _run_json(result: RunResult, settings: RunSettings) -> dict[str, Any]:
    return {
        "run_id": result.run_id,
        "path": shown(result.path),
        **msgspec.to_builtins(settings),
        "tokenizer": result.gate.identity.tokenizer if result.gate.identity else None,
        "gate": result.gate.words,
        "passed": result.gate.passed,
        "reasons": result.gate.reasons,
        **msgspec.to_builtins(result.summary),
    }


@click.command(
    epilog="Example: agingbench resumption compare benchmark/runs/structured-… benchmark/runs/raw-…"
)
@click.argument("runs", metavar="RUN RUN…", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--handover",
    is_flag=True,
    help="Compare the hand-overs to a different agent in place of the rest.",
)
@source_option
@json_option
def compare(runs: tuple[Path, ...], handover: bool, source: str | None, as_json: bool) -> int:
    """Compare the first run with each of the others, paired by episode."""
    if len(runs) < 2:
        raise InputError("compare takes two runs or more")
    first, *others = [select_source(load_run(path), source) for path in runs]
    results = [compare_runs(first, other, handover=handover) for other in others]
    if as_json:
        print_json(msgspec.to_builtins(results))
    elif all(result.calibrated for result in results):
        for result in results:
            print_comparison(msgspec.to_builtins(result), console())
    return gate_exit_code([first, *others])


@click.command(epilog="Example: agingbench resumption falsify --budget 2000 --data traces")
@episodes_option
@click.option(
    "--budget",
    "-b",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Tokens, for all three.",
)
@click.option(
    "--structured",
    default="structured",
    show_default=True,
    help="The consolidator put to the test.",
)
@source_option
@who_options
@data_option
@click.option(
    "--out", "-o", type=FOLDER, default=None, help="Where runs go [runs of the benchmark folder]."
)
@ledger_option
@json_option
def falsify(
    episodes: Path | None,
    budget: int,
    structured: str,
    source: str | None,
    agent: str,
    judge: str,
    model: str,
    data: Path | None,
    out: Path | None,
    ledger: str | None,
    as_json: bool,
) -> int:
    """Run structured, raw and summary at one budget and put the spec's three conditions to the
    test.

    Exit 1 when a condition is met (structured consolidation is refuted there), 3 when the judge is
    uncalibrated.
    """
    folder = benchmark_folder(episodes)
    runs = []
    for name in (structured, "raw", "summary"):
        result = _run(
            folder, RunSettings(name, budget, agent, judge, model), data, out, as_json, ledger
        )
        if result.gate.passed and not result.summary.publishable:
            raise InputError(f"{name}: {result.summary.notes[0]}")
        runs.append(select_source(load_run(result.path), source))
    outcome = test_conditions(*runs)
    if as_json:
        print_json(msgspec.to_builtins(outcome))
    elif outcome.calibrated:
        print_falsify(msgspec.to_builtins(outcome), console())
    if not outcome.calibrated:
        return gate_exit_code(runs)
    return int(any(condition.outcome == "met" for condition in outcome.conditions))


@click.command(
    epilog=(
        "Example: agingbench resumption pareto --consolidator structured --budgets"
        " 250,500,1000,2000"
    )
)
@click.argument("runs", metavar="[RUN…]", nargs=-1, type=FOLDER)
@episodes_option
@click.option("--consolidator", "-c", "names", multiple=True, help="Run these first; repeatable.")
@click.option(
    "--budgets", default="250,500,1000,2000", show_default=True, help="Budgets to run them at."
)
@who_options
@data_option
@click.option(
    "--out", "-o", type=FOLDER, default=None, help="Where runs go [runs of the benchmark folder]."
)
@ledger_option
@json_option
def pareto(
    runs: tuple[Path, ...],
    episodes: Path | None,
    names: tuple[str, ...],
    budgets: str,
    agent: str,
    judge: str,
    model: str,
    data: Path | None,
    out: Path | None,
    ledger: str | None,
    as_json: bool,
) -> int:
    """Quality against context tokens, and the runs that no other beats in both."""
    paths = list(runs)
    for name in names:
        for budget in _budgets(budgets):
            settings = RunSettings(name, budget, agent, judge, model)
            paths.append(
                _run(benchmark_folder(episodes), settings, data, out, as_json, ledger).path
            )
    if not paths:
        raise InputError("give runs, or --consolidator to run some")
    loaded = [load_run(path) for path in paths]
    closed = gate_exit_code(loaded)
    points = msgspec.to_builtins(pareto_of(loaded))
    if as_json:
        print_json(points)  # without a passed gate every figure of a point is null
    elif not closed:
        print_pareto(points, console())
    return closed


def _budgets(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(
            f"--budgets {text}: write numbers with commas between, such as 500,1000,2000"
        ) from error
    if not found or min(found) < 1:
        raise InputError(f"--budgets {text}: a budget is at least 1 token")
    return found
