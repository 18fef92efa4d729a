"""Quality against context tokens: which runs no other run beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agingbench.metrics.bootstrap import mean_of
from agingbench.resumption.analysis.compare import ScoredRun


def pareto(runs: Sequence[ScoredRun]) -> list[dict[str, Any]]:
    """One point per run, cheapest first; `front` marks those that no run beats on quality and
    tokens at once.

    All points are over the episodes that every run scored, hand-overs left out: other episodes,
    other difficulty. A run without scores, or with a context that did not fit its budget, has no
    point and takes nobody else's away.
    """
    scored = [_scored(run) for run in runs]
    shared = set.intersection(*(filter(None, scored) if any(scored) else [set()]))
    points = [
        _point(run, sorted(shared) if own else []) for run, own in zip(runs, scored, strict=True)
    ]
    for point in points:
        point["front"] = point["quality"] is not None and not any(
            _beats(other, point) for other in points
        )
    return sorted(points, key=lambda p: (p["tokens"] is None, p["tokens"] or 0.0, p["run"]))


def _scored(run: ScoredRun) -> set[str]:
    # A consolidator that does not fit where it is hard would be measured on what is easy.
    if any(row["status"] in ("refused", "failed") for row in run.rows.values()):
        return set()
    return {n for n, row in run.rows.items() if row["status"] == "scored" and not row["handover"]}


def _point(run: ScoredRun, names: Sequence[str]) -> dict[str, Any]:
    quality = mean_of([run.rows[n]["quality"] for n in names])
    tokens = [run.rows[n]["context_tokens"] for n in names]
    return {
        "run": run.name,
        "consolidator": run.config["consolidator"],
        "budget": run.config["budget"],
        "tokens": sum(tokens) / len(tokens) if tokens else None,
        "quality": quality.value,
        "quality_ci": None if quality.low is None else [quality.low, quality.high],
        "n": quality.n,
        "calibrated": run.calibrated,
        "gate": "passed" if run.calibrated else "uncalibrated",
        "refused": sum(row["status"] == "refused" for row in run.rows.values()),
    }


def _beats(a: dict[str, Any], b: dict[str, Any]) -> bool:
    if a["quality"] is None or a["tokens"] is None:
        return False
    mine = (a["quality"], -a["tokens"])
    other = (b["quality"], -b["tokens"])
    return mine != other and bool(mine[0] >= other[0] and mine[1] >= other[1])
