"""What a run comes to: means over episodes with bootstrap intervals, by stratum, and hand-overs
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from agingbench.metrics.bootstrap import mean_of
from agingbench.metrics.intervals import Estimate
from agingbench.resumption.runs.score import count_failures
from agingbench.resumption.runs.store import EpisodeRow

FIGURES = ("quality", "continuation_correctness", "preservation_recall", "forgetting_precision")
MOST_FAILED = 0.05  # share of items a judge may fail on before there is no headline


class RunSummary(msgspec.Struct, frozen=True):
    """Figures by group ("all", "long", "short", "handover"); empty without a passed gate."""

    figures: dict[str, dict[str, Estimate]]
    tokens: dict[str, float]
    statuses: dict[str, int]
    skipped: dict[str, str]
    judge_failures: int
    items: int
    notes: list[str]
    publishable: bool


def summarise(rows: Sequence[EpisodeRow], calibrated: bool) -> RunSummary:
    """The summary of a run. A headline needs every context to fit and a judge that rarely fails."""
    scored = [row for row in rows if row.status == "scored"]
    own = [row for row in scored if not row.handover]
    groups = {
        "all": own,
        "long": [row for row in own if row.stratum == "long"],
        "short": [row for row in own if row.stratum == "short"],
        "handover": [row for row in scored if row.handover],
    }
    failed = sum(count_failures(row.verdicts) for row in scored)
    items = sum(len(row.verdicts) for row in scored)
    notes = _notes(rows, own, failed, items)
    publishable = calibrated and not notes
    figures = {
        group: {name: mean_of([_figure(row, name) for row in members]) for name in FIGURES}
        for group, members in groups.items()
        if members and publishable
    }
    tokens = {
        group: sum(row.context_tokens or 0 for row in members) / len(members)
        for group, members in groups.items()
        if members
    }
    return RunSummary(
        figures,
        tokens,
        dict(Counter(row.status for row in rows)),
        {row.episode: row.reason for row in rows if row.status != "scored"},
        failed,
        items,
        notes,
        publishable,
    )


def _notes(
    rows: Sequence[EpisodeRow], own: Sequence[EpisodeRow], failed: int, items: int
) -> list[str]:
    notes = []
    for status, why in (
        ("refused", "did not fit the budget"),
        ("failed", "had a model call that broke"),
    ):
        names = [row.episode for row in rows if row.status == status]
        if names:
            notes.append(
                f"no headline: {len(names)} of {len(rows)} episodes {why} ({', '.join(names[:5])})"
            )
    if not own:
        notes.append("no headline: no episode could be scored")
    if items and failed > MOST_FAILED * items:
        notes.append(f"no headline: the judge failed on {failed} of {items} items")
    return notes


def _figure(row: EpisodeRow, name: str) -> float | None:
    value: float | None = getattr(row.scores, name)
    return value


def as_json(summary: RunSummary) -> dict[str, Any]:
    """The summary for scripts."""
    out: dict[str, Any] = msgspec.to_builtins(summary)
    return out
