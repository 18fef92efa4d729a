"""The `trials import-*` commands: rollouts and ledgers of others, all through one door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from agingbench.cli.options import console, json_option, print_json
from agingbench.cli.trials_options import ledger_option
from agingbench.errors import InputError
from agingbench.report.trials import print_import
from agingbench.traces.scrub import scrub_json
from agingbench.trials.folder_ledgers import import_folder_ledger
from agingbench.trials.importers.atif import import_atif as from_atif
from agingbench.trials.importers.door import ImportReport
from agingbench.trials.importers.inspect import import_inspect as from_inspect
from agingbench.trials.importers.prime import import_files, import_live
from agingbench.trials.importers.trajectories import import_trajectories
from agingbench.trials.importers.verifiers import import_results
from agingbench.trials.ledger import Ledger, open_ledger


def _tell(report: ImportReport, as_json: bool) -> int:
    told = scrub_json(report.as_json())
    if as_json:
        print_json(told)
    else:
        print_import(told, console())
    # What was read is in; only an import that read nothing at all has failed.
    return 1 if report.problems and not report.trial_ids else 0


@click.command("import-prime", epilog="Example: agingbench trials import-prime EVAL_ID --experiment pilot")
@click.argument("eval_id", required=False)
@click.option("--evaluation-json", type=click.Path(path_type=Path, dir_okay=False), help="The evaluation, saved.")
@click.option(
    "--samples-json", multiple=True, type=click.Path(path_type=Path, dir_okay=False), help="Its samples; repeatable."
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
    """Import a Prime evaluation: one partial trial per sample, from saved files or with the `prime` command.

    A sample that cannot be read is reported and the rest are imported; a second import adds nothing.
    """
    offline = evaluation_json is not None or bool(samples_json)
    if offline == (eval_id is not None):
        raise InputError("give an EVAL_ID, or --evaluation-json and --samples-json")
    if offline and (evaluation_json is None or not samples_json):
        raise InputError("--evaluation-json and --samples-json belong together")
    with open_ledger(place) as ledger:
        if evaluation_json is not None:
            report = import_files(ledger, evaluation_json, list(samples_json), experiment)
        else:
            report = import_live(ledger, eval_id or "", experiment)
    return _tell(report, as_json)


@click.command("import-ledger", epilog="Example: agingbench trials import-ledger artefacts/ledger")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@ledger_option
@json_option
def import_ledger(folder: Path, place: str, as_json: bool) -> int:
    """Import a ledger kept as a folder of JSON files, of generation 1 or 2; what cannot be carried over is listed."""
    with open_ledger(place) as ledger:
        report = import_folder_ledger(ledger, folder)
    return _tell(report, as_json)


def _importer(
    name: str, what: str, example: str, run: Callable[[Ledger, Path, str | None], ImportReport]
) -> click.Command:
    @click.command(name, help=what, epilog=f"Example: agingbench trials {name} {example}")
    @click.argument("path", type=click.Path(path_type=Path))
    @click.option("--experiment", "-e", default=None, help="The experiment that the trials belong to.")
    @ledger_option
    @json_option
    def command(path: Path, experiment: str | None, place: str, as_json: bool) -> int:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder")
        with open_ledger(place) as ledger:
            report = run(ledger, path, experiment)
        return _tell(report, as_json)

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
    _importer("import-trajectory", "Import run folders or trace files of any format that is read.",
              "run/trajectory.jsonl", import_trajectories),
)  # fmt: skip
