"""`agingbench reproduce`: live a life again from its record and say what differs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from agingbench.bench.diagnosis.recorded import ask_alike
from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.studies.reproducing import reproduce as live_again
from agingbench.cli.options import json_option, print_json, shown

SHOWN = 10


@click.command(epilog="Example: agingbench reproduce runs/s2_lifestyle_assistant/…/seed_0")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Calls per endpoint.",
)
@json_option
def reproduce(run: Path, concurrency: int, as_json: bool) -> int:
    """Live the life in RUN again, from its plan and its system, and report every figure and answer
    that differs.

    It is lived in a temporary folder and without the cache. Exit 1 when its content differs; times,
    latencies, machine and the revision of this tool may.
    """
    with tempfile.TemporaryDirectory(prefix="agingbench-") as folder:
        result = live_again(run, Path(folder), Resources(Endpoints(concurrency)), ask_alike)
    if as_json:
        print_json(result)
    else:
        _tell(run, result)
    return int(not result["same"])


def _tell(run: Path, result: dict[str, Any]) -> None:
    if not result["same_revision"]:
        recorded, now = (_revision(result["revision"][when]) for when in ("recorded", "now"))
        click.echo(f"revision  recorded with {recorded}, lived again with {now}")
    if result["same"]:
        click.echo(
            f"same  {shown(run)}: every figure and"
            f" {'every answer' if not result['answers'] else 'verdict'}"
        )
    for row in result["figures"][:SHOWN]:
        click.echo(
            f"figure  {row['path']}: {_short(row['recorded'])} recorded, {_short(row['now'])} now"
        )
    for row in result["answers"][:SHOWN]:
        click.echo(
            f"answer  {row['probe']} at {row['t']}: {_short(row['recorded'])} recorded,"
            f" {_short(row['now'])} now"
        )
    if not result["same"]:
        click.echo(
            f"differs  {shown(run)}: {len(result['figures'])} figures, {len(result['answers'])}"
            " answers"
        )


def _revision(made: dict[str, Any]) -> str:
    sha = made["git_sha"]
    return (
        f"agingbench {made['agingbench_version']}"
        f" ({f'revision {sha[:12]}' if sha else 'no git revision'})"
    )


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:59] + "…"
