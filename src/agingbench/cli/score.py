"""`agingbench score`: make everything after the trace again, from files."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.lives import draw, lives_below
from agingbench.cli.options import ANY_PATH, epilog, json_option, trust_option
from agingbench.cli.output import console, echo, print_json, print_next, shown, typed
from agingbench.errors import AgingBenchError, InputError


@click.command(
    epilog=epilog(
        "agingbench score runs",
        "0 all lives scored, 2 wrong input or a life that could not be scored",
    )
)
@click.argument("runs", nargs=-1, required=True, type=ANY_PATH)
@trust_option
@click.option("--plots/--no-plots", default=True, help="Draw aging_curve and diagnosis again.")
@json_option
def score(runs: tuple[Path, ...], trust: bool, plots: bool, as_json: bool) -> None:
    """Score lives again from their files.

    RUNS are run directories or folders that hold some. Scoring twice changes
    nothing. A life that cannot be scored does not stop the others.
    """
    from agingbench.bench.life.folder import RunDirectory
    from agingbench.bench.life.life import score_folder
    from agingbench.cards.check import card_json
    from agingbench.report.diagnosis import print_diagnosis
    from agingbench.report.terminal import print_card

    lives = [life for run in runs for life in lives_below(run)]
    rows: list[dict[str, object]] = []
    errors: list[str] = []
    for path in lives:
        card_file = RunDirectory(path).card
        before = card_file.read_bytes() if card_file.exists() else b""
        try:
            card = score_folder(path, trust=trust)
        except AgingBenchError as error:
            errors.append(str(error))
            rows.append({"run_dir": str(path), "error": str(error)})
            continue

        document = card_json(card)
        rows.append({"run_dir": str(path), "card": document})
        if plots:
            draw(RunDirectory(path), card)
        if as_json:
            continue
        if len(lives) == 1:
            print_card(document, console())
            print_diagnosis(document, console())
        else:
            unchanged = card_file.read_bytes() == before
            echo(f"{'unchanged' if unchanged else 'scored'}  {shown(path)}")

    if as_json:
        print_json(rows)
    elif len(errors) < len(lives):
        places = " ".join(typed(run) for run in runs)
        print_next(f"agingbench report {places}", "curves and tables in a browser")
    if errors:
        raise InputError(
            f"{len(errors)} of {len(lives)} lives could not be scored: {'; '.join(errors[:3])}"
        )
