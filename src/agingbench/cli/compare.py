"""`agingbench compare`: two systems paired by seed, or a table of all cells."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, epilog, json_option
from agingbench.cli.output import console, print_json
from agingbench.errors import InputError


@click.command(epilog=epilog("agingbench compare runs/s2/careful runs/s2/lossy"))
@click.argument("paths", metavar="A B", nargs=-1, required=True, type=ANY_PATH)
@click.option(
    "--table",
    "as_table",
    is_flag=True,
    help="List mean ± std, n and the number censored of every cell instead.",
)
@json_option
def compare(paths: tuple[Path, ...], as_table: bool, as_json: bool) -> None:
    """Compare two systems, paired by seed.

    A and B are each a card, a run folder or a folder of lives of one system.
    Prints A − B with its 95 % interval and the p-value of a sign-flip test.
    Different scenarios, versions, pressures or lengths are refused. With
    --table any number of folders is listed cell by cell.
    """
    from agingbench.bench.studies.compare import cards_at, table
    from agingbench.bench.studies.compare import compare as compare_cards
    from agingbench.cards.figures import document_of
    from agingbench.report.comparison import print_cells, print_comparison

    if as_table:
        rows = table([card for path in paths for card in cards_at(path)])
        if as_json:
            print_json(document_of(rows), "compare.table")
        else:
            print_cells(rows, console())
        return

    if len(paths) != 2:
        raise InputError(
            f"compare takes two folders or cards, A and B, not {len(paths)}; or give --table"
        )
    first, second = paths
    result = compare_cards(cards_at(first), cards_at(second))
    if as_json:
        print_json(document_of(result))
    else:
        print_comparison(result, console())
