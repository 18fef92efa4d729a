"""Reviews and classifications of trials: append-only entries pinned to a record's hash."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from agingbench.errors import InputError
from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.trials.entries import NewEntry, Receipt, now
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query

JUDGMENTS = ("pass", "fail", "defer")
_REVIEWER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}")


# The fields stand in the order of the canonical JSON that the ledger holds; `entry` is the number
# of the entry, known once the statement is in the ledger.


class Review(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reviewer says about a trial."""

    categories: list[str]
    judgment: str
    notes: str | None
    record_hash: str
    reviewer: str
    timestamp: str
    trial_id: str
    entry: int | msgspec.UnsetType = msgspec.UNSET


class Classification(msgspec.Struct, frozen=True, omit_defaults=True):
    """The labels that a classifier gave to the turns of a trial."""

    classifier: str
    labels: str
    prompt_hash: str | None
    record_hash: str
    timestamp: str
    trial_id: str
    entry: int | msgspec.UnsetType = msgspec.UNSET


class ReviewerPair(msgspec.Struct, frozen=True):
    """How far two reviewers agree; `table` counts their pairs of judgments."""

    reviewers: tuple[str, str]
    n: int
    kappa: float | None
    kappa_ci: tuple[float | None, float | None]
    reason: str | None
    agreement: float | None
    table: dict[str, int]


Statement = TypeVar("Statement", Review, Classification)


def add_review(
    ledger: Ledger,
    trial_id: str,
    reviewer: str,
    judgment: str,
    categories: Sequence[str] = (),
    notes: str | None = None,
    record_hash: str | None = None,
) -> Receipt:
    """Attach a review to a trial; `record_hash`, when given, must be the hash of its record."""
    if judgment not in JUDGMENTS:
        raise InputError(f"judgment '{judgment}' is none of {', '.join(JUDGMENTS)}")
    if not _REVIEWER.fullmatch(reviewer):
        raise InputError(f"reviewer '{reviewer[:40]}' is not a plain name")

    stored = ledger.get(trial_id)
    if record_hash is not None and record_hash != stored.record_hash:
        raise InputError(
            f"trial '{trial_id}' has the record hash {stored.record_hash}, not {record_hash}"
        )

    review = Review(
        categories=sorted(set(categories)),
        judgment=judgment,
        notes=notes,
        record_hash=stored.record_hash,
        reviewer=reviewer,
        timestamp=now(),
        trial_id=trial_id,
    )
    return _attach(ledger, "review", review)


def add_classification(ledger: Ledger, classification: Classification) -> Receipt:
    """Attach the labels of a classifier to a trial; the same labels again are a no-op."""
    return _attach(ledger, "classification", classification)


def _attach(ledger: Ledger, kind: str, statement: Review | Classification) -> Receipt:
    body = canonical_json(msgspec.to_builtins(statement))
    return ledger.append(NewEntry(kind, digest_of(body), body, {}))


def reviews(ledger: Ledger, trial_id: str | None = None) -> Iterator[Review]:
    """The reviews of a trial, or of all, in the order they were added."""
    return _statements(ledger, "review", Review, trial_id)


def classifications(ledger: Ledger, trial_id: str | None = None) -> Iterator[Classification]:
    """The classifications of a trial, or of all, in the order they were added."""
    return _statements(ledger, "classification", Classification, trial_id)


def _statements(
    ledger: Ledger, kind: str, form: type[Statement], trial_id: str | None
) -> Iterator[Statement]:
    for entry in ledger.entries(kind):
        try:
            statement = msgspec.json.decode(entry.body, type=form)
        except msgspec.MsgspecError as error:
            raise InputError(
                f"entry {entry.number} is not a {kind} ({error}); run `agingbench trials verify`"
            ) from error
        if trial_id is None or statement.trial_id == trial_id:
            yield msgspec.structs.replace(statement, entry=entry.number)


def reviewer_agreement(ledger: Ledger, experiment: str | None = None) -> list[ReviewerPair]:
    """Cohen's kappa for every two reviewers; the last judgment of each trial counts."""
    trial_ids = None
    if experiment is not None:
        trial_ids = {row.trial_id for row in ledger.list(Query(experiment=experiment))}

    judgments: dict[str, dict[str, str]] = {}
    for review in reviews(ledger):
        if trial_ids is None or review.trial_id in trial_ids:
            judgments.setdefault(review.reviewer, {})[review.trial_id] = review.judgment

    pairs = []
    for a, b in itertools.combinations(sorted(judgments), 2):
        shared = sorted(judgments[a].keys() & judgments[b].keys())
        first = [judgments[a][trial_id] for trial_id in shared]
        second = [judgments[b][trial_id] for trial_id in shared]
        kappa = cohen_kappa(first, second)
        interval = kappa_interval(first, second)
        pair = ReviewerPair(
            reviewers=(a, b),
            n=kappa.n,
            kappa=interval.value,
            kappa_ci=(interval.low, interval.high),
            reason=kappa.reason,
            agreement=float(kappa.agreement) if kappa.agreement is not None else None,
            table={f"{p}/{q}": n for (p, q), n in sorted(kappa.table.items())},
        )
        pairs.append(pair)
    return pairs
