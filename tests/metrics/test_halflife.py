"""Half-life and hazard by hand: where the curve crosses, what is missing and why, and what the
intervals hold.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import isotonic_regression

from agingbench.metrics.halflife import (
    HalfLife,
    crossing,
    fit_half_life,
    fitted_crossings,
    half_life_interval,
    hazard,
)
from agingbench.metrics.permutation import Floats


def _later(curve: dict[int, float]) -> tuple[Floats, Floats]:
    return np.array(list(curve), dtype=float), np.array(list(curve.values()))


@pytest.mark.parametrize(
    ("m0", "curve", "expected"),
    [
        (1.0, {1: 0.8, 2: 0.4}, 1.75),
        (1.0, {2: 0.8, 6: 0.4}, 5.0),  # over points that do not exist
        (1.0, {1: 0.2, 2: 0.2}, 0.5 / 0.8),  # within the first write
        (0.8, {1: 0.4, 2: 0.4}, 1.0),  # exactly on the bar
    ],
)
def test_half_life_interpolates_between_points_that_exist(
    m0: float, curve: dict[int, float], expected: float
) -> None:
    half = fit_half_life(*_later(curve), m0)
    assert half.value == pytest.approx(expected)
    assert (half.censored, half.reason) == (False, None)


def test_half_life_reads_the_isotonic_fit_and_not_one_dip() -> None:
    ts, ms = _later({1: 0.9, 2: 0.4, 3: 0.9, 4: 0.8, 5: 0.8})
    reason = "the curve stays above half of m(0) up to its last point t = 5"
    assert fit_half_life(ts, ms, 1.0) == HalfLife(None, True, reason)
    assert crossing(ts, ms, 1.0) == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("m0", "curve", "reason"),
    [
        (None, {1: 0.5}, "m(0) was not measured, so there is no half of it"),
        (0.0, {1: 0.0, 2: 0.0}, "m(0) is 0, so there is no half of it to fall to"),
        (1.0, {}, "the curve has no point after t = 0"),
    ],
)
def test_half_life_of_nothing_is_missing_with_a_reason(
    m0: float | None, curve: dict[int, float], reason: str
) -> None:
    assert fit_half_life(*_later(curve), m0) == HalfLife(None, None, reason)


def test_the_interval_of_a_half_life_holds_it_and_stays_open_where_curves_never_cross() -> None:
    ts = np.arange(1.0, 11.0)
    boot = np.linspace(2.0, 6.0, 101)
    assert half_life_interval(HalfLife(4.0, False, None), [boot], ts) == pytest.approx((2.08, 5.92))
    assert half_life_interval(HalfLife(7.0, False, None), [boot], ts) == pytest.approx((2.08, 7.0))
    assert half_life_interval(
        HalfLife(4.0, False, None), [np.append(boot[:90], [math.inf] * 11)], ts
    ) == (2.08, None)
    never = np.full(101, math.inf)
    assert half_life_interval(HalfLife(None, True, "never"), [never], ts) == (10.0, None)
    assert half_life_interval(HalfLife(None, None, "no m(0)"), [never], ts) is None


def test_hazard_counts_points_below_the_threshold_and_none_on_it() -> None:
    _, ms = _later({1: 0.9, 2: 0.7, 3: 0.5, 4: 0.3})
    estimate = hazard(ms, 0.5, np.array([0.0, 0.25, 0.5]))
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (0.25, 0.0, 0.5, 4)


def test_the_interval_of_a_half_life_holds_every_sample() -> None:
    ts = np.arange(1.0, 11.0)
    samples = [np.full(50, 3.0), np.full(50, 5.0)]
    assert half_life_interval(HalfLife(4.0, False, None), samples, ts) == (3.0, 5.0)


def test_the_interval_of_a_hazard_holds_what_was_seen() -> None:
    estimate = hazard(np.ones(8), 0.5, np.full(100, 0.25))
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.25)


def test_hazard_without_points_or_threshold_is_missing() -> None:
    nothing = np.zeros(0)
    assert hazard(nothing, 0.5, nothing).value is None
    assert hazard(np.ones(3), None, nothing).value is None


@given(
    curves=arrays(
        np.float64,
        st.tuples(st.integers(1, 4), st.integers(1, 9)),
        elements=st.sampled_from([0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 1.0, math.nan]),
    ),
    m0=st.sampled_from([0.2, 0.5, 0.8, 1.0]),
)
def test_crossings_are_those_of_the_isotonic_fit(curves: Floats, m0: float) -> None:
    """Found without the fit, they are where the fit of another library comes to half of m(0)."""
    ts = np.arange(1.0, curves.shape[1] + 1)
    found = fitted_crossings(ts, curves, np.full(len(curves), m0))

    for curve, place in zip(curves, found, strict=True):
        has_value = ~np.isnan(curve)
        expected = None
        if has_value.any():
            fit = isotonic_regression(curve[has_value], increasing=False).x
            expected = crossing(ts[has_value], fit, m0)
        assert place == pytest.approx(math.inf if expected is None else expected)
