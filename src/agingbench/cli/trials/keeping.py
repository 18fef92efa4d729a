"""The `trials` commands that keep evidence: add, verify, seal, review, agreement, export."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from agingbench.cli.options import json_option, parse_pairs, print_json, progress_bar, shown
from agingbench.cli.trials.options import (
    existing,
    ledger_option,
    make_query,
    query_options,
    screen,
    tell_unmet,
)
from agingbench.errors import InputError, StorageError
from agingbench.report.trials import print_agreement, print_verdict
from agingbench.trials.inspect.export import export as export_trials
from agingbench.trials.inspect.reviews import JUDGMENTS, add_review
from agingbench.trials.inspect.reviews import agreement as kappas
from agingbench.trials.ledger import RECORD_FILE, open_ledger, verify_ledger
from agingbench.trials.sealing import read_inputs
from agingbench.trials.sealing import seal as seal_trial

_HASH = re.compile(r"[0-9a-f]{64}")


@click.command(epilog="Example: agingbench trials add runs/s2_lifestyle_assistant/*/*/seed_0")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@ledger_option
@json_option
def add(folders: tuple[Path, ...], place: str, as_json: bool) -> int:
    """Add the trials in these folders (those with a trial.json, at any depth) with their evidence.

    A record that is there already is left alone. One that cannot be read, or whose id other content
    has, is told and costs itself only; the exit code is then 1, and 2 when nothing else was there.
    """
    found = [run for given in folders for run in _runs(given)]
    added = []
    problems = []
    with open_ledger(place) as ledger, progress_bar("trials", len(found), as_json) as tick:
        for run in found:
            try:
                added.append({"folder": str(run), **ledger.add_folder(run)._asdict()})
            except StorageError:
                raise
            except InputError as error:
                problems.append({"folder": str(run), "reason": str(error)})
            if tick is not None:
                tick(1)
    new = sum(not item["duplicate"] for item in added)
    if as_json:
        print_json(
            {"added": new, "duplicates": len(added) - new, "problems": problems, "entries": added}
        )
    else:
        click.echo(f"{new} added, {len(added) - new} were there already")
        for problem in problems:
            click.echo(
                f"not added: {shown(Path(problem['folder']))}: {problem['reason']}", err=True
            )
    return 2 if problems and not added else int(bool(problems))


def _runs(given: Path) -> list[Path]:
    folder = given.parent if given.name == RECORD_FILE else given
    found = (
        [folder]
        if (folder / RECORD_FILE).is_file()
        else sorted(f.parent for f in folder.rglob(RECORD_FILE))
    )
    if not found:
        raise InputError(
            f"{folder}: there is no {RECORD_FILE} here; see the `trials import-*` commands"
        )
    return found


@click.command(epilog="Example: agingbench trials verify --ledger runs --head 9f2c…")
@ledger_option
@click.option(
    "--head",
    default=None,
    metavar="HASH",
    help="A head noted earlier; it must still be in the chain.",
)
@json_option
def verify(place: str, head: str | None, as_json: bool) -> int:
    """Prove that nothing was edited, deleted, inserted, reordered, renamed or replaced; exit 1 when
    something was.

    The chain alone cannot know about a tail that was cut off: the head file beside the database
    does, and so does a head that you noted elsewhere and give here.
    """
    if head is not None and not _HASH.fullmatch(head):
        raise InputError(f"--head {head[:80]}: a head is 64 hexadecimal digits")
    told = verify_ledger(
        place, head, lambda total: progress_bar("entries", total, as_json)
    ).as_json()
    if as_json:
        print_json(told)
    else:
        print_verdict(told, screen())
    return 0 if told["ok"] else 1


@click.command(
    epilog=(
        "Example: agingbench trials seal ID --input plan.json --task-file plan.json --tool"
        " python=3.11.7"
    )
)
@click.argument("trial_id")
@ledger_option
@click.option("--adapter-revision", default=None, help="Version or commit of the harness.")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME=VERSION",
    help="A tool and its version; repeatable.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="An input file.",
)
@click.option(
    "--task-file", default=None, metavar="NAME", help="The input whose hash is the task's revision."
)
@json_option
def seal(
    trial_id: str,
    place: str,
    adapter_revision: str | None,
    tools: tuple[str, ...],
    inputs: tuple[Path, ...],
    task_file: str | None,
    as_json: bool,
) -> None:
    """Complete a partial trial: a new record with the missing provenance that names the one it
    supersedes.
    """
    versions = {name: str(value) for name, value in parse_pairs(tools, "--tool").items()}
    with existing(place) as ledger:
        trial_id = ledger.resolve(trial_id)
        record, added = seal_trial(
            ledger,
            trial_id,
            adapter_revision=adapter_revision,
            tool_versions=versions,
            inputs=read_inputs(list(inputs)),
            task_file=task_file,
        )
    told: dict[str, Any] = {"trial_id": record.trial_id, "supersedes": trial_id, **added._asdict()}
    if as_json:
        print_json(told)
    else:
        click.echo(
            f"{record.trial_id} is complete: entry {added.number}, record {added.record_hash}"
        )


@click.command(
    epilog=(
        "Example: agingbench trials review ID --reviewer ana --judgment pass --notes 'read it all'"
    )
)
@click.argument("trial_id")
@ledger_option
@click.option("--reviewer", required=True, help="Who reviews.")
@click.option(
    "--judgment", required=True, type=click.Choice(JUDGMENTS), help="What the reviewer says."
)
@click.option(
    "--category", "categories", multiple=True, help="A kind of error that was seen; repeatable."
)
@click.option("--notes", default=None, help="In words.")
@click.option(
    "--record-hash",
    default=None,
    help="The hash of the record that was read; refused when it is another.",
)
@json_option
def review(
    trial_id: str,
    place: str,
    reviewer: str,
    judgment: str,
    categories: tuple[str, ...],
    notes: str | None,
    record_hash: str | None,
    as_json: bool,
) -> None:
    """Attach a review to a trial. It is pinned to the record's hash; nothing is ever overwritten."""
    with existing(place) as ledger:
        trial_id = ledger.resolve(trial_id)
        added = add_review(ledger, trial_id, reviewer, judgment, categories, notes, record_hash)
    if as_json:
        print_json({"trial_id": trial_id, **added._asdict()})
    else:
        click.echo(f"review added as entry {added.number}")


@click.command(epilog="Example: agingbench trials agreement --experiment pilot --json")
@ledger_option
@click.option("--experiment", "-e", default=None, help="Only trials of this experiment.")
@json_option
def agreement(place: str, experiment: str | None, as_json: bool) -> None:
    """How far reviewers agree: Cohen's kappa with its interval for every two of them."""
    with existing(place) as ledger:
        pairs = kappas(ledger, experiment)
    if as_json:
        print_json({"pairs": pairs})
    else:
        print_agreement(pairs, screen())


@click.command(epilog="Example: agingbench trials export trials.parquet --experiment pilot")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@ledger_option
@query_options
@json_option
def export(target: Path, place: str, as_json: bool, **given: Any) -> None:
    """Write trials, scrubbed, to TARGET: whole records as .jsonl, one row per trial as .parquet."""
    query = make_query(given)
    with existing(place) as ledger:
        with progress_bar("trials", ledger.count(query), as_json) as tick:
            count = export_trials(ledger, query, target, tick)
        if not count:
            tell_unmet(ledger, query)
    if as_json:
        print_json({"exported": count, "file": str(target)})
    else:
        click.echo(f"{count} trials written to {shown(target)}")


KEEPING = (add, verify, seal, review, agreement, export)
