"""Everything that a ledger knows about one trial, scrubbed: what `trials show` prints."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.traces.scrub.scrubber import scrub_json
from agingbench.trials.entries import Blob
from agingbench.trials.inspect.reviews import Classification, Review, classifications, reviews
from agingbench.trials.inspect.summary import Summary, scrub_struct, summarize
from agingbench.trials.inspect.targets import read_stored
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query


class TrialDetails(msgspec.Struct, frozen=True):
    """A trial with its place in the chain, its evidence, summary, reviews and labels.

    `record` is the JSON of the record after scrubbing, which may no longer be a valid record.
    """

    trial_id: str
    record_hash: str
    entry: int
    entry_hash: str
    added_at: str
    supersedes: str | None
    superseded_by: str | None
    evidence: dict[str, Blob]
    record: dict[str, Any]
    summary: Summary
    reviews: list[Review]
    classifications: list[Classification]


def trial_details(ledger: Ledger, trial_id: str) -> TrialDetails:
    """Collect and scrub everything about a trial; the start of its id is enough."""
    trial_id = ledger.resolve(trial_id)
    stored = ledger.get(trial_id)
    entry = stored.entry
    row = next(iter(ledger.list(Query(trial_id=trial_id))), None)

    return TrialDetails(
        trial_id=trial_id,
        record_hash=stored.record_hash,
        entry=entry.number,
        entry_hash=entry.entry_hash,
        added_at=entry.added_at,
        supersedes=row.supersedes if row else None,
        superseded_by=row.superseded_by if row else None,
        evidence=entry.blobs(),
        record=scrub_json(stored.record.model_dump(mode="json")),
        summary=scrub_struct(summarize(read_stored(stored))),
        reviews=[scrub_struct(review) for review in reviews(ledger, trial_id)],
        classifications=[scrub_struct(item) for item in classifications(ledger, trial_id)],
    )
