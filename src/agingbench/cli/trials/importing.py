"""The `trials import-*` commands: rollouts and ledgers of others, all through one door."""

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
from agingbench.trials.importers.atif import import_atif as from_atif
from agingbench.trials.importers.door import ImportReport, Watch
from agingbench.trials.importers.folder_ledgers import import_folder_ledger
from agingbench.trials.importers.inspect import import_inspect as from_inspect
from agingbench.trials.importers.prime import import_files, import_live
from agingbench.trials.importers.trajectories import import_trajectories
from agingbench.trials.importers.verifiers import import_results
from agingbench.trials.ledger import Ledger, open_ledger

experiment_option = click.option(
    "--experiment", "-e", default=None, help="The experiment that the trials belong to."
)


class _Watched(Watch):
    """Shows how far an import has come, and says so when it is stopped: what is in stays in."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.report: ImportReport | None = None
        self.done = self.total = 0
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

    def __enter__(self) -> _Watched:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._open.close()
        stopped = kind is not None and issubclass(kind, KeyboardInterrupt)
        if self.report is not None and (stopped or (kind is not None and self.report.trial_ids)):
            of = f" of {self.total}" if self.total >= self.done else ""
            added = self.report.imported
            there = self.report.duplicates
            click.echo(
                f"stopped at record {self.done}{of}: {added} imported, {there} were there already",
                err=True,
            )


def _import(place: str, as_json: bool, work: Callable[[Ledger, Watch], ImportReport]) -> int:
    with open_ledger(place) as ledger, _Watched(as_json) as watch:
        report = work(ledger, watch)
    told = scrub_json(report.as_json())
    if as_json:
        print_json(told)
    else:
        print_import(told, screen())
    # What was read is in; where nothing but problems was found, it was the wrong thing to import.
    return 2 if report.problems and not report.trial_ids else 0


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
        return _import(
            place,
            as_json,
            lambda ledger, w: import_files(ledger, evaluation, list(samples_json), experiment, w),
        )
    return _import(
        place, as_json, lambda ledger, watch: import_live(ledger, eval_id or "", experiment, watch)
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
    return _import(
        place, as_json, lambda ledger, watch: import_folder_ledger(ledger, folder, watch)
    )


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
    return _from_path(
        path,
        place,
        as_json,
        lambda ledger, w: import_trajectories(ledger, path, experiment, w, trace_format),
    )


def _from_path(
    path: Path, place: str, as_json: bool, work: Callable[[Ledger, Watch], ImportReport]
) -> int:
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    return _import(place, as_json, work)


def _importer(
    name: str,
    what: str,
    example: str,
    run: Callable[[Ledger, Path, str | None, Watch], ImportReport],
) -> click.Command:
    @click.command(name, help=what, epilog=f"Example: agingbench trials {name} {example}")
    @click.argument("path", type=click.Path(path_type=Path))
    @experiment_option
    @ledger_option
    @json_option
    def command(path: Path, experiment: str | None, place: str, as_json: bool) -> int:
        return _from_path(
            path, place, as_json, lambda ledger, watch: run(ledger, path, experiment, watch)
        )

    return command


IMPORTS = (
    import_prime,
    import_ledger,
    _importer("import-verifiers", "Import verifiers rollouts: a results.jsonl, or every one below a folder.",
              "outputs/evals -e pilot", import_results),
    _importer("import-atif", "Import ATIF trajectories: a document, or every one below a folder.",
              "trajectory.json", from_atif),
    _importer("import-harbor", "Import the trials of a Harbor job: trajectories with rewards, times and failures.",
              "jobs/2026-01-01 -e pilot", from_atif),
    _importer("import-inspect", "Import Inspect logs (.eval, .json): one trial per sample and epoch.",
              "logs -e pilot", from_inspect),
    import_trajectory,
)  # fmt: skip
