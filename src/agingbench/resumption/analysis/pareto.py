"""Quality against context tokens: which runs no other run beats in both."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.cards.resumption import ParetoPoint
from agingbench.metrics.bootstrap import mean_of
from agingbench.metrics.pareto import pareto_front
from agingbench.resumption.analysis.compare import ScoredRun


def pareto(runs: Sequence[ScoredRun]) -> list[ParetoPoint]:
    """Return one point per run, cheapest first, with the front marked.

    All points are over the episodes that every run scored, hand-overs left out. A run without
    scores, or with a context that did not fit its budget, has no quality and limits no other run.
    """
    episodes = [_scored_episodes(run) for run in runs]
    complete = [names for names in episodes if names]
    shared = sorted(set.intersection(*complete)) if complete else []

    points = []
    for run, names in zip(runs, episodes, strict=True):
        points.append(_point(run, shared if names else []))

    coordinates = {}
    for place, point in enumerate(points):
        if point.quality is not None and point.tokens is not None:
            coordinates[place] = (point.quality, point.tokens)
    front = pareto_front(list(coordinates.values()))
    for place, is_front in zip(coordinates, front, strict=True):
        points[place] = msgspec.structs.replace(points[place], front=is_front)

    return sorted(points, key=lambda p: (p.tokens is None, p.tokens or 0.0, p.run))


def _scored_episodes(run: ScoredRun) -> set[str]:
    # A consolidator that does not fit where it is hard would be measured on what is easy.
    if any(row.status in ("refused", "failed") for row in run.rows.values()):
        return set()
    return {name for name, row in run.rows.items() if row.status == "scored" and not row.handover}


def _point(run: ScoredRun, names: Sequence[str]) -> ParetoPoint:
    rows = [run.rows[name] for name in names]
    quality = mean_of([row.quality for row in rows])
    interval = None
    if quality.low is not None and quality.high is not None:
        interval = [quality.low, quality.high]
    tokens = None
    if rows:
        tokens = sum(row.context_tokens or 0 for row in rows) / len(rows)

    return ParetoPoint(
        run=run.name,
        consolidator=run.config.consolidator,
        budget=run.config.budget,
        tokens=tokens,
        quality=quality.value,
        quality_ci=interval,
        n=quality.n,
        calibrated=run.calibrated,
        gate="passed" if run.calibrated else "uncalibrated",
        refused=sum(row.status == "refused" for row in run.rows.values()),
    )
