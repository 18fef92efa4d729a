"""Runs an import into a ledger, shows how far it is, and prints its report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from agingbench.cli.output import Bar, echo, print_json, progress_bar
from agingbench.cli.trials.options import screen
from agingbench.errors import InputError
from agingbench.report.trials import print_import
from agingbench.trials.importers.importer import Importer
from agingbench.trials.importers.report import ImportProgress, ImportReport
from agingbench.trials.inspect.summary import scrub_struct
from agingbench.trials.ledger import Ledger, open_ledger


class ImportBar(ImportProgress):
    """Shows how far an import has come; when it is stopped, says what was imported until then."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.report: ImportReport | None = None
        self.done = 0
        self.total = 0
        self._bar = Bar()
        self._open = ExitStack()

    def begin(self, report: ImportReport, total: int) -> None:
        """Start the bar."""
        self.report = report
        self.total = total
        self._bar = self._open.enter_context(progress_bar("records", total, self.as_json))

    def step(self) -> None:
        """Count one record."""
        self.done += 1
        self._bar()

    def __enter__(self) -> ImportBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._open.close()
        if kind is None or self.report is None:
            return
        if not issubclass(kind, KeyboardInterrupt) and not self.report.trial_ids:
            return

        of_total = f" of {self.total}" if self.total >= self.done else ""
        echo(
            f"stopped at record {self.done}{of_total}: {self.report.imported} imported,"
            f" {self.report.duplicates} were there already",
            err=True,
        )


def run_import(
    place: str, as_json: bool, work: Callable[[Ledger, ImportProgress], ImportReport]
) -> int:
    """Import into the ledger at `place`, print the report and return the exit code."""
    with open_ledger(place) as ledger, ImportBar(as_json) as progress:
        report = work(ledger, progress)
    document = scrub_struct(report.document())
    if as_json:
        print_json(msgspec.to_builtins(document))
    else:
        print_import(document, screen())
    # Whatever could be read was imported; where there were only problems, it was the wrong input.
    return 2 if report.problems and not report.trial_ids else 0


def run_importer(
    importer: Importer, path: Path, experiment: str | None, place: str, as_json: bool
) -> int:
    """Import what lies at a path with one importer and return the exit code."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    return run_import(
        place,
        as_json,
        lambda ledger, progress: importer.import_path(ledger, path, experiment, progress),
    )
