"""The figures of a run: means over episodes with intervals, by stratum, hand-overs apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from agingbench.metrics.bootstrap import mean_of
from agingbench.metrics.intervals import Estimate
from agingbench.resumption.judges.verdict import count_failures
from agingbench.resumption.runs.store import EpisodeRow

FIGURES = ("quality", "continuation_correctness", "preservation_recall", "forgetting_precision")
MOST_FAILED = 0.05  # share of items a judge may fail on before there is no headline


class RunSummary(msgspec.Struct, frozen=True):
    """Figures by group ("late", "all", "long", "short", "executable", "handover").

    Empty without a passed gate. Episodes of a domain that is not calibrated are counted in
    `statuses` and in nothing else.
    """

    figures: dict[str, dict[str, Estimate]]
    tokens: dict[str, float]
    statuses: dict[str, int]
    skipped: dict[str, str]
    judge_failures: int
    items: int
    notes: list[str]
    publishable: bool


def summarise(rows: Sequence[EpisodeRow], open_domains: Collection[str]) -> RunSummary:
    """Return the summary; a headline needs every context to fit and a judge that rarely fails."""
    statuses = Counter(row.status for row in rows)
    skipped = {row.episode: row.reason for row in rows if row.status != "scored"}
    if open_domains:
        closed = [
            row for row in rows if row.status == "scored" and row.gate_domain not in open_domains
        ]
        statuses += Counter({"uncalibrated": len(closed)})
        statuses -= Counter({"scored": len(closed)})
        rows = [row for row in rows if row.gate_domain in open_domains]
    scored = [row for row in rows if row.status == "scored"]
    groups = _groups(scored)

    failures = sum(count_failures(row.verdicts) for row in scored)
    items = sum(len(row.verdicts) for row in scored)
    notes = _notes(rows, groups["all"], failures, items)
    publishable = bool(open_domains) and not notes

    figures = {}
    tokens = {}
    for group, members in groups.items():
        if not members:
            continue
        tokens[group] = sum(row.context_tokens or 0 for row in members) / len(members)
        if publishable:
            figures[group] = _means(members)

    return RunSummary(
        figures=figures,
        tokens=tokens,
        statuses=dict(statuses),
        skipped=skipped,
        judge_failures=failures,
        items=items,
        notes=notes,
        publishable=publishable,
    )


def _groups(rows: Sequence[EpisodeRow]) -> dict[str, list[EpisodeRow]]:
    """The rows by group, late-written episodes first; hand-overs are in a group of their own."""
    same_agent = [row for row in rows if not row.handover]
    return {
        "late": [row for row in same_agent if row.late],
        "all": same_agent,
        "long": [row for row in same_agent if row.stratum == "long"],
        "short": [row for row in same_agent if row.stratum == "short"],
        "executable": [row for row in same_agent if row.kind == "executable"],
        "handover": [row for row in rows if row.handover],
    }


def _means(rows: Sequence[EpisodeRow]) -> dict[str, Estimate]:
    scores = [row.scores for row in rows]
    return {
        "quality": mean_of([s.quality for s in scores]),
        "continuation_correctness": mean_of([s.continuation_correctness for s in scores]),
        "preservation_recall": mean_of([s.preservation_recall for s in scores]),
        "forgetting_precision": mean_of([s.forgetting_precision for s in scores]),
    }


def _notes(
    rows: Sequence[EpisodeRow], same_agent: Sequence[EpisodeRow], failures: int, items: int
) -> list[str]:
    """Return the reasons why the run has no headline."""
    notes = []
    reasons = {"refused": "did not fit the budget", "failed": "had a model call that broke"}
    for status, reason in reasons.items():
        names = [row.episode for row in rows if row.status == status]
        if names:
            examples = ", ".join(names[:5])
            notes.append(f"no headline: {len(names)} of {len(rows)} episodes {reason} ({examples})")

    if not same_agent:
        notes.append("no headline: no episode could be scored")
    if items and failures > MOST_FAILED * items:
        notes.append(f"no headline: the judge failed on {failures} of {items} items")
    return notes
