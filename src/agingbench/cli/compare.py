"""`agingbench compare`: systems paired by seed, or a table of all cells."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import epilog, json_option
from agingbench.cli.output import console, print_json, print_next, typed


@click.command(epilog=epilog("agingbench compare careful=runs/s2/careful lossy=runs/s2/lossy"))
@click.argument("systems", metavar="[NAME=]PATH…", nargs=-1, required=True)
@click.option(
    "--table",
    "as_table",
    is_flag=True,
    help="List mean ± std, n and the number censored of every cell instead.",
)
@json_option
def compare(systems: tuple[str, ...], as_table: bool, as_json: bool) -> None:
    """Compare two systems, paired by seed.

    Each PATH is a card, a run folder or a folder of lives; a single folder may
    hold several systems. Every system is compared with every other: A − B with
    its 95 % interval, the p-value of a sign-flip test, and the same corrected
    by Holm for all tests of the command. Different scenarios, versions,
    pressures, lengths or probes are refused. With --table cells are listed.
    """
    from agingbench.bench.studies.compare import (
        cards_at,
        compare_all,
        name_systems,
        systems_of,
        table,
    )
    from agingbench.bench.studies.compare import compare as compare_cards
    from agingbench.cards.figures import document_of
    from agingbench.report.comparison import print_cells, print_comparison, print_comparisons

    paths = [_name_and_path(text) for text in systems]
    if as_table:
        rows = table([card for _, path in paths for card in cards_at(path)])
        if as_json:
            print_json(document_of(rows), "compare.table")
        else:
            print_cells(rows, console())
        return

    unnamed = [cards_at(path) for name, path in paths if name is None]
    if len(unnamed) == len(paths) == 2 and all(len(systems_of(side)) == 1 for side in unnamed):
        result = compare_cards(*unnamed)
        if as_json:
            print_json(document_of(result))
        else:
            print_comparison(result, console())
            _print_next(paths)
        return

    sides = [(name, cards_at(path)) for name, path in paths]
    comparisons = compare_all(name_systems(sides))
    if as_json:
        print_json(document_of(comparisons), "compare.systems")
    else:
        print_comparisons(comparisons, console())
        _print_next(paths)


def _print_next(paths: list[tuple[str | None, Path]]) -> None:
    places = " ".join(typed(path) for _, path in paths)
    print_next(f"agingbench report {places}", "the curves behind it, in a browser")


def _name_and_path(text: str) -> tuple[str | None, Path]:
    """A name and a path from NAME=PATH; without a name where the text itself is a path."""
    name, equals, path = text.partition("=")
    if not equals or not name or Path(text).exists():
        return None, Path(text)
    return name, Path(path)
