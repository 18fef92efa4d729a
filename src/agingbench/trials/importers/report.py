"""The report of an import, and the callback for its progress."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from agingbench.errors import InputError
from agingbench.records import Problem

LONGEST_REASON = 500


class ImportProblem(msgspec.Struct, frozen=True):
    """Something that could not be imported, and why."""

    what: str
    file: str | None
    line: int | None
    reason: str


class Renaming(msgspec.Struct, frozen=True, rename={"old": "from", "new": "to"}):
    """A trial that got a second id, because another trial has its own."""

    old: str
    new: str
    reason: str


class ImportDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did, as JSON and as its page print it."""

    experiment: str
    imported: int
    duplicates: int
    renamed: list[Renaming]
    problems: list[ImportProblem]
    flags: dict[str, int]
    notes: dict[str, list[str]]
    trial_ids: list[str]


@dataclass
class ImportReport:
    """What an import did with every record that it read."""

    experiment: str
    trial_ids: list[str] = field(default_factory=list)
    imported: int = 0
    duplicates: int = 0
    renamed: list[Renaming] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)
    flags: dict[str, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def add_problem(
        self,
        what: str,
        reason: object,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Note something that could not be imported, by file and line where it has them."""
        text = " ".join(str(reason).split())[:LONGEST_REASON]
        self.problems.append(ImportProblem(what, file, line, text))

    def add_lost_lines(self, problems: Iterable[Problem]) -> None:
        """Note lines of a trace that could not be read, while the rest of it is imported."""
        for problem in problems:
            what = f"{problem.file}: line {problem.line}" if problem.line else problem.file
            self.add_problem(what, problem.reason, problem.file, problem.line)

    def require_content(self, path: Path | str, expected: str) -> ImportReport:
        """Return the report itself; raises InputError when there was nothing at all to read."""
        if not self.trial_ids and not self.problems:
            raise InputError(f"{path}: there is nothing to import here; {expected}")
        return self

    def document(self) -> ImportDocument:
        """The report as `trials import --json` prints it."""
        return ImportDocument(
            experiment=self.experiment,
            imported=self.imported,
            duplicates=self.duplicates,
            renamed=self.renamed,
            problems=self.problems,
            flags=self.flags,
            notes=self.notes,
            trial_ids=self.trial_ids,
        )


class ImportProgress:
    """A progress callback that does nothing."""

    def begin(self, report: ImportReport, total: int) -> None:
        """The import begins; `total` samples, runs or records are to be read."""

    def step(self) -> None:
        """One of them is done, whether it was imported or not."""


SILENT = ImportProgress()
