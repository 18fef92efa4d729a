"""`agingbench resumption`: does the next agent carry on correctly from the hand-over it is given?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from agingbench.cli.options import console, json_option, print_json, progress_bar, shown
from agingbench.cli.resumption import runs as resumption_runs
from agingbench.cli.resumption.options import (
    FOLDER,
    UNCALIBRATED,
    benchmark_folder,
    data_option,
    episodes_option,
    gate_exit_code,
)
from agingbench.errors import InputError
from agingbench.report.resumption import print_checks, print_gate, print_plan
from agingbench.resumption.analysis.compare import load_run
from agingbench.resumption.analysis.plan import plan as plan_for
from agingbench.resumption.calibration.calibrate import calibrate as calibrate_judge
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.calibration.grades import load_grades
from agingbench.resumption.calibration.paraphrases import paraphrase_words
from agingbench.resumption.episodes.benchmark_folder import (
    BenchmarkFolder,
    init_benchmark,
    packaged_set,
)
from agingbench.resumption.episodes.check import check_folder
from agingbench.resumption.episodes.cut import draft_episode
from agingbench.resumption.episodes.episode import episode_files, load_episodes
from agingbench.resumption.judges.build import build_judge
from agingbench.traces.files import write_atomic


@click.group(no_args_is_help=False)
def resumption() -> None:
    """The Resumption Benchmark: hand a half-done task over, and see whether the next agent carries
    on correctly.
    """


@resumption.command("init", epilog="Example: agingbench resumption init . --public")
@click.argument("folder", type=FOLDER, default=Path("."))
@click.option("--public", is_flag=True, help="With the public episodes and their hand grades.")
@json_option
def init_command(folder: Path, public: bool, as_json: bool) -> None:
    """Make FOLDER/benchmark, laid out as the spec says: spec, judge prompts, episodes, calibration,
    runs.
    """
    written = [shown(path) for path in init_benchmark(folder, public=public)]
    if as_json:
        print_json({"written": written})
        return
    click.echo(
        f"{len(written)} files written below {shown(folder / 'benchmark')}; what existed was left"
        " alone"
    )


@resumption.command(epilog="Example: agingbench resumption check benchmark --data traces")
@click.argument("folder", type=FOLDER, required=False)
@data_option
@json_option
def check(folder: Path | None, data: Path | None, as_json: bool) -> int:
    """Check every episode of FOLDER: schema, cut, and that each fact is stated where it should be."""
    place = benchmark_folder(folder)
    with progress_bar(
        "episodes", len(episode_files(BenchmarkFolder(place).episodes)), as_json
    ) as bar:
        found = [msgspec.to_builtins(c) for c in check_folder(place, data, bar)]
    if as_json:
        print_json(found)
    else:
        print_checks(found, console())
    return int(any(c["problems"] for c in found))


@resumption.command(
    epilog=(
        "Example: agingbench resumption cut session.jsonl --at 50 --out benchmark/episodes/001.yaml"
    )
)
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--at", type=click.IntRange(1), required=True, metavar="STEP", help="Cut behind this step."
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write it here.",
)
@click.option(
    "--inline", is_flag=True, help="Copy the steps into the episode in place of a reference."
)
@click.option(
    "--format", "trace_format", default="auto", show_default=True, help="Format of the trace."
)
@data_option
@json_option
def cut(
    trace: Path,
    at: int,
    out: Path | None,
    inline: bool,
    trace_format: str,
    data: Path | None,
    as_json: bool,
) -> None:
    """Draft an episode from a real trace: task, cut, candidate facts. A person corrects it."""
    text = draft_episode(trace, at, data=data, inline=inline, trace_format=trace_format)
    if out is not None:
        if out.exists():
            raise InputError(f"{out} exists already; a draft never replaces an episode")
        write_atomic(out, text.encode())
    if as_json:
        print_json({"file": shown(out) if out else None, "draft": text})
    elif out is None:
        click.echo(text, nl=False)
    else:
        click.echo(f"draft written to {shown(out)}; read the trace and correct it")


@resumption.command(epilog="Example: agingbench resumption calibrate --judge deterministic")
@episodes_option
@click.option(
    "--judge",
    default="deterministic",
    show_default=True,
    help="deterministic, embedding, or a model.",
)
@click.option(
    "--retest",
    is_flag=True,
    help="Ask the judge a second time and say how often it gave the same label.",
)
@json_option
def calibrate(episodes: Path | None, judge: str, retest: bool, as_json: bool) -> int:
    """Score the hand grades with a judge, write kappa_report.md, and open or close the gate; exit 3
    when closed.
    """
    benchmark = BenchmarkFolder(benchmark_folder(episodes))
    if benchmark.root.resolve() == packaged_set().resolve():
        raise InputError("copy the public set first: agingbench resumption init . --public")
    built, identity = build_judge(judge, benchmark.judges)
    with progress_bar("grades", len(load_grades(benchmark)), as_json) as bar:
        loaded = load_episodes(benchmark.episodes)
        gate = calibrate_judge(benchmark, loaded, built, identity, retest=retest, progress=bar)
    told = _gate_json(gate)
    if as_json:
        print_json(told)
    else:
        print_gate(told, console())
        click.echo(f"report: {shown(benchmark.kappa_report)}")
    return 0 if gate.passed else UNCALIBRATED


def _gate_json(gate: CalibrationGate) -> dict[str, Any]:
    notes = [f"graded by {who} ({n})" for who, n in gate.graders.items()]
    if gate.paraphrases is not None:
        notes.append(paraphrase_words(gate.paraphrases))
    told: dict[str, Any] = {**msgspec.to_builtins(gate), "words": gate.words, "notes": notes}
    return told


@resumption.command("plan", epilog="Example: agingbench resumption plan --effect 0.1")
@click.option(
    "--effect", type=float, required=True, help="The difference in quality that should be seen."
)
@click.option(
    "--sd",
    type=float,
    default=None,
    help="Spread of paired differences [from the spec, or from --runs].",
)
@click.option("--power", type=float, default=0.8, show_default=True)
@click.option(
    "--runs",
    nargs=2,
    type=FOLDER,
    default=None,
    metavar="RUN RUN",
    help="Measure the spread on these.",
)
@json_option
def plan(
    effect: float, sd: float | None, power: float, runs: tuple[Path, Path] | None, as_json: bool
) -> int:
    """How many episodes are needed to see an effect."""
    measured = [load_run(path) for path in runs] if runs else None
    if measured and gate_exit_code(measured):
        if as_json:
            print_json(
                {"effect": effect, "episodes": None, "calibrated": False, "gate": "uncalibrated"}
            )
        return UNCALIBRATED
    result = msgspec.to_builtins(plan_for(effect, sd, power, measured))
    if as_json:
        print_json(result)
    else:
        print_plan(result, console())
    return 0


for command in (
    resumption_runs.run,
    resumption_runs.compare,
    resumption_runs.falsify,
    resumption_runs.pareto,
):
    resumption.add_command(command)
