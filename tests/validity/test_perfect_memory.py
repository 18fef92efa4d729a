"""A memory that is complete and up to date scores 1 at every point, whatever was revised or
withdrawn meanwhile.
"""

from __future__ import annotations

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.scoring.memory_text import STALE, memory_shares
from agingbench.validity.bounds import perfect_memory

CHURN = {"update_rate": 0.8, "forget_rate": 0.4, "max_chain_depth": 6, "n_confusable_pairs": 12}


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3", "s4", "s5", "s6", "s7"])
@pytest.mark.parametrize(
    "preset",
    [
        "light",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("medium", "heavy")),
        "churn",
    ],
)
def test_perfect_memory_scores_one_at_every_point(scenario: str, preset: str) -> None:
    dials = {"tokens_per_session": 500, **(CHURN if preset == "churn" else {})}
    plan = plan_for(scenario, "medium" if preset == "churn" else preset, dials, 14, 0)
    texts = [(t, "\n".join(perfect_memory(plan, t))) for t in range(plan.n_sessions + 1)]
    shares = memory_shares(plan, texts, workspace=True)
    stale = shares.pop(STALE)
    assert set(shares) == {"keyword_m", "summarization_fidelity", "workspace_fidelity"}
    for metric, points in shares.items():
        assert set(points) == set(range(metric == "workspace_fidelity", 15))
        assert all(min(hits) == 1 for hits in points.values()), metric
    assert not any(sum(counts) for counts in stale.values())
    if preset == "churn":
        assert plan.graph.summary()["updates"] > 20
        assert plan.graph.summary()["retractions"] > 10
