"""Importers for files that hold whole trials: Inspect logs, ATIF documents, Harbor jobs."""

from __future__ import annotations

from pathlib import Path

from agingbench.errors import InputError
from agingbench.records import ReadLog
from agingbench.traces.foreign_trial import slug
from agingbench.traces.formats.base import BaseFormat
from agingbench.traces.reading import load_format
from agingbench.trials.importers.foreign import import_trial
from agingbench.trials.importers.importer import Importer, has_format, is_of_format, visible_files
from agingbench.trials.importers.report import SILENT, ImportProgress, ImportReport
from agingbench.trials.inspect.transcripts import problems_of
from agingbench.trials.ledger import Ledger


class FormatImporter(Importer):
    """Imports the trials in every file of one trace format."""

    name: str
    expects: str
    suffixes: tuple[str, ...]  # of the files below a folder that are looked at
    own_suffixes: tuple[str, ...] = ()  # of files that can be nothing else, even when damaged
    expected: str  # what the error says when there is nothing to import

    def __init__(self) -> None:
        self.format: BaseFormat = load_format(self.name)

    def sniff(self, path: Path) -> float:
        """Sure of a file of the format, and of a folder with one in it."""
        files = [path] if path.is_file() else visible_files(path, *(f"*{s}" for s in self.suffixes))
        return 0.95 if any(is_of_format(file, self.format) for file in files) else 0.0

    def import_path(
        self,
        ledger: Ledger,
        path: Path,
        experiment: str | None,
        progress: ImportProgress = SILENT,
    ) -> ImportReport:
        """Import a file, or every file of the format below a folder."""
        report = ImportReport(slug(experiment or self.name) or self.name)
        if path.is_file():
            progress.begin(report, self.format.trial_count(path))
            self._import_file(ledger, path, path.name, report, progress)
            return report.require_content(path, self.expected)

        files = sorted(file for file in path.rglob("*") if file.suffix in self.suffixes)
        progress.begin(report, len(files))
        for file in files:
            name = str(file.relative_to(path))
            try:
                self._import_file(ledger, file, name, report, SILENT)
            except InputError as error:
                report.add_problem(name, error, name)

            progress.step()

        return report.require_content(path, self.expected)

    def _import_file(
        self,
        ledger: Ledger,
        file: Path,
        name: str,
        report: ImportReport,
        progress: ImportProgress,
    ) -> None:
        log = ReadLog()
        log.file = name
        try:
            # Other files of the same suffix lie beside those of the format.
            if file.suffix not in self.own_suffixes and not has_format(file, self.format):
                return
            for trial in self.format.trials(file, log):
                import_trial(ledger, trial, report)
                progress.step()
        except OSError as error:
            report.add_problem(name, error.strerror or error, name)

        report.add_lost_lines(problems_of(log))


class InspectImporter(FormatImporter):
    """Inspect logs: one trial per sample and epoch."""

    name = "inspect"
    expects = "Inspect logs, .eval or .json"
    suffixes = (".eval", ".json")
    own_suffixes = (".eval",)
    expected = "an Inspect log is expected (.eval, or JSON with an `eval` block and samples)"


class AtifImporter(FormatImporter):
    """ATIF trajectories, and the trials of a Harbor job with rewards, times and failures."""

    name = "atif"
    expects = "ATIF trajectories or a Harbor job"
    suffixes = (".json",)
    expected = "an ATIF trajectory is expected (JSON whose `schema_version` begins with ATIF-v)"
