"""Half-lives over lives: the curve against scipy's, the restricted mean against a plain one, and
what is missing.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.metrics.intervals import mean_over_lives
from agingbench.metrics.survival import MIN_LIVES, half_lives, kaplan_meier, median, rmst

LIVES = st.lists(st.tuples(st.integers(1, 12).map(float), st.booleans()), min_size=1, max_size=25)


@settings(deadline=None)
@given(LIVES)
def test_the_curve_is_that_of_scipy(lives: list[tuple[float, bool]]) -> None:
    from scipy.stats import CensoredData, ecdf

    fell = [t for t, lost in lives if not lost]
    if not fell:
        assert kaplan_meier(*zip(*lives, strict=True)) == []
        return
    data = CensoredData(uncensored=fell, right=[t for t, lost in lives if lost])
    curve = ecdf(data).sf
    for step in kaplan_meier(*zip(*lives, strict=True)):
        assert step.share == pytest.approx(float(curve.evaluate(step.t)))
        assert 0 <= step.low <= step.share <= step.high <= 1


def test_the_interval_of_the_curve_is_that_of_scipy() -> None:
    from scipy.stats import CensoredData, ecdf

    times = [2.0, 3, 3, 5, 6, 7, 8, 9, 10, 10]
    lost = [False, False, True, False, False, True, False, False, True, True]
    data = CensoredData(
        uncensored=[t for t, c in zip(times, lost, strict=True) if not c],
        right=[t for t, c in zip(times, lost, strict=True) if c],
    )
    interval = ecdf(data).sf.confidence_interval(method="log-log")
    for step in kaplan_meier(times, lost):
        assert step.low == pytest.approx(float(interval.low.evaluate(step.t)))
        assert step.high == pytest.approx(float(interval.high.evaluate(step.t)))


@settings(deadline=None)
@given(st.lists(st.floats(0.1, 20), min_size=2, max_size=20), st.floats(5, 15))
def test_censored_at_the_end_only_it_is_the_mean_of_what_was_seen(
    halves: list[float], tau: float
) -> None:
    seen = [min(half, tau) for half in halves]
    found = rmst(seen, [half >= tau for half in halves], tau)
    assert found.value == pytest.approx(float(np.mean(seen)))
    plain = mean_over_lives(seen, proportion=False)
    if found.low is not None and plain.low is not None:
        assert found.low == pytest.approx(max(0.0, plain.low), abs=1e-6)


def test_a_censored_life_pulls_up_and_is_never_dropped() -> None:
    short = half_lives([(2.0, False, 10.0), (4.0, False, 10.0)])
    mixed = half_lives([(2.0, False, 10.0), (4.0, False, 10.0), (None, True, 10.0)])
    assert short.rmst.value == pytest.approx(3.0)
    assert mixed.rmst.value == pytest.approx(16 / 3)
    assert (mixed.censored, mixed.n) == (1, 3)
    assert mixed.listed == [(2.0, False), (4.0, False), (10.0, True)]


def test_all_censored_has_no_interval_and_no_median() -> None:
    found = half_lives([(None, True, 10.0)] * 12)
    assert (found.rmst.value, found.rmst.low, found.median.value, found.censored) == (
        10.0,
        None,
        None,
        12,
    )


def test_lives_without_a_half_life_are_counted_apart() -> None:
    found = half_lives([(None, None, 10.0), (3.0, False, 10.0)])
    assert (found.n, found.undefined, found.censored) == (1, 1, 0)
    nothing = half_lives([(None, None, 10.0)])
    assert (nothing.n, nothing.tau, nothing.rmst.value) == (0, None, None)


def test_the_median_needs_enough_lives() -> None:
    few = [(float(t), False, 20.0) for t in range(1, MIN_LIVES)]
    assert half_lives(few).median.value is None
    enough = half_lives([*few, (float(MIN_LIVES), False, 20.0)]).median
    assert enough.value == 5.0
    assert enough.low is not None
    assert enough.high is not None
    assert enough.low < 5.0 < enough.high


def test_the_median_of_a_curve_that_stays_above_one_half() -> None:
    found = median([1.0] * 3 + [10.0] * 9, [False] * 3 + [True] * 9)
    assert (found.value, found.high) == (None, None)


@pytest.mark.parametrize(
    ("times", "lost"), [([1.0], []), ([-1.0], [False]), ([float("inf")], [True])]
)
def test_what_is_no_half_life(times: list[float], lost: list[bool]) -> None:
    with pytest.raises(ValueError, match="half-lives"):
        kaplan_meier(times, lost)
