"""Drifts of a mix: found where they are, not where they are not, and said how small one could have
been seen.
"""

from __future__ import annotations

import numpy as np

from agingbench.metrics.mix import fit_mix, roots, visible_variation
from agingbench.metrics.permutation import orderings, p_value


def mixes(drift: float, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    calls = rng.integers(20, 60, size=24)
    t = np.linspace(0, 1, 24)
    shares = [
        rng.multinomial(c, [0.5 - drift * a, 0.3, 0.2 + drift * a]) / c
        for c, a in zip(calls, t, strict=True)
    ]
    return np.array(shares), calls.astype(float)


def test_a_drifting_mix_is_found_and_a_still_one_is_not() -> None:
    orders = orderings(24, 399, np.random.default_rng(0))
    quiet, loud = (fit_mix(*mixes(drift), orders) for drift in (0.0, 0.3))
    assert p_value(quiet.scores) > 0.02
    assert p_value(loud.scores) <= 0.01
    assert loud.excess > 0.1 > quiet.excess


def test_the_order_of_the_parts_does_not_matter() -> None:
    shares, calls = mixes(0.2)
    orders = orderings(24, 49, np.random.default_rng(0))
    a = fit_mix(shares, calls, orders)
    b = fit_mix(shares[:, ::-1], calls, orders)
    assert np.allclose(a.scores, b.scores)
    assert np.allclose(a.variation, b.variation)


def test_what_is_called_visible_is_seen_so_often() -> None:
    orders = orderings(24, 399, np.random.default_rng(0))
    fit = fit_mix(*mixes(0.0), orders)
    needed = float(np.quantile(fit.scores[1:], 0.95))
    visible = visible_variation(fit, needed)
    assert visible is not None
    assert 0.02 < visible < 0.3
    # A drift half as large again is seen nearly always, one of a third seldom.
    seen = [
        np.mean(
            [p_value(fit_mix(*mixes(drift, seed), orders).scores) <= 0.05 for seed in range(30)]
        )
        for drift in (0.5 * visible, 3.0 * visible)
    ]
    assert seen[0] < 0.6 < 0.9 < seen[1]


def test_too_little_is_no_drift() -> None:
    orders = orderings(2, 9, np.random.default_rng(0))
    fit = fit_mix(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([10.0, 10.0]), orders)
    assert p_value(fit.scores) == 1.0
    assert visible_variation(fit, 3.0) is None
    one = fit_mix(np.ones((8, 1)), np.full(8, 5.0), orderings(8, 9, np.random.default_rng(0)))
    assert p_value(one.scores) == 1.0


def test_roots_of_sessions_without_calls_are_even() -> None:
    found = roots(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 10.0]))
    assert np.allclose(found[0] ** 2, 0.5)
    assert found[1, 0] > 0.95


def test_an_interval_lies_beyond_zero_where_chance_hardly_reaches_the_drift() -> None:
    shares, counts = mixes(0.4)
    orders = orderings(len(counts), 199, np.random.default_rng(1))
    fit = fit_mix(shares, counts, orders)
    low, high = fit.interval(1.645)
    assert 0 < low < fit.excess < high

    shares, counts = mixes(0.0)
    low, high = fit_mix(shares, counts, orders).interval(1.645)
    assert low < 0 < high
