"""The `resumption` commands that make and check episodes: init, check, cut."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import (
    FILE,
    FOLDER,
    epilog,
    format_option,
    json_option,
    out_option,
    trust_option,
)
from agingbench.cli.output import console, echo, print_json, progress_bar, shown
from agingbench.cli.resumption.options import benchmark_folder, data_option, kind_option
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.resumption.episodes.episode import EpisodeKind


@click.command(epilog=epilog("agingbench resumption init . --public"))
@click.argument("folder", type=FOLDER, default=Path("."))
@click.option("--public", is_flag=True, help="With the public episodes and their reference grades.")
@json_option
def init(folder: Path, public: bool, as_json: bool) -> None:
    """Make a benchmark folder.

    FOLDER/benchmark gets what the spec names: spec, judge prompts, episodes,
    calibration, runs. Files that exist are left alone.
    """
    from agingbench.resumption.episodes.benchmark_folder import init_benchmark

    files = [shown(path) for path in init_benchmark(folder, public=public)]
    if as_json:
        print_json({"written": files})
        return
    place = shown(folder / "benchmark")
    echo(f"{len(files)} files written below {place}; what existed was left alone")


@click.command(
    epilog=epilog(
        "agingbench resumption check benchmark --data traces",
        "0 all episodes are fine, 1 an episode has problems, 2 wrong input",
    )
)
@click.argument("folder", type=FOLDER, required=False)
@data_option
@kind_option
@trust_option
@json_option
def check(
    folder: Path | None, data: Path | None, kind: EpisodeKind | None, trust: bool, as_json: bool
) -> int:
    """Check every episode of a benchmark folder.

    Schema, cut, that each fact is stated where it should be, and that the checks
    of executable episodes pass after the gold steps and not before. FOLDER is
    the benchmark of this folder or the public set unless given.
    """
    import msgspec

    from agingbench.report.resumption import print_checks
    from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
    from agingbench.resumption.episodes.check import check_folder
    from agingbench.resumption.episodes.episode import episode_files

    benchmark = benchmark_folder(folder)
    episodes = len(episode_files(BenchmarkFolder(benchmark).episodes))
    with progress_bar("episodes", episodes, as_json) as bar:
        checks = list(check_folder(benchmark, data, bar, kind=kind, trust=trust))
    if as_json:
        print_json(msgspec.to_builtins(checks))
    else:
        print_checks(checks, console())
    return int(any(check.problems for check in checks))


@click.command(
    epilog=epilog(
        "agingbench resumption cut session.jsonl --at 50 --out benchmark/episodes/001.yaml"
    )
)
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--at",
    type=click.IntRange(1),
    required=True,
    metavar="STEP",
    help="Cut behind this step, as `trials trace` numbers them.",
)
@out_option("File that the episode is written to.", type=FILE)
@click.option("--inline", is_flag=True, help="Copy the steps in place of a reference to them.")
@format_option
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
    """Draft an episode from a real trace.

    The draft holds task, cut and candidate facts; a person corrects it.
    """
    from agingbench.resumption.episodes.cut import draft_episode
    from agingbench.traces.files import write_atomic

    text = draft_episode(trace, at, data=data, inline=inline, trace_format=trace_format)
    if out is not None:
        if out.exists():
            raise InputError(f"{out} exists already; a draft never replaces an episode")
        write_atomic(out, text.encode())

    if as_json:
        print_json({"file": shown(out) if out else None, "draft": text})
    elif out is None:
        echo(text, nl=False)
    else:
        echo(f"draft written to {shown(out)}; read the trace and correct it")
