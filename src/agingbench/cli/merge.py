"""`agingbench merge`: folders of lives put together."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown


@click.command(epilog=epilog("agingbench merge part1 part2 --out runs"))
@click.argument("folders", nargs=-1, required=True, type=ANY_PATH)
@out_option("Folder that the lives are merged into.", required=True)
@json_option
def merge(folders: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Join folders of lives, such as the shards of a study.

    The same life in two folders is kept once; the same life with different
    content is refused, and nothing changes.
    """
    from agingbench.bench.studies.reproducing import merge as merge_lives

    counts = merge_lives(folders, out)
    if as_json:
        print_json({"out": str(out), "merged": counts.merged, "kept": counts.kept})
        return
    echo(f"{counts.merged} lives merged into {shown(out)}, {counts.kept} were there already")
