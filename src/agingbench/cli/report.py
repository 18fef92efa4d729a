"""`agingbench report`: one HTML file that shows a life, a study, an audit or a resumption run."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, FILE, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown

KILOBYTE = 1000


@click.command(epilog=epilog("agingbench report runs/s2_lifestyle_assistant --out report.html"))
@click.argument("paths", nargs=-1, required=True, type=ANY_PATH, metavar="PATH...")
@out_option("File that the report is written to.", Path("report.html"), type=FILE)
@click.option(
    "--traces",
    type=ANY_PATH,
    default=None,
    help="With the card of an audit: show the scrubbed texts of its records from here.",
)
@json_option
def report(paths: tuple[Path, ...], out: Path, traces: Path | None, as_json: bool) -> None:
    """Make one HTML file of lives, audits or resumption runs.

    PATH is a card, a run directory, or a folder that holds some. One life gives
    its curve, its figures, every lost fact and a walk through its sessions;
    several lives give a study; cards of audits give what an agent cost and what
    changed. The file opens by double-click and asks no network for anything.
    """
    from agingbench.cards.figures import document_of
    from agingbench.front.reports import make_report
    from agingbench.report.pages.sources import find_cards

    sources = find_cards(paths)
    written = make_report(sources, out, lambda message: echo(message, err=True), traces)
    if as_json:
        print_json(document_of(written))
        return
    size = f"{written.bytes / KILOBYTE:,.0f} kB"
    noun = "card" if written.cards == 1 else "cards"
    echo(f"wrote {shown(out)} ({written.kind}, {written.cards} {noun}, {size})")
    echo("Next: open it in a browser; every session, question and fact has an address of its own.")
