"""`agingbench archive`: keep transcripts that clients delete after a while."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from agingbench.cli.options import ANY_PATH, epilog, json_option, out_option
from agingbench.cli.output import echo, print_json, shown
from agingbench.errors import InputError


@click.command(epilog=epilog("agingbench archive ~/.claude/projects --out ~/agent-archive"))
@click.argument("path", type=ANY_PATH)
@out_option(
    "The archive; made if it is not there.", required=True, type=ANY_PATH, aliases=("--to",)
)
@json_option
def archive(path: Path, out: Path, as_json: bool) -> None:
    """Keep transcripts that clients delete after a while.

    Run it again, by hand or from cron, to add what is new under PATH. Claude
    Code deletes transcripts after 30 days unless told otherwise. The archive
    is compressed, holds each content once, and is only ever added to;
    `agingbench audit DIR` reads it like the folder it came from.
    """
    from agingbench.traces.archive.archive import add_to_archive
    from agingbench.traces.archive.index import is_archive
    from agingbench.traces.archive.reading import ArchivedFile
    from agingbench.traces.reading import transcripts
    from agingbench.traces.scrub.scrubber import scrub

    path = path.expanduser()
    out = out.expanduser()
    if is_archive(path):
        raise InputError(f"{path} is an archive already")
    echo(f"looking for transcripts under {scrub(shown(path))}", err=True)

    # What another archive keeps is kept already, and has no file of its own to read.
    files, others = transcripts(path)
    inside = out.resolve()
    files = [
        file
        for file in files
        if not isinstance(file, ArchivedFile) and not file.path.resolve().is_relative_to(inside)
    ]
    root = path if path.is_dir() else path.parent
    report = add_to_archive(files, root, out)

    if as_json:
        print_json({"archive": scrub(str(out)), **asdict(report), "not_transcripts": others})
        return
    echo(
        f"{report.files} transcripts: {report.new} new, {report.grown} grown,"
        f" {report.rewritten} rewritten, {report.unchanged} unchanged;"
        f" {others} other files left out"
    )
    echo(f"{report.bytes_added} bytes added as {report.bytes_stored} in {scrub(shown(out))}")
    if report.unreadable:
        echo(f"{report.unreadable} could not be read", err=True)
