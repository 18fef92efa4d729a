"""`agingbench archive`: keep transcripts that clients delete after a while."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from agingbench.cli.options import json_option, print_json, shown
from agingbench.errors import InputError
from agingbench.traces.archive.archive import add_to_archive
from agingbench.traces.archive.index import is_archive
from agingbench.traces.archive.reading import ArchivedFile
from agingbench.traces.reading import transcripts
from agingbench.traces.scrub.scrubber import scrub


@click.command(epilog="Example: agingbench archive ~/.claude/projects --to ~/agent-archive")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--to",
    required=True,
    type=click.Path(path_type=Path),
    help="The archive; made if it is not there.",
)
@json_option
def archive(path: Path, to: Path, as_json: bool) -> None:
    """Keep the transcripts under PATH; run it again, by hand or from cron, to add what is new.

    Clients delete transcripts, Claude Code after 30 days unless told otherwise. The archive is
    compressed, holds each content once, and is only ever added to; `agingbench audit DIR` reads it
    like the folder it came from.
    """
    path = path.expanduser()
    to = to.expanduser()
    if is_archive(path):
        raise InputError(f"{path} is an archive already")
    click.echo(f"looking for transcripts under {scrub(shown(path))}", err=True)
    files, others = transcripts(path)
    inside = to.resolve()
    # What another archive keeps is kept already, and has no file of its own to read.
    files = [
        file
        for file in files
        if not isinstance(file, ArchivedFile) and not file.path.resolve().is_relative_to(inside)
    ]
    root = path if path.is_dir() else path.parent
    report = add_to_archive(files, root, to)
    if as_json:
        print_json({"archive": scrub(str(to)), **asdict(report), "not_transcripts": others})
        return
    click.echo(
        f"{report.files} transcripts: {report.new} new, {report.grown} grown, {report.rewritten}"
        f" rewritten, {report.unchanged} unchanged; {others} other files left out"
    )
    click.echo(f"{report.bytes_added} bytes added as {report.bytes_stored} in {scrub(shown(to))}")
    if report.unreadable:
        click.echo(f"{report.unreadable} could not be read", err=True)
