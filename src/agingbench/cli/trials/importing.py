"""`trials import` and its older forms `import-*`: rollouts and ledgers of others, added to ours."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from agingbench.cli.options import json_option, print_json, progress_bar
from agingbench.cli.trials.options import format_option, ledger_option, screen
from agingbench.errors import InputError
from agingbench.report.trials import print_import
from agingbench.traces.scrub.scrubber import scrub_json
from agingbench.trials.importers.folder_ledgers import FolderLedgerImporter
from agingbench.trials.importers.importer import Importer, find_importer, load_importer
from agingbench.trials.importers.prime import import_files, import_live
from agingbench.trials.importers.report import ImportProgress, ImportReport
from agingbench.trials.importers.trajectories import TrajectoryImporter
from agingbench.trials.ledger import Ledger, open_ledger

AUTO = "auto"

experiment_option = click.option(
    "--experiment", "-e", default=None, help="The experiment that the trials belong to."
)


class _ProgressBar(ImportProgress):
    """Shows how far an import has come; when it is stopped, says what was imported until then."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.report: ImportReport | None = None
        self.done = 0
        self.total = 0
        self._tick: Callable[[int], None] | None = None
        self._open = ExitStack()

    def begin(self, report: ImportReport, total: int) -> None:
        self.report = report
        self.total = total
        self._tick = self._open.enter_context(progress_bar("records", total, self.as_json))

    def step(self) -> None:
        self.done += 1
        if self._tick is not None:
            self._tick(1)

    def __enter__(self) -> _ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._open.close()
        if kind is None or self.report is None:
            return
        if not issubclass(kind, KeyboardInterrupt) and not self.report.trial_ids:
            return

        of_total = f" of {self.total}" if self.total >= self.done else ""
        click.echo(
            f"stopped at record {self.done}{of_total}: {self.report.imported} imported,"
            f" {self.report.duplicates} were there already",
            err=True,
        )


def _run(place: str, as_json: bool, work: Callable[[Ledger, ImportProgress], ImportReport]) -> int:
    """Import into the ledger at `place` and print the report; the exit code."""
    with open_ledger(place) as ledger, _ProgressBar(as_json) as progress:
        report = work(ledger, progress)
    document = scrub_json(report.as_json())
    if as_json:
        print_json(document)
    else:
        print_import(document, screen())
    # Whatever could be read was imported; where there were only problems, it was the wrong input.
    return 2 if report.problems and not report.trial_ids else 0


def _run_importer(
    importer: Importer, path: Path, experiment: str | None, place: str, as_json: bool
) -> int:
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    return _run(
        place,
        as_json,
        lambda ledger, progress: importer.import_path(ledger, path, experiment, progress),
    )


@click.command("import", epilog="Example: agingbench trials import logs/ --experiment pilot")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--importer",
    "name",
    default=AUTO,
    show_default=True,
    metavar="NAME",
    help="The importer: a name, module:Class or file.py:Class.",
)
@experiment_option
@ledger_option
@json_option
def import_any(path: Path, name: str, experiment: str | None, place: str, as_json: bool) -> int:
    """Import trials from PATH, whatever it holds; the content decides how it is read.

    PATH is an Inspect log, an ATIF trajectory or a Harbor job, verifiers results, a saved Prime
    evaluation, a ledger kept as a folder, a run's folder, or a trace file of any format. A folder
    may hold many of one kind. What cannot be read is listed; a second import adds nothing.
    """
    importer = find_importer(path) if name == AUTO else load_importer(name)
    if not as_json:
        click.echo(f"importing {importer.expects}", err=True)
    return _run_importer(importer, path, experiment, place, as_json)


@click.command(
    "import-prime", epilog="Example: agingbench trials import-prime EVAL_ID --experiment pilot"
)
@click.argument("eval_id", required=False)
@click.option(
    "--evaluation-json",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The evaluation, saved.",
)
@click.option(
    "--samples-json",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Its samples; repeatable.",
)
@click.option("--experiment", "-e", default=None, help="The experiment [prime-eval-EVAL_ID].")
@ledger_option
@json_option
def import_prime(
    eval_id: str | None,
    evaluation_json: Path | None,
    samples_json: tuple[Path, ...],
    experiment: str | None,
    place: str,
    as_json: bool,
) -> int:
    """Import a Prime evaluation: one partial trial per sample, from saved files or with the `prime`
    command.

    A sample that cannot be read is reported and the rest are imported; a second import adds
    nothing.
    """
    offline = evaluation_json is not None or bool(samples_json)
    if offline == (eval_id is not None):
        raise InputError("give an EVAL_ID, or --evaluation-json and --samples-json")
    if offline and (evaluation_json is None or not samples_json):
        raise InputError("--evaluation-json and --samples-json belong together")
    if evaluation_json is not None:
        evaluation = evaluation_json
        pages = list(samples_json)
        return _run(
            place,
            as_json,
            lambda ledger, progress: import_files(ledger, evaluation, pages, experiment, progress),
        )
    return _run(
        place,
        as_json,
        lambda ledger, progress: import_live(ledger, eval_id or "", experiment, progress),
    )


@click.command("import-ledger", epilog="Example: agingbench trials import-ledger artefacts/ledger")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@ledger_option
@json_option
def import_ledger(folder: Path, place: str, as_json: bool) -> int:
    """Import a ledger kept as a folder of JSON files, of generation 1 or 2; what cannot be carried
    over is listed.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder, or not there")
    return _run_importer(FolderLedgerImporter(), folder, None, place, as_json)


@click.command(
    "import-trajectory", epilog="Example: agingbench trials import-trajectory run/trajectory.jsonl"
)
@click.argument("path", type=click.Path(path_type=Path))
@experiment_option
@format_option
@ledger_option
@json_option
def import_trajectory(
    path: Path, experiment: str | None, trace_format: str, place: str, as_json: bool
) -> int:
    """Import run folders or trace files of any format that is read; lines that cannot be read are
    listed.
    """
    return _run_importer(TrajectoryImporter(trace_format), path, experiment, place, as_json)


def _alias(command_name: str, importer: str, help_text: str, example: str) -> click.Command:
    """An older command that imports with one importer."""

    @click.command(
        command_name, help=help_text, epilog=f"Example: agingbench trials {command_name} {example}"
    )
    @click.argument("path", type=click.Path(path_type=Path))
    @experiment_option
    @ledger_option
    @json_option
    def command(path: Path, experiment: str | None, place: str, as_json: bool) -> int:
        return _run_importer(load_importer(importer), path, experiment, place, as_json)

    return command


IMPORTS = (
    import_any,
    import_prime,
    import_ledger,
    _alias(
        "import-verifiers",
        "verifiers",
        "Import verifiers rollouts: a results.jsonl, or every one below a folder.",
        "outputs/evals -e pilot",
    ),
    _alias(
        "import-atif",
        "atif",
        "Import ATIF trajectories: a document, or every one below a folder.",
        "trajectory.json",
    ),
    _alias(
        "import-harbor",
        "atif",
        "Import the trials of a Harbor job: trajectories with rewards, times and failures.",
        "jobs/2026-01-01 -e pilot",
    ),
    _alias(
        "import-inspect",
        "inspect",
        "Import Inspect logs (.eval, .json): one trial per sample and epoch.",
        "logs -e pilot",
    ),
    import_trajectory,
)
