"""An agent that is good at one class of facts and bad at another, always, does not age: shown on
real plans, whose mix of classes changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.facts import FactGraph
from agingbench.bench.plan.plan import Plan
from agingbench.bench.scoring.classes import fact_class, probe_class
from agingbench.bench.scoring.memory_text import MEMORY_METRICS
from agingbench.metrics.curve import CurveRow, CurveTable, curve_stats
from tests.sampling import one_in

LIVES = 60


class Asked(NamedTuple):
    """One row of the headline before it is answered."""

    t: int
    fact: str
    weight: float
    group: str


@cache
def plans(scenario: str) -> list[Plan]:
    return [plan_for(scenario, "medium", sessions=10, seed=seed) for seed in range(LIVES)]


def asked(plan: Plan) -> Iterator[Asked]:
    graph = plan.graph
    if plan.headline in MEMORY_METRICS:
        for t, names in enumerate(plan.inspected):
            for name in names:
                yield Asked(t, name, 1.0, fact_class(graph.by_id[name], graph, t))
        return
    for probe in plan.probes:
        if probe.weight is not None:
            yield Asked(probe.t, probe.cluster, probe.weight, probe_class(probe, graph))


def ability(graph: FactGraph, row: Asked) -> float:
    fact = graph.by_id[row.fact]
    if fact.depth_at(row.t) > 1:
        return 0.3
    if fact.partner and graph.by_id[fact.partner].depth_at(row.t) > 0:
        return 0.3
    return 0.9


def lived(plan: Plan, persistent: bool, loss: float = 0.0) -> list[CurveRow]:
    """The answers of an agent of constant ability by class; or, with a loss, of one that forgets
    every fact at this rate.
    """
    rng = Random(f"{plan.seed}/{persistent}/{loss}")
    fates: dict[tuple[str, float], float] = {}
    rows = []
    for row in asked(plan):
        chance = ability(plan.graph, row)
        if loss:
            version = plan.graph.by_id[row.fact].at(row.t)
            assert version is not None
            chance = (1 - loss) ** max(0, row.t - version.session - 1)
        luck = rng.random()
        if persistent:
            luck = fates.setdefault((row.fact, 0.0 if loss else chance), luck)
        value = float(row.t == 0 or luck < chance)
        rows.append(CurveRow(row.t, value, row.weight, row.fact, row.group))
    return rows


def called(rows: list[CurveRow]) -> bool:
    return curve_stats(CurveTable.from_rows(rows), n_boot=2).aging_detected is True


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("scenario", one_in(2, ["s2", "s1"]))
def test_constant_ability_by_class_is_not_aging(scenario: str, persistent: bool) -> None:
    share = sum(called(lived(plan, persistent)) for plan in plans(scenario)) / LIVES
    print(f"{scenario}, persistent {persistent}: called aging {share:.1%}")
    assert share <= 0.05


def test_without_classes_the_mix_would_be_taken_for_aging() -> None:
    tables = [lived(plan, persistent=True) for plan in plans("s1")]
    pooled = [[row._replace(group="") for row in table] for table in tables]
    assert sum(called(rows) for rows in pooled) / LIVES > 0.15


@pytest.mark.parametrize(("scenario", "at_least"), [("s1", 0.9), ("s2", 0.6)])
def test_an_agent_that_forgets_is_still_found(scenario: str, at_least: float) -> None:
    share = sum(called(lived(plan, True, loss=0.15)) for plan in plans(scenario)) / LIVES
    print(f"{scenario}: 15 % lost per session, called aging {share:.1%}")
    assert share >= at_least
