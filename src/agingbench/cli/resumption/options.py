"""Options that the `resumption` commands share, and which benchmark folder they mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from agingbench.cli.completion import complete
from agingbench.cli.options import FOLDER, AliasOption, OneOf, compose, out_option, trust_option
from agingbench.cli.output import echo

if TYPE_CHECKING:
    from agingbench.resumption.analysis.compare import ScoredRun
    from agingbench.resumption.episodes.episode import EpisodeKind

UNCALIBRATED = 3

episodes_option = click.option(
    "--episodes",
    cls=AliasOption,
    aliases=("-e",),
    type=FOLDER,
    default=None,
    help="Benchmark folder or folder of episodes [benchmark, else the public set].",
)

data_option = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=None,
    envvar="AGINGBENCH_DATA",
    help="Folder of the episodes' traces: the one that holds `traces`, or `traces` itself.",
)

source_option = click.option(
    "--source",
    type=OneOf(["trace", "life", "session"]),
    default=None,
    help="Only episodes of this source.",
)

kind_option = click.option(
    "--kind",
    type=OneOf(["executable", "text-only"]),
    default=None,
    help="Only episodes in which the agent acts, or only those in which it says what it would do.",
)

budget_option = click.option(
    "--budget",
    "-b",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Most tokens of a context.",
)

judge_option = click.option(
    "--judge",
    default="deterministic",
    show_default=True,
    metavar="NAME",
    shell_complete=complete("judge"),
    help="deterministic, embedding, or a model.",
)

runs_option = out_option("Folder that runs are written to [runs of the benchmark folder].")

# Who resumes, who judges, and which model consolidators may ask.
who_options = compose(
    click.option(
        "--agent",
        default="embedded",
        show_default=True,
        metavar="NAME",
        shell_complete=complete("model", "embedded", "react"),
        help="Who resumes: embedded, a model, or an agent over --model.",
    ),
    judge_option,
    click.option(
        "--model",
        "-m",
        default="extractive",
        show_default=True,
        metavar="NAME[:ID]",
        shell_complete=complete("model"),
        help="The model that consolidators, and agents of the registry, may ask.",
    ),
    kind_option,
    trust_option,
)


class WhoAndWhere(TypedDict):
    """What the commands that make runs share: benchmark, who takes part, where results go."""

    episodes: Path | None
    agent: str
    judge: str
    model: str
    trust: bool
    kind: EpisodeKind | None
    data: Path | None
    out: Path | None
    place: str | None


def benchmark_folder(folder: Path | None) -> Path:
    """The benchmark that is meant: the one given, the one in this folder, else the public set."""
    from agingbench.resumption.episodes.benchmark_folder import packaged_set

    if folder is not None:
        return folder
    return Path("benchmark") if Path("benchmark/episodes").is_dir() else packaged_set()


def runs_folder(out: Path | None, folder: Path) -> Path:
    """Where runs go: --out, else the benchmark's own folder, never the installed package."""
    from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set

    if out is not None:
        return out
    benchmark = BenchmarkFolder(folder)
    if benchmark.root.resolve() == packaged_set().resolve():
        return Path("runs/resumption")
    return benchmark.runs


def gate_exit_code(runs: Sequence[ScoredRun]) -> int:
    """0 when the gate of every run is open, else the exit code of an uncalibrated judge."""
    closed = [run.name for run in runs if not run.calibrated]
    if closed:
        echo(f"uncalibrated, no number is published: {', '.join(closed)}", err=True)
    return UNCALIBRATED if closed else 0
