"""`agingbench figure`: a figure for a paper, from lives, audits or resumption runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import ANY_PATH, FILE, OneOf, epilog, json_option
from agingbench.cli.output import echo, print_json, shown
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.report.chart_frame import ImageKind

# Those of report.paper, without importing it.
SHOWN = ("curves", "headline", "mechanisms", "card", "weeks", "components")
TEXT_WIDTH = 504.0


@click.command(epilog=epilog("agingbench figure runs --out curves.pdf --out curves.svg"))
@click.argument("paths", nargs=-1, required=True, type=ANY_PATH, metavar="PATH...")
@click.option(
    "--out",
    "-o",
    "files",
    multiple=True,
    type=FILE,
    default=(Path("figure.pdf"),),
    show_default="figure.pdf",
    help="File to draw; its ending says how: .pdf, .svg or .png. Repeatable.",
)
@click.option(
    "--show",
    type=OneOf(SHOWN),
    default=None,
    metavar="NAME",
    help=f"What to draw: {', '.join(SHOWN)}; by default what fits the cards.",
)
@click.option(
    "--width",
    type=click.FloatRange(120, 5000),
    default=TEXT_WIDTH,
    show_default=True,
    metavar="POINTS",
    help="Width of the whole; a column of a paper has about 240.",
)
@click.option(
    "--columns",
    type=click.IntRange(1, 20),
    default=None,
    help="Panels beside each other.  [default: up to 3]",
)
@json_option
def figure(
    paths: tuple[Path, ...],
    files: tuple[Path, ...],
    show: str | None,
    width: float,
    columns: int | None,
    as_json: bool,
) -> None:
    """Draw a figure for a paper.

    PATH is a card, a run directory, or a folder that holds some. Lives give one
    panel per scenario and condition, with the mean curve of every system; with
    --show headline or mechanisms, figures with their 95 % intervals; with --show
    card, one life as a Lifespan Card. Audits give what each week cost,
    resumption runs their components. Systems have short names: what all names
    share is left out.
    """
    from agingbench.report.chart_frame import drawing
    from agingbench.report.pages.sources import find_cards
    from agingbench.report.paper.selection import figure_chart
    from agingbench.traces.files import write_atomic

    kinds = [image_kind(file) for file in files]
    sources = find_cards(paths)
    chart = figure_chart(sources, show, width, columns)
    for file, kind in zip(files, kinds, strict=True):
        write_atomic(file, drawing(chart, kind))
    if as_json:
        print_json({"files": [str(file) for file in files], "cards": len(sources)})
        return
    noun = "card" if len(sources) == 1 else "cards"
    echo(f"drew {', '.join(shown(file) for file in files)} from {len(sources)} {noun}")
    echo("Next: `agingbench table` with the same paths gives the numbers.")


def image_kind(file: Path) -> ImageKind:
    """How a file is drawn, by its ending; raises InputError for another one."""
    suffixes: dict[str, ImageKind] = {".pdf": "pdf", ".svg": "svg", ".png": "png"}
    kind = suffixes.get(file.suffix.lower())
    if kind is None:
        raise InputError(f"--out {file}: end the name in .pdf, .svg or .png")
    return kind
