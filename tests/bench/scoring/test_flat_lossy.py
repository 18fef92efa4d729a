"""A memory that loses at the first write and then holds is lossy, not aging: shown on real plans,
with real strata.
"""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.plan.plan import Plan
from agingbench.metrics.curve import CurveStats, CurveTable, curve_stats
from tests.sampling import one_in

LIVES = 120
SMALL = {"tokens_per_session": 500}  # texts are not read here


@cache
def plans() -> list[Plan]:
    return [plan_for("s2", "medium", SMALL, 10, seed) for seed in range(LIVES)]


@cache
def curves(kept_at_first_write: float, kept_per_session: float = 1.0) -> list[CurveStats]:
    """One curve per plan; made once, whatever is asked of them."""
    return [lived(plan, kept_at_first_write, kept_per_session) for plan in plans()]


def lived(plan: Plan, kept_at_first_write: float, kept_per_session: float) -> CurveStats:
    """The curve of an agent that keeps each version of a fact with these chances, drawn once per
    fact and write.
    """
    rng = Random(f"{plan.seed}/{kept_at_first_write}/{kept_per_session}")
    lost_at: dict[tuple[str, int], int] = {}
    for fact in plan.graph.facts:
        for version in fact.versions:
            point = version.session + 1
            alive = rng.random() < kept_at_first_write
            while alive and point <= plan.n_sessions:
                point += 1
                alive = rng.random() < kept_per_session
            lost_at[fact.id, version.session] = point
    rows = []
    for probe in plan.probes:
        if probe.weight is None:
            continue
        told = plan.graph.by_id[probe.facts[0]].at(probe.t)
        assert told is not None
        known = probe.t == 0 or probe.t < lost_at[probe.facts[0], told.session]
        rows.append((probe.t, float(known), probe.weight, probe.cluster))
    return curve_stats(CurveTable.from_rows(rows))


@pytest.mark.parametrize("kept", one_in(3, [0.6, 0.4, 0.8]))
def test_flat_lossy_lives_are_not_called_aging(kept: float) -> None:
    stats = curves(kept)
    called = sum(s.aging_detected is True for s in stats) / LIVES
    losses = [s.first_write_loss.value for s in stats if s.first_write_loss.value is not None]
    print(
        f"kept {kept}: called aging {called:.1%}, first-write loss {sum(losses) / len(losses):.3f}"
    )
    assert called <= 0.05
    assert sum(losses) / len(losses) == pytest.approx(1 - kept, abs=0.03)


@pytest.mark.parametrize("kept", [0.4, 0.6, 0.8])
def test_intervals_cover_the_truth(kept: float) -> None:
    covered = {"m_final": 0, "decay_slope": 0}
    for stats in curves(kept):
        for name, truth in (("m_final", kept), ("decay_slope", 0.0)):
            estimate = getattr(stats, name)
            covered[name] += estimate.low <= truth <= estimate.high
    for name, times in covered.items():
        print(f"kept {kept}: the interval of {name} covers in {times / LIVES:.1%} of lives")
        assert 0.90 <= times / LIVES <= 0.995


def test_a_memory_that_loses_every_session_is_called_aging() -> None:
    called = sum(stats.aging_detected is True for stats in curves(1.0, 0.85)) / LIVES
    print(f"15 % lost per session: called aging {called:.1%}")
    assert called > 0.5  # measured: 67.5 %; a life of 10 sessions holds only so much evidence
