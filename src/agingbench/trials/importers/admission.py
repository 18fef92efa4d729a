"""How a record gets into the ledger by import: stable ids, per-record isolation, quarantine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from agingbench.errors import InputError, StorageError
from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.traces.foreign_trial import LONGEST_ID
from agingbench.trials.entries import Conflict, NewEntry
from agingbench.trials.importers.report import ImportReport, Renaming
from agingbench.trials.ledger import Ledger
from agingbench.trials.record import TrialRecord, record_hash

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
NO_TIME = "time_not_recorded"


def admit(
    ledger: Ledger,
    record: TrialRecord,
    evidence: Mapping[str, bytes],
    report: ImportReport,
    another: Callable[[TrialRecord], bool] = lambda _: True,
) -> None:
    """Add a record to the ledger; one that cannot be added is reported.

    When the id is taken by other content, `another` tells whether that is a different trial: then
    the record gets a second id from its own content, so that none is lost. Otherwise it is the same
    trial with changed content, which is reported as a problem.
    """
    try:
        try:
            added = ledger.add(record, evidence)
        except Conflict:
            if not another(ledger.get(record.trial_id).record):
                raise

            other = f"{record.trial_id[: LONGEST_ID - 9]}-{record_hash(record)[:8]}"
            report.renamed.append(Renaming(record.trial_id, other, "another trial has that id"))
            record = TrialRecord.model_validate({**record.model_dump(), "trial_id": other})
            added = ledger.add(record, evidence)
    except StorageError:
        raise
    except InputError as error:
        report.add_problem(record.trial_id, str(error))
        return

    report.trial_ids.append(record.trial_id)
    report.duplicates += added.duplicate
    report.imported += not added.duplicate
    for flag in flags_of(record):
        report.flags[flag] = report.flags.get(flag, 0) + 1


def flags_of(record: TrialRecord) -> list[str]:
    """What the import had to flag in a record."""
    flags = (record.outputs.agent_result or {}).get("flags")
    if not isinstance(flags, list):
        return []
    return [flag for flag in flags if isinstance(flag, str)]


def quarantine(
    ledger: Ledger,
    source: str,
    data: bytes,
    reason: str,
    report: ImportReport,
) -> None:
    """Store what could not be read, with the reason, as an entry of its own."""
    report.add_problem(source, reason, source)
    body = canonical_json(
        {
            "source": source,
            "reason": reason,
            "sha256": digest_of(data),
            "size": len(data),
        }
    )
    ledger.append(NewEntry("quarantine", digest_of(body), body, ledger.keep({"unreadable": data})))
