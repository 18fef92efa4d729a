"""Trends by permutation: they hold their level, find what is there, and know what they could have
seen.
"""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics import trend
from agingbench.metrics.detection import clopper_pearson
from agingbench.metrics.permutation import orderings, p_value
from agingbench.metrics.trend import (
    fit_designs,
    fit_effect,
    precision_weights,
    serial_correlations,
    serial_likeness,
    theil_sen,
    trend_design,
    visible_slope,
)


def fit(y: np.ndarray, w: np.ndarray, count: int = 199, seed: int = 0) -> float:
    orders = orderings(len(y), count, np.random.default_rng(seed))
    return p_value(fit_effect(trend_design(len(y)), 0, y, w, orders).scores)


def test_orderings_keep_what_they_must() -> None:
    rng = np.random.default_rng(0)
    blocks = [0, 0, 1, 1, 1, 2]
    strata = [0, 1, 0, 1, 0, 1]
    by_block = orderings(6, 50, rng, blocks=blocks)
    assert (np.sort(by_block, axis=1) == np.arange(6)).all()
    for row in by_block:
        where = {int(s): place for place, s in enumerate(row)}
        assert where[1] == where[0] + 1
        assert where[4] == where[2] + 2
    by_stratum = orderings(6, 50, rng, strata=strata)
    assert (np.array(strata)[by_stratum] == np.array(strata)).all()
    assert (orderings(6, 5, rng)[0] == np.arange(6)).all()


def test_a_trend_is_found_and_its_slope_is_the_change_from_first_to_last() -> None:
    y = np.linspace(1.0, 3.0, 24) + np.random.default_rng(1).normal(0, 0.3, 24)
    orders = orderings(24, 499, np.random.default_rng(0))
    found = fit_effect(trend_design(24), 0, y, np.ones(24), orders)
    assert found.effect == pytest.approx(2.0, abs=0.5)
    assert p_value(found.scores) <= 0.01
    low, high = found.interval() or (0.0, 0.0)
    assert low < 2.0 < high


def test_missing_sessions_have_no_say() -> None:
    y = np.linspace(0, 1, 12)
    w = np.ones(12)
    wild = y.copy()
    wild[5], w[5] = 1e6, 0.0
    orders = orderings(12, 99, np.random.default_rng(0))
    a = fit_effect(trend_design(12), 0, y, w, orders)
    b = fit_effect(trend_design(12), 0, wild, w, orders)
    assert np.allclose(a.effects, b.effects)
    assert a.n == 11


def test_too_few_or_constant_values_are_no_trend() -> None:
    orders = orderings(2, 9, np.random.default_rng(0))
    assert (
        p_value(fit_effect(trend_design(2), 0, np.array([0.0, 1.0]), np.ones(2), orders).scores)
        == 1.0
    )
    assert fit(np.full(10, 0.3), np.ones(10)) == 1.0


def test_what_is_called_visible_is_seen_so_often() -> None:
    rng = np.random.default_rng(5)
    orders = orderings(24, 399, rng)
    noise = rng.normal(size=24)
    found = fit_effect(trend_design(24), 0, noise, np.ones(24), orders)
    needed = float(np.quantile(found.scores[1:], 0.95))
    slope = visible_slope(found, needed)
    assert slope is not None
    seen = 0
    for _ in range(200):
        y = rng.permutation(noise) + slope * np.linspace(0, 1, 24)
        again = fit_effect(trend_design(24), 0, y, np.ones(24), orders)
        seen += p_value(again.scores) <= 0.05
    assert 0.7 <= seen / 200 <= 0.92


def test_neighbours_that_resemble_each_other_are_noticed_beyond_a_trend() -> None:
    rng = np.random.default_rng(4)
    orders = orderings(40, 399, rng)
    trend = (np.linspace(0, 5, 40) + rng.normal(size=40))[:, None]
    wander = np.cumsum(rng.normal(size=40))[:, None]
    quiet, loud = (serial_correlations(values, np.ones(40), orders) for values in (trend, wander))
    assert p_value(serial_likeness(quiet)) > 0.01
    assert p_value(serial_likeness(loud)) <= 0.01


def test_many_columns_say_the_same_as_their_inner_products() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(9, 40))
    w = rng.uniform(0.2, 1.0, 9)
    w[3] = 0.0
    orders = orderings(9, 20, rng)
    halves = [serial_correlations(v, w, orders) for v in (values[:, :5], values[:, 5:9])]
    assert halves[0].shape == (21, 3)
    turned = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    assert np.allclose(
        serial_correlations(values, w, orders), serial_correlations(values @ turned, w, orders)
    )
    few = values[:, :5]
    padded = np.hstack([few, np.zeros((9, 30))])
    assert np.allclose(serial_correlations(few, w, orders), serial_correlations(padded, w, orders))


def test_known_likeness_of_neighbours_widens_the_error() -> None:
    y = np.random.default_rng(9).normal(size=20)
    orders = orderings(20, 9, np.random.default_rng(0))
    free, tied = (
        fit_effect(trend_design(20), 0, y, np.ones(20), orders, rho=np.full(10, r))
        for r in (0.0, 0.5)
    )
    assert np.allclose(free.effects, tied.effects)
    assert np.allclose(tied.errors, free.errors * np.sqrt(3.0))
    assert tied.rho == 0.5


def test_one_design_among_many_is_fitted_as_alone() -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=15)
    w = np.ones(15)
    designs = np.stack(
        [np.column_stack([rng.integers(0, 2, 15), np.ones(15)]).astype(float) for _ in range(4)]
    )
    alone = [fit_effect(d, 0, y, w, np.arange(15)[None, :]).scores[0] for d in designs]
    assert np.allclose(fit_designs(designs, 0, y, w), alone)


def test_level_holds_on_noise_with_uneven_weights() -> None:
    rng = np.random.default_rng(3)
    hits = sum(
        fit(rng.normal(size=20) / np.sqrt(m), precision_weights(m)) <= 0.05
        for m in (rng.integers(1, 60, size=20).astype(float) for _ in range(300))
    )
    assert clopper_pearson(hits, 300)[0] <= 0.05 <= clopper_pearson(hits, 300)[1] + 0.02


def test_the_median_slope_by_hand() -> None:
    assert theil_sen([0.0, None, 2.0, 3.0, 4.0]) == pytest.approx(4.0)
    assert theil_sen([None, 1.0]) is None


@pytest.mark.parametrize("chunk", [1, 150, 10_000_000])
def test_the_size_of_a_step_of_work_changes_no_result(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=40)
    w = rng.uniform(0.0, 2.0, size=40)
    w[::7] = 0.0
    orders = orderings(40, 30, rng)
    whole = fit_effect(trend_design(40), 0, y, w, orders)
    likeness = serial_correlations(y[:, None], w, orders)
    monkeypatch.setattr(trend, "CHUNK", chunk)
    in_pieces = fit_effect(trend_design(40), 0, y, w, orders)
    assert in_pieces.scores == pytest.approx(whole.scores, rel=1e-9)
    assert in_pieces.errors == pytest.approx(whole.errors, rel=1e-9)
    assert serial_correlations(y[:, None], w, orders) == pytest.approx(likeness, abs=1e-12)
