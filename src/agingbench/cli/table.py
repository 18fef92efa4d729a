"""`agingbench table`: a table for a paper, from lives, audits or resumption runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from agingbench.cli.options import ANY_PATH, FILE, OneOf, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown
from agingbench.errors import InputError

if TYPE_CHECKING:
    from agingbench.report.paper.tables import TableFormat

# Those of report.paper, without importing it.
ROWS = ("systems", "lives", "curve", "mechanisms", "projects", "weeks", "runs")
FORMATS = ("markdown", "latex", "csv")


@click.command(epilog=epilog("agingbench table runs --out results.tex"))
@click.argument("paths", nargs=-1, required=True, type=ANY_PATH, metavar="PATH...")
@out_option("File; .csv, .md or .tex. Without it the table is printed.", type=FILE)
@click.option(
    "--format",
    "table_format",
    type=OneOf(FORMATS),
    default=None,
    metavar="NAME",
    help="markdown, latex or csv.  [default: by the ending of --out, else markdown]",
)
@click.option(
    "--rows",
    type=OneOf(ROWS),
    default=None,
    metavar="NAME",
    help="Of lives: systems (default), lives, curve, mechanisms; of audits: projects"
    " (default), weeks; of resumption: runs.",
)
@json_option
def table(
    paths: tuple[Path, ...],
    out: Path | None,
    table_format: TableFormat | None,
    rows: str | None,
    as_json: bool,
) -> None:
    """Make a table for a paper.

    PATH is a card, a run directory, or a folder that holds some. CSV has every
    figure with all digits, both ends of its interval and its n. Markdown and
    LaTeX (booktabs) show value and 95 % interval in one cell, and leave out
    columns in which all rows agree.
    """
    from agingbench.report.pages.sources import find_cards
    from agingbench.report.paper.selection import table_rows
    from agingbench.report.paper.tables import table_text
    from agingbench.traces.files import write_atomic

    kind = table_format or _format_of(out)
    sources = find_cards(paths)
    found = table_rows(sources, rows)
    if out is not None:
        write_atomic(out, table_text(found, kind).encode())
    if as_json:
        print_json({"file": None if out is None else str(out), "rows": found})
        return
    if out is None:
        echo(table_text(found, kind), nl=False)
        return
    noun = "row" if len(found) == 1 else "rows"
    echo(f"wrote {shown(out)} ({kind}, {len(found)} {noun})")
    if kind == "latex":
        echo("Next: \\input it where booktabs is loaded.")
    else:
        echo("Next: `agingbench figure` with the same paths draws it.")


def _format_of(out: Path | None) -> TableFormat:
    if out is None:
        return "markdown"
    suffixes: dict[str, TableFormat] = {
        ".csv": "csv",
        ".md": "markdown",
        ".tex": "latex",
    }
    kind = suffixes.get(out.suffix.lower())
    if kind is None:
        raise InputError(f"--out {out}: end the name in .csv, .md or .tex, or give --format")
    return kind
