"""Expected curves and measured points by hand, and against the binomial distribution."""

from __future__ import annotations

import numpy as np
import pytest

from agingbench.metrics.permutation import Floats
from agingbench.metrics.profile import LaterCells, expected_curves, share_below
from agingbench.validity.simulated_curves import FlatLife, expected_hazard


def _cells(values: Floats) -> LaterCells:
    """Points × facts of 0 and 1, every fact asked once at every point."""
    n_points, n_facts = values.shape
    at = np.repeat(np.arange(n_points), n_facts)
    return LaterCells(
        ts=np.arange(1.0, n_points + 1),
        ms=values.mean(axis=1),
        at=at,
        fact=np.arange(at.size),
        group=np.zeros(at.size, dtype=np.intp),
        value=values.ravel(),
        mass=np.full(at.size, 1 / n_facts),
    )


@pytest.mark.parametrize("level", [0.4, 0.5, 0.6, 0.8])
def test_the_share_below_is_the_binomial_chance(level: float) -> None:
    cells = _cells(np.ones((20, 12)))
    curves = np.full((1, 20), level)
    share = share_below(curves, cells, 0.5, np.random.default_rng(1))
    # 8,000 points are drawn: three standard errors are at most .017.
    assert share[0] == pytest.approx(expected_hazard(FlatLife(level, True), 0.5), abs=0.017)


def test_a_heavy_fact_decides_its_point_alone() -> None:
    cells = _cells(np.ones((1, 3)))._replace(mass=np.array([0.8, 0.1, 0.1]))
    share = share_below(np.full((1, 1), 0.3), cells, 0.5, np.random.default_rng(2))
    # 400 points: three standard errors are .07.
    assert share[0] == pytest.approx(0.7, abs=0.07)


def test_thresholds_beyond_the_scale() -> None:
    cells = _cells(np.ones((2, 4)))
    curves = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert share_below(curves, cells, 0.0, np.random.default_rng(3)).tolist() == [0.0, 0.0]
    assert share_below(curves, cells, 1.5, np.random.default_rng(3)).tolist() == [1.0, 1.0]


def test_expected_curves_follow_a_step_that_no_line_explains() -> None:
    values = np.zeros((12, 12))
    values[:6] = 1.0
    curves = expected_curves(_cells(values), np.random.default_rng(4), 200)
    assert curves[:, :6].mean() > 0.85
    assert curves[:, 6:].mean() < 0.15


def test_expected_curves_of_a_flat_life_are_lines() -> None:
    rng = np.random.default_rng(5)
    values = (rng.random((10, 12)) < 0.6).astype(float)
    curves = expected_curves(_cells(values), rng, 100)
    bends = np.diff(curves, n=2, axis=1)
    assert np.abs(bends).max() < 1e-9
