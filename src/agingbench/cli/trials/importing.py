"""`trials import` and its older forms `import-*`: rollouts and ledgers of others, added to ours."""

from __future__ import annotations

from pathlib import Path

import click

from agingbench.cli.completion import complete
from agingbench.cli.options import (
    ANY_PATH,
    FILE,
    FOLDER,
    AliasOption,
    epilog,
    format_option,
    json_option,
)
from agingbench.cli.output import echo
from agingbench.cli.trials.options import trials_ledger_option
from agingbench.errors import InputError

AUTO = "auto"
_CODES = "0 done, 2 wrong input or nothing could be imported"

experiment_option = click.option(
    "--experiment",
    cls=AliasOption,
    aliases=("-e",),
    default=None,
    metavar="NAME",
    help="The experiment that the trials belong to.",
)


@click.command("import", epilog=epilog("agingbench trials import logs/ --experiment pilot", _CODES))
@click.argument("path", type=ANY_PATH)
@click.option(
    "--importer",
    "name",
    default=AUTO,
    show_default=True,
    metavar="NAME",
    shell_complete=complete("importer", AUTO),
    help="The importer: a name, module:Class or file.py:Class.",
)
@experiment_option
@trials_ledger_option
@json_option
def import_any(path: Path, name: str, experiment: str | None, place: str, as_json: bool) -> int:
    """Import trials of other harnesses.

    The content of PATH decides how it is read: an Inspect log, an ATIF
    trajectory or a Harbor job, verifiers results, a saved Prime evaluation, a
    ledger kept as a folder, a run's folder, or a trace file of any format. A
    folder may hold many of one kind. What cannot be read is listed; a second
    import adds nothing.
    """
    from agingbench.cli.trials.import_run import run_importer
    from agingbench.trials.importers.importer import find_importer, load_importer

    importer = find_importer(path) if name == AUTO else load_importer(name)
    if not as_json:
        echo(f"importing {importer.expects}", err=True)
    return run_importer(importer, path, experiment, place, as_json)


@click.command(
    "import-prime",
    epilog=epilog("agingbench trials import-prime EVAL_ID --experiment pilot", _CODES),
)
@click.argument("eval_id", required=False)
@click.option("--evaluation-json", type=FILE, help="The saved evaluation.")
@click.option("--samples-json", multiple=True, type=FILE, help="Its saved samples; repeatable.")
@experiment_option
@trials_ledger_option
@json_option
def import_prime(
    eval_id: str | None,
    evaluation_json: Path | None,
    samples_json: tuple[Path, ...],
    experiment: str | None,
    place: str,
    as_json: bool,
) -> int:
    """Import a Prime evaluation.

    One partial trial per sample, from saved files or with the `prime` command.
    EVAL_ID is the id of a hosted evaluation, or a file or folder that it was
    saved to.
    A sample that cannot be read is reported and the rest are imported; a second
    import adds nothing. The experiment is prime-eval-EVAL_ID unless given.
    """
    from agingbench.cli.trials.import_run import run_import
    from agingbench.trials.importers.prime import PrimeImporter, import_files, import_live

    offline = evaluation_json is not None or bool(samples_json)
    if offline == (eval_id is not None):
        raise InputError("give an EVAL_ID, or --evaluation-json and --samples-json")
    if offline and (evaluation_json is None or not samples_json):
        raise InputError("--evaluation-json and --samples-json belong together")

    if evaluation_json is not None:
        evaluation = evaluation_json
        pages = list(samples_json)
        return run_import(
            place,
            as_json,
            lambda ledger, progress: import_files(ledger, evaluation, pages, experiment, progress),
        )
    saved = Path(eval_id or "")
    if eval_id and saved.exists():
        importer = PrimeImporter()
        return run_import(
            place,
            as_json,
            lambda ledger, progress: importer.import_path(ledger, saved, experiment, progress),
        )
    return run_import(
        place,
        as_json,
        lambda ledger, progress: import_live(ledger, eval_id or "", experiment, progress),
    )


@click.command(
    "import-ledger", epilog=epilog("agingbench trials import-ledger artefacts/ledger", _CODES)
)
@click.argument("folder", type=FOLDER)
@trials_ledger_option
@json_option
def import_ledger(folder: Path, place: str, as_json: bool) -> int:
    """Import a ledger of JSON files.

    FOLDER is a ledger of generation 1 or 2. What cannot be carried over is
    listed.
    """
    from agingbench.cli.trials.import_run import run_importer
    from agingbench.trials.importers.folder_ledgers import FolderLedgerImporter

    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder, or not there")
    return run_importer(FolderLedgerImporter(), folder, None, place, as_json)


@click.command(
    "import-trajectory",
    epilog=epilog("agingbench trials import-trajectory run/trajectory.jsonl", _CODES),
)
@click.argument("path", type=ANY_PATH)
@experiment_option
@format_option
@trials_ledger_option
@json_option
def import_trajectory(
    path: Path, experiment: str | None, trace_format: str, place: str, as_json: bool
) -> int:
    """Import run folders or traces.

    Every format of `agingbench list formats` is read; lines that cannot be read
    are listed.
    """
    from agingbench.cli.trials.import_run import run_importer
    from agingbench.trials.importers.trajectories import TrajectoryImporter

    return run_importer(TrajectoryImporter(trace_format), path, experiment, place, as_json)


def _alias(command_name: str, importer: str, help_text: str, example: str) -> click.Command:
    """An older command that imports with one importer."""

    @click.command(
        command_name,
        help=help_text,
        epilog=epilog(f"agingbench trials {command_name} {example}", _CODES),
    )
    @click.argument("path", type=ANY_PATH)
    @experiment_option
    @trials_ledger_option
    @json_option
    def command(path: Path, experiment: str | None, place: str, as_json: bool) -> int:
        from agingbench.cli.trials.import_run import run_importer
        from agingbench.trials.importers.importer import load_importer

        return run_importer(load_importer(importer), path, experiment, place, as_json)

    return command


import_verifiers = _alias(
    "import-verifiers",
    "verifiers",
    "Import verifiers rollouts.\n\nPATH is a results.jsonl, or a folder with some below it.",
    "outputs/evals --experiment pilot",
)
import_atif = _alias(
    "import-atif",
    "atif",
    "Import ATIF trajectories.\n\nPATH is a document, or a folder with some below it.",
    "trajectory.json",
)
import_harbor = _alias(
    "import-harbor",
    "atif",
    "Import the trials of a Harbor job.\n\nTrajectories with rewards, times and failures.",
    "jobs/2026-01-01 --experiment pilot",
)
import_inspect = _alias(
    "import-inspect",
    "inspect",
    "Import Inspect logs.\n\nPATH is an .eval or .json log, or a folder of them; every sample and"
    " epoch is one trial.",
    "logs --experiment pilot",
)
