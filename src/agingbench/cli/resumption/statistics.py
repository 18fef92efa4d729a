"""The `resumption` commands about what numbers can say: calibrate and plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import FOLDER, epilog, json_option
from agingbench.cli.output import console, echo, print_json, print_next, progress_bar, shown
from agingbench.cli.resumption.options import (
    UNCALIBRATED,
    benchmark_folder,
    episodes_option,
    gate_exit_code,
    judge_option,
)
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.resumption.calibration.gate import CalibrationGate


@click.command(
    epilog=epilog(
        "agingbench resumption calibrate --judge deterministic",
        "0 the gate is open, 2 wrong input, 3 the gate is closed",
    )
)
@episodes_option
@judge_option
@click.option(
    "--retest",
    is_flag=True,
    help="Ask the judge twice and say how often it gave the same label.",
)
@json_option
def calibrate(episodes: Path | None, judge: str, retest: bool, as_json: bool) -> int:
    """Compare a judge with the reference grades.

    Writes kappa_report.md and opens the gate when every κ is at least 0.6.
    Without an open gate no number is published.
    """
    import msgspec

    from agingbench.cards.resumption import GatePage
    from agingbench.report.resumption import print_gate
    from agingbench.resumption.calibration.calibrate import calibrate as calibrate_judge
    from agingbench.resumption.calibration.grades import load_grades
    from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set
    from agingbench.resumption.episodes.episode import load_episodes
    from agingbench.resumption.judges.build import build_judge

    benchmark = BenchmarkFolder(benchmark_folder(episodes))
    if benchmark.root.resolve() == packaged_set().resolve():
        raise InputError("copy the public set first: agingbench resumption init . --public")
    built, identity = build_judge(judge, benchmark.judges)

    with progress_bar("grades", len(load_grades(benchmark)), as_json) as bar:
        loaded = load_episodes(benchmark.episodes)
        gate = calibrate_judge(benchmark, loaded, built, identity, retest=retest, progress=bar)

    notes = _notes(gate)
    if as_json:
        document = msgspec.to_builtins(gate)
        print_json({**document, "words": gate.words, "notes": notes})
    else:
        page = GatePage(gate.passed, gate.words, gate.components, gate.reasons, notes)
        print_gate(page, console())
        echo(f"report: {shown(benchmark.kappa_report)}")
        if gate.passed:
            print_next(
                "agingbench resumption run --consolidator structured", "score with this judge"
            )
        else:
            print_next(
                "agingbench resumption grade --help", "more reference grades, or another judge"
            )
    return 0 if gate.passed else UNCALIBRATED


def _notes(gate: CalibrationGate) -> list[str]:
    """Who graded, and how the judge does on held-out paraphrases."""
    from agingbench.resumption.calibration.paraphrases import paraphrase_words

    notes = [f"graded by {grader} ({count})" for grader, count in gate.graders.items()]
    if gate.paraphrases is not None:
        notes.append(paraphrase_words(gate.paraphrases))
    return notes


@click.command(
    epilog=epilog(
        "agingbench resumption plan --effect 0.1",
        "0 done, 2 wrong input, 3 a run of --runs is not calibrated",
    )
)
@click.option(
    "--effect", type=float, required=True, help="The difference in quality that should be seen."
)
@click.option(
    "--sd",
    type=float,
    default=None,
    help="Spread of paired differences [from the spec, or from --runs].",
)
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="Chance of seeing the effect when it is there.",
)
@click.option(
    "--runs",
    nargs=2,
    type=FOLDER,
    default=None,
    metavar="RUN RUN",
    help="Measure the spread on these two runs.",
)
@json_option
def plan(
    effect: float, sd: float | None, power: float, runs: tuple[Path, Path] | None, as_json: bool
) -> int:
    """Tell how many episodes an effect needs.

    The test is paired by episode.
    """
    import msgspec

    from agingbench.report.resumption import print_plan
    from agingbench.resumption.analysis.compare import load_run
    from agingbench.resumption.analysis.plan import plan as plan_episodes

    measured = [load_run(path) for path in runs] if runs else None
    if measured and gate_exit_code(measured):
        if as_json:
            document = {"effect": effect, "episodes": None, "calibrated": False}
            print_json({**document, "gate": "uncalibrated"})
        return UNCALIBRATED

    result = plan_episodes(effect, sd, power, measured)
    if as_json:
        print_json(msgspec.to_builtins(result))
    else:
        print_plan(result, console())
        print_next("agingbench resumption cut --help", "make episodes from your own traces")
    return 0
