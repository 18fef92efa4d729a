"""Options that the `resumption` commands share, and which benchmark folder they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from agingbench.resumption.analysis.compare import ScoredRun
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set

UNCALIBRATED = 3
FOLDER = click.Path(path_type=Path, file_okay=False)
F = TypeVar("F", bound=Callable[..., Any])


def episodes_option(command: F) -> F:
    """`--episodes`: which benchmark."""
    told = "Benchmark folder or folder of episodes [benchmark, else the public set]."
    return click.option("--episodes", "-e", type=FOLDER, default=None, help=told)(command)


def data_option(command: F) -> F:
    """`--data`: where traces are."""
    told = (
        "Folder that episodes' traces are looked up in: the one that holds `traces`, or `traces`"
        " itself."
    )
    place = click.Path(path_type=Path, file_okay=False, exists=True)
    return click.option("--data", type=place, default=None, envvar="AGINGBENCH_DATA", help=told)(
        command
    )


def source_option(command: F) -> F:
    """`--source`: only episodes that come from there."""
    told = "Only episodes of this source."
    return click.option(
        "--source", type=click.Choice(["trace", "life", "session"]), default=None, help=told
    )(command)


def who_options(command: F) -> F:
    """Who resumes, who judges, and which model consolidators may ask."""
    for option in reversed(
        [
            click.option(
                "--agent",
                default="embedded",
                show_default=True,
                help="Who resumes: embedded, or a model.",
            ),
            click.option(
                "--judge",
                default="deterministic",
                show_default=True,
                help="deterministic, embedding, or a model.",
            ),
            click.option(
                "--model",
                default="extractive",
                show_default=True,
                help="The model consolidators may ask.",
            ),
        ]
    ):
        command = option(command)
    return command


def benchmark_folder(given: Path | None) -> Path:
    """The benchmark that is meant: the one named, the one in this folder, else the public set of
    the package.
    """
    if given is not None:
        return given
    return Path("benchmark") if Path("benchmark/episodes").is_dir() else packaged_set()


def runs_folder(out: Path | None, folder: Path) -> Path | None:
    """Where runs go; None is the benchmark's own folder."""
    # Nothing is ever written into the installed package.
    if out is not None or BenchmarkFolder(folder).root.resolve() != packaged_set().resolve():
        return out
    return Path("runs/resumption")


def ledger_option(command: F) -> F:
    """`--ledger`: where the trials go."""
    told = "Where trials are kept [ledger.sqlite beside the runs]."
    option = click.option(
        "--ledger", default=None, envvar="AGINGBENCH_LEDGER", metavar="PATH|URL|none", help=told
    )
    return option(command)


def gate_exit_code(runs: Sequence[ScoredRun]) -> int:
    """0 when the gate of every run is open; otherwise the exit code that says no number is
    published.
    """
    closed = [run.name for run in runs if not run.calibrated]
    if closed:
        click.echo(f"uncalibrated, no number is published: {', '.join(closed)}", err=True)
    return UNCALIBRATED if closed else 0
