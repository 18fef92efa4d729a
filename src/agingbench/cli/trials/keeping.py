"""The `trials` commands that keep evidence, from add and verify to export and evidence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Unpack

import click

from agingbench.cli.options import ANY_PATH, FILE, FOLDER, OneOf, epilog, json_option, parse_pairs
from agingbench.cli.output import echo, print_json, print_next, progress_bar, shown
from agingbench.cli.trials.options import (
    QueryOptions,
    existing,
    experiment_option,
    make_query,
    print_unmet,
    query_options,
    screen,
    trials_ledger_option,
)
from agingbench.errors import InputError, StorageError

JUDGMENTS = ("pass", "fail", "defer")  # those of reviews, without importing them
RECORD_FILE = "trial.json"
RECORD_FILES = (RECORD_FILE, "partial.json")
_HASH = re.compile(r"[0-9a-f]{64}")


@click.command(
    epilog=epilog(
        "agingbench trials add runs/s2_lifestyle_assistant/*/*/seed_0",
        "0 done, 1 a record was refused, 2 wrong input or nothing was added",
    )
)
@click.argument("folders", nargs=-1, required=True, type=ANY_PATH)
@trials_ledger_option
@json_option
def add(folders: tuple[Path, ...], place: str, as_json: bool) -> int:
    """Add the trials in folders with their evidence.

    FOLDERS hold a trial.json, or the partial.json of a life that has not ended,
    at any depth. A record that is there already is left alone; a life that was
    scored again gets a second record. What cannot be read is reported and the
    rest are added.
    """
    from agingbench.trials.ledger import open_ledger
    from agingbench.trials.runs import add_run

    runs = [run for folder in folders for run in _runs(folder)]
    entries = []
    problems = []
    with open_ledger(place) as ledger, progress_bar("trials", len(runs), as_json) as bar:
        for run in runs:
            try:
                entry = add_run(ledger, run)
            except StorageError:
                raise
            except InputError as error:
                problems.append({"folder": str(run), "reason": str(error)})
            else:
                entries.append({"folder": str(run), **entry._asdict()})
            bar()

    added = sum(not entry["duplicate"] for entry in entries)
    duplicates = len(entries) - added
    if as_json:
        document = {"added": added, "duplicates": duplicates}
        print_json({**document, "problems": problems, "entries": entries})
    else:
        echo(f"{added} added, {duplicates} were there already")
        for problem in problems:
            folder = shown(Path(problem["folder"]))
            echo(f"not added: {folder}: {problem['reason']}", err=True)
    return 2 if problems and not entries else int(bool(problems))


def _runs(path: Path) -> list[Path]:
    """The folders at or below a path that hold the record of a trial."""
    folder = path.parent if path.name in RECORD_FILES else path
    if any((folder / name).is_file() for name in RECORD_FILES):
        return [folder]
    runs = sorted({file.parent for name in RECORD_FILES for file in folder.rglob(name)})
    if not runs:
        raise InputError(f"{folder}: there is no {RECORD_FILE} here; see `trials import`")
    return runs


@click.command(
    epilog=epilog(
        "agingbench trials verify --ledger runs --head 9f2c…",
        "0 nothing was changed, 1 something was, 2 wrong input",
    )
)
@trials_ledger_option
@click.option(
    "--head",
    default=None,
    metavar="HASH",
    help="A head noted earlier; it must still be in the chain.",
)
@json_option
def verify(place: str, head: str | None, as_json: bool) -> int:
    """Prove that nothing in the ledger was changed.

    Nothing was edited, deleted, inserted, reordered, renamed or replaced. The
    chain alone cannot know about a tail that was cut off: the head file beside
    the database does, and so does a head that you noted elsewhere and give
    here.
    """
    import msgspec

    from agingbench.report.trials import print_verification
    from agingbench.trials.ledger import verify_ledger

    if head is not None and not _HASH.fullmatch(head):
        raise InputError(f"--head {head[:80]}: a head is 64 hexadecimal digits")
    result = verify_ledger(place, head, lambda total: progress_bar("entries", total, as_json))
    if as_json:
        print_json(msgspec.to_builtins(result.document()))
    else:
        print_verification(result, screen())
        if result.ok:
            print_next("agingbench trials rank", "who does best in it")
        else:
            print_next("agingbench trials list --all", "the entries, with those that were replaced")
    return 0 if result.ok else 1


@click.command(
    epilog=epilog(
        "agingbench trials seal ID --input plan.json --task-file plan.json --tool python=3.11.7"
    )
)
@click.argument("trial_id")
@trials_ledger_option
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
    type=FILE,
    help="An input file; repeatable.",
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
    """Complete a partial trial by a new record.

    The new record holds the missing provenance and names the one it supersedes.
    """
    from agingbench.trials.sealing import read_inputs
    from agingbench.trials.sealing import seal as seal_trial

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
    if as_json:
        document = {"trial_id": record.trial_id, "supersedes": trial_id}
        print_json({**document, **added._asdict()})
    else:
        entry = f"entry {added.number}, record {added.record_hash}"
        echo(f"{record.trial_id} is complete: {entry}")


@click.command(
    epilog=epilog(
        "agingbench trials review ID --reviewer ana --judgment pass --notes 'read it all'"
    )
)
@click.argument("trial_id")
@trials_ledger_option
@click.option("--reviewer", required=True, help="Name of the reviewer.")
@click.option("--judgment", required=True, type=OneOf(JUDGMENTS), help="The verdict.")
@click.option(
    "--category", "categories", multiple=True, help="A kind of error that was seen; repeatable."
)
@click.option("--notes", default=None, help="What the reviewer has to say.")
@click.option(
    "--record-hash",
    default=None,
    help="Hash of the record that was read; another one is refused.",
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
    """Attach a review to a trial.

    It is pinned to the record's hash; nothing is ever overwritten.
    """
    from agingbench.trials.inspect.reviews import add_review

    with existing(place) as ledger:
        trial_id = ledger.resolve(trial_id)
        added = add_review(ledger, trial_id, reviewer, judgment, categories, notes, record_hash)
    if as_json:
        print_json({"trial_id": trial_id, **added._asdict()})
    else:
        echo(f"review added as entry {added.number}")


@click.command(epilog=epilog("agingbench trials agreement --experiment pilot --json"))
@trials_ledger_option
@experiment_option
@json_option
def agreement(place: str, experiment: str | None, as_json: bool) -> None:
    """Tell how far reviewers agree.

    Cohen's kappa with its interval for every two of them.
    """
    import msgspec

    from agingbench.report.trials import print_agreement
    from agingbench.trials.inspect.reviews import reviewer_agreement

    with existing(place) as ledger:
        pairs = reviewer_agreement(ledger, experiment)
    if as_json:
        print_json({"pairs": msgspec.to_builtins(pairs)})
    else:
        print_agreement(pairs, screen())


@click.command(epilog=epilog("agingbench trials export trials.parquet --experiment pilot"))
@click.argument("target", type=FILE)
@trials_ledger_option
@query_options
@json_option
def export(target: Path, place: str, as_json: bool, **options: Unpack[QueryOptions]) -> None:
    """Write trials to a .jsonl, .csv or .parquet file.

    TARGET gets whole records as .jsonl, or one row per trial as .csv or
    .parquet. What is written is scrubbed.
    """
    from agingbench.trials.inspect.export import export as export_trials

    query = make_query(options)
    with existing(place) as ledger:
        with progress_bar("trials", ledger.count(query), as_json) as bar:
            count = export_trials(ledger, query, target, bar)
        if not count:
            print_unmet(ledger, query)
    if as_json:
        print_json({"exported": count, "file": str(target)})
    else:
        echo(f"{count} trials written to {shown(target)}")


@click.command(epilog=epilog("agingbench trials evidence ID --out evidence"))
@click.argument("trial_id")
@click.option("--out", type=FOLDER, required=True, help="A new folder for the files.")
@trials_ledger_option
@json_option
def evidence(trial_id: str, out: Path, place: str, as_json: bool) -> None:
    """Write the files that prove a trial to a folder.

    The raw bytes as they were added, with the record as trial.json; each file
    is checked against its hash. Not scrubbed: for the owner's eyes.
    """
    from agingbench.trials.evidence_files import write_evidence

    with existing(place) as ledger:
        trial_id = ledger.resolve(trial_id)
        files = write_evidence(ledger.get(trial_id), out)
    if as_json:
        print_json({"trial_id": trial_id, "folder": str(out), "files": files})
    else:
        echo(f"{len(files)} files of {trial_id} written to {shown(out)}, as they are: not scrubbed")
