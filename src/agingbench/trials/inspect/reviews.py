"""What people and classifiers said about a trial: pinned to its record's hash, append-only, with
their agreement.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from agingbench.errors import InputError
from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.traces.blobs import digest_of
from agingbench.traces.canonical import canonical_json
from agingbench.trials.entries import NewEntry, Receipt, now
from agingbench.trials.ledger import Ledger
from agingbench.trials.query import Query

JUDGMENTS = ("pass", "fail", "defer")
_REVIEWER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}")


def add_review(
    ledger: Ledger,
    trial_id: str,
    reviewer: str,
    judgment: str,
    categories: Sequence[str] = (),
    notes: str | None = None,
    record_hash: str | None = None,
) -> Receipt:
    """Attach a review to the record as it stands; `record_hash`, when given, must be the one that
    was reviewed.
    """
    if judgment not in JUDGMENTS:
        raise InputError(f"judgment '{judgment}' is none of {', '.join(JUDGMENTS)}")
    if not _REVIEWER.fullmatch(reviewer):
        raise InputError(f"reviewer '{reviewer[:40]}' is not a plain name")
    stored = ledger.get(trial_id)
    if record_hash is not None and record_hash != stored.record_hash:
        raise InputError(
            f"trial '{trial_id}' has the record hash {stored.record_hash}, not {record_hash}"
        )
    said = {
        "trial_id": trial_id,
        "record_hash": stored.record_hash,
        "reviewer": reviewer,
        "judgment": judgment,
        "categories": sorted(set(categories)),
        "notes": notes,
        "timestamp": now(),
    }
    return attach(ledger, "review", said)


def attach(ledger: Ledger, kind: str, said: dict[str, Any]) -> Receipt:
    """Add what was said about a trial as an entry of its own."""
    body = canonical_json(said)
    return ledger.append(NewEntry(kind, digest_of(body), body, {}))


def said_about(ledger: Ledger, kind: str, trial_id: str | None = None) -> Iterator[dict[str, Any]]:
    """Reviews or classifications in the order they were added, with the number of their entry."""
    for entry in ledger.entries(kind):
        said = json.loads(entry.body)
        if trial_id is None or said.get("trial_id") == trial_id:
            yield {**said, "entry": entry.number}


def agreement(ledger: Ledger, experiment: str | None = None) -> list[dict[str, Any]]:
    """Cohen's kappa for every pair of reviewers, over the trials both judged; a reviewer's last
    word counts.
    """
    wanted = None
    if experiment is not None:
        wanted = {row["trial_id"] for row in ledger.list(Query(experiment=experiment))}
    words: dict[str, dict[str, str]] = {}
    for review in said_about(ledger, "review"):
        if wanted is None or review["trial_id"] in wanted:
            words.setdefault(review["reviewer"], {})[review["trial_id"]] = review["judgment"]
    return [_pair(a, b, words[a], words[b]) for a, b in itertools.combinations(sorted(words), 2)]


def _pair(a: str, b: str, first: dict[str, str], second: dict[str, str]) -> dict[str, Any]:
    both = sorted(first.keys() & second.keys())
    x = [first[t] for t in both]
    y = [second[t] for t in both]
    kappa = cohen_kappa(x, y)
    interval = kappa_interval(x, y)
    return {
        "reviewers": [a, b],
        "n": kappa.n,
        "kappa": interval.value,
        "kappa_ci": [interval.low, interval.high],
        "reason": kappa.reason,
        "agreement": float(kappa.agreement) if kappa.agreement is not None else None,
        "table": {f"{p}/{q}": n for (p, q), n in sorted(kappa.table.items())},
    }
