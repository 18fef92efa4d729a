"""Intervals: hand-computed figures, coverage over simulated lives, and the edges where samples run
out.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.metrics.intervals import (
    MISSING,
    Estimate,
    clustered_mean,
    kish,
    mean_over_lives,
    newcombe,
    paired_difference,
    weighted_mean,
    wilson,
)


def test_wilson_by_hand() -> None:
    # Newcombe 1998, table I: 81 of 263 gives .2553 to .3662.
    low, high = wilson(81 / 263, 263)
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(1.0, 10) == pytest.approx((10 / (10 + 1.959964**2), 1.0))
    assert wilson(0.0, 10)[0] == 0.0


@pytest.mark.parametrize(("p", "n"), [(1.1, 5), (-0.1, 5), (0.5, 0), (math.nan, 5)])
def test_wilson_refuses_what_is_no_proportion(p: float, n: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        wilson(p, n)


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_wilson_holds_its_own_value(p: float, n: float) -> None:
    low, high = wilson(p, n)
    assert 0 <= low <= p <= high <= 1


def test_kish_counts_equal_weights_fully() -> None:
    assert kish([3, 3, 3, 3]) == pytest.approx(4)
    assert kish([1, 1e-9]) == pytest.approx(1)
    assert kish([2, 1]) == pytest.approx(9 / 5)


def test_clustered_mean_counts_repeated_probes_of_one_fact_once() -> None:
    ten_facts = clustered_mean([1, 1, 1, 0, 0] * 2, np.ones(10), range(10))
    assert (ten_facts.low, ten_facts.high) == wilson(0.6, 10)
    copies = clustered_mean([1, 1, 1, 0, 0] * 2, np.ones(10), list(range(5)) * 2)
    assert copies.value == pytest.approx(0.6)
    assert copies.n == 10
    assert (copies.low, copies.high) == pytest.approx(wilson(0.6, 5))
    assert clustered_mean([], [], []) == MISSING


def test_clustered_mean_learns_that_probes_of_a_fact_are_unrelated() -> None:
    # Every fact answers half of its probes: the facts do not differ, so the rows are worth nearly
    # their number.
    estimate = clustered_mean([1, 0, 1, 0] * 10, np.ones(40), np.repeat(np.arange(10), 4))
    assert estimate.low is not None
    assert estimate.low > wilson(0.5, 12)[0]


def test_clustered_mean_covers() -> None:
    rng = np.random.default_rng(8)
    for facts, probes, a, b in (
        (10, 4, 2.0, 1.0),
        (10, 4, 0.3, 0.3),
        (8, 6, 3.0, 0.5),
        (20, 3, 1.0, 1.0),
    ):
        cluster = np.repeat(np.arange(facts), probes)
        hits = 0
        for _ in range(300):
            value = rng.random(cluster.size) < rng.beta(a, b, facts)[cluster]
            estimate = clustered_mean(value, np.ones(cluster.size), cluster)
            assert estimate.low is not None
            assert estimate.high is not None
            hits += estimate.low <= a / (a + b) <= estimate.high
        assert 0.92 <= hits / 300 <= 1.0


def test_weighted_mean_stays_within_its_values() -> None:
    assert weighted_mean(np.array([0.1, 0.1, 0.1]), np.array([1e-9, 3.0, 1e9])) == 0.1
    assert weighted_mean(np.array([1.0, 0.0]), np.array([3.0, 1.0])) == 0.75


def test_newcombe_by_hand() -> None:
    # Uncorrelated sides: root sum of squares of the Wilson arms; full correlation: their
    # difference.
    assert newcombe((0.8, 0.6, 0.9), (0.5, 0.3, 0.7), 0.0) == pytest.approx(
        (0.3 - math.hypot(0.2, 0.2), 0.3 + 0.05**0.5)
    )
    assert newcombe((0.8, 0.6, 0.9), (0.5, 0.3, 0.7), 1.0) == pytest.approx((0.3, 0.4))


def test_mean_over_lives_by_hand() -> None:
    estimate = mean_over_lives([0.5, None, 0.7, 0.6], proportion=True)
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert estimate.n == 3
    assert estimate.value == pytest.approx(0.6)
    assert (estimate.low, estimate.high) == pytest.approx((0.6 - half, 0.6 + half))


def test_mean_over_lives_without_spread() -> None:
    assert mean_over_lives([], proportion=True) == MISSING
    assert mean_over_lives([None, None], proportion=False) == MISSING
    perfect = mean_over_lives([1.0, 1.0, 1.0], proportion=True)
    assert (perfect.low, perfect.high) == wilson(1.0, 3)
    assert mean_over_lives([-0.02, -0.02], proportion=False) == Estimate(-0.02, -0.02, -0.02, 2)
    assert mean_over_lives([-0.02], proportion=False) == Estimate(-0.02, None, None, 1)


def test_mean_over_lives_stays_a_proportion() -> None:
    estimate = mean_over_lives([0.99, 1.0, 0.8], proportion=True)
    assert estimate.high == 1.0
    unbounded = mean_over_lives([0.99, 1.0, 0.8], proportion=False)
    assert unbounded.high is not None
    assert unbounded.high > 1.0


@pytest.mark.parametrize("lives", [3, 5, 10])
def test_mean_over_lives_covers_where_percentiles_do_not(lives: int) -> None:
    rng = np.random.default_rng(lives)
    drawn = rng.beta(6, 4, (600, lives))
    estimates = [mean_over_lives(row.tolist(), proportion=True) for row in drawn]
    covered = np.mean(
        [e.low <= 0.6 <= e.high for e in estimates if e.low is not None and e.high is not None]
    )
    resampled = drawn[:, rng.integers(0, lives, (500, lives))].mean(axis=2)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=1)
    assert 0.92 <= covered <= 0.98
    assert np.mean((low <= 0.6) & (high >= 0.6)) < covered


def test_paired_difference_by_hand() -> None:
    result = paired_difference([0.9, 0.8, 0.7, None], [0.5, 0.6, 0.4, 0.1])
    assert result.n == result.effect.n == 3
    assert result.effect.value == pytest.approx(0.3)
    # All three differences are positive: only the two unanimous sign patterns of eight are as far
    # out.
    assert result.p_value == pytest.approx(2 / 8)


def test_paired_difference_edges() -> None:
    nothing = paired_difference([], [])
    assert (nothing.effect, nothing.p_value, nothing.n) == (MISSING, None, 0)
    same = paired_difference([0.5, 0.6], [0.5, 0.6])
    assert (same.effect.value, same.p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match="equal lengths"):
        paired_difference([1.0], [])


def test_sign_flips_sampled_agree_with_exact_ones() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(0.15, 0.3, 14).tolist()
    exact = paired_difference(a, [0.0] * 14).p_value
    # Two further pairs without a difference leave the sum of every sign pattern as it was, but
    # force sampling.
    sampled = paired_difference([*a, 0.0, 0.0], [0.0] * 16).p_value
    assert exact is not None
    assert sampled == pytest.approx(exact, abs=0.02)
    assert sampled == paired_difference([*a, 0.0, 0.0], [0.0] * 16).p_value


def test_sign_flip_keeps_its_level() -> None:
    rng = np.random.default_rng(9)
    results = [
        paired_difference(rng.normal(0, 1, 8).tolist(), [0.0] * 8).p_value for _ in range(400)
    ]
    assert np.mean([p is not None and p <= 0.05 for p in results]) <= 0.07
