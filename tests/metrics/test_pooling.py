"""Differences over several lives: how often equal systems differ, and how many lives see a drop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.metrics.intervals import Estimate
from agingbench.metrics.pooling import lives_needed, pooled_difference

ONE = 1.96  # half of a 95 % interval, in standard errors


def null_lives(rng: np.random.Generator, n: int, own: float, between: float) -> list[Estimate]:
    """Pairs of equal systems: the noise of each life, and what makes lives differ."""
    values = rng.normal(0, own, n) + rng.normal(0, between, n)
    return [Estimate(v, v - ONE * own, v + ONE * own, 50) for v in map(float, values)]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("between", [0.0, 0.03])
def test_equal_systems_are_seldom_called_worse(n: int, between: float) -> None:
    if n < 3 and between:
        pytest.skip("one or two lives cannot show how lives differ")
    rng = np.random.default_rng(n)
    worse = 0
    for _ in range(1000):
        drop = pooled_difference(null_lives(rng, n, 0.03, between))
        worse += drop.low is not None and drop.low > 0
    assert worse <= 50


def test_more_lives_see_smaller_drops() -> None:
    rng = np.random.default_rng(0)
    halves = []
    for n in (3, 10, 40):
        drop = pooled_difference(null_lives(rng, n, 0.03, 0.03))
        assert drop.low is not None
        assert drop.high is not None
        halves.append((drop.high - drop.low) / 2)
    assert halves == sorted(halves, reverse=True)


@given(
    st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=12),
    st.floats(0.001, 0.3),
    st.floats(0.005, 0.5),
)
def test_the_needed_lives_would_see_it(values: list[float], own: float, limit: float) -> None:
    lives = [Estimate(v, v - own, v + own, 10) for v in values]
    needed = lives_needed(lives, limit)
    half = pooled_difference(lives)
    assert half.low is not None
    assert half.high is not None
    sees = (half.high - half.low) / 2 <= limit
    if needed is not None and len(lives) >= 3:
        assert sees == (needed <= len(lives))


def test_nothing_sees_a_drop_of_nothing() -> None:
    assert lives_needed([Estimate(0.1, 0.0, 0.2, 5)], 0.0) is None
    assert lives_needed([], 0.1) is None
    assert pooled_difference([]).value is None


def test_agreement_does_not_claim_to_see_everything() -> None:
    drop = pooled_difference([Estimate(0.0, -0.1, 0.1, 9)] * 4)
    assert drop.low == pytest.approx(-0.05)
