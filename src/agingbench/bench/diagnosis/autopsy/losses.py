"""Which writes and events lost how many facts, and which kinds of value die first: the sum over a
store's history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from agingbench import text as matcher
from agingbench.bench.diagnosis.autopsy.histories import (
    LOST,
    NEVER_WRITTEN,
    STILL_THERE,
    Fate,
    History,
    Step,
    Told,
    versions_of,
)
from agingbench.bench.plan.facts import Fact
from agingbench.bench.plan.plan import Plan
from agingbench.metrics.intervals import Estimate, clustered_mean
from agingbench.metrics.survival import median
from agingbench.text import Value
from agingbench.trials.run_folder import WRITE

KINDS = (
    "amount",
    "quantity",
    "number",
    "percent",
    "range",
    "date",
    "time",
    "version",
    "name",
    "set",
)
_CURRENCIES = ("usd", "eur", "gbp")


@dataclass(frozen=True)
class Kept:
    """One value of a fact while it held: what became of it, and how many writes it outlived."""

    told: Told
    fate: Fate
    last: int  # the last point at which it held

    @property
    def gone(self) -> bool:
        return self.fate.state != STILL_THERE

    @property
    def age(self) -> int:
        """Writes that it outlived: to its loss for good, or as long as it held and was followed."""
        if self.fate.state == NEVER_WRITTEN:
            return 0
        lost = self.fate.lost_at
        return (lost.point - 1 if lost else self.last) - self.told.session


def kind_of(value: Value) -> str:
    """What people call this kind of value."""
    if value.kind == "number":
        unit = next((q.unit for q in matcher.numbers(value.text)), None)
        return "amount" if unit in _CURRENCIES else "quantity" if unit else "number"
    return {"clock": "time"}.get(value.kind, value.kind)


def kept_values(plan: Plan, history: History) -> Iterator[Kept]:
    """Every value of every fact of a life, followed from its telling to the last point at which it
    held.
    """
    for fact in plan.graph.facts:
        for told, last in zip(versions_of(fact), _last_points(fact, plan.n_sessions), strict=True):
            if (
                told.session < last
            ):  # one that was replaced within its own session was never to be kept
                yield Kept(told, history.fate(told, history.step_at(last)), last)


def _last_points(fact: Fact, end: int) -> list[int]:
    ends = [version.session for version in fact.versions[1:]]
    return [
        min(point, end)
        for point in (*ends, end if fact.retracted_at is None else fact.retracted_at)
    ]


def by_step(lives: Sequence[Sequence[Kept]]) -> list[dict[str, Any]]:
    """How many values were told, not written, lost and found again at every step; equal steps of
    lives add up.

    What is not written with its own session may still come back later; only then it was not
    `never_written`.
    """
    rows: dict[tuple[int, int, str], dict[str, Any]] = {}

    def row(step: Step) -> dict[str, Any]:
        place = (step.point, int(step.kind != WRITE), str(step))
        none = {"told": 0, "not_written": 0, "lost": 0, "came_back": 0}
        return rows.setdefault(place, {**step.as_json(), **none})

    for one in chain.from_iterable(lives):
        own = row(Step(WRITE, one.told.session + 1, one.told.session))
        own["told"] += 1
        first = one.fate.first_stated
        own["not_written"] += first is None or first.session != one.told.session
        for step in one.fate.losses:
            row(step)["lost"] += 1
        for step in one.fate.returns:
            row(step)["came_back"] += 1
    return [rows[place] for place in sorted(rows)]


def by_kind(lives: Sequence[Sequence[Kept]]) -> list[dict[str, Any]]:
    """For every kind of value: the share that is gone when it is last looked for, and when half are
    gone.

    `half_survival` counts the writes that a value outlives, by Kaplan and Meier, since a value that
    stops holding is no longer followed; 0 means that half of them were never written. The first of
    the list die first.
    """
    groups: dict[str, list[tuple[str, Kept]]] = {}
    for number, life in enumerate(lives):
        for one in life:
            groups.setdefault(kind_of(one.told.value), []).append(
                (f"{number}/{one.told.owner}", one)
            )
    rows = []
    for kind, found in groups.items():
        ones = [one for _, one in found]
        share = clustered_mean(
            [float(one.gone) for one in ones], [1.0] * len(ones), [fact for fact, _ in found]
        )
        states = Counter(one.fate.state for one in ones)
        rows.append(
            {
                "kind": kind,
                "n": len(ones),
                "never_written": states[NEVER_WRITTEN],
                "lost": states[LOST],
                "still_there": states[STILL_THERE],
                "share_lost": _json(share),
                "half_survival": _json(
                    median([float(one.age) for one in ones], [not one.gone for one in ones])
                ),
            }
        )
    return sorted(rows, key=lambda row: (-row["share_lost"]["value"], KINDS.index(row["kind"])))


def _json(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "ci": None if estimate.low is None else [estimate.low, estimate.high],
        "n": estimate.n,
    }
