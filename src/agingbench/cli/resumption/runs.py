"""The `resumption` commands that make runs and read them: run, compare, falsify, pareto."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from agingbench.cli.completion import complete
from agingbench.cli.options import FOLDER, compose, epilog, json_option, ledger_option
from agingbench.cli.output import console, echo, print_json, print_next, progress_bar, shown, typed
from agingbench.cli.resumption.options import (
    UNCALIBRATED,
    WhoAndWhere,
    benchmark_folder,
    budget_option,
    data_option,
    episodes_option,
    gate_exit_code,
    runs_folder,
    runs_option,
    source_option,
    who_options,
)
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.resumption.analysis.compare import ScoredRun
    from agingbench.resumption.episodes.episode import EpisodeKind
    from agingbench.resumption.runs.run import RunResult, RunSettings

_place_options = compose(data_option, runs_option, ledger_option())
_RUN_CODES = "0 done, 2 wrong input, 3 the judge is not calibrated"


@dataclass(frozen=True)
class Runner:
    """What all runs of one command share: benchmark, who takes part, and where results go."""

    folder: Path
    agent: str
    judge: str
    model: str
    data: Path | None
    out: Path
    place: str | None
    as_json: bool
    trust: bool
    kind: EpisodeKind | None

    @classmethod
    def of(cls, options: WhoAndWhere, as_json: bool) -> Runner:
        """The runner that the options of a command describe."""
        folder = benchmark_folder(options["episodes"])
        out = runs_folder(options["out"], folder)
        return cls(
            folder,
            options["agent"],
            options["judge"],
            options["model"],
            options["data"],
            out,
            options["place"],
            as_json,
            options["trust"],
            options["kind"],
        )

    def settings(self, consolidator: str, budget: int) -> RunSettings:
        """The settings of one run."""
        from agingbench.resumption.runs.run import RunSettings

        return RunSettings(consolidator, budget, self.agent, self.judge, self.model, self.kind)

    def run(self, consolidator: str, budget: int) -> RunResult:
        """Run one consolidator at one budget and show how far it is."""
        from agingbench.resumption.runs.run import run_benchmark
        from agingbench.trials.runs import ledger_place

        with progress_bar(f"{consolidator} at {budget}", None, self.as_json) as bar:
            return run_benchmark(
                self.folder,
                self.settings(consolidator, budget),
                data=self.data,
                out=self.out,
                ledger=ledger_place(self.place, self.out),
                progress=bar.set,
                trust=self.trust,
            )


@click.command(
    epilog=epilog("agingbench resumption run --consolidator structured --budget 2000", _RUN_CODES)
)
@episodes_option
@click.option(
    "--consolidator",
    "-c",
    required=True,
    metavar="NAME",
    shell_complete=complete("consolidator"),
    help="raw, summary, structured, compaction, a memory policy, or module:Class.",
)
@budget_option
@who_options
@_place_options
@json_option
def run(consolidator: str, budget: int, as_json: bool, **options: Unpack[WhoAndWhere]) -> int:
    """Score a consolidator.

    A run that was stopped continues with the same command. Below κ = 0.6 on any
    component no number is published: verdicts are written, marked uncalibrated,
    and the exit code is 3. There is no option that changes this.
    """
    import msgspec

    from agingbench.report.resumption import print_run

    runner = Runner.of(options, as_json)
    result = runner.run(consolidator, budget)
    document = msgspec.structs.replace(result.document, path=shown(result.path))
    if as_json:
        print_json(msgspec.to_builtins(document))
    else:
        print_run(document, console())
        echo(f"scores: {shown(result.path / 'scores.parquet')}")
        print_next(
            f"agingbench report {typed(result.path)}", "components and who graded, in a browser"
        )

    if not result.gate.passed:
        return UNCALIBRATED
    return 0 if result.summary.publishable else 2


@click.command(
    epilog=epilog(
        "agingbench resumption compare benchmark/runs/structured-… benchmark/runs/raw-…",
        _RUN_CODES,
    )
)
@click.argument("runs", metavar="RUN RUN…", nargs=-1, required=True, type=FOLDER)
@click.option("--handover", is_flag=True, help="Compare only hand-overs to a different agent.")
@source_option
@json_option
def compare(runs: tuple[Path, ...], handover: bool, source: str | None, as_json: bool) -> int:
    """Compare the first run with the others, by episode.

    The first run is compared with each of the others.
    """
    import msgspec

    from agingbench.report.resumption import print_comparison
    from agingbench.resumption.analysis.compare import compare as compare_runs
    from agingbench.resumption.analysis.compare import load_run, select_source

    if len(runs) < 2:
        raise InputError("compare takes two runs or more")
    first, *others = [select_source(load_run(path), source) for path in runs]
    results = [compare_runs(first, other, handover=handover) for other in others]
    if as_json:
        print_json(msgspec.to_builtins(results))
    elif all(result.calibrated for result in results):
        for result in results:
            print_comparison(result, console())
        places = " ".join(typed(path) for path in runs)
        print_next(f"agingbench report {places}", "the runs side by side, in a browser")
    return gate_exit_code([first, *others])


@click.command(
    epilog=epilog(
        "agingbench resumption falsify --budget 2000 --data traces",
        "0 no condition is met, 1 a condition is met, 2 wrong input, 3 the judge is not calibrated",
    )
)
@episodes_option
@budget_option
@click.option(
    "--structured",
    default="structured",
    show_default=True,
    metavar="NAME",
    shell_complete=complete("consolidator"),
    help="The consolidator that is put to the test.",
)
@source_option
@who_options
@_place_options
@json_option
def falsify(
    budget: int, structured: str, source: str | None, as_json: bool, **options: Unpack[WhoAndWhere]
) -> int:
    """Test the three conditions that refute structured state.

    Runs structured, raw and summary at one budget. Where a condition of the
    spec is met, structured consolidation is refuted.
    """
    import msgspec

    from agingbench.report.resumption import print_falsify
    from agingbench.resumption.analysis.compare import load_run, select_source
    from agingbench.resumption.analysis.falsify import falsify as check_conditions

    runner = Runner.of(options, as_json)
    runs: list[ScoredRun] = []
    closed: dict[str, None] = {}
    for name in (structured, "raw", "summary"):
        result = runner.run(name, budget)
        closed |= dict.fromkeys(result.gate.reasons)
        if result.gate.passed and not result.summary.publishable:
            raise InputError(f"{name}: {result.summary.notes[0]}")
        runs.append(select_source(load_run(result.path), source))

    verdict = check_conditions(runs[0], runs[1], runs[2], closed=list(closed))
    if as_json:
        print_json(msgspec.to_builtins(verdict))
    elif verdict.calibrated:
        print_falsify(verdict, console())
        print_next("agingbench resumption plan --effect 0.1", "how many episodes an effect needs")
    if not verdict.calibrated:
        code = gate_exit_code(runs)
        for reason in closed:
            echo(f"- {reason}", err=True)
        return code
    return int(any(condition.outcome == "met" for condition in verdict.conditions))


@click.command(
    epilog=epilog(
        "agingbench resumption pareto --consolidator structured --budgets 250,500,1000,2000",
        _RUN_CODES,
    )
)
@click.argument("runs", metavar="[RUN…]", nargs=-1, type=FOLDER)
@episodes_option
@click.option(
    "--consolidator",
    "-c",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=complete("consolidator"),
    help="Run this one first; repeatable.",
)
@click.option(
    "--budgets",
    default="250,500,1000,2000",
    show_default=True,
    help="Budgets to run them at.",
)
@who_options
@_place_options
@json_option
def pareto(
    runs: tuple[Path, ...],
    names: tuple[str, ...],
    budgets: str,
    as_json: bool,
    **options: Unpack[WhoAndWhere],
) -> int:
    """Show quality against context tokens.

    Names the runs that no other beats in both. Give runs, or consolidators to
    run first.
    """
    import msgspec

    from agingbench.report.resumption import print_pareto
    from agingbench.resumption.analysis.compare import load_run
    from agingbench.resumption.analysis.pareto import pareto as pareto_points

    paths = list(runs)
    runner = Runner.of(options, as_json)
    for name in names:
        for budget in _budgets(budgets):
            paths.append(runner.run(name, budget).path)
    if not paths:
        raise InputError("give runs, or --consolidator to run some")

    loaded = [load_run(path) for path in paths]
    code = gate_exit_code(loaded)
    points = pareto_points(loaded)
    if as_json:
        # Without a passed gate every figure of a point is null.
        print_json(msgspec.to_builtins(points))
    elif not code:
        print_pareto(points, console())
        places = " ".join(typed(path) for path in paths)
        print_next(f"agingbench report {places}", "the same in a browser")
    return code


def _budgets(text: str) -> list[int]:
    try:
        budgets = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(
            f"--budgets {text}: write numbers with commas between, such as 500,1000,2000"
        ) from error
    if min(budgets) < 1:
        raise InputError(f"--budgets {text}: a budget is at least 1 token")
    return budgets
