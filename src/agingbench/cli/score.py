"""`agingbench score`: make everything after the trace again, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import score_run
from agingbench.cli.options import console, json_option, print_json, shown
from agingbench.errors import AgingBenchError, InputError
from agingbench.report.charts import draw_curve
from agingbench.report.diagnosis import draw_diagnosis, print_diagnosis
from agingbench.report.terminal import print_card


@click.command(epilog="Example: agingbench score runs")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--plots/--no-plots", default=True, help="Draw aging_curve and diagnosis again.")
@json_option
def score(runs: tuple[Path, ...], plots: bool, as_json: bool) -> None:
    """Score lives again from their files. RUNS are run directories or folders that hold some.

    Nothing changes when nothing changed. One life that cannot be scored does not keep the others
    from it.
    """
    found = [life for run in runs for life in lives_below(run)]
    broken = []
    for path in found:
        try:
            before = _card_bytes(path)
            card = score_run(path)
        except AgingBenchError as error:
            broken.append(str(error))
            continue
        if plots:
            draw(RunDirectory(path), card)
        if as_json:
            print_json({"run_dir": str(path), "card": card})
        elif len(found) == 1:
            print_card(card, console())
            print_diagnosis(card, console())
        else:
            click.echo(f"{'unchanged' if before == _card_bytes(path) else 'scored'}  {shown(path)}")
    if broken:
        raise InputError(
            f"{len(broken)} of {len(found)} lives could not be scored: {'; '.join(broken[:3])}"
        )


def draw(place: RunDirectory, card: dict[str, Any]) -> None:
    """The figures of a life: its curve, and the profile of its diagnosis where it has one."""
    draw_curve([card], place.curve_png, place.curve_svg)
    draw_diagnosis(card, place.diagnosis_png, place.diagnosis_svg)


def lives_below(path: Path) -> list[Path]:
    """The run directories at or below a path."""
    if not path.exists():
        raise InputError(f"{path}: there is no such directory")
    # One without its plan is a life too: it must not go missing without a word. Hidden folders are
    # half-made copies.
    named = {file for name in ("plan.json", "sut.json") for file in path.rglob(name)}
    lives = sorted(
        {
            file.parent
            for file in named
            if not any(p[0] == "." for p in file.relative_to(path).parts)
        }
    )
    if not lives:
        raise InputError(f"{path}: no run directory here (nothing holds a plan.json)")
    return lives


def _card_bytes(path: Path) -> bytes:
    card = RunDirectory(path).card
    return card.read_bytes() if card.exists() else b""
