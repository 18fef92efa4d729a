"""The one door for everything imported: stable ids, per-record isolation, and a report of what
became of each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agingbench.errors import InputError, StorageError
from agingbench.records import Problem
from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.trials.entries import Conflict, Draft
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import TrialRecord, record_hash

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
NO_TIME = "time_not_recorded"
LONGEST_ID = 120
LONGEST_REASON = 500
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass
class ImportReport:
    """What an import did; nothing that was read is missing from it."""

    experiment: str
    trial_ids: list[str] = field(default_factory=list)
    imported: int = 0
    duplicates: int = 0
    renamed: list[dict[str, str]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    flags: dict[str, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def bad(
        self, what: str, reason: object, file: str | None = None, line: int | None = None
    ) -> None:
        """Something that could not be imported, by file and line where it has them; it costs itself
        only.
        """
        told = " ".join(str(reason).split())[:LONGEST_REASON]
        self.problems.append({"what": what, "file": file, "line": line, "reason": told})

    def lost(self, problems: Iterable[Problem]) -> None:
        """Lines of a trace that could not be read, while the rest of it is imported."""
        for problem in problems:
            what = f"{problem.file}: line {problem.line}" if problem.line else problem.file
            self.bad(what, problem.reason, problem.file, problem.line)

    def checked(self, path: Path | str, expected: str) -> ImportReport:
        """Itself, unless there was nothing at all to read: that is somebody else's file, or the
        wrong folder.
        """
        if not self.trial_ids and not self.problems:
            raise InputError(f"{path}: there is nothing to import here; {expected}")
        return self

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "experiment": self.experiment,
            "imported": self.imported,
            "duplicates": self.duplicates,
            "renamed": self.renamed,
            "problems": self.problems,
            "flags": self.flags,
            "notes": self.notes,
            "trial_ids": self.trial_ids,
        }


class Watch:
    """Somebody who watches an import go on; this one does not look."""

    def begin(self, report: ImportReport, total: int) -> None:
        """The import begins: where its report grows, and how many samples, runs or records there
        are to read.
        """

    def step(self) -> None:
        """One of them is done, whatever became of it."""


UNWATCHED = Watch()


def slug(text: str, longest: int = LONGEST_ID) -> str:
    """A text as a part of an id; what has to be shortened keeps a hash of the whole."""
    made = _NOT_IN_IDS.sub("-", text).strip("-._")
    return (
        made if len(made) <= longest else f"{made[: longest - 13]}-{digest_of(text.encode())[:12]}"
    )


def admit(
    ledger: Ledger,
    record: TrialRecord,
    evidence: Mapping[str, bytes],
    report: ImportReport,
    another: Callable[[TrialRecord], bool] = lambda _: True,
) -> None:
    """Add a record; what cannot be added is reported and costs itself only.

    An id that other content has may be that of `another` trial, given by somebody who did not know
    of ours: then the record gets a second id from its own content, so that none is lost. Else it is
    the same trial changed: an error.
    """
    try:
        try:
            added = ledger.add(record, evidence)
        except Conflict:
            if not another(ledger.get(record.trial_id).record):
                raise
            other = f"{record.trial_id[: LONGEST_ID - 9]}-{record_hash(record)[:8]}"
            report.renamed.append(
                {"from": record.trial_id, "to": other, "reason": "another trial has that id"}
            )
            record = TrialRecord.model_validate({**record.model_dump(), "trial_id": other})
            added = ledger.add(record, evidence)
    except StorageError:
        raise
    except InputError as error:
        report.bad(record.trial_id, str(error))
        return
    report.trial_ids.append(record.trial_id)
    report.duplicates += added.duplicate
    report.imported += not added.duplicate
    for flag in flags_of(record):
        report.flags[flag] = report.flags.get(flag, 0) + 1


def flags_of(record: TrialRecord) -> list[str]:
    """What the import had to flag in a record."""
    told = (record.outputs.agent_result or {}).get("flags")
    return [flag for flag in told if isinstance(flag, str)] if isinstance(told, list) else []


def quarantine(ledger: Ledger, source: str, data: bytes, reason: str, report: ImportReport) -> None:
    """Keep what could not be read, with the reason, as an entry of its own: it hides nothing else."""
    report.bad(source, reason, source)
    body = canonical_json(
        {"source": source, "reason": reason, "sha256": digest_of(data), "size": len(data)}
    )
    ledger.append(Draft("quarantine", digest_of(body), body, ledger.keep({"unreadable": data})))
