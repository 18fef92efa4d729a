"""`agingbench report`: one HTML file that shows a life, a study, an audit or a resumption run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import ANY_PATH, FILE, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown
from agingbench.errors import AgingBenchError, InputError

if TYPE_CHECKING:
    from agingbench.report.pages.sources import CardSource

KILOBYTE = 1000


@click.command(epilog=epilog("agingbench report runs/s2_lifestyle_assistant --out report.html"))
@click.argument("paths", nargs=-1, required=True, type=ANY_PATH, metavar="PATH...")
@out_option("File that the report is written to.", Path("report.html"), type=FILE)
@json_option
def report(paths: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Make one HTML file of a life, a study or an audit.

    PATH is a card, a run directory, or a folder that holds some. One life gives
    its curve, its figures, every lost fact and a walk through its sessions;
    several lives give a study; cards of audits give what an agent cost and what
    changed. The file opens by double-click and asks no network for anything.
    """
    from agingbench.cards.figures import document_of
    from agingbench.report.pages.build import write_report
    from agingbench.report.pages.sources import find_cards

    sources = find_cards(paths)
    if len(sources) == 1 and sources[0].folder is not None:
        _follow_facts(sources[0])
    try:
        written = write_report(sources, out)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The schema leaves some blocks open, so a valid card may still hold something else.
        names = ", ".join(str(source.file) for source in sources[:3])
        raise InputError(
            f"{names}: a block of the card is not laid out as this version writes it"
        ) from error
    if as_json:
        print_json(document_of(written))
        return
    size = f"{written.bytes / KILOBYTE:,.0f} kB"
    noun = "card" if written.cards == 1 else "cards"
    echo(f"wrote {shown(out)} ({written.kind}, {written.cards} {noun}, {size})")
    echo("Next: open it in a browser; every session, question and fact has an address of its own.")


def _follow_facts(source: CardSource) -> None:
    """Leave the autopsy of a life beside its card, unless one of the same scores is there."""
    from agingbench.bench.diagnosis.autopsy.autopsy import autopsy_run
    from agingbench.trials.run_folder import LifeFiles

    if source.folder is None:
        return
    files = LifeFiles(source.folder)
    if files.autopsy.exists() and files.metrics.exists():
        is_new = files.autopsy.stat().st_mtime >= files.metrics.stat().st_mtime
        if is_new:
            return
    try:
        autopsy_run(source.folder)
    except AgingBenchError as error:
        echo(f"without the autopsy: {error}", err=True)
